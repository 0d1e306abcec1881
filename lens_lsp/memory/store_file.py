"""The file of a store: where it lies, how it is opened, locked, exchanged and set aside, and what can go wrong with it.

A connection is set so that what it acknowledges is on the disk and what it deletes is overwritten. No write-ahead log:
with ``synchronous=NORMAL`` it loses acknowledged commits at a power cut, and SQLite before 3.51.3 may corrupt one that
two processes write. What SQLite reports is translated here and nowhere else.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sqlite3
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from platformdirs import user_data_path

from lens_lsp.disk import MOUNTS, lock_file, network_file_system, real, release_lock, take_lock
from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_dataclass import dataclass

# Our statements are right, so where SQLite calls one wrong the file is: its schema is gone, or of a format that does
# not exist. A constraint can only fail on rows that an index has lost; TOOBIG is a length nobody wrote.
_CORRUPT = frozenset(
    {
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_TOOBIG,
    }
)
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_READ_ONLY = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH})
_SYNC = frozenset({sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC})
BUSY_SECONDS = 10.0
"""How long one process waits for another before it gives up."""
_SETTINGS = (
    "trusted_schema=OFF",
    "cell_size_check=ON",
    "mmap_size=0",
    "temp_store=MEMORY",
    "secure_delete=ON",
    "fullfsync=ON",
    "synchronous=EXTRA",
)
STEM = "knowledge"
KEPT = 3
"""How many damaged files are kept: the newest."""
_SIDES = ("-journal", "-wal", "-shm")
_COPIES = r"(corrupt-.*|backup-v-?\d+|part|new|before-rollback)\.db"
"""Files with another state of a store; the last two were made by versions before 3."""


class UnavailableReason(StrEnum):
    """Why there is no store to work with."""

    NO_HOME = "no-home"
    READ_ONLY = "read-only"
    NOT_A_FOLDER = "not-a-folder"
    """The folder's name, or that of the store in it, belongs to something else."""
    NETWORK = "network"
    """Locks and syncs cannot be relied on there."""
    NO_LOCKS = "no-locks"
    FULL = "full"
    BUSY = "busy"
    MIGRATION = "migration"
    """The file is of an older version and could not be brought up to date. It is as it was, or between two steps."""
    UNREADABLE = "unreadable"


class NotSavedReason(StrEnum):
    """Why a change was not kept."""

    FULL = "full"
    IO = "io"
    BUSY = "busy"
    """Another process held the store for longer than we wait."""
    FROZEN = "frozen"
    """A sync failed earlier: what the disk holds is unknown until the store is opened again."""


class StoreError(LensError):
    """Base of what goes wrong with a store."""

    code = "lens.store"


class StoreUnavailable(StoreError):
    """There is no store to work with; the caller answers without one and says so once."""

    code = "lens.store-unavailable"

    def __init__(self, reason: UnavailableReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class NotSaved(StoreError):
    """A change was not kept: the store holds what it held. The next save may work, save after `FROZEN`."""

    code = "lens.not-saved"

    def __init__(self, reason: NotSavedReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class StoreUnreadable(StoreError):
    """What is kept could not be read this time."""

    code = "lens.store-unreadable"


def is_corruption(error: sqlite3.Error) -> bool:
    """Whether an error says that the file itself is broken."""
    return _primary(error) in _CORRUPT


def is_refusal(error: sqlite3.Error) -> bool:
    """Whether SQLite takes the file for one that may only be read: so says its mode, or a byte of a broken header."""
    return _primary(error) == sqlite3.SQLITE_READONLY


def is_failed_sync(error: sqlite3.Error) -> bool:
    """Whether the system could not say that what was written has reached the disk."""
    return getattr(error, "sqlite_errorcode", None) in _SYNC


def not_saved(error: sqlite3.Error) -> NotSaved:
    """What a failed change is to the caller."""
    if is_failed_sync(error):
        return frozen()
    if _primary(error) == sqlite3.SQLITE_FULL:
        return NotSaved(NotSavedReason.FULL, "not saved: the disk that holds the knowledge store is full")
    if _primary(error) in _BUSY:
        return NotSaved(NotSavedReason.BUSY, "not saved: another process is holding the knowledge store")
    return NotSaved(NotSavedReason.IO, f"not saved: the knowledge store cannot be written ({error})")


def frozen() -> NotSaved:
    """What every change is after a sync has failed."""
    why = "not saved: the disk failed to confirm an earlier write, so nothing more is written until the next start"
    return NotSaved(NotSavedReason.FROZEN, why)


def unavailable(error: sqlite3.Error) -> StoreUnavailable:
    """What an error while opening is to the caller."""
    primary = _primary(error)
    if primary == sqlite3.SQLITE_FULL:
        return StoreUnavailable(UnavailableReason.FULL, "the disk that holds the knowledge store is full")
    if primary in _BUSY:
        return StoreUnavailable(UnavailableReason.BUSY, "another process is holding the knowledge store")
    if primary in _READ_ONLY:
        return StoreUnavailable(UnavailableReason.READ_ONLY, "the knowledge store cannot be written")
    return StoreUnavailable(UnavailableReason.UNREADABLE, f"the knowledge store cannot be opened ({error})")


def _primary(error: sqlite3.Error) -> int | None:
    """SQLite's code without its extension; None for an error that Python's own layer raised."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


_REASONS = {
    errno.EACCES: UnavailableReason.READ_ONLY,
    errno.EPERM: UnavailableReason.READ_ONLY,
    errno.EROFS: UnavailableReason.READ_ONLY,
    errno.EEXIST: UnavailableReason.NOT_A_FOLDER,
    errno.ENOTDIR: UnavailableReason.NOT_A_FOLDER,
    errno.EISDIR: UnavailableReason.NOT_A_FOLDER,
    errno.ENOSPC: UnavailableReason.FULL,
    errno.EDQUOT: UnavailableReason.FULL,
}


def store_folder(workspace: str, explicit: str | None = None, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder of a workspace's store, which need not exist: ``explicit``, else ``LENS_STORE``, else our own.

    Raises `StoreUnavailable` when there is no home to keep it in.
    """
    chosen = explicit or environment.get("LENS_STORE")
    if chosen:
        return Path(os.path.abspath(chosen))
    identity = hashlib.blake2b(os.fsencode(real(workspace)), digest_size=8).hexdigest()
    return _user_data() / identity


def prepare_folder(folder: Path, mounts: Path = MOUNTS) -> None:
    """Make the folder and those above it, for the user alone. One that is there stays as it is.

    Raises `StoreUnavailable` when it is no folder, cannot be made, or lies on a network file system.
    """
    try:
        _make(folder)
    except OSError as error:
        raise unusable(folder, error) from error
    if not folder.is_dir():
        raise StoreUnavailable(UnavailableReason.NOT_A_FOLDER, f"{folder} is no folder: no knowledge is kept")
    kind = network_file_system(folder, mounts)
    if kind is not None:
        why = (
            f"{folder} lies on a network file system ({kind}), where no knowledge is kept; --store names another folder"
        )
        raise StoreUnavailable(UnavailableReason.NETWORK, why)


def unusable(path: Path, error: OSError) -> StoreUnavailable:
    """Why a folder or file cannot be used, for the caller."""
    reason = _REASONS.get(error.errno or 0, UnavailableReason.UNREADABLE)
    return StoreUnavailable(reason, f"{path} cannot be used to keep knowledge: {error.strerror or error}")


def _user_data() -> Path:
    """Our folder of user data, by the variables of this process: they are what the system's rules go by."""
    home = os.path.expanduser("~")
    given = sys.platform != "win32" and os.path.isabs(os.environ.get("XDG_DATA_HOME", ""))
    nowhere = os.environ.get("HOME") == "" or not (os.path.isabs(home) and os.path.isdir(home))
    if nowhere and not given:
        raise StoreUnavailable(
            UnavailableReason.NO_HOME, "there is no home folder to keep knowledge in; --store names one"
        )
    return user_data_path("lens-lsp")


def _make(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not os.path.lexists(each)]
    for each in reversed(missing):
        try:
            os.mkdir(each, 0o700)
        except FileExistsError:
            if not stat.S_ISDIR(os.stat(each).st_mode):
                raise


class Cursor(Protocol):
    """What a statement gave."""

    def fetchone(self) -> Any:
        """The next row, or None."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""


class StoreConnection(Protocol):
    """What the store uses of `sqlite3.Connection`. Errors are those of `sqlite3`, with their ``sqlite_errorcode``."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open: SQLite ends it by itself on some errors."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Cursor:
        """Run one statement."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Cursor:
        """Run one statement for each of several rows."""

    def close(self) -> None:
        """Give the file back."""


Connect = Callable[[str], StoreConnection]
"""Opens the file at a path, which exists. Never makes one."""


def connect(path: str) -> StoreConnection:
    """A plain connection; transactions are opened and closed by us. Raises `sqlite3.Error`."""
    return sqlite3.connect(
        f"file:{quote(path)}?mode=rw",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        factory=_Connection,
    )


class _Connection(sqlite3.Connection):
    """One whose errors are all `sqlite3.Error`: a message may quote a broken schema, which need not be text."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        try:
            return super().execute(sql, parameters)
        except UnicodeDecodeError as error:
            raise StoreDamaged("the schema is no text") from error


class StoreDamaged(sqlite3.DatabaseError):
    """A file holds what was never written there; an error like SQLite's own of a broken file."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def configure(connection: StoreConnection) -> None:
    """Make the settings; they hold for this connection only. Raises `sqlite3.Error`."""
    connection.execute(f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1000)}")
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    mode = connection.execute("PRAGMA journal_mode=TRUNCATE").fetchone()
    if mode is None or mode[0] != "truncate":
        raise sqlite3.OperationalError("the file is in another journal mode and in use")


@contextmanager
def transaction(connection: StoreConnection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """All or nothing. ``kind`` is ``DEFERRED`` for reading: one state of the file, whatever others write."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # when the disk is full SQLite has rolled back, and ROLLBACK would be an error
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
        raise


def number(connection: StoreConnection, pragma: str) -> int:
    """The value of a pragma that is a whole number."""
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def structural_fault(connection: StoreConnection, check: str = "integrity_check") -> str | None:
    """What SQLite finds wrong with the file's trees; None when they are sound. Contents are not looked at.

    ``quick_check`` does not compare indexes with their tables.
    """
    found = str(connection.execute(f"PRAGMA {check}(1)").fetchone()[0])
    return None if found == "ok" else found


@dataclass(frozen=True, slots=True)
class StoreFiles:
    """The names in a store's folder. ``stem`` differs only for the file beside one of a newer version."""

    folder: Path
    stem: str = STEM

    @property
    def database(self) -> Path:
        """The store itself."""
        return self.folder / f"{self.stem}.db"

    @property
    def journal(self) -> Path:
        """SQLite's rollback journal: empty or absent unless someone is writing, or was killed while writing."""
        return self.folder / f"{self.stem}.db-journal"

    @property
    def lock(self) -> Path:
        """Held by the one process that changes anything here."""
        return self.folder / f"{STEM}.lock"

    @property
    def gate(self) -> Path:
        """Held by the one process that waits for the lock."""
        return self.folder / f"{STEM}.gate"

    def backup(self, version: int) -> Path:
        """The store as it was before it was brought up to date from a version."""
        return self.folder / f"{self.stem}.backup-v{version}.db"

    def stamp(self) -> tuple[int, ...]:
        """What changes when anybody writes to the store's file, or puts another in its place; empty without a file.

        Device, number, size in bytes, and nanoseconds of the last change of content and of the file. Raises OSError.
        """
        try:
            status = os.stat(self.database)
        except FileNotFoundError:
            return ()
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns

    def identity(self) -> tuple[int, ...]:
        """What tells the store's file from another of its name; empty when there is none. Raises OSError."""
        return self.stamp()[:2]

    def has_journal(self) -> bool:
        """Whether there is a rollback journal that holds something: that of a writer, live or dead."""
        try:
            return os.stat(self.journal).st_size > 0
        except FileNotFoundError:
            return False

    def matching(self, pattern: str) -> tuple[Path, ...]:
        """Files whose names are the stem and what fits a regular expression, in order."""
        whole = re.compile(re.escape(self.stem) + r"\." + pattern)
        return tuple(self.folder / name for name in sorted(os.listdir(self.folder)) if whole.fullmatch(name))

    def corrupt(self) -> tuple[Path, ...]:
        """StoreDamaged files that were set aside, the oldest first."""
        return self.matching(r"corrupt-.*\.db")

    def backups(self) -> tuple[Path, ...]:
        """Copies from before a migration."""
        return self.matching(r"backup-v-?\d+\.db")

    @contextmanager
    def making(self, name: Path) -> Iterator[Path]:
        """An empty file for the user alone, to be filled: it gets its name, for good, when the block ends well.

        Raises OSError; what was half made is then deleted, for a full disk needs the room.
        """
        part = self.folder / f"{self.stem}.part.db"
        self.discard(part)
        try:
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            yield part
            fd = os.open(part, os.O_RDWR)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
            os.replace(part, name)
        finally:
            self.discard(part)
        self.sync_folder()

    def set_aside(self, now: float) -> str:
        """Rename a damaged file, and what SQLite put beside it, to a name with the time, in seconds since the epoch.

        Returns that name. The newest `KEPT` are kept. Raises OSError.
        """
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
        names = (f"{stamp}{f'-{n}' if n else ''}" for n in range(len(os.listdir(self.folder)) + 1))
        paths = (self.folder / f"{self.stem}.corrupt-{name}.db" for name in names)
        aside = next(path for path in paths if not os.path.lexists(path))
        os.rename(self.database, aside)
        for side in _SIDES:  # a journal left here would be rolled back into the next file
            with suppress(FileNotFoundError):
                os.rename(f"{self.database}{side}", f"{aside}{side}")
        self.sync_folder()
        for old in self.corrupt()[:-KEPT]:
            self.discard(old)
        return aside.name

    def delete_copies(self) -> tuple[str, ...]:
        """Delete every file with another state of the store, whatever it holds; returns their names. Raises OSError."""
        copies = self.matching(_COPIES)
        for path in copies:
            self.discard(path)
        return tuple(path.name for path in copies)

    def discard(self, path: Path) -> None:
        """Delete a file and what SQLite put beside it. Raises OSError."""
        for name in (f"{path}", *(f"{path}{side}" for side in _SIDES)):
            with suppress(FileNotFoundError):
                os.unlink(name)

    def sync_folder(self) -> None:
        """Make renames last, where a folder can be synced."""
        if sys.platform == "win32":
            return
        fd = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


class FolderLock:
    """The lock that every change of a store's folder is made under, across processes: released by the system at any
    death. SQLite's own locks guard one file; setting files aside and bringing one up to date need more.

    One holder at a time. Not for two threads: its owner has a lock of its own for that. Whoever wants it first takes a
    gate, of which there is one too: so a holder that comes again at once has to queue like all others (without it, of
    four busy writers one waits for more than ten seconds).
    """

    def __init__(self, files: StoreFiles, seconds: float = BUSY_SECONDS) -> None:
        """Open the two files, made for the user alone; ``seconds`` is the longest wait. Raises `StoreUnavailable`."""
        self._seconds = seconds
        self._depth = 0
        self._opened: list[int] = []
        for path in (files.gate, files.lock):
            try:
                self._opened.append(lock_file(path))
            except OSError as error:
                self.close()
                raise unusable(path, error) from error

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold it for a block; a block inside one holds it too. Raises `StoreUnavailable` after the longest wait."""
        gate, lock = self._opened
        if self._depth == 0:
            until = time.monotonic() + self._seconds
            try:
                take_lock(gate, until)
                try:
                    take_lock(lock, until)
                finally:
                    release_lock(gate)
            except TimeoutError as error:
                raise StoreUnavailable(
                    UnavailableReason.BUSY, "another process is holding the knowledge store"
                ) from error
            except OSError as error:
                why = f"the knowledge store's folder knows no locks: {error.strerror}"
                raise StoreUnavailable(UnavailableReason.NO_LOCKS, why) from error
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                release_lock(lock)

    def close(self) -> None:
        """Give the files back."""
        for descriptor in self._opened:
            os.close(descriptor)
