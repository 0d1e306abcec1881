"""Names, titles and aliases by which documents are found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.descriptions import Descriptions, Holders, TitleIndex, content, file_name, plain_name
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import HEAD_LENGTH
from lens_lsp.model.words import key

NOTES = {
    "in/Rare Orchid.md": "---\naliases: [Bee Plant]\ntags: [flower]\ndescription: Grows slowly\n---\n# Ophrys\n",
    "b.txt": "A short title\n\nand text",
    "c.md": "no title",
}


def described(start: int = 0) -> Descriptions:
    descriptions = Descriptions()
    readers = [reader for path in NOTES if (reader := reader_for(path)) is not None]
    descriptions.add(start, list(NOTES), readers, [text.encode() for text in NOTES.values()])
    return descriptions


def test_documents_answer_to_their_file_names_titles_and_aliases() -> None:
    descriptions = described(5)
    assert descriptions.names(5) == ("Rare Orchid", "Ophrys", "Bee Plant")
    assert descriptions.names(6) == ("b", "A short title")
    assert descriptions.titles.slots("bee plant") == [5]
    assert descriptions.titles.slots("a short title") == [6]
    assert descriptions.summaries.holders("flower") == {5}
    assert descriptions.names(0) == ()


def test_a_text_forgotten_before_it_was_looked_at_is_never_named() -> None:
    descriptions = described()
    descriptions.remove(0)
    assert descriptions.titles.slots("bee plant") == []
    assert descriptions.names(0) == ()
    assert descriptions.names(1) == ("b", "A short title")


def test_a_text_forgotten_later_is_named_no_more() -> None:
    descriptions = described()
    assert descriptions.titles.slots("bee plant") == [0]
    descriptions.remove(0)
    assert descriptions.titles.slots("bee plant") == []
    assert descriptions.summaries.holders("flower") == set()


def test_what_is_known_can_be_taken_over_under_another_number() -> None:
    new = Descriptions()
    old = described()
    new.move(old, 1, 0)
    new.move(old, 7, 1)  # about which nothing is known
    assert new.titles.slots("a short title") == [0]
    assert new.names(1) == ()


def test_a_beginning_may_end_within_a_character() -> None:
    reader = reader_for("a.txt")
    assert reader is not None
    start = ("Größe\n\n" + "ö" * 4 * HEAD_LENGTH).encode()[: 4 * HEAD_LENGTH]
    descriptions = Descriptions()
    descriptions.add(0, ["a.txt"], [reader], [start])
    assert descriptions.names(0) == ("a", "Größe")


def test_more_beginnings_than_may_wait_change_nothing() -> None:
    reader = reader_for("a.md")
    assert reader is not None
    descriptions = Descriptions()
    for number in range(5):
        names = [f"{number}-{index}.md" for index in range(1000)]
        descriptions.add(1000 * number, names, [reader] * 1000, [f"# Title {name}\n".encode() * 800 for name in names])
    assert len(descriptions.titles.slots("title 4 999 md")) == 1
    assert descriptions.names(17) == ("0-17", "Title 0-17.md")


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


WORD = st.sampled_from(["note", "notes", "the", "of", "1984", "é", "語語", "-", "", "\n", "window"])
HELD_NAME = st.lists(WORD, min_size=1, max_size=4).map(" ".join).map(key).filter(bool)
HELD_NAMES = st.lists(HELD_NAME, max_size=8, unique=True)


def held_table(holders: Holders, names: set[str]) -> dict[str, set[str]]:
    words = {word for name in names for word in content(name)} | {"note", "nothing"}
    return {word: set(holders.named(word)) for word in words}


@given(HELD_NAMES, st.lists(HELD_NAME, max_size=12))
def test_whatever_comes_and_goes_each_word_has_the_names_that_hold_it(first: list[str], turns: list[str]) -> None:
    holders, names = Holders(first), set(first)
    for name in [None, *turns]:
        if name in names:
            holders.remove(name)
            names.remove(name)
        elif name is not None:
            holders.add(name)
            names.add(name)
        table = held_table(holders, {*first, *turns})
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
