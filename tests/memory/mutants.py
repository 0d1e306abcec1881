"""Connections with a fault of ours in them: what the harnesses must catch, or they prove nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lens_lsp.memory.store_file import Connect, StoreConnection, connect

Change = Callable[[str], str | None]
"""Another statement for a statement, or None for one that is not run."""


class Answered:
    """A cursor over rows that are there already."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = list(rows)

    def fetchone(self) -> Any:
        return self._rows.pop(0) if self._rows else None

    def fetchall(self) -> list[Any]:
        rows, self._rows = self._rows, []
        return rows


class Changed:
    """A connection that runs other statements than it is told."""

    def __init__(self, inner: StoreConnection, change: Change) -> None:
        self.inner = inner
        self._change = change

    @property
    def in_transaction(self) -> bool:
        return self.inner.in_transaction

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        changed = self._change(sql)
        return Answered([]) if changed is None else self.inner.execute(changed, parameters)

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Any:
        return self.inner.executemany(sql, parameters)

    def close(self) -> None:
        self.inner.close()


def without_transactions(sql: str) -> str | None:
    """Every statement for itself."""
    return None if sql.startswith(("BEGIN", "COMMIT", "ROLLBACK")) else sql


def without_syncs(sql: str) -> str | None:
    """Nothing waits for the disk."""
    return "PRAGMA synchronous=OFF" if sql.startswith("PRAGMA synchronous") else sql


def changed(change: Change, inner: Connect = connect) -> Connect:
    """Opens connections with a fault."""
    return lambda path: Changed(inner(path), change)


class Agreeable(bytes):
    """A checksum that is equal to any other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = bytes.__hash__


class Unchecked(Changed):
    """A connection over which every checksum is right."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        cursor = super().execute(sql, parameters)
        if not sql.startswith('SELECT CAST("'):
            return cursor
        return Answered([(*row[:-1], Agreeable(row[-1] or b"")) for row in cursor.fetchall()])


def unchecked(path: str) -> StoreConnection:
    """Opens connections over which every checksum is right."""
    return Unchecked(connect(path), lambda sql: sql)


class Unexamined(Changed):
    """A connection over which no writer looks at the structure of the file; who mends a file still does."""

    def __init__(self, inner: StoreConnection) -> None:
        super().__init__(inner, self._sound)
        self._writing = False

    def _sound(self, sql: str) -> str:
        if sql.startswith("BEGIN"):
            self._writing = sql == "BEGIN IMMEDIATE"
        return "SELECT 'ok'" if self._writing and sql.startswith("PRAGMA integrity_check") else sql


def unexamined(path: str) -> StoreConnection:
    """Opens connections over which a broken structure is written to."""
    return Unexamined(connect(path))


class Forgiving(Changed):
    """A connection that keeps a full disk to itself."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        try:
            return super().execute(sql, parameters)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_FULL:
                raise
            return Answered([])

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Any:
        try:
            return super().executemany(sql, parameters)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_FULL:
                raise
            return Answered([])
