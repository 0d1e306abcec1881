"""What a scan found: how often each term stands in each text, and where.

The counts are of all texts, the places of those in memory: of a text that only passes by they are counted, and looked
up again where they matter (search.corpus).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.matcher import Ints

Mask = NDArray[np.bool_]
Places = NDArray[np.int32]
"""Numbers below two thousand million, of which a scan gives millions."""

STRETCH = 50
"""Bytes of a text in which the occurrences of a term are one to `Unlisted.stretches`."""
_BLOCK = 1 << 16
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
class Unlisted:
    """What is known of occurrences beside their number where they are not listed."""

    slots: Places = field(default_factory=_none)
    """The texts that hold them, in order."""
    stretches: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    """Per term, how many stretches of these texts hold it."""

    def only(self, terms: Ints) -> Unlisted:
        """The same of some terms, renumbered in the given order."""
        return Unlisted(self.slots, self.stretches[terms])

    def plus(self, more: Unlisted, first: int) -> Unlisted:
        """The same with further terms, or texts, whose terms are numbered from ``first`` on."""
        stretches = np.zeros(max(len(self.stretches), first + len(more.stretches)), np.int64)
        stretches[: len(self.stretches)] += self.stretches
        stretches[first : first + len(more.stretches)] += more.stretches
        return Unlisted(_distinct([self.slots, more.slots]), stretches)


@dataclass(frozen=True, slots=True)
class Hits:
    """Occurrences: slot of the text, index of the term, folded byte offset. Parallel arrays.

    The hits of one term come in order of slot and offset.
    """

    slot: Places
    term: Places
    at: Places
    counts: Counts = Counts()
    """Of all occurrences, listed or not. None of a part that was chosen by `of`."""
    unlisted: Unlisted = Unlisted()

    def __len__(self) -> int:
        return len(self.slot)

    def of(self, mask: Ints | Mask) -> Hits:
        """The listed hits a mask or index selects."""
        return Hits(self.slot[mask], self.term[mask], self.at[mask])

    def only(self, terms: Ints) -> Hits:
        """The hits of some terms, renumbered in the given order."""
        number = _numbers(self.term, terms)
        keep = number[self.term] >= 0
        counts, unlisted = self.counts.only(terms), self.unlisted.only(terms)
        return Hits(self.slot[keep], number[self.term[keep]], self.at[keep], counts, unlisted)

    def numbered(self, terms: Ints) -> Hits:
        """The same hits, each term with the number that is given for it."""
        number = terms.astype(np.int32)
        counts = Counts(self.counts.slot, number[self.counts.term], self.counts.count)
        stretches = np.zeros(int(terms.max(initial=-1)) + 1, np.int64)
        stretches[terms] = self.unlisted.stretches
        return Hits(self.slot, number[self.term], self.at, counts, Unlisted(self.unlisted.slots, stretches))

    def plus(self, more: Hits, first: int) -> Hits:
        """These hits and those of further terms, or texts, whose terms are numbered from ``first`` on."""
        return Hits(
            np.concatenate([self.slot, more.slot]),
            np.concatenate([self.term, more.term + np.int32(first)]),
            np.concatenate([self.at, more.at]),
            self.counts.plus(more.counts, first),
            self.unlisted.plus(more.unlisted, first),
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
        self._listed, self._passing = _columns(), _columns()
        self._counts = _columns()
        self._done = 0
        """How many of those that are listed are counted."""
        self._passed: list[Places] = []
        self._stretches = np.zeros(terms, np.int64)

    def add(self, part: Hits, *, passing: bool = False) -> None:
        """Add the hits of the next texts; of those that pass by they are only counted."""
        kept = self._passing if passing else self._listed
        for column, values in zip(kept, (part.slot, part.term, part.at), strict=True):
            column.frombytes(values.tobytes())
        if len(kept[0]) - (0 if passing else self._done) >= self._block:
            self._count()

    def hits(self) -> Hits:
        """All of them; nothing can be added any more."""
        self._count()
        slot, term, at = map(_as_places, self._listed)
        counts = Counts(*map(_as_places, self._counts))
        return Hits(slot, term, at, counts, Unlisted(_distinct(self._passed), self._stretches))

    def _count(self) -> None:
        """Count the places that came since this was last done. They are of other texts than those before."""
        listed, self._done = self._done, len(self._listed[0])
        self._tally(*(_as_places(column)[listed:] for column in self._listed[:2]))
        slot, term, at = map(_as_places, self._passing)
        self._passing = _columns()
        if len(slot):
            self._tally(slot, term)
            self._passed.append(_distinct([slot]))
            self._stretches += _stretches(slot, term, at, self._terms)

    def _tally(self, slot: Places, term: Places) -> None:
        """Count some places."""
        if not len(slot):
            return
        first = int(slot.min())
        size = (int(slot.max()) - first + 1) * self._terms
        keys: Places | Ints = slot - np.int32(first)
        keys = (keys if size < 1 << 31 else keys.astype(np.int64)) * self._terms + term
        # A table of all counts that is no larger than the keys is quicker than sorting them.
        pairs, counts = _tabled(keys) if size <= len(keys) else counted(keys)
        slots, terms = np.divmod(pairs, self._terms)
        for column, values in zip(self._counts, (slots + first, terms, counts), strict=True):
            column.frombytes(values.astype(np.int32).tobytes())


def _stretches(slot: Places, term: Places, at: Places, terms: int) -> Ints:
    """Per term, how many stretches of the texts hold it."""
    stretch = at // STRETCH
    slots, most = int(slot.max()) + 1, int(stretch.max()) + 1
    places = distinct((term.astype(np.int64) * slots + slot) * most + stretch)
    return np.bincount(places // (slots * most), minlength=terms)


def _columns() -> tuple[array[int], array[int], array[int]]:
    return array("i"), array("i"), array("i")


def _distinct(slots: Sequence[Places]) -> Places:
    return distinct(np.concatenate([_none(), *slots])).astype(np.int32)


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
