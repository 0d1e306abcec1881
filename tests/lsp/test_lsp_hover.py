"""What a hover says of a citation, and that it is text whatever stands in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lens_lsp.lsp.document_snapshot import surroundings
from lens_lsp.lsp.navigation import CitationUse, as_markup, describe_citation, describe_uses, escaped
from lens_lsp.memory.check import Cited, Finding
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import TextSource
from lens_lsp.model.text import Position, Span
from tests.soak.hostile_markdown import acting

PLACE = Position(3, 4)
CITATION = Citation("/", "a.md", TextSource.DISK, "0" * 64, "utf-8", "md/1", Span(9, 12), "yes")


@pytest.mark.parametrize(
    ("formats", "kind"),
    [
        ([], "plaintext"),
        (["plaintext"], "plaintext"),
        (["markdown", "plaintext"], "plaintext"),
        (["markdown"], "markdown"),
    ],
)
def test_plain_text_is_shown_wherever_the_client_takes_it(formats: list[str], kind: str) -> None:
    shown = as_markup("a *b*", formats)
    assert (shown.kind.value, shown.value) == (kind, "a *b*" if kind == "plaintext" else r"a \*b\*")


def test_every_mark_is_escaped_and_lines_stay() -> None:
    marks = "".join(map(chr, [*range(33, 48), *range(58, 65), *range(91, 97), *range(123, 127)]))
    assert escaped(f" {marks} \nb") == "".join(f"\\{mark}" for mark in marks) + "  \nb"
    assert acting(escaped("![x](y) <img src=x> [z]: http://e.example\n\n[z]")) == set()


def told(
    quote: str = "yes", heading: tuple[str, ...] = (), at: Position | None = PLACE, **checked: object
) -> list[str]:
    """The lines of a hover on a citation of ``a.md``."""
    citation = Citation("/", "a.md", TextSource.DISK, "0" * 64, "utf-8", "md/1", Span(9, 12), quote, heading=heading)
    finding = Checked(citation, CitationState.VERIFIED, Span(9, 12), "0" * 64)
    return describe_citation(Finding(Cited("x.md", 1, "1", "/", citation), replace(finding, **checked), at)).split("\n")


def test_quote_place_headings_and_state_stand_on_lines_of_their_own() -> None:
    assert told() == ["“yes”", "a.md:3:4", "✓ still says so"]
    assert told(heading=("A\tb", "C"))[1] == "a.md:3:4  A b › C"
    moved = told(state=CitationState.MOVED, why="it stands\u202e below", path="b\n.md", at=None)
    assert moved[1:] == [r"b\n.md", "↷ moved: it stands\u202e below"]
    assert told("\n\x1b[31myes\n")[0] == "“yes”"


@pytest.mark.parametrize(("length", "shown"), [(2_000, "y" * 2_000), (2_001, "y" * 1_999 + "…")])
def test_a_long_quote_is_cut_to_the_character(length: int, shown: str) -> None:
    assert told("y" * length)[0] == f"“{shown}”"


def uses(count: int) -> list[CitationUse]:
    return [CitationUse(Span(0, 1), "/x.md", 1, str(n), f"Why\n{n}?") for n in range(1, count + 1)]


def test_ten_uses_are_named_and_more_are_hinted_at() -> None:
    assert describe_uses(uses(1)) == "cited by 1 answer\n[1] Why 1?"
    assert describe_uses(uses(2)) == "cited by 2 answers\n[1] Why 1?\n[2] Why 2?"
    assert describe_uses(uses(10)).count("\n") == 10
    eleven = describe_uses(uses(11)).split("\n")
    assert (eleven[0], eleven[-2], eleven[-1]) == ("cited by 11 answers", "[10] Why 10?", "…")


def around(before: str, quote: str, after: str) -> tuple[str, str]:
    return surroundings(before + quote + after, Span(len(before), len(before + quote)))


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("We met. ", " In cash.", ("We met.", "In cash.")),
        ("# Rent\n\nWe met\nin May. ", "\r\n\r\nNext.", ("We met in May.", "")),
        ("Above.\n \t\n", " It\nis\n\nnot.", ("", "It is")),
        ("", "", ("", "")),
    ],
)
def test_beside_a_quote_stands_the_rest_of_its_paragraph(before: str, after: str, shown: tuple[str, str]) -> None:
    assert around(before, "The rent is due.", after) == shown


def test_what_stands_beside_a_quote_is_kept_short() -> None:
    before, after = around("first " * 100, "Here.", " last" * 100)
    assert before.startswith("…first first")
    assert after.endswith("last last…")
    assert max(len(before), len(after)) <= 201


def test_a_hover_shows_the_quote_between_what_stands_beside_it() -> None:
    finding = Finding(
        Cited("x.md", 1, "1", "/", CITATION), Checked(CITATION, CitationState.VERIFIED, Span(9, 12)), PLACE
    )
    assert describe_citation(finding, ("Say\u202e it:", "or no")).split("\n")[0] == "Say it: “yes” or no"
    assert describe_citation(finding).split("\n")[0] == "“yes”"
    markdown = as_markup(describe_citation(finding, ("![x](y)", "<b>")), ["markdown"]).value
    assert acting(markdown) == set()
