"""The system's own lock on an open file: given back at any death of who holds it."""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path

_SHORTEST, _LONGEST = 0.0002, 0.002
"""Seconds between two tries."""
_HELD = frozenset({errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK, errno.EDEADLK})

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def give(descriptor: int) -> None:
        """Give a lock back; closing the file does it, too."""
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def give(descriptor: int) -> None:
        """Give a lock back; closing the file does it, too."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def lock_file(path: Path) -> int:
    """The descriptor of a file to lock, made for the user alone; no link is followed. Raises OSError."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, 0o600)


def take(descriptor: int, until: float) -> None:
    """Lock a file as soon as nobody else does.

    Raises TimeoutError when ``time.monotonic`` says ``until``, OSError where a folder knows no locks.
    """
    pause = _SHORTEST
    while True:
        try:
            return _take(descriptor)
        except OSError as error:
            if error.errno not in _HELD:
                raise
            if time.monotonic() >= until:
                raise TimeoutError(errno.ETIMEDOUT, "another process holds its lock") from error
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST)
