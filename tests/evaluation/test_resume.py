"""A run is killed, at every point there is, and comes to the same bytes."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from arm_doubles import Letters
from small_datasets import QUESTIONS, write_dataset

from evaluation.arms.base import Arm
from evaluation.arms.making import make_arms
from evaluation.audits.controls import StaleArm
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.runner import Selection, run
from lens_lsp.disk import lock_file, take_lock
from lens_lsp.model.errors import EvaluationError

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
