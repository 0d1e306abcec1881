"""A question by rules: its terms, phrases and names, what it counts, sums up, compares or points back to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.rules.question_plan import (
    EarlierQuestion,
    analyse,
    answer_type,
    exact_question,
    names,
    offline_plan,
    phrases,
    resolve_references,
    terms,
)
from lens_lsp.model.plan import AnchorKind, AnswerType, Combination, Condition, Intent, MatchRule, Requirement, Unit
from lens_lsp.model.words import STOP_WORDS, fold, key

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
LEASE = (EarlierQuestion("When does the lease of the office end?", "31 August 2030"),)
SUPPLIER = (EarlierQuestion("Who pays for the contract of the mill?"), EarlierQuestion("How much is it?"))
HIRE = (EarlierQuestion("Which firm is the hire contract for the follow spots with?", "Novalux"),)
GRANT = (EarlierQuestion("How high is the grant for the dish?", "900 euros"),)
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
        ("And when does it begin?", LEASE, "When does the lease of the office begin?"),
        ("How high is the deposit for it?", LEASE, "How high is the deposit for the lease of the office?"),
        (
            "And when does it return?",
            (EarlierQuestion("When does the bus leave the airport?"),),
            "When does the bus return?",
        ),
        ("And when?", DUNE, "When was it that Frank Herbert wrote Dune?"),
        ("And when was that?", DUNE, "When was it that Frank Herbert wrote Dune?"),
        ("By whom?", (EarlierQuestion("When was the lamp built?"),), "When was the lamp built, and by whom?"),
        (
            "And when was that?",
            (EarlierQuestion("How many people came to the harbour feast?", "140"),),
            "When was it that people came to the harbour feast?",
        ),
        (
            "Why is that?",
            (EarlierQuestion("How many people does the ferry carry?", "140"),),
            "How many people does the ferry carry, and why?",
        ),
        ("When does that contract end?", SUPPLIER, "When does the contract of the mill end?"),
        ("Who signed this contract?", SUPPLIER, "Who signed the contract of the mill?"),
        ("And when does that contract end?", HIRE, "When does the hire contract for the follow spots end?"),
        ("And by when must that grant be spent?", GRANT, "By when must the grant for the dish be spent?"),
        ("What is the notice of that agreement?", DUNE, "What is the notice of the agreement (Dune)?"),
        (
            "When was that?",
            (EarlierQuestion("Who was elected chair of the club?", "Marta Lindqvist"),),
            "When was Marta Lindqvist elected chair of the club?",
        ),
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


def texts(question: str, kind: AnchorKind) -> list[str]:
    return [anchor.text for anchor in analyse(question).anchors if anchor.kind is kind]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was the bridge built?", ["bridge", "built"]),
        ("Bridge, bridge: BRIDGE", ["bridge"]),
        ("What is Ada's brother's name?", ["ada", "brother"]),
        ("东京 tower", ["东京", "tower"]),
        ("東京大学はどこ", ["東京", "京大", "大学", "学は", "はど", "どこ"]),
        ("Где живёт панда?", ["где", "живет", "панда"]),
        ("a b 7 x", []),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
    ],
)
def test_terms_are_the_folded_words_that_carry_content(question: str, expected: list[str]) -> None:
    assert texts(question, AnchorKind.TERM) == expected


def test_numbers_are_terms_of_their_own_kind() -> None:
    assert texts("Revenue in 2019 versus 7 others", AnchorKind.NUMBER) == ["2019", "7"]


@pytest.mark.parametrize("question", ["Who are they?", "the who", "to be or not to be"])
def test_a_question_of_stop_words_only_is_looked_for_as_it_is(question: str) -> None:
    assert set(texts(question, AnchorKind.TERM)) == set(key(question).split())


@given(st.text(max_size=60))
def test_terms_are_distinct_and_stand_in_the_folded_question(question: str) -> None:
    folded = fold(question)
    found = [term for term, _ in terms(folded)]
    assert len(found) == len(set(found))
    assert all(term in folded for term in found)
    assert all(term not in STOP_WORDS for term in found) or all(term in STOP_WORDS or len(term) == 1 for term in found)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who wrote “The Left Hand of Darkness”?", ["the left hand of darkness", "left hand of darkness"]),
        ('what does "exit status 3" mean', ["exit status 3"]),
        ("In which year did the Treaty of Westphalia end the war?", ["treaty of westphalia"]),
        ("Where is New York City's largest park?", ["new york city"]),
        ("Did Simon and Garfunkel meet in Queens?", ["simon and garfunkel", "simon", "garfunkel", "queens"]),
        ("Which band wrote Tommy, Cream or The Who?", ["tommy cream or the who", "tommy cream", "the who"]),
        ("Was «Война и мир» filmed?", ["война и мир"]),
        ("what is love", []),
    ],
)
def test_quoted_text_and_names_are_phrases(question: str, expected: list[str]) -> None:
    assert phrases(question) == expected


@given(st.text(max_size=80))
def test_phrases_are_distinct_folded_and_not_empty(question: str) -> None:
    found = phrases(question)
    assert len(found) == len(set(found))
    assert all(found)
    assert all(phrase == key(phrase) for phrase in found)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did it open?", AnswerType.DATE),
        ("In which century was it built", AnswerType.DATE),
        ("how many rooms are there", AnswerType.NUMBER),
        ("How old is the tree?", AnswerType.NUMBER),
        ("What percentage of it is water?", AnswerType.NUMBER),
        ("who painted it", AnswerType.PERSON),
        ("Whose car is it?", AnswerType.PERSON),
        ("what colour is it", AnswerType.ANY),
        ("whenever it rains", AnswerType.ANY),
    ],
)
def test_the_question_word_tells_the_type_of_answer(question: str, kind: AnswerType) -> None:
    assert answer_type(question) is kind
    assert analyse(question).answer_type is kind


@given(st.text(max_size=60))
def test_a_plan_has_one_requirement_the_question_itself(question: str) -> None:
    plan = analyse(question)
    assert plan == analyse(question)
    assert plan.question == question
    assert plan.requirements == (Requirement("f1", question),)
    assert all(anchor.requirements == ("f1",) for anchor in plan.anchors)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The film was directed by Ida Holm and Kim Berg.", ["Ida Holm", "Kim Berg"]),
        ("Bridges are old. Nobody knows.", []),
        ("When was the Treaty of Westphalia signed?", ["Treaty of Westphalia"]),
        ("use `git rebase` and max_depth with --force on macOS", ["git rebase", "max_depth", "--force", "macOS"]),
        ("a call to std::fs::read in main.rs", ["std::fs::read", "main.rs"]),
        ("Anna's book is older than Bob's", ["Anna", "Bob"]),
        ("Мост построил Иван Петров в Киеве", ["Иван Петров", "Киеве"]),
        ("「雪国」は川端の小説", ["雪国"]),
        ("東京タワーとスカイツリー", ["タワー", "スカイツリー"]),
        ("On Monday I met Dr Holm", ["Dr Holm"]),
        ("in March 2015 and in 2016", ["March 2015", "2016"]),
    ],
)
def test_names_are_found_as_they_are_written(text: str, expected: list[str]) -> None:
    assert [name.text for name in names(text)] == expected


@given(st.text(max_size=100))
def test_names_stand_in_the_text_in_order_and_apart(text: str) -> None:
    found = names(text)
    end = 0
    for name in found:
        assert text[name.start :].startswith(name.text)
        assert name.start >= end
        assert name.key
        end = name.start + len(name.text)
