"""One question's way to a chat model: every request asked of the ledger first, refused ones tried again, a broken reply
mended once, and what was sent written down.

The bound of the paper's Proposition 2 holds with retries and repairs included (docs/explanation/algorithm.md): a retry
is a request that the endpoint did not accept, and a repair takes the place of a call of the rounds.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from lens_lsp.judge.ledger import CallStage, Ledger
from lens_lsp.judge.llm import prompts
from lens_lsp.judge.llm.fitness import LONGEST_TAIL, repeats
from lens_lsp.judge.llm.messages import ChatModel, ChatReply, ChatRequest, Message, ModelError, Patience, Role
from lens_lsp.judge.llm.replies import MalformedReply
from lens_lsp.judge.llm.schemas import Schema
from lens_lsp.judge.redaction import Fragments
from lens_lsp.model.answer import Mode, Sent, StopReason
from lens_lsp.model.errors import BudgetSpent, OracleFailed
from lens_lsp.model.observation import counted, tokens

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

MOST_RETRIES = 2
"""Refused requests of one question that are tried again."""
LONGEST_STREAM = 64_000
"""Code points of a streamed answer; what comes behind them is not waited for."""
_LOOKED_AT = 200
"""Code points of a streamed answer after which it is looked at for repetition again."""

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 8.0
_PER_MESSAGE = 4
_LONGEST_BROKEN = 2_000
_IN_ROUNDS = frozenset(
    {
        CallStage.OBSERVE,
        CallStage.COVER,
        CallStage.READ,
        CallStage.AMEND,
        CallStage.VERIFY,
        CallStage.WIDEN,
        CallStage.REPAIR,
    }
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request as it is composed: ``reply_tokens`` bound the reply, ``sent`` lists what of the documents it holds."""

    messages: tuple[Message, ...]
    reply_tokens: int
    schema: Schema | None = None
    sent: tuple[Sent, ...] = ()

    @property
    def tokens(self) -> int:
        """An estimate of what it costs before the reply."""
        texts = [message.text for message in self.messages]
        if self.schema is not None:
            texts.append(json.dumps(self.schema))
        return sum(tokens(text) + _PER_MESSAGE for text in texts)


@dataclass(slots=True)
class Conversation:
    """What one question has used up and what its model knows of the documents."""

    retries: int = MOST_RETRIES
    repaired: bool = False
    in_rounds: int = 0
    """Calls of the rounds: observations, coverage checks, a repair."""
    cover_spent: bool = False
    """A repair has taken the next coverage check's call."""
    coverage: str = ""
    """The last coverage check as it was asked for, without its nonce."""
    pending_in: int = 0
    pending_out: int = 0
    """Tokens of requests that are on their way: the ledger learns of them when they are back."""
    numbers: dict[str, int] = field(default_factory=dict)
    """Each secret's number."""
    fragments: Fragments = field(default_factory=Fragments)
    """The secrets of the documents that were shown."""
    told: dict[tuple[int, str], set[str]] = field(default_factory=dict)
    """Headings that the model has seen, by root and path."""
    omitted: int = 0
    """Regions that were drawn and did not fit the model's context."""
    worded: bool = False
    """The answer is the model's, from what it was shown."""
    sent: set[Sent] = field(default_factory=set)
    withheld: set[str] = field(default_factory=set)
    """Paths of documents that may not be shown."""
    hidden: set[str] = field(default_factory=set)
    """Paths of documents with characters that nobody sees."""
    secret: set[str] = field(default_factory=set)
    """Paths of documents with secrets."""


class Caller:
    """Makes the calls of one question."""

    def __init__(
        self,
        model: ChatModel,
        mode: Mode,
        ledger: Ledger,
        conversation: Conversation,
        *,
        sleep: Sleep,
        jitter: Callable[[], float],
    ) -> None:
        self._model = model
        self._mode = mode
        self._ledger = ledger
        self._conversation = conversation
        self._sleep = sleep
        self._jitter = jitter

    async def ask(self, stage: CallStage, prompt: Prompt, parse: Callable[[str], T], *, mend: bool = True) -> T:
        """One call and what its reply says. Raises `BudgetSpent` and `OracleFailed`; a reply that is broken is mended
        once a question, unless ``mend`` is off, and then `MalformedReply` when it stays so."""
        reply = await self._complete(stage, prompt)
        try:
            return parse(reply.text)
        except MalformedReply as broken:
            if not mend:
                raise
            return await self._mended(prompt, reply, broken, parse)

    async def stream(self, stage: CallStage, prompt: Prompt) -> AsyncGenerator[str]:
        """One call, its reply as it comes. A request that is refused before any text came is tried again."""
        said = looked = 0
        tail = ""
        while True:
            with self._call(stage, prompt) as call:
                pieces = self._model.stream(call.request)
                try:
                    async for piece in pieces:
                        if isinstance(piece, ChatReply):
                            call.settle(piece)
                            if not said and piece.text:
                                yield piece.text
                            break
                        said += len(piece)
                        call.heard(piece)
                        yield piece
                        if said > LONGEST_STREAM:
                            self._ledger.warn("The model's answer was cut: it did not end.")
                            return
                        tail = (tail + piece)[-LONGEST_TAIL:]
                        if said - looked >= _LOOKED_AT:
                            looked = said
                            if repeats(tail):
                                raise OracleFailed("the model's answer was cut: it says the same again and again")
                    else:
                        raise OracleFailed("the model's answer broke off; ask again")
                    return
                except ModelError as error:
                    call.fail(error, again=not said and self._may_retry(error))
                finally:
                    if isinstance(pieces, AsyncGenerator):
                        await pieces.aclose()
            await self._wait(call.error)

    async def _complete(self, stage: CallStage, prompt: Prompt) -> ChatReply:
        while True:
            with self._call(stage, prompt) as call:
                try:
                    reply = await self._model.complete(call.request)
                except ModelError as error:
                    call.fail(error, again=self._may_retry(error))
                else:
                    call.settle(reply)
                    return reply
            await self._wait(call.error)

    @contextlib.contextmanager
    def _call(self, stage: CallStage, prompt: Prompt) -> Iterator[_Call]:
        """Ask the ledger for a call, and account for it whatever becomes of it."""
        state, estimate = self._conversation, prompt.tokens
        if estimate + prompt.reply_tokens > self._model.context_tokens:
            raise OracleFailed(
                f"a request of about {estimate:,} tokens does not fit the model's context of"
                f" {self._model.context_tokens:,}; set model.contextTokens to what it really takes, or use a larger one"
            )
        if stage in _IN_ROUNDS and state.in_rounds >= self._rounds_calls:
            raise BudgetSpent(StopReason.BUDGET_CALLS)
        self._ledger.request(stage, estimate + state.pending_in, prompt.reply_tokens + state.pending_out)
        state.pending_in += estimate
        state.pending_out += prompt.reply_tokens
        budget = self._ledger.budget
        patience = Patience.of(budget.call_seconds, budget.call_option)
        seconds = max(0.001, min(patience.call, self._ledger.model_seconds))
        request = ChatRequest(prompt.messages, prompt.reply_tokens, seconds, schema=prompt.schema, patience=patience)
        call = _Call(self._ledger, stage, estimate, request)
        try:
            yield call
        finally:
            state.pending_in -= estimate
            state.pending_out -= prompt.reply_tokens
            call.close()
            if call.request.departure.left is not False:  # a refused or cancelled request may have left as well
                new = [span for span in dict.fromkeys(prompt.sent) if span not in state.sent]
                state.sent.update(new)
                self._ledger.sent(*new)
            state.in_rounds += stage in _IN_ROUNDS and not call.refused

    @property
    def _rounds_calls(self) -> int:
        """How many calls all rounds may take together: 2L deep, else 2 + L (a read, L further ones, one to spare)."""
        rounds = self._ledger.budget.rounds
        return 2 * rounds if self._mode is Mode.DEEP else 2 + rounds

    def _may_retry(self, error: ModelError) -> bool:
        left = self._ledger.model_seconds
        return error.retryable and self._conversation.retries > 0 and (error.retry_after or 0.0) < left

    async def _wait(self, error: ModelError | None) -> None:
        """Wait before the next attempt, never past the question's time."""
        state = self._conversation
        state.retries -= 1
        wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (MOST_RETRIES - 1 - state.retries)) * (0.5 + self._jitter())
        if error is not None and error.retry_after is not None:
            wait = max(wait, error.retry_after) if error.retry_after else 0.0  # 0 says: at once
        await self._sleep(max(0.0, min(wait, self._ledger.model_seconds)))

    async def mended(self, prompt: Prompt, said: str, broken: MalformedReply, parse: Callable[[str], T]) -> T:
        """Ask once more for a reply that can be read, after a streamed one that cannot."""
        return await self._mended(prompt, ChatReply(said), broken, parse)

    async def _mended(self, prompt: Prompt, reply: ChatReply, broken: MalformedReply, parse: Callable[[str], T]) -> T:
        """Ask once more for a reply that can be read."""
        state = self._conversation
        unreadable = OracleFailed(f"the model's reply is not the JSON it was asked for: {broken}; try a larger model")
        if state.repaired:
            raise unreadable from broken
        state.repaired = True
        problem = f": {broken}" if reply.complete else ": it is too long"
        messages = list(prompt.messages)
        if reply.text.strip():
            messages.append(Message(Role.ASSISTANT, reply.text[:_LONGEST_BROKEN]))
        messages.append(Message(Role.USER, prompts.REPAIR.format(problem=problem)))
        try:
            again = await self._complete(CallStage.REPAIR, replace(prompt, messages=tuple(messages)))
        except BudgetSpent as spent:
            if spent.reason is StopReason.BUDGET_CALLS:
                raise unreadable from broken
            raise
        state.cover_spent = self._mode is Mode.DEEP
        try:
            return parse(again.text)
        except MalformedReply as still:
            raise unreadable from still


@dataclass(slots=True)
class _Call:
    """One request that the ledger granted."""

    ledger: Ledger
    stage: CallStage
    estimate: int
    request: ChatRequest
    error: ModelError | None = None
    refused: bool = False
    _heard: int = 0
    _settled: bool = False

    def heard(self, piece: str) -> None:
        """A piece of the reply came."""
        self._heard += tokens(piece)

    def settle(self, reply: ChatReply) -> None:
        """The reply is there: what the endpoint says it cost counts, the estimate where that cannot be."""
        spoken = max(self._heard, tokens(reply.text))
        self.ledger.used(counted(reply.tokens_in, self.estimate), counted(reply.tokens_out, self._billed(spoken)))
        self._settled = True
        if not reply.complete and self.stage in (CallStage.SYNTHESISE, CallStage.CALIBRATE):
            self.ledger.warn("The model's answer was cut at its length limit.")

    def fail(self, error: ModelError, *, again: bool) -> None:
        """The call failed. Not accepted, it was none; unless it is made ``again``, raises `OracleFailed`, or
        `BudgetSpent` when the time is over."""
        self.error = error
        if not error.accepted and not self._heard:
            self.refused = self._settled = True
            self.ledger.withdraw(self.stage, again=again)
        if not again:
            self.ledger.check_model_time()  # a call that ended with the question's time has not failed by itself
            raise OracleFailed(str(error)) from error

    def close(self) -> None:
        """Nothing more will come: without a reply the estimate counts."""
        if not self._settled:
            self.ledger.used(self.estimate, self._billed(self._heard))
            self._settled = True

    def _billed(self, spoken: int) -> int:
        """What a reply of an estimated size costs: no more was granted, however long it is."""
        return min(spoken, self.request.max_tokens)
