"""How large a model's context is, asked of the servers that say so.

A local server that is given more than fits drops the beginning without a word, so the size that is in force counts,
never the one a model was trained for. What is sent is the model's name; remote endpoints get one request for their
list of models and nothing else.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from lens_lsp.models.base import ModelError

if TYPE_CHECKING:
    import httpx2

    from lens_lsp.models.guard import Access

OLLAMA_CONTEXT = 4_096
"""Tokens that Ollama gives a model which names no size itself."""

_MOST_BYTES = 1 << 20
_SIZES = ("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length")
_SANE = range(256, 100_000_001)

_Ask = Callable[[str, str, object], Awaitable[dict[str, Any]]]


async def context_of(access: Access, name: str, seconds: float) -> int | None:
    """Tokens that fit into a model, prompt and reply together; None when nobody said it within ``seconds``."""
    try:
        async with asyncio.timeout(seconds):
            return await _asked(access, name)
    except TimeoutError:
        return None


async def _asked(access: Access, name: str) -> int | None:
    endpoint = access.endpoint
    client = await asyncio.to_thread(_client, access)
    async with client:

        async def ask(method: str, url: str, body: object = None) -> dict[str, Any]:
            return await _json(client, method, url, body)

        if endpoint.loopback:
            for server in (_ollama, _llama_cpp, _lm_studio):
                size = await server(ask, endpoint.origin, name)
                if size is not None:
                    return size
        return _listed(await ask("GET", f"{endpoint.base}/models", None), name)


def _client(access: Access) -> httpx2.AsyncClient:
    from lens_lsp.models.guard import http_client

    return http_client(access)


async def _ollama(ask: _Ask, origin: str, name: str) -> int | None:
    """The size of the loaded model, else the one its own settings name, else the default; at most what it can hold."""
    shown = await ask("POST", f"{origin}/api/show", {"model": name})
    info = shown.get("model_info")
    if not isinstance(info, dict):
        return None
    for model in _entries(await ask("GET", f"{origin}/api/ps", None), "models"):
        loaded = _size(model.get("context_length"))
        if loaded is not None and name in (model.get("name"), model.get("model"), f"{model.get('name')}".split(":")[0]):
            return loaded
    trained = [size for key, value in info.items() if str(key).endswith(".context_length") and (size := _size(value))]
    parameters = shown.get("parameters")
    told = re.search(r"^num_ctx\s+(\d{1,9})\s*$", parameters, re.MULTILINE) if isinstance(parameters, str) else None
    return min([_size(int(told[1])) or OLLAMA_CONTEXT if told else OLLAMA_CONTEXT, *trained])


async def _llama_cpp(ask: _Ask, origin: str, name: str) -> int | None:
    """The size of one slot of llama.cpp's server; one that has several models is not made to load this one."""
    query = urlencode({"model": name, "autoload": "false"})
    settings = (await ask("GET", f"{origin}/props?{query}", None)).get("default_generation_settings")
    return _size(settings.get("n_ctx")) if isinstance(settings, dict) else None


async def _lm_studio(ask: _Ask, origin: str, name: str) -> int | None:
    """The size a model was loaded with; unloaded, LM Studio's list says only what it could hold."""
    for model in _entries(await ask("GET", f"{origin}/api/v0/models", None), "data"):
        if model.get("id") == name:
            return _size(model.get("loaded_context_length"))
    return None


def _listed(found: dict[str, Any], name: str) -> int | None:
    """What the list of models says about one of them."""
    for model in _entries(found, "data"):
        if model.get("id") == name:
            meta = model.get("meta")
            slot = meta.get("n_ctx") if isinstance(meta, dict) else None  # llama.cpp; n_ctx_train is no promise
            sizes = (_size(each) for each in (*map(model.get, _SIZES), slot))
            return next((size for size in sizes if size is not None), None)
    return None


def _entries(found: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    entries = found.get(key)
    if isinstance(entries, list):
        yield from (entry for entry in entries if isinstance(entry, dict))


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value in _SANE else None


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
