"""A model that says what it is told to: for tests, demonstrations and measuring. It never opens a connection."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from dataclasses import dataclass

from lens_lsp.judge.llm.chat_model import ChatReply, ChatRequest, ModelError, ModelFailure


@dataclass(frozen=True, slots=True)
class Broken:
    """A reply that fails after some of its text; a whole call then gets the error alone."""

    text: str
    error: ModelError


Scripted = str | ChatReply | ModelError | Broken
"""One reply of a script. An error is raised, a string is a complete reply without usage."""


class ScriptedModel:
    """Implements `ChatModel` from a list of replies, or from a function of the request (which may be a coroutine).

    ``requests`` holds every request in order, those that failed too. A list that has come to its end fails. Streams
    come in pieces of ``piece`` code points.
    """

    def __init__(
        self,
        script: Iterable[Scripted] | Callable[[ChatRequest], Scripted | Awaitable[Scripted]],
        *,
        name: str = "scripted",
        endpoint: str | None = None,
        context_tokens: int = 8_192,
        small: bool = False,
        piece: int = 24,
    ) -> None:
        self.requests: list[ChatRequest] = []
        self.closed = False
        """Whether `aclose` was called."""
        self._tell = script if callable(script) else _from_list(script)
        self._name = name
        self._endpoint = endpoint
        self._context = context_tokens
        self._small = small
        self._piece = piece

    @property
    def name(self) -> str:
        """What the model is called."""
        return self._name

    @property
    def endpoint(self) -> str | None:
        """The origin it pretends to have."""
        return self._endpoint

    @property
    def context_tokens(self) -> int:
        """How many tokens it pretends to take."""
        return self._context

    @property
    def small(self) -> bool:
        """Whether it pretends to be a small model."""
        return self._small

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The next reply. Raises the scripted `ModelError`."""
        told = await self._next(request)
        if isinstance(told, Broken):
            raise told.error
        return told

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply, None]:
        """The next reply in pieces, then whole. Raises the scripted `ModelError`."""
        told = await self._next(request)
        for start in range(0, len(told.text), self._piece):
            yield told.text[start : start + self._piece]
        if isinstance(told, Broken):
            raise told.error
        yield told

    async def aclose(self) -> None:
        """Nothing is open; it is only noted."""
        self.closed = True

    async def _next(self, request: ChatRequest) -> ChatReply | Broken:
        self.requests.append(request)
        told = self._tell(request)
        if inspect.isawaitable(told):
            told = await told
        if isinstance(told, ModelError):
            raise told
        return ChatReply(told) if isinstance(told, str) else told


def _from_list(script: Iterable[Scripted]) -> Callable[[ChatRequest], Scripted]:
    replies = iter(tuple(script))

    def tell(_request: ChatRequest) -> Scripted:
        over = ModelError("the script of this model is over; write more replies", failure=ModelFailure.NO_TEXT)
        return next(replies, over)

    return tell
