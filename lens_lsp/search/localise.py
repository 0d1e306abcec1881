"""Layer 1 as one step: question and workspace in, ranked documents and passages out. No model, no loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np

from lens_lsp.corpus.generated_spans import joined as merged
from lens_lsp.corpus.safe_open import display_path
from lens_lsp.model.documents import Document, Evidence, RankedDocument, Stage
from lens_lsp.model.plan import Plan
from lens_lsp.model.text import Span
from lens_lsp.search.candidates import RARE, Candidates, Scored
from lens_lsp.search.measure import Floats, Ints
from lens_lsp.search.passages import WINDOW, Cutter, Passage, apart
from lens_lsp.search.prior import PriorWeights
from lens_lsp.search.reading import Reading
from lens_lsp.search.standing import standing

_READ = 30
"""Documents that are cut into passages, at least."""
_LEADING = 20
"""Passages that are ranked by themselves alone."""
_PRIOR = 0.8
"""How much the prior of the document counts in the other ranking of what comes behind those."""


@dataclass(frozen=True, slots=True)
class Localisation:
    """Where the evidence probably is, before anything was read for it."""

    candidates: Candidates
    passages: list[Passage]
    """Best first, at most as many as were asked for."""
    stages: tuple[Stage, ...] = ()

    @property
    def admitted(self) -> Ints:
        """The slots of the passages, in their order."""
        return np.array(list(dict.fromkeys(passage.slot for passage in self.passages)), np.int64)


def localise(
    reading: Reading,
    plan: Plan,
    limit: int,
    *,
    weights: PriorWeights = PriorWeights(),
    ablate: Set[str] = frozenset(),
    cancelled: Callable[[], bool] | None = None,
) -> Localisation:
    """Scan for the plan's anchors, form the prior, and find the best ``limit`` passages."""
    candidates = Candidates(reading.corpus, plan, weights=weights, ablate=ablate, cancelled=cancelled)
    started = time.perf_counter()
    passages = passages_of(reading, candidates.scored, limit)
    candidates.rank_by(passages)
    position = Stage("position", time.perf_counter() - started)
    return Localisation(candidates, passages, (*candidates.stages, position))


def passages_of(reading: Reading, scored: Scored, limit: int, *, read: int = _READ) -> list[Passage]:
    """The best passages of the workspace, best first. At least ``read`` documents are looked into, where there are so
    many with a window that holds anything."""
    cutter = Cutter(scored.question, scored.weights, scored.fields)
    chosen = _stretches(scored, max(read, 2 * limit))
    corpus = reading.corpus
    found: dict[int, list[Passage]] = {}
    places: dict[int, list[Ints]] = {}
    for part in corpus.parts(scored.hits, np.array(list(chosen), np.int64)):
        for slot, at in _places(reading, scored, part.tolist()).items():
            document = None if corpus.over() else reading.document(slot)
            if document is None:
                continue
            stretches = _joined(corpus.points(slot, np.array(chosen[slot])).tolist(), len(document.text))
            own = cutter.passages(slot, document, at, stretches, float(scored.documents[slot]))
            found[slot] = [replace(one, score=RARE * one.score) for one in own] if slot in scored.rare else own
            places[slot] = at if corpus.cache.arena.holds(slot) else _within(at, own)
    keys = {slot: reading.text(slot).key for slot in chosen}
    passages = [one for slot in chosen for one in found.get(slot, ())]
    return [
        Passage(one.slot, one.span, one.score, cutter.marks(one, places[one.slot]), one.cut)
        for one in _ranked(apart(passages, keys), scored.prior, limit)
    ]


def _within(places: Sequence[Ints], passages: Sequence[Passage]) -> list[Ints]:
    """Of places, which rise, those that stand in passages, or between passages that overlap."""
    spans = merged(passage.span for passage in passages)
    bounds = np.array([(span.start, span.end) for span in spans], np.int64).reshape(-1, 2)
    return [
        at[np.searchsorted(bounds[:, 0], at, "right") > np.searchsorted(bounds[:, 1], at, "right")] for at in places
    ]


def _ranked(passages: list[Passage], prior: Floats, limit: int) -> list[Passage]:
    """The first ``limit`` of passages that are ranked by their own scores. Behind the leading ones every second one is
    taken from a ranking to which the prior of the document counts as well: where words fail, good documents help."""
    leading, others = passages[:_LEADING], passages[_LEADING:]
    if limit <= _LEADING:
        return passages[:limit]
    by_document = sorted(others, key=lambda one: -(one.score + _PRIOR * float(prior[one.slot])))
    both = dict.fromkeys(one for pair in zip(others, by_document, strict=True) for one in pair)
    return [*leading, *both][:limit]


def _stretches(scored: Scored, most: int) -> dict[int, list[int]]:
    """The documents that are read for passages, and the first bytes of their best windows."""
    chosen: dict[int, list[int]] = {slot: [0] for slot in scored.beginnings}
    for slot, at in zip(scored.windows.slot.tolist(), scored.windows.at.tolist(), strict=True):
        if slot in chosen or len(chosen) < most:
            chosen.setdefault(slot, []).append(at)
    return chosen


def _places(reading: Reading, scored: Scored, slots: Sequence[int]) -> dict[int, list[Ints]]:
    """Per text the code points at which each scanned term stands in it, in order."""
    corpus, terms = reading.corpus, len(scored.question.scanned)
    hits = corpus.places(scored.hits, scored.question.scanned, np.array(slots, np.int64))
    order = np.lexsort((hits.at, hits.term, hits.slot))
    slot, term, at = hits.slot[order], hits.term[order], hits.at[order]
    own = np.array(slots, np.int64)
    bounds = np.searchsorted(slot, [own, own + 1])
    found: dict[int, list[Ints]] = {}
    for number, first, last in zip(slots, *bounds.tolist(), strict=True):
        points = corpus.points(number, at[first:last])
        ends = np.searchsorted(term[first:last], np.arange(1, terms))
        found[number] = np.split(points, ends)
    return found


def _joined(windows: list[int], length: int) -> list[Span]:
    """Stretches around windows, apart and in order: a passage may begin a window before and end one behind."""
    joined: list[Span] = []
    for window in sorted(windows):
        start, end = max(0, window - WINDOW), min(length, window + 2 * WINDOW)
        if joined and start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(end, joined[-1].end))
        elif start < end:
            joined.append(Span(start, end))
    return joined


def as_evidence(
    reading: Reading,
    passage: Passage,
    n: int,
    signals: Mapping[str, float],
    requirements: tuple[str, ...] = ("f1",),
) -> Evidence | None:
    """A passage as evidence number ``n``; None when its text does not stand there any more."""
    document = reading.document(passage.slot)
    if document is None:
        return None
    return reading.evidence(
        passage.slot,
        document,
        passage.span,
        n,
        under=_under(document, passage),
        score=passage.score,
        signals=signals,
        requirements=requirements,
        cut=passage.cut,
    )


def _under(document: Document, passage: Passage) -> int:
    """The offset whose headings and place name the passage."""
    last = passage.span.end - 1
    return min(last, max(standing(document, passage.marks, last), passage.span.start))


def ranking(
    reading: Reading, candidates: Candidates, admitted: Set[int], *, most: int = 10, always: Set[int] = frozenset()
) -> tuple[RankedDocument, ...]:
    """The documents by their scores, at least the first ten and those in ``always``, each file once."""
    scores = candidates.scores
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
