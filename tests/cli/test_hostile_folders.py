"""A workspace that wants to run something: modules with the names of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from lens_process import TIMEOUT

REPOSITORY = Path(__file__).resolve().parents[2]
SHADOWS = (
    "asyncio",
    "codecs",
    "encodings",
    "json",
    "lens_lsp",
    "numpy",
    "openai",
    "pygls",
    "re",
    "sitecustomize",
    "sqlite3",
    "usercustomize",
)
"""Modules that are imported on the way to an answer, or that Python itself looks for."""


@pytest.fixture
def hostile(notes: Path) -> Path:
    """A folder with a module for each shadowed name, which leaves a mark when it is run."""
    for name in SHADOWS:
        folder = notes / name
        folder.mkdir()
        for path in (notes / f"{name}.py", folder / "__init__.py"):
            path.write_text(f"open({str(notes / 'ran')!r}, 'a').write({name!r})\n")
    return notes


def python(folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )


def test_no_module_of_the_workspace_is_run(hostile: Path, environment: dict[str, str]) -> None:
    # The way of the extension: isolated, so that neither the folder nor a variable says where modules are.
    start = f"import sys; sys.path.append({str(REPOSITORY)!r}); from lens_lsp.cli import main; sys.exit(main({{}}))"
    paths = environment | {"PYTHONPATH": str(hostile), "PYTHONHOME": ""}
    for arguments in (["doctor"], ["ask", "When does the lease of the workshop end?", "."]):
        done = python(hostile, paths, "-I", "-c", start.format(arguments))
        assert done.returncode == 0, done.stderr
    assert not (hostile / "ran").exists()


def test_without_isolation_the_same_modules_are_run(hostile: Path, environment: dict[str, str]) -> None:
    python(hostile, environment, "-c", "import asyncio")
    assert (hostile / "ran").read_text() == "asyncio"
