"""Folded texts side by side in a few large segments, so that one call scans a megabyte of files.

A hundred thousand small searches cost more than one search over a hundred thousand files. Texts are separated by
a byte that no UTF-8 text holds. A changed text is appended and its old place blanked; when blanks outweigh texts,
the owner builds a new arena.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.matcher import Bytes, Ints

SEPARATOR = 0xFF
_END = bytes((SEPARATOR,))
_SEGMENT = 32 << 20
_CHUNK = 1 << 20
_LARGE_CHUNK = 8 << 20
_ELSEWHERE, _GONE = -1, -2
"""In place of the segment of a text: it is not kept here, or no more anywhere."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """About a megabyte of whole texts: the bytes, the slot of each text and where it starts in the chunk."""

    data: Bytes
    slots: Ints
    starts: Ints
    passing: bool = False
    """The texts were read only to be scanned and are not kept in memory."""

    def texts(self) -> Iterator[tuple[int, bytes]]:
        """Each slot with a copy of its text."""
        ends = (*self.starts[1:].tolist(), len(self.data))
        for slot, start, end in zip(self.slots.tolist(), self.starts.tolist(), ends, strict=True):
            yield slot, self.data[start : end - 1].tobytes()


def chunk_of(slots: Ints, texts: Sequence[bytes]) -> Chunk:
    """A copy of the texts of some slots as a chunk of their own."""
    data, starts, _ = side_by_side(texts)
    return Chunk(np.frombuffer(data, np.uint8), slots, starts)


def _integers() -> array[int]:
    """A growing list that becomes a numpy array by one copy of memory."""
    return array("q")


def _copied(values: array[int]) -> Ints:
    return np.frombuffer(values, np.int64).copy() if values else np.empty(0, np.int64)


def side_by_side(texts: Sequence[bytes]) -> tuple[bytes, Ints, Ints]:
    """Texts with a separator behind each, and where each of them starts and ends."""
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1) - 1
    return _END.join((*texts, b"")), np.concatenate([[0], ends[:-1] + 1]), ends


@dataclass(slots=True)
class Arena:
    """Texts by slot number; a slot keeps its number for the life of the arena."""

    _segments: list[Bytes] = field(default_factory=list)
    _used: int = 0
    _segment: array[int] = field(default_factory=_integers)
    _offset: array[int] = field(default_factory=_integers)
    _length: array[int] = field(default_factory=_integers)
    _chunks: list[Chunk] = field(default_factory=list)
    _cut_slots: int = 0
    """Slots below this one are in a chunk or kept elsewhere."""
    blank: int = 0
    """Bytes of texts that were replaced or removed."""
    size: int = 0
    """Bytes of live texts."""

    def __len__(self) -> int:
        return len(self._length)

    def add(self, data: bytes) -> int:
        """Store a text; returns its slot."""
        size = len(data) + 1
        start = self._reserve(size)
        self._segments[-1][start : start + size] = np.frombuffer(data + _END, np.uint8)
        self._segment.append(len(self._segments) - 1)
        self._offset.append(start)
        self._length.append(len(data))
        self.size += len(data)
        return len(self._length) - 1

    def add_all(self, size: int, write: Callable[[Bytes], None], starts: Ints, ends: Ints) -> int:
        """Store texts that lie side by side, a separator behind each; returns the slot of the first.

        ``write`` puts their ``size`` bytes where it is told: memory that is touched for the first time is dear.
        """
        start = self._reserve(size)
        write(self._segments[-1][start : start + size])
        first = len(self._length)
        self._segment.extend([len(self._segments) - 1] * len(starts))
        self._offset.frombytes((starts + start).tobytes())
        self._length.frombytes((ends - starts).tobytes())
        self.size += size - len(starts)
        return first

    def _reserve(self, size: int) -> int:
        """Room behind the last text; where it starts in the last segment."""
        if not self._segments or self._used + size > len(self._segments[-1]):
            # Untouched memory costs nothing, so a segment is asked for whole; its unfilled tail is never scanned.
            self._segments.append(np.empty(max(_SEGMENT, size), np.uint8))
            self._used = 0
        self._used += size
        return self._used - size

    def reserve(self, length: int) -> int:
        """A slot for a text of this length that is kept elsewhere; it is in no chunk."""
        self._segment.append(_ELSEWHERE)
        self._offset.append(0)
        self._length.append(length)
        return len(self._length) - 1

    def remove(self, slot: int) -> None:
        """Blank a text; its slot stays, empty."""
        length = self._length[slot]
        self._length[slot] = 0
        if self.holds(slot):
            start = self._offset[slot]
            self._segments[self._segment[slot]][start : start + length] = SEPARATOR
            self.blank += length
            self.size -= length
        else:
            self._segment[slot] = _GONE

    def holds(self, slot: int) -> bool:
        """Whether the text of a slot is here."""
        return self._segment[slot] >= 0

    def here(self) -> NDArray[np.bool_]:
        """Of all slots whether their texts are here."""
        here: NDArray[np.bool_] = _copied(self._segment) >= 0
        return here

    def elsewhere(self) -> Ints:
        """The slots of texts that are kept elsewhere, in order."""
        return np.flatnonzero(_copied(self._segment) == _ELSEWHERE)

    def text(self, slot: int) -> Bytes:
        """The folded bytes of a slot that is here, as a view."""
        start = self._offset[slot]
        return self._segments[self._segment[slot]][start : start + self._length[slot]]

    def lengths(self) -> NDArray[np.int64]:
        """Bytes of each slot's text; 0 for removed ones."""
        return _copied(self._length)

    def chunks(self) -> list[Chunk]:
        """All texts in order of slot, in chunks. Blanked ones stay in theirs; new ones are cut with the last one."""
        if self._cut_slots < len(self):
            first = int(self._chunks.pop().slots[0]) if self._chunks else 0
            self._chunks.extend(self._cut(first, _CHUNK))
            self._cut_slots = len(self)
        return self._chunks

    def large_chunks(self) -> list[Chunk]:
        """All texts in order of slot, in chunks of eight megabytes, cut anew: fewer, for what stands in few places.

        Where much is found it is dealt with faster while its megabyte is near the processor.
        """
        return list(self._cut(0, _LARGE_CHUNK))

    def _cut(self, since: int, size: int) -> Iterator[Chunk]:
        segments = _copied(self._segment)
        here = since + np.flatnonzero(segments[since:] >= 0)
        segments, offsets = segments[here], _copied(self._offset)[here]
        first = 0
        while first < len(segments):
            same = int(np.searchsorted(segments, segments[first], side="right"))
            start = int(offsets[first])
            last = first + int(np.searchsorted(offsets[first:same], start + size))
            last = max(last, first + 1)
            # With the separator: it is the boundary of the last word.
            end = int(offsets[last - 1]) + self._length[int(here[last - 1])] + 1
            data = self._segments[int(segments[first])][start:end]
            yield Chunk(data, here[first:last], offsets[first:last] - start)
            first = last
