"""What a run with a chat model will cost, said before the first call: calls, tokens and money.

Likely is what a question cost where it was measured, over HotpotQA's smallest snapshot: LENS with the answer key wrong
in one judgement of twenty (``lens eval run --oracle answer-key --error 0.05``), the arms of one call as they ask a
program (``python -m benchmarks.scripted_arms``; what goes in is what any model is sent, what comes out is the
program's). That program ends an agent's work at the first passage it is shown, so ReAct Search is as the paper has it:
7.01 calls and 11.8 thousand tokens, of which 300 are taken for the model's. At most is what the budget of a question
lets through, which no run exceeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lens_lsp.judge.ledger import Budget
from lens_lsp.model.answer import Mode

Prices = tuple[float, float]
"""Money per million tokens, in and out."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Calls and tokens of one question, or of many."""

    calls: float
    tokens_in: float
    tokens_out: float

    def times(self, count: int) -> Cost:
        """Of so many questions."""
        return Cost(self.calls * count, self.tokens_in * count, self.tokens_out * count)

    def money(self, prices: Prices) -> float:
        """In the currency of the prices."""
        return (self.tokens_in * prices[0] + self.tokens_out * prices[1]) / 1_000_000


_LENS = {Mode.FAST: Cost(3.17, 5_981, 230), Mode.DEEP: Cost(4.66, 7_045, 230)}
_MEASURED = {
    "hybrid": Cost(1.0, 1_031, 98),
    "bm25-rag": Cost(1.0, 1_016, 94),
    "closed-book": Cost(1.0, 184, 15),
}
_OF_THE_PAPER = {"react": Cost(7.01, 11_500, 300)}


@dataclass(frozen=True, slots=True)
class ArmEstimate:
    """One arm over all questions of a run; ``likely`` is None of an arm that nobody has measured."""

    arm: str
    likely: Cost | None
    most: Cost
    measured: bool = True
    """Whether the likely cost is measured here; else it is the paper's."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A run before it starts."""

    questions: int
    arms: tuple[ArmEstimate, ...]
    prices: Prices | None

    @property
    def text(self) -> str:
        """One line an arm."""
        lines = [f"{self.questions} questions"]
        for one in self.arms:
            likely = "unknown" if one.likely is None else self._shown(one.likely)
            likely += "" if one.measured else " by the paper's figures"
            lines.append(f"{one.arm}: likely {likely}; at most {self._shown(one.most)}")
        if self.prices is None:
            lines.append("no prices are set (model.prices): money is not known")
        return "".join(f"{line}\n" for line in lines)

    def _shown(self, cost: Cost) -> str:
        money = "" if self.prices is None else f", {cost.money(self.prices):.2f} in money"
        return f"{cost.calls:,.0f} calls, {cost.tokens_in + cost.tokens_out:,.0f} tokens{money}"


def estimate(arms: Sequence[str], questions: int, mode: Mode, prices: Prices | None = None) -> Estimate:
    """What so many questions will cost the named arms; arms that call no model are left out."""
    found = [(arm, _per_question(arm, mode)) for arm in arms if not _is_index(arm)]
    budget = Budget.of(mode)
    dearest = prices is not None and prices[1] > prices[0]
    most = Cost(budget.calls, 0 if dearest else budget.tokens, budget.tokens if dearest else 0)
    return Estimate(
        questions,
        tuple(
            ArmEstimate(
                arm, None if likely is None else likely.times(questions), most.times(questions), _is_measured(arm)
            )
            for arm, likely in found
        ),
        prices,
    )


def _per_question(arm: str, mode: Mode) -> Cost | None:
    if arm == "lens" or arm.startswith("lens-"):
        return _LENS[mode]
    known = _MEASURED | _OF_THE_PAPER
    return next((cost for name, cost in known.items() if arm == name or arm.startswith(f"{name}-")), None)


def _is_measured(arm: str) -> bool:
    return arm.split("-")[0] not in _OF_THE_PAPER


def _is_index(arm: str) -> bool:
    return arm.split("-")[0] in ("bm25s", "tantivy", "dense")
