"""The tables of a store, as data: what they are called, what they hold, and the statements that follow from it.

Every row ends with ``sum``, a checksum over all that stands before it (`rows.row_sum`). Text is bound and read as
bytes, so that no damaged byte can make the driver fail halfway through a table.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import reduce
from typing import TypeVar

from lens_lsp.memory.store_file import Connection, number, structural_fault
from lens_lsp.model.answer import Computation, Mode, RequirementStatus, Status
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
from lens_lsp.model.documents import Locator, TextSource
from lens_lsp.model.plan import (
    Anchor,
    AnchorKind,
    AnswerType,
    Combination,
    Condition,
    Intent,
    MatchRule,
    Plan,
    Requirement,
    Transformation,
    Unit,
)
from lens_lsp.model.text import Span

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


T = TypeVar("T")

E = TypeVar("E", bound=Enum)


class Malformed(ValueError):
    """A stored value that is not of the shape its column wants."""


def dump(value: object) -> bytes:
    """One JSON value, compact; raises ValueError for a number that is none."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")  # names of files may hold bytes that are no text


def load(data: object) -> object:
    """The JSON value of a column; raises `Malformed`."""
    try:
        return json.loads(text(data))
    except (ValueError, RecursionError) as error:
        raise Malformed("no JSON") from error


def text(data: object) -> str:
    """The text of a column; raises `Malformed`."""
    if not isinstance(data, bytes):
        raise Malformed("no text")
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise Malformed("no UTF-8") from error


def string(value: object) -> str:
    """A JSON string."""
    if not isinstance(value, str):
        raise Malformed("no string")
    return value


def integer(value: object) -> int:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Malformed("no whole number")
    return value


def real(value: object) -> float:
    """A finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise Malformed("no number")
    return float(value)


def flag(value: object) -> bool:
    """True or false; 0 or 1 in a column."""
    if not isinstance(value, int) or value not in (0, 1):
        raise Malformed("neither true nor false")
    return bool(value)


def optional(read: Callable[[object], T], value: object) -> T | None:
    """None, or what ``read`` makes of it."""
    return None if value is None else read(value)


def many(read: Callable[[object], T], value: object) -> tuple[T, ...]:
    """A list, each entry read."""
    if not isinstance(value, list):
        raise Malformed("no list")
    return tuple(read(each) for each in value)


def member(kind: type[E], value: object) -> E:
    """A member of an enumeration."""
    try:
        return kind(value)
    except ValueError as error:
        raise Malformed(f"no {kind.__name__}") from error


def strings(value: object) -> tuple[str, ...]:
    """A list of strings."""
    return many(string, value)


def fields(value: object, *names: str) -> list[object]:
    """The values of an object that has exactly these names."""
    if not isinstance(value, dict) or set(value) != set(names):
        raise Malformed(f"no object of {', '.join(names)}")
    return [value[name] for name in names]


def plan_json(plan: Plan) -> object:
    """A plan."""
    rule = plan.transformation
    return {
        "question": plan.question,
        "requirements": [requirement_json(requirement) for requirement in plan.requirements],
        "anchors": [
            {"text": each.text, "kind": each.kind, "weight": float(each.weight), "requirements": each.requirements}
            for each in plan.anchors
        ],
        "answerType": plan.answer_type,
        "intent": plan.intent,
        "transformation": rule and {"kind": rule.kind, "expression": rule.expression, "labels": rule.labels},
        "document": plan.document,
    }


def plan_of(value: object) -> Plan:
    """The plan of `plan_json`; raises `Malformed`."""
    question, requirements, anchors, answer_type, intent, rule, document = fields(
        value, "question", "requirements", "anchors", "answerType", "intent", "transformation", "document"
    )
    return Plan(
        string(question),
        many(requirement_of, requirements),
        many(_anchor, anchors),
        member(AnswerType, answer_type),
        member(Intent, intent),
        optional(_transformation, rule),
        optional(string, document),
    )


def requirement_json(requirement: Requirement) -> object:
    """A requirement; its template only where it has one."""
    rule = requirement.rule
    condition = rule and rule.condition
    return {
        "id": requirement.id,
        "text": requirement.text,
        "many": requirement.many,
        "answerType": requirement.answer_type,
        "names": requirement.names,
        "rule": rule
        and {
            "phrases": rule.phrases,
            "unit": rule.unit,
            "condition": condition and [condition.relation, condition.value],
            "files": rule.files,
        },
        **({} if requirement.template is None else {"template": requirement.template}),
    }


def requirement_of(value: object) -> Requirement:
    """The requirement of `requirement_json`; raises `Malformed`."""
    whole = {"template": None, **value} if isinstance(value, dict) else value
    id_, wording, plural, answer_type, names, rule, template = fields(
        whole, "id", "text", "many", "answerType", "names", "rule", "template"
    )
    return Requirement(
        string(id_),
        string(wording),
        flag(plural),
        member(AnswerType, answer_type),
        strings(names),
        optional(_rule, rule),
        optional(string, template),
    )


def computation_json(computation: Computation) -> object:
    """A computation."""
    return [computation.expression, computation.operands, computation.value, computation.unit]


def computation_of(value: object) -> Computation:
    """The computation of `computation_json`; raises `Malformed`."""
    expression, operands, result, unit = _entries(value, 4)
    return Computation(string(expression), many(integer, operands), string(result), optional(string, unit))


def seen_json(seen: Sequence[Seen]) -> object:
    """Documents that were admitted."""
    return [[each.root, each.path, each.sha256] for each in seen]


def seen_of(value: object) -> tuple[Seen, ...]:
    """The documents of `seen_json`; raises `Malformed`."""
    return many(lambda each: Seen(*(string(entry) for entry in _entries(each, 3))), value)


def locator_of(value: object) -> Locator:
    """A locator: names with numbers or strings; raises `Malformed`."""
    if not isinstance(value, dict):
        raise Malformed("no locator")
    return {name: each if isinstance(each, str) else integer(each) for name, each in value.items()}


def _anchor(value: object) -> Anchor:
    wording, kind, weight, requirements = fields(value, "text", "kind", "weight", "requirements")
    return Anchor(string(wording), member(AnchorKind, kind), real(weight), strings(requirements))


def _rule(value: object) -> MatchRule:
    phrases, unit, condition, files = fields(value, "phrases", "unit", "condition", "files")
    return MatchRule(strings(phrases), member(Unit, unit), optional(_condition, condition), strings(files))


def _condition(value: object) -> Condition:
    relation, bound = _entries(value, 2)
    return Condition(string(relation), string(bound))


def _transformation(value: object) -> Transformation:
    kind, expression, labels = fields(value, "kind", "expression", "labels")
    return Transformation(member(Combination, kind), optional(string, expression), strings(labels))


def _entries(value: object, count: int) -> list[object]:
    if not isinstance(value, list) or len(value) != count:
        raise Malformed(f"no list of {count}")
    return value


Value = bytes | int | float | None

Values = tuple[Value, ...]

SUM_BYTES = 16

PART_BYTES = 8

"""How much of a part's checksum its cluster keeps."""


def row_sum(table: Table, values: Values) -> bytes:
    """The checksum of a row: BLAKE2 over the table's name and every value with its type and length."""
    parts = [table.name.encode()]
    for value in values:
        if value is None:
            parts.append(b"n")
        elif isinstance(value, bytes):
            parts += (b"b%d:" % len(value), value)
        elif isinstance(value, float):
            parts.append(b"f" + struct.pack(">d", value))
        else:
            parts.append(b"i%d;" % value)
    return hashlib.blake2b(b"".join(parts), digest_size=SUM_BYTES).digest()


def part_rows(cluster: Cluster) -> Iterator[tuple[Table, Values]]:
    """All rows that belong to a cluster but its own. Raises ValueError when two parts have one id."""
    _require_unique(cluster)
    name = _bytes(cluster.id)
    for position, asked in enumerate(cluster.asked):
        yield ASKED, (name, *_asked_values(asked, position))
    for position, fact in enumerate(cluster.facts):
        yield FACTS, (name, *_fact_values(fact, position))
    for position, (id_, citation) in enumerate(cluster.citations):
        yield CITATIONS, (name, _bytes(id_), position, *_citation_values(citation))
    for position, link in enumerate(cluster.links):
        yield LINKS, (name, _bytes(link.cluster), position, _real(link.weight))


def cluster_values(cluster: Cluster, parts: bytes) -> Values:
    """The cluster's own row."""
    return (
        _bytes(cluster.id),
        _bytes(cluster.title),
        int(cluster.hits),
        _real(cluster.created),
        _real(cluster.used),
        None if cluster.confidence is None else _real(cluster.confidence),
        int(cluster.archived),
        parts,
    )


def cluster_of(values: Values) -> Cluster:
    """A cluster by its own row, without its parts; raises `Malformed`."""
    id_, title, hits, created, used, confidence, archived, _ = values
    return Cluster(
        id=text(id_),
        title=text(title),
        asked=(),
        facts=(),
        citations=(),
        hits=integer(hits),
        created=real(created),
        used=real(used),
        confidence=optional(real, confidence),
        archived=flag(archived),
    )


def asked_of(values: Values) -> Asked:
    """A question by its row; raises `Malformed`."""
    _, id_, _, question, key, plan, mode, oracle, at, status, answer, short, facts, evidence, seen, computed = values
    return Asked(
        id=text(id_),
        question=text(question),
        key=text(key),
        plan=plan_of(load(plan)),
        mode=member(Mode, text(mode)),
        oracle=text(oracle),
        at=real(at),
        status=member(Status, text(status)),
        text=text(answer),
        short=optional(text, short),
        facts=_facts(load(facts)),
        evidence=strings(load(evidence)),
        seen=seen_of(load(seen)),
        computation=None if computed is None else computation_of(load(computed)),
    )


def fact_of(values: Values) -> KnownFact:
    """A fact by its row; raises `Malformed`."""
    _, id_, _, key, requirement, status, value, confidence, evidence, at, retired = values
    return KnownFact(
        id=text(id_),
        key=text(key),
        requirement=requirement_of(load(requirement)),
        status=member(RequirementStatus, text(status)),
        value=optional(text, value),
        confidence=optional(real, confidence),
        evidence=strings(load(evidence)),
        at=real(at),
        retired=flag(retired),
    )


def citation_of(values: Values) -> tuple[str, Citation]:
    """A citation and its id by its row; raises `Malformed`."""
    _, id_, _, root, path, source, sha256, encoding, reader, start, end, quote, match, *rest = values
    left, right, heading, locator, count = rest
    try:
        span = Span(integer(start), integer(end))
    except ValueError as error:
        raise Malformed("no span") from error
    return text(id_), Citation(
        root=text(root),
        path=text(path),
        source=member(TextSource, text(source)),
        sha256=text(sha256),
        encoding=text(encoding),
        reader=text(reader),
        span=span,
        quote=text(quote),
        match=text(match),
        left=optional(text, left),
        right=optional(text, right),
        heading=strings(load(heading)),
        locator=None if locator is None else locator_of(load(locator)),
        count=optional(integer, count),
    )


def link_of(values: Values) -> ClusterLink:
    """A link by its row; raises `Malformed`."""
    return ClusterLink(text(values[1]), real(values[3]))


def summary_values(summary: DocumentSummary) -> Values:
    """The row of a summary."""
    return (_bytes(summary.root), _bytes(summary.path), _bytes(summary.sha256), _bytes(summary.text))


def summary_of(values: Values) -> DocumentSummary:
    """A summary by its row; raises `Malformed`."""
    root, path, sha256, wording = values
    return DocumentSummary(text(root), text(path), text(sha256), text(wording))


def turn_values(turn: Turn) -> Values:
    """The row of a turn."""
    cluster = None if turn.cluster is None else _bytes(turn.cluster)
    return (_bytes(turn.thread), int(turn.n), _bytes(turn.typed), _bytes(turn.question), cluster, _real(turn.at))


def turn_of(values: Values) -> Turn:
    """A turn by its row; raises `Malformed`."""
    thread, n, typed, question, cluster, at = values
    return Turn(text(thread), integer(n), text(typed), text(question), optional(text, cluster), real(at))


def wrong_values(wrong: WrongAnswer) -> Values:
    """The row of an answer that was called wrong."""
    return (
        _bytes(wrong.id),
        _bytes(wrong.question),
        _bytes(wrong.key),
        _bytes(wrong.text),
        None if wrong.short is None else _bytes(wrong.short),
        _bytes(wrong.oracle),
        dump(wrong.facts),
        _real(wrong.at),
    )


def wrong_of(values: Values) -> WrongAnswer:
    """An answer that was called wrong by its row; raises `Malformed`."""
    id_, question, key, said, short, oracle, facts, at = values
    return WrongAnswer(
        text(id_),
        text(question),
        text(key),
        text(said),
        optional(text, short),
        text(oracle),
        strings(load(facts)),
        real(at),
    )


def _asked_values(asked: Asked, position: int) -> Values:
    return (
        _bytes(asked.id),
        position,
        _bytes(asked.question),
        _bytes(asked.key),
        dump(plan_json(asked.plan)),
        _bytes(asked.mode),
        _bytes(asked.oracle),
        _real(asked.at),
        _bytes(asked.status),
        _bytes(asked.text),
        None if asked.short is None else _bytes(asked.short),
        dump(asked.facts),
        dump(asked.evidence),
        dump(seen_json(asked.seen)),
        None if asked.computation is None else dump(computation_json(asked.computation)),
    )


def _fact_values(fact: KnownFact, position: int) -> Values:
    return (
        _bytes(fact.id),
        position,
        _bytes(fact.key),
        dump(requirement_json(fact.requirement)),
        _bytes(fact.status),
        None if fact.value is None else _bytes(fact.value),
        None if fact.confidence is None else _real(fact.confidence),
        dump(fact.evidence),
        _real(fact.at),
        int(fact.retired),
    )


def _citation_values(citation: Citation) -> Values:
    return (
        _bytes(citation.root),
        _bytes(citation.path),
        _bytes(citation.source),
        _bytes(citation.sha256),
        _bytes(citation.encoding),
        _bytes(citation.reader),
        citation.span.start,
        citation.span.end,
        _bytes(citation.quote),
        _bytes(citation.match),
        None if citation.left is None else _bytes(citation.left),
        None if citation.right is None else _bytes(citation.right),
        dump(citation.heading),
        None if citation.locator is None else dump(dict(citation.locator)),
        citation.count,
    )


def _require_unique(cluster: Cluster) -> None:
    for ids in (
        [asked.id for asked in cluster.asked],
        [fact.id for fact in cluster.facts],
        [id_ for id_, _ in cluster.citations],
        [link.cluster for link in cluster.links],
    ):
        if len(ids) != len(set(ids)):
            raise ValueError(f"cluster {cluster.id} holds two parts of one id")


def _facts(value: object) -> tuple[str | None, ...]:
    if not isinstance(value, list) or not all(each is None or isinstance(each, str) for each in value):
        raise Malformed("no list of facts")
    return tuple(value)


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


def _real(value: float) -> float:
    """As SQLite gives it back: it keeps no negative zero, and NULL for what is no number."""
    if not math.isfinite(value):
        raise ValueError("a stored number must be finite")
    return float(value) + 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """A row whose checksum is right."""

    table: Table
    values: Values
    checksum: bytes


@dataclass(frozen=True, slots=True)
class Damage:
    """A row that is not what was written, or is not there. It was left out of what was read."""

    table: str
    name: str
    """The cluster, document or thread it belongs to, as far as that can be told."""
    why: str
    corrupt: bool = True
    """False for a row that is as it was written and cannot be understood."""


def parts_of(checksums: Iterable[bytes]) -> bytes:
    """What a cluster keeps of its parts' checksums."""
    return b"".join(sorted(checksum[:PART_BYTES] for checksum in checksums))


def listed_parts(head: Row) -> frozenset[bytes]:
    """The beginnings of the checksums of all parts that a cluster had when its own row was written."""
    parts = head.values[-1]
    whole = parts if isinstance(parts, bytes) else b""
    return frozenset(whole[start : start + PART_BYTES] for start in range(0, len(whole), PART_BYTES))


def assemble(head: Row, parts: Sequence[Row], damage: list[Damage]) -> Cluster | None:
    """The cluster of its own row and of all rows that name it; what is wrong is added to ``damage``.

    Parts that the cluster does not list are left out. So is what rests on a part that was lost: a fact without one of
    its citations, a question without one of its facts. None when the cluster's own row cannot be understood.
    """
    bare = _read(cluster_of, head, damage)
    if bare is None:
        return None
    listed = listed_parts(head)
    present = {row.checksum[:PART_BYTES] for row in parts}
    found = [Damage(CLUSTERS.name, bare.id, "a part of it is missing") for _ in listed - present]
    found += [Damage(row.table.name, bare.id, "of another time") for row in parts if not _listed(row, listed)]
    cluster = _with_parts(bare, [row for row in parts if _listed(row, listed)], found)
    damage += found
    return _supported(cluster) if found else cluster


def headless(name: str, parts: Sequence[Row], damage: list[Damage]) -> Cluster | None:
    """A cluster whose own row is lost, from the parts that name it; None when they hold no question and no fact."""
    cluster = _supported(_with_parts(Cluster(name, "", (), (), ()), parts, damage))
    times = [asked.at for asked in cluster.asked] + [fact.at for fact in cluster.facts]
    if not times:
        return None
    return replace(
        cluster,
        title=min((asked.question for asked in cluster.asked), key=len, default=""),
        created=min(times),
        used=max(times),
        archived=all(fact.retired for fact in cluster.facts),
    )


def decoded(decode: Callable[[Values], T], rows: Iterable[Row], damage: list[Damage]) -> list[T]:
    """What rows say; one that cannot be understood is left out and added to ``damage``."""
    entries = (_read(decode, row, damage) for row in rows)
    return [entry for entry in entries if entry is not None]


def name_of(values: Values) -> str:
    """The first column as text; empty when it is none."""
    try:
        return text(values[0])
    except Malformed:
        return ""


def _listed(row: Row, listed: frozenset[bytes]) -> bool:
    return row.checksum[:PART_BYTES] in listed


def _with_parts(bare: Cluster, parts: Sequence[Row], damage: list[Damage]) -> Cluster:
    def read(table: Table, decode: Callable[[Values], T]) -> tuple[T, ...]:
        rows = {row.values[1]: row for row in parts if row.table is table}  # one row for an id, whatever an index says
        in_order = sorted(rows.values(), key=lambda row: row.values[2] if isinstance(row.values[2], int) else 0)
        return tuple(decoded(decode, in_order, damage))

    return replace(
        bare,
        asked=read(ASKED, asked_of),
        facts=read(FACTS, fact_of),
        citations=read(CITATIONS, citation_of),
        links=read(LINKS, link_of),
    )


def _read(decode: Callable[[Values], T], row: Row, damage: list[Damage]) -> T | None:
    try:
        return decode(row.values)
    except Malformed as error:
        damage.append(Damage(row.table.name, name_of(row.values), str(error), corrupt=False))
        return None


def _supported(cluster: Cluster) -> Cluster:
    """What still stands on its own in a cluster that lost something."""
    citations = {id_ for id_, _ in cluster.citations}

    def proven(part: Asked | KnownFact) -> bool:
        return citations.issuperset(part.evidence)

    facts = tuple(fact for fact in cluster.facts if proven(fact))
    known = {None, *(fact.id for fact in facts)}
    asked = tuple(asked for asked in cluster.asked if proven(asked) and known.issuperset(asked.facts))
    return replace(cluster, facts=facts, asked=asked)


Total = tuple[int, bytes]

"""How many rows, and all their checksums in one."""

NOTHING: Total = (0, bytes(SUM_BYTES))


def together(checksums: Iterable[bytes]) -> bytes:
    """Checksums in one, whatever their order: exclusive or, so that a row is taken out as it is put in."""
    whole = reduce(lambda one, other: one ^ other, (int.from_bytes(each, "big") for each in checksums), 0)
    return whole.to_bytes(SUM_BYTES, "big")


class Knowledge:
    """A look at what is known, valid while the transaction it was given in is open."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.damage: list[Damage] = []
        """What was found wrong so far."""

    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters, live and archived, in order of id."""
        heads = self._counted(CLUSTERS)
        parts: dict[str, list[Row]] = {name_of(head.values): [] for head in heads}
        for table in PARTS:
            for row in self._rows(table):
                parts.setdefault(name_of(row.values), []).append(row)
        whole = (assemble(head, parts.pop(name_of(head.values)), self.damage) for head in heads)
        clusters = sorted((cluster for cluster in whole if cluster is not None), key=lambda cluster: cluster.id)
        self._orphans(rows for rows in parts.values() if rows)
        return tuple(clusters)

    def cluster(self, id_: str) -> Cluster | None:
        """One cluster; None when there is none of that id."""
        heads = self._rows(CLUSTERS, "id", (id_,))
        parts = [row for table in PARTS for row in self._rows(table, "cluster", (id_,))]
        if heads:
            return assemble(heads[0], parts, self.damage)
        self._orphans([parts] if parts else [])
        return None

    def by_question(self, key: str) -> tuple[str, ...]:
        """Ids of the clusters in which a question of this normal form was asked, in order."""
        return self._named(ASKED, "key", key)

    def questions(self) -> tuple[tuple[str, str], ...]:
        """Every question's cluster and normal form, in order."""
        place = ASKED.position("key")
        return tuple(sorted((name_of(row.values), _text(row.values[place])) for row in self._rows(ASKED)))

    def by_fact(self, key: str) -> tuple[str, ...]:
        """Ids of the clusters that hold a requirement of this normal form, retired ones too, in order."""
        return self._named(FACTS, "key", key)

    def by_citation(self, id_: str) -> tuple[str, ...]:
        """Ids of the clusters that hold a citation, in order."""
        return self._named(CITATIONS, "id", id_)

    def summaries(self) -> tuple[DocumentSummary, ...]:
        """What was proven from documents, one for each, in order."""
        return tuple(sorted(decoded(summary_of, self._counted(SUMMARIES), self.damage)))

    def turns(self, thread: str) -> tuple[Turn, ...]:
        """The questions of a thread, the first one first."""
        return tuple(turn for turn in self.all_turns() if turn.thread == thread)

    def all_turns(self) -> tuple[Turn, ...]:
        """The questions of all threads, by thread and number."""
        turns = decoded(turn_of, self._counted(TURNS), self.damage)
        return tuple(sorted(turns, key=lambda turn: (turn.thread, turn.n)))

    def wrong(self) -> tuple[WrongAnswer, ...]:
        """Answers that were called wrong, the first one first."""
        found = decoded(wrong_of, self._counted(WRONG), self.damage)
        return tuple(sorted(found, key=lambda wrong: (wrong.at, wrong.id)))

    def structure(self) -> str | None:
        """What SQLite finds wrong with the file's structure; None when it is sound."""
        return structural_fault(self._connection)

    def total(self, table: Table) -> Total:
        """What was counted when ``table`` was last written."""
        for row in self._rows(TOTALS, "name", (table.name,)):
            _, count, digest = row.values
            if isinstance(count, int) and isinstance(digest, bytes):
                return count, digest
        self.damage.append(Damage(TOTALS.name, table.name, "missing"))
        return NOTHING

    def _named(self, table: Table, column: str, value: str) -> tuple[str, ...]:
        place, wanted = table.position(column), value.encode("utf-8", "surrogatepass")
        rows = self._rows(table, column, (value,))
        return tuple(sorted({name_of(row.values) for row in rows if row.values[place] == wanted}))

    def _counted(self, table: Table) -> list[Row]:
        """All rows of a table that is counted, each once."""
        rows = {row.values[: table.keys]: row for row in self._rows(table)}
        digest = together(row.checksum for row in rows.values())
        if (len(rows), digest) != self.total(table):
            self.damage.append(Damage(table.name, "", "not the rows that were counted"))
        return list(rows.values())

    def _rows(self, table: Table, column: str | None = None, names: Sequence[str] = ()) -> list[Row]:
        """The rows of a table whose checksum is right."""
        condition = "" if column is None else table.where(column)
        bound = [name.encode("utf-8", "surrogatepass") for name in names]
        rows: list[Row] = []
        for *columns, checksum in self._connection.execute(table.select + condition, bound).fetchall():
            values: Values = tuple(columns)
            if checksum == row_sum(table, values):
                rows.append(Row(table, values, checksum))
            else:
                self.damage.append(Damage(table.name, name_of(values), "the checksum is wrong"))
        return rows

    def _orphans(self, groups: Iterable[Sequence[Row]]) -> None:
        self.damage += [Damage(CLUSTERS.name, name_of(rows[0].values), "its own row is missing") for rows in groups]


def _text(value: Value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def all_damage(connection: Connection) -> list[Damage]:
    """What is wrong anywhere in a file: every row is read, inside a transaction."""
    knowledge = Knowledge(connection)
    knowledge.clusters()
    knowledge.summaries()
    knowledge.all_turns()
    knowledge.wrong()
    return knowledge.damage


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


def write(knowledge: Knowledge, connection: Connection, changes: Changes, removal: Removal | None = None) -> None:
    """Write changes; raises ValueError when a cluster holds two parts of one id, or is kept and removed at once.

    The counts are read through ``knowledge``, which notes it when they are damaged.
    """
    kept = [cluster.id for cluster in changes.clusters]
    if len({*kept, *changes.removed}) != len(kept) + len(set(changes.removed)):
        raise ValueError("one cluster cannot be kept twice, or kept and removed")
    tally = _Tally(knowledge, connection)
    for id_ in (*changes.removed, *kept):
        for table in PARTS:
            connection.execute(f'DELETE FROM "{table.name}"{table.where("cluster")}', (_key(id_),))
        tally.remove(CLUSTERS, (_key(id_),))
    for cluster in changes.clusters:
        tally.add(CLUSTERS, _write_parts(connection, cluster))
    for values in map(summary_values, changes.summaries):
        tally.replace(SUMMARIES, values)
    for values in map(turn_values, changes.turns):
        tally.replace(TURNS, values)
    for values in map(wrong_values, changes.wrong):
        tally.replace(WRONG, values)
    if removal is not None:
        for root, path in removal.summaries:
            tally.remove(SUMMARIES, (_key(root), _key(path)))
        for thread, n in removal.turns:
            tally.remove(TURNS, (_key(thread), n))
        for id_ in removal.wrong:
            tally.remove(WRONG, (_key(id_),))
    tally.write()


def clear(connection: Connection) -> None:
    """Empty every table and count nothing in it: how a new file begins, and what a step of a migration may need."""
    for table in TABLES:
        connection.execute(f'DELETE FROM "{table.name}"')
    for table in COUNTED:
        count_none(connection, table)


def count_none(connection: Connection, table: Table) -> None:
    """Count nothing in a table that is new."""
    _insert(connection, TOTALS, [_total_values(table, NOTHING)])


class _Tally:
    """Adds and removes rows of counted tables, and keeps the counts right."""

    def __init__(self, knowledge: Knowledge, connection: Connection) -> None:
        self._knowledge = knowledge
        self._connection = connection
        self._totals: dict[Table, Total] = {}

    def replace(self, table: Table, values: Values) -> None:
        self.remove(table, values[: table.keys])
        self.add(table, values)

    def add(self, table: Table, values: Values) -> None:
        self._count(table, 1, row_sum(table, values))
        _insert(self._connection, table, [values])

    def remove(self, table: Table, key: Values) -> None:
        kinds = zip(table.columns, key, strict=False)
        condition = " WHERE " + " AND ".join(
            f'"{name}" = CAST(? AS TEXT)' if isinstance(value, bytes) else f'"{name}" = ?' for (name, _), value in kinds
        )
        found = self._connection.execute(f'SELECT CAST("sum" AS BLOB) FROM "{table.name}"{condition}', key).fetchone()
        if found is not None:
            if not isinstance(found[0], bytes) or len(found[0]) != SUM_BYTES:
                self._knowledge.damage.append(Damage(table.name, "", "the checksum is none"))
                return
            self._count(table, -1, found[0])
            self._connection.execute(f'DELETE FROM "{table.name}"{condition}', key)

    def write(self) -> None:
        for table, total in self._totals.items():
            self._connection.execute(f'DELETE FROM "totals"{TOTALS.where("name")}', (table.name.encode(),))
            _insert(self._connection, TOTALS, [_total_values(table, total)])

    def _count(self, table: Table, more: int, checksum: bytes) -> None:
        if table not in self._totals:
            self._totals[table] = self._knowledge.total(table)
        count, digest = self._totals[table]
        self._totals[table] = count + more, together((digest, checksum))


def _write_parts(connection: Connection, cluster: Cluster) -> Values:
    """Add all rows that belong to a cluster; returns its own."""
    by_table: dict[Table, list[Values]] = {}
    checksums: list[bytes] = []
    for table, values in part_rows(cluster):
        by_table.setdefault(table, []).append(values)
        checksums.append(row_sum(table, values))
    for table, rows in by_table.items():
        _insert(connection, table, rows)
    return cluster_values(cluster, parts_of(checksums))


def _insert(connection: Connection, table: Table, rows: Iterable[Values]) -> None:
    connection.executemany(table.insert, [(*values, row_sum(table, values)) for values in rows])


def _total_values(table: Table, total: Total) -> Values:
    return (table.name.encode(), *total)


def _key(value: str) -> Value:
    return value.encode("utf-8", "surrogatepass")
