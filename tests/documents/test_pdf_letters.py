"""Letters of PDF pages made right: accents, numbers of two cells, line numbers, fonts that say nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.pdf import PdfReader
from lens_lsp.documents.readers.pdf_letters import JOINED, apart_at, composed, is_garbled
from tests.documents.parts import check
from tests.documents.pdf_files import PageMaking, PdfMaking, text

WIDTH = 6.0
"""Of a letter of size 10."""


def read(*contents: str) -> Extracted:
    pages = [PageMaking(content.replace("ETBT", "ET BT")) for content in contents]
    found = PdfReader().extract(PdfMaking(pages).written())
    check(found)
    return found


def over(accent: str, at: int, x: float = 72, y: float = 80) -> str:
    """An accent drawn over the letter at a place of a word."""
    return text(accent, x + at * WIDTH, y)


def test_an_accent_drawn_over_its_letter_is_a_part_of_it() -> None:
    drawn = text("PRODUC", 72, 80) + over("¸", 5) + over("˜", 6) + text("AO", 72 + 6 * WIDTH, 80)
    assert read(drawn).text == "PRODUÇÃO"


@pytest.mark.parametrize(
    ("before", "accent", "after", "whole"),
    [("caf", "´", "e", "café"), ("Z", "¨", "urich", "Zürich"), ("pi", "˜", "nata", "piñata")],
)
def test_an_accent_before_its_letter_belongs_to_it_too(before: str, accent: str, after: str, whole: str) -> None:
    at = 72 + len(before) * WIDTH
    assert read(text(before, 72, 80) + text(accent, at, 80) + text(after, at, 80)).text == whole


def test_an_accent_with_room_of_its_own_stays() -> None:
    assert read(text("x ^ y and a ~ b", 72, 80)).text == "x ^ y and a ~ b"
    assert read(text("90° turn `code`", 72, 80)).text == "90° turn `code`"


@given(st.text(alphabet="aeoucnAZ ´`¨¸˜^\n", max_size=30), st.lists(st.floats(0, 100), min_size=120, max_size=120))
@settings(derandomize=True, max_examples=300)
def test_whatever_stands_on_a_page_keeps_its_length_and_its_other_letters(words: str, sides: list[float]) -> None:
    boxes = list(sides)
    made = composed(words, boxes)
    assert len(made) == len(words)
    assert len(boxes) == len(sides)
    plain = [letter for letter, now in zip(words, made, strict=True) if letter == now]
    assert [letter for letter in made if letter.isascii() and letter.isalpha()] == [
        letter for letter in plain if letter.isascii() and letter.isalpha()
    ]


def test_numbers_of_two_cells_are_two_words() -> None:
    left, right = "1,234.56", "78.90"
    drawn = text(left, 72, 80) + text(right, 72 + len(left) * WIDTH + 0.5, 80)
    assert read(drawn).text.split() == ["1,234.56", "78.90"]
    percent = text("45.2%", 72, 80) + text("12.3%", 72 + 5 * WIDTH, 80)
    assert read(percent).text.split() == ["45.2%", "12.3%"]


@pytest.mark.parametrize("whole", ["1,234.56", "2024-03-01", "10.0.0.1", "1.2.3", "555-1234", "(1,234)", "12:30"])
def test_one_number_drawn_in_pieces_stays_one(whole: str) -> None:
    drawn = "".join(text(letter, 72 + at * WIDTH, 80) for at, letter in enumerate(whole))
    assert read(drawn).text == whole


def test_where_numbers_part_is_told_by_what_drew_them() -> None:
    word, gaps = "45.2%12.3%", [0.0] * 9
    assert list(apart_at(word, [1] * 5 + [2] * 5, gaps, 10.0)) == [5]
    assert list(apart_at(word, [1] * 10, gaps, 10.0)) == []
    assert list(apart_at("10-7", [1, 1, 2, 2], gaps[:3], 10.0)) == []
    assert list(apart_at("45.212", [1] * 4 + [2] * 2, gaps[:5], 10.0)) == []


PROSE = [
    "The harbour of the town was built",
    "when ships were still made of oak",
    "and the ropes that held them came",
    "from the walk behind the churches",
    "where women twisted hemp by hand.",
    "Nobody remembers their names now.",
] * 3


def numbered(lines: list[str], first: int = 1, step: int = 1) -> str:
    shown = [(at, str(first + at)) for at in range(len(lines)) if (first + at) % step == 0]
    margin = "".join(text(number, 72 - len(number) * WIDTH, 80 + 24 * at) for at, number in shown)
    return margin + "".join(text(line, 110, 80 + 24 * at) for at, line in enumerate(lines))


@pytest.mark.parametrize(("first", "said"), [(1, "1–18"), (118, "118–135")])
def test_line_numbers_in_the_margin_stand_apart_from_the_text(first: int, said: str) -> None:
    found = read(numbered(PROSE, first))
    assert found.text.endswith(f"Line numbers: {said}")
    assert "was built when ships were still" in " ".join(found.text.split())


def test_every_fifth_line_may_be_numbered() -> None:
    found = read(numbered([*PROSE, *PROSE[:8]], 1, 5))
    assert found.text.endswith("Line numbers: 5–25")


def test_numbers_of_a_list_or_a_table_stay() -> None:
    rows = [f"Article {chr(65 + at)} of the whole list" for at in range(18)]
    assert "Line numbers" not in read(numbered(rows)).text


GLYPHS = "".join(chr(ord(letter) - 29) for letter in "the rent of the house is due on the first day of the month " * 4)


def test_letters_that_are_numbers_of_glyphs_are_no_text() -> None:
    assert is_garbled(GLYPHS, [])
    assert not is_garbled("the rent of the house is due on the first day of the month " * 4, [])
    assert not is_garbled("GATTACA " * 50, [])
    assert not is_garbled("0042 1187 3312 " * 30, [True] * 100)


def test_what_has_no_map_and_looks_like_no_language_is_no_text() -> None:
    language = "Der Hafen der Stadt wurde gebaut, als Schiffe noch aus Holz waren. " * 3
    mixed = "¢һӍΉʽী¢Ǌ੒ඥഀဍ೅Ϣiͳ ʆϙϣķ gÎ ߙΨ́ϸЇ Ԕΰ ¢һӍΉʽী¢ರ͟ȥ܅ RହຏഀƹΉటҧ"
    assert not is_garbled(language, [True] * len(language))
    assert is_garbled(mixed, [True] * len(mixed))
    assert not is_garbled(mixed, [False] * len(mixed))
    assert is_garbled("\ufffd" * 50 + "abc", [])
    assert not is_garbled("\uf0b7 item " * 10, [])


def test_a_page_of_such_letters_is_named_and_counts_as_a_picture() -> None:
    unreadable = text("7KH UHQW RI WKH KRXVH LV GXH RQ WKH ILUVW GD\\ RI WKH PRQWK", 72, 80)
    found = read(text("A page with letters.", 72, 80), "\n".join(unreadable for _ in range(4)))
    assert found.pages == (2,)
    assert found.notices == ("page 2: its fonts do not say which letters they draw, text not read",)
    assert "UHQW" not in found.text
    with pytest.raises(Unextracted) as raised:
        read("\n".join(unreadable for _ in range(4)))
    assert raised.value.failure is Failure.EMPTY


def test_a_joined_character_is_never_in_a_text() -> None:
    assert JOINED not in read(text("cafe", 72, 80) + over("´", 3)).text
