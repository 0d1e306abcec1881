"""A finished ``lens`` process, and what a failed one must look like."""

from __future__ import annotations

import os
import struct
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


def on_a_terminal(
    arguments: list[str],
    cwd: Path,
    environment: dict[str, str],
    *,
    said: bytes = b"",
    prints: bool = True,
    size: tuple[int, int] = (24, 80),
) -> tuple[int, bytes]:
    """Run Python with a pseudo-terminal; its status and all it wrote there.

    ``said`` is typed into it; without ``prints`` standard output is not the terminal. ``size`` is in rows and columns.
    """
    import fcntl
    import pty
    import termios

    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    os.write(reader, said)
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment,
        stdin=terminal,
        stdout=terminal if prints else subprocess.DEVNULL,
        stderr=terminal,
        start_new_session=not prints,
    )
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


_INTERRUPTING = """
import signal, sys
from lens_lsp.cli import main
signal.signal(signal.SIGVTALRM, lambda *_: signal.raise_signal(signal.SIGINT))
signal.setitimer(signal.ITIMER_VIRTUAL, float(sys.argv[1]))
status = main(sys.argv[2:])
signal.setitimer(signal.ITIMER_VIRTUAL, 0)
sys.exit(status)
"""


def interrupted_after(seconds: float, arguments: list[str], environment: dict[str, str]) -> Outcome:
    """Run the command and interrupt it after some processor time of its own: the interrupt lands wherever that is.

    It must end as a finished or an interrupted command does, and without a traceback.
    """
    command = [sys.executable, "-c", _INTERRUPTING, str(seconds), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=TIMEOUT, check=False)
    outcome = Outcome(done.returncode, done.stdout, done.stderr)
    assert outcome.status in (130, 0), outcome.complaint
    assert "Traceback" not in outcome.complaint
    return outcome
