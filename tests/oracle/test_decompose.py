from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.domain.plan import (
    MOST_REQUIREMENTS,
    AnswerType,
    Combination,
    Condition,
    Intent,
    MatchRule,
    Plan,
    Unit,
)
from lens_lsp.oracle.analysis import analyse
from lens_lsp.oracle.decompose import decompose

LOOKUPS = [
    "When was the old mill built?",
    "Who wrote the garden diary?",
    "What did I buy in March 2015?",
    "How many options does tar have?",
    "How many people have keys?",
    "How much does the tent weigh?",
    "Does the tent weigh more than 3 kg?",
    "How do I compare two files with diff?",
    "How does the pump work?",
    "What percentage of the earth is water?",
    "What is the average price of a house?",
    "What is the total of all my expenses?",
    "How long is the flight from Berlin to Rome?",
    "Who is the older brother of Anna?",
    "What year was the older of the two bridges built?",
    "Name the author of the cookbook",
    "What is the summary statistic used in the report?",
    "What is it about the sea that Anna loves?",
    "What other series mentioned returned with a new plot?",
    "Is it raining or snowing?",
    "What is the largest bird of the island?",
    "What are the benefits of compost?",
    "Which chapter explains grafting?",
    "If A and B are both true, what follows?",
    "",
    "???",
    "Где ключи?",
    "钥匙在哪里？",
]


@pytest.mark.parametrize("question", LOOKUPS)
def test_a_question_no_pattern_is_sure_of_is_a_lookup_of_one_fact(question: str) -> None:
    plan = decompose(question)
    assert plan.intent is Intent.LOOKUP
    assert [requirement.id for requirement in plan.requirements] == ["f1"]
    assert plan.transformation is None
    assert plan.requirements[0].rule is None
    assert not plan.requirements[0].many


@pytest.mark.parametrize("question", LOOKUPS)
def test_a_lookup_ranks_with_the_anchors_of_find(question: str) -> None:
    assert decompose(question).anchors == analyse(question).anchors


_DECADES = "convert(abs(years(f1, f2)), decade)"
_HOURS = "convert(abs(f1 - f2), h)"
COMPUTED = [
    (
        "What is the difference between the price of the laptop and the price of the desk?",
        ("the price of the laptop", "the price of the desk"),
        "abs(f1 - f2)",
    ),
    ("What is the difference in height between Mont Blanc and K2?", ("Mont Blanc", "K2"), "abs(f1 - f2)"),
    (
        "What is the difference between the number of pages of Dune and Emma?",
        ("Dune", "Emma"),
        "abs(f1 - f2)",
    ),
    (
        "How many days are there between the kickoff meeting and the launch?",
        ("the kickoff meeting", "the launch"),
        "abs(days(f1, f2))",
    ),
    (
        "How many months passed between the order and the delivery?",
        ("the order", "the delivery"),
        "abs(months(f1, f2))",
    ),
    (
        "How many years after the founding of Rome was Carthage destroyed?",
        ("Carthage destroyed", "the founding of Rome"),
        "abs(years(f1, f2))",
    ),
    ("How much larger is the garden than the terrace?", ("the garden", "the terrace"), "f1 - f2"),
    ("How much cheaper is the red bike than the blue bike?", ("the red bike", "the blue bike"), "f2 - f1"),
    ("How many years older is Anna than Bob?", ("Anna", "Bob"), "abs(years(f1, f2))"),
    ("How many more pages does Dune have than Emma?", ("Dune", "Emma"), "f1 - f2"),
    ("How many times larger is Paris than Lyon?", ("Paris", "Lyon"), "f1 / f2"),
    ("By what percentage is Paris larger than Lyon?", ("Paris", "Lyon"), "change(f2, f1)"),
    ("What is the sum of the rent and the electricity bill?", ("the rent", "the electricity bill"), "f1 + f2"),
    ("What is the total cost of the flight and the hotel?", ("the flight", "the hotel"), "f1 + f2"),
    ("How much do the tent and the stove weigh together?", ("the tent", "the stove"), "f1 + f2"),
    ("What percentage of the 2020 budget is the rent?", ("the rent", "the 2020 budget"), "percent(f1, f2)"),
    ("What is the average of the scores of Anna, Bob and Carl?", ("Anna", "Bob", "Carl"), "mean(f1, f2, f3)"),
    ("What is the ratio of sugar to flour?", ("sugar", "flour"), "ratio(f1, f2)"),
    (
        "Wie viele Tage liegen zwischen dem Aufbruch und der Ankunft?",
        ("dem Aufbruch", "der Ankunft"),
        "abs(days(f1, f2))",
    ),
    ("Quelle est la somme du loyer et de l'électricité ?", ("loyer", "de l'électricité"), "f1 + f2"),
    (
        "In the second trial, how many more grams does the oak board weigh than the ash board?",
        ("the oak board", "the ash board"),
        "f1 - f2",
    ),
    (
        "If I water the roses, the tulips and the herbs one after the other, how many minutes is that altogether?",
        ("the roses", "the tulips", "the herbs"),
        "f1 + f2 + f3",
    ),
    ("By how much did the rent in Kiel fall from 2015 to 2019?", ("2015", "2019"), "f1 - f2"),
    ("How many days after the bridge was the tunnel opened?", ("the tunnel", "the bridge"), "abs(days(f1, f2))"),
    (
        "How many weeks passed between the opening dates of the mill and of the weir?",
        ("the mill", "the weir"),
        "abs(weeks(f1, f2))",
    ),
    ("How many decades lie between the flood and the fire?", ("the flood", "the fire"), _DECADES),
    ("How many hours passed between the order and the delivery?", ("the order", "the delivery"), _HOURS),
    (
        "Wie viele Wochen liegen zwischen dem Aufbruch und der Ankunft?",
        ("dem Aufbruch", "der Ankunft"),
        "abs(weeks(f1, f2))",
    ),
    ("Combien d'années entre le départ et l'arrivée ?", ("le départ", "l'arrivée"), "abs(years(f1, f2))"),
    ("¿Cuántos meses hay entre la salida y la llegada?", ("la salida", "la llegada"), "abs(months(f1, f2))"),
    ("出发和到达之间有多少个月？", ("出发", "到达"), "abs(months(f1, f2))"),
    ("出発と到着の間は何時間ですか？", ("出発", "到着"), _HOURS),
    (
        "By how many seconds was the red sled faster than the blue sled?",
        ("the red sled", "the blue sled"),
        "abs(f1 - f2)",
    ),
    (
        "How much of the monthly budget is left after the rent and the bus ticket?",
        ("the monthly budget", "the rent", "the bus ticket"),
        "f1 - f2 - f3",
    ),
    ("How much do the rent and the bus ticket come to?", ("the rent", "the bus ticket"), "f1 + f2"),
    ("How many days lay between the flood and the fire?", ("the flood", "the fire"), "abs(days(f1, f2))"),
    ("How far apart are the flood and the fire in weeks?", ("the flood", "the fire"), "abs(weeks(f1, f2))"),
    ("What is 20 percent of the monthly budget?", ("the monthly budget",), "20 % of f1"),
    ("How much is a quarter of the total cost of the trip?", ("the total cost of the trip",), "1/4 of f1"),
    ("¿Cuántos libros más se vendieron en Lima que en Quito?", ("Lima", "Quito"), "f1 - f2"),
    ("长桥比短桥长多少米？", ("长桥", "短桥"), "f1 - f2"),
    ("Сколько дней прошло между стартом и финишем?", ("стартом", "финишем"), "abs(days(f1, f2))"),
]


@pytest.mark.parametrize(("question", "subjects", "expression"), COMPUTED)
def test_a_computation_needs_one_fact_per_operand(question: str, subjects: tuple[str, ...], expression: str) -> None:
    plan = decompose(question)
    assert plan.intent is Intent.COMPUTATION
    assert plan.transformation is not None
    assert plan.transformation.kind is Combination.EXPRESSION
    assert plan.transformation.labels == subjects
    assert plan.transformation.expression == expression
    assert [requirement.id for requirement in plan.requirements] == [f"f{n + 1}" for n in range(len(subjects))]
    assert all(requirement.answer_type in (AnswerType.NUMBER, AnswerType.DATE) for requirement in plan.requirements)
    assert all(requirement.names for requirement in plan.requirements)


COMPARED = [
    ("Which river is longer, the Nile or the Amazon?", ("the Nile", "the Amazon"), Combination.GREATEST),
    ("Who was born first, Marie Curie or Niels Bohr?", ("Marie Curie", "Niels Bohr"), Combination.LEAST),
    ("Which of the red bike and the black bike is cheaper?", ("red bike", "the black bike"), Combination.LEAST),
    ("Which began first Arthur's Weekly or Notes for Anna?", ("Arthur's Weekly", "Notes for Anna"), Combination.LEAST),
    ("Between Anna and Bob, who is taller?", ("Anna", "Bob"), Combination.GREATEST),
    ("What is more expensive, gold or silver?", ("gold", "silver"), Combination.GREATEST),
    ("Is the blue tent heavier than the green tent?", ("the blue tent", "the green tent"), Combination.GREATEST),
    ("Does the laptop cost more than the desk?", ("the laptop", "the desk"), Combination.GREATEST),
    ("Was Rome founded before Carthage?", ("Rome", "Carthage"), Combination.LEAST),
    ("Did the flood happen after the fire?", ("the flood", "the fire"), Combination.GREATEST),
    ("Do Anna and Bob live in the same town?", ("Anna", "Bob"), Combination.SAME),
    ("Do the keys of the mill and of the weir have the same length?", ("the mill", "the weir"), Combination.SAME),
    ("Do the mill and the weir usually close for the same weeks?", ("the mill", "the weir"), Combination.SAME),
    ("Did Anna or Bob arrive earlier?", ("Anna", "Bob"), Combination.LEAST),
    ("Are Anna Karlsson and Bob Smith both French?", ("Anna Karlsson", "Bob Smith"), Combination.SAME),
    ("Do the kitchen and the bathroom have the same tiles?", ("the kitchen", "the bathroom"), Combination.SAME),
    ("Does Anna have the same birthday as Bob?", ("Anna", "Bob"), Combination.SAME),
    ("Compare Postgres and MySQL in terms of speed", ("Postgres", "MySQL"), None),
    ("How does tokio differ from async-std?", ("tokio", "async-std"), None),
    ("What is the difference between Box and Rc?", ("Box", "Rc"), None),
    ("What do Anna and Bob have in common?", ("Anna", "Bob"), None),
    ("Oak or ash: which burns longer?", ("Oak", "ash"), Combination.GREATEST),
    ("For a cold kitchen, is gas or induction cheaper?", ("gas", "induction"), Combination.LEAST),
    ("Is the fee the same in Bern and Basel?", ("Bern", "Basel"), Combination.SAME),
    ("mill and weir: same height?", ("mill", "weir"), Combination.SAME),
    ("¿Qué abrió antes, el molino o la presa?", ("el molino", "la presa"), Combination.LEAST),
    ("Was hält länger, Eiche oder Esche?", ("Eiche", "Esche"), Combination.GREATEST),
    ("Which boat is moored in Kiel, Albatros or Seeadler?", ("Albatros", "Seeadler"), None),
    ("Welcher Fluss ist länger, der Nil oder der Amazonas?", ("der Nil", "der Amazonas"), Combination.GREATEST),
    ("¿Qué río es más largo, el Nilo o el Amazonas?", ("el Nilo", "el Amazonas"), Combination.GREATEST),
    ("Какая река длиннее, Нил или Амазонка?", ("Нил", "Амазонка"), Combination.GREATEST),
    ("长江和黄河哪条更长？", ("长江", "黄河"), Combination.GREATEST),
    ("東京タワーとスカイツリーではどちらが高いですか？", ("東京タワー", "スカイツリー"), Combination.GREATEST),
    ("나일강과 아마존강 중 어느 것이 더 긴가요?", ("나일강", "아마존강"), Combination.GREATEST),
]  # fmt: skip


@pytest.mark.parametrize(("question", "subjects", "kind"), COMPARED)
def test_a_comparison_needs_one_fact_per_side(
    question: str, subjects: tuple[str, ...], kind: Combination | None
) -> None:
    plan = decompose(question)
    assert plan.intent is Intent.COMPARISON
    assert tuple(requirement.text.split(": ")[0] for requirement in plan.requirements) == subjects
    assert (None if plan.transformation is None else plan.transformation.kind) is kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("pump and fan: same option for another port?", AnswerType.ANY),
        ("Do the pump and the fan use the same port?", AnswerType.NUMBER),
        ("Do the pump and the fan have the same date of sale?", AnswerType.DATE),
    ],
)
def test_the_noun_that_is_the_same_says_how_it_is_told(question: str, kind: AnswerType) -> None:
    assert {requirement.answer_type for requirement in decompose(question).requirements} == {kind}


def test_a_name_in_parentheses_stands_beside_the_one_before_it() -> None:
    plan = decompose("How many days after oak binding (PLAN 12) was the weir opened?")
    assert ("oak binding", "plan 12") in {requirement.names for requirement in plan.requirements}


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Name the rules of the house, all of them.", Combination.LIST),
        ("Which rivers can freeze over?", Combination.LIST),
        ("List the steps to install the pump", Combination.LIST),
        ("How many entries does the list of tools in the shed have?", Combination.COUNT),
    ],
)
def test_one_list_answers_what_no_exact_rule_finds(question: str, kind: Combination) -> None:
    plan = decompose(question)
    assert plan.intent is Intent.AGGREGATION
    assert plan.transformation is not None
    assert plan.transformation.kind is kind
    assert not plan.requirements[0].many
    assert plan.requirements[0].rule is None


@pytest.mark.parametrize("question", [question for question, *_ in (*COMPUTED, *COMPARED)])
def test_a_split_plan_keeps_the_anchors_of_the_question_and_says_whom_each_serves(question: str) -> None:
    plan = decompose(question)
    assert [(a.text, a.kind, a.weight) for a in plan.anchors] == [
        (a.text, a.kind, a.weight) for a in analyse(question).anchors
    ]
    ids = {requirement.id for requirement in plan.requirements}
    own = {i: {a.text for a in plan.anchors if a.requirements == (i,)} for i in ids}
    assert all(set(a.requirements) <= ids for a in plan.anchors)
    assert all(own.values()), "each requirement has an anchor that no other has"


def test_shared_words_serve_all_sides_and_asking_words_none() -> None:
    plan = decompose("What is the difference between the price of the laptop and the desk?")
    served = {anchor.text: anchor.requirements for anchor in plan.anchors}
    assert served == {"difference": (), "price": ("f1", "f2"), "laptop": ("f1",), "desk": ("f2",)}


COUNTED = [
    ("How many files mention garlic?", MatchRule(("garlic",))),
    ("How many notes contain both garlic and onion?", MatchRule(("garlic", "onion"))),
    ('How many RFCs mention "stack unwinding"?', MatchRule(("stack unwinding",))),
    ("How many chapters are there about grafting?", MatchRule(("grafting",))),
    ("How many lines contain the word timeout?", MatchRule(("timeout",), Unit.LINE)),
    ("How many entries mention rent before 2016?", MatchRule(("rent",), Unit.LINE, Condition("<", "2016"))),
    ("How often does the word 'panic' occur?", MatchRule(("panic",), Unit.MATCH)),
    ("How often is Ida mentioned in notes/2015.md?", MatchRule(("ida",), Unit.MATCH, files=("notes", "2015", "md"))),
    ("How many meetings were in March 2015?", MatchRule(("meeting",), Unit.LINE, Condition("in", "March 2015"))),
    ("How many recipes contain garlic?", MatchRule(("garlic",), files=("recipe/",))),
    ("How many files of the archive contain Vec<T>?", MatchRule(("vec t",))),
    ("How many notes are there in the kitchen folder?", MatchRule((), files=("kitchen/",))),
    ("Wie viele Dateien erwähnen Knoblauch?", MatchRule(("knoblauch",))),
    ("Combien de notes mentionnent Marie ?", MatchRule(("marie",))),
    ("¿Cuántas veces aparece Alicia?", MatchRule(("alicia",), Unit.MATCH)),
    ("多少个文件提到大蒜？", MatchRule(("大蒜",))),
    ("마늘을 언급하는 파일은 몇 개입니까?", MatchRule(("마늘",))),
]  # fmt: skip

LISTED = [
    ("Which notes mention Project Apollo?", MatchRule(("project apollo",))),
    ("List all the recipes that contain garlic", MatchRule(("garlic",), files=("recipe/",))),
    ("List all meetings in March 2015", MatchRule(("meeting",), Unit.LINE, Condition("in", "March 2015"))),
    ("Which meetings were before 2016?", MatchRule(("meeting",), Unit.LINE, Condition("<", "2016"))),
    ("List all expenses over 100 euros", MatchRule(("expense",), Unit.LINE, Condition(">", "100 euros"))),
    ("List all expenses over 2000", MatchRule(("expense",), Unit.LINE, Condition(">", "2,000"))),
    ("List all expenses under $2000", MatchRule(("expense",), Unit.LINE, Condition("<", "$2000"))),
    ("List all expenses since 2000", MatchRule(("expense",), Unit.LINE, Condition(">=", "2000"))),
    ("List the tables with a year over 2000", MatchRule(("year",), Unit.LINE, Condition(">", "2000"))),
    ("Which children were born in 2015?", MatchRule(("child", "born"), Unit.LINE, Condition("in", "2015"))),
    ("Find all notes about Berlin from 2015", MatchRule(("berlin",), Unit.FILE, Condition("in", "2015"))),
    ("List all notes for Lyon", MatchRule((), files=("lyon/",))),
    ("In which city folders is there a note about trams?", MatchRule((), files=("trams",))),
    ("List the notes whose opening date is in 1911", MatchRule(("opening date",), condition=Condition("in", "1911"))),
    ("Which logs were started in 1911?", MatchRule(("log", "start date"), Unit.LINE, Condition("in", "1911"))),
    ("In welchen Kapiteln kommt Basalt vor?", MatchRule(("basalt",))),
    ("Enumera las notas que mencionan la presa", MatchRule(("presa",))),
    ("列出所有提到水坝的笔记。", MatchRule(("水坝",))),
    ("What are all the trips that we made with Anna?", None),
    ("Who are all the people that attended the kickoff?", None),
    ("Which notes mention garlic or onion?", None),
    ("Liste alle Rezepte mit Knoblauch auf", None),
    ("列出所有会议", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "kind", "rule"),
    [(question, Combination.COUNT, rule) for question, rule in COUNTED]
    + [(question, Combination.LIST, rule) for question, rule in LISTED],
)
def test_a_count_or_list_wants_all_places_and_has_an_exact_rule_where_words_can_say_it(
    question: str, kind: Combination, rule: MatchRule | None
) -> None:
    plan = decompose(question)
    assert plan.intent is Intent.AGGREGATION
    assert plan.transformation is not None
    assert plan.transformation.kind is kind
    (requirement,) = plan.requirements
    assert requirement.many
    assert requirement.rule == rule
    assert plan.anchors == analyse(question).anchors


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("Summarize the chapter on ownership", "ownership"),
        ("Summarize RFC 2094", "rfc 2094"),
        ("summarise README.md", "readme md"),
        ("What is ownership.md about?", "ownership md"),
        ("Give me an overview of the gardening notes", "gardening"),
        ("tl;dr of meeting-2015", "meeting 2015"),
        ("What are the key points of the budget meeting?", "budget meeting"),
        ("What does chapter 4 say?", "chapter 4"),
        ("outline this note", None),
        ("What can the heat pump do? A short summary, please.", "heat pump"),
        ("Sum up the kettle manual in a few lines.", "kettle manual"),
        ("Overview of what the weir is for and its main parts.", "weir"),
        ("Summarize everything", None),
        ("Fasse das Kapitel über Gärten zusammen", "garten"),
        ("总结一下园艺笔记", "园艺笔记"),
        ("ガーデニングノートを要約してください", "ガーデニングノート"),
        ("회의록을 요약해 주세요", "회의록"),
    ],
)
def test_a_summary_names_its_document(question: str, document: str | None) -> None:
    plan = decompose(question)
    assert plan.intent is Intent.SUMMARIZE
    assert plan.document == document


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When was the mill built?", AnswerType.DATE),
        ("What is the price of the tent?", AnswerType.NUMBER),
        ("Who built the mill?", AnswerType.PERSON),
        ("Wann wurde die Mühle gebaut?", AnswerType.DATE),
        ("Combien de pages a le livre ?", AnswerType.NUMBER),
        ("¿Quién construyó el molino?", AnswerType.PERSON),
        ("Сколько страниц в книге?", AnswerType.NUMBER),
        ("这本书有多少页？", AnswerType.NUMBER),
        ("水車はいつ建てられましたか？", AnswerType.DATE),
        ("누가 방앗간을 지었나요?", AnswerType.PERSON),
        ("What colour is the mill?", AnswerType.ANY),
    ],
)
def test_the_question_word_of_each_language_tells_the_type_of_answer(question: str, kind: AnswerType) -> None:
    assert decompose(question).requirements[0].answer_type is kind


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("When was the Treaty of Westphalia signed?", ("treaty of westphalia",)),
        ("What does `git rebase` do with max_depth?", ("git rebase", "max depth")),
        ("Did Simon and Garfunkel meet in Queens?", ("simon", "garfunkel", "queens")),
        ("what is love", ()),
        ("What did I do in May 2016?", ("may 2016",)),
    ],
)
def test_a_lookup_needs_the_names_the_question_writes(question: str, names: tuple[str, ...]) -> None:
    assert decompose(question).requirements[0].names == names


@given(st.text(max_size=120))
def test_any_text_gives_a_plan_whose_anchors_are_those_of_find(question: str) -> None:
    plan = decompose(question)
    assert plan == decompose(question)
    assert 1 <= len(plan.requirements) <= MOST_REQUIREMENTS
    assert [(a.text, a.kind) for a in plan.anchors] == [(a.text, a.kind) for a in analyse(question).anchors]


PIECES = [
    *("Anna", "Bob", "the tent", "rent", "and", "or", ",", "which", "is", "larger", "than", "how many", "between"),
    *("sum of", "both", "the", "in 2015", "?", "summarize", "list all", "mention", "percentage of"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_words_in_any_order_never_fail(parts: list[str]) -> None:
    plan: Plan = decompose(" ".join(parts))
    ids = [requirement.id for requirement in plan.requirements]
    assert ids == [f"f{n + 1}" for n in range(len(ids))]
    if len(ids) > 1 and plan.transformation is not None:
        assert len(plan.transformation.labels) == len(ids)


def test_more_operands_than_a_plan_may_hold_are_looked_up_as_one_question() -> None:
    people = ", ".join(f"Anna{n}" for n in range(9))
    assert decompose(f"What is the average of the scores of {people} and Bob?").intent is Intent.LOOKUP
