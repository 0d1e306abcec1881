"""Where the bounds of a quote's place lie: first and last characters, what one character stands for, cells, links."""

from __future__ import annotations

import pytest

from lens_lsp.search.resolution import SHORT, normalise, resolve
from tests.soak.altered_quotes import view


def found(quote: str, text: str, name: str = "a.md") -> tuple[str, str] | None:
    resolved = resolve(quote, view(text, name))
    return None if resolved is None else (resolved.match, text[resolved.span.start : resolved.span.end])


@pytest.mark.parametrize(
    ("name", "rows", "row"),
    [
        ("a.csv", "city,size\nRome,7\nBern,as in Rome\n", "Rome,7"),
        ("a.csv", "city;size\nRome;7\nBern;as in Rome\n", "Rome;7"),
        ("a.csv", "city,size,more\nRome,7,8;9\nBern,as in Rome,1;2\n", "Rome,7,8;9"),
        ("a.csv", 'city,size\n"Rome",7\nBern,as in Rome\n', '"Rome",7'),
        ("a.csv", "city,size\nRome,7\nRome X,8\n", "Rome,7"),
        ("a.tsv", "city\tsize\nRome\t7\nBern\tas in Rome, or so\n", "Rome\t7"),
        ("a.md", "| city | size |\n|---|---|\n| Rome | 7, 8; 9 |\n| Bern | as in Rome |\n", "| Rome | 7, 8; 9 |"),
    ],
)
def test_a_short_quote_is_known_by_the_one_cell_that_it_is_all_of(name: str, rows: str, row: str) -> None:
    assert found("Rome", rows, name) == ("exact", row)


def test_where_as_many_of_both_stand_commas_part_the_cells() -> None:
    assert found("Rome", "city;size\nRome;7,5\nBern;as in Rome,1\n", "a.csv") is None


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("## Rome ##\n\nThis is in Rome.\n", "## Rome ##"),
        ("Rome\n====\n\nThis is in Rome.\n", "Rome\n===="),
        ("## Rome X\n\nSome words.\n\n- Rome\n", "- Rome"),
        ("## Bern\n\nSome words of it.\n\n- Rome ##\n- Rome\n", "- Rome"),
    ],
)
def test_a_short_quote_is_known_by_the_one_heading_that_it_is_all_of(text: str, unit: str) -> None:
    assert found("Rome", text) == ("exact", unit)


def test_a_unit_ends_where_the_next_one_begins() -> None:
    assert found("青い。", "水は青い。水は白い。") == ("exact", "水は青い。")


@pytest.mark.parametrize("quote", ["哈哈", "**哈哈**"])
def test_places_that_overlap_are_two(quote: str) -> None:
    assert found(quote, "他笑：哈哈。") is not None
    assert found(quote, "他笑：哈哈哈。") is None


@pytest.mark.parametrize("text", ["The river is wide", "The river is wide and long", "And the river is wide"])
def test_a_quote_may_be_at_the_very_beginning_and_at_the_very_end(text: str) -> None:
    assert found("he river is wide", text) is not None
    assert found("THE RIVER IS WIDE", text) is not None
    verbatim = found("The river is wide", text)
    assert verbatim is not None
    assert verbatim[0] == ("exact" if text.startswith("The") else "normalised")


@pytest.mark.parametrize(
    "quote",
    [".. at last it came", ". at last it came", "it went and so on.", "it went and so on..", "so on.. at last"],
)
def test_a_quote_does_not_begin_or_end_within_one_character(quote: str) -> None:
    for text in ("Then it went and so on… at last it came.", "… at last it came. It went and so on…"):
        assert found(quote, text) is None
    assert found("it went and so on... at last", "Then it went and so on… at last it came.") is not None


def test_one_character_may_be_all_there_is() -> None:
    assert normalise("İ").text == "i̇"
    assert found("i̇", "İ") == ("normalised", "İ")


def test_a_link_before_a_quote_is_none_of_its_links() -> None:
    quote = "[Paris](http://a.org) is it now"
    for before in ("", "so ", "[x](u) and so ", "[](u)"):
        text = f"{before}[Paris](http://a.org) is  it now, [they](v) say"
        assert found(quote, text) == ("normalised", "[Paris](http://a.org) is  it now")
        assert found(quote.replace("a.org", "b.org"), text) is None


def test_of_a_quote_far_longer_than_what_was_shown_nothing_is_looked_at() -> None:
    text = "The river is wide."
    most = 4 * len(text) + 1024
    words = "The river is"
    for length, there in ((most, True), (most + 1, False)):
        quote = words + " " * (length - len(words) - len("wide.")) + "wide."
        assert len(quote) == length
        assert (found(quote, text) is not None) == there


def test_from_twelve_characters_on_a_quote_stands_by_itself() -> None:
    quote = "it is so now"
    assert len(quote) == SHORT
    assert found(quote, f"We say {quote}. And {quote}.") == ("exact", quote)
    assert found(quote[1:], f"We say {quote[1:]}. And {quote[1:]}.") is None


def test_of_what_stands_before_a_figure_its_sign_alone_is_taken() -> None:
    assert found("5 degrees outside", "It was (−5 degrees outside).") == ("exact", "−5 degrees outside")
