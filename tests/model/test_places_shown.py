from __future__ import annotations

import pytest

from lens_lsp.model.documents import Locator
from lens_lsp.model.places_shown import has_own_places, link_fragment, shown_locator, shown_place


@pytest.mark.parametrize(
    ("path", "locator", "shown"),
    [
        ("report.pdf", {"page": 12}, "report.pdf p. 12"),
        ("scan.pdf", {"page": 3, "by": "ocr"}, "scan.pdf p. 3 (OCR)"),
        ("budget.xlsx", {"sheet": "Sheet1", "cell": "B7"}, "budget.xlsx Sheet1!B7"),
        ("budget.xlsx", {"sheet": "Summary"}, "budget.xlsx Summary"),
        ("deck.pptx", {"slide": 4}, "deck.pptx slide 4"),
        ("mail.eml", {"message": 1, "date": "2024-03-01"}, "mail.eml 2024-03-01"),
        ("box.mbox", {"message": 2}, "box.mbox message 2"),
        ("book.epub", {"chapter": 3}, "book.epub chapter 3"),
        ("data.csv", {"row": 3}, "data.csv row 3"),
        ("lab.ipynb", {"cell": 2, "line": 5}, "lab.ipynb cell 2, line 5"),
        ("note.md", None, "note.md"),
    ],
)
def test_a_place_is_said_as_people_say_it(path: str, locator: Locator | None, shown: str) -> None:
    assert shown_place(path, locator) == shown


def test_a_sheet_cannot_steer_what_shows_it() -> None:
    assert shown_locator({"sheet": "a\x1b[31m\nb\u202e", "cell": "A1"}) == "a b!A1"


@pytest.mark.parametrize(
    ("locator", "own"), [({"page": 1}, True), ({"slide": 2}, True), ({"row": 3}, False), (None, False)]
)
def test_a_document_is_opened_at_its_own_places_and_a_text_at_its_lines(locator: Locator | None, own: bool) -> None:
    assert has_own_places(locator) is own


def test_a_link_leads_to_the_page_of_a_pdf_and_else_to_the_line() -> None:
    assert link_fragment({"page": 12}, 340) == "page=12"
    assert link_fragment({"slide": 2}, 7) == "L7"
    assert link_fragment(None, 7) == "L7"


def test_a_page_that_is_no_number_never_gets_into_a_link() -> None:
    assert link_fragment({"page": "1) [x](y"}, 7) == "L7"
