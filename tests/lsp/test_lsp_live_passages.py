"""Passages for what is typed: as symbols of the workspace, and as citations to choose behind ``cite:``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lens_lsp.memory.notes import read_note
from tests.lsp.conftest import LEASE
from tests.lsp.lsp_editor import CAPABILITIES, Editor, first_mark, place, under

Edit = Callable[..., Editor]
QUESTION = "When does the lease of the workshop end?"
RENT = "The rent of the barn is 900 euros."
CANCELLED = -32800


@pytest.fixture(autouse=True)
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "house" / "contract.md"
    path.parent.mkdir()
    path.write_text(f"# Contract\n\n## Term\n\né漢😀 {LEASE}\n\n## Rent\n\n{RENT}\n")
    (tmp_path / "garden.md").write_text("# Garden\n\nBeans and peas.\n")
    return path


def test_the_passage_that_find_gives_first_is_the_first_symbol(edit: Edit, contract: Path) -> None:
    editor = edit()
    for query in (QUESTION, "workshop lease", "rent of the barn", "beans"):
        first, *_ = editor.result("lens/find", {"query": query})["evidence"]
        symbol, *_ = editor.result("workspace/symbol", {"query": query})
        where = symbol["location"]
        assert where["uri"] == first["uri"]
        lines = [first["range"][end]["line"] for end in ("start", "end")]
        assert lines[0] <= where["range"]["start"]["line"] <= where["range"]["end"]["line"] <= lines[1]
        assert symbol["name"] in first["quote"]
    [symbol, *_] = editor.result("workspace/symbol", {"query": QUESTION})
    assert symbol["name"] == f"é漢😀 {LEASE}"
    assert symbol["containerName"] == "house/contract.md › Contract › Term"
    assert under(contract.read_text(), symbol["location"]["range"]) == f"é漢😀 {LEASE}"


def test_clusters_come_behind_the_passages_and_alone_behind_their_prefix(edit: Edit, contract: Path) -> None:
    contract.write_text(f"{LEASE}\n\n{RENT}\n")
    editor = edit()
    assert editor.result("workspace/symbol", {"query": ""}) == []
    uri = editor.result("lens/ask", {"question": QUESTION})["answerUri"]
    editor.result("lens/ask", {"question": "What is the rent of the barn?"})
    for query in ("lens:", "lens:workshop LEASE"):
        found = editor.result("workspace/symbol", {"query": query})
        assert (QUESTION, uri) in [(each["name"], each["location"]["uri"]) for each in found]
        assert all(each["containerName"].startswith("lens, 1 fact") for each in found)
    *passages, cluster = editor.result("workspace/symbol", {"query": "workshop"})
    assert cluster["name"] == QUESTION
    assert [each["containerName"].partition(" ")[0] for each in passages] == ["house/contract.md"]
    assert editor.result("workspace/symbol", {"query": "lens:workshop nothing"}) == []
    assert len(editor.result("workspace/symbol", {"query": ""})) == 2


def test_of_what_is_typed_only_the_last_is_searched_on(edit: Edit) -> None:
    editor = edit()
    queries = [QUESTION[:length] for length in range(3, len(QUESTION))]
    answers = [editor.answer(number) for number in [editor.request("workspace/symbol", {"query": q}) for q in queries]]
    assert answers[-1]["result"][0]["name"] == f"é漢😀 {LEASE}"
    assert {each["error"]["code"] for each in answers if "error" in each} == {CANCELLED}
    assert editor.result("lens/status")["asks"]["running"] == 0


def test_no_progress_and_no_message_comes_while_one_types(edit: Edit, tmp_path: Path) -> None:
    window = CAPABILITIES["window"] | {"workDoneProgress": True}
    editor = edit(capabilities=CAPABILITIES | {"window": window})
    editor.result("workspace/symbol", {"query": "workshop"})
    alone = edit(fresh=True)
    alone.move(settings={})
    assert alone.result("workspace/symbol", {"query": "workshop"}) == []
    for each in (editor, alone):
        assert not [said for said in each.said if said["method"] in ("$/progress", "window/workDoneProgress/create")]
        assert each.messages() == []


def test_a_chosen_citation_takes_the_place_of_what_was_typed(edit: Edit, tmp_path: Path) -> None:
    editor = edit()
    (tmp_path / "plans").mkdir()
    text = "# Plans\n\nWe stay until then, cite:when does the lease end\n"
    uri = editor.show(tmp_path / "plans" / "note.md", text)
    where = {"textDocument": {"uri": uri}, "position": place(text, len(text) - 1)}
    found = editor.result("textDocument/completion", where)
    assert found["isIncomplete"]
    first = min(found["items"], key=lambda each: each["sortText"])
    assert (first["label"], first["detail"]) == (f"é漢😀 {LEASE}", "house/contract.md:5")
    assert first["filterText"] == under(text, first["textEdit"]["range"]) == "cite:when does the lease end"
    assert not any("We stay" in each["label"] for each in found["items"])
    editor.edit(uri, [*first["additionalTextEdits"], first["textEdit"]])
    mark = first_mark(editor.texts[uri])
    written = f'{mark}: [house/contract.md:5](../house/contract.md#L5) "é漢😀 {LEASE}"'
    assert editor.texts[uri] == f"# Plans\n\nWe stay until then, {mark}\n\n{written}\n"
    [location] = editor.result("textDocument/definition", editor.at(uri, "[^1]"))
    assert location["uri"].endswith("/house/contract.md")
    editor.wait(lambda: editor.codes(uri) == [])


@pytest.mark.parametrize("suffix", ["md", "org", "rst", "adoc", "tex", "typ", "txt"])
def test_it_is_written_as_the_text_cites_and_can_be_checked(edit: Edit, tmp_path: Path, suffix: str) -> None:
    editor = edit()
    note = tmp_path / f"note.{suffix}"
    text = "Mine.\n\nUntil then cite:rent of the barn"
    uri = editor.show(note, text)
    found = editor.result("textDocument/completion", {"textDocument": {"uri": uri}, "position": place(text, len(text))})
    first = min(found["items"], key=lambda each: each["sortText"])
    assert "additionalTextEdits" not in first  # it would touch the edit
    editor.edit(uri, [first["textEdit"]])
    written = editor.texts[uri]
    (read,) = read_note(written, str(note), None).written
    assert read.reference is not None
    assert read.reference.quote.rstrip(".") == RENT.rstrip(".")
    note.write_text(written)
    assert editor.result("lens/recheck", {"uri": uri})["counts"]["verified"] == 1


@pytest.mark.parametrize("line", ["the lease", "cite:", "cite:x", "excite: the lease", "[[lease", "cite: lease"])
def test_nothing_is_completed_where_no_citation_is_wanted(edit: Edit, tmp_path: Path, line: str) -> None:
    editor = edit()
    uri = editor.show(tmp_path / "note.md", line)
    where = {"textDocument": {"uri": uri}, "position": place(line, len(line))}
    found = editor.result("textDocument/completion", where)
    assert found is None or found["items"] == []


def test_a_note_shows_what_it_asks_and_cites_and_an_answer_its_parts(edit: Edit, tmp_path: Path) -> None:
    editor = edit()
    note = editor.show(tmp_path / "note.md", f"# Plans\n\n?? {QUESTION}\n\n## Later\n\n?? What is open?\n")
    [action] = editor.actions(note, editor.over(note, "?? When"))
    editor.run(action["command"])
    editor.wait(lambda: "lens:end" in editor.texts[note])
    first, second = editor.result("textDocument/documentSymbol", {"textDocument": {"uri": note}})
    assert (first["name"], second["name"]) == (QUESTION, "What is open?")
    assert [each["kind"] for each in first["children"]] == [15, 14]
    assert "30 June 2031" in first["children"][0]["name"]
    assert second["children"] == []
    plain = editor.show(tmp_path / "garden.md")
    assert editor.result("textDocument/documentSymbol", {"textDocument": {"uri": plain}}) == []
    answer = editor.result("lens/ask", {"question": QUESTION})["answerUri"]
    uri = editor.show(Path(answer.removeprefix("file://")))
    [whole] = editor.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert whole["name"] == QUESTION
    assert under(editor.texts[uri], whole["selectionRange"]) == f"# {QUESTION}"
    assert [each["kind"] for each in whole["children"]] == [15, 14]
