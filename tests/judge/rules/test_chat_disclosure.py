"""What leaves is listed, and what must not leave does not: the fast share of `tests.soak.disclosure`."""

from __future__ import annotations

from tests.soak.disclosure import accounted, kept, seen_by_the_harness, until


def test_every_word_that_left_is_listed_and_every_span_that_is_listed_left() -> None:
    tally = until(80, accounted)
    assert tally.unlisted == tally.unfound == []
    assert tally.words > 1_000
    assert tally.short_caught == tally.long_caught == tally.controls > 3


def test_no_canary_of_any_sort_leaves() -> None:
    assert until(60, kept).leaked == []


def test_each_sort_of_canary_is_seen_where_it_may_be_read() -> None:
    assert all(seen_by_the_harness(2).values())
