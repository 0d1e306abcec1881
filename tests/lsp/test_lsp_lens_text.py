"""``lens/text``, ``lens/passage``, ``lens/check`` and ``lens/answer``: what documents say, as others may read them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from lens_lsp.lsp.lens_text import PAGE, pages_of
from lens_lsp.model.text import SourceText, Span
from tests.lsp.lsp_client import LspProcess
from tests.lsp.lsp_editor import Editor

Edit = Callable[..., Editor]

SAID = "The mill costs 40 EUR a month."
CELLS = ["# Sums\n\nA mill and a bridge.\n", f"## Costs\n\n{SAID}\n"]


@pytest.fixture
def notebooks(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    cells = [{"cell_type": "markdown", "metadata": {}, "source": [cell]} for cell in CELLS]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (tmp_path / "w" / "sums.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "w" / "note.md").write_text("# Note\n\nWords.\n")
    return tmp_path / "w"


def test_the_text_of_a_notebook_is_the_one_that_its_evidence_counts_in(edit: Edit, notebooks: Path) -> None:
    server = edit(notebooks)
    found = server.result("lens/find", {"query": "How much does the mill cost?"})["evidence"]
    [evidence] = [each for each in found if SAID in each["quote"]]
    text: dict[str, Any] = server.result("lens/text", {"uri": (notebooks / "sums.ipynb").as_uri()})
    begin, end = evidence["span"]
    assert text["text"][begin:end] == evidence["quote"]
    assert (text["reader"], text["sha256"]) == (evidence["reader"], evidence["sha256"])
    at = begin + evidence["quote"].index(SAID)  # the place is that of the match
    before = [each["locator"] for each in text["locators"] if each["start"] <= at]
    assert before[-1] == evidence["locator"]


def test_an_open_text_is_given_as_it_is(edit: Edit, notebooks: Path) -> None:
    server = edit(notebooks)
    uri = (notebooks / "note.md").as_uri()
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
def test_what_is_not_read_says_why(edit: Edit, notebooks: Path, name: str, code: int, why: str) -> None:
    (notebooks / "picture.png").write_bytes(b"\x89PNG")
    (notebooks / ".env").write_text("KEY=secret")
    server = edit(notebooks)
    error = server.ask("lens/text", {"uri": f"{notebooks.as_uri()}/{name}"})["error"]
    assert (error["code"], why in error["message"]) == (code, True)


def test_what_names_no_file_is_refused(edit: Edit, notebooks: Path) -> None:
    server = edit(notebooks)
    assert server.ask("lens/text", {"uri": "https://models.example/a.pdf"})["error"]["code"] == -32602


SECRET = "sk-proj-" + "Q7w2Zt9LmB4xVn8RkC3yHd6PfG1sJa5E" * 2
TEXT = f"# Mill\r\n\r\nThe mill costs 40 EUR.\r\n\u200bIts key is {SECRET} for now.\r\nThe end.\r\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "mill.md").write_bytes(TEXT.encode())
    (folder / "mine.md").write_text("---\nlens: private\n---\n\nThe boat costs 77 EUR.\n")
    (folder / "left.md").write_text("The attic is left out.\n")
    (folder / ".lensignore").write_text("left.md\n")
    (tmp_path / "out.md").write_text("Outside.\n")
    (folder / "link.md").symlink_to(tmp_path / "out.md")
    return folder


@pytest.fixture
def server(edit: Edit, folder: Path) -> LspProcess:
    return edit(folder)


def passage(server: LspProcess, folder: Path, name: str, **more: Any) -> dict[str, Any]:
    return dict(server.result("lens/passage", {"uri": f"{folder.as_uri()}/{name}", **more}))


def state(server: LspProcess, folder: Path, quote: str, *, model: bool = False, **more: Any) -> tuple[str, Any]:
    citation = {"uri": (folder / "mill.md").as_uri(), "quote": quote, **more}
    result = server.result("lens/check", {"citations": [citation], "forModel": model})
    [checked] = result["citations"]
    return checked["state"], checked["lines"]


def test_lines_and_spans_of_a_file(server: LspProcess, folder: Path) -> None:
    whole = passage(server, folder, "mill.md")
    assert whole["text"] == TEXT.rstrip("\r\n")
    assert (whole["lines"], whole["totalLines"], whole["cleaned"]) == ([1, 5], 5, False)
    assert whole["sha256"] == hashlib.sha256(TEXT.encode()).hexdigest()
    part = passage(server, folder, "mill.md", lines=[3, 3])
    assert part["text"] == "The mill costs 40 EUR."
    start, end = part["span"]
    assert TEXT[start:end] == part["text"]
    assert passage(server, folder, "mill.md", span=[start + 4, start + 8])["lines"] == [3, 3]
    assert passage(server, folder, "mill.md", lines=[5, 900])["text"] == "The end."


def test_a_model_gets_neither_secrets_nor_what_is_private(server: LspProcess, folder: Path) -> None:
    for lines in ([1, 5], [4, 4]):
        told = passage(server, folder, "mill.md", lines=lines, forModel=True)
        assert told["cleaned"]
        assert SECRET not in told["text"]
        assert "Its key is [[SECRET:" in told["text"]
        assert "\u200b" not in told["text"]
    uri = (folder / "mine.md").as_uri()
    assert "77 EUR" in passage(server, folder, "mine.md")["text"]
    assert server.ask("lens/passage", {"uri": uri, "forModel": True})["error"]["code"] == -32803


@pytest.mark.parametrize(
    ("name", "code"), [("left.md", -32803), ("link.md", -32803), ("../out.md", 1003), ("gone.md", -32803)]
)
def test_what_a_search_does_not_read_is_not_read(server: LspProcess, folder: Path, name: str, code: int) -> None:
    uri = f"{folder.as_uri()}/{name}"
    assert server.ask("lens/passage", {"uri": uri})["error"]["code"] == code
    result = server.result("lens/check", {"citations": [{"uri": uri, "quote": "Outside."}]})
    assert result["citations"][0]["state"] == "broken"


def test_citations_that_are_held(server: LspProcess, folder: Path) -> None:
    quote = "The mill costs 40 EUR."
    sha256 = hashlib.sha256(TEXT.encode()).hexdigest()
    at = TEXT.index(quote)
    full = {"sha256": sha256, "span": [at, at + len(quote)]}
    for given in ({}, {"lines": [3, 3]}, {"sha256": sha256}, full):
        assert state(server, folder, quote, **given) == ("verified", [3, 3])
    assert state(server, folder, quote, lines=[1, 1]) == ("moved", [3, 3])
    assert state(server, folder, "The mill costs 41 EUR.") == ("drifted", None)
    assert state(server, folder, quote, sha256=sha256, span=[0, 1]) == ("drifted", None)
    (folder / "mill.md").write_text("First.\n" + TEXT)
    assert state(server, folder, quote, **full) == ("moved", [4, 4])
    alone = {"before": None, "after": None}
    assert state(server, folder, quote, beside=alone, **full) == ("drifted", None)


def test_a_quote_that_a_model_was_given_cleaned_is_known_again(server: LspProcess, folder: Path) -> None:
    cleaned = passage(server, folder, "mill.md", lines=[4, 4], forModel=True)
    given = {"sha256": cleaned["sha256"], "span": cleaned["span"]}
    assert state(server, folder, cleaned["text"], model=True, **given) == ("verified", [4, 4])
    wrong = cleaned["text"].replace("Its", "The")
    assert state(server, folder, wrong, model=True, **given)[0] == "drifted"
    (folder / "mill.md").write_bytes(TEXT.replace("for now", "today").encode())
    assert state(server, folder, cleaned["text"], model=True, **given)[0] == "drifted"


def test_only_answers_are_given_as_answers(server: LspProcess, folder: Path) -> None:
    question = "Which files mention 40 EUR?"
    answer = server.result("lens/ask", {"question": question, "mode": "evidence"})
    kept = server.result("lens/answer", {"answer": answer["answerUri"]})
    assert "40 EUR" in kept["text"]
    checked = [{key: each[key] for key in each if key not in ("label", "altered")} for each in kept["citations"]]
    states = server.result("lens/check", {"citations": checked})["citations"]
    assert {each["state"] for each in states} == {"verified"}
    for name in ("mill.md", "link.md", "gone.md"):
        assert server.ask("lens/answer", {"answer": f"{folder.as_uri()}/{name}"})["error"]["code"] == -32803


def test_an_answer_for_a_model_lacks_what_is_private(server: LspProcess, folder: Path) -> None:
    asked = {"question": "What does the boat cost?", "mode": "evidence"}
    assert "77 EUR" in str(server.result("lens/ask", asked))
    told = server.result("lens/ask", {**asked, "forModel": True})
    assert "77 EUR" not in str(told)
    assert "private notes" in told["answer"]


def test_long_text_is_read_page_by_page(server: LspProcess, folder: Path) -> None:
    text = "".join(f"Line {n} of the long note says nothing.\r\n" for n in range(1, 501))
    (folder / "long.md").write_bytes(text.encode())
    first = passage(server, folder, "long.md", page=1)
    pages = [first, *(passage(server, folder, "long.md", page=n) for n in range(2, first["pages"] + 1))]
    assert len(pages) > 2
    assert [each["page"] for each in pages] == list(range(1, len(pages) + 1))
    assert [each["truncated"] for each in pages] == [True] * (len(pages) - 1) + [False]
    assert {each["total"] for each in pages} == {len(text.rstrip())}
    assert "\r\n".join(each["text"] for each in pages) == text.rstrip()
    for each in pages:
        start, end = each["span"]
        assert text[start:end] == each["text"]
        assert 5_000 < len(each["text"]) <= 6_000 or each is pages[-1]
        assert text[:start].count("\n") + 1 == each["lines"][0]
        assert each["lines"][1] - each["lines"][0] == each["text"].count("\n")
    beyond = server.ask("lens/passage", {"uri": (folder / "long.md").as_uri(), "page": len(pages) + 1})["error"]
    assert (beyond["code"], f"{len(pages)} pages" in beyond["message"]) == (-32803, True)
    some = passage(server, folder, "long.md", lines=[7, 9], page=1)
    assert (some["lines"], some["pages"], some["truncated"]) == ([7, 9], 1, False)
    assert server.ask("lens/passage", {"uri": (folder / "long.md").as_uri(), "page": 0})["error"]["code"] == -32602


def test_all_that_was_asked_for_comes_without_a_page(server: LspProcess, folder: Path) -> None:
    whole = passage(server, folder, "mill.md")
    assert (whole["page"], whole["pages"], whole["truncated"]) == (None, None, False)
    assert whole["total"] == len(whole["text"])
    (folder / "huge.md").write_text("Much.\n" * 30_000)
    huge = passage(server, folder, "huge.md")
    assert (huge["truncated"], huge["total"]) == (True, 30_000 * 6 - 1)


@hypothesis.given(st.text(alphabet="a\r\n", min_size=0, max_size=60), st.integers(0, 3))
def test_pages_leave_out_nothing_but_line_ends(text: str, long: int) -> None:
    text = text + "b" * (PAGE * long) + text
    pages = pages_of(SourceText(text), Span(0, len(text)))
    at = 0
    for page in pages:
        assert set(text[at : page.start]) <= {"\r", "\n"}
        assert len(page) <= PAGE or page is pages[-1]
        at = page.end
    assert at == len(text)


def test_a_secret_that_two_pages_share_is_in_neither(server: LspProcess, folder: Path) -> None:
    (folder / "split.md").write_text("x" * (PAGE - 20) + f" {SECRET} " + "y" * 100)
    texts = [passage(server, folder, "split.md", page=n, forModel=True)["text"] for n in (1, 2)]
    assert all(SECRET[:15] not in text and SECRET[-15:] not in text for text in texts)
    assert "[[SECRET:" in texts[0]
