"""A connection to one SQLite file, set so that what it acknowledges is on the disk and what it deletes is overwritten.

No write-ahead log: with ``synchronous=NORMAL`` it loses acknowledged commits at a power cut, and SQLite before 3.51.3
may corrupt one that two processes write. Why each setting is there stands in docs/explanation/knowledge.md.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol
from urllib.parse import quote

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


class Cursor(Protocol):
    """What a statement gave."""

    def fetchone(self) -> Any:
        """The next row, or None."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""


class Connection(Protocol):
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


Connect = Callable[[str], Connection]
"""Opens the file at a path, which exists. Never makes one."""


def connect(path: str) -> Connection:
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
            raise corruption("the schema is no text") from error


def corruption(why: str) -> sqlite3.DatabaseError:
    """The error of a broken file."""
    error = sqlite3.DatabaseError(why)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def configure(connection: Connection) -> None:
    """Make the settings; they hold for this connection only. Raises `sqlite3.Error`."""
    connection.execute(f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1000)}")
    for setting in _SETTINGS:
        connection.execute(f"PRAGMA {setting}")
    mode = connection.execute("PRAGMA journal_mode=TRUNCATE").fetchone()
    if mode is None or mode[0] != "truncate":
        raise sqlite3.OperationalError("the file is in another journal mode and in use")


@contextmanager
def transaction(connection: Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
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


def number(connection: Connection, pragma: str) -> int:
    """The value of a pragma that is a whole number."""
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def structural_fault(connection: Connection, check: str = "integrity_check") -> str | None:
    """What SQLite finds wrong with the file's trees; None when they are sound. Contents are not looked at.

    ``quick_check`` does not compare indexes with their tables.
    """
    found = str(connection.execute(f"PRAGMA {check}(1)").fetchone()[0])
    return None if found == "ok" else found
