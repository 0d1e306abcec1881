"""The lock that every change of a store's folder is made under, across processes: released by the system at any death.

SQLite's own locks guard one file. Exchanging files, rolling back a journal and bringing a file up to date need more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lens_lsp.disk import lock_file, release_lock, take_lock
from lens_lsp.memory.store.connection import BUSY_SECONDS
from lens_lsp.memory.store.failures import StoreUnavailable, Unavailable
from lens_lsp.memory.store.place import unusable


class FolderLock:
    """One holder at a time. Not for two threads: its owner has a lock of its own for that.

    Whoever wants it first waits at a gate of which there is one too. So one process at most waits for the holder, and
    a holder that comes again at once has to queue like all others.
    """

    def __init__(self, path: Path, gate: Path, seconds: float = BUSY_SECONDS) -> None:
        """Open the two files, made for the user alone; ``seconds`` is the longest wait. Raises `StoreUnavailable`."""
        self._seconds = seconds
        self._fd = _opened(path)
        try:
            self._gate = _opened(gate)
        except StoreUnavailable:
            os.close(self._fd)
            raise
        self._depth = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold it for a block; a block inside one holds it too. Raises `StoreUnavailable` after the longest wait."""
        if self._depth == 0:
            until = time.monotonic() + self._seconds
            _wait(self._gate, until)
            try:
                _wait(self._fd, until)
            finally:
                release_lock(self._gate)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                release_lock(self._fd)

    def close(self) -> None:
        """Give the files back."""
        os.close(self._fd)
        os.close(self._gate)


def _opened(path: Path) -> int:
    try:
        return lock_file(path)
    except OSError as error:
        raise unusable(path, error) from error


def _wait(descriptor: int, until: float) -> None:
    try:
        take_lock(descriptor, until)
    except TimeoutError as error:
        raise StoreUnavailable(Unavailable.BUSY, "another process is holding the knowledge store") from error
    except OSError as error:
        why = f"the knowledge store's folder knows no locks: {error.strerror}"
        raise StoreUnavailable(Unavailable.NO_LOCKS, why) from error
