"""Text positions, places followed through edits, and the ends of sentences."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lens_lsp.model.observation import tokens
from lens_lsp.model.text import (
    Edit,
    EditHistory,
    Position,
    SourceText,
    Span,
    breaks,
    difference,
    sentences,
    shift,
    trim,
)

BREAKS = st.text(st.sampled_from("ab\n\r\f\v\x1c\x85\u2028\u2029é語😀"), max_size=30)


def positions(text: str) -> list[Position]:
    """Line and column of every offset, counted one code point at a time."""
    line = column = 1
    found = [Position(1, 1)]
    for index, char in enumerate(text):
        if char == "\n" or (char == "\r" and text[index + 1 : index + 2] != "\n"):
            line, column = line + 1, 1
        else:
            column += 1
        found.append(Position(line, column))
    return found


@given(BREAKS)
def test_positions_agree_with_counting_one_code_point_at_a_time(text: str) -> None:
    source = SourceText(text)
    assert [source.position(offset) for offset in range(len(text) + 1)] == positions(text)


@given(BREAKS)
def test_an_offset_comes_back_from_its_position(text: str) -> None:
    source = SourceText(text)
    for offset in range(len(text) + 1):
        inside_break = text[offset - 1 : offset + 1] == "\r\n" if offset else False
        assert source.offset(source.position(offset)) == offset - inside_break


@given(BREAKS, st.integers(-5, 50), st.integers(-5, 50))
def test_what_lies_outside_the_text_is_clamped_into_it(text: str, first: int, second: int) -> None:
    source = SourceText(text)
    assert 0 <= source.offset(Position(first, second)) <= len(text)
    assert source.position(first) in positions(text)


def test_a_column_past_the_line_is_its_end_and_not_the_next_line() -> None:
    assert SourceText("ab\r\ncd").offset(Position(1, 99)) == 2
    assert SourceText("ab\ncd").offset(Position(9, 99)) == 5


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (-2, -1)])
def test_a_span_that_ends_before_it_begins_is_refused(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not a span"):
        Span(start, end)


SPANS = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda ends: Span(min(ends), max(ends)))


@given(SPANS, SPANS)
def test_spans_relate_as_their_sets_of_code_points_do(one: Span, other: Span) -> None:
    first, second = set(range(one.start, one.end)), set(range(other.start, other.end))
    assert len(one) == len(first)
    if first and second:
        assert one.overlaps(other) == bool(first & second)
        assert one.contains(other) == (second <= first)


@given(BREAKS, BREAKS, st.data())
def test_a_position_in_a_part_is_found_in_the_whole(before: str, after: str, data: st.DataObject) -> None:
    before = before.removesuffix("\r")  # it would join a line feed behind it
    whole, part = SourceText(before + after), SourceText(after)
    offset = data.draw(st.integers(0, len(after)))
    first = whole.position(len(before))
    assert part.position(offset).behind(first) == whole.position(len(before) + offset)


def test_a_position_behind_another_counts_columns_in_the_first_line_only() -> None:
    assert Position(1, 1).behind(Position(1, 1)) == Position(1, 1)
    assert Position(1, 3).behind(Position(5, 7)) == Position(5, 9)
    assert Position(2, 3).behind(Position(5, 7)) == Position(6, 3)


def test_places_before_the_text_are_its_beginning() -> None:
    source = SourceText("ab\ncd")
    assert [source.offset(Position(line, column)) for line, column in ((0, 2), (-9, 2), (1, 0), (2, 0), (2, -9))] == [
        1,
        1,
        0,
        3,
        3,
    ]
    assert [source.position(offset) for offset in (-1, 99)] == [Position(1, 1), Position(2, 3)]
    assert SourceText("\n\n").offset(Position(1, 5)) == 0


def test_spans_that_only_touch_do_not_overlap_and_letters_are_no_line_ends() -> None:
    assert not Span(0, 2).overlaps(Span(2, 4))
    assert not Span(2, 4).overlaps(Span(0, 2))
    assert Span(0, 3).overlaps(Span(2, 4))
    assert SourceText("aX\nb").offset(Position(1, 9)) == 2


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
        apart, together = (EditHistory("", tuple(each)).followed(span) for each in (edits, joined))
        assert apart == together


@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_the_difference_makes_one_text_the_other(before: str, after: str) -> None:
    edit = difference(before, after)
    start, end = edit.span.start, edit.span.end
    new = after[start : start + edit.length]
    assert before[:start] + new + before[end:] == after
    gone = before[start:end]
    assert not gone or not new or (gone[0] != new[0] and gone[-1] != new[-1]), "it is as small as it can be"
    assert not new or new[0] != before[start : start + 1]
    assert (difference(before, before).span, difference(before, before).length) == (Span(len(before), len(before)), 0)


def test_typing_on_is_one_change() -> None:
    first = Edit(Span(4, 6), 1)
    assert first.then(Edit(Span(5, 5), 1)) == Edit(Span(4, 6), 2)
    assert first.then(Edit(Span(4, 5), 0)) == Edit(Span(4, 6), 0)
    assert first.then(Edit(Span(3, 5), 0)) is None
    assert first.then(Edit(Span(5, 6), 0)) is None


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
    assert EditHistory("", ()).followed(Span(10, 20)) == Span(10, 20)
    assert EditHistory("", beside).followed(Span(10, 20)) == Span(14, 24)
    assert EditHistory("", (*beside, Edit(Span(15, 16), 1), Edit(Span(0, 0), 1))).followed(Span(10, 20)) is None


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text, Span(0, len(text)))]


@pytest.mark.parametrize(
    "parts",
    [
        ["It rained.", "Nobody came!", "Why?", "The end…", "So it was."],
        ["She said “No.”", "He left (at last).", "**Bold.**", "_Marked._", "Then on."],
        ["A claim.[1]", "Another.[^note]", "A <b>third.</b>", "A fourth."],
        ["What?!", "Really..."],
        ["Backed by J. P. Morgan and Mrs T. R. P. Hole.", "So it was."],
        ["See Brown v. Board and W. A. Sullivan.", "See Vol. IV.", "See more."],
        ["He signed 'R. Wilfer' (max. 6.5 m) etc. -- would he?", "Yes."],
        ["In 1995.", "The year after."],
        ["It ran v1.2.", "Then v2 came."],
        ["He lives in the U.S.", "The law there is old."],
        ["東京です。", "大阪は？", "「はい。」", "そう！", "終わり"],
        ["यह है।", "वह भी है।"],
        ["هل هذا؟", "نعم."],
        ["One stands here\n\n", "two after a blank line"],
        ["One stands here\r\n\r\n", "two after a blank line"],
    ],
)
def test_sentences_end_where_a_reader_ends_them(parts: list[str]) -> None:
    gap = "" if parts[0][0] == "東" else " "
    assert split(gap.join(parts)) == [part.strip() for part in parts]
    assert split(f"\n{gap}".join(parts)) == [part.strip() for part in parts]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith met Mrs. Jones, e.g. on Mondays, i.e. Tuesdays.",
        "J. R. R. Tolkien served in the U.S. Army with A. Einstein.",
        "It costs 3.5 million, see Fig. 2, No. 5 and pp. 10 ff. of v1.2 at example.com/a.b now.",
        "Warner Bros. Pictures and Acme Inc. Holdings vs. Smith et al. agreed.",
        "Use approx. five of them etc. before noon at 5 p.m. sharp.",
        "1. First do it",
        "a. Second do it",
        "“Why?” he asked, “why not?” she said.",
        "The file a.b.c has... nothing in it",
        "the line goes\non here, without\r\nan end",
        "全角１．５です",
    ],
)
def test_other_full_stops_end_nothing(text: str) -> None:
    assert split(text) == [text]


def test_only_the_stretch_asked_for_is_split() -> None:
    text = "One is here. Two is here. Three is here."
    assert [text[s.start : s.end] for s in sentences(text, Span(4, 20))] == ["is here.", "Two is"]
    assert sentences(text, Span(12, 13)) == []
    assert sentences("", Span(0, 0)) == []


TEXT = st.text(st.sampled_from("abAB1 .!?…。\n\r\t\"')]*<>[^é東"), max_size=60)


@given(TEXT, st.data())
def test_sentences_are_in_order_apart_trimmed_and_leave_out_nothing_but_blanks(text: str, data: st.DataObject) -> None:
    ends = data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))))
    span = Span(min(ends), max(ends))
    found = sentences(text, span)
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert all(span.contains(part) and len(part) for part in found)
    said = [text[part.start : part.end] for part in found]
    assert all(part == part.strip() for part in said)
    assert "".join("".join(said).split()) == "".join(text[span.start : span.end].split())


@given(TEXT)
def test_whether_a_place_ends_a_sentence_does_not_depend_on_where_the_search_began(text: str) -> None:
    whole = list(breaks(text, 0, len(text)))
    for index, (_, after) in enumerate(whole, 1):
        assert list(breaks(text, after, len(text))) == whole[index:]


@given(st.text(st.sampled_from("a \n\t"), max_size=12))
def test_trimming_takes_the_blanks_at_both_ends(text: str) -> None:
    span = trim(text, Span(0, len(text)))
    assert text[span.start : span.end] == text.strip()


@pytest.mark.parametrize("piece", [". ", "..", ". )", "\r\n", "\n \n", ".)", "。", "(. ", "<a. ", "! [", "A. ", ".<a"])
def test_hostile_repetition_costs_linear_time(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    begun = time.process_time()
    sentences(text, Span(0, len(text)))
    assert time.process_time() - begun < 20


@pytest.mark.parametrize(
    ("text", "cost"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("é", 1), ("東京", 2), ("😀", 2)]
)
def test_tokens_are_estimated_from_the_bytes(text: str, cost: int) -> None:
    assert tokens(text) == cost
