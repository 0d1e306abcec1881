"""Layer 1 as one step: question and workspace in, ranked documents and windows out. No model, no loop."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Set
from dataclasses import dataclass

import numpy as np

from lens_lsp.corpus.scan import Hits, scan
from lens_lsp.domain.model import Stage
from lens_lsp.domain.plan import Plan
from lens_lsp.engine.corpus import Corpus
from lens_lsp.engine.measure import Floats, Ints, measure
from lens_lsp.engine.position import Peak, peaks
from lens_lsp.engine.prior import Prior, PriorWeights, prior
from lens_lsp.engine.question import Question, prepare

ADMITTED = 50
"""Documents whose positions are scored. Looking costs no oracle call here, so it is wider than the loop's ten."""


@dataclass(frozen=True, slots=True)
class Localisation:
    """Where the evidence probably is, before anything was read for it."""

    prior: Prior
    admitted: Ints
    """Slots, best first."""
    peaks: list[Peak]
    hits: Hits
    lengths: Ints
    stages: tuple[Stage, ...]

    def windows(self, limit: int) -> list[Peak]:
        """The best windows, with one from each of the ``limit // 2`` best documents among them.

        A document that only links lead to holds few of the question's words; its window would never come up.
        """
        pending = dict.fromkeys(self.admitted[: limit // 2].tolist())
        chosen: list[Peak] = []
        for peak in self.peaks:
            if peak.slot in pending:
                del pending[peak.slot]
            elif len(chosen) + len(pending) >= limit:
                continue
            chosen.append(peak)
        return chosen

    def file_prior(self) -> Floats:
        """π_file over ``prior.ranked``: scores normalised once."""
        scores = np.maximum(self.prior.scores[self.prior.ranked], 0.0)
        total = float(scores.sum())
        return scores / total if total else scores

    def compression(self) -> float | None:
        """|C_search| / |E_t| of Proposition 1: windows in admitted documents over windows in all."""
        windows = self.lengths.astype(np.float64) * (self.lengths + 1)
        total = float(windows.sum())
        return float(windows[self.admitted].sum()) / total if len(self.admitted) and total else None


def localise(
    corpus: Corpus,
    plan: Plan,
    *,
    weights: PriorWeights = PriorWeights(),
    ablate: Set[str] = frozenset(),
    cancelled: Callable[[], bool] | None = None,
) -> Localisation:
    """Scan for the plan's anchors, form the prior, admit, and find the peaks of the position density."""
    clock = _Stages()
    question = prepare(plan)
    hits = scan(corpus.cache.chunks(), question.literals, cancelled=cancelled)
    clock.mark("scan")
    lengths = corpus.cache.arena.lengths()
    measures = measure(hits, len(question.terms), lengths, corpus.cache.live)
    ranking = prior(corpus, question, hits, measures, weights=weights, ablate=ablate)
    clock.mark("prior")
    admitted = ranking.ranked[:ADMITTED]
    own = np.maximum(ranking.scores[admitted], 0.0)
    best = float(own.max()) if len(own) else 0.0
    found = peaks(corpus, question, _exact(corpus, question, hits, admitted), measures, admitted, own / (best or 1.0))
    clock.mark("position")
    return Localisation(ranking, admitted, found, hits, lengths, tuple(clock.stages))


def _exact(corpus: Corpus, question: Question, hits: Hits, slots: Ints) -> Hits:
    """The hits with all occurrences in the given slots, also where the first scan only counted some."""
    thinned = np.intersect1d(slots, [slot for slot, _, _ in hits.thinned])
    if not len(thinned):
        return hits
    chunks = (corpus.cache.chunk(slot) for slot in thinned.tolist())
    return hits.but(thinned, scan(chunks, question.literals, most=sys.maxsize))


class _Stages:
    """A latency budget as it is spent."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []
        self._last = time.perf_counter()

    def mark(self, name: str) -> None:
        now = time.perf_counter()
        self.stages.append(Stage(name, now - self._last))
        self._last = now
