"""Figures with their uncertainty: bootstrap intervals over questions, equal for equal seeds.

Questions are resampled, not scores within them. The same seed and number of questions draw the same samples
for every arm, so that differences between arms are paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic over ``n`` questions and the bounds of its 95 % interval."""

    value: float
    low: float
    high: float
    n: int

    def json(self, *, scale: float = 1.0, digits: int = 2) -> dict[str, float]:
        """As it stands in a summary; ``scale`` 100 gives percent."""
        bounds = {"value": self.value, "low": self.low, "high": self.high}
        return {key: round(scale * number, digits) for key, number in bounds.items()} | {"n": self.n}


def mean(values: Sequence[float], *, seed: int) -> Figure:
    """The mean with its bootstrap interval. Raises ValueError without values."""
    import numpy as np

    samples = _samples(values, seed)
    return _figure(float(np.mean(np.asarray(values, dtype=np.float64))), samples.mean(axis=1), len(values))


def percentile(values: Sequence[float], share: float, *, seed: int) -> Figure:
    """The ``share`` percentile (0 to 100, interpolated) with its bootstrap interval."""
    import numpy as np

    samples = _samples(values, seed)
    point = float(np.percentile(np.asarray(values, dtype=np.float64), share))
    return _figure(point, np.percentile(samples, share, axis=1), len(values))


def ratio(above: Sequence[float], below: Sequence[float], *, seed: int) -> Figure:
    """The sum of one over the sum of the other, paired, with its bootstrap interval. Resamples in which nothing stands
    below are left out. Raises ValueError without values or when the two are not as many."""
    import numpy as np

    if len(above) != len(below):
        raise ValueError("values of a ratio are paired")
    upper, lower = _samples(above, seed).sum(axis=1), _samples(below, seed).sum(axis=1)
    kept = lower > 0
    return _figure(sum(above) / sum(below), np.asarray(upper[kept] / lower[kept]), len(above))


def _samples(values: Sequence[float], seed: int) -> NDArray[np.float64]:
    import numpy as np

    if not values:
        raise ValueError("no values to resample")
    places = np.random.default_rng(seed).integers(0, len(values), (RESAMPLES, len(values)))
    resampled: NDArray[np.float64] = np.asarray(values, dtype=np.float64)[places]
    return resampled


def _figure(value: float, resampled: NDArray[np.float64], n: int) -> Figure:
    import numpy as np

    low, high = np.percentile(resampled, (2.5, 97.5))
    return Figure(value, float(low), float(high), n)
