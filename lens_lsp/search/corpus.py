"""What the engine sees of a workspace during one question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.safe_open import Key
from lens_lsp.corpus.scan import Hits, Literal, scan
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.search.phrases import Phrases

_AT_ONCE = 8 << 20
"""Bytes of texts that are not kept in memory whose places are held at once: where nearly each word is asked for, they
take ten times as much."""


def never() -> bool:
    """Of a question whose time is never over."""
    return False


@dataclass(slots=True)
class Corpus:
    """Folded texts to scan, and the source text behind a slot, read as it is now and kept for the question."""

    cache: TextStore
    read: Callable[[int], str]
    """Source text of a slot; an empty text when it can no longer be read."""
    history: Mapping[Key, float] = field(default_factory=dict)
    """How well verified evidence of earlier questions in a file matches this one, over 0 to 1."""
    notes: Mapping[Key, frozenset[str]] = field(default_factory=dict)
    """The stems of what earlier questions proved from a file that is as it was then."""
    phrases: Phrases = field(default_factory=Phrases)
    """Which texts that are not kept in memory hold which phrases."""
    late: Callable[[], bool] = never
    """Whether the time of the question is over, so that nothing more is measured, and"""
    over: Callable[[], bool] = never
    """whether what was measured may be used no longer. Asked about once a megabyte."""
    _sources: dict[int, str] = field(default_factory=dict)

    def source(self, slot: int) -> str:
        """The source text of a slot."""
        text = self._sources.get(slot)
        if text is None:
            text = self._sources[slot] = self.read(slot)
        return text

    def points(self, slot: int, at: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.int64]:
        """Code points of the source for folded byte offsets of a slot."""
        offsets, folded = self.cache.offsets(slot), at.astype(np.int64)
        return folded if offsets is None else offsets.points(folded)

    def places(self, hits: Hits, literals: Sequence[Sequence[Literal]], slots: NDArray[np.int64]) -> Hits:
        """All places in the given slots; in texts that are not kept in memory they are looked up again.

        ``literals`` are those of the scan that gave the hits.
        """
        chosen = np.zeros(self.slots, bool)
        chosen[slots] = True
        listed = hits.of(chosen[hits.slot])
        unlisted = hits.unlisted.slots[chosen[hits.unlisted.slots]]
        if not len(unlisted):
            return listed
        return listed.plus(scan(self.cache.again(unlisted), literals, listing=True, cancelled=self.over), 0)

    def parts(self, hits: Hits, slots: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        """Some slots in parts whose places fit in memory together: those whose places are listed are one, the first.

        The parts end where the question's time is over.
        """
        unlisted = np.zeros(self.slots, bool)
        unlisted[hits.unlisted.slots] = True
        again = slots[unlisted[slots]]
        if not len(again):
            yield slots
            return
        yield slots[~unlisted[slots]]
        run = np.cumsum(self.cache.arena.lengths()[again]) // _AT_ONCE
        for part in np.split(again, np.flatnonzero(np.diff(run)) + 1):
            if self.over():
                break
            yield part

    @property
    def slots(self) -> int:
        """How many slots there are, empty ones included."""
        return len(self.cache.slots)

    def length(self, slot: int) -> int:
        """Code points of a slot's text."""
        size = np.array([len(self.cache.folded(slot))], np.int64)
        return int(self.points(slot, size)[0])

    def order(
        self, slots: NDArray[np.int64], scores: NDArray[np.float64], most: int | None = None
    ) -> NDArray[np.int64]:
        """The slots by falling score, the ``most`` best or all; equal scores by root and path, so that runs repeat."""
        if most is not None and len(slots) > most:  # names are compared of few: a hundred thousand are 15 MB
            among = scores >= np.partition(scores, -most)[-most]
            slots, scores = slots[among], scores[among]
        keyed = sorted(range(len(slots)), key=lambda i: (-scores[i], self.cache.slots[int(slots[i])].key))  # type: ignore[union-attr]
        return slots[np.array(keyed[:most], np.int64)] if keyed else slots
