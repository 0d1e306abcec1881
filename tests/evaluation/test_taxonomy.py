from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.scoring.taxonomy import Outcome, outcome_of

GOLD = ("a", "b")


@pytest.mark.parametrize(
    ("em", "said", "shown", "outcome"),
    [
        (1.0, "1837", (), Outcome.CORRECT),
        (1.0, "1837", GOLD, Outcome.CORRECT),
        (0.0, "", ("a",), Outcome.RETRIEVED_UNANSWERED),
        (0.0, " ", GOLD, Outcome.RETRIEVED_UNANSWERED),
        (0.0, "1838", ("b", "x", "a"), Outcome.ANSWERED_WRONG),
        (0.0, "1838", ("a",), Outcome.NOT_RETRIEVED),
        (0.0, "1838", ("x",), Outcome.NOT_RETRIEVED),
        (0.0, "", (), Outcome.NOT_RETRIEVED),
    ],
)
def test_a_question_is_in_the_first_class_that_fits(
    em: float, said: str, shown: tuple[str, ...], outcome: Outcome
) -> None:
    assert outcome_of(em, said, shown, GOLD) is outcome


@given(st.sampled_from([0.0, 1.0]), st.sampled_from(["", "x"]), st.sets(st.sampled_from("abc")))
def test_the_classes_leave_nothing_out(em: float, said: str, shown: set[str]) -> None:
    assert outcome_of(em, said, shown, GOLD) in Outcome
