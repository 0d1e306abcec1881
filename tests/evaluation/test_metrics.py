from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.data.datasets import Gold, GoldSpan
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
