"""Where to look next: three proposal families as arms, and their mixture (paper, equations 9 and 10).

The information-directed choice over all windows cannot be computed; as in the paper it is approximated by drawing
from lexical, local and global proposals, whose weights λ follow the utility that each arm's regions had.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from lens_lsp.model.answer import Arm
from lens_lsp.search.measure import Floats
from lens_lsp.search.space import Space

START: Mapping[Arm, float] = MappingProxyType({Arm.LEXICAL: 0.60, Arm.LOCAL: 0.25, Arm.GLOBAL: 0.15})
"""λ at the beginning of a question."""
FLOOR = 0.05
_NEAR = 6
"""Cells on either side that count as next to a cell: about 300 code points."""
_SECTION_SHARE = 0.3
_LINKED_SHARE = 0.2


@dataclass(slots=True)
class Mixture:
    """λ, and how it learns. ``adaptive`` False keeps it where it starts (an ablation)."""

    weights: dict[Arm, float] = field(default_factory=lambda: dict(START))
    adaptive: bool = True

    def without(self, arms: set[Arm]) -> None:
        """Switch arms off (an ablation); what is left is renormalised."""
        kept = {arm: weight for arm, weight in self.weights.items() if arm not in arms}
        total = sum(kept.values())
        self.weights = {arm: weight / total for arm, weight in kept.items()}

    def learn(self, utility: Mapping[Arm, float]) -> None:
        """λ_a ← λ_a · exp(u_a / max u), renormalised, never below 0.05. Utilities are nats per thousand tokens."""
        most = max(utility.values(), default=0.0)
        if not self.adaptive or most <= 0 or len(self.weights) < 2:
            return
        for arm in self.weights:
            self.weights[arm] *= float(np.exp(utility.get(arm, 0.0) / most))
        total = sum(self.weights.values())
        self.weights = {arm: weight / total for arm, weight in self.weights.items()}
        self._raise_to_floor()

    def _raise_to_floor(self) -> None:
        low = {arm for arm, weight in self.weights.items() if weight < FLOOR}
        rest = sum(weight for arm, weight in self.weights.items() if arm not in low)
        for arm, weight in self.weights.items():
            self.weights[arm] = FLOOR if arm in low else weight / rest * (1 - FLOOR * len(low))


def lexical(mass: Floats) -> Floats:
    """π_lex: cells by anchor mass, with the anchors as they stand now; ``mass`` is one row per open requirement, and
    each counts alike."""
    total = mass.sum(axis=1, keepdims=True)
    share = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
    return _normalised(np.asarray(share.sum(axis=0), np.float64))


def local(space: Space, posterior: Floats, seen: Floats, links: Mapping[int, tuple[int, ...]]) -> Floats:
    """π_local: cells next to, in the section of, or linked from those the beliefs favour among the cells shown; before
    anything was shown, among all.

    ``posterior`` is one row per open requirement, ``seen`` 1 for shown cells, ``links`` lead from a document to
    others by order of admission.
    """
    believed = np.asarray(posterior.sum(axis=0), np.float64)
    favoured = believed * seen if seen.any() else believed
    if favoured.sum() <= 0:
        return favoured
    sums = np.concatenate([[0.0], np.cumsum(favoured)])
    cells = np.arange(space.cells)
    first = space.spread(np.array([a.first for a in space.admitted]))
    end = space.spread(np.array([a.first + a.cells for a in space.admitted]))
    near = sums[np.minimum(cells + _NEAR + 1, end)] - sums[np.maximum(cells - _NEAR, first)]
    return _normalised(
        _normalised(near)
        + _SECTION_SHARE * _normalised(_by_section(space, sums))
        + _LINKED_SHARE * _normalised(_by_link(space, sums, links))
    )


def _by_section(space: Space, sums: Floats) -> Floats:
    shares = np.zeros(space.cells)
    for stratum in space.strata():
        shares[stratum.start : stratum.end] = (sums[stratum.end] - sums[stratum.start]) / len(stratum)
    return shares


def _by_link(space: Space, sums: Floats, links: Mapping[int, tuple[int, ...]]) -> Floats:
    shares = np.zeros(len(space.admitted))
    for source, targets in links.items():
        admission = space.admitted[source]
        belief = sums[admission.first + admission.cells] - sums[admission.first]
        for target in targets:
            shares[target] += belief / space.admitted[target].cells
    return space.spread(shares)


def stratified(space: Space, unread: Floats) -> Floats:
    """π_global: documents share alike, in each its sections with anything unread, in each the unread cells."""
    shares = np.zeros(space.cells)
    for admission in space.admitted:
        sections = [slice(a, b) for a, b in pairwise(admission.bounds) if unread[a:b].any()]
        for section in sections:
            inside = unread[section]
            shares[section] = inside / inside.sum() / len(sections)
    return _normalised(shares)


def draws(
    arms: Mapping[Arm, Floats], weights: Mapping[Arm, float], rng: np.random.Generator
) -> Iterator[tuple[Arm, int]]:
    """Cells drawn without replacement from the mixture: an arm by λ, then a cell by what is left of that arm.

    Ends when no arm has a cell left. Each arm's order is drawn ahead (Gumbel noise on its log-weights sorts cells
    as drawing without replacement would), which makes a draw cheap however many cells there are.
    """
    orders = {arm: iter(_order(arms[arm], rng)) for arm in weights if arm in arms}
    taken: set[int] = set()
    names, edges = _odds(orders, weights)
    while names:
        arm = names[bisect_right(edges, rng.random())]
        cell = next((cell for cell in orders[arm] if cell not in taken), None)
        if cell is None:
            del orders[arm]
            names, edges = _odds(orders, weights)
            continue
        taken.add(cell)
        yield arm, cell


def _odds(arms: Collection[Arm], weights: Mapping[Arm, float]) -> tuple[list[Arm], list[float]]:
    """The arms, and where between 0 and 1 the part of each ends: what `Generator.choice` makes anew at every draw."""
    names = list(arms)
    odds = np.array([weights[arm] for arm in names])
    sums = np.cumsum(odds / odds.sum())
    return names, (sums / sums[-1:]).tolist()


def _order(weights: Floats, rng: np.random.Generator) -> list[int]:
    cells = np.flatnonzero(weights > 0)
    noisy = np.log(weights[cells]) + rng.gumbel(size=len(cells))
    return [int(cell) for cell in cells[np.argsort(-noisy, kind="stable")]]


def _normalised(weights: Floats) -> Floats:
    total = float(weights.sum())
    return np.asarray(weights / total, np.float64) if total > 0 else weights
