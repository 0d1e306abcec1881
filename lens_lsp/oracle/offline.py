"""The embedded oracle: no model, no network, deterministic. Rules where a model would read and write.

It finds and proves, it does not paraphrase: a fact counts as found only when one window holds the named entities, a
value of the expected type and most of the question's weight. Everything else is shown as a passage that may answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

from lens_lsp.domain.model import Evidence
from lens_lsp.domain.observation import (
    ConfidenceMap,
    CoverageReply,
    Judgement,
    Observation,
    ObservationReply,
    ObservationTable,
    Region,
    Verdict,
)
from lens_lsp.domain.plan import Intent, Plan, Requirement
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.words import key
from lens_lsp.oracle.base import ObserveRequest, Synthesis, SynthesisRequest
from lens_lsp.oracle.decompose import decompose
from lens_lsp.oracle.judge import Assessment, assess
from lens_lsp.oracle.ledger import Ledger
from lens_lsp.oracle.names import names
from lens_lsp.oracle.settings import OfflineSettings, fitted
from lens_lsp.oracle.summary import summarise
from lens_lsp.oracle.weights import compile_needs
from lens_lsp.oracle.wording import short_answer, worded

MOST_TERMS = 3
"""New search terms per requirement and round."""

_BRIDGING = 0.5
"""The share of the idf mass that a passage must hold for its names to be worth a search."""


@dataclass(frozen=True, slots=True)
class OfflineOracle:
    """Implements `oracle.base.Oracle` by rules; without ``settings`` the committed, fitted ones are used.

    Where ``proves`` is False, words that stand together prove no fact: only an exact rule does. Summaries are extracts
    and stay as they are.
    """

    settings: OfflineSettings | None = None
    proves: bool = True

    @property
    def endpoint(self) -> None:
        """Nothing leaves the process."""

    @property
    def table(self) -> ObservationTable:
        """The likelihood ratios of its verdicts, fitted on labelled runs."""
        return self._settings.table

    @property
    def confidence(self) -> ConfidenceMap:
        """What its citations are worth, fitted on labelled runs."""
        return self._settings.confidence

    @property
    def _settings(self) -> OfflineSettings:
        return fitted() if self.settings is None else self.settings

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        """Intent, requirements and anchors by patterns of the question."""
        return decompose(question)

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        """One verdict per region and requirement, and names of good passages that are worth a search."""
        ledger.check_time()
        if request.plan.intent is Intent.SUMMARIZE:
            return ObservationReply(summarise(request.plan, request.outstanding[0], _about(request)))
        needs = compile_needs(request.plan, request.outstanding, request.idf)
        observations = []
        partial: dict[str, list[tuple[float, Assessment, Region]]] = {}
        for region in request.regions:
            assessments = assess(needs, region)
            judgements = tuple(self._judged(assessment) for assessment in assessments)
            observations.append(Observation(region.number, judgements))
            for assessment, judgement in zip(assessments, judgements, strict=True):
                if judgement.verdict is Verdict.PARTIAL and assessment.features.context >= _BRIDGING:
                    entry = (assessment.features.context, assessment, region)
                    partial.setdefault(judgement.requirement, []).append(entry)
        return ObservationReply(tuple(observations), _bridges(request.plan, partial))

    def _judged(self, assessment: Assessment) -> Judgement:
        judgement = assessment.judgement(self._settings.thresholds)
        if self.proves or assessment.features.exact or judgement.verdict is not Verdict.FULL:
            return judgement
        return replace(judgement, verdict=Verdict.PARTIAL)

    async def cover(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence], ledger: Ledger
    ) -> CoverageReply:
        """Vetoes what no single passage proves: two halves of a fact in two places are no proof to rules."""
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
    if request.plan.document is not None:
        return request.regions
    needs = compile_needs(request.plan, request.outstanding, request.idf)
    if not any(needs.needs[0].weights):
        return request.regions
    return [region for region in request.regions if assess(needs, region)[0].features.context >= _BRIDGING]


def _bridges(
    plan: Plan, partial: Mapping[str, Sequence[tuple[float, Assessment, Region]]]
) -> dict[str, tuple[str, ...]]:
    """Names in the best partial passages that the question does not know, by requirement."""
    asked = set(key(plan.question).split()) | {anchor.text for anchor in plan.anchors}
    terms: dict[str, tuple[str, ...]] = {}
    for requirement, entries in sorted(partial.items()):
        found: dict[str, str] = {}
        for _, assessment, region in sorted(entries, key=lambda entry: (-entry[0], entry[2].number)):
            own = key(region.title)
            for name in names(assessment.quote or ""):
                known = name.key in asked or set(name.key.split()) <= asked or name.key == own
                if not known and not name.text[0].isdigit() and len(name.key) > 2:
                    found.setdefault(name.key, name.text)
        if found:
            longer = sorted(found, key=lambda folded: " " not in folded)
            terms[requirement] = tuple(found[folded] for folded in longer[:MOST_TERMS])
    return terms
