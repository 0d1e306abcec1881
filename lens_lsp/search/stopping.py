"""When to stop: the generalised likelihood ratio of the best quoted span, and the coverage rule beside it.

Paper, "Budget-Aware Stopping" (equation 11) and the supplement's intent modulation (equations 20, 21): a fact is
localised when the least sure cell of its best quote beats every other cell by more than β(t, δ) · γ. The weakest
requirement decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lens_lsp.model.observation import Verdict
from lens_lsp.model.text import Span
from lens_lsp.search.measure import Floats

DELTA = 0.1
"""Probability of a wrong stop that the threshold allows for."""
RELAXED = 0.8
"""What self-correction multiplies the threshold by."""
_TIE = 1e-9
_PARTIALS = 2


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
    best = best_quote(posterior, quotes)
    rival = np.ones(len(ratio), bool)
    for quote in quotes:
        rival[quote.cells.start : quote.cells.end] = False
    against = max(0.0, float(ratio[rival].max(initial=0.0)))
    return float(ratio[best.cells.start : best.cells.end].min()) - against


def best_quote(posterior: Floats, quotes: Sequence[Quoted]) -> Quoted:
    """Ẑ: the quoted span with the highest belief; of equals the first."""
    return max(quotes, key=lambda quote: float(posterior[quote.cells.start : quote.cells.end].sum()))


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
