"""Layer 1 as one step: question and workspace in, ranked documents and windows out. No model, no loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Set

import numpy as np

from lens_lsp.corpus.opening import display_path
from lens_lsp.domain.model import Evidence, RankedDocument, Stage
from lens_lsp.domain.plan import Plan
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.text import Span
from lens_lsp.search.candidates import Candidates
from lens_lsp.search.corpus import Corpus
from lens_lsp.search.measure import Ints
from lens_lsp.search.passage import quotable
from lens_lsp.search.position import Peak, peaks
from lens_lsp.search.prior import PriorWeights
from lens_lsp.search.reading import Reading
from lens_lsp.search.region import from_its_page, readable
from lens_lsp.search.standing import standing

ADMITTED = 50
"""Documents whose positions are scored. Looking costs no oracle call here, so it is wider than the loop's ten."""


@dataclass(frozen=True, slots=True)
class Localisation:
    """Where the evidence probably is, before anything was read for it."""

    candidates: Candidates
    admitted: Ints
    """Slots, best first."""
    peaks: list[Peak]
    stages: tuple[Stage, ...] = ()

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


def localise(
    corpus: Corpus,
    plan: Plan,
    *,
    weights: PriorWeights = PriorWeights(),
    ablate: Set[str] = frozenset(),
    cancelled: Callable[[], bool] | None = None,
) -> Localisation:
    """Scan for the plan's anchors, form the prior, admit, and find the peaks of the position density."""
    candidates = Candidates(corpus, plan, weights=weights, ablate=ablate, cancelled=cancelled)
    started = time.perf_counter()
    place = peaks_of(corpus, candidates)
    position = Stage("position", time.perf_counter() - started)
    return Localisation(candidates, place.admitted, place.peaks, (*candidates.stages, position))


def peaks_of(corpus: Corpus, candidates: Candidates) -> Localisation:
    """The peaks of the position density in the best documents."""
    admitted = candidates.ranked[:ADMITTED]
    own = np.maximum(candidates.overall.scores[admitted], 0.0)
    best = float(own.max()) if len(own) else 0.0
    found = peaks(corpus, candidates.question, candidates.hits, candidates.measures, admitted, own / (best or 1.0))
    return Localisation(candidates, admitted, found)


def as_evidence(
    reading: Reading, peak: Peak, n: int, signals: Mapping[str, float], requirements: tuple[str, ...] = ("f1",)
) -> Evidence | None:
    """A window as evidence number ``n``, opened and closed where a reader may; None when its text does not stand there
    any more or says nothing."""
    document = reading.document(peak.slot)
    if document is not None and any(own.contains(peak.core) for own in document.structure.ours):
        return None  # all that matched is the question itself
    if document is None:
        return None
    place = standing(document, peak.marks, peak.core.start)
    window = from_its_page(document, peak.span, place)
    core = Span(max(peak.core.start, window.start), max(peak.core.end, window.start))
    span = quotable(document, readable(document.text, window, core))
    if span is None:
        return None
    return reading.evidence(
        peak.slot,
        document,
        span,
        n,
        under=max(span.start, place),
        score=peak.score,
        signals=signals,
        requirements=requirements,
    )


def ranking(
    reading: Reading, candidates: Candidates, admitted: Set[int], *, most: int = 10, always: Set[int] = frozenset()
) -> tuple[RankedDocument, ...]:
    """The documents by the prior, at least the first ten and those in ``always``, each file once."""
    scores = np.maximum(candidates.overall.scores, 0.0)
    total = float(scores[candidates.ranked].sum()) or 1.0
    first = candidates.ranked.tolist()
    ranked: dict[tuple[int, str], RankedDocument] = {}
    for slot in [*first, *sorted(always - set(first))]:
        root, path = key = reading.text(slot).key
        if key in ranked:  # another piece of the same file
            continue
        if len(ranked) < max(10, most) or slot in always:
            prior, shown = float(scores[slot]) / total, reading.was_read(slot)
            shares = candidates.shares(slot)
            ranked[key] = RankedDocument(root, display_path(path), prior, slot in admitted, shown, shares)
    return tuple(ranked.values())
