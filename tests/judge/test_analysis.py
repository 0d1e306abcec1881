"""What a question asks for: its terms, phrases, names and the type of its answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.rules.question_plan import analyse, answer_type, names, phrases, terms
from lens_lsp.model.plan import AnchorKind, AnswerType, Requirement
from lens_lsp.model.words import STOP_WORDS, fold, key


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
