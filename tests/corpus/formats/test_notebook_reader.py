from __future__ import annotations

import json

import pytest

from lens_lsp.corpus.formats.markdown import NotebookReader
from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.model.documents import BlockKind

READER = NotebookReader()


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
    text = READER.extract(NOTEBOOK).text
    assert text == (
        "# Brewing\n\nSee [guide](g.md).\n\n```python\nx = 1\nprint(x)\n```\n\n```\n1\ntwo\n```\n\n"
        "```\n<Figure>\n```\n\n```\nleft open\n```\n\n```python\ny = '# no heading'\n```"
    )


def test_cells_keep_their_structure() -> None:
    text = READER.extract(NOTEBOOK).text
    structure = READER.structure(text)
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
    extraction = READER.extract(NOTEBOOK)
    assert locate(extraction.locators, extraction.text.index(needle)) == place


def test_the_title_is_found_in_the_file_itself() -> None:
    assert READER.head(NOTEBOOK[:4096]).title == "Brewing"


@pytest.mark.parametrize("broken", ["", "{", NOTEBOOK[:-5], "[]", "null", '{"cells": 3}', "[" * 100_000, "plain words"])
def test_what_is_no_notebook_keeps_its_own_text(broken: str) -> None:
    extraction = READER.extract(broken)
    assert extraction.text == (broken if broken != '{"cells": 3}' else "")
    assert not extraction.locators.starts
    READER.structure(extraction.text)


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
    assert READER.extract(json.dumps(old)).text == "## Old\n\n```\nz\n```"


def test_no_lone_surrogate_and_no_carriage_return_gets_through() -> None:
    text = READER.extract(notebook(markdown("a\ud800b\r\nc"), code("s = '\ud83d\ude00'"))).text
    text.encode()
    assert "\r" not in text
    assert "\ufffd" in text


def test_a_fence_in_code_cannot_end_its_cell() -> None:
    text = READER.extract(notebook(code('"""\n```\n"""'), markdown("# After"))).text
    assert [heading.text for heading in READER.structure(text).headings] == ["After"]
