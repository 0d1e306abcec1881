"""Figures that say nothing are in no report, whatever a summary holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.reporting.plots import write_plots
from evaluation.reporting.reading import read_runs, read_summary
from evaluation.reporting.tables import write_report

RIGHT = {"value": 87.65, "low": 86.54, "high": 88.76, "n": 2}
FOUND = {"value": 43.21, "low": 42.1, "high": 44.32, "n": 2}
CALLS = {"value": 3.0, "low": 2.5, "high": 3.5, "n": 2}
SECONDS = {"ready": 0.1, "median": FOUND | {"value": 0.2}, "p95": FOUND | {"value": 0.3}}


def write_run(folder: Path, arms: tuple[str, ...] = ("lens",), **told: object) -> Path:
    """A finished run of two questions, of which every answer figure is 87.65 and every other 43.21."""
    folder.mkdir(parents=True)
    recall = {"1": FOUND, "2": FOUND, "5": FOUND, "10": FOUND}
    one_bin = {"low": 0.8, "high": 0.9, "n": 2, "confidence": 0.85, "held": 0.5}
    arm = {
        "n": 2,
        "em": RIGHT,
        "f1": RIGHT,
        "documentRecall": recall,
        "allGold10": FOUND,
        "spanHit": None,
        "knownItem": None,
        "evidenceRecall": {"strict": RIGHT, "compatible": RIGHT},
        "ground": {"strict": RIGHT, "compatible": RIGHT},
        "answered": RIGHT,
        "answeredWithQuote": RIGHT,
        "falseAnswers": RIGHT,
        "allGoldProven": RIGHT,
        "outcomes": {"correct": 1, "answered-but-wrong": 1},
        "calibration": {kind: {"ece": 0.35, "n": 2, "bins": [one_bin]} for kind in ("facts", "answers")},
        "compression": FOUND,
        "budgetExceeded": FOUND,
        "calls": {"total": 6, "mean": CALLS, "most": 4, "beyond": 0, "stages": {"observe": 6}},
        "tokens": {"in": 10, "out": 20, "mean": FOUND | {"value": 15.0}},
        "seconds": SECONDS,
    }
    summary = {
        "schema": "lens.eval/1",
        "dataset": "hotpotqa",
        "snapshot": "D_500",
        "hiddenTitles": False,
        "mode": "fast",
        "oracle": "chat",
        "seed": 0,
        "arms": dict.fromkeys(arms, arm),
    }
    (folder / "summary.json").write_text(json.dumps(summary | told))
    for at, name in enumerate(arms):
        rows = [_row(f"q{number}", float(number == at)) for number in range(2)]
        (folder / f"{name}.rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        verdict = {"model": "examiner", "right": True, "calls": 1, "tokens_in": 5, "tokens_out": 5}
        judged = [json.dumps(verdict | {"id": f"q{number}"}) + "\n" for number in range(2)]
        (folder / f"{name}.judged.jsonl").write_text("".join(judged))
    return folder


def _row(name: str, right: float) -> dict[str, object]:
    return {
        "id": name,
        "documents": ["a"],
        "windows": [],
        "answer": {"status": "answered", "stopped": "covered", "short": "x", "text": "x"},
        "ledger": {"calls": {"observe": 3, "total": 3}, "tokens": {"in": 5, "out": 10}, "seconds": 0.1},
        "scores": {"em": right, "f1": right, "evidenceRecall.strict": right, "documentRecall.5": right},
    }


def _everything(folder: Path, out: Path) -> str:
    write_report([folder], out)
    return "".join(path.read_text() for path in sorted(out.iterdir()))


def test_no_figure_of_what_a_program_answers_is_printed(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", ("lens", "react"), scripted=True)
    told = _everything(folder, tmp_path / "report")
    assert "A program stood in for the model" in told
    for figure in ("87.7", "87.65", "86.54", "correct", "ECE", "examiner", "exact match"):
        assert figure not in told, figure
    assert "43.2 [42.1–44.3]" in told
    assert "| lens | 2 | 3.00 | 4 | 0 |" in told.replace("| chat | lens", "| lens")
    compared = [line for line in told.splitlines() if "| lens | react |" in line]
    assert ["R@5" in line for line in compared] == [True]


def test_the_same_run_with_a_model_prints_them(tmp_path: Path) -> None:
    told = _everything(write_run(tmp_path / "run", ("lens", "react")), tmp_path / "report")
    assert "stood in for the model" not in told
    for figure in ("87.7 [86.5–88.8]", "| correct |", "| examiner | 100.0 [100.0–100.0] | 2 | 0 | 2 | 20 |", "0.350"):
        assert figure in told, figure
    # each arm got one question right that the other did not
    assert "| lens | react | EM | 2 | 0.0 [−100.0–100.0] | 1 | 1 | 1.0000 |".replace("0.0 [", "0.0 [") in told
    # one of two questions right for three calls and 15 tokens each: 100 / 6 and 100 / 0.03
    assert "| EM | 2 | 16.67 [0.00–33.33] | 3333.33 [0.00–6666.67] |" in told


@pytest.mark.parametrize(("oracle", "why"), [("answer-key", "words no answer"), ("offline", "seldom word an answer")])
def test_who_words_no_answer_has_no_exact_match_and_keeps_the_rest(tmp_path: Path, oracle: str, why: str) -> None:
    folder = write_run(tmp_path / "run", oracle=oracle)
    arm = read_summary(folder).arms["lens"]
    assert (arm.em, arm.f1, arm.outcomes, list(arm.calibration)) == (None, None, None, ["facts"])
    assert arm.ground["strict"] is not None
    assert arm.evidence_recall["strict"] is not None
    assert why in _everything(folder, tmp_path / "report")


def test_the_pictures_show_no_more_than_the_tables(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    names = {}
    for told in (True, False):
        folder = write_run(tmp_path / str(told) / "run", ("lens", "react"), scripted=told)
        names[told] = [path.name for path in write_plots(read_runs([folder]), tmp_path / str(told) / "out")]
    assert names[True] == ["recall-run.svg"]
    assert names[False] == [
        "recall-run.svg",
        "reliability-facts-run.svg",
        "reliability-answers-run.svg",
        "calls-em-hotpotqa-D_500.svg",
        "calls-evidenceRecall-hotpotqa-D_500.svg",
    ]
