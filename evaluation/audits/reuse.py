"""Warm reuse: every question asked twice of LENS with a store that was empty at first; what the second time costs, and
whether it says the same.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.data.datasets import Question
from evaluation.data.snapshots import Corpus
from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.app.question_memory import Memory
from lens_lsp.app.settings import Request
from lens_lsp.memory.store import Store
from lens_lsp.model.answer import Answer, Status, StopReason, answer_of


@dataclass(frozen=True, slots=True)
class _Asked:
    answer: Answer
    seconds: float

    @property
    def calls(self) -> int:
        return sum(self.answer.account.calls.values())

    @property
    def tokens(self) -> int:
        return self.answer.account.tokens_in + self.answer.account.tokens_out

    @property
    def said(self) -> tuple[object, ...]:
        """What a reader gets: status, short answer, text, and what it cites."""
        cited = [
            (item.path, item.span, item.quote) for item in self.answer.evidence if f"[{item.n}]" in self.answer.text
        ]
        return self.answer.status, self.answer.short, self.answer.text, cited


@dataclass(frozen=True, slots=True)
class Reuse:
    """How ``n`` questions went. Pairs are of the first time and the second; calls and tokens a question, milliseconds
    the median of one.
    """

    n: int
    answered: int
    reused: int
    """Questions that were answered from the store the second time."""
    reused_equal: int
    """Of those, the ones that said the same word for word."""
    equal: int
    stored: int
    """Bytes of the store in the end."""
    calls: tuple[float, float]
    tokens: tuple[float, float]
    milliseconds: tuple[float, float]


def reuse(corpus: Corpus, questions: Sequence[Question], factory: OracleFactory, *, seed: int = 0) -> Reuse:
    """All questions, then all again."""
    with tempfile.TemporaryDirectory(prefix="lens-reuse.") as scratch, asyncio.Runner() as runner:
        lens = Lens([corpus.folder])
        runner.run(factory.open())
        try:
            lens.find(Request("warm", limit=1))
            with Store.open(Path(scratch, "store")) as store:
                memory = Memory(store, str(corpus.folder))
                first, again = (
                    [runner.run(_ask(lens, question, factory, memory, seed)) for question in questions]
                    for _ in range(2)
                )
            stored = sum(path.stat().st_size for path in Path(scratch).rglob("*") if path.is_file())
        finally:
            runner.run(factory.aclose())
    reused = [two.answer.stopped is StopReason.REUSED for two in again]
    equal = [one.said == two.said for one, two in zip(first, again, strict=True)]
    return Reuse(
        n=len(questions),
        answered=sum(one.answer.status is Status.ANSWERED for one in first),
        reused=sum(reused),
        reused_equal=sum(same and held for same, held in zip(equal, reused, strict=True)),
        equal=sum(equal),
        stored=stored,
        calls=(_mean([one.calls for one in first]), _mean([one.calls for one in again])),
        tokens=(_mean([one.tokens for one in first]), _mean([one.tokens for one in again])),
        milliseconds=(_median(first), _median(again)),
    )


async def _ask(lens: Lens, question: Question, factory: OracleFactory, memory: Memory, seed: int) -> _Asked:
    began = time.perf_counter()
    answer = await answer_of(
        lens.ask(Request(question.text, seed=seed), factory.of_run(question.ticket), memory=memory)
    )
    return _Asked(answer, time.perf_counter() - began)


def _mean(values: Sequence[int]) -> float:
    return round(statistics.fmean(values), 3)


def _median(asked: Sequence[_Asked]) -> float:
    return round(1000 * statistics.median(one.seconds for one in asked), 1)
