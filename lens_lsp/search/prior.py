"""The prior over documents: signals, one fusion, links, admission (paper, equation for π_prior; Proposition 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace

import numpy as np

from lens_lsp.corpus.scan import Hits
from lens_lsp.search.corpus import Corpus
from lens_lsp.search.links import LinkFinder, Links
from lens_lsp.search.measure import Floats, Ints, Measures
from lens_lsp.search.question import Question
from lens_lsp.search.signals import SIGNALS, Scanned, Signal


@dataclass(frozen=True, slots=True)
class PriorWeights:
    """How much links and what the best documents lack count; how much each signal does stands in their table.

    Links come from a random search over all visible questions (docs/explanation/algorithm.md says what that means).
    """

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
    linked: Floats
    """The part of the scores that links and what the best documents lack add."""
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
    signals = _Signals(Scanned(corpus, question, hits, measures), ablate)
    exploring = _fused(signals.families(lambda signal: signal.exploring))
    followed = _ranked(corpus, exploring, np.flatnonzero(exploring > 0), _CANDIDATES)
    signals.look_closer(followed)
    parts = signals.families(lambda signal: signal.weight)
    base = _fused(parts)
    if not len(followed) or ablate & {"links", "scans"}:
        return Prior(base, _ranked(corpus, base, followed, _CANDIDATES), parts, np.zeros_like(base))
    finder = LinkFinder(corpus, question, hits, measures)
    candidates = _follow(corpus, finder, exploring, followed)
    linked = propagate(base, candidates, finder.links, measures, weights)
    linked = np.maximum(linked, complete(base, candidates, measures, weights))
    parts["scans"] = parts["scans"] + linked - base
    targets: dict[int, tuple[int, ...]] = {}
    for source, target in finder.links.forward:
        targets[source] = (*targets.get(source, ()), target)
    return Prior(linked, _ranked(corpus, linked, candidates, len(candidates)), parts, linked - base, targets)


class _Signals:
    """What each signal of the table says of every slot, and the families that they make up."""

    def __init__(self, scanned: Scanned, ablate: Set[str]) -> None:
        self._scanned = scanned
        self._ablate = ablate
        self._scores: dict[str, Floats] = {}
        silent = np.zeros(len(scanned.measures.norm))
        for signal in SIGNALS:
            heard = not signal.closer and signal.family not in ablate
            self._scores[signal.name] = signal.score(self._seen()) if heard else silent

    def look_closer(self, candidates: Ints) -> None:
        """Measure the signals that look at candidates alone."""
        for signal in SIGNALS:
            if signal.closer and signal.family not in self._ablate:
                self._scores[signal.name] = signal.score(replace(self._seen(), candidates=candidates))

    def _seen(self) -> Scanned:
        return replace(self._scanned, scores=self._scores)

    def families(self, weight: Callable[[Signal], float]) -> dict[str, Floats]:
        """The weighted sum of each family's signals."""
        families: dict[str, Floats] = {}
        for signal in SIGNALS:
            part = weight(signal) * self._scores[signal.name]
            families[signal.family] = families[signal.family] + part if signal.family in families else part
        return families


def _fused(families: Mapping[str, Floats]) -> Floats:
    return np.asarray(np.sum(list(families.values()), axis=0), np.float64)


def _ranked(corpus: Corpus, scores: Floats, slots: Ints, most: int) -> Ints:
    return corpus.order(slots, scores[slots], most)


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
