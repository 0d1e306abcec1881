"""The scan: every occurrence of every term in every text, in one pass over the chunks.

What it gives is all that the prior measures at query time: term and document frequencies, lengths and positions
(search.prior). The counts are of all texts, the places of those in memory: of a text that only passes by they are
counted, and looked up again where they matter. Nothing is stored between questions but the folded texts themselves.

Literals are found in few passes where the fast library is installed and in one per literal elsewhere; both give the
leftmost, non-overlapping occurrences of each. The fast matcher is an Aho–Corasick automaton with the *leftmost-first*
match kind, the only one for which the library uses its SIMD searcher (15 to 100 times faster than the default kind).
Leftmost-first reports no two matches that overlap, so literals that could overlap in a text go to different automata.
The searcher compares the first four bytes of its patterns with every place, so a literal is looked for from its first
rare place on (`Needle`).
"""

from __future__ import annotations

import contextlib
import os
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field
from functools import lru_cache
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.encoding import Bytes, Chunk, Ints
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.words import MAX_SUFFIX, stem

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
_MOST_NARROW = 12
"""Patterns of one automaton with eight buckets; with more, those that share one are taken for each other too often."""
_MOST_WIDE = 48
"""Patterns of one automaton with sixteen buckets, which has half the speed; it pays if they stand in few places."""
_LEAST_WIDE = 33
"""From so many patterns on the searcher has sixteen buckets."""
_NOWHERE = (b"\xf8\xf8\xf8\xf8", b"\xf9\xf9\xf9\xf9", b"\xfa\xfa\xfa\xfa", b"\xfb\xfb\xfb\xfb")
_SHORT = 3
"""Below so many bytes a literal is compared with every place by array operations."""
Mask = NDArray[np.bool_]
Places = NDArray[np.int32]
"""Numbers below two thousand million, of which a scan gives millions."""
STRETCH = 50
"""Bytes of a text in which the occurrences of a term are one to `Unlisted.stretches`."""
_BLOCK = 1 << 16
"""Places that are counted in one go: what is needed meanwhile then fits beside the processor, and is little."""
# Letters in which a word of the same script may still go on after a stem: two bytes each in Greek, Cyrillic, …
_MULTIBYTE_SUFFIX = 8
_WORTH_THREADS = 128 << 20
_MOST_THREADS = 4
_SAMPLES, _SAMPLE = 64, 4096
"""How many places of the texts in memory are looked at to learn what is rare in them, and bytes of each."""
_WORD = np.zeros(256, bool)
_WORD[list(b"abcdefghijklmnopqrstuvwxyz0123456789")] = True
# First bytes of two-byte letters outside ASCII (accented Latin is folded away, so: Greek to N'Ko).
_LEAD = np.zeros(256, bool)
_LEAD[0xC3:0xE0] = True
_CONTINUATION = np.zeros(256, bool)
_CONTINUATION[0x80:0xC0] = True


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


try:
    import ahocorasick_rs
except ImportError:  # no wheel for this platform: the fallback below gives the same result
    ahocorasick_rs = None  # type: ignore[assignment, unused-ignore]


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
            [needle.data for needle in group] + _padding(len(group)), matchkind=ahocorasick_rs.MATCHKIND_LEFTMOST_FIRST
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


def word_literal(word: str) -> Literal:
    """How a folded word is looked for: by its stem where the script has word boundaries, as it is elsewhere."""
    data = word.encode("utf-8", "replace")
    if word.isascii():
        root = stem(word)
        return Literal(root.encode(), suffix=0 if word.isdigit() or len(root) < 3 else MAX_SUFFIX)
    if all(0xC2 <= byte <= 0xDF or byte < 0xC0 for byte in data):
        root = word[:-2] if len(word) > 5 else word
        return Literal(root.encode("utf-8", "replace"), suffix=_MULTIBYTE_SUFFIX)
    return Literal(data, word_start=False, suffix=None)


def exact_literal(text: str) -> Literal:
    """A folded phrase as it is, from word start to word end."""
    return Literal(
        text.encode("utf-8", "replace"), word_start=text[0].isalnum(), suffix=0 if text[-1].isalnum() else None
    )


def scan(
    chunks: Iterable[Chunk],
    terms: Sequence[Sequence[Literal]],
    *,
    fast: bool | None = None,
    listing: bool = False,
    threads: int | None = None,
    watch: Callable[[Chunk, Hits], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Hits:
    """Every occurrence of the terms, each given as the literals that count as it.

    ``cancelled`` is asked about once a megabyte; the hits so far are returned then. ``fast=False`` asks for the
    fallback matcher. What stands in texts that are not kept in memory is counted, and listed only where ``listing``
    asks for it; ``watch`` is shown each chunk of them with its hits. ``threads`` scan what is in memory; by default as
    many as pay off.
    """
    held, passing = _held(chunks)
    sweep = _Sweep(terms, sample_of(held), fast=fast)
    found = Collected(len(terms))
    parts = sweep.all(held, worth(held) if threads is None else threads, cancelled) if sweep.literals else []
    parts.reverse()
    while parts:
        found.add(parts.pop())
    for chunk in passing if sweep.literals else ():
        if cancelled is not None and cancelled():
            break
        part = sweep.hits(chunk)
        found.add(part, passing=not listing)
        if watch is not None:
            watch(chunk, part)
    return found.hits()


def _held(chunks: Iterable[Chunk]) -> tuple[list[Chunk], Iterable[Chunk]]:
    """Those in memory, which come first, and the others, none of which but the first is read yet."""
    rest = iter(chunks)
    held: list[Chunk] = []
    for chunk in rest:
        if chunk.passing:
            return held, chain([chunk], rest)
        held.append(chunk)
    return held, ()


def worth(chunks: Sequence[Chunk]) -> int:
    """How many threads pay off: the searcher runs outside the interpreter's lock, the rest does not."""
    much = sum(len(chunk.data) for chunk in chunks) >= _WORTH_THREADS
    return min(_MOST_THREADS, os.cpu_count() or 1) if much else 1


def sample_of(chunks: Sequence[Chunk]) -> Bytes | None:
    """A little of every part of the texts in memory."""
    if not chunks:
        return None
    places = dict.fromkeys(np.linspace(0, len(chunks) - 1, _SAMPLES).astype(np.int64).tolist())
    return np.concatenate([chunks[place].data[:_SAMPLE] for place in places])


class _Sweep:
    """What one scan looks for, and how."""

    def __init__(self, terms: Sequence[Sequence[Literal]], sample: Bytes | None, *, fast: bool | None) -> None:
        self.literals = [literal for term in terms for literal in term]
        self._owner = np.array([index for index, term in enumerate(terms) for _ in term], np.int64)
        self._boundaries = _Boundaries(self.literals)
        self._finder = matcher(self.literals, fast=fast, sample=sample)

    def all(self, chunks: Sequence[Chunk], threads: int, cancelled: Callable[[], bool] | None) -> list[Hits]:
        """The hits of each chunk, in order. ``cancelled`` is asked on the caller's thread only."""
        found: list[Hits | None] = [None] * len(chunks)
        places = iter(range(len(chunks)))
        stopped = threading.Event()

        def work(stop: Callable[[], bool]) -> None:
            while not stop():
                place = next(places, None)
                if place is None:
                    break
                found[place] = self.hits(chunks[place])  # whoever took a place scans it, also when told to stop

        others: list[Future[None]] = []
        with contextlib.ExitStack() as stack:
            if threads > 1:
                pool = stack.enter_context(ThreadPoolExecutor(threads - 1, "scan"))
                others = [pool.submit(work, stopped.is_set) for _ in range(threads - 1)]
            stack.callback(stopped.set)
            work(cancelled or stopped.is_set)
        for other in others:
            other.result()
        return [part for part in found if part is not None]

    def hits(self, chunk: Chunk) -> Hits:
        """The hits of one chunk."""
        which, where = self._finder.find(chunk.data)
        keep = self._boundaries.hold(chunk.data, which, where)
        which, where = which[keep], where[keep]
        text = np.searchsorted(chunk.starts, where, side="right") - 1
        columns = chunk.slots[text], self._owner[which], where - chunk.starts[text]
        slot, term, at = (column.astype(np.int32) for column in columns)
        return Hits(slot, term, at)


class _Boundaries:
    """Which occurrences stand where their literal may stand."""

    def __init__(self, literals: Sequence[Literal]) -> None:
        self._size = np.array([len(literal.data) for literal in literals], np.int64)
        self._multibyte = np.array([literal.multibyte for literal in literals])
        self._word_start = np.array([literal.word_start for literal in literals])
        self._suffix = np.array([255 if literal.suffix is None else literal.suffix for literal in literals])
        self._free = not self._word_start.any() and bool((self._suffix == 255).all())
        self._plain = not self._multibyte.any()

    def hold(self, data: Bytes, which: Ints, where: Ints) -> Mask:
        """A mask over the occurrences of one buffer, which must end in a separator."""
        if self._free:
            return np.ones(len(which), bool)
        start, end = self._word_start[which], where + self._size[which]
        ok: Mask = ~start | (where == 0) | ~_WORD[data[where - 1]]
        ok &= self._ends(data, which, end, _WORD, range(1, MAX_SUFFIX + 1))
        if self._plain:
            return ok
        letter = _CONTINUATION[data[where - 1]] & _LEAD[data[where - 2]] & (where >= 2)
        other = (~start | ~letter) & self._ends(data, which, end, _LEAD, range(2, _MULTIBYTE_SUFFIX + 1, 2))
        return np.where(self._multibyte[which], other, ok)

    def _ends(self, data: Bytes, which: Ints, end: Ints, letters: Mask, suffixes: Iterable[int]) -> Mask:
        """Whether the word ends behind each occurrence, or behind as many more bytes as its literal allows."""
        suffix, last = self._suffix[which], len(data) - 1
        ok: Mask = (suffix == 255) | ~letters[data[np.minimum(end, last)]]
        for more in suffixes:
            ok |= (suffix >= more) & ~letters[data[np.minimum(end + more, last)]]
        return ok
