"""The reference arms: plain BM25 as libraries ship it, without any answer."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.arms.base import PRINTED, ArmResult
from evaluation.arms.indexes import Index, IndexMaker, chunks, read_corpus
from lens_lsp.model.errors import UsageError


@dataclass(slots=True)
class ReferenceArm:
    """Plain BM25 by a library: whole documents for the ranking, overlapping chunks for the windows."""

    name: str
    index: IndexMaker
    windows: bool = True
    """Also index chunks; without it the arm returns no windows and is ready sooner."""
    _documents: Index | None = field(default=None, init=False)
    _chunks: Index | None = field(default=None, init=False)

    def prepare(self, corpus_dir: Path) -> float:
        """Read every file and build the indexes."""
        began = time.perf_counter()
        texts = read_corpus(corpus_dir)
        self._documents = self.index([(path, 0, len(text)) for path, text in texts.items()], texts)
        self._chunks = self.index(chunks(texts), texts) if self.windows else None
        return time.perf_counter() - began

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        """The best documents and, from the chunk index, the best windows."""
        if self._documents is None:
            raise UsageError("prepare the arm before searching")
        began = time.perf_counter()
        documents = self._documents.search(text, depth)
        windows = self._chunks.search(text, PRINTED) if self._chunks is not None else []
        seconds = time.perf_counter() - began
        return ArmResult(tuple(path for path, _, _ in documents), tuple(windows), seconds)

    def stored_bytes(self) -> int:
        """Bytes that the indexes take on disk."""
        return sum(index.stored_bytes() for index in (self._documents, self._chunks) if index is not None)

    def close(self) -> None:
        """Drop the indexes."""
        self._documents = self._chunks = None
