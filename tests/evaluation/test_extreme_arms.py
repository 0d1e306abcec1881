"""Arms whose worth is known beforehand: everything, nothing, the gold, and text that has nothing to do with it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_datasets import BODIES

from evaluation.arms.base import ArmResult, Quoted, Said
from evaluation.arms.indexes import Passage
from evaluation.data.datasets import Question, open_dataset, questions
from evaluation.data.snapshots import prepare
from evaluation.runner import Judging, run
from lens_lsp.model.answer import Account, Status, StopReason

UNRELATED = "Unrelated"
ANSWERING = {"analytical", "engine", "1837", "grace", "hopper"}
# Longer than any window: every word of the articles but those of the answers, in the order of the alphabet.
WORDS = {word for body in BODIES.values() for word in re.findall(r"\w+", body.lower())}
VOCABULARY = " ".join(sorted(WORDS - ANSWERING) * 12)


@dataclass
class _Fixed:
    """An arm that gives each question what was written down for it."""

    name: str
    passages: dict[str, list[Passage]]
    texts: dict[str, str]
    said: dict[str, str]
    documents: dict[str, list[str]]

    def prepare(self, corpus_dir: Path) -> float:
        return 0.0

    def search(self, ticket: str, text: str, depth: int) -> ArmResult:
        quoted = tuple(
            Quoted(n, path, start, end, self.texts.get(path, "")[start:end], "full")
            for n, (path, start, end) in enumerate(self.passages[ticket], 1)
        )
        short = self.said[ticket]
        worded = f"{short} {' '.join(f'[{one.n}]' for one in quoted)}" if short else ""
        status = Status.ANSWERED if short else Status.UNANSWERED
        return ArmResult(
            documents=tuple(self.documents[ticket])[:depth],
            windows=tuple(one.passage for one in quoted),
            seconds=0.0,
            evidence=tuple(one.json() for one in quoted),
            answer=Said(status, StopReason.COVERED, worded, short or None, quoted, Account(calls={"synthesise": 1})),
        )

    def close(self) -> None:
        pass


def _arm(name: str, asked: tuple[Question, ...]) -> _Fixed:
    texts = {**BODIES, UNRELATED: VOCABULARY}
    passages: dict[str, list[Passage]] = {}
    for one in asked:
        passages[one.ticket] = {
            "everything": [(path, 0, min(600, len(text))) for path, text in BODIES.items()],
            "nothing": [],
            "gold": [(span.path, span.start, span.end) for span in one.gold.spans],
            "unrelated": [(UNRELATED, 0, len(VOCABULARY))],
        }[name]
    gold = name in ("gold", "everything")
    said = {one.ticket: one.gold.answers[0] if gold else ("Pelican" if name == "unrelated" else "") for one in asked}
    documents = {key: list(dict.fromkeys(path for path, _, _ in found)) for key, found in passages.items()}
    return _Fixed(name, passages, texts, said, documents)


def _figures(folder: Path, tmp_path: Path, name: str) -> dict[str, float | None]:
    """Every figure of a summary by its place, and the share of each class of the taxonomy."""
    dataset = open_dataset(folder, "3")
    corpus = prepare(folder, "3", tmp_path / "corpus")
    asked = questions(dataset)
    run(dataset, corpus, asked, [_arm(name, asked)], tmp_path / "run", judging=Judging("fast", "chat"))
    arm = json.loads((tmp_path / "run" / "summary.json").read_text())["arms"][name]
    flat: dict[str, float | None] = {}
    for key, value in arm.items():
        nested = isinstance(value, dict) and "value" not in value
        for place, figure in value.items() if nested else [("", value)]:
            if figure is None or (isinstance(figure, dict) and "value" in figure):
                flat[f"{key}.{place}".rstrip(".")] = None if figure is None else figure["value"]
    return flat | {f"outcomes.{key}": count / arm["n"] for key, count in (arm["outcomes"] or {}).items()}


def test_the_gold_and_nothing_else_is_worth_everything(dataset_dir: Path, tmp_path: Path) -> None:
    found = _figures(dataset_dir, tmp_path, "gold")
    for place in (
        "em",
        "f1",
        "documentRecall.2",
        "documentRecall.10",
        "allGold10",
        "evidenceRecall.strict",
        "evidenceRecall.compatible",
        "ground.compatible",
        "allGoldProven",
        "answered",
        "answeredWithQuote",
    ):
        assert found[place] == 100.0, place
    assert found["outcomes.correct"] == 1.0
    assert found["ground.strict"] == 100.0


def test_everything_is_found_but_not_first(dataset_dir: Path, tmp_path: Path) -> None:
    found = _figures(dataset_dir, tmp_path, "everything")
    assert found["documentRecall.10"] == found["evidenceRecall.strict"] == found["evidenceRecall.compatible"] == 100.0
    assert (found["em"], found["outcomes.correct"]) == (100.0, 1.0)
    assert found["documentRecall.1"] == 16.67
    assert found["documentRecall.2"] == 66.67


def test_nothing_is_worth_nothing(dataset_dir: Path, tmp_path: Path) -> None:
    found = _figures(dataset_dir, tmp_path, "nothing")
    free = ("answeredWithQuote", "falseAnswers", "spanHit", "knownItem", "cost", "compression")
    quality = [
        place
        for place in found
        if place.partition(".")[0] not in (*free, "calls", "tokens", "seconds", "outcomes", "budgetExceeded")
    ]
    assert {found[place] for place in quality} == {0.0}
    assert {"em", "f1", "ground.strict", "evidenceRecall.compatible", "documentRecall.10"} <= set(quality)
    assert found["outcomes.not-retrieved"] == 1.0


def test_long_unrelated_text_passes_the_compatible_recall_and_no_other_column(
    dataset_dir: Path, tmp_path: Path
) -> None:
    found = _figures(dataset_dir, tmp_path, "unrelated")
    # Both sentences of q1 and that of q3 still have three fifths of their words; of "in 1837" one of two is left.
    assert found["evidenceRecall.compatible"] == 66.67
    for place in ("evidenceRecall.strict", "ground.strict", "ground.compatible", "em", "f1", "documentRecall.10"):
        assert found[place] == 0.0, place
    assert (found["answered"], found["outcomes.not-retrieved"]) == (100.0, 1.0)


def test_an_answer_place_is_hit_by_gold_and_missed_by_the_rest(answers_dir: Path, tmp_path: Path) -> None:
    for name, worth in (("gold", 100.0), ("everything", 100.0), ("nothing", 0.0), ("unrelated", 0.0)):
        found = _figures(answers_dir, tmp_path / name, name)
        assert found["spanHit.5"] == found["evidenceRecall.strict"] == found["ground.strict"] == worth, name
        assert found["em"] == worth, name


@pytest.mark.parametrize("listed", [["Ada"], ["people/Ada_Lovelace/notes", "Babbage"]])
def test_listed_names_that_are_parts_of_titles_pass_the_compatible_columns_only(
    dataset_dir: Path, tmp_path: Path, listed: list[str]
) -> None:
    dataset = open_dataset(dataset_dir, "3")
    corpus = prepare(dataset_dir, "3", tmp_path / "corpus")
    (one, *_) = asked = questions(dataset)
    said = {question.ticket: "Pelican" for question in asked}
    arm = _Fixed("lister", {q.ticket: [] for q in asked}, {}, said, {q.ticket: listed for q in asked})
    run(dataset, corpus, (one,), [arm], tmp_path / "run", judging=Judging("fast", "chat"))
    scores = json.loads((tmp_path / "run" / "lister.rows.jsonl").read_text().splitlines()[0])["scores"]
    assert scores["ground.compatible"] == 1.0
    assert scores["evidenceRecall.compatible"] == len(listed) / 2
    assert scores["evidenceRecall.strict"] == scores["ground.strict"] == scores["documentRecall.10"] == 0.0
