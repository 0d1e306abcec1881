from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.arithmetic.typed_values import Value, same, truth
from lens_lsp.arithmetic.value_parser import find_values

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
