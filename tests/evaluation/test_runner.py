from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from evaluation.arms.base import ArmResult
from evaluation.arms.making import make_arms
from evaluation.data.datasets import Gold, Question, open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.runner import Selection, run
from lens_lsp.model.errors import EvaluationError, UsageError


@dataclass
class _Scripted:
    """An arm that answers by script and keeps what it was told."""

    documents: tuple[str, ...]
    windows: tuple[tuple[str, int, int], ...] = ()
    name: str = "scripted"
    told: list[tuple[object, ...]] = field(default_factory=list)

    def prepare(self, corpus_dir: Path) -> float:
        return 0.5

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        self.told.append((ticket, text, depth))
        return ArmResult(self.documents, self.windows, 0.25)

    def close(self) -> None:
        self.told.append(("closed",))


def _summary(folder: Path) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((folder / "summary.json").read_text())
    return loaded


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_run_writes_one_row_per_question_and_a_summary(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    arm = _Scripted(("Ada_Lovelace", "Jacquard_loom"), (("Ada_Lovelace", 0, 85),))
    summary = run(dataset, corpus, questions(dataset), [arm], tmp_path / "run")
    assert summary == _summary(tmp_path / "run")
    (row, *others) = _rows(tmp_path / "run" / "scripted.rows.jsonl")
    assert row == {
        "id": "q1",
        "documents": ["Ada_Lovelace", "Jacquard_loom"],
        "windows": [["Ada_Lovelace", 0, 85]],
        "evidence": [],
        "answer": None,
        "claims": [],
        "compression": None,
        "outcome": None,
        "trace": [],
        "ledger": {
            "calls": {"total": 0},
            "retries": 0,
            "tokens": {"in": 0, "out": 0},
            "seconds": 0.25,
            "cost": None,
            "endpoint": None,
            "sent": [],
        },
        "scores": {
            "allGold10": 0.0,
            "documentRecall.1": 0.5,
            "documentRecall.10": 0.5,
            "documentRecall.2": 0.5,
            "documentRecall.5": 0.5,
            "evidenceRecall.compatible": 0.5,
            "evidenceRecall.strict": 0.5,
        },
    }
    assert [other["id"] for other in others] == ["q2", "q3"]
    result = summary["arms"]["scripted"]
    assert result["n"] == 3
    assert result["documentRecall"]["1"] == {"value": 16.67, "low": 0.0, "high": 50.0, "n": 3}
    assert result["evidenceRecall"]["strict"]["value"] == 16.67
    assert result["spanHit"] is None
    assert result["seconds"]["ready"] == 0.5
    assert result["seconds"]["median"]["value"] == 0.25


def test_arms_are_told_a_ticket_and_the_text_and_nothing_of_the_gold(workspace_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(workspace_dir, "guide")
    arm = _Scripted(("docs/index.md", "docs/install.md"))
    summary = run(
        dataset,
        prepare(workspace_dir, "guide", tmp_path / "guide"),
        questions(dataset),
        [arm],
        tmp_path / "run",
    )
    assert arm.told == [("q0001", "run the setup program", 11), ("closed",)]
    scripted = summary["arms"]["scripted"]
    assert scripted["knownItem"]["1"]["value"] == 100.0
    (row,) = _rows(tmp_path / "run" / "scripted.rows.jsonl")
    assert (row["id"], row["documents"]) == ("k1", ["docs/index.md", "docs/install.md"])


def test_two_runs_with_one_seed_differ_in_nothing_but_seconds(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    texts = []
    for name in ("one", "two"):
        run(dataset, corpus, questions(dataset), make_arms(["bm25s", "tantivy"]), tmp_path / name, seed=7)
        texts.append({path.name: _without_seconds(path) for path in sorted((tmp_path / name).iterdir())})
    assert texts[0] == texts[1]
    wanted = ["ready.json", "rows.jsonl"]
    names = [f"{arm}.{name}" for arm in ("bm25s", "tantivy") for name in wanted]
    assert sorted(texts[0]) == sorted([*names, "run.json", "run.lock", "summary.json"])


def _without_seconds(path: Path) -> str:
    text = path.read_text()
    if path.name != "summary.json":
        return re.sub(r'"seconds": [0-9.e-]+', "", text)
    summary = json.loads(text)
    for arm in summary["arms"].values():
        del arm["seconds"]
    return json.dumps(summary)


def test_hidden_titles_are_scored_by_the_names_on_disk(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "hidden", hide_titles=True)
    summary = run(dataset, corpus, questions(dataset), make_arms(["bm25s"]), tmp_path / "run")
    assert summary["hiddenTitles"] is True
    arm = summary["arms"]["bm25s"]
    assert arm["documentRecall"]["5"]["value"] == 100.0
    assert arm["evidenceRecall"]["strict"]["value"] == 100.0


def test_windows_that_are_too_long_are_counted(answers_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(answers_dir, "3")
    corpus = prepare(answers_dir, "3", tmp_path / "corpus")
    arm = _Scripted((), (("Charles_Babbage", 0, 601), ("Charles_Babbage", 0, 600)))
    summary = run(dataset, corpus, questions(dataset), [arm], tmp_path / "run")
    assert summary["arms"]["scripted"]["longWindows"] == 1


def test_a_run_replaces_another_only_when_told_to_and_no_other_folder_at_all(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "2")
    corpus = prepare(dataset_dir, "2", tmp_path / "corpus")
    run(dataset, corpus, questions(dataset), [_Scripted((), name="first")], tmp_path / "run")
    with pytest.raises(EvaluationError, match="another arms"):
        run(dataset, corpus, questions(dataset), [_Scripted((), name="second")], tmp_path / "run")
    run(dataset, corpus, questions(dataset), [_Scripted((), name="second")], tmp_path / "run", anew=True)
    assert [path.name for path in (tmp_path / "run").glob("*.rows.jsonl")] == ["second.rows.jsonl"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(EvaluationError, match=r"thesis\.txt"):
        run(dataset, corpus, questions(dataset), [_Scripted(())], tmp_path / "mine", anew=True)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_progress_is_told_after_every_question(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "2")
    corpus = prepare(dataset_dir, "2", tmp_path / "corpus")
    steps: list[tuple[str, int, int]] = []
    run(
        dataset,
        corpus,
        questions(dataset),
        [_Scripted(())],
        tmp_path / "run",
        progress=lambda *step: steps.append(step),
    )
    assert steps == [("scripted", 1, 2), ("scripted", 2, 2)]


def test_the_halves_are_disjoint_and_complete() -> None:
    asked = [Question(str(number), "?", Gold(("a",)), str(number)) for number in range(5)]
    first, second = Selection("first").of(asked), Selection("second").of(asked)
    assert [*first, *second] == asked
    assert len(first) == 3
    assert Selection("second", limit=1).of(asked) == (asked[3],)
    with pytest.raises(UsageError, match="no questions"):
        Selection("second").of(asked[:1])
