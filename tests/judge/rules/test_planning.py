"""From what a model says a question needs to a plan: facts about the question, and facts that build on others."""

from __future__ import annotations

import pytest

from lens_lsp.judge.llm.replies import Decomposition, FactPart, plan_of
from lens_lsp.judge.rules.question_plan import offline_plan
from lens_lsp.model.plan import Combination, Intent, Requirement, filled

QUESTION = "Where did the engineer of the Corvin dam study?"


def said(*facts: str, combine: Combination | None = None) -> Decomposition:
    """A plan as a model put it."""
    return Decomposition(Intent.LOOKUP, tuple(FactPart(text=text) for text in facts), combine, None, None)


def test_a_fact_that_builds_on_another_describes_it_until_its_value_is_known() -> None:
    first, second, third = plan_of(
        QUESTION, said("who drew the Corvin dam", "where {f1} studied", "who taught {f1} at {f2}"), ()
    ).requirements
    assert (first.template, first.needs) == (None, ())
    assert (second.text, second.needs) == ("where who drew the Corvin dam studied", ("f1",))
    assert third.needs == ("f1", "f2")
    assert "{" not in third.text
    values = {"f1": "Ilse Brandt"}
    assert filled((first, second, third), values) == {"f2": "where Ilse Brandt studied"}
    assert filled((third,), values | {"f2": "Delft"}) == {"f3": "who taught Ilse Brandt at Delft"}


@pytest.mark.parametrize("text", ["the dam of {f1}", "the dam of {f2}", "the dam of {f9}", "the dam of {f10}"])
def test_a_fact_builds_only_on_what_stands_before_it(text: str) -> None:
    (fact,) = plan_of(QUESTION, said(text), ()).requirements
    assert fact.needs == ()
    assert "{f1}" not in fact.text


def test_a_fact_with_others_in_its_words_stays_short() -> None:
    facts = ["the Corvin dam " + "x" * 250, *("{f1}" * 60 for _ in range(7))]
    plan = plan_of(QUESTION, said(*facts), ())
    assert max(len(one.text) for one in plan.requirements) <= 600
    assert max(map(len, filled(plan.requirements, {"f1": "y" * 300}).values())) <= 600


def test_a_plan_about_something_else_is_dropped() -> None:
    assert plan_of(QUESTION, said("the weather on the moon", "who was there"), ()) == offline_plan(QUESTION)
    assert [one.text for one in plan_of(QUESTION, said("who drew the dam"), ()).requirements] == ["who drew the dam"]


def test_nothing_is_filled_in_without_all_values() -> None:
    fact = Requirement("f3", "…", template="from {f1} to {f2}")
    assert filled((fact,), {"f1": "Oslo"}) == {}
