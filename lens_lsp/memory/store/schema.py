"""The tables of a store, as data: what they are called, what they hold, and the statements that follow from it.

Every row ends with ``sum``, a checksum over all that stands before it (`rows.row_sum`). Text is bound and read as
bytes, so that no damaged byte can make the driver fail halfway through a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from lens_lsp.memory.store.connection import Connection, number

APPLICATION_ID = 0x6C656E73
"""``lens`` in ASCII, in the header of the file: nothing else is ever opened as a store."""
PAGE_SIZE = 4096
VERSION = 2


class Kind(StrEnum):
    """What a column holds."""

    TEXT = "TEXT"
    INTEGER = "INTEGER"
    REAL = "REAL"
    BLOB = "BLOB"


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its columns without the checksum, those of the primary key first."""

    name: str
    columns: tuple[tuple[str, Kind], ...]
    keys: int
    """How many columns are the primary key."""

    @property
    def create(self) -> str:
        """The statement that makes it, as it then stands in the file's own schema."""
        columns = ", ".join(f'"{name}" {kind}' for name, kind in (*self.columns, ("sum", Kind.BLOB)))
        key = ", ".join(f'"{name}"' for name, _ in self.columns[: self.keys])
        return f'CREATE TABLE "{self.name}" ({columns}, PRIMARY KEY ({key}))'

    @property
    def insert(self) -> str:
        """Adds a row whose key is new."""
        values = ", ".join("CAST(? AS TEXT)" if kind is Kind.TEXT else "?" for _, kind in self.columns)
        return f'INSERT INTO "{self.name}" VALUES ({values}, ?)'

    @property
    def select(self) -> str:
        """Reads rows; a condition may follow."""
        columns = (
            f'CAST("{name}" AS {Kind.BLOB if kind is Kind.TEXT else kind})'
            for name, kind in (*self.columns, ("sum", Kind.BLOB))
        )
        return f'SELECT {", ".join(columns)} FROM "{self.name}"'

    def where(self, *names: str) -> str:
        """The condition that text columns equal given values."""
        return " WHERE " + " AND ".join(f'"{name}" = CAST(? AS TEXT)' for name in names)

    def position(self, name: str) -> int:
        """Where a column stands in a row."""
        return [column for column, _ in self.columns].index(name)


def _table(name: str, keys: int, columns: str) -> Table:
    """A table from a line of ``name:KIND``; text where no kind is given."""
    pairs = (column.partition(":") for column in columns.split())
    return Table(name, tuple((column, Kind(kind or "TEXT")) for column, _, kind in pairs), keys)


CLUSTERS = _table(
    "clusters", 1, "id title hits:INTEGER created:REAL used:REAL confidence:REAL archived:INTEGER parts:BLOB"
)
"""``parts`` are the first eight bytes of the checksum of every row that belongs to the cluster, in order."""
ASKED = _table(
    "asked",
    2,
    "cluster id position:INTEGER question key plan mode oracle at:REAL status text short facts evidence seen"
    " computation",
)
FACTS = _table(
    "facts",
    2,
    "cluster id position:INTEGER key requirement status value confidence:REAL evidence at:REAL retired:INTEGER",
)
CITATIONS = _table(
    "citations",
    2,
    "cluster id position:INTEGER root path source sha256 encoding reader start:INTEGER end:INTEGER quote match left"
    " right heading locator count:INTEGER",
)
LINKS = _table("links", 2, "cluster target position:INTEGER weight:REAL")
SUMMARIES = _table("summaries", 2, "root path sha256 text")
TURNS = _table("turns", 2, "thread n:INTEGER typed question cluster at:REAL")
WRONG = _table("wrong", 1, "id question key text short oracle facts at:REAL")
"""Answers that the user called wrong; since version 2."""
TOTALS = _table("totals", 1, "name rows:INTEGER digest:BLOB")
"""How many rows a table has and all their checksums in one (exclusive or): a row that vanished is missed."""

PARTS = (ASKED, FACTS, CITATIONS, LINKS)
"""The tables whose rows belong to a cluster, which their first column names."""
COUNTED = (CLUSTERS, SUMMARIES, TURNS, WRONG)
"""The tables that `TOTALS` counts; the parts are counted by their cluster."""
TABLES = (CLUSTERS, *PARTS, SUMMARIES, TURNS, WRONG, TOTALS)

_INDEXES = (
    'CREATE INDEX "asked_key" ON "asked" ("key")',
    'CREATE INDEX "facts_key" ON "facts" ("key")',
    'CREATE INDEX "citations_id" ON "citations" ("id")',
)

Step = Callable[[Connection], None]
"""Leads a file from one version to the next, inside a transaction that the caller opens and closes."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A version of the schema and the ordered steps that lead to it from older ones, the last one to ``version``."""

    version: int
    statements: tuple[str, ...]
    steps: tuple[Step, ...] = ()


def _wrong_answers(connection: Connection) -> None:
    """Version 2: the table of answers that were called wrong."""
    from lens_lsp.memory.store.writing import count_none  # which is written in terms of these tables

    connection.execute(WRONG.create)
    count_none(connection, WRONG)


LAYOUT = Layout(VERSION, (*(table.create for table in TABLES), *_INDEXES), (_wrong_answers,))
"""What this version of the program writes. A new column, table or value of an enumeration is a new version."""


class Found(StrEnum):
    """What kind of file was opened."""

    CURRENT = "current"
    OLDER = "older"
    NEWER = "newer"
    FOREIGN = "foreign"
    """Of another application, or with a schema that is not ours: triggers and views would run on our statements."""


def inspect(connection: Connection, layout: Layout) -> Found:
    """What an open file is. Raises `sqlite3.Error`."""
    if number(connection, "application_id") != APPLICATION_ID:
        return Found.FOREIGN
    version = number(connection, "user_version")
    if version != layout.version:
        reachable = version >= layout.version - len(layout.steps)
        return Found.NEWER if version > layout.version else Found.OLDER if reachable else Found.FOREIGN
    return Found.CURRENT if _schema(connection) == _expected(layout) else Found.FOREIGN


def create(connection: Connection, layout: Layout) -> None:
    """Make the tables of an empty file, inside a transaction."""
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={layout.version}")
    for statement in layout.statements:
        connection.execute(statement)


def _schema(connection: Connection) -> set[bytes]:
    """All that the file defines; what has no statement of its own is an index that a primary key implies."""
    columns = "CAST(type AS BLOB), CAST(name AS BLOB), CAST(sql AS BLOB)"
    rows = connection.execute(f"SELECT {columns} FROM sqlite_master").fetchall()
    implied = (b"index", b"sqlite_autoindex_")
    return {
        sql if sql is not None else b"" if (kind, name[: len(implied[1])]) == implied else kind + name
        for kind, name, sql in rows
    }


def _expected(layout: Layout) -> set[bytes]:
    return {b"", *(statement.encode() for statement in layout.statements)}
