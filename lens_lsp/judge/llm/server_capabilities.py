"""What a server takes and how large its model is: learned from what it refuses, and asked of those that say so.

Compatible servers differ in four details of a request. Each is assumed in its richest form until the endpoint refuses a
request and names it. That refused request is a retry and no call (`ModelError.retryable`); all that follow leave the
thing out. Of sizes the context that is in force counts, never the one a model was trained for: a local server that is
given more than fits drops the beginning without a word. What is sent to learn it is the model's name; remote endpoints
get one request for their list of models and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from lens_lsp.judge.llm.chat_model import ChatRequest, ModelError
from lens_lsp.judge.llm.endpoint import Endpoint
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

if TYPE_CHECKING:
    import httpx2

    from lens_lsp.judge.llm.endpoint_guard import EndpointAccess

_REFUSED = (400, 404, 415, 422, 500, 501)
_FORMAT = regex(r"response.?format|schema|json.?object|structured.?output|guided|grammar", re.IGNORECASE)
_NAME = "reply"
OLLAMA_CONTEXT = 4_096
"""Tokens that Ollama gives a model which names no size itself."""
_MOST_BYTES = 1 << 20
_SIZES = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length")
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


def in_words(schema: Mapping[str, Any]) -> str:
    """What asks for JSON where nothing holds a model to it: the end of the last message."""
    told = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"\n\nReply with one JSON object that follows this JSON schema, and with nothing else:\n{told}"


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
            return await _json(client, method, url, body)

        if endpoint.loopback:
            for server in (_ollama, _llama_cpp, _lm_studio):
                size = await server(ask, endpoint.origin, name)
                if size.context is not None:
                    return size
        return _listed(await ask("GET", f"{endpoint.base}/models", None), name)


def _client(access: EndpointAccess) -> httpx2.AsyncClient:
    from lens_lsp.judge.llm.endpoint_guard import http_client

    return http_client(access)


async def _ollama(ask: _Ask, origin: str, name: str) -> ModelSize:
    """The size of the loaded model, else the one its own settings name, else the default; at most what it can hold."""
    shown = await ask("POST", f"{origin}/api/show", {"model": name})
    info = shown.get("model_info")
    if not isinstance(info, dict):
        return ModelSize()
    parameters = _count(info.get("general.parameter_count"))
    for model in _entries(await ask("GET", f"{origin}/api/ps", None), "models"):
        loaded = _size(model.get("context_length"))
        if loaded is not None and name in (model.get("name"), model.get("model"), f"{model.get('name')}".split(":")[0]):
            return ModelSize(loaded, parameters)
    trained = [size for key, value in info.items() if str(key).endswith(".context_length") and (size := _size(value))]
    options = shown.get("parameters")
    told = re.search(r"^num_ctx\s+(\d{1,9})\s*$", options, re.MULTILINE) if isinstance(options, str) else None
    context = min([_size(int(told[1])) or OLLAMA_CONTEXT if told else OLLAMA_CONTEXT, *trained])
    return ModelSize(context, parameters)


async def _llama_cpp(ask: _Ask, origin: str, name: str) -> ModelSize:
    """The size of one slot of llama.cpp's server; one that has several models is not made to load this one. The only
    model of a server is the one that answers, whatever it is called."""
    query = urlencode({"model": name, "autoload": "false"})
    settings = (await ask("GET", f"{origin}/props?{query}", None)).get("default_generation_settings")
    context = _size(settings.get("n_ctx")) if isinstance(settings, dict) else None
    if context is None:
        return ModelSize()
    models = [*_entries(await ask("GET", f"{origin}/v1/models", None), "data")]
    meta = models[0].get("meta") if len(models) == 1 else None
    return ModelSize(context, _count(meta.get("n_params")) if isinstance(meta, dict) else None)


async def _lm_studio(ask: _Ask, origin: str, name: str) -> ModelSize:
    """The size a model was loaded with; unloaded, LM Studio's list says only what it could hold."""
    for model in _entries(await ask("GET", f"{origin}/api/v0/models", None), "data"):
        if model.get("id") == name:
            return ModelSize(_size(model.get("loaded_context_length")))
    return ModelSize()


def _listed(found: dict[str, Any], name: str) -> ModelSize:
    """What the list of models says about one of them."""
    for model in _entries(found, "data"):
        if model.get("id") == name:
            meta = model.get("meta")
            slot = meta.get("n_ctx") if isinstance(meta, dict) else None  # llama.cpp; n_ctx_train is no promise
            sizes = (_size(each) for each in (*map(model.get, _SIZES), slot))
            parameters = _count(meta.get("n_params")) if isinstance(meta, dict) else None
            return ModelSize(next((size for size in sizes if size is not None), None), parameters)
    return ModelSize()


def _entries(found: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    entries = found.get(key)
    if isinstance(entries, list):
        yield from (entry for entry in entries if isinstance(entry, dict))


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _SANE else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


async def _json(client: httpx2.AsyncClient, method: str, url: str, body: object) -> dict[str, Any]:
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
    return answer if isinstance(answer, dict) else {}
