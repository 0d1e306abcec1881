"""Our folder of user data, and how its files change: whole, under a lock, readable by their owner alone.

The lock is the system's own on an open file, so that whoever is killed gives it back; it says nothing about who only
reads, since a file is always replaced as a whole.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_data_path

from lens_lsp.disk import lock_file, read_plain, replace_whole, take_lock

LOCK = ".lock"
_MOST_BYTES = 16 << 20


def kept_folder() -> Path:
    """Where everything is kept."""
    return user_data_path("lens-lsp")


def read_kept(path: Path) -> bytes | None:
    """What a file holds, None when there is none. Raises OSError."""
    try:
        return read_plain(path, _MOST_BYTES)
    except FileNotFoundError:
        return None


def change_kept(path: Path, change: Callable[[bytes | None], bytes], *, seconds: float = 5.0) -> None:
    """Replace a file by what ``change`` makes of it; of several processes that do, none undoes another's change.

    Raises OSError, TimeoutError when another process holds the lock for ``seconds``.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _locked(path.parent, seconds):
        replace_whole(path, change(read_kept(path)))


@contextmanager
def _locked(folder: Path, seconds: float) -> Iterator[None]:
    descriptor = lock_file(folder / LOCK)
    try:
        take_lock(descriptor, time.monotonic() + seconds)
        yield
    finally:
        os.close(descriptor)  # which gives the lock back
