"""``lens ask`` under clocks that are years off, by libfaketime: its answers, and what is reused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from lens_process import TIMEOUT

from tests.availability import unavailable

SKEWS = ("-1y", "+10y", "-30y", "+0 x50")
"""The last one runs fifty times as fast."""
ASK = ["-m", "lens_lsp", "ask", "When does the lease of the workshop end?", "notes", "--json"]


def skewed(tmp_path: Path, environment: dict[str, str], skew: str | None, *arguments: str) -> str:
    if shutil.which("faketime") is None:
        unavailable("faketime", "faketime is not installed")
    before = [] if skew is None else ["faketime", "-f", skew]
    done = subprocess.run(
        [*before, sys.executable, *arguments],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_a_question_is_answered_and_reused_whatever_the_clock_says(
    notes: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    first = json.loads(skewed(tmp_path, environment, None, *ASK))
    for skew in SKEWS:
        again = json.loads(skewed(tmp_path, environment, skew, *ASK))
        assert [item["quote"] for item in again["evidence"]] == [item["quote"] for item in first["evidence"]]
        assert again["stopped"] == "reused"
        assert again["ledger"]["seconds"] >= 0


def test_the_clock_is_really_another(tmp_path: Path, environment: dict[str, str]) -> None:
    program = "import datetime; print(datetime.date.today().year)"
    years = [int(skewed(tmp_path, environment, skew, "-c", program)) for skew in (None, "+10y")]
    assert years[1] - years[0] == 10
