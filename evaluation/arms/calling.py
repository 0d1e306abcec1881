"""One question's calls to the chat model by an arm that is not LENS: the same ledger, budget and way to the model.

Every request is asked of the ledger first, so a call that would exceed calls, tokens or time is never made. A reply
that cannot be read is mended once a question, as it is for LENS.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from evaluation.arms.access import Excerpt
from evaluation.arms.base import Quoted
from lens_lsp.judge.ledger import Budget, CallStage, Ledger
from lens_lsp.judge.llm.chat_model import CallTimeouts, ChatModel, ChatReply, ChatRequest, Message
from lens_lsp.judge.llm.chat_prompts import Schema
from lens_lsp.judge.llm.conversation import Caller, Conversation, Prompt
from lens_lsp.model.answer import Mode

T = TypeVar("T")

_GROWTH = 1_500
"""Tokens that one more observation adds to the next request, at most about."""


@dataclass(frozen=True, slots=True)
class HeldModel:
    """A chat model as all arms of a run call it: at one temperature, no call longer than ``seconds``."""

    model: ChatModel
    temperature: float = 0.0
    seconds: float = 120.0

    @property
    def name(self) -> str:
        """What the endpoint calls the model."""
        return self.model.name

    @property
    def endpoint(self) -> str | None:
        """The origin that everything is sent to."""
        return self.model.endpoint

    @property
    def context_tokens(self) -> int:
        """How many tokens fit, prompt and reply together."""
        return self.model.context_tokens

    @property
    def small(self) -> bool:
        """Whether it is known to be a small model."""
        return self.model.small

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One call, the whole reply. Raises `ModelError`."""
        return await self.model.complete(self._held(request))

    def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """One call, the reply's text piece by piece, then the whole reply. Raises `ModelError`."""
        return self.model.stream(self._held(request))

    async def aclose(self) -> None:
        """Let go of connections."""
        await self.model.aclose()

    def _held(self, request: ChatRequest) -> ChatRequest:
        seconds, patience = min(request.seconds, self.seconds), CallTimeouts.of(self.seconds, "--call-seconds")
        return replace(request, temperature=self.temperature, seconds=seconds, patience=patience)


@dataclass(slots=True)
class Talk:
    """What one question has asked of the model and shown it."""

    model: ChatModel
    ledger: Ledger
    shown: list[Quoted] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    """What an agent did, a line a step, and why its model failed."""
    _caller: Caller = field(init=False)

    def __post_init__(self) -> None:
        # A repair counts among the rounds: of an agent every call but the last is one.
        self._caller = Caller(
            self.model, Mode.FAST, self.ledger, Conversation(), sleep=asyncio.sleep, jitter=random.random
        )

    @classmethod
    def within(cls, budget: Budget, model: ChatModel, prices: tuple[float, float] | None = None) -> Talk:
        """A talk that may cost what a question to LENS may; ``prices`` as the ledger has them."""
        return cls(model, Ledger(replace(budget, rounds=budget.calls), prices=prices, endpoint=model.endpoint))

    def show(self, excerpt: Excerpt) -> Quoted:
        """Give an excerpt its number; one that was shown before keeps it."""
        place = excerpt.path, excerpt.start, excerpt.end
        for known in self.shown:
            if known.passage == place:
                return known
        self.shown.append(Quoted(len(self.shown) + 1, *place, excerpt.text))
        return self.shown[-1]

    def room(self, reply: int) -> int:
        """Tokens that a request may have whose reply may have ``reply`` of them."""
        return self.model.context_tokens - reply

    def is_last(self, messages: tuple[Message, ...], reply: int) -> bool:
        """Whether a request like this one can be made, and no second one behind it."""
        account = self.ledger.account()
        left = self.ledger.budget.tokens - account.tokens_in - account.tokens_out
        size = Prompt(messages, reply).tokens + reply
        return self.ledger.budget.calls - self.ledger.calls <= 1 or left < 2 * size + _GROWTH

    async def ask(
        self, stage: CallStage, messages: tuple[Message, ...], reply: int, schema: Schema, parse: Callable[[str], T]
    ) -> T:
        """One call. Raises BudgetSpent, and OracleFailed where there is no reply that can be read."""
        return await self._caller.ask(stage, Prompt(messages, reply, schema), parse)
