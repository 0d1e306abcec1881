"""Bytes to text by one rule: byte order mark, strict UTF-8, UTF-16 by its NUL pattern, the fallback.

No statistical detector: they call nearly-UTF-8 Japanese and Latin-1 Czech. Whatever has a NUL and is no
UTF-16 is binary. The text is always ``data[bom:].decode(encoding, "replace")``, line ends untouched, so a
quote can be checked by anyone with the bytes and the name of the encoding.
"""

from __future__ import annotations

import codecs
import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lens_lsp.corpus.hang_safe_io import call_of
from lens_lsp.corpus.safe_open import Root, Skipped, skipped
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.text import Position

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


_WIDE_SHARE = 8
"""From one byte in so many outside ASCII on the decoder is faster."""
_UTF_8_SAMPLE = 1 << 14

_SIZE = np.zeros(256, np.int64)
_SIZE[0xC2:0xE0], _SIZE[0xE0:0xF0], _SIZE[0xF0:0xF5] = 2, 3, 4
# Of some first bytes the second is restricted: no character in more bytes than it needs, no surrogates, none beyond
# the last code point.
_LEAST, _MOST = np.full(256, 0x80, np.uint8), np.full(256, 0xBF, np.uint8)
_LEAST[0xE0], _LEAST[0xF0] = 0xA0, 0x90
_MOST[0xED], _MOST[0xF4] = 0x9F, 0x8F


def is_utf_8(data: bytes) -> bool:
    """Whether the strict decoder would take these bytes."""
    raw = np.frombuffer(data, np.uint8)
    if np.count_nonzero(raw[:_UTF_8_SAMPLE] >= 0x80) * _WIDE_SHARE > min(len(raw), _UTF_8_SAMPLE):
        return _decodes(data)
    place = np.flatnonzero(raw >= 0x80)
    if not len(place):
        return True
    wide = raw[place]
    leads = np.flatnonzero(wide >= 0xC0)
    if not len(leads) or leads[0]:
        return False  # it begins inside a character
    first = wide[leads]
    size = _SIZE[first]
    if not (size.all() and np.array_equal(np.diff(leads, append=len(wide)), size)):
        return False
    if not np.array_equal(place[leads + size - 1] - place[leads], size - 1):
        return False
    second = wide[leads + 1]
    return bool(((second >= _LEAST[first]) & (second <= _MOST[first])).all())


def _decodes(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


LARGE = 8 << 20
"""Bytes above which a text is searched in pieces."""

_PIECE = 1 << 20
_BEGINNING = 1 << 16
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a file: bytes ``[start, end)``, the code points before it, the position of its first."""

    start: int
    end: int
    point: int
    position: Position
    encoding: str
    guessed: bool

    def text(self, root: Root, path: str) -> str:
        """The decoded piece as it is on disk now. Raises `Skipped`."""
        fd = root.open(path)
        try:
            os.lseek(fd, self.start, os.SEEK_SET)
            return _exactly(fd, self.end - self.start).decode(self.encoding, "replace")
        except OSError as error:
            raise skipped(error) from error
        finally:
            os.close(fd)


def _exactly(fd: int, size: int) -> bytes:
    """That many bytes, fewer only at the end of the file."""
    parts: list[bytes] = []
    while size and (data := call_of(fd, os.read, fd, size)):
        parts.append(data)
        size -= len(data)
    return b"".join(parts)


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
        for data in self._stream:
            if self._cancelled is not None and self._cancelled():
                raise Skipped(SkipReason.NOT_READ)
            self._beginning = self._beginning or data[:_BEGINNING]
            self._digest.update(data)
            yield data

    def whole(self) -> Whole:
        """What was read, as a whole."""
        return Whole(self._digest.hexdigest(), self._beginning)


def cut(root: Root, path: str, fallback: str, cancelled: Callable[[], bool] | None = None) -> tuple[list[Piece], Whole]:
    """The pieces of a text file, and what it is as a whole. Raises `Skipped` for what is no text, for UTF-16 of this
    size, and where it was ``cancelled``."""
    for encoding, guessed in (("utf-8", False), (fallback, True)):
        reader = WholeReader(root, path, cancelled)
        try:
            return list(_pieces(reader, encoding, guessed)), reader.whole()
        except UnicodeDecodeError:
            continue
    raise Skipped(SkipReason.BINARY)


def _pieces(reader: WholeReader, encoding: str, guessed: bool) -> Iterator[Piece]:
    errors = "replace" if guessed else "strict"
    start = point = 0
    position = Position(1, 1)
    for data in _stretches(reader):
        skip = len(_BOM) if start == 0 and data.startswith(_BOM) else 0
        if b"\0" in data:
            raise Skipped(SkipReason.BINARY if start else _kind(data, fallback=encoding))
        text = data[skip:].decode(encoding, errors)
        yield Piece(start + skip, start + len(data), point, position, encoding, guessed)
        start += len(data)
        point += len(text)
        position = _after(text, position)


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


def _after(text: str, position: Position) -> Position:
    """The position behind a text that begins at a position."""
    lines = text.count("\n") + text.count("\r") - text.count("\r\n")
    if not lines:
        return Position(position.line, position.column + len(text))
    return Position(position.line + lines, len(text) - max(text.rfind("\n"), text.rfind("\r")))


def with_plain_breaks(text: str) -> str:
    r"""The text with ``\n`` as its only line break and every character at the same offset.

    ``\r\n`` becomes a space and ``\n``, so a reader may split at ``\n`` and still count in source offsets.
    """
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")
