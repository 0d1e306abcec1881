"""The plan without a model: the question, unless it counts, sums up or compares two named things."""

from __future__ import annotations

import pytest

from lens_lsp.judge.rules.question_plan import offline_plan
from lens_lsp.model.plan import Combination, Intent

SUMMARIES = [
    ("Summarize pruning.md", "pruning md"),
    ("Please summarise the note about heat pumps in three sentences", "heat pumps"),
    ("Give me a short overview of RFC 2094", "rfc 2094"),
    ("What is the gist of chapter 4?", "chapter 4"),
    ("Sum up my notes", None),
    ("tl;dr", None),
    ("What is pruning.md about?", "pruning md"),
    ("Fasse die Datei Garten zusammen", "garten"),
]
COMPARED = [
    ("Which river is longer, the Nile or the Amazon?", ("the Nile", "the Amazon"), Combination.GREATEST, None),
    ("Is Everest or K2 higher?", ("Everest", "K2"), Combination.GREATEST, None),
    ("Which came first, Python or Perl?", ("Python", "Perl"), Combination.LEAST, None),
    ("Do Everest and K2 have the same height?", ("Everest", "K2"), Combination.SAME, None),
    ("What is the difference in height between Everest and K2?", ("Everest", "K2"), None, "abs(f1 - f2)"),
    ("How many years lie between the war and the peace?", ("the war", "the peace"), None, "abs(years(f1, f2))"),
    ("How much do the tent and the stove weigh together?", ("the tent", "the stove"), None, "f1 + f2"),
    ("Welcher Fluss ist länger, der Nil oder der Amazonas?", ("der Nil", "der Amazonas"), Combination.GREATEST, None),
]
LOOKUPS = """
When was the Old Mill built?
What is the difference between a mutex and a semaphore?
Who wrote Dune and Emma?
Why does the pump of the house stop?
How many people live in Lyon?
Which is the longest river?
"""


@pytest.mark.parametrize("question", LOOKUPS.strip().splitlines())
def test_any_other_question_is_the_one_fact(question: str) -> None:
    plan = offline_plan(question)
    assert (plan.intent, plan.transformation, plan.document) == (Intent.LOOKUP, None, None)
    assert [fact.text for fact in plan.requirements] == [question]


def test_a_pasted_text_is_looked_up() -> None:
    question = "Which river is longer, the Nile or the Amazon? " * 40
    assert [fact.text for fact in offline_plan(question).requirements] == [question]


def test_what_is_counted_exactly_has_its_rule_and_is_many() -> None:
    plan = offline_plan("How many notes mention garlic?")
    assert (plan.intent, plan.requirements[0].many) == (Intent.AGGREGATION, True)
    assert plan.requirements[0].rule is not None


@pytest.mark.parametrize(("question", "document"), SUMMARIES)
def test_a_summary_is_one_of_the_document_that_it_names(question: str, document: str | None) -> None:
    plan = offline_plan(question)
    assert (plan.intent, plan.document) == (Intent.SUMMARIZE, document)
    assert plan.requirements[0].many


@pytest.mark.parametrize(("question", "things", "kind", "expression"), COMPARED)
def test_each_of_two_things_is_a_fact_the_question_without_the_other(
    question: str, things: tuple[str, str], kind: Combination | None, expression: str | None
) -> None:
    plan = offline_plan(question)
    first, second = plan.requirements
    assert things[0] in first.text
    assert things[1] not in first.text
    assert things[1] in second.text
    assert things[0] not in second.text
    assert plan.transformation is not None
    assert (plan.transformation.kind, plan.transformation.expression) == (kind or Combination.EXPRESSION, expression)
    assert plan.transformation.labels == things
    assert plan.intent is (Intent.COMPARISON if expression is None else Intent.COMPUTATION)


def test_two_things_without_an_order_are_laid_side_by_side() -> None:
    plan = offline_plan("Compare Postgres and MySQL")
    assert (plan.intent, plan.transformation) == (Intent.COMPARISON, None)
    assert [fact.text for fact in plan.requirements] == ["Compare Postgres", "Compare MySQL"]


def test_a_term_serves_the_thing_that_it_names_and_else_both() -> None:
    plan = offline_plan("Which river is longer, the Nile or the Amazon?")
    served = {anchor.text: anchor.requirements for anchor in plan.anchors}
    assert served["river"] == served["nile or the amazon"] == ("f1", "f2")
    assert (served["nile"], served["amazon"]) == (("f1",), ("f2",))


def test_a_judge_that_reads_first_has_the_question_alone() -> None:
    plan = offline_plan("Which river is longer, the Nile or the Amazon?", apart=False)
    assert (len(plan.requirements), plan.transformation, plan.intent) == (1, None, Intent.COMPARISON)
    summary = offline_plan("Summarize pruning.md", apart=False)
    assert (summary.document, summary.requirements[0].many) == ("pruning md", False)
