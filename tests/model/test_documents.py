"""Places and passages as people are shown them: the whole quote, few lines of context, no gap without a sign."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.model.documents import (
    LONGEST_LINE,
    Context,
    ContextRole,
    Evidence,
    Locator,
    has_own_places,
    link_fragment,
    locator_text,
    passage_parts,
    place_text,
)
from lens_lsp.model.text import Span
from tests.hand_made import evidence


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
    assert place_text(path, locator) == shown


def test_a_sheet_cannot_steer_what_shows_it() -> None:
    assert locator_text({"sheet": "a\x1b[31m\nb\u202e", "cell": "A1"}) == "a b!A1"


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


SOURCE = (
    "Fees are:\n\n"
    "| Room | Rent |\n|---|---|\n| Hall | 10 |\n| Attic | 20 |\n\n"
    "Paid monthly.\nIn cash.\nNever late.\nNo cheques.\n"
)


def part(role: ContextRole, text: str, cut: tuple[str, ...] = ()) -> Context:
    start = SOURCE.index(text)
    return Context(role, Span(start, start + len(text)), text, cut)


def passage(quote: str, *context: Context, cut: tuple[str, ...] = ()) -> Evidence:
    start = SOURCE.index(quote)
    span = Span(start, start + len(quote))
    return replace(evidence(), quote=quote, span=span, context=context, cut=cut)


def told(item: Evidence) -> list[str]:
    """The lines, those of context behind a bar, and an ellipsis for each gap."""
    lines: list[str] = []
    for each in passage_parts(item):
        lines += ["…"] if each.gap else []
        lines += [line if each.is_quote else f"|{line}" for line in each.lines]
    return lines


def test_a_quote_without_context_is_shown_as_it_is() -> None:
    assert told(passage("In cash.\nNever late.")) == ["In cash.", "Never late."]


def test_parts_stand_in_the_order_of_the_source_with_an_ellipsis_where_text_is_left_out() -> None:
    lead = part(ContextRole.LEAD_IN, "Fees are:")
    header = part(ContextRole.HEADER, "| Room | Rent |")
    assert told(passage("| Attic | 20 |", lead, header)) == [
        "|Fees are:",
        "|| Room | Rent |",
        "…",
        "| Attic | 20 |",
    ]
    assert told(passage("Paid monthly.", part(ContextRole.AFTER, "In cash."))) == ["Paid monthly.", "|In cash."]


def test_three_lines_of_context_are_those_next_to_the_quote() -> None:
    before = part(ContextRole.BEFORE, "Paid monthly.\nIn cash.\n")
    after = part(ContextRole.AFTER, "No cheques.")
    assert told(passage("Never late.", before, after)) == [
        "|Paid monthly.",
        "|In cash.",
        "Never late.",
        "|No cheques.",
    ]
    four = part(ContextRole.BEFORE, "Paid monthly.\nIn cash.\nNever late.\n")
    assert told(passage("No cheques.", four, part(ContextRole.LEAD_IN, "Fees are:"))) == [
        "|Fees are:",
        "|…In cash.",
        "|Never late.",
        "No cheques.",
    ]


def test_every_role_is_told_before_a_second_line_of_one() -> None:
    before = part(ContextRole.BEFORE, "| Hall | 10 |\n| Attic | 20 |")
    item = passage(
        "Paid monthly.",
        part(ContextRole.LEAD_IN, "Fees are:"),
        part(ContextRole.HEADER, "| Room | Rent |"),
        before,
    )
    assert told(item) == ["|Fees are:", "|| Room | Rent |", "|…| Attic | 20 |", "Paid monthly."]


def test_what_was_cut_ends_with_an_ellipsis_and_no_second_one() -> None:
    after = part(ContextRole.AFTER, "In cash.", ("end",))
    assert told(passage("monthly", after, cut=("start", "end"))) == ["…monthly…", "|In cash.…"]


def test_a_long_line_is_cut_at_a_word_on_the_side_away_from_the_quote() -> None:
    long = "word " * 100 + "last"
    item = replace(evidence(), span=Span(600, 604), quote="Here", context=())
    before = replace(item, context=(Context(ContextRole.BEFORE, Span(0, len(long)), long),))
    after = replace(item, context=(Context(ContextRole.AFTER, Span(700, 700 + len(long)), long),))
    first, last = told(before)[0], told(after)[-1]
    assert first.startswith("|…word ")
    assert first.endswith("word last")
    assert last.startswith("|word word")
    assert last.endswith(" word…")
    assert max(len(first), len(last)) <= LONGEST_LINE + 2


@given(st.lists(st.tuples(st.sampled_from(list(ContextRole)), st.text(max_size=40)), max_size=5), st.integers(0, 4))
def test_no_more_lines_of_context_than_were_asked_for(parts: list[tuple[ContextRole, str]], most: int) -> None:
    context = tuple(Context(role, Span(1_000 * n, 1_000 * n + len(text)), text) for n, (role, text) in enumerate(parts))
    item = replace(evidence(), span=Span(9_000, 9_001), quote="x", context=context)
    shown = passage_parts(item, most)
    lines = [line for each in shown if not each.is_quote for line in each.lines]
    assert len(lines) <= most
    assert [each.lines for each in shown if each.is_quote] == [("x",)]
    assert all(lines)
