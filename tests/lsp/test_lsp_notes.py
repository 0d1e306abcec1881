"""Asking inside a note: code actions and lenses, and the answer as a block below its question."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lsp.conftest import LEASE
from tests.lsp.lsp_editor import CAPABILITIES, Editor, under

Edit = Callable[..., Editor]
QUESTION = "When does the lease of the workshop end?"
NOTE = f"# Plans\n\n- [ ] ?? {QUESTION}\n\nThe rest stays.\n"


@pytest.fixture(autouse=True)
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "contract.md"
    path.write_text(f"# Contract\n\n{LEASE}\n")
    return path


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text(NOTE)
    return path


def asked_in(editor: Editor, uri: str) -> None:
    """Ask the note's question by its code action, and wait for the block."""
    before = editor.texts[uri]
    [action] = editor.actions(uri, editor.over(uri, "?? When"))
    assert action["title"] == "Ask"
    editor.run(action["command"])
    editor.wait(lambda: editor.texts[uri] != before)


def test_a_line_that_asks_has_an_action_and_a_lens(edit: Edit, note: Path) -> None:
    editor = edit()
    uri = editor.show(note, f"{NOTE}\n??? no question\n\n??\n\nwhat ?? is in the middle\n\n> ?? And this?\n")
    lenses = editor.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [each["command"]["title"] for each in lenses] == ["Ask", "Ask"]
    assert [under(editor.texts[uri], each["range"]) for each in lenses] == [f"- [ ] ?? {QUESTION}", "> ?? And this?"]
    assert [each["title"] for each in editor.actions(uri, editor.over(uri, "And this?"))] == ["Ask"]
    nowhere = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}}
    assert editor.actions(uri, nowhere) == []
    assert editor.actions(uri, editor.over(uri, "And this?"), only=["quickfix"]) == []
    assert len(editor.actions(uri, editor.over(uri, "And this?"), only=["refactor"])) == 1


def test_the_answer_goes_below_the_line_as_a_block_that_can_be_checked(edit: Edit, note: Path) -> None:
    editor = edit()
    uri = editor.show(note)
    asked_in(editor, uri)
    text = editor.texts[uri]
    lines = text.split("\n")
    assert lines[:3] == NOTE.split("\n")[:3]
    assert lines[3].startswith("<!-- lens:begin q")
    assert text.endswith("-->\n\nThe rest stays.\n")
    assert re.search(r"^> .*30 June 2031.* \[\^q\d\w+\]$", text, re.MULTILINE)
    assert '{"' not in text
    assert "](contract.md#L3)" in text
    assert editor.shown == []
    note.write_text(text)
    assert editor.result("lens/recheck", {"uri": uri})["counts"]["verified"] == 1
    edits = [message["params"] for message in editor.said if message["method"] == "workspace/applyEdit"]
    assert [each["label"] for each in edits] == ["Lens: answer"]
    records = note.parent / ".lens" / "citations.jsonl"
    editor.wait(records.exists)
    told = [each for each in editor.messages() if str(records) in each]
    assert len(told) == len(records.read_text().splitlines()) == 1


def test_asking_again_replaces_the_block(edit: Edit, note: Path, contract: Path) -> None:
    editor = edit()
    uri = editor.show(note)
    asked_in(editor, uri)
    contract.write_text(f"# Contract\n\n{LEASE.replace('2031', '2045')}\n")
    asked_in(editor, uri)
    text = editor.texts[uri]
    assert text.count("lens:begin") == text.count("lens:end") == 1
    assert ("2045" in text, "2031" in text) == (True, False)
    assert text.endswith("-->\n\nThe rest stays.\n")


def test_a_block_stays_with_its_line_when_the_question_is_reworded(edit: Edit, note: Path) -> None:
    editor = edit()
    uri = editor.show(note)
    asked_in(editor, uri)
    [first] = re.findall(r"lens:begin (\w+)", editor.texts[uri])
    editor.type(uri, f"?? {QUESTION}", "?? When does the workshop lease end?")
    [action] = editor.actions(uri, editor.over(uri, "?? When"))
    editor.run(action["command"])
    editor.wait(lambda: [message["method"] for message in editor.said].count("workspace/applyEdit") == 2)
    assert re.findall(r"lens:begin (\w+)", editor.texts[uri]) == [first]


def test_one_question_asked_twice_in_a_note_has_two_blocks(edit: Edit, note: Path) -> None:
    editor = edit()
    uri = editor.show(note, f"?? {QUESTION}\n\nbetween\n\n?? {QUESTION}\n")
    for number in (1, 0):
        lenses = editor.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
        before = editor.texts[uri]
        editor.run(lenses[number]["command"])
        editor.wait(lambda before=before: editor.texts[uri] != before)
    ids = re.findall(r"lens:begin (\w+)", editor.texts[uri])
    assert len(set(ids)) == 2
    first, second = editor.texts[uri].split("between")
    assert ids[0] in first
    assert ids[1] in second


def test_an_answer_in_a_note_has_lenses_to_check_it_and_to_ask_again(edit: Edit, note: Path) -> None:
    editor = edit()
    uri = editor.show(note)
    asked_in(editor, uri)
    answered = editor.texts[uri]
    lenses = editor.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert [each["command"]["title"] for each in lenses] == ["Ask", "Check citations again", "Ask again"]
    block = answered.split("\n").index(next(line for line in answered.split("\n") if "lens:begin" in line))
    assert all(each["range"]["start"]["line"] >= block for each in lenses[1:])
    editor.run(lenses[1]["command"])
    edits = [message for message in editor.said if message["method"] == "workspace/applyEdit"]
    editor.run(lenses[2]["command"])
    editor.wait(lambda: len([each for each in editor.said if each["method"] == "workspace/applyEdit"]) > len(edits))
    assert editor.texts[uri].count("lens:begin") == 1


def test_a_block_without_an_end_is_never_replaced(edit: Edit, note: Path) -> None:
    editor = edit()
    mine = f"?? {QUESTION}\n<!-- lens:begin q1 {{}} -->\n\nwords of mine\n"
    broken = mine.replace("{}", '{"roots": ["."], "sources": []}')
    uri = editor.show(note, broken)
    [action] = [each for each in editor.actions(uri, editor.over(uri, "?? When")) if each["title"] == "Ask"]
    editor.run(action["command"])
    editor.wait(lambda: editor.shown)
    assert editor.texts[uri] == broken
    assert any("could not be put into the note" in message for message in editor.messages())


def test_line_ends_of_the_note_are_kept(edit: Edit, note: Path) -> None:
    editor = edit()
    uri = editor.show(note, NOTE.replace("\n", "\r\n"))
    asked_in(editor, uri)
    assert editor.texts[uri].count("\n") == editor.texts[uri].count("\r\n")


def test_a_question_at_the_very_end_gets_its_block(edit: Edit, note: Path) -> None:
    editor = edit()
    uri = editor.show(note, f"?? {QUESTION}")
    asked_in(editor, uri)
    assert editor.texts[uri].startswith(f"?? {QUESTION}\n<!-- lens:begin ")
    assert editor.texts[uri].endswith("-->\n")


def test_a_note_that_is_edited_meanwhile_gets_the_block_at_its_question(edit: Edit, note: Path) -> None:
    editor = edit()
    uri = editor.show(note)
    refused = []

    def busy(params: object) -> object:
        if not refused:
            refused.append(params)
            editor.type(uri, "# Plans\n", "# Plans\n\ntyped meanwhile\n")
            return {"applied": False}
        return apply(params)

    apply = editor.replies["workspace/applyEdit"]
    editor.replies["workspace/applyEdit"] = busy
    [action] = editor.actions(uri, editor.over(uri, "?? When"))
    editor.run(action["command"])
    editor.wait(lambda: "lens:end" in editor.texts[uri])
    lines = editor.texts[uri].split("\n")
    assert lines[lines.index(f"- [ ] ?? {QUESTION}") + 1].startswith("<!-- lens:begin")


def test_who_declines_the_edit_is_not_asked_again(edit: Edit, note: Path) -> None:
    editor = edit()
    uri = editor.show(note)
    asked: list[object] = []

    def decline(params: object) -> object:
        asked.append(params)
        return {"applied": False}

    editor.replies["workspace/applyEdit"] = decline
    [action] = editor.actions(uri, editor.over(uri, "?? When"))
    editor.run(action["command"])
    editor.wait(lambda: editor.shown)
    assert len(asked) == 1
    assert editor.texts[uri] == NOTE


def test_a_question_that_is_gone_has_its_answer_opened_as_a_file(edit: Edit, note: Path) -> None:
    editor = edit()
    uri = editor.show(note)
    [action] = editor.actions(uri, editor.over(uri, "?? When"))
    editor.type(uri, f"- [ ] ?? {QUESTION}\n", "")
    editor.run(action["command"])
    editor.wait(lambda: editor.shown)
    assert "lens:begin" not in editor.texts[uri]


def test_an_editor_that_takes_no_edits_gets_the_file(edit: Edit, note: Path) -> None:
    editor = edit(capabilities={key: value for key, value in CAPABILITIES.items() if key != "workspace"})
    uri = editor.show(note)
    [action] = editor.actions(uri, editor.over(uri, "?? When"))
    editor.run(action["command"])
    editor.wait(lambda: editor.shown)


def test_what_is_private_goes_only_into_a_private_note(edit: Edit, note: Path, contract: Path) -> None:
    contract.write_text(f"---\nlens: private\n---\n\n{LEASE}\n")
    for head, expected in (("", False), ("---\nlens: private\n---\n\n", True)):
        editor = edit()
        uri = editor.show(note, head + NOTE)
        asked_in(editor, uri)
        assert ("30 June 2031" in editor.texts[uri]) is expected


def test_neither_the_line_nor_the_block_is_ever_evidence(edit: Edit, tmp_path: Path, note: Path) -> None:
    question = "When is the lease of the garden signed?"
    (tmp_path / "contract.md").write_text("Beans.\n")
    editor = edit()
    uri = editor.show(note, f"?? {question} The lease of the garden is signed on 1 May 2044.\n")
    [action] = editor.actions(uri, editor.over(uri, "?? When"))
    assert editor.run(action["command"])["evidence"] == []


def test_a_selection_can_be_asked_about_and_looked_for(edit: Edit, tmp_path: Path) -> None:
    editor = edit()
    sentence = "The lease of the workshop ends on 30 June 2031, I think."
    (tmp_path / "draft.md").write_text(f"# Draft\n\n{sentence}\n")
    uri = editor.show(tmp_path / "draft.md")
    actions = editor.actions(uri, editor.over(uri, sentence))
    assert [each["title"] for each in actions] == ["Ask about this", "Find evidence for this sentence"]
    for action in actions:
        editor.shown.clear()
        result = editor.run(action["command"])
        assert result["evidence"][0]["path"] == "contract.md"
        assert not any("I think" in item["quote"] for item in result["evidence"])  # never the selection itself
        editor.wait(lambda result=result: editor.shown == [result["answerUri"]])
