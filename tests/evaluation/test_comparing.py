from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring.comparing import difference, mcnemar, per_unit

OUTCOMES = st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0])), min_size=1, max_size=60)


def test_mcnemar_is_the_exact_binomial_test_of_the_questions_that_differ() -> None:
    # 1 of 6 discordant: 2 · (1 + 6) / 64
    first, second = [1.0] + [0.0] * 5 + [1.0] * 4, [0.0] + [1.0] * 5 + [1.0] * 4
    found = mcnemar(first, second)
    assert (found.only_first, found.only_second, found.p) == (1, 5, 0.21875)


def test_arms_that_never_differ_cannot_be_told_apart() -> None:
    assert mcnemar([1.0, 0.0], [1.0, 0.0]).p == 1.0


def test_mcnemar_is_of_right_and_wrong_only() -> None:
    with pytest.raises(ValueError, match="right and wrong"):
        mcnemar([0.5], [1.0])
    with pytest.raises(ValueError, match="zip"):
        mcnemar([1.0], [1.0, 0.0])


def test_a_constant_difference_has_no_interval() -> None:
    found = difference([0.2, 0.4, 0.6], [0.3, 0.5, 0.7], seed=1)
    assert (found.value, found.low, found.high) == pytest.approx((0.1, 0.1, 0.1))


def test_quality_for_what_it_cost_is_a_ratio_of_sums() -> None:
    found = per_unit([1.0, 0.0, 1.0], [1_000, 3_000, 4_000], unit=1_000, seed=0)
    assert found is not None
    assert found.value == 0.25
    assert 0.0 <= found.low <= 0.25 <= found.high <= 1.0


def test_what_cost_nothing_has_no_price() -> None:
    assert per_unit([1.0], [0.0], seed=0) is None
    found = per_unit([1.0, 1.0], [0.0, 2.0], seed=0)
    assert found is not None
    assert found.value == 1.0


@given(OUTCOMES)
def test_mcnemar_does_not_care_who_is_first(pairs: list[tuple[float, float]]) -> None:
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    one, other = mcnemar(first, second), mcnemar(second, first)
    assert one.p == other.p
    assert 0.0 < one.p <= 1.0
    assert (one.only_first, one.only_second) == (other.only_second, other.only_first)
