"""E*, the facts that rest on it, exact counts, values that contradict each other."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.formats import reader_for
from lens_lsp.judge.llm.chat_model import ChatRequest
from lens_lsp.judge.llm.chat_prompts import TRAILER
from lens_lsp.judge.oracle import Fact
from lens_lsp.judge.rules.question_plan import offline_plan
from lens_lsp.model.answer import Answer, Mode, RequirementStatus, Status
from lens_lsp.model.documents import Document, Origin
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import Combination, Intent, Plan, Requirement, Transformation
from lens_lsp.model.text import Span
from lens_lsp.search.consolidation import (
    MOST_QUOTES,
    CitedSpan,
    Combined,
    Item,
    Statement,
    choose,
    combine,
    consolidate,
    contradict,
    counterparts,
    different,
    facts_of,
    newest,
)
from tests.judge.llm.chat_session import ask, asked, reading, regions_of, scripted, stage_of

TEXT = (
    "# Kettles\n\nThe copper kettle was made by Anselm Brock. It leaks since 1902, and nobody minds. The lid is new.\n"
    "\n* iron kettles rust\n* copper kettles do not\n\nThe copper kettle was made by Anselm Brock.\n"
)
MISSING = RequirementStatus.MISSING
QUESTION = "Where is the office of Norvik?"
BERLIN = "The office of Norvik is in Berlin."
HAMBURG = "The office of Norvik is in Hamburg."


def document(text: str = TEXT) -> Document:
    structure = reader_for("a.md").structure(text)
    return Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), structure)


def cited(
    start: int, end: int, requirement: int = 0, verdict: Verdict = Verdict.FULL, belief: float = 0.5
) -> CitedSpan:
    return CitedSpan(1, document(), Span(start, end), requirement, verdict, belief)


def at(words: str) -> tuple[int, int]:
    start = TEXT.index(words)
    return start, start + len(words)


def test_a_quote_grows_to_its_sentence() -> None:
    (item,) = consolidate([cited(*at("leaks since 1902"))])
    assert TEXT[item.span.start : item.span.end] == "It leaks since 1902, and nobody minds."


def test_a_quote_in_a_list_grows_to_its_item() -> None:
    (item,) = consolidate([cited(*at("copper kettles do"))])
    assert "copper kettles do not" in TEXT[item.span.start : item.span.end]
    assert "iron" not in TEXT[item.span.start : item.span.end]


def test_overlapping_quotes_of_two_requirements_are_one_item() -> None:
    items = consolidate([cited(*at("made by Anselm"), 0), cited(*at("Anselm Brock"), 1)])
    assert [item.requirements for item in items] == [(0, 1)]


def test_a_statement_that_its_source_repeats_is_cited_once() -> None:
    start = TEXT.rindex("The copper kettle")
    items = consolidate([cited(*at("The copper kettle was made")), cited(start, start + 10)])
    assert len(items) == 1
    assert len(items[0].carries) == 2


@given(st.lists(st.tuples(st.integers(0, len(TEXT) - 2), st.integers(1, 80)), max_size=8))
def test_items_never_overlap_never_cut_a_word_and_hold_every_quote(spans: list[tuple[int, int]]) -> None:
    quotes = [cited(start, min(len(TEXT), start + size)) for start, size in spans]
    items = consolidate(quotes)
    assert sum(len(item.carries) for item in items) == len(quotes)
    for index, item in enumerate(items):
        before, after = TEXT[: item.span.start], TEXT[item.span.end :]
        inside = TEXT[item.span.start : item.span.end]
        assert not (before[-1:].isalnum() and inside[:1].isalnum())
        assert not (inside[-1:].isalnum() and after[:1].isalnum())
        assert not any(item.span.overlaps(other.span) for other in items[index + 1 :])


def test_what_proves_is_preferred_and_lists_cite_all_of_it() -> None:
    full = [cited(n, n + 1, belief=n / 100) for n in range(MOST_QUOTES + 3)]
    partial = [cited(50 + n, 51 + n, verdict=Verdict.PARTIAL, belief=0.9) for n in range(3)]
    chosen = choose([*partial, *full], many=False, covered=True)
    assert [one.verdict for one in chosen] == [Verdict.FULL] * MOST_QUOTES
    assert chosen[0].belief == max(one.belief for one in full)
    assert len(choose([*partial, *full], many=True, covered=True)) == len(full)
    assert choose(partial, many=False, covered=False) == partial


def item(text: str, values: dict[int, str | None], verdict: Verdict = Verdict.FULL) -> Item:
    document = Document(0, "a.md", text, "markdown/1", Origin("", "utf-8"), reader_for("a.md").structure(text))
    span = Span(0, len(text))
    carries = [CitedSpan(0, document, span, j, verdict, 0.9, value=value) for j, value in values.items()]
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
    assert combined.text == "3 B"


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
    assert combined.text == "30 %"


def test_the_faster_of_two_takes_the_shorter_time() -> None:
    _, combined = facts(
        "Which is faster, the sled or the ski?", item("The sled: 40 s", {0: "40 s"}), item("The ski: 55 s", {1: "55 s"})
    )
    assert combined is not None
    assert combined.text == "the sled"
    _, combined = facts(
        "Which is faster, the sled or the ski?",
        item("The sled: 40 km/h", {0: "40 km/h"}),
        item("The ski: 55 km/h", {1: "55 km/h"}),
    )
    assert combined is not None
    assert combined.text == "the ski"


def test_words_are_the_same_when_they_are_written_alike_and_prove_nothing_else() -> None:
    question = "Do Pump and Fan have the same option?"
    _, combined = facts(question, item("pump -q", {0: "-q"}), item("fan -q is quiet", {1: "-q"}))
    assert combined is not None
    assert combined.text == "yes"
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
    assert combined.text == "3"
    found = facts_of(tools, [item("Tools rust.", {0: None}, Verdict.PARTIAL)], {0: "glr"}, {})
    assert found[0].status is MISSING


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("Ilse Brandt", "Jan Koller", True),
        ("Ilse Brandt", "I. Brandt", False),
        ("IBM", "International Business Machines", False),
        ("Berlin", "Hamburg", True),
        ("Берлин", "Гамбург", True),
        ("柏林", "首都", False),
        ("1702", "1709", True),
        ("3 May 2024", "5 May 2024", True),
        ("May 2024", "3 May 2024", False),
        ("14:30", "15:00", True),
        ("10 GB", "20 GB", True),
        ("1 km", "1000 m", False),
        ("a ride in a park", "a book", False),
        ("Berlin", "20", False),
    ],
)
def test_values_differ_where_they_cannot_both_be_right(one: str, other: str, differ: bool) -> None:
    assert different(one, other) is differ
    assert different(other, one) is differ


@pytest.mark.parametrize(
    ("question", "own", "value", "text", "found"),
    [
        (QUESTION, BERLIN, "Berlin", HAMBURG, "Hamburg"),
        (QUESTION, BERLIN, "Berlin", "Norvik's office is in Hamburg.", "Hamburg"),
        (
            "Who maintains it?",
            "Maintainer of the parser: Ann Lee.",
            "Ann Lee",
            "Parser maintainer: Bob Stone",
            "Bob Stone",
        ),
        (
            "When is it due?",
            "The report is due on 3 May 2024.",
            "3 May 2024",
            "The report is due on 9 May 2024.",
            "9 May 2024",
        ),
        ("How many users?", "Staging allows 20 users.", "20 users", "Staging allows 50 users.", "50 users"),
        ("How long is it?", "The dam is 15 km long.", "15 km", "The dam is 5 km long.", "5 km"),
        (
            "How long is it?",
            "The road by the mill is 15 km wide. The dam is 5 km long.",
            "5 km",
            "The dam is 15 km long.",
            "15 km",
        ),
        ("会议何时举行?", "会议定于2024年5月13日举行。", "2024年5月13日", "会议定于2024年5月3日举行。", "2024年5月3日"),
        (
            "納期はいつですか",
            "工事の納期は2024年5月3日です。",
            "2024年5月3日",
            "工事の納期は2024年5月9日です",
            "2024年5月9日",
        ),
        ("桥有多长?", "铁路桥的长度是90米。", "90米", "铁路桥的长度是80米。", "80米"),
        # another time, another thing, a part of the same answer, the same value, no value
        (QUESTION, BERLIN, "Berlin", "The office of Norvik was in Hamburg until 2019.", None),
        (QUESTION, BERLIN, "Berlin", "The office of Sudvik is in Hamburg.", None),
        ("When is it due?", "The report is due on 3 May 2024.", "3 May 2024", "The budget is due on 9 May 2024.", None),
        ("How many users?", "Staging allows 20 users.", "20 users", "Production allows 50 users.", None),
        (QUESTION, BERLIN, "Berlin", "The offices of Norvik are in Berlin and Hamburg.", None),
        (QUESTION, BERLIN, "Berlin", "Norvik also has an office in Hamburg.", None),
        (QUESTION, BERLIN, "Berlin", BERLIN, None),
        ("桥有多长?", "铁路桥的长度是90米。", "90米", "公路桥的长度是80米。", None),
        ("桥有多长?", "铁路桥的长度是90米。", "90米", "铁路桥的长度是90公尺。", None),
        ("多长?", "长90米。", "90米", "长80米。", None),
        ("办公室在哪里?", "诺维克的办公室在柏林。", "柏林", "诺维克的办公室在汉堡。", None),
        (QUESTION, BERLIN, "Berlin", "The office of Norvik is closed.", None),
        ("Who founded Foo?", "It was founded by Ann Lee.", "Ann Lee", "It was founded by Ann Lee and Bob Stone.", None),
    ],
)
def test_a_sentence_that_says_the_same_with_another_value_is_a_conflict(
    question: str, own: str, value: str, text: str, found: str | None
) -> None:
    values = [other for _, other in counterparts(question, Statement(own, value, ""), text, "")]
    assert values == ([] if found is None else [found])


def test_what_stands_above_says_of_what_a_passage_speaks() -> None:
    one = Statement("It was founded in 1990.", "1990", "Foo")
    assert contradict("When was Foo founded?", one, Statement("It was founded in 1985.", "1985", "Foo"))
    assert not contradict("When was Foo founded?", one, Statement("It was founded in 1985.", "1985", "Bar"))
    assert not list(
        counterparts("Which town?", Statement("Dover, Kent", "Dover", "Dover, Kent"), "Hythe, Kent", "Hythe, Kent")
    )


def test_the_newest_is_known_only_of_what_has_days() -> None:
    days = [date(2024, 5, 3), date(2023, 1, 1)]
    assert newest(days) == 0
    assert newest([*days, None]) is None
    assert newest([days[0], days[0]]) is None
    assert newest([]) is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "2023-02-01 move.md").write_text(f"# Move\n\n{BERLIN} It has a garden.\n", "utf-8")
    (tmp_path / "2024-03-02 news.md").write_text(f"# News\n\n{HAMBURG} It has a roof.\n", "utf-8")
    (tmp_path / "other.md").write_text("# Other\n\nThe office of Sudvik is in Oslo.\n", "utf-8")
    return tmp_path


def place(request: ChatRequest, words: str) -> int:
    return next(number for number, text in regions_of(request).items() if words in text)


def read(folder: Path, short: str = "Berlin", **more: object) -> Answer:
    """What is made of a reply that quotes one of the two notes."""

    def says(request: ChatRequest) -> str:
        quotes = [(place(request, "is in Berlin"), BERLIN)]
        return reading("yes", quotes, "It is in Berlin [1].", short=short, **more)

    return ask(folder, scripted({"read": says}), Mode.FAST, question=QUESTION, limits={"request_tokens": 2_000})


def test_another_value_among_what_was_read_is_shown_beside_the_answer(folder: Path) -> None:
    answer = read(folder)
    assert answer.requirements[0].status is RequirementStatus.CONTESTED
    assert answer.status is Status.ANSWERED
    assert answer.text.endswith("The sources differ: Berlin [1]; Hamburg [2]; the newer one is [2].")
    assert [item.path for item in answer.evidence] == ["2023-02-01 move.md", "2024-03-02 news.md"]


def test_without_days_no_side_is_called_newer(folder: Path) -> None:
    (folder / "2024-03-02 news.md").rename(folder / "news.md")
    answer = read(folder)
    assert answer.text.endswith("The sources differ: Berlin [1]; Hamburg [2].")


def test_a_list_and_one_value_are_not_contested(folder: Path) -> None:
    listed = read(folder, items=[{"name": "Berlin", "quote": 1}])
    assert listed.requirements[0].status is RequirementStatus.COVERED
    (folder / "2024-03-02 news.md").unlink()
    assert read(folder).requirements[0].status is RequirementStatus.COVERED


@pytest.mark.parametrize(("other", "status"), [("9", RequirementStatus.CONTESTED), ("3", RequirementStatus.COVERED)])
def test_a_value_with_no_space_around_it_is_contested_too(
    tmp_path: Path, other: str, status: RequirementStatus
) -> None:
    (tmp_path / "a.md").write_text("# 通知\n\n会议定于2024年5月3日举行。\n", "utf-8")
    (tmp_path / "b.md").write_text(f"# 更正\n\n会议定于2024年5月{other}日举行。\n", "utf-8")

    def says(request: ChatRequest) -> str:
        said = "会议定于2024年5月3日举行。"
        return reading("yes", [(place(request, said), said)], "2024年5月3日 [1]。", short="2024年5月3日")

    model = scripted({"read": says})
    answer = ask(tmp_path, model, Mode.FAST, question="会议何时举行?", limits={"direct_tokens": 2_000})
    assert answer.requirements[0].status is status


def observed(folder: Path, *, many: bool = False) -> tuple[Answer, list[ChatRequest]]:
    """What ``deep`` makes of two full quotes with a name each."""

    def finds(request: ChatRequest) -> str:
        found = [
            {"region": number, "fact": "f1", "verdict": "full", "quote": quote, "value": value}
            for number, text in regions_of(request).items()
            for quote, value in ((BERLIN, "Berlin"), (HAMBURG, "Hamburg"))
            if quote in text
        ]
        return json.dumps({"found": found, "terms": []})

    fact = {"text": "where the office of Norvik is", "type": "any", "many": many, "label": "office"}
    plan = {"intent": "lookup", "facts": [fact], "combine": "none", "expression": None, "document": None}
    worded = f'Berlin [1] or Hamburg [2].\n{TRAILER} {{"short": null, "unmet": []}}'
    stages = {"decompose": json.dumps(plan), "observe": finds, "synthesise": worded, "calibrate": '{"short": null}'}
    model = scripted(stages)
    answer = ask(folder, model, Mode.DEEP, question=QUESTION, limits={"request_tokens": 2_000})
    return answer, [request for request in model.requests if stage_of(request) == "synthesise"]


def test_two_names_that_prove_one_fact_make_it_contested_in_deep(folder: Path) -> None:
    answer, (request,) = observed(folder)
    assert answer.requirements[0].status is RequirementStatus.CONTESTED
    (told,) = [line for line in asked(request).splitlines() if line.startswith("The sources differ on f1")]
    newer = next(item.n for item in answer.evidence if item.path.startswith("2024"))
    assert "Berlin [" in told
    assert "Hamburg [" in told
    assert told.endswith(f"[{newer}] is the newer one: say so.")


def test_two_members_of_a_list_are_not_contested_in_deep(folder: Path) -> None:
    answer, _ = observed(folder, many=True)
    assert answer.requirements[0].status is RequirementStatus.COVERED
