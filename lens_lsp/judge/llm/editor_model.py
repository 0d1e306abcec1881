"""The model that an editor offers: every request goes through the editor, which asks its user and its provider.

How the editor is asked is handed in; nothing here knows its protocol. Where the text goes from there is the editor's to
say: it names the model, consent is given for that one, and no other's reply is taken.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable

from lens_lsp.judge.llm import error_messages
from lens_lsp.judge.llm.chat_model import (
    MOST_WHOLE,
    REMOTE_CONTEXT,
    ChatReply,
    ChatRequest,
    Message,
    ModelError,
    ModelFailure,
    TimeLimit,
    text_of,
)
from lens_lsp.judge.llm.server_capabilities import in_words
from lens_lsp.model.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class EditorReply:
    """What the editor answered. ``model`` is the id of the model, ``finish`` why the text ends; tokens are None where
    the editor does not say. ``context_tokens`` is how many fit into the model."""

    text: str
    model: str
    finish: str = "stop"
    tokens_in: int | None = None
    tokens_out: int | None = None
    context_tokens: int | None = None


Ask = Callable[[tuple[Message, ...], int], Awaitable[EditorReply]]
"""Asks the editor for one reply to messages, of so many tokens at most. Raises `ModelError`."""


class EditorChat:
    """Implements `ChatModel`. ``offered`` is what the editor said of its model when it was asked for none of its words;
    ``context_tokens`` is what the user says."""

    def __init__(self, ask: Ask, offered: EditorReply, *, context_tokens: int | None = None) -> None:
        self._ask = ask
        self._offered = offered
        self._context = context_tokens or offered.context_tokens or REMOTE_CONTEXT

    @property
    def name(self) -> str:
        """The id of the model."""
        return self._offered.model

    @property
    def endpoint(self) -> str:
        """Where everything is sent: no origin, since only the editor knows it."""
        return f"editor:{self._offered.model}"

    @property
    def loopback(self) -> bool:
        """False: nobody says that text stays on this machine."""
        return False

    @property
    def context_tokens(self) -> int:
        """How many tokens fit, prompt and reply together."""
        return self._context

    @property
    def small(self) -> bool:
        """False: the editor does not say."""
        return False

    async def probe(self) -> int:
        """`context_tokens`: the editor has said them already."""
        return self._context

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One call, the whole reply. Raises `ModelError`."""
        try:
            async with asyncio.timeout(request.seconds):
                said = await self._ask(_messages(request), request.max_tokens)
        except TimeoutError:
            raise error_messages.late(f"the editor's model {self.name}", request, TimeLimit.CALL) from None
        return self._reply(said)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply, None]:
        """One call, its text in one piece, then the whole reply. Raises `ModelError`."""
        reply = await self.complete(request)
        yield reply.text
        yield reply

    async def aclose(self) -> None:
        """Nothing is open."""

    def _reply(self, said: EditorReply) -> ChatReply:
        if said.model != self.name:
            text = f"the editor let another model answer than {self.name}; choose it in the editor, then ask again"
            raise ModelError(text, failure=ModelFailure.UNREADABLE)
        if len(said.text) > MOST_WHOLE:
            most = MOST_WHOLE >> 10
            text = f"the editor's model sent more than {most} Ki where a reply has a few; ask again"
            raise ModelError(text, failure=ModelFailure.TOO_LARGE)
        text = text_of(said.text)
        if said.finish == "content_filter" or not text.strip():
            raise ModelError(
                f"the editor's model {self.name} sent no text; ask again, or use another model",
                failure=ModelFailure.NO_TEXT,
            )
        return ChatReply(text, said.tokens_in, said.tokens_out, complete=said.finish != "length")


def _messages(request: ChatRequest) -> tuple[Message, ...]:
    """The messages, the schema of the reply in words: an editor's model cannot be held to one."""
    if request.schema is None or not request.messages:
        return request.messages
    last = request.messages[-1]
    return (*request.messages[:-1], Message(last.role, last.text + in_words(request.schema)))
