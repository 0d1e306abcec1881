"""A disk that fails on purpose below the product's own store: an apsw VFS, and a connection of the store's shape on it.

The disk remembers what was synced and what was only written. At a power cut each sector that was not synced is on it or
not, and a file that had grown may hold anything there (https://www.sqlite.org/atomiccommit.html, section 2).
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import apsw

from tests.memory.mutants import Answered

SECTOR = 512
FOR_GOOD = 1 << 30


class Fault(Enum):
    """What goes wrong with one operation."""

    IO = "io"
    FULL = "full"
    SHORT = "short"
    """Half of it is written, then the disk is full."""
    POWER = "power"
    """This operation and all that follow are not done."""


class Kind(Enum):
    """Operations, with what SQLite calls their failure."""

    READ = apsw.SQLITE_IOERR_READ
    WRITE = apsw.SQLITE_IOERR_WRITE
    TRUNCATE = apsw.SQLITE_IOERR_TRUNCATE
    SYNC = apsw.SQLITE_IOERR_FSYNC


@dataclass
class Written:
    """A file as the disk knows it: what was synced, and what came since: bytes at a place, or a size."""

    synced: bytearray
    since: list[tuple[int, bytes | None]] = field(default_factory=list)

    def sync(self) -> None:
        for place, data in self.since:
            _apply(self.synced, place, data)
        self.since.clear()

    def after_power_cut(self, draw: random.Random) -> bytes:
        left = bytearray(self.synced)
        kept_share = draw.choice([0.0, 0.1, 0.5, 0.9, 1.0])
        for place, data in self.since:
            if data is None:
                if draw.random() < kept_share:
                    _apply(left, place, None)
                continue
            for start in range(0, len(data), SECTOR):
                sector = data[start : start + SECTOR]
                if draw.random() < kept_share:
                    _apply(left, place + start, sector)
                elif place + start >= len(left) and draw.random() < 0.3:
                    _apply(left, place + start, draw.randbytes(len(sector)))
        return bytes(left)


def _apply(content: bytearray, place: int, data: bytes | None) -> None:
    if data is None:
        del content[place:]
        return
    if len(content) < place:
        content.extend(bytes(place - len(content)))
    content[place : place + len(data)] = data


@dataclass
class Disk:
    """What happens, and what has happened so far."""

    fault: Fault | None = None
    at: int = 0
    """The operation that the fault comes with, from 1."""
    times: int = 1
    """How many operations in a row it comes with."""
    only: Kind | None = None
    """The one kind of operation that it comes with; None for all."""
    room: int | None = None
    """Bytes that all files may have together; None for any number."""
    done: list[Kind] = field(default_factory=list)
    files: dict[str, Written] = field(default_factory=dict)
    came: int = 0
    """How often the fault came."""

    def operation(self, kind: Kind) -> Fault | None:
        """Count an operation; returns what is wrong with it."""
        self.done.append(kind)
        if self.fault is None or not self.at <= len(self.done) < self.at + self.times:
            return None
        only = Kind.WRITE if self.fault in (Fault.FULL, Fault.SHORT) else self.only
        if only not in (None, kind):
            return None
        self.came += 1
        return self.fault

    def heal(self) -> None:
        """Nothing goes wrong any more."""
        self.fault, self.room = None, None

    def power_cut(self, draw: random.Random, source: Path, target: Path) -> None:
        """The files of a folder as they are found when the power is back."""
        target.mkdir()
        for path in source.iterdir():
            written = self.files.get(str(path))
            left = path.read_bytes() if written is None else written.after_power_cut(draw)
            (target / path.name).write_bytes(left)


class FaultyFile(apsw.VFSFile):
    """A file on a faulty disk. The bytes go to a real one as well: that is what the living process reads."""

    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        if self._path not in disk.files:
            disk.files[self._path] = Written(bytearray(Path(self._path).read_bytes()))

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        if self._disk.operation(Kind.READ):
            raise failure(Kind.READ.value)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        fault = self._disk.operation(Kind.WRITE)
        if fault in (Fault.IO, Fault.POWER):
            raise failure(Kind.WRITE.value)
        if fault is Fault.SHORT:
            self._put(bytes(data)[: len(data) // 2], offset)
        if fault is not None or not self._fits(offset + len(data)):
            raise failure(apsw.SQLITE_FULL)
        self._put(bytes(data), offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        if self._disk.operation(Kind.TRUNCATE):
            raise failure(Kind.TRUNCATE.value)
        super().xTruncate(newsize)
        self._disk.files[self._path].since.append((newsize, None))

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._disk.operation(Kind.SYNC):
            raise failure(Kind.SYNC.value)
        self._disk.files[self._path].sync()

    def _put(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._disk.files[self._path].since.append((offset, data))

    def _fits(self, end: int) -> bool:
        if self._disk.room is None:
            return True
        sizes = {path: Path(path).stat().st_size for path in self._disk.files if Path(path).exists()}
        sizes[self._path] = max(end, sizes[self._path])
        return sum(sizes.values()) <= self._disk.room


class FaultyVFS(apsw.VFS):
    """The file system of one disk at a time."""

    def __init__(self, name: str = "faulty") -> None:
        super().__init__(name, "")
        self.name = name
        self.disk = Disk()

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return FaultyFile(self.disk, name, flags) if name is not None else apsw.VFSFile("", name, flags)

    def excepthook(self, *_: object) -> bool:
        """What cannot be told to a caller is told to nobody: it was made on purpose."""
        return True

    def connect(self, path: str) -> ApswConnection:
        """A connection for the store, on the disk of now."""
        try:
            return ApswConnection(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE, vfs=self.name))
        except apsw.Error as error:
            raise translated(error) from error

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.disk.files.pop(filename, None)


class ApswConnection:
    """A connection of apsw as one of `sqlite3`."""

    def __init__(self, inner: apsw.Connection) -> None:
        self._inner = inner

    @property
    def in_transaction(self) -> bool:
        return self._inner.in_transaction

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Answered:
        try:
            return Answered(list(self._inner.execute(sql, tuple(parameters))))
        except apsw.Error as error:
            raise translated(error) from error

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Answered:
        for each in parameters:
            self.execute(sql, each)
        return Answered([])

    def close(self) -> None:
        with suppress(apsw.Error):
            self._inner.close(True)


def failure(code: int) -> apsw.Error:
    """What a file system raises so that SQLite sees a code."""
    return apsw.exception_for(code)


def translated(error: apsw.Error) -> sqlite3.Error:
    """The error that `sqlite3` would have raised: of what failed first, whatever failed while it was undone."""
    while isinstance(error.__context__, apsw.Error):
        error = error.__context__
    code = getattr(error, "extendedresult", 0) or getattr(error, "result", 0)
    kind = {
        apsw.SQLITE_CORRUPT: sqlite3.DatabaseError,
        apsw.SQLITE_NOTADB: sqlite3.DatabaseError,
        apsw.SQLITE_CONSTRAINT: sqlite3.IntegrityError,
    }.get(code & 0xFF, sqlite3.OperationalError)
    same = kind(str(error) or type(error).__name__)
    same.sqlite_errorcode = code
    return same
