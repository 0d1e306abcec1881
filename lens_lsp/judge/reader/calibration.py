"""What was fitted for a reader on labelled passages: from its scores to probabilities that mean what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING, Any

from lens_lsp.model.observation import ConfidenceMap

if TYPE_CHECKING:
    from lens_lsp.judge.reader.model import Reading

FEATURES = ("bias", "states", "span", "scan", "behind", "ahead", "scan_ahead")
"""What the probability of a passage rests on, in the order of `features`."""
_LEAST_SPAN = 1e-4
_MOST_SURE = 8.0
"""Log odds beyond which the reader counts no more where passages are ranked."""
_NONE = -9.0
"""The log odds of a rival where there is none."""


def features(readings: Sequence[Reading], scan: Sequence[float], answers: Sequence[str]) -> list[list[float]]:
    """Of each passage of a question, in nats: the reader's log odds; the logarithm of how probable the marked words
    are; the share that the scan gives the passage; how far the log odds are behind and ahead of the best passage that
    answers otherwise; how far its share is ahead of the best other one's.

    ``scan`` are shares from 0 to 1, ``answers`` the marked words, which are the same where two passages agree.
    """
    said = [" ".join(answer.lower().split()) for answer in answers]
    rows = []
    for k, (reading, share) in enumerate(zip(readings, scan, strict=True)):
        others = [other.log_odds for other, answer in zip(readings, said, strict=True) if answer != said[k]]
        lead = reading.log_odds - max(others, default=_NONE)
        best = max((other for at, other in enumerate(scan) if at != k), default=0.0)
        span = math.log(max(reading.span, _LEAST_SPAN))
        rows.append([1.0, reading.log_odds, span, share, min(lead, 0.0), max(lead, 0.0), share - best])
    return rows


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic regression of "this passage states what is asked" on `features`.

    ``answered``: the log odds, in nats, from which on a passage counts as proof. ``fusion``: where passages are ranked,
    how much a nat of the reader's log odds counts beside the scan's share.
    """

    weights: tuple[float, ...] = (0.0, 1.0, *(0.0,) * (len(FEATURES) - 2))
    answered: float = 2.2
    fusion: float = 0.08
    confidence: ConfidenceMap = ConfidenceMap()

    def log_odds(self, readings: Sequence[Reading], scan: Sequence[float], answers: Sequence[str]) -> list[float]:
        """Of each passage of a question, in nats: how probable it is that it states what is asked."""
        return [sum(map(mul, self.weights, row)) for row in features(readings, scan, answers)]

    def rank(self, reading: Reading, share: float) -> float:
        """What a passage is ranked by: reader and scan together."""
        return share + self.fusion * max(-_MOST_SURE, min(_MOST_SURE, reading.log_odds))


def calibration_of(data: Mapping[str, Any]) -> Calibration:
    """The calibration in the parsed ``reader.json``; unknown keys and another number of weights raise an error."""
    fitted = data.get("calibration")
    if fitted is None:
        return Calibration()
    confidence = fitted["confidence"]
    steps = tuple((float(score), float(share)) for score, share in confidence["steps"])
    weights = tuple(float(fitted["weights"][name]) for name in FEATURES)
    map_ = ConfidenceMap(steps, int(confidence["n"]), confidence["error"])
    return Calibration(weights, float(fitted["answered"]), float(fitted["fusion"]), map_)
