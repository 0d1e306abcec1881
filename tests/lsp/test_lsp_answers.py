"""Answers as files that the editor opens, and the commands that every editor can send."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.judge.reader.tiny_reader import PROOF, write_reader
from tests.lsp.conftest import LEASE
from tests.lsp.lsp_editor import CAPABILITIES, Editor, first_mark, under

Edit = Callable[..., Editor]
QUESTION = "When does the lease of the workshop end?"
ASK = {"command": "lens.server.ask", "arguments": [QUESTION]}


@pytest.fixture(autouse=True)
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "contract.md"
    path.write_text(f"# Contract\n\n## Term\n\né漢😀 {LEASE}\n\n## Rent\n\nMonthly.\n")
    return path


def path_of(uri: str) -> Path:
    return Path(uri.removeprefix("file://"))


def test_a_command_has_the_answer_opened_as_a_file(edit: Edit) -> None:
    editor = edit()
    uri = editor.run(ASK)["answerUri"]
    editor.wait(lambda: editor.shown == [uri])
    text = path_of(uri).read_text()
    assert text.startswith("---\nlens: answer/2\n")
    assert f"{first_mark(text)}: [contract.md:5]({path_of(editor.shown[0]).parent.parent.as_uri()}" not in text
    assert LEASE in text
    assert editor.messages() == []


def test_a_request_opens_nothing_by_itself(edit: Edit) -> None:
    editor = edit()
    uri = editor.result("lens/ask", {"question": QUESTION})["answerUri"]
    assert path_of(uri).exists()
    assert (editor.shown, editor.messages()) == ([], [])


@pytest.mark.parametrize("able", [True, False])
def test_an_editor_that_opens_no_file_is_told_the_place(edit: Edit, able: bool) -> None:
    editor = edit(capabilities=CAPABILITIES | {"window": {"showDocument": {"support": able}}})
    editor.replies["window/showDocument"] = lambda params: {"success": False}
    uri = editor.run(ASK)["answerUri"]
    editor.wait(lambda: len(editor.messages()) == 1)
    assert path_of(uri).name in editor.messages()[0]
    assert "2031" in editor.messages()[0]


def test_a_question_without_an_answer_is_a_file_too(edit: Edit) -> None:
    editor = edit()
    result = editor.run({"command": "lens.server.ask", "arguments": ["Which zebra plays the oboe?"]})
    assert result["status"] == "unanswered"
    assert "status: unanswered" in path_of(result["answerUri"]).read_text()


def test_answers_go_to_the_folder_of_the_settings(edit: Edit, tmp_path: Path) -> None:
    editor = edit(settings={"answersFolder": "kept/answers"})
    uri = editor.run(ASK)["answerUri"]
    assert path_of(uri).parent == tmp_path / "kept" / "answers"
    assert "](../../contract.md#L5)" in path_of(uri).read_text()
    again = editor.run(ASK)
    assert again["answerUri"] == uri
    assert [item["path"] for item in again["evidence"]] == ["contract.md"]  # an answer proves nothing


def test_what_rests_on_a_private_note_is_told_and_not_kept(edit: Edit, tmp_path: Path, contract: Path) -> None:
    contract.write_text(f"---\nlens: private\n---\n\n{LEASE}\n")
    editor = edit()
    assert editor.run(ASK)["answerUri"] is None
    editor.wait(lambda: len(editor.messages()) == 1)
    assert "2031" in editor.messages()[0]
    assert "contract.md:5" in editor.messages()[0]


def test_what_was_answered_is_taken_up_again(edit: Edit) -> None:
    editor = edit()
    assert editor.result("lens/ask", {"question": QUESTION})["reused"] == []
    assert editor.result("lens/ask", {"question": QUESTION})["stopped"] == "reused"
    assert [each["title"] for each in editor.result("lens/clusters")["clusters"]] == [QUESTION]


def test_a_thread_knows_what_was_asked_before(edit: Edit, tmp_path: Path) -> None:
    (tmp_path / "rent.md").write_text("The rent of the workshop is 900 euros.\n")
    editor = edit()
    editor.result("lens/ask", {"question": QUESTION, "thread": "t"})
    follow = editor.result("lens/ask", {"question": "And what is its rent?", "thread": "t"})
    assert follow["typed"] == "And what is its rent?"
    assert "workshop" in follow["question"]


def test_events_stream_to_those_who_opted_in(edit: Edit) -> None:
    quiet, loud = edit(), edit(options={"events": True})
    for editor in (quiet, loud):
        number = editor.request("lens/ask", {"question": QUESTION})
        assert "result" in editor.answer(number)
    assert quiet.notifications("lens/event") == []
    events = loud.notifications("lens/event")
    assert [each["seq"] for each in events] == list(range(1, len(events) + 1))
    assert {each["request"] for each in events} == {number}
    assert {"planned", "evidenceFound", "answered", "stopped"} <= {each["type"] for each in events}


def test_an_earlier_answer_is_opened_by_question_cluster_or_uri_at_its_words(edit: Edit, tmp_path: Path) -> None:
    editor = edit(fresh=True)
    uri = editor.result("lens/ask", {"question": QUESTION})["answerUri"]
    cluster = editor.result("lens/clusters")["clusters"][0]["id"]
    places = []
    editor.replies["window/showDocument"] = lambda params: places.append(params) or {"success": True}
    lines = path_of(uri).read_text().split("\n")
    for argument in ([QUESTION], [QUESTION.lower()], [cluster], [uri], [{"answer": uri}]):
        params = {"command": "lens.server.openAnswer", "arguments": argument}
        assert editor.result("workspace/executeCommand", params) == {"opened": True}
        shown = places.pop()
        assert shown["uri"] == uri
        assert lines[shown["selection"]["start"]["line"]].startswith("> é漢😀 The lease of the workshop ends")
    for argument in (["never asked"], ["file:///etc/passwd"]):
        params = {"command": "lens.server.openAnswer", "arguments": argument}
        assert "error" in editor.ask("workspace/executeCommand", params)


def test_passages_are_found_with_places_and_listed_in_a_file(edit: Edit, contract: Path) -> None:
    editor = edit()
    found = editor.result("lens/find", {"query": "lease of the workshop", "limit": 1})
    assert (found["schema"], found["answerUri"]) == ("lens.evidence/2", None)
    [item] = found["evidence"]
    assert item["uri"] == contract.as_uri()
    assert under(contract.read_text(), item["range"]) == item["quote"]
    listed = editor.run({"command": "lens.server.find", "arguments": ["lease of the workshop"]})
    editor.wait(lambda: editor.shown == [listed["answerUri"]])
    uri = editor.show(path_of(listed["answerUri"]))
    assert editor.result("textDocument/definition", editor.at(uri, "[^1]"))[0]["uri"] == contract.as_uri()


def test_the_reader_orders_passages_where_that_is_asked_for(
    edit: Edit, contract: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime has no package for this machine")
    folder = tmp_path_factory.mktemp("reader")
    write_reader(folder / "reader")
    (contract.parent / "stone.md").write_text(f"# Stone\n\nOf the lease {'nothing is said here. ' * 9}It is {PROOF}.\n")
    editor, query = edit(env={"LENS_READER": str(folder / "reader")}), {"query": "lease of the workshop"}
    plain, ordered = (editor.result("lens/find", query | {"rerank": rerank}) for rerank in (False, True))
    assert [plain["evidence"][0]["path"], ordered["evidence"][0]["path"]] == [contract.name, "stone.md"]
    assert ("reranked" in plain, ordered["reranked"], ordered["warnings"]) == (False, True, [])


def test_what_was_learnt_is_listed_and_forgotten(edit: Edit) -> None:
    editor = edit()
    assert editor.result("lens/clusters") == {"schema": "lens.clusters/1", "clusters": []}
    uri = editor.result("lens/ask", {"question": QUESTION})["answerUri"]
    listed = editor.run({"command": "lens.server.find", "arguments": ["Monthly"]})["answerUri"]
    [cluster] = editor.result("lens/clusters")["clusters"]
    assert cluster["facts"]
    assert editor.result("lens/clusters", {"ids": ["none"]})["clusters"] == []
    for wrong in ({}, {"ids": [cluster["id"]], "all": True}):
        assert editor.ask("lens/forget", wrong)["error"]["code"] == 1001
    gone = editor.result("lens/forget", {"all": True})
    assert gone["clusters"] == [cluster["id"]]
    assert not path_of(uri).exists()
    assert not path_of(listed).exists()
    assert editor.result("lens/clusters")["clusters"] == []


def test_a_wrong_answer_is_withdrawn_by_a_request_and_by_a_command(edit: Edit) -> None:
    editor = edit()
    for n in range(2):
        asked = editor.result("lens/ask", {"question": QUESTION})
        assert (asked["status"], asked["warnings"]) == ("answered", [])
        [cluster] = editor.result("lens/clusters")["clusters"]
        if n:
            said = editor.run({"command": "lens.server.wrong", "arguments": [cluster["id"]]})
        else:
            said = editor.result("lens/wrong", {"ids": [cluster["id"]]})
        assert (said["schema"], [check["question"] for check in said["checks"]]) == ("lens.wrong/1", [QUESTION])
        assert editor.result("lens/clusters")["clusters"] == []
        again = editor.result("lens/ask", {"question": QUESTION})
        assert again["status"] != "answered"
        assert again["warnings"] == [f"left out, because you called it wrong: {asked['shortAnswer']}"]
        assert editor.result("lens/clusters")["clusters"] == []
        editor.result("lens/forget", {"all": True})
    assert editor.ask("lens/wrong", {"ids": []})["error"]


def test_a_question_that_is_asked_anew_takes_up_nothing_that_was_proven(edit: Edit) -> None:
    editor = edit()
    asked = [editor.result("lens/ask", {"question": QUESTION, "anew": anew}) for anew in (False, False, True)]
    assert [each["stopped"] for each in asked] == ["covered", "reused", "covered"]
    assert asked[0]["shortAnswer"] == asked[2]["shortAnswer"] == "2031"
    editor.result("lens/forget", {"all": True})


def test_the_ledger_says_what_questions_cost(edit: Edit) -> None:
    editor = edit()
    editor.result("lens/ask", {"question": QUESTION})
    ledger = editor.result("lens/ledger")
    assert ledger["today"]["calls"] == 0
    assert [each["question"] for each in ledger["questions"]] == [QUESTION]
    assert ledger["questions"][0]["ledger"]["sent"] == []
    assert editor.result("lens/ledger", {"questions": 0})["questions"] == []


def test_an_answer_holds_nothing_that_breaks_the_protocol(edit: Edit, contract: Path) -> None:
    contract.write_text('The lease of "jsonrpc" {"jsonrpc": "2.0"} ends on 30 June 2031.\n')
    editor = edit()
    result = editor.result("lens/ask", {"question": "When does the lease of jsonrpc end?"})
    assert json.loads(json.dumps(result))["evidence"]
