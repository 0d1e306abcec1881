"""Markdown and notebooks: blocks, headings, links and tags with their places."""

from __future__ import annotations

import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from lens_lsp.corpus.formats.markdown import MarkdownReader, NotebookReader
from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.model.documents import BlockKind, Head, LinkKind

READER = MarkdownReader()
MARKS = re.compile(r"[`*_\\]")

NOTE = """---
title: "Tea & time"
aliases: [Chai, 'Cup of, tea']
tags:
  - drinks
  - '#leaf'
summary: How long it steeps
---
# Tea and time

Steep for *three*
minutes. See [the guide](guide.md#green "Guide") and [[Black tea#Milk|with milk]] #brewing

- one
  still one
  - nested
- two

| Leaf | Minutes |
|------|--------:|
| green | 2 |
| black | 4 |

```python
# not a heading [[not a link]]
```

> quoted
> words

Setext
------

    indented code

![picture](p.png) [ref][Label] and [label]

[label]: https://example.org/a#b
"""


def blocks(text: str) -> list[tuple[BlockKind, str]]:
    structure = READER.structure(text)
    return [(block.kind, text[block.span.start : block.span.end]) for block in structure.blocks]


def targets(text: str) -> list[str]:
    return [link.target for link in READER.structure(text).links]


def headings(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.text) for heading in READER.structure(text).headings]


def test_a_note_falls_into_its_blocks() -> None:
    kinds = blocks(NOTE)
    assert kinds[0][0] is BlockKind.FRONT_MATTER
    assert kinds[0][1].endswith("---")
    assert kinds[1:] == [
        (BlockKind.HEADING, "# Tea and time"),
        (
            BlockKind.PARAGRAPH,
            """Steep for *three*
minutes. See [the guide](guide.md#green "Guide") and [[Black tea#Milk|with milk]] #brewing""",
        ),
        (BlockKind.LIST_ITEM, "- one\n  still one"),
        (BlockKind.LIST_ITEM, "- nested"),
        (BlockKind.LIST_ITEM, "- two"),
        (BlockKind.TABLE_ROW, "| Leaf | Minutes |"),
        (BlockKind.TABLE_ROW, "| green | 2 |"),
        (BlockKind.TABLE_ROW, "| black | 4 |"),
        (BlockKind.CODE, "```python\n# not a heading [[not a link]]\n```"),
        (BlockKind.QUOTE, "> quoted\n> words"),
        (BlockKind.HEADING, "Setext\n------"),
        (BlockKind.CODE, "    indented code"),
        (BlockKind.PARAGRAPH, "![picture](p.png) [ref][Label] and [label]"),
        (BlockKind.REFERENCE, "[label]: https://example.org/a#b"),
    ]


def test_a_note_says_what_it_is_called() -> None:
    fields = (
        ("title", "Tea & time"),
        ("aliases", "Chai, Cup of, tea"),
        ("tags", "drinks, leaf"),
        ("summary", "How long it steeps"),
    )
    head = Head("Tea & time", ("Chai", "Cup of, tea"), ("drinks", "leaf"), "How long it steeps", fields)
    assert READER.head(NOTE) == head
    structure = READER.structure(NOTE)
    assert structure.head == head
    assert structure.tags == ("drinks", "leaf", "brewing")


def test_links_are_found_with_their_targets_and_places() -> None:
    links = READER.structure(NOTE).links
    assert [(link.kind, link.target, link.text) for link in links] == [
        (LinkKind.INLINE, "guide.md", "the guide"),
        (LinkKind.WIKI, "Black tea", "with milk"),
        (LinkKind.REFERENCE, "https://example.org/a", "ref"),
        (LinkKind.REFERENCE, "https://example.org/a", "label"),
    ]
    assert [NOTE[link.span.start : link.span.end] for link in links] == [
        '[the guide](guide.md#green "Guide")',
        "[[Black tea#Milk|with milk]]",
        "[ref][Label]",
        "[label]",
    ]


def test_rows_know_their_header() -> None:
    rows = [block for block in READER.structure(NOTE).blocks if block.kind is BlockKind.TABLE_ROW]
    assert rows[0].header is None
    assert {row.header for row in rows[1:]} == {rows[0].span}


@pytest.mark.parametrize(
    ("line", "level", "words"),
    [
        ("# Plain", 1, "Plain"),
        ("###### six ##", 6, "six"),
        ('## <a name="x"></a> `CPoint::operator *`', 2, "CPoint::operator *"),
        ("# **Bold** and _soft_ snake_case", 1, "Bold and soft snake_case"),
        ("# [shown](hidden.md) [[Page|alias]]", 1, "shown alias"),
        ("# `vector<int>` of [`code`](x.md)", 1, "vector<int> of code"),
        ("   # indented", 1, "indented"),
        ("# C#", 1, "C#"),
    ],
)
def test_a_heading_gives_its_plain_words(line: str, level: int, words: str) -> None:
    assert headings(line) == [(level, words)]


@pytest.mark.parametrize("text", ["#tag", "####### seven", "#", "    # code", "```\n# code\n```", "text\n    # text"])
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert headings(text) == []


def test_the_heading_span_is_the_heading_itself() -> None:
    text = "intro\n\n##  Über uns  ##\n"
    (heading,) = READER.structure(text).headings
    assert text[heading.span.start : heading.span.end] == "Über uns"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a](<b c.md> 'title')", ["b c.md"]),
        ("[a](b_(c).md)", ["b_(c).md"]),
        ("[![badge](i.svg)](https://example.org)", ["https://example.org"]),
        ("[a [b] c](d.md)", ["d.md"]),
        ("![[picture.png]] ![[note]]", ["note"]),
        ("| [[a\\|b]] |\n|-|\n| [[c]] |", ["a", "c"]),
        ("[a](#here) [[#here]]", []),
        ("[[1]](x.md) [[Page]](see there)", ["x.md", "Page"]),
        ("`[a](b)` ``x ` [a](b)`` \\[a](b)", []),
        ("[a](b.md", []),
        ("[^1] [x] [ ] text\n\n[^1]: note", []),
        ("[a]\n\n[b]\n\n[a]: x.md\n[b]: <y z.md> 'title'", ["x.md", "y z.md"]),
        ("[two\nlines](x.md)", ["x.md"]),
        ("# [in heading](x.md)\n> [in quote](y.md)", ["x.md", "y.md"]),
    ],
)
def test_links_in_all_their_forms(text: str, found: list[str]) -> None:
    assert targets(text) == found


def test_tags_are_words_after_a_blank() -> None:
    text = "#one two#three (#four) #12 #1a #nested/tag `#code` <a href=#x> #ünï, [#x](y)\n\n#end-"
    assert READER.structure(text).tags == ("one", "1a", "nested/tag", "ünï", "end")


def test_comments_are_hidden_and_hide_headings() -> None:
    text = "<!-- a\n\n# b\n--> after\n\ntext <!-- c --> more `<!-- d -->` <!-- open\n"
    structure = READER.structure(text)
    assert [text[span.start : span.end] for span in structure.hidden] == ["<!-- a\n\n# b\n-->", "<!-- c -->"]
    assert structure.headings == ()
    assert text[structure.blocks[0].span.start : structure.blocks[0].span.end] == "after"


def test_what_we_inserted_into_a_note_is_hidden_whole() -> None:
    text = "before\n\n<!-- lens:begin a1 {} -->\nan answer\n\n## ours\n<!-- lens:end a1 -->\nafter\n"
    structure = READER.structure(text)
    (hidden,) = structure.hidden
    assert text[hidden.start : hidden.end].endswith("lens:end a1 -->")
    assert structure.headings == ()
    assert [text[b.span.start : b.span.end] for b in structure.blocks] == ["before", "after"]


def test_scripts_are_hidden_and_preformatted_text_is_code() -> None:
    text = "<script>\n# no\n</script>\n\n<pre>\n# no\n</pre>\n\n<style>\n\nunclosed # is text"
    structure = READER.structure(text)
    assert structure.headings == ()
    assert [text[span.start : span.end] for span in structure.hidden] == ["<script>\n# no\n</script>"]
    assert structure.blocks[0].kind is BlockKind.CODE


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("1. a\n\n   more\n\n2. b", "LIST_ITEM PARAGRAPH LIST_ITEM"),
        ("- a\n\n      code\n- b", "LIST_ITEM CODE LIST_ITEM"),
        ("- a\n  ```\n  # x\n  ```\n- b", "LIST_ITEM CODE LIST_ITEM"),
        ("- ```\n  x\n  ```\n- b", "CODE LIST_ITEM"),
        ("1. a\n    - b\n    - c\n2. d", "LIST_ITEM LIST_ITEM LIST_ITEM LIST_ITEM"),
        ("text\n2020. no list", "PARAGRAPH"),
        ("text\n- list", "PARAGRAPH LIST_ITEM"),
        ("* * *\n\na", "PARAGRAPH"),
        ("a | b\n--|--\n1 | 2\nplain row\n\nend", "TABLE_ROW TABLE_ROW TABLE_ROW PARAGRAPH"),
        ("intro\n|a|\n|-|\n|1|", "PARAGRAPH TABLE_ROW TABLE_ROW"),
        ("```\nnever closed\n\n# x", "CODE"),
        ("~~~\n```\n~~~\n", "CODE"),
        ("````\n```\n````\nafter", "CODE PARAGRAPH"),
        ("> a\nlazy\n\nb", "QUOTE PARAGRAPH"),
        ("> a\n>\n> b", "QUOTE QUOTE"),
        ("    a\n\n    b\n\nc", "CODE PARAGRAPH"),
        ("- a\n\n# h", "LIST_ITEM HEADING"),
        ("\tcode", "CODE"),
    ],
)
def test_blocks_follow_commonmark(text: str, kinds: str) -> None:
    assert " ".join(kind.name for kind, _ in blocks(text)) == kinds


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\n\ntext", "One"),
        ("\n<!-- note -->\n\n## Lead\n", "Lead"),
        ("Name\n====\n", "Name"),
        ("![badge](x)\n\n# The only\n\n## Two", "The only"),
        ("- Feature: x\n\n# Summary\n\n# Motivation\n", None),
        ("```\n\n# comment\n```\n", None),
        ("just text\n", None),
        ("---\nauthor: me\n---\n# From the heading\n", "From the heading"),
        ("---\r\ntitle: Windows\r\n---\r\n", "Windows"),
    ],
)
def test_the_title_is_what_names_the_document(text: str, title: str | None) -> None:
    assert READER.head(text).title == title


def _samples(archive: Path, most: int) -> list[str]:
    texts = []
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and member.name.endswith(".md"):
                content = tar.extractfile(member) or io.BytesIO()
                texts.append(content.read().decode("utf-8", "replace"))
            if len(texts) == most:
                break
    return texts


@pytest.mark.parametrize(
    ("name", "most"), [("rust-book", 150), ("rust-rfcs", 300), ("cpp-docs", 400), ("tldr-en", 500)]
)
def test_real_documents_keep_every_invariant(name: str, most: int, data_dir: Path, check) -> None:
    texts = _samples(data_dir / "workspaces" / f"{name}.tar.xz", most)
    assert len(texts) > 100
    for text in texts:
        structure = check(READER, text)
        covered = sum(len(block.span) for block in structure.blocks)
        assert covered > 0.6 * len(text.strip()), text[:200]
        for heading in structure.headings:
            shown = MARKS.sub("", text[heading.span.start : heading.span.end])
            assert all(word in shown for word in MARKS.sub("", heading.text).split()), heading


NOTEBOOKS = NotebookReader()


def notebook(*cells: dict[str, object]) -> str:
    return json.dumps({"cells": list(cells), "metadata": {"language_info": {"name": "python"}}, "nbformat": 4})


def markdown(*lines: str) -> dict[str, object]:
    return {"cell_type": "markdown", "source": list(lines)}


def code(source: str, *outputs: dict[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


NOTEBOOK = notebook(
    markdown("# Brewing\n", "\n", "See [guide](g.md)."),
    code(
        "x = 1\nprint(x)",
        {"output_type": "stream", "text": ["1\n", "two\n"]},
        {"output_type": "display_data", "data": {"text/plain": "<Figure>", "image/png": "AAAA"}},
    ),
    markdown("```\n", "left open"),
    code("y = '# no heading'"),
)


def test_a_notebook_reads_as_its_cells() -> None:
    text = NOTEBOOKS.extract(NOTEBOOK).text
    assert text == (
        "# Brewing\n\nSee [guide](g.md).\n\n```python\nx = 1\nprint(x)\n```\n\n```\n1\ntwo\n```\n\n"
        "```\n<Figure>\n```\n\n```\nleft open\n```\n\n```python\ny = '# no heading'\n```"
    )


def test_cells_keep_their_structure() -> None:
    text = NOTEBOOKS.extract(NOTEBOOK).text
    structure = NOTEBOOKS.structure(text)
    assert [heading.text for heading in structure.headings] == ["Brewing"]
    assert [link.target for link in structure.links] == ["g.md"]
    assert [block.kind for block in structure.blocks[2:]] == [BlockKind.CODE] * 5
    assert structure.head.title == "Brewing"


@pytest.mark.parametrize(
    ("needle", "place"),
    [
        ("Brewing", {"cell": 1, "line": 1}),
        ("guide", {"cell": 1, "line": 3}),
        ("x = 1", {"cell": 2, "line": 1}),
        ("print", {"cell": 2, "line": 2}),
        ("two", {"cell": 2}),
        ("Figure", {"cell": 2}),
        ("left open", {"cell": 3, "line": 2}),
        ("y =", {"cell": 4, "line": 1}),
    ],
)
def test_a_quote_leads_to_its_cell_and_line(needle: str, place: dict[str, int]) -> None:
    extraction = NOTEBOOKS.extract(NOTEBOOK)
    assert locate(extraction.locators, extraction.text.index(needle)) == place


def test_the_title_is_found_in_the_file_itself() -> None:
    assert NOTEBOOKS.head(NOTEBOOK[:4096]).title == "Brewing"


@pytest.mark.parametrize("broken", ["", "{", NOTEBOOK[:-5], "[]", "null", '{"cells": 3}', "[" * 100_000, "plain words"])
def test_what_is_no_notebook_keeps_its_own_text(broken: str) -> None:
    extraction = NOTEBOOKS.extract(broken)
    assert extraction.text == (broken if broken != '{"cells": 3}' else "")
    assert not extraction.locators.starts
    NOTEBOOKS.structure(extraction.text)


def test_the_old_format_is_read() -> None:
    old = {
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": "Old"},
                    {"cell_type": "code", "input": "z"},
                ]
            }
        ]
    }
    assert NOTEBOOKS.extract(json.dumps(old)).text == "## Old\n\n```\nz\n```"


def test_no_lone_surrogate_and_no_carriage_return_gets_through() -> None:
    text = NOTEBOOKS.extract(notebook(markdown("a\ud800b\r\nc"), code("s = '\ud83d\ude00'"))).text
    text.encode()
    assert "\r" not in text
    assert "\ufffd" in text


def test_a_fence_in_code_cannot_end_its_cell() -> None:
    text = NOTEBOOKS.extract(notebook(code('"""\n```\n"""'), markdown("# After"))).text
    assert [heading.text for heading in NOTEBOOKS.structure(text).headings] == ["After"]
