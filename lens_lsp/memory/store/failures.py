"""What can keep knowledge from being kept. A store never keeps a question from being answered: callers go on without.

What SQLite reports is translated here and nowhere else.
"""

from __future__ import annotations

import sqlite3
from enum import StrEnum

from lens_lsp.model.errors import LensError


class Unavailable(StrEnum):
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

    def __init__(self, reason: Unavailable, message: str) -> None:
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
        return StoreUnavailable(Unavailable.FULL, "the disk that holds the knowledge store is full")
    if primary in _BUSY:
        return StoreUnavailable(Unavailable.BUSY, "another process is holding the knowledge store")
    if primary in _READ_ONLY:
        return StoreUnavailable(Unavailable.READ_ONLY, "the knowledge store cannot be written")
    return StoreUnavailable(Unavailable.UNREADABLE, f"the knowledge store cannot be opened ({error})")


def _primary(error: sqlite3.Error) -> int | None:
    """SQLite's code without its extension; None for an error that Python's own layer raised."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
