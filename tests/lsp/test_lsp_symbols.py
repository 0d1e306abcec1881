"""Symbols: clusters to browse, and the parts of an answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.lsp.conftest import LEASE
from tests.lsp.lsp_editor import CAPABILITIES, Editor, under

Edit = Callable[..., Editor]
QUESTION = "When does the lease of the workshop end?"


def test_clusters_are_browsed_by_the_words_of_their_title(edit: Edit, tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text(f"{LEASE}\n\nThe rent of the barn is 900 euros.\n")
    editor = edit()
    assert editor.result("workspace/symbol", {"query": ""}) == []
    uri = editor.result("lens/ask", {"question": QUESTION})["answerUri"]
    editor.result("lens/ask", {"question": "What is the rent of the barn?"})
    for query in ("lens:", "lens:workshop LEASE", "workshop"):
        found = editor.result("workspace/symbol", {"query": query})
        assert (QUESTION, uri) in [(each["name"], each["location"]["uri"]) for each in found]
        assert all(each["containerName"].startswith("lens, 1 fact") for each in found)
    assert editor.result("workspace/symbol", {"query": "lens:workshop nothing"}) == []
    assert len(editor.result("workspace/symbol", {"query": ""})) == 2


def test_an_answer_has_an_outline_and_a_note_has_none_of_ours(edit: Edit, tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text(f"# C\n\n{LEASE}\n")
    editor = edit()
    uri = editor.show(Path(editor.result("lens/ask", {"question": QUESTION})["answerUri"].removeprefix("file://")))
    note = editor.show(tmp_path / "contract.md")
    assert editor.result("textDocument/documentSymbol", {"textDocument": {"uri": note}}) == []
    [whole] = editor.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert whole["name"] == QUESTION
    assert under(editor.texts[uri], whole["selectionRange"]) == f"# {QUESTION}"
    assert [under(editor.texts[uri], each["range"])[:5] for each in whole["children"]] == ["> The", "[^1]:"]


def test_an_editor_without_trees_gets_a_list(edit: Edit, tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text(f"# C\n\n{LEASE}\n")
    editor = edit(capabilities=CAPABILITIES | {"textDocument": {}})
    uri = editor.show(Path(editor.result("lens/ask", {"question": QUESTION})["answerUri"].removeprefix("file://")))
    found = editor.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert found[0]["name"] == QUESTION
    assert all("location" in each for each in found)
