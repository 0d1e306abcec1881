from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lens_lsp.judge.analysis import analyse
from lens_lsp.model.words import words
from lens_lsp.search.question import ScanQuestion, prepare


def ready(question: str) -> ScanQuestion:
    return prepare(analyse(question))


def test_words_with_one_stem_are_one_term() -> None:
    question = ready("Which planets circle a planet?")
    assert question.terms == ("planets", "circle")
    assert [literal.data for (literal,) in question.literals] == [b"planet", b"circl"]


@example("00.0")
@given(st.text(max_size=60))
def test_each_term_has_its_literals_and_no_two_terms_share_one(text: str) -> None:
    question = ready(text)
    # Parts of one number share its other spellings, never what they are written as.
    own = [literals[0] for literals in question.literals]
    assert len(question.terms) == len(question.literals)
    assert len(own) == len(set(own))
    assert all(len(literals) == len(set(literals)) for literals in question.literals)
    assert all(literal.data for literals in question.literals for literal in literals)


@given(st.text(max_size=60))
def test_the_words_of_the_question_are_kept_in_order(text: str) -> None:
    question = ready(text)
    assert list(question.words) == words(text)
    assert len(question.capital) == len(question.words)


@pytest.mark.parametrize(
    ("text", "capitals"),
    [
        ("Did Ada see the 3 ships", ["did", "ada", "3"]),
        ("nothing here", []),
        ("see Éva and zoë", ["eva"]),
    ],
)
def test_words_written_with_a_capital_or_a_digit_are_known(text: str, capitals: list[str]) -> None:
    question = ready(text)
    assert [word for word, capital in zip(question.words, question.capital, strict=True) if capital] == capitals


def test_phrases_have_two_words_or_more() -> None:
    assert ready("Was Ada Lovelace in Paris?").phrases == (("ada", "lovelace", "in", "paris"),)
    assert ready("Was Paris large?").phrases == ()


def test_a_name_of_stop_words_only_is_looked_for_as_a_whole() -> None:
    question = ready("Which singer left the band The Who?")
    assert "the who" in question.terms
    (literal,) = question.literals[question.terms.index("the who")]
    assert literal.data == b"the who"
    assert literal.suffix == 0
