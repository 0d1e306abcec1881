"""A chat-completions server on loopback, with real sockets, and with every fault an endpoint may have.

    async with ChatServer("The answer.") as server:
        model = OpenAIChat(server.base_url, "any")

`in_thread` runs one beside synchronous code, for a test that starts ``lens`` as a process.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from tests.judge.llm.chat_faults import FAULTS, Fault, Scene
from tests.judge.llm.chat_wire import USAGE, Line, Received, completion, delta, error, pieces


class ChatServer:
    """Serves one text (or what a function makes of the request), or one fault, to every request; a function draws a
    fault, or none, for each.

    ``refuses`` names fields of a request (``json_schema``, ``json_object``, ``temperature``, …) that it answers with a
    400. ``routes`` are further paths with the JSON they give. ``elsewhere`` is where a redirect leads. ``pieces`` are
    sent before ``paused`` is set and the stream waits for ``go_on``. A reply begins after ``first`` seconds, and each
    piece of it takes ``pace`` seconds. ``usage`` is what it says of tokens.
    """

    def __init__(
        self,
        reply: str | Callable[[dict[str, Any]], str] = "The answer is 42.",
        fault: Fault | Callable[[], Fault | None] | None = None,
        *,
        refuses: frozenset[str] = frozenset(),
        routes: Mapping[str, object] | None = None,
        elsewhere: str = "http://127.0.0.1:9/v1",
        retry_after: str = "7",
        words: str = "",
        pause_after: int | None = None,
        first: float = 0.0,
        pace: float = 0.0,
        done: bool = True,
        hang_after_finish: bool = False,
        usage: object = USAGE,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.requests: list[Received] = []
        self.connections = 0
        """Connections ever made."""
        self.open = 0
        self.reply = reply
        self.fault = fault
        self.refuses = refuses
        self.routes = dict(routes or {})
        self.elsewhere = elsewhere
        self.retry_after = retry_after
        self.words = words
        self.pause_after = pause_after
        self.first = first
        self.pace = pace
        self.done = done
        self.hang_after_finish = hang_after_finish
        self.usage = usage
        self.silent = False
        """Whether no path at all is answered."""
        self.connected = asyncio.Event()
        self.received = asyncio.Event()
        self.paused = asyncio.Event()
        self.go_on = asyncio.Event()
        self._idle = asyncio.Condition()
        self._tls = tls
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    @property
    def origin(self) -> str:
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return self.origin + "/v1"

    async def __aenter__(self) -> ChatServer:
        self._server = await asyncio.start_server(self._accepted, "127.0.0.1", 0, ssl=self._tls, backlog=200)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def idle(self) -> None:
        """Wait until no connection is open."""
        async with self._idle:
            await self._idle.wait_for(lambda: self.open == 0)

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        self.connected.set()
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(Line(reader, writer))
        except (OSError, asyncio.IncompleteReadError):
            pass
        except asyncio.CancelledError:
            pass  # the server is closing: this is the whole task
        finally:
            writer.close()
            self._tasks.discard(task)
            self.open -= 1
            async with self._idle:
                self._idle.notify_all()

    async def _serve(self, line: Line) -> None:
        request = await line.request()
        self.requests.append(request)
        self.received.set()
        async with line.watched():
            path = request.path
            fault = self.fault() if callable(self.fault) else self.fault
            if self.silent:
                await line.gone()
            elif path.partition("?")[0] in self.routes:
                await line.whole(json.dumps(self.routes[path.partition("?")[0]]).encode())
            elif not path.endswith("/chat/completions"):
                await line.whole(b'{"error": "no such path"}', status="404 Not Found")
            elif fault is not None:
                stream = bool(request.json.get("stream"))
                scene = Scene(len(self.requests), stream, self.elsewhere, self.retry_after, self.words)
                await FAULTS[fault](scene, line)
            else:
                await self._chat(line, request.json)

    async def _chat(self, line: Line, asked: dict[str, Any]) -> None:
        named = {*asked, (asked.get("response_format") or {}).get("type", "")}
        for name in ("stream_options", "max_tokens", "temperature", "json_schema", "json_object"):
            if name in named & self.refuses:
                await line.whole(error(_REFUSALS.get(name, f"unknown field {name}")), status="400 Bad Request")
                return
        text = self.reply if isinstance(self.reply, str) else self.reply(asked)
        if not asked.get("stream"):
            if not await line.gone_within(self.first + self.pace * len([*pieces(text)])):
                await line.whole(completion(text, usage=self.usage))
            return
        await line.begin_stream()
        if await line.gone_within(self.first):
            return
        for number, piece in enumerate(pieces(text)):
            if await line.gone_within(self.pace):
                return
            if number == self.pause_after:
                self.paused.set()
                await line.gone_or(self.go_on)
            await line.event(delta(piece))
        await line.event(delta("", "stop"))
        if self.hang_after_finish:
            await line.gone()
            return
        if "stream_options" in asked:
            await line.event({"choices": [], "usage": self.usage})
        if self.done:
            await line.event("[DONE]")
        await line.end_stream()


_REFUSALS = {
    "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    "json_schema": "'response_format.type' json_schema is not available",
    "json_object": "'response_format.type' must be 'text'",
}


def streaming_over(seconds: float, reply: Callable[[dict[str, Any]], str]) -> ChatServer:
    """A server whose streamed replies take so many seconds each; what is asked for whole comes at once."""

    def slowly(asked: dict[str, Any]) -> str:
        text = reply(asked)
        server.pace = seconds / len([*pieces(text)]) if asked.get("stream") else 0.0
        return text

    server = ChatServer(slowly)
    return server


@contextmanager
def in_thread(server: ChatServer) -> Iterator[ChatServer]:
    """Run a server beside synchronous code, for as long as the block lasts."""
    ready = threading.Event()
    stop: list[Callable[[], object]] = []

    async def run() -> None:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        stop.append(lambda: loop.call_soon_threadsafe(over.set))
        async with server:
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    if not ready.wait(10):
        raise RuntimeError("the chat server did not start")
    try:
        yield server
    finally:
        stop[0]()
        thread.join(10)
