"""Which part of a literal is looked for, and which literals are looked for together.

The SIMD searcher compares the first four bytes of its patterns with every place of a text, and looks closer where
they fit. Where a literal begins as many words do ("the Four Seasons") that takes several times the pass itself; so
it is looked for from its first rare place on ("our Seasons"), and what stands before is compared in what was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

_FIRST = 4
"""Bytes of a pattern that the searcher compares everywhere."""
_LEAST = 6
"""Bytes that are always left to look for, else the rest stands in too many places itself."""
_RARE = 1024
"""Times in a megabyte that the first bytes of a pattern may stand before it is worth to begin elsewhere."""
_RARER = 8
_MOST_BEFORE = 24
_BITS = 14
_SPREAD = np.uint32(2654435761)


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


class Beginnings:
    """How often four bytes stand in a sample of the texts, a little too high at times."""

    def __init__(self, sample: NDArray[np.uint8]) -> None:
        self._table = np.zeros(1 << _BITS, np.int64)
        self._rare = _RARE * len(sample) >> 20
        data = sample.tobytes()
        for start in range(min(_FIRST, max(0, len(data) - _FIRST + 1))):
            words = np.frombuffer(data, "<u4", (len(data) - start) // _FIRST, start)
            self._table += np.bincount(words * _SPREAD >> np.uint32(32 - _BITS), minlength=1 << _BITS)

    def busy(self, data: bytes) -> bool:
        """Whether a pattern begins as too many places do."""
        return self._count(data[:_FIRST]) > self._rare

    def begin(self, data: bytes) -> int:
        """Where in a literal to begin: where it does, or at the first place that is much rarer."""
        if not self.busy(data):
            return 0
        much_rarer = self._count(data[:_FIRST]) // _RARER
        places = range(1, min(max(1, len(data) - _LEAST + 1), _MOST_BEFORE))
        return next((at for at in places if self._count(data[at : at + _FIRST]) <= much_rarer), 0)

    def _count(self, first: bytes) -> int:
        return int(self._table[(int.from_bytes(first, "little") * int(_SPREAD) & 0xFFFFFFFF) >> 32 - _BITS])


@dataclass(frozen=True, slots=True)
class Needle:
    """What is looked for: ``data``, with ``before`` in front of it, for the literals with these numbers."""

    before: bytes
    data: bytes
    literals: tuple[int, ...]
    at_words: bool
    """What stands inside a word is rejected, whichever of the literals it is for."""
    busy: bool = True
    """It begins as many places do, for all that is known."""


def needles(literals: Sequence[Literal], beginnings: Beginnings | None) -> list[Needle]:
    """One for all literals with the same bytes, in the order of the first of them."""
    owners: dict[bytes, list[int]] = {}
    for index, literal in enumerate(literals):
        owners.setdefault(literal.data, []).append(index)
    made = []
    for data, indices in owners.items():
        at_words = all(literals[index].word_start for index in indices) and ascii_word(data[0])
        at = beginnings.begin(data) if beginnings is not None and len(data) > _LEAST else 0
        if at and (overlaps_itself(data[at:]) or overlaps_itself(data, at_words=at_words)):
            at = 0  # of two that overlap, only the first one counts
        busy = beginnings is None or beginnings.busy(data[at:])
        made.append(Needle(data[:at], data[at:], tuple(indices), at_words, busy))
    return made


def apart(found: Iterable[Needle], most: int) -> list[list[Needle]]:
    """Greedy colouring: needles of one group never overlap in a text (in a way that is not rejected anyway)."""
    groups: list[list[Needle]] = []
    for needle in sorted(found, key=lambda needle: -len(needle.data)):
        for group in groups:
            if len(group) < most and not any(_collide(needle, other) or _collide(other, needle) for other in group):
                group.append(needle)
                break
        else:
            groups.append([needle])
    return groups


def ascii_word(byte: int) -> bool:
    """Whether a byte is a folded letter or digit of ASCII."""
    return 0x61 <= byte <= 0x7A or 0x30 <= byte <= 0x39


def _collide(first: Needle, second: Needle) -> bool:
    """Whether ``second`` can begin inside ``first`` and still be a match of its own."""
    a, b = first.data, second.data
    # Inside a word it would be rejected anyway; but where a match is swallowed, a literal that overlaps itself
    # would be counted differently.
    rejected = second.at_words and not second.before and not overlaps_itself(b)
    places = _word_starts(first) if rejected else _places(b[:1], a)
    return any(b.startswith(a[at : at + len(b)]) for at in places)


def _places(byte: bytes, data: bytes) -> Iterator[int]:
    """Where a byte stands."""
    at = data.find(byte)
    while at >= 0:
        yield at
        at = data.find(byte, at + 1)


@lru_cache(maxsize=1024)
def _word_starts(needle: Needle) -> tuple[int, ...]:
    """Where in a needle a word may begin. At its beginning always: it may be found without what is before it."""
    data = needle.data
    return tuple(at for at in range(len(data)) if at == 0 or not ascii_word(data[at - 1]))


@lru_cache(maxsize=1024)
def overlaps_itself(data: bytes, *, at_words: bool = False) -> bool:
    """Whether two of it can overlap; with ``at_words`` only if the second one begins where a word does."""
    return any(data.startswith(data[at:]) for at in range(1, len(data)) if not (at_words and ascii_word(data[at - 1])))
