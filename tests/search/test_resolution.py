"""Quotes are found where they stand and nowhere else."""

from __future__ import annotations

import gzip
import json
import re
import time
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lens_lsp.model.documents import LocatorMap
from lens_lsp.model.text import Span
from lens_lsp.search.boundaries import region, shown
from lens_lsp.search.resolution import SHORT, Resolved, normalise, resolve
from tests.soak.altered_quotes import alterations, articles, document, run, view

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
REPOSITORY = Path(__file__).resolve().parents[2]
ALTERATIONS = 600
TABLE = """\
| City | Size |
|---|---|
| Paris | 42 |
| Rome | 42 |
| Bern | 7 |

- yes
- no, yes and no

## Notes

Some notes. It rained in Bern. 水は青い。水は白い。
"""
PIECES = [
    "word ", "Wörter ", "don’t ", "x-y ", "3.5 ", "e\u0301a ", "東京", "。", ". ", "\n", "**b** ", "[a](u) ", "_c_",
    "`d`", "  ", "\u00a0", "\u00ad", "—", "“q” ", "İ", "ß", "…", "[[/|s]] ", "*", "~~", "<b>", "</b>", "<p>",
    "| e ", "- ",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=40).map("".join)
HOSTILE = [
    "*", "`", "_a", "*a ", "[", "[a](", "[a](b) ", "]", "[[a|", "~~", "a`", "e\u0301", "\u0301", "a", "a ", "\n\n",
    "\\", "![",
]  # fmt: skip


@pytest.mark.parametrize(("text", "form"), FORMS)
def test_a_text_has_the_form_of_its_words(text: str, form: str) -> None:
    normal = normalise(text)
    assert normal.text == form
    assert len(normal.starts) == len(normal.ends) == len(form)


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


def found(quote: str, text: str, name: str = "a.md") -> tuple[str, str] | None:
    resolved = resolve(quote, view(text, name))
    return None if resolved is None else (resolved.match, text[resolved.span.start : resolved.span.end])


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("The river is wide", "The  river\nis\u00a0wide"),
        ("The river\r\n  is wide", "The river is wide"),
        ('He said "no, it\'s late"', "He said “no, it’s late”"),
        ("pages 3-5 - or so", "pages 3–5 — or so"),
        ("and so on... at last", "and so on… at last"),
        ("cooperation in Europe", "co\u00adopera\u00adtion in Eu\u200brope"),
        ("THE RIVER is Wide", "The river is wide"),
        ("Caf\u00e9 Zoe\u0308 Tuesday", "Cafe\u0301 Zo\u00eb Tuesday"),
        ("The river is wide", "The **river** is _wide_"),
        ("The **river** is wide", "The river is wide"),
        ("call the function now", "call ~~the~~ `function` now"),
        ("See the manual for more", "See [the manual](http://a.org/b_(c) \"Title\") for more"),
        ("See the manual for more", "See [[manual-1|the manual]] for more"),
        ("See the manual for more", "See [[the manual]] for more"),
        ("the *very* wide river", "the _very_ wide river"),
        ("ΟΔΟΣ ΚΑΙ ΠΟΛΗ", "οδος και πολη"),
        ("東京は日本の首都です", "東京は日本の\n首都です"),
    ],
)  # fmt: skip
def test_what_a_careful_copyist_may_change_is_found(quote: str, source: str) -> None:
    text = f"Before it, more. Then: {source} and after it, more."
    resolved = resolve(quote, view(text))
    assert resolved is not None
    assert resolved.match == "normalised"
    place = text[resolved.span.start : resolved.span.end]
    assert normalise(place).text.strip() == normalise(quote).text
    assert place in source


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("it cost 53 pounds then", "it cost 5*3 pounds then"),
        ("it cost 210 pounds then", "it cost 2**10 pounds then"),
        ("it cost 102 pounds then", "it cost 10² pounds then"),
        ("it cost 12 pounds then", "it cost ½ pounds then"),
        ("it cost 5 pounds then!", "it cost ~5 pounds then!"),
        ("the value is fooBar here", "the value is foo_bar here"),
        ("the value is foobar here", "the value is foo_bar here"),
        ("return the ptr value now", "return the *ptr value now"),
        ("handlers[name](one) runs", "handlers[name](two) runs"),
        ("handlersname runs at once", "handlers[name](two) runs at once"),
        ("[Paris](http://b.org) is it", "so [Paris](http://a.org) is  it"),
        ("[[p2|Paris]] is the capital", "so [[p1|Paris]] is  the capital"),
        ("now here is the place", "nowhere is the place"),
        ("nowhere is the place", "now here is the place"),
        ("the Masse of the body", "the Maße of the body"),
        ("Able to walk home now", "He was unable to walk home now"),
        ("Toxic to all the fish", "It is non-toxic to all the fish"),
        ("5 Million people live", "About 3.5 million people live"),
        ("The first ... the last", "The first of them and the last"),
        ("The first … the last", "The first of them and the last"),
        ("The first [...] the last", "The first of them and the last"),
        ("the résumé of the man", "the resume of the man"),
    ],
)
def test_what_says_something_else_is_not_found(quote: str, source: str) -> None:
    assert found(quote, f"Before it, more. Then: {source} and after it, more.") is None


@pytest.mark.parametrize(
    "quote", ["", " ", "\n\t", "**", "---", "...", "“”", "[](x)", "\u00ad", "``` ```", "—", "_ _ _ _ _ _ _"]
)
def test_a_quote_without_letters_and_figures_is_nowhere(quote: str) -> None:
    text = f"Some text {quote} and some more"
    assert resolve(quote, view(text)) is None


def test_a_verbatim_quote_is_exact_and_its_words_are_made_whole() -> None:
    text = "He was unable to walk 3.5 miles in the well-known park."
    assert found("able to walk 3", text) == ("exact", "unable to walk 3.5")
    assert found("5 miles in the well", text) == ("exact", "3.5 miles in the well-known")
    assert found("degrees outside", "It was −5 degrees outside.") == ("exact", "degrees outside")
    assert found("5 degrees outside", "It was −5 degrees outside.") == ("exact", "−5 degrees outside")
    assert found("5 degrees outside", "It was (−5 degrees outside).") == ("exact", "−5 degrees outside")
    assert found("i̇", "İ") == ("normalised", "İ")
    assert found("5 degrees outside", "It was 4-5 degrees outside.") == ("exact", "4-5 degrees outside")


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        ("Bold at first, plain later", "**Bold at** first, plain later"),
        ("plain at first, bold later", "plain at first, **_bold_ later**"),
        ("Linked at first, then plain", "[**Linked** at](http://a.org) first, then plain"),
        ("at first, then plain text", "at](http://a.org) first, then plain `text`"),
    ],
)
def test_evidence_keeps_the_marks_that_belong_to_it(quote: str, place: str) -> None:
    text = "**Bold at** first, plain later, plain at first, **_bold_ later** and "
    text += "[**Linked** at](http://a.org) first, then plain `text`."
    resolved = found(quote, text)
    assert resolved is not None
    assert resolved[1] == place


def test_a_quote_with_blanks_around_it_is_found_without_them() -> None:
    assert found("  the river is wide\n", "So the river is wide here.") == ("exact", "the river is wide")


def test_of_several_places_the_first_is_taken_that_cuts_no_word() -> None:
    text = "On the art of warfare. On the art of war. On the art of war."
    resolved = resolve("the art of war", view(text))
    assert resolved == Resolved(Span(26, 40), "exact")
    again = resolve("The Art of War", view(text))
    assert again == Resolved(Span(26, 40), "normalised")


def test_context_cannot_be_quoted() -> None:
    text = "# The great title\n\n| the name | the number |\n|---|---|\n| Ann | 5 |\n| Bob | 6 |\n"
    doc = document(text)
    rows = shown(doc, region(doc, Span(text.index("Bob"), text.index("Bob") + 3)))
    assert "The great title" in rows.context
    assert "the number" in rows.context
    assert resolve("The great title", rows) is None
    assert resolve("the name | the number", rows) is None


def test_markup_that_was_left_out_lies_inside_the_evidence() -> None:
    text = "<p>One <b>bo</b>ld <i>word</i> is here.</p><p>And<br>more of it.</p>"
    assert found("One bold word is here.", text, "a.html") == ("normalised", "One <b>bo</b>ld <i>word</i> is here.")
    assert found("And more of it.", text, "a.html") == ("normalised", "And<br>more of it.")
    assert found(" is here.", text, "a.html") is not None


@pytest.mark.parametrize(
    ("quote", "unit"),
    [
        ("Rome", "| Rome | 42 |"),  # once in the region
        ("7", "| Bern | 7 |"),
        ("**7**", "| Bern | 7 |"),
        ("Bern", "| Bern | 7 |"),  # twice, and once all of a cell
        ("yes", "- yes"),  # twice, and once all of an item
        ("Notes", "## Notes"),
        ("rained", "It rained in Bern."),
        ("青い", "水は青い。"),
        ("Rome | 42", "| Rome | 42 |"),
        ("no, yes", "- no, yes and no"),
    ],
)
def test_a_short_quote_counts_where_there_is_no_doubt_about_its_unit(quote: str, unit: str) -> None:
    resolved = found(quote, TABLE)
    assert resolved is not None
    assert resolved[1] == unit


@pytest.mark.parametrize("quote", ["42", "no", "it", "水は", "ow", "te", "City |", "es", "2 |"])
def test_a_short_quote_that_could_be_meant_twice_or_cuts_a_word_is_nowhere(quote: str) -> None:
    text = TABLE + "\nCity | of it, and it is so.\n"
    assert found(quote, text) is None


def test_length_alone_makes_no_short_quote_long() -> None:
    text = "One ate it. Two ate it.\n"
    assert found("ate it.", text) is None
    assert found("**ate** it.", text) is None
    assert found("ate \n\n\n    it.", text) is None
    assert len(normalise("**ate** it.").text) < SHORT


def test_a_short_figure_is_not_found_inside_another() -> None:
    for text in ("It was 1942 then.", "It was 3.42 then.", "It was 42,000 then.", "It was -42 then.", "It was 42:10."):
        assert found("42", text) is None
    assert found("42", "It was 42, then.") == ("exact", "It was 42, then.")


@given(texts, st.sampled_from(["a.txt", "a.md"]), st.data())
def test_every_stretch_of_what_is_shown_is_found_verbatim(text: str, name: str, data: st.DataObject) -> None:
    ends = data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))))
    quote = text[min(ends) : max(ends)]
    resolved = resolve(quote, view(text, name))
    form = normalise(quote.strip()).text
    if len(form) >= SHORT and re.search(r"[^\W_]", form):
        assert resolved is not None
        assert resolved.match == "exact"
        place = text[resolved.span.start : resolved.span.end]
        assert quote.strip() in place
        assert place == place.strip()
        if text.count(quote.strip()) == 1:
            at = text.index(quote.strip())
            assert resolved.span.contains(Span(at, at + len(quote.strip())))


def letters(text: str) -> str:
    return "".join(char for char in normalise(text).text if char.isalnum())


@given(texts, texts)
def test_whatever_is_found_is_equal_in_the_compared_form(text: str, quote: str) -> None:
    doc = view(text, "a.html")
    resolved = resolve(quote, doc)
    if resolved is not None:
        place = doc.text[doc.place(resolved.span.start) : doc.place(resolved.span.end)]
        assert letters(quote) in letters(place)
        assert normalise(quote.strip()).text.strip() in normalise(doc.text).text or quote.strip() in doc.text


@given(texts)
@example("\n".join(text for text, _ in FORMS))
def test_the_form_leads_back_to_every_character_it_stands_for(text: str) -> None:
    form = normalise(text)
    assert len(form.text) == len(form.starts) == len(form.ends)
    assert form.starts == sorted(form.starts)
    assert form.ends == sorted(form.ends)
    for char, start, end in zip(form.text, form.starts, form.ends, strict=True):
        assert 0 <= start < end <= len(text)
        if char.isalnum():
            assert char in normalise(text[start:end]).text + "σ"


@given(texts)
def test_composing_accents_changes_no_form(text: str) -> None:
    assert normalise(unicodedata.normalize("NFD", text)).text == normalise(text).text


def prose() -> Iterator[str]:
    """Paragraphs of this repository's own pages."""
    for path in sorted((REPOSITORY / "docs").rglob("*.md")):
        for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
            if len(paragraph) > 200 and paragraph[0].isalpha():
                yield paragraph[:1200]


def check_alterations(paragraphs: list[str], *, controls: int) -> None:
    result = run(paragraphs, ALTERATIONS, controls)
    assert (result["bad"], result["unaltered found"]) == (0, ALTERATIONS)
    assert result["control"]["bad"] > controls // 2, "the alterations would not fool anyone"  # type: ignore[index]


def test_no_altered_quote_from_our_own_pages_is_accepted() -> None:
    check_alterations(list(prose()), controls=60)


def test_no_altered_quote_from_encyclopedia_articles_is_accepted(data_dir: Path) -> None:
    check_alterations(articles(data_dir), controls=60)


def benign(quote: str, number: int) -> str:
    if number % 4 == 0:
        return re.sub(r"\s+", " ", quote)
    if number % 4 == 1:
        return quote.replace(" ", "\n", 1).replace("-", "–").replace('"', "“").replace("'", "’")
    if number % 4 == 2:
        return f"**{' '.join(unicodedata.normalize('NFD', quote).split())}**"
    return quote.upper() if "ß" not in quote else quote


def test_the_same_quotes_copied_carelessly_are_all_found(data_dir: Path) -> None:
    with gzip.open(data_dir / "hotpotqa" / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        bodies = [json.loads(next(lines))["body"][:1200] for _ in range(300)]
    paragraphs = [body for body in bodies if len(body.split()) > 40 and "*" not in body]
    for number, (paragraph, quote, _) in enumerate(alterations(paragraphs, 300)):
        copied = benign(quote, number)
        resolved = resolve(copied, view(paragraph, "a.txt"))
        assert resolved is not None, copied
        place = paragraph[resolved.span.start : resolved.span.end]
        assert normalise(quote).text.strip() in normalise(place).text


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_quotes_and_texts_cost_linear_time(piece: str) -> None:
    long = piece * (80_000 // len(piece))
    small, large = view("Some text is here to be quoted."), view(long, "a.txt")
    begun = time.process_time()
    assert resolve(piece * (1_000_000 // len(piece)), small) is None
    assert resolve("Some text that is not here", large) is None
    resolve(long[:-1] + "x", large)
    resolve(long, large)
    assert time.process_time() - begun < 20  # a guard against hanging: what is not linear takes minutes


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
    "quote", [".. at last it came", ". at last it came", "it went and so on.", "it went and so on..", "so on.. at last"]
)
def test_a_quote_does_not_begin_or_end_within_one_character(quote: str) -> None:
    for text in ("Then it went and so on… at last it came.", "… at last it came. It went and so on…"):
        assert found(quote, text) is None
    assert found("it went and so on... at last", "Then it went and so on… at last it came.") is not None


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


SCANNED = "The lease of thebarn ends on 5 1 May. Rent is 1 250 crowns ayear, and unableto be raised."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("lease of the barn ends", "lease of thebarn ends"),
        ("crowns a year, and unable to be raised", "crowns ayear, and unableto be raised"),
        ("ends on 51 May", None),  # a blank between figures is what parts two numbers
        ("Rent is 1250 crowns", None),
        ("able to be raised", None),
    ],
)
def test_in_text_that_ocr_recognised_blanks_between_letters_do_not_count(quote: str, found: str | None) -> None:
    seen = view(SCANNED, "a.txt")
    assert resolve(quote, seen) is None
    place = resolve(quote, replace(seen, recognised=True))
    assert (place and SCANNED[place.span.start : place.span.end]) == found
    twice = replace(view(f"{SCANNED} {SCANNED}", "a.txt"), recognised=True)
    assert resolve(quote, twice) is None, "nobody knows which of the two is meant"


def test_a_region_of_a_page_that_ocr_recognised_says_so() -> None:
    places = LocatorMap((0, 9), ({"page": 1}, {"page": 2, "by": "ocr"}))
    scan = replace(document("Printed.\nScanned.", "a.txt"), locators=places)
    assert [shown(scan, span).recognised for span in (Span(0, 8), Span(9, 17))] == [False, True]
