from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.arithmetic.typed_values import (
    CalendarDate,
    add_days,
    add_months,
    agrees,
    days_between,
    earlier,
    months_between,
    try_date,
    years_between,
)
from lens_lsp.model.errors import ComputationError

DAYS = st.dates(date(100, 1, 1), date(9000, 1, 1)).map(lambda day: CalendarDate(day.year, day.month, day.day))


@pytest.mark.parametrize(
    ("start", "months", "end"),
    [
        (CalendarDate(2015, 1, 31), 1, CalendarDate(2015, 2, 28)),
        (CalendarDate(2016, 1, 31), 1, CalendarDate(2016, 2, 29)),
        (CalendarDate(2016, 2, 29), 12, CalendarDate(2017, 2, 28)),
        (CalendarDate(2015, 3, 15), -3, CalendarDate(2014, 12, 15)),
        (CalendarDate(2015, 12), 1, CalendarDate(2016, 1)),
        (CalendarDate(2015), 24, CalendarDate(2017)),
    ],
)
def test_months_are_added_by_the_calendar(start: CalendarDate, months: int, end: CalendarDate) -> None:
    assert add_months(start, months) == end


@pytest.mark.parametrize(
    ("a", "b", "months", "years"),
    [
        ((2015, 3, 23), (2018, 3, 22), 35, 2),
        ((2015, 3, 23), (2018, 3, 23), 36, 3),
        ((2018, 3, 23), (2015, 3, 23), -36, -3),
        ((2015, 1, 31), (2015, 2, 28), 1, 0),
        ((2016, 2, 29), (2017, 2, 28), 12, 1),
        ((2015, 3), (2015, 11), 8, 0),
        ((2015, 3, 31), (2015, 4), 1, 0),
    ],
)
def test_whole_months_and_years_are_counted(a: tuple[int, ...], b: tuple[int, ...], months: int, years: int) -> None:
    assert months_between(CalendarDate(*a), CalendarDate(*b)) == months
    assert years_between(CalendarDate(*a), CalendarDate(*b)) == years


@given(DAYS, DAYS)
def test_whole_months_are_the_most_that_do_not_pass(a: CalendarDate, b: CalendarDate) -> None:
    a, b = sorted((a, b), key=lambda day: day.first)
    months = months_between(a, b)
    assert add_months(a, months).first <= b.first < add_months(a, months + 1).first
    assert months_between(b, a) == -months
    assert years_between(a, b) == months // 12


@given(DAYS, st.integers(-30_000, 30_000))
def test_days_added_are_days_between(start: CalendarDate, days: int) -> None:
    assert days_between(start, add_days(start, days)) == days


def test_years_alone_differ_by_their_numbers() -> None:
    assert years_between(CalendarDate(2015), CalendarDate(2018, 1, 1)) == 3


def test_dates_agree_as_far_as_both_are_known() -> None:
    assert agrees(CalendarDate(2015), CalendarDate(2015, 3, 23))
    assert not agrees(CalendarDate(2015, 4), CalendarDate(2015, 3, 23))


def test_an_order_that_cannot_be_known_is_refused() -> None:
    assert earlier(CalendarDate(2014), CalendarDate(2015, 3))
    assert not earlier(CalendarDate(2015), CalendarDate(2015))
    with pytest.raises(ComputationError, match="one lies within the other"):
        earlier(CalendarDate(2015), CalendarDate(2015, 3))


@pytest.mark.parametrize("parts", [(2015, 13), (2015, 2, 30), (0,), (10_000,), (2015, None, 5), (2015, 0)])
def test_what_no_calendar_has_is_no_date(parts: tuple[int | None, ...]) -> None:
    assert try_date(*parts) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("start", "days"),
    [(CalendarDate(9999, 12, 31), 1), (CalendarDate(1, 1, 1), -1), (CalendarDate(2015, 1, 1), 10**30)],
)
def test_days_do_not_lead_out_of_the_calendar(start: CalendarDate, days: int) -> None:
    with pytest.raises(ComputationError, match="years 1 to 9999"):
        add_days(start, days)


@pytest.mark.parametrize("months", [-(10**30), 10**30, 12 * 8000])
def test_months_do_not_lead_out_of_the_calendar(months: int) -> None:
    with pytest.raises(ComputationError, match="years 1 to 9999"):
        add_months(CalendarDate(2015, 1, 1), months)


def test_a_coarse_date_takes_no_finer_steps() -> None:
    with pytest.raises(ComputationError, match="known to the month only"):
        add_days(CalendarDate(2015, 3), 1)
    with pytest.raises(ComputationError, match="known to the year only"):
        add_months(CalendarDate(2015), 1)
    with pytest.raises(ComputationError, match="known to the year only"):
        months_between(CalendarDate(2015), CalendarDate(2015, 3))
