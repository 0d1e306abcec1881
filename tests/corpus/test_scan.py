"""The scan finds every term where a search word by word finds it, with the fast matcher and without."""

from __future__ import annotations

import re
import threading
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.corpus.encoding import Arena, Chunk, chunk_of
from lens_lsp.corpus.scan import (
    STRETCH,
    Beginnings,
    Collected,
    Counts,
    Hits,
    Literal,
    Needle,
    Words,
    apart,
    counted,
    distinct,
    exact_literal,
    fast_matcher_available,
    matcher,
    needles,
    scan,
    word_literal,
)
from lens_lsp.model.words import bigrams, fold, stem
from tests.availability import unavailable

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


TERMS = 3
Text = list[tuple[int, int]]
"""Of each place in a text the term and the offset."""
TEXT = st.lists(st.tuples(st.integers(0, TERMS - 1), st.integers(0, 4 * STRETCH)), max_size=20).map(sorted)
TEXTS = st.lists(TEXT, max_size=8)


def collected(texts: list[Text], *, every: int = 1, block: int = 1 << 18, passing: int = 1 << 30) -> Hits:
    """The hits of texts in slots ``every`` apart; those from number ``passing`` on pass by."""
    found = Collected(TERMS, block=block)
    for number, text in enumerate(texts):
        slot, term, at = np.array([(number * every, *place) for place in text], np.int32).reshape(-1, 3).T
        found.add(Hits(slot, term, at), passing=number >= passing)
    return found.hits()


def expected(texts: list[Text], every: int = 1) -> dict[tuple[int, int], int]:
    return dict(Counter((number * every, term) for number, text in enumerate(texts) for term, _ in text))


def table_of(counts: Counts) -> dict[tuple[int, int], int]:
    pairs = list(zip(counts.slot.tolist(), counts.term.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    return dict(zip(pairs, counts.count.tolist(), strict=True))


def stretches(texts: list[Text]) -> list[int]:
    """Per term."""
    places = {(term, number, at // STRETCH) for number, text in enumerate(texts) for term, at in text}
    count = Counter(term for term, _, _ in places)
    return [count[term] for term in range(TERMS)]


@given(TEXTS, st.sampled_from([1, 3, 1 << 27]), st.sampled_from([1, 4, 1 << 18]))
def test_places_are_counted_in_blocks_as_at_once(texts: list[Text], every: int, block: int) -> None:
    found = collected(texts, every=every, block=block)
    assert table_of(found.counts) == expected(texts, every)
    assert list(table_of(found.counts)) == sorted(expected(texts, every))
    assert len(found) == sum(map(len, texts))
    assert found.unlisted.slots.tolist() == []


@given(TEXTS, st.integers(0, 8), st.sampled_from([1, 4, 1 << 18]))
def test_texts_that_pass_by_are_counted_and_not_listed(texts: list[Text], passing: int, block: int) -> None:
    found = collected(texts, block=block, passing=passing)
    assert table_of(found.counts) == expected(texts)
    assert len(found) == sum(map(len, texts[:passing]))
    assert found.unlisted.slots.tolist() == [slot for slot, text in enumerate(texts) if slot >= passing and text]
    assert found.unlisted.stretches.tolist() == stretches(texts[passing:])


@given(TEXTS, st.integers(0, 8), st.permutations(range(TERMS)), st.integers(0, TERMS))
def test_some_terms_are_found_by_their_new_numbers(
    texts: list[Text], passing: int, order: list[int], most: int
) -> None:
    found, chosen = collected(texts, passing=passing), order[:most]
    some = found.only(np.array(chosen, np.int64))
    renumbered = [[(chosen.index(term), at) for term, at in text if term in chosen] for text in texts]
    assert table_of(some.counts) == expected(renumbered)
    assert len(some) == sum(map(len, renumbered[:passing]))
    assert some.unlisted.stretches.tolist() == stretches(renumbered[passing:])[:most]
    again = some.numbered(np.array(chosen, np.int64))
    assert table_of(again.counts) == {pair: n for pair, n in expected(texts).items() if pair[1] in chosen}


@given(TEXTS, TEXTS, st.integers(0, 8))
def test_further_terms_and_texts_are_found_behind_those_that_are_known(
    texts: list[Text], more: list[Text], passing: int
) -> None:
    known, others = collected(texts, passing=passing), collected(more, passing=passing)
    both = known.plus(others, TERMS)
    shifted = {(slot, term + TERMS): count for (slot, term), count in expected(more).items()}
    assert table_of(both.counts) == expected(texts) | shifted
    assert both.unlisted.stretches.tolist() == stretches(texts[passing:]) + stretches(more[passing:])
    assert both.unlisted.slots.tolist() == sorted({*known.unlisted.slots.tolist(), *others.unlisted.slots.tolist()})
    added = np.add(stretches(texts[passing:]), stretches(more[passing:])).tolist()
    assert known.plus(others, 0).unlisted.stretches.tolist() == added


@given(st.lists(st.integers(-5, 2**62)))
def test_values_are_counted_as_numpy_does(values: list[int]) -> None:
    array = np.array(values, np.int64)
    unique, counts = np.unique(array, return_counts=True)
    assert distinct(array).tolist() == unique.tolist()
    assert [found.tolist() for found in counted(array)] == [unique.tolist(), counts.tolist()]
