"""The table of words: lookups, the bounds of weights, and words that are not in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.analysis import analyse
from lens_lsp.search.question import Related, Vocabulary, prepare, vocabulary

TABLE = Vocabulary(b"\nbig\t5.5\tlarge:0.9 huge:0.71\nlarge\t4.9\tbig:0.9\nodd\t1.0\t\nzen\t3.5\tcalm:0.62\n")
UNKNOWN = ["", "bi", "ig", "bigger", "Big", "großes", "東京", "3", "big\t5", "big\nlarge", "large:0.9", "5.5"]


def test_a_word_is_found_by_the_whole_of_it() -> None:
    assert TABLE.related("big") == [Related("large", 0.9), Related("huge", 0.71)]
    assert TABLE.related("zen") == [Related("calm", 0.62)]
    assert TABLE.related("odd") == []
    assert all(TABLE.knows(word) for word in ("big", "large", "odd", "zen"))


@pytest.mark.parametrize("word", UNKNOWN)
def test_a_word_that_is_not_in_the_table_counts_in_full_and_has_no_others(word: str) -> None:
    assert not TABLE.knows(word)
    assert TABLE.weight(word) == 1.0
    assert TABLE.related(word) == []


def test_common_words_count_less_and_none_counts_nothing() -> None:
    assert TABLE.weight("odd") == 1.0
    assert TABLE.weight("zen") == pytest.approx(0.9)
    assert TABLE.weight("big") == pytest.approx(0.5)
    assert Vocabulary(b"\nthe\t7.7\t\n").weight("the") == 0.3


@given(st.text(max_size=20))
def test_whatever_is_looked_up_has_a_weight_within_bounds(word: str) -> None:
    assert 0.3 <= vocabulary().weight(word) <= 1.0
    assert all(0 < related.likeness <= 1 for related in vocabulary().related(word))


def test_the_table_that_is_shipped_holds_what_it_promises() -> None:
    table = vocabulary()
    for word in ("car", "begin", "price", "house"):
        found = table.related(word)
        assert found
        assert word not in [related.word for related in found]
        likeness = [related.likeness for related in found]
        assert likeness == sorted(likeness, reverse=True)
        assert 0.62 <= likeness[-1] <= likeness[0] <= 1.0
        assert all(related.word.isascii() and related.word == related.word.lower() for related in found)
    assert table.weight("people") < table.weight("kettle") <= 1.0
    assert not table.knows("what")  # a stop word is nothing to look for


def test_a_question_looks_for_no_related_word_that_it_holds_itself() -> None:
    word = "car"
    other = vocabulary().related(word)[0].word
    alone, both = prepare(analyse(word)), prepare(analyse(f"{word} {other}"))
    assert other in [related.word for related in alone.related]
    assert other not in [related.word for related in both.related]
    assert len(both.scanned) == len(both.literals) + len(both.related)
    assert all(both.terms[related.term] in (word, other) for related in both.related)


def test_words_of_other_languages_have_no_related_ones() -> None:
    assert prepare(analyse("größe 東京 свобода")).related == ()


def test_a_long_question_looks_for_a_limited_number_of_related_words() -> None:
    words = [
        "car",
        "begin",
        "price",
        "house",
        "fast",
        "doctor",
        "money",
        "teacher",
        "happy",
        "river",
        "ship",
        "city",
    ] * 3
    many = prepare(analyse(" ".join([*words, "small", "king", "food", "school", "forest", "road", "music", "book"])))
    assert 0 < len(many.related) <= 64
