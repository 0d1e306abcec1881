"""Changes to what is known, written inside a transaction that the caller opens and closes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lens_lsp.memory.store.assembly import Damage, parts_of
from lens_lsp.memory.store.connection import Connection
from lens_lsp.memory.store.reading import NOTHING, Knowledge, Total, together
from lens_lsp.memory.store.rows import (
    SUM_BYTES,
    Value,
    Values,
    cluster_values,
    part_rows,
    row_sum,
    summary_values,
    turn_values,
    wrong_values,
)
from lens_lsp.memory.store.schema import CLUSTERS, COUNTED, PARTS, SUMMARIES, TABLES, TOTALS, TURNS, WRONG, Table
from lens_lsp.model.cluster import Cluster, DocumentSummary, Turn, WrongAnswer


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
