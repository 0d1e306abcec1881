"""LENS itself as an arm: finding, and asking with whoever sits in the oracle's place."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from evaluation.arms.base import PRINTED, ArmResult, cited, distinct
from evaluation.arms.indexes import Passage
from evaluation.arms.together import in_order
from lens_lsp.app.oracle_factory import OracleFactory, Terms
from lens_lsp.app.settings import Request
from lens_lsp.model.answer import Answer, Event, RequirementResult, RequirementStatus, answer_of
from lens_lsp.model.documents import Findings
from lens_lsp.model.errors import UsageError
from lens_lsp.schema.answer_shapes import evidence_json

if TYPE_CHECKING:
    from lens_lsp.app.lens import Lens


class Finder(Protocol):
    """What the ``lens`` arm needs of :class:`lens_lsp.app.lens.Lens`."""

    def find(self, request: Request | str) -> Findings:
        """Ranked, verified windows for a query."""
        ...


class Asker(Protocol):
    """What the ``lens`` arm needs of :class:`lens_lsp.app.lens.Lens` where it asks."""

    def ask(self, request: Request | str, terms: Terms = ...) -> AsyncGenerator[Event]:
        """The events of one question; `Answered` is one of them."""
        ...


@dataclass(slots=True)
class LensArm:
    """``lens find``: no index; ``prepare`` opens the folder and asks one throwaway question."""

    ablate: frozenset[str] = frozenset()
    opener: Callable[[Path], Finder] | None = None
    """Opens a folder; ``None`` for the real one."""
    _finder: Finder | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """``lens``, or ``lens-without-links+scans``."""
        return lens_name(self.ablate)

    def prepare(self, corpus_dir: Path) -> float:
        """Open the folder and fill the memory cache."""
        opener = self.opener or _open_lens
        began = time.perf_counter()
        self._finder = opener(corpus_dir)
        self._finder.find(Request("warm", limit=1))
        return time.perf_counter() - began

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        """Evidence in rank order gives the windows; the documents are those the findings list."""
        if self._finder is None:
            raise UsageError("prepare the arm before searching")
        began = time.perf_counter()
        findings = self._finder.find(Request(text, limit=max(depth, PRINTED), ablate=self.ablate))
        seconds = time.perf_counter() - began
        return ArmResult(
            documents=distinct((document.path for document in findings.documents), depth),
            windows=tuple((item.path, item.span.start, item.span.end) for item in findings.evidence),
            seconds=seconds,
            evidence=tuple(evidence_json(item) for item in findings.evidence),
            compression=findings.compression,
        )

    def close(self) -> None:
        """Drop the memory cache."""
        self._finder = None


@dataclass(slots=True)
class AskingArm:
    """``lens ask``: the windows are the passages that the answer's text points at, in order. One event loop a run.

    Questions that are asked together are asked of as many searches over the folder: one answers one at a time.
    """

    ablate: frozenset[str] = frozenset()
    seed: int = 0
    factory: OracleFactory = field(default_factory=OracleFactory)
    opener: Callable[[Path], Asker] | None = None
    """Opens a folder; ``None`` for the real one."""
    _free: list[Asker] = field(default_factory=list, init=False)
    _folder: Path = field(default=Path(), init=False)
    _runner: asyncio.Runner | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """``lens``, or ``lens-without-arm-local+lambda``."""
        return lens_name(self.ablate)

    def prepare(self, corpus_dir: Path) -> float:
        """Open the folder and the loop, and fill the memory cache by one throwaway question that nobody judges."""
        began = time.perf_counter()
        self._folder, self._runner = corpus_dir, asyncio.Runner()
        self._free.clear()
        self._runner.run(self.factory.open())
        self._open(self._runner)
        return time.perf_counter() - began

    @property
    def waits(self) -> bool:
        """Whether a chat model judges."""
        return self.factory.model is not None

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        """The documents as the answer ranks them, its evidence, and the answer itself."""
        (result,) = self.search_all([(ticket, text)], depth, 1)
        return result

    def search_all(
        self, asked: Iterable[tuple[str, str]], depth: int, at_once: int
    ) -> Generator[ArmResult, None, None]:
        """The same of many questions, some of them at a time."""
        if self._runner is None:
            raise UsageError("prepare the arm before searching")
        while len(self._free) < at_once:
            self._open(self._runner)
        return in_order(self._runner, (partial(self._asked, ticket, text, depth) for ticket, text in asked), at_once)

    async def _asked(self, ticket: str, text: str, depth: int) -> ArmResult:
        began = time.perf_counter()
        answer = await self._answer(ticket, text, depth)
        seconds = time.perf_counter() - began
        return ArmResult(
            documents=distinct((document.path for document in answer.documents), depth),
            windows=tuple((item.path, item.span.start, item.span.end) for item in cited(answer)),
            seconds=seconds,
            evidence=tuple(evidence_json(item) for item in answer.evidence),
            answer=answer,
            claims=_claims(answer),
            compression=answer.compression,
            trace=tuple(map(_told, answer.requirements)),
        )

    def close(self) -> None:
        """Leave the factory, end the loop and drop the memory cache."""
        if self._runner is not None:
            self._runner.run(self.factory.aclose())
            self._runner.close()
        self._free.clear()
        self._runner = None

    def _open(self, runner: asyncio.Runner) -> None:
        asker = (self.opener or _open_lens)(self._folder)
        runner.run(answer_of(asker.ask("warm")))
        self._free.append(asker)

    async def _answer(self, ticket: str, text: str, depth: int) -> Answer:
        asker = self._free.pop()
        try:
            return await answer_of(
                asker.ask(
                    Request(text, seed=self.seed, ablate=self.ablate, documents=depth), self.factory.of_run(ticket)
                )
            )
        finally:
            self._free.append(asker)


def _claims(answer: Answer) -> tuple[tuple[float, tuple[Passage, ...]], ...]:
    """What is said to be proven: how sure that is, and the passages it rests on."""
    places = {item.n: (item.path, item.span.start, item.span.end) for item in answer.evidence}
    return tuple(
        (fact.confidence, tuple(places[n] for n in fact.evidence))
        for fact in answer.requirements
        if fact.confidence is not None and fact.status is not RequirementStatus.MISSING
    )


def _told(fact: RequirementResult) -> str:
    """What became of a fact that the question needs."""
    sure = "" if fact.confidence is None else f", confidence {fact.confidence:.2f}"
    rests = " ".join(f"[{n}]" for n in fact.evidence)
    return f"{fact.id} {fact.status.value}{sure}: {fact.text} {rests}".rstrip()


def lens_name(ablate: AbstractSet[str]) -> str:
    """What ``lens`` is called without some of its parts."""
    return f"lens-without-{'+'.join(sorted(ablate))}" if ablate else "lens"


def _open_lens(folder: Path) -> Lens:
    # Here and not at the top: the other arms must run without loading the engine.
    from lens_lsp.app.lens import Lens

    return Lens([folder])
