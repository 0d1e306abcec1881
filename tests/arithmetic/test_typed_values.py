"""Typed values: dates and their arithmetic, how values are written, and when two of them say the same."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.arithmetic.typed_values import (
    CalendarDate,
    Value,
    add_days,
    add_months,
    agrees,
    clock,
    dated,
    days_between,
    earlier,
    months_between,
    quantity,
    same,
    show,
    truth,
    try_date,
    years_between,
)
from lens_lsp.arithmetic.units import (
    KNOWN_UNITS,
    ONE,
    Dimension,
    MeasureUnit,
    counted,
    currency,
    find_unit,
    ordinal,
    rate,
)
from lens_lsp.arithmetic.value_parser import find_values
from lens_lsp.model.errors import ComputationError

KM = find_unit("km") or ONE


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (quantity(12), "12"),
        (quantity(1234567), "1,234,567"),
        (quantity(2015), "2,015"),
        (quantity(Fraction("0.5")), "0.5"),
        (quantity(Fraction(10, 3)), "≈ 3.33"),
        (quantity(Fraction(2, 3)), "≈ 0.667"),
        (quantity(Fraction(-2, 3)), "≈ -0.667"),
        (quantity(Fraction(1, 3000)), "≈ 0.000333"),
        (quantity(Fraction(299, 3)), "≈ 99.67"),
        (quantity(Fraction("1.0000001")), "≈ 1"),
        (quantity(Fraction("0.000001")), "0.000001"),
        (quantity(Fraction(10) ** 20), "1e20"),
        (quantity(Fraction(10**20, 3)), "≈ 3.33e19"),
        (quantity(Fraction(1, 3 * 10**9)), "≈ 3.33e-10"),
        (quantity(Fraction("12.5"), KM), "12.5 km"),
        (quantity(5, KM, approximate=True), "≈ 5 km"),
        (quantity(20, find_unit("%") or ONE), "20 %"),
        (quantity(1, counted("pages")), "1 page"),
        (quantity(3, counted("page")), "3 pages"),
        (quantity(3, find_unit("day") or ONE), "3 days"),
        (quantity(90, find_unit("°") or ONE), "90°"),
        (quantity(Fraction("12.5"), currency("EUR")), "€12.50"),
        (quantity(-12, currency("USD")), "-$12"),
        (quantity(Fraction("12.5"), currency("CHF")), "12.50 CHF"),
        (quantity(Fraction(10, 3), currency("EUR")), "≈ €3.33"),
        (quantity(30, rate(counted("page"), counted("chapter"))), "30 pages per chapter"),
        (quantity(3, ordinal("chapter")), "3rd chapter"),
        (quantity(112, ordinal()), "112th"),
        (dated(CalendarDate(2015, 3, 23)), "23 March 2015"),
        (dated(CalendarDate(2015, 3)), "March 2015"),
        (dated(CalendarDate(2015), approximate=True), "≈ 2015"),
        (dated(CalendarDate(79)), "AD 79"),
        (dated(CalendarDate(79, 8, 24)), "0079-08-24"),
        (clock(52200), "14:30"),
        (clock(52215), "14:30:15"),
        (truth(True), "yes"),
        (truth(False), "no"),
    ],
)
def test_a_value_is_written_as_a_person_would(value: Value, written: str) -> None:
    assert show(value) == written


DECIMALS = st.builds(Fraction, st.integers(-(10**12), 10**12), st.sampled_from([10**n for n in range(7)]))
STEPS = (Dimension.TEMPERATURE_STEP, Dimension.ORDINAL)
UNITS = st.sampled_from(
    [ONE, counted("page"), counted("box"), counted("person"), rate(counted("page"), counted("chapter"))]
    + [unit for unit in KNOWN_UNITS if unit.dimension not in STEPS]
)


@given(DECIMALS, UNITS)
def test_what_is_shown_in_full_is_read_back_exactly(amount: Fraction, unit: MeasureUnit) -> None:
    written = show(quantity(amount, unit))
    (value,) = find_values(f"It is {written}.")
    assert (value.magnitude, value.unit, value.approximate) == (amount, unit, False), written


@given(st.fractions(min_value=-(10**20), max_value=10**20))
def test_what_is_rounded_says_so_and_is_near(amount: Fraction) -> None:
    written = show(quantity(amount))
    (value,) = find_values(written)
    assert value.approximate == written.startswith("≈") == (value.magnitude != amount)
    assert abs(value.magnitude - amount) <= max(abs(amount) / 200, Fraction(0))


@given(st.dates(), st.sampled_from([1, 2, 3]), st.booleans())
def test_a_shown_date_is_read_back(day: date, parts: int, approximate: bool) -> None:
    when = CalendarDate(*(day.year, day.month, day.day)[:parts])
    if parts == 1 and not (when.year < 1000 or when.year <= 2100):
        return
    (value,) = find_values(f"It was {show(dated(when, approximate=approximate))}.")
    assert (value.date, value.approximate) == (when, approximate)


@given(st.integers(0, 86399))
def test_a_shown_time_is_read_back(seconds: int) -> None:
    (value,) = find_values(f"at {show(clock(seconds))}")
    assert value.magnitude == seconds


@given(st.integers(1, 10**6 - 1), st.sampled_from(["", "chapter", "row"]))
def test_a_shown_place_is_read_back(n: int, noun: str) -> None:
    (value,) = find_values(f"the {show(quantity(n, ordinal(noun)))}")
    assert (value.magnitude, value.unit) == (n, ordinal(noun))


CASES = [
    # amounts
    ("5 km", "5,000 m", True),
    ("1 mile", "1.609344 km", True),
    ("5 km", "6 km", False),
    ("5 km", "5 kg", None),
    ("5 km", "5", None),
    ("100 °C", "212 °F", True),
    ("100 °C", "100 °F", False),
    ("20 %", "200 ‰", True),
    ("20 %", "0.2", None),
    ("20 %", "20 percentage points", None),
    ("12 chapters", "twelve chapters", True),
    ("12 chapters", "14 chapters", False),
    ("12 chapters", "12 pages", None),
    ("chapter 12", "the 12th chapter", True),
    ("chapter 12", "12 chapters", None),
    ("$5", "5 US dollars", True),
    ("$5", "€5", None),
    ("$2.5 million", "$2,500,000", True),
    ("2 h 30 min", "150 minutes", True),
    ("24 months", "2 years", True),
    ("2 years", "730 days", None),
    ("5 km per day", "5 km per week", None),
    # writing leaves it open
    ("1.234", "1234", None),
    ("1.234 km", "1,234 km", None),
    ("64 KB", "65,536 bytes", None),
    ("64 KB", "64,000 bytes", True),
    ("64 KB", "80,000 bytes", False),
    ("1 gallon", "4.54609 litres", None),
    ("2.5 million users", "2,512,345 users", None),
    ("2.5 million users", "3.5 million users", False),
    ("3.3 kg", "3.27 kg", None),
    ("3.3 kg", "3.4 kg", False),
    ("26.2 miles", "42.2 km", None),
    ("about 500 people", "512 people", None),
    ("about 500 people", "500 people", True),
    ("at least 3 kg", "5 kg", None),
    # dates
    ("2015", "2015-03-23", True),
    ("March 2015", "23 March 2015", True),
    ("2015", "2016-03-23", False),
    ("23 March 2015", "23.03.2015", True),
    ("23 March 2015", "24 March 2015", False),
    ("around 2015", "2016", None),
    ("2015", "2,015", True),
    ("2015", "2,016", None),
    ("2015-03-23", "5 days", None),
    # times
    ("14:30", "2:30 pm", True),
    ("14:30", "14:30:00", True),
    ("2:30", "14:30", None),
    ("14:30", "15:30", False),
    ("14:30", "2015", None),
]


def only(text: str) -> Value:
    (value,) = find_values(text)
    return value


@pytest.mark.parametrize(("a", "b", "expected"), CASES, ids=[f"{a} | {b}" for a, b, _ in CASES])
def test_two_writings_are_told_to_agree_to_differ_or_neither(a: str, b: str, expected: bool | None) -> None:
    assert same(only(a), only(b)) is expected
    assert same(only(b), only(a)) is expected


def test_yes_and_no_differ_and_neither_is_a_number() -> None:
    assert same(truth(True), truth(True)) is True
    assert same(truth(True), truth(False)) is False
    assert same(truth(True), only("1")) is None


TEXTS = sorted({text for a, b, _ in CASES for text in (a, b)})


@given(st.sampled_from(TEXTS), st.sampled_from(TEXTS))
def test_the_order_of_the_two_does_not_matter(a: str, b: str) -> None:
    assert same(only(a), only(b)) is same(only(b), only(a))


@pytest.mark.parametrize("text", TEXTS)
def test_a_value_agrees_with_itself(text: str) -> None:
    assert same(only(text), only(text)) is True


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
