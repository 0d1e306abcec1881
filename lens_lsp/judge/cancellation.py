"""Cancellation: a chat oracle whose pending call ends at once when the user asks to stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING

from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.oracle import (
    Claim,
    ClaimFault,
    ObserveRequest,
    ReadReply,
    ReadRequest,
    Synthesis,
    SynthesisRequest,
)
from lens_lsp.model.answer import StopReason
from lens_lsp.model.documents import Evidence
from lens_lsp.model.errors import BudgetSpent
from lens_lsp.model.observation import ConfidenceMap, CoverageReply, ObservationReply, ObservationTable
from lens_lsp.model.plan import Plan, Requirement

if TYPE_CHECKING:
    from lens_lsp.judge.llm.chat_oracle import ChatOracle


class Stop:
    """The wish to end with what there is: uttered anywhere (another thread, a signal's handler), heeded on one loop."""

    def __init__(self) -> None:
        self._asked = False
        self._pending: set[asyncio.Timeout] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def ask(self) -> None:
        """End what is pending and whatever would begin."""
        self._asked = True
        if self._loop is not None:
            with suppress(RuntimeError):  # it is closed: nothing is pending
                self._loop.call_soon_threadsafe(self._end)  # a loop that waits for a socket hears of nothing else

    def asked(self) -> bool:
        """Whether it was uttered."""
        return self._asked

    def _end(self) -> None:
        now = asyncio.get_running_loop().time()
        for limit in self._pending:
            if not limit.expired():  # a stop that came before ends it already
                limit.reschedule(now)

    @asynccontextmanager
    async def heeded(self) -> AsyncGenerator[None]:
        """What is awaited inside is cancelled at the stop. Raises `BudgetSpent` then: no further call is wanted."""
        self._loop = asyncio.get_running_loop()
        if self._asked:
            raise BudgetSpent(StopReason.CANCELLED)
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._pending.add(limit)
                try:
                    yield
                finally:
                    self._pending.discard(limit)
        except TimeoutError:
            if limit.expired():
                raise BudgetSpent(StopReason.CANCELLED) from None
            raise


class StoppableChat:
    """A chat oracle (`Oracle`, `ReadingJudge` and `ClaimJudge` of `judge.oracle`) each method of which raises
    `BudgetSpent` when the stop comes. Of words that stream only the waiting for them is ever ended."""

    def __init__(self, chat: ChatOracle, stop: Stop) -> None:
        self._chat = chat
        self._stop = stop

    @property
    def endpoint(self) -> str | None:
        """That of the oracle."""
        return self._chat.endpoint

    @property
    def table(self) -> ObservationTable:
        """That of the oracle."""
        return self._chat.table

    @property
    def confidence(self) -> ConfidenceMap:
        """That of the oracle."""
        return self._chat.confidence

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        """The oracle's plan."""
        async with self._stop.heeded():
            return await self._chat.analyse(question, ledger, known)

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        """The oracle's observation."""
        async with self._stop.heeded():
            return await self._chat.observe(request, ledger)

    async def cover(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence], ledger: Ledger
    ) -> CoverageReply:
        """The oracle's coverage check."""
        async with self._stop.heeded():
            return await self._chat.cover(plan, outstanding, evidence, ledger)

    def synthesise(self, request: SynthesisRequest, result: Synthesis, ledger: Ledger) -> AsyncGenerator[str]:
        """The oracle's words as they come."""
        return self._each(self._chat.synthesise(request, result, ledger))

    async def calibrate(self, request: SynthesisRequest, answer: str, ledger: Ledger) -> str | None:
        """The oracle's short answer."""
        async with self._stop.heeded():
            return await self._chat.calibrate(request, answer, ledger)

    def read(self, request: ReadRequest, reply: ReadReply, ledger: Ledger) -> AsyncGenerator[str]:
        """The model's words as they come."""
        return self._each(self._chat.read(request, reply, ledger))

    async def amend(
        self, request: ReadRequest, reply: ReadReply, problems: Sequence[str], ledger: Ledger
    ) -> ReadReply | None:
        """The model's amended reply."""
        async with self._stop.heeded():
            return await self._chat.amend(request, reply, problems, ledger)

    async def verify(
        self, question: str, claims: Sequence[Claim], ledger: Ledger
    ) -> Mapping[int, tuple[ClaimFault, ...]] | None:
        """The model's verdict on sentences."""
        async with self._stop.heeded():
            return await self._chat.verify(question, claims, ledger)

    async def widen(self, question: str, about: str, ledger: Ledger) -> tuple[str, ...]:
        """The model's other words."""
        async with self._stop.heeded():
            return await self._chat.widen(question, about, ledger)

    async def _each(self, words: AsyncGenerator[str]) -> AsyncGenerator[str]:
        async with aclosing(words) as pieces:
            while True:
                async with self._stop.heeded():
                    piece = await anext(pieces, None)
                if piece is None:
                    return
                yield piece
