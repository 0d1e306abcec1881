"""An earlier answer goes into a note as a block that checks out; one that lies in the store works as one inside."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from tests.judge.llm.chat_session import PROOF, QUESTION, notes
from tests.lsp.lsp_editor import CAPABILITIES, Editor, under

Edit = Callable[..., Editor]
INSERT = "lens.server.insertAnswer"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return notes(tmp_path / "w", more=2)


def path_of(uri: str) -> Path:
    return Path(unquote(urlparse(uri).path))


def insert(editor: Editor, uri: str, words: str, answer: str = QUESTION) -> dict[str, Any]:
    position = editor.at(uri, words)["position"]
    argument = {"uri": uri, "position": position, "answer": answer}
    message: dict[str, Any] = editor.ask("workspace/executeCommand", {"command": INSERT, "arguments": [argument]})
    return message


@pytest.mark.parametrize("named", ["uri", "question", "cluster"])
def test_an_answer_goes_below_the_paragraph_and_checks_out(edit: Edit, folder: Path, named: str) -> None:
    editor = edit(folder)
    answer = editor.result("lens/ask", {"question": QUESTION})
    [cluster] = editor.result("lens/clusters")["clusters"]
    which = {"uri": answer["answerUri"], "question": QUESTION, "cluster": cluster["id"]}[named]
    (folder / "sub").mkdir()
    note = folder / "sub" / "note.md"
    note.write_text("# Plan\n\nFirst line\nof a paragraph.\n\nAnother.\n")
    uri = editor.show(note)
    assert insert(editor, uri, "First", which)["result"] == {"inserted": True}
    text = editor.texts[uri]
    found = re.fullmatch(
        r"# Plan\n\nFirst line\nof a paragraph\.\n\n<!-- lens:begin (\w+) -->.*?<!-- lens:end \1 -->\n\nAnother\.\n",
        text,
        re.DOTALL,
    )
    assert found is not None, text
    [id_] = re.findall(r"\[\^(q\d\w+)\]: \[bridges\.md:5\]\(\.\./bridges\.md#L5\)", text)
    records = (folder / ".lens" / "citations.jsonl").read_text()
    assert records.startswith(f'{{"id":"{id_}",')
    note.write_text(text)
    report = editor.result("lens/recheck", {"uri": uri})
    assert {citation["state"] for citation in report["citations"]} == {"verified"}
    assert report["unreadable"] == []
    [place] = editor.result("textDocument/definition", editor.at(uri, f"[^{id_}]"))
    assert place["uri"] == (folder / "bridges.md").as_uri()
    assert under((folder / "bridges.md").read_text(), place["range"]) == f"{PROOF}."


def test_a_second_one_goes_behind_the_first_with_another_name(edit: Edit, folder: Path) -> None:
    editor = edit(folder)
    editor.result("lens/ask", {"question": QUESTION})
    uri = editor.show(folder / "plan.md", "End without a line end")
    assert insert(editor, uri, "End")["result"] == {"inserted": True}
    assert insert(editor, uri, "lens:begin")["result"] == {"inserted": True}
    names = re.findall(r"lens:(begin|end) (\w+)", editor.texts[uri])
    assert [kind for kind, _ in names] == ["begin", "end", "begin", "end"]
    assert names[0][1] == names[1][1] != names[2][1] == names[3][1]


def test_a_block_whose_source_changed_is_asked_again_in_its_place(edit: Edit, folder: Path) -> None:
    editor = edit(folder)
    editor.result("lens/ask", {"question": QUESTION})
    note = folder / "plan.md"
    uri = editor.show(note, "End\n")
    assert insert(editor, uri, "End")["result"] == {"inserted": True}
    note.write_text(editor.texts[uri])
    bridges = folder / "bridges.md"
    bridges.write_text(bridges.read_text().replace("1931", "1933"))
    editor.wait(lambda: "lens.citation-drifted" in editor.codes(uri))
    problem = next(each for each in editor.diagnostics(uri) if each["code"] == "lens.citation-drifted")
    actions = editor.actions(uri, problem["range"], diagnostics=[problem], only=["quickfix"])
    assert [each["title"].partition(":")[0] for each in actions] == ["Ask again", "Check citations again"]
    before = editor.texts[uri]
    editor.run(actions[0]["command"])
    editor.wait(lambda: editor.texts[uri] != before)
    assert editor.texts[uri].count("lens:begin") == 1
    assert "1933" in editor.texts[uri]
    assert editor.texts[uri].startswith("End\n")
    remarks = [re.findall(r"^\*[^*\n]+\*$", each, re.MULTILINE) for each in (before, editor.texts[uri])]
    assert len(remarks[0]) == 1  # who judged the answer
    assert remarks[0] == remarks[1]


def test_a_block_says_who_judged_it_when_the_same_answer_takes_its_place(edit: Edit, folder: Path) -> None:
    editor = edit(folder)
    editor.result("lens/ask", {"question": QUESTION})
    uri = editor.show(folder / "plan.md", "End\n")
    assert insert(editor, uri, "End")["result"] == {"inserted": True}
    before = editor.texts[uri]
    [*_, again] = editor.result("textDocument/codeLens", {"textDocument": {"uri": uri}})
    assert again["command"]["title"] == "Ask again"
    editor.run(again["command"])
    editor.wait(lambda: [each["method"] for each in editor.said].count("workspace/applyEdit") == 2)
    assert editor.texts[uri] == before


def test_lines_end_as_those_of_the_note(edit: Edit, folder: Path) -> None:
    editor = edit(folder)
    editor.result("lens/ask", {"question": QUESTION})
    uri = editor.show(folder / "plan.md", "One\r\n\r\nTwo\r\n")
    insert(editor, uri, "One")
    assert "\n" not in editor.texts[uri].replace("\r\n", "")


def test_what_was_changed_or_is_no_answer_is_not_inserted(edit: Edit, folder: Path) -> None:
    editor = edit(folder)
    answer = path_of(editor.result("lens/ask", {"question": QUESTION})["answerUri"])
    uri = editor.show(folder / "plan.md", "One\n")
    kept, _, footnote = answer.read_text().rpartition('"The bridge')
    answer.write_text(f'{kept}"No bridge{footnote}')
    assert "was changed" in insert(editor, uri, "One")["error"]["message"]
    answer.write_text("---\nlens: answer/1\n")
    assert "was changed" in insert(editor, uri, "One")["error"]["message"]
    answer.unlink()
    assert insert(editor, uri, "One", QUESTION)["error"]["code"] == -32803
    for wanted in ("nobody asked this", (folder / "bridges.md").as_uri(), "file:///etc/passwd"):
        assert insert(editor, uri, "One", wanted)["error"]["code"] == -32803
    assert editor.texts[uri] == "One\n"


def test_a_text_that_is_not_open_is_left_alone(edit: Edit, folder: Path) -> None:
    editor = edit(folder)
    editor.result("lens/ask", {"question": QUESTION})
    argument = {"uri": (folder / "bridges.md").as_uri(), "position": {"line": 0, "character": 0}, "answer": QUESTION}
    error = editor.ask("workspace/executeCommand", {"command": INSERT, "arguments": [argument]})["error"]
    assert "open" in error["message"]


def test_an_answer_in_the_store_is_one_wherever_it_lies(edit: Edit, folder: Path) -> None:
    linking = CAPABILITIES | {"textDocument": CAPABILITIES["textDocument"] | {"documentLink": {}}}
    editor = edit(folder, capabilities=linking)
    file = path_of(editor.result("lens/ask", {"question": QUESTION})["answerUri"])
    assert folder not in file.parents
    uri = editor.show(file)
    source = (folder / "bridges.md").as_uri()
    mark = editor.at(uri, "[^1]")
    assert PROOF in editor.result("textDocument/hover", mark)["contents"]["value"]
    [place] = editor.result("textDocument/definition", mark)
    assert (place["uri"], under((folder / "bridges.md").read_text(), place["range"])) == (source, f"{PROOF}.")
    heading = editor.at(uri, f"# {QUESTION}")
    references = editor.result("textDocument/references", heading | {"context": {"includeDeclaration": True}})
    assert [each["uri"] for each in references] == [source]
    links = editor.result("textDocument/documentLink", {"textDocument": {"uri": uri}})
    assert editor.result("documentLink/resolve", links[0])["target"].startswith(f"{source}#L5")
    (folder / "bridges.md").write_text("# Bridges\n")
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": source, "type": 2}]})
    editor.wait(lambda: "lens.citation-drifted" in editor.codes(uri))
    assert editor.result("lens/recheck", {"uri": uri})["counts"]["withdrawn"] == 1
