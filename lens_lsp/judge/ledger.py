"""What a question may cost and what it has cost: every call is refused or counted before it is made.

The bound of the paper's Proposition 2 (equation 16) is held here, whatever the control flow above does: a request
that would exceed calls, tokens, time or money is never sent. One call is kept for the synthesis at all times.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Any

from lens_lsp.model.answer import Account, Mode, Sent, StopReason
from lens_lsp.model.errors import BudgetSpent
from lens_lsp.model.lazy_dataclass import dataclass

# Three lines of ours around a region, with their nonce.
_FENCE = 30
_LIMITED = ("calls", "tokens", "seconds", "cost")
_ROUNDS = {Mode.DEEP: 3, Mode.FAST: 2, Mode.EVIDENCE: 3}
_KEPT_SECONDS, _KEPT_SHARE = 5.0, 0.2
"""What of a question's time is kept for an answer without its model, and the share of it that this is at most."""
MODEL_SECONDS = 900.0
"""Seconds of a question that a model judges: a small one on this machine reads a prompt for minutes."""


class CallStage(StrEnum):
    """Which stage of Algorithm 1 makes a call (paper, proof of Proposition 2)."""

    ANALYSE = "analyse"
    """S1, anchors."""
    DECOMPOSE = "decompose"
    """S2, requirements."""
    READ = "read"
    """A read call: quotes and the answer in one."""
    AMEND = "amend"
    """The reply of a read call again, after the check found words in it that its quotes do not state."""
    VERIFY = "verify"
    """Sentences of the answer are compared with what they cite."""
    WIDEN = "widen"
    """Other words for a question whose own stand nowhere."""
    OBSERVE = "observe"
    COVER = "cover"
    SYNTHESISE = "synthesise"
    CALIBRATE = "calibrate"
    REPAIR = "repair"


_ANSWERING = frozenset({CallStage.READ, CallStage.AMEND, CallStage.VERIFY, CallStage.SYNTHESISE, CallStage.CALIBRATE})
"""Calls that may be the last one: their replies hold an answer, or there is one already."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one question. ``rounds`` is L; money is in the currency of the prices, None without a limit.

    ``request_tokens`` is the context cap of one observation; a scope of at most ``direct_tokens`` is read at once.
    ``fence_tokens`` are spent on telling one region from the next; 0 for an oracle that is handed regions as they are
    and does not pay for their context either. ``call_seconds`` is the longest that one call may take.
    """

    rounds: int = 3
    calls: int = 10
    tokens: int = 128_000
    seconds: float = 300.0
    cost: float | None = None
    request_tokens: int = 8_000
    direct_tokens: int = 8_000
    fence_tokens: int = 0
    call_seconds: float = 600.0
    call_option: str | None = None
    """The option that was typed for ``call_seconds``, for whoever is told that it ran out."""

    @property
    def model_seconds(self) -> float:
        """For how many of the seconds a model may be asked: the rest is for who judges in its place when it fails."""
        return self.seconds - min(_KEPT_SECONDS, _KEPT_SHARE * self.seconds)

    @classmethod
    def of(cls, mode: Mode) -> Budget:
        """The default of a mode: 4 + 2L calls deep, 2 + L fast, none with the offline oracle."""
        rounds = _ROUNDS[mode]
        if mode is Mode.DEEP:
            return cls(rounds=rounds, calls=4 + 2 * rounds, seconds=MODEL_SECONDS, fence_tokens=_FENCE)
        if mode is Mode.FAST:
            return cls(rounds=rounds, calls=2 + rounds, seconds=MODEL_SECONDS, fence_tokens=_FENCE)
        # Rules judge by the words of the question, so what the prior ranks low they never find telling.
        return cls(rounds=rounds, calls=0, request_tokens=6_400, direct_tokens=64_000 // 3)


@dataclass(frozen=True, slots=True)
class Limits:
    """What somebody wants a question to cost at most, in the units of `Budget`; None leaves the budget as it is."""

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None
    cost: float | None = None

    def lowest(self, other: Limits) -> Limits:
        """Of each limit the lower one."""
        return Limits(*(_least(getattr(self, name), getattr(other, name)) for name in _LIMITED))

    def lowered(self, budget: Budget) -> Budget:
        """A budget with nothing above these limits: what a mode may call is its bound."""
        lowest = {name: _least(getattr(budget, name), getattr(self, name)) for name in _LIMITED}
        return replace(budget, **lowest)


def _least(*limits: float | None) -> Any:
    """The lowest of some limits; None where there is none."""
    return min((limit for limit in limits if limit is not None), default=None)


class Ledger:
    """Counts one question's calls, tokens, time and money against its budget.

    ``clock`` gives seconds; ``prices`` are (in, out) per million tokens, None while they are unknown. ``spent`` is told
    the tokens in and out of each call as soon as it is over.
    """

    def __init__(
        self,
        budget: Budget,
        *,
        clock: Callable[[], float] = time.perf_counter,
        prices: tuple[float, float] | None = None,
        endpoint: str | None = None,
        spent: Callable[[int, int], None] | None = None,
    ) -> None:
        self.budget = budget
        self._clock = clock
        self._prices = prices
        self._endpoint = endpoint
        self._spent = spent
        self._started = clock()
        self._calls: Counter[str] = Counter()
        self._retries = 0
        self._tokens_in = 0
        self._tokens_out = 0
        self._sent: list[Sent] = []
        self._warnings: dict[str, str] = {}

    @property
    def calls(self) -> int:
        """Requests that were accepted so far."""
        return self._calls.total()

    @property
    def seconds(self) -> float:
        """Wall time since the question came."""
        return self._clock() - self._started

    def request(self, stage: CallStage, tokens: int, reply: int) -> None:
        """Ask for one call of an estimated number of tokens and at most ``reply`` tokens of answer.

        Raises `BudgetSpent`. What is granted counts at once; `withdraw` gives it back when the endpoint refused.
        """
        left = self.budget.calls - self.calls
        kept = 0 if stage in _ANSWERING else 1
        if left <= kept:
            raise BudgetSpent(StopReason.BUDGET_CALLS)
        if self._tokens_in + self._tokens_out + tokens + reply > self.budget.tokens:
            raise BudgetSpent(StopReason.BUDGET_TOKENS)
        self.check_model_time()
        if self.budget.cost is not None and self._money(tokens, reply) + (self.cost or 0.0) > self.budget.cost:
            raise BudgetSpent(StopReason.BUDGET_COST)
        self._calls[stage.value] += 1

    @property
    def model_seconds(self) -> float:
        """For how long from now a model may be asked; below 0 where it is too late."""
        return self.budget.model_seconds - self.seconds

    def check_model_time(self) -> None:
        """Raise `BudgetSpent` when the time in which a model may be asked is over."""
        if self.model_seconds <= 0.0:
            raise BudgetSpent(StopReason.BUDGET_SECONDS)

    def check_time(self) -> None:
        """Raise `BudgetSpent` when the question's time is over."""
        if self.seconds >= self.budget.seconds:
            raise BudgetSpent(StopReason.BUDGET_SECONDS)

    def withdraw(self, stage: CallStage, *, again: bool = True) -> None:
        """The endpoint refused the call: it was a retry, not a call; not even that when it is not tried ``again``."""
        self._calls[stage.value] -= 1
        self._retries += again

    def used(self, tokens_in: int, tokens_out: int) -> None:
        """Record what a call used, as the endpoint reported it or as it was estimated."""
        self._tokens_in += tokens_in
        self._tokens_out += tokens_out
        if self._spent is not None:
            self._spent(tokens_in, tokens_out)

    def sent(self, *spans: Sent) -> None:
        """Record what left the machine."""
        self._sent.extend(spans)

    def warn(self, sentence: str, *, about: str | None = None) -> None:
        """Have the answer say something, such as what was not sent; the last sentence ``about`` a matter stands."""
        self._warnings[about or sentence] = sentence

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the answer has to say about its oracle, in order."""
        return tuple(self._warnings.values())

    @property
    def cost(self) -> float | None:
        """Money spent so far; None while prices are unknown."""
        return None if self._prices is None else self._money(self._tokens_in, self._tokens_out)

    def _money(self, tokens_in: int, tokens_out: int) -> float:
        price_in, price_out = self._prices or (0.0, 0.0)
        return (tokens_in * price_in + tokens_out * price_out) / 1e6

    def account(self) -> Account:
        """The ledger as it is shown."""
        return Account(
            calls={stage: count for stage, count in sorted(self._calls.items()) if count},
            retries=self._retries,
            tokens_in=self._tokens_in,
            tokens_out=self._tokens_out,
            seconds=self.seconds,
            cost=self.cost,
            endpoint=self._endpoint,
            sent=tuple(self._sent),
        )
