"""Fitting the offline oracle on labelled questions: thresholds, observation table, confidence map.

Everything is fitted on one half of a data set's visible questions, answerable and not, and its calibration error is
measured on the other. What is labelled is exact: whether a region, or the quote an oracle would give of it, holds one
of the places where the answer stands. Gold is met only here, after the search.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field, replace
from itertools import accumulate, product
from pathlib import Path

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.domain.answer import Answer, Status
from lens_lsp.domain.events import Observed as Heard
from lens_lsp.domain.events import Proposed, answer_of
from lens_lsp.domain.observation import ConfidenceMap, ObservationReply, ObservationTable, Verdict
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.text import Span
from lens_lsp.evaluation.data.datasets import GoldSpan, Question
from lens_lsp.oracle.base import ObserveRequest
from lens_lsp.oracle.judge import Assessment, assess
from lens_lsp.oracle.ledger import Ledger
from lens_lsp.oracle.offline import OfflineOracle
from lens_lsp.oracle.settings import OfflineSettings, Thresholds
from lens_lsp.oracle.verdicts import Features, verdict
from lens_lsp.oracle.weights import compile_needs

NEVER = 2.0
"""A share that no window reaches: with it as threshold nothing is ever proven, and the search reads all it may."""
WRONG = 2.0
"""What an answer that is wrong costs, in answers that are right."""
_MASSES = (0.8, 0.85, 0.9, 0.95)
"""Never below 0.8: with less of what was asked in sight nothing counts as proven."""
_SPREADS = (150, 250, 400)
_CONTEXTS = (0.3, 0.5, 0.7)
_RELATIONS = (0.6, 0.75, 0.9)
_LACKS = (0.4, 0.7, 1.0)
_SMOOTH = 0.5
"""Added to each count of verdicts, so that what never happened on few questions is not held impossible."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One region that was observed for one question: what was measured, and what is true of it."""

    features: Features
    holds: bool
    """The region holds a place where the answer stands."""
    proves: bool
    """So does the quote that would be given."""


@dataclass(frozen=True, slots=True)
class Observed:
    """All that one question's search looked at. ``answerable`` is the key's word."""

    id: str
    answerable: bool
    samples: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class _Recording(OfflineOracle):
    """Remembers what it measured of each round's regions, in their order."""

    measured: list[list[tuple[Features, str | None]]] = field(default_factory=list)

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        needs = compile_needs(request.plan, request.outstanding, request.idf)
        self.measured.append([_of(assess(needs, region)[0]) for region in request.regions])
        return await OfflineOracle.observe(self, request, ledger)


def _of(assessment: Assessment) -> tuple[Features, str | None]:
    return assessment.features, assessment.quote


def record(folder: Path, questions: Sequence[Question], settings: OfflineSettings) -> list[Observed]:
    """Search for every question without ever stopping early; what each search measured, labelled by the key."""
    patient = replace(settings, thresholds=replace(settings.thresholds, full_mass=NEVER))
    lens = Lens([folder])
    return [asyncio.run(_record(lens, folder, question, _Recording(patient))) for question in questions]


async def _record(lens: Lens, folder: Path, question: Question, oracle: _Recording) -> Observed:
    samples: list[Sample] = []
    async for event in lens.ask(question.text, Terms(oracle=oracle)):
        if isinstance(event, Proposed):
            proposed = event
        elif isinstance(event, Heard):
            for region, (features, quote) in zip(proposed.regions, oracle.measured[-1], strict=True):
                text = (folder / region.path).read_text("utf-8")
                samples.append(_sample(question, region.path, region.span, text, features, quote))
    return Observed(question.id, question.gold.answerable, tuple(samples))


def _sample(question: Question, path: str, span: Span, text: str, features: Features, quote: str | None) -> Sample:
    places = [Span(gold.start, gold.end) for gold in question.gold.answer_spans if gold.path == path]
    at = -1 if quote is None else text.find(quote, span.start, span.end)
    cited = Span(at, at + len(quote)) if quote is not None and at >= 0 else Span(0, 0)
    return Sample(
        features,
        holds=any(span.contains(place) for place in places),
        proves=any(cited.contains(place) for place in places),
    )


@dataclass(frozen=True, slots=True)
class Worth:
    """What thresholds come to over questions: answered rightly, wrongly, and wrongly though nothing answers them."""

    right: int
    wrong: int
    false: int
    questions: int

    @property
    def gain(self) -> float:
        """Right answers less the cost of the wrong ones."""
        return self.right - WRONG * (self.wrong + self.false)


def worth(observed: Iterable[Observed], thresholds: Thresholds) -> Worth:
    """A question counts as answered when a region is judged full; rightly when its first such quote proves it."""
    right = wrong = false = n = 0
    for one in observed:
        n += 1
        full = [sample for sample in one.samples if verdict(sample.features, thresholds) is Verdict.FULL]
        if not full:
            continue
        if not one.answerable:
            false += 1
        elif any(sample.proves for sample in full):
            right += 1
        else:
            wrong += 1
    return Worth(right, wrong, false, n)


def fit_thresholds(observed: Sequence[Observed], start: Thresholds) -> Thresholds:
    """The thresholds of the grid that gain most; of equals the strictest."""
    choices = [
        replace(start, full_mass=mass, full_spread=spread, context=context, full_relation=relation, full_lack=lack)
        for mass, spread, context, relation, lack in product(_MASSES, _SPREADS, _CONTEXTS, _RELATIONS, _LACKS)
    ]
    return max(choices, key=lambda one: (worth(observed, one).gain, one.full_mass, -one.full_spread, -one.context))


def fit_table(observed: Iterable[Observed], thresholds: Thresholds) -> ObservationTable:
    """ln P(verdict | the region holds the fact) / P(verdict | it does not), over all regions observed."""
    holding: Counter[Verdict] = Counter()
    without: Counter[Verdict] = Counter()
    for one in observed:
        for sample in one.samples:
            (holding if sample.holds else without)[verdict(sample.features, thresholds)] += 1
    ratios = {}
    for kind in Verdict:
        there = (holding[kind] + _SMOOTH) / (holding.total() + _SMOOTH * len(Verdict))
        elsewhere = (without[kind] + _SMOOTH) / (without.total() + _SMOOTH * len(Verdict))
        ratios[kind.value] = round(math.log(there / elsewhere), 4)
    return ObservationTable(**ratios)


class _Score(ConfidenceMap):
    """Gives the score itself that confidence is a map of."""

    def __call__(self, score: float) -> float | None:
        return score


def proofs(folder: Path, questions: Sequence[Question], settings: OfflineSettings) -> list[tuple[float, bool]]:
    """For every question that was answered: the score of its proof, and whether a cited quote holds the answer."""
    lens, oracle = Lens([folder]), OfflineOracle(replace(settings, confidence=_Score()))
    found = []
    for question in questions:
        answer = asyncio.run(answer_of(lens.ask(question.text, Terms(oracle=oracle))))
        score = answer.requirements[0].confidence
        if answer.status is Status.ANSWERED and score is not None:
            found.append((score, any(map(_holder(answer), question.gold.answer_spans))))
    return found


def _holder(answer: Answer) -> Callable[[GoldSpan], bool]:
    cited = [(item.path, item.span) for item in answer.evidence]
    return lambda place: any(path == place.path and span.contains(Span(place.start, place.end)) for path, span in cited)


def fit_confidence(fitted: Sequence[tuple[float, bool]], held_out: Sequence[tuple[float, bool]]) -> ConfidenceMap:
    """Monotone by pooling adjacent violators; the error is the expected one on questions it was not fitted on."""
    blocks: list[list[float]] = []  # least score, citations that held, citations
    for score, held in sorted(fitted):
        if blocks and blocks[-1][0] == score:
            blocks[-1][1] += held
            blocks[-1][2] += 1
        else:
            blocks.append([score, float(held), 1.0])
        while len(blocks) > 1 and blocks[-2][1] / blocks[-2][2] >= blocks[-1][1] / blocks[-1][2]:
            _, held_above, above = blocks.pop()
            blocks[-1][1] += held_above
            blocks[-1][2] += above
    # One success and one failure are added, so that few citations never promise certainty.
    shares = accumulate(((held + 1) / (n + 2) for _, held, n in blocks), max)
    steps = tuple((round(block[0], 4), round(share, 4)) for block, share in zip(blocks, shares, strict=True))
    plain = ConfidenceMap(steps, len(fitted))
    return replace(plain, error=_calibration_error(plain, held_out))


def _calibration_error(plain: ConfidenceMap, held_out: Sequence[tuple[float, bool]]) -> float | None:
    """Mean distance of what was promised and what held, over the citations, grouped by promise."""
    groups: dict[float, list[bool]] = {}
    for score, held in held_out:
        groups.setdefault(plain(score) or 0.0, []).append(held)
    if not held_out:
        return None
    off = sum(abs(promised * len(held) - sum(held)) for promised, held in groups.items())
    return round(off / len(held_out), 4)


@dataclass(frozen=True, slots=True)
class Fitted:
    """The settings, and what they come to on the half they were fitted on and on the other."""

    settings: OfflineSettings
    chosen: Worth
    other: Worth


def fit(folder: Path, first: Sequence[Question], second: Sequence[Question], start: OfflineSettings) -> Fitted:
    """Thresholds, then the table under them, then confidence under both; ``first`` fits, ``second`` checks."""
    seen, unseen = record(folder, first, start), record(folder, second, start)
    settings = replace(start, thresholds=fit_thresholds(seen, start.thresholds))
    settings = replace(settings, table=fit_table(seen, settings.thresholds))
    confidence = fit_confidence(proofs(folder, first, settings), proofs(folder, second, settings))
    return Fitted(
        replace(settings, confidence=confidence),
        worth(seen, settings.thresholds),
        worth(unseen, settings.thresholds),
    )
