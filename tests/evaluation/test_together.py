"""Questions of an arm that are asked several at a time come to what they come to one by one."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from arm_doubles import Letters
from small_datasets import QUESTIONS, parsed, write_dataset

from benchmarks.scripted_model import CONTEXT_TOKENS, ScriptedModel, reply
from evaluation.answer_key import AnswerKeyFactory
from evaluation.arms.base import Arm
from evaluation.arms.making import make_arms
from evaluation.arms.together import in_order
from evaluation.audits.controls import WithoutArm
from evaluation.command import run as run_command
from evaluation.data.datasets import Dataset, Question, open_dataset, questions
from evaluation.data.snapshots import Corpus, prepare
from evaluation.runner import AT_ONCE, Judging, run
from lens_lsp.app.oracle_factory import OracleFactory
from lens_lsp.judge.llm.chat_model import ChatRequest
from lens_lsp.model.answer import Mode
from lens_lsp.model.errors import EvaluationError, UsageError

ARMS = ("lens", "react", "hybrid", "closed-book")
Asked = tuple[Dataset, Corpus, Sequence[Question]]


class _Gone(Exception):
    """The process went away."""


class _Turns:
    """A program that lets every other question that is under way go first."""

    def __init__(self, last: int | None = None) -> None:
        self.under_way = self.most = 0
        self.calls = count(1)
        self.last = last
        self.model = ScriptedModel(self._told, context_tokens=CONTEXT_TOKENS)

    async def _told(self, request: ChatRequest) -> str:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            for _ in range(next(self.calls) % 5 + 1):
                await asyncio.sleep(0)
            if self.last is not None and next(self.calls) > self.last:
                raise _Gone
            return reply(request)
        finally:
            self.under_way -= 1


@pytest.fixture
def many(tmp_path: Path) -> Asked:
    """Eight questions."""
    rows = [{**row, "id": f"{row['id']}-{n}"} for n in range(4) for row in QUESTIONS[:2]]
    folder = write_dataset(tmp_path / "many", rows)
    dataset = open_dataset(folder, "2")
    return dataset, prepare(folder, "2", tmp_path / "corpus"), questions(dataset)


def _ran(asked: Asked, out: Path, at_once: int, turns: _Turns, names: Sequence[str] = ARMS) -> dict[str, str]:
    """What a run writes, without its seconds and how many were asked at a time."""
    dataset, corpus, chosen = asked
    arms = make_arms(names, factory=OracleFactory(Mode.DEEP, turns.model), embedder=Letters)
    run(dataset, corpus, chosen, arms, out, judging=Judging("deep", "chat", at_once=at_once))
    summary = json.loads((out / "summary.json").read_text())
    assert summary.pop("atOnce") == at_once
    for arm in summary["arms"].values():
        del arm["seconds"]
    rows = {path.name: path.read_text() for path in out.glob("*.rows.jsonl")}
    return {"summary": json.dumps(summary)} | {
        name: re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0', text) for name, text in rows.items()
    }


def test_a_run_of_many_at_a_time_writes_what_a_run_one_by_one_does(many: Asked, tmp_path: Path) -> None:
    alone, together = _Turns(), _Turns()
    first = _ran(many, tmp_path / "alone", 1, alone)
    assert _ran(many, tmp_path / "together", 3, together) == first
    assert (alone.most, together.most) == (2, 6), "LENS makes two calls at once for one question"
    assert [json.loads(line)["id"] for line in first["react.rows.jsonl"].splitlines()] == [one.id for one in many[2]]


def test_the_calls_of_a_question_stay_within_its_budget_whatever_else_is_asked(many: Asked, tmp_path: Path) -> None:
    turns = _Turns()
    _ran(many, tmp_path / "run", 8, turns)
    assert turns.most > 3
    for arm in json.loads((tmp_path / "run" / "summary.json").read_text())["arms"].values():
        assert arm["calls"]["beyond"] == 0
        assert arm["calls"]["most"] <= 10


@pytest.mark.parametrize("name", ["react", "lens"])
def test_a_run_together_that_was_killed_goes_on_behind_the_last_row(many: Asked, tmp_path: Path, name: str) -> None:
    whole = _ran(many, tmp_path / "whole", 1, _Turns(), [name])
    last = 14
    while not (tmp_path / "killed" / "summary.json").exists():
        try:
            _ran(many, tmp_path / "killed", 3, _Turns(last), [name])
        except _Gone:
            rows = (tmp_path / "killed" / f"{name}.rows.jsonl").read_text().splitlines()
            assert [json.loads(line)["id"] for line in rows] == [one.id for one in many[2]][: len(rows)]
            last += 10
    assert last > 14, "it was never killed"
    assert _ran(many, tmp_path / "killed", 3, _Turns(0), [name]) == whole


def test_a_run_goes_on_as_many_at_a_time_as_it_began(many: Asked, tmp_path: Path) -> None:
    _ran(many, tmp_path / "run", 2, _Turns(), ["closed-book"])
    with pytest.raises(EvaluationError, match="another atOnce"):
        _ran(many, tmp_path / "run", 1, _Turns(), ["closed-book"])


def test_an_arm_whose_time_is_its_own_is_asked_one_by_one(many: Asked, tmp_path: Path) -> None:
    dataset, corpus, asked = many
    factory = OracleFactory(Mode.DEEP, _Turns().model)
    answer_key = AnswerKeyFactory.of(Mode.DEEP, asked, corpus)
    alone: list[Arm] = [
        *make_arms(["bm25s", "lens"]),
        *(make_arms(["lens"], factory=own)[0] for own in (OracleFactory(), answer_key)),
        WithoutArm(make_arms(["react"], factory=factory)[0], frozenset()),
    ]
    for arm in alone:
        with pytest.raises(UsageError, match="one question at a time"):
            run(dataset, corpus, asked, [arm], tmp_path / "run", judging=Judging("deep", "chat", at_once=2))
    assert not (tmp_path / "run").exists()


def test_the_command_asks_together_and_only_of_a_model(many: Asked, tmp_path: Path) -> None:
    dataset, corpus, _ = many
    places = ["--corpus", str(corpus.folder), "--snapshot", "2", "--out", str(tmp_path / "run")]
    deep = ["run", str(dataset.folder), *places, "--mode", "deep"]
    command = [*deep, "--concurrency", "4"]
    for line, most in ((command, 4), ([*deep, "--anew"], AT_ONCE)):
        turns = _Turns()
        chosen = OracleFactory(Mode.DEEP, turns.model)
        assert run_command(parsed(*line, "--arm", "react"), lambda args, factory=chosen: factory) == 0
        assert turns.most == most
    with pytest.raises(UsageError, match="ask a chat model"):
        run_command(parsed(*command, "--oracle", "answer-key"))


def _works(log: list[str], rounds: Sequence[int]) -> Iterator[Callable[[], Coroutine[None, None, int]]]:
    async def work(number: int) -> int:
        log.append(f"begin {number}")
        try:
            for _ in range(rounds[number]):
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            log.append(f"cancel {number}")
            raise
        log.append(f"end {number}")
        return number

    return (partial(work, number) for number in range(len(rounds)))


@pytest.mark.parametrize("at_once", [1, 2, 5, 9])
def test_results_come_in_order_however_long_each_takes(at_once: int) -> None:
    log: list[str] = []
    with asyncio.Runner() as runner:
        assert list(in_order(runner, _works(log, [9, 0, 5, 1, 3]), at_once)) == [0, 1, 2, 3, 4]
    under_way = most = 0
    for line in log:
        under_way += 1 if line.startswith("begin") else -1
        most = max(most, under_way)
    assert most <= at_once
    assert (most > 1) is (at_once > 1)


def test_what_is_under_way_is_cancelled_when_nobody_wants_more() -> None:
    log: list[str] = []
    with asyncio.Runner() as runner:
        results = in_order(runner, _works(log, [1, 99, 99, 99]), 3)
        assert next(results) == 0
        results.close()
        assert not asyncio.all_tasks(runner.get_loop())
    assert [line for line in log if line.startswith("cancel")] == ["cancel 1", "cancel 2"]
