"""What goes over the wire between a chat server and its client: one connection, requests, the shapes of replies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

PACE = 0.02
"""Seconds between the bytes of a drip."""


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body or b"{}")


class Line:
    """One connection, as the server holds it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer
        self._gone: asyncio.Task[bytes] | None = None

    async def request(self) -> Received:
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (row.partition(":") for row in head[1:] if row)}
        return Received(method, path, headers, await self._reader.readexactly(int(headers.get("content-length", "0"))))

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Notice when the client hangs up."""
        self._gone = asyncio.create_task(self._reader.read(1))
        try:
            yield
        finally:
            self._gone.cancel()
            await asyncio.gather(self._gone, return_exceptions=True)

    async def gone(self) -> None:
        """Wait until the client hangs up."""
        assert self._gone is not None
        await asyncio.wait({self._gone})

    async def gone_within(self, seconds: float) -> bool:
        assert self._gone is not None
        return bool((await asyncio.wait({self._gone}, timeout=seconds))[0])

    async def gone_or(self, event: asyncio.Event) -> None:
        """Wait for an event, or until the client hangs up."""
        assert self._gone is not None
        waiting = asyncio.create_task(event.wait())
        await asyncio.wait({self._gone, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self, status: str = "200 OK", kind: str = "application/json", *more: str) -> None:
        rows = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", *more]
        await self.send("\r\n".join([*rows, "", ""]).encode("latin-1"))

    async def whole(self, body: bytes, *more: str, status: str = "200 OK", kind: str = "application/json") -> None:
        await self.head(status, kind, f"Content-Length: {len(body)}", *more)
        await self.send(body)

    async def begin_stream(self) -> None:
        await self.head("200 OK", "text/event-stream", "Transfer-Encoding: chunked")

    async def chunk(self, data: bytes) -> None:
        await self.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    async def event(self, data: object) -> None:
        await self.chunk(b"data: " + (data if isinstance(data, str) else json.dumps(data)).encode() + b"\n\n")

    async def end_stream(self) -> None:
        await self.send(b"0\r\n\r\n")

    async def drip(self, data: bytes) -> None:
        """One byte after the other, for ever, until the client hangs up."""
        at = 0
        while not await self.gone_within(PACE):
            await self.send(data[at % len(data) : at % len(data) + 1])
            at += 1


USAGE: object = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}


def completion(text: object, finish: str | None = "stop", usage: object = USAGE, **message: object) -> bytes:
    """A whole reply."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def delta(text: object, finish: str | None = None, **fields: object) -> dict[str, Any]:
    """One piece of a streamed reply."""
    choice = {"delta": {"content": text, **fields}, "finish_reason": finish}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def error(words: str) -> bytes:
    return json.dumps({"error": {"message": words, "type": "invalid_request_error"}}).encode()


def pieces(text: str) -> Iterator[str]:
    yield from (text[at : at + 5] for at in range(0, len(text), 5))
