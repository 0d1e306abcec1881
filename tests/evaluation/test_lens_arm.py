"""The arm of our own engine, over real files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from evaluation.arms.making import make_arms
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.gate import GatePlan, run_gate
from evaluation.runner import Selection, run

pytest.importorskip("lens_lsp.app.lens")


def test_rows_of_lens_hold_the_quotes_of_its_windows(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    summary = run(dataset, corpus, questions(dataset), make_arms(["lens"]), tmp_path / "run")
    rows = [json.loads(line) for line in (tmp_path / "run" / "lens.rows.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["q1", "q2", "q3"]
    for row in rows:
        assert row["windows"] == [[item["path"], *item["span"]] for item in row["evidence"]]
        for item in row["evidence"]:
            data = (corpus.folder / item["path"]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == item["sha256"]
            assert data.decode()[slice(*item["span"])] == item["quote"]
    found = json.loads(json.dumps(summary))["arms"]["lens"]
    assert found["documentRecall"]["5"]["value"] == 100.0
    assert found["longWindows"] == 0


def test_the_gate_says_what_each_ablation_costs(data_dir: Path, tmp_path: Path) -> None:
    plan = GatePlan(
        rows=("squad-dev",),
        arms=("lens", "bm25s"),
        ablations=("links", "lexical"),
        selection=Selection(limit=3),
    )
    result = run_gate(data_dir, tmp_path / "work", tmp_path / "out", plan)
    assert set(result.verdicts[0].figures) == {"lens", "lens-without-links", "lens-without-lexical", "bm25s"}
    assert "| row | points lost | without-links | without-lexical |" in result.markdown
    assert (tmp_path / "out" / "squad-dev" / "lens-without-links.rows.jsonl").is_file()
