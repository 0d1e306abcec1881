"""A run is killed, at every point there is, and comes to the same bytes."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from arm_doubles import Letters
from small_datasets import QUESTIONS, write_dataset

from evaluation.arms.base import Arm, ArmResult
from evaluation.arms.making import make_arms
from evaluation.audits.controls import StaleArm
from evaluation.data.datasets import Gold, Question, open_dataset, questions
from evaluation.data.records import FigureRecord
from evaluation.data.snapshots import prepare
from evaluation.gate import ROWS, GatePlan, Target, Verdict, run_gate
from evaluation.runner import Selection, run
from lens_lsp.disk import lock_file, take_lock
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


_MANY = tuple({**row, "id": f"{row['id']}-{n}"} for n in range(8) for row in QUESTIONS[:2])
_SUICIDAL = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from evaluation.arms.base import ArmResult
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import open_corpus
from evaluation.runner import run

class Arm:
    def __init__(self, name, last):
        self.name, self.last = name, last
    def prepare(self, corpus_dir):
        if self.last == 0: os.kill(os.getpid(), signal.SIGKILL)
        return 0.1
    def search(self, ticket, text, depth):
        if ticket == self.last: os.kill(os.getpid(), signal.SIGKILL)
        return ArmResult(("Charles_Babbage", ticket), (("Charles_Babbage", 0, 40),), 0.1)
    def close(self): pass

data, corpus, out, victim, last = sys.argv[1:]
dataset = open_dataset(Path(data), "2")
last = 0 if last == "prepare" else last
arms = [Arm(name, last if name == victim else None) for name in ("one", "two")]
run(dataset, open_corpus(Path(corpus), dataset), questions(dataset), arms, Path(out))
"""


@pytest.fixture
def many_dir(tmp_path: Path) -> Path:
    """A data set of 16 questions."""
    return write_dataset(tmp_path / "many", _MANY)


def _result(folder: Path) -> dict[str, str]:
    """All that a run wrote, without its seconds."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.name == "run.lock" or path.name.endswith(".ready.json"):
            continue
        text = path.read_text()
        if path.name == "summary.json":
            summary = json.loads(text)
            for arm in summary["arms"].values():
                del arm["seconds"]
            text = json.dumps(summary)
        found[path.name] = re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0', text)
    return found


@pytest.mark.long
def test_a_run_that_is_killed_at_every_question_comes_to_the_same_bytes(many_dir: Path, tmp_path: Path) -> None:
    corpus = prepare(many_dir, "2", tmp_path / "corpus").folder

    def ran(out: Path, arm: str, last: str) -> int:
        script = [sys.executable, "-c", _SUICIDAL, str(many_dir), str(corpus), str(out), arm, last]
        return subprocess.run(script, check=False).returncode

    assert ran(tmp_path / "whole", "none", "none") == 0
    for arm, last in (("one", "prepare"), ("one", "q0001"), ("one", "q0012"), ("two", "prepare"), ("two", "q0016")):
        assert ran(tmp_path / "killed", arm, last) == -signal.SIGKILL
    assert not (tmp_path / "killed" / "summary.json").exists()
    assert ran(tmp_path / "killed", "none", "none") == 0
    assert _result(tmp_path / "killed") == _result(tmp_path / "whole")


@pytest.mark.long
def test_a_process_of_the_command_that_is_killed_at_random_moments_comes_to_the_same_bytes(
    many_dir: Path, tmp_path: Path
) -> None:
    corpus = prepare(many_dir, "2", tmp_path / "corpus").folder
    places = ["--corpus", str(corpus), "--snapshot", "2", "--mode", "evidence", "--arm", "lens,tantivy"]
    command = [sys.executable, "-m", "lens_lsp", "eval", "run", str(many_dir), *places, "--out"]
    chance = random.Random(11)

    def killed(out: Path) -> bool:
        with subprocess.Popen([*command, str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                assert process.wait(chance.uniform(0.2, 1.2)) == 0
            except subprocess.TimeoutExpired:
                process.kill()
                return True
            return False

    subprocess.run([*command, str(tmp_path / "whole")], check=True, capture_output=True)
    kills = sum(killed(tmp_path / "killed") for _ in range(4))
    subprocess.run([*command, str(tmp_path / "killed")], check=True, capture_output=True)
    assert kills
    assert _result(tmp_path / "killed") == _result(tmp_path / "whole")


def test_a_row_that_was_cut_anywhere_is_asked_again(many_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(many_dir, "2")
    corpus = prepare(many_dir, "2", tmp_path / "corpus")

    def ran(out: Path) -> dict[str, str]:
        run(dataset, corpus, questions(dataset), make_arms(["bm25s"]), out)
        return _result(out)

    whole = ran(tmp_path / "run")
    rows = tmp_path / "run" / "bm25s.rows.jsonl"
    chance = random.Random(5)
    for keep in [0, 1, rows.stat().st_size - 1, *(chance.randrange(rows.stat().st_size) for _ in range(20))]:
        rows.write_bytes(rows.read_bytes()[:keep])
        assert ran(tmp_path / "run") == whole
    rows.write_bytes(rows.read_bytes()[:-200] + b"\0" * 200)
    assert ran(tmp_path / "run") == whole


def test_a_run_that_is_complete_asks_nothing_again(many_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(many_dir, "2")
    corpus = prepare(many_dir, "2", tmp_path / "corpus")
    run(dataset, corpus, questions(dataset), make_arms(["bm25s"]), tmp_path / "run")
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    steps: list[object] = []
    run(
        dataset,
        corpus,
        questions(dataset),
        make_arms(["bm25s"]),
        tmp_path / "run",
        progress=lambda *step: steps.append(step),
    )
    assert not steps
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_a_run_of_another_definition_is_refused_with_what_differs(many_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(many_dir, "2")
    corpus = prepare(many_dir, "2", tmp_path / "corpus")
    asked, out = questions(dataset), tmp_path / "run"
    run(dataset, corpus, asked, make_arms(["bm25s"]), out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(EvaluationError, match="another seed"):
        run(dataset, corpus, asked, make_arms(["bm25s"]), out, seed=1)
    with pytest.raises(EvaluationError, match="another limit"):
        run(dataset, corpus, asked, make_arms(["bm25s"]), out, selection=Selection(limit=16))
    with pytest.raises(EvaluationError, match="another arms"):
        run(dataset, corpus, asked, make_arms(["tantivy"]), out)
    hidden = prepare(many_dir, "2", tmp_path / "hidden", hide_titles=True)
    with pytest.raises(EvaluationError, match="another corpus"):
        run(dataset, hidden, asked, make_arms(["bm25s"]), out)
    definition = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps(definition | {"code": "0" * 64}))
    with pytest.raises(EvaluationError, match="another code"):
        run(dataset, corpus, asked, make_arms(["bm25s"]), out)
    (out / "run.json").write_bytes(before["run.json"])
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_a_run_with_another_embedding_model_is_refused_also_in_an_arm_around_the_arm(
    many_dir: Path, tmp_path: Path
) -> None:
    dataset = open_dataset(many_dir, "2")
    corpus = prepare(many_dir, "2", tmp_path / "corpus")
    small = frozenset({"Ada_Lovelace"})

    def arms(name: str) -> list[Arm]:
        plain, around = (make_arms(["hybrid", "bm25s"], embedder=lambda: Letters(name)) for _ in range(2))
        return [*plain, StaleArm(around[0], small)]

    run(dataset, corpus, questions(dataset), arms("small"), tmp_path / "run")
    for path in ("run.json", "summary.json"):
        assert json.loads((tmp_path / "run" / path).read_text())["embeddings"] == {
            "hybrid": "small at this process",
            "hybrid-stale": "small at this process",
        }
    with pytest.raises(EvaluationError, match=r"another embeddings .*small at .*large at"):
        run(dataset, corpus, questions(dataset), arms("large"), tmp_path / "run")
    run(dataset, corpus, questions(dataset), arms("small"), tmp_path / "run")


def test_rows_of_a_run_that_nobody_defined_are_refused(many_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(many_dir, "2")
    corpus = prepare(many_dir, "2", tmp_path / "corpus")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "bm25s.rows.jsonl").write_text("{}\n")
    with pytest.raises(EvaluationError, match="does not say of which run"):
        run(dataset, corpus, questions(dataset), make_arms(["bm25s"]), tmp_path / "run")


def test_two_processes_are_not_at_one_run(many_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(many_dir, "2")
    corpus = prepare(many_dir, "2", tmp_path / "corpus")
    (tmp_path / "run").mkdir()
    with open(lock_file(tmp_path / "run" / "run.lock")) as held:
        take_lock(held.fileno(), 0.0)
        with pytest.raises(EvaluationError, match="another process"):
            run(dataset, corpus, questions(dataset), make_arms(["bm25s"]), tmp_path / "run")


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
