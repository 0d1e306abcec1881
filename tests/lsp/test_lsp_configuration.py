"""The editor's settings, pulled and pushed: what they may do, and how a wrong one is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.lsp.configuration import combined, editor_options
from tests.lsp.conftest import LEASE
from tests.lsp.lsp_editor import CAPABILITIES, Editor

Edit = Callable[..., Editor]
ASK = {"question": "When does the lease of the workshop end?"}
PUSHING = CAPABILITIES | {"workspace": {}}


@pytest.fixture(autouse=True)
def contract(tmp_path: Path) -> Path:
    path = tmp_path / "contract.md"
    path.write_text(f"{LEASE}\n")
    return path


def paths(editor: Editor) -> list[str]:
    return [item["path"] for item in editor.result("lens/ask", ASK)["evidence"]]


def test_settings_are_pulled_and_hold_from_the_first_question_on(edit: Edit) -> None:
    assert paths(edit(settings={"exclude": ["contract.md"]})) == []
    assert paths(edit()) == ["contract.md"]


@pytest.mark.parametrize("settings", [{"lens": {"exclude": ["contract.md"]}}, {"exclude": ["contract.md"]}])
def test_settings_are_taken_where_they_are_sent(edit: Edit, settings: dict[str, Any]) -> None:
    editor = edit(capabilities=PUSHING)
    assert paths(editor) == ["contract.md"]
    editor.notify("workspace/didChangeConfiguration", {"settings": settings})
    assert paths(editor) == []
    editor.notify("workspace/didChangeConfiguration", {"settings": {}})
    assert paths(editor) == ["contract.md"]


def test_a_change_is_pulled_when_it_is_announced(edit: Edit) -> None:
    editor = edit()
    assert paths(editor) == ["contract.md"]
    editor.settings = {"exclude": ["*.md"]}
    editor.notify("workspace/didChangeConfiguration", {"settings": None})
    assert paths(editor) == []


def test_settings_may_come_with_initialize(edit: Edit) -> None:
    assert paths(edit(capabilities=PUSHING, options={"settings": {"exclude": ["*.md"]}})) == []


def test_the_change_is_registered_for_where_that_can_be_done(edit: Edit) -> None:
    more = {"didChangeConfiguration": {"dynamicRegistration": True}}
    editor = edit(capabilities=CAPABILITIES | {"workspace": CAPABILITIES["workspace"] | more})
    editor.wait(lambda: editor.notifications("client/registerCapability"))
    [registration] = editor.notifications("client/registerCapability")[0]["registrations"]
    assert registration["method"] == "workspace/didChangeConfiguration"


def test_a_bad_value_is_named_once(edit: Edit) -> None:
    editor = edit(
        fresh=True, settings={"mode": "telepathy", "diagnostics": {"notes": "yes"}, "answersFolder": "../elsewhere"}
    )
    for _ in range(2):
        assert paths(editor) == ["contract.md"]
        editor.notify("workspace/didChangeConfiguration", {"settings": None})
    editor.result("lens/ask", ASK)
    told = editor.messages()
    assert [sum(name in message for message in told) for name in ("mode", "diagnostics.notes", "answersFolder")] == [
        1,
        1,
        1,
    ]
    assert len(told) == 3


def test_what_is_wrong_in_a_projects_file_is_marked_there(edit: Edit, tmp_path: Path) -> None:
    file = tmp_path / ".lens.toml"
    file.write_text('exclude = 5\n"model.baseUrl" = "https://evil.example/v1"\n')
    editor = edit()
    editor.wait(lambda: editor.codes(file.as_uri()))
    assert set(editor.codes(file.as_uri())) == {"lens.config"}
    assert {each["severity"] for each in editor.diagnostics(file.as_uri())} == {1}
    assert "evil.example" not in str(editor.diagnostics(file.as_uri()))
    file.write_text('exclude = ["drafts/"]\n')
    editor.result("lens/ask", ASK)
    editor.notify("workspace/didChangeConfiguration", {"settings": None})
    editor.wait(lambda: editor.codes(file.as_uri()) == [])


def test_a_changed_project_file_holds_at_the_next_question(edit: Edit, tmp_path: Path) -> None:
    editor = edit()
    assert paths(editor) == ["contract.md"]
    (tmp_path / ".lens.toml").write_text('exclude = ["contract.md"]\n')
    assert paths(editor) == []


def test_an_editor_can_only_lower_the_mode(edit: Edit, tmp_path: Path) -> None:
    editor = edit(settings={"mode": "evidence"}, env={"LENS_BASE_URL": "http://127.0.0.1:9/v1", "LENS_MODEL": "m"})
    assert editor.result("lens/ask", ASK)["mode"] == "evidence"


def test_a_folders_limits_stand_apart_for_they_only_lower() -> None:
    wide = {"exclude": ["a"], "budget": {"calls": 9}, "mode": "fast", "lens.diagnostics.notes": True}
    narrow = {"exclude": ["b", "a"], "budget.calls": 4, "mode": "deep", "respectIgnoreFiles": None}
    assert combined([wide, narrow, {"budget.calls": 5, "budget.seconds": 3_600}]) == {
        "exclude": ["a", "b"],
        "budget.calls": 9,
        "workspace.budget.calls": 4,
        "workspace.budget.seconds": 3_600,
        "mode": "fast",
        "diagnostics.notes": True,
    }


def test_a_folder_has_no_say_in_the_model_and_in_what_is_searched_beside_it() -> None:
    folder = {"model": {"name": "editor", "baseUrl": "https://a.example"}, "extraRoots": ["/"], "exclude": ["x"]}
    assert combined([{}, folder]) == {"exclude": ["x"]}
    assert combined([{"model.name": "mine"}, folder]) == {"model.name": "mine", "exclude": ["x"]}
    assert combined([folder])["model.name"] == "editor"


def test_answers_are_only_written_inside_the_workspace(tmp_path: Path) -> None:
    inside, outside = tmp_path / "w", tmp_path / "o"
    inside.mkdir()
    outside.mkdir()
    (inside / "link").symlink_to(outside)
    for name in ("../o", str(outside), "link", "link/deeper", "/etc", 5, "~"):
        options, wrong = editor_options({"answersFolder": name}, [str(inside)])
        assert (options.answers, len(wrong)) == (None, 1), name
    for name in ("answers", "a/b", str(inside / "c"), "${workspaceFolder}/d"):
        options, wrong = editor_options({"lens.answersFolder": name}, [str(inside)])
        assert (str(options.answers).startswith(str(inside)), wrong) == (True, []), name
