"""Programs come from the user's PATH alone, never from a folder that is searched."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lens_lsp.disk.programs import program_outside

NAME = "viewer.exe" if sys.platform == "win32" else "viewer"


def program(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_first_folder_of_the_path_that_has_it_is_taken(tmp_path: Path) -> None:
    first, second = program(tmp_path / "first"), program(tmp_path / "second")
    folders = (tmp_path / "none", first.parent, second.parent)
    assert program_outside("viewer", os.pathsep.join(map(str, folders)), []) == str(first)


def test_what_a_searched_folder_brought_is_passed_over_for_one_outside(tmp_path: Path) -> None:
    inside, outside = program(tmp_path / "notes" / "bin"), program(tmp_path / "tools")
    path = os.pathsep.join((str(inside.parent), str(outside.parent)))
    assert program_outside("viewer", path, []) == str(inside)
    assert program_outside("viewer", path, [str(tmp_path / "notes")]) == str(outside)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_links_out_of_and_into_a_searched_folder_are_passed_over(tmp_path: Path) -> None:
    inside, outside = program(tmp_path / "notes" / "bin"), program(tmp_path / "tools")
    (tmp_path / "notes" / "out").symlink_to(outside.parent)
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / NAME).symlink_to(inside)
    for folder in (tmp_path / "notes" / "out", linked):
        assert program_outside("viewer", str(folder), []) is not None
        assert program_outside("viewer", str(folder), [str(tmp_path / "notes")]) is None


def test_a_path_is_taken_as_it_is_unless_it_is_searched(tmp_path: Path) -> None:
    outside, elsewhere = program(tmp_path / "tools"), program(tmp_path / "notes")
    path = str(tmp_path)
    assert program_outside(str(outside), path, [str(elsewhere.parent)]) == str(outside)
    assert program_outside(str(elsewhere), path, [str(elsewhere.parent)]) is None


def test_folders_of_the_moment_are_not_looked_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = program(tmp_path / "tools")
    monkeypatch.chdir(found.parent)
    assert program_outside("viewer", os.pathsep.join(("", ".")), []) is None
    assert program_outside("viewer", str(found.parent), []) == str(found)
