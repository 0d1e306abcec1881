"""Diagnostics of notes that nobody opened: all of them, in parts where the client takes these, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.memory.notes import MARKDOWN, ORG
from tests.lsp.lsp_client import LspProcess, environment
from tests.lsp.lsp_editor import Editor
from tests.lsp.test_lsp_elsewhere import PULLING
from tests.memory.test_notes import LEASE, RENT, put

Edit = Callable[..., Editor]
Reports = Mapping[str, dict[str, Any]]
METHOD = "workspace/diagnostic"
NOTES = {"one.md": MARKDOWN, "three.org": ORG, "two.md": MARKDOWN}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source that three notes of the workspace cite, and one beside them does not."""
    path = tmp_path / "house" / "contract.md"
    path.parent.mkdir()
    path.write_text(f"# Contract\n\n{LEASE}\n\n{RENT}\n")
    for name, syntax in NOTES.items():
        put(tmp_path, f"notes/{name}", syntax)
    (tmp_path / "notes" / "plain.md").write_text("# Nothing is cited here\n")
    return path


def asking(reports: Reports, **more: object) -> dict[str, object]:
    return {"previousResultIds": [{"uri": each["uri"], "value": each["resultId"]} for each in reports.values()], **more}


def named(items: list[dict[str, Any]]) -> Reports:
    return {Path(each["uri"]).name: each for each in items}


def change(editor: Editor, source: Path, old: str, new: str) -> None:
    written = source.with_suffix(".new")
    written.write_text(source.read_text().replace(old, new))
    written.replace(source)  # at once: a held request checks at any time and must not meet half a file
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": source.as_uri(), "type": 2}]})


def test_every_note_is_told_of_until_it_is_as_it_was(edit: Edit, source: Path) -> None:
    editor = edit(capabilities=PULLING)
    held = editor.request(METHOD, asking({}))  # where nothing is wrong it is held until something is
    change(editor, source, "2031", "2041")
    found = named(editor.answer(held)["result"]["items"])
    assert sorted(found) == sorted(NOTES)
    for each in found.values():
        assert each["kind"] == "full"
        assert {item["code"] for item in each["items"]} == {"lens.citation-drifted", "lens.answer-stale"}
    held = editor.request(METHOD, asking(found))
    assert editor.result("lens/status", {})
    assert held not in editor.answers
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": source.as_uri(), "type": 2}]})
    same = editor.answer(held)["result"]["items"]
    assert {(Path(each["uri"]).name, each["kind"], each["resultId"]) for each in same} == {
        (name, "unchanged", each["resultId"]) for name, each in found.items()
    }
    held = editor.request(METHOD, asking(found))
    change(editor, source, "2041", "2031")
    mended = named(editor.answer(held)["result"]["items"])
    assert {name: (each["kind"], each["items"]) for name, each in mended.items()} == dict.fromkeys(NOTES, ("full", []))


def test_a_note_that_is_opened_or_deleted_is_left_to_its_own_request(edit: Edit, source: Path) -> None:
    editor = edit(capabilities=PULLING)
    source.write_text(source.read_text().replace("900", "901"))
    found = named(editor.result(METHOD, asking({}))["items"])
    notes = source.parent.parent / "notes"
    uri = editor.show(notes / "one.md")
    (notes / "two.md").unlink()
    assert editor.result("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"]
    held = editor.request(METHOD, asking(found))
    after = named(editor.answer(held)["result"]["items"])
    assert {name: (each["kind"], each.get("items")) for name, each in after.items()} == {
        "one.md": ("full", []),
        "two.md": ("full", []),
        "three.org": ("unchanged", None),
    }


def test_a_client_that_takes_parts_gets_each_note_as_it_is_checked(edit: Edit, source: Path) -> None:
    editor = edit(capabilities=PULLING)
    source.unlink()
    assert editor.result(METHOD, asking({}, partialResultToken="all"))["items"] == []
    parts = [each["value"]["items"] for each in editor.notifications("$/progress") if each["token"] == "all"]
    assert sorted(named([each for part in parts for each in part])) == sorted(NOTES)
    assert max(map(len, parts)) == 1


def test_who_wants_no_diagnostics_in_notes_has_none_of_those_that_are_closed(edit: Edit, source: Path) -> None:
    editor = edit(capabilities=PULLING, settings={"diagnostics": {"notes": False}})
    source.unlink()
    held = editor.request(METHOD, asking({}))
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": source.as_uri(), "type": 3}]})
    assert editor.answer(held)["result"]["items"] == []


@pytest.mark.parametrize(
    ("client", "offered"),
    [
        (None, True),
        ({"name": "Visual Studio Code", "version": "1.0.0"}, True),
        ({"name": "Neovim", "version": "0.12.4"}, False),
        ({"name": "Neovim"}, False),
        ({"name": "Neovim", "version": "0.13.0-dev"}, True),
        ({"name": "Neovim", "version": "1.0.0"}, True),
    ],
)
def test_a_neovim_that_would_forget_open_texts_is_offered_none(
    client: dict[str, object] | None, offered: bool, tmp_path: Path
) -> None:
    with LspProcess(environment(tmp_path)) as server:
        provider = server.begin(tmp_path, capabilities=PULLING, client=client)["capabilities"]["diagnosticProvider"]
    assert provider == {"identifier": "lens", "interFileDependencies": True, "workspaceDiagnostics": offered}
