"""``lens/text``: what a document says, as spans and ranges of evidence count it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.lsp_client import LspProcess

Start = Callable[..., LspProcess]
SAID = "The mill costs 40 EUR a month."
CELLS = ["# Sums\n\nA mill and a bridge.\n", f"## Costs\n\n{SAID}\n"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    cells = [{"cell_type": "markdown", "metadata": {}, "source": [cell]} for cell in CELLS]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (tmp_path / "w" / "sums.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "w" / "note.md").write_text("# Note\n\nWords.\n")
    return tmp_path / "w"


def test_the_text_of_a_notebook_is_the_one_that_its_evidence_counts_in(start: Start, folder: Path) -> None:
    server = start()
    server.begin(folder)
    found = server.result("lens/find", {"query": "How much does the mill cost?"})["evidence"]
    [evidence] = [each for each in found if SAID in each["quote"]]
    text: dict[str, Any] = server.result("lens/text", {"uri": (folder / "sums.ipynb").as_uri()})
    begin, end = evidence["span"]
    assert text["text"][begin:end] == evidence["quote"]
    assert (text["reader"], text["sha256"]) == (evidence["reader"], evidence["sha256"])
    before = [each["locator"] for each in text["locators"] if each["start"] <= begin]
    assert before[-1] == evidence["locator"]


def test_an_open_text_is_given_as_it_is(start: Start, folder: Path) -> None:
    server = start()
    server.begin(folder)
    uri = (folder / "note.md").as_uri()
    assert server.result("lens/text", uri)["text"] == "# Note\n\nWords.\n"
    server.open(uri, "# Note\n\nOther words.\n")
    told = server.result("lens/text", uri)
    assert told["text"] == "# Note\n\nOther words.\n"
    assert told["sha256"] == hashlib.sha256(told["text"].encode()).hexdigest()
    assert told["locators"] == []


@pytest.mark.parametrize(
    ("name", "code", "why"),
    [
        ("gone.md", -32803, "gone.md is not read"),
        ("picture.png", -32803, "picture.png is not read"),
        (".env", -32803, ".env is not read"),
        ("gone/note.md", 1002, "cannot be opened"),
    ],
)
def test_what_is_not_read_says_why(start: Start, folder: Path, name: str, code: int, why: str) -> None:
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / ".env").write_text("KEY=secret")
    server = start()
    server.begin(folder)
    error = server.ask("lens/text", {"uri": f"{folder.as_uri()}/{name}"})["error"]
    assert (error["code"], why in error["message"]) == (code, True)


def test_what_names_no_file_is_refused(start: Start, folder: Path) -> None:
    server = start()
    server.begin(folder)
    assert server.ask("lens/text", {"uri": "https://models.example/a.pdf"})["error"]["code"] == -32602
