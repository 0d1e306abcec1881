"""What is shown as Markdown says what it said, and nothing of it acts: a share of the harness, and what it found."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from lens_lsp.domain.inert import inert_markdown, markdown_without_links
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
