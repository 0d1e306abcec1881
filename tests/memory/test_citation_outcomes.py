"""All that is said of a citation, whole, and where the bounds of what tells it apart lie."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lens_lsp.memory.citations import SHORTEST_CONTEXT, follow, lost, record, record_blind, verify
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import Document, Evidence, Locator, Origin, Structure, TextSource
from lens_lsp.model.text import Position, Span

LEASE = "The lease of the workshop ends on 30 June 2031."
NOTE = f"# Contract\n\n{LEASE}\n\n## Rent\n\nDue on the first day of each month.\n"
HASH, OTHER_HASH = "1" * 64, "2" * 64
# A quote too short to be recorded by itself, and what stood beside it: as much as is recorded at least, and no more.
LEFT, QUOTE, RIGHT = "beside the north ", " 420 ", " beside the south"
LEFT, RIGHT = LEFT[-SHORTEST_CONTEXT:], RIGHT[:SHORTEST_CONTEXT]
ELSE = "of something new"


def document(text: str, sha256: str = HASH, *, ours: tuple[Span, ...] = (), reader: str = "text/1") -> Document:
    return Document(0, "note.txt", text, reader, Origin(sha256, "utf-8"), Structure(ours=ours))


def cited(text: str, quote: str, **about: tuple[Span, ...]) -> Citation:
    at = text.index(quote)
    return record(document(text, **about), Span(at, at + len(quote)), root="notes")


def after(citation: Citation, text: str) -> Checked:
    """Of a file that changed."""
    return verify(citation, document(text, OTHER_HASH))


def test_a_record_is_all_that_was_known_of_the_quote() -> None:
    origin = Origin(HASH, "latin-1", source=TextSource.BUFFER)
    source = Document(0, "house/lease.md", NOTE, "markdown/1", origin, Structure())
    span = Span(NOTE.index(LEASE), NOTE.index(LEASE) + len(LEASE))
    place: Locator = {"page": 3}
    assert record(source, span, root="notes", match="folded", heading=("Contract",), locator=place) == Citation(
        root="notes",
        path="house/lease.md",
        source=TextSource.BUFFER,
        sha256=HASH,
        encoding="latin-1",
        reader="markdown/1",
        span=span,
        quote=LEASE,
        match="folded",
        left="",
        right="",
        heading=("Contract",),
        locator=place,
        count=1,
    )
    assert record(source, span, root="notes").match == "exact"


def test_evidence_whose_document_is_gone_is_recorded_without_what_stood_beside_it() -> None:
    place: Locator = {"page": 3}
    evidence = Evidence(
        n=2,
        root=1,
        path="house/lease.pdf",
        start=Position(1, 1),
        end=Position(1, 48),
        span=Span(12, 59),
        quote=LEASE,
        origin=Origin(HASH, "utf-8", source=TextSource.BUFFER),
        reader="pdf/1",
        locator=place,
        heading=("Contract",),
        score=1.0,
        match="folded",
    )
    citation = record_blind(evidence, root="notes")
    assert citation == Citation(
        root="notes",
        path="house/lease.pdf",
        source=TextSource.BUFFER,
        sha256=HASH,
        encoding="utf-8",
        reader="pdf/1",
        span=Span(12, 59),
        quote=LEASE,
        match="folded",
        left=None,
        right=None,
        heading=("Contract",),
        locator=place,
    )
    held = f"# Contract\n\n{LEASE}"
    assert verify(citation, document(held)).state is CitationState.VERIFIED
    assert after(citation, held).why == "the file changed, and the quote was never the only one of its kind in it"


def test_what_is_said_is_said_of_this_citation() -> None:
    citation = cited(NOTE, LEASE)
    now = document("New.\n" + NOTE, OTHER_HASH)
    moved = Span(citation.span.start + 5, citation.span.end + 5)
    assert verify(citation, document(NOTE)) == Checked(citation, CitationState.VERIFIED, citation.span, HASH)
    assert verify(citation, now) == Checked(
        citation, CitationState.MOVED, moved, OTHER_HASH, "the quote stands elsewhere in the file now"
    )
    assert after(citation, "Nothing.") == Checked(
        citation, CitationState.WITHDRAWN, why="the quote is no longer in the file"
    )
    assert verify(citation, document(NOTE, reader="text/2"), extracted=True) == Checked(
        citation, CitationState.UNVERIFIABLE, why="the reader that extracted the text has another version now"
    )


@pytest.mark.parametrize("quote", ["", "lease", LEASE + " "])
def test_a_quote_that_does_not_fit_its_span_was_changed(quote: str) -> None:
    altered = replace(cited(NOTE, LEASE), quote=quote)
    why = "its quote and its span do not fit: the citation was changed"
    assert verify(altered, document(NOTE)) == Checked(altered, CitationState.WITHDRAWN, why=why)


def test_what_is_said_of_a_file_that_is_gone() -> None:
    citation = cited(NOTE, LEASE)
    assert lost(citation) == Checked(citation, CitationState.WITHDRAWN, why="the file is gone", gone=True)
    renamed = replace(document(NOTE, reader="text/2"), path="lease.txt")
    assert follow(citation, renamed) == Checked(
        citation, CitationState.MOVED, citation.span, HASH, "the file has another name now", "lease.txt", gone=True
    )
    assert follow(citation, renamed, extracted=True) == Checked(
        citation,
        CitationState.UNVERIFIABLE,
        why="the reader that extracted the text has another version now",
        gone=True,
    )


def test_what_stood_on_one_side_keeps_a_quote_where_it_was_though_more_of_its_kind_came() -> None:
    citation = cited(LEFT + QUOTE + RIGHT, QUOTE)
    assert (citation.left, citation.right, citation.count) == (LEFT, RIGHT, 1)
    for text in (LEFT + QUOTE + ELSE + QUOTE, ELSE + QUOTE + RIGHT + QUOTE):
        assert after(citation, text) == Checked(citation, CitationState.VERIFIED, citation.span, OTHER_HASH)


def test_what_stands_at_either_end_of_a_text_is_not_beside_a_quote() -> None:
    citation = cited(LEFT + QUOTE + RIGHT, QUOTE)
    for text in (ELSE + QUOTE + ELSE + LEFT, RIGHT + QUOTE + ELSE):
        assert text.startswith(QUOTE, citation.span.start)
        assert after(citation, text) == Checked(
            citation,
            CitationState.WITHDRAWN,
            why="what stood beside the quote changed, and by itself it may be another one",
        )


def test_a_quote_with_both_its_sides_is_the_one_though_more_of_its_kind_came() -> None:
    citation = cited("Old. " + LEFT + QUOTE + RIGHT, QUOTE)
    checked = after(citation, LEFT + QUOTE + RIGHT + QUOTE)
    assert (checked.state, checked.span) == (CitationState.MOVED, Span(len(LEFT), len(LEFT) + len(QUOTE)))


def test_a_quote_that_came_twice_with_what_stood_beside_it_is_neither() -> None:
    citation = cited(LEFT + QUOTE + RIGHT, QUOTE)
    checked = after(citation, f"New. {LEFT}{QUOTE}{RIGHT} {LEFT}{QUOTE}{RIGHT}")
    assert checked.why == "the quote and what stood beside it are in the file more than once now"


@pytest.mark.parametrize("side", [{"left": None}, {"right": None}])
def test_one_side_alone_can_have_changed(side: dict[str, Any]) -> None:
    citation = replace(cited(LEFT + QUOTE + RIGHT, QUOTE), **side)
    checked = after(citation, ELSE + QUOTE + ELSE)
    assert checked.why == "what stood beside the quote changed, and by itself it may be another one"


def test_a_citation_says_that_its_quote_is_the_only_one_with_both_sides_or_not_at_all() -> None:
    """Only one that was changed by hand has one side empty."""
    for sides in ({"left": "", "right": None}, {"left": None, "right": ""}, {"left": LEFT, "right": ""}):
        altered = replace(cited(LEFT + QUOTE + RIGHT, QUOTE), **sides)
        assert after(altered, ELSE + QUOTE + ELSE).state is CitationState.WITHDRAWN
        assert after(altered, "New. " + ELSE + QUOTE + ELSE).state is CitationState.WITHDRAWN


def test_from_sixteen_characters_on_a_quote_can_be_known_by_itself() -> None:
    for length, by_itself in ((SHORTEST_CONTEXT - 1, False), (SHORTEST_CONTEXT, True)):
        citation = cited(NOTE, LEASE[:length])
        assert (citation.left == "", citation.right == "") == (by_itself, by_itself)


def test_a_quote_that_overlaps_another_of_its_kind_is_not_the_only_one() -> None:
    text = "a" * (SHORTEST_CONTEXT + 1)
    citation = record(document(text), Span(0, SHORTEST_CONTEXT), root="")
    assert (citation.left, citation.right) == (None, None)


def test_what_stands_beside_a_quote_is_recorded_where_there_is_just_enough_of_it() -> None:
    citation = cited(LEFT + QUOTE + RIGHT, QUOTE)
    assert (citation.left, citation.right) == (LEFT, RIGHT)
    less = cited(LEFT[1:] + QUOTE + RIGHT[:-1], QUOTE)
    assert (less.left, less.right) == (None, None)


def test_what_is_ours_is_not_recorded_as_what_stood_beside_a_quote() -> None:
    block = "<!-- lens:begin q1 -->\n420\n<!-- lens:end q1 -->\n"
    above = "Many words stand before it.\n" * 40
    for between in ("", LEFT[1:], LEFT):
        text = f"{above}{block}{between}{QUOTE}{between[::-1]}{block}"
        first = len(above)
        ours = (Span(first, first + len(block)), Span(len(text) - len(block), len(text)))
        citation = cited(text, QUOTE, ours=ours)
        enough = between == LEFT
        assert (citation.left, citation.right) == ((LEFT, LEFT[::-1]) if enough else (None, None))


def test_several_blocks_of_ours_keep_their_places() -> None:
    block = f"<!-- lens:begin q1 -->\n{LEASE}\n<!-- lens:end q1 -->\n"
    for before in ("", "X", "Words before it.\n"):
        text = f"{before}{block}Between.\n{block}{NOTE}"
        first = len(before)
        second = text.index(block, first + 1)
        ours = (Span(first, first + len(block)), Span(second, second + len(block)))
        at = text.rindex(LEASE)
        checked = verify(cited(NOTE, LEASE), document(text, OTHER_HASH, ours=ours))
        assert (checked.state, checked.span) == (CitationState.MOVED, Span(at, at + len(LEASE)))


def test_a_quote_is_found_again_among_other_line_ends_from_the_first_character_on() -> None:
    for before in ("\n", "\nNew.\n", "New.\n\n"):
        text = (before + NOTE).replace("\n", "\r\n")
        checked = after(cited(NOTE, LEASE), text)
        assert checked.span == Span(text.index(LEASE), text.index(LEASE) + len(LEASE))


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_what_stood_beside_a_quote_may_have_other_line_ends(line_end: str) -> None:
    text = "One line is before it.\n420 euro\nAnother is behind it.\n"
    citation = cited(text, "420 euro")
    now = ("New.\n" + text + "It was 420 euro.\n").replace("\n", line_end)
    at = now.index("420 euro")
    checked = after(citation, now)
    assert (checked.state, checked.span) == (CitationState.MOVED, Span(at, at + len("420 euro")))


def test_a_quote_that_begins_with_a_line_end_is_found_again_with_it() -> None:
    text = NOTE.replace("\n", "\r\n")
    quote = "\r\n## Rent\r\n\r\nDue on the first day"
    now = "New.\r\n" + text
    checked = after(cited(text, quote), now)
    assert (checked.state, checked.span) == (CitationState.MOVED, Span(now.index(quote), now.index(quote) + len(quote)))
