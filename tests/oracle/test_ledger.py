"""The ledger: what is refused before it is made, and what one question cost."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.domain.answer import Mode, Sent, StopReason
from lens_lsp.domain.errors import BudgetSpent
from lens_lsp.domain.text import Span
from lens_lsp.oracle.ledger import Budget, CallStage, Ledger


def still() -> float:
    return 0.0


def test_the_bounds_are_those_of_the_paper_and_of_the_modes() -> None:
    assert (Budget.of(Mode.DEEP).rounds, Budget.of(Mode.DEEP).calls) == (3, 4 + 2 * 3)
    assert (Budget.of(Mode.FAST).rounds, Budget.of(Mode.FAST).calls) == (2, 2 + 2)
    assert Budget.of(Mode.EVIDENCE).calls == 0


@given(
    st.integers(0, 12),
    st.integers(0, 5000),
    st.lists(st.tuples(st.sampled_from(list(CallStage)), st.integers(0, 900), st.integers(0, 300)), max_size=40),
)
def test_no_sequence_of_requests_exceeds_the_budget(
    calls: int, tokens: int, asked: list[tuple[CallStage, int, int]]
) -> None:
    ledger = Ledger(Budget(calls=calls, tokens=tokens), clock=still)
    for stage, wanted, reply in asked:
        try:
            ledger.request(stage, wanted, reply)
        except BudgetSpent:
            continue
        ledger.used(wanted, reply)
    account = ledger.account()
    assert sum(account.calls.values()) <= calls
    assert account.tokens_in + account.tokens_out <= tokens


@given(st.integers(1, 12), st.integers(0, 40))
def test_a_call_is_kept_for_the_synthesis(calls: int, rounds: int) -> None:
    ledger = Ledger(Budget(calls=calls), clock=still)
    for _ in range(rounds):
        with contextlib.suppress(BudgetSpent):
            ledger.request(CallStage.OBSERVE, 1, 1)
    ledger.request(CallStage.SYNTHESISE, 1, 1)


def test_a_refused_call_is_a_retry_and_no_call() -> None:
    ledger = Ledger(Budget(calls=2), clock=still)
    ledger.request(CallStage.OBSERVE, 1, 1)
    ledger.withdraw(CallStage.OBSERVE)
    ledger.request(CallStage.OBSERVE, 1, 1)
    account = ledger.account()
    assert (dict(account.calls), account.retries) == ({"observe": 1}, 1)


def spend_tokens(ledger: Ledger) -> None:
    ledger.request(CallStage.SYNTHESISE, 90, 11)


def spend_money(ledger: Ledger) -> None:
    ledger.request(CallStage.SYNTHESISE, 10, 0)


@pytest.mark.parametrize(
    ("budget", "act", "reason"),
    [
        (Budget(calls=0), spend_money, StopReason.BUDGET_CALLS),
        (Budget(tokens=100), spend_tokens, StopReason.BUDGET_TOKENS),
        (Budget(cost=1e-6), spend_money, StopReason.BUDGET_COST),
        (Budget(seconds=0.0), Ledger.check_time, StopReason.BUDGET_SECONDS),
    ],
)
def test_each_limit_is_named(budget: Budget, act: Callable[[Ledger], None], reason: StopReason) -> None:
    with pytest.raises(BudgetSpent) as refused:
        act(Ledger(budget, clock=still, prices=(1.0, 1.0)))
    assert refused.value.reason is reason


def test_without_prices_the_cost_is_unknown() -> None:
    ledger = Ledger(Budget(), clock=still)
    ledger.used(1000, 1000)
    assert ledger.cost is None
    priced = Ledger(Budget(), clock=still, prices=(2.0, 6.0))
    priced.used(1_000_000, 500_000)
    assert priced.cost == pytest.approx(5.0)


def test_what_left_the_machine_is_recorded() -> None:
    ledger = Ledger(Budget(), clock=still, endpoint="http://localhost")
    ledger.sent(Sent("a.md", Span(0, 5)))
    assert ledger.account().sent == (Sent("a.md", Span(0, 5)),)
    assert ledger.account().endpoint == "http://localhost"
