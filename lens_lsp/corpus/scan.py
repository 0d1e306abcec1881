"""The scan: every occurrence of every term in every text, in one pass over the chunks.

What it gives is all that the prior measures at query time: term and document frequencies, lengths and positions
(engine.prior). Nothing is stored between questions but the folded texts themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.arena import Chunk
from lens_lsp.corpus.matcher import Bytes, Ints, Literal, matcher
from lens_lsp.domain.words import MAX_SUFFIX, stem

Mask = NDArray[np.bool_]

# Letters in which a word of the same script may still go on after a stem: two bytes each in Greek, Cyrillic, …
_MULTIBYTE_SUFFIX = 8

MOST_PASSING = 256
"""Hits of a term listed per text that is read only to be scanned; all are counted."""

_WORD = np.zeros(256, bool)
_WORD[list(b"abcdefghijklmnopqrstuvwxyz0123456789")] = True
# First bytes of two-byte letters outside ASCII (accented Latin is folded away, so: Greek to N'Ko).
_LEAD = np.zeros(256, bool)
_LEAD[0xC3:0xE0] = True
_CONTINUATION = np.zeros(256, bool)
_CONTINUATION[0x80:0xC0] = True


@dataclass(frozen=True, slots=True)
class Hits:
    """Occurrences: slot of the text, index of the term, folded byte offset and length. Parallel arrays.

    The hits of one term come in order of slot and offset. In a text that is not kept in memory a term may occur
    more often than is listed; ``thinned`` then says how many occurrences of it are not.
    """

    slot: Ints
    term: Ints
    at: Ints
    size: Ints
    thinned: tuple[tuple[int, int, int], ...] = ()
    """(slot, term, occurrences left out)."""

    def __len__(self) -> int:
        return len(self.slot)

    def of(self, mask: Ints | Mask) -> Hits:
        """The listed hits a mask or index selects."""
        return Hits(self.slot[mask], self.term[mask], self.at[mask], self.size[mask])

    def only(self, terms: Ints) -> Hits:
        """The hits of some terms, renumbered in the given order."""
        number = np.full(int(max(self.term.max(initial=0), terms.max(initial=0))) + 1, -1, np.int64)
        number[terms] = np.arange(len(terms))
        kept = self.of(number[self.term] >= 0)
        thinned = tuple((slot, int(number[term]), count) for slot, term, count in self.thinned if number[term] >= 0)
        return Hits(kept.slot, number[kept.term], kept.at, kept.size, thinned)

    def plus(self, more: Hits, first: int) -> Hits:
        """These hits and those of further terms, numbered from ``first`` on."""
        return Hits(
            np.concatenate([self.slot, more.slot]),
            np.concatenate([self.term, more.term + first]),
            np.concatenate([self.at, more.at]),
            np.concatenate([self.size, more.size]),
            (*self.thinned, *((slot, term + first, count) for slot, term, count in more.thinned)),
        )

    def but(self, slots: Ints, exact: Hits) -> Hits:
        """These hits, with those of the given slots replaced by ``exact`` ones."""
        keep = ~np.isin(self.slot, slots)
        kept = self.of(keep)
        return Hits(
            np.concatenate([kept.slot, exact.slot]),
            np.concatenate([kept.term, exact.term]),
            np.concatenate([kept.at, exact.at]),
            np.concatenate([kept.size, exact.size]),
        )


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
    most: int = MOST_PASSING,
    cancelled: Callable[[], bool] | None = None,
) -> Hits:
    """Every occurrence of the terms, each given as the literals that count as it.

    ``cancelled`` is asked about once a megabyte; the hits so far are returned then. ``fast=False`` asks for the
    fallback matcher. Of a term in a text that is not kept in memory about ``most`` hits are listed.
    """
    literals = [literal for term in terms for literal in term]
    owner = np.array([index for index, term in enumerate(terms) for _ in term], np.int64)
    boundaries = _Boundaries(literals)
    finder = matcher(literals, fast=fast)
    parts: list[tuple[Ints, Ints, Ints, Ints]] = []
    thinned: list[tuple[int, int, int]] = []
    for chunk in chunks if literals else ():
        if cancelled is not None and cancelled():
            break
        which, where = finder.find(chunk.data)
        if len(which):
            keep = boundaries.hold(chunk.data, which, where)
            which, where = which[keep], where[keep]
            if chunk.passing and len(which) > most:
                listed = _thin(owner[which], most)
                left_out = np.bincount(owner[which[~listed]], minlength=len(terms))
                slot = int(chunk.slots[0])
                thinned += [(slot, int(term), int(left_out[term])) for term in np.flatnonzero(left_out)]
                which, where = which[listed], where[listed]
            text = np.searchsorted(chunk.starts, where, side="right") - 1
            parts.append((chunk.slots[text], owner[which], where - chunk.starts[text], boundaries.size[which]))
    if not parts:
        empty = np.empty(0, np.int64)
        return Hits(empty, empty, empty, empty)
    slots, owners, places, sizes = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Hits(slots, owners, places, sizes, tuple(thinned))


def _thin(term: Ints, most: int) -> Mask:
    """A mask that keeps at most about ``most`` hits of each term, evenly spread."""
    keep = np.ones(len(term), bool)
    for index in np.flatnonzero(np.bincount(term) > most):
        hits = np.flatnonzero(term == index)
        keep[hits] = False
        keep[hits[:: -(-len(hits) // most)]] = True
    return keep


class _Boundaries:
    """Which occurrences stand where their literal may stand."""

    def __init__(self, literals: Sequence[Literal]) -> None:
        self.size = np.array([len(literal.data) for literal in literals], np.int64)
        self._multibyte = np.array([literal.multibyte for literal in literals])
        self._word_start = np.array([literal.word_start for literal in literals])
        self._suffix = np.array([255 if literal.suffix is None else literal.suffix for literal in literals])
        self._free = not self._word_start.any() and bool((self._suffix == 255).all())
        self._plain = not self._multibyte.any()

    def hold(self, data: Bytes, which: Ints, where: Ints) -> Mask:
        """A mask over the occurrences of one buffer, which must end in a separator."""
        if self._free:
            return np.ones(len(which), bool)
        end = where + self.size[which]
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
