"""The ledger: what is refused before it is made, and what one question cost."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.ledger import Budget, CallStage, Ledger, Limits
from lens_lsp.model.answer import Mode, Sent, StopReason
from lens_lsp.model.errors import BudgetSpent
from lens_lsp.model.text import Span


def still() -> float:
    return 0.0


def test_the_bounds_are_those_of_the_paper_and_of_the_modes() -> None:
    assert (Budget.of(Mode.DEEP).rounds, Budget.of(Mode.DEEP).calls) == (3, 4 + 2 * 3)
    assert (Budget.of(Mode.FAST).rounds, Budget.of(Mode.FAST).calls) == (2, 2 + 2)
    assert Budget.of(Mode.EVIDENCE).calls == 0


def test_telling_regions_apart_costs_tokens_only_where_a_model_reads_them() -> None:
    assert Budget.of(Mode.DEEP).fence_tokens > 0
    assert Budget.of(Mode.FAST).fence_tokens > 0
    assert Budget.of(Mode.EVIDENCE).fence_tokens == 0


def test_without_a_model_a_third_of_64000_tokens_is_read_at_once() -> None:
    budget = Budget.of(Mode.EVIDENCE)
    assert (budget.rounds, budget.request_tokens, budget.direct_tokens) == (3, 6_400, 21_333)


def test_of_two_limits_the_lower_one_holds() -> None:
    low, high = Limits(1, 20, 3.0, 0.4), Limits(2, 30, 4.0, 0.5)
    assert low.lowest(high) == high.lowest(low) == low
    assert Limits(calls=1, seconds=9.0).lowest(Limits(tokens=5, seconds=7.0)) == Limits(1, 5, 7.0, None)
    assert Limits().lowest(high) == high.lowest(Limits()) == high


def test_limits_lower_a_budget_and_never_raise_it() -> None:
    budget = Budget(rounds=2, calls=5, tokens=100, seconds=10.0, cost=1.0)
    assert Limits(4, 90, 9.0, 0.5).lowered(budget) == Budget(rounds=2, calls=4, tokens=90, seconds=9.0, cost=0.5)
    assert Limits(6, 110, 11.0, 2.0).lowered(budget) == Limits().lowered(budget) == budget
    assert Limits(cost=0.5).lowered(Budget()) == Budget(cost=0.5)


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


def test_every_refused_call_counts_as_a_retry_unless_it_is_not_tried_again() -> None:
    ledger = Ledger(Budget(), clock=still)
    for again in (True, True, False):
        ledger.request(CallStage.OBSERVE, 1, 1)
        ledger.withdraw(CallStage.OBSERVE, again=again)
    account = ledger.account()
    assert (dict(account.calls), account.retries) == ({}, 2)


def test_calls_of_one_stage_are_counted_together() -> None:
    ledger = Ledger(Budget(), clock=still)
    for stage in (CallStage.OBSERVE, CallStage.COVER, CallStage.OBSERVE):
        ledger.request(stage, 1, 1)
    assert dict(ledger.account().calls) == {"cover": 1, "observe": 2}


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
    assert priced.cost == 5.0


def test_a_request_may_use_up_the_tokens_and_the_money_to_the_last() -> None:
    ledger = Ledger(Budget(tokens=4_000_000, cost=4.0), clock=still, prices=(1.0, 1.0))
    ledger.request(CallStage.SYNTHESISE, 1_000_000, 1_000_000)
    ledger.used(1_000_000, 1_000_000)
    ledger.request(CallStage.SYNTHESISE, 1_000_000, 1_000_000)


def test_money_already_spent_is_not_there_for_the_next_request() -> None:
    ledger = Ledger(Budget(tokens=9_000_000, cost=4.0), clock=still, prices=(1.0, 1.0))
    ledger.used(1_000_000, 1_000_000)
    with pytest.raises(BudgetSpent) as refused:
        ledger.request(CallStage.SYNTHESISE, 2_000_000, 1_000_000)
    assert refused.value.reason is StopReason.BUDGET_COST


def test_while_prices_are_unknown_no_request_is_refused_for_its_money() -> None:
    ledger = Ledger(Budget(cost=0.000_001), clock=still)
    ledger.request(CallStage.SYNTHESISE, 1_000, 1_000)
    assert ledger.calls == 1


def test_the_account_adds_up_every_call_and_each_is_told_as_it_ends() -> None:
    told: list[tuple[int, int]] = []
    times = iter((100.0, 107.5))
    ledger = Ledger(
        Budget(), clock=lambda: next(times), prices=(1.0, 2.0), spent=lambda came, went: told.append((came, went))
    )
    ledger.used(1_000_000, 500_000)
    ledger.used(2_000_000, 250_000)
    account = ledger.account()
    assert told == [(1_000_000, 500_000), (2_000_000, 250_000)]
    assert (account.tokens_in, account.tokens_out) == (3_000_000, 750_000)
    assert (account.seconds, account.cost) == (7.5, 4.5)


def test_the_last_warning_about_a_matter_stands_in_the_place_of_the_first() -> None:
    ledger = Ledger(Budget(), clock=still)
    assert ledger.warnings == ()
    ledger.warn("Two files were not sent.", about="files")
    ledger.warn("The reply was cut.")
    ledger.warn("Three files were not sent.", about="files")
    assert ledger.warnings == ("Three files were not sent.", "The reply was cut.")


def test_what_left_the_machine_is_recorded() -> None:
    ledger = Ledger(Budget(), clock=still, endpoint="http://localhost")
    ledger.sent(Sent("a.md", Span(0, 5)))
    assert ledger.account().sent == (Sent("a.md", Span(0, 5)),)
    assert ledger.account().endpoint == "http://localhost"
