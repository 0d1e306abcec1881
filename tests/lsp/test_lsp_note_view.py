"""A note shows where its claims stand, by default and with a fresh store: hints, folds, struck-through words, the way
back from a source, and one action for all that moved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lens_lsp.memory.answer_files import write_answer
from tests.lsp.lsp_editor import CAPABILITIES, Editor
from tests.memory.test_answer_files import saved
from tests.memory.test_notes import LEASE, RENT, put

Edit = Callable[..., Editor]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "w"
    (root / "house").mkdir(parents=True)
    (root / "house" / "contract.md").write_text(f"# Contract\n\n{LEASE}\n\n{RENT}\n")
    put(root, "notes/n.md")
    return root


DEPRECATED = 2
TAGGING = CAPABILITIES | {
    "textDocument": CAPABILITIES["textDocument"] | {"publishDiagnostics": {"tagSupport": {"valueSet": [1, 2]}}}
}


def hints(editor: Editor, uri: str) -> list[str]:
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    asked = {"textDocument": {"uri": uri}, "range": whole}
    return [each["label"] for each in editor.result("textDocument/inlayHint", asked)]


def test_a_note_shows_where_its_claims_stand(edit: Edit, folder: Path) -> None:
    editor = edit(folder, capabilities=TAGGING)
    note = folder / "notes" / "n.md"
    uri = editor.show(note)
    assert hints(editor, uri) == ["✓", "✓"]
    [fold] = editor.result("textDocument/foldingRange", {"textDocument": {"uri": uri}})
    lines = editor.texts[uri].split("\n")
    assert lines[fold["startLine"]].startswith("[^q")
    assert lines[fold["endLine"]] == "<!-- lens:end q1 -->"
    contract = folder / "house" / "contract.md"
    contract.write_text(f"# Contract\n\nNew.\n\n{LEASE}\n\n{RENT.replace('900', '901')}\n")
    editor.wait(lambda: {"lens.citation-moved", "lens.citation-drifted"} <= {*editor.codes(uri)})
    assert hints(editor, uri) == ["↷", "✗"]
    tags = {each["code"]: each.get("tags") for each in editor.diagnostics(uri)}
    assert tags["lens.citation-drifted"] == [DEPRECATED]
    assert tags["lens.citation-moved"] is None


def test_an_answer_file_is_folded_down_to_its_heading(edit: Edit, folder: Path) -> None:
    """As imports, which editors fold by themselves: all above the heading is for programs."""
    (folder / "answer.md").write_text(write_answer(saved(folder=str(folder))).text)
    editor = edit(folder)
    uri = editor.show(folder / "answer.md")
    [front] = [
        fold
        for fold in editor.result("textDocument/foldingRange", {"textDocument": {"uri": uri}})
        if fold["kind"] == "imports"
    ]
    lines = editor.texts[uri].split("\n")
    assert front["startLine"] == 0
    assert lines[front["endLine"] + 1].startswith("# ")


def test_all_that_moved_is_mended_by_one_action(edit: Edit, folder: Path) -> None:
    editor = edit(folder)
    (folder / "house" / "contract.md").write_text(f"# Contract\n\nNew.\n\n{LEASE}\n\n{RENT}\n")
    (folder / "deep" / "er").mkdir(parents=True)
    uri = editor.show((folder / "notes" / "n.md").rename(folder / "deep" / "er" / "m.md"))
    editor.wait(lambda: editor.codes(uri) == ["lens.citation-moved", "lens.citation-moved"])
    problem = editor.diagnostics(uri)[0]
    actions = editor.actions(uri, problem["range"], diagnostics=[problem], only=["quickfix"])
    [mend] = [each for each in actions if each["title"].startswith("Cite all 2")]
    for change in mend["edit"]["documentChanges"]:
        editor.edit(uri, change["edits"])
    assert "[house/contract.md:5](../../house/contract.md#L5)" in editor.texts[uri]
    editor.wait(lambda: editor.codes(uri) == [])
    assert hints(editor, uri) == ["✓", "✓"]


def test_the_way_back_is_found_in_the_notes_themselves(edit: Edit, folder: Path) -> None:
    (folder / "mine.md").write_text(
        "See [it](house/contract.md#L3), [[contract#Contract]]\nand [all](house/contract.md).\n"
    )
    editor = edit(folder)
    uri = editor.show(folder / "house" / "contract.md")
    note, mine = (folder / "notes" / "n.md").as_uri(), (folder / "mine.md").as_uri()

    def places(words: str) -> list[tuple[str, int]]:
        asked = editor.at(uri, words) | {"context": {"includeDeclaration": True}}
        found = editor.result("textDocument/references", asked)
        return [(each["uri"], each["range"]["start"]["line"]) for each in found]

    [cited, linked] = places("The lease")
    assert cited[0] == note
    assert linked == (mine, 0)
    assert places("# Contract") == [(mine, 0), (mine, 1)]
    told = editor.result("textDocument/hover", editor.at(uri, "The rent"))["contents"]["value"]
    assert "cited by 1 answer" in told
    assert "n.md" in told
    assert editor.result("textDocument/hover", editor.at(uri, "# Contract")) is None


def test_footnotes_follow_files_that_the_editor_renames(edit: Edit, folder: Path) -> None:
    editor = edit(folder)
    house, note = folder / "house", folder / "notes" / "n.md"
    renames = [(house, folder / "home"), (note, folder / "n2.md")]
    files = [{"oldUri": old.as_uri(), "newUri": new.as_uri()} for old, new in renames]
    changes = editor.result("workspace/willRenameFiles", {"files": files})["changes"]
    assert [*changes] == [note.as_uri()]
    uri = editor.show(note)
    editor.edit(uri, changes[uri])
    assert "[home/contract.md:3](home/contract.md#L3)" in editor.texts[uri]
    for old, new in renames:
        old.rename(new)
    (folder / "n2.md").write_text(editor.texts[uri])
    moved = editor.show(folder / "n2.md")
    assert hints(editor, moved) == ["✓", "✓"]
    other = {"oldUri": (folder / "x.md").as_uri(), "newUri": (folder / "y.md").as_uri()}
    assert editor.result("workspace/willRenameFiles", {"files": [other]}) is None
