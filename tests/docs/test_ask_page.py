"""The guide to ``lens ask``: its tables are complete, and its program runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

from documentation import DOCS, REPOSITORY, blocks, table_rows

from lens_lsp.model.answer import Event, Status

PAGE = DOCS / "how-to" / "ask.md"


def test_the_page_has_every_event_in_its_order() -> None:
    expected = [kind.__name__[0].lower() + kind.__name__[1:] for kind in get_args(Event)]
    assert [row[0].strip("`") for row in table_rows(PAGE, "## Script it")] == expected


def test_the_page_has_every_status() -> None:
    named = [name for row in table_rows(PAGE, "## Read the answer") for name in re.findall(r"`(\w+)`", row[0])]
    assert named == [status.value for status in Status]


def test_the_program_of_the_page_runs(tmp_path: Path) -> None:
    (program,) = [block.lines for block in blocks(PAGE) if block.language == "python"]
    note = tmp_path / "notes" / "contract.md"
    note.parent.mkdir()
    note.write_text("# Contract\n\nThe lease of the workshop ends on 30 June 2031.\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(program)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1", "LENS_READER": os.environ["LENS_READER"]},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "contract.md:3: The lease of the workshop ends on 30 June 2031." in done.stdout
    assert "answered" in done.stdout
