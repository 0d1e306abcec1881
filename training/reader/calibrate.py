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

from lens_lsp.judge.reader.cross_encoder import FEATURES, Calibration, PassageScore, features

TOP = 10
"""Passages of a question, by rank, that calibration looks at."""
BINS = 5
LEAST = 20
"""Passages that a step of the map of confidence rests on, at least."""
PRECISION = 0.95
"""What share of the passages that count as proof must be one, on the half that is fitted: more than the nine of ten
that are promised, since what was chosen on a half looks better there."""
FLAT = 0.02
"""Of the mean reciprocal rank: what is no difference between two weights."""
PARTS = 5
"""Of the cross-fit."""
_RIDGE = 1.0
_FEWEST = 5
_NEVER = 6.0
"""Log odds that no passage reaches in practice."""


@dataclass(frozen=True)
class Read:
    """A passage that was read for a question: what the reader and the scan make of it, the words it marked; whether a
    gold quote stands in it, whether its answer is right, and whether the reader may answer so at all."""

    reading: PassageScore
    scan: float
    answer: str
    gold: bool
    right: bool
    allowed: bool = True


def fusion(questions: Sequence[Sequence[Read]]) -> float:
    """The weight of the reader in the ranking: the middle of those with which the mean reciprocal rank of the first
    gold quote is within ``FLAT`` of the best."""
    answerable = [reads for reads in questions if any(read.gold for read in reads)]
    weights = [step / 100 for step in range(1, 26)]
    reached = [
        sum(1 / (1 + _place(Calibration(fusion=weight), reads)) for reads in answerable) / max(1, len(answerable))
        for weight in weights
    ]
    good = [weight for weight, value in zip(weights, reached, strict=True) if value >= max(reached) - FLAT]
    return round(math.sqrt(good[0] * good[-1]), 2)


def ranked(calibration: Calibration, reads: Sequence[Read]) -> list[Read]:
    """By reader and scan together, the best first."""
    return sorted(reads, key=lambda read: -calibration.rank(read.reading, read.scan))


def _place(calibration: Calibration, reads: Sequence[Read]) -> int:
    return next(place for place, read in enumerate(ranked(calibration, reads)) if read.gold)


def rows(reads: Sequence[Read]) -> np.ndarray:
    """What the regression sees of the passages of a question."""
    return np.array(features([r.reading for r in reads], [r.scan for r in reads], [r.answer for r in reads]))


def regression(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Logistic regression with a ridge, by Newton's method; one weight a column of ``x``."""
    weights = np.zeros(x.shape[1])
    ridge = _RIDGE * np.diag([0.0, *([1.0] * (x.shape[1] - 1))])
    for _ in range(40):
        p = 1 / (1 + np.exp(-x @ weights))
        weights -= np.linalg.solve((x.T * (p * (1 - p))) @ x + ridge, x.T @ (p - y) + ridge @ weights)
    return weights


@dataclass(frozen=True)
class Fitted:
    """``calibration`` of ``reader.json``; and the cross-fit that it rests on: for each of the ``TOP`` passages of each
    question its log odds by a regression on other questions, and whether its answer is right."""

    data: dict[str, Any]
    crossed: list[tuple[float, bool]]


def fit(questions: Sequence[Sequence[Read]]) -> Fitted:
    """Fit on the questions' passages; the error and the level of proof are those of a cross-fit by question."""
    questions = [reads for reads in questions if reads]
    weight = fusion(questions)
    table, labels, allowed = [], [], []
    for reads in questions:
        order = sorted(
            range(len(reads)),
            key=lambda k, reads=reads: -Calibration(fusion=weight).rank(reads[k].reading, reads[k].scan),
        )
        table.append(rows(reads)[order[:TOP]])
        labels.append(np.array([reads[k].right for k in order[:TOP]], float))
        allowed.append([reads[k].allowed for k in order[:TOP]])
    weights = regression(np.concatenate(table), np.concatenate(labels))
    crossed, sure, best = [], [], []
    for part in range(PARTS):
        others = [k for k in range(len(table)) if k % PARTS != part]
        fitted = regression(np.concatenate([table[k] for k in others]), np.concatenate([labels[k] for k in others]))
        for k in range(part, len(table), PARTS):
            odds = table[k] @ fitted
            crossed += zip(odds.tolist(), labels[k].astype(bool).tolist(), strict=True)
            sure += [pair for pair, may in zip(crossed[-len(odds) :], allowed[k], strict=True) if may]
            if allowed[k][odds.argmax()]:
                best.append((float(odds.max()), bool(labels[k][odds.argmax()])))
    odds_, right = [odds for odds, _ in crossed], [label for _, label in crossed]
    error = calibration_error([1 / (1 + math.exp(-odds)) for odds in odds_], right)
    data = {
        "weights": dict(zip(FEATURES, np.round(weights, 4).tolist(), strict=True)),
        "answered": round(answering_level(sorted(best, reverse=True)), 4),
        "fusion": weight,
        "confidence": {"steps": confidence_steps(*zip(*sure, strict=True)), "n": len(sure), "error": round(error, 4)},
    }
    return Fitted(data, crossed)


def answering_level(best: Sequence[tuple[float, bool]]) -> float:
    """The log odds from which on ``PRECISION`` of the best passages of questions answer rightly; highest first."""
    right, level = 0, math.inf
    for count, (value, proof) in enumerate(best, 1):
        right += proof
        if right / count >= PRECISION and count >= _FEWEST:
            level = value
    return min(level, _NEVER)


def confidence_steps(odds: Sequence[float], labels: Sequence[bool]) -> list[list[float]]:
    """A rising map from log odds to the share of right answers, by pooling adjacent violators; each step rests on at
    least ``LEAST`` passages."""
    order = np.argsort(odds, kind="stable")
    blocks: list[list[float]] = []
    for part in np.array_split(order, max(1, len(order) // LEAST)):
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
