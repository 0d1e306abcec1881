"""When an answer says what the key says."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from benchmarks.questions.wording import date_in, equals, names, number_in, plain, stands_in


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("Gang of Four", "referred to as _The Gang\nof Four_ book, is"),
        ("385400", "took 385,400 ns"),
        ("1,296", "1296 days"),
        ("14일", "책은 14일 동안"),
        ("14", "책은 14일 동안"),
        ("30", "30分ごとに"),
        ("54.3", "54.3KiB on average"),
        ("Arc<T>", "use `Arc<T>`, which"),
        ("-P", "`scp -P {{port}}`"),
        ("16", "needs 16."),
        ("don't", "Don’t panic"),
        ("2,3", "2,3 metros"),
    ],
)
def test_a_key_stands_in_a_text_however_it_is_set(key: str, text: str) -> None:
    assert stands_in(key, text)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("14", "in 2014"),
        ("2", "2.5 metres"),
        ("10", "version 1.10"),
        ("64", "aarch64"),
        ("385", "385,400 ns"),
        ("unit", "units"),
        ("arc", "march"),
        ("кот", "который"),
        ("", "anything"),
        ("!", "anything!"),
    ],
)
def test_a_part_of_a_longer_word_or_number_is_not_the_key(key: str, text: str) -> None:
    assert not stands_in(key, text)


def test_a_short_answer_names_the_winner_beside_a_few_words_only() -> None:
    assert names("RFC 2497 if-let chains", ["if-let chains"])
    assert names("Yes, both print ten", ["yes"])
    assert not names("not sure, no", ["yes"])
    assert not names("know", ["no"])
    assert not names("It could be Arc<T> as well as any other type of that kind", ["Arc<T>"])
    assert not names(None, ["yes"])


def test_equality_is_of_the_whole_text() -> None:
    assert equals("**RFC 3**.", ["RFC 3"])
    assert not equals("RFC 30", ["RFC 3"])
    assert not equals(None, ["RFC 3"])
    assert plain("  “A–B”  c ") == 'a-b" c'


@pytest.mark.parametrize(
    ("text", "number"),
    [("≈ 1.96 %", Fraction("1.96")), ("385,400 ns", Fraction(385400)), ("−3 bytes", Fraction(-3)), ("none", None)],
)
def test_the_first_number_of_a_text(text: str, number: Fraction | None) -> None:
    assert number_in(text) == number


@pytest.mark.parametrize("text", ["2026-08-20", "on 20 August 2026", "August 20, 2026.", "**20 August 2026**"])
def test_a_day_is_read_in_three_ways(text: str) -> None:
    assert date_in(text) == date(2026, 8, 20)


def test_a_month_is_no_day() -> None:
    assert date_in("August 2026") is None
    assert date_in(None) is None
