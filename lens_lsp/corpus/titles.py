"""What documents are called: names, titles and aliases, folded, and who answers to each of them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from lens_lsp.corpus.formats.table import FORMAT_SUFFIXES
from lens_lsp.corpus.holders import Holders, content
from lens_lsp.model.words import STOP_WORDS, key, keys, stem

_PARENTHESIS = re.compile(r"\s*\([^)]*\)\s*$")
_LONGEST = 8
_FEW = 1000
"""So many changes and a quarter of all names are taken in one by one, then all are looked at again."""


def file_name(path: str) -> str:
    """The name a path gives its document: the last part without a suffix that says only the format."""
    name = path.rsplit("/", 1)[-1]
    root, dot, suffix = name.rpartition(".")
    return root if dot and root and suffix.lower() in FORMAT_SUFFIXES else name


def plain_name(name: str) -> str:
    """A file name or title as it stands in running text: without a closing parenthesis (``Mercury (planet)``).

    Composed, too: some systems give back names with their accents, kana and Hangul taken apart.
    """
    spaced = (name if name.isascii() else unicodedata.normalize("NFC", name)).replace("_", " ")
    return (_PARENTHESIS.sub("", spaced) if ")" in spaced else spaced) or spaced


class TitleIndex:
    """Keys to the slots that are called so. Built once, changed with each file; no disk.

    Most names belong to one text: what is alone has no collection to itself, which would take more than all the rest.
    """

    def __init__(self) -> None:
        self._slots: dict[str, int | list[int]] = {}
        self._keys: list[str | tuple[str, ...]] = []
        """By slot; nothing where a slot has no name."""
        self._known: Holders | None = None
        """None until somebody asks which names hold a word."""

    def add(self, slot: int, names: Iterable[str]) -> None:
        """Let a slot answer to the names, given plain."""
        self._enter([slot], [_distinct(map(key, names))])

    def add_all(self, slots: Sequence[int], names: Sequence[str], more: Mapping[int, Sequence[str]]) -> None:
        """Let many slots, in rising order, answer to one name each, given plain, and some of them to more: those by
        their place among ``slots``."""
        firsts = keys(names)
        found: list[str | tuple[str, ...]] = list(firsts)
        further = iter(keys([name for others in more.values() for name in others]))
        for at, others in more.items():
            found[at] = _distinct((firsts[at], *islice(further, len(others))))
        self._enter(slots, found)

    def _enter(self, slots: Sequence[int], found: Sequence[str | tuple[str, ...]]) -> None:
        own = self._keys
        own.extend([()] * (slots[-1] + 1 - len(own)))
        for slot, name in zip(slots, found, strict=True):
            if isinstance(name, tuple):
                own[slot] = name[0] if len(name) == 1 else name
                for one in name:
                    self._answer(one, slot)
            elif name:
                own[slot] = name
                self._answer(name, slot)

    def _answer(self, name: str, slot: int) -> None:
        known = self._slots.get(name)
        if isinstance(known, list):
            known.append(slot)
        elif known is not None:
            self._slots[name] = [known, slot]
        else:
            self._slots[name] = slot
            if self._outdated:  # names that come by the thousand need not be taken in one by one
                self._known = None
            elif self._known is not None:
                self._known.add(name)

    def remove(self, slot: int) -> None:
        """Forget a slot."""
        for k in self.keys(slot):
            slots = self.slots(k)
            slots.remove(slot)
            if slots:
                self._slots[k] = slots
                continue
            del self._slots[k]
            if self._known is not None:
                self._known.remove(k)
        if slot < len(self._keys):
            self._keys[slot] = ()

    @property
    def _holders(self) -> Holders:
        """Which names hold which word."""
        if self._known is None or self._outdated:
            self._known = Holders(self._slots)
        return self._known

    @property
    def _outdated(self) -> bool:
        return self._known is not None and self._known.changes > _FEW + len(self._slots) // 4

    def keys(self, slot: int) -> tuple[str, ...]:
        """What a slot answers to; the file name first."""
        keys = self._keys[slot] if slot < len(self._keys) else ()
        return (keys,) if isinstance(keys, str) else keys

    def slots(self, name: str) -> list[int]:
        """The slots that answer to a folded name."""
        slots = self._slots.get(name, [])
        return [slots] if isinstance(slots, int) else slots

    def named_in(self, words: Sequence[str], may_start: Sequence[bool]) -> Iterator[tuple[int, int, list[int]]]:
        """Names that stand in a list of folded words: first word, number of words, slots; longest first, no overlap."""
        at = 0
        while at < len(words):
            if not may_start[at]:
                at += 1
                continue
            for length in range(min(_LONGEST, len(words) - at), 0, -1):
                found = self.slots(" ".join(words[at : at + length]))
                if found and (length > 1 or _telling(words[at])):
                    yield at, length, found
                    at += length
                    break
            else:
                at += 1

    def alike(self, words: Iterable[str], least: float) -> Iterator[tuple[list[int], float, float]]:
        """Names that share words with a question: their slots, the share of the question, the share of the name.

        Both shares are of idf mass among names, so that a word every name has says little. Names that hold less
        than ``least`` of the question are left out. Sums over sets are exact: their order differs between runs.
        """
        wanted = dict.fromkeys(stem(word) for word in words if word not in STOP_WORDS)
        total = sum(map(self._weight, wanted))
        shared: dict[str, float] = {}
        for word in wanted:
            weight = self._weight(word)
            for name in self._holders.named(word):
                shared[name] = shared.get(name, 0.0) + weight
        for name, mass in shared.items():
            if mass > least * total:
                yield self.slots(name), mass / total, mass / math.fsum(map(self._weight, content(name)))

    def _weight(self, word: str) -> float:
        holders = self._holders.count(word)
        return math.log1p((len(self._slots) - holders + 0.5) / (holders + 0.5))


def _distinct(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, found)))


def _telling(word: str) -> bool:
    """Whether a single word in running text can be taken for a name."""
    return len(word) >= 4 and not word.isdigit() and word not in STOP_WORDS
