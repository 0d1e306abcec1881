"""The prior over documents: five signals, one fusion, links, admission (paper, equation for π_prior; Proposition 1)."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

import numpy as np

from lens_lsp.corpus.scan import Hits
from lens_lsp.engine.corpus import Corpus
from lens_lsp.engine.links import LinkFinder, Links
from lens_lsp.engine.measure import Floats, Ints, Measures
from lens_lsp.engine.question import Question
from lens_lsp.engine.signals import heading_scores, name_scores, phrase_scores, proximity_scores, title_scores


@dataclass(frozen=True, slots=True)
class PriorWeights:
    """How much each part of the prior counts, in shares of the question's idf mass.

    Chosen on the first half of the visible questions (docs/explanation/algorithm.md tells how).
    """

    phrases: float = 0.499
    proximity: float = 0.109
    titles: float = 0.678
    names: float = 2.0
    headings: float = 1.0
    even_names: float = 1.0
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
    rounds: int = 2
    decay: float = 0.514


_CANDIDATES = 80
_SOURCES = 10
_SECOND_SOURCES = 12


@dataclass(frozen=True, slots=True)
class Prior:
    """Scores over all slots before normalisation, and each signal family's part in them."""

    scores: Floats
    ranked: Ints
    """Candidate slots, best first."""
    parts: dict[str, Floats] = field(default_factory=dict)


def prior(
    corpus: Corpus,
    question: Question,
    hits: Hits,
    measures: Measures,
    weights: PriorWeights = PriorWeights(),
    ablate: Set[str] = frozenset(),
) -> Prior:
    """Score every document for the question."""
    slots = len(measures.norm)
    silent = np.zeros(slots)
    covered = silent if "lexical" in ablate else measures.coverage()
    phrases = silent if "lexical" in ablate else phrase_scores(corpus, question, hits, measures)
    titles = silent if "path" in ablate else title_scores(corpus, question, slots)
    names = silent if "path" in ablate else name_scores(corpus, question, slots)
    proximity = silent if "scans" in ablate else proximity_scores(hits, measures, covered + phrases + titles)
    path = weights.titles * titles + weights.names * names
    base = covered + weights.phrases * phrases + path + weights.proximity * proximity
    even = covered + 0.2 * phrases + 0.25 * titles + 0.2 * proximity + weights.even_names * names
    ranked = _ranked(corpus, even, np.flatnonzero(even > 0), _CANDIDATES)
    if "path" not in ablate:
        headings = weights.headings * heading_scores(corpus, question, measures, ranked)
        path, base = path + headings, base + headings
    linked = base
    if len(ranked) and "links" not in ablate and "scans" not in ablate:
        candidates, linked = _follow(corpus, question, hits, measures, base, even, ranked, weights)
        ranked = _ranked(corpus, linked, candidates, len(candidates))
    return Prior(linked, ranked, {"lexical": covered, "path": path, "scans": linked - base})


def _ranked(corpus: Corpus, scores: Floats, slots: Ints, most: int) -> Ints:
    if len(slots) > 4 * most:
        slots = slots[np.argpartition(-scores[slots], 2 * most)[: 2 * most]]
    return corpus.order(slots, scores[slots])[:most]


def _follow(
    corpus: Corpus,
    question: Question,
    hits: Hits,
    measures: Measures,
    base: Floats,
    even: Floats,
    ranked: Ints,
    weights: PriorWeights,
) -> tuple[Ints, Floats]:
    """Two hops of links out of the best documents; the candidates they lead to and everyone's new score."""
    finder = LinkFinder(corpus, question, hits, measures)
    finder.expand(ranked[:_SOURCES].tolist())
    finder.look_back(ranked, even)
    provisional = even.copy()
    best = float(even.max()) or 1.0
    for (source, target), mention in finder.links.forward.items():
        gain = 0.3 * even[source] / best * (1 + 0.5 * mention.near) / mention.namesakes**0.5
        provisional[target] = max(provisional[target], even[target] + gain)
    candidates = np.array(sorted({*ranked.tolist(), *finder.links.targets()}), np.int64)
    finder.expand(_ranked(corpus, provisional, candidates, _SECOND_SOURCES).tolist())
    candidates = np.array(sorted({*candidates.tolist(), *finder.links.targets()}), np.int64)
    return candidates, propagate(base, candidates, finder.links, measures, weights)


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
        ) / mention.namesakes**0.5
        table.append((row[source], row[target], weight))
    for source, target in links.reverse:
        table.append((row[source], row[target], weights.reverse_gain * gain(source, target)))
    for (source, target), rarity in links.shared.items():
        weight = rarity * weights.shared * (weights.shared_base + gain(source, target))
        table.append((row[source], row[target], weight))
    columns = np.array(table, np.float64).reshape(-1, 3)
    return _Edges(columns[:, 0].astype(np.int64), columns[:, 1].astype(np.int64), columns[:, 2])
