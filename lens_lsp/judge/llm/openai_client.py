"""A chat model behind any endpoint that speaks OpenAI's protocol: OpenAI, Ollama, LM Studio, vLLM, llama.cpp and kin.

The SDK words the requests; the transport below it and the reading of replies are ours (`guard`, `replies`), because
the SDK's timeouts end no slow reply, its memory has no bound and its configuration comes from the environment. It is
imported with the first call, in a thread: it takes half a second.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

from lens_lsp.judge.llm import chat_replies, error_messages
from lens_lsp.judge.llm.chat_model import ChatReply, ChatRequest, ModelError, ModelFailure, Patience, Wait
from lens_lsp.judge.llm.circuit_breaker import Breaker
from lens_lsp.judge.llm.endpoint import Endpoint, Key
from lens_lsp.judge.llm.server_capabilities import Habits
from lens_lsp.model.errors import UsageError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from lens_lsp.judge.llm.endpoint_guard import Access

LOCAL_CONTEXT = 4_096
"""Tokens assumed of a local server that does not say: what Ollama gives a model unless told otherwise."""
REMOTE_CONTEXT = 16_384
SMALL = 2_000_000_000
"""Parameters below which a model does better with less to say."""
_GRACE_SECONDS = 1.0
# The SDK wants a key; the real one is known to the transport alone.
_NO_KEY = "none"


class OpenAIChat:
    """Implements `ChatModel`. One instance may serve several calls at a time.

    ``context_tokens`` is what the user says; without it a safe value is assumed until `probe` finds the real one.
    ``ca_file`` names a PEM file with one more authority whose certificates hold; checking them cannot be switched off.
    ``clock`` gives the time of day in seconds; ``breaker`` decides when an endpoint that keeps failing is left alone.
    Raises `UsageError` for a base URL or a key that cannot be meant.

    A refusal that names a detail of the request (a reply format, a parameter) raises a retryable `ModelError`: a retry
    and no call. The same request, made again, leaves the detail out, here and for good.
    """

    def __init__(
        self,
        base_url: str,
        name: str,
        key: str | None = None,
        *,
        context_tokens: int | None = None,
        ca_file: str | None = None,
        clock: Callable[[], float] = time.time,
        breaker: Breaker | None = None,
    ) -> None:
        self._endpoint = Endpoint.of(base_url)
        self._name = name
        self._key = Key(key) if key else None
        self._told = context_tokens
        self._parameters: int | None = None
        self._context = context_tokens or (LOCAL_CONTEXT if self._endpoint.loopback else REMOTE_CONTEXT)
        self._ca_file = _readable(ca_file)
        self._clock = clock
        self._breaker = breaker or Breaker()
        self._habits = Habits.at_first(self._endpoint)
        self._lock = threading.Lock()
        self._made: AsyncOpenAI | None = None

    def __repr__(self) -> str:
        return f"OpenAIChat({self._endpoint.base!r}, {self._name!r})"

    @property
    def name(self) -> str:
        """What the endpoint calls the model."""
        return self._name

    @property
    def endpoint(self) -> str:
        """The origin that everything is sent to."""
        return self._endpoint.origin

    @property
    def loopback(self) -> bool:
        """Whether nothing leaves this machine."""
        return self._endpoint.loopback

    @property
    def context_tokens(self) -> int:
        """How many tokens fit, prompt and reply together."""
        return self._context

    @property
    def small(self) -> bool:
        """Whether the endpoint says that it is a small model; False until `probe` has asked."""
        return self._parameters is not None and self._parameters < SMALL

    async def probe(self, seconds: float = 2.0) -> int:
        """Ask the endpoint how large model and context are, unless it was told; no text of any document is sent.

        Returns `context_tokens`, which keeps its safe value when the endpoint does not say within ``seconds``.
        """
        if self._told is None:
            from lens_lsp.judge.llm.server_capabilities import size_of

            found = await size_of(self._access(), self._name, seconds)
            self._context = found.context or self._context
            self._parameters = found.parameters
        return self._context

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One call, the whole reply. Raises `ModelError`."""
        deadline = asyncio.get_running_loop().time() + request.seconds
        request.departure.left = False
        async with self._breaker.call(self._endpoint.origin, deadline):
            return await self._complete(request, deadline)

    async def _complete(self, request: ChatRequest, deadline: float) -> ChatReply:
        origin = self._endpoint.origin
        try:
            async with asyncio.timeout_at(deadline), AsyncExitStack() as stack:
                response = await self._open(request, stack, stream=False)
                kind = chat_replies.media_type(response.headers.get("content-type", ""), origin)
                body = await self._whole(response.iter_bytes())
        except TimeoutError:
            raise error_messages.late(origin, request, Wait.CALL) from None
        if kind != "application/json":
            raise ModelError(f"{origin} streams though it was not asked to; update it", failure=ModelFailure.UNREADABLE)
        return chat_replies.whole_reply(body, origin, self._key)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply, None]:
        """One call, the reply's text piece by piece, then the whole reply. Raises `ModelError`.

        Close it (`contextlib.aclosing`) when it is left early: that closes the connection.
        """
        deadline = asyncio.get_running_loop().time() + request.seconds
        request.departure.left = False
        async with (
            self._breaker.call(self._endpoint.origin, deadline),
            aclosing(self._stream(request, deadline)) as parts,
        ):
            async for part in parts:
                if isinstance(part, ChatReply):
                    break
                yield part
        yield part

    async def _stream(self, request: ChatRequest, deadline: float) -> AsyncGenerator[str | ChatReply, None]:
        origin = self._endpoint.origin
        waiting = _Waiting(request.patience, deadline)
        try:
            async with AsyncExitStack() as stack:
                async with waiting.once():
                    response = await self._open(request, stack, stream=True)
                kind = chat_replies.media_type(response.headers.get("content-type", ""), origin)
                if kind == "application/json":  # some servers stream only some models
                    waiting.wait = Wait.CALL
                    async with waiting.once():
                        body = await self._whole(response.iter_bytes())
                    reply = chat_replies.whole_reply(body, origin, self._key)
                    yield reply.text
                else:
                    events = chat_replies.EventStream(origin, self._key)
                    async with aclosing(_pieces(events, response.iter_bytes(), waiting)) as pieces:
                        async for text in pieces:
                            yield text
                    reply = events.reply()
        except TimeoutError:
            raise error_messages.late(origin, request, waiting.late_for) from None
        yield reply

    async def aclose(self) -> None:
        """Close every connection. The model can be used again afterwards."""
        with self._lock:
            made, self._made = self._made, None
        if made is not None:
            await made.close()

    def _access(self) -> Access:
        from lens_lsp.judge.llm.endpoint_guard import Access

        return Access(self._endpoint, self._key, self._ca_file, self._clock)

    def _client(self) -> AsyncOpenAI:
        """The SDK's client, made once. Slow: for a thread."""
        with self._lock:
            if self._made is None:
                import openai

                from lens_lsp.judge.llm.endpoint_guard import http_client

                self._made = openai.AsyncOpenAI(
                    api_key=_NO_KEY,
                    base_url=self._endpoint.base,
                    http_client=http_client(self._access()),
                    max_retries=0,
                    timeout=None,
                )
                # Unset, the SDK starts the program `uname` to describe this machine to the endpoint.
                self._made._platform = "Unknown"
            return self._made

    async def _open(self, request: ChatRequest, stack: AsyncExitStack, *, stream: bool) -> Any:
        """Send the request; the SDK's response, its body unread."""
        client = await asyncio.to_thread(self._client)
        import httpx2
        import openai

        from lens_lsp.judge.llm.endpoint_guard import DEPARTURE, EndpointError

        habits = self._habits
        body = habits.body(request, self._name, stream=stream)
        noted = DEPARTURE.set(request.departure)
        try:
            opening = client.chat.completions.with_streaming_response.create(**body)
            return await stack.enter_async_context(opening)
        except EndpointError as error:
            learned = habits.after_refusal(body, error.status, error.words)
            if learned is None:
                raise
            self._habits = learned
            text = f"{self._endpoint.origin} does not take a detail of the request; made again, it is left out"
            raise ModelError(text, retryable=True, retry_after=0.0) from None
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, UnicodeError):
            text = f"the request to {self._endpoint.origin} could not be sent; check the model's base URL and name"
            raise ModelError(text) from None
        finally:
            DEPARTURE.reset(noted)

    async def _whole(self, parts: AsyncIterator[bytes]) -> bytes:
        """A body that is one document."""
        body = bytearray()
        async for part in parts:
            body += part
            if len(body) > chat_replies.MOST_WHOLE:
                raise error_messages.too_large(self._endpoint, chat_replies.MOST_WHOLE)
        return bytes(body)


def _readable(ca_file: str | None) -> str | None:
    """The file of an authority, if certificates stand in it. Raises `UsageError`."""
    if ca_file is not None:
        import ssl

        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(ca_file)
        except (OSError, ssl.SSLError):
            raise UsageError(f"no PEM certificates can be read from {ca_file}; name the authority's file") from None
    return ca_file


class _Waiting:
    """The limits of one reply that streams. ``deadline`` is the end of the call, a time of the event loop; ``wait`` is
    what is waited for. Only time spent on waiting counts against a token, never that of who takes the text."""

    def __init__(self, patience: Patience, deadline: float) -> None:
        self._patience = patience
        self._clock = asyncio.get_running_loop().time
        self.deadline = deadline
        self.wait = Wait.FIRST
        self._waited = 0.0
        self._tokens = 0

    @property
    def late_for(self) -> Wait:
        """Which limit has run out."""
        return Wait.CALL if self._clock() >= self.deadline else self.wait

    @asynccontextmanager
    async def once(self) -> AsyncGenerator[None, None]:
        """Around one wait for bytes. Raises `TimeoutError` when its time is over."""
        began, until = self._clock(), self.deadline
        if self.wait is not Wait.CALL:
            longest = self._patience.first if self.wait is Wait.FIRST else self._patience.next
            until = min(until, began + longest - self._waited)
        async with asyncio.timeout_at(until):
            yield
        self._waited += self._clock() - began

    def heard(self, tokens: int) -> None:
        """So many pieces of the reply have come by now. What is no piece of it, such as a sign of life, is no token."""
        if tokens > self._tokens:
            self._tokens, self._waited, self.wait = tokens, 0.0, Wait.NEXT

    def finish(self) -> None:
        """The text is complete: only usage may come, which is not worth a deadline."""
        if self.wait is not Wait.CALL:
            self.wait = Wait.CALL
            self.deadline = min(self.deadline, self._clock() + _GRACE_SECONDS)


async def _pieces(
    events: chat_replies.EventStream, parts: AsyncIterator[bytes], waiting: _Waiting
) -> AsyncGenerator[str, None]:
    """The text of a stream as it comes, up to its end. Raises `TimeoutError` when a part is not there in time.

    Only the waiting for a part is ever interrupted, never the one who takes the text.
    """
    while not events.done:
        try:
            async with waiting.once():
                part = await anext(parts, None)
        except (TimeoutError, ModelError):
            if events.finished:
                return
            raise
        if part is None:
            for text in events.end():
                yield text
            return
        for text in events.feed(part):
            yield text
        waiting.heard(events.tokens)
        if events.finished:
            waiting.finish()
