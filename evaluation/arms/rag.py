"""Retrieve, then read: an index of passages that is built before the first question, the best of them in one request.

BM25-RAG and Hybrid-RAG differ in their index alone. Without a model the index is an arm of its own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluation.arms.access import Excerpt
from evaluation.arms.base import PRINTED, ArmResult, distinct
from evaluation.arms.calling import Talk
from evaluation.arms.dense import Embedder
from evaluation.arms.hybrid import HybridIndex
from evaluation.arms.indexes import Index, IndexMaker, chunks, read_corpus
from evaluation.arms.prompts import (
    ANSWER_SCHEMA,
    ANSWER_TOKENS,
    PASSAGES,
    Wording,
    asking,
    parse_answer,
    passages,
)
from lens_lsp.judge.ledger import CallStage
from lens_lsp.model.errors import UsageError

READ = 5
"""Passages that the model is given: about the 1.2 thousand tokens a question that the paper reports."""
_PER_DOCUMENT = 10
"""Passages fetched for each document that is ranked: those of one document may come together."""


@dataclass(slots=True)
class PassageIndex:
    """Passages of up to 600 code points of every file, one every 300, and their index. Later changes are not seen."""

    maker: IndexMaker
    embedder: Embedder | None = None
    """Who makes its vectors, where it has any."""
    _index: Index | None = field(default=None, init=False)
    _texts: dict[str, str] = field(default_factory=dict, init=False)

    def build(self, folder: Path) -> float:
        """Read every file and build the index; the wall seconds that takes from nothing."""
        began = time.perf_counter()
        self._texts = read_corpus(folder)
        self._index = self.maker(chunks(self._texts), self._texts)
        return time.perf_counter() - began + _earlier(self._index)

    def search(self, question: str, depth: int) -> list[Excerpt]:
        """Passages, best first, enough of them for ``depth`` documents."""
        if self._index is None:
            raise UsageError("prepare the arm before searching")
        found = self._index.search(question, _PER_DOCUMENT * max(depth, PRINTED))
        return [Excerpt(path, start, end, self._texts[path][start:end]) for path, start, end in found]

    def stored_bytes(self) -> int:
        """Bytes that the index takes on disk."""
        return 0 if self._index is None else self._index.stored_bytes()

    @property
    def sent(self) -> int:
        """Tokens that an endpoint was sent so far to make vectors, of questions and passages."""
        return 0 if self.embedder is None else self.embedder.tokens

    @property
    def tokens(self) -> int:
        """Tokens that an endpoint was sent for the passages of the index, whenever that was."""
        return self._index.tokens if isinstance(self._index, HybridIndex) else 0

    def drop(self) -> None:
        """Let go of it."""
        self._index, self._texts = None, {}


@dataclass(slots=True)
class PassageArm:
    """The index alone: documents in the order of their best passages, and the best passages as windows."""

    name: str
    index: PassageIndex

    def prepare(self, corpus_dir: Path) -> float:
        """Build the index."""
        return self.index.build(corpus_dir)

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        """The best documents and passages."""
        began, sent = time.perf_counter(), self.index.sent
        found = self.index.search(text, depth)
        seconds = time.perf_counter() - began
        windows = tuple((item.path, item.start, item.end) for item in found[:PRINTED])
        documents = distinct((item.path for item in found), depth)
        return ArmResult(documents, windows, seconds, embedded=self.index.sent - sent)

    def stored_bytes(self) -> int:
        """What the index takes on disk."""
        return self.index.stored_bytes()

    def close(self) -> None:
        """Drop the index."""
        self.index.drop()


@dataclass(frozen=True, slots=True)
class Rag:
    """The best passages that do not overlap, and one call."""

    index: PassageIndex

    def prepare(self, corpus_dir: Path) -> float:
        """Build the index."""
        return self.index.build(corpus_dir)

    def stored_bytes(self) -> int:
        """What the index takes on disk."""
        return self.index.stored_bytes()

    def retrieve(self, question: str, depth: int) -> Sequence[Excerpt]:
        """What the index ranks."""
        return self.index.search(question, depth)

    async def answer(self, question: str, retrieved: Sequence[Excerpt], talk: Talk) -> Wording:
        """The answer from the first passages."""
        shown = [talk.show(excerpt) for excerpt in apart(retrieved)[:READ]]
        messages = asking(PASSAGES.format(passages=passages(shown), question=question))
        return await talk.ask(CallStage.SYNTHESISE, messages, ANSWER_TOKENS, ANSWER_SCHEMA, parse_answer)

    def close(self) -> None:
        """Drop the index."""
        self.index.drop()


def _earlier(index: Index) -> float:
    """Seconds that went into an index before."""
    return index.earlier_seconds if isinstance(index, HybridIndex) else 0.0


def apart(ranked: Sequence[Excerpt]) -> list[Excerpt]:
    """Those that overlap none before them."""
    kept: list[Excerpt] = []
    for one in ranked:
        if not any(one.path == other.path and one.start < other.end and other.start < one.end for other in kept):
            kept.append(one)
    return kept
