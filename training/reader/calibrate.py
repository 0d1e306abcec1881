"""Fit what turns a reader's scores into probabilities, and the level from which on a passage counts as proof.

The readings are those of readers that were trained without the workspace of the question (two groups), so that what is
fitted on the first half of DocsQA was never trained on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lens_lsp.judge.reader.calibration import Calibration
from lens_lsp.judge.reader.model import Reading

TOP = 10
"""Passages of a question, by rank, that calibration looks at."""
BINS = 5
STEPS = 10
"""Steps of the map of confidence."""
PRECISION = 0.9
"""What share of the passages that count as proof must be one."""
_RIDGE = 1.0
_LEAST_SPAN = 1e-4


@dataclass(frozen=True)
class Read:
    """A passage that was read for a question: what the reader and the scan make of it; whether a gold quote stands in
    it, and whether that alone proves what is asked."""

    question: int
    reading: Reading
    prior: float
    gold: bool
    proves: bool


def fusion(questions: Sequence[Sequence[Read]]) -> float:
    """The weight of the reader in the ranking with which most gold quotes are among the first one, three and five."""
    answerable = [reads for reads in questions if any(read.gold for read in reads)]

    def found(weight: float) -> int:
        calibration = Calibration(fusion=weight)
        return sum(
            place < cut for reads in answerable for cut in (1, 3, 5) if (place := _place(calibration, reads)) >= 0
        )

    return max((step / 20 for step in range(1, 20)), key=found)


def ranked(calibration: Calibration, reads: Sequence[Read]) -> list[Read]:
    """By reader and scan together, the best first."""
    return sorted(reads, key=lambda read: -calibration.rank(read.reading, read.prior))


def _place(calibration: Calibration, reads: Sequence[Read]) -> int:
    return next(place for place, read in enumerate(ranked(calibration, reads)) if read.gold)


def features(read: Read) -> list[float]:
    """What the regression sees of a passage."""
    return [1.0, read.reading.log_odds, math.log(max(read.reading.span, _LEAST_SPAN)), read.prior]


def regression(reads: Sequence[Read]) -> np.ndarray:
    """Logistic regression with a ridge, by Newton's method; the weights of `features`."""
    x = np.array([features(read) for read in reads])
    y = np.array([read.proves for read in reads], float)
    weights = np.zeros(x.shape[1])
    ridge = _RIDGE * np.diag([0.0, *([1.0] * (x.shape[1] - 1))])
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ weights))
        weights -= np.linalg.solve((x.T * (p * (1 - p))) @ x + ridge, x.T @ (p - y) + ridge @ weights)
    return weights


def fit(questions: Sequence[Sequence[Read]]) -> tuple[Calibration, dict[str, Any]]:
    """The calibration, and ``calibration`` of ``reader.json``. The error is that of a cross-fit in five parts by
    question."""
    weight = fusion(questions)
    first = Calibration(fusion=weight)
    top = [read for reads in questions for read in ranked(first, reads)[:TOP]]
    bias, states, span, scan = regression(top).tolist()
    plain = Calibration(bias, states, span, scan, fusion=weight)
    best = [ranked(plain, reads)[0] for reads in questions if reads]
    odds = sorted(((plain.log_odds(read.reading, read.prior), read.proves) for read in best), reverse=True)
    crossed = crossfit(top)
    steps = confidence_steps([value for value, _ in crossed], [read.proves for _, read in crossed])
    error = calibration_error(
        [1 / (1 + math.exp(-value)) for value, _ in crossed], [read.proves for _, read in crossed]
    )
    data = {
        "bias": round(bias, 4),
        "states": round(states, 4),
        "span": round(span, 4),
        "scan": round(scan, 4),
        "answered": round(answering_level(odds), 4),
        "fusion": weight,
        "confidence": {"steps": steps, "n": len(top), "error": round(error, 4)},
    }
    return plain, data


def crossfit(top: Sequence[Read], parts: int = 5) -> list[tuple[float, Read]]:
    """The log odds of each passage by a regression on the questions of the other parts."""
    found = []
    for part in range(parts):
        weights = regression([read for read in top if read.question % parts != part])
        found += [(float(np.dot(features(read), weights)), read) for read in top if read.question % parts == part]
    return found


def answering_level(odds: Sequence[tuple[float, bool]]) -> float:
    """The log odds from which on ``PRECISION`` of the best passages of questions are proofs; highest first."""
    right, level = 0, math.inf
    for count, (value, proof) in enumerate(odds, 1):
        right += proof
        if right / count >= PRECISION and count >= 5:
            level = value
    return min(level, 6.0)


def confidence_steps(odds: Sequence[float], labels: Sequence[bool]) -> list[list[float]]:
    """A rising map in steps of equal mass from log odds to the share of proofs (pool adjacent violators)."""
    order = np.argsort(odds, kind="stable")
    blocks: list[list[float]] = []
    for part in np.array_split(order, STEPS):
        blocks.append([float(odds[part[0]]), float(np.mean([labels[k] for k in part])), len(part)])
        while len(blocks) > 1 and blocks[-2][1] >= blocks[-1][1]:
            low, share, count = blocks.pop(-2)
            _, other, more = blocks.pop()
            blocks.append([low, (share * count + other * more) / (count + more), count + more])
    return [[round(low, 3), round(share, 3)] for low, share, _ in blocks]


def calibration_error(probabilities: Sequence[float], labels: Sequence[bool], bins: int = BINS) -> float:
    """Expected calibration error in bins of equal mass."""
    return sum(count / len(labels) * abs(said - was) for said, was, count in diagram(probabilities, labels, bins))


def diagram(probabilities: Sequence[float], labels: Sequence[bool], bins: int = BINS) -> list[tuple[float, float, int]]:
    """Per bin of equal mass: the mean probability, the share that holds, how many."""
    order = np.argsort(probabilities, kind="stable")
    return [
        (float(np.mean([probabilities[k] for k in part])), float(np.mean([labels[k] for k in part])), len(part))
        for part in np.array_split(order, bins)
        if len(part)
    ]
