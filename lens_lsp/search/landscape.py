"""π_pos: where in an admitted document each required fact may stand (paper, equation 7, the second factor).

The density of the requirement's anchors around each cell, and the headings it lies under, normalised over the
document. All matches count. One part in twenty is spread evenly, so that no place is impossible.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lens_lsp.model.words import STOP_WORDS, stem, words
from lens_lsp.search.candidates import Candidates
from lens_lsp.search.corpus import Corpus
from lens_lsp.search.measure import Floats, Ints
from lens_lsp.search.position import CELL, WINDOW, Grid, PositionWeights, density_of, places_of, window_idf
from lens_lsp.search.space import Space

EVEN = 0.05
"""Share of a document's mass that lies on all its cells alike."""


@dataclass(frozen=True, slots=True)
class LandscapeWeights:
    """How sharply mass follows the density, and how much headings add (a share of the requirement's idf mass)."""

    power: float = 4.0
    heading: float = 0.3


@dataclass(frozen=True, slots=True)
class Landscape:
    """Per requirement and cell: ``position`` sums to 1 over each document, ``mass`` is the density itself."""

    position: Floats
    mass: Floats


def landscape(
    corpus: Corpus, candidates: Candidates, space: Space, weights: LandscapeWeights = LandscapeWeights()
) -> Landscape:
    """π_pos of every requirement over all cells admitted so far, with the anchors as they stand now."""
    grid = Grid(corpus, space.slots)
    idf = window_idf(candidates.hits, candidates.measures, PositionWeights())
    places = places_of(corpus, grid, candidates.question, candidates.hits)
    centre = _centres(grid)
    rows = []
    for requirement in candidates.plan.requirements:
        chosen = candidates.terms_of(requirement)
        density = density_of(grid, [places[term] for term in chosen.tolist()], idf[chosen], PositionWeights())
        density = density[centre] / (float(idf[chosen].sum()) or 1.0)
        terms = [candidates.question.terms[term] for term in chosen.tolist()]
        headings = _headings(space, dict(zip(map(stem, terms), idf[chosen].tolist(), strict=True)))
        rows.append((density + weights.heading * headings * (density > 0)) ** weights.power)
    mass = np.array(rows)
    return Landscape(_per_document(space, mass), mass)


def _centres(grid: Grid) -> Ints:
    """For each cell the first cell of the window around it, inside its document."""
    width = WINDOW // CELL
    first = grid.first[grid.row]
    last = np.maximum(first, grid.limit - width)
    return np.clip(np.arange(grid.size) - width // 2, first, last)


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
        cells = slice(admission.first, admission.first + admission.cells)
        total = mass[:, cells].sum(axis=1, keepdims=True)
        even = 1 / admission.cells
        share = np.divide(mass[:, cells], total, out=np.full((len(mass), admission.cells), even), where=total > 0)
        rows[:, cells] = (1 - EVEN) * share + EVEN * even
    return rows


def above(mass: Floats, share: float, weights: LandscapeWeights = LandscapeWeights()) -> NDArray[np.bool_]:
    """The cells whose density is at least a share of the densest one's under some requirement, a row each."""
    most = mass.max(axis=1, initial=0.0, keepdims=True)
    return np.asarray(((mass > 0) & (mass >= share**weights.power * most)).any(axis=0))


def joint(space: Space, file: Floats, position: Floats) -> Floats:
    """π_file · π_pos: the prior over all cells, one row per requirement, each summing to 1."""
    return space.spread(file) * position
