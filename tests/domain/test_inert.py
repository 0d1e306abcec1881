"""What is shown as Markdown says what it said, and nothing of it acts: a share of the harness, and what it found."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from lens_lsp.domain.inert import (
    inert_json,
    inert_markdown,
    json_escape,
    markdown_without_links,
    printable,
    printable_path,
)
from tests.soak import hostile_markdown

SHOW = MarkdownIt("commonmark")


def words(markdown: str) -> str:
    return "".join(child.content for token in SHOW.parse(markdown) for child in token.children or ())


@pytest.mark.parametrize(
    "text",
    [
        "href = 3",
        "SRC\t= x",
        "a placeholder  = y",
        "src=x",
        "HREF= //e.example",
        "<a href = '//e.example'>",
        r"\src =",
        "www.x",
    ],
)
def test_an_attribute_with_blanks_shows_no_backslash(text: str) -> None:
    assert words(inert_markdown(text)) == text
    assert words(markdown_without_links(text, str)) == words(text.replace("\\", "\\\\").replace("<", r"\<"))


def test_no_hostile_text_acts() -> None:
    tally = hostile_markdown.run(400, seed=7)
    assert tally.wrong == []
    assert tally.active_without > 40
    assert set(tally.shown) == set(hostile_markdown.WAYS)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a\nb\rc\td", r"a\nb\rc\td"),
        ("\x1b\x7f\x9f", r"\x1b\x7f\x9f"),
        ("\u061c\u200e\u2028", r"\u061c\u200e\u2028"),
        ("\U000e0000\U000e007f", r"\U000e0000\U000e007f"),
        ("\ud800\udcff", "\ufffd\ufffd"),
        ("a\u0100\uffff\U00010000", "a\u0100\uffff\U00010000"),
    ],
)
def test_a_path_shows_what_steers_as_its_number(path: str, shown: str) -> None:
    assert printable_path(path) == shown


def test_half_a_surrogate_pair_is_one_sign_wherever_it_is_shown() -> None:
    assert printable("a\ud800b\udfff") == inert_json("a\ud800b\udfff") == "a\ufffdb\ufffd"


def test_json_writes_what_steers_as_its_units() -> None:
    assert inert_json('"\x7f\u202e\U000e0041"') == r'"\u007f\u202e\udb40\udc41"'
    assert re.sub("[\ud800-\udfff]", json_escape, "\ud800 \udfff") == r"\ud800 \udfff"


def test_code_is_kept_as_it_was_written_unless_a_mail_address_becomes_code() -> None:
    assert markdown_without_links("`x` and y", str) == "`x` and y"
    assert markdown_without_links("`x` a@b.example", str) == r"\`x\` `a@b.example`"
