"""What a client's views are made of: events of a question, what would be sent, clusters, threads, what was sent."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.judge.llm.chat_session import PROOF, QUESTION, notes
from tests.lsp.lsp_client import SERVE, LspProcess, environment
from tests.lsp.lsp_editor import Editor
from tests.lsp.lsp_model import CAPABILITIES, FAR, PROMPT, Played, choosing, prompts

Edit = Callable[..., Editor]
Start = Callable[..., LspProcess]
FAR_MODEL = {"LENS_BASE_URL": FAR, "LENS_MODEL": "far"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return notes(tmp_path / "w", more=2)


@pytest.mark.parametrize("token", ["mine", 7, None])
def test_events_carry_the_token_of_their_question(start: Start, folder: Path, token: object) -> None:
    server = start()
    server.begin(folder, options={"events": True})
    params = {"question": QUESTION} | ({} if token is None else {"workDoneToken": token})
    id_ = server.request("lens/ask", params)
    assert "result" in server.answer(id_)
    events = server.notifications("lens/event")
    assert {(event["token"], event["request"]) for event in events} == {(token, id_)}
    assert [event["type"] for event in events][-2:] == ["answered", "stopped"]


def test_a_dry_run_says_what_the_command_line_says_and_sends_nothing(
    start: Start, folder: Path, tmp_path: Path
) -> None:
    server = start(env={"HOME": str(tmp_path), **FAR_MODEL})
    server.replies[PROMPT] = choosing("Send")
    server.begin(folder, capabilities=CAPABILITIES)
    told = server.result("lens/ask", {"question": QUESTION, "dryRun": True})
    command = [*SERVE[:-1], "ask", "--dry-run", "--json", QUESTION, str(folder)]
    env = environment(tmp_path, **FAR_MODEL)
    typed = json.loads(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
    assert told.keys() == typed.keys()
    for key in ("schema", "mode", "endpoint"):
        assert told[key] == typed[key]
    assert [request["stage"] for request in told["requests"]] == [request["stage"] for request in typed["requests"]]
    assert [{key: each[key] for key in each if key != "uri"} for each in told["sent"]] == typed["sent"]
    assert (folder / "bridges.md").as_uri() in {each["uri"] for each in told["sent"]}
    assert any(PROOF in message["text"] for request in told["requests"] for message in request["messages"])
    assert prompts(server) == []
    assert server.result("lens/clusters")["clusters"] == []
    assert server.result("lens/ledger")["questions"] == []


def test_a_dry_run_by_rules_sends_nothing(edit: Edit, folder: Path) -> None:
    server = edit(folder)
    told = server.result("lens/ask", {"question": QUESTION, "dryRun": True})
    assert told == {"schema": "lens.dry-run/1", "mode": "evidence", "endpoint": None, "requests": [], "sent": []}


def test_what_was_sent_is_listed_with_its_files(start: Start, folder: Path, tmp_path: Path) -> None:
    server = start(env={"HOME": str(tmp_path)})
    server.replies |= {PROMPT: choosing("Send"), "lens/model": Played()}
    options = {"model": True, "settings": {"model": {"name": "editor"}}}
    server.begin(folder, capabilities=CAPABILITIES, options=options)
    answer = server.result("lens/ask", {"question": QUESTION})
    ledger = server.result("lens/ledger")
    [asked] = ledger["questions"]
    assert asked["answerUri"] == answer["answerUri"] is not None
    assert (folder / "bridges.md").as_uri() in {sent["uri"] for sent in asked["ledger"]["sent"]}
    assert ledger["today"]["calls"] == answer["ledger"]["calls"]["total"] > 0


def fresh(server: LspProcess) -> dict[str, int]:
    [cluster] = server.result("lens/clusters", {"fresh": True})["clusters"]
    found: dict[str, int] = cluster["freshness"]
    return found


def test_clusters_name_their_files_and_how_fresh_they_are(edit: Edit, folder: Path) -> None:
    server = edit(folder)
    answer = server.result("lens/ask", {"question": QUESTION})
    [cluster] = server.result("lens/clusters")["clusters"]
    assert cluster["freshness"] is None
    assert [asked["answerUri"] for asked in cluster["questions"]] == [answer["answerUri"]]
    source = folder / "bridges.md"
    assert {citation["uri"] for citation in cluster["citations"]} == {source.as_uri()}
    none = {"verified": 0, "moved": 0, "withdrawn": 0, "unverifiable": 0}
    assert fresh(server) == none | {"verified": 1}
    text = source.read_text()
    source.write_text(f"Another beginning.\n\n{text}")
    assert fresh(server) == none | {"moved": 1}
    server.open(source.as_uri(), text)  # what is open wins over the disk
    assert fresh(server) == none | {"verified": 1}
    server.notify("textDocument/didClose", {"textDocument": {"uri": source.as_uri()}})
    source.write_text("# Bridges\n")
    assert fresh(server) == none | {"withdrawn": 1}


def test_answers_in_a_folder_of_the_workspace_are_found_there(start: Start, folder: Path) -> None:
    server = start()
    server.begin(folder, options={"settings": {"answersFolder": "answers"}})
    answer = server.result("lens/ask", {"question": QUESTION})
    assert answer["answerUri"].startswith((folder / "answers").as_uri())
    [cluster] = server.result("lens/clusters")["clusters"]
    assert cluster["questions"][0]["answerUri"] == answer["answerUri"]


def test_threads_are_listed_with_their_questions(edit: Edit, folder: Path) -> None:
    server = edit(folder)
    assert server.result("lens/threads") == {"schema": "lens.threads/1", "threads": []}
    first = server.result("lens/ask", {"question": QUESTION, "thread": "bridges"})
    server.result("lens/ask", {"question": "How many metres does it span?", "thread": "bridges"})
    server.result("lens/ask", {"question": QUESTION, "thread": "again"})
    threads: list[dict[str, Any]] = server.result("lens/threads", {})["threads"]
    assert [thread["name"] for thread in threads] == ["again", "bridges"]
    bridges = threads[1]
    assert bridges["workspace"] == str(folder)
    assert [question["typed"] for question in bridges["questions"]] == [QUESTION, "How many metres does it span?"]
    assert bridges["questions"][0]["answerUri"] == first["answerUri"]
    assert bridges["asked"] == bridges["questions"][-1]["asked"]
    [cluster] = [each for each in server.result("lens/clusters")["clusters"] if each["title"] == QUESTION]
    assert bridges["questions"][0]["cluster"] == cluster["id"]
