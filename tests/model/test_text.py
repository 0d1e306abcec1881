from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.model.text import Position, SourceText, Span

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


@given(BREAKS)
def test_a_position_comes_back_from_its_offset_when_it_is_in_the_text(text: str) -> None:
    source = SourceText(text)
    for line in range(1, len(source.line_starts) + 1):
        position = Position(line, 1)
        assert source.position(source.offset(position)) == position


@pytest.mark.parametrize("char", ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_what_only_python_takes_for_a_line_end_is_none(char: str) -> None:
    assert SourceText(f"a{char}b").line_starts == [0]


@pytest.mark.parametrize(
    ("text", "starts"),
    [("", [0]), ("a", [0]), ("a\nb", [0, 2]), ("a\r\nb", [0, 3]), ("a\rb", [0, 2]), ("\r\r\n\n", [0, 1, 3, 4])],
)
def test_lines_end_at_lf_crlf_and_a_lone_cr(text: str, starts: list[int]) -> None:
    assert SourceText(text).line_starts == starts


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
