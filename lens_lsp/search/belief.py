"""One belief per required fact (paper, section 4, Layer 2; supplement, Lemma 1 and its corollary).

For each requirement j there is a distribution over the cells of all admitted documents plus the hypothesis
"nowhere". It is kept as two parts: the log-prior, computed anew whenever documents join, and the sum of the
observations' log-likelihood ratios against "nowhere", which stays. The belief is softmax(log-prior + ratio), so it
does not matter whether a document joined before or after others were observed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lens_lsp.model.observation import ObservationTable, Verdict
from lens_lsp.model.text import Span
from lens_lsp.search.measure import Floats

SOMEWHERE = 0.9
"""Prior mass of all admitted cells together; the rest is on "nowhere"."""


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
        self._prior = np.zeros((requirements, 0))
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

    @property
    def requirements(self) -> int:
        """K."""
        return len(self._log_mass)

    def admit(self, prior: Floats) -> None:
        """Set the prior over a larger set of cells, the old ones first; each row sums to 1 or is all zero.

        What was observed of the old cells is kept.
        """
        more = prior.shape[1] - self.cells
        if more < 0:
            raise ValueError("cells never leave the search")
        self._prior = prior
        with np.errstate(divide="ignore"):
            self._log_prior = np.log(SOMEWHERE * prior)
        self.ratio = np.concatenate([self.ratio, np.zeros((self.requirements, more))], axis=1)
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
