"""What is looked for in place of a literal never changes what is found, only how soon."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.corpus.scan import Beginnings, Literal, Needle, apart, fast_matcher_available, matcher, needles
from tests.availability import unavailable

COMMON = np.frombuffer(b"the lease of the workshop and the rent of the house " * 200, np.uint8)


def needle_of(text: str, sample: np.ndarray = COMMON) -> Needle:
    (needle,) = needles([Literal(text.encode())], Beginnings(sample))
    return needle


def test_a_literal_that_begins_as_many_words_do_is_looked_for_from_its_first_rare_place() -> None:
    needle = needle_of("the quay at brant")
    assert needle.before
    assert needle.before + needle.data == b"the quay at brant"
    assert COMMON.tobytes().count(needle.data[:4]) == 0
    assert all(COMMON.tobytes().count(b"the quay at brant"[at : at + 4]) for at in range(len(needle.before)))


@pytest.mark.parametrize(
    "text",
    [
        "quay of the house",  # begins rarely enough
        "the",  # too little would be left
        "the quay the quay",  # two of it can overlap, and then only the first one counts
    ],
)
def test_other_literals_are_looked_for_as_they_are(text: str) -> None:
    needle = needle_of(text)
    assert (needle.before, needle.data) == (b"", text.encode())


def test_without_a_sample_nothing_is_known_to_be_rare() -> None:
    literals = [Literal(b"the quay at brant"), Literal(b"the four seasons")]
    assert [needle.before for needle in needles(literals, None)] == [b"", b""]


def test_literals_with_the_same_bytes_are_looked_for_once() -> None:
    literals = [Literal(b"quay"), Literal(b"rent"), Literal(b"quay", word_start=False)]
    found = needles(literals, None)
    assert [(needle.data, needle.literals, needle.at_words) for needle in found] == [
        (b"quay", (0, 2), False),
        (b"rent", (1,), True),
    ]


def test_what_can_swallow_a_match_goes_to_another_group() -> None:
    literals = [Literal(word, word_start=False) for word in (b"workshop", b"shop", b"work", b"rents")]
    groups = apart(needles(literals, None), 48)
    together = [{needle.data for needle in group} for group in groups]
    assert not any({b"workshop", b"shop"} <= group or {b"workshop", b"work"} <= group for group in together)
    assert set().union(*together) == {literal.data for literal in literals}


WORDS = ("the", "of", "lease", "ab", "a", "aba", "3", "é", "ба", "東京")


@given(
    st.lists(
        st.builds(
            Literal,
            st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(lambda words: " ".join(words).encode()),
            st.booleans(),
            st.sampled_from([None, 0, 4]),
        ),
        min_size=1,
        max_size=8,
    ),
    st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join),
    st.sampled_from(["the of ", "lease a", "ба б", ""]),
)
@settings(max_examples=400)
def test_a_sample_makes_no_difference_to_what_is_found(literals: list[Literal], text: str, sample: str) -> None:
    if not fast_matcher_available():
        unavailable("ahocorasick", "there is no ahocorasick_rs on this platform to look for needles with")
    literals = [literal for literal in literals if not literal.word_start or literal.data[:1].isalnum()]
    buffer = np.frombuffer(text.encode() + b"\xff", np.uint8)
    known = np.frombuffer((sample * 50).encode(), np.uint8)
    assert _at_words(literals, buffer, known) == _at_words(literals, buffer, None)


def _at_words(literals: list[Literal], buffer: np.ndarray, sample: np.ndarray | None) -> list[tuple[int, int]]:
    """What was found where it may stand: not inside a word, for a literal that begins one."""
    data = buffer.tobytes()
    which, where = matcher(literals, fast=True, sample=sample).find(buffer)
    return sorted(
        (index, at)
        for index, at in zip(which.tolist(), where.tolist(), strict=True)
        if not literals[index].word_start or at == 0 or not data[at - 1 : at].isalnum()
    )
