"""What documents say about themselves: names, titles, aliases, descriptions, tags and fields, by text and by word.

A scan needs no names; a whole question needs all of them. So the beginnings of texts wait here, up to a bound, until
somebody asks who is called what. Which names hold which word is found for all names at once when it is first asked: a
few array operations instead of collections for every word of every name.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.encoding import Ints
from lens_lsp.corpus.formats import FORMAT_SUFFIXES
from lens_lsp.corpus.formats.text_reader import HEAD_LENGTH, NO_HEAD, TextReader
from lens_lsp.model.documents import Head
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.words import STOP_WORDS, WORD, bigrams, fold, key, keys, light_stem, runs, stem

_AT_ONCE = 1 << 16
"""Names taken apart together: their words live that long."""
_BETWEEN = "\n"
_END, _STOP = -1, -2
_HALF = 32
_NOTHING = STOP_WORDS | {_BETWEEN, ""}
_PARENTHESIS = regex(r"\s*\([^)]*\)\s*$")
_LONGEST = 8
_FEW = 1000
"""So many changes and a quarter of all names are taken in one by one, then all are looked at again."""
_MOST_WAITING = 32 << 20
"""Bytes of beginnings that wait; then they are looked at, asked or not."""


def pieces_of(name: str) -> list[str]:
    """The words of a folded name; pairs of characters where a script has no spaces."""
    if name.isascii():
        return name.split(" ")
    return [part for run in runs(name) for part in ([run.text] if run.spaced else bigrams(run.text))]


def content(name: str) -> frozenset[str]:
    """The stems of a name's words, without stop words unless it has no others."""
    pieces = pieces_of(name)
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


class SummaryIndex:
    """Stems to the slots whose description or tags hold them. No disk; changed with each file."""

    def __init__(self) -> None:
        self._slots: dict[str, set[int]] = {}
        self._words: dict[int, frozenset[str]] = {}

    def add(self, slot: int, head: Head) -> None:
        """Note what a document says about itself, if it says anything."""
        text = " ".join(((head.description or ""), *head.tags))
        if not text.strip():
            return
        folded = fold(text)
        words = set(WORD.findall(folded) if folded.isascii() else pieces_of(folded))
        self._words[slot] = frozenset(stem(word) for word in words - STOP_WORDS)
        for word in self._words[slot]:
            self._slots.setdefault(word, set()).add(slot)

    def remove(self, slot: int) -> None:
        """Forget a slot."""
        for word in self._words.pop(slot, ()):
            self._slots[word].discard(slot)

    def holders(self, term: str) -> set[int]:
        """The slots whose summary holds a folded term or another form of it."""
        return self._slots.get(stem(term), set())


class _Waiting(NamedTuple):
    """Texts whose slots follow each other from ``first`` on; the others are parallel."""

    first: int
    paths: Sequence[str]
    readers: Sequence[TextReader]
    beginnings: Sequence[bytes]


def heads_of(readers: Sequence[TextReader], beginnings: Sequence[bytes]) -> list[Head]:
    """What texts say about themselves, by how they begin in UTF-8; the last character may be cut."""
    starts = [start.decode("utf-8", "ignore")[:HEAD_LENGTH] for start in beginnings]
    return [reader.head(start) for reader, start in zip(readers, starts, strict=True)]


class Descriptions:
    """Names and summaries of texts by slot. No disk."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._size = 0
        self._gone: set[int] = set()
        """Slots that were forgotten before they were looked at."""
        self._paths: list[str] = []
        self._heads: list[Head | str | None] = []
        """By slot, None where nothing is known; so are the paths. Of most texts a title is all there is."""
        self._titles = TitleIndex()
        self._summaries = SummaryIndex()
        self._field_names: Counter[str] = Counter()

    def add(self, first: int, paths: Sequence[str], readers: Sequence[TextReader], beginnings: Sequence[bytes]) -> None:
        """Note how the texts from slot ``first`` on begin, in UTF-8; the last character may be cut."""
        self._waiting.append(_Waiting(first, paths, readers, beginnings))
        self._size += sum(map(len, beginnings))
        if self._size > _MOST_WAITING:
            self.settle()

    def add_heads(self, first: int, paths: Sequence[str], heads: Sequence[Head]) -> None:
        """Note what the texts from slot ``first`` on say about themselves where that is known already."""
        self.settle()
        self._enter(range(first, first + len(heads)), paths, heads)

    def note(self, slot: int, path: str, head: Head) -> None:
        """Note what a text says about itself where that is known already."""
        self._enter([slot], [path], [head])

    def note_all(self, slots: Sequence[int], paths: Sequence[str], heads: Sequence[Head]) -> None:
        """The same of many texts, whose slots rise."""
        self._enter(slots, paths, heads)

    def by_slot(self, slots: int) -> list[Head | None]:
        """What the first ``slots`` texts say about themselves; None of one of which nothing is known."""
        self.settle()
        return [self._head(slot) for slot in range(slots)]

    def remove(self, slot: int) -> None:
        """Forget a text, if it was noted."""
        head = self._head(slot)
        if head is not None:
            self._field_names.subtract(name for name, _ in head.fields)
            self._heads[slot] = None
            self._titles.remove(slot)
            self._summaries.remove(slot)
        elif self._waiting:
            self._gone.add(slot)

    def move(self, old: Descriptions, was: int, slot: int) -> None:
        """Take over what another knows about a text that has another slot there."""
        old.settle()
        head = old._head(was)
        if head is not None:
            self._enter([slot], [old._paths[was]], [head])

    def names(self, slot: int) -> tuple[str, ...]:
        """What a text is called, as written but without a closing parenthesis: file name, title, aliases."""
        self.settle()
        head = self._head(slot)
        return () if head is None else _names(self._paths[slot], head)

    def _head(self, slot: int) -> Head | None:
        head = self._heads[slot] if slot < len(self._heads) else None
        return Head(head) if isinstance(head, str) else head

    @property
    def titles(self) -> TitleIndex:
        """Who answers to which name."""
        self.settle()
        return self._titles

    @property
    def summaries(self) -> SummaryIndex:
        """Whose description or tags hold which word."""
        self.settle()
        return self._summaries

    def heads(self) -> Iterator[tuple[int, str, tuple[tuple[str, str], ...]]]:
        """Slot, path and metadata of every text."""
        self.settle()
        for slot, head in enumerate(self._heads):
            if head is not None:
                yield slot, self._paths[slot], () if isinstance(head, str) else head.fields

    @property
    def field_names(self) -> Set[str]:
        """The names of all fields that any text has."""
        self.settle()
        return {name for name, texts in self._field_names.items() if texts > 0}

    def settle(self) -> None:
        """Look at what waits."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        for texts in waiting:
            heads = heads_of(texts.readers, texts.beginnings)
            slots = range(texts.first, texts.first + len(heads))
            if self._gone.intersection(slots):
                known = [at for at, slot in enumerate(slots) if slot not in self._gone]
                self._enter([slots[at] for at in known], [texts.paths[at] for at in known], [heads[at] for at in known])
            else:
                self._enter(slots, texts.paths, heads)
        self._gone.clear()

    def _enter(self, slots: Sequence[int], paths: Sequence[str], heads: Sequence[Head]) -> None:
        """Note what texts say about themselves; slots rise."""
        if not slots:
            return
        more = slots[-1] + 1 - len(self._heads)
        self._paths.extend([""] * more)
        self._heads.extend([None] * more)
        others: dict[int, Sequence[str]] = {}
        for at, (slot, path, head) in enumerate(zip(slots, paths, heads, strict=True)):
            self._paths[slot], self._heads[slot] = path, head
            if head is NO_HEAD:
                continue
            if head.title or head.aliases:
                others[at] = list(map(plain_name, filter(None, (head.title, *head.aliases))))
            self._field_names.update(name for name, _ in head.fields)
            if head.description or head.tags:
                self._summaries.add(slot, head)
            elif head.title and not head.aliases and not head.fields:
                self._heads[slot] = head.title
        self._titles.add_all(slots, [plain_name(file_name(path)) for path in paths], others)


def _names(path: str, head: Head) -> tuple[str, ...]:
    title = (head.title,) if head.title else ()
    return tuple(dict.fromkeys(map(plain_name, (file_name(path), *title, *head.aliases))))
