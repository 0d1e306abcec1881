"""BM25 and dense vectors over the same passages, their ranks fused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from evaluation.arms.dense import Embedding
from evaluation.arms.indexes import Bm25sIndex, Passage

_FUSION = 60
"""The constant of reciprocal-rank fusion, as published."""
_LEAST = 100
"""Passages that each side brings at least."""


class HybridIndex:
    """Ranks by the sum of 1 / (60 + rank) in two rankings: BM25's and that of the nearest vectors."""

    def __init__(self, embedding: Embedding, passages: Sequence[Passage], texts: Mapping[str, str]) -> None:
        self._passages = passages
        self._bm25 = Bm25sIndex(passages, texts)
        self._embedding = embedding
        self._vectors = embedding.of([texts[path][start:end] for path, start, end in passages])

    @property
    def earlier_seconds(self) -> float:
        """What making the vectors took that were kept from an earlier run."""
        return self._vectors.earlier

    @property
    def tokens(self) -> int:
        """Tokens that an endpoint was sent for all the vectors, whenever that was."""
        return self._vectors.tokens

    def stored_bytes(self) -> int:
        """Bytes that both indexes take on disk."""
        return self._bm25.stored_bytes() + int(self._vectors.rows.nbytes)

    def search(self, query: str, count: int) -> list[Passage]:
        """The best passages by both."""
        most = max(count, _LEAST)
        nearest = self._vectors.nearest(self._embedding.query(query), most)
        return fused([self._bm25.search(query, most), [self._passages[place] for place in nearest]])[:count]


def fused(rankings: Iterable[Sequence[Passage]]) -> list[Passage]:
    """Reciprocal-rank fusion; equal ones by path and place."""
    scores: dict[Passage, float] = {}
    for ranking in rankings:
        for rank, passage in enumerate(ranking, 1):
            scores[passage] = scores.get(passage, 0.0) + 1 / (_FUSION + rank)
    return sorted(scores, key=lambda passage: (-scores[passage], passage))
