"""Bytes to text, and text to the folded bytes that the scan sees.

`decode` knows one rule: byte order mark, strict UTF-8, UTF-16 by its NUL pattern, the fallback. No statistical
detector: they call nearly-UTF-8 Japanese and Latin-1 Czech. Whatever has a NUL and is no UTF-16 is binary. The text is
always ``data[bom:].decode(encoding, "replace")``, line ends untouched, so a quote can be checked by anyone with the
bytes and the name of the encoding. Very large texts are cut into pieces of about a megabyte, searched like documents of
their own.

Folded text is UTF-8 with a map back to code points of the source. ASCII is lowered in place, so for an ASCII document
offsets are the same and there is no map. Elsewhere the map is a list of pieces: from folded byte ``at`` on, source code
points start at ``point`` and take ``stride`` bytes each. `fold_batch` folds many texts by a few array operations; the
`Arena` keeps texts side by side in large segments, so that one call scans a megabyte of files.
"""

from __future__ import annotations

import codecs
import hashlib
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.text import Position, Span
from lens_lsp.model.words import FOLDED

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that one
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_ANY_MARK = tuple(mark for mark, _ in _MARKS)
_CONTROLS = bytes(code for code in (*range(32), 127) if code not in b"\b\t\n\v\f\r\x1b")
_ASCII_TEXT = frozenset((*b"\t\n\f\r", *range(0x20, 0x7F)))
_NUL_SHARE = 0.02
"""Share of a text's characters that must be ASCII (line ends, digits, spaces) for a NUL pattern."""
_CONTROL_SHARE = 0.05
"""Share of control bytes from which text in no known encoding is binary; random bytes have 0.11."""
_SHORT, _SHORT_NUL_SHARE = 64, 0.75
"""So few characters show a pattern only if nearly all of them are ASCII."""
_INVISIBLE = "\b\x1b\u00ad\u200b\u200c\u200d\u200e\u200f\ufeff"
_SAMPLE = 1 << 12
LARGE = 8 << 20
"""Bytes above which a text is searched in pieces."""
_PIECE = 1 << 20
_BEGINNING = 1 << 16
_BOM = b"\xef\xbb\xbf"
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
SEPARATOR = 0xFF
_END = bytes((SEPARATOR,))
_SEGMENT = 32 << 20
_CHUNK = 1 << 20
_LARGE_CHUNK = 8 << 20
_ELSEWHERE, _GONE = -1, -2
"""In place of the segment of a text: it is not kept here, or no more anywhere."""
# Bytes of a character by its first byte; 0 where no character outside ASCII begins.
_WIDTH = np.zeros(256, np.int64)
_WIDTH[0xC0:0xE0], _WIDTH[0xE0:0xF0], _WIDTH[0xF0:0xF8] = 2, 3, 4
_NOTHING = b"\xfe"
"""A byte that occurs in no UTF-8 text: what is left of a character that folds to fewer bytes."""
_LEAD_BITS = np.array([0, 0, 0x1F, 0x0F, 0x07])


class Decoded(NamedTuple):
    """The text of a file and how its bytes became it."""

    text: str
    encoding: str
    guessed: bool
    """The encoding is the fallback: nothing in the bytes proves it."""
    bom: int
    """Bytes of the byte order mark, which is no part of the text."""


def decode(data: bytes, fallback: str = "cp1252") -> Decoded:
    """The text of a file's bytes. Raises ``Skipped(BINARY)`` if they are no text."""
    if data.startswith(_ANY_MARK):
        mark, encoding = next(pair for pair in _MARKS if data.startswith(pair[0]))
        return _marked(data, len(mark), encoding)
    if b"\0" in data:
        return _utf_16_without_mark(data)
    try:
        return Decoded(data.decode("utf-8"), "utf-8", False, 0)
    except UnicodeDecodeError:
        pass
    if len(data) - len(data.translate(None, _CONTROLS)) > _CONTROL_SHARE * len(data):
        raise Skipped(SkipReason.BINARY)
    return Decoded(data.decode(fallback, "replace"), fallback, True, 0)


def _marked(data: bytes, bom: int, encoding: str) -> Decoded:
    text = data[bom:].decode(encoding, "replace")
    broken = text.count("\ufffd")
    # FF FE also begins audio frames and the like: a mark proves nothing about bytes that then make no sense.
    if "\0" in text or (encoding != "utf-8" and (broken > 1 + 0.05 * len(text) or not _printable(text))):
        raise Skipped(SkipReason.BINARY)
    return Decoded(text, encoding, False, bom)


def _utf_16_without_mark(data: bytes) -> Decoded:
    """UTF-16 of either byte order, known by NULs where its ASCII characters have their high bytes."""
    if len(data) % 2 == 0:
        even, odd = data[0::2].count(0), data[1::2].count(0)
        orders = (("utf-16-le", odd), ("utf-16-be", even))
        for encoding, high in sorted(orders, key=lambda order: -order[1]):
            text = _utf_16(data, encoding, high)
            if text is not None:
                return Decoded(text, encoding, False, 0)
    raise Skipped(SkipReason.BINARY)


def _utf_16(data: bytes, encoding: str, high: int) -> str | None:
    """The text, if ``high`` NULs at the high bytes make a pattern and everything reads as printable text."""
    units = len(data) // 2
    if high < units * (_NUL_SHARE if units >= _SHORT else _SHORT_NUL_SHARE):
        return None
    if "\0" in data[:_SAMPLE].decode(encoding, "ignore"):  # settles most binary files at once
        return None
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text or not _printable(text) or _paired(text) else text


def _paired(text: str) -> bool:
    """Whether this looks like ASCII text with stray NULs, which reads two by two as printable Chinese."""
    sample = _sample(text)
    wide = [ord(character) for character in sample if character > "\xff"]
    pairs = sum(code >> 8 in _ASCII_TEXT and code & 0xFF in _ASCII_TEXT for code in wide)
    return len(wide) > 0.2 * len(sample) and pairs > 0.85 * len(wide)


def _printable(text: str) -> bool:
    """Whether nearly all of it are assigned characters."""
    sample = _sample(text)
    odd = sum(not (each.isprintable() or each.isspace() or each in _INVISIBLE) for each in sample)
    return odd <= 0.02 * len(sample)


def _sample(text: str) -> str:
    return text[:_SAMPLE] + text[_SAMPLE:][-_SAMPLE:]


def is_utf_8(data: bytes) -> bool:
    """Whether the strict decoder takes these bytes."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of a file: bytes ``[start, end)``, the code points before it, the position of its first."""

    start: int
    end: int
    point: int
    position: Position
    encoding: str
    guessed: bool

    def text(self, root: Root, path: str) -> str:
        """The decoded piece as it is on disk now. Raises `Skipped`."""
        return root.read_range(path, self.start, self.end).decode(self.encoding, "replace")

    def data(self, root: Root, path: str) -> bytes:
        """The same in UTF-8."""
        data = root.read_range(path, self.start, self.end)
        if self.encoding == "utf-8" and is_utf_8(data):
            return data
        return data.decode(self.encoding, "replace").encode("utf-8", "replace")


class Whole(NamedTuple):
    """A very large file as a whole: the hash of its bytes, and how it begins."""

    sha256: str
    beginning: bytes


class WholeReader:
    """Reads a very large file once, in stretches, and knows afterwards what it is as a whole.

    Raises ``Skipped(NOT_READ)`` at a stretch by which it was ``cancelled``.
    """

    def __init__(self, root: Root, path: str, cancelled: Callable[[], bool] | None = None) -> None:
        self._stream = root.stream(path, _PIECE)
        self._cancelled = cancelled
        self._digest = hashlib.sha256()
        self._beginning = b""

    def __iter__(self) -> Iterator[bytes]:
        with ThreadPoolExecutor(1, "hash") as hashing:
            hashed: Future[None] | None = None
            for data in self._stream:
                if self._cancelled is not None and self._cancelled():
                    raise Skipped(SkipReason.NOT_READ)
                self._beginning = self._beginning or data[:_BEGINNING]
                if hashed is not None:
                    hashed.result()
                hashed = hashing.submit(self._digest.update, data)  # which lets other threads run
                yield data

    def whole(self) -> Whole:
        """What was read, as a whole."""
        return Whole(self._digest.hexdigest(), self._beginning)


def cut(
    root: Root,
    path: str,
    fallback: str,
    cancelled: Callable[[], bool] | None = None,
    take: Callable[[TextPiece, bytes], None] = lambda piece, text: None,
) -> tuple[list[TextPiece], Whole]:
    """The pieces of a text file, and what it is as a whole.

    ``take`` gets each piece with its text in UTF-8; where the file turns out to be no UTF-8 they come once more from
    the first one on. Raises `Skipped` for what is no text, for UTF-16 of this size, and where it was ``cancelled``.
    """
    for encoding, guessed in (("utf-8", False), (fallback, True)):
        reader = WholeReader(root, path, cancelled)
        pieces = []
        try:
            for piece, text in _pieces(reader, encoding, guessed):
                pieces.append(piece)
                take(piece, text)
        except UnicodeDecodeError:
            continue
        return pieces, reader.whole()
    raise Skipped(SkipReason.BINARY)


def _pieces(reader: WholeReader, encoding: str, guessed: bool) -> Iterator[tuple[TextPiece, bytes]]:
    """The pieces, each with its text in UTF-8."""
    start = point = 0
    position = Position(1, 1)
    for data in _stretches(reader):
        skip = len(_BOM) if start == 0 and data.startswith(_BOM) else 0
        if b"\0" in data:
            raise Skipped(SkipReason.BINARY if start else _kind(data, fallback=encoding))
        text = data[skip:]
        if guessed:
            text = text.decode(encoding, "replace").encode()
        points = len(text) if text.isascii() else len(text.decode())
        yield TextPiece(start + skip, start + len(data), point, position, encoding, guessed), text
        start += len(data)
        point += points
        position = _after(text, points, position)


def _kind(data: bytes, fallback: str) -> SkipReason:
    """UTF-16 is text, but is not searched in pieces."""
    try:
        decode(data[: len(data) & ~3], fallback)
    except Skipped as found:
        return found.reason
    return SkipReason.TOO_LARGE


def _stretches(reader: WholeReader) -> Iterator[bytes]:
    rest = b""
    for data in reader:
        data = rest + data
        at = _seam(data)
        if at:
            yield data[:at]
        rest = data[at:]
    if rest:
        yield rest


def _seam(data: bytes) -> int:
    """Where to cut: behind the last line end, else behind the last space, else before a half character."""
    for mark in (b"\n", b"\r", b" "):
        # A carriage return at the very end may be half of a line end.
        at = data.rfind(mark, 0, len(data) - (mark == b"\r"))
        if at >= 0:
            return at + 1
    at = len(data) - (data.endswith(b"\r"))
    for back in range(1, min(4, at) + 1):
        if data[at - back] & 0xC0 != 0x80:
            return at - back if data[at - back] >= 0xC0 else at
    return at


def _after(text: bytes, points: int, position: Position) -> Position:
    """The position behind a text in UTF-8 of so many code points that begins at a position."""
    lines = int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n")))
    if b"\r" in text:
        lines += text.count(b"\r") - text.count(b"\r\n")
    if not lines:
        return Position(position.line, position.column + points)
    last = text[max(text.rfind(b"\n"), text.rfind(b"\r")) + 1 :]
    return Position(position.line + lines, len(last.decode()) + 1)


def with_plain_breaks(text: str) -> str:
    r"""The text with ``\n`` as its only line break and every character at the same offset.

    ``\r\n`` becomes a space and ``\n``, so a reader may split at ``\n`` and still count in source offsets.
    """
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Pieces of a folded text. All three arrays have one entry a piece, in order; the first ``at`` is 0."""

    at: Ints
    point: Ints
    stride: Ints

    def points(self, folded: Ints) -> Ints:
        """The source code point of each folded byte offset."""
        piece = np.searchsorted(self.at, folded, side="right") - 1
        return self.point[piece] + (folded - self.at[piece]) // self.stride[piece]


@dataclass(frozen=True, slots=True)
class FoldedText:
    """Folded bytes; ``offsets`` is None where folded offsets are source code points already."""

    data: bytes
    offsets: OffsetMap | None = None


def blank(text: str, spans: Iterable[Span]) -> str:
    """The text with the spans replaced by spaces of the same length, so that nothing in them is found."""
    parts: list[str] = []
    at = 0
    for span in spans:
        parts.append(text[at : span.start])
        parts.append(" " * len(span))
        at = span.end
    parts.append(text[at:])
    return "".join(parts)


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


@dataclass(frozen=True, slots=True)
class BatchMaps:
    """The offset maps of a batch: those of text ``i`` are its pieces ``first[i]`` to ``first[i + 1]``."""

    at: Ints
    point: Ints
    stride: Ints
    first: Ints

    def of(self, index: int) -> OffsetMap | None:
        """The way back to code points of a text; None where folded offsets are code points already."""
        low, high = self.first[index : index + 2].tolist()
        if low == high:
            return None
        at, point, stride = self.at[low:high], self.point[low:high], self.stride[low:high]
        if at[0] or point[0]:  # the text begins with ASCII, or with a character that folds to nothing
            at, point, stride = _led(0, at), _led(0, point), _led(1, stride)
        return OffsetMap(at, point, stride)


def _led(value: int, column: Ints) -> Ints:
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
    starts: Ints
    ends: Ints
    maps: BatchMaps | None = None
    """None where no text needs a map."""

    @property
    def size(self) -> int:
        """Bytes in all, separators included."""
        return len(self.raw)

    @property
    def alone(self) -> FoldedText:
        """The text of a batch of one."""
        return FoldedText(self.data[:-1].tobytes(), None if self.maps is None else self.maps.of(0))

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

    def rows(self, codes: Ints) -> Ints:
        """The row of each code point."""
        found = self._row[codes]
        if not found.all():
            self._add(sorted(set(codes[found == 0].tolist())))  # np.unique would first import masked arrays
            found = self._row[codes]
        return found.astype(np.int64)

    def _add(self, codes: Sequence[int]) -> None:
        """Enter characters that are met for the first time."""
        folded = [FOLDED[chr(code)].encode("utf-8", "replace") for code in codes]
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

    place: Ints
    width: Ints
    row: Ints
    size: Ints
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


def _codes(data: Bytes, place: Ints, width: Ints) -> Ints:
    codes: Ints = (data[place] & _LEAD_BITS[width]).astype(np.int64)
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


def _maps(plain: FoldedBatch, found: _Characters, moved: Ints, starts: Ints) -> BatchMaps:
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
