"""A chat model whose calls are written down one by one, and which ends a run before a day's tokens are exceeded.

A question that is asked alone may end with what it has when the day's tokens do; a measurement may not: its row would
say of the search what is true of the purse. So the whole run ends, and goes on where it ended.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lens_lsp.judge.llm.chat_model import ChatModel, ChatReply, ChatRequest, ModelError
from lens_lsp.judge.llm.conversation import Prompt
from lens_lsp.model.errors import UsageError
from lens_lsp.model.observation import counted, tokens

if TYPE_CHECKING:
    from lens_lsp.memory.userdata import Meter


class MeteredChat:
    """A chat model within a day's tokens, ``daily``; None is no limit.

    Calls that are under way count as what they may cost at most. Raises `UsageError` instead of a call that could
    exceed the limit.
    """

    def __init__(self, model: ChatModel, meter: Meter, daily: int | None) -> None:
        self._model = model
        self._meter = meter
        self._daily = daily
        self._pending = 0
        """Tokens that calls under way may cost."""

    @property
    def name(self) -> str:
        """What the endpoint calls the model."""
        return self._model.name

    @property
    def endpoint(self) -> str | None:
        """The origin that everything is sent to."""
        return self._model.endpoint

    @property
    def context_tokens(self) -> int:
        """How many tokens fit, prompt and reply together."""
        return self._model.context_tokens

    @property
    def small(self) -> bool:
        """Whether it is known to be a small model."""
        return self._model.small

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One call, the whole reply. Raises `ModelError`."""
        with self._metered(request) as call:
            reply = await self._model.complete(request)
            call.heard(reply)
            return reply

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply]:
        """One call, the reply's text piece by piece, then the whole reply. Raises `ModelError`."""
        with self._metered(request) as call:
            pieces = self._model.stream(request)
            try:
                async for piece in pieces:
                    call.heard(piece)
                    yield piece
            finally:
                if isinstance(pieces, AsyncGenerator):
                    await pieces.aclose()

    async def aclose(self) -> None:
        """Let go of connections."""
        await self._model.aclose()

    @contextmanager
    def _metered(self, request: ChatRequest) -> Iterator[_Call]:
        call = _Call(request)
        most = call.tokens_in + request.max_tokens
        self._require(most)
        self._pending += most
        try:
            yield call
        except ModelError as error:
            call.refused = not error.accepted
            raise
        finally:
            self._pending -= most
            if not call.refused:
                self._meter.spent(call.tokens_in, call.tokens_out)

    def _require(self, most: int) -> None:
        """Raises `UsageError` unless so many tokens are left beside those that calls under way may cost."""
        if self._daily is None:
            return
        left = self._meter.left(self._daily) - self._pending
        if left < most:
            raise UsageError(
                f"of the {self._daily:,} tokens a day of budget.dailyTokens, {max(0, left):,} are left, and the next "
                f"call may take {most:,}; run the same command tomorrow, or with a higher limit: a measurement "
                "goes on from here"
            )


class _Call:
    """What a call costs: as the endpoint says, the estimate where that cannot be."""

    def __init__(self, request: ChatRequest) -> None:
        self.tokens_in = Prompt(request.messages, request.max_tokens, request.schema).tokens
        self.tokens_out = 0
        self.refused = False

    def heard(self, piece: str | ChatReply) -> None:
        if isinstance(piece, str):
            self.tokens_out += tokens(piece)
            return
        self.tokens_in = counted(piece.tokens_in, self.tokens_in)
        self.tokens_out = counted(piece.tokens_out, max(self.tokens_out, tokens(piece.text)))
