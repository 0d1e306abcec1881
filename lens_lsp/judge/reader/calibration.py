"""What was fitted for a reader on labelled passages: from its scores to probabilities that mean what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lens_lsp.domain.observation import ConfidenceMap
from lens_lsp.domain.records import dataclass

if TYPE_CHECKING:
    from lens_lsp.judge.reader.model import Reading

_LEAST_SPAN = 1e-4


@dataclass(frozen=True, slots=True)
class Calibration:
    """Logistic regression of "this passage states what is asked" on the reader's log odds, the logarithm of how
    probable the marked words are, and the share that the scan gives the passage; all fitted values in nats.

    ``answered``: the log odds from which on a passage counts as proof. ``fusion``: how much the reader counts beside
    the scan where passages are ranked, from 0 to 1.
    """

    bias: float = 0.0
    states: float = 1.0
    span: float = 0.0
    scan: float = 0.0
    answered: float = 2.2
    fusion: float = 0.5
    confidence: ConfidenceMap = ConfidenceMap()

    def log_odds(self, reading: Reading, prior: float) -> float:
        """How probable it is that the passage states what is asked. ``prior``: the scan's share, from 0 to 1."""
        span = math.log(max(reading.span, _LEAST_SPAN))
        return self.bias + self.states * reading.log_odds + self.span * span + self.scan * prior

    def rank(self, reading: Reading, prior: float) -> float:
        """What a passage is ranked by: reader and scan together, from 0 to 1."""
        probability = 1 / (1 + math.exp(-max(-30.0, min(30.0, reading.log_odds))))
        return self.fusion * probability + (1 - self.fusion) * prior


def calibration_of(data: Mapping[str, Any]) -> Calibration:
    """The calibration in the parsed ``reader.json``; unknown keys raise TypeError."""
    fitted = dict(data.get("calibration", {}))
    confidence = dict(fitted.pop("confidence", {}))
    steps = tuple((float(score), float(share)) for score, share in confidence.get("steps", ()))
    map_ = ConfidenceMap(steps, int(confidence.get("n", 0)), confidence.get("error"))
    return Calibration(**{name: float(value) for name, value in fitted.items()}, confidence=map_)
