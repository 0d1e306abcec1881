"""What documents are called: names, titles and aliases, folded, and who answers to each of them."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from lens_lsp.corpus.formats.table import FORMAT_SUFFIXES
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.words import STOP_WORDS, bigrams, key, runs, stem

_PARENTHESIS = regex(r"\s*\([^)]*\)\s*$")
_LONGEST = 8


def file_name(path: str) -> str:
    """The name a path gives its document: the last part without a suffix that says only the format."""
    name = path.rsplit("/", 1)[-1]
    root, dot, suffix = name.rpartition(".")
    return root if dot and root and suffix.lower() in FORMAT_SUFFIXES else name


def plain_name(name: str) -> str:
    """A file name or title as it stands in running text: without a closing parenthesis (``Mercury (planet)``).

    Composed, too: some systems give back names with their accents, kana and Hangul taken apart.
    """
    spaced = unicodedata.normalize("NFC", name).replace("_", " ")
    return (_PARENTHESIS.sub("", spaced) if ")" in spaced else spaced) or spaced


class TitleIndex:
    """Keys to the slots that are called so. Built once, changed with each file; no disk.

    Most names belong to one text and most of their words to one name: what is alone has no collection to itself, which
    would take more than all the rest.
    """

    def __init__(self) -> None:
        self._slots: dict[str, int | list[int]] = {}
        self._keys: list[str | tuple[str, ...]] = []
        """By slot; nothing where a slot has no name."""
        self._holders: dict[str, str | set[str]] = {}

    def add(self, slot: int, names: Iterable[str]) -> None:
        """Let a slot answer to the names, given plain."""
        keys = tuple(dict.fromkeys(k for k in map(key, names) if k))
        self._keys.extend([()] * (slot + 1 - len(self._keys)))
        self._keys[slot] = keys[0] if len(keys) == 1 else keys
        for k in keys:
            known = self._slots.get(k)
            if known is None:
                self._slots[k] = slot
                for word in _content(k):
                    self._hold(word, k)
            elif isinstance(known, int):
                self._slots[k] = [known, slot]
            else:
                known.append(slot)

    def _hold(self, word: str, name: str) -> None:
        known = self._holders.setdefault(word, name)
        if isinstance(known, set):
            known.add(name)
        elif known != name:
            self._holders[word] = {known, name}

    def remove(self, slot: int) -> None:
        """Forget a slot."""
        for k in self.keys(slot):
            slots = self.slots(k)
            slots.remove(slot)
            if slots:
                self._slots[k] = slots
                continue
            del self._slots[k]
            for word in _content(k):
                self._let_go(word, k)
        if slot < len(self._keys):
            self._keys[slot] = ()

    def _let_go(self, word: str, name: str) -> None:
        known = self._holders[word]
        if isinstance(known, set) and len(known) > 1:
            known.discard(name)
        else:
            del self._holders[word]

    def keys(self, slot: int) -> tuple[str, ...]:
        """What a slot answers to; the file name first."""
        keys = self._keys[slot] if slot < len(self._keys) else ()
        return (keys,) if isinstance(keys, str) else keys

    def slots(self, name: str) -> list[int]:
        """The slots that answer to a folded name."""
        slots = self._slots.get(name, [])
        return [slots] if isinstance(slots, int) else slots

    def _named(self, word: str) -> Iterable[str]:
        """The names that hold a stem."""
        names = self._holders.get(word, ())
        return (names,) if isinstance(names, str) else names

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
            for name in self._named(word):
                shared[name] = shared.get(name, 0.0) + weight
        for name, mass in shared.items():
            if mass > least * total:
                yield self.slots(name), mass / total, mass / math.fsum(map(self._weight, _content(name)))

    def _weight(self, word: str) -> float:
        names = self._holders.get(word, ())
        holders = 1 if isinstance(names, str) else len(names)
        return math.log1p((len(self._slots) - holders + 0.5) / (holders + 0.5))


def _content(name: str) -> frozenset[str]:
    """The stems of a name's words, without stop words unless it has no others."""
    if name.isascii():
        pieces = name.split(" ")
    else:
        pieces = [part for run in runs(name) for part in ([run.text] if run.spaced else bigrams(run.text))]
    return frozenset(map(stem, [word for word in pieces if word not in STOP_WORDS] or pieces))


def _telling(word: str) -> bool:
    """Whether a single word in running text can be taken for a name."""
    return len(word) >= 4 and not word.isdigit() and word not in STOP_WORDS
