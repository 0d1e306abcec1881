"""What a scan found: the places of every term in every text, and how often each stands there.

The counts are complete. Of places there may be fewer: of a text that is only passing by not every place is listed.
"""

from __future__ import annotations

from array import array
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.matcher import Ints
from lens_lsp.domain.records import dataclass

Mask = NDArray[np.bool_]
Places = NDArray[np.int32]
"""Numbers below two thousand million, of which a scan gives millions."""

_BLOCK = 1 << 18
"""Places that are counted in one go: what is needed meanwhile then fits beside the processor, and is little."""


def _none() -> Places:
    return np.empty(0, np.int32)


@dataclass(frozen=True, slots=True)
class Counts:
    """How often a term stands in a text. Parallel arrays: one entry for each text and term in it, a text's in order of
    its terms."""

    slot: Places = field(default_factory=_none)
    term: Places = field(default_factory=_none)
    count: Places = field(default_factory=_none)

    def only(self, terms: Ints) -> Counts:
        """The counts of some terms, renumbered in the given order."""
        number = _numbers(self.term, terms)
        keep = number[self.term] >= 0
        return Counts(self.slot[keep], number[self.term[keep]], self.count[keep])

    def plus(self, more: Counts, first: int) -> Counts:
        """These counts and those of further terms, numbered from ``first`` on."""
        return Counts(
            np.concatenate([self.slot, more.slot]),
            np.concatenate([self.term, more.term + np.int32(first)]),
            np.concatenate([self.count, more.count]),
        )


@dataclass(frozen=True, slots=True)
class Hits:
    """Occurrences: slot of the text, index of the term, folded byte offset. Parallel arrays.

    The hits of one term come in order of slot and offset.
    """

    slot: Places
    term: Places
    at: Places
    counts: Counts = Counts()
    """Of all occurrences, listed or not. None of a part that was chosen by `of` or `but`."""
    thinned: Places = field(default_factory=_none)
    """The slots of texts in which some term occurs more often than is listed, in order."""

    def __len__(self) -> int:
        return len(self.slot)

    def of(self, mask: Ints | Mask) -> Hits:
        """The listed hits a mask or index selects."""
        return Hits(self.slot[mask], self.term[mask], self.at[mask])

    def only(self, terms: Ints) -> Hits:
        """The hits of some terms, renumbered in the given order."""
        number = _numbers(self.term, terms)
        keep = number[self.term] >= 0
        return Hits(self.slot[keep], number[self.term[keep]], self.at[keep], self.counts.only(terms), self.thinned)

    def numbered(self, terms: Ints) -> Hits:
        """The same hits, each term with the number that is given for it."""
        number = terms.astype(np.int32)
        counts = Counts(self.counts.slot, number[self.counts.term], self.counts.count)
        return Hits(self.slot, number[self.term], self.at, counts, self.thinned)

    def plus(self, more: Hits, first: int) -> Hits:
        """These hits and those of further terms, numbered from ``first`` on."""
        return Hits(
            np.concatenate([self.slot, more.slot]),
            np.concatenate([self.term, more.term + np.int32(first)]),
            np.concatenate([self.at, more.at]),
            self.counts.plus(more.counts, first),
            distinct(np.concatenate([self.thinned, more.thinned])).astype(np.int32),
        )

    def but(self, slots: Places, exact: Hits) -> Hits:
        """These hits, with those of the given slots replaced by ``exact`` ones."""
        kept = self.of(~np.isin(self.slot, slots))
        return Hits(
            np.concatenate([kept.slot, exact.slot]),
            np.concatenate([kept.term, exact.term]),
            np.concatenate([kept.at, exact.at]),
        )


def _numbers(known: Places, terms: Ints) -> Places:
    """For each term its place among some, -1 for the others."""
    number = np.full(int(max(known.max(initial=0), terms.max(initial=0))) + 1, -1, np.int32)
    number[terms] = np.arange(len(terms))
    return number


class Collected:
    """Hits of texts in order, put together and counted as they come, so that there is never a second copy of them."""

    def __init__(self, terms: int, *, block: int = _BLOCK) -> None:
        self._terms = terms
        self._block = block
        self._slot, self._term, self._at = array("i"), array("i"), array("i")
        self._counts = array("i"), array("i"), array("i")
        self._counted = 0
        self._left_out: list[Counts] = []
        self._thinned: list[Places] = []

    def add(self, part: Hits, left_out: Counts) -> None:
        """Add the hits of the next texts, and how many of them are not listed."""
        self._slot.frombytes(part.slot.tobytes())
        self._term.frombytes(part.term.tobytes())
        self._at.frombytes(part.at.tobytes())
        if len(left_out.slot):
            self._left_out.append(left_out)
            self._thinned.append(left_out.slot)
        if len(self._slot) - self._counted >= self._block:
            self._count()

    def hits(self) -> Hits:
        """All of them; nothing can be added any more."""
        self._count()
        slot, term, at = map(_as_places, (self._slot, self._term, self._at))
        thinned = distinct(np.concatenate([_none(), *self._thinned])).astype(np.int32)
        return Hits(slot, term, at, Counts(*map(_as_places, self._counts)), thinned)

    def _count(self) -> None:
        """Count the places that came since this was last done. They are of other texts than those before."""
        slot, term = (_as_places(column)[self._counted :] for column in (self._slot, self._term))
        self._counted = len(self._slot)
        if not len(slot):
            return
        first = int(slot.min())
        size = (int(slot.max()) - first + 1) * self._terms
        keys: Places | Ints = slot - np.int32(first)
        keys = (keys if size < 1 << 31 else keys.astype(np.int64)) * self._terms + term
        # A table of all counts that is no larger than the keys is quicker than sorting them.
        pairs, counts = _tabled(keys) if size <= len(keys) else counted(keys)
        for left_out in self._left_out:
            missing = (left_out.slot.astype(np.int64) - first) * self._terms + left_out.term
            counts[np.searchsorted(pairs, missing)] += left_out.count
        self._left_out.clear()
        slots, terms = np.divmod(pairs, self._terms)
        for column, values in zip(self._counts, (slots + first, terms, counts), strict=True):
            column.frombytes(values.astype(np.int32).tobytes())


def _as_places(values: array[int]) -> Places:
    return np.frombuffer(values, np.int32) if values else _none()


def _tabled(values: Ints | Places) -> tuple[Ints, Ints]:
    """As `counted`, of small numbers from 0."""
    table = np.bincount(values)
    there = np.flatnonzero(table)
    return there, table[there]


def distinct(values: Ints | Places) -> Ints:
    """The different values in order. `numpy.unique` does as much, and first imports masked arrays."""
    return counted(values)[0]


def counted(values: Ints | Places) -> tuple[Ints, Ints]:
    """The different values in order, and how often each is there."""
    ordered = np.sort(values)
    first = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    return ordered[first].astype(np.int64), np.diff(first, append=len(ordered))
