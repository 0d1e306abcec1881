"""The reference is the one that the program gives: its parsers, and the types of its options."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from documentation import DOCS, REPOSITORY

SCRIPT = DOCS / "generate_reference.py"
FOLDER = DOCS / "reference"
PAGES = ["cli.md", "names.md", "protocol.json", "protocol.md", "settings.md", "tools.md"]


def generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_pages_are_current() -> None:
    outcome = generate("--check")
    assert outcome.returncode == 0, outcome.stderr


@pytest.mark.parametrize(
    ("page", "word"),
    [
        ("cli.md", "`--explain`"),
        ("settings.md", "`model.baseUrl`"),
        ("protocol.md", "`workDoneToken`"),
        ("protocol.json", '"workDoneToken"'),
        ("tools.md", "`start_line`"),
        ("names.md", "`Evidence`"),
    ],
)
def test_a_page_that_is_not_current_is_told(tmp_path: Path, page: str, word: str) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    (tmp_path / page).write_text((FOLDER / page).read_text(encoding="utf-8").replace(word, "other"), encoding="utf-8")
    outcome = generate("--check", "--folder", str(tmp_path))
    assert outcome.returncode == 1
    assert str(tmp_path / page) in outcome.stderr
    assert "generate_reference.py" in outcome.stderr


def test_writing_makes_the_pages_current(tmp_path: Path) -> None:
    assert generate("--folder", str(tmp_path / "reference")).returncode == 0
    for page in PAGES:
        assert (tmp_path / "reference" / page).read_bytes() == (FOLDER / page).read_bytes()
