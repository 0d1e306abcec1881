"""What a request shows: whole documents and paragraphs where they fit, and newcomers before anything else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.formats.markdown import MarkdownReader
from lens_lsp.corpus.formats.text_reader import PlainReader
from lens_lsp.model.answer import Arm
from lens_lsp.model.documents import Document, Origin
from lens_lsp.model.observation import tokens
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import CELL, Admission, Space
from lens_lsp.search.boundaries import REGION_TOKENS
from lens_lsp.search.passages import Passage
from lens_lsp.search.proposals import Request, best, certain, fill, newcomers, openings

SENTENCE = "The kettle of the house is made of copper and of iron. "


def admit(space: Space, text: str) -> Admission:
    document = Document(0, f"{space.cells}", text, "plain/1", Origin("", "utf-8"), PlainReader().structure(text))
    return space.admit(len(space.admitted), document)


def drawn(text: str, at: int) -> list[Span]:
    """The regions of a request that draws the cell at an offset and no other."""
    space = Space()
    admission = admit(space, text)
    request = Request(8_000)
    cell = admission.first + at // CELL
    fill(request, space, [(Arm.LEXICAL, cell)], np.ones(space.cells))
    return [proposal.span for proposal in request.proposals]


def test_a_document_that_fits_one_region_is_shown_whole() -> None:
    text = "Title\n\n" + SENTENCE * 8 + "\n\n" + SENTENCE * 8 + "\n"
    assert drawn(text, 600) == [Span(0, len(text))]


def test_a_paragraph_that_fits_one_region_is_not_cut() -> None:
    paragraphs = [SENTENCE * 12 for _ in range(6)]
    text = "\n\n".join(paragraphs)
    middle = text.index(paragraphs[2], 2 * len(paragraphs[0])) + 20
    start = 2 * (len(paragraphs[0]) + 2)
    (span,) = drawn(text, middle)
    assert span.start <= start
    assert start + len(paragraphs[2].rstrip()) <= span.end


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12), st.data())
def test_no_region_is_larger_than_a_region_may_be(lengths: list[int], data: st.DataObject) -> None:
    text = "\n\n".join(SENTENCE * length for length in lengths)
    at = data.draw(st.integers(0, len(text) - 1))
    (span,) = drawn(text, at)
    assert tokens(text[span.start : span.end]) <= REGION_TOKENS
    assert span.start <= at + CELL
    assert at - CELL <= span.end


def test_the_likeliest_place_of_the_likeliest_newcomer_is_shown_first() -> None:
    space = Space()
    for _ in range(3):
        admit(space, SENTENCE * 100)
    request = Request(8_000)
    openings(request, space)
    two = [admit(space, SENTENCE * 100) for _ in range(2)]
    likely = np.zeros(space.cells)
    likely[two[0].first + 70], likely[two[1].first + 40] = 0.1, 0.3
    later = Request(8_000)
    newcomers(later, space, likely)
    assert [proposal.admission for proposal in later.proposals] == [two[1], two[0]]
    for place, proposal in zip((40, 70), later.proposals, strict=True):
        cell = proposal.admission.first + place
        assert proposal.cells.start <= cell < proposal.cells.end


def test_newcomers_stop_where_the_request_is_full() -> None:
    space = Space()
    for _ in range(9):
        admit(space, SENTENCE * 100)
    request = Request(1_000)
    newcomers(request, space, np.ones(space.cells))
    assert 0 < len(request.proposals) < 9
    assert sum(proposal.tokens for proposal in request.proposals) <= 1_000


@pytest.mark.parametrize("first", [True, False])
def test_the_likeliest_place_of_each_requirement_comes_before_all_else(first: bool) -> None:
    space = Space()
    for _ in range(9):
        admit(space, "\n\n".join([SENTENCE * 10] * 8))
    outstanding = np.full((2, space.cells), 0.001)
    likely = [space.admitted[8].first + 40, space.admitted[3].first + 60]
    outstanding[[0, 1], likely] = 0.002
    request = Request(1_200)
    certain(request, space, outstanding, first=first)
    shown = [range(proposal.cells.start, proposal.cells.end) for proposal in request.proposals]
    assert len(shown) > 2
    assert all(cell in cells for cell, cells in zip(likely, shown[:2], strict=True))


LIST = "The kettle needs:\n\n- copper for the body\n- iron for the handle\n- tin for the inside\n"
ROWS = "| part | metal |\n| --- | --- |\n| body | copper |\n| handle | iron |\n| inside | tin |\n"


@pytest.mark.parametrize(
    ("series", "match"),
    [(LIST, "copper for the body"), (LIST, "The kettle needs:"), (LIST, "iron"), (ROWS, "| body | copper |")],
)
def test_a_list_or_table_is_read_whole(series: str, match: str) -> None:
    text = f"# Kettles\n\n{SENTENCE * 30}\n\n{series}\n{SENTENCE * 30}\n"
    space = Space()
    document = Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), MarkdownReader().structure(text))
    space.admit(0, document)
    at = text.index(match, text.index(series))
    request = Request(3_000)
    best(request, space, [Passage(0, Span(at, at + len(match)), 1.0)], 500)
    assert series.strip() in request.proposals[0].view.text
    assert SENTENCE * 2 not in request.proposals[0].view.text


def test_a_list_longer_than_a_region_is_read_where_the_passage_is() -> None:
    items = "".join(f"- part {n} of the kettle is of metal number {n}\n" for n in range(200))
    text = f"# Kettles\n\n{items}\n"
    space = Space()
    document = Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), MarkdownReader().structure(text))
    space.admit(0, document)
    at = text.index("- part 100 ")
    request = Request(3_000)
    best(request, space, [Passage(0, Span(at, at + 60), 1.0)], 500)
    assert "part 100 " in request.proposals[0].view.text
    assert request.proposals[0].tokens <= REGION_TOKENS
