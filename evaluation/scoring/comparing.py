"""Two arms over the same questions: whether they differ, by how much, and what quality costs.

Values are paired by place: the first of one arm and the first of the other belong to one question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from evaluation.scoring.statistics import Figure, mean, ratio


@dataclass(frozen=True, slots=True)
class McNemar:
    """Questions that only one of two arms got right, and how likely a split at least as uneven is by chance."""

    only_first: int
    only_second: int
    p: float


def mcnemar(first: Sequence[float], second: Sequence[float]) -> McNemar:
    """McNemar's exact test, two-sided, over values of 0 and 1: the binomial one of who wins where the two disagree.

    Raises ValueError for arms with different numbers of questions, and for values between 0 and 1.
    """
    if not {*first, *second} <= {0.0, 1.0}:
        raise ValueError("McNemar's test is one of right and wrong")
    pairs = list(zip(first, second, strict=True))
    one, other = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    tail = sum(comb(one + other, k) for k in range(min(one, other) + 1))
    return McNemar(one, other, min(1.0, 2 * tail / 2 ** (one + other)))


def difference(first: Sequence[float], second: Sequence[float], *, seed: int) -> Figure:
    """The mean of ``second`` minus that of ``first`` with its paired bootstrap interval. Raises ValueError without
    values and for arms with different numbers of questions."""
    return mean([b - a for a, b in zip(first, second, strict=True)], seed=seed)


def per_unit(values: Sequence[float], spent: Sequence[float], *, unit: float = 1.0, seed: int) -> Figure | None:
    """Quality for what it cost: the values' sum over the units spent, a thousand tokens with a ``unit`` of 1,000.

    ``None`` where nothing was spent. Raises ValueError without values and for different numbers of questions.
    """
    return ratio(values, [one / unit for one in spent], seed=seed) if any(spent) else None
