"""The references: plain BM25 as two libraries ship it, over whole documents or over chunks.

Both use English stems and drop the same English stop words; parameters are the libraries' defaults. Nothing
is tuned here: these are what a user would get from an index today.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from evaluation.data.snapshots import document_names
from lens_lsp.model.errors import MissingExtra

WINDOW = 600
"""Code points a window may hold."""
STRIDE = 300
"""Code points between the starts of two chunks."""

Passage = tuple[str, int, int]
"""Path and half-open ``[start, end)`` in code points of its text."""

_WORD = re.compile(r"[^\W_]+")
_EXTRA = "python -m pip install 'lens-lsp[evaluation]'"


class Index(Protocol):
    """A ranking over fixed passages."""

    def search(self, query: str, count: int) -> list[Passage]:
        """The best ``count`` passages that match at all, best first."""
        ...

    def stored_bytes(self) -> int:
        """Bytes that the index takes on disk, as its library saves it. Measured when it is asked for."""
        ...


IndexMaker = Callable[[Sequence[Passage], Mapping[str, str]], Index]
"""Builds an index of the given passages of the given texts."""


def read_corpus(folder: Path) -> dict[str, str]:
    """Every file below ``folder`` by relative path, sorted: UTF-8, bad bytes replaced, a BOM removed."""
    texts = {}
    for name in document_names(folder):
        texts[name] = (folder / name).read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    return texts


def chunks(texts: Mapping[str, str]) -> list[Passage]:
    """Chunks of 600 code points, one every 300; the last of each text ends where the text ends."""
    found = []
    for path, text in texts.items():
        start = 0
        while start + WINDOW < len(text):
            found.append((path, start, start + WINDOW))
            start += STRIDE
        found.append((path, start, len(text)))
    return found


class Bm25sIndex:
    """The bm25s library with PyStemmer's English stemmer."""

    def __init__(self, passages: Sequence[Passage], texts: Mapping[str, str]) -> None:
        try:
            import bm25s
            import Stemmer
        except ImportError as error:
            raise MissingExtra(f"the bm25s arm needs bm25s and PyStemmer: {_EXTRA}") from error
        self._passages = passages
        self._stemmer = Stemmer.Stemmer("english")
        self._tokenize: Callable[..., Any] = bm25s.tokenize
        self._index = bm25s.BM25()
        tokens = self._tokens([texts[path][start:end] for path, start, end in passages])
        self._index.index(tokens, show_progress=False)

    def search(self, query: str, count: int) -> list[Passage]:
        """The best passages by BM25."""
        places, scores = self._index.retrieve(
            self._tokens([query]),
            k=min(count, len(self._passages)),
            show_progress=False,
            backend_selection="numpy",
        )
        return [self._passages[place] for place, score in zip(places[0], scores[0], strict=True) if score > 0]

    def stored_bytes(self) -> int:
        """The size of what ``save`` writes."""
        with tempfile.TemporaryDirectory() as folder:
            self._index.save(folder)
            return _size(folder)

    def _tokens(self, texts: list[str]) -> Any:
        return self._tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)


class TantivyIndex:
    """The tantivy library with its ``en_stem`` tokenizer, in memory, one segment."""

    def __init__(self, passages: Sequence[Passage], texts: Mapping[str, str]) -> None:
        try:
            import tantivy  # noqa: F401 - told here when it is missing
            from bm25s.stopwords import STOPWORDS_EN
        except ImportError as error:
            raise MissingExtra(f"the tantivy arm needs tantivy and bm25s: {_EXTRA}") from error
        self._passages = passages
        self._stop_words = frozenset(STOPWORDS_EN)
        self._texts = texts
        self._index = self._built()
        self._searcher = self._index.searcher()

    def _built(self, folder: str | None = None) -> Any:
        import tantivy

        schema = tantivy.SchemaBuilder()
        schema.add_unsigned_field("place", stored=True)
        schema.add_text_field("body", stored=False, tokenizer_name="en_stem")
        index = tantivy.Index(schema.build(), path=folder)
        # One thread and one large heap give one segment: the same ranks in every run.
        writer = index.writer(heap_size=1 << 28, num_threads=1)
        for place, (path, start, end) in enumerate(self._passages):
            writer.add_document(tantivy.Document(place=place, body=self._texts[path][start:end]))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        return index

    def stored_bytes(self) -> int:
        """The size of the same index, built on disk."""
        with tempfile.TemporaryDirectory() as folder:
            self._built(folder)
            return _size(folder)

    def search(self, query: str, count: int) -> list[Passage]:
        """The best passages by BM25."""
        words = [word.lower() for word in _WORD.findall(query)]
        kept = " ".join(word for word in words if word not in self._stop_words)
        parsed = self._index.parse_query(kept, ["body"])
        found = self._searcher.search(parsed, count).hits
        return [self._passages[self._searcher.doc(address)["place"][0]] for _, address in found]


def _size(folder: str) -> int:
    return sum(os.path.getsize(os.path.join(parent, name)) for parent, _, names in os.walk(folder) for name in names)
