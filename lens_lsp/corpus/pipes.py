"""Requests to a process over its standard streams, and how that answers them: messages in both directions.

A message is its size in eight bytes, then its bytes. A process that works on a reply says each second, by a message
without bytes, that it does; one that falls silent or is late is ended.
"""

from __future__ import annotations

import math
import os
import struct
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO

PROTOCOL = 2
"""What both sides must speak: it changes with any type on the wire."""
MOST_BYTES = 1 << 30
"""Bytes of one message; more are none of ours."""
_SIZE = struct.Struct("<Q")
_PART = 1 << 20
"""Bytes of a message that are waited for together."""
_BEAT = 1.0
"""Seconds after which a process that works on a request says so."""
SILENCE, SILENT = 15.0, 1 / 4
"""Seconds, and share of the time for a reply, for which a process that has spoken may say nothing: the lesser, but not
less than three beats."""


class Pipe:
    """Requests to a process, one at a time; one that is late or silent is ended. Safe for threads."""

    def __init__(self, process: subprocess.Popen[bytes], kill: Callable[[], object] | None = None) -> None:
        """``kill`` ends the process, with what it has started."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._kill = kill or process.kill
        self._given, self._taken = process.stdin, process.stdout
        self._lock = threading.Lock()
        self._heard = math.inf
        """When it said something last; until it does, nobody knows how long it needs to start."""
        self._ended = ""

    def put(self, data: bytes) -> None:
        """Send what is not answered. Raises OSError."""
        put_message(self._given, data)

    def send(self, data: bytes, until: Callable[[], float]) -> bytes:
        """The reply to a request; ``until`` tells, when it is sent, to what time of `time.monotonic` it is waited for.
        Raises EOFError."""
        with self._lock:
            done = threading.Event()
            if self._heard < math.inf:
                self._hear()
            threading.Thread(target=self._watch, args=(done, until()), daemon=True).start()
            try:
                self.put(data)
                while not (reply := take_message(self._taken, self._hear)):
                    pass
                return reply
            except (OSError, EOFError, ValueError) as error:  # ValueError: its streams are closed
                raise EOFError(self._ended or str(error)) from error
            finally:
                done.set()

    def _hear(self) -> None:
        self._heard = time.monotonic()

    def _watch(self, done: threading.Event, until: float) -> None:
        """End the process where it says nothing for too long, or does not answer until a moment."""
        silence = max(3 * _BEAT, min(SILENCE, SILENT * (until - time.monotonic())))
        while not done.wait(max(0.0, min(until, self._heard + silence) - time.monotonic())):
            now = time.monotonic()
            if now >= min(until, self._heard + silence):
                self._ended = "it did not answer in time" if now >= until else f"it said nothing for {silence:.1f} s"
                self._kill()
                return


def keyless_environment() -> dict[str, str]:
    """What a process that only reads files gets of this one's environment: all but the keys of models."""
    return {name: value for name, value in os.environ.items() if not (name.startswith("LENS_") and "KEY" in name)}


def put_message(stream: IO[bytes], data: bytes) -> None:
    """Write a message."""
    stream.write(_SIZE.pack(len(data)))
    stream.write(data)
    stream.flush()


def take_message(stream: IO[bytes], heard: Callable[[], None] = lambda: None) -> bytes:
    """Read a message; ``heard`` is told whenever a part of it came. Raises EOFError where the other side has ended,
    OSError for one that is none."""
    head = stream.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise EOFError("it ended")
    (size,) = _SIZE.unpack(head)
    if size > MOST_BYTES:
        raise OSError("it sent what is no message")
    data = bytearray()
    heard()
    while len(data) < size:
        part = stream.read(min(size - len(data), _PART))
        if not part:
            raise EOFError("it ended in the middle of a reply")
        data += part
        heard()
    return bytes(data)


def serve(handle: Callable[[bytes], bytes], requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer requests until there are no more."""
    with suppress(EOFError, OSError):  # the other side has ended
        while True:
            data, done = take_message(requests), threading.Event()
            beat = threading.Thread(target=_beat, args=(replies, done), daemon=True)
            beat.start()
            try:
                reply = handle(data)
            finally:
                done.set()
                beat.join()
            put_message(replies, reply)


def _beat(replies: IO[bytes], done: threading.Event) -> None:
    with suppress(OSError):
        while not done.wait(_BEAT):
            put_message(replies, b"")
