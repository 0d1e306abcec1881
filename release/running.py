"""How the release's programs are started: from the repository, with one time for all that they write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
EXTENSION = REPOSITORY / "vscode-extension"
PAGE = REPOSITORY / "lens_lsp" / "desktop" / "page"
_NEVER = "1580601600"
"""2 February 2020: what hatchling takes where nothing is said."""


class ReleaseError(Exception):
    """A step failed, or what it needs is not here; the message says which and what to do."""


def epoch() -> str:
    """Seconds since 1970 that every file of a release is dated with: ``SOURCE_DATE_EPOCH``, else the last commit's."""
    said = os.environ.get("SOURCE_DATE_EPOCH")
    if said is not None:
        return said
    try:
        asked = ["git", "-C", str(REPOSITORY), "log", "-1", "--format=%ct"]
        return subprocess.run(asked, capture_output=True, check=True, encoding="ascii").stdout.strip() or _NEVER
    except (OSError, subprocess.CalledProcessError):
        return _NEVER


def run(command: list[str], cwd: Path = REPOSITORY, **more: str) -> None:
    """Run a program to its end, with ``more`` in its environment. Raises `ReleaseError`."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": epoch()} | more
    try:
        status = subprocess.run(command, cwd=cwd, env=environment, stdout=sys.stderr, check=False).returncode
    except FileNotFoundError as missing:
        raise ReleaseError(f"{command[0]} is not here: {missing}") from missing
    if status:
        raise ReleaseError(f"{' '.join(command)} ended with {status}")


def python(*arguments: str, cwd: Path = REPOSITORY, **more: str) -> None:
    """Run a module or script with the interpreter of this process. Raises `ReleaseError`."""
    run([sys.executable, *arguments], cwd, **more)
