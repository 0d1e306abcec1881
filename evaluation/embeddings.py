"""Vectors of texts from an endpoint that speaks OpenAI's ``/embeddings``, over the transport that chat models have."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lens_lsp.judge.llm.chat_model import ModelError, ModelFailure
from lens_lsp.judge.llm.endpoint import ApiKey, Endpoint
from lens_lsp.model.observation import counted, tokens

if TYPE_CHECKING:
    import httpx2


BATCH = 32
"""Texts of one request."""
_TRIES = 4
_FIRST_WAIT = 0.5


class Embeddings:
    """One embedding model. Raises `UsageError` for a base URL or a key that cannot be meant."""

    def __init__(self, base_url: str, name: str, key: str | None = None, *, seconds: float = 120.0) -> None:
        self._endpoint = Endpoint.of(base_url)
        self._key = ApiKey(key) if key else None
        self._seconds = seconds
        self.name = name
        """What the endpoint calls the model."""
        self.tokens = 0
        """Tokens of everything that was sent, as the endpoint reported them, estimated where it did not."""

    @property
    def endpoint(self) -> str:
        """The origin that everything is sent to."""
        return self._endpoint.origin

    @property
    def loopback(self) -> bool:
        """Whether nothing leaves this machine."""
        return self._endpoint.loopback

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of texts in order, as the endpoint gives them. Raises `ModelError`.

        A request that is turned away for now is made again, three times at most.
        """
        from lens_lsp.judge.llm.endpoint_guard import EndpointAccess, http_client

        vectors: list[list[float]] = []
        async with http_client(EndpointAccess(self._endpoint, self._key)) as client:
            for first in range(0, len(texts), BATCH):
                vectors += await self._batch(client, texts[first : first + BATCH])
        return vectors

    async def _batch(self, client: httpx2.AsyncClient, texts: Sequence[str]) -> list[list[float]]:
        for tried in range(1, _TRIES + 1):
            try:
                return self._read(await self._sent(client, texts), texts)
            except ModelError as error:
                if not error.retryable or tried == _TRIES:
                    raise
                wait = _FIRST_WAIT * 2**tried if error.retry_after is None else error.retry_after
            await asyncio.sleep(min(wait, self._seconds))
        raise AssertionError("the last try returns or raises")

    async def _sent(self, client: httpx2.AsyncClient, texts: Sequence[str]) -> bytes:
        body = {"model": self.name, "input": list(texts)}
        try:
            async with asyncio.timeout(self._seconds):
                response = await client.post(f"{self._endpoint.base}/embeddings", json=body)
                return response.content
        except TimeoutError:
            text = f"{self.endpoint} gave no vectors within {self._seconds:g} s; name a smaller embedding model"
            raise ModelError(text, failure=ModelFailure.DEADLINE) from None

    def _read(self, body: bytes, texts: Sequence[str]) -> list[list[float]]:
        try:
            document = json.loads(body)
            self.tokens += _used(document, texts)
            entries = document["data"]
            vectors = [_vector(entry["embedding"]) for entry in sorted(entries, key=lambda entry: int(entry["index"]))]
        except (ValueError, TypeError, KeyError, RecursionError):
            vectors = []
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1:
            text = f"{self.endpoint} did not answer with a vector for each text; is {self.name!r} an embedding model?"
            raise ModelError(text, failure=ModelFailure.UNREADABLE)
        return vectors


def _used(document: Any, texts: Sequence[str]) -> int:
    """The tokens that a reply says its request had, our estimate where that cannot be."""
    usage = document.get("usage") if isinstance(document, dict) else None
    reported = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    said = reported if isinstance(reported, int) and not isinstance(reported, bool) else None
    return counted(said, sum(map(tokens, texts)))


def _vector(numbers: Any) -> list[float]:
    """The numbers of a vector. Raises ValueError or TypeError for what is none."""
    vector = [float(number) for number in numbers]
    if not any(vector) or not all(map(math.isfinite, vector)):
        raise ValueError("a vector has finite numbers, not all of them 0")
    return vector
