"""Passages for an editor's chat model: nothing private, nothing secret."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.lsp.lsp_editor import Editor

Edit = Callable[..., Editor]
SECRET = "sk-proj-" + "Q7w2Zt9LmB4xVn8RkC3yHd6PfG1sJa5E" * 2
NOTES = {
    "open.md": "# Workshop\n\nThe lease of the workshop ends on 30 June 2031.\n",
    "mine.md": "---\nlens: private\n---\n\n# Workshop\n\nThe lease of the workshop costs too much.\n",
    "keys.md": f"# Workshop {SECRET}\n\nThe lease of the workshop is paid with {SECRET}, says the bank.\n",
}
QUERY = "the lease of the workshop"


def notes(folder: Path) -> None:
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")


def test_a_person_finds_what_is_private_and_secret(edit: Edit, tmp_path: Path) -> None:
    notes(tmp_path)
    found = edit().result("lens/find", {"query": QUERY})
    assert {"open.md", "mine.md", "keys.md"} <= {item["path"] for item in found["evidence"]}
    assert SECRET in str(found)


def test_a_model_gets_nothing_private_and_no_secret(edit: Edit, tmp_path: Path) -> None:
    notes(tmp_path)
    found = edit().result("lens/find", {"query": QUERY, "forModel": True})
    by_path = {item["path"]: item for item in found["evidence"]}
    assert "open.md" in by_path
    assert "mine.md" not in {*by_path, *(document["path"] for document in found["documents"])}
    assert "private passages that a model is not given: 1" in found["warnings"]
    assert "costs too much" not in str(found)
    assert SECRET not in str(found)
    marks = re.findall(r"\[\[SECRET:[^]]+\]\]", by_path["keys.md"]["quote"])
    assert len(marks) == 2
    assert len(set(marks)) == 1
    assert by_path["keys.md"]["uri"] == (tmp_path / "keys.md").as_uri()
