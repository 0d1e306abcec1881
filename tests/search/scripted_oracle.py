"""An oracle that says what a test wants, pays for its calls like a model, and a way to ask it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

from lens_lsp.app.lens import Lens
from lens_lsp.judge.ledger import CallStage, Ledger
from lens_lsp.judge.oracle import ObserveRequest, Synthesis, SynthesisRequest
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.model.answer import Answer, Answered, Event, Mode
from lens_lsp.model.documents import Evidence
from lens_lsp.model.errors import OracleFailed
from lens_lsp.model.observation import (
    ConfidenceMap,
    CoverageReply,
    Judgement,
    Observation,
    ObservationReply,
    ObservationTable,
    Region,
    Verdict,
)
from lens_lsp.model.plan import Plan, Requirement
from tests.lens_by_name import by_name

Says = Callable[[Requirement, Region], Judgement]


def quoting(needle: str, verdict: Verdict = Verdict.FULL) -> Says:
    """Says the verdict of every region that holds a text, quoting it, and nothing of the others."""

    def says(requirement: Requirement, region: Region) -> Judgement:
        if needle in region.text:
            return Judgement(requirement.id, verdict, needle)
        return Judgement(requirement.id, Verdict.NONE)

    return says


class ScriptedOracle:
    """Judges by a function; ``fails`` names stages that raise, ``tokens`` is what each call is said to need."""

    endpoint = None
    table = ObservationTable()
    confidence = ConfidenceMap()

    def __init__(
        self,
        says: Says,
        *,
        plan: Plan | None = None,
        coverage: CoverageReply = CoverageReply(),
        fails: frozenset[CallStage] = frozenset(),
        tokens: int = 10,
        unmet: Sequence[tuple[str, ...]] = (),
        terms: dict[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._says = says
        self._plan = plan
        self._coverage = coverage
        self._fails = fails
        self._tokens = tokens
        self._unmet = list(unmet)
        self._terms = terms or {}
        self.seen: list[list[Region]] = []
        """The regions of each observation."""

    def _call(self, ledger: Ledger, stage: CallStage) -> None:
        if stage in self._fails:
            raise OracleFailed("the model is not there; start it")
        ledger.request(stage, self._tokens, self._tokens)
        ledger.used(self._tokens, self._tokens)

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        self._call(ledger, CallStage.ANALYSE)
        return self._plan or analyse(question)

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        self._call(ledger, CallStage.OBSERVE)
        self.seen.append(list(request.regions))
        return ObservationReply(
            tuple(
                Observation(region.number, tuple(self._says(fact, region) for fact in request.outstanding))
                for region in request.regions
            ),
            self._terms,
        )

    async def cover(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence], ledger: Ledger
    ) -> CoverageReply:
        self._call(ledger, CallStage.COVER)
        return self._coverage

    async def synthesise(self, request: SynthesisRequest, result: Synthesis, ledger: Ledger) -> AsyncIterator[str]:
        self._call(ledger, CallStage.CALIBRATE if request.again else CallStage.SYNTHESISE)
        for item in request.evidence:
            yield f"{item.quote} [{item.n}]\n"
        result.unmet = self._unmet.pop(0) if self._unmet else ()

    async def calibrate(self, request: SynthesisRequest, answer: str, ledger: Ledger) -> str | None:
        self._call(ledger, CallStage.CALIBRATE)
        return "short"


def events_of(folder: Path, question: str, **options: Any) -> list[Event]:
    """Ask over a folder; all events."""

    async def collect() -> list[Event]:
        return [event async for event in by_name(Lens([folder]), question, **options)]

    return asyncio.run(collect())


def ask(folder: Path, question: str, **options: Any) -> Answer:
    """Ask over a folder; the answer."""
    options.setdefault("mode", Mode.DEEP)
    answers = [event.answer for event in events_of(folder, question, **options) if isinstance(event, Answered)]
    assert len(answers) == 1
    return answers[0]
