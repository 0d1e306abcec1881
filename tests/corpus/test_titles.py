from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.descriptions import TitleIndex, file_name, plain_name
from lens_lsp.model.words import key


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("notes/Mercury (planet).md", "Mercury (planet)"),
        ("a/b/U.S._Bancorp", "U.S._Bancorp"),
        ("U.S._Bancorp.txt", "U.S._Bancorp"),
        ("St. Louis.MD", "St. Louis"),
        ("Washington,_D.C", "Washington,_D.C"),
        (".md", ".md"),
        ("Makefile", "Makefile"),
        ("a.b/c", "c"),
    ],
)
def test_a_file_is_called_by_its_last_part_without_a_format_suffix(path: str, name: str) -> None:
    assert file_name(path) == name


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Mercury (planet)", "Mercury"),
        ("Mercury_(planet)", "Mercury"),
        ("(What's the Story) Morning Glory?", "(What's the Story) Morning Glory?"),
        ("(untitled)", "(untitled)"),
        ("Cafe\u0301", "Café"),
        ("\u1112\u1161\u11ab", "한"),
    ],
)
def test_a_name_stands_in_running_text_without_its_closing_parenthesis(written: str, plain: str) -> None:
    assert plain_name(written) == plain


def test_documents_answer_to_each_of_their_names() -> None:
    index = TitleIndex()
    index.add(0, ["Mercury", "First Planet"])
    index.add(1, ["mercury"])
    assert index.slots("mercury") == [0, 1]
    assert index.slots("first planet") == [0]
    assert index.keys(0) == ("mercury", "first planet")
    assert index.slots("planet") == index.slots("") == []
    assert index.keys(7) == ()


NAME = st.text(st.sampled_from("ab é語"), max_size=6)
PATHS = st.text(st.sampled_from("aZ_ .()é語\u0301\0\n"), max_size=9)
OPERATION = st.tuples(st.integers(0, 5), st.one_of(st.none(), st.lists(NAME, max_size=3)))


@given(st.lists(OPERATION, max_size=20))
def test_names_added_and_removed_leave_the_index_as_if_it_were_new(
    operations: list[tuple[int, list[str] | None]],
) -> None:
    index, model = TitleIndex(), {}
    for at, (slot, names) in enumerate(operations):
        if at % 3 == 1:  # from the first time on that it is asked, what changes is noted one by one
            as_table(index, ["a"])
        index.remove(slot)
        model.pop(slot, None)
        if names is not None:
            index.add(slot, names)
            model[slot] = names
    fresh = TitleIndex()
    for slot, names in model.items():
        fresh.add(slot, names)
    everything = {key(name) for names in model.values() for name in names} | {"a", "b", "ab"}
    for name in everything:
        assert sorted(index.slots(name)) == sorted(fresh.slots(name))
    for words in (["a"], ["b", "ab"], ["é", "aa", "語"]):
        assert as_table(index, words) == as_table(fresh, words)


@given(st.lists(st.tuples(st.lists(PATHS, min_size=1, max_size=3), st.integers(1, 3)), max_size=9))
def test_many_names_at_once_are_as_one_by_one(texts: list[tuple[list[str], int]]) -> None:
    together, alone = TitleIndex(), TitleIndex()
    slots = []
    for names, step in texts:
        slots.append(step + (slots[-1] if slots else 0))
        alone.add(slots[-1], names)
    if slots:
        more = {at: names[1:] for at, (names, _) in enumerate(texts) if len(names) > 1}
        together.add_all(slots, [names[0] for names, _ in texts], more)
    assert [together.keys(slot) for slot in range(30)] == [alone.keys(slot) for slot in range(30)]
    for name in {key(name) for names, _ in texts for name in names}:
        assert together.slots(name) == alone.slots(name)
    assert as_table(together, ["a", "z", "e"]) == as_table(alone, ["a", "z", "e"])


def as_table(index: TitleIndex, words: list[str]) -> list[tuple[list[int], float, float]]:
    return sorted((sorted(slots), round(one, 9), round(two, 9)) for slots, one, two in index.alike(words, 0.0))


def named(index: TitleIndex, text: str, start: str | None = None) -> list[tuple[int, int, list[int]]]:
    words = text.split()
    return list(index.named_in(words, [start is None or word in start.split() for word in words]))


def test_the_longest_name_in_a_text_is_taken_and_none_overlaps() -> None:
    index = TitleIndex()
    for slot, name in enumerate(["new york", "new york times", "times square", "york"]):
        index.add(slot, [name])
    assert named(index, "the new york times square in york") == [(1, 3, [1]), (6, 1, [3])]


def test_a_name_begins_only_where_it_may() -> None:
    index = TitleIndex()
    index.add(0, ["mercury"])
    assert named(index, "mercury and mercury", start="and") == []


@pytest.mark.parametrize("word", ["the", "1984", "cat", "which"])
def test_a_single_word_that_tells_little_is_no_name_in_a_text(word: str) -> None:
    index = TitleIndex()
    index.add(0, [word])
    assert named(index, f"see {word} there") == []
    index.add(1, [f"see {word}"])
    assert named(index, f"see {word} there") == [(0, 2, [1])]


def test_names_of_more_than_eight_words_are_not_looked_for_in_a_text() -> None:
    index = TitleIndex()
    eight, nine = "one two three four five six seven eight", "two three four five six seven eight nine ten"
    index.add(0, [eight])
    index.add(1, [nine])
    assert named(index, eight) == [(0, 8, [0])]
    assert named(index, nine) == []


def test_names_share_words_with_a_question_in_any_order_and_inflected() -> None:
    index = TitleIndex()
    for slot, name in enumerate(["ATL Window Traits", "Window Styles", "Garden"]):
        index.add(slot, [name])
    shares = {slots[0]: (one, two) for slots, one, two in index.alike(["understanding", "windows", "trait"], 0.0)}
    assert set(shares) == {0, 1}
    assert shares[0][0] > shares[1][0]
    assert 0 < shares[0][1] < 1


def test_a_word_every_name_has_says_little() -> None:
    index = TitleIndex()
    for slot in range(50):
        index.add(slot, [f"report number{slot}"])
    shares = {slots[0]: one for slots, one, _ in index.alike(["report", "number7"], 0.0)}
    assert shares[7] == pytest.approx(1.0)
    assert max(share for slot, share in shares.items() if slot != 7) < 0.05
    assert [slots for slots, _, _ in index.alike(["report", "number7"], 0.3)] == [[7]]


def test_names_in_scripts_without_spaces_are_alike_by_pairs_of_characters() -> None:
    index = TitleIndex()
    index.add(0, ["東京大学"])
    index.add(1, ["京都"])
    assert [slots for slots, _, _ in index.alike(["東京", "京大"], 0.3)] == [[0]]
