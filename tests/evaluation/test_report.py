from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from evaluation.arms.making import make_arms
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.reporting.reading import figure_of, read_summary
from evaluation.reporting.tables import write_report
from evaluation.runner import run
from lens_lsp.model.errors import EvaluationError


@pytest.fixture
def runs(dataset_dir: Path, workspace_dir: Path, tmp_path: Path) -> Path:
    for folder, snapshot in ((dataset_dir, "3"), (workspace_dir, "guide")):
        dataset = open_dataset(folder, snapshot)
        corpus = prepare(folder, snapshot, tmp_path / f"{snapshot}-corpus")
        run(dataset, corpus, questions(dataset), make_arms(["bm25s"]), tmp_path / "runs" / folder.name)
    return tmp_path / "runs"


def test_the_three_tables_tell_the_same(runs: Path, tmp_path: Path) -> None:
    out = tmp_path / "report"
    markdown = write_report([runs / "engines", runs / "workspaces"], out)
    assert (out / "report.md").read_text() == "<!-- made by lens eval -->\n" + markdown
    rows = json.loads((out / "report.json").read_text())["rows"]
    with open(out / "report.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [(row["run"], row["arm"]) for row in rows] == [("engines", "bm25s"), ("workspaces", "bm25s")]
    for row, line in zip(rows, lines, strict=True):
        assert (line["run"], line["n"]) == (row["run"], str(row["n"]))
        for place, figure in row["figures"].items():
            assert line[f"{place}.value"] == ("" if figure is None else str(figure["value"]))
            if figure is not None:
                assert f"{figure['value']:.1f} [{figure['low']:.1f}–{figure['high']:.1f}]" in markdown
    assert rows[0]["figures"]["knownItem.1"] is None
    assert rows[1]["figures"]["knownItem.1"]["value"] == 100.0


def test_a_folder_of_runs_stands_for_its_runs(runs: Path, tmp_path: Path) -> None:
    assert write_report([runs], tmp_path / "a") == write_report([runs / "engines", runs / "workspaces"], tmp_path / "b")


def test_figures_are_found_by_their_place_in_the_summary(runs: Path) -> None:
    arm = read_summary(runs / "engines").arms["bm25s"]
    assert figure_of(arm, "allGold10") == arm.all_gold
    assert figure_of(arm, "documentRecall.5") == arm.document_recall["5"]
    assert figure_of(arm, "evidenceRecall.compatible") == arm.evidence_recall["compatible"]
    assert figure_of(arm, "ground.compatible") is None
    assert figure_of(arm, "spanHit.1") is None


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="is not a run"):
        write_report([tmp_path], tmp_path / "report")
    (tmp_path / "summary.json").write_text('{"schema": "lens.eval/2"}')
    with pytest.raises(EvaluationError, match=r"schema lens\.eval/1"):
        write_report([tmp_path], tmp_path / "report")
