"""A store of a schema that was never released, and the steps from it to today's: what migrations are tried on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from lens_lsp.memory.store_file import StoreConnection, number
from lens_lsp.memory.store_rows import (
    APPLICATION_ID,
    ASKED,
    CITATIONS,
    CLUSTERS,
    FACTS,
    LAYOUT,
    LINKS,
    SUMMARIES,
    TABLES,
    TURNS,
    VERSION,
    WRONG,
    Changes,
    Kind,
    Layout,
    StoreTable,
    Values,
    decode_row,
    encode_row,
    part_rows,
    write,
)
from lens_lsp.model.cluster import Asked, Citation, Cluster, ClusterLink, DocumentSummary, KnownFact, Turn

OLD = VERSION - 1
"""The version that a file of it says; two steps lead from there to `LATER`."""
_OLD = tuple(table for table in TABLES if table is not WRONG)


def make_old(
    path: Path, clusters: tuple[Cluster, ...], summaries: tuple[DocumentSummary, ...], turns: tuple[Turn, ...]
) -> None:
    """A file of it: no checksums, no indexes, and every time in 1/1024 s."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={OLD}")
        connection.execute("BEGIN")
        for table in _OLD:
            connection.execute(f'CREATE TABLE "{table.name}" ({", ".join(_names(table))})')
        for cluster in clusters:
            _put(connection, CLUSTERS, (*encode_row(cluster), b""))
            for table, values in part_rows(cluster):
                _put(connection, table, values)
        for summary in summaries:
            _put(connection, SUMMARIES, encode_row(summary))
        for turn in turns:
            _put(connection, TURNS, encode_row(turn))
        connection.execute("COMMIT")


def content_of(path: Path) -> tuple[int, dict[str, int]]:
    """Version of a file and how many rows each old table has in it."""
    with closing(sqlite3.connect(path)) as connection:
        counts = {
            table.name: connection.execute(f'SELECT count(*) FROM "{table.name}"').fetchone()[0] for table in _OLD
        }
        return number(connection, "user_version"), counts


def _put(connection: sqlite3.Connection, table: StoreTable, values: Values) -> None:
    kinds = [kind for _, kind in table.columns]
    old = [value * 1024 if name == "at" else value for (name, _), value in zip(table.columns, values, strict=True)]
    marks = ", ".join("CAST(? AS TEXT)" if kind is Kind.TEXT else "?" for kind in kinds)
    connection.execute(f'INSERT INTO "{table.name}" VALUES ({marks})', old)


def _names(table: StoreTable) -> list[str]:
    return [f'"{name}"' for name, _ in table.columns]


def seconds(connection: StoreConnection) -> None:
    """The first step: times in seconds."""
    for table in (ASKED, FACTS, TURNS):
        connection.execute(f'UPDATE "{table.name}" SET "at" = "at" / 1024.0')


def checksums(connection: StoreConnection) -> None:
    """The second: checksums and indexes. The rows are read, and written as they are today."""
    for table in _OLD:
        connection.execute(f'ALTER TABLE "{table.name}" RENAME TO "old_{table.name}"')
    for statement in LAYOUT.statements:
        connection.execute(statement)
    for values in _rows(connection, CLUSTERS):
        asked, facts, citations, links = (_rows(connection, t, values[0]) for t in (ASKED, FACTS, CITATIONS, LINKS))
        whole = decode_row(
            Cluster,
            values[:-1],
            asked=tuple(decode_row(Asked, (row[1], *row[3:])) for row in asked),
            facts=tuple(decode_row(KnownFact, (row[1], *row[3:])) for row in facts),
            citations=tuple((row[1].decode(), decode_row(Citation, row[3:])) for row in citations),
            links=tuple(decode_row(ClusterLink, (row[1], *row[3:])) for row in links),
        )
        write(connection, Changes(clusters=(whole,)))
    rest = Changes(
        summaries=tuple(decode_row(DocumentSummary, row) for row in _rows(connection, SUMMARIES)),
        turns=tuple(decode_row(Turn, row) for row in _rows(connection, TURNS)),
    )
    write(connection, rest)
    for table in _OLD:
        connection.execute(f'DROP TABLE "old_{table.name}"')


STEPS: tuple[Callable[[StoreConnection], None], ...] = (seconds, checksums)
LATER: Layout = replace(LAYOUT, version=OLD + len(STEPS), steps=STEPS)
"""Today's tables as they would be if these two had been the steps to the next version."""


def _rows(connection: StoreConnection, table: StoreTable, cluster: object = None) -> list[Any]:
    columns = ", ".join(f'CAST("{name}" AS {Kind.BLOB if kind is Kind.TEXT else kind})' for name, kind in table.columns)
    condition = "" if cluster is None else ' WHERE "cluster" = CAST(? AS TEXT)'
    order = ' ORDER BY "position"' if cluster is not None else ""
    bound = () if cluster is None else (cluster,)
    found = connection.execute(f'SELECT {columns} FROM "old_{table.name}"{condition}{order}', bound).fetchall()
    return [tuple(row) for row in found]
