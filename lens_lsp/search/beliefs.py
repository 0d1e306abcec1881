"""Beliefs over the cells of admitted documents: position prior, posterior and the test that stops (paper, Layer 2).

The admitted documents are cut into cells of 50 code points (`Space`; Proposition 1). π_pos is the density of a
requirement's anchors around each cell (`landscape`; equation 7, second factor): windows are free and all matches count.
`Beliefs` holds a distribution per requirement over the cells and "nowhere": the log-prior, computed anew whenever
documents join, and the sum of the observations' log-likelihood ratios, which stays; so it does not matter whether a
document joined before or after others were observed (supplement, Lemma 1). `glr` and `threshold` are budget-aware
stopping (equation 11; supplement, equations 20 and 21): a fact is localised when the least sure cell of its best quote
beats every other cell by more than β(t, δ) · γ.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.scan import Hits
from lens_lsp.model.documents import Document
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.observation import ObservationTable, Verdict
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, stem, words
from lens_lsp.search.corpus_view import Corpus, Floats, Ints, Measures
from lens_lsp.search.localisation import Candidates
from lens_lsp.search.passages import WINDOW, count
from lens_lsp.search.question import ScanQuestion

CELL = 50
"""Code points of a cell, the grid on which positions are scored."""
_WIDTH = WINDOW // CELL
SATURATION = 0.6
"""k1 of the term frequency inside a window."""
_IDF_POWER = 1.058
ADJACENT = 0.063
"""Two neighbouring question terms within 25 code points, in order: a share of the question's idf mass."""
DENSE = 0.946
"""The idf mass in the best 100 code points of the window: a share, too."""
_POWER = 4.0
"""How sharply mass follows the density."""
_HEADING = 0.3
"""How much headings add: a share of the requirement's idf mass."""
EVEN = 0.05
"""Share of a document's mass that lies on all its cells alike."""
SOMEWHERE = 0.9
"""Prior mass of all admitted cells together; the rest is on "nowhere"."""
DELTA = 0.1
"""Probability of a wrong stop that the threshold allows for."""
RELAXED = 0.8
"""What self-correction multiplies the threshold by."""
_TIE = 1e-9
_PARTIALS = 2


class CellGrid:
    """The cells of some documents side by side."""

    def __init__(self, corpus: Corpus, slots: Ints) -> None:
        self.slots = slots
        points = np.array([corpus.length(int(slot)) for slot in slots], np.int64)
        self.cells = np.maximum(1, -(-points // CELL))
        self.end = np.cumsum(self.cells)
        self.first = self.end - self.cells
        self.size = int(self.end[-1]) if len(slots) else 0
        self.row = np.repeat(np.arange(len(slots)), self.cells)
        self.limit = self.end[self.row]

    def windows(self, width: int) -> tuple[Ints, Ints]:
        """For each cell the first and the past-last cell of the window that begins there, within its document."""
        start = np.arange(self.size)
        return start, np.minimum(start + width, self.limit)


def window_idf(hits: Hits, measures: Measures) -> Floats:
    """How telling each term is among the cells of the workspace, estimated as if cells were bytes."""
    cells = float((measures.lengths // CELL).sum() + measures.texts) / 6  # removed texts leave empty slots
    holding = count(hits, len(measures.idf), measures.lengths).places
    idf = np.log1p(cells / np.maximum(holding, 1)) ** _IDF_POWER
    return np.where(holding > 0, idf, 0.0)


def places_of(corpus: Corpus, grid: CellGrid, question: ScanQuestion, hits: Hits) -> list[Ints]:
    """Per term the sorted places of its hits: code points counted through all documents of the grid."""
    first = dict(zip(grid.slots.tolist(), (grid.first * CELL).tolist(), strict=True))
    found: list[list[Ints]] = [[np.empty(0, np.int64)] for _ in question.terms]
    for part in corpus.parts(hits, np.sort(grid.slots)):
        for slot, places in corpus.places_by_term(hits, question.literals, part).items():
            for own, at in zip(found, places, strict=False):
                own.append(at + first[slot])
    return [np.sort(np.concatenate(each)) for each in found]


def density_of(grid: CellGrid, places: list[Ints], idf: Floats) -> Floats:
    """For each cell, how much of the given terms the window that begins there holds."""
    start, stop = grid.windows(_WIDTH)
    _, near = grid.windows(2)
    total = np.zeros(grid.size)
    dense = np.zeros(grid.size)
    for weight, place in zip(idf.tolist(), places, strict=True):
        if len(place):
            inside = _running(place // CELL, grid.size)
            count = inside[stop] - inside[start]
            total += weight * count * (SATURATION + 1) / (count + SATURATION)
            dense += weight * (inside[near] > inside[start])
    total += DENSE * _best_within(dense, grid)
    for (left, first), (right, second) in zip(
        zip(idf.tolist(), places, strict=True), zip(idf[1:].tolist(), places[1:], strict=True), strict=False
    ):
        after = np.searchsorted(second, first, side="right")
        meets = first[after < len(second)]
        meets = meets[second[after[after < len(second)]] - meets < CELL // 2]
        if len(meets):
            inside = _running(meets // CELL, grid.size)
            total += ADJACENT * min(left, right) * (inside[stop] > inside[start])
    return total


def _running(cells: Ints, size: int) -> NDArray[np.int64]:
    """How many of the cells lie before each cell."""
    sums = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(cells, minlength=size)[:size], out=sums[1:])
    return sums


def _best_within(dense: Floats, grid: CellGrid) -> Floats:
    """The best value among the cells of each window; windows may look past their document's end, never gain by it."""
    padded = np.concatenate([dense, np.zeros(_WIDTH)])
    best = dense.copy()
    cells = np.arange(grid.size)
    for step in range(1, _WIDTH - 1):
        np.maximum(best, np.where(cells + step < grid.limit, padded[step : step + grid.size], 0.0), out=best)
    return best


@dataclass(slots=True)
class AdmittedCells:
    """One admitted document: its first cell, how many it has, its sections, and what of it was shown to
    the oracle (disjoint spans, in order)."""

    index: int
    slot: int
    document: Document
    first: int
    cells: int
    bounds: tuple[int, ...]
    """First cell of each section, and one past its last cell."""
    read: list[Span] = field(default_factory=list)
    withheld: list[Span] = field(default_factory=list)
    """What was proposed and may never be shown."""

    @property
    def end(self) -> int:
        """One past its last cell."""
        return self.first + self.cells

    @property
    def text(self) -> str:
        """Its text."""
        return self.document.text

    @property
    def title(self) -> str:
        """What it calls itself, else its file name."""
        head = self.document.structure.head
        return head.title or self.document.path.rpartition("/")[2]

    def unread(self, around: Span) -> Span | None:
        """The part of a span that was never shown and may be: the longest one."""
        gaps: list[Span] = []
        start = around.start
        for span in sorted((*self.read, *self.withheld)) if self.withheld else self.read:
            if span.end <= start:
                continue
            if span.start >= around.end:
                break
            if span.start > start:
                gaps.append(Span(start, span.start))
            start = max(start, span.end)
        if start < around.end:
            gaps.append(Span(start, around.end))
        gaps = [gap for gap in gaps if self.text[gap.start : gap.end].strip()]
        return max(gaps, key=len, default=None)

    def mark(self, span: Span) -> None:
        """Remember a span as shown."""
        self.read.append(span)
        self.read.sort()

    def unmark(self, span: Span, *, again: bool) -> None:
        """It was not shown after all; it may be proposed ``again``, or never."""
        if span in self.read:
            self.read.remove(span)
        if not again:
            self.withheld.append(span)

    def cells_of(self, span: Span) -> Span:
        """The cells whose middle lies in a span, at least one: disjoint spans never share a cell but for tiny ones."""
        low = -(-(span.start - CELL // 2) // CELL)
        high = -(-(span.end - CELL // 2) // CELL)
        if span.end == len(self.text):
            high = self.cells
        low = min(max(low, 0), self.cells - 1)
        return Span(self.first + low, self.first + max(low + 1, min(high, self.cells)))

    def touched(self, span: Span, within: Span) -> Span:
        """The cells of a region that a quote touches, at least the nearest one."""
        low = self.first + span.start // CELL
        high = self.first + -(-span.end // CELL)
        low = min(max(low, within.start), within.end - 1)
        return Span(low, max(low + 1, min(high, within.end)))

    def window(self, cell: int, width: int) -> Span:
        """``width`` code points around the middle of a cell of this document, inside it."""
        middle = (cell - self.first) * CELL + CELL // 2
        start = max(0, min(middle - width // 2, len(self.text) - width))
        return Span(start, min(len(self.text), start + width))


class Space:
    """The admitted documents and their cells."""

    def __init__(self) -> None:
        self.admitted: list[AdmittedCells] = []
        self._starts: list[int] = []
        self.cells = 0

    def __contains__(self, slot: int) -> bool:
        return any(admission.slot == slot for admission in self.admitted)

    @property
    def slots(self) -> Ints:
        """The slots, in order of admission."""
        return np.array([admission.slot for admission in self.admitted], np.int64)

    def admit(self, slot: int, document: Document) -> AdmittedCells:
        """Add a document's cells."""
        cells = max(1, -(-len(document.text) // CELL))
        bounds = (*_sections(document, self.cells), self.cells + cells)
        admission = AdmittedCells(len(self.admitted), slot, document, self.cells, cells, bounds)
        self.admitted.append(admission)
        self._starts.append(self.cells)
        self.cells += cells
        return admission

    def of(self, cell: int) -> AdmittedCells:
        """The document a cell belongs to."""
        return self.admitted[bisect_right(self._starts, cell) - 1]

    @property
    def by_slot(self) -> dict[int, AdmittedCells]:
        """The admitted documents by their slots."""
        return {admission.slot: admission for admission in self.admitted}

    def place(self, cell: int) -> tuple[int, int]:
        """The document a cell belongs to, by order of admission, and the cell's number in it."""
        admission = self.of(cell)
        return admission.index, cell - admission.first

    def spread(self, per_document: Floats) -> Floats:
        """One value per document, repeated for each of its cells, along the last axis."""
        return np.repeat(per_document, [admission.cells for admission in self.admitted], axis=-1)


def _sections(document: Document, first: int) -> tuple[int, ...]:
    """The first cells of the sections: where a heading stands, and the beginning."""
    starts = {first, *(first + heading.span.start // CELL for heading in document.structure.headings)}
    return tuple(sorted(starts))


@dataclass(frozen=True, slots=True)
class Landscape:
    """Per requirement and cell: ``position`` sums to 1 over each document, ``mass`` is the density itself."""

    position: Floats
    mass: Floats


def landscape(corpus: Corpus, candidates: Candidates, space: Space) -> Landscape:
    """π_pos of every requirement over all cells admitted so far, with the anchors as they stand now."""
    grid = CellGrid(corpus, space.slots)
    idf = window_idf(candidates.hits, candidates.measures)
    places = places_of(corpus, grid, candidates.question, candidates.hits)
    centre = _centres(grid)
    rows = []
    for requirement in candidates.plan.requirements:
        chosen = candidates.terms_of(requirement)
        density = density_of(grid, [places[term] for term in chosen.tolist()], idf[chosen])
        density = density[centre] / (float(idf[chosen].sum()) or 1.0)
        terms = [candidates.question.terms[term] for term in chosen.tolist()]
        headings = _headings(space, dict(zip(map(stem, terms), idf[chosen].tolist(), strict=True)))
        rows.append((density + _HEADING * headings * (density > 0)) ** _POWER)
    mass = np.array(rows)
    return Landscape(_per_document(space, mass), mass)


def _centres(grid: CellGrid) -> Ints:
    """For each cell the first cell of the window around it, inside its document."""
    first = grid.first[grid.row]
    return np.clip(np.arange(grid.size) - _WIDTH // 2, first, np.maximum(first, grid.limit - _WIDTH))


def _headings(space: Space, idf: dict[str, float]) -> Floats:
    """Per cell, the share of the idf mass that the headings above it name."""
    total = sum(idf.values()) or 1.0
    shares = np.zeros(space.cells)
    for admission in space.admitted:
        path: list[tuple[int, frozenset[str]]] = []
        headings = admission.document.structure.headings
        starts = [*(admission.first + heading.span.start // CELL for heading in headings), admission.bounds[-1]]
        for heading, (start, end) in zip(headings, pairwise(starts), strict=True):
            while path and path[-1][0] >= heading.level:
                path.pop()
            path.append((heading.level, frozenset(map(stem, words(heading.text))) - STOP_WORDS))
            named = frozenset().union(*(stems for _, stems in path))
            shares[start:end] = sum(weight for term, weight in idf.items() if term in named) / total
    return shares


def _per_document(space: Space, mass: Floats) -> Floats:
    rows = np.empty_like(mass)
    for admission in space.admitted:
        cells = slice(admission.first, admission.end)
        total = mass[:, cells].sum(axis=1, keepdims=True)
        even = 1 / admission.cells
        share = np.divide(mass[:, cells], total, out=np.full((len(mass), admission.cells), even), where=total > 0)
        rows[:, cells] = (1 - EVEN) * share + EVEN * even
    return rows


def above(mass: Floats, share: float) -> NDArray[np.bool_]:
    """The cells whose density is at least a share of the densest one's under some requirement, a row each."""
    most = mass.max(axis=1, initial=0.0, keepdims=True)
    return np.asarray(((mass > 0) & (mass >= share**_POWER * most)).any(axis=0))


@dataclass(frozen=True, slots=True)
class Entry:
    """What one observation says about one requirement: the verdict, and the cells its resolved quote touches."""

    requirement: int
    verdict: Verdict
    quote: Span | None = None
    """In cells of the whole space; only for partial and full."""
    log_odds: float | None = None
    """What the quote, else the whole region, is entered with in place of the table's ratio for the verdict."""


class Beliefs:
    """The beliefs of K requirements over the cells admitted so far. Rows are requirements, columns cells."""

    def __init__(self, requirements: int, table: ObservationTable) -> None:
        self._table = table
        self._log_prior = np.zeros((requirements, 0))
        self.ratio: Floats = np.zeros((requirements, 0))
        """Sum of log-likelihood ratios against "nowhere", in nats; 0 for cells never shown."""
        self.shown: NDArray[np.bool_] = np.zeros(0, bool)
        """Cells that were part of an observed region."""
        self._log_mass = np.zeros(requirements)

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return len(self.shown)

    def admit(self, prior: Floats) -> None:
        """Set the prior over a larger set of cells, the old ones first; each row sums to 1 or is all zero.

        What was observed of the old cells is kept.
        """
        more = prior.shape[1] - self.cells
        if more < 0:
            raise ValueError("cells never leave the search")
        with np.errstate(divide="ignore"):
            self._log_prior = np.log(SOMEWHERE * prior)
        self.ratio = np.concatenate([self.ratio, np.zeros((len(self.ratio), more))], axis=1)
        self.shown = np.concatenate([self.shown, np.zeros(more, bool)])
        self._weigh()

    def observe(self, region: Span, readings: Sequence[Entry]) -> float:
        """Enter one region's observation, one reading per outstanding requirement; a gain in nats comes back.

        The gain is Σ_j KL(belief after ‖ belief before): the utility of the region.
        """
        self.shown[region.start : region.end] = True
        return math.fsum(self._enter(region, reading) for reading in readings)

    def _enter(self, region: Span, reading: Entry) -> float:
        change = np.full(len(region), self._table[Verdict.NONE])
        if reading.quote is not None:
            inside = slice(reading.quote.start - region.start, reading.quote.end - region.start)
            change[inside] = self._table[reading.verdict] if reading.log_odds is None else reading.log_odds
        elif reading.log_odds is not None:
            change[:] = reading.log_odds
        elif reading.verdict in (Verdict.RELATED, Verdict.NONE):
            change[:] = self._table[reading.verdict]
        row = reading.requirement
        cells = slice(region.start, region.end)
        before = np.exp(self._log_prior[row, cells] + self.ratio[row, cells] - self._log_mass[row])
        after = before * np.exp(change)
        # Only these cells change, so the normaliser and the divergence need no other.
        growth = math.log1p(max(float((after - before).sum()), -1 + 1e-300))
        self.ratio[row, cells] += change
        self._log_mass[row] += growth
        return max(0.0, float((after * change).sum()) * math.exp(-growth) - growth)

    def _weigh(self) -> None:
        weight = self._log_prior + self.ratio
        nowhere = math.log(1 - SOMEWHERE)
        most = np.maximum(weight.max(axis=1, initial=-np.inf), nowhere)
        total = np.exp(weight - most[:, None]).sum(axis=1) + np.exp(nowhere - most)
        self._log_mass = most + np.log(total)

    def posterior(self) -> Floats:
        """P(Z_j* in this cell | history), one row per requirement; what is missing to 1 is "nowhere"."""
        self._weigh()
        return np.asarray(np.exp(self._log_prior + self.ratio - self._log_mass[:, None]), np.float64)

    def nowhere(self) -> Floats:
        """P(the fact stands in none of the admitted documents), per requirement."""
        self._weigh()
        return np.asarray(np.exp(math.log(1 - SOMEWHERE) - self._log_mass), np.float64)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A verified quote: the cells it touches, its verdict, and the cells of the region it stands in."""

    cells: Span
    verdict: Verdict
    window: Span


def threshold(rounds: int, requirements: int, delta: float = DELTA) -> float:
    """β(t, δ) · γ after ``rounds`` ≥ 1 rounds for K requirements: log((1 + log t) · K / δ), in nats."""
    return math.log((1 + math.log(rounds)) * requirements / delta)


def glr(ratio: Floats, posterior: Floats, quotes: Sequence[Quoted]) -> float | None:
    """GLR of one requirement, whose rows of ratios and beliefs are given; None while nothing is quoted.

    Cells with a verified quote of their own do not count against the best span: a fact written down twice is
    support, not doubt.
    """
    if not quotes:
        return None
    best = max(quotes, key=lambda quote: float(posterior[quote.cells.start : quote.cells.end].sum()))  # Ẑ
    rival = np.ones(len(ratio), bool)
    for quote in quotes:
        rival[quote.cells.start : quote.cells.end] = False
    against = max(0.0, float(ratio[rival].max(initial=0.0)))
    return float(ratio[best.cells.start : best.cells.end].min()) - against


def passes(statistic: float | None, needed: float) -> bool:
    """Whether a statistic exceeds its threshold strictly; a tie within 1e-9 does not."""
    return statistic is not None and statistic > needed + _TIE


def coverage_rule(quotes: Sequence[Quoted]) -> str | None:
    """Whether the quotes cover a requirement without the statistic: by one full, or by two partial ones from
    different windows. The name of the rule, or None."""
    if any(quote.verdict is Verdict.FULL for quote in quotes):
        return "full"
    windows = {quote.window for quote in quotes if quote.verdict is Verdict.PARTIAL}
    return "partials" if len(windows) >= _PARTIALS else None
