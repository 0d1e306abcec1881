from __future__ import annotations

import contextlib
import time
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lens_lsp.arithmetic.expression import DEEPEST, FUNCTIONS, LONGEST, evaluate
from lens_lsp.arithmetic.typed_values import Value, ValueKind, quantity, show, truth
from lens_lsp.arithmetic.units import KNOWN_UNITS, ONE, MeasureUnit, compatible
from lens_lsp.arithmetic.value_parser import find_values
from lens_lsp.model.errors import ComputationError


def only(text: str) -> Value:
    (value,) = find_values(text)
    return value


OPERANDS = {
    "f1": only("12.5 km"),
    "f2": only("3 hours"),
    "f3": only("23 March 2015"),
    "f4": only("2018"),
    "f5": only("300 pages"),
    "f6": only("10 chapters"),
    "f7": only("$5 per month"),
    "f8": only("about 20 °C"),
    "first": only("chapter 3"),
    "last": only("chapter 12"),
    "limit": only("a limit of 1024"),
    "share": only("25 %"),
    "at": only("14:30"),
    "yes": truth(True),
}
RIGHT = [
    # arithmetic
    ("1 + 2 * 3", "7"),
    ("(1 + 2) * 3", "9"),
    ("7 - 2 - 1", "4"),
    ("8 / 4 / 2", "1"),
    ("-2 ** 2", "-4"),
    ("2 ** 3 ** 2", "512"),
    ("2 ** -2", "0.25"),
    ("2 ^ 10", "1,024"),
    ("0.1 + 0.2", "0.3"),
    ("10 / 3", "≈ 3.33"),
    ("1.5e3 × 2 ÷ 3 − 1", "999"),
    ("2 million / 4", "500,000"),
    ("5k + 1", "5,001"),
    # units
    ("f1 + 300 m", "12.8 km"),
    ("300 m + f1", "12,800 m"),
    ("f1 / f2", "≈ 4.17 km/h"),
    ("60 km/h * 30 min", "30,000 m"),
    ("3 m * 4 m * 2 m", "24 m³"),
    ("3 m ** 2", "9 m²"),
    ("3 kW * 2 h", "6 kWh"),
    ("12 V * 2 A", "24 W"),
    ("1 MB / 8 Mbit/s", "1 s"),
    ("64 KB + 1 B", "64.001 kB"),
    ("convert(64 KiB, KB)", "65.536 kB"),
    ("convert(1 mile, 'km')", "1.609344 km"),
    ("f1 / 500 m", "25"),
    ("f1 * 2", "25 km"),
    ("2 * f1 / 5", "5 km"),
    ("f5 / f6", "30 pages per chapter"),
    ("f5 / f6 * 3 chapters", "90 pages"),
    ("f5 + 3 pages", "303 pages"),
    ("f6 * 2 kg", "20 kg"),
    ("f7 * 1 year", "$60"),
    ("$5 * 3 + $2.50", "$17.50"),
    ("last - first", "9 chapters"),
    ("f8 - 15 °C", "≈ 5 °C of difference"),
    ("f8 + 5 °C of difference", "≈ 25 °C"),
    ("convert(100 °C, °F)", "212 °F"),
    # percentages
    ("20 % of 50 km", "10 km"),
    ("0.5 of f1", "6.25 km"),
    ("50 + 20 %", "60"),
    ("50 - 20 %", "40"),
    ("f1 + share", "15.625 km"),
    ("30 % + 5 %", "35 %"),
    ("30 % - 5 percentage points", "25 %"),
    ("20 % * 20 %", "4 %"),
    ("200 * 20 %", "40"),
    ("20 % * 200", "40"),
    ("10 km / 20 %", "50 km"),
    ("20 % / 10 %", "2"),
    ("20 % / 2", "10 %"),
    ("0.5 of 20 %", "10 %"),
    ("10 + 20 % of 50", "20"),
    ("percent(f1, 50 km)", "25 %"),
    ("change(80, 100)", "25 %"),
    ("change(-80, -100)", "-25 %"),
    ("ratio(1 km, 250 m)", "4"),
    # dates
    ("2018-03-23 - f3", "1,096 days"),
    ("days(f3, 2018-03-23)", "1,096 days"),
    ("2018 - 03 - 23", "1,992"),
    ("weeks(2015-03-01, 2015-03-15)", "2 weeks"),
    ("months(f3, 2018-03-22)", "35 months"),
    ("years(f3, 2018-03-22)", "2 years"),
    ("years(f3, f4)", "≈ 3 years"),
    ("years(date(2015), f4)", "3 years"),
    ("f3 + 1 week", "30 March 2015"),
    ("10 days + f3", "2 April 2015"),
    ("f3 - 1 year", "23 March 2014"),
    ("2015-01-31 + 1 month", "28 February 2015"),
    ("f4 + 2 years", "2020"),
    ("date(2015, 3) + 10 months", "January 2016"),
    ("earliest(f3, 2014-01-01, f4)", "1 January 2014"),
    ("latest(f3, 2014-01-01, f4)", "2018"),
    ("at + 45 min", "15:15"),
    ("at - 15 h", "23:30"),
    ("at - at", "0 min"),
    # a year beside a number is a number
    ("limit * 2", "2,048"),
    ("limit + 1", "1,025"),
    ("-limit", "-1,024"),
    ("limit ** 2", "1,048,576"),
    # comparison
    ("f1 > 12 km", "yes"),
    ("f1 <= 12 km", "no"),
    ("f1 = 12500 m", "yes"),
    ("f1 != 12500 m", "no"),
    ("f3 < f4", "yes"),
    ("f3 = date(2015)", "yes"),
    ("f3 ≥ 2015-03-23", "yes"),
    ("100 °C = 212 °F", "yes"),
    ("limit == 1024", "yes"),
    ("yes = yes", "yes"),
    ("yes = (1 < 2)", "yes"),
    # functions
    ("sum(1 km, 200 m, 3 mi)", "6.028032 km"),
    ("mean(10 °C, 20 °C)", "15 °C"),
    ("mean(1, 2, 4)", "≈ 2.33"),
    ("median(4, 1, 3)", "3"),
    ("median(4, 1, 3, 2)", "2.5"),
    ("min(1 km, 200 m)", "200 m"),
    ("max(1 km, 200 m, 999 m)", "1 km"),
    ("count(f1, f2, f3)", "3"),
    ("abs(-3 km)", "3 km"),
    ("round(10 / 3, 2)", "3.33"),
    ("round(2.5)", "3"),
    ("round(-2.5)", "-3"),
    ("round(1234, -2)", "1,200"),
    ("sum(limit, 1)", "1,025"),
]  # fmt: skip
WRONG = [
    ("", "is empty"),
    ("  ", "is empty"),
    ("1 +", "ends too early"),
    ("(1", r"ends too early, where '\)' should be"),
    ("1 2", "Unexpected '2' at character 3"),
    ("1 f1", "is no unit that is known here"),
    ("f1 f2", "Unexpected 'f2' at character 4"),
    ("3 elephants", "is no unit that is known here"),
    ("1.2.3", "where a number should be"),
    ("f1 %", "Unexpected '%'"),
    ("1 < 2 < 3", "Unexpected '<'"),
    ("of 3", "Unexpected 'of'"),
    ("__import__('os')", "no function '__import__'"),
    ("f1.unit", "Unexpected '.'"),
    ("f99 + 1", "no operand 'f99'; there are: f1"),
    ("foo(1)", "no function 'foo'; there are: convert, sum"),
    ("sum()", "sum takes 1 or more arguments, not 0"),
    ("days(f3)", "days takes 2 arguments, not 1"),
    ("round(1, 2, 3)", "round takes 1 to 2 arguments, not 3"),
    ("sum(1,)", "Unexpected"),
    ("1 / 0", "Division by zero"),
    ("0 ** -1", "Division by zero"),
    ("percent(1, 0)", "Division by zero"),
    ("change(0, 5)", "Division by zero"),
    ("1 / 0 %", "Division by zero"),
    ("f1 + f2", r"Cannot add h \(time\) to km \(length\)"),
    ("f1 - 3", r"Cannot subtract a plain number from km \(length\)"),
    ("3 + f1", r"Cannot add km \(length\) to a plain number"),
    ("f5 + f6", r"Cannot add chapter \(count\) to page \(count\)"),
    ("f5 * f6", "Cannot multiply"),
    ("f1 * f1 * f1 * f1", "Cannot multiply"),
    ("$5 + €5", "exchange rates are not known here"),
    ("1 year + 1 day", "no fixed number of days"),
    ("convert(1 month, days)", "no fixed number of days"),
    ("convert(1 km, kg)", "Cannot convert"),
    ("convert(1 km, bananas)", "which 'bananas' is not"),
    ("convert(1 km)", "Unexpected"),
    ("20 % + 5", "Cannot add a plain number to %"),
    ("50 + 5 percentage points", "only to or from a percentage"),
    ("f1 of f2", "can stand before 'of'"),
    ("10 °C + 10 °C", "only a temperature difference"),
    ("2 * 10 °C", "Cannot multiply"),
    ("ratio(10 °C, 20 °C)", "Cannot divide"),
    ("sum(10 °C, 20 °C)", "Cannot take the sum of temperatures"),
    ("first + last", "Cannot add"),
    ("mean(first, last)", "Cannot take the mean"),
    ("f3 + f3", "Cannot add a date to a date"),
    ("f3 + 1", "Cannot add a plain number to a date, only a duration"),
    ("f3 + 12 hours", "Only whole days"),
    ("f3 + 0.5 months", "Only whole months"),
    ("f4 - f3", "known to the year only, so days cannot be counted"),
    ("days(date(2015, 3), f3)", "known to the month only, so days cannot be counted"),
    ("months(f4, f3)", "known to the year only"),
    ("f4 + 1 day", "known to the year only"),
    ("f3 < date(2015)", "one lies within the other"),
    ("days(f1, f3)", r"days takes dates, not km \(length\)"),
    ("earliest(1, 2)", "earliest takes dates"),
    ("2015-02-30", "No calendar has the date 2015-02-30"),
    ("date(2015, 2, 30)", "a calendar has"),
    ("date(2015.5)", "a calendar has"),
    ("f3 + 9999 years", "years 1 to 9999"),
    ("f3 + 1e50 days", "years 1 to 9999"),
    ("yes + 1", "a boolean"),
    ("yes + 1", "a boolean"),
    ("yes < yes", "Cannot put"),
    ("yes = 1", "Cannot compare"),
    ("f1 = f2", "Cannot convert"),
    ("2 ** 0.5", "An exponent must be a whole plain number"),
    ("2 ** f1", "An exponent must be a whole plain number"),
    ("2 ** 65", "must lie between -64 and 64"),
    ("2 ** 1e99", "must lie between -64 and 64"),
    ("f2 ** 2", "Cannot raise"),
    ("1e99 ** 64", "too large"),
    ("(9 ** 64) ** 64", "too large"),
    ("round(1, 13)", "from -12 to 12"),
    ("round(1, 0.5)", "from -12 to 12"),
    ("1e999", "no unit that is known here"),
    ("1" * 41, "where a number should be"),
    ("(" * (DEEPEST + 1) + "1" + ")" * (DEEPEST + 1), "nested more than"),
    ("-" * (DEEPEST + 1) + "1", "nested more than"),
    ("2" + " ** 1" * (DEEPEST + 1), "nested more than"),
    ("1" + "+1" * LONGEST, "longer than 1,000 characters"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "shown"), RIGHT)
def test_an_expression_comes_to(expression: str, shown: str) -> None:
    assert show(evaluate(expression, OPERANDS)) == shown


@pytest.mark.parametrize(("expression", "message"), WRONG, ids=[expression[:30] for expression, _ in WRONG])
def test_what_cannot_be_computed_is_said_in_one_sentence(expression: str, message: str) -> None:
    with pytest.raises(ComputationError, match=message) as problem:
        evaluate(expression, OPERANDS)
    assert str(problem.value).endswith(".")
    assert "\n" not in str(problem.value)


def test_what_comes_of_an_approximate_value_is_approximate() -> None:
    assert evaluate("convert(f8, K)", OPERANDS).approximate
    assert evaluate("mean(f8, 10 °C)", OPERANDS).approximate
    assert not evaluate("f1 * 2", OPERANDS).approximate


def test_a_result_stands_in_no_text_and_a_duration_is_one() -> None:
    value = evaluate("f2 * 2", OPERANDS)
    assert (value.kind, value.span, value.step) == (ValueKind.DURATION, None, 0)
    assert evaluate("f5 / f6", OPERANDS).kind is ValueKind.NUMBER


def test_every_function_is_tried_here() -> None:
    tried = " ".join(expression for expression, _ in RIGHT)
    assert all(f"{name}(" in tried for name in (*FUNCTIONS, "convert"))


AMOUNTS = st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**6)
MEASURED = [ONE, *(unit for unit in KNOWN_UNITS if unit.dimension.value not in ("temperature", "place in a row"))]


@given(AMOUNTS, AMOUNTS, st.sampled_from(MEASURED), st.sampled_from(MEASURED))
def test_what_is_added_and_taken_away_leaves_nothing(
    a: Fraction, b: Fraction, unit: MeasureUnit, other: MeasureUnit
) -> None:
    if not compatible(unit, other):
        other = unit
    operands = {"a": quantity(a, unit), "b": quantity(b, other)}
    assert evaluate("a + b - b", operands) == quantity(a, unit)
    if b:
        assert evaluate("a / (b / b)", operands) == quantity(a, unit)


@given(AMOUNTS, st.sampled_from(KNOWN_UNITS), st.sampled_from(KNOWN_UNITS))
def test_converting_there_and_back_in_an_expression_is_exact(
    amount: Fraction, unit: MeasureUnit, other: MeasureUnit
) -> None:
    if not compatible(unit, other):
        other = unit
    expression = f"convert(convert(a, {other.symbol}), {unit.symbol})"
    assert evaluate(expression, {"a": quantity(amount, unit)}) == quantity(amount, unit)


def tried(expression: str) -> None:
    shown = "refused"
    with contextlib.suppress(ComputationError):
        shown = show(evaluate(expression, OPERANDS))
    assert shown


@given(st.text(max_size=60))
@example("٣ + 1")
@example("1e-99 ** 64")
@example("$")
@example("f1 \x00")
def test_any_text_is_computed_or_refused(expression: str) -> None:
    tried(expression)


TOKENS = [
    *OPERANDS, *FUNCTIONS, "convert", "(", "(", ")", ")", ",", ",", "+", "-", "*", "/", "**", "of", "<", "=", "!=", "≥",
    "1", "0", "2", "0.5", "1e99", "12 km", "3 h", "20 %", "$5", "5 °C", "2015-03-23", "9999-12-31", "3 months",
    "1e30 days", "km", "°F", "%", "'", ".", " ",
]  # fmt: skip


@given(st.lists(st.sampled_from(TOKENS), max_size=24).map(" ".join))
def test_any_tokens_are_computed_or_refused(expression: str) -> None:
    tried(expression)


CALLS = st.recursive(
    st.sampled_from([*OPERANDS, "0", "1", "2.5", "20 %", "3 km", "2015-03-23", "2 months", "5 days", "1e99"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**", " of ", "<", "="]), inner).map(
            lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"
        ),
        st.tuples(st.sampled_from(sorted(FUNCTIONS)), st.lists(inner, min_size=1, max_size=3)).map(
            lambda parts: f"{parts[0]}({', '.join(parts[1])})"
        ),
    ),
    max_leaves=8,
)


@given(CALLS)
def test_any_well_formed_expression_is_computed_or_refused(expression: str) -> None:
    tried(expression)


@pytest.mark.parametrize(
    "expression", ["(9 ** 60) " + "* (9 ** 60) " * 80, "1 / 7" + " + 1 / 7" * 120, "1e99" + "*1e99" * 190]
)
def test_the_worst_that_fits_takes_no_time(expression: str) -> None:
    started = time.process_time()
    tried(expression)
    assert time.process_time() - started < 1
