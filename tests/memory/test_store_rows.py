"""Columns of a store hold what they should, or are refused: every shape that a damaged row may have."""

from __future__ import annotations

from typing import Any

import pytest

from lens_lsp.memory.store_file import StoreDamaged
from lens_lsp.memory.store_rows import TABLES, decode_json, decode_row, encode_json, encode_row
from lens_lsp.model.answer import Computation
from lens_lsp.model.cluster import Asked, Citation, ClusterLink, KnownFact, Turn
from lens_lsp.model.documents import Locator
from lens_lsp.model.plan import Condition, Intent, Plan, Requirement
from tests.memory.kept import kept, kept_turn


@pytest.mark.parametrize("n", range(12))
def test_every_record_comes_back_from_its_row_and_from_its_json(n: int) -> None:
    cluster = kept(n)
    records = (*cluster.asked, *cluster.facts, *cluster.links, *(citation for _, citation in cluster.citations))
    for record in records:
        assert decode_row(type(record), encode_row(record)) == record
    for asked in cluster.asked:
        assert decode_json(Plan, encode_json(asked.plan)) == asked.plan


def test_what_an_earlier_version_left_out_has_its_default() -> None:
    written = encode_json(Requirement("f1", "the width", template="of {f1}"))
    assert isinstance(written, dict)
    del written["template"]
    assert decode_json(Requirement, written) == Requirement("f1", "the width")


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (str, "", ""),
        (int, -3, -3),
        (float, 2, 2.0),
        (bool, 0, False),
        (bool, True, True),
        (str | None, None, None),
        (tuple[str, ...], ["a", "b"], ("a", "b")),
        (tuple[str | None, ...], ["a", None], ("a", None)),
        (Intent, "lookup", Intent.LOOKUP),
        (Condition, [">=", "7 mm"], Condition(">=", "7 mm")),
        (Locator, {"row": 3, "sheet": "prices"}, {"row": 3, "sheet": "prices"}),
    ],
)
def test_what_is_of_its_shape_is_taken(kind: Any, value: object, found: object) -> None:
    assert decode_json(kind, value) == found
    assert type(decode_json(kind, value)) is type(found)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (str, 1),
        (int, True),
        (int, 1.0),
        (float, True),
        (float, float("inf")),
        (float, "1"),
        (bool, 2),
        (bool, 1.0),
        (str, None),
        (tuple[str, ...], ["a", 1]),
        (tuple[str, ...], "ab"),
        (Intent, "blue"),
        (Intent, []),
        (Condition, [">="]),
        (Condition, [">=", "7", "8"]),
        (Locator, []),
        (Locator, {"row": None}),
        (Plan, {}),
        (Plan, ["a"]),
        (Requirement, {"id": "f1", "text": "x", "more": 1}),
        (tuple[Computation, ...], {"a": 1}),
        (Computation, None),
    ],
)
def test_what_is_of_another_shape_is_refused(kind: Any, value: object) -> None:
    with pytest.raises(StoreDamaged):
        decode_json(kind, value)


def row_with(record: object, place: int, value: Any) -> tuple[Any, ...]:
    row = encode_row(record)
    return (*row[:place], value, *row[place + 1 :])


@pytest.mark.parametrize(
    ("record", "place", "value", "why"),
    [
        (kept_turn(1), 0, b"\xff", "no UTF-8"),
        (kept_turn(1), 0, 7, "a value is no str"),
        (kept_turn(1), 5, float("inf"), "a value is no float"),
        (kept(1).asked[0], 3, b"{", "the plan is no JSON"),
        (kept(1).asked[0], 3, b"[" * 200_000, "the plan is no JSON"),
        (kept(1).asked[0], 3, None, "a value is no Plan"),
        (kept(1).asked[0], 10, b"{}", "a value is no tuple"),
        (kept(1).facts[0], 8, 2, "a value is no bool"),
        (kept(1).citations[0][1], 6, 99_999_999, "no span"),
        (kept(1).citations[0][1], 6, None, "no span"),
    ],
)
def test_a_row_with_another_value_is_refused_by_name(record: Any, place: int, value: Any, why: str) -> None:
    with pytest.raises(StoreDamaged, match=why):
        decode_row(type(record), row_with(record, place, value))
    assert type(record) in (Turn, Asked, KnownFact, Citation)


def test_a_number_that_is_none_is_not_stored() -> None:
    with pytest.raises(ValueError, match="must be finite"):
        encode_row(ClusterLink("k1", float("nan")))


def test_a_row_of_another_table_or_cluster_has_another_checksum() -> None:
    values = (b"k1", b"k2", 0, 0.5)
    assert len({table.row_sum(values) for table in TABLES}) == len(TABLES)
    one = TABLES[0]
    assert one.row_sum(values) != one.row_sum((b"k1k", b"2", 0, 0.5))
    assert one.row_sum((0,)) != one.row_sum((0.0,)) != one.row_sum((None,))
