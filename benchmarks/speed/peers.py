"""What others do when a file changed: read everything, build the index again, ask it.

The references are those whose recall the gate reports beside ours, with English stems. Both are also built without
stems, as lean as they can be: they rank worse then, but nobody can say they were slowed down.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed.answering import TOP
from evaluation.arms.indexes import Bm25sIndex, IndexMaker, TantivyIndex

Rebuild = Callable[[], int]
"""Builds an index of the folder from nothing and asks it; returns how many documents it found."""


class NoPeersError(Exception):
    """bm25s or tantivy is not installed."""


def peers(folder: Path, terms: Sequence[str]) -> dict[str, Rebuild]:
    """The references by name. Raises MissingExtra when first called without the libraries."""
    query = " ".join(terms)
    return {
        "bm25s": lambda: _reference(Bm25sIndex, folder, query),
        "tantivy": lambda: _reference(TantivyIndex, folder, query),
    }


def lean_peers(folder: Path, terms: Sequence[str]) -> dict[str, Rebuild]:
    """The same libraries without stems. Raises NoPeersError."""
    try:
        import bm25s
        import tantivy
    except ImportError as error:
        raise NoPeersError("the peers are missing: python -m pip install 'lens-lsp[evaluation]'") from error
    return {
        "bm25s without stems": lambda: _bm25s(bm25s, folder, terms),
        "tantivy without stems": lambda: _tantivy(tantivy, folder, terms),
    }


def texts_of(folder: Path) -> dict[str, str]:
    """The texts of a folder's files by path."""
    texts = {}
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            with open(path, "rb", buffering=0) as file:
                texts[path] = file.read().decode("utf-8", "replace")
    return texts


def _reference(make: IndexMaker, folder: Path, query: str) -> int:
    texts = texts_of(folder)
    return len(make([(path, 0, len(text)) for path, text in texts.items()], texts).search(query, TOP))


def _bm25s(bm25s: Any, folder: Path, terms: Sequence[str]) -> int:
    index = bm25s.BM25()
    texts = list(texts_of(folder).values())
    index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
    asked = bm25s.tokenize([" ".join(terms)], stopwords="en", show_progress=False)
    _, scores = index.retrieve(asked, k=TOP, show_progress=False, backend_selection="numpy")
    return int((scores > 0).sum())


def _tantivy(tantivy: Any, folder: Path, terms: Sequence[str]) -> int:
    """In memory, its plain tokenizer, a writer thread for each core."""
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("path", stored=True, tokenizer_name="raw")
    schema.add_text_field("body", stored=False)
    index = tantivy.Index(schema.build())
    writer = index.writer(heap_size=1 << 28, num_threads=os.cpu_count() or 1)
    for path, text in texts_of(folder).items():
        writer.add_document(tantivy.Document(path=path, body=text))
    writer.commit()
    index.reload()
    parsed = index.parse_query(" ".join(f'"{term}"' if " " in term else term for term in terms), ["body"])
    return len(index.searcher().search(parsed, TOP).hits)
