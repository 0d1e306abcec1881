"""One open file of a store: opened, mended, brought up to date, and read and written in transactions.

Which error leads to which repair is decided here. Everything that changes a file happens under the folder's lock.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from lens_lsp.memory.store.assembly import Damage
from lens_lsp.memory.store.connection import Connection, configure, corruption, number, structural_fault, transaction
from lens_lsp.memory.store.failures import (
    NotSaved,
    NotSavedReason,
    StoreUnavailable,
    StoreUnreadable,
    Unavailable,
    frozen,
    is_failed_sync,
    not_saved,
    unavailable,
)
from lens_lsp.memory.store.files import STEM
from lens_lsp.memory.store.folder_lock import FolderLock
from lens_lsp.memory.store.migrations import migrate
from lens_lsp.memory.store.place import unusable
from lens_lsp.memory.store.reading import Knowledge
from lens_lsp.memory.store.replacement import Workshop
from lens_lsp.memory.store.schema import Found, inspect

T = TypeVar("T")
Work = Callable[[Knowledge, Connection], T]

_ATTEMPTS = 3
"""As it is, after one repair, and after another process's."""
_ROUNDS = 5
"""To open a file: settled, mended, brought up to date, and two that other processes may spoil."""
_MOST_NOTED = 1_000


@dataclass(frozen=True, slots=True)
class _Open:
    """An open file and what tells that it is still the one that was looked at."""

    connection: Connection
    identity: tuple[int, int] | None
    state: tuple[int, int]


class _Altered(Exception):
    """Another process gave the file another schema since it was looked at."""


class Session:
    """The file behind a store, with all that happens to it. One thread at a time works in it."""

    def __init__(self, workshop: Workshop, lock: FolderLock) -> None:
        self.workshop = workshop
        self.frozen = False
        """A sync failed: nothing more is written."""
        self.notices: list[str] = []
        self.damage: list[Damage] = []
        self._lock = lock
        self._mutex = threading.RLock()
        self._file: _Open | None = None
        self._examined: tuple[int, ...] | None = None
        """The stamp of the file when its structure was last known to be sound."""

    def begin(self) -> None:
        """Open the file; raises `StoreUnavailable`."""
        with self._mutex:
            try:
                self._opened()
            except sqlite3.Error as error:
                raise unavailable(error) from error
            except OSError as error:
                raise unusable(self.workshop.files.database, error) from error

    def read(self, work: Work[T]) -> T:
        """What ``work`` makes of one state of the store. Raises `StoreUnreadable`."""
        with self._mutex:
            if self.frozen and self.workshop.files.has_journal():  # to read would be to write: SQLite would roll back
                raise StoreUnreadable("the knowledge store is not read before the next start: the disk failed a write")
            try:
                return self._attempt("DEFERRED", work)
            except (StoreUnavailable, sqlite3.Error, OSError) as error:
                raise StoreUnreadable(f"the knowledge store cannot be read: {error}") from error

    def write(self, work: Work[T]) -> T:
        """What ``work`` returns, once all that it wrote is on the disk. Raises `NotSaved`."""
        with self.changing():
            return self._attempt("IMMEDIATE", work)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the folder's lock; what fails inside is a `NotSaved`."""
        with self._mutex:
            if self.frozen:
                raise frozen()
            try:
                with self._lock.held():
                    yield
            except StoreUnavailable as error:
                reason = NotSavedReason.BUSY if error.reason is Unavailable.BUSY else NotSavedReason.IO
                raise NotSaved(reason, f"not saved: {error}") from error
            except sqlite3.Error as error:
                self.frozen = self.frozen or is_failed_sync(error)
                raise not_saved(error) from error
            except OSError as error:
                full = error.errno in (errno.ENOSPC, errno.EDQUOT)
                reason = NotSavedReason.FULL if full else NotSavedReason.IO
                raise NotSaved(reason, f"not saved: {error.strerror}") from error

    def vacuum(self) -> None:
        """Write the whole file anew, inside `changing`: what was overwritten may have left traces where rows moved."""
        self._opened().connection.execute("VACUUM")
        self._disconnect()

    def close(self) -> None:
        """Give file and lock back."""
        with self._mutex:
            self._disconnect()
            self._lock.close()

    def _attempt(self, kind: str, work: Work[T]) -> T:
        """Work in a transaction; a file that turns out to be broken is mended, and the work done again."""
        mendable = not self.frozen
        for attempt in range(1, _ATTEMPTS + 1):
            final = attempt == _ATTEMPTS or not mendable
            file = self._opened()
            knowledge = Knowledge(file.connection)
            try:
                with transaction(file.connection, kind):
                    if _state(file.connection) != file.state:
                        raise _Altered
                    if kind == "IMMEDIATE":
                        self._require_structure(file.connection)
                    result = work(knowledge, file.connection)
                    _require_sound(knowledge, final=final and kind == "DEFERRED")
                if kind == "IMMEDIATE":
                    self._examined = self.workshop.files.stamp()  # what we wrote into a sound file left it sound
                return result
            except _Altered:
                self._disconnect()
            except sqlite3.Error as error:
                if not is_failed_sync(error):
                    self._disconnect()
                if final or not self.workshop.broken(error):
                    raise
                mendable = self._mended(file.identity, str(error))
            finally:
                self.damage += knowledge.damage[: _MOST_NOTED - len(self.damage)]
        raise sqlite3.OperationalError("other processes alter the file again and again")

    def _require_structure(self, connection: Connection) -> None:
        """Raise for a file that SQLite would damage further by writing; the lock is held and a transaction open.

        All rows can be read where a page is wrong about its free room, or where a page in use stands among the free
        ones; to write there is to overwrite some of them. The whole file is looked at, about 2 ms for each MB: so it
        is done only before the first write and when somebody else wrote since.
        """
        if self._examined is not None and self._examined == self.workshop.files.stamp():
            return
        fault = structural_fault(connection)
        if fault is not None:
            raise corruption(fault.splitlines()[-1])  # the last line says what, one before it may name the database

    def _opened(self) -> _Open:
        """The open file; another one when another process has put another in its place."""
        if self._file is not None and self.workshop.files.identity() != self._file.identity:
            self._disconnect()
        if self._file is None:
            self._file = self._open()
        return self._file

    def _open(self) -> _Open:
        for _ in range(_ROUNDS):
            self._settle()
            identity = self.workshop.files.identity()
            try:
                found = self._looked_at(identity)
            except sqlite3.Error as error:
                if not self.workshop.broken(error):
                    raise
                self._mend(identity, str(error))
                continue
            if isinstance(found, _Open):
                return found
            if found is Found.NEWER:
                self._step_aside()
            elif found is Found.FOREIGN:
                self._mend(identity, "it is of another application, or its schema was altered")
        raise StoreUnavailable(Unavailable.UNREADABLE, "the knowledge store cannot be mended")

    def _looked_at(self, identity: tuple[int, int] | None) -> _Open | Found:
        """The file, open, when it is the current one; else what it was, brought up to date if it was older."""
        workshop = self.workshop
        connection = workshop.connect(str(workshop.files.database))
        kept = False
        try:
            configure(connection)
            found = inspect(connection, workshop.layout)
            if found is Found.OLDER:
                with self._lock.held():
                    migrate(connection, workshop.connect, workshop.files, workshop.layout)
            elif found is Found.CURRENT:
                file = _Open(connection, identity, _state(connection))
                kept = identity == workshop.files.identity()
                if kept:
                    return file
            return found
        finally:
            if not kept:
                connection.close()

    def _settle(self) -> None:
        """Finish what a process that died has left. A journal that holds something may also be a live writer's."""
        if self.workshop.unsettled() and not self.frozen:
            with self._lock.held():
                self.notice(self.workshop.settle())

    def _mend(self, identity: tuple[int, int] | None, why: str) -> None:
        """Replace a broken file, unless another process has done it."""
        with self._lock.held():
            if self.workshop.files.identity() == identity:
                self.notice(self.workshop.repair(why))

    def _mended(self, identity: tuple[int, int] | None, why: str) -> bool:
        """Replace a broken file; False when that is not possible now: then the rest of it can still be read."""
        try:
            self._mend(identity, why)
        except (StoreUnavailable, sqlite3.Error, OSError) as error:
            self.notice(f"the knowledge store is damaged ({why}) and cannot be mended now ({error})")
            return False
        return True

    def _step_aside(self) -> None:
        """Leave a file of a newer version alone and use one beside it."""
        files, version = self.workshop.files, self.workshop.layout.version
        self.notice(
            f"{files.database.name} is of a newer version of lens and was not touched;"
            f" this version keeps its knowledge beside it"
        )
        self.workshop = replace(self.workshop, files=replace(files, stem=f"{STEM}.v{version}"))

    def notice(self, told: str | None) -> None:
        """Keep what the user should be told, once."""
        if told is not None and told not in self.notices:
            self.notices.append(told)

    def _disconnect(self) -> None:
        if self._file is not None:
            self._file.connection.close()
            self._file = None


def _state(connection: Connection) -> tuple[int, int]:
    """Version of the schema by our count and by SQLite's."""
    return number(connection, "user_version"), number(connection, "schema_version")


def _require_sound(knowledge: Knowledge, *, final: bool) -> None:
    """Raise for a corrupt row; ``final``: what is left may be used."""
    broken = next((each for each in knowledge.damage if each.corrupt), None)
    if broken is not None and not final:
        raise corruption(f"{broken.table}: {broken.why}")
