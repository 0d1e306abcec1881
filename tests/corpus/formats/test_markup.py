"""Plain text, the three light markups, LaTeX and source code, each on a small sample."""

from __future__ import annotations

import time

import pytest

from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.markup import HtmlReader, XmlReader
from lens_lsp.corpus.formats.text_reader import TextReader
from lens_lsp.model.documents import BlockKind, Head


def named(name: str) -> TextReader:
    reader = reader_for(name)
    assert reader is not None
    return reader


def shown(name: str, text: str) -> list[tuple[str, str]]:
    return [(b.kind.name, text[b.span.start : b.span.end]) for b in named(name).structure(text).blocks]


def headings(name: str, text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in named(name).structure(text).headings]


def links(name: str, text: str) -> list[tuple[str, str]]:
    return [(link.target, link.text) for link in named(name).structure(text).links]


def test_an_article_has_its_first_line_as_title() -> None:
    text = "Tea\n\nTea is a drink.\nIt is hot.\n\n  Second.\n"
    assert named("Tea").head(text) == Head("Tea")
    assert shown("Tea", text) == [
        ("HEADING", "Tea"),
        ("PARAGRAPH", "Tea is a drink.\nIt is hot."),
        ("PARAGRAPH", "Second."),
    ]
    assert headings("Tea", text) == [(1, "Tea")]


@pytest.mark.parametrize("text", ["one\ntwo\n", "x" * 121 + "\n\ntext", "\n\ntext", "\rtext\n\n", "", "only"])
def test_other_first_lines_are_no_title(text: str) -> None:
    assert named("note").head(text).title is None
    assert headings("note.txt", text) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mira Elin Tolvanen (born 1911) was a miller.", ("Mira Elin Tolvanen", "Mira Tolvanen")),
        ("J. R. R. Raudsepp is a painter.", ("J. R. R. Raudsepp", "J. Raudsepp")),
        ("Mira Tolvanen was a miller.", ("Mira Tolvanen",)),
        ("Battle of Silver Creek was fought in May.", ("Battle of Silver Creek",)),
    ],
)
def test_an_untitled_text_answers_to_its_subject_also_without_middle_names(text: str, names: tuple[str, ...]) -> None:
    assert named("note").head(text).aliases == names


def test_a_log_is_one_block_a_line() -> None:
    text = "".join(f"2024-01-01 line {n}\n" for n in range(50))
    assert [line for _, line in shown("app.log", text)] == text.splitlines()


def test_restructuredtext() -> None:
    text = (
        "=====\nTitle\n=====\n\nPart\n----\n\nSee `the docs <https://example.org/x#y>`_ and "
        ":doc:`/guide` or name_.\n\n"
        "- one\n- two\n\nExample::\n\n    # code\n\n    more\n\n.. code-block:: python\n\n   x = 1\n\n"
        "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n\n.. _name: other.rst\n\n:field: value\n"
    )
    assert named("a.rst").head(text).title == "Title"
    assert headings("a.rst", text) == [(1, "Title"), (2, "Part")]
    assert links("a.rst", text) == [
        ("https://example.org/x", "the docs"),
        ("/guide", "/guide"),
        ("other.rst", "name"),
    ]
    kinds = shown("a.rst", text)
    assert ("CODE", "    # code\n\n    more") in kinds
    assert ("CODE", "   x = 1") in kinds
    assert ("LIST_ITEM", "- two") in kinds
    assert ("LIST_ITEM", ":field: value") in kinds
    rows = [b for b in named("a.rst").structure(text).blocks if b.kind is BlockKind.TABLE_ROW]
    assert rows[1].header == rows[0].span


def test_asciidoc() -> None:
    text = (
        "= Title\n:description: What it is\n:keywords: a, b\n\n== Part\n\nSee "
        "xref:guide.adoc#top[the guide], <<other>>"
        " and https://example.org/x[site].\n\n* one\n** nested\n\n----\n== code\n----\n\n"
        "|===\n| a | b\n\n| 1 | 2\n|===\n"
    )
    fields = (("description", "What it is"), ("keywords", "a, b"))
    assert named("a.adoc").head(text) == Head("Title", (), ("a", "b"), "What it is", fields)
    assert headings("a.adoc", text) == [(1, "Title"), (2, "Part")]
    assert links("a.adoc", text) == [
        ("guide.adoc", "the guide"),
        ("other", "other"),
        ("https://example.org/x", "site"),
    ]
    kinds = shown("a.adoc", text)
    assert ("CODE", "----\n== code\n----") in kinds
    assert ("LIST_ITEM", "** nested") in kinds
    assert ("TABLE_ROW", "| 1 | 2") in kinds


def test_org() -> None:
    text = (
        "#+TITLE: My notes\n#+FILETAGS: :work:home:\n\n* TODO [#A] First *bold* :urgent:\n"
        "Text with [[file:b.org::*x][link]].\n"
        "** Second\n- a\n- b\n\n"
        "#+BEGIN_SRC python\n* not a heading\n#+END_SRC\n\n| a | b |\n|---+---|\n| 1 | 2 |\n"
    )
    fields = (("title", "My notes"), ("filetags", "work, home"))
    assert named("a.org").head(text) == Head("My notes", (), ("work", "home"), fields=fields)
    structure = named("a.org").structure(text)
    assert headings("a.org", text) == [(1, "First bold"), (2, "Second")]
    assert set(structure.tags) == {"work", "home", "urgent"}
    assert links("a.org", text) == [("b.org", "link")]
    assert ("CODE", "#+BEGIN_SRC python\n* not a heading\n#+END_SRC") in shown("a.org", text)
    rows = [b for b in structure.blocks if b.kind is BlockKind.TABLE_ROW]
    assert rows[1].header == rows[0].span


def test_an_article_whose_name_ends_like_a_format_keeps_its_title() -> None:
    assert named("Craigslist.org").head("Craigslist.org\n\nIs a site.").title == "Craigslist.org"


def test_latex() -> None:
    text = (
        "\\documentclass{article}\n\\title{On \\emph{tea}}\n\\begin{document}\n"
        "\\section{Brewing {hot}}\\label{s}\n"
        "Text % a comment stays\nmore \\href{https://example.org}{site}.\n\n"
        "\\begin{itemize}\n\\item one\n\\item two\n"
        "\\end{itemize}\n\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n"
        "\\begin{tabular}{ll}\na & b \\\\\n1 & 2 \\\\\n"
        "\\end{tabular}\n\\subsection*{Sub}\n\\input{chapter2}\n"
    )
    assert named("a.tex").head(text).title == "On tea"
    assert headings("a.tex", text) == [(1, "On tea"), (2, "Brewing hot"), (3, "Sub")]
    assert links("a.tex", text) == [("https://example.org", "site"), ("chapter2", "chapter2")]
    kinds = shown("a.tex", text)
    assert ("CODE", "\\begin{verbatim}\n\\section{no}\n\\end{verbatim}") in kinds
    assert ("LIST_ITEM", "\\item two") in kinds
    assert ("TABLE_ROW", "1 & 2 \\\\") in kinds
    assert any("a comment stays" in block for _, block in kinds)


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        (
            "a.py",
            "class A:\n    def f(self):\n        pass\n\nasync def g(): ...\n",
            [(1, "A"), (2, "f"), (1, "g")],
        ),
        (
            "a.ts",
            "export class A {\n  run(x) {\n    if (x) {\n    }\n  }\n}\nexport const f = () => 1\n",
            [(1, "A"), (2, "run"), (1, "f")],
        ),
        ("a.c", "static int add(int a, int b)\n{\n  return sum(a, b);\n}\nint x = f(1);\n", [(1, "add")]),
        ("a.cpp", "namespace n {\nvoid A::b() const {\n}\n", [(1, "n"), (1, "A::b")]),
        (
            "A.java",
            "public class A {\n    @Override\n    public String name() {\n        return x();\n",
            [(1, "A"), (2, "name")],
        ),
        (
            "a.go",
            "package main\n\nfunc (s *T) Run() {\n}\ntype T struct {}\n",
            [(1, "main"), (1, "Run"), (1, "T")],
        ),
        (
            "a.rs",
            "pub(crate) struct S;\nimpl S {\n    pub fn new() -> S {\n",
            [(1, "S"), (1, "S"), (2, "new")],
        ),
        ("a.rb", "module M\n  class C\n    def go?\n", [(1, "M"), (2, "C"), (3, "go?")]),
        ("a.php", "<?php\nfinal class P {\n  public function q() {\n", [(1, "P"), (2, "q")]),
        ("a.sh", "run() {\n  x\n}\nfunction two() {\n", [(1, "run"), (1, "two")]),
        ("a.sql", "CREATE TABLE users (\n", [(1, "users")]),
    ],
)
def test_definitions_are_headings(name: str, text: str, found: list[tuple[int, str]]) -> None:
    assert headings(name, text) == found
    for heading in named(name).structure(text).headings:
        assert text[heading.span.start : heading.span.end] == heading.text


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        (
            "a.py",
            '#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n"""What it does.\n\nMore.\n"""\n',
            "What it does.",
        ),
        ("a.py", "import os\n", None),
        ("a.js", "/**\n * Copyright someone\n */\n// Counts things.\n", "Counts things."),
        ("a.go", "// Package main runs it.\npackage main\n", "Package main runs it."),
        ("a.sh", "#!/bin/sh\n# Builds all.\nset -e\n", "Builds all."),
        ("a.rs", "//! A crate.\n", "A crate."),
    ],
)
def test_the_leading_comment_names_a_source_file(name: str, text: str, title: str | None) -> None:
    assert named(name).head(text).title == title


def test_code_falls_apart_at_blank_lines_and_definitions() -> None:
    text = "# about\n# this\n\nx = 1\n# says f\ndef f():\n    pass\ndef g():\n    pass\n"
    assert shown("a.py", text) == [
        ("PARAGRAPH", "# about\n# this"),
        ("CODE", "x = 1\n# says f"),
        ("CODE", "def f():\n    pass"),
        ("CODE", "def g():\n    pass"),
    ]


def test_plain_text_has_items() -> None:
    text = (
        "Rules\n\nTwo hold:\n1. First. It is.\n   On.\n2. Second.\n\n"
        "- apples\n- pears\n\n[3] A note. Long.\n\nIn the year\n12. that is all.\n"
    )
    assert shown("rules.txt", text)[1:] == [
        ("PARAGRAPH", "Two hold:"),
        ("LIST_ITEM", "1. First. It is.\n   On."),
        ("LIST_ITEM", "2. Second."),
        ("LIST_ITEM", "- apples"),
        ("LIST_ITEM", "- pears"),
        ("LIST_ITEM", "[3] A note. Long."),
        ("PARAGRAPH", "In the year\n12. that is all."),
    ]


def test_a_bracket_closed_on_the_next_line_is_no_mark_of_an_item() -> None:
    text = "Ozone\n\nThe molecule (O\n4) was found.\n"
    assert shown("Ozone", text)[1:] == [("PARAGRAPH", "The molecule (O\n4) was found.")]


def test_plain_text_has_chapters() -> None:
    text = (
        "A BOOK\n\nBy nobody.\n\n\nCHAPTER IV.\n\nText.\n\n\nTHE SEA\n\nSalt.\n\nNOT ALONE\n\nUnder\n-----\n\nOn.\n"
        "\nPART OF IT is told in the first of many long lines that follow here, and so it is no title.\n"
    )
    assert headings("book.txt", text) == [(1, "A BOOK"), (2, "CHAPTER IV."), (3, "THE SEA"), (2, "Under")]


def test_restructuredtext_rows_go_on_over_lines() -> None:
    grid = "+---+---+\n| a | b |\n+===+===+\n| c | d |\n|   | e |\n+---+---+\n| f | g |\n+---+---+\n\nOn.\n"
    assert shown("a.rst", grid) == [
        ("TABLE_ROW", "| a | b |"),
        ("TABLE_ROW", "| c | d |\n|   | e |"),
        ("TABLE_ROW", "| f | g |"),
        ("PARAGRAPH", "On."),
    ]
    simple = "===== ====\nName  Says\n===== ====\none   Mr. P.\n      Smith\n    2 two\n===== ====\n\nOn.\n"
    assert shown("a.rst", simple) == [
        ("TABLE_ROW", "Name  Says"),
        ("TABLE_ROW", "one   Mr. P.\n      Smith"),
        ("TABLE_ROW", "2 two"),
        ("PARAGRAPH", "On."),
    ]
    rows = named("a.rst").structure(simple).blocks
    assert rows[1].header == rows[0].span


def test_footnotes_are_items() -> None:
    assert shown("a.rst", "Text [1]_.\n\n.. [1] A note. Long.\n   On.\n")[1:] == [
        ("LIST_ITEM", ".. [1] A note. Long.\n   On.")
    ]
    assert shown("a.md", "Text[^1].\n\n[^1]: A note. Long.\n[^b]: Another.\n")[1:] == [
        ("LIST_ITEM", "[^1]: A note. Long."),
        ("LIST_ITEM", "[^b]: Another."),
    ]


SECONDS = 4
"""A quadratic reader needs far more for the texts below; most of it is room for a busy machine."""


def blocks(name: str, text: str, check) -> list[tuple[str, str]]:
    reader = reader_for(name)
    assert reader is not None
    structure = check(reader, text)
    return [(block.kind.value, text[block.span.start : block.span.end]) for block in structure.blocks]


def kinds(name: str, text: str, check) -> list[str]:
    return [kind for kind, _ in blocks(name, text, check)]


LINKS = "".join(f"- [Page {number}](page-{number}.md)\n" for number in range(5))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- [One](#one)\n  - [Two (2)](#two)\n- [Three][#three]\n", ["list-item"] * 3),
        ("- [One](#one)\n  - [Two](#two)\n1. [[#Three]]\n", ["contents"] * 3),
        ("- [One](#one)\n- [Two](#two) says more\n", ["list-item"] * 2),
        ("[TOC]\n\nText.\n", ["contents", "paragraph"]),
        ("[[_TOC_]]\n", ["contents"]),
        (LINKS, ["navigation"] * 5),
        (LINKS + "- and words\n", ["list-item"] * 6),
        ("- [One](a.md)\n- [Two](b.md)\n", ["list-item"] * 2),
        ("[Home](a.md) | [Next](b.md)\n", ["navigation"]),
        ("[Home](a.md) says more\n", ["paragraph"]),
        ("[a]: b.md\n[c]: <d.md> 'T'\n\nText.\n", ["reference", "reference", "paragraph"]),
        ("[^1]: A footnote.\n", ["list-item"]),
        ("{% include x %}\n", ["navigation"]),
        ('{% include "x"\n   a: 1\n   b: 2 %}\nText.\n', ["navigation", "paragraph"]),
        ("{{< figure src=x >}}\n{: .note }\n", ["navigation"] * 2),
        ("{% page x %} holds words\n", ["paragraph"]),
        ("> [!NOTE]\n> Text.\n", ["quote"]),
        ("[!INCLUDE [x](y.md)]\n", ["navigation"]),
        ("::: warning\nText.\n:::\n", ["navigation", "paragraph", "navigation"]),
        ("import A from '../a';\nexport const b = 1;\n\n# Title\n", ["navigation", "navigation", "heading"]),
        ("import the module before you go on\n", ["paragraph"]),
        ("export the list from here\n", ["paragraph"]),
        ("Prose before\n{% alert %}\nmore prose\n{% endalert %}\nend\n", None),
        ("| a | b |\n|---|---|\n{% x %}\n", ["table-row"] * 2),
    ],
)
def test_blocks_of_markdown(text: str, expected: list[str] | None, check) -> None:
    if expected is None:
        expected = ["paragraph", "navigation", "paragraph", "navigation", "paragraph"]
    for mark in ("\n", "\r\n", "\r"):
        assert kinds("a.md", text.replace("\n", mark), check) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (".. contents::\n   :depth: 2\n\nText.\n", ["contents", "paragraph"]),
        (".. toctree::\n\n   a\n   b\n\nText.\n", ["contents", "paragraph"]),
        (".. _a: https://a.example\n.. _mark:\n\nText.\n", ["reference", "navigation", "paragraph"]),
        (".. [1] A footnote.\n", ["list-item"]),
        (".. a comment\n   of two lines\n\nText.\n", ["navigation", "paragraph"]),
        ("..\n   a comment\n\nText.\n", ["navigation", "paragraph"]),
        (".. note:: Words to read.\n   More.\n", ["paragraph"]),
        (".. note::\n   Words to read.\n", ["navigation", "paragraph"]),
        (".. figure:: a.png\n   :width: 3\n\n   Words to read.\n", ["navigation", "paragraph"]),
        (".. |x| image:: a.png\n\nText.\n", ["navigation", "paragraph"]),
        (".. code-block:: python\n\n   x = 1\n\nText.\n", ["navigation", "code", "paragraph"]),
        ("Prose.\n.. image:: a.png\nMore prose.\n", ["paragraph", "navigation", "paragraph"]),
    ],
)
def test_blocks_of_restructuredtext(text: str, expected: list[str], check) -> None:
    for mark in ("\n", "\r\n"):
        assert kinds("a.rst", text.replace("\n", mark), check) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.adoc", "toc::[]\n\nText.\n", ["contents", "paragraph"]),
        ("a.adoc", "Text.\n\n// comment\n:x: y\ninclude::a.adoc[]\n", ["paragraph"] + ["navigation"] * 3),
        ("a.org", "Text.\n#+INCLUDE: a.org\n# comment\n#+CAPTION: Words\n", None),
    ],
)
def test_blocks_of_other_markup(name: str, text: str, expected: list[str] | None, check) -> None:
    if expected is None:
        expected = ["paragraph", "navigation", "navigation", "paragraph"]
    assert kinds(name, text, check) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.md", "Term\n: What it is.\n\nText.\n", ["Term\n: What it is.", "Text."]),
        ("a.md", "Term\n\n:   What it is.\n\nText.\n", ["Term\n\n:   What it is.", "Text."]),
        ("a.md", "Term\n\nText.\n\n\n: no definition\n", ["Term", "Text.", ": no definition"]),
        ("a.rst", "One\n    The first.\nTwo\n    The second.\n\nText.\n", None),
        ("a.adoc", "One:: The first.\nTwo::\n\nThe second.\n\nText.\n", None),
    ],
)
def test_a_term_stands_with_its_definition(name: str, text: str, expected: list[str] | None, check) -> None:
    found = blocks(name, text, check)
    assert {kind for kind, _ in found} == {"paragraph"}
    if expected is None:
        expected = (
            text.partition("Two")[0].rstrip(),
            "Two" + text.partition("Two")[2].removesuffix("\n\nText.\n"),
            "Text.",
        )
    assert [shown for _, shown in found] == list(expected)


MARKUP = ["a.md", "a.rst", "a.adoc", "a.org", "a.html", "a.txt"]


@pytest.mark.long
@pytest.mark.parametrize("name", MARKUP)
@pytest.mark.parametrize(
    "text",
    [
        "|" + " x |" * 10_000 + "\n|" + "---|" * 10_000 + "\n" + ("|" + " y |" * 10_000 + "\n") * 20,
        ("words " * 20 + "[a](b) https://a.example/b {% x %} ") * 32_000,
        "```\nText without an end.\n" + "- [a](#a)\n" * 50_000,
        "{% x\n" * 100_000,
        "{%" * 200_000,
        "{{" * 200_000,
        "- [a](b(" * 50_000,
        "[a](b) | " * 100_000,
        "[a](b)\n| " * 100_000,
        ":::\n" * 100_000,
        "a::\n\n" * 100_000,
        "a\n\n: b\n\n" * 50_000,
        ".. a\n" * 100_000,
        ".. a::\n   :b: c\n" * 50_000,
        "a\n b\n" * 100_000,
        "import a from " * 50_000,
        "https://" * 100_000,
        "https://a" + ")" * 400_000,
        "<a:" * 100_000,
        "<meta name=" * 50_000,
    ],
    ids=range(20),
)
def test_odd_texts_are_read_in_linear_time(name: str, text: str) -> None:
    reader = reader_for(name)
    assert reader is not None
    begun = time.process_time()
    reader.structure(text)
    assert time.process_time() - begun < SECONDS


def test_an_unclosed_fence_is_code_to_the_end(check) -> None:
    assert kinds("a.md", "# Title\n\n```\ncode\n\n- [a](#a)\n", check) == ["heading", "code"]


def test_a_wide_table_keeps_its_header(check) -> None:
    row = "|" + " x |" * 10_000
    reader = reader_for("a.md")
    assert reader is not None
    structure = check(reader, f"{row}\n|{'---|' * 10_000}\n{row}\n")
    assert [block.kind for block in structure.blocks] == [BlockKind.TABLE_ROW] * 2
    assert structure.blocks[1].header == structure.blocks[0].span


def targets(name: str, text: str, check) -> list[str]:
    reader = reader_for(name)
    assert reader is not None
    return [text[span.start : span.end] for span in check(reader, text).targets]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [the page](a/b.md) now.", ["(a/b.md)"]),
        ('See [the page](<a b.md> "A title") now.', ['(<a b.md> "A title")']),
        ("![picture](p.png) and [![badge](b.svg)](https://a.example/)", ["(p.png)", "(b.svg)", "(https://a.example/)"]),
        ("[a]: https://a.example/x#y 'Title'\n[b]: <c d.md>\n", ["https://a.example/x#y", "c d.md"]),
        ("<https://a.example/b> and <mailto:a@b.example> and <a@b.example>", None),
        ("See https://a.example/b_(c), or (https://d.example).", ["https://a.example/b_(c)", "https://d.example"]),
        ("见https://a.example/b，然后", ["https://a.example/b"]),
        ("| https://a.example/b |\n", ["https://a.example/b"]),
        ("```\ncurl https://a.example\n```\n\n    wget https://b.example\n", []),
        ("---\nurl: https://a.example\n---\n\nText (in brackets) [not] [[Wiki|page]] <b>x</b>.", []),
        ("Array[0](x) is code, a[b](c) no link\n", ["(x)", "(c)"]),
        ("[https://a.example](https://a.example)", ["https://a.example", "(https://a.example)"]),
    ],
)
def test_targets_of_markdown(text: str, expected: list[str] | None, check) -> None:
    if expected is None:
        expected = text.split(" and ")
    assert targets("a.md", text, check) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See `the page <https://a.example/b>`__ now.", ["<https://a.example/b>"]),
        ("See :pep:`8` and :ref:`the part <part-a>` now.", [":pep:", ":ref:", "<part-a>"]),
        (".. _name: https://a.example/b\n", ["https://a.example/b"]),
        ("At https://a.example/b.\n", ["https://a.example/b"]),
        ("Code::\n\n  curl https://a.example\n\nText ``x <y>`` and `Title <z>`.\n", []),
    ],
)
def test_targets_of_restructuredtext(text: str, expected: list[str], check) -> None:
    assert targets("a.rst", text, check) == expected


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.adoc",
            "See link:a.adoc[it], https://a.example/x[site], xref:b.adoc#c[there], <<part,the part>>.",
            ["link:a.adoc", "https://a.example/x", "xref:b.adoc#c", "part"],
        ),
        ("a.adoc", "----\nhttps://a.example\n----\n", []),
        ("a.org", "See [[https://a.example][the site]], [[file:b.org]] and [[Heading]].", None),
        ("a.txt", "See https://a.example/b.\n", ["https://a.example/b"]),
    ],
)
def test_targets_of_other_markup(name: str, text: str, expected: list[str] | None, check) -> None:
    if expected is None:
        expected = ["https://a.example", "file:b.org"]
    assert targets(name, text, check) == expected


READER = HtmlReader()
PAGE = """<!DOCTYPE html>
<html><head><title>Tea &amp; time</title><meta content="How to" name="description">
<style>p { color: red }</style></head>
<body><!-- secret <p>no</p> --><h1 id=x>All about <em>tea</em></h1>
<p>Steep it <b>hot</b>, see <a class="l" href="guide.html#top">the &lt;guide&gt;</a>.
<ul><li>one<li>two<p>inner</p></ul>
<table><tr><th>Leaf<th>Minutes</tr><tr><td>green<td>2</tr></table>
<pre>
  code &lt;b&gt;
</pre><blockquote><p>quoted</p></blockquote>
<script>var x = "<p>not text</p>";</script>loose text
</body></html>
"""


def page_shows(reader: HtmlReader, text: str) -> list[tuple[str, str]]:
    return [(b.kind.name, text[b.span.start : b.span.end]) for b in reader.structure(text).blocks]


def test_a_page_falls_into_its_blocks() -> None:
    assert page_shows(READER, PAGE) == [
        ("HEADING", "All about <em>tea"),
        ("PARAGRAPH", 'Steep it <b>hot</b>, see <a class="l" href="guide.html#top">the &lt;guide&gt;</a>.'),
        ("LIST_ITEM", "one"),
        ("LIST_ITEM", "two"),
        ("LIST_ITEM", "inner"),
        ("TABLE_ROW", "Leaf<th>Minutes"),
        ("TABLE_ROW", "green<td>2"),
        ("CODE", "code &lt;b&gt;"),
        ("QUOTE", "quoted"),
        ("PARAGRAPH", "loose text"),
    ]


def test_head_headings_links_and_rows() -> None:
    structure = READER.structure(PAGE)
    fields = (("title", "Tea & time"), ("description", "How to"))
    assert structure.head == Head("Tea & time", description="How to", fields=fields)
    assert [(heading.level, heading.text) for heading in structure.headings] == [(1, "All about tea")]
    assert [(link.target, link.text) for link in structure.links] == [("guide.html", "the <guide>")]
    rows = [block for block in structure.blocks if block.kind is BlockKind.TABLE_ROW]
    assert [row.header for row in rows] == [None, rows[0].span]


def test_markup_is_masked_and_text_is_not() -> None:
    visible = list(PAGE)
    for span in READER.mask(PAGE):
        visible[span.start : span.end] = " " * len(span)
    words = "".join(visible).split()
    assert words[:3] == ["All", "about", "tea"]
    assert not {"secret", "color", "not", "body", "How"} & set(words)
    assert {"green", "quoted", "loose"} <= set(words)
    assert READER.structure(PAGE).hidden == READER.mask(PAGE)


def test_broken_markup_stays_readable() -> None:
    text = '<p>a < b and <a href="x>open</a> 3 > 2 <!-- never closed <p>still here'
    assert "still here" in "".join(block for _, block in page_shows(READER, text))


def test_xml_keeps_cdata_and_needs_no_known_names() -> None:
    text = "<doc><head>First</head><item>Second</item><x><![CDATA[Third <b>]]></x></doc>"
    assert [block for _, block in page_shows(XmlReader(), text)] == ["First", "Second", "Third", "]]>"]
