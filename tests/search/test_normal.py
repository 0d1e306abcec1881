"""The form in which quotes are compared with their sources: what a careful copyist may change is gone, nothing else."""

from __future__ import annotations

import unicodedata

import pytest

from lens_lsp.model.text import Span
from lens_lsp.search.resolution import normalise

FORMS = [
    ("Two  words,\n\tone form.", "two words, one form."),
    ("soft\u00adhyphen, zero\u200bwidth, join\u2060er, \ufeffmark", "softhyphen, zerowidth, joiner, mark"),
    ("a \u200b\u00ad b", "a b"),
    ("a\u00a0\u2003b", "a b"),
    ("a \u00ad", "a "),
    ("‘a’ ‚b‛ ′c ʼd “e” „f‟ ″g «h»", '\'a\' \'b\' \'c \'d "e" "f" "g "h"'),
    ("1‐2‑3‒4–5—6―7−8", "1-2-3-4-5-6-7-8"),
    ("and so on… Σίσυφος", "and so on... σίσυφοσ"),
    ("10² is not 10^2", "10² is not 10^2"),
    ("CAFÉ, CAFE\u0301 and cafe\u0301", "café, café and café"),
    ("각 is \u1100\u1161\u11a8", "각 is 각"),
    ("İ", "i̇"),
    # Scripts without blanks join over the end of a line, others do not.
    ("東京\n都庁", "東京都庁"),
    ("東京 tower 塔", "東京 tower 塔"),
    ("é 東", "é 東"),
    # Emphasis, strikes and code in pairs within a paragraph.
    ("**bold**, *thin*, _this_, `code` and ~~gone~~", "bold, thin, this, code and gone"),
    ("***both*** and **un*even", "both and **un*even"),
    ("2*3*4 and snake_case_name", "2*3*4 and snake_case_name"),
    ("a * b * c", "a * b * c"),
    ("*a\n\nb*", "*a b*"),
    ("*a\r\n \r\nb*", "*a b*"),
    ("*a\nb*", "a b"),
    ("~5 and ~6", "~5 and ~6"),
    ("` code ` and `x`y", " code and xy"),
    (r"\*plain\* and \_", r"\*plain\* and \_"),
    ("*", "*"),
    ("*a", "*a"),
    ("a*", "a*"),
    ("(*a*)", "(a)"),
    ("*a * b", "*a * b"),
    ("* a*", "* a*"),
    ("~a~ b", "~a~ b"),
    # Links are what they show.
    ("see [the page](https://a.b/c_(d)) now", "see the page now"),
    ('see [the page](x "a title") now', "see the page now"),
    ("an ![image](i.png) too", "an image too"),
    ("[[note]] and [[note|shown]]", "note and shown"),
    ("name[key](call) is none", "name[key](call) is none"),
    ("[a] alone and ](b)", "[a] alone and ](b)"),
    ("[a [b](c)", "[a b"),
    ("[a\n\nb](c)", "[a b](c)"),
    ("a[[b]]", "ab"),
]


@pytest.mark.parametrize(("text", "form"), FORMS)
def test_a_text_has_the_form_of_its_words(text: str, form: str) -> None:
    normal = normalise(text)
    assert normal.text == form
    assert len(normal.starts) == len(normal.ends) == len(form)


@pytest.mark.parametrize("text", [text for text, _ in FORMS])
def test_each_character_leads_back_to_what_it_stands_for(text: str) -> None:
    normal = normalise(text)
    assert all(0 <= start < end <= len(text) for start, end in zip(normal.starts, normal.ends, strict=True))
    assert normal.starts == sorted(normal.starts)
    assert normal.ends == sorted(normal.ends)
    for char, start, end in zip(normal.text, normal.starts, normal.ends, strict=True):
        if char.isalnum():
            assert unicodedata.normalize("NFC", text[start:end]).lower().replace("ς", "σ").count(char)


def sources(text: str) -> list[str]:
    """The stretch of the source behind each character of its form."""
    normal = normalise(text)
    return [text[start:end] for start, end in zip(normal.starts, normal.ends, strict=True)]


def test_places_hold_all_that_became_one_character() -> None:
    assert sources("a \n\t b") == ["a", " \n\t ", "b"]
    assert sources("e\u0301x…") == ["e\u0301", "x", "…", "…", "…"]
    assert sources("\u1100\u1161\u11a8.") == ["\u1100\u1161\u11a8", "."]
    assert sources("**A** b") == ["A", " ", "b"]
    assert sources("a **\n** b") == sources("a **\n** b")
    assert sources("東\n京") == ["東", "京"]
    assert sources("äö\u1100\u1161") == ["ä", "ö", "\u1100\u1161"]


@pytest.mark.parametrize("part", ["\u1160", "\u11ff"])
def test_a_part_of_a_syllable_stays_with_it_though_they_do_not_become_one(part: str) -> None:
    text = f"\u1100\u1161\u1100{part}"
    assert normalise(text).text == f"\uac00\u1100{part}"
    assert sources(text) == ["\u1100\u1161", f"\u1100{part}", f"\u1100{part}"]


def test_accents_without_end_are_taken_in_parts() -> None:
    text = "a" + "\u0301" * 100
    normal = normalise(text)
    assert normal.text.startswith("á")
    assert max(end - start for start, end in zip(normal.starts, normal.ends, strict=True)) == 17, "a letter and sixteen"


@pytest.mark.parametrize(
    ("text", "inside", "balanced"),
    [
        ("so **bold** it", "bold", "bold"),
        ("so **bold** it", "bold** it", "**bold** it"),
        ("so **bold** it", "so **bold", "so **bold**"),
        ("so **bold** it", "bo", "bo"),
        ("so **bold** it", "so **bo", "so **bo"),
        ("***a*** b", "a*** b", "***a*** b"),
        ("**_a_** b", "a_** b", "**_a_** b"),
        ("b **_a_**", "b **_a", "b **_a_**"),
        ("b *__a__* c", "b *__a", "b *__a__*"),
        ("[a](b) c", "a](b) c", "[a](b) c"),
        ("*a* *b*", "*a* *b", "*a* *b*"),
        ("*a* *b*", "a* *b*", "*a* *b*"),
        ("*a*", "a", "a"),
        ("so **bold** it", "**bold", "**bold**"),
        ("[](b) c", "](b) c", "](b) c"),
    ],
)
def test_a_place_takes_the_marks_whose_partners_it_holds(text: str, inside: str, balanced: str) -> None:
    at = text.index(inside)
    place = normalise(text).balanced(Span(at, at + len(inside)))
    assert text[place.start : place.end] == balanced


def test_links_are_told_by_where_their_words_begin_and_where_they_lead() -> None:
    text = "[[note|shown]] then [page](there) and [[plain]]"
    found = [(text[at : at + 4], to) for at, to in normalise(text).links]
    assert found == [("show", "note|"), ("page", "there")]
