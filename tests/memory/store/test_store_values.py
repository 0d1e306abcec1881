"""Columns of a store hold what they should, or are refused: every shape that a damaged row may have."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.memory import store_rows
from lens_lsp.memory.store_rows import Malformed

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


class Colour(Enum):
    RED = "red"


def colour(value: object) -> Colour:
    return store_rows.member(Colour, value)


def pair(value: object) -> list[object]:
    return store_rows.fields(value, "a", "b")


@given(JSON)
def test_what_is_stored_comes_back(value: object) -> None:
    assert store_rows.load(store_rows.dump(value)) == value


@pytest.mark.parametrize(
    ("read", "value", "found"),
    [
        (store_rows.text, "é\udc80".encode("utf-8", "surrogatepass"), "é\udc80"),
        (store_rows.string, "", ""),
        (store_rows.integer, -3, -3),
        (store_rows.real, 2, 2.0),
        (store_rows.flag, 0, False),
        (store_rows.flag, True, True),
        (store_rows.strings, ["a", "b"], ("a", "b")),
        (colour, "red", Colour.RED),
        (pair, {"b": 2, "a": 1}, [1, 2]),
    ],
)
def test_what_is_of_its_shape_is_taken(read: Callable[[object], object], value: object, found: object) -> None:
    assert read(value) == found
    assert type(read(value)) is type(found)
    assert store_rows.optional(read, None) is None
    assert store_rows.many(read, [value]) == (found,)


@pytest.mark.parametrize(
    ("read", "value", "why"),
    [
        (store_rows.text, "a string", "no text"),
        (store_rows.text, b"\xff", "no UTF-8"),
        (store_rows.load, b"{", "no JSON"),
        (store_rows.load, b"[" * 200_000, "no JSON"),
        (store_rows.load, None, "no JSON"),
        (store_rows.string, 1, "no string"),
        (store_rows.integer, True, "no whole number"),
        (store_rows.integer, 1.0, "no whole number"),
        (store_rows.real, True, "no number"),
        (store_rows.real, float("inf"), "no number"),
        (store_rows.real, "1", "no number"),
        (store_rows.flag, 2, "neither true nor false"),
        (store_rows.flag, 1.0, "neither true nor false"),
        (store_rows.strings, ["a", 1], "no string"),
        (store_rows.strings, "ab", "no list"),
        (colour, "blue", "no Colour"),
        (pair, {"a": 1}, "no object of a, b"),
        (pair, {"a": 1, "b": 2, "c": 3}, "no object of a, b"),
        (pair, ["a", "b"], "no object of a, b"),
        (store_rows.locator_of, [], ""),
        (store_rows.plan_of, {}, ""),
        (store_rows.seen_of, {"a": 1}, ""),
        (store_rows.computation_of, None, ""),
    ],
)
def test_what_is_of_another_shape_is_refused(read: Callable[[object], object], value: object, why: str) -> None:
    with pytest.raises(Malformed) as caught:
        read(value)
    assert why in str(caught.value)


def test_a_number_that_is_none_is_not_stored() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        store_rows.dump(float("nan"))
