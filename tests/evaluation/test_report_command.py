"""``lens eval report|failures|judge`` over a real run."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_datasets import evaluate

from benchmarks.scripted_model import ScriptedModel
from lens_lsp.model.errors import EvaluationError, UsageError


@pytest.fixture
def asked(dataset_dir: Path, tmp_path: Path) -> Path:
    """A run in which the rules answer, over the corpus beside it."""
    evaluate("prepare", dataset_dir, "--snapshot", "3", "--out", tmp_path / "corpus")
    places = ("--corpus", tmp_path / "corpus", "--snapshot", "3", "--out", tmp_path / "run")
    evaluate("run", dataset_dir, *places, "--mode", "evidence")
    return tmp_path / "run"


def test_a_report_holds_tables_and_pictures(asked: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert evaluate("run", tmp_path / "engines", "--corpus", tmp_path / "corpus", "--snapshot", "3",
                     "--out", tmp_path / "found") == 0  # fmt: skip
    assert evaluate("report", asked, tmp_path / "found", "--out", tmp_path / "out") == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"report.md", "report.csv", "recall-found.svg"}
    assert evaluate("report", asked, "--no-plots", "--out", tmp_path / "bare") == 0
    assert sorted(path.name for path in (tmp_path / "bare").iterdir()) == ["report.csv", "report.json", "report.md"]


def test_a_page_of_failures_joins_rows_with_their_gold(
    asked: Path, dataset_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (asked / "lens.rows.jsonl").read_text()
    (asked / "lens.rows.jsonl").write_text(rows.replace('"evidenceRecall.strict": 1.0', '"evidenceRecall.strict": 0.0'))
    places = ("--dataset", dataset_dir, "--corpus", tmp_path / "corpus", "--out", tmp_path / "pages" / "f.html")
    assert evaluate("failures", asked, *places) == 0
    assert "3 of 3 questions" in capsys.readouterr().out
    page = (tmp_path / "pages" / "f.html").read_text()
    for told in ("Who wrote the A-0 compiler?", "Grace Hopper wrote the A-0 compiler.", "The rules show passages"):
        assert told in page
    with pytest.raises(UsageError, match="it has lens"):
        evaluate("failures", asked, *places, "--arm", "react")


def test_a_run_of_another_data_set_is_refused(asked: Path, answers_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="the run is of engines, not of answers"):
        evaluate("failures", asked, "--dataset", answers_dir, "--corpus", tmp_path / "corpus", "--out", tmp_path / "f")


def test_a_judge_is_asked_once_and_stands_in_the_folder(
    asked: Path, dataset_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ScriptedModel(['{"equivalent": true}', '{"equivalent": false}'])
    # One of the three answers is the gold one word for word: nobody is asked about it.
    for _ in range(2):
        assert evaluate("judge", asked, "--dataset", dataset_dir, model=model) == 0
        assert "lens: 66.7 % judged right of 3, 0 not judged\njudge: 2 calls" in capsys.readouterr().out
    assert len(model.requests) == 2
    assert model.closed


def test_without_a_model_nothing_is_judged(asked: Path, dataset_dir: Path) -> None:
    with pytest.raises(UsageError, match="no model to judge"):
        evaluate("judge", asked, "--dataset", dataset_dir)
