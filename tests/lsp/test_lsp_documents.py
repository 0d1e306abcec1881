"""Open texts follow the editor, whatever it writes and wherever it says it did."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from lens_lsp.domain.text import SourceText, Span
from lens_lsp.lsp.convert import Encoding, Ranges, code_points, units
from lens_lsp.lsp.documents import Documents, TextDocument
from tests.lsp.utf16_reference import ALPHABET, Reference, drawn_edit, drawn_text

URI = "file:///notes/a.md"


def document(text: str, encoding: Encoding = Encoding.Utf16) -> TextDocument:
    return TextDocument(types.TextDocumentItem(URI, "markdown", 1, text), encoding)


def span(line: int, character: int, to_line: int, to_character: int) -> types.Range:
    return types.Range(types.Position(line, character), types.Position(to_line, to_character))


@pytest.mark.parametrize("separator", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_line_ends_end_lines(separator: str) -> None:
    text = document(f"alpha{separator}beta\ngamma\n")
    text.change("DELTA", span(1, 0, 1, 5))
    assert text.text == f"alpha{separator}beta\nDELTA\n"


@pytest.mark.parametrize(
    ("before", "where", "new", "after"),
    [
        ("ab", span(0, 9, 0, 9), "c", "abc"),
        ("ab\n", span(9, 9, 9, 9), "c", "ab\nc"),
        ("ab\r\ncd", span(0, 3, 0, 3), "x", "abx\r\ncd"),
        ("ab\ncd", span(1, 1, 0, 1), "x", "axd"),
        ("a😀b", span(0, 2, 0, 3), "x", "axb"),
        ("a😀b", span(0, 2, 0, 2), "x", "ax😀b"),
        ("a\rb", span(1, 0, 1, 0), "\n", "a\r\nb"),
        ("a\rb\nc", span(1, 0, 1, 1), "", "a\r\nc"),
        ("a\n\rb", span(1, 0, 1, 0), "", "a\n\rb"),
        ("", span(0, 0, 0, 0), "\r", "\r"),
    ],
)
def test_places_are_clamped_and_ends_may_come_in_any_order(
    before: str, where: types.Range, new: str, after: str
) -> None:
    text = document(before)
    text.change(new, where)
    assert text.text == after
    text.change("|", span(1, 0, 1, 0))
    reference = Reference(after)
    reference.change("|", (1, 0), (1, 0))
    assert text.text == reference.text


@pytest.mark.parametrize("encoding", list(Encoding))
def test_random_edits_leave_the_text_of_an_independent_reference(encoding: Encoding) -> None:
    draw = random.Random(20261120)
    for _ in range(60):
        start = drawn_text(draw, 60)
        ours, reference = document(start, encoding), Reference(start, encoding.value)
        for _ in range(20):
            new, first, last = drawn_edit(draw, reference)
            ours.change(new, None if first is None or last is None else span(*first, *last))
            reference.change(new, first, last)
            assert ours.text == reference.text


@pytest.mark.parametrize("encoding", list(Encoding))
def test_places_are_followed_through_what_the_editor_says(encoding: Encoding) -> None:
    draw = random.Random(20261121)
    kept = 0
    for _ in range(60):
        start = drawn_text(draw, 60) + "end"
        ours, reference = document(start, encoding), Reference(start, encoding.value)
        for _ in range(8):
            new, first, last = drawn_edit(draw, reference)
            ours.change(new, None if first is None or last is None else span(*first, *last))
            reference.change(new, first, last)
            history = ours.history
            assert (history is None) == (ours.text == start)
            at = draw.randrange(len(start) - 2)
            after = None if history is None else history.followed(Span(at, at + 3))
            if after is not None:
                kept += 1
                assert ours.text[after.start : after.end] == start[at : at + 3]
    assert kept > 100


def test_what_is_typed_and_taken_back_leaves_no_trace() -> None:
    text = document("alpha beta")
    text.change("x", span(0, 3, 0, 3))
    text.change("y", span(0, 4, 0, 4))
    text.change("", span(0, 3, 0, 5))
    assert (text.text, text.history) == ("alpha beta", None)


def test_too_many_changes_or_lines_are_not_followed() -> None:
    long = document("a\n" * 20_001)
    long.change("x", span(0, 0, 0, 0))
    assert long.history is None
    often = document("ab" * 6_000)
    for number in range(5_001):
        assert (often.history is None) == (number == 0)
        often.change("x", span(0, 3 * number + 1, 0, 3 * number + 1))
    assert often.history is None


@given(st.lists(st.sampled_from([*ALPHABET, "\ud800"]), max_size=40), st.sampled_from(list(Encoding)), st.data())
def test_a_range_leads_back_to_its_span(parts: list[str], encoding: Encoding, data: st.DataObject) -> None:
    source = SourceText(text := "".join(parts))
    ranges = Ranges(source, encoding)
    offsets = st.integers(0, len(text)).filter(lambda at: text[at - 1 : at + 1] != "\r\n" or at == 0)
    first, last = sorted((data.draw(offsets), data.draw(offsets)))
    found = ranges.range(Span(first, last))
    assert ranges.span(found.start, found.end) == Span(first, last)


@given(
    st.text(max_size=30).map(lambda text: text.replace("\n", " ").replace("\r", " ")), st.sampled_from(list(Encoding))
)
def test_every_character_is_found_by_its_column(line: str, encoding: Encoding) -> None:
    width = {Encoding.Utf8: ("utf-8", 1), Encoding.Utf16: ("utf-16-le", 2), Encoding.Utf32: ("utf-32-le", 4)}
    name, size = width[encoding]
    for column in range(len(line) + 1):
        there = len(line[:column].encode(name)) // size
        assert units(line[:column], encoding) == there
        assert code_points(line, there, encoding) == column
    assert code_points(line, 2**31 - 1, encoding) == len(line)


def test_versions_may_skip_and_must_not_stand_still() -> None:
    lost: list[str] = []
    documents = Documents(Encoding.Utf16, lambda text, why: lost.append(why))
    text = documents.opened(types.TextDocumentItem(URI, "markdown", 5, "a"))
    whole = types.TextDocumentContentChangeWholeDocument
    part = types.TextDocumentContentChangePartial
    assert documents.changed(URI, 90, [whole("b")]) is text
    assert (text.text, text.synced) == ("b", True)
    documents.changed(URI, 90, [part(span(0, 0, 0, 0), "c")])
    documents.changed(URI, 90, [part(span(0, 0, 0, 0), "c")])
    assert not text.synced
    assert len(lost) == 1
    documents.changed(URI, 91, [whole("whole again")])
    assert (text.text, text.synced) == ("whole again", True)


def test_a_change_of_what_is_not_open_is_ignored() -> None:
    documents = Documents(Encoding.Utf16, lambda text, why: None)
    assert documents.changed(URI, 2, [types.TextDocumentContentChangeWholeDocument("b")]) is None
    documents.closed(URI)
    assert list(documents) == []


def test_what_is_opened_twice_has_the_second_text() -> None:
    documents = Documents(Encoding.Utf16, lambda text, why: None)
    for version, text in ((7, "dirty"), (1, "restored")):
        documents.opened(types.TextDocumentItem(URI, "markdown", version, text))
    assert [each.text for each in documents] == ["restored"]


def test_a_text_that_is_no_file_has_no_path() -> None:
    for uri in ("untitled:Untitled-1", "git:/a.md", "vscode-notebook-cell:/a.ipynb#c1", "x", "file://host/a.md"):
        assert TextDocument(types.TextDocumentItem(uri, "markdown", 1, ""), Encoding.Utf16).path is None
