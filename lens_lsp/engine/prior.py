"""The prior over documents: five signals, one fusion, links, admission (paper, equation for π_prior; Proposition 1)."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace

import numpy as np

from lens_lsp.corpus.scan import Hits
from lens_lsp.engine.corpus import Corpus
from lens_lsp.engine.links import LinkFinder, Links
from lens_lsp.engine.measure import Floats, Ints, Measures
from lens_lsp.engine.question import Question
from lens_lsp.engine.signals import (
    heading_scores,
    history_scores,
    name_scores,
    phrase_scores,
    proximity_scores,
    summary_scores,
    title_scores,
)


@dataclass(frozen=True, slots=True)
class PriorWeights:
    """How much each part of the prior counts, in shares of the question's idf mass.

    Phrases, titles, proximity and links come from a random search over all visible questions; names, headings and
    summaries were set by hand with the same questions in view (docs/explanation/algorithm.md says what that means).
    """

    phrases: float = 0.499
    titles: float = 0.678
    names: float = 2.0
    headings: float = 1.0
    summaries: float = 0.2
    history: float = 0.5
    proximity: float = 0.109
    sources: int = 5
    """How many of the best documents pass weight on along links."""
    source_power: float = 0.979
    forward: float = 0.2
    forward_near: float = 0.216
    forward_gain: float = 2.172
    forward_early: float = 0.087
    reverse_gain: float = 3.088
    shared: float = 0.813
    shared_base: float = 0.315
    lacking: float = 0.6
    """What counts for a document that holds what the best ones lack."""
    rounds: int = 2
    decay: float = 0.514


EXPLORING = PriorWeights(phrases=0.2, titles=0.25, names=1.0, summaries=0.2, history=0.5, proximity=0.2)
"""Whose links are followed: names count less here, since a document that is only called like a word of the question
is worth showing but not worth following."""

_CANDIDATES = 80
_SOURCES = 10
_SECOND_SOURCES = 12


@dataclass(frozen=True, slots=True)
class Prior:
    """Scores over all slots before normalisation, and each signal family's part in them."""

    scores: Floats
    ranked: Ints
    """Candidate slots, best first."""
    parts: Mapping[str, Floats]
    links: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Slots that a slot names."""

    def shares(self, slot: int) -> dict[str, float]:
        """Each signal family's share of the score of a document."""
        parts = {name: float(part[slot]) for name, part in self.parts.items()}
        total = sum(parts.values()) or 1.0
        return {name: round(part / total, 6) for name, part in parts.items()}


def prior(
    corpus: Corpus,
    question: Question,
    hits: Hits,
    measures: Measures,
    *,
    weights: PriorWeights = PriorWeights(),
    ablate: Set[str] = frozenset(),
) -> Prior:
    """Score every document for the question: π_prior at the level of documents (paper, equation 6).

    ``ablate`` switches families off.
    """
    signals = _measure_signals(corpus, question, hits, measures, ablate)
    exploring = signals.fused(EXPLORING)
    followed = _ranked(corpus, exploring, np.flatnonzero(exploring > 0), _CANDIDATES)
    if "path" not in ablate:
        signals = replace(signals, headings=heading_scores(corpus, question, measures, followed))
    parts = signals.families(weights)
    base = signals.fused(weights)
    if not len(followed) or ablate & {"links", "scans"}:
        return Prior(base, _ranked(corpus, base, followed, _CANDIDATES), parts)
    finder = LinkFinder(corpus, question, hits, measures)
    candidates = _follow(corpus, finder, exploring, followed)
    linked = propagate(base, candidates, finder.links, measures, weights)
    linked = np.maximum(linked, complete(base, candidates, measures, weights))
    parts["scans"] = parts["scans"] + linked - base
    targets: dict[int, tuple[int, ...]] = {}
    for source, target in finder.links.forward:
        targets[source] = (*targets.get(source, ()), target)
    return Prior(linked, _ranked(corpus, linked, candidates, len(candidates)), parts, targets)


@dataclass(frozen=True, slots=True)
class _Signals:
    """What each signal says of every slot."""

    covered: Floats
    phrases: Floats
    titles: Floats
    names: Floats
    headings: Floats
    summaries: Floats
    history: Floats
    proximity: Floats

    def families(self, weights: PriorWeights) -> dict[str, Floats]:
        """The five families, weighted."""
        return {
            "lexical": self.covered + weights.phrases * self.phrases,
            "path": weights.titles * self.titles + weights.names * self.names + weights.headings * self.headings,
            "summaries": weights.summaries * self.summaries,
            "history": weights.history * self.history,
            "scans": weights.proximity * self.proximity,
        }

    def fused(self, weights: PriorWeights) -> Floats:
        """Their weighted sum."""
        return np.asarray(np.sum(list(self.families(weights).values()), axis=0), np.float64)


def _measure_signals(
    corpus: Corpus,
    question: Question,
    hits: Hits,
    measures: Measures,
    ablate: Set[str],
) -> _Signals:
    slots = len(measures.norm)
    silent = np.zeros(slots)
    lexical, path, scans = (family not in ablate for family in ("lexical", "path", "scans"))
    covered = measures.coverage() if lexical else silent
    phrases = phrase_scores(corpus, question, hits, measures) if lexical else silent
    titles = title_scores(corpus, question, slots) if path else silent
    return _Signals(
        covered=covered,
        phrases=phrases,
        titles=titles,
        names=name_scores(corpus, question, slots) if path else silent,
        headings=silent,
        summaries=silent if "summaries" in ablate else summary_scores(corpus, question, measures),
        history=silent if "history" in ablate else history_scores(corpus, slots),
        proximity=proximity_scores(hits, measures, covered + phrases + titles) if scans else silent,
    )


def _ranked(corpus: Corpus, scores: Floats, slots: Ints, most: int) -> Ints:
    if len(slots) > 4 * most:
        slots = slots[scores[slots] >= np.partition(scores[slots], -most)[-most]]  # ties are settled by path
    return corpus.order(slots, scores[slots])[:most]


def _follow(corpus: Corpus, finder: LinkFinder, exploring: Floats, followed: Ints) -> Ints:
    """Two hops of links out of the best documents; all candidates they lead to."""
    finder.expand(followed[:_SOURCES].tolist())
    finder.look_back(followed, exploring)
    provisional = exploring.copy()
    best = float(exploring.max())
    for (source, target), mention in finder.links.forward.items():
        gain = 0.3 * exploring[source] / best * (1 + 0.5 * mention.near) / mention.namesakes**0.5
        provisional[target] = max(provisional[target], exploring[target] + gain)
    candidates = np.array(sorted({*followed.tolist(), *finder.links.targets()}), np.int64)
    finder.expand(_ranked(corpus, provisional, candidates, _SECOND_SOURCES).tolist())
    return np.array(sorted({*candidates.tolist(), *finder.links.targets()}), np.int64)


def propagate(base: Floats, candidates: Ints, links: Links, measures: Measures, weights: PriorWeights) -> Floats:
    """Pass weight from the best documents along links, ``weights.rounds`` times, each time less."""
    row = {slot: index for index, slot in enumerate(candidates.tolist())}
    covered = measures.rows(candidates)
    own = base[candidates]
    edges = _edges(links, row, covered, measures, weights)
    scores = own.copy()
    for turn in range(weights.rounds):
        threshold = np.sort(scores)[-min(len(scores), weights.sources)]
        strength = np.where(scores >= threshold, (scores / scores.max()) ** weights.source_power, 0.0)
        gain = np.zeros(len(scores))
        np.maximum.at(gain, edges.target, strength[edges.source] * edges.weight)
        scores = np.maximum(scores, own + gain * weights.decay**turn)
    spread = base.copy()
    spread[candidates] = scores
    return spread


def complete(base: Floats, candidates: Ints, measures: Measures, weights: PriorWeights) -> Floats:
    """Give each candidate more for the part of the question that it holds and the best others together do not.

    The best one needs nothing to complete it and keeps its score.
    """
    own, covered = base[candidates], measures.rows(candidates)
    best = np.argsort(-own, kind="stable")[: weights.sources]
    held = np.sort(covered[best], axis=0)
    known = np.tile(held[-1], (len(candidates), 1))
    if len(best) > 1:  # what one of the best holds itself does not count against it
        known[best] = np.where(covered[best] == held[-1], held[-2], held[-1])
    gain = np.maximum(covered - known, 0.0) @ measures.idf / measures.total
    gain[best[0]] = 0.0
    completed = base.copy()
    completed[candidates] += weights.lacking * gain
    return completed


@dataclass(frozen=True, slots=True)
class _Edges:
    source: Ints
    target: Ints
    weight: Floats


def _edges(links: Links, row: dict[int, int], covered: Floats, measures: Measures, weights: PriorWeights) -> _Edges:
    """All links as arrays of rows and weights; a target that adds nothing new is worth little."""

    def gain(source: int, target: int) -> float:
        new = np.maximum(covered[row[target]] - covered[row[source]], 0.0)
        return float(new @ measures.idf) / measures.total

    table: list[tuple[int, int, float]] = []
    for (source, target), mention in links.forward.items():
        early = 1.0 / (1.0 + mention.at / 400.0)
        weight = (
            weights.forward
            + weights.forward_near * min(1.0, 2.0 * mention.near)
            + weights.forward_gain * gain(source, target)
            + weights.forward_early * early
        ) * (mention.sure / mention.namesakes**0.5)
        table.append((row[source], row[target], weight))
    for source, target in links.reverse:
        table.append((row[source], row[target], weights.reverse_gain * gain(source, target)))
    for (source, target), rarity in links.shared.items():
        weight = rarity * weights.shared * (weights.shared_base + gain(source, target))
        table.append((row[source], row[target], weight))
    columns = np.array(table, np.float64).reshape(-1, 3)
    return _Edges(columns[:, 0].astype(np.int64), columns[:, 1].astype(np.int64), columns[:, 2])
