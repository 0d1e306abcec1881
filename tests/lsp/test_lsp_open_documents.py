"""Open texts follow the editor, whatever it writes and wherever it says it did."""

from __future__ import annotations

import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from lens_lsp.lsp.locations import Encoding, Ranges, code_points, units
from lens_lsp.lsp.open_documents import OpenDocuments, TextDocument
from lens_lsp.model.text import SourceText, Span
from tests.lsp.test_lsp_locations import ALPHABET, Reference, drawn_edit, drawn_text

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
        ("X", span(9, 9, 9, 9), "c", "Xc"),
        ("aX\nb", span(0, 2, 0, 2), "c", "aXc\nb"),
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


def test_as_many_lines_and_code_points_as_may_be_are_followed_and_one_more_is_not() -> None:
    for text, followed in (
        ("a\n" * 19_999, True),  # the last line is the empty one behind the last end
        ("a\n" * 20_000, False),
        ("a" * (4 << 20), True),
        ("a" * ((4 << 20) + 1), False),
    ):
        changed = document(text)
        changed.change("x", span(0, 0, 0, 0))
        assert (changed.history is not None) == followed
    changed = document("ab" + "a" * ((4 << 20) - 2))
    changed.change("grows", span(0, 1, 0, 1))
    changed.change("on", span(0, 0, 0, 0))
    assert changed.history is not None  # how large it was when it was opened counts


def test_five_thousand_changes_are_followed_and_one_more_is_not() -> None:
    text = document("a\nb")
    for number in range(5_000):
        text.change("x", span(number % 2, 0, number % 2, 0))
    assert text.history is not None
    assert len(text.history.edits) == 5_000
    text.change("x", span(0, 0, 0, 0))
    assert text.history is None


def test_what_was_too_much_once_is_not_followed_again() -> None:
    text = document("a\n" * 20_001)
    text.change("", span(0, 0, 19_000, 0))
    text.change("x", span(0, 0, 0, 0))
    text.change("y", span(1, 0, 1, 0))
    assert (text.history, text.text[:6]) == (None, "xa\nya\n")


@pytest.mark.parametrize("opened", ["alpha beta", "", "half of a pair \ud800, and é"])
def test_a_history_begins_with_what_was_opened(opened: str) -> None:
    text = document(opened)
    text.change("x", span(0, 0, 0, 0))
    text.change("whole")
    assert text.history is not None
    assert text.history.sha256 == hashlib.sha256(opened.encode("utf-8", "surrogatepass")).hexdigest()


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


def test_an_opened_text_is_what_the_editor_says_of_it() -> None:
    documents = OpenDocuments(Encoding.Utf8, lambda text, why: None)
    text = documents.opened(types.TextDocumentItem(URI, "markdown", 5, "é\n"))
    assert (text.uri, text.path, text.language, text.version) == (URI, "/notes/a.md", "markdown", 5)
    assert (text.text, text.encoding, text.synced, text.history) == ("é\n", Encoding.Utf8, True, None)
    assert documents.get(URI) is text
    documents.changed(URI, 6, [types.TextDocumentContentChangePartial(span(0, 2, 0, 2), "!")])  # two bytes
    assert (text.text, text.version) == ("é!\n", 6)


def test_versions_may_skip_and_must_not_stand_still() -> None:
    lost: list[tuple[TextDocument, str]] = []
    documents = OpenDocuments(Encoding.Utf16, lambda text, why: lost.append((text, why)))
    text = documents.opened(types.TextDocumentItem(URI, "markdown", 5, "a"))
    whole = types.TextDocumentContentChangeWholeDocument
    part = types.TextDocumentContentChangePartial
    assert documents.changed(URI, 90, [whole("b")]) is text
    assert (text.text, text.synced) == ("b", True)
    documents.changed(URI, 90, [part(span(0, 0, 0, 0), "c")])
    documents.changed(URI, 90, [part(span(0, 0, 0, 0), "c")])
    assert text.synced is False
    assert lost == [(text, "its version went from 90 to 90")]
    documents.changed(URI, 91, [whole("whole again")])
    assert (text.text, text.synced) == ("whole again", True)


def test_a_change_of_what_is_not_open_is_ignored(caplog: pytest.LogCaptureFixture) -> None:
    documents = OpenDocuments(Encoding.Utf16, lambda text, why: None)
    assert documents.changed(URI, 2, [types.TextDocumentContentChangeWholeDocument("b")]) is None
    assert caplog.messages == ["a change of a document that is not open was ignored"]
    documents.closed(URI)
    assert list(documents) == []


def test_what_is_opened_twice_has_the_second_text(caplog: pytest.LogCaptureFixture) -> None:
    documents = OpenDocuments(Encoding.Utf16, lambda text, why: None)
    documents.opened(types.TextDocumentItem(URI, "markdown", 7, "dirty"))
    assert caplog.messages == []
    documents.opened(types.TextDocumentItem(URI, "markdown", 1, "restored"))
    assert caplog.messages == ["a document was opened twice; the second text counts"]
    assert [each.text for each in documents] == ["restored"]
    documents.closed(URI)
    assert documents.get(URI) is None


def test_a_text_that_is_no_file_has_no_path() -> None:
    for uri in ("untitled:Untitled-1", "git:/a.md", "vscode-notebook-cell:/a.ipynb#c1", "x", "file://host/a.md"):
        assert TextDocument(types.TextDocumentItem(uri, "markdown", 1, ""), Encoding.Utf16).path is None
