"""What one arm's rows come to: the figures of a summary. Only rows are counted, so it does not matter when they were
written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.arms.indexes import WINDOW
from evaluation.data.records import LedgerRecord, ReadyRecord, RowRecord
from evaluation.scoring.calibration import Claim, calibration_json
from evaluation.scoring.statistics import mean, percentile

KINDS = ("strict", "compatible")
"""How evidence recall and ground are counted."""
_OVER = "budget-"
"""How every reason to stop begins that is a limit of the budget."""


@dataclass(slots=True)
class Tally:
    """The rows of one arm. ``bound`` is how many calls a question may make, ``ready`` what it took before the first."""

    bound: int
    ready: ReadyRecord
    seconds: list[float] = field(default_factory=list)
    scores: dict[str, list[float]] = field(default_factory=dict)
    long_windows: int = 0
    calls: list[float] = field(default_factory=list)
    beyond: int = 0
    """Questions with more calls than the mode may make."""
    stages: Counter[str] = field(default_factory=Counter)
    """Calls by what they were made for."""
    stopped: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    tokens_each: list[float] = field(default_factory=list)
    over_budget: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    claims: dict[str, list[Claim]] = field(default_factory=dict)
    """Of single facts, and of whole answers, which are no surer than their least sure fact."""
    compressions: list[float] = field(default_factory=list)
    cost: float | None = None

    def add(self, row: RowRecord, *, answerable: bool) -> None:
        """Count one row. Time is that of questions with an answer."""
        self.tokens += Counter(row.ledger.tokens)
        if row.answer is not None:
            self._spent(row.ledger, row.answer.stopped)
        if answerable:
            self.seconds.append(row.ledger.seconds)
            self.long_windows += sum(end - start > WINDOW for _, start, end in row.windows)
        if row.outcome is not None:
            self.outcomes[row.outcome] += 1
        if row.compression is not None:
            self.compressions.append(row.compression)
        self._claimed(row)
        for name, value in row.scores.items():
            self.scores.setdefault(name, []).append(value)

    def _spent(self, ledger: LedgerRecord, stopped: str) -> None:
        calls = ledger.calls["total"]
        self.calls.append(calls)
        self.beyond += calls > self.bound
        self.stages += Counter({stage: count for stage, count in ledger.calls.items() if stage != "total"})
        self.stopped[stopped] += 1
        self.over_budget.append(float(stopped.startswith(_OVER)))
        self.tokens_each.append(sum(ledger.tokens.values()))
        if ledger.cost is not None:
            self.cost = (self.cost or 0.0) + ledger.cost

    def _claimed(self, row: RowRecord) -> None:
        self.claims.setdefault("facts", []).extend(row.claims)
        if row.claims and "em" in row.scores:
            least = min(confidence for confidence, _ in row.claims)
            self.claims.setdefault("answers", []).append((least, row.scores["em"] == 1.0))

    def summary(self, seed: int) -> dict[str, object]:
        """One arm of a summary; what a mode without answers or without a model cannot have is ``null``."""
        figures = {name: mean(values, seed=seed).json(scale=100) for name, values in self.scores.items()}
        return (
            {"n": len(self.seconds)}
            | _figures(figures)
            | {
                "calls": self._calls_json(seed),
                "budgetExceeded": mean(self.over_budget, seed=seed).json(scale=100) if self.over_budget else None,
                "outcomes": dict(self.outcomes.most_common()) or None,
                "calibration": {kind: calibration_json(claims) for kind, claims in self.claims.items() if claims},
                "compression": mean(self.compressions, seed=seed).json(digits=6) if self.compressions else None,
                "stopped": dict(sorted(self.stopped.items())),
                "tokens": self._tokens_json(seed),
                "cost": self.cost,
                "longWindows": self.long_windows,
                "seconds": {
                    "ready": round(self.ready.seconds, 4),
                    "median": percentile(self.seconds, 50, seed=seed).json(digits=6),
                    "p95": percentile(self.seconds, 95, seed=seed).json(digits=6),
                },
            }
        )

    def _calls_json(self, seed: int) -> dict[str, object]:
        return {
            "total": int(sum(self.calls)),
            "mean": mean(self.calls, seed=seed).json() if self.calls else None,
            "most": int(max(self.calls, default=0)),
            "beyond": self.beyond,
            "stages": dict(sorted(self.stages.items())),
        }

    def _tokens_json(self, seed: int) -> dict[str, object]:
        return {
            "in": self.tokens["in"],
            "out": self.tokens["out"],
            "embedded": self.tokens["embedded"],
            "indexed": self.ready.tokens,
            "mean": mean(self.tokens_each, seed=seed).json() if self.tokens_each else None,
        }


def _figures(figures: Mapping[str, dict[str, float]]) -> dict[str, object]:
    """Everything that is scored, in percent."""
    return {
        "em": figures.get("em"),
        "f1": figures.get("f1"),
        "documentRecall": _group(figures, "documentRecall"),
        "allGold10": figures["allGold10"],
        "spanHit": _group(figures, "spanHit"),
        "knownItem": _group(figures, "knownItem"),
        "evidenceRecall": {kind: figures.get(f"evidenceRecall.{kind}") for kind in KINDS},
        "ground": {kind: figures.get(f"ground.{kind}") for kind in KINDS},
        "allGoldProven": figures.get("allGoldProven"),
        "answered": figures.get("answered"),
        "answeredWithQuote": figures.get("answeredWithQuote"),
        "falseAnswers": figures.get("falseAnswers"),
    }


def _group(figures: Mapping[str, dict[str, float]], name: str) -> dict[str, dict[str, float]] | None:
    places = {key.removeprefix(f"{name}."): figure for key, figure in figures.items() if key.startswith(f"{name}.")}
    return {k: places[k] for k in sorted(places, key=int)} or None
