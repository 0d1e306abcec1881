"""The reference for languages: BM25 over character bigrams, needing no words, stems or dictionaries.

Deliberately plain and sharing no code with the package: it is what the package has to reach. Okapi BM25 with
the inverse document frequency ``ln(1 + (N - n + 0.5) / (n + 0.5))``, which is never negative.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import pairwise


def bigrams(text: str) -> list[str]:
    """The character pairs of ``text`` after NFKC and lower case, over letters, marks and digits only.

    What stands between is dropped, so pairs also span two words. One lone character is its own gram.
    """
    folded = unicodedata.normalize("NFKC", text).lower()
    kept = [character for character in folded if unicodedata.category(character)[0] in "LMN"]
    if len(kept) == 1:
        return kept
    return [first + second for first, second in pairwise(kept)]


class BigramIndex:
    """BM25 over documents given as name to text."""

    def __init__(self, documents: Mapping[str, str], *, k1: float = 1.2, b: float = 0.75) -> None:
        self._k1 = k1
        self._b = b
        self._lengths: dict[str, int] = {}
        self._postings: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for name, text in documents.items():
            counts = Counter(bigrams(text))
            self._lengths[name] = counts.total()
            for gram, count in counts.items():
                self._postings[gram][name] = count
        self._average = sum(self._lengths.values()) / max(len(self._lengths), 1)

    def rank(self, query: str) -> list[str]:
        """Names of all documents that share a gram with ``query``, best first, ties by name."""
        scores = self.scores(query)
        return sorted(scores, key=lambda name: (-scores[name], name))

    def scores(self, query: str) -> dict[str, float]:
        """The BM25 score of every document that shares a gram with ``query``."""
        scores: defaultdict[str, float] = defaultdict(float)
        for gram, repeats in Counter(bigrams(query)).items():
            postings = self._postings.get(gram, {})
            rarity = math.log1p((len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for name, count in postings.items():
                scores[name] += repeats * rarity * self._saturated(name, count)
        return dict(scores)

    def _saturated(self, name: str, count: int) -> float:
        norm = 1 - self._b + self._b * self._lengths[name] / self._average
        return count * (self._k1 + 1) / (count + self._k1 * norm)
