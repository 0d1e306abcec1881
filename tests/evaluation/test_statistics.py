from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring.statistics import mean, percentile

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(VALUES, st.integers(0, 9))
def test_the_interval_stays_within_the_values(values: list[float], seed: int) -> None:
    figure = mean(values, seed=seed)
    slack = 1e-12
    assert min(values) - slack <= figure.low <= figure.high <= max(values) + slack
    assert min(values) - slack <= figure.value <= max(values) + slack
    assert figure.n == len(values)


def test_one_seed_gives_one_interval_and_another_seed_another() -> None:
    values = [number**0.5 for number in range(40)]
    assert mean(values, seed=1) == mean(values, seed=1)
    assert mean(values, seed=1) != mean(values, seed=2)


def test_the_interval_narrows_with_more_questions() -> None:
    few, many = mean([0.0, 1.0] * 10, seed=0), mean([0.0, 1.0] * 1_000, seed=0)
    assert few.value == many.value == 0.5
    assert many.high - many.low < (few.high - few.low) / 4


def test_the_interval_is_that_of_the_normal_approximation_for_a_share() -> None:
    figure = mean([1.0] * 150 + [0.0] * 350, seed=0)
    half = 1.96 * (0.3 * 0.7 / 500) ** 0.5
    assert figure.low == pytest.approx(0.3 - half, abs=0.005)
    assert figure.high == pytest.approx(0.3 + half, abs=0.005)


def test_percentiles_interpolate() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 50, seed=0).value == 2.5
    assert percentile([float(number) for number in range(101)], 95, seed=0).value == 95.0


def test_equal_values_have_no_uncertainty() -> None:
    figure = mean([0.25] * 30, seed=0)
    assert (figure.low, figure.value, figure.high) == (0.25, 0.25, 0.25)


def test_figures_are_shown_in_percent() -> None:
    assert mean([0.25] * 4, seed=0).json(scale=100) == {"value": 25.0, "low": 25.0, "high": 25.0, "n": 4}


def test_no_values_are_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        mean([], seed=0)
