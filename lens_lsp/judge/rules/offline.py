"""The embedded oracle: no model, no network, deterministic. What is exact is answered, the rest is shown.

Places are counted and listed by the search itself, from the rule of the plan; a summary is an extract; values that
were proven are put together by our own arithmetic. Of any other passage this oracle says no more than that it is near:
words that stand together prove nothing. `judge.reader` judges such passages.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from lens_lsp.judge.base import ObserveRequest, Synthesis, SynthesisRequest
from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.reader.plan import offline_plan
from lens_lsp.judge.rules.summary import summarise
from lens_lsp.judge.rules.wording import short_answer, worded
from lens_lsp.model.documents import Evidence
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
from lens_lsp.model.plan import AnchorKind, Intent, Plan, Requirement
from lens_lsp.model.words import key

_ABOUT = 0.5
"""The share of the idf mass that a passage must hold to be taken into a summary of what no document is named for."""


@dataclass(frozen=True, slots=True)
class OfflineOracle:
    """Implements `oracle.base.Oracle` for what needs no judgement."""

    @property
    def endpoint(self) -> None:
        """Nothing leaves the process."""

    @property
    def table(self) -> ObservationTable:
        """The likelihood ratios of its verdicts."""
        return ObservationTable()

    @property
    def confidence(self) -> ConfidenceMap:
        """None: what it answers is exact, or an extract."""
        return ConfidenceMap()

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        """The question as the fact to find; a rule where places are counted or listed."""
        return offline_plan(question)

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        """Extracts for a summary; of anything else, that it is near."""
        ledger.check_time()
        if request.plan.intent is Intent.SUMMARIZE:
            return ObservationReply(summarise(request.plan, request.outstanding[0], _about(request)))
        near = tuple(Judgement(requirement.id, Verdict.RELATED) for requirement in request.outstanding)
        return ObservationReply(tuple(Observation(region.number, near) for region in request.regions))

    async def cover(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence], ledger: Ledger
    ) -> CoverageReply:
        """Vetoes what no single passage proves: two halves of a fact in two places are no proof without a judge."""
        proven = {name for item in evidence if item.verdict == Verdict.FULL for name in item.requirements}
        return CoverageReply(tuple(requirement.id for requirement in outstanding if requirement.id not in proven))

    async def synthesise(self, request: SynthesisRequest, result: Synthesis, ledger: Ledger) -> AsyncIterator[str]:
        """The answer by intent, quote by quote."""
        for piece in worded(request, configured=ledger.account().endpoint is not None):
            yield piece
        result.short = short_answer(request)

    async def calibrate(self, request: SynthesisRequest, answer: str, ledger: Ledger) -> str | None:
        """The short answer, as in the synthesis."""
        return short_answer(request)


def _about(request: ObserveRequest) -> Sequence[Region]:
    """The regions a summary may draw on: all of a named document; else those that hold what the question is about."""
    weights = {
        anchor.text: request.idf.get(anchor.text, 0.0)
        for anchor in request.plan.anchors
        if anchor.kind is not AnchorKind.PHRASE
    }
    whole = sum(weights.values())
    if request.plan.document is not None or not whole:
        return request.regions

    def held(region: Region) -> float:
        text = key("\n".join((region.title, *region.headings, region.text)))
        return sum(weight for term, weight in weights.items() if term in text)

    return [region for region in request.regions if held(region) >= _ABOUT * whole]
