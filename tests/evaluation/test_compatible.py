"""The paper's lax counting, case by case: what it lets through is the reason for the strict figures beside it."""

from __future__ import annotations

import pytest

from evaluation.scoring.compatible import evidence_recall, ground

SENTENCE = "Ada wrote the first program"


@pytest.mark.parametrize(
    ("texts", "share"),
    [
        (["program the first and much else"], 1.0),
        (["program the and much else"], 0.0),
        (["program", "the first"], 0.0),
        (["", "WROTE: Ada! program?"], 1.0),
    ],
)
def test_three_fifths_of_the_words_in_one_text_are_enough_in_any_order(texts: list[str], share: float) -> None:
    assert evidence_recall(texts, [], [SENTENCE], ["x"]) == share


def test_an_arm_without_texts_is_judged_by_titles_in_either_direction() -> None:
    listed = ["people/Ada_Lovelace_(poem)", "Charles"]
    assert evidence_recall([], listed, [SENTENCE], ["Ada_Lovelace", "Charles_Babbage"]) == 1.0
    assert evidence_recall([], listed, [SENTENCE], ["Grace_Hopper", "Charles_Babbage"]) == 0.5
    assert evidence_recall([], [], [SENTENCE], ["Grace_Hopper"]) == 0.0


def test_a_folder_counts_as_a_title() -> None:
    assert ground("so", ["Ada_Lovelace/notes"], ["Ada_Lovelace"]) == 1.0


def test_any_answer_with_any_title_is_grounded_and_an_empty_one_is_not() -> None:
    assert ground("forty-two", ["Ada"], ["Ada_Lovelace", "Jacquard_loom"]) == 1.0
    assert ground("forty-two", ["Hopper"], ["Ada_Lovelace"]) == 0.0
    assert ground("  ", ["Ada"], ["Ada_Lovelace"]) == 0.0
