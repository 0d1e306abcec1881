"""Where in a document: the density of the question's terms over cells of 50 code points (paper, π_pos).

Windows are free: they start on any cell and are scored as they stand, never as sentences or chunks. All matches
count, wherever in a document they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.scan import STRETCH, Hits
from lens_lsp.search.corpus import Corpus
from lens_lsp.search.measure import Floats, Ints, Measures
from lens_lsp.search.question import Question

CELL = 50
"""Code points of a cell, the grid on which positions are scored."""
WINDOW = 600
"""The longest window, in code points."""

_WIDTH = WINDOW // CELL


@dataclass(frozen=True, slots=True)
class PositionWeights:
    """Constants of the density; all but ``saturation`` and ``idf_power`` are shares of the question's idf mass."""

    saturation: float = 0.6
    """k1 of the term frequency inside a window."""
    idf_power: float = 1.058
    adjacent: float = 0.063
    """Two neighbouring question terms within 25 code points, in order."""
    dense: float = 0.946
    """The idf mass in the best 100 code points of the window."""


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
    terms = range(len(question.terms))
    found: list[list[Ints]] = [[np.empty(0, np.int64)] for _ in terms]
    for part in corpus.parts(hits, np.sort(grid.slots)):
        some = corpus.places(hits, question.literals, part)
        place = np.empty(len(some), np.int64)
        order = np.argsort(some.slot, kind="stable")
        bounds = np.flatnonzero(np.diff(some.slot[order], prepend=-1, append=-1))
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            chosen = order[start:stop]
            slot = int(some.slot[chosen[0]])
            place[chosen] = corpus.points(slot, some.at[chosen]) + int(grid.first[row[slot]]) * CELL
        for term in terms:
            found[term].append(place[some.term == term])
    return [np.sort(np.concatenate(each)) for each in found]


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
