"""Metadata at the head of a text: what is read of it, and where it ends."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import HEAD_LENGTH, TextReader, read_front_matter
from lens_lsp.model.documents import BlockKind, Head


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


PEP = """PEP: 8
Title: Style Guide for Python Code
Author: A. Author <a@example.org>,
        B. Writer
Status: Active

Introduction
============

This document gives coding conventions.
"""


def reader_of(name: str) -> TextReader:
    reader = reader_for(name)
    assert reader is not None
    return reader


def fields(name: str, text: str, check) -> list[tuple[str, str]]:
    return [(field.name, field.value) for field in check(reader_of(name), text).fields]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Title: 'A b' # note", [("title", "A b")]),
        ("ms.date: 01/18/2026\nonline version: https://a.example/b", None),
        ("tags: [#a, 'b c', \"d\"]", [("tags", "a, b c, d")]),
        ("tags:\n- a\n- b # note\nx: 1", [("tags", "a, b"), ("x", "1")]),
        ("tags:\n  - a\n  - 'b: c'", [("tags", "a, b: c")]),
        ("outer:\n  inner: 1\n  other:\n    deep: 2\nlast: 3", None),
        ("authors:\n  - name: A\n    mail: a@b\n  - name: B", None),
        ("text: >-\n  two\n  lines: here\nx: 1", [("text", "two lines: here"), ("x", "1")]),
        ("text: plain\n  goes: on", [("text", "plain goes: on")]),
        ("list: [a,\n  b,\n]\nx: 1", [("list", "a, b"), ("x", "1")]),
        ("map: {a: 1, 'b': 2}", [("map", "a: 1, b: 2")]),
        ("a: &here x\nb: !!str y\nc: # nothing\nd: ~\ne: []", [("a", "x"), ("b", "y")]),
        ("a: 1\na: 2", [("a", "1"), ("a", "2")]),
        ("\ta: 1\nb: 2\nhttp://c\n- d\n: e", [("b", "2")]),
        ('a: "unclosed\nb: 2', [("a", "unclosed"), ("b", "2")]),
    ],
)
def test_front_matter_in_yaml(body: str, expected: list[tuple[str, str]] | None, check) -> None:
    others = {
        "ms.date": [("ms.date", "01/18/2026"), ("online version", "https://a.example/b")],
        "outer": [("outer.inner", "1"), ("outer.other.deep", "2"), ("last", "3")],
        "authors": [("authors.name", "A"), ("authors.mail", "a@b"), ("authors.name", "B")],
    }
    expected = others[body.partition(":")[0]] if expected is None else expected
    for mark in ("\n", "\r\n", "\r"):
        text = f"---\n{body}\n---\n\nText.\n".replace("\n", mark)
        assert fields("a.md", text, check) == expected


def test_front_matter_in_toml(check) -> None:
    text = """+++
title = "Hugo" # note
tags = ["a", "b"]
more = [
  "c",
  "d",
]
long = \"\"\"
two
lines\"\"\"
draft = false
[params.deep]
title = 'not the title'
[[authors]]
name = "A"
+++

Text.
"""
    reader = reader_of("a.md")
    assert reader.head(text).title == "Hugo"
    assert fields("a.md", text, check) == [
        ("title", "Hugo"),
        ("tags", "a, b"),
        ("more", "c, d"),
        ("long", "two lines"),
        ("draft", "false"),
        ("params.deep.title", "not the title"),
        ("authors.name", "A"),
    ]


def test_a_field_spans_its_lines(check) -> None:
    text = "---\ntitle: x\ntags:\n  - a\n  - b\n---\nText.\n"
    found = check(reader_of("a.md"), text).fields
    assert [text[field.span.start : field.span.end] for field in found] == ["title: x", "tags:\n  - a\n  - b"]


@pytest.mark.parametrize("name", ["a.rst", "a.txt", "a.md", "a", "a.adoc"])
def test_header_lines_are_metadata(name: str, check) -> None:
    for mark in ("\n", "\r\n", "\r"):
        text = PEP.replace("\n", mark)
        structure = check(reader_of(name), text)
        assert structure.head.title == "Style Guide for Python Code"
        assert [(field.name, field.value) for field in structure.fields] == [
            ("pep", "8"),
            ("title", "Style Guide for Python Code"),
            ("author", "A. Author <a@example.org>, B. Writer"),
            ("status", "Active"),
        ]
        first = structure.blocks[0]
        assert first.kind is BlockKind.FRONT_MATTER
        assert text[: first.span.end].endswith("Status: Active")
        author = structure.fields[2].span
        assert text[author.start : author.end].startswith("Author")
        assert text[author.start : author.end].endswith("B. Writer")


def test_header_lines_give_title_and_tags_of_a_note(check) -> None:
    structure = check(reader_of("a.md"), "Title: Parsers\nKeywords: a, b\nDate: 2024-03-01\n\nText.\n")
    assert structure.head.title == "Parsers"
    assert structure.head.tags == structure.tags == ("a", "b")


@pytest.mark.parametrize(
    "text",
    [
        "Title: only one\n\nText.\n",
        "Title: a\nno field\n\nText.\n",
        "Title: a\nAuthor: b\nText without a blank line.\n",
        "Title: a\nAuthor: b\n",
        "Ann: Hello\nBen: Hello to you\n\nAnn: How are you?\nBen: Well.\n",
        "Name: A\nPhone: 1\n\nName: B\nPhone: 2\n",
        "INFO: a\nINFO: b\nWARN: c\nINFO: d\n\nText.\n",
        "http://a.example/\nhttp://b.example/\n\nText.\n",
        "A long sentence that has a colon: here\nAnd so has this one, too: there\n\nText.\n",
        "12:30: a\n12:31: b\n\nText.\n",
    ],
)
@pytest.mark.parametrize("name", ["a.md", "a.txt", "a.rst"])
def test_what_is_no_header_stays_text(name: str, text: str, check) -> None:
    structure = check(reader_of(name), text)
    assert structure.fields == ()
    assert all(block.kind is not BlockKind.FRONT_MATTER for block in structure.blocks)


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: a\n\nText without an end.\n",
        "---\n\nA text, between rules: here.\n\nMore.\n\n---\n\nText.\n",
        "---\n\nA first line.\n\nNote: this\n\n---\n",
        "--- title: a\n---\nText.\n",
    ],
)
def test_what_is_no_front_matter_stays_text(text: str, check) -> None:
    structure = check(reader_of("a.md"), text)
    assert structure.fields == ()
    assert all(block.kind is not BlockKind.FRONT_MATTER for block in structure.blocks)


@pytest.mark.parametrize(
    "text",
    [
        ":Author: A b\n:Status: Draft\n  and more\n\nText.\n",
        "=====\nTitle\n=====\n\n:Author: A b\n:Status: Draft\n  and more\n\nText.\n",
        ".. comment\n\nTitle\n=====\n:Author: A b\n:orphan:\n:Status: Draft\n         and more\n\nText.\n",
    ],
)
def test_field_lists_of_restructuredtext(text: str, check) -> None:
    structure = check(reader_of("a.rst"), text)
    assert [(field.name, field.value) for field in structure.fields] == [
        ("author", "A b"),
        ("status", "Draft and more"),
    ]
    kinds = [block.kind for block in structure.blocks]
    assert kinds.count(BlockKind.FRONT_MATTER) == 1
    assert kinds[-1] is BlockKind.PARAGRAPH


def test_a_field_list_inside_the_text_is_none(check) -> None:
    assert fields("a.rst", "Title\n=====\n\nText.\n\n:Author: x\n", check) == []
    assert fields("a.rst", "Text.\n:Author: x\n", check) == []


def test_attributes_of_asciidoc(check) -> None:
    text = "= Title\nA. Author\n:keywords: a, b\n:description: Short\n:toc:\n\nText.\n\n:later: x\n"
    structure = check(reader_of("a.adoc"), text)
    assert [(field.name, field.value) for field in structure.fields] == [("keywords", "a, b"), ("description", "Short")]
    assert (structure.head.title, structure.head.tags, structure.head.description) == ("Title", ("a", "b"), "Short")
    assert structure.blocks[2].kind is BlockKind.FRONT_MATTER


def test_keywords_of_org(check) -> None:
    text = ":PROPERTIES:\n:ID: 7\n:END:\n#+TITLE: Org file\n#+FILETAGS: :a:b:\n#+AUTHOR: A\n\nText.\n#+LATER: x\n"
    structure = check(reader_of("a.org"), text)
    assert [(field.name, field.value) for field in structure.fields] == [
        ("id", "7"),
        ("title", "Org file"),
        ("filetags", "a, b"),
        ("author", "A"),
    ]
    assert (structure.head.title, structure.head.tags) == ("Org file", ("a", "b"))
    assert structure.blocks[0].kind is BlockKind.FRONT_MATTER


def test_what_a_page_says_of_itself(check) -> None:
    text = (
        "<html><head><title>A &amp; b</title>\n<meta charset=utf-8><meta name=author content='A. Author'>"
        '<meta content="a, b" name="Keywords"></head><body><meta name=x content=y><p>Text.</p></body></html>'
    )
    structure = check(reader_of("a.html"), text)
    assert [(field.name, field.value) for field in structure.fields] == [
        ("title", "A & b"),
        ("author", "A. Author"),
        ("keywords", "a, b"),
    ]
    assert structure.head.tags == ("a", "b")
    assert text[structure.fields[1].span.start : structure.fields[1].span.end] == (
        "<meta name=author content='A. Author'>"
    )


@pytest.mark.parametrize("name", ["a.md", "a.rst", "a.txt", "a.adoc", "a.org", "a.html"])
def test_fields_are_bounded(name: str, check) -> None:
    lines = [f"key{number}: {'word ' * 300}" for number in range(200)]
    front = "---\n" + "\n".join(lines) + "\n---\n\nText.\n"
    assert len(fields(name, front, check)) == 64


def test_a_header_that_is_cut_gives_the_fields_that_are_whole() -> None:
    start = "".join(f"Name-{number}: value {number}\n" for number in range(1000))[:HEAD_LENGTH]
    head = reader_of("a.txt").head(start)
    assert head.fields[0] == ("name-0", "value 0")
    assert len(head.fields) == 64


BODIES = ["a: b\n", "a:\n", " - x\n", "  a: [\n", "- a: 1\n", "Name: x\n", "x" * 80 + "\n", "\n"]


@pytest.mark.long
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("fence", ["---\n", "+++\n", ""])
def test_a_megabyte_of_front_matter_takes_linear_time(fence: str, body: str) -> None:
    text = f"{fence}key:\n{body * (1_000_000 // len(body))}{fence}\nText.\n"
    reader = reader_of("a.md")
    begun = time.process_time()
    reader.structure(text)
    reader.head(text[:HEAD_LENGTH])
    assert time.process_time() - begun < 4
