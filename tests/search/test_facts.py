"""What is combined, and what is left open because nothing can be combined."""

from __future__ import annotations

from dataclasses import replace

from lens_lsp.corpus.formats import reader_for
from lens_lsp.judge.oracle import Fact
from lens_lsp.judge.rules.question_plan import offline_plan
from lens_lsp.model.answer import RequirementStatus
from lens_lsp.model.documents import Document, Origin
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import Combination, Intent, Plan, Requirement, Transformation
from lens_lsp.model.text import Span
from lens_lsp.search.consolidation import Cited, Combined, Item, combine, facts_of

MISSING = RequirementStatus.MISSING


def item(text: str, values: dict[int, str | None], verdict: Verdict = Verdict.FULL) -> Item:
    document = Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), reader_for("a.md").structure(text))
    span = Span(0, len(text))
    carries = [Cited(0, document, span, j, verdict, 0.9, value=value) for j, value in values.items()]
    return Item(0, document, span, carries)


def computing(question: str, expression: str) -> Plan:
    """A plan of two facts, as a model makes it."""
    facts = (Requirement("f1", "the first"), Requirement("f2", "the second"))
    rule = Transformation(Combination.EXPRESSION, expression)
    return Plan(question, facts, (), intent=Intent.COMPUTATION, transformation=rule)


def facts(question: str, *items: Item, expression: str | None = None) -> tuple[list[Fact], Combined | None]:
    plan = offline_plan(question) if expression is None else computing(question, expression)
    found = facts_of(plan, items, dict.fromkeys(range(len(plan.requirements)), "glr"), {})
    return found, combine(plan, found)


def test_a_bare_number_takes_the_unit_of_the_one_beside_it() -> None:
    one = item("s1 needs 12 bytes and s2 needs 15.", {0: "15", 1: "12 bytes"})
    _, combined = facts("How many more bytes does s2 need than s1?", one, expression="f1 - f2")
    assert combined is not None
    assert combined.result == "3 B"


def test_one_value_of_one_passage_does_not_tell_two_things_apart() -> None:
    one = item("The Nile and the Amazon are both called 6,400 km long.", {0: "6,400 km", 1: "6,400 km"})
    found, combined = facts("Which river is longer, the Nile or the Amazon?", one)
    assert combined is None
    assert {fact.status for fact in found} == {MISSING}


def test_what_is_proven_stays_so_where_it_cannot_be_combined() -> None:
    plan = offline_plan("Which river is longer, the Nile or the Amazon?")
    items = [item("The Nile is very long.", {0: "very long"}), item("The Amazon is long, too.", {1: None})]
    covered = {0: "glr", 1: "glr"}
    assert {fact.status for fact in facts_of(plan, items, covered, {})} == {MISSING}
    apart = facts_of(plan, items, covered, {}, apart=True)
    assert {fact.status for fact in apart} == {RequirementStatus.COVERED}
    assert combine(plan, apart) is None


def test_of_several_values_the_one_beside_the_other_operand_counts() -> None:
    flat = item("The rent of the flat was 600 €.", {0: "600 €"})
    budget = item("Monthly budget: 2,400 €, rent: 720 €", {0: "720 €", 1: "2,400 €"})
    _, combined = facts("What share of the budget is the rent?", flat, budget, expression="percent(f1, f2)")
    assert combined is not None
    assert combined.result == "30 %"


def test_the_faster_of_two_takes_the_shorter_time() -> None:
    _, combined = facts(
        "Which is faster, the sled or the ski?", item("The sled: 40 s", {0: "40 s"}), item("The ski: 55 s", {1: "55 s"})
    )
    assert combined is not None
    assert combined.result == "the sled"
    _, combined = facts(
        "Which is faster, the sled or the ski?",
        item("The sled: 40 km/h", {0: "40 km/h"}),
        item("The ski: 55 km/h", {1: "55 km/h"}),
    )
    assert combined is not None
    assert combined.result == "the ski"


def test_words_are_the_same_when_they_are_written_alike_and_prove_nothing_else() -> None:
    question = "Do Pump and Fan have the same option?"
    _, combined = facts(question, item("pump -q", {0: "-q"}), item("fan -q is quiet", {1: "-q"}))
    assert combined is not None
    assert combined.result == "yes"
    found, combined = facts(question, item("pump -q", {0: "-q"}), item("fan -s is quiet", {1: "-s"}))
    assert combined is None
    assert {fact.status for fact in found} == {MISSING}


def test_one_of_two_that_nothing_orders_is_left_open() -> None:
    plan = computing("Which boat is moored in Kiel, Albatros or Seeadler?", "")
    plan = replace(plan, intent=Intent.COMPARISON, transformation=None)
    found = facts_of(plan, [item("Albatros is.", {0: None}), item("Seeadler.", {1: None})], {0: "glr", 1: "glr"}, {})
    assert {fact.status for fact in found} == {MISSING}
    found, _ = facts("Compare Albatros and Seeadler", item("Albatros is.", {0: None}), item("Seeadler.", {1: None}))
    assert MISSING not in {fact.status for fact in found}


def test_a_quoted_list_counts_its_items_and_passages_that_come_near_are_no_list() -> None:
    rule = Transformation(Combination.COUNT)
    tools = Plan("How many tools?", (Requirement("f1", "tools", many=True),), (), transformation=rule)
    found = facts_of(tools, [item("Tools:\n\n- saw\n- axe\n- file\n", {0: None})], {0: "glr"}, {})
    combined = combine(tools, found)
    assert combined is not None
    assert combined.result == "3"
    found = facts_of(tools, [item("Tools rust.", {0: None}, Verdict.PARTIAL)], {0: "glr"}, {})
    assert found[0].status is MISSING
