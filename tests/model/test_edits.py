"""Places followed through changes: right while nothing touched them, and gone once something did."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lens_lsp.model.edits import Edit, History, difference, shift
from lens_lsp.model.text import Span


@pytest.mark.parametrize(
    ("edit", "after"),
    [
        (Edit(Span(0, 0), 4), Span(14, 24)),
        (Edit(Span(10, 10), 4), Span(14, 24)),
        (Edit(Span(8, 10), 0), Span(8, 18)),
        (Edit(Span(20, 20), 4), Span(10, 20)),
        (Edit(Span(20, 30), 0), Span(10, 20)),
        (Edit(Span(11, 11), 1), None),
        (Edit(Span(19, 21), 2), None),
        (Edit(Span(5, 11), 0), None),
        (Edit(Span(0, 40), 40), None),
    ],
)
def test_a_span_shifts_with_changes_beside_it_and_ends_with_one_that_touches_it(edit: Edit, after: Span | None) -> None:
    assert shift(Span(10, 20), edit) == after


@given(st.text("abc", min_size=3, max_size=30), st.data())
def test_a_shifted_span_holds_the_same_text(text: str, data: st.DataObject) -> None:
    start, end = sorted((data.draw(st.integers(0, len(text) - 1)), data.draw(st.integers(1, len(text)))))
    assume(start < end)
    first, last = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
    new = data.draw(st.text("xyz", max_size=5))
    after = shift(Span(start, end), Edit(Span(first, last), len(new)))
    touches = first < end and last > start
    assert (after is None) == touches
    if after is not None:
        assert (text[:first] + new + text[last:])[after.start : after.end] == text[start:end]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 8), st.integers(0, 8)), max_size=8))
def test_changes_joined_to_one_say_what_they_say_one_by_one(drawn: list[tuple[int, int, int]]) -> None:
    edits: list[Edit] = []
    joined: list[Edit] = []
    for start, size, length in drawn:
        edit = Edit(Span(start, start + size), length)
        edits.append(edit)
        one = joined[-1].then(edit) if joined else None
        joined[-1 if one else len(joined) :] = [one or edit]
    for start in range(60):
        span = Span(start, start + 3)
        apart, together = (History("", tuple(each)).followed(span) for each in (edits, joined))
        assert apart == together


@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_the_difference_makes_one_text_the_other(before: str, after: str) -> None:
    edit = difference(before, after)
    start, end = edit.span.start, edit.span.end
    new = after[start : start + edit.length]
    assert before[:start] + new + before[end:] == after
    assert not new or new[0] != before[start : start + 1]
    assert (difference(before, before).span, difference(before, before).length) == (Span(len(before), len(before)), 0)


def test_typing_on_is_one_change() -> None:
    first = Edit(Span(4, 6), 1)
    assert first.then(Edit(Span(5, 5), 1)) == Edit(Span(4, 6), 2)
    assert first.then(Edit(Span(4, 5), 0)) == Edit(Span(4, 6), 0)
    assert first.then(Edit(Span(3, 5), 0)) is None
    assert first.then(Edit(Span(5, 6), 0)) is None


@given(st.text("ab", max_size=30), st.text("ab", max_size=30))
def test_the_difference_is_as_small_as_it_can_be(before: str, after: str) -> None:
    edit = difference(before, after)
    gone, new = before[edit.span.start : edit.span.end], after[edit.span.start : edit.span.start + edit.length]
    assert not gone or not new or (gone[0] != new[0] and gone[-1] != new[-1])


@pytest.mark.parametrize(
    ("before", "after", "edit"),
    [
        ("one two", "one big two", Edit(Span(4, 4), 4)),
        ("Xabc", "Yabc", Edit(Span(0, 1), 1)),
        ("aXb", "aYYb", Edit(Span(1, 2), 2)),
        ("aaa", "aa", Edit(Span(2, 3), 0)),
        ("ab", "", Edit(Span(0, 2), 0)),
    ],
)
def test_differences_that_one_can_see(before: str, after: str, edit: Edit) -> None:
    assert difference(before, after) == edit


def test_a_span_is_followed_through_all_changes_until_one_touches_it() -> None:
    beside = (Edit(Span(0, 2), 5), Edit(Span(40, 50), 0), Edit(Span(0, 0), 1))
    assert History("", ()).followed(Span(10, 20)) == Span(10, 20)
    assert History("", beside).followed(Span(10, 20)) == Span(14, 24)
    assert History("", (*beside, Edit(Span(15, 16), 1), Edit(Span(0, 0), 1))).followed(Span(10, 20)) is None
