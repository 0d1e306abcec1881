"""Our folder of user data, and how its files change: whole, under a lock, readable by their owner alone.

The lock is the system's own on an open file, so that whoever is killed gives it back; it says nothing about who only
reads, since a file is always replaced as a whole.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from platformdirs import user_data_path

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


LOCK = ".lock"
_MOST_BYTES = 16 << 20
_BETWEEN_TRIES = 0.005
_HELD = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)


def kept_folder() -> Path:
    """Where everything is kept."""
    return user_data_path("lens-lsp")


def read_kept(path: Path) -> bytes | None:
    """What a file holds, None when there is none. Raises OSError."""
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except FileNotFoundError:
        return None


def change_kept(path: Path, change: Callable[[bytes | None], bytes], *, seconds: float = 5.0) -> None:
    """Replace a file by what ``change`` makes of it; of several processes that do, none undoes another's change.

    Raises OSError, TimeoutError when another process holds the lock for ``seconds``.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(path.parent, seconds):
        _replace(path, change(read_kept(path)))


@contextmanager
def _locked(folder: Path, seconds: float) -> Iterator[None]:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(folder / LOCK, flags, 0o600)
    try:
        until = time.monotonic() + seconds
        while True:
            try:
                _try_lock(descriptor)
                break
            except OSError as error:
                if error.errno not in _HELD:
                    raise
                if time.monotonic() > until:
                    raise TimeoutError(errno.ETIMEDOUT, "another process holds its lock", str(folder)) from error
            time.sleep(_BETWEEN_TRIES)
        yield
    finally:
        os.close(descriptor)  # which gives the lock back


def _replace(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=".tmp", dir=path.parent)  # mode 0600
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
