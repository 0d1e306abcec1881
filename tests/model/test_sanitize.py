"""What is shown as Markdown says what it said, and nothing of it acts: a share of the harness, and what it found."""

from __future__ import annotations

import random
import re

import pytest
from markdown_it import MarkdownIt

from lens_lsp.model.sanitize import (
    json_escape,
    markdown_without_links,
    printable,
    printable_path,
    sanitize_json,
    sanitize_markdown,
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
    assert words(sanitize_markdown(text)) == text
    assert words(markdown_without_links(text, str)) == words(text.replace("\\", "\\\\").replace("<", r"\<"))


def test_no_hostile_text_acts() -> None:
    tally = hostile_markdown.run(400, seed=7)
    assert tally.wrong == []
    assert tally.active_without > 40
    assert set(tally.shown) == set(hostile_markdown.WAYS)


def test_no_renderer_that_guesses_makes_an_address_of_it() -> None:
    node = hostile_markdown.guessing()
    if node is None:
        pytest.skip("needs node, and node_modules of the page and the extension (npm ci)")
    with node:
        tally = hostile_markdown.run_guessing(400, 7, node)
        assert node.answer(["see notes.md", "www.e.example", "a@b.com"]) != [[], [], []]
    assert tally.wrong == []
    assert tally.guessed_without > 40


@pytest.mark.parametrize(
    "text",
    [
        "see e.com, notes.md and os.path",
        "//localhost a;@b.co",
        "www.e.example http://e.x/a.b",
        "3.14 e.g. A. B. …",
        "@x.y",
    ],
)
def test_what_is_no_address_any_more_reads_as_it_did(text: str) -> None:
    assert words(sanitize_markdown(text)) == words(markdown_without_links(text, str)) == text


def test_in_code_nothing_is_changed_for_those_who_guess() -> None:
    text = "Run `os.path` in:\n\n```py\nimport os.path\n@cached\n```\n\n~~~\na.com\n~~~"
    assert markdown_without_links(text, str) == text
    for unsure in ("`a.com", "> ```\n> a.com\n```\nb.com", "a ` b\n`c.com` d", "| `a.com | b` |"):
        assert ".com" not in markdown_without_links(unsure, str).replace("\\.com", "")


ESCAPES = (
    "\x1b", "\x9b", "\x1b[", "\x1b]", "\x1bP", "\x90", "\x9d", "\x1b\\", "\x07", "\x9c", "\x1b[31m", "\x1b[0K",
    "\x1b[?25h", "\x1b[38;5;1", "\x1b[38:2::1:2:3m", "\x1b[1900 euros", "[", ";", "?", "19", "3", "00", " ", "m", "K",
    "h", "e", "Hello", "€", "\x1b]0;title\x07", "\x1bP1$r\x1b\\", "\x1b[5mm", "\x1b[>4;1m", "\x1b[1 q", "\x1b(B",
    "\x1bc", "\x1b[A", "\x1b[?25h",
)  # fmt: skip


def complete(text: str, at: int) -> int:
    """Where a whole sequence of colours, erasing or modes that begins at a place ends; the place if none does."""
    end = at + 2 if text.startswith("\x1b[", at) else at + 1
    if end == at + 1 and text[at] != "\x9b":
        return at
    first = end
    while end < len(text) and text[end] in "0123456789;:?":
        end += 1
    given, final = text[first:end], text[end : end + 1]
    if final == "m":
        numbers = given.replace(":", ";").split(";")
        return end + 1 if len(numbers) <= 16 and all(len(each) <= 3 and "?" not in each for each in numbers) else at
    if final in ("J", "K"):
        return end + 1 if given in ("", "0", "1", "2", "3") else at
    mode = final in ("h", "l") and given.startswith("?") and given[1:].isdigit() and len(given) <= 5
    return end + 1 if mode else at


def without_escapes(text: str) -> str:
    """What has to be left of a text without line ends: all but whole sequences and what steers."""
    left, at = [], 0
    while at < len(text):
        end = complete(text, at)
        if end == at:
            left.append(text[at] if text[at] >= " " and not "\x7f" <= text[at] <= "\x9f" else "")
            end = at + 1
        at = end
    return "".join(left)


def escaping(seed: int, count: int) -> list[str]:
    draw = random.Random(seed)
    return ["".join(draw.choices(ESCAPES, k=draw.randint(1, 9))) for _ in range(count)]


def test_no_character_goes_that_is_not_part_of_a_whole_sequence() -> None:
    texts = escaping(3, 20_000)
    assert [text for text in texts if printable(text) != without_escapes(text)] == []
    before = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]")  # takes whatever fits the grammar
    eaten = [text for text in texts if len(printable(before.sub("", text))) < len(without_escapes(text))]
    assert len(eaten) > 2_000


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("it costs \x1b[1900 euros", "it costs [1900 euros"),
        ("\x1b[1;31mred\x1b[0m \x9b1mbold\x1b[m\x1b[K", "red bold"),
        ("\x1b]0;title\x07 \x1bPq\x1b\\", "]0;title Pq\\"),
        ("\x1b[31", "[31"),
        ("\x1b[3Hello", "[3Hello"),
    ],
)
def test_an_escape_eats_no_text(text: str, shown: str) -> None:
    assert printable(text) == shown


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
    assert printable("a\ud800b\udfff") == sanitize_json("a\ud800b\udfff") == "a\ufffdb\ufffd"


def test_json_writes_what_steers_as_its_units() -> None:
    assert sanitize_json('"\x7f\u202e\U000e0041"') == r'"\u007f\u202e\udb40\udc41"'
    assert re.sub("[\ud800-\udfff]", json_escape, "\ud800 \udfff") == r"\ud800 \udfff"


def test_code_is_kept_as_it_was_written_unless_a_mail_address_becomes_code() -> None:
    assert markdown_without_links("`x` and y", str) == "`x` and y"
    assert markdown_without_links("`x` a@b.example", str) == r"\`x\` `a@b.example`"
