"""What became of a question, in one class, decided in the paper's order (its supplement, "Failure taxonomy").

The classes tell discovery from wording: who did not retrieve the gold could not have proven the answer, who did and is
wrong lost it afterwards.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum


class Outcome(StrEnum):
    """The classes, in the order in which they are tried; each question is in exactly one."""

    CORRECT = "correct"
    """Official exact match, however it came about."""
    RETRIEVED_UNANSWERED = "retrieved-but-unanswered"
    """Some gold document was shown, and no answer was given."""
    ANSWERED_WRONG = "answered-but-wrong"
    """Every gold document was shown, and the answer is not the gold one."""
    NOT_RETRIEVED = "not-retrieved"
    """The rest, also who answered wrongly having seen a part of the gold."""


def outcome_of(exact_match: float, said: str, shown: Collection[str], gold: Collection[str]) -> Outcome:
    """The class of a question. ``shown``: the documents of the passages that whoever answered was shown."""
    if exact_match == 1.0:
        return Outcome.CORRECT
    found = set(gold) & set(shown)
    if found and not said.strip():
        return Outcome.RETRIEVED_UNANSWERED
    if said.strip() and found == set(gold):
        return Outcome.ANSWERED_WRONG
    return Outcome.NOT_RETRIEVED
