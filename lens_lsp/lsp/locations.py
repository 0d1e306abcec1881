"""File URIs and text positions, converted between our terms and those of the client.

Ours: paths; code points, lines and columns from 1. Those of the client: ``file:`` URIs; lines from 0, characters in the
negotiated encoding from 0. A position that comes in is clamped to the text; one inside a character is the position
before it. URIs are exact to the byte, both ways.
"""

from __future__ import annotations

import os
import re
from typing import Protocol
from urllib.parse import quote_from_bytes, unquote_to_bytes

from lsprotocol import types

from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Position, SourceText, Span

_FILE = regex(r"file:(//(?P<authority>[^/]*))?(?P<path>/[^?#]*)(#.*)?", re.IGNORECASE | re.DOTALL)
_BAD_ESCAPE = regex(r"%(?![0-9a-fA-F]{2})")
_DRIVE = regex(r"/[A-Za-z]:(/|\Z)")
_SAFE = "/!$&'()*+,;=:@-._~"
_WINDOWS = os.name == "nt"
TOP = types.Range(types.Position(0, 0), types.Position(0, 0))
Encoding = types.PositionEncodingKind
"""The unit a client counts characters in."""


class UriRefused(ValueError):
    """A URI that names no file we may look at; the message says why."""


def path_of(uri: str, *, windows: bool = _WINDOWS) -> str:
    """The absolute path of a ``file:`` URI as ``windows`` or other systems write it; no part of it is ``.`` or ``..``.
    Raises `UriRefused`."""
    match = _FILE.fullmatch(uri)
    if match is None:
        raise UriRefused("not a file: URI")
    if (match["authority"] or "").lower() not in ("", "localhost"):
        raise UriRefused("a file on another host")
    written = match["path"]
    if _BAD_ESCAPE.search(written):
        raise UriRefused("a % that escapes nothing")
    try:
        data = unquote_to_bytes(written)
    except UnicodeEncodeError as error:
        raise UriRefused("half a surrogate pair") from error
    if b"\0" in data:
        raise UriRefused("a NUL in a path")
    path = os.fsdecode(data)
    if windows and not _DRIVE.match(path):
        raise UriRefused("no drive")
    parts = re.split(r"[/\\]" if windows else "/", path)[1:]
    if path.startswith("//") or "." in parts or ".." in parts:
        raise UriRefused("a path that is not plain")
    root, separator = (f"{parts.pop(0)}\\", "\\") if windows else ("/", "/")
    return root + separator.join(parts).rstrip(separator)


def uri_of(path: str, *, windows: bool = _WINDOWS) -> str:
    """The ``file:`` URI of an absolute path as ``windows`` or other systems write it."""
    if windows:
        path = "/" + path.replace("\\", "/")
    return "file://" + quote_from_bytes(os.fsencode(path), safe=_SAFE)


class ClientPosition(Protocol):
    """A client's position: lsprotocol's, or that of our own wire models."""

    @property
    def line(self) -> int:
        """From 0."""

    @property
    def character(self) -> int:
        """From 0, in the client's unit."""


def encoding_of(value: str) -> Encoding:
    """The negotiated encoding; UTF-16, the protocol's default, for anything that is none."""
    try:
        return Encoding(value)
    except ValueError:
        return Encoding.Utf16


def code_points(line: str, units: int, encoding: Encoding) -> int:
    """How many code points of a line, its end left out, lie before a client's character; all, if it is beyond."""
    if encoding is Encoding.Utf32 or line.isascii():
        return min(units, len(line))
    if units >= len(line) * 4:
        return len(line)
    for count, character in enumerate(line):
        units -= _width(character, encoding)
        if units < 0:
            return count
    return len(line)


def units(line: str, encoding: Encoding) -> int:
    """How many characters the client counts in a text."""
    if encoding is Encoding.Utf32 or line.isascii():
        return len(line)
    if encoding is Encoding.Utf16:
        return len(line.encode("utf-16-le", "surrogatepass")) // 2
    return len(line.encode("utf-8", "surrogatepass"))


class Ranges:
    """Places in one text, between our offsets and the client's ranges."""

    def __init__(self, text: SourceText | str, encoding: Encoding) -> None:
        self._source = SourceText(text) if isinstance(text, str) else text
        self._encoding = encoding

    def position(self, offset: int) -> types.Position:
        """Where a code point offset stands, as the client counts."""
        place = self._source.position(offset)
        start = self._source.line_starts[place.line - 1]
        before = self._source.text[start : start + place.column - 1]
        return types.Position(place.line - 1, units(before, self._encoding))

    def range(self, span: Span) -> types.Range:
        """A span, as the client counts."""
        return types.Range(self.position(span.start), self.position(span.end))

    def offset(self, position: ClientPosition) -> int:
        """The code point offset of a client's position."""
        starts = self._source.line_starts
        if position.line >= len(starts):
            return len(self._source.text)
        start = starts[position.line]
        end = self._source.offset(Position(position.line + 1, len(self._source.text) + 1))
        return start + code_points(self._source.text[start:end], position.character, self._encoding)

    def span(self, start: ClientPosition, end: ClientPosition) -> Span:
        """The span between two of a client's positions, whichever comes first."""
        first, last = sorted((self.offset(start), self.offset(end)))
        return Span(first, last)


def _width(character: str, encoding: Encoding) -> int:
    point = ord(character)
    if encoding is Encoding.Utf16:
        return 2 if point > 0xFFFF else 1
    return 1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4
