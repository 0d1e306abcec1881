from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.descriptions import Holders, content
from lens_lsp.model.words import key

WORD = st.sampled_from(["note", "notes", "the", "of", "1984", "é", "語語", "-", "", "\n", "window"])
NAME = st.lists(WORD, min_size=1, max_size=4).map(" ".join).map(key).filter(bool)
NAMES = st.lists(NAME, max_size=8, unique=True)


def as_table(holders: Holders, names: set[str]) -> dict[str, set[str]]:
    words = {word for name in names for word in content(name)} | {"note", "nothing"}
    return {word: set(holders.named(word)) for word in words}


@given(NAMES, st.lists(NAME, max_size=12))
def test_whatever_comes_and_goes_each_word_has_the_names_that_hold_it(first: list[str], turns: list[str]) -> None:
    holders, names = Holders(first), set(first)
    for name in [None, *turns]:
        if name in names:
            holders.remove(name)
            names.remove(name)
        elif name is not None:
            holders.add(name)
            names.add(name)
        table = as_table(holders, {*first, *turns})
        assert table == {word: {name for name in names if word in content(name)} for word in table}
        assert {word: holders.count(word) for word in table} == {word: len(held) for word, held in table.items()}


def test_more_names_than_are_taken_apart_at_once() -> None:
    names = [f"note {number} {'even' if number % 2 == 0 else 'odd'}" for number in range(140_000)]
    holders = Holders(names)
    assert holders.count("note") == 140_000
    assert holders.count("even") == holders.count("odd") == 70_000
    assert list(holders.named("131071")) == ["note 131071 odd"]


def test_a_name_of_stop_words_alone_is_held_by_them() -> None:
    holders = Holders(["who are you", "who goes there now"])
    assert list(holders.named("who")) == ["who are you"]
    assert list(holders.named("goe")) == ["who goes there now"]
