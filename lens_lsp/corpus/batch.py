"""Folding many texts at once: what `folding.fold_text` gives for each, at a fraction of its cost for small texts.

The characters outside ASCII of all texts are looked up and replaced by a few array operations. The texts come out
side by side, each followed by the separator, ready to be put into the arena as one piece.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.arena import side_by_side
from lens_lsp.corpus.folding import FOLDED_BYTES, OffsetMap, Offsets
from lens_lsp.corpus.matcher import Bytes

# Bytes of a character by its first byte; 0 where no character outside ASCII begins.
_WIDTH = np.zeros(256, np.int64)
_WIDTH[0xC0:0xE0], _WIDTH[0xE0:0xF0], _WIDTH[0xF0:0xF8] = 2, 3, 4
_NOTHING = b"\xfe"
"""A byte that occurs in no UTF-8 text: what is left of a character that folds to fewer bytes."""
_LEAD_BITS = np.array([0, 0, 0x1F, 0x0F, 0x07])


@dataclass(frozen=True, slots=True)
class BatchMaps:
    """The offset maps of a batch: those of text ``i`` are its pieces ``first[i]`` to ``first[i + 1]``."""

    at: Offsets
    point: Offsets
    stride: Offsets
    first: Offsets

    def of(self, index: int) -> OffsetMap | None:
        """The way back to code points of a text; None where folded offsets are code points already."""
        low, high = self.first[index : index + 2].tolist()
        if low == high:
            return None
        at, point, stride = self.at[low:high], self.point[low:high], self.stride[low:high]
        if at[0] or point[0]:  # the text begins with ASCII, or with a character that folds to nothing
            at, point, stride = _led(0, at), _led(0, point), _led(1, stride)
        return OffsetMap(at, point, stride)


def _led(value: int, column: Offsets) -> Offsets:
    """A column with one value more in front: `numpy.insert` takes five times as long for the few that a text has."""
    room = np.empty(len(column) + 1, column.dtype)
    room[0], room[1:] = value, column
    return room


@dataclass(frozen=True, slots=True)
class FoldedBatch:
    """Folded texts side by side: ``data[starts[i]:ends[i]]`` is the i-th, a separator follows it.

    They are finished, ASCII letters lowered, only as they are written where they are wanted.
    """

    raw: bytes
    """The texts but for their capital letters in ASCII."""
    starts: Offsets
    ends: Offsets
    maps: BatchMaps | None = None
    """None where no text needs a map."""

    @property
    def size(self) -> int:
        """Bytes in all, separators included."""
        return len(self.raw)

    @property
    def data(self) -> Bytes:
        """The folded texts and their separators."""
        room = np.empty(self.size, np.uint8)
        self.write(room)
        return room

    def write(self, room: Bytes) -> None:
        """Put the data there. Each step is one that numpy does many bytes at a time: five cost less than ``lower``."""
        raw = np.frombuffer(self.raw, np.uint8)
        np.subtract(raw, ord("A"), out=room)
        np.less(room, 26, out=room.view(np.bool_))  # what stands before "A" has wrapped round to large numbers
        np.negative(room, out=room)
        np.bitwise_and(room, ord("a") - ord("A"), out=room)
        np.bitwise_or(room, raw, out=room)


def fold_batch(texts: Sequence[bytes], *, mapped: bool = True) -> FoldedBatch:
    """Fold texts in valid UTF-8 without a byte order mark; bytes that are none give nonsense. ``mapped`` False leaves
    the offset maps out."""
    wide = [index for index, text in enumerate(texts) if not text.isascii()]
    if not wide:
        return FoldedBatch(*side_by_side(texts))
    folded = _fold_wide(FoldedBatch(*side_by_side([texts[index] for index in wide])), mapped=mapped)
    parts = list(texts)
    ends = zip(wide, folded.starts.tolist(), folded.ends.tolist(), strict=True)
    for index, start, end in ends:
        parts[index] = folded.raw[start:end]
    batch = FoldedBatch(*side_by_side(parts))
    if folded.maps is None:
        return batch
    pieces = np.zeros(len(texts) + 1, np.int64)
    pieces[np.array(wide) + 1] = np.diff(folded.maps.first)
    maps = BatchMaps(folded.maps.at, folded.maps.point, folded.maps.stride, np.cumsum(pieces))
    return replace(batch, maps=maps)


class _Table:
    """What characters fold to, as arrays, filled as they are met: most texts need a few hundred of a million."""

    def __init__(self) -> None:
        self._row = np.zeros(sys.maxunicode + 1, np.int32)  # untouched memory costs nothing
        self._used = 1
        self.size = np.zeros(256, np.int64)
        """Bytes of each row."""
        self.data = np.zeros((256, 4), np.uint8)
        """Folded bytes, a row for each character met; row 0 stands for those not met."""

    def rows(self, codes: Offsets) -> Offsets:
        """The row of each code point."""
        found = self._row[codes]
        if not found.all():
            self._add(sorted(set(codes[found == 0].tolist())))  # np.unique would first import masked arrays
            found = self._row[codes]
        return found.astype(np.int64)

    def _add(self, codes: Sequence[int]) -> None:
        """Enter characters that are met for the first time."""
        folded = [FOLDED_BYTES[chr(code)] for code in codes]
        last = self._used + len(codes)
        rows, width = self.data.shape
        longest = max(map(len, folded))
        if last > rows or longest > width:
            data = np.zeros((max(rows, 2 * last), max(width, longest)), np.uint8)
            data[:rows, :width] = self.data
            self.size, self.data = np.concatenate([self.size, np.zeros(len(data) - rows, np.int64)]), data
            width = data.shape[1]
        padded = b"".join([text.ljust(width, b"\0") for text in folded])
        self.data[self._used : last] = np.frombuffer(padded, np.uint8).reshape(-1, width)
        self.size[self._used : last] = list(map(len, folded))
        self._row[codes] = np.arange(self._used, last)
        self._used = last


_TABLE = _Table()


class _Characters(NamedTuple):
    """Characters outside ASCII in order: where each begins, its bytes, its row in the table, what it becomes."""

    place: Offsets
    width: Offsets
    row: Offsets
    size: Offsets
    """Bytes it folds to."""


def _fold_wide(plain: FoldedBatch, *, mapped: bool) -> FoldedBatch:
    data = np.frombuffer(plain.raw, np.uint8)
    place = np.flatnonzero((data >= 0xC0) & (data < 0xF8))
    if not len(place):
        return plain
    width = _WIDTH[data[place]]
    row = _TABLE.rows(_codes(data, place, width))
    size = _TABLE.size[row]
    moved = np.concatenate([[0], np.cumsum(size - width)])
    starts = plain.starts + moved[np.searchsorted(place, plain.starts)]
    ends = plain.ends + moved[np.searchsorted(place, plain.ends)]
    found = _Characters(place, width, row, size)
    return FoldedBatch(_replaced(data, found), starts, ends, _maps(plain, found, moved, starts) if mapped else None)


def _codes(data: Bytes, place: Offsets, width: Offsets) -> Offsets:
    codes: Offsets = (data[place] & _LEAD_BITS[width]).astype(np.int64)
    for step in (1, 2, 3):
        longer = width > step
        codes[longer] = (codes[longer] << 6) | (data[place[longer] + step] & 0x3F)
    return codes


def _replaced(data: Bytes, found: _Characters) -> bytes:
    """The bytes with every character replaced by what it folds to."""
    extra = np.maximum(found.size - found.width, 0)
    room = np.insert(data, np.repeat(found.place + found.width, extra), 0) if extra.any() else data.copy()
    place = found.place + np.cumsum(extra) - extra
    width = found.width + extra
    for step in range(int(width.max())):
        inside = np.flatnonzero(step < width)
        written = inside[step < found.size[inside]]
        if len(written):
            room[place[written] + step] = _TABLE.data[found.row[written], step]
        room[place[inside[step >= found.size[inside]]] + step] = _NOTHING[0]
    return room.tobytes().replace(_NOTHING, b"")


def _maps(plain: FoldedBatch, found: _Characters, moved: Offsets, starts: Offsets) -> BatchMaps:
    """Every character begins a piece unless it goes on as the one before; ASCII behind it begins another."""
    place, width, size = found.place, found.width, found.size
    text = np.searchsorted(plain.ends, place)
    more = np.concatenate([[0], np.cumsum(width - 1)])
    at = place + moved[:-1] - starts[text]
    point = place - plain.starts[text] - (more[:-1] - more[np.searchsorted(place, plain.starts)][text])
    touching = np.zeros(len(place) + 1, np.bool_)
    touching[1:-1] = place[1:] == place[:-1] + width[:-1]
    same = touching[:-1].copy()
    same[1:] &= size[1:] == size[:-1]
    chosen: NDArray[np.bool_] = np.stack([~same & (size > 0), ~touching[1:]], 1).ravel()
    columns = ((at, at + size), (point, point + 1), (size, np.ones_like(size)))
    flat = [np.stack(pair, 1).ravel()[chosen] for pair in columns]
    first = np.searchsorted(np.repeat(text, 2)[chosen], np.arange(len(plain.starts) + 1))
    return BatchMaps(flat[0], flat[1], flat[2], first)
