"""An arm that answers by a chat model in a way of its own, under the budget and with the accounting of LENS."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from evaluation.arms.access import Excerpt
from evaluation.arms.base import ArmResult, Said, cited, distinct
from evaluation.arms.calling import Talk
from evaluation.arms.prompts import Wording
from evaluation.arms.rag import Rag
from evaluation.arms.together import in_order
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.model.answer import Status, StopReason
from lens_lsp.model.errors import BudgetSpent, OracleFailed, UsageError


class Way(Protocol):
    """How an arm comes to its answer. It is given the folder, then one question text at a time."""

    def prepare(self, corpus_dir: Path) -> float:
        """Do whatever must happen before the first question; the wall seconds that takes from nothing."""

    def stored_bytes(self) -> int:
        """What would have to be kept on disk so as not to do it again."""

    def retrieve(self, question: str, depth: int) -> Sequence[Excerpt]:
        """What an index ranks for a question, best first, ``depth`` documents of it; nothing without an index."""

    async def answer(self, question: str, retrieved: Sequence[Excerpt], talk: Talk) -> Wording:
        """The answer. Raises BudgetSpent and OracleFailed."""

    def close(self) -> None:
        """Let go of what `prepare` made."""


@dataclass(slots=True)
class ChatArm:
    """A way, asked with the chat model of a factory. One event loop a run."""

    name: str
    way: Way
    factory: OracleFactory
    _runner: asyncio.Runner | None = field(default=None, init=False)

    def prepare(self, corpus_dir: Path) -> float:
        """Let the way prepare, and look at the model's context."""
        seconds = self.way.prepare(corpus_dir)
        began = time.perf_counter()
        self._runner = self._runner or asyncio.Runner()
        self._runner.run(self.factory.open())
        return seconds + time.perf_counter() - began

    @property
    def waits(self) -> bool:
        """It asks a model whatever it does."""
        return True

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        """The documents in the order of the index, else those cited, then those shown; as windows what is cited."""
        (result,) = self.search_all([(ticket, text)], depth, 1)
        return result

    def search_all(
        self, asked: Iterable[tuple[str, str]], depth: int, at_once: int
    ) -> Generator[ArmResult, None, None]:
        """The same of many questions, some of them at a time."""
        if self._runner is None:
            raise UsageError("prepare the arm before searching")
        return in_order(self._runner, (partial(self._begin, text, depth) for _, text in asked), at_once)

    def _begin(self, text: str, depth: int) -> Coroutine[Any, Any, ArmResult]:
        """Retrieve now, since an index is asked for one question at a time and may run a loop of its own."""
        began, sent = time.perf_counter(), self._sent
        assert self.factory.model is not None
        talk = Talk.within(self.factory.budget, self.factory.model, self.factory.prices)
        retrieved = self.way.retrieve(text, depth)
        return self._searched(text, depth, retrieved, talk, began, self._sent - sent)

    @property
    def _sent(self) -> int:
        return self.way.index.sent if isinstance(self.way, Rag) else 0

    async def _searched(
        self, text: str, depth: int, retrieved: Sequence[Excerpt], talk: Talk, began: float, embedded: int
    ) -> ArmResult:
        answer = await self._answered(text, retrieved, talk)
        pointed = cited(answer)
        ranked = [item.path for item in retrieved] or [item.path for item in (*pointed, *answer.evidence)]
        return ArmResult(
            documents=distinct(ranked, depth),
            windows=tuple(item.passage for item in pointed),
            seconds=time.perf_counter() - began,
            evidence=tuple(item.json() for item in answer.evidence),
            answer=answer,
            trace=tuple(talk.trace),
            embedded=embedded,
        )

    def stored_bytes(self) -> int:
        """What its index takes on disk."""
        return self.way.stored_bytes()

    def close(self) -> None:
        """Leave the factory, end the loop, and let the way close."""
        if self._runner is not None:
            self._runner.run(self.factory.aclose())
            self._runner.close()
        self._runner = None
        self.way.close()

    async def _answered(self, text: str, retrieved: Sequence[Excerpt], talk: Talk) -> Said:
        said, stopped = Wording("", None), StopReason.NOWHERE
        try:
            async with asyncio.timeout(self.factory.budget.seconds):
                said = await self.way.answer(text, retrieved, talk)
        except BudgetSpent as spent:
            stopped = spent.reason
        except TimeoutError:
            stopped = StopReason.BUDGET_SECONDS
        except OracleFailed as failed:
            stopped = StopReason.MODEL_FAILED
            talk.trace.append(str(failed))
        if said.short is not None:
            stopped = StopReason.COVERED
        status = Status.UNANSWERED if said.short is None else Status.ANSWERED
        return Said(status, stopped, said.text, said.short, tuple(talk.shown), talk.ledger.account())
