"""Where links lead: destinations and addresses, never the words that are shown."""

from __future__ import annotations

import pytest

from lens_lsp.corpus.formats import reader_for


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
def test_markdown(text: str, expected: list[str] | None, check) -> None:
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
def test_restructuredtext(text: str, expected: list[str], check) -> None:
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
def test_other_markup(name: str, text: str, expected: list[str] | None, check) -> None:
    if expected is None:
        expected = ["https://a.example", "file:b.org"]
    assert targets(name, text, check) == expected
