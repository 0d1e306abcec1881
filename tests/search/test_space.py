"""The candidate space: cells that keep their numbers, and regions that never show a thing twice."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.model.documents import Document, Origin, Structure
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import CELL, Admission, Space


def admitted(length: int, before: int = 0) -> Admission:
    space = Space()
    for n in range(before):
        space.admit(n, Document(0, f"{n}.md", "y" * 130, "text/1", Origin("", "utf-8"), Structure()))
    return space.admit(99, Document(0, "a.md", "x" * length, "text/1", Origin("", "utf-8"), Structure()))


def test_cells_are_numbered_through_the_documents_in_order_of_admission() -> None:
    one = admitted(130, before=2)
    assert (one.first, one.cells) == (6, 3)


@given(st.integers(1, 2000), st.lists(st.integers(0, 2000), max_size=8))
def test_regions_that_part_a_document_part_its_cells(length: int, cuts: list[int]) -> None:
    one = admitted(length, before=1)
    bounds = sorted({0, length, *(cut for cut in cuts if cut < length)})
    spans = [Span(a, b) for a, b in pairwise(bounds) if b - a >= CELL]
    cells = [set(range(shown.start, shown.end)) for shown in map(one.cells_of, spans)]
    assert sum(map(len, cells)) == len(set().union(*cells)), "no cell is shown by two regions"
    assert all(one.first <= cell < one.first + one.cells for shown in cells for cell in shown)


@given(st.integers(1, 2000), st.data())
def test_a_quote_touches_cells_of_its_region_only(length: int, data: st.DataObject) -> None:
    one = admitted(length)
    start = data.draw(st.integers(0, length - 1))
    region = Span(start, data.draw(st.integers(start + 1, length)))
    at = data.draw(st.integers(region.start, region.end - 1))
    quote = Span(at, data.draw(st.integers(at + 1, region.end)))
    shown = one.cells_of(region)
    touched = one.touched(quote, shown)
    assert len(touched) > 0
    assert shown.contains(touched)


@given(st.integers(1, 3000), st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 600)), max_size=12))
def test_what_is_shown_was_never_shown_before(length: int, wanted: list[tuple[int, int]]) -> None:
    one = admitted(length)
    for start, size in wanted:
        around = Span(min(start, length - 1), min(min(start, length - 1) + size, length))
        unread = one.unread(around)
        covered = {at for span in one.read for at in range(span.start, span.end)}
        left = set(range(around.start, around.end)) - covered
        assert (unread is None) == (not left)
        if unread is not None:
            assert not covered & set(range(unread.start, unread.end))
            one.mark(unread)


def test_a_window_lies_around_the_middle_of_its_cell_and_inside_the_document() -> None:
    one = admitted(1000)
    assert one.window(10, 500) == Span(275, 775)
    assert one.window(0, 500) == Span(0, 500)
    assert one.window(19, 500) == Span(500, 1000)
