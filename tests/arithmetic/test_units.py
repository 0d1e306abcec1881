from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.arithmetic.units import (
    KNOWN_UNITS,
    Dimension,
    MeasureUnit,
    compatible,
    convert,
    counted,
    currency,
    find_unit,
    match_unit,
    ordinal,
    plural,
    singular,
)
from lens_lsp.model.errors import ComputationError

AMOUNTS = st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**6)
UNITS = st.sampled_from(KNOWN_UNITS)


def known(name: str) -> MeasureUnit:
    unit = find_unit(name)
    assert unit is not None, name
    return unit


@pytest.mark.parametrize(
    ("amount", "unit", "target", "expected"),
    [
        ("1", "mi", "km", "1.609344"),
        ("26.21875", "miles", "m", "42194.988"),
        ("1", "nautical mile", "metres", "1852"),
        ("1", "light-year", "km", "9460730472580.8"),
        ("1", "lb", "oz", "16"),
        ("1", "stone", "lb", "14"),
        ("1", "fortnight", "h", "336"),
        ("1", "century", "years", "100"),
        ("1", "KB", "B", "1000"),
        ("1", "kilobyte", "bytes", "1000"),
        ("1", "KiB", "B", "1024"),
        ("1", "MB", "Mb", "8"),
        ("1", "GiB", "MiB", "1024"),
        ("100", "Mbps", "MB/s", "12.5"),
        ("1", "hectare", "m²", "10000"),
        ("1", "acre", "sq ft", "43560"),
        ("1", "gallon", "cubic inches", "231"),
        ("1", "m³", "litres", "1000"),
        ("90", "km/h", "m/s", "25"),
        ("1", "knot", "km/h", "1.852"),
        ("0", "°C", "K", "273.15"),
        ("100", "°C", "°F", "212"),
        ("-40", "degrees Fahrenheit", "degrees Celsius", "-40"),
        ("1", "kWh", "MJ", "3.6"),
        ("1", "kcal", "J", "4184"),
        ("1", "bar", "hPa", "1000"),
        ("60", "rpm", "Hz", "1"),
        ("1", "°", "arcmin", "60"),
        ("1", "%", "‰", "10"),
        ("1", "percentage point", "basis points", "100"),
    ],
)
def test_conversion_is_exact(amount: str, unit: str, target: str, expected: str) -> None:
    assert convert(Fraction(amount), known(unit), known(target)) == Fraction(expected)


@given(AMOUNTS, UNITS, UNITS)
def test_there_and_back_is_the_same_amount_and_other_dimensions_are_refused(
    amount: Fraction, a: MeasureUnit, b: MeasureUnit
) -> None:
    if compatible(a, b):
        assert convert(convert(amount, a, b), b, a) == amount
    else:
        with pytest.raises(ComputationError, match="Cannot convert"):
            convert(amount, a, b)


@given(AMOUNTS, st.sampled_from([unit for unit in KNOWN_UNITS if unit.dimension is Dimension.LENGTH]),
       st.sampled_from([unit for unit in KNOWN_UNITS if unit.dimension is Dimension.LENGTH]))  # fmt: skip
def test_conversion_by_way_of_a_third_unit_changes_nothing(amount: Fraction, a: MeasureUnit, b: MeasureUnit) -> None:
    metre = known("m")
    assert convert(convert(amount, a, metre), metre, b) == convert(amount, a, b)


def test_a_year_has_no_fixed_number_of_days() -> None:
    with pytest.raises(ComputationError, match="no fixed number of days"):
        convert(Fraction(1), known("year"), known("days"))


def test_money_is_not_exchanged() -> None:
    with pytest.raises(ComputationError, match="exchange rates"):
        convert(Fraction(1), currency("EUR"), currency("USD"))


def test_what_is_counted_adds_only_to_itself() -> None:
    assert compatible(counted("chapters"), counted("Chapter"))
    assert not compatible(counted("chapters"), counted("pages"))
    assert not compatible(counted("chapter"), ordinal("chapter"))


@pytest.mark.parametrize("name", ["mw", "mB/S", "Gram per", "chapters", "", " ", "-", "12"])
def test_a_symbol_counts_its_case_and_nonsense_is_no_unit(name: str) -> None:
    assert find_unit(name) is None


def test_symbols_that_differ_in_case_differ() -> None:
    assert known("mW") != known("MW")
    assert known("Mb") != known("MB")
    assert known("Metres") == known("m")


@pytest.mark.parametrize("unit", KNOWN_UNITS, ids=lambda unit: unit.symbol)
def test_every_unit_is_found_by_its_symbol_and_matched_in_text(unit: MeasureUnit) -> None:
    assert find_unit(unit.symbol) == unit
    assert match_unit(f"{unit.symbol}.", 0) == (unit, len(unit.symbol))


@pytest.mark.parametrize(
    ("text", "symbol", "end"),
    [("km/h fast", "km/h", 4), ("km / h", "km", 2), ("m^2", "m²", 3), ("percentage points up", "percentage point", 17),
     ("公里的路", "km", 2), ("分钟", "min", 2), ("miles per hour", "mph", 14), ("miles per day", "mi", 5)],
)  # fmt: skip
def test_the_longest_unit_is_taken(text: str, symbol: str, end: int) -> None:
    found = match_unit(text, 0)
    assert found is not None
    assert (found[0].symbol, found[1]) == (symbol, end)


@pytest.mark.parametrize("text", ["in the box", "won the race", "kmh5", "metric", "m_x", "的路", "d'une", "", "5"])
def test_what_only_looks_like_a_unit_is_none(text: str) -> None:
    assert match_unit(text, 0) is None


@pytest.mark.parametrize(
    ("one", "many"),
    [("chapter", "chapters"), ("page", "pages"), ("box", "boxes"), ("class", "classes"), ("match", "matches"),
     ("case", "cases"), ("house", "houses"), ("city", "cities"), ("day", "days"), ("person", "people"),
     ("child", "children"), ("bus", "buses"), ("virus", "viruses"), ("cause", "causes"), ("series", "series"),
     ("cache", "caches"), ("vertex", "vertices"), ("tie", "ties")],
)  # fmt: skip
def test_singular_and_plural_of_a_noun_meet(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == singular(one) == one
