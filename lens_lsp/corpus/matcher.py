"""Finding many literals in bytes, in few passes where the fast library is installed and in one per literal elsewhere.

Both give the same: for each literal the leftmost, non-overlapping occurrences. The fast one is an Aho–Corasick
automaton with the *leftmost-first* match kind, the only one for which the library uses its SIMD searcher
(15 to 100 times faster than the default kind). Leftmost-first reports no two matches that overlap, so literals
that could overlap in a text go to different automata.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.needles import Beginnings, Literal, Needle, apart, needles, overlaps_itself

try:
    import ahocorasick_rs
except ImportError:  # no wheel for this platform: the fallback below gives the same result
    ahocorasick_rs = None  # type: ignore[assignment, unused-ignore]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

_MOST_NARROW = 12
"""Patterns of one automaton with eight buckets; with more, those that share one are taken for each other too often."""
_MOST_WIDE = 48
"""Patterns of one automaton with sixteen buckets, which has half the speed; it pays if they stand in few places."""
_LEAST_WIDE = 33
"""From so many patterns on the searcher has sixteen buckets."""
_NOWHERE = (b"\xf8\xf8\xf8\xf8", b"\xf9\xf9\xf9\xf9", b"\xfa\xfa\xfa\xfa", b"\xfb\xfb\xfb\xfb")
_SHORT = 3
"""Below so many bytes a literal is compared with every place by array operations."""


class Matcher(Protocol):
    """Finds literals in a buffer."""

    def find(self, buffer: Bytes) -> tuple[Ints, Ints]:
        """Index of the literal and start of each occurrence, in no particular order."""
        ...


def matcher(literals: Sequence[Literal], *, fast: bool | None = None, sample: Bytes | None = None) -> Matcher:
    """The fastest matcher at hand; ``fast=False`` asks for the fallback (tests compare the two).

    ``sample`` is text of the kind that will be searched. It makes no difference to what is found, only to the time.
    """
    if fast is None:
        fast = ahocorasick_rs is not None
    return _Together(literals, sample) if fast else _OneByOne(literals)


def fast_matcher_available() -> bool:
    """Whether the SIMD library is installed."""
    return ahocorasick_rs is not None


class Words:
    """Every place of many short words, those that overlap too, in one pass whatever their number.

    For words that are mostly not there: a table of states is faster than many passes of the SIMD searcher then.
    """

    def __init__(self, words: Sequence[bytes], *, fast: bool | None = None) -> None:
        self._words = tuple(words)
        self._automaton = None
        if fast is None:
            fast = ahocorasick_rs is not None
        if fast:
            self._automaton = ahocorasick_rs.BytesAhoCorasick(
                self._words, implementation=ahocorasick_rs.Implementation.DFA
            )

    def find(self, data: bytes) -> list[tuple[int, int]]:
        """Start and index of the word of each occurrence, in order."""
        if self._automaton is not None:
            found = self._automaton.find_matches_as_indexes(data, overlapping=True)
            return sorted((start, index) for index, start, _ in found)
        places: list[tuple[int, int]] = []
        for index, word in enumerate(self._words):
            at = data.find(word)
            while at >= 0:
                places.append((at, index))
                at = data.find(word, at + 1)
        return sorted(places)


class _OneByOne:
    """One `bytes.find` loop a literal: the reference the automata are tested against."""

    def __init__(self, literals: Sequence[Literal]) -> None:
        self._data = [literal.data for literal in literals]

    def find(self, buffer: Bytes) -> tuple[Ints, Ints]:
        text = buffer.tobytes()
        which: list[int] = []
        where: list[int] = []
        for index, data in enumerate(self._data):
            at = text.find(data)
            while at >= 0:
                which.append(index)
                where.append(at)
                at = text.find(data, at + len(data))
        return np.array(which, np.int64), np.array(where, np.int64)


class _Together:
    """As few passes as keep literals that can overlap apart, and those that would slow the others down."""

    def __init__(self, literals: Sequence[Literal], sample: Bytes | None) -> None:
        found = needles(literals, None if sample is None else Beginnings(sample))
        short = [needle for needle in found if len(needle.data) < _SHORT and not overlaps_itself(needle.data)]
        groups: list[list[Needle]] = []
        for many in (True, False):  # what is shorter than four bytes apart: all are told by as many as the shortest has
            of_size = [one for one in found if one not in short and (len(one.data) > _SHORT) == many]
            if len(of_size) <= _MOST_NARROW:
                groups += apart(of_size, _MOST_NARROW)
            else:
                groups += apart((one for one in of_size if one.busy), _MOST_NARROW)
                groups += apart((one for one in of_size if not one.busy), _MOST_WIDE)
        self._passes: list[_Short | _Automaton] = [*map(_Short, short), *map(_Automaton, groups)]

    def find(self, buffer: Bytes) -> tuple[Ints, Ints]:
        parts = [part for one in self._passes for part in one.find(buffer)]
        if not parts:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        which, where = zip(*parts, strict=True)
        return np.concatenate(which), np.concatenate(where)


class _Short:
    """One or two bytes: a searcher that looks for them among others knows too little of all of them."""

    def __init__(self, needle: Needle) -> None:
        self._needle = needle

    def find(self, buffer: Bytes) -> Iterator[tuple[Ints, Ints]]:
        data = self._needle.data
        fits = buffer[: len(buffer) + 1 - len(data)] == data[0]
        if len(data) > 1:
            fits &= buffer[1:] == data[1]
        where = np.flatnonzero(fits)
        for index in self._needle.literals if len(where) else ():
            yield np.full(len(where), index, np.int64), where


class _Automaton:
    """Needles that are found in one pass."""

    def __init__(self, group: Sequence[Needle]) -> None:
        self._automaton = ahocorasick_rs.BytesAhoCorasick(
            [needle.data for needle in group] + _padding(len(group)),
            matchkind=ahocorasick_rs.MATCHKIND_LEFTMOST_FIRST,
        )
        self._first = np.array([needle.literals[0] for needle in group], np.int64)
        self._others = [(needle.literals[0], index) for needle in group for index in needle.literals[1:]]
        self._before = [needle.before for needle in group] if any(needle.before for needle in group) else None
        self._shift = np.array([len(needle.before) for needle in group], np.int64)

    def find(self, buffer: Bytes) -> Iterator[tuple[Ints, Ints]]:
        found = self._automaton.find_matches_as_indexes(buffer.data)
        if self._before is not None and found:
            found = _preceded(found, self._before, buffer.data)
        if not found:
            return
        table = np.fromiter(chain.from_iterable(found), np.int64, 3 * len(found)).reshape(-1, 3)
        which, where = self._first[table[:, 0]], table[:, 1]
        if self._before is not None:
            where = where - self._shift[table[:, 0]]
        yield which, where
        for first, other in self._others:
            same = where[which == first]
            yield np.full(len(same), other, np.int64), same


def _preceded(
    found: Sequence[tuple[int, int, int]], before: Sequence[bytes], view: memoryview
) -> list[tuple[int, int, int]]:
    """What was found behind what must stand before it."""
    kept = []
    for match in found:
        head = before[match[0]]
        if not head or (match[1] >= len(head) and view[match[1] - len(head) : match[1]] == head):
            kept.append(match)
    return kept


def _padding(count: int) -> list[bytes]:
    """Patterns that occur in no UTF-8 text. With four that have no byte in common the library leaves the search to its
    SIMD searcher, and never tries to skip ahead by single bytes instead. One pattern alone it finds faster still."""
    if count == 1:
        return []
    more = 0 if count <= _MOST_NARROW else max(0, _LEAST_WIDE - count - len(_NOWHERE))
    return [*_NOWHERE, *(b"%b%d" % (_NOWHERE[0], i) for i in range(more))]
