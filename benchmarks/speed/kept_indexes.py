"""Peers that keep an index on the disk: what they do when one file changed, and when none did.

They are built as lean as their users would: plain tokenizers, no stems, no positions of windows. The folder's texts are
read once; a change is handed to them, so that finding it out costs them nothing.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from benchmarks.speed.answering import TOP
from benchmarks.speed.peers import NoPeersError, texts_of


class KeptIndex(Protocol):
    """An index of a folder."""

    def change(self, path: str, text: str) -> None:
        """Take a file's new text in, so that the next question sees it."""

    def ask(self) -> list[str]:
        """The paths of the ten best."""

    def close(self) -> None:
        """Let go of its files."""


Maker = Callable[[Path, Path, Sequence[str]], KeptIndex]
"""Builds the index of a folder below another one, for the question made of some terms."""


class Tantivy:
    """tantivy's default tokenizer, a writer thread for each core."""

    def __init__(self, folder: Path, store: Path, terms: Sequence[str]) -> None:
        try:
            import tantivy
        except ImportError as error:
            raise NoPeersError("the peers are missing: python -m pip install 'lens-lsp[evaluation]'") from error
        self._library: Any = tantivy
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("path", stored=True, tokenizer_name="raw")
        schema.add_text_field("body", stored=False)
        store.mkdir(parents=True)
        self._index = tantivy.Index(schema.build(), path=str(store))
        self._writer = self._index.writer(heap_size=1 << 28, num_threads=os.cpu_count() or 1)
        for path, text in texts_of(folder).items():
            self._writer.add_document(tantivy.Document(path=path, body=text))
        self._settle()
        self._query = self._index.parse_query(_quoted(terms, " "), ["body"])

    def change(self, path: str, text: str) -> None:
        self._writer.delete_documents_by_term("path", path)
        self._writer.add_document(self._library.Document(path=path, body=text))
        self._settle()

    def ask(self) -> list[str]:
        searcher = self._index.searcher()
        return [searcher.doc(address)["path"][0] for _, address in searcher.search(self._query, TOP).hits]

    def close(self) -> None:
        self._writer.wait_merging_threads()

    def _settle(self) -> None:
        self._writer.commit()
        self._index.reload()


class Fts5:
    """SQLite's full-text index, with a write-ahead log that is not synced at each change."""

    def __init__(self, folder: Path, store: Path, terms: Sequence[str]) -> None:
        store.mkdir(parents=True)
        self._database = sqlite3.connect(store / "notes.sqlite", isolation_level=None)
        try:
            self._database.executescript(
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                " CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, body);"
            )
        except sqlite3.OperationalError as error:
            raise NoPeersError(f"this Python's SQLite has no FTS5: {error}") from error
        self._row: dict[str, int] = {}
        self._database.execute("BEGIN")
        for number, (path, text) in enumerate(texts_of(folder).items(), 1):
            self._database.execute("INSERT INTO notes(rowid, path, body) VALUES (?, ?, ?)", (number, path, text))
            self._row[path] = number
        self._database.execute("COMMIT")
        self._query = _quoted(terms, " OR ")

    def change(self, path: str, text: str) -> None:
        self._database.execute("UPDATE notes SET body = ? WHERE rowid = ?", (text, self._row[path]))

    def ask(self) -> list[str]:
        found = self._database.execute(
            "SELECT path FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT ?", (self._query, TOP)
        )
        return [path for (path,) in found]

    def close(self) -> None:
        self._database.close()


KEPT: dict[str, Maker] = {"tantivy": Tantivy, "SQLite FTS5": Fts5}


def rebuilt(name: str, folder: Path, store: Path, terms: Sequence[str]) -> int:
    """Build an index from nothing, ask it and close it; how many documents it found."""
    index = KEPT[name](folder, store, terms)
    try:
        return len(index.ask())
    finally:
        index.close()


def stored_bytes(store: Path) -> int:
    """What an index takes on the disk."""
    return sum(file.stat().st_size for file in store.rglob("*") if file.is_file())


def _quoted(terms: Sequence[str], between: str) -> str:
    return between.join('"' + term.replace('"', " ") + '"' for term in terms)
