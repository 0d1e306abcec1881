"""Which questions count or list exactly, what they count, and which ones do not although they begin alike."""

from __future__ import annotations

import pytest

from lens_lsp.judge.rules.question_plan import exact_question
from lens_lsp.model.plan import Combination, Condition, MatchRule, Unit

COUNTS = [
    ("How many notes mention garlic?", MatchRule(("garlic",))),
    ("In how many files is the word garlic mentioned?", MatchRule(("garlic",))),
    ("count the notes that contain “salt and pepper”", MatchRule(("salt and pepper",))),
    ("How many pages mention the Bank of England?", MatchRule(("bank of england",))),
    ("How many notes mention both Anna and Bob?", MatchRule(("anna", "bob"))),
    ("How many notes have status rejected?", MatchRule(("status rejected",))),
    ("How many notes have the status: accepted", MatchRule(("status accepted",))),
    ("How many notes are tagged robotics?", MatchRule(("robotics",))),
    ("How many recipes mention basil?", MatchRule(("basil",), files=("recipes/",))),
    ("How many lines mention ERROR in server.log?", MatchRule(("error",), Unit.LINE, files=("server", "log"))),
    ("How many notes mention rain since 2020?", MatchRule(("rain",), condition=Condition(">=", "2020"))),
    ("How many lines mention rent over 2000", MatchRule(("rent",), Unit.LINE, Condition(">", "2,000"))),
    ("How many notes are there in the kitchen folder?", MatchRule((), files=("kitchen/",))),
    ("How often is garlic mentioned in the notes?", MatchRule(("garlic",), Unit.MATCH)),
    ("How many times have I mentioned garlic?", MatchRule(("garlic",), Unit.MATCH)),
    ("How many occurrences of foo are there in the folder lib?", MatchRule(("foo",), Unit.MATCH, files=("lib",))),
    ("Wie viele Notizen erwähnen Knoblauch?", MatchRule(("knoblauch",))),
    ("Wie oft wird Knoblauch erwähnt?", MatchRule(("knoblauch",), Unit.MATCH)),
    ("Combien de notes mentionnent l'ail ?", MatchRule(("ail",))),
    ("¿Cuántas notas mencionan el ajo?", MatchRule(("ajo",))),
    ("Сколько заметок упоминают чеснок?", MatchRule(("чеснок",))),
]
LISTS = [
    ("Which notes mention garlic?", MatchRule(("garlic",))),
    ("List all files that contain TODO", MatchRule(("todo",))),
    ("Show me the notes in the folder kitchen", MatchRule((), files=("kitchen/",))),
    ("Welche Dateien enthalten Salz?", MatchRule(("salz",))),
]
OTHERS = """
How many people live in Lyon?
How many proposals have been rejected?
Which proposals were rejected?
How often does the bus run?
How many notes mention garlic or onions?
Which files mention neither garlic nor onions?
How many files can be open at a time?
List the rules of the house
What do the notes mention?
Which city has the most pages?
"""


@pytest.mark.parametrize(("question", "rule"), COUNTS)
def test_what_can_be_counted_has_a_rule(question: str, rule: MatchRule) -> None:
    found = exact_question(question)
    assert found is not None
    assert (found.kind, found.rule) == (Combination.COUNT, rule)


@pytest.mark.parametrize(("question", "rule"), LISTS)
def test_what_can_be_listed_has_a_rule(question: str, rule: MatchRule) -> None:
    found = exact_question(question)
    assert found is not None
    assert (found.kind, found.rule) == (Combination.LIST, rule)


@pytest.mark.parametrize("question", OTHERS.strip().splitlines())
def test_other_questions_count_nothing(question: str) -> None:
    assert exact_question(question) is None
