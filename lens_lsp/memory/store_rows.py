"""The tables of a store, and what is read from and written to them inside a transaction that the caller opens.

Every row ends with ``sum``, a checksum over all that stands before it: SQLite's own checks see a broken tree, not an
altered value. A row that fails, or a cluster without all of its rows, makes the file a damaged one (`StoreDamaged`):
nothing of such a file is believed, and nothing is saved from it. Text is bound and read as bytes, so that no damaged
byte can make the driver fail halfway through a table.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum, StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from lens_lsp.memory.store_file import StoreConnection, StoreDamaged, number
from lens_lsp.model.answer import Computation
from lens_lsp.model.cluster import (
    Asked,
    Citation,
    Cluster,
    ClusterLink,
    DocumentSummary,
    KnownFact,
    Seen,
    Turn,
    WrongAnswer,
)
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.plan import Condition
from lens_lsp.model.text import Span

APPLICATION_ID = 0x6C656E73
"""``lens`` in ASCII, in the header of the file: nothing else is ever opened as a store."""
PAGE_SIZE = 4096
VERSION = 3
Value = bytes | int | float | None
Values = tuple[Value, ...]
_INDEXES = (
    'CREATE INDEX "asked_key" ON "asked" ("key")',
    'CREATE INDEX "facts_key" ON "facts" ("key")',
    'CREATE INDEX "citations_id" ON "citations" ("id")',
)
Step = Callable[[StoreConnection], object]
"""Leads a file from one version to the next, inside a transaction that the caller opens and closes."""
# Values as columns. A record's fields are columns in their order; what is neither text nor a number is JSON.
_AS_LISTS = (Computation, Condition, Seen)
"""Records whose JSON is a list of their values."""


class Kind(StrEnum):
    """What a column holds."""

    TEXT = "TEXT"
    INTEGER = "INTEGER"
    REAL = "REAL"
    BLOB = "BLOB"


@dataclass(frozen=True, slots=True)
class StoreTable:
    """A table: its columns without the checksum, those of the primary key first, and the statements they make."""

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
        """Adds a row; one of the same key gives way."""
        values = ", ".join("CAST(? AS TEXT)" if kind is Kind.TEXT else "?" for _, kind in self.columns)
        return f'INSERT OR REPLACE INTO "{self.name}" VALUES ({values}, ?)'

    @property
    def select(self) -> str:
        """Reads rows; a condition may follow."""
        columns = (
            f'CAST("{name}" AS {Kind.BLOB if kind is Kind.TEXT else kind})'
            for name, kind in (*self.columns, ("sum", Kind.BLOB))
        )
        return f'SELECT {", ".join(columns)} FROM "{self.name}"'

    def delete(self, keys: int) -> str:
        """Deletes the rows whose first columns are given."""
        marks = (f'"{name}" = {"CAST(? AS TEXT)" if kind is Kind.TEXT else "?"}' for name, kind in self.columns[:keys])
        return f'DELETE FROM "{self.name}" WHERE {" AND ".join(marks)}'

    def row_sum(self, values: Values) -> bytes:
        """The checksum of a row: BLAKE2 over the table's name and every value with its type and length."""
        parts = [self.name.encode()]
        for value in values:
            if value is None:
                parts.append(b"n")
            elif isinstance(value, bytes):
                parts += (b"b%d:" % len(value), value)
            elif isinstance(value, float):
                parts.append(b"f" + struct.pack(">d", value))
            else:
                parts.append(b"i%d;" % value)
        return hashlib.blake2b(b"".join(parts), digest_size=16).digest()


def _table(name: str, keys: int, columns: str) -> StoreTable:
    """A table from a line of ``name:KIND``; text where no kind is given."""
    pairs = (column.partition(":") for column in columns.split())
    return StoreTable(name, tuple((column, Kind(kind or "TEXT")) for column, _, kind in pairs), keys)


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
PARTS = (ASKED, FACTS, CITATIONS, LINKS)
"""The tables whose rows belong to a cluster, which their first column names; the second one is the part's id."""
TABLES = (CLUSTERS, *PARTS, SUMMARIES, TURNS, WRONG)


@dataclass(frozen=True, slots=True)
class Layout:
    """A version of the schema and the ordered steps that lead to it from older ones, the last one to ``version``."""

    version: int
    statements: tuple[str, ...]
    steps: tuple[Step, ...] = ()


LAYOUT = Layout(
    VERSION,
    (*(table.create for table in TABLES), *_INDEXES),
    (
        lambda connection: connection.execute(WRONG.create),
        lambda connection: connection.execute('DROP TABLE "totals"'),
    ),
)
"""What this version of the program writes. A new column, table or value of an enumeration is a new version.

Version 2 added the answers that were called wrong, version 3 took out the counts of rows.
"""


class FileKind(StrEnum):
    """What kind of file was opened."""

    CURRENT = "current"
    OLDER = "older"
    NEWER = "newer"
    FOREIGN = "foreign"
    """Of another application, or with a schema that is not ours: triggers and views would run on our statements."""


def file_kind(connection: StoreConnection, layout: Layout) -> FileKind:
    """What an open file is. Raises `sqlite3.Error`."""
    if number(connection, "application_id") != APPLICATION_ID:
        return FileKind.FOREIGN
    version = number(connection, "user_version")
    if version > layout.version:
        return FileKind.NEWER
    if version < layout.version:
        return FileKind.OLDER if version >= layout.version - len(layout.steps) else FileKind.FOREIGN
    columns = "CAST(type AS BLOB), CAST(name AS BLOB), CAST(sql AS BLOB)"
    implied = (b"index", b"sqlite_autoindex_")  # what a primary key implies has no statement of its own
    found = {
        sql if sql is not None else b"" if (kind, name[: len(implied[1])]) == implied else kind + name
        for kind, name, sql in connection.execute(f"SELECT {columns} FROM sqlite_master").fetchall()
    }
    same = found == {b"", *(statement.encode() for statement in layout.statements)}
    return FileKind.CURRENT if same else FileKind.FOREIGN


def create_tables(connection: StoreConnection, layout: Layout) -> None:
    """Make the tables of an empty file, inside a transaction."""
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={layout.version}")
    for statement in layout.statements:
        connection.execute(statement)


def encode_json(value: object) -> object:
    """A record, or what its fields hold, as a value of JSON: names in camel case, enumerations by their values."""
    if isinstance(value, _AS_LISTS):
        return [encode_json(getattr(value, field.name)) for field in fields(value)]
    if is_dataclass(value) and not isinstance(value, type):
        return {_camel(field.name): encode_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [encode_json(each) for each in value]
    if isinstance(value, Mapping):
        return dict(value)
    return value.value if isinstance(value, Enum) else value


Decoder = Callable[[Any], Any]
"""Makes a value of a type of what `encode_json` made of it; raises `StoreDamaged`."""


def decode_json(kind: Any, value: Any) -> Any:
    """The value of a type that `encode_json` made; a field that is missing has its default. Raises `StoreDamaged`."""
    return _decoder(kind)(value)


@cache
def _decoder(kind: Any) -> Decoder:
    """That of a type: types are looked into once, for a store has many values of each."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _either(kind, arguments)
    if origin is None and is_dataclass(kind):
        return _record(kind)
    if origin is None and issubclass(kind, Enum):
        return lambda value: _made(kind, kind, value)
    if origin is None:
        return _plain(kind)
    each = _decoder(arguments[0] if origin is tuple else arguments[1])

    def decode(value: Any) -> Any:
        if origin is tuple and isinstance(value, list):
            return tuple([each(item) for item in value])
        if origin is Mapping and isinstance(value, dict):
            return {name: each(item) for name, item in value.items()}
        raise _no(kind)

    return decode


def _either(kind: Any, kinds: Sequence[Any]) -> Decoder:
    """That of several types: the first that fits."""
    decoders, optional = [_decoder(each) for each in kinds if each is not NoneType], NoneType in kinds

    def decode(value: Any) -> Any:
        if value is None and optional:
            return None
        for each in decoders:
            with suppress(StoreDamaged):
                return each(value)
        raise _no(kind)

    return decode


def _record(kind: Any) -> Decoder:
    """That of a record, which is an object, or a list if it is one of `_AS_LISTS`."""
    named = {_camel(name): (name, _decoder(type_)) for name, type_ in _types(kind).items()}

    def decode(value: Any) -> Any:
        if kind in _AS_LISTS and isinstance(value, list) and len(value) == len(named):
            value = dict(zip(named, value, strict=True))
        if not isinstance(value, dict) or not value.keys() <= named.keys():
            raise _no(kind)
        found = {}
        for key, item in value.items():
            name, each = named[key]
            found[name] = each(item)
        return _made(kind, lambda given: kind(**given), found)

    return decode


def _made(kind: Any, make: Decoder, value: Any) -> Any:
    try:
        return make(value)
    except (TypeError, ValueError) as error:  # a field without a default is missing, or a value makes no sense
        raise _no(kind) from error


def _plain(kind: Any) -> Decoder:
    def decode(value: Any) -> Any:
        if kind is str and isinstance(value, str):
            return value
        if not _is_plain(kind, value):
            raise _no(kind)
        return kind(value) if kind in (bool, float) else value

    return decode


def _no(kind: Any) -> StoreDamaged:
    return StoreDamaged(f"a value is no {getattr(kind, '__name__', kind)}")


def _is_plain(kind: Any, value: object) -> bool:
    if kind is bool:
        return isinstance(value, int) and value in (0, 1)
    if isinstance(value, bool):
        return False
    if kind is float:
        return isinstance(value, int | float) and math.isfinite(value)
    return isinstance(value, kind) if kind in (int, str, NoneType) else False


@cache
def _types(kind: Any) -> dict[str, Any]:
    """The types of a record's fields, in their order."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


@cache
def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


@cache
def _columns(kind: Any) -> tuple[tuple[str, Any], ...]:
    """The fields of a record that are columns, with their types: not the parts of a cluster."""
    skipped = ("asked", "facts", "citations", "links") if kind is Cluster else ()
    return tuple((name, type_) for name, type_ in _types(kind).items() if name not in skipped)


def encode_row(record: Any) -> Values:
    """The columns of a record. Raises ValueError for a number that is none."""
    row: list[Value] = []
    for name, kind in _columns(cast(Any, type(record))):
        value = getattr(record, name)
        if value is None:
            row.append(None)
        elif isinstance(value, Span):
            row += (value.start, value.end)
        elif isinstance(value, str):
            row.append(value.encode("utf-8", "surrogatepass"))
        elif _wanted(kind) is float:
            if not math.isfinite(value):
                raise ValueError("a stored number must be finite")
            row.append(float(value) + 0.0)  # SQLite keeps no negative zero
        elif isinstance(value, int):
            row.append(int(value))
        else:
            written = json.dumps(encode_json(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            row.append(written.encode("utf-8", "surrogatepass"))  # names of files may hold bytes that are no text
    return tuple(row)


def decode_row(kind: Any, values: Sequence[Value], **parts: Any) -> Any:
    """The record of a type whose columns values are, with what is no column. Raises `StoreDamaged`."""
    left = iter(values)
    found: dict[str, Any] = {}
    for name, decode, form in _cells(kind):
        value: Any = next(left)
        if form is _Form.SPAN:
            start, end = value, next(left)
            if not (isinstance(start, int) and isinstance(end, int) and 0 <= start <= end):
                raise StoreDamaged("no span")
            found[name] = Span(start, end)
            continue
        if isinstance(value, bytes):
            value = _text(value)
            if form is _Form.JSON:
                try:
                    value = json.loads(value)
                except (ValueError, RecursionError) as error:
                    raise StoreDamaged(f"the {name} is no JSON") from error
        found[name] = decode(value)
    return kind(**found, **parts)


class _Form(Enum):
    """How a field stands in its row, where it is text."""

    SPAN = 0
    TEXT = 1
    JSON = 2


@cache
def _cells(kind: Any) -> tuple[tuple[str, Decoder, _Form], ...]:
    """The columns of a record with what reads them."""
    return tuple((name, _decoder(type_), _form(_wanted(type_))) for name, type_ in _columns(kind))


def _form(kind: Any) -> _Form:
    if kind is Span:
        return _Form.SPAN
    return _Form.TEXT if isinstance(kind, type) and issubclass(kind, str) else _Form.JSON


def _wanted(kind: Any) -> Any:
    """A type without None."""
    some = [each for each in get_args(kind) if each is not NoneType]
    return some[0] if get_origin(kind) in (Union, UnionType) and len(some) == 1 else kind


# What is read.
@dataclass(frozen=True, slots=True)
class Row:
    """A row whose checksum is right."""

    values: Values
    sum: bytes


@dataclass(frozen=True, slots=True, order=True)
class AnswerName:
    """What an answer is known by: its cluster, its own id, its question and the normal form of that, and when it was
    given, in seconds since the epoch."""

    cluster: str
    id: str
    question: str
    key: str
    at: float


class StoreView:
    """What a store holds, valid while the transaction it was given in is open. All that reads raises `StoreDamaged`."""

    def __init__(self, connection: StoreConnection) -> None:
        self._connection = connection

    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters, live and archived, in order of id."""
        parts: dict[tuple[StoreTable, Value], list[Row]] = {}
        for table in PARTS:
            for row in self._rows(table):
                parts.setdefault((table, row.values[0]), []).append(row)
        clusters = [
            _cluster(head, [parts.pop((table, head.values[0]), []) for table in PARTS]) for head in self._rows(CLUSTERS)
        ]
        if parts:
            raise StoreDamaged("a cluster is missing, and its parts are there")
        return tuple(sorted(clusters, key=lambda cluster: cluster.id))

    def cluster(self, id_: str) -> Cluster | None:
        """One cluster; None when there is none of that id."""
        heads = self._rows(CLUSTERS, "id", id_)
        return _cluster(heads[0], [self._rows(table, "cluster", id_) for table in PARTS]) if heads else None

    def by_question(self, key: str) -> tuple[str, ...]:
        """Ids of the clusters in which a question of this normal form was asked, in order."""
        return self._clusters_with(ASKED, "key", key)

    def typed_questions(self) -> tuple[str, ...]:
        """Every question as it was asked, in order."""
        return tuple(sorted(_text(row.values[3]) for row in self._rows(ASKED)))

    def questions(self) -> tuple[tuple[str, str], ...]:
        """Every question's cluster and normal form, in order."""
        return tuple(sorted((_text(row.values[0]), _text(row.values[4])) for row in self._rows(ASKED)))

    def answers(self) -> tuple[AnswerName, ...]:
        """The names of all answers, without what they say, by cluster and id."""
        found = []
        for row in self._rows(ASKED):
            cluster, id_, _, question, key, *others = row.values
            found.append(AnswerName(_text(cluster), _text(id_), _text(question), _text(key), _seconds(others[3])))
        return tuple(sorted(found))

    def by_fact(self, key: str) -> tuple[str, ...]:
        """Ids of the clusters that hold a requirement of this normal form, retired ones too, in order."""
        return self._clusters_with(FACTS, "key", key)

    def by_citation(self, id_: str) -> tuple[str, ...]:
        """Ids of the clusters that hold a citation, in order."""
        return self._clusters_with(CITATIONS, "id", id_)

    def summaries(self) -> tuple[DocumentSummary, ...]:
        """What was proven from documents, one for each, in order."""
        return tuple(sorted(decode_row(DocumentSummary, row.values) for row in self._rows(SUMMARIES)))

    def turns(self, thread: str) -> tuple[Turn, ...]:
        """The questions of a thread, the first one first."""
        return tuple(turn for turn in self.all_turns() if turn.thread == thread)

    def all_turns(self) -> tuple[Turn, ...]:
        """The questions of all threads, by thread and number."""
        turns = [decode_row(Turn, row.values) for row in self._rows(TURNS)]
        return tuple(sorted(turns, key=lambda turn: (turn.thread, turn.n)))

    def wrong(self) -> tuple[WrongAnswer, ...]:
        """Answers that were called wrong, the first one first."""
        found = [decode_row(WrongAnswer, row.values) for row in self._rows(WRONG)]
        return tuple(sorted(found, key=lambda wrong: (wrong.at, wrong.id)))

    def _clusters_with(self, table: StoreTable, column: str, value: str) -> tuple[str, ...]:
        return tuple(sorted({_text(row.values[0]) for row in self._rows(table, column, value)}))

    def _rows(self, table: StoreTable, column: str = "", wanted: str = "") -> list[Row]:
        """All rows of a table, or those of which a column holds a text."""
        condition, bound = (f' WHERE "{column}" = CAST(? AS TEXT)', [_bytes(wanted)]) if column else ("", [])
        rows: dict[Values, Row] = {}
        found = self._connection.execute(table.select + condition, bound).fetchall()
        for *columns, checksum in found:
            values: Values = tuple(columns)
            if checksum != table.row_sum(values):
                raise StoreDamaged(f"{table.name}: the checksum of a row is wrong")
            rows[values[: table.keys]] = Row(values, checksum)
        names = [name for name, _ in table.columns]
        if len(rows) != len(found) or (
            column and any(r.values[names.index(column)] != bound[0] for r in rows.values())
        ):
            raise StoreDamaged(f"{table.name}: an index does not fit its table")
        return list(rows.values())


def _cluster(head: Row, parts: Sequence[list[Row]]) -> Cluster:
    """The cluster of its own row and of the rows of each of `PARTS`: all that it lists, and no others."""
    if _sums(row.sum for rows in parts for row in rows) != head.values[-1]:
        raise StoreDamaged("clusters: not the parts that a cluster lists")
    asked, facts, citations, links = (sorted(rows, key=lambda row: cast(int, row.values[2]) or 0) for rows in parts)
    cluster: Cluster = decode_row(
        Cluster,
        head.values[:-1],
        asked=tuple(decode_row(Asked, _part(row)) for row in asked),
        facts=tuple(decode_row(KnownFact, _part(row)) for row in facts),
        citations=tuple((_text(row.values[1]), decode_row(Citation, row.values[3:])) for row in citations),
        links=tuple(decode_row(ClusterLink, _part(row)) for row in links),
    )
    return cluster


def _part(row: Row) -> Values:
    """The columns of a cluster's part without the cluster and the position."""
    return (row.values[1], *row.values[3:])


def _sums(checksums: Iterable[bytes]) -> bytes:
    """What a cluster keeps of its parts' checksums."""
    return b"".join(sorted(checksum[:8] for checksum in checksums))


def _seconds(value: Value) -> float:
    if not isinstance(value, float):
        raise StoreDamaged("no time")
    return value


def _text(value: Value) -> str:
    if not isinstance(value, bytes):
        raise StoreDamaged("no text")
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise StoreDamaged("no UTF-8") from error


# What is written.
@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be kept and what goes. What is kept replaces what has the same id: a cluster with all of its parts,
    a document's summary, a thread's turn of that number."""

    clusters: tuple[Cluster, ...] = ()
    removed: tuple[str, ...] = ()
    """Ids of clusters; one that is not there is no error."""
    summaries: tuple[DocumentSummary, ...] = ()
    turns: tuple[Turn, ...] = ()
    wrong: tuple[WrongAnswer, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.clusters or self.removed or self.summaries or self.turns or self.wrong)


@dataclass(frozen=True, slots=True)
class Removal:
    """Rows to take out besides clusters: keys of the documents' summaries, of the turns and of wrong answers."""

    summaries: tuple[tuple[str, str], ...] = ()
    turns: tuple[tuple[str, int], ...] = ()
    wrong: tuple[str, ...] = ()


def write(connection: StoreConnection, changes: Changes, removal: Removal = Removal()) -> None:
    """Write changes; raises ValueError when a cluster holds two parts of one id, or is kept and removed at once."""
    kept = [cluster.id for cluster in changes.clusters]
    if len({*kept, *changes.removed}) != len(kept) + len(set(changes.removed)):
        raise ValueError("one cluster cannot be kept twice, or kept and removed")
    for id_ in (*changes.removed, *kept):
        for table in (CLUSTERS, *PARTS):
            connection.execute(table.delete(1), (_bytes(id_),))
    for cluster in changes.clusters:
        parts = list(part_rows(cluster))
        for table in PARTS:
            _insert(connection, table, (values for of, values in parts if of is table))
        sums = _sums(table.row_sum(values) for table, values in parts)
        _insert(connection, CLUSTERS, [(*encode_row(cluster), sums)])
    for table, records in ((SUMMARIES, changes.summaries), (TURNS, changes.turns), (WRONG, changes.wrong)):
        _insert(connection, table, map(encode_row, records))
    for root, path in removal.summaries:
        connection.execute(SUMMARIES.delete(2), (_bytes(root), _bytes(path)))
    for thread, n in removal.turns:
        connection.execute(TURNS.delete(2), (_bytes(thread), n))
    for id_ in removal.wrong:
        connection.execute(WRONG.delete(1), (_bytes(id_),))


def part_rows(cluster: Cluster) -> Iterator[tuple[StoreTable, Values]]:
    """All rows that belong to a cluster but its own."""
    citations = [(_bytes(id_), *encode_row(citation)) for id_, citation in cluster.citations]
    others = [[*map(encode_row, records)] for records in (cluster.asked, cluster.facts, cluster.links)]
    for table, rows in zip(PARTS, (*others[:2], citations, others[2]), strict=True):
        if len({row[0] for row in rows}) != len(rows):
            raise ValueError(f"cluster {cluster.id} holds two parts of one id")
        for position, (id_, *values) in enumerate(rows):
            yield table, (_bytes(cluster.id), id_, position, *values)


def _insert(connection: StoreConnection, table: StoreTable, rows: Iterable[Values]) -> None:
    connection.executemany(table.insert, [(*values, table.row_sum(values)) for values in rows])


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")
