"""Finding many literals in bytes, in one pass where the fast library is installed and in one per literal elsewhere.

Both give the same: for each literal the leftmost, non-overlapping occurrences. The fast one is an Aho–Corasick
automaton with the *leftmost-first* match kind, the only one for which the library uses its SIMD searcher
(15 to 100 times faster than the default kind). Leftmost-first reports no two matches that overlap, so literals
that could overlap in a text go to different automata.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

try:
    import ahocorasick_rs
except ImportError:  # no wheel for this platform: the fallback below gives the same result
    ahocorasick_rs = None  # type: ignore[assignment, unused-ignore]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

# Fewer patterns than six leave the SIMD searcher for a slow prefilter, more than about 48 for a plain automaton.
_LEAST_PATTERNS = 6
_MOST_PATTERNS = 48


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal to find in folded bytes.

    ``word_start`` demands that no letter or digit of the same kind stands before it, ``suffix`` is how many bytes of
    letters may follow before a word ends (None: any number).
    """

    data: bytes
    word_start: bool = True
    suffix: int | None = 0

    @property
    def multibyte(self) -> bool:
        """The literal begins with a letter outside ASCII."""
        return self.data[0] >= 0x80


class Matcher(Protocol):
    """Finds literals in a buffer."""

    def find(self, buffer: Bytes) -> tuple[Ints, Ints]:
        """Index of the literal and start of each occurrence, in no particular order."""
        ...


def matcher(literals: Sequence[Literal], *, fast: bool | None = None) -> Matcher:
    """The fastest matcher at hand; ``fast=False`` asks for the fallback (tests compare the two)."""
    if fast is None:
        fast = ahocorasick_rs is not None
    return _Automata(literals) if fast else _OneByOne(literals)


def fast_matcher_available() -> bool:
    """Whether the SIMD library is installed."""
    return ahocorasick_rs is not None


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


class _Automata:
    """As few automata as keep literals that can overlap apart."""

    def __init__(self, literals: Sequence[Literal]) -> None:
        self._parts = [
            (
                ahocorasick_rs.BytesAhoCorasick(
                    [literals[i].data for i in group] + _padding(len(group)),
                    matchkind=ahocorasick_rs.MATCHKIND_LEFTMOST_FIRST,
                ),
                np.array(group, np.int64),
            )
            for group in _apart(literals)
        ]

    def find(self, buffer: Bytes) -> tuple[Ints, Ints]:
        which: list[Ints] = []
        where: list[Ints] = []
        for automaton, group in self._parts:
            found = automaton.find_matches_as_indexes(buffer.data)
            if not found:
                continue
            table = np.fromiter(chain.from_iterable(found), np.int64, 3 * len(found)).reshape(-1, 3)
            which.append(group[table[:, 0]])
            where.append(table[:, 1])
        if not which:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        return np.concatenate(which), np.concatenate(where)


def _padding(count: int) -> list[bytes]:
    """Patterns that occur in no UTF-8 text, to reach the number the SIMD searcher wants."""
    return [b"\xfe\xfd\xfc%d" % i for i in range(max(0, _LEAST_PATTERNS - count))]


def _apart(literals: Sequence[Literal]) -> list[list[int]]:
    """Greedy colouring: literals of one group never overlap in a text (in a way that is not rejected anyway)."""
    groups: list[list[int]] = []
    for index in sorted(range(len(literals)), key=lambda i: -len(literals[i].data)):
        for group in groups:
            if len(group) < _MOST_PATTERNS and not any(
                _collide(literals[index], literals[other]) or _collide(literals[other], literals[index])
                for other in group
            ):
                group.append(index)
                break
        else:
            groups.append([index])
    return groups


def _collide(first: Literal, second: Literal) -> bool:
    """Whether ``second`` can begin inside ``first`` and still be a match of its own."""
    a, b = first.data, second.data
    # Inside a word it would be rejected anyway; but where a match is swallowed, a literal that overlaps itself
    # would be counted differently.
    rejected = second.word_start and _ascii_word(b[0]) and not _overlaps_itself(b)
    return any(b.startswith(a[at : at + len(b)]) for at in (_word_starts(a) if rejected else range(len(a))))


@lru_cache(maxsize=1024)
def _word_starts(data: bytes) -> tuple[int, ...]:
    return tuple(at for at in range(len(data)) if at == 0 or not _ascii_word(data[at - 1]))


@lru_cache(maxsize=1024)
def _overlaps_itself(data: bytes) -> bool:
    return any(data.startswith(data[at:]) for at in range(1, len(data)))


def _ascii_word(byte: int) -> bool:
    return 0x61 <= byte <= 0x7A or 0x30 <= byte <= 0x39
