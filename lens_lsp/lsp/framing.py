"""Messages out of a stream of bytes: the base protocol's headers, read strictly, with caps on everything.

A stream whose framing is broken cannot be brought back in step; saying so and leaving lets the client start anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

LARGEST = 64 << 20
"""Bytes of the largest message that is taken; larger ones are drained."""
_LONGEST_LINE = 8192
_LONGEST_HEAD = 1 << 16
_CHUNK = 1 << 16
_LENGTH = re.compile(rb"[0-9]{1,12}")


class Stream(Protocol):
    """What messages are read from; both methods block."""

    def readline(self, limit: int, /) -> bytes:
        """A line with its end, at most ``limit`` bytes; nothing at the end of the stream."""

    def read(self, size: int, /) -> bytes:
        """So many bytes, less only at the end of the stream."""


class BrokenFraming(Exception):
    """What arrives is no sequence of messages, and nothing after it can be understood."""


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A message of so many bytes, which were drained and not kept."""

    size: int


def read_message(stream: Stream) -> bytes | TooLarge | None:
    """The next message's body; None at the end of the stream. Raises `BrokenFraming`."""
    size = _head(stream)
    if size is None:
        return None
    if size > LARGEST:
        _drain(stream, size)
        return TooLarge(size)
    body = stream.read(size)
    if len(body) < size:
        raise BrokenFraming("the stream ended inside a message")
    return body


def _head(stream: Stream) -> int | None:
    """The length that the headers give; None at the end of the stream. Raises `BrokenFraming`."""
    size: int | None = None
    seen = 0
    while True:
        line = stream.readline(_LONGEST_LINE)
        if not line:
            if seen:
                raise BrokenFraming("the stream ended inside the headers")
            return None
        if not line.endswith(b"\n"):
            raise BrokenFraming("a header line is too long or was cut off")
        if not line.strip():
            if size is not None:
                return size
            if seen:
                raise BrokenFraming("headers without Content-Length")
            continue  # an empty line before the headers means nothing
        seen += len(line)
        if seen > _LONGEST_HEAD:
            raise BrokenFraming("the headers are too long")
        size = _length(line, size)


def _length(line: bytes, before: int | None) -> int | None:
    """The length after one more header line. Raises `BrokenFraming`."""
    name, colon, value = line.partition(b":")
    if not colon:
        raise BrokenFraming("a header line without a colon")
    if name.strip().lower() != b"content-length":
        return before
    value = value.strip()
    if not _LENGTH.fullmatch(value):
        raise BrokenFraming("Content-Length is no number of at most 12 digits")
    if before not in (None, int(value)):
        raise BrokenFraming("two different values of Content-Length")
    return int(value)


def _drain(stream: Stream, size: int) -> None:
    while size:
        data = stream.read(min(size, _CHUNK))
        if not data:
            raise BrokenFraming("the stream ended inside a message")
        size -= len(data)
