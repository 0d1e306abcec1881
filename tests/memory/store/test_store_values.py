"""Columns of a store hold what they should, or are refused: every shape that a damaged row may have."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.memory.store import values
from lens_lsp.memory.store.values import Malformed

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


class Colour(Enum):
    RED = "red"


def colour(value: object) -> Colour:
    return values.member(Colour, value)


def pair(value: object) -> list[object]:
    return values.fields(value, "a", "b")


@given(JSON)
def test_what_is_stored_comes_back(value: object) -> None:
    assert values.load(values.dump(value)) == value


@pytest.mark.parametrize(
    ("read", "value", "found"),
    [
        (values.text, "é\udc80".encode("utf-8", "surrogatepass"), "é\udc80"),
        (values.string, "", ""),
        (values.integer, -3, -3),
        (values.real, 2, 2.0),
        (values.flag, 0, False),
        (values.flag, True, True),
        (values.strings, ["a", "b"], ("a", "b")),
        (colour, "red", Colour.RED),
        (pair, {"b": 2, "a": 1}, [1, 2]),
    ],
)
def test_what_is_of_its_shape_is_taken(read: Callable[[object], object], value: object, found: object) -> None:
    assert read(value) == found
    assert type(read(value)) is type(found)
    assert values.optional(read, None) is None
    assert values.many(read, [value]) == (found,)


@pytest.mark.parametrize(
    ("read", "value", "why"),
    [
        (values.text, "a string", "no text"),
        (values.text, b"\xff", "no UTF-8"),
        (values.load, b"{", "no JSON"),
        (values.load, b"[" * 200_000, "no JSON"),
        (values.load, None, "no JSON"),
        (values.string, 1, "no string"),
        (values.integer, True, "no whole number"),
        (values.integer, 1.0, "no whole number"),
        (values.real, True, "no number"),
        (values.real, float("inf"), "no number"),
        (values.real, "1", "no number"),
        (values.flag, 2, "neither true nor false"),
        (values.flag, 1.0, "neither true nor false"),
        (values.strings, ["a", 1], "no string"),
        (values.strings, "ab", "no list"),
        (colour, "blue", "no Colour"),
        (pair, {"a": 1}, "no object of a, b"),
        (pair, {"a": 1, "b": 2, "c": 3}, "no object of a, b"),
        (pair, ["a", "b"], "no object of a, b"),
        (values.locator_of, [], ""),
        (values.plan_of, {}, ""),
        (values.seen_of, {"a": 1}, ""),
        (values.computation_of, None, ""),
    ],
)
def test_what_is_of_another_shape_is_refused(read: Callable[[object], object], value: object, why: str) -> None:
    with pytest.raises(Malformed) as caught:
        read(value)
    assert why in str(caught.value)


def test_a_number_that_is_none_is_not_stored() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        values.dump(float("nan"))
