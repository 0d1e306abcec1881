"""Very large texts, cut into pieces that are searched like documents of their own.

A piece is about a megabyte and ends at a line end where there is one, else at white space, else between two
characters. Nothing of the file stays in memory but where its pieces begin, so a gigabyte costs no more than a page.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lens_lsp.corpus.away import asked
from lens_lsp.corpus.encoding import decode
from lens_lsp.corpus.opening import Root, Skipped, skipped
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.text import Position

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
    while size and (data := asked(fd, os.read, fd, size)):
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
