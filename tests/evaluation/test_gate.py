from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.data.records import FigureRecord
from evaluation.gate import ROWS, GatePlan, Target, Verdict, run_gate
from evaluation.runner import Selection
from lens_lsp.model.errors import UsageError


def _verdict(**values: float | None) -> Verdict:
    figures = {
        name: None if value is None else FigureRecord(value=value, low=value, high=value, n=1)
        for name, value in values.items()
    }
    return Verdict(ROWS[0], Target("R@5", "documentRecall.5", prototype=93.0, goal=94.0), figures)


def test_a_figure_passes_at_the_floor_and_above_both_references() -> None:
    assert _verdict(lens=91.5, bm25s=74.1, tantivy=74.0).passed
    assert not _verdict(lens=91.49, bm25s=74.1, tantivy=74.0).passed


def test_a_figure_that_only_equals_a_reference_fails() -> None:
    assert not _verdict(lens=95.0, bm25s=95.0, tantivy=74.0).passed
    assert not _verdict(lens=95.0, bm25s=74.0, tantivy=96.0).passed


def test_nothing_passes_without_ours_or_without_a_reference() -> None:
    assert not _verdict(bm25s=74.1, tantivy=74.0).passed
    assert not _verdict(lens=95.0, bm25s=74.1).passed
    assert not _verdict(lens=95.0, bm25s=74.1, tantivy=None).passed


def test_an_ablation_does_not_decide() -> None:
    assert _verdict(**{"lens": 95.0, "lens-without-links": 10.0, "bm25s": 74.1, "tantivy": 74.0}).passed


def test_the_gate_has_every_row_of_the_table_of_targets() -> None:
    assert [(row.name, len(row.targets)) for row in ROWS] == [
        ("hotpotqa", 4),
        ("2wiki", 2),
        ("musique", 2),
        ("squad-all", 3),
        ("squad-dev", 3),
        ("cpp-docs", 2),
        ("hidden-titles", 2),
    ]


def test_an_unknown_row_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="hidden-titles"):
        run_gate(tmp_path, tmp_path / "work", tmp_path / "out", GatePlan(rows=("natural-questions",)))
    assert not (tmp_path / "work").exists()


def test_a_row_is_prepared_run_and_judged_in_one_call(data_dir: Path, tmp_path: Path) -> None:
    plan = GatePlan(rows=("squad-dev",), arms=("bm25s", "tantivy"), selection=Selection("second", limit=5))
    result = run_gate(data_dir, tmp_path / "work", tmp_path / "out", plan)
    assert [verdict.passed for verdict in result.verdicts] == [False, False, False]
    assert all(figure is not None and figure.n == 5 for v in result.verdicts for figure in v.figures.values())
    written = json.loads((tmp_path / "out" / "gate.json").read_text())
    assert written["passed"] is False
    assert [figure["floor"] for figure in written["figures"]] == [74.9, 84.9, 87.3]
    assert "0 passed, 3 failed" in (tmp_path / "out" / "gate.md").read_text()
    assert (tmp_path / "out" / "squad-dev" / "tantivy.rows.jsonl").read_text().count("\n") == 5
    assert (tmp_path / "work" / "squad-S_dev48.manifest.json").is_file()
