"""Recall of the question analysis on generated questions, and lookups that stay lookups."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path

import pytest

from benchmarks.paraphrases import answered, measured, recall, told
from lens_lsp.domain.plan import Intent
from lens_lsp.oracle.decompose import decompose


@pytest.mark.parametrize(("held", "least"), [(False, 0.95), (True, 0.85)])
def test_paraphrases_of_every_operation_are_understood(held: bool, least: float) -> None:
    right, asked = recall(held=held)
    assert right.total() / asked.total() >= least


def test_questions_for_one_fact_stay_lookups(data_dir: Path) -> None:
    with gzip.open(data_dir / "squad" / "questions.jsonl.gz", "rt", encoding="utf-8") as lines:
        questions = [json.loads(line)["question"] for line in lines]
    left = [question for question in questions if decompose(question).intent is not Intent.LOOKUP]
    assert len(questions) >= 200
    assert len(left) <= 0.02 * len(questions)
    computed = [question for question in left if decompose(question).intent is Intent.COMPUTATION]
    assert len(computed) <= 0.01 * len(questions)


def test_facts_told_in_many_ways_are_combined_and_hardly_ever_wrong(tmp_path: Path) -> None:
    outcomes = asyncio.run(answered(tmp_path))
    figures = measured(outcomes)
    assert figures.right >= 0.8
    assert figures.wrong <= 0.03


@pytest.mark.parametrize(
    ("short", "right", "same"),
    [
        ("15 min", "15 min", True),
        ("€840", "840 €", True),
        ("the onion tart", "onion tart", True),
        ("16 min", "15 min", False),
    ],
)
def test_a_right_value_is_known_by_its_amount_or_its_words(short: str, right: str, same: bool) -> None:
    assert told(short, right) is same
