"""Places between us and a client, to the unit, beside the properties of ``test_lsp_documents.py``."""

from __future__ import annotations

import pytest
from lsprotocol import types

from lens_lsp.lsp.locations import Encoding, Ranges, code_points, encoding_of, units
from lens_lsp.model.text import Span

LINE = "\x7f\x80\u07ff\u0800\uffff\U00010000z"
"""Characters at both sides of every change of width."""
WIDTHS = {Encoding.Utf8: (1, 2, 2, 3, 3, 4, 1), Encoding.Utf16: (1, 1, 1, 1, 1, 2, 1), Encoding.Utf32: (1,) * 7}


@pytest.mark.parametrize("encoding", list(Encoding))
def test_every_unit_of_a_line_lies_in_its_character(encoding: Encoding) -> None:
    at = 0
    for count, width in enumerate(WIDTHS[encoding]):
        assert units(LINE[:count], encoding) == at
        assert [code_points(LINE, at + unit, encoding) for unit in range(width)] == [count] * width
        at += width
    assert units(LINE, encoding) == at
    assert [code_points(LINE, beyond, encoding) for beyond in (at, at + 1, 27, 28, 29)] == [7] * 5


def test_below_the_largest_width_of_all_a_line_is_still_counted() -> None:
    assert code_points("\U00010000" * 3, 11, Encoding.Utf8) == 2
    assert code_points("\U00010000" * 3, 12, Encoding.Utf8) == 3


def test_half_a_pair_has_a_width_too() -> None:
    assert (units("\ud800x", Encoding.Utf8), units("\ud800x", Encoding.Utf16)) == (4, 2)
    assert code_points("\ud800x", 3, Encoding.Utf8) == 1


def test_an_encoding_that_is_none_is_the_default_of_the_protocol() -> None:
    assert [encoding_of(name) for name in ("utf-8", "utf-16", "utf-32")] == list(WIDTHS)
    assert encoding_of("latin-1") is Encoding.Utf16


def test_ranges_go_both_ways_over_lines_and_may_be_reversed() -> None:
    text = "é😀\r\nsecond\n\nlast"
    ranges = Ranges(text, Encoding.Utf16)
    found = ranges.range(Span(1, 8))
    assert found == types.Range(types.Position(0, 1), types.Position(1, 4))
    assert ranges.span(found.end, found.start) == ranges.span(found.start, found.end) == Span(1, 8)


def test_a_place_beyond_a_line_is_before_its_end_and_one_beyond_the_text_its_end() -> None:
    ranges = Ranges("é😀\r\nsecond\n\nlast", Encoding.Utf16)
    places = [(0, 99), (1, 99), (2, 5), (3, 0), (3, 4), (3, 5), (4, 0), (99, 1)]
    assert [ranges.offset(types.Position(*place)) for place in places] == [2, 10, 11, 12, 16, 16, 16, 16]
