"""The fast share of ``python -m tests.soak.citation_mutations``, and that its judge can be failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_lsp.model.text import Span
from tests.soak.changed_sources import ENCODINGS, Changed, Source, real_texts
from tests.soak.citation_mutations import Matcher, first_occurrence, most_similar, run

REPOSITORY = Path(__file__).resolve().parents[2]
TEXTS = real_texts([REPOSITORY / "docs", REPOSITORY / "tests" / "fixtures" / "languages"])


def test_changes_keep_what_they_left_alone_and_withdraw_what_they_touched() -> None:
    tally = run(600, TEXTS, seed=2)
    assert tally.false == []
    assert tally.withdrawn == tally.inside
    assert tally.share_kept() >= 0.98  # of so few
    assert len(tally.encodings) >= 8


@pytest.mark.parametrize("matcher", [first_occurrence, most_similar])
def test_a_matcher_that_guesses_fails_in_the_same_harness(matcher: Matcher) -> None:
    tally = run(400, TEXTS, seed=3, matcher=matcher)
    assert tally.false
    assert not tally.passes()


def test_the_judge_takes_two_accounts_of_one_change() -> None:
    source = Source("aaXaa", Span(0, 1), ENCODINGS[0])
    assert source.places(Changed("one a less", "aXaa", None)) == {0}
    assert source.places(Changed("the X", "aaYaa", 0)) == {0}
    assert Source("a note", Span(2, 6), ENCODINGS[0]).places(Changed("inside", "a nope", None)) == set()


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_the_judge_knows_a_quote_that_was_put_together_again(end: str) -> None:
    """Whatever ends the line beside it: a stretch that is moved may be cut between CR and LF."""
    source = Source("X. Status: done.\r\nz\r\nY. Some words.\r\nz\r\n", Span(18, 19), ENCODINGS[0])
    assert source.quote == "z"
    again = f"Y. Some words.\r\nX. Status: done.{end}z\r\n"
    assert source.rebuilt(again, len(again) - 3)
    other = f"Y. Some words.\r\nX. Status: gone.{end}z\r\n"
    assert not source.rebuilt(other, len(other) - 3)
