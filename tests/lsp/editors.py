"""Real editors, found or asked for, and what each needs to reach the server of this repository."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tests.availability import unavailable

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENCE = 120.0
LEASE = "The lease of the workshop ends on 30 June 2031."


def editor(name: str) -> str:
    """The path of an editor; the test is skipped without it, and fails where ``editors`` may not be missing."""
    found = shutil.which(name)
    if found is None:
        unavailable("editors", f"{name} is not installed")
    return found


def page_block(page: str, language: str, number: int = 0) -> str:
    """A block of code of a page of the documentation, as a reader copies it."""
    text = (REPOSITORY / "docs" / "how-to" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[number]


def surroundings(home: Path) -> dict[str, str]:
    """The environment of an editor, and in it ``lens`` as it stands in this repository."""
    programs = home / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    lens = programs / "lens"
    lens.write_text(f'#!/bin/sh\nPYTHONPATH="{REPOSITORY}" exec "{sys.executable}" -m lens_lsp "$@"\n')
    lens.chmod(0o755)
    return bare(home, programs)


def bare(home: Path, programs: Path) -> dict[str, str]:
    """The environment of an editor: nothing of the developer's but the path, where these programs come first."""
    return {"HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}", "LANG": "C.UTF-8", "TERM": "dumb"}


def lease_notes(folder: Path) -> Path:
    """A workspace that tells when a lease ends, and a note that asks for it."""
    (folder / "house").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "house" / "contract.md").write_text(f"# Contract\n\n## Term\n\n{LEASE}\n")
    (folder / "note.md").write_text("# Note\n\n?? When does the lease of the workshop end?\n")
    return folder


def run(command: list[str], folder: Path, env: Mapping[str, str]) -> str:
    """Run an editor to its end; what it said. Raises AssertionError with that if it failed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=PATIENCE,
    )
    said = done.stdout.decode(errors="replace")
    assert done.returncode == 0, said
    return said


def run_in_terminal(command: list[str], folder: Path, env: Mapping[str, str]) -> None:
    """Run an editor that wants a terminal to its end."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    process = subprocess.Popen(
        command, cwd=folder, env={**env, "TERM": "xterm"}, stdin=theirs, stdout=theirs, stderr=theirs
    )
    try:
        threading.Thread(target=_drain, args=(ours,), daemon=True).start()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        os.close(theirs)
        os.close(ours)


def _drain(terminal: int) -> None:
    """Read what an editor draws, so that it never waits for the terminal."""
    with suppress(OSError):
        while os.read(terminal, 1 << 16):
            continue
