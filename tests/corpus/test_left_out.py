"""What is hidden or cannot be used is named with reason and place, and nothing sound is; a missing folder is told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lens_lsp.app.composition import find
from lens_lsp.app.lens import Lens
from lens_lsp.app.request import Request
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.model.documents import Part, PartReason, Skip, SkipReason
from lens_lsp.model.errors import PathNotFound
from lens_lsp.schema.answer import coverage_json
from tests.soak.coverage import control, judged
from tests.soak.left_out import QUESTION, lay_out


def test_each_kind_is_named_and_nothing_sound(tmp_path: Path) -> None:
    made = lay_out(tmp_path, 40, seed=2)
    coverage = coverage_json(find(Request(QUESTION, tuple(map(str, made.roots)))).coverage)
    assert judged(made, coverage, "find") == []
    assert made.kinds >= 20
    assert control(made, coverage) > 10, "an account without hidden parts, scopes and missing folders is caught"


def test_a_second_look_names_the_same_and_what_was_mended_no_more(tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text("The bridge is old.\n")
    (tmp_path / "note.md").write_text("# N\n\n<!-- lens:begin x -->\nrest\n")
    (tmp_path / ".ignore").symlink_to("bridge.md")
    lens = Lens([tmp_path])
    linked, block = Part(".ignore", 0, PartReason.IGNORE_LINK), Part("note.md", 3, PartReason.OPEN_BLOCK)
    for _ in range(2):
        assert lens.find("bridge").coverage.partial == (linked, block)
    (tmp_path / "note.md").write_text("# N\n\nmended\n")
    (tmp_path / ".ignore").unlink()
    assert lens.find("bridge").coverage.partial == ()


def test_a_folder_that_goes_and_comes_back_is_named_while_it_is_gone(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "note.md").write_text(f"The bridge of {name}.\n")
    lens = Lens([tmp_path / "a", tmp_path / "b"])
    shutil.move(tmp_path / "a", tmp_path / "away")
    found = lens.find("bridge")
    assert [(item.root, item.path) for item in found.evidence] == [(1, "note.md")]
    assert found.coverage.skipped == (Skip(str(tmp_path / "a"), SkipReason.MISSING, 0),)
    shutil.move(tmp_path / "b", tmp_path / "gone")
    with pytest.raises(PathNotFound, match="none of the 2 paths"):
        lens.find("bridge")
    shutil.move(tmp_path / "away", tmp_path / "a")
    shutil.move(tmp_path / "gone", tmp_path / "b")
    found = lens.find("bridge")
    assert {item.root for item in found.evidence} == {0, 1}
    assert found.coverage.skipped == ()


def test_what_scopes_leave_out_is_told_by_the_highest_folder_without_any_in_scope(tmp_path: Path) -> None:
    for name in ("docs/a.md", "docs/b.txt", "src/deep/c.py", "src/d.md", "top.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("bridge\n")
    skipped = Lens([tmp_path], rules=CorpusRules(scopes=("*.md",))).find("bridge").coverage.skipped
    assert [skip.path for skip in skipped] == ["docs/b.txt", "src/deep/", "top.txt"]
