"""What proves nothing by itself is a block of its own kind; terms stand with their definitions; odd files are read."""

from __future__ import annotations

import time

import pytest

from lens_lsp.corpus.formats import reader_for
from lens_lsp.model.documents import BlockKind

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
def test_markdown(text: str, expected: list[str] | None, check) -> None:
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
def test_restructuredtext(text: str, expected: list[str], check) -> None:
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
def test_other_markup(name: str, text: str, expected: list[str] | None, check) -> None:
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
