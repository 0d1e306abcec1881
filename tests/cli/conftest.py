"""The real command as a real process, in an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from lens_process import TIMEOUT, Command, Outcome

from lens_lsp.cli import main

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Nothing of the developer's: no settings, no colours, an empty home."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "LENS_READER") if name in os.environ}
    home = tmp_path_factory.mktemp("home")
    return kept | {"HOME": str(home), "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def lens(environment: dict[str, str], tmp_path: Path) -> Command:
    """Run ``lens`` with the arguments, in ``tmp_path`` unless told otherwise, and wait for its end."""

    def run(
        *arguments: str | bytes,
        cwd: Path = tmp_path,
        env: dict[str, str] | None = None,
        timeout: float = TIMEOUT,
        **options: Any,
    ) -> Outcome:
        command: Sequence[str | bytes] = [sys.executable, "-m", "lens_lsp", *arguments]
        done = subprocess.run(
            command,
            cwd=cwd,
            env=environment | (env or {}),
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            check=False,
            **({"capture_output": True} | options),
        )
        return Outcome(done.returncode, done.stdout or b"", done.stderr or b"")

    return run


@pytest.fixture
def lens_here(
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> Command:
    """Run ``lens`` in this process, which is quick, in ``tmp_path`` unless told otherwise: where nothing can hang."""
    for name in set(os.environ) - set(environment):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", environment["HOME"])

    def run(*arguments: str, cwd: Path = tmp_path, env: dict[str, str] | None = None) -> Outcome:
        with monkeypatch.context() as here:
            here.chdir(cwd)
            for name, value in (environment | (env or {})).items():
                here.setenv(name, value)
            status = main(arguments)
        return Outcome(status, *capfdbinary.readouterr())

    return run


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A small folder in which the lease is told once."""
    folder = tmp_path / "notes"
    (folder / "house").mkdir(parents=True)
    (folder / "house" / "contract.md").write_text(
        "# Contract\n\n## Term\n\nThe lease of the workshop ends on 30 June 2031.\n\n## Rent\n\nMonthly.\n"
    )
    (folder / "garden.md").write_text("# Garden\n\nTomatoes need sun, water and patience.\n")
    return folder
