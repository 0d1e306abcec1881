from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.documents.kinds import Failure, Unextracted
from lens_lsp.documents.readers.composer import (
    MOST_LETTERS,
    TextComposer,
    head_of,
    in_reading_order,
    on_one_line,
    plain,
)
from lens_lsp.model.documents import BlockKind, Head, is_header
from tests.documents.parts import check, kinds

TEXTS = st.text(alphabet=st.sampled_from("ab |\n\t\u00a0\u00ad\ufb01\u202e\x0b\ud800é1"), max_size=12)
PLACES = st.sampled_from([{}, {"page": 1}, {"page": 2}, {"sheet": "A", "cell": "B7"}])
STEPS = st.one_of(
    st.tuples(st.just("heading"), TEXTS, st.integers(-1, 9)),
    st.tuples(st.just("paragraph"), TEXTS),
    st.tuples(st.just("item"), TEXTS),
    st.tuples(st.just("code"), TEXTS),
    st.tuples(st.just("row"), st.lists(st.tuples(TEXTS, PLACES), max_size=5), st.sampled_from([None, True, False])),
    st.tuples(st.just("place"), PLACES),
    st.tuples(st.just("table")),
)


@given(st.lists(STEPS, max_size=25))
def test_all_spans_are_inside_sorted_and_apart(steps):
    composer = TextComposer()
    table = composer.table()
    for name, *said in steps:
        match name:
            case "code":
                composer.block(BlockKind.CODE, said[0])
            case "row":
                table.row([text for text, _ in said[0]], [place for _, place in said[0]], header=said[1])
            case "table":
                table = composer.table()
            case _:
                getattr(composer, name)(*said)
    composer.paragraph("the end")
    extracted = composer.extracted()
    check(extracted)
    assert not set(extracted.text) & set("\u00ad\ufb01\u202e\x0b\ud800")


@given(st.lists(st.tuples(st.text("xy|", min_size=1, max_size=3) | st.just(""), st.integers(1, 9)), min_size=1))
def test_every_filled_cell_begins_at_its_own_locator(cells):
    composer = TextComposer()
    composer.table().row([text for text, _ in cells], [{"cell": index} for index, _ in enumerate(cells)])
    if not any(text for text, _ in cells):
        return
    extracted = composer.extracted()
    at = {locator.get("cell"): start for start, locator in zip(*_pairs(extracted), strict=True)}
    for index, (text, _) in enumerate(cells):
        if text:
            assert extracted.text.startswith(text, at[index])


def _pairs(extracted):
    return extracted.locators.starts, extracted.locators.locators


def test_paragraphs_stand_apart_and_items_and_rows_together():
    composer = TextComposer()
    composer.heading("A  title\n of two lines", 2)
    composer.paragraph("one\n\n\n two   three ")
    composer.item("x")
    composer.item("y")
    table = composer.table()
    table.row(["Name", "Age"])
    table.row(["Ann", "7"])
    composer.table().row(["other", "table"])
    text = "A title of two lines\n\none\ntwo three\n\nx\ny\n\nName | Age\nAnn | 7\n\nother | table"
    assert composer.extracted().text == text


def test_empty_cells_keep_the_columns_in_place():
    composer = TextComposer()
    table = composer.table()
    table.row(["a", "", "", "d", "", ""])
    table.row(["", "", "c"])
    table.row(["", "b"])
    assert composer.extracted().text == "a | | | d\n| | c\n| b"


def test_rows_stand_under_the_first_row_that_names_columns():
    composer = TextComposer()
    table = composer.table()
    for row in (["Budget of the year"], ["Region", "2019", "2020"], ["North", "5", "6"]):
        table.row(row)
    extracted = composer.extracted()
    headers = [block.header for block in extracted.structure.blocks]
    assert headers[:2] == [None, None]
    assert extracted.text[headers[2].start : headers[2].end] == "Region | 2019 | 2020"


def test_a_row_between_two_blocks_of_its_table_keeps_its_header():
    composer = TextComposer()
    table = composer.table()
    table.row(["Name", "Age"])
    composer.paragraph("between")
    table.row(["Ann", "7"])
    extracted = composer.extracted()
    assert extracted.text == "Name | Age\n\nbetween\n\nAnn | 7"
    assert extracted.structure.blocks[2].header == extracted.structure.blocks[0].span


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["Name", "Age"], True),
        (["Name", "", "Age"], True),
        (["Ann", "7"], False),
        (["Ann", "2024-03-01"], False),
        (["Ann", "12.50 €"], False),
        (["Region", "2019", "2020"], True),
        (["Region", "2020", "2019"], True),
        (["Region", "2019", "2019"], False),
        (["Ann", "1999"], False),
        (["2019", "2020"], False),
        (["No. 1", "1" * 41], True),
    ],
)
def test_a_header_names_columns(cells, names):
    assert is_header(cells) is names


def test_what_stands_nowhere_in_particular_does_not_take_the_place_before_it():
    composer = TextComposer()
    composer.place({"page": 1})
    composer.paragraph("one")
    composer.place({})
    composer.paragraph("two")
    assert composer.extracted().locators.locators == ({"page": 1}, {})


def test_a_heading_of_a_thousand_words_is_a_paragraph():
    composer = TextComposer()
    composer.heading("word " * 1000, 1)
    extracted = composer.extracted(titled=True)
    assert [kind for kind, _ in kinds(extracted)] == ["paragraph"]
    assert extracted.structure.head.title is None


def test_code_keeps_its_blanks():
    composer = TextComposer()
    composer.block(BlockKind.CODE, "\n\nif x:\n    y  \n\nz\n")
    assert composer.extracted().text == "if x:\n    y\n\nz"


def test_a_document_without_a_visible_character_is_empty():
    composer = TextComposer()
    composer.paragraph(" \u00ad\u200b\n")
    with pytest.raises(Unextracted) as failed:
        composer.extracted()
    assert failed.value.failure is Failure.EMPTY


def test_text_behind_the_bound_is_left_out_and_said():
    composer = TextComposer()
    composer.paragraph("x" * MOST_LETTERS)
    assert composer.full
    composer.paragraph("too much")
    extracted = composer.extracted()
    assert len(extracted.text) == MOST_LETTERS
    assert extracted.notices == ("only the first 20,000,000 characters were read",)


def test_what_was_typed_for_looks_is_made_plain():
    assert plain("e\ufb03cient soft\u00adhyphen a\u2028b\x0bc\r\nd \x1b[31mred\u202e") == (
        "efficient softhyphen a\nb\nc\nd red"
    )
    assert on_one_line(" a\u00a0b\n\n c ") == "a b c"


def test_metadata_is_plain_and_without_repetitions():
    head = head_of(" My\ntitle ", ["about", None, "about", "more"], "one, two; one,")
    assert head == Head("My title", (), ("one", "two"), "about more")
    assert head_of("  ", [""], "") == Head()


def test_things_are_read_downwards_and_rows_to_the_right():
    things = ["bottom", "right", "left", "top"]
    assert in_reading_order(things, [(0, 90), (50, 40), (0, 42), (7, 0)], 5) == ["top", "left", "right", "bottom"]


@given(st.lists(st.none() | st.tuples(st.integers(-5, 5), st.integers(-5, 5)), max_size=12))
def test_reading_order_loses_nothing(places):
    assert sorted(in_reading_order(range(len(places)), places, 1)) == list(range(len(places)))
