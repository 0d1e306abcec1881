"""Clusters put together from rows, and what is wrong with them when rows are damaged, missing or of another time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from lens_lsp.memory.store.rows import PART_BYTES, Values, asked_of, citation_of, cluster_of, fact_of, link_of
from lens_lsp.memory.store.schema import ASKED, CITATIONS, CLUSTERS, FACTS, LINKS, Table
from lens_lsp.memory.store.values import Malformed, text
from lens_lsp.model.cluster import Asked, Cluster, KnownFact

T = TypeVar("T")


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
