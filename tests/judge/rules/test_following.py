from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.rules.question_plan import Earlier, whole

DUNE = (Earlier("Who wrote Dune?", "Frank Herbert"),)
PORT = (Earlier("What is the default port of the server?", "8080"),)


@pytest.mark.parametrize(
    ("typed", "thread", "searched"),
    [
        ("And when was it released?", DUNE, "When was Dune released?"),
        ("When was he born?", DUNE, "When was Frank Herbert born?"),
        ("What are its sequels?", DUNE, "What are Dune's sequels?"),
        ("What about Solaris?", DUNE, "Who wrote Solaris?"),
        ("What about the client?", PORT, "What is the default port of the client?"),
        ("Why is it not 80?", PORT, "Why is the default port of the server not 80?"),
        ("And in 2019?", (Earlier("How many people visited Rome in 2018?"),), "How many people visited Rome in 2019?"),
        ("And when?", DUNE, "Who wrote Dune, and when?"),
        ("but who directed the film?", DUNE, "Who directed the film?"),
    ],
)
def test_what_points_back_is_put_in(typed: str, thread: tuple[Earlier, ...], searched: str) -> None:
    assert whole(typed, thread) == searched


@pytest.mark.parametrize("typed", ["Who directed Alien?", "is it possible to resume a download?", "Which tests fail?"])
def test_a_question_that_points_nowhere_stays_as_typed(typed: str) -> None:
    assert whole(typed, DUNE) == typed


def test_the_first_question_of_a_thread_stays_as_typed() -> None:
    assert whole("And when was it released?", ()) == "And when was it released?"


@given(st.text(max_size=120), st.text(max_size=120), st.one_of(st.none(), st.text(max_size=40)))
def test_no_text_is_too_odd_to_follow(typed: str, before: str, short: str | None) -> None:
    assert isinstance(whole(typed, [Earlier(before, short)]), str)
