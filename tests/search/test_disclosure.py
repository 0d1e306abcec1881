"""What leaves when a region is shown: its text, and everything of the document that stands in its context."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.privacy_markers import privacy_of
from lens_lsp.model.answer import Arm
from lens_lsp.model.documents import Document, Origin
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import Space
from lens_lsp.search.boundaries import shown
from lens_lsp.search.proposals import Request, disclosed

TEXT = (
    "# Bridges\n\nNothing here.\n\n## Arlen\n\nIt is long.\n\n| name | length |\n|------|-------:|\n| Arlen | 210 m |\n"
)


def document(text: str, name: str = "a.md") -> Document:
    reader = reader_for(name)
    assert reader is not None
    structure = replace(reader.structure(text), privacy=privacy_of(reader.name, text))
    return Document(0, name, text, f"{reader.name}/1", Origin("", "utf-8"), structure)


def left(text: str, words: str, title: str, name: str = "a.md", before: int = 0) -> list[str]:
    made = document(text, name)
    start = text.index(words)
    spans = disclosed(made, title, shown(made, Span(start, start + len(words))), before)
    return [text[span.start - before : span.end - before] for span in spans]


def test_headings_and_title_leave_with_a_region() -> None:
    parts = left(TEXT, "It is long.", "Bridges")
    assert [part.strip("# \n") for part in parts] == ["Bridges", "Arlen", "It is long."]


def test_a_row_takes_its_header_along() -> None:
    assert any("length" in part for part in left(TEXT, "| Arlen | 210 m |", "Bridges"))


def test_a_title_that_is_a_file_name_stands_nowhere() -> None:
    assert left("It is long. It is old.\n", "It is long.", "a.md") == ["It is long."]


def listed(text: str, title: str) -> bool:
    """Whether all words of a title lie in what is listed."""
    parts = left(text, "It is long.", title)
    return all(any(word in part for part in parts) for word in re.findall(r"\w+", title))


@pytest.mark.parametrize("written", ['"The \\"old\\" bridge"', ">-\n  The\n  'old' bridge"])
def test_a_title_that_is_written_otherwise_is_listed(written: str) -> None:
    text = f"---\ntitle: {written}\n---\n# One\n\nIt is long.\n"
    title = document(text).structure.head.title
    assert title is not None
    assert "old" in title
    assert listed(text, title)


def test_a_title_that_is_a_heading_with_markup_is_listed() -> None:
    text = "# The **old** [bridge](b.md)\n\nNothing.\n\n# Two\n\nIt is long.\n"
    title = document(text).structure.headings[0].text
    assert title not in text
    assert listed(text, title)


def test_spans_are_apart_and_count_from_the_beginning_of_the_file() -> None:
    made = document(TEXT)
    spans = disclosed(made, "Bridges", shown(made, Span(0, len(TEXT))), before=1_000)
    assert spans == (Span(1_000, 1_000 + len(TEXT)),)


def test_a_region_says_whether_its_document_is_private() -> None:
    space = Space()
    for slot, mark in enumerate(("private", "other")):
        admission = space.admit(slot, document(f"---\nlens: {mark}\n---\n\nIt is long.\n", f"{slot}.md"))
        request = Request(1_000)
        proposal = request.add(admission, Span(24, 30), Arm.GLOBAL)
        assert proposal is not None
        region = proposal.region(7)
        assert region.private is (mark == "private")
        assert region.sources[-1].start >= 7
