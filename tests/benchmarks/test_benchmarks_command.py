"""`python -m benchmarks` as it is typed: what it writes, what it refuses, how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.__main__ import PARTS, PUBLISHED, main
from benchmarks.measuring import REPOSITORY
from benchmarks.speed.record import read_record
from tests.availability import unavailable


def quick(tmp_path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Listing files of a small A."""
    arguments = ["--quick", "--rows", "walk", "--corpora", "A", "--work", str(tmp_path / "work"), *more]
    outcome = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments, "--out", str(tmp_path / "out")],
        cwd=REPOSITORY,
        env=dict(os.environ) | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    if "ripgrep is missing" in outcome.stderr:
        unavailable("ripgrep", "ripgrep is not installed")
    return outcome


def test_a_quick_run_writes_record_page_and_pictures_and_is_compared(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    outcome = quick(tmp_path)
    assert outcome.returncode == 0, outcome.stderr
    record = read_record(tmp_path / "out" / "benchmarks.json")
    assert record is not None
    assert record.quick
    assert {row.part for row in record.rows} == {"walk"}
    assert all(len(row.ours) == 3 and row.load is not None and row.goal is None for row in record.rows)
    assert record.corpora["A"]["files"] == 2_000
    assert "## Listing files" in (tmp_path / "out" / "benchmarks.md").read_text("utf-8")
    assert "0 of 0 goals hold" in outcome.stdout

    before = tmp_path / "before.json"
    record.rows = [replace(row, ours=tuple(value / 1000 for value in row.ours)) for row in record.rows]
    record.write(before)
    slower = quick(tmp_path, "--check", "--against", str(before))
    assert slower.returncode == 1, slower.stderr
    assert "worse: walk · names · A · rg --files" in slower.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--runs", "3"], "at least 7"),
        (["--rows", "warm,nothing"], "no nothing among walk"),
        (["--corpora", "B"], "no B among A"),
        (["--quick", "--publish"], "not published"),
    ],
)
def test_a_wrong_call_is_refused(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert complaint in capsys.readouterr().err


def test_what_is_missing_is_said_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--work", str(tmp_path / "work"), "--out", str(tmp_path / "out"), "--rg", str(tmp_path / "rg")]
    assert main(arguments) == 2
    assert "there is no ripgrep at" in capsys.readouterr().err


@pytest.mark.skipif(not PUBLISHED.exists(), reason="nothing was published yet")
def test_the_committed_record_can_be_read_and_names_no_place_of_a_machine() -> None:
    record = read_record(PUBLISHED)
    assert record is not None
    assert not record.quick
    assert {row.part for row in record.rows} <= set(PARTS)
    keys = [row.key for row in record.rows]
    assert len(set(keys)) == len(keys)
    assert not any(text in json.dumps(record.json()) for text in ("/tmp", "/root", "/home"))
