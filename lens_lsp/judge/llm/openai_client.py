"""A chat model behind any endpoint that speaks OpenAI's protocol: OpenAI, Ollama, LM Studio, vLLM, llama.cpp and kin.

The SDK words the requests. The transport below it (`endpoint_guard`) and the reading of replies are ours: the SDK's
stream has no bound, does not tell an end that was announced from a line that was cut, and waits for whatever follows
that end; its timeouts end no slow reply, and its retries are not counted by a ledger. All of it was measured. It is
imported with the first call, in a thread: it takes half a second.

What a server takes is learned from what it refuses: compatible servers differ in four details of a request, and each is
assumed in its richest form until a request is refused that names it. That request is a retry and no call. How large a
model is, local servers are asked; of sizes the context in force counts, since a server that is given more than fits
drops the beginning without a word. What is sent to learn it is the name of the model."""

from __future__ import annotations

import asyncio
import json
import math
import re
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from lens_lsp.judge.llm.chat_model import (
    MOST_WHOLE,
    REMOTE_CONTEXT,
    CallTimeouts,
    ChatReply,
    ChatRequest,
    ModelError,
    ModelFailure,
    TimeLimit,
    in_words,
    late,
    text_of,
    too_large,
)
from lens_lsp.judge.llm.endpoint import ApiKey, Endpoint, clean, error_words
from lens_lsp.model.errors import UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

    from lens_lsp.judge.llm.endpoint_guard import EndpointAccess


MOST_FAILURES = 3
"""Calls in a row that may fail before the endpoint is left alone: one question's request with both of its retries."""
OPEN_SECONDS = 30.0
_AILING = frozenset(
    {
        ModelFailure.UNREACHABLE,
        ModelFailure.BUSY,
        ModelFailure.DEADLINE,
        ModelFailure.TOO_LARGE,
        ModelFailure.UNREADABLE,
        ModelFailure.CUT_OFF,
    }
)
# Nothing was learned of the endpoint: the call was stopped on this side.
_SILENT = frozenset({ModelFailure.UNTRUSTED, ModelFailure.PAUSED})
LOCAL_CONTEXT = 4_096
"""Tokens assumed of a local server that does not say: what Ollama gives a model unless told otherwise."""
SMALL = 2_000_000_000
"""Parameters below which a model does better with less to say."""
_GRACE_SECONDS = 1.0
# The SDK wants a key; the real one is known to the transport alone.
_NO_KEY = "none"
_REFUSED = (400, 404, 415, 422, 500, 501)
_FORMAT = regex(r"response.?format|schema|json.?object|structured.?output|guided|grammar", re.IGNORECASE)
_NAME = "reply"
OLLAMA_CONTEXT = 4_096
"""Tokens that Ollama gives a model which names no size itself."""
_MOST_BYTES = 1 << 20
_MOST_NAMES = 100
_LONGEST_NAME = 200
_SIZES = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length")
_TOKENS = range(10**9)
_SANE = range(256, 100_000_001)
_Ask = Callable[[str, str, object], Awaitable[dict[str, Any]]]


class Shape(IntEnum):
    """How an endpoint can be held to JSON."""

    WORDS = 0
    """It is only asked for, in words."""
    OBJECT = 1
    """Any JSON object; which one is asked for in words."""
    SCHEMA = 2


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """What to put into a request. ``limit`` is the field that bounds the reply; ``usage`` asks a stream for it."""

    shape: Shape = Shape.SCHEMA
    limit: str = "max_tokens"
    temperature: bool = True
    usage: bool = True

    @classmethod
    def at_first(cls, endpoint: Endpoint) -> ServerCapabilities:
        """What an endpoint is assumed to take. OpenAI's own renamed the limit; all others know the old name."""
        own = endpoint.host == "api.openai.com"
        return cls(limit="max_completion_tokens" if own else "max_tokens")

    def body(self, request: ChatRequest, name: str, *, stream: bool) -> dict[str, Any]:
        """The fields of the request as the endpoint takes it."""
        messages = [{"role": message.role.value, "content": message.text} for message in request.messages]
        body: dict[str, Any] = {"model": name, "messages": messages, self.limit: request.max_tokens}
        if self.temperature:
            body["temperature"] = request.temperature
        if stream:
            body["stream"] = True
            if self.usage:
                body["stream_options"] = {"include_usage": True}
        if request.schema is None:
            return body
        if self.shape is Shape.SCHEMA:
            schema = {"name": _NAME, "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
            return body
        if self.shape is Shape.OBJECT:
            body["response_format"] = {"type": "json_object"}
        if messages:
            messages[-1]["content"] += in_words(request.schema)
        return body

    def after_refusal(self, sent: dict[str, Any], status: int, words: str) -> ServerCapabilities | None:
        """What to send from now on, after a request was refused with these words; None when they name nothing.

        It looks at what was sent, so that several calls at a time, refused for the same, learn it once.
        """
        if status not in _REFUSED:
            return None
        if "stream_options" in sent and re.search(r"stream.?options|include.?usage", words, re.IGNORECASE):
            return replace(self, usage=False)
        if "max_tokens" in sent and "max_completion_tokens" in words:
            return replace(self, limit="max_completion_tokens")
        if "temperature" in sent and "temperature" in words.lower():
            return replace(self, temperature=False)
        if "response_format" in sent and _FORMAT.search(words):
            # LM Studio takes a schema or nothing, most others a plain object where they take no schema.
            taken = Shape.OBJECT if sent["response_format"]["type"] == "json_schema" else Shape.WORDS
            return replace(self, shape=min(self.shape, taken))
        return None


@dataclass(frozen=True, slots=True)
class ModelSize:
    """What a server says of a model: how many tokens fit, prompt and reply together, and how many parameters it has.
    None for what it does not say."""

    context: int | None = None
    parameters: int | None = None


async def size_of(access: EndpointAccess, name: str, seconds: float) -> ModelSize:
    """How large a model is; nothing is known when nobody said it within ``seconds``."""
    try:
        async with asyncio.timeout(seconds):
            return await _asked(access, name)
    except TimeoutError:
        return ModelSize()


async def _asked(access: EndpointAccess, name: str) -> ModelSize:
    endpoint = access.endpoint
    client = await asyncio.to_thread(_client, access)
    async with client:

        async def ask(method: str, url: str, body: object = None) -> dict[str, Any]:
            return await _answer(client, method, url, body)

        if endpoint.loopback:
            for server in (_ollama, _llama_cpp, _lm_studio):
                size = await server(ask, endpoint.origin, name)
                if size.context is not None:
                    return size
        return _listed(await ask("GET", f"{endpoint.base}/models", None), name)


async def names_of(access: EndpointAccess, seconds: float) -> tuple[str, ...]:
    """What an endpoint calls the models that it lists; none where it gives no list of them. No text is sent.

    Raises `ModelError` when it does not answer within ``seconds``.
    """
    client, url = await asyncio.to_thread(_client, access), f"{access.endpoint.base}/models"
    try:
        async with asyncio.timeout(seconds), client, client.stream("GET", url) as response:
            found = b""
            async for part in response.aiter_bytes():
                found += part
                if len(found) > _MOST_BYTES:
                    return ()
        listed = _mapping(json.loads(found.decode("utf-8")))
    except TimeoutError:
        text = f"{access.endpoint.origin} did not answer within {seconds:.0f} seconds"
        raise ModelError(text, failure=ModelFailure.DEADLINE) from None
    except (ValueError, RecursionError):
        return ()
    names = (model.get("id") for model in _entries(listed, "data"))
    return tuple(name for name in names if isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME)[:_MOST_NAMES]


def _client(access: EndpointAccess) -> httpx2.AsyncClient:
    from lens_lsp.judge.llm.endpoint_guard import http_client

    return http_client(access)


async def _ollama(ask: _Ask, origin: str, name: str) -> ModelSize:
    """The size of the loaded model, else the one its own settings name, else the default; at most what it can hold."""
    shown = await ask("POST", f"{origin}/api/show", {"model": name})
    info = shown.get("model_info")
    if not isinstance(info, dict):
        return ModelSize()
    parameters = _whole(info.get("general.parameter_count"))
    for model in _entries(await ask("GET", f"{origin}/api/ps", None), "models"):
        loaded = _whole(model.get("context_length"), _SANE)
        if loaded is not None and name in (model.get("name"), model.get("model"), f"{model.get('name')}".split(":")[0]):
            return ModelSize(loaded, parameters)
    trained = [_whole(value, _SANE) for key, value in info.items() if str(key).endswith(".context_length")]
    told = re.search(r"^num_ctx\s+(\d{1,9})\s*$", str(shown.get("parameters")), re.MULTILINE)
    context = (_whole(int(told[1]), _SANE) if told else None) or OLLAMA_CONTEXT
    return ModelSize(min(filter(None, [context, *trained])), parameters)


async def _llama_cpp(ask: _Ask, origin: str, name: str) -> ModelSize:
    """The size of one slot of llama.cpp's server; one that has several models is not made to load this one. The only
    model of a server is the one that answers, whatever it is called."""
    query = urlencode({"model": name, "autoload": "false"})
    settings = (await ask("GET", f"{origin}/props?{query}", None)).get("default_generation_settings")
    context = _whole(_mapping(settings).get("n_ctx"), _SANE)
    if context is None:
        return ModelSize()
    models = [*_entries(await ask("GET", f"{origin}/v1/models", None), "data")]
    return ModelSize(context, _whole(_mapping(models[0].get("meta")).get("n_params")) if len(models) == 1 else None)


async def _lm_studio(ask: _Ask, origin: str, name: str) -> ModelSize:
    """The size a model was loaded with; unloaded, LM Studio's list says only what it could hold."""
    for model in _entries(await ask("GET", f"{origin}/api/v0/models", None), "data"):
        if model.get("id") == name:
            return ModelSize(_whole(model.get("loaded_context_length"), _SANE))
    return ModelSize()


def _listed(found: dict[str, Any], name: str) -> ModelSize:
    """What the list of models says about one of them."""
    for model in _entries(found, "data"):
        if model.get("id") == name:
            meta = _mapping(model.get("meta"))
            said = (*map(model.get, _SIZES), meta.get("n_ctx"))  # llama.cpp; n_ctx_train is no promise
            sizes = filter(None, (_whole(each, _SANE) for each in said))
            return ModelSize(next(sizes, None), _whole(meta.get("n_params")))
    return ModelSize()


def _entries(found: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    entries = found.get(key)
    return (entry for entry in entries if isinstance(entry, dict)) if isinstance(entries, list) else iter(())


def _mapping(value: object) -> dict[str, Any]:
    """An object of JSON; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def _whole(value: object, among: range = range(1, 1 << 62)) -> int | None:
    """A whole number that can be; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value in among else None


async def _answer(client: httpx2.AsyncClient, method: str, url: str, body: object) -> dict[str, Any]:
    """One request; an empty answer for whatever is no JSON object of success."""
    found = bytearray()
    try:
        async with client.stream(method, url, json=body) as response:
            async for part in response.aiter_bytes():
                found += part
                if len(found) > _MOST_BYTES:
                    return {}
        answer = json.loads(found.decode("utf-8"))
    except (ModelError, ValueError, RecursionError):
        return {}
    return _mapping(answer)


def media_type(header: str, origin: str) -> str:
    """The media type of a reply. Raises `ModelError` for a web page, another charset, and what is no reply at all."""
    kind, _, parameters = header.partition(";")
    kind = kind.strip().lower()
    charset = re.search(r"charset\s*=\s*\"?([^\s\";]+)", parameters, re.IGNORECASE)
    if charset is not None and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise _unreadable(f"{origin} answered in another charset than UTF-8; look for a proxy in between")
    if kind in ("application/json", "text/event-stream"):
        return kind
    if kind in ("text/html", "application/xhtml+xml"):
        raise _unreadable(
            f"{origin} answered with a web page: sign in to the network, or correct the base URL (ends in /v1)"
        )
    raise _unreadable(
        f"{origin} answered with something that is no chat reply; check the model's base URL (ends in /v1)"
    )


def whole_reply(body: bytes, origin: str, key: ApiKey | None) -> ChatReply:
    """A reply that came as one JSON document. Raises `ModelError`."""
    found = _json(body, origin)
    _no_error(found, origin, key)
    choice = _first(found.get("choices"))
    if choice is None:
        raise _unreadable(f"{origin} answered without any choice; check that the base URL is one of a chat endpoint")
    reader = _ReplyParts(origin, key)
    reader.take(_mapping(choice.get("message")), choice.get("finish_reason"))
    reader.count(found.get("usage"))
    if reader.finished is None:
        raise cut_off(origin)
    return reader.reply()


class EventStream:
    """A reply that comes as server-sent events. ``feed`` bytes as they arrive, then ask for the ``reply``."""

    def __init__(self, origin: str, key: ApiKey | None) -> None:
        self._origin = origin
        self._key = key
        self._reader = _ReplyParts(origin, key)
        self._line = bytearray()
        self._data: list[bytes] = []
        self._size = 0
        self.done = False
        """The endpoint said that nothing more comes."""

    @property
    def finished(self) -> bool:
        """The text is complete; usage may still come."""
        return self.done or self._reader.finished is not None

    @property
    def tokens(self) -> int:
        """Pieces of the reply so far, those that only think among them."""
        return self._reader.pieces

    def feed(self, part: bytes) -> Iterator[str]:
        """The text that a part of the stream completes. Raises `ModelError`."""
        *lines, rest = part.split(b"\n")
        for line in lines:
            yield from self._take(bytes(self._line) + line)
            self._line.clear()
            if self.done:
                return
        self._line += rest
        if len(self._line) + self._size > MOST_WHOLE:
            raise _too_large(self._origin)

    def end(self) -> Iterator[str]:
        """The text in what was not closed by an empty line when the connection ended."""
        if not self.done:
            yield from self._take(bytes(self._line))
            self._line.clear()
            yield from self._take(b"")

    def reply(self) -> ChatReply:
        """The whole reply. Raises `ModelError` when its end was never announced."""
        if not self.finished:
            raise cut_off(self._origin)
        return self._reader.reply()

    def _take(self, line: bytes) -> Iterator[str]:
        line = line.removesuffix(b"\r")
        if line.startswith(b"data:"):
            self._size += len(line)
            if self._size > MOST_WHOLE:
                raise _too_large(self._origin)
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            data = b"\n".join(self._data)
            self._data.clear()
            self._size = 0
            yield from self._event(data)

    def _event(self, data: bytes) -> Iterator[str]:
        if data.strip() == b"[DONE]":
            self.done = True
            return
        found = _json(data, self._origin)
        _no_error(found, self._origin, self._key)
        self._reader.count(found.get("usage"))
        choice = _first(found.get("choices"))
        if choice is not None:
            text = self._reader.take(_mapping(choice.get("delta")), choice.get("finish_reason"))
            if text:
                yield text


class _ReplyParts:
    """Collects a reply from its messages or deltas."""

    def __init__(self, origin: str, key: ApiKey | None) -> None:
        self._origin = origin
        self._key = key
        self._text: list[str] = []
        self._length = 0
        self._refusal: list[str] = []
        self._tokens: tuple[int | None, int | None] = (None, None)
        self.finished: str | None = None
        self.pieces = 0
        """Messages or deltas that said something, in whatever field; who speaks is nothing yet."""

    def take(self, message: dict[str, Any], finish: object) -> str:
        """Take in one message or delta; its text."""
        if message.get("tool_calls") or message.get("function_call") or finish in ("tool_calls", "function_call"):
            raise _no_text(
                f"the model at {self._origin} called a tool, and there are none; use a model without that habit"
            )
        self.pieces += any(said for name, said in message.items() if name != "role")
        refusal = text_of(message.get("refusal"))
        if refusal:
            self._refusal.append(refusal)
        text = text_of(message.get("content"))
        if text:
            self._text.append(text)
            self._length += len(text)
        if self._length > MOST_WHOLE:
            raise _too_large(self._origin)
        if isinstance(finish, str) and finish:
            self.finished = finish
        return text

    def count(self, usage: object) -> None:
        """Take in what the endpoint reports about tokens; the last report counts."""
        if isinstance(usage, dict):
            self._tokens = (
                _whole(usage.get("prompt_tokens"), _TOKENS),
                _whole(usage.get("completion_tokens"), _TOKENS),
            )

    def reply(self) -> ChatReply:
        """The reply as collected. Raises `ModelError` when there is no text in it."""
        if self._refusal:
            said = clean("".join(self._refusal), self._key)
            raise _no_text(
                f"the model at {self._origin} refused to answer ({said}); ask otherwise, or use another model"
            )
        if self.finished == "content_filter":
            raise _no_text(
                f"{self._origin} withheld the reply by its content filter; ask otherwise, or use another model"
            )
        text = "".join(self._text)
        if not text.strip():
            spent = "used all its tokens before the first word" if self.finished == "length" else "sent an empty reply"
            raise _no_text(f"the model at {self._origin} {spent}; ask again, or use a model that thinks less")
        return ChatReply(text, *self._tokens, complete=self.finished != "length")


def cut_off(origin: str) -> ModelError:
    """The end of the reply was never announced."""
    text = f"the reply of {origin} ended before its end was announced; ask again, or look into the server's log"
    return ModelError(text, failure=ModelFailure.CUT_OFF)


def _json(data: bytes, origin: str) -> dict[str, Any]:
    try:
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise _unreadable(
            f"{origin} sent a reply that is no JSON object in UTF-8; look into its log, or update the server"
        )
    return found


def _no_error(found: dict[str, Any], origin: str, key: ApiKey | None) -> None:
    """Raise `ModelError` for an error that came with a status of success."""
    error = found.get("error") or (found if found.get("object") == "error" else None)
    if error:
        words = error_words(json.dumps({"error": error}).encode(), key)
        said = f" ({words})" if words else ""
        text = f"{origin} gave up on the reply{said}; ask again, or look into its log"
        raise ModelError(text, failure=ModelFailure.CUT_OFF)


def _first(choices: object) -> dict[str, Any] | None:
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _unreadable(text: str) -> ModelError:
    return ModelError(text, failure=ModelFailure.UNREADABLE)


def _too_large(origin: str) -> ModelError:
    text = f"{origin} sent more than {MOST_WHOLE >> 10} Ki where a reply has a few; the rest was not read: see its log"
    return ModelError(text, failure=ModelFailure.TOO_LARGE)


def _no_text(text: str) -> ModelError:
    return ModelError(text, failure=ModelFailure.NO_TEXT)


class CircuitBreaker:
    """Lets calls of one endpoint through while it works. ``clock`` gives seconds that never go back."""

    def __init__(
        self,
        *,
        failures: int = MOST_FAILURES,
        seconds: float = OPEN_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = failures
        self._seconds = seconds
        self._clock = clock
        self._failures = 0
        self._last: ModelFailure | None = None
        self._opened: float | None = None
        self._trial: asyncio.Event | None = None

    @property
    def open(self) -> bool:
        """Whether a call would be refused now."""
        return self._opened is not None and self._left > 0

    @property
    def _left(self) -> float:
        """Seconds until the next trial."""
        return 0.0 if self._opened is None else self._opened + self._seconds - self._clock()

    @asynccontextmanager
    async def call(self, origin: str, deadline: float) -> AsyncIterator[None]:
        """Around one call. Raises `ModelError` (``paused``) when it must not be made.

        While another call tries the endpoint it waits for what becomes of that, at most until ``deadline`` (a time of
        the event loop). A call that is cancelled says nothing of the endpoint.
        """
        try:
            async with asyncio.timeout_at(deadline):
                while self._trial is not None:
                    await self._trial.wait()
        except TimeoutError:
            raise self._paused(origin, "it is being tried again now") from None
        if self.open:
            raise self._paused(origin, f"it is tried again in {math.ceil(self._left)} s")
        trial = asyncio.Event() if self._opened is not None else None
        self._trial = trial
        try:
            yield
        except ModelError as error:
            self._heard(error.failure)
            raise
        else:
            self._heard(None)
        finally:
            if trial is not None:
                self._trial = None
                trial.set()

    def _paused(self, origin: str, again: str) -> ModelError:
        kind = "" if self._last is None else f" ({self._last.value})"
        text = f"{origin} was not asked, its last {self._failures} calls failed{kind}: {again}, until then rules answer"
        return ModelError(text, failure=ModelFailure.PAUSED)

    def _heard(self, failure: ModelFailure | None) -> None:
        """What became of a call; None for a reply. An endpoint that says no is one that works."""
        if failure in _SILENT:
            return
        if failure not in _AILING:
            self._failures, self._opened = 0, None
            return
        self._failures += 1
        self._last = failure
        if self._failures >= self._most:
            self._opened = self._clock()


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
        breaker: CircuitBreaker | None = None,
    ) -> None:
        self._endpoint = Endpoint.of(base_url)
        self._name = name
        self._key = ApiKey(key) if key else None
        self._told = context_tokens
        self._parameters: int | None = None
        self._context = context_tokens or (LOCAL_CONTEXT if self._endpoint.loopback else REMOTE_CONTEXT)
        self._ca_file = _readable(ca_file)
        self._clock = clock
        self._breaker = breaker or CircuitBreaker()
        self._habits = ServerCapabilities.at_first(self._endpoint)
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
            found = await size_of(self._access(), self._name, seconds)
            self._context = found.context or self._context
            self._parameters = found.parameters
        return self._context

    async def names(self, seconds: float = 5.0) -> tuple[str, ...]:
        """What the endpoint calls its models, as `names_of` has it."""
        return await names_of(self._access(), seconds)

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
                kind = media_type(response.headers.get("content-type", ""), origin)
                body = await self._whole(response.iter_bytes())
        except TimeoutError:
            raise late(origin, request, TimeLimit.CALL) from None
        if kind != "application/json":
            raise ModelError(f"{origin} streams though it was not asked to; update it", failure=ModelFailure.UNREADABLE)
        return whole_reply(body, origin, self._key)

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
        waiting = _StreamClock(request.patience, deadline)
        try:
            async with AsyncExitStack() as stack:
                async with waiting.once():
                    response = await self._open(request, stack, stream=True)
                kind = media_type(response.headers.get("content-type", ""), origin)
                if kind == "application/json":  # some servers stream only some models
                    waiting.wait = TimeLimit.CALL
                    async with waiting.once():
                        body = await self._whole(response.iter_bytes())
                    reply = whole_reply(body, origin, self._key)
                    yield reply.text
                else:
                    events = EventStream(origin, self._key)
                    async with aclosing(_pieces(events, response.iter_bytes(), waiting)) as pieces:
                        async for text in pieces:
                            yield text
                    reply = events.reply()
        except TimeoutError:
            raise late(origin, request, waiting.late_for) from None
        yield reply

    async def aclose(self) -> None:
        """Close every connection. The model can be used again afterwards."""
        with self._lock:
            made, self._made = self._made, None
        if made is not None:
            await made.close()

    def _access(self) -> EndpointAccess:
        from lens_lsp.judge.llm.endpoint_guard import EndpointAccess

        return EndpointAccess(self._endpoint, self._key, self._ca_file, self._clock)

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
            if len(body) > MOST_WHOLE:
                raise too_large(self._endpoint.origin, MOST_WHOLE)
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


class _StreamClock:
    """The limits of one reply that streams. ``deadline`` is the end of the call, a time of the event loop; ``wait`` is
    what is waited for. Only time spent on waiting counts against a token, never that of who takes the text."""

    def __init__(self, patience: CallTimeouts, deadline: float) -> None:
        self._patience = patience
        self._clock = asyncio.get_running_loop().time
        self.deadline = deadline
        self.wait = TimeLimit.FIRST
        self._waited = 0.0
        self._tokens = 0

    @property
    def late_for(self) -> TimeLimit:
        """Which limit has run out."""
        return TimeLimit.CALL if self._clock() >= self.deadline else self.wait

    @asynccontextmanager
    async def once(self) -> AsyncGenerator[None, None]:
        """Around one wait for bytes. Raises `TimeoutError` when its time is over."""
        began, until = self._clock(), self.deadline
        if self.wait is not TimeLimit.CALL:
            longest = self._patience.first if self.wait is TimeLimit.FIRST else self._patience.next
            until = min(until, began + longest - self._waited)
        async with asyncio.timeout_at(until):
            yield
        self._waited += self._clock() - began

    def heard(self, tokens: int) -> None:
        """So many pieces of the reply have come by now. What is no piece of it, such as a sign of life, is no token."""
        if tokens > self._tokens:
            self._tokens, self._waited, self.wait = tokens, 0.0, TimeLimit.NEXT

    def finish(self) -> None:
        """The text is complete: only usage may come, which is not worth a deadline."""
        if self.wait is not TimeLimit.CALL:
            self.wait = TimeLimit.CALL
            self.deadline = min(self.deadline, self._clock() + _GRACE_SECONDS)


async def _pieces(events: EventStream, parts: AsyncIterator[bytes], waiting: _StreamClock) -> AsyncGenerator[str, None]:
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
