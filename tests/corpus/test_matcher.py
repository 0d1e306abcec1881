"""The automata and the fallback find the same, once what stands at no word boundary is left out."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.corpus.folding import Arena
from lens_lsp.corpus.scan import Literal, Words, exact_literal, fast_matcher_available, matcher, scan, word_literal
from tests.availability import unavailable

ALPHABETS = ("ab ", "ab1 -", "aé б ", "бв ", "東京 a", "b東б-", "abc\n")


@pytest.fixture(autouse=True)
def fast_library() -> None:
    if not fast_matcher_available():
        unavailable("ahocorasick", "there is no ahocorasick_rs on this platform to compare with")


def hits(texts: list[str], literals: list[Literal], *, fast: bool) -> list[tuple[int, int, int]]:
    arena = Arena()
    for text in texts:
        arena.add(text.encode())
    found = scan(arena.chunks(), [(literal,) for literal in literals], fast=fast)
    columns = (found.slot, found.term, found.at)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def as_the_search_makes_them(text: str) -> list[Literal]:
    made = [exact_literal(text)]
    if text.isalnum():
        made.append(word_literal(text))
    return made


def literals_over(alphabet: str) -> st.SearchStrategy[list[Literal]]:
    texts = st.text(st.sampled_from(alphabet), min_size=1, max_size=5)
    return st.lists(texts.flatmap(lambda text: st.sampled_from(as_the_search_makes_them(text))), min_size=1, max_size=9)


def any_literals_over(alphabet: str) -> st.SearchStrategy[list[Literal]]:
    data = st.text(st.sampled_from(alphabet), min_size=1, max_size=5).map(str.encode)
    return st.lists(st.builds(Literal, data, st.booleans(), st.sampled_from([None, 0, 4, 8])), min_size=1, max_size=9)


def texts_over(alphabet: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.text(st.sampled_from(alphabet), max_size=40), min_size=1, max_size=4)


@given(st.sampled_from(ALPHABETS).flatmap(lambda alphabet: st.tuples(texts_over(alphabet), literals_over(alphabet))))
@settings(max_examples=600)
def test_both_matchers_find_the_same_words_and_phrases(case: tuple[list[str], list[Literal]]) -> None:
    texts, literals = case
    assert hits(texts, literals, fast=True) == hits(texts, literals, fast=False)


@given(
    st.sampled_from(ALPHABETS).flatmap(lambda alphabet: st.tuples(texts_over(alphabet), any_literals_over(alphabet)))
)
@settings(max_examples=600)
def test_both_matchers_find_the_same_for_any_literals(case: tuple[list[str], list[Literal]]) -> None:
    texts, literals = case
    assert hits(texts, literals, fast=True) == hits(texts, literals, fast=False)


@pytest.mark.parametrize(
    "words",
    [
        ["anana", "ana", "nan"],  # containing, overlapping itself
        ["abab", "baba", "ab", "ba"],
        ["star", "start", "art", "tar"],  # a prefix, a suffix, a middle
        ["aa", "aaa", "aaaa", "a"],
        ["abc", "bcd", "cde", "abcde"],
        ["same", "same"],
    ],
)
def test_words_that_overlap_are_all_found(words: list[str]) -> None:
    literals = [
        Literal(word.encode(), word_start, suffix)
        for word, word_start, suffix in product(words, (True, False), (None, 0, 4))
    ]
    letters = sorted({letter for word in words for letter in word} | {" "})
    generator = np.random.default_rng(7)
    texts = ["".join(generator.choice(letters, 60)) for _ in range(40)] + [" ".join(words), "".join(words)]
    found = hits(texts, literals, fast=True)
    assert found == hits(texts, literals, fast=False)
    assert {term for _, term, _ in found} == set(range(len(literals)))


def test_more_literals_than_one_automaton_takes_are_all_found() -> None:
    words = [f"{a}{b}x" for a, b in product("abcdefghij", repeat=2)]
    found = hits([" ".join(words)], [word_literal(word) for word in words], fast=True)
    assert [term for _, term, _ in sorted(found, key=lambda hit: hit[2])] == list(range(100))
    assert found == hits([" ".join(words)], [word_literal(word) for word in words], fast=False)


@pytest.mark.parametrize("fast", [True, False])
def test_occurrences_of_a_literal_are_the_leftmost_and_do_not_overlap(fast: bool) -> None:
    buffer = np.frombuffer(b"aaaaa aa\xff", np.uint8)
    which, where = matcher([Literal(b"aa")], fast=fast).find(buffer)
    assert which.tolist() == [0, 0, 0]
    assert sorted(where.tolist()) == [0, 2, 6]


@pytest.mark.parametrize("fast", [True, False])
def test_nothing_is_found_in_an_empty_buffer(fast: bool) -> None:
    which, where = matcher([Literal(b"a"), Literal(b"b")], fast=fast).find(np.frombuffer(b"", np.uint8))
    assert len(which) == len(where) == 0


@given(st.text(alphabet="abk ey", max_size=200))
def test_all_places_of_all_words_are_found_also_those_that_overlap(text: str) -> None:
    words = [b"key", b"ey", b"a", b"aba", b"abab", b" k"]
    data = text.encode()
    places = sorted(
        (at, index)
        for index, word in enumerate(words)
        for at in range(len(data) - len(word) + 1)
        if data.startswith(word, at)
    )
    assert Words(words).find(data) == places
    assert Words(words, fast=False).find(data) == places
