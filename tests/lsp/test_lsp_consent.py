"""Consent is asked of the user through the editor, once for an endpoint, and kept where the command line keeps it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.judge.llm.chat_session import QUESTION, notes
from tests.lsp.lsp_client import SERVE, LspProcess, Refusal, environment
from tests.lsp.lsp_model import CAPABILITIES, FAR, PROMPT, choosing, consents, prompts

Start = Callable[..., LspProcess]
ORIGIN = "https://models.invalid"
FAR_MODEL = {"LENS_BASE_URL": FAR, "LENS_MODEL": "far"}
CONSENT = 1015


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return notes(tmp_path / "w", more=2)


def begun(start: Start, folder: Path, title: str | None, home: Path) -> LspProcess:
    server = start(env={"HOME": str(home), **FAR_MODEL})
    server.replies[PROMPT] = choosing(title)
    server.begin(folder, capabilities=CAPABILITIES)
    return server


def test_the_user_is_told_the_host_and_how_much_would_be_sent(start: Start, folder: Path, tmp_path: Path) -> None:
    server = begun(start, folder, None, tmp_path)
    error = server.ask("lens/ask", {"question": QUESTION})["error"]
    assert (error["code"], error["data"]) == (CONSENT, {"code": "lens.consent"})
    assert "Evidence" not in error["message"]
    assert "mode evidence" in error["message"]
    [asked] = prompts(server)
    assert ORIGIN in asked
    assert "far" in asked
    assert str(folder) in asked
    assert "excerpt" in asked.split(" from ")[0]
    assert "tokens" in asked
    assert re.search(r"\([1-9][0-9,]* bytes, about", asked)
    [params] = server.notifications(PROMPT)
    assert [action["title"] for action in params["actions"]] == ["Send", "Evidence only"]


def test_evidence_only_answers_this_question_by_rules_and_is_not_remembered(
    start: Start, folder: Path, tmp_path: Path
) -> None:
    server = begun(start, folder, "Evidence only", tmp_path)
    for _ in range(2):
        answer = server.result("lens/ask", {"question": QUESTION})
        assert (answer["mode"], answer["status"], answer["ledger"]["endpoint"]) == ("evidence", "answered", None)
    assert len(prompts(server)) == 2
    assert list(tmp_path.rglob("consent.json")) == []


def test_a_yes_is_remembered_as_the_command_line_remembers_it(start: Start, folder: Path, tmp_path: Path) -> None:
    server = begun(start, folder, "Send", tmp_path)
    for _ in range(2):
        answer = server.result("lens/ask", {"question": QUESTION})
        assert (answer["mode"], answer["stopped"]) == ("fast", "model-failed")
    assert len(prompts(server)) == 1
    assert consents(tmp_path) == [{"workspace": str(folder), "origin": ORIGIN}]
    command = [*SERVE[:-1], "consent", "list"]
    listed = subprocess.run(command, env=environment(tmp_path), capture_output=True, encoding="utf-8", check=True)
    assert listed.stdout == f"{ORIGIN}  {folder}\n"


def test_questions_that_wait_share_one_prompt(start: Start, folder: Path, tmp_path: Path) -> None:
    server = start(env={"HOME": str(tmp_path), **FAR_MODEL})
    server.begin(folder, capabilities=CAPABILITIES)
    ids = [server.request("lens/ask", {"question": f"{QUESTION} {number}"}) for number in range(6)]
    server.until(lambda: len(prompts(server)) == 1)
    assert server.result("lens/find", {"query": QUESTION})["evidence"]  # nothing waits for the user but these
    [asked] = [message for message in server.said if message["method"] == PROMPT]
    server.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"title": "Evidence only"}})
    assert {server.answer(id_)["result"]["mode"] for id_ in ids} == {"evidence"}
    assert len(prompts(server)) == 1


def test_a_question_that_nobody_answers_can_be_cancelled_and_is_taken_back(
    start: Start, folder: Path, tmp_path: Path
) -> None:
    server = start(env={"HOME": str(tmp_path), **FAR_MODEL})
    server.begin(folder, capabilities=CAPABILITIES)
    ids = [server.request("lens/ask", {"question": QUESTION}) for _ in range(2)]
    server.until(lambda: len(prompts(server)) == 1)
    [asked] = [message for message in server.said if message["method"] == PROMPT]
    server.notify("$/cancelRequest", {"id": ids[0]})
    assert server.answer(ids[0])["error"]["code"] == -32800
    assert server.notifications("$/cancelRequest") == []  # another one waits for it still
    server.notify("$/cancelRequest", {"id": ids[1]})
    assert server.answer(ids[1])["error"]["code"] == -32800
    server.until(lambda: server.notifications("$/cancelRequest") == [{"id": asked["id"]}])
    server.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"title": "Send"}})  # too late
    assert server.result("lens/status", {"judge": True})["judge"]["consent"] == "missing"
    server.replies[PROMPT] = choosing("Evidence only")
    assert server.result("lens/ask", {"question": QUESTION})["mode"] == "evidence"
    assert b"incident" not in server.errors


@pytest.mark.parametrize("reply", [Refusal(-32601, "no"), {"title": "Yes"}, {"title": 7}, 7, "Send"])
def test_whatever_else_the_client_says_is_no_consent(start: Start, folder: Path, tmp_path: Path, reply: object) -> None:
    server = start(env={"HOME": str(tmp_path), **FAR_MODEL})
    server.replies[PROMPT] = lambda _: reply
    server.begin(folder, capabilities=CAPABILITIES)
    assert server.ask("lens/ask", {"question": QUESTION})["error"]["code"] == CONSENT
    assert list(tmp_path.rglob("consent.json")) == []


def test_a_client_that_cannot_ask_is_told_what_to_do(start: Start, folder: Path, tmp_path: Path) -> None:
    server = start(env={"HOME": str(tmp_path), **FAR_MODEL})
    server.begin(folder)
    error = server.ask("lens/ask", {"question": QUESTION})["error"]
    assert "lens ask --yes" in error["message"]
    assert prompts(server) == []


def test_consent_that_cannot_be_remembered_holds_for_the_question(start: Start, folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("in the way")
    server = start(env={"HOME": str(tmp_path), "XDG_DATA_HOME": str(kept), **FAR_MODEL})
    server.replies[PROMPT] = choosing("Send")
    server.begin(folder, capabilities=CAPABILITIES)
    assert server.result("lens/ask", {"question": QUESTION})["stopped"] == "model-failed"
    assert any("could not be remembered" in each["message"] for each in server.notifications("window/showMessage"))


def test_an_endpoint_on_this_machine_needs_none(start: Start, folder: Path, tmp_path: Path) -> None:
    server = start(env={"HOME": str(tmp_path), "LENS_BASE_URL": "http://127.0.0.1:9/v1", "LENS_MODEL": "near"})
    server.replies[PROMPT] = choosing("Send")
    server.begin(folder, capabilities=CAPABILITIES)
    assert server.result("lens/ask", {"question": QUESTION})["stopped"] == "model-failed"
    assert prompts(server) == []
    judge = server.result("lens/status", {"judge": True})["judge"]
    assert judge == {
        "mode": "fast",
        "endpoint": "http://127.0.0.1:9",
        "model": "near",
        "consent": "local",
        "problem": None,
    }


def test_each_workspace_folder_needs_its_own(start: Start, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "more.md").write_text("More about bridges.\n")
    begun(start, folder, "Send", tmp_path).result("lens/ask", {"question": QUESTION})
    server = start(env={"HOME": str(tmp_path), **FAR_MODEL})
    server.replies[PROMPT] = choosing("Send")
    server.begin(folder, other, capabilities=CAPABILITIES)
    server.result("lens/ask", {"question": QUESTION})
    [asked] = prompts(server)
    assert str(other) in asked
    assert consents(tmp_path) == [{"workspace": os.fspath(each), "origin": ORIGIN} for each in sorted([folder, other])]


@pytest.mark.parametrize("always", [False, True], ids=["an open text", "an open text of extraRoots"])
def test_an_open_text_outside_the_folders_needs_consent_of_its_own(
    start: Start, folder: Path, tmp_path: Path, always: bool
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "more.md").write_text("More about bridges.\n")
    config = tmp_path / "config.toml"
    config.write_text(f'extraRoots = ["{other}"]\n' if always else "")
    server = start(env={"HOME": str(tmp_path), "LENS_CONFIG": str(config), **FAR_MODEL})
    server.replies[PROMPT] = choosing("Send")
    server.begin(folder, capabilities=CAPABILITIES)
    inside = {"scope": {"uri": next(folder.rglob("*.md")).as_uri()}}
    server.result("lens/ask", {"question": QUESTION, **inside})
    assert consents(tmp_path) == [{"workspace": str(folder), "origin": ORIGIN}]
    uri = (other / "more.md").as_uri()
    server.open(uri, "More about bridges.\n")
    server.replies[PROMPT] = choosing(None)
    refused = server.ask("lens/ask", {"question": QUESTION, "scope": {"uri": uri}})
    assert refused["error"]["code"] == CONSENT
    assert [str(other) in asked for asked in prompts(server)] == [False, True]
    assert str(folder) not in prompts(server)[1]
    server.result("lens/ask", {"question": QUESTION, **inside})
    assert len(prompts(server)) == 2


def test_a_thread_needs_the_consent_of_the_folder_whose_store_knows_it(
    start: Start, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "more.md").write_text("More about bridges.\n")
    server = begun(start, folder, None, tmp_path / "home")
    uri = (tmp_path / "more.md").as_uri()
    server.open(uri, "More about bridges.\n")
    for thread in ({}, {"thread": "bridges"}):
        server.ask("lens/ask", {"question": QUESTION, "scope": {"uri": uri}, **thread})
    assert [str(folder) in asked for asked in prompts(server)] == [False, True]
