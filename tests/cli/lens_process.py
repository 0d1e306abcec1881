"""A finished ``lens`` process, and what a failed one must look like."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TIMEOUT = 60
"""Seconds after which a command counts as hanging."""


@dataclass(frozen=True)
class Outcome:
    """What a finished command left behind."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")

    @property
    def complaint(self) -> str:
        return self.err.decode("utf-8")


Command = Callable[..., Outcome]


UNEXPECTED = "something went wrong that should not"
"""How a failure begins that no one foresaw; right for a broken installation, wrong for bad input."""


def assert_one_sentence(outcome: Outcome, status: int) -> None:
    """The command failed as it should: its status, nothing on standard output, one line that says why."""
    assert outcome.status == status, outcome.complaint
    assert UNEXPECTED not in outcome.complaint
    assert outcome.out == b""
    assert "Traceback" not in outcome.complaint
    assert outcome.complaint.startswith("lens: ")
    assert outcome.complaint.count("\n") == 1


def on_a_terminal(arguments: list[str], cwd: Path, environment: dict[str, str]) -> tuple[int, bytes]:
    """Run Python with a pseudo-terminal as standard output and error; its status and all it wrote."""
    import pty

    reader, terminal = pty.openpty()
    command = [sys.executable, *arguments]
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    parts: list[bytes] = []
    try:
        while part := os.read(reader, 65536):
            parts.append(part)
    except OSError:  # Linux reports the closed terminal as an input/output error
        pass
    finally:
        os.close(reader)
    return process.wait(TIMEOUT), b"".join(parts)
