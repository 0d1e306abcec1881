"""Whether confidence means what it says: of all that is said with confidence 0.8, four fifths should hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BINS = 10
"""Of equal width, from 0 to 1."""

Claim = tuple[float, bool]
"""A confidence from 0 to 1, and whether what was claimed with it held."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The claims with a confidence in ``[low, high)``, the last with 1 as well: how many, their mean, what held."""

    low: float
    high: float
    n: int
    confidence: float
    held: float

    def json(self) -> dict[str, float]:
        """As it stands in a summary."""
        bounds = {"low": self.low, "high": self.high, "n": self.n}
        return bounds | {"confidence": round(self.confidence, 4), "held": round(self.held, 4)}


def reliability(claims: Sequence[Claim], bins: int = BINS) -> tuple[Bin, ...]:
    """The bins that hold a claim, the least confidence first."""
    filled: dict[int, list[Claim]] = {}
    for claim in claims:
        filled.setdefault(min(int(claim[0] * bins), bins - 1), []).append(claim)
    return tuple(_bin(place, bins, filled[place]) for place in sorted(filled))


def expected_calibration_error(bins: Sequence[Bin]) -> float:
    """ECE: the distance between confidence and what held, mean over claims. Raises ValueError without any."""
    total = sum(one.n for one in bins)
    if not total:
        raise ValueError("no claims to calibrate")
    return sum(one.n * abs(one.confidence - one.held) for one in bins) / total


def calibration_json(claims: Sequence[Claim]) -> dict[str, object]:
    """The bins and the error of some claims, as they stand in a summary. Raises ValueError without any."""
    bins = reliability(claims)
    error = round(expected_calibration_error(bins), 4)
    return {"ece": error, "n": len(claims), "bins": [one.json() for one in bins]}


def _bin(place: int, bins: int, claims: Sequence[Claim]) -> Bin:
    confidence = sum(claim[0] for claim in claims) / len(claims)
    held = sum(claim[1] for claim in claims) / len(claims)
    return Bin(place / bins, (place + 1) / bins, len(claims), confidence, held)
