"""Where in a document: the density of the question's terms over cells of 50 code points (paper, π_pos).

Windows are free: they start on any cell and are scored as they stand, never as sentences or chunks. All matches
count, wherever in a document they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.hits import STRETCH, Hits
from lens_lsp.domain.plan import AnswerType
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.text import Span
from lens_lsp.search.corpus import Corpus
from lens_lsp.search.measure import Floats, Ints, Measures
from lens_lsp.search.question import Question
from lens_lsp.search.standing import Mark

CELL = 50
"""Code points of a cell, the grid on which positions are scored."""
WINDOW = 600
"""The longest window, in code points."""

_WIDTH = WINDOW // CELL
_PEAKS = 25
_TRIED = 600
_LEADING = 25


@dataclass(frozen=True, slots=True)
class PositionWeights:
    """Constants of the density; all but ``saturation`` and ``idf_power`` are shares of the question's idf mass."""

    saturation: float = 0.6
    """k1 of the term frequency inside a window."""
    idf_power: float = 1.058
    document: float = 0.5
    """How much the document's own score counts."""
    adjacent: float = 0.063
    """Two neighbouring question terms within 25 code points, in order."""
    dense: float = 0.946
    """The idf mass in the best 100 code points of the window."""
    answer_type: float = 0.062
    plateau: float = 0.073
    """How far below the peak the score may fall on the plateau whose middle is taken."""


@dataclass(frozen=True, slots=True)
class Peak:
    """A window of a slot, at most 600 code points, and its score; ``core`` runs from its first hit to its last."""

    slot: int
    span: Span
    core: Span
    score: float
    marks: tuple[Mark, ...] = ()
    """Its hits, in order."""


_DATES = (
    r"\b(?:1[0-9]{3}|20[0-9]{2}|January|February|March|April|May|June|July|August|September|October|November|December"
    r"|century)\b"
)
_NUMBERS = r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|hundred|thousand|million|billion|half|third|dozen)\b"
_ANSWERS = {
    AnswerType.DATE: regex(_DATES),
    AnswerType.NUMBER: regex(_NUMBERS),
    AnswerType.PERSON: regex(r"[a-z,] [A-Z][a-z]+ [A-Z][a-z]+"),
}


class Grid:
    """The cells of some documents side by side."""

    def __init__(self, corpus: Corpus, slots: Ints) -> None:
        self.slots = slots
        self.points = np.array([corpus.length(int(slot)) for slot in slots], np.int64)
        self.cells = np.maximum(1, -(-self.points // CELL))
        self.end = np.cumsum(self.cells)
        self.first = self.end - self.cells
        self.size = int(self.end[-1]) if len(slots) else 0
        self.row = np.repeat(np.arange(len(slots)), self.cells)
        self.limit = self.end[self.row]

    def windows(self, width: int) -> tuple[Ints, Ints]:
        """For each cell the first and the past-last cell of the window that begins there, within its document."""
        start = np.arange(self.size)
        return start, np.minimum(start + width, self.limit)


def peaks(
    corpus: Corpus,
    question: Question,
    hits: Hits,
    measures: Measures,
    slots: Ints,
    scores: Floats,
    weights: PositionWeights = PositionWeights(),
) -> list[Peak]:
    """The best windows of the given documents, best first; ``scores`` are the documents' own, in [0, 1]."""
    if not len(slots):
        return []
    grid = Grid(corpus, slots)
    idf = window_idf(hits, measures, weights)
    total = float(idf.sum()) or 1.0
    places = places_of(corpus, grid, question, hits)
    local = density_of(grid, places, idf, weights)
    density = np.where(_worth_showing(grid, local), local + weights.document * total * scores[grid.row], -np.inf)
    kind = question.plan.answer_type
    found: list[Peak] = []
    tops = _highest(grid, density, weights.plateau * total)
    for cell in tops + _leading(grid, density, tops):
        row = int(grid.row[cell])
        slot = int(slots[row])
        start = max(0, min((cell - int(grid.first[row])) * CELL, int(grid.points[row]) - WINDOW))
        span = Span(start, min(int(grid.points[row]), start + WINDOW))
        bonus = 0.0
        if kind in _ANSWERS and _ANSWERS[kind].search(corpus.source(slot), span.start, span.end):
            bonus = weights.answer_type
        marks = _marks(places, idf, int(grid.first[row]) * CELL, span)
        core = Span(marks[0].at, marks[-1].at) if marks else Span(span.start, span.start)
        found.append(Peak(slot, span, core, float(density[cell]) / total + bonus, marks))
    return _apart(sorted(found, key=lambda peak: -peak.score))


def window_idf(hits: Hits, measures: Measures, weights: PositionWeights) -> Floats:
    """How telling each term is among the cells of the workspace, estimated as if cells were bytes."""
    cells = float((measures.lengths // CELL).sum() + measures.texts) / 6  # removed texts leave empty slots
    holding = hits.unlisted.stretches.astype(np.float64)
    for term in range(len(measures.idf)):
        chosen = hits.term == term
        # Hits of one term come in order, so counting the changes counts the cells.
        place = (hits.slot[chosen].astype(np.int64) << 32) | (hits.at[chosen] // STRETCH)
        holding[term] += 1 + np.count_nonzero(np.diff(place)) if len(place) else 0
    idf = np.log1p(cells / np.maximum(holding, 1)) ** weights.idf_power
    return np.where(holding > 0, idf, 0.0)


def places_of(corpus: Corpus, grid: Grid, question: Question, hits: Hits) -> list[Ints]:
    """Per term the sorted places of its hits: code points counted through all documents of the grid."""
    row = np.full(corpus.slots, -1, np.int64)
    row[grid.slots] = np.arange(len(grid.slots))
    hits = corpus.places(hits, question.literals, grid.slots)
    place = np.empty(len(hits), np.int64)
    order = np.argsort(hits.slot, kind="stable")
    bounds = np.flatnonzero(np.diff(hits.slot[order], prepend=-1, append=-1))
    for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        chosen = order[start:stop]
        slot = int(hits.slot[chosen[0]])
        place[chosen] = corpus.points(slot, hits.at[chosen]) + int(grid.first[row[slot]]) * CELL
    return [np.sort(place[hits.term == term]) for term in range(len(question.terms))]


def density_of(grid: Grid, places: list[Ints], idf: Floats, weights: PositionWeights) -> Floats:
    """For each cell, how much of the given terms the window that begins there holds."""
    start, stop = grid.windows(_WIDTH)
    _, near = grid.windows(2)
    total = np.zeros(grid.size)
    dense = np.zeros(grid.size)
    for weight, place in zip(idf.tolist(), places, strict=True):
        if len(place):
            inside = _running(place // CELL, grid.size)
            count = inside[stop] - inside[start]
            total += weight * count * (weights.saturation + 1) / (count + weights.saturation)
            dense += weight * (inside[near] > inside[start])
    total += weights.dense * _best_within(dense, grid)
    for (left, first), (right, second) in zip(
        zip(idf.tolist(), places, strict=True), zip(idf[1:].tolist(), places[1:], strict=True), strict=False
    ):
        after = np.searchsorted(second, first, side="right")
        meets = first[after < len(second)]
        meets = meets[second[after[after < len(second)]] - meets < CELL // 2]
        if len(meets):
            inside = _running(meets // CELL, grid.size)
            total += weights.adjacent * min(left, right) * (inside[stop] > inside[start])
    return total


def _marks(places: list[Ints], idf: Floats, before: int, span: Span) -> tuple[Mark, ...]:
    """The hits inside a window."""
    marks: list[Mark] = []
    for term, place in enumerate(places):
        first, last = np.searchsorted(place, [before + span.start, before + span.end]).tolist()
        marks.extend(Mark(at - before, term, float(idf[term])) for at in place[first:last].tolist())
    return tuple(sorted(marks))


def _worth_showing(grid: Grid, local: Floats) -> NDArray[np.bool_]:
    """Windows that hold a term; of a document without any, which only links led to, its beginning."""
    holds = local > 0
    without = np.ones(len(grid.slots), bool)
    without[grid.row[holds]] = False
    holds[grid.first[without]] = True
    return holds


def _running(cells: Ints, size: int) -> NDArray[np.int64]:
    """How many of the cells lie before each cell."""
    sums = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(cells, minlength=size)[:size], out=sums[1:])
    return sums


def _best_within(dense: Floats, grid: Grid) -> Floats:
    """The best value among the cells of each window; windows may look past their document's end, never gain by it."""
    padded = np.concatenate([dense, np.zeros(_WIDTH)])
    best = dense.copy()
    cells = np.arange(grid.size)
    for step in range(1, _WIDTH - 1):
        np.maximum(best, np.where(cells + step < grid.limit, padded[step : step + grid.size], 0.0), out=best)
    return best


def _highest(grid: Grid, density: Floats, tolerance: float) -> list[int]:
    """The middles of the highest plateaus, none within half a window of a higher one."""
    tried = np.argpartition(-density, min(_TRIED, grid.size - 1))[:_TRIED]
    tried = tried[np.lexsort((tried, -density[tried]))]
    taken = np.zeros(grid.size, bool)
    chosen: list[int] = []
    for cell in tried.tolist():
        if taken[cell] or density[cell] == -np.inf:
            continue
        row = int(grid.row[cell])
        low, high = int(grid.first[row]), int(grid.end[row])
        left = right = cell
        while left > max(low, cell - _WIDTH) and density[left - 1] >= density[cell] - tolerance:
            left -= 1
        while right + 1 < min(high, cell + _WIDTH + 1) and density[right + 1] >= density[cell] - tolerance:
            right += 1
        middle = (left + right) // 2
        for centre in (cell, middle):
            taken[max(low, centre - _WIDTH // 2) : min(high, centre + _WIDTH // 2 + 1)] = True
        chosen.append(middle)
        if len(chosen) == _PEAKS:
            break
    return chosen


def _leading(grid: Grid, density: Floats, tops: list[int]) -> list[int]:
    """The highest cell of each leading document that has none among the highest of all."""
    seen = {int(grid.row[cell]) for cell in tops}
    rows = [row for row in range(min(_LEADING, len(grid.slots))) if row not in seen]
    return [int(grid.first[row] + np.argmax(density[grid.first[row] : grid.end[row]])) for row in rows]


def _apart(found: list[Peak]) -> list[Peak]:
    """Without windows that lie more than a third under a better one."""
    kept: list[Peak] = []
    for peak in found:
        if not any(
            peak.slot == better.slot
            and min(peak.span.end, better.span.end) - max(peak.span.start, better.span.start) > WINDOW // 3
            for better in kept
        ):
            kept.append(peak)
    return kept
