"""The questions about metadata are well formed, and what counts as right is what the module says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks.passages.metadata import HALVES, QUESTIONS, absent, is_right, read, report, shares


def test_there_are_twenty_questions_a_workspace_half_of_them_to_report_by() -> None:
    rows = read()
    counts = Counter((row["workspace"], row["half"]) for row in rows)
    assert counts == {(name, half): 10 for name in ("peps", "jz-garden", "cpc-minutes") for half in ("first", "second")}
    assert len({row["id"] for row in rows}) == len({row["question"] for row in rows}) == 60
    assert all(row["gold"] and row["note"] for row in rows)


def test_the_questions_to_develop_by_are_others() -> None:
    rows = read(QUESTIONS.with_name("metadata_dev.jsonl"))
    asked = {row["question"] for row in rows}
    assert len({row["id"] for row in rows}) == len(asked) == len(rows) >= 60
    assert all(row["gold"] and row["half"] in HALVES for row in rows)
    assert not asked & {row["question"] for row in read()}


def test_a_passage_is_right_by_its_file_and_its_quote() -> None:
    gold = [{"path": "a.md", "quote": "tags:\n  - boat"}, {"path": "b.md", "quote": None}]
    assert is_right(gold, "a.md", "title: A\ntags: - boat\n")
    assert not is_right(gold, "a.md", "title: A")
    assert is_right(gold, "b.md", "anything")
    assert not is_right(gold, "c.md", "tags:\n  - boat")


def test_a_gold_that_is_not_in_its_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Status: Draft\n", "utf-8")
    rows = [
        {"id": "1", "workspace": "w", "gold": [{"path": "a.md", "quote": "Status: Draft"}]},
        {"id": "2", "workspace": "w", "gold": [{"path": "a.md", "quote": "Status: Final"}]},
        {"id": "3", "workspace": "w", "gold": [{"path": "b.md", "quote": None}]},
    ]
    assert absent(rows, {"w": tmp_path}) == ["2: a.md", "3: b.md"]


def test_questions_are_asked_and_what_is_missed_is_listed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The lighthouse keeper rowed home.\n", "utf-8")
    rows = [
        {"id": "1", "workspace": "w", "half": "first", "question": "lighthouse keeper", "gold": gold}
        for gold in ([{"path": "a.md", "quote": "rowed home"}], [{"path": "b.md", "quote": "rowed home"}])
    ]
    text = report(rows, {"w": tmp_path}, missed=True)
    assert "1 of 2 (50 %)" in text
    assert "wanted: b.md" in text
    assert "wanted: b.md" not in report(rows, {"w": tmp_path}, missed=False)


def test_shares_are_by_workspace_and_half() -> None:
    rows = [{"workspace": "v", "half": "first"}, {"workspace": "w", "half": "second"}]
    text = shares(rows, [True, False])
    assert "| v | 1 of 1 (100 %) | – | 1 of 1 (100 %) |" in text
    assert "| all | 1 of 1 (100 %) | 0 of 1 (0 %) | 1 of 2 (50 %) |" in text
