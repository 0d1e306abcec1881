"""The page, slide or row that a passage is said to stand at."""

from __future__ import annotations

from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.model.documents import Block, BlockKind, Document, Locator, LocatorMap, Origin, Structure
from lens_lsp.model.text import Span
from lens_lsp.search.passages import Mark, standing

OTHERWISE = 10**6


def document(*places: tuple[int, Locator], header: Span | None = None) -> Document:
    rows = (Block(BlockKind.TABLE_ROW, Span(0, 5), header),) if header else ()
    locators = LocatorMap(tuple(start for start, _ in places), tuple(locator for _, locator in places))
    return Document(0, "a.pdf", "x" * 100, "pdf/1", Origin("", "binary"), Structure(blocks=rows), locators)


def place(made: Document, *marks: tuple[int, int, float]) -> Locator | None:
    found = standing(made, [Mark(*mark) for mark in marks], OTHERWISE)
    return None if found == OTHERWISE else locate(made.locators, found)


PAGES = document((0, {"page": 1}), (50, {"page": 2}))
SHEET = document(
    (0, {"sheet": "A", "cell": "A1"}),
    (10, {"sheet": "A", "cell": "B1"}),
    (20, {"sheet": "A", "cell": "A2"}),
    (30, {"sheet": "A", "cell": "B2"}),
    (40, {"sheet": "A", "cell": "A3"}),
    (50, {"sheet": "A", "cell": "B3"}),
    header=Span(0, 19),
)


def test_the_page_with_most_of_what_was_looked_for_is_named() -> None:
    assert place(PAGES, (5, 0, 1.0), (60, 1, 1.0), (70, 2, 1.0)) == {"page": 2}
    assert place(PAGES, (5, 0, 3.0), (60, 1, 1.0), (70, 2, 1.0)) == {"page": 1}


def test_a_word_said_often_counts_once_and_of_equal_pages_the_first_is_named() -> None:
    assert place(PAGES, (5, 0, 1.0), (60, 1, 0.6), (70, 1, 0.6), (80, 1, 0.6)) == {"page": 1}
    assert place(PAGES, (5, 0, 1.0), (60, 1, 1.0)) == {"page": 1}


def test_the_offset_is_that_of_a_hit() -> None:
    assert standing(PAGES, [Mark(5, 0, 1.0), Mark(60, 1, 2.0), Mark(70, 2, 1.0)], OTHERWISE) == 60


def test_the_row_that_answers_is_named_by_the_cell_that_says_most_and_never_the_header() -> None:
    assert place(SHEET, (2, 0, 9.0), (12, 1, 9.0), (22, 0, 1.0), (42, 0, 1.0), (52, 1, 2.0)) == {
        "sheet": "A",
        "cell": "B3",
    }


def test_words_of_one_row_count_together() -> None:
    assert place(SHEET, (22, 0, 1.5), (42, 1, 1.0), (52, 2, 1.0)) == {"sheet": "A", "cell": "A3"}


def test_without_pages_or_hits_lines_say_it_all() -> None:
    assert place(document((0, {"row": 1}), (50, {"row": 2})), (60, 0, 1.0)) is None
    assert place(document(), (60, 0, 1.0)) is None
    assert place(PAGES) is None
    assert place(SHEET, (2, 0, 1.0)) is None
