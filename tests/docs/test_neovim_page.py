"""From nothing to a jump in Neovim: a wheel of this clone, a new environment, a new home, the block of the page."""

from __future__ import annotations

import os
import pwd
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.availability import unavailable
from tests.lsp.editors import PATIENCE, REPOSITORY, bare, editor, lease_notes
from tests.lsp.neovim import asks_lists_jumps_and_sees_drift, version

MINUTES = 3


def installed(folder: Path) -> Path:
    """Where the programs of a new environment are, into which a wheel of this clone was installed."""
    wheels, environment = folder / "wheels", folder / "environment"
    pip(sys.executable, "wheel", "--no-deps", "--wheel-dir", str(wheels), str(REPOSITORY))
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip(str(environment / "bin" / "python"), "install", *map(str, wheels.glob("*.whl")))
    return environment / "bin"


def pip(python: str, *arguments: str) -> None:
    """Run pip as it is set up on this machine; without an index the test is skipped."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run(
        command,
        env=env | {"HOME": pwd.getpwuid(os.getuid()).pw_dir},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if re.search("No matching distribution|Could not find a version|Failed to establish", done.stderr):
        unavailable("editors", f"pip finds no packages: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr


def test_it_takes_less_than_three_minutes_from_nothing_to_a_jump(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = editor("nvim")
    home = tmp_path / "home"
    home.mkdir()
    began = time.monotonic()
    programs = installed(tmp_path)
    notes = lease_notes(tmp_path / "notes")
    asks_lists_jumps_and_sees_drift(program, notes, bare(home, programs))
    seconds = time.monotonic() - began
    with capsys.disabled():
        print(f"\nNeovim {'.'.join(map(str, version(program)))}: from nothing to a jump in {seconds:.1f} s")
    assert seconds < 60 * MINUTES
