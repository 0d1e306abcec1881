"""Which names hold which word, by its stem.

Found for all names at once when it is first asked: a few array operations instead of collections for every word of
every name. What comes and goes afterwards is noted beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.matcher import Ints
from lens_lsp.model.words import STOP_WORDS, bigrams, light_stem, runs, stem

_AT_ONCE = 1 << 16
"""Names taken apart together: their words live that long."""
_BETWEEN = "\n"
_END, _STOP = -1, -2
_HALF = 32
_NOTHING = STOP_WORDS | {_BETWEEN, ""}


def content(name: str) -> frozenset[str]:
    """The stems of a name's words, without stop words unless it has no others."""
    if name.isascii():
        pieces = name.split(" ")
    else:
        pieces = [part for run in runs(name) for part in ([run.text] if run.spaced else bigrams(run.text))]
    return frozenset(map(stem, [word for word in pieces if word not in STOP_WORDS] or pieces))


class Holders:
    """Stems to the names that hold them: names as `key` gives them, none of them twice."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = list(names)
        self._stems: dict[str, int] = {}
        pairs = [self._pairs(start) for start in range(0, len(self._names), _AT_ONCE)]
        together = np.sort(np.concatenate(pairs)) if pairs else np.empty(0, np.int64)
        self._held = (together & ((1 << _HALF) - 1)).astype(np.int32)
        """Numbers of names, by stem."""
        self._starts = np.searchsorted(together, np.arange(len(self._stems) + 1) << _HALF)
        self._gone: set[str] = set()
        """Names that were there and are not now."""
        self._less: dict[str, int] = {}
        """How many of those hold a stem."""
        self._more: dict[str, set[str]] = {}
        """Names that came later, by stem."""
        self.changes = 0

    def _pairs(self, start: int) -> Ints:
        """Stem and name of what some names hold, both by number, in one integer."""
        names = self._names[start : start + _AT_ONCE]
        together = _BETWEEN.join(names)
        if not together.isascii() or "  " in together or together.count(_BETWEEN) >= len(names):
            simple = [name if name.isascii() and _BETWEEN not in name and "  " not in name else "" for name in names]
            together = _BETWEEN.join(simple)
        words = f"{together}{_BETWEEN}".replace(_BETWEEN, f" {_BETWEEN} ").split(" ")
        numbers = {word: self._number(light_stem(word)) for word in set(words) - _NOTHING}
        numbers[_BETWEEN] = _END
        numbered = np.fromiter(map(numbers.get, words, repeat(_STOP)), np.int64, len(words))
        holder, told = np.cumsum(numbered == _END), numbered >= 0
        pairs = (numbered[told] << _HALF) | (holder[told] + start)
        # What is left are names in other scripts, odd ones, and such as have stop words only.
        left = np.flatnonzero(np.bincount(holder[told], minlength=len(names))[: len(names)] == 0)
        slow = [(self._number(word) << _HALF) | (start + at) for at in left.tolist() for word in content(names[at])]
        found = np.sort(np.concatenate([pairs, np.array(slow, np.int64)]))
        return found[np.flatnonzero(np.diff(found, prepend=-1))]  # numpy's own way would import masked arrays

    def _number(self, word: str) -> int:
        return self._stems.setdefault(word, len(self._stems))

    def add(self, name: str) -> None:
        """Note a name that was not there."""
        self.changes += 1
        if name in self._gone:
            self._gone.remove(name)
            for word in content(name):
                self._less[word] -= 1
            return
        for word in content(name):
            self._more.setdefault(word, set()).add(name)

    def remove(self, name: str) -> None:
        """Forget a name that was there."""
        self.changes += 1
        words = content(name)
        if any(name in self._more.get(word, ()) for word in words):
            for word in words:
                self._more[word].remove(name)
            return
        self._gone.add(name)
        for word in words:
            self._less[word] = self._less.get(word, 0) + 1

    def named(self, word: str) -> Iterator[str]:
        """The names that hold a stem, in no order."""
        for at in self._of(word).tolist():
            name = self._names[at]
            if name not in self._gone:
                yield name
        yield from self._more.get(word, ())

    def count(self, word: str) -> int:
        """How many they are."""
        return len(self._of(word)) - self._less.get(word, 0) + len(self._more.get(word, ()))

    def _of(self, word: str) -> NDArray[np.int32]:
        number = self._stems.get(word)
        return self._held[:0] if number is None else self._held[self._starts[number] : self._starts[number + 1]]
