"""The scan: every occurrence of every term in every text, in one pass over the chunks.

What it gives is all that the prior measures at query time: term and document frequencies, lengths and positions
(search.prior). Nothing is stored between questions but the folded texts themselves.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain

import numpy as np

from lens_lsp.corpus.arena import Chunk
from lens_lsp.corpus.hits import Collected, Hits, Mask
from lens_lsp.corpus.matcher import Bytes, Ints, matcher
from lens_lsp.corpus.needles import Literal
from lens_lsp.model.words import MAX_SUFFIX, stem

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
        text.encode("utf-8", "replace"),
        word_start=text[0].isalnum(),
        suffix=0 if text[-1].isalnum() else None,
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
        end = where + self._size[which]
        ascii_ok = self._left_ascii(data, which, where) & self._right_ascii(data, which, end)
        if self._plain:
            return ascii_ok
        other_ok = self._left_other(data, which, where) & self._right_other(data, which, end)
        mask: Mask = np.where(self._multibyte[which], other_ok, ascii_ok)
        return mask

    def _left_ascii(self, data: Bytes, which: Ints, where: Ints) -> Mask:
        mask: Mask = ~self._word_start[which] | (where == 0) | ~_WORD[data[where - 1]]
        return mask

    def _right_ascii(self, data: Bytes, which: Ints, end: Ints) -> Mask:
        suffix = self._suffix[which]
        last = len(data) - 1
        ok: Mask = (suffix == 255) | ~_WORD[data[np.minimum(end, last)]]
        for k in range(1, MAX_SUFFIX + 1):
            ok |= (suffix >= k) & ~_WORD[data[np.minimum(end + k, last)]]
        return ok

    def _left_other(self, data: Bytes, which: Ints, where: Ints) -> Mask:
        letter = _CONTINUATION[data[where - 1]] & _LEAD[data[where - 2]] & (where >= 2)
        mask: Mask = ~self._word_start[which] | ~letter
        return mask

    def _right_other(self, data: Bytes, which: Ints, end: Ints) -> Mask:
        suffix = self._suffix[which]
        last = len(data) - 1
        ok: Mask = (suffix == 255) | ~_LEAD[data[np.minimum(end, last)]]
        for k in range(2, _MULTIBYTE_SUFFIX + 1, 2):
            ok |= (suffix >= k) & ~_LEAD[data[np.minimum(end + k, last)]]
        return ok
