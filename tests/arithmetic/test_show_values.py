from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.arithmetic.typed_values import CalendarDate, Value, clock, dated, quantity, show, truth
from lens_lsp.arithmetic.units import KNOWN_UNITS, ONE, Dimension, Unit, counted, currency, find_unit, ordinal, rate
from lens_lsp.arithmetic.value_parser import find_values

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
def test_what_is_shown_in_full_is_read_back_exactly(amount: Fraction, unit: Unit) -> None:
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
