from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.formats.markdown import MarkdownReader
from lens_lsp.domain.model import Document, Origin
from lens_lsp.domain.text import Span
from lens_lsp.search.outline import heading_path, readable, whole_words

# Letters of scripts that write spaces, letters that are words of their own, and what stands between words.
TEXT = st.text(st.sampled_from("abé1_дß .,\n\t\r東京カ서ไ—“"), max_size=80)
SPACED_WORD = re.compile(r"[abé1_дß]+")


def spans(text: str) -> st.SearchStrategy[Span]:
    ends = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    return ends.map(lambda pair: Span(min(pair), max(pair)))


def cuts_a_word(text: str, at: int) -> bool:
    return any(match.start() < at < match.end() for match in SPACED_WORD.finditer(text))


def within_one_word(text: str, span: Span) -> bool:
    """Such a window holds no whole word, and half a word is more than nothing."""
    return any(match.start() <= span.start and span.end <= match.end() for match in SPACED_WORD.finditer(text))


@given(TEXT, st.data())
def test_no_word_is_cut_and_nothing_is_added(text: str, data: st.DataObject) -> None:
    span = data.draw(spans(text))
    shown = whole_words(text, span)
    assert len(shown) == 0 or span.contains(shown)
    if len(shown) and not within_one_word(text, span):
        quote = text[shown.start : shown.end]
        assert quote == quote.strip()
        assert not cuts_a_word(text, shown.start)
        assert not cuts_a_word(text, shown.end)


@given(TEXT, st.data())
def test_no_whole_word_is_lost(text: str, data: st.DataObject) -> None:
    span = data.draw(spans(text))
    shown = whole_words(text, span)
    for match in SPACED_WORD.finditer(text, span.start, span.end):
        if not cuts_a_word(text, match.start()) and not cuts_a_word(text, match.end()):
            assert shown.contains(Span(*match.span()))


@pytest.mark.parametrize(
    ("text", "span", "shown"),
    [
        ("the quick fox", Span(2, 11), "quick"),
        ("  the fox  ", Span(0, 11), "the fox"),
        ("don't stop", Span(1, 10), "stop"),
        ("東京大学の図書館", Span(1, 4), "京大学"),
        ("word", Span(1, 3), "or"),  # better than nothing
        ("x" * 100, Span(10, 90), "x" * 80),  # no reader takes it for a word
    ],
)
def test_examples_of_what_is_shown(text: str, span: Span, shown: str) -> None:
    found = whole_words(text, span)
    assert text[found.start : found.end] == shown


@given(TEXT, st.data())
def test_a_readable_window_lies_within_the_window_and_cuts_no_word(text: str, data: st.DataObject) -> None:
    span = data.draw(spans(text))
    ends = sorted(data.draw(st.tuples(st.integers(span.start, span.end), st.integers(span.start, span.end))))
    shown = readable(text, span, Span(*ends))
    if len(shown) and not within_one_word(text, span):
        assert span.contains(shown)
        assert not cuts_a_word(text, shown.start)
        assert not cuts_a_word(text, shown.end)


def test_a_readable_window_holds_its_hits_and_opens_and_closes_with_a_sentence() -> None:
    before, after = "This is far away. " * 15, " That is far away." * 15
    text = f"{before}The needle is here, in this sentence.{after}"
    at = text.index("needle")
    window = Span(at - 270, at + 250)
    shown = readable(text, window, Span(at, at))
    quote = text[shown.start : shown.end]
    assert "needle" in quote
    assert quote.startswith("This is")
    assert quote.endswith("far away.")
    assert len(quote) < len(window)


def document(text: str) -> Document:
    return Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), MarkdownReader().structure(text))


NESTED = "intro\n\n# One\n\na\n\n## Two\n\nb\n\n#### Four\n\nc\n\n## Other\n\nd\n\n# Last\n\ne\n"


@pytest.mark.parametrize(
    ("mark", "path"),
    [
        ("intro", ()),
        ("a\n", ("One",)),
        ("b\n", ("One", "Two")),
        ("c\n", ("One", "Two", "Four")),
        ("d\n", ("One", "Other")),
        ("\ne\n", ("Last",)),
        ("Two", ("One", "Two")),
    ],
)
def test_an_offset_stands_under_the_headings_above_it(mark: str, path: tuple[str, ...]) -> None:
    assert heading_path(document(NESTED), NESTED.index(mark)) == path
