"""``lens/passage``, ``lens/check`` and ``lens/answer``: what others may read of the workspace folders, and no more."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.lsp_client import LspProcess

Start = Callable[..., LspProcess]
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
def server(start: Start, folder: Path) -> LspProcess:
    server = start()
    server.begin(folder)
    return server


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
    question = "What does the mill cost?"
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
