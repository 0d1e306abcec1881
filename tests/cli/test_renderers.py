from __future__ import annotations

import os
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from lens_lsp.cli.renderers import Places, QuestionWords, Renderer, Style
from lens_lsp.cli.terminal import printable
from lens_lsp.model.documents import Context, ContextRole, Evidence, Origin
from lens_lsp.model.text import Position, Span

HERE = os.sep + os.path.join("home", "someone")
PLACES = Places([os.path.join(HERE, "notes"), os.sep + "elsewhere"], HERE)
HOSTILE = st.text(st.one_of(st.characters(), st.sampled_from("`~#<>![]()|\\\n\r\x1b\u202e&:/ww.@*_ -+1")))


def evidence(quote: str, *, path: str = "a.md", root: int = 0, heading: tuple[str, ...] = ()) -> Evidence:
    return Evidence(
        n=1,
        root=root,
        path=path,
        start=Position(12, 3),
        end=Position(13, 1),
        span=Span(40, 40 + len(quote)),
        quote=quote,
        origin=Origin("0" * 64, "utf-8"),
        reader="markdown/1",
        locator=None,
        heading=heading,
        score=0.5,
    )


def test_text_shows_place_headings_and_quote() -> None:
    item = evidence("First line.\n  Second line.\n", path="sub/with space.md", heading=("House", "Rent"))
    shown = Renderer("text", PLACES, Style(), "line").evidence(item)
    assert shown == "notes/sub/with space.md:12:3  House › Rent\n    First line.\n      Second line.\n\n"


def in_context(before: str, quote: str, after: str, cut: tuple[str, ...] = ()) -> Evidence:
    """A quote between two other texts of its source."""
    parts = (
        Context(ContextRole.BEFORE, Span(0, len(before)), before),
        Context(ContextRole.AFTER, Span(len(before + quote), len(before + quote + after)), after),
    )
    span = Span(len(before), len(before + quote))
    context = tuple(part for part in parts if len(part.span))
    return replace(evidence(quote, heading=("Rent",)), span=span, context=context, cut=cut)


def test_context_stands_behind_a_bar_around_the_quote() -> None:
    shown = Renderer("text", PLACES, Style(), "rent").evidence(
        in_context("We met in May.\n", "The rent is due.", "\nIn cash.")
    )
    assert shown == "notes/a.md:12:3  Rent\n  | We met in May.\n    The rent is due.\n  | In cash.\n\n"


def test_context_is_dim_and_the_quote_alone_has_bold_words() -> None:
    item = in_context("The rent was low.\n", "The rent is due.", "\nThe rent is paid.")
    shown = Renderer("text", PLACES, Style(coloured=True), "rent").evidence(item)
    assert re.findall(r"\x1b\[1m(.*?)\x1b\[0m", shown) == ["rent"]
    dim = re.findall(r"\x1b\[2m(.*?)\x1b\[0m", shown)
    assert dim == ["Rent", "  | The rent was low.", "  | The rent is paid."]


def test_a_cut_quote_begins_and_ends_with_an_ellipsis() -> None:
    item = replace(evidence("rent is due monthly"), cut=("start", "end"))
    assert Renderer("text", PLACES, Style(), "x").evidence(item).split("\n")[1] == "    …rent is due monthly…"
    assert Renderer("grep", PLACES, Style(), "rent").evidence(item).endswith(":rent is due monthly\n")


def test_grep_prints_the_quote_alone() -> None:
    item = in_context("The rent was low.\n", "It is due.", "\nThe rent is paid.")
    assert Renderer("grep", PLACES, Style(), "rent").evidence(item) == "notes/a.md:12:3:It is due.\n"


def test_markdown_shows_context_in_italics_around_the_fence() -> None:
    shown = Renderer("markdown", PLACES).evidence(
        in_context("We *met*\nin May.\n", "It is due.", "\nIn cash.", ("end",))
    )
    assert shown == (
        "1. [notes/a.md:12](notes/a.md#L12) — Rent\n\n   *We \\*met\\* in May.*\n\n"
        "   ```text\n   It is due.\n   ```\n\n   *…*\n\n   *In cash.*\n\n"
    )


@given(HOSTILE, HOSTILE)
def test_nothing_in_context_is_active_markdown(before: str, after: str) -> None:
    shown = Renderer("markdown", PLACES).evidence(in_context(before, "It is due.", after))
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(shown)
    inline = [child for token in tokens for child in token.children or ()]
    assert [token.type for token in inline if token.type == "link_open"] == ["link_open"]
    assert not [token for token in [*tokens, *inline] if token.type in ("image", "html_inline", "html_block")]
    assert [token.content for token in tokens if token.type == "fence"] == ["It is due.\n"]


@given(st.text(), st.text(), st.text())
def test_colour_never_changes_the_text_of_context(before: str, quote: str, after: str) -> None:
    item = in_context(before, quote, after)
    vivid = Renderer("text", PLACES, Style(coloured=True), "rent").evidence(item)
    assert re.sub(r"\x1b\[\d*m", "", vivid) == Renderer("text", PLACES, Style(), "rent").evidence(item)


def test_paths_outside_the_current_folder_are_absolute() -> None:
    assert PLACES.path(1, "a.md") == os.path.join(os.sep, "elsewhere", "a.md")


def test_a_sibling_with_the_same_beginning_is_outside() -> None:
    assert Places(["/home/someone-old"], "/home/someone").path(0, "a.md") == "/home/someone-old/a.md"


def test_a_deleted_current_folder_gives_absolute_paths() -> None:
    assert Places([HERE], "").path(0, "a.md") == os.path.join(HERE, "a.md")


def test_words_of_the_question_are_bold_when_coloured() -> None:
    item = evidence("The tenants pay rents; parent and the café stay.")
    shown = Renderer("text", PLACES, Style(coloured=True), "what rent does the tenant pay at the cafe?").evidence(item)
    assert re.findall(r"\x1b\[1m(.*?)\x1b\[0m", shown) == ["tenants", "pay", "rents", "café"]


def test_words_of_scripts_without_spaces_are_found() -> None:
    assert QuestionWords("東京の天気").spans("明日の東京の天気は晴れ") == [(3, 8)]


def test_a_question_of_stop_words_is_about_them() -> None:
    assert QuestionWords("to be or not to be").spans("or so") == [(0, 2)]


@pytest.mark.parametrize(
    "question",
    [
        "How soon when I think we've been hacked?",
        "How soon when I think we’ve been hacked?",
        "Isn't it hacked, and who'll",
    ],
)
def test_the_tails_of_contractions_are_no_words(question: str) -> None:
    quote = "We’ve learned it isn't so; he'll re-hack it, and you're told I'm very ill."
    assert [quote[start:end] for start, end in QuestionWords(question).spans(quote)] in ([], ["hack"])
    assert QuestionWords("the Rhine's course").spans("the Rhine is") == [(4, 9)]


@given(st.text(), st.text())
def test_bold_never_changes_the_text(question: str, quote: str) -> None:
    plain = Renderer("text", PLACES, Style(), question).evidence(evidence(quote))
    vivid = Renderer("text", PLACES, Style(coloured=True), question).evidence(evidence(quote))
    assert re.sub(r"\x1b\[\d*m", "", vivid) == plain


@given(HOSTILE, HOSTILE)
def test_grep_is_one_line_whatever_the_text(quote: str, path: str) -> None:
    shown = Renderer("grep", PLACES, Style(), "lease ends").evidence(evidence(quote, path="x" + path.replace("/", "")))
    assert shown.endswith("\n")
    assert len(shown.split("\n")) == 2


def test_grep_shows_the_line_that_answers_and_where_it_stands() -> None:
    item = evidence("# Contract\n\n  The lease  ends in May.\nSigned.", path="a.md")
    line = Renderer("grep", PLACES, Style(), "lease ends").evidence(item)
    assert line.endswith(f"a.md:{item.start.line + 2}:3:The lease ends in May.\n")


def test_grep_squeezes_the_first_line_that_holds_anything() -> None:
    item = evidence("\n \t\n  The   lease\tends.\nMore.", path="a b.md")
    assert Renderer("grep", PLACES, Style(), "lease ends").evidence(item) == "notes/a b.md:14:3:The lease ends.\n"


def test_markdown_links_to_the_line() -> None:
    item = evidence("The lease ends.", path="a [1] b.md", heading=("<b>Rent</b>",))
    assert Renderer("markdown", PLACES).evidence(item) == (
        "1. [notes/a \\[1\\] b.md:12](notes/a%20%5B1%5D%20b.md#L12) — \\<b\\>Rent\\</b\\>\n\n"
        "   ```text\n   The lease ends.\n   ```\n\n"
    )


@given(HOSTILE, HOSTILE, HOSTILE)
def test_nothing_in_a_quote_is_active_markdown(quote: str, path: str, heading: str) -> None:
    item = evidence(
        quote, path="x" + path.encode("utf-8", "ignore").decode().replace("/", "").replace("\n", ""), heading=(heading,)
    )
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(Renderer("markdown", PLACES).evidence(item))
    inline = [child for token in tokens for child in token.children or ()]
    assert [token.type for token in inline if token.type == "link_open"] == ["link_open"]
    assert not [token for token in [*tokens, *inline] if token.type in ("image", "html_inline", "html_block")]
    fences = [token.content for token in tokens if token.type == "fence"]
    assert [text.replace("\n", "") for text in fences] == [printable(quote).replace("\n", "")]


@pytest.mark.parametrize(
    "renderer", [Renderer("text", PLACES, Style(), "x"), Renderer("grep", PLACES, Style(), "lease ends")]
)
def test_bytes_that_are_no_text_do_not_stop_the_printing(renderer: Renderer) -> None:
    renderer.evidence(evidence("x \udcff", path="caf\udce9.md")).encode("utf-8")
