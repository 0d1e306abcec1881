"""What a store knows, read inside one transaction. Every row is checked against its checksum before it counts.

A row that fails is left out and noted in ``damage``; so are rows that a count says were there. Nothing is decoded
before it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from lens_lsp.memory.store.assembly import Damage, Row, assemble, decoded, name_of
from lens_lsp.memory.store.connection import Connection, structural_fault
from lens_lsp.memory.store.rows import SUM_BYTES, Value, Values, row_sum, summary_of, turn_of, wrong_of
from lens_lsp.memory.store.schema import (
    ASKED,
    CITATIONS,
    CLUSTERS,
    FACTS,
    PARTS,
    SUMMARIES,
    TOTALS,
    TURNS,
    WRONG,
    Table,
)
from lens_lsp.model.cluster import Cluster, DocumentSummary, Turn, WrongAnswer

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
