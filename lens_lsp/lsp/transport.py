"""Transport of messages over byte streams: header framing, one thread that reads and one that writes.

Shared by the server and the client. Everything has a cap: a full inbox stops reading, so that the peer waits; an outbox
that fills because the peer stopped reading ends the connection. A stream whose framing is broken cannot be brought back
in step: the connection ends, and the client starts anew.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import BinaryIO, Protocol

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

LARGEST = 64 << 20
"""Bytes of the largest message that is taken; larger ones are drained."""
_LONGEST_LINE = 8192
_LONGEST_HEAD = 1 << 16
_CHUNK = 1 << 16
_LENGTH = regex(rb"[0-9]{1,12}")
MESSAGES = 256
"""Messages that wait to be handled, at most."""
BACKLOG = 16 << 20
"""Bytes that wait to be written, at most; one larger message alone is written all the same."""


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


Arrival = bytes | TooLarge | BrokenFraming | None
"""A body; a message too large; the end, broken or not."""


class Inbox:
    """What has arrived and was not handled yet: at most `MESSAGES`, of `LARGEST` bytes together unless it is one.

    Filled by a daemon thread of its own, emptied on the event loop ``loop``. The thread that reads must never be one
    of a pool: work that fills the pool would make the server deaf.
    """

    def __init__(self, stream: Stream, loop: asyncio.AbstractEventLoop) -> None:
        self._stream = stream
        self._loop = loop
        self._room = threading.Condition()
        self._waiting = 0
        self._bytes = 0
        self._arrived: asyncio.Queue[Arrival] = asyncio.Queue()

    def start(self) -> None:
        """Begin to read."""
        threading.Thread(target=self._read, name="lens-reader", daemon=True).start()

    async def get(self) -> Arrival:
        """The next arrival, in order; after the end there is none."""
        arrival = await self._arrived.get()
        with self._room:
            self._waiting -= 1
            self._bytes -= _size(arrival)
            self._room.notify()
        return arrival

    def _read(self) -> None:
        arrival: Arrival = b""
        while isinstance(arrival, bytes | TooLarge):
            try:
                arrival = read_message(self._stream)
            except BrokenFraming as broken:
                arrival = broken
            except (OSError, ValueError):  # the stream was closed under us
                arrival = None
            self._put(arrival)

    def _put(self, arrival: Arrival) -> None:
        size = _size(arrival)
        with self._room:
            self._room.wait_for(lambda: self._fits(size))
            self._waiting += 1
            self._bytes += size
        try:
            self._loop.call_soon_threadsafe(self._arrived.put_nowait, arrival)
        except RuntimeError:  # the loop is closed: nobody will read this
            return

    def _fits(self, size: int) -> bool:
        return not self._waiting or (self._waiting < MESSAGES and self._bytes + size <= LARGEST)


class Outbox:
    """Where messages for the client go: written in order by a daemon thread, so that no caller ever waits.

    ``lost`` is told, once and on any thread, why nothing can be written any more. Implements pygls' ``Writer``.
    """

    def __init__(self, stream: BinaryIO, lost: Callable[[str], None]) -> None:
        self._stream = stream
        self._lost = lost
        self._changed = threading.Condition()
        self._pending: deque[bytes] = deque()
        self._bytes = 0
        self._broken = False

    def start(self) -> None:
        """Begin to write."""
        threading.Thread(target=self._write, name="lens-writer", daemon=True).start()

    def write(self, data: bytes) -> None:
        """Have one message written."""
        with self._changed:
            if self._broken:
                return
            full = bool(self._pending) and self._bytes + len(data) > BACKLOG
            if not full:
                self._pending.append(data)
                self._bytes += len(data)
                self._changed.notify_all()
        if full:
            self._break(f"the client has not read for so long that {BACKLOG >> 20} MiB wait for it")

    def close(self) -> None:
        """Nothing: the process ends with the connection."""

    def flush(self, seconds: float) -> bool:
        """Wait until everything is written; whether it was, within that time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._broken or not self._bytes, seconds) and not self._broken

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._pending)
                data = self._pending[0]
            try:
                self._stream.write(data)
                self._stream.flush()
            except (OSError, ValueError):
                self._break("the client closed its end")
                return
            with self._changed:
                self._pending.popleft()
                self._bytes -= len(data)
                self._changed.notify_all()

    def _break(self, why: str) -> None:
        with self._changed:
            first, self._broken = not self._broken, True
            self._changed.notify_all()
        if first:
            self._lost(why)


def _size(arrival: Arrival) -> int:
    return len(arrival) if isinstance(arrival, bytes) else 0
