"""The reference of the command line is the one the parsers give."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from documentation import DOCS, REPOSITORY

SCRIPT = DOCS / "generate_reference.py"
PAGE = DOCS / "reference" / "cli.md"


def generate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_page_is_current() -> None:
    outcome = generate("--check")
    assert outcome.returncode == 0, outcome.stderr


def test_a_page_that_is_not_current_is_told(tmp_path: Path) -> None:
    page = tmp_path / "cli.md"
    page.write_text(PAGE.read_text(encoding="utf-8").replace("`--explain`", "`--explains`"), encoding="utf-8")
    outcome = generate("--check", "--page", str(page))
    assert outcome.returncode == 1
    assert "generate_reference.py" in outcome.stderr


def test_writing_makes_a_page_current(tmp_path: Path) -> None:
    page = tmp_path / "reference" / "cli.md"
    assert generate("--page", str(page)).returncode == 0
    assert page.read_bytes() == PAGE.read_bytes()
