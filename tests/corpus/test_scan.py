from __future__ import annotations

import re
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.folding import Arena, Chunk, chunk_of
from lens_lsp.corpus.scan import Hits, Literal, exact_literal, fast_matcher_available, scan, word_literal
from lens_lsp.model.words import bigrams, fold, stem

MATCHERS = [pytest.param(False, id="fallback"), *([pytest.param(True, id="fast")] if fast_matcher_available() else [])]
both = pytest.mark.parametrize("fast", MATCHERS)

Place = tuple[int, int, int]


def arena_of(*texts: str | bytes) -> Arena:
    arena = Arena()
    for text in texts:
        arena.add(text if isinstance(text, bytes) else text.encode())
    return arena


def places(hits: Hits) -> list[Place]:
    """Slot, term and offset of each hit, in order."""
    return sorted(zip(hits.slot.tolist(), hits.term.tolist(), hits.at.tolist(), strict=True))


def found(texts: list[str], terms: list[str], *, fast: bool | None = None) -> list[Place]:
    return places(scan(arena_of(*texts).chunks(), [(word_literal(term),) for term in terms], fast=fast))


def by_words(texts: list[str], terms: list[str], word: str, most: int, root: dict[str, str]) -> list[Place]:
    """What the scan should find, told word by word: a word counts if it is a root and up to ``most`` letters more."""
    expected = []
    for slot, text in enumerate(texts):
        for match in re.finditer(word, text):
            for term, wanted in enumerate(terms):
                rest = len(match.group()) - len(root[wanted])
                whole = wanted.isdigit() or (wanted.isascii() and len(root[wanted]) < 3)
                allowed = 0 if whole else most
                if match.group().startswith(root[wanted]) and rest <= allowed:
                    expected.append((slot, term, len(text[: match.start()].encode())))
    return sorted(expected)


ENGLISH = st.lists(
    st.text(st.sampled_from("abis12"), min_size=1, max_size=8).flatmap(
        lambda word: st.sampled_from([word, word + "s", word + "ing", word + "ations", word + "ingsly"])
    ),
    min_size=1,
    max_size=6,
    unique=True,
)


@both
@given(words=ENGLISH, data=st.data())
def test_ascii_words_are_found_as_a_search_word_by_word_finds_them(
    fast: bool, words: list[str], data: st.DataObject
) -> None:
    pieces = st.lists(
        st.one_of(st.sampled_from(words), st.sampled_from([" ", "\n", "-", "_", ".", "é", "語", "a", "1"]))
    )
    texts = [fold("".join(data.draw(pieces))) for _ in range(3)]
    root = {word: stem(word) for word in words}
    assert found(texts, words, fast=fast) == by_words(texts, words, "[a-z0-9]+", 4, root)


@both
@given(data=st.data())
def test_cyrillic_and_greek_words_are_found_as_a_search_word_by_word_finds_them(
    fast: bool, data: st.DataObject
) -> None:
    word = st.text(st.sampled_from("абвαβ"), min_size=1, max_size=8)
    words = data.draw(st.lists(word, min_size=1, max_size=5, unique=True))
    pieces = st.lists(st.one_of(st.sampled_from(words), st.sampled_from([" ", "-", "x", "1", "語", "а", "вб"])))
    texts = ["".join(data.draw(pieces)) for _ in range(3)]
    root = {word: word[:-2] if len(word) > 5 else word for word in words}
    assert found(texts, words, fast=fast) == by_words(texts, words, "[абвαβ]+", 4, root)


@both
@given(
    st.lists(st.text(st.sampled_from("東京大a "), max_size=20), min_size=1, max_size=3),
    st.text(st.sampled_from("東京大"), min_size=1, max_size=5),
)
def test_pairs_of_characters_are_found_wherever_they_stand(fast: bool, texts: list[str], run: str) -> None:
    pairs = list(dict.fromkeys(bigrams(run)))
    expected = sorted(
        (slot, term, len(text[: match.start()].encode()))
        for slot, text in enumerate(texts)
        for term, pair in enumerate(pairs)
        for match in re.finditer(pair, text)
    )
    assert found(texts, pairs, fast=fast) == expected


@both
@pytest.mark.parametrize(
    ("term", "text", "holds"),
    [
        ("planet", "planets", True),
        ("planet", "planetary", True),  # four letters more
        ("planet", "planetarium", False),  # five letters more
        ("planet", "exoplanet", False),
        ("planet", "exo-planet_x", True),
        ("1984", "1984", True),
        ("1984", "19845", False),
        ("1984", "a1984", False),
        ("книга", "книгами", True),
        ("книга", "записнаякнига", False),
        ("министр", "министерство", False),  # "минис" and seven letters more
        ("министр", "министры", True),
        ("книга", "книга2", True),
        ("書", "図書館", True),
        ("हिन्दी", "यह हिन्दी है", True),
        ("हिन्दी", "हिम दीन", False),
    ],
)
def test_a_term_is_a_word_and_its_inflections(fast: bool, term: str, text: str, holds: bool) -> None:
    assert bool(found([fold(text)], [fold(term)], fast=fast)) == holds


@pytest.mark.parametrize("text", ["תל־אביב", "אחת،אביב", "׳אביב׳", "אביב׃ועוד", "אביב"])
def test_punctuation_of_other_scripts_ends_a_word(text: str) -> None:
    assert len(found([fold(text)], [fold("אביב")])) == 1


@both
@pytest.mark.parametrize("phrase", ["the who", "c++", "東京", "книга"])
def test_an_exact_literal_is_found_only_as_it_stands(fast: bool, phrase: str) -> None:
    texts = [phrase, f"x{phrase}", f"{phrase}s", f" {phrase} "]
    hits = scan(arena_of(*texts).chunks(), [(exact_literal(phrase),)], fast=fast)
    slots = set(hits.slot.tolist())
    assert {0, 3} <= slots
    if phrase == "the who":
        assert slots == {0, 3}


def test_the_literals_of_a_term_count_as_one() -> None:
    hits = scan(
        arena_of("colour and color").chunks(), [(word_literal("and"),), (word_literal("colour"), word_literal("color"))]
    )
    assert places(hits) == [(0, 0, 7), (0, 1, 0), (0, 1, 11)]


@both
@given(
    st.lists(st.text(st.sampled_from("ab "), max_size=6), max_size=30),
    st.text(st.sampled_from("ab"), min_size=1, max_size=4),
)
def test_no_text_leaks_into_its_neighbour(fast: bool, texts: list[str], word: str) -> None:
    literals = [(word_literal(word),), (exact_literal(word),), (Literal(word.encode(), word_start=False, suffix=None),)]
    alone = [
        (slot, term, at)
        for slot, text in enumerate(texts)
        for _, term, at in places(scan(arena_of(text).chunks(), literals, fast=fast))
    ]
    assert places(scan(arena_of(*texts).chunks(), literals, fast=fast)) == sorted(alone)


@both
def test_words_at_the_borders_of_chunks_are_found(fast: bool) -> None:
    filler = b"lorem ipsum " * 110_000  # 1.3 MB
    texts = [b"needle " + filler + b"needle", b"needle", b"needles " + filler, filler + b"needle"]
    arena = arena_of(*texts)
    assert len(arena.chunks()) > 1
    last = len(texts[0]) - len(b"needle")
    assert places(scan(arena.chunks(), [(word_literal("needle"),)], fast=fast)) == [
        (0, 0, 0), (0, 0, last), (1, 0, 0), (2, 0, 0), (3, 0, len(filler)),
    ]  # fmt: skip


@both
def test_many_small_texts_keep_their_slots(fast: bool) -> None:
    arena = arena_of(*(f"entry {number} " + "x" * (number % 90) for number in range(30_000)))
    assert len(arena.chunks()) > 1
    hits = scan(arena.chunks(), [(word_literal("entry"),), (word_literal("23456"),)], fast=fast)
    assert np.sort(hits.slot[hits.term == 0]).tolist() == list(range(30_000))
    assert places(hits.of(hits.term == 1)) == [(23_456, 1, 6)]
    assert set(hits.at[hits.term == 0].tolist()) == {0}


@both
def test_a_text_larger_than_a_segment_is_scanned_to_its_end(fast: bool) -> None:
    filler = b"\n" * (33 << 20)
    arena = arena_of("needle", filler + b"needle", "needle")
    assert places(scan(arena.chunks(), [(word_literal("needle"),)], fast=fast)) == [
        (0, 0, 0),
        (1, 0, len(filler)),
        (2, 0, 0),
    ]


def test_a_scan_that_is_cancelled_stops_at_the_next_chunk() -> None:
    arena = arena_of(*(b"needle " * 200_000 for _ in range(4)))
    asked: list[None] = []

    def third_time() -> bool:
        asked.append(None)
        return len(asked) > 2

    hits = scan(arena.chunks(), [(word_literal("needle"),)], cancelled=third_time)
    assert set(hits.slot.tolist()) == {0, 1}
    assert len(asked) == 3


def test_no_terms_and_no_texts_give_no_hits() -> None:
    assert len(scan(arena_of("text").chunks(), [])) == 0
    assert len(scan([], [(word_literal("text"),)])) == 0
    assert len(scan(arena_of("", "").chunks(), [(word_literal("text"),)])) == 0


def test_several_threads_find_the_same_in_the_same_order() -> None:
    texts = [f"needle {number} " + "hay " * 300_000 + "needles" for number in range(8)]
    chunks = arena_of(*texts).chunks()
    terms = [(word_literal("needle"),), (word_literal("hay"),)]
    assert len(chunks) > 1
    alone, together = scan(chunks, terms, threads=1), scan(chunks, terms, threads=3)
    assert all(np.array_equal(getattr(alone, column), getattr(together, column)) for column in ("slot", "term", "at"))


def test_no_chunk_is_lost_between_threads() -> None:
    arena = arena_of(*(f"needle {number}" for number in range(300)))
    chunks = [chunk_of(np.array([slot]), [arena.text(slot).tobytes()]) for slot in range(300)]
    for _ in range(30):
        hits = scan(chunks, [(word_literal("needle"),)], threads=4)
        assert hits.slot.tolist() == list(range(300))


def test_only_the_callers_thread_asks_whether_to_stop() -> None:
    chunks = arena_of(*("needle " + "hay " * 300_000 for _ in range(12))).chunks()
    asked: list[int] = []

    def at_once() -> bool:
        asked.append(threading.get_ident())
        return True

    assert len(scan(chunks, [(word_literal("needle"),)], threads=1, cancelled=at_once)) == 0
    scan(chunks, [(word_literal("needle"),)], threads=3, cancelled=at_once)
    assert set(asked) == {threading.get_ident()}


def test_what_fails_on_another_thread_fails_for_the_caller() -> None:
    good = arena_of("needle").chunks()
    broken = [Chunk(np.frombuffer(b"needle\xff", np.uint8), np.empty(0, np.int64), np.empty(0, np.int64))] * 3
    with pytest.raises(IndexError):
        scan([*good, *broken], [(word_literal("needle"),)], threads=2)
