"""What is known of English words before a folder is looked at: how common they are, and which are close in meaning.

A question in somebody's own words shares few of them with the passage that answers it. So the scan looks for words
close in meaning as well, and words that everybody uses in every question count less than how rare they are in the
folder. The table is made by ``training/vocabulary.py``; words of other languages are not in it and lose nothing.
"""

from __future__ import annotations

import os
from functools import cache
from typing import NamedTuple

_PLAIN = 3.0
"""Zipf frequency up to which a word counts in full."""
_SLOPE = 0.2
"""How much less a word counts for each tenfold of that."""
_LEAST = 0.3


class Related(NamedTuple):
    """A word close in meaning to another, and how close, from 0.62 to 1."""

    word: str
    likeness: float


class Vocabulary:
    """Words by their lower-case form."""

    def __init__(self, table: bytes) -> None:
        self._table = table
        self._first = 0
        """Where the first word stands, behind the lines of the licence."""
        while table.startswith(b"#", self._first):
            self._first = table.index(b"\n", self._first) + 1

    def knows(self, word: str) -> bool:
        """Whether a word is an English one that people use."""
        return self._line(word) is not None

    def weight(self, word: str) -> float:
        """How much a word counts in a question beside its rarity in the folder: 1 for rare ones, 0.3 at least."""
        line = self._line(word)
        if line is None:
            return 1.0
        return min(1.0, max(_LEAST, 1.0 - _SLOPE * (float(line[0]) - _PLAIN)))

    def related(self, word: str) -> list[Related]:
        """Words close in meaning, the closest first; none for unknown words."""
        line = self._line(word)
        if line is None or not line[1]:
            return []
        pairs = (pair.partition(":") for pair in line[1].split(" "))
        return [Related(other, float(likeness)) for other, _, likeness in pairs]

    def _line(self, word: str) -> tuple[str, str] | None:
        """The frequency and the related words of a word, as written. The lines are in order, so it is a bisection."""
        if not word.isascii() or not word.isalpha():
            return None
        table, wanted = self._table, word.encode()
        low, high = self._first, len(table)
        while low < high:
            start = table.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = table.find(b"\n", start)
            end = high if end < 0 else end
            key, _, rest = table[start:end].partition(b"\t")
            if key == wanted:
                frequency, _, related = rest.decode().partition("\t")
                return frequency, related
            if key < wanted:
                low = end + 1
            else:
                high = start
        return None


@cache
def vocabulary() -> Vocabulary:
    """The table that is shipped, read once."""
    with open(os.path.join(os.path.dirname(__file__), "vocabulary.tsv"), "rb") as file:
        return Vocabulary(file.read())
