from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.negatives import negatives
from lens_lsp.memory.matching import likeness, question_key, requirement_key
from lens_lsp.model.plan import Requirement
from lens_lsp.model.words import content

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "benchmarks/questions/reuse.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if not pair["same"]], ids=lambda pair: pair["id"])
def test_a_question_that_asks_something_else_has_another_key(pair: dict[str, str]) -> None:
    assert question_key(pair["asked"]) != question_key(pair["again"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("What's the default port?", "what is the default port"),
        ("Please tell me the default port.", "What is the default port?"),
        ("In March 2021, what did they decide?", "What did they decide in March 2021?"),
        ("Which is older, A or B?", "Which is older, B or A?"),
        ("Who directed the movie?", "who directed the film"),
        ("Quel est le port par défaut ?", "quel est le port par defaut?"),
        ("服务器的默认端口是多少？", "服务器的默认端口是多少"),
    ],
)
def test_what_cannot_change_the_meaning_does_not_change_the_key(one: str, other: str) -> None:
    assert question_key(one) == question_key(other)


def test_a_single_letter_may_be_a_name() -> None:
    assert question_key("What does vitamin A do?") != question_key("What does vitamin do?")
    assert question_key("Is it A or B?") != question_key("Is it B?")


@given(st.text(max_size=80))
def test_a_key_is_its_own_key(text: str) -> None:
    assert question_key(question_key(text)) == question_key(text)


def test_no_question_changed_in_meaning_is_taken_for_the_one_it_was_made_from(data_dir: Path) -> None:
    asked: list[str] = []
    for name in ("hotpotqa", "squad"):
        with gzip.open(data_dir / name / "questions.jsonl.gz", "rt", encoding="utf-8") as lines:
            asked += [json.loads(line)["question"] for line in lines]
    made = list(negatives(asked))
    assert len(made) >= 2000
    assert {one.kind for one in made} == {"entity", "number", "date", "negation", "relation", "roles"}
    assert [one for one in made if question_key(one.asked) == question_key(one.question)] == []
    # The control: a bag of content words takes many of them for the same question.
    assert sum(content(one.asked) == content(one.question) for one in made) > 100


def test_what_the_rules_make_of_a_question_is_the_same_fact_within_that_question_only() -> None:
    fact = Requirement("f1", "the reference: older")
    older, newer = "Which is older, the book or the reference?", "Which is newer, the book or the reference?"
    assert requirement_key(fact, older, whole=False) != requirement_key(fact, newer, whole=False)
    assert requirement_key(fact, older, whole=True) == requirement_key(fact, newer, whole=True)


def test_likeness_is_the_share_of_common_words() -> None:
    assert likeness({"port", "server"}, {"port", "server"}) == 1.0
    assert likeness({"port", "server"}, {"port", "client"}) == pytest.approx(1 / 3)
    assert likeness({"port"}, {"port"}) == 0.0
