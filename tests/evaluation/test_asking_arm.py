"""The ``lens`` arm that asks: real files, real answers, and the figures that only answers have."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from small_datasets import ANSWERS, BODIES, write_dataset

from evaluation.arms.lens import AskingArm
from evaluation.arms.making import make_arms
from evaluation.data.datasets import open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.runner import Judging, run
from lens_lsp.app.oracle_factory import OracleFactory, Terms
from lens_lsp.app.settings import Request
from lens_lsp.model.answer import Answered, Event, Mode
from lens_lsp.model.errors import UsageError
from tests.hand_made import events


@dataclass
class _Asker:
    """Yields the events that were made by hand, and remembers what it was asked."""

    yields: tuple[Event, ...]
    asked: list[tuple[str, Mode, int, frozenset[str], int]] = field(default_factory=list)

    async def ask(self, request: Request | str, terms: Terms = Terms()) -> AsyncGenerator[Event]:
        request = Request(request) if isinstance(request, str) else request
        self.asked.append((request.question, terms.mode, request.seed, frozenset(request.ablate), request.documents))
        for event in self.yields:
            yield event


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_an_answer_becomes_documents_windows_and_evidence() -> None:
    asker = _Asker(events("/notes"))
    arm = AskingArm(frozenset({"lambda"}), seed=7, opener=lambda folder: asker)
    assert arm.prepare(Path("notes")) > 0
    result = arm.search("q", "When does the lease end?", 12)
    arm.close()
    assert asker.asked[-1] == ("When does the lease end?", Mode.EVIDENCE, 7, frozenset({"lambda"}), 12)
    (answer,) = [event.answer for event in asker.yields if isinstance(event, Answered)]
    (cited,) = answer.evidence
    assert result.documents == ("house/contract.md", "garden.md")
    assert result.windows == (("house/contract.md", cited.span.start, cited.span.end),)
    assert result.evidence[0]["quote"] == cited.quote
    assert result.answer == answer
    assert result.account.seconds == result.seconds


def test_an_arm_that_was_closed_or_never_prepared_does_not_search() -> None:
    arm = AskingArm(opener=lambda folder: _Asker(events("/notes")))
    with pytest.raises(UsageError, match="prepare"):
        arm.search("q", "what?", 10)
    arm.prepare(Path("notes"))
    arm.close()
    with pytest.raises(UsageError, match="prepare"):
        arm.search("q", "what?", 10)


def test_a_question_without_an_answer_is_an_error_not_a_row() -> None:
    arm = AskingArm(opener=lambda folder: _Asker(()))
    with pytest.raises(RuntimeError, match="without an answer"):
        arm.prepare(Path("notes"))
    arm.close()


def test_rows_hold_the_answer_and_quotes_that_stand_in_the_files(dataset_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    arms = make_arms(["lens", "bm25s"], ["exploration"], factory=OracleFactory())
    summary = run(dataset, corpus, questions(dataset), arms, tmp_path / "run", judging=Judging("evidence", "offline"))
    rows = _rows(tmp_path / "run" / "lens.rows.jsonl")
    assert [row["id"] for row in rows] == ["q1", "q2", "q3"]
    for row in rows:
        assert {"id", "documents", "windows", "evidence", "answer", "ledger", "scores"} <= row.keys()
        assert list(row["answer"]) == ["status", "stopped", "short", "text"]
        assert row["answer"]["status"] in ("answered", "partial", "unanswered")
        assert row["ledger"]["seconds"] > 0
        shown = [item for item in row["evidence"] if f"[{item['n']}]" in row["answer"]["text"]]
        assert shown
        assert row["windows"] == [[item["path"], *item["span"]] for item in shown]
        for item in row["evidence"]:
            assert (corpus.folder / item["path"]).read_text()[slice(*item["span"])] == item["quote"]
    assert summary["mode"] == "evidence"
    lens, reference = summary["arms"]["lens"], summary["arms"]["bm25s"]
    answered = [row["answer"]["status"] == "answered" for row in rows]
    assert lens["answered"]["value"] == pytest.approx(100 * sum(answered) / 3, abs=0.01)
    assert lens["documentRecall"]["10"]["value"] == 100.0
    assert lens["ground"]["strict"]["n"] == 3
    assert lens["falseAnswers"] is None
    assert (reference["answered"], reference["ground"]["strict"]) == (None, None)
    assert (tmp_path / "run" / "lens-without-exploration.rows.jsonl").is_file()


def test_questions_without_an_answer_are_asked_and_scored_apart(answers_dir: Path, tmp_path: Path) -> None:
    dataset = open_dataset(answers_dir, "3")
    corpus = prepare(answers_dir, "3", tmp_path / "corpus")
    asked, unanswerable = questions(dataset), questions(dataset, answerable=False)
    assert [question.id for question in unanswerable] == ["a2"]
    arm = AskingArm(opener=lambda folder: _Asker(events("/notes")))
    summary = run(
        dataset,
        corpus,
        asked,
        [arm],
        tmp_path / "run",
        judging=Judging("evidence", "offline"),
        unanswerable=unanswerable,
    )["arms"]["lens"]
    assert [row["id"] for row in _rows(tmp_path / "run" / "lens.rows.jsonl")] == ["a1", "a2"]
    assert summary["n"] == 1
    assert summary["falseAnswers"] == {"value": 100.0, "low": 100.0, "high": 100.0, "n": 1}
    assert summary["answered"]["n"] == 1
    assert summary["answeredWithQuote"] == {"value": 100.0, "low": 100.0, "high": 100.0, "n": 2}
    assert {figure["n"] for figure in summary["documentRecall"].values()} == {1}
    assert summary["ground"]["strict"]["value"] == 0.0
    assert summary["seconds"]["median"]["n"] == 1


def test_two_runs_that_ask_with_one_seed_differ_in_nothing_but_seconds(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "answers", ANSWERS)
    dataset, corpus = open_dataset(folder, "3"), prepare(folder, "3", tmp_path / "corpus")
    texts = []
    for name in ("one", "two"):
        arms = make_arms(["lens"], factory=OracleFactory(), seed=5)
        run(dataset, corpus, questions(dataset), arms, tmp_path / name, seed=5, judging=Judging("evidence", "offline"))
        rows = (tmp_path / name / "lens.rows.jsonl").read_text()
        texts.append(re.sub(r'"seconds": [0-9.e-]+', "", rows))
    assert texts[0] == texts[1]
    assert any(name in texts[0] for name in BODIES)


def test_more_than_ten_documents_are_ranked_when_the_protocol_needs_them(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"note {number:02}").write_text(f"Kettle\n\nThe copper kettle number {number} is on the stove.\n")
    arm = AskingArm()
    arm.prepare(tmp_path)
    try:
        assert len(arm.search("q", "Where is the copper kettle?", 25).documents) == 25
        assert len(arm.search("q", "Where is the copper kettle?", 10).documents) == 10
    finally:
        arm.close()
