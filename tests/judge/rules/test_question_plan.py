"""The plan without a model: the question, unless it counts, sums up or compares two named things."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.rules.question_plan import EarlierQuestion, exact_question, offline_plan, resolve_references
from lens_lsp.model.plan import Combination, Condition, Intent, MatchRule, Unit

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


DUNE = (EarlierQuestion("Who wrote Dune?", "Frank Herbert"),)
PORT = (EarlierQuestion("What is the default port of the server?", "8080"),)


@pytest.mark.parametrize(
    ("typed", "thread", "searched"),
    [
        ("And when was it released?", DUNE, "When was Dune released?"),
        ("When was he born?", DUNE, "When was Frank Herbert born?"),
        ("What are its sequels?", DUNE, "What are Dune's sequels?"),
        ("What about Solaris?", DUNE, "Who wrote Solaris?"),
        ("What about the client?", PORT, "What is the default port of the client?"),
        ("Why is it not 80?", PORT, "Why is the default port of the server not 80?"),
        (
            "And in 2019?",
            (EarlierQuestion("How many people visited Rome in 2018?"),),
            "How many people visited Rome in 2019?",
        ),
        ("And when?", DUNE, "Who wrote Dune, and when?"),
        ("but who directed the film?", DUNE, "Who directed the film?"),
    ],
)
def test_what_points_back_is_put_in(typed: str, thread: tuple[EarlierQuestion, ...], searched: str) -> None:
    assert resolve_references(typed, thread) == searched


@pytest.mark.parametrize("typed", ["Who directed Alien?", "is it possible to resume a download?", "Which tests fail?"])
def test_a_question_that_points_nowhere_stays_as_typed(typed: str) -> None:
    assert resolve_references(typed, DUNE) == typed


def test_the_first_question_of_a_thread_stays_as_typed() -> None:
    assert resolve_references("And when was it released?", ()) == "And when was it released?"


@given(st.text(max_size=120), st.text(max_size=120), st.one_of(st.none(), st.text(max_size=40)))
def test_no_text_is_too_odd_to_follow(typed: str, before: str, short: str | None) -> None:
    assert isinstance(resolve_references(typed, [EarlierQuestion(before, short)]), str)
