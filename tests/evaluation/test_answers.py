"""Official exact match and F1. The values are worked out by hand from the published scripts (in the comments)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring.answers import Script, exact_match, f1, normalised

BOTH = (Script.HOTPOTQA, Script.SQUAD)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("The  Analytical Engine!", "analytical engine"),
        ("A.B.C.", "abc"),
        ("an apple a day", "apple day"),
        ("Theatre", "theatre"),
        ("the-end", "theend"),  # punctuation goes first, so no article is left to see
        ("“quoted”", "“quoted”"),  # string.punctuation is ASCII
        ("don't", "dont"),
        ("  ", ""),
        ("The", ""),
        ("ÉCOLE", "école"),
    ],
)
def test_answers_are_normalised_as_both_scripts_do(answer: str, words: str) -> None:
    assert normalised(answer) == words


@pytest.mark.parametrize("script", BOTH)
@pytest.mark.parametrize(
    ("said", "gold", "em", "value"),
    [
        ("the Analytical Engine.", ["Analytical Engine"], 1.0, 1.0),
        # 2 words in common; precision 2/3, recall 2/2: 2·(2/3·1)/(2/3+1) = 0.8
        ("Babbage's Analytical Engine", ["Analytical Engine"], 0.0, 0.8),
        # 1 in common; precision 1/1, recall 1/2: 2·(1·1/2)/(3/2) = 2/3
        ("engine", ["analytical engine"], 0.0, 2 / 3),
        # words count as often as both have them: 1 in common of 2 and 1: 2/3
        ("york york", ["york"], 0.0, 2 / 3),
        # order does not matter to F1
        ("Engine Analytical", ["Analytical Engine"], 0.0, 1.0),
        ("loom", ["engine"], 0.0, 0.0),
        # the best of several: 0 with the first, 0.8 with the second
        ("in the year 1837", ["eighteen", "year 1837"], 0.0, 0.8),
        ("1837", ["in 1837", "1837"], 1.0, 1.0),
        ("", ["engine"], 0.0, 0.0),
    ],
)
def test_exact_match_and_f1_are_the_official_ones(
    script: Script, said: str, gold: list[str], em: float, value: float
) -> None:
    assert exact_match(said, gold, script) == em
    assert f1(said, gold, script) == pytest.approx(value)


@pytest.mark.parametrize(
    ("said", "gold", "hotpotqa", "squad"),
    [
        ("yes", "Yes.", 1.0, 1.0),
        # HotpotQA: either side yes, no or noanswer and unequal is 0. SQuAD: 1 in common of 1 and 3: 2·1/(1+3)
        ("yes", "yes it is", 0.0, 0.5),
        ("no doubt", "no", 0.0, 2 / 3),
        ("noanswer", "noanswer given", 0.0, 2 / 3),
        # not a closed word alone: both count words, 1 in common of 2 and 2
        ("no doubt", "no way", 0.5, 0.5),
    ],
)
def test_closed_answers_have_no_partial_credit_in_hotpotqa(said: str, gold: str, hotpotqa: float, squad: float) -> None:
    assert f1(said, [gold], Script.HOTPOTQA) == pytest.approx(hotpotqa)
    assert f1(said, [gold], Script.SQUAD) == pytest.approx(squad)


def test_without_words_hotpotqa_gives_an_exact_match_and_no_f1() -> None:
    # metric_acc compares "" with "", f1_score stops at num_same == 0
    assert (exact_match("the", ["a"], Script.HOTPOTQA), f1("the", ["a"], Script.HOTPOTQA)) == (1.0, 0.0)


def test_squad_takes_no_answer_for_right_where_there_is_none() -> None:
    # gold_answers falls back to [""]; compute_f1 of two empty lists is int(gold == pred)
    for gold in ([], ["", "the"]):
        assert (exact_match("", gold, Script.SQUAD), f1("", gold, Script.SQUAD)) == (1.0, 1.0)
        assert (exact_match("1837", gold, Script.SQUAD), f1("1837", gold, Script.SQUAD)) == (0.0, 0.0)
    # an empty gold answer beside a real one is left out
    assert exact_match("", ["", "1837"], Script.SQUAD) == 0.0


def test_hotpotqa_gives_nothing_where_there_is_no_gold_answer() -> None:
    assert (exact_match("", [], Script.HOTPOTQA), f1("", [], Script.HOTPOTQA)) == (0.0, 0.0)


@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=3), st.sampled_from(BOTH))
def test_scores_stay_between_0_and_1_and_an_answer_matches_itself(said: str, gold: list[str], script: Script) -> None:
    assert 0.0 <= f1(said, gold, script) <= 1.0
    assert exact_match(said, [said, *gold], script) == 1.0 or not normalised(said)
