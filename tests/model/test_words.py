from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.model.words import (
    FOLDED,
    STOP_WORDS,
    WORD,
    bigrams,
    content,
    fold,
    key,
    keys,
    runs,
    stands_in,
    stem,
    words,
)

WORDS = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyz0123456789"), min_size=1, max_size=14)
SUFFIXED = st.builds(str.__add__, WORDS, st.sampled_from(["", "s", "es", "ing", "ed", "ation", "ities", "ly", "ers"]))
CHARACTERS = list(map(chr, range(0x20000)))
ANY = st.text(st.characters(), max_size=40)


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Straße STRASSE", "strasse strasse"),
        ("Ærø Øst", "aero ost"),
        ("naïve façade", "naive facade"),
        ("nai\u0308ve", "naive"),
        ("Łódź", "lodz"),
        ("Ελλάδα ΣΊΣΥΦΟΣ Σίσυφος", "ελλαδα σισυφοσ σισυφοσ"),
        ("ЁЛКА ёлка", "елка елка"),
        ("Йод йод", "йод йод"),
        ("ＦＵＬＬ　ｗｉｄｔｈ１２", "full width12"),
        ("ｶﾞ", "カ\u3099"),
        ("ﬁne", "fine"),
        ("co\u00adop zero\u200bwidth\ufeff", "coop zerowidth"),
        ("“it’s” — 3…", '"it\'s" - 3...'),
        ("東京 서울", "東京 서울"),
        ("\u00a0\u2003", "  "),
        ("ǽ Ǿ \u212b ngstrom", "ae o a ngstrom"),
        ("Ꭰ ꭰ", "ꭰ ꭰ"),
        ("תל־אביב אחת،שתיים", "תל אביב אחת שתיים"),
        ("3×4", "3 4"),
    ],
)
def test_spellings_fold_to_what_is_typed(written: str, folded: str) -> None:
    assert fold(written) == folded


@given(ANY, ANY)
def test_folding_never_crosses_a_character(one: str, other: str) -> None:
    assert fold(one + other) == fold(one) + fold(other)


def test_every_character_folds_alike_in_a_text_and_alone_and_once_and_for_all() -> None:
    assert [char for char in CHARACTERS if not FOLDED[char] == fold(char) == fold(fold(char))] == []


def test_upper_and_lower_case_of_a_letter_fold_alike() -> None:
    capitals = (char for char in CHARACTERS if unicodedata.category(char) == "Lu")
    # One code point each: the lower case of the Turkish dotted capital is two.
    assert [char for char in capitals if len(char.lower()) == 1 and fold(char) != fold(char.lower())] == []


@given(SUFFIXED)
def test_a_stem_is_a_prefix_of_three_letters_or_more(word: str) -> None:
    root = stem(word)
    assert word.startswith(root)
    assert root == word or len(root) >= 3


@given(st.integers(0, 10**9).map(str))
def test_a_number_has_no_stem_but_itself(number: str) -> None:
    assert stem(number) == number


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("planets", "planet"),
        ("study", "studies"),
        ("walking", "walked"),
        ("nations", "nation"),
        ("organization", "organizations"),
        ("clearly", "clear"),
        ("teachers", "teaching"),
    ],
)
def test_inflected_words_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["as", "his", "bus", "glass", "press", "ring", "red", "2001s"])
def test_short_words_and_double_s_are_left_alone(word: str) -> None:
    assert stem(word) in (word, "2001")


@given(ANY)
def test_words_are_the_runs_of_ascii_letters_and_digits(text: str) -> None:
    assert all(WORD.fullmatch(word) for word in words(text))
    assert "".join(words(text)) == "".join(char for char in fold(text) if char.isascii() and char.isalnum())


@pytest.mark.parametrize(
    ("title", "compared"),
    [
        ("The  Great—Gatsby!", "the great gatsby"),
        ("C++", "c"),
        ("東京", "東京"),
        ("  Ω ", "ω"),
        ("...", "..."),
        ("Windows для всех", "windows для всех"),
        ("東京2020", "東京 2020"),
    ],
)
def test_titles_are_compared_by_their_words_alone(title: str, compared: str) -> None:
    assert key(title) == compared


@given(st.lists(st.one_of(ANY, st.text(st.sampled_from("aB1 _-\0é語"), max_size=8))))
def test_keys_of_many_are_the_key_of_each(titles: list[str]) -> None:
    assert keys(titles) == [key(title) for title in titles]


def test_stop_words_are_folded_words() -> None:
    assert all(WORD.fullmatch(word) for word in STOP_WORDS)
    assert {"the", "which", "of"} <= STOP_WORDS
    assert "city" not in STOP_WORDS


@given(st.text(st.sampled_from("ab1 -_.東京아カωд\U00020000ไ")).map(fold))
def test_runs_hold_every_letter_and_digit_once_and_in_order(folded: str) -> None:
    found = runs(folded)
    assert all(folded[run.start : run.start + len(run.text)] == run.text for run in found)
    assert [run.start for run in found] == sorted({run.start for run in found})
    assert "".join(run.text for run in found) == "".join(char for char in folded if char.isalnum())


@pytest.mark.parametrize(
    ("folded", "expected"),
    [
        ("python3 東京大学", [("python3", True), ("東京大学", False)]),
        ("東京tower", [("東京", False), ("tower", True)]),
        ("привет-мир", [("привет", True), ("мир", True)]),
        ("xдy", [("x", True), ("д", True), ("y", True)]),
        ("カメラ", [("カメラ", False)]),
        ("서울시", [("서울시", False)]),
        ("กรุงเทพ", [("กรุงเทพ", False)]),
        ("snake_case", [("snake", True), ("case", True)]),
    ],
)
def test_runs_change_where_the_way_of_writing_changes(folded: str, expected: list[tuple[str, bool]]) -> None:
    assert [(run.text, run.spaced) for run in runs(folded)] == expected


@pytest.mark.parametrize("word", ["हिन्दी", "বাংলা", "தமிழ்", "ភាសា"])
def test_a_vowel_sign_does_not_cut_a_word(word: str) -> None:
    assert [run.text for run in runs(fold(word))] == [fold(word)]


@given(st.text(min_size=1, max_size=20))
def test_bigrams_are_the_overlapping_pairs(run: str) -> None:
    pairs = bigrams(run)
    assert pairs == ([run] if len(run) == 1 else [a + b for a, b in pairwise(run)])


@pytest.mark.parametrize(
    ("part", "text", "stands"),
    [
        ("5 km", "It is 5 KM long.", True),
        ("5 km", "It is 15 km long.", False),
        ("3日", "5月3日举行", True),
        ("3日", "5月13日举行", False),
        ("柏林", "在柏林市", True),
        ("", "Berlin", False),
    ],
)
def test_a_text_stands_in_another_one_as_whole_words(part: str, text: str, stands: bool) -> None:
    assert stands_in(part, text) is stands


@pytest.mark.parametrize(
    ("texts", "stems"),
    [
        (["The engineers of the dams", "where did he go"], {"engine", "dam", "go"}),
        (["who", ""], set()),
        (["桥的长度", "Мосты"], {"桥的", "的长", "长度", "мосты"}),
    ],
)
def test_content_is_stems_and_pairs_without_stop_words(texts: list[str], stems: set[str]) -> None:
    assert content(*texts) == stems
