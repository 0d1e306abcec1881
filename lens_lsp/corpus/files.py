"""Reading many files of a root, one after the other: the safe open of ``opening`` without what it repeats per file.

Every file is opened from the descriptor of its folder, never through a link, and must be regular by ``fstat`` of
the descriptor that is read, as everywhere. Whatever is not plain sailing is left to ``Root.read_with_stat``, which
names the reason.

When the system's page cache does not hold the files, a disk answers many requests at a time far sooner than one by
one: then files are opened and announced a few ahead of the one that is read. (Threads were measured: two to eight of
them read a cold folder no faster than this and cost up to twice the processor time, because each file is so small.)
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections import deque
from collections.abc import Iterator, Sequence

from lens_lsp.corpus.listings import IDENTITY, Identity
from lens_lsp.corpus.opening import FILE_FLAGS, Root, Skipped, close_folder, read_all, skipped
from lens_lsp.model.documents import SkipReason

_GROUP = 256
"""Files between two looks at whether they are in the page cache."""
_SAMPLE = 3
_AHEAD = 32
"""Files that are open at a time when they come from the disk: few enough for a limit of 64 descriptors."""
_NO_WAITING = getattr(os, "RWF_NOWAIT", 0) if hasattr(os, "posix_fadvise") else 0

Status = os.stat_result


Reading = tuple[bytes | SkipReason | None, Identity | None]
"""What came of one file: its bytes, or why there are none, or None when it is larger than asked for; and what
identifies its content, from before the read, by the descriptor it was read from. A plain tuple, for there are many."""


def read_files(root: Root, paths: Sequence[str], most: int, *, announce: bool | None = None) -> Iterator[Reading]:
    """The files in the order given; of those above ``most`` bytes only the identity.

    As fast as it gets when neighbours lie in one folder. ``announce`` says whether to open files ahead; by default
    the page cache is asked (tests compare the two). Raises ``PathRefused`` for what is no plain path.
    """
    for start in range(0, len(paths), _GROUP):
        group = paths[start : start + _GROUP]
        if type(root.handle) is not int:  # by name, or one that may not answer
            yield from (_carefully(root, path, most) for path in group)
        elif _on_disk_only(root, group) if announce is None else announce:
            yield from _announced(root, group, most)
        else:
            yield from _one_by_one(root, group, most)


def _one_by_one(root: Root, paths: Sequence[str], most: int) -> Iterator[Reading]:
    """The hot loop: four system calls a file and hardly anything else."""
    open_file, status_of, read, close = os.open, os.fstat, os.read, os.close
    flags, regular, identify = FILE_FLAGS, stat.S_ISREG, IDENTITY
    with _Folders(root) as folders:
        folder, handle = folders.name, folders.handle
        for path in paths:
            above, _, name = path.rpartition("/") if "/" in path else ("", "", path)
            if above != folder:
                folder, handle = above, folders.change(above)
            if handle is None:  # opened without a folder, the name would be one of the current folder
                yield _carefully(root, path, most)
                continue
            try:
                fd = open_file(name, flags, dir_fd=handle)
            except (OSError, ValueError):
                yield _carefully(root, path, most)
                continue
            try:
                status = status_of(fd)
                identity = identify(status)
                size = identity[0]
                data = read(fd, size + 1) if size <= most and regular(status.st_mode) else b""
            except OSError:
                size, data = -1, b""
            finally:
                close(fd)
            if len(data) == size and data:  # one byte more was asked for: this is the end
                yield data, identity
            else:
                yield _carefully(root, path, most)


def _carefully(root: Root, path: str, most: int) -> Reading:
    """One file on its own: whatever its size, and with the reason if it cannot be read."""
    try:
        fd, status = root.open_with_stat(path)
    except Skipped as error:
        return error.reason, None
    return _read(fd, status, most)


def _read(fd: int, status: Status, most: int) -> Reading:
    """What an open file holds; closes it."""
    try:
        return (read_all(fd, status.st_size) if status.st_size <= most else None), IDENTITY(status)
    except OSError as error:
        return skipped(error).reason, IDENTITY(status)
    finally:
        os.close(fd)


def _on_disk_only(root: Root, paths: Sequence[str]) -> bool:
    """Whether some of these files are not in the page cache, by a sample that waits for no disk."""
    if not _NO_WAITING:
        return False
    buffer = bytearray(1)
    for path in paths[:: max(1, len(paths) // _SAMPLE)]:
        try:
            fd = root.open(path)
        except Skipped:
            continue
        try:
            os.preadv(fd, (buffer,), 0, _NO_WAITING)
        except BlockingIOError:
            return True
        except OSError:  # a file system that cannot tell
            return False
        finally:
            os.close(fd)
    return False


def _announced(root: Root, paths: Sequence[str], most: int) -> Iterator[Reading]:
    """Files open ahead of the one that is read, so that the disk has something to do meanwhile."""
    opened: deque[tuple[int, Status] | SkipReason] = deque()
    try:
        for path in paths:
            if len(opened) == _AHEAD:
                yield _finished(opened.popleft(), most)
            opened.append(_announce(root, path, most))
        while opened:
            yield _finished(opened.popleft(), most)
    finally:
        for left in opened:
            if isinstance(left, tuple):
                os.close(left[0])


def _announce(root: Root, path: str, most: int) -> tuple[int, Status] | SkipReason:
    try:
        fd, status = root.open_with_stat(path)
    except Skipped as error:
        return error.reason
    if status.st_size <= most:
        with contextlib.suppress(OSError, AttributeError):  # only a hint, and not everywhere
            os.posix_fadvise(fd, 0, status.st_size, os.POSIX_FADV_WILLNEED)
    return fd, status


def _finished(opened: tuple[int, Status] | SkipReason, most: int) -> Reading:
    return _read(*opened, most) if isinstance(opened, tuple) else (opened, None)


class _Folders:
    """The folder of the file read last, kept open for its neighbours."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self.name = ""
        self.handle: int | None = root.handle if isinstance(root.handle, int) else None

    def change(self, name: str) -> int | None:
        """Go to another folder; None if it cannot be opened."""
        self._close()
        self.name, self.handle = name, None
        try:
            handle = self._root.open_folder(name) if name else self._root.handle
        except Skipped:
            return None
        self.handle = handle if isinstance(handle, int) else None
        return self.handle

    def _close(self) -> None:
        if self.handle is not None and self.name:
            close_folder(self.handle)
            self.handle = None

    def __enter__(self) -> _Folders:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
