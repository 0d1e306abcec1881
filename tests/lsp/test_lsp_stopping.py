"""A question that is stopped: it ends with what it found, which is kept and accounted for; nothing better is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.memory.clusters import quoted
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.judge.llm.chat_session import PROOF, QUESTION, notes, quoting, reading, served
from tests.lsp.lsp_client import LspProcess, wait_until
from tests.lsp.lsp_model import CAPABILITIES, FAR, PROMPT

Start = Callable[..., LspProcess]
TOKEN = "stop-here"
STOP = ("window/workDoneProgress/cancel", {"token": TOKEN})
PARAMS = {"question": QUESTION, "mode": "fast", "thread": "t", "workDoneToken": TOKEN}
WORDS = "It was opened on 4 May 1931 [1]."
HANGS = {"reading": 1, "reading on": 2}
"""At which of its requests the model says nothing; the first questions that nobody stops make two."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return notes(tmp_path / "w", more=12)


@pytest.fixture
def model() -> Iterator[ChatServer]:
    told = [quoting(PROOF, "partial"), quoting(PROOF, value="4 May 1931")]
    with in_thread(ChatServer(served({"read": told * 2}))) as running:
        yield running


def begun(start: Start, folder: Path, base_url: str) -> LspProcess:
    server = start(env={"HOME": str(folder.parent), "LENS_BASE_URL": base_url, "LENS_MODEL": "any"})
    server.begin(folder, capabilities=CAPABILITIES, options={"events": True})
    return server


def calls(model: ChatServer) -> int:
    """How often the model was asked; the looks for what kind of endpoint it is do not count."""
    return sum(each.path.endswith("/chat/completions") for each in list(model.requests))


def silent(model: ChatServer, at: int) -> None:
    """Have the model say nothing to its nth request from now."""
    asked = calls(model)
    model.fault = lambda: Fault.SILENCE if calls(model) - asked == at else None


def stopped(server: LspProcess, model: ChatServer, at: int, params: dict[str, Any] = PARAMS) -> dict[str, Any]:
    """The answer of a question that is stopped at its nth request."""
    silent(model, at)
    asked = calls(model)
    id_ = server.request("lens/ask", params)
    assert wait_until(lambda: calls(model) - asked == at)
    server.until(lambda: any(each["type"] == "evidenceFound" for each in server.notifications("lens/event")))
    server.notify(*STOP)
    answer = server.answer(id_)
    assert wait_until(lambda: model.open == 0)
    model.fault = None
    assert "error" not in answer, (answer, server.errors.decode())
    result: dict[str, Any] = answer["result"]
    return result


@pytest.mark.parametrize("at", HANGS.values(), ids=HANGS)
def test_it_answers_with_what_it_found_and_says_what_was_sent(
    start: Start, folder: Path, model: ChatServer, at: int
) -> None:
    server = begun(start, folder, model.base_url)
    answer = stopped(server, model, at)
    assert answer["stopped"] == "cancelled"
    [first, *_] = answer["evidence"]
    assert first["uri"] == (folder / "bridges.md").as_uri()
    assert PROOF in first["quote"]
    text = (folder / "bridges.md").read_text()
    assert text[first["span"][0] : first["span"][1]] == first["quote"]
    assert answer["ledger"]["calls"]["total"] == at == calls(model)
    assert "bridges.md" in {each["path"] for each in answer["ledger"]["sent"]}
    assert ("covered" in {need["status"] for need in answer["requirements"]}) == (at > 1)
    [booked] = server.result("lens/ledger")["questions"]
    assert booked["ledger"]["tokens"] == answer["ledger"]["tokens"]
    [thread] = server.result("lens/threads")["threads"]
    assert [(turn["typed"], turn["answerUri"]) for turn in thread["questions"]] == [(QUESTION, answer["answerUri"])]
    assert server.result("lens/status")["asks"]["running"] == 0


def test_it_streams_nothing_of_a_model_any_more(start: Start, folder: Path, model: ChatServer) -> None:
    whole = reading("yes", [(1, PROOF)], "@").index("@")
    model.reply = served()
    model.pause_after = whole // 5 + 5  # pieces: a part of the answer came
    server = begun(start, folder, model.base_url)
    id_ = server.request("lens/ask", PARAMS)
    assert wait_until(model.paused.is_set)
    server.until(lambda: any(each["type"] == "answerDelta" for each in server.notifications("lens/event")))
    server.notify(*STOP)
    answer = server.answer(id_)["result"]
    assert wait_until(lambda: model.open == 0)
    said = [each for each in server.notifications("lens/event") if each["type"] == "answerDelta"]
    assert WORDS.startswith(said[0]["text"])
    assert said[0]["checking"]
    assert any(each["restart"] for each in said)
    assert WORDS not in answer["answer"]
    assert [need["status"] for need in answer["requirements"]] == ["missing"]


def test_asked_again_it_is_worded_by_the_model(start: Start, folder: Path, model: ChatServer) -> None:
    server = begun(start, folder, model.base_url)
    stopped(server, model, HANGS["reading on"])
    answer = server.result("lens/ask", PARAMS)
    assert (answer["status"], answer["answer"].strip()) == ("answered", WORDS)
    again = server.result("lens/ask", PARAMS)
    assert (again["stopped"], again["answer"].strip()) == ("reused", WORDS)  # as any other that was whole


@pytest.mark.parametrize("at", HANGS.values(), ids=HANGS)
def test_a_whole_answer_of_before_stays(start: Start, folder: Path, model: ChatServer, at: int) -> None:
    server = begun(start, folder, model.base_url)
    whole = server.result("lens/ask", PARAMS)
    path = Path(whole["answerUri"].removeprefix("file://"))
    before = path.read_bytes()
    (folder / "newer.md").write_text(f"# Arlen\n\nOf the bridge at Arlen: {PROOF}, says the newer chronicle.\n")
    answer = stopped(server, model, at)
    assert answer["stopped"] == "cancelled"
    assert answer["answerUri"] == whole["answerUri"]
    assert path.read_bytes() == before
    [cluster] = server.result("lens/clusters")["clusters"]
    known = quoted([f"{PROOF}."])  # a model's words are in the answer file alone
    assert [(each["status"], each["answer"].strip()) for each in cluster["questions"]] == [("answered", known)]


def test_one_that_was_stopped_gives_way_to_the_next(start: Start, folder: Path, model: ChatServer) -> None:
    server = begun(start, folder, model.base_url)
    path = Path(stopped(server, model, HANGS["reading"])["answerUri"].removeprefix("file://"))
    path.write_text(path.read_text().replace("asked: ", "asked: 1999 "))  # it can be told from the next
    again = stopped(server, model, HANGS["reading on"])
    assert again["answerUri"] == path.as_uri()
    assert "asked: 1999" not in path.read_text()
    assert "\nstatus: partial\n" in path.read_text(), "not one of those that stay"


def test_a_stop_before_the_search_has_begun_is_a_cancel(start: Start, folder: Path) -> None:
    server = begun(start, folder, FAR)
    id_ = server.request("lens/ask", PARAMS)
    server.until(lambda: bool(server.notifications(PROMPT)))
    server.notify(*STOP)
    assert server.answer(id_)["error"]["code"] == -32800


def test_a_cancel_is_no_stop(start: Start, folder: Path, model: ChatServer) -> None:
    silent(model, 2)
    server = begun(start, folder, model.base_url)
    id_ = server.request("lens/ask", PARAMS)
    assert wait_until(lambda: calls(model) == 2)
    server.notify("$/cancelRequest", {"id": id_})
    assert server.answer(id_)["error"]["code"] == -32800
    assert server.result("lens/threads")["threads"] == []


def test_a_command_that_is_stopped_shows_nothing(start: Start, folder: Path, model: ChatServer) -> None:
    """Its answer would open a file, or be put into a note."""
    silent(model, 2)
    server = start(env={"HOME": str(folder.parent), "LENS_BASE_URL": model.base_url, "LENS_MODEL": "any"})
    server.replies["window/workDoneProgress/create"] = lambda _: None
    server.begin(folder, capabilities={"window": {"workDoneProgress": True}})
    asking = {"command": "lens.server.ask", "arguments": [{"question": QUESTION, "mode": "fast"}]}
    id_ = server.request("workspace/executeCommand", asking)
    assert wait_until(lambda: calls(model) == 2)
    [created] = server.notifications("window/workDoneProgress/create")
    server.notify("window/workDoneProgress/cancel", created)
    assert server.answer(id_)["error"]["code"] == -32800


def test_the_model_would_have_worded_it(start: Start, folder: Path, model: ChatServer) -> None:
    """The control: what the stops above leave out is there when nobody stops."""
    answer = begun(start, folder, model.base_url).result("lens/ask", PARAMS)
    assert (answer["stopped"], answer["answer"].strip()) == ("covered", WORDS)
    assert calls(model) == max(HANGS.values())
