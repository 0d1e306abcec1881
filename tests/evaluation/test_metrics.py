"""Official exact match and F1. The values are worked out by hand from the published scripts (in the comments)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.data.datasets import Gold, GoldSpan
from evaluation.scoring.answers import Script, exact_match, f1, normalised
from evaluation.scoring.calibration import calibration_json, expected_calibration_error, reliability
from evaluation.scoring.metrics import (
    Worded,
    all_gold,
    evidence_recall,
    ground,
    known_item_hit,
    ranking,
    recall,
    score,
    span_hit,
)
from evaluation.scoring.statistics import mean, percentile

NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True)


def test_recall_is_the_share_of_gold_among_the_first_k() -> None:
    assert recall(["x", "a", "b"], ("a", "b"), 2) == 0.5
    assert recall(["x", "a", "b"], ("a", "b"), 3) == 1.0
    assert recall([], ("a", "b"), 10) == 0.0


def test_all_gold_needs_every_document() -> None:
    assert all_gold(["a", "x", "b"], ("a", "b"), 3) == 1.0
    assert all_gold(["a", "x", "b"], ("a", "b"), 2) == 0.0


def test_a_known_item_is_hit_within_k() -> None:
    assert known_item_hit(["x", "a"], "a", 1) == 0.0
    assert known_item_hit(["x", "a"], "a", 2) == 1.0


def test_a_span_is_hit_only_in_full_and_in_its_own_document() -> None:
    answer = (GoldSpan("a", 100, 110),)
    assert span_hit([("a", 100, 110)], answer, 1) == 1.0
    assert span_hit([("a", 101, 200)], answer, 1) == 0.0
    assert span_hit([("a", 0, 109)], answer, 1) == 0.0
    assert span_hit([("b", 0, 600)], answer, 1) == 0.0
    assert span_hit([("b", 0, 600), ("a", 0, 600)], answer, 1) == 0.0
    assert span_hit([("b", 0, 600), ("a", 0, 600)], answer, 3) == 1.0


def test_two_windows_cannot_share_one_span() -> None:
    gold = Gold(("a",), support=(GoldSpan("a", 100, 200),))
    assert evidence_recall([("a", 0, 150), ("a", 150, 300)], gold, 10) == 0.0


def test_a_long_window_counts_for_its_first_600_code_points_only() -> None:
    assert span_hit([("a", 0, 5_000)], (GoldSpan("a", 590, 600),), 1) == 1.0
    assert span_hit([("a", 0, 5_000)], (GoldSpan("a", 591, 601),), 1) == 0.0


def test_strict_evidence_recall_is_the_share_of_passages_and_any_answer_place() -> None:
    passages = (GoldSpan("a", 0, 10), GoldSpan("b", 0, 10))
    assert evidence_recall([("a", 0, 600)], Gold(("a", "b"), support=passages), 10) == 0.5
    assert evidence_recall([("a", 0, 600)], Gold(("a",), answer_spans=passages), 10) == 1.0
    assert evidence_recall([("a", 0, 600)], Gold(("a",)), 10) is None


def test_ground_is_the_answer_as_words_in_a_quote() -> None:
    gold = Gold(("a",), answer_spans=(GoldSpan("a", 0, 9),), answers=("The Analytical Engine", "1837"))
    windows = [("b", 0, 50)] * 3
    assert ground(windows, ["He built an *analytical*\nengine!", "", ""], gold, 10) == 1.0
    assert ground(windows, ["the year 11837", "analytical engines", "18.37"], gold, 10) == 0.0
    assert ground(windows, ["", "", "in 1837."], gold, 2) == 0.0
    assert ground(windows, ["x" * 600 + " 1837", "", ""], gold, 10) == 0.0
    assert ground([], [], gold, 10) == 0.0


def test_ground_of_yes_no_and_comparisons_is_every_passage_quoted() -> None:
    passages = (GoldSpan("a", 0, 10), GoldSpan("b", 0, 10))
    both, one = [("a", 0, 20), ("b", 0, 20)], [("a", 0, 20)]
    for gold in (
        Gold(("a", "b"), support=passages, answers=("yes",)),
        Gold(("a", "b"), support=passages, answers=("Ada",), comparison=True),
    ):
        assert ground(both, ["x", "x"], gold, 10) == 1.0
        assert ground(one, ["yes, Ada"], gold, 10) == 0.0


def test_there_is_no_ground_without_gold_passages_answers_or_quotes() -> None:
    spans = (GoldSpan("a", 0, 9),)
    assert ground([], [], Gold(("a",), answers=("x",)), 10) is None
    assert ground([], [], Gold(("a",), support=spans), 10) is None
    assert ground([], [], Gold(("a",), support=spans, answers=("the", "?")), 10) is None
    gold = Gold(("a",), support=spans, answers=("x",))
    assert "ground.strict" not in score([], [], gold, known_item=False)
    assert score([], [], gold, known_item=False, answer=Worded("", (), ()))["ground.strict"] == 0.0


def test_excluded_documents_are_neither_ranked_nor_credited() -> None:
    gold = Gold(("target",), excluded=frozenset({"citing"}))
    scores = score(["citing", "target"], [], gold, known_item=True)
    assert scores["knownItem.1"] == 1.0
    assert ranking(["citing", "a", "a", "citing", "b"], gold.excluded) == ["a", "b"]


def test_a_metric_without_gold_is_absent() -> None:
    assert not {"spanHit.1", "knownItem.1", "evidenceRecall.strict"} & set(
        score(["a"], [("a", 0, 9)], Gold(("a",)), known_item=False)
    )


@given(NAMES, st.sets(st.sampled_from("abcdefgh"), min_size=1), st.integers(1, 10))
def test_recall_never_falls_with_k_and_bounds_all_gold(ranked: list[str], gold: set[str], k: int) -> None:
    assert recall(ranked, gold, k) <= recall(ranked, gold, k + 1)
    assert all_gold(ranked, gold, k) <= recall(ranked, gold, k) <= 1.0
    assert (all_gold(ranked, gold, k) == 1.0) is (recall(ranked, gold, k) == 1.0)


def test_all_gold_is_proven_when_every_document_is_cited_as_proof() -> None:
    gold = Gold(("a", "b"))
    for proving, proven in ((("a", "b", "c"), 1.0), (("a", "a"), 0.0), ((), 0.0)):
        assert score(["a", "b"], [], gold, known_item=False, answer=Worded("", (), proving))["allGoldProven"] == proven


def test_what_the_paper_counts_stands_beside_the_strict_figures() -> None:
    gold = Gold(("Ada_Lovelace",), support=(GoldSpan("Ada_Lovelace", 0, 40),), answers=("x",))
    sentence = "Ada wrote the very first program"
    answer = Worded("It is so.", ("program first very the",), ())
    lax = score(["Ada"], [], gold, known_item=False, answer=answer, shown=answer.quotes, sentences=[sentence])
    assert (lax["evidenceRecall.strict"], lax["evidenceRecall.compatible"]) == (0.0, 1.0)
    assert (lax["ground.strict"], lax["ground.compatible"]) == (0.0, 1.0)
    assert "evidenceRecall.compatible" not in score(["Ada"], [], gold, known_item=False, answer=answer)


VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(VALUES, st.integers(0, 9))
def test_the_interval_stays_within_the_values(values: list[float], seed: int) -> None:
    figure = mean(values, seed=seed)
    slack = 1e-12
    assert min(values) - slack <= figure.low <= figure.high <= max(values) + slack
    assert min(values) - slack <= figure.value <= max(values) + slack
    assert figure.n == len(values)


def test_one_seed_gives_one_interval_and_another_seed_another() -> None:
    values = [number**0.5 for number in range(40)]
    assert mean(values, seed=1) == mean(values, seed=1)
    assert mean(values, seed=1) != mean(values, seed=2)


def test_the_interval_narrows_with_more_questions() -> None:
    few, many = mean([0.0, 1.0] * 10, seed=0), mean([0.0, 1.0] * 1_000, seed=0)
    assert few.value == many.value == 0.5
    assert many.high - many.low < (few.high - few.low) / 4


def test_the_interval_is_that_of_the_normal_approximation_for_a_share() -> None:
    figure = mean([1.0] * 150 + [0.0] * 350, seed=0)
    half = 1.96 * (0.3 * 0.7 / 500) ** 0.5
    assert figure.low == pytest.approx(0.3 - half, abs=0.005)
    assert figure.high == pytest.approx(0.3 + half, abs=0.005)


def test_percentiles_interpolate() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 50, seed=0).value == 2.5
    assert percentile([float(number) for number in range(101)], 95, seed=0).value == 95.0


def test_equal_values_have_no_uncertainty() -> None:
    figure = mean([0.25] * 30, seed=0)
    assert (figure.low, figure.value, figure.high) == (0.25, 0.25, 0.25)


def test_figures_are_shown_in_percent() -> None:
    assert mean([0.25] * 4, seed=0).json(scale=100) == {"value": 25.0, "low": 25.0, "high": 25.0, "n": 4}


def test_no_values_are_an_error() -> None:
    with pytest.raises(ValueError, match="no values"):
        mean([], seed=0)


CLAIMS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


def test_who_is_as_sure_as_right_has_no_error() -> None:
    bins = reliability([(0.75, True)] * 3 + [(0.75, False)])
    assert [(one.low, one.high, one.n, one.confidence, one.held) for one in bins] == [(0.7, 0.8, 4, 0.75, 0.75)]
    assert expected_calibration_error(bins) == 0.0


def test_the_error_is_weighted_by_claims() -> None:
    # three claims of 0.9 of which none holds, one of 0.1 that does: (3·0.9 + 1·0.9) / 4
    bins = reliability([(0.9, False)] * 3 + [(0.1, True)])
    assert expected_calibration_error(bins) == pytest.approx(0.9)


def test_certainty_is_in_the_last_bin_and_nothing_in_the_first() -> None:
    bins = reliability([(1.0, True), (0.0, False)])
    assert [(one.low, one.high) for one in bins] == [(0.0, 0.1), (0.9, 1.0)]


def test_without_claims_there_is_no_error_to_tell() -> None:
    with pytest.raises(ValueError, match="no claims"):
        calibration_json([])


@given(CLAIMS)
def test_every_claim_is_in_one_bin(claims: list[tuple[float, bool]]) -> None:
    bins = reliability(claims)
    assert sum(one.n for one in bins) == len(claims)
    assert 0.0 <= expected_calibration_error(bins) <= 1.0


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
