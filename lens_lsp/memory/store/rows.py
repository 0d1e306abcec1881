"""Clusters, summaries and turns as rows of explicit columns, and back; and the checksum that every row carries.

A row is the values of its columns in order. Text is UTF-8 here: what is summed is what lies in the file.
"""

from __future__ import annotations

import hashlib
import math
import struct
from collections.abc import Iterator

from lens_lsp.memory.store.schema import ASKED, CITATIONS, FACTS, LINKS, Table
from lens_lsp.memory.store.values import (
    Malformed,
    computation_json,
    computation_of,
    dump,
    flag,
    integer,
    load,
    locator_of,
    member,
    optional,
    plan_json,
    plan_of,
    real,
    requirement_json,
    requirement_of,
    seen_json,
    seen_of,
    strings,
    text,
)
from lens_lsp.model.answer import Mode, RequirementStatus, Status
from lens_lsp.model.cluster import Asked, Citation, Cluster, ClusterLink, DocumentSummary, KnownFact, Turn, WrongAnswer
from lens_lsp.model.documents import TextSource
from lens_lsp.model.text import Span

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
