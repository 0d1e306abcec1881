from __future__ import annotations

from dataclasses import replace

import pytest

from lens_lsp.corpus.formats.front_matter import read_front_matter
from lens_lsp.model.documents import Head


def read(body: str) -> Head:
    front = read_front_matter(f"---\n{body}\n---\ntext")
    assert front is not None
    return replace(front.head, fields=())


@pytest.mark.parametrize(
    ("body", "head"),
    [
        ("title: Plain words: and a colon", Head("Plain words: and a colon")),
        ("title: 'quoted' # comment", Head("quoted")),
        ('title: "with \\"marks\\""', Head('with "marks"')),
        ("Title: Upper", Head("Upper")),
        ("title: >-\n  folded\n  text", Head("folded text")),
        ("aliases:\n- a\n- 'b, c'", Head(aliases=("a", "b, c"))),
        ("alias: one, two", Head(aliases=("one", "two"))),
        ("aliases: [a,\n  b]", Head(aliases=("a", "b"))),
        ("aliases: []", Head()),
        ("tags: [#a, 'b c']", Head(tags=("a", "b c"))),
        ("keywords: x, y", Head(tags=("x", "y"))),
        ("description: |\n  two\n  lines\nother: x", Head(description="two lines")),
        ("nested:\n  title: not this", Head()),
        ("title:", Head()),
        ("no colon\n: odd\n\ttab: x", Head()),
    ],
)
def test_values_are_read_as_people_write_them(body: str, head: Head) -> None:
    assert read(body) == head


@pytest.mark.parametrize(
    "text",
    ["", "---", "--- x\ntitle: a\n---", "---\ntitle: a\n", "text\n---\ntitle: a\n---", "----\na: b\n---"],
)
def test_without_both_lines_there_is_no_front_matter(text: str) -> None:
    assert read_front_matter(text) is None


def test_the_end_stands_behind_the_closing_line() -> None:
    for text in ("---\na: b\n---\nx", "---\r\na: b\r\n---  \r\nx", "+++\na = 'b'\n+++\nx", "---\n---\nx"):
        front = read_front_matter(text)
        assert front is not None
        assert text[: front.end].endswith(text[:3])
        assert text[front.end :].strip() == "x"


def test_toml_front_matter_uses_equal_signs() -> None:
    front = read_front_matter('+++\ntitle = "Hugo"\ntags = ["a", "b"]\n+++\n')
    assert front is not None
    assert front.head == Head("Hugo", (), ("a", "b"), fields=(("title", "Hugo"), ("tags", "a, b")))


@pytest.mark.parametrize("line", ["lens: answer/1", 'lens: "answer/2"'])
def test_our_own_answers_are_known(line: str) -> None:
    front = read_front_matter(f"---\n{line}\n---\n")
    assert front is not None
    assert front.answer


def test_a_long_front_matter_that_is_cut_still_gives_its_title() -> None:
    start = ("---\ntitle: Long\nkeys: [" + "x, " * 2000)[:4096]
    front = read_front_matter(start, cut=True)
    assert front is not None
    assert front.head.title == "Long"
