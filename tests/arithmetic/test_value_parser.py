"""Values found in prose, and lines that hold one that meets a condition."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lens_lsp.arithmetic.typed_values import Value, ValueKind, show
from lens_lsp.arithmetic.value_parser import find_values, meets
from lens_lsp.model.plan import Condition


def told(text: str) -> list[tuple[str, str]]:
    """What was written and what it was read as."""
    return [(text[value.span.start : value.span.end], read(value)) for value in find_values(text) if value.span]


def read(value: Value) -> str:
    if value.kind is ValueKind.DATE:
        return str(value.date)
    if value.kind is ValueKind.TIME:
        return show(value)
    number = f"{value.magnitude}" if value.magnitude.denominator < 1000 else f"{float(value.magnitude)}"
    row = "#" if value.unit.dimension.value == "place in a row" else ""
    return f"{'~' if value.approximate else ''}{row}{number} {value.unit.symbol}".strip()


PROSE = [
    # units
    ("The trail is 12.5 km long.", [("12.5 km", "25/2 km")]),
    ("It weighs 2,5 kg.", [("2,5 kg", "5/2 kg")]),
    ("A 5-year plan and a 20-minute walk.", [("5-year", "5 year"), ("20-minute", "20 min")]),
    ("Write at 100MB/s or 800 Mbit/s.", [("100MB/s", "100 MB/s"), ("800 Mbit/s", "800 Mbit/s")]),
    ("64 KiB, not 64 KB", [("64 KiB", "64 KiB"), ("64 KB", "64 kB")]),
    ("5 m², 5 m2, 10 sq ft, 3 cubic metres", [
        ("5 m²", "5 m²"), ("5 m2", "5 m²"), ("10 sq ft", "10 ft²"), ("3 cubic metres", "3 m³")]),
    ("60 miles per hour is 96.56 km/h", [("60 miles per hour", "60 mph"), ("96.56 km/h", "2414/25 km/h")]),
    ("It froze at -5 °C, −5°C and –5 ℃.", [("-5 °C", "-5 °C"), ("−5°C", "-5 °C"), ("–5 ℃", "-5 °C")]),
    ("451 degrees Fahrenheit; 300 K; an angle of 90°", [
        ("451 degrees Fahrenheit", "451 °F"), ("300 K", "300 K"), ("90°", "90 °")]),
    ("5 in the box, 5 in.", [("5", "5"), ("5 in", "5 in")]),
    ("a timeout of 120s", [("120s", "120 s")]),
    ("732 long tons, 2000 Calories", [("732 long tons", "732 long ton"), ("2000 Calories", "2000 kcal")]),
    ("12 V and 3 A", [("12 V", "12 V"), ("3 A", "3 A")]),
    ("runs 5 km/day and costs $5 per month", [("5 km/day", "5 km per day"), ("$5 per month", "5 USD per month")]),
    ("about 12\nkilometres away", [("12\nkilometres", "~12 km")]),
    # percentages
    ("20%, 20 %, 20 percent, 20 per cent, 5‰", [
        ("20%", "20 %"), ("20 %", "20 %"), ("20 percent", "20 %"), ("20 per cent", "20 %"), ("5‰", "5 ‰")]),
    ("rose by 7 percentage points or 25 basis points", [
        ("7 percentage points", "7 percentage point"), ("25 basis points", "25 basis point")]),
    # money
    ("$2.5 million, €1.234,56, £3bn, ¥500", [
        ("$2.5 million", "2500000 USD"), ("€1.234,56", "30864/25 EUR"), ("£3bn", "3000000000 GBP"),
        ("¥500", "500 JPY")]),
    ("5 EUR, USD 20, 20 dollars, -$3.50, US$4", [
        ("5 EUR", "5 EUR"), ("USD 20", "20 USD"), ("20 dollars", "20 USD"), ("-$3.50", "-7/2 USD"),
        ("US$4", "4 USD")]),
    # separators
    ("1,234,567 and 1 234 567 and 1 234 567", [
        ("1,234,567", "1234567"), ("1 234 567", "1234567"), ("1 234 567", "1234567")]),
    ("1.234.567,8 or 1'234'567 or 1_234_567 or 12,34,567", [
        ("1.234.567,8", "6172839/5"), ("1'234'567", "1234567"), ("1_234_567", "1234567"), ("12,34,567", "1234567")]),
    ("1.234 is a decimal, 1,234 is not, 0,234 is", [
        ("1.234", "617/500"), ("1,234", "1234"), ("0,234", "117/500")]),
    ("1,2,3 and 2015,2016", [("1", "1"), ("2", "2"), ("3", "3"), ("2015", "2015"), ("2016", "2016")]),
    # other numbers
    ("6.02×10^23, 1e5, 1.5e-3, 3 × 10⁸", [
        ("6.02×10^23", str(602 * 10**21)), ("1e5", "100000"), ("1.5e-3", "0.0015"), ("3 × 10⁸", "300000000")]),
    ("2½ cups, 3 1/2 cups, 3/4 of it, ¾", [
        ("2½ cups", "5/2 cup"), ("3 1/2 cups", "7/2 cup"), ("3/4", "3/4"), ("¾", "3/4")]),
    ("2.5 million, 3 thousand, 5k, 5 dozen eggs", [
        ("2.5 million", "2500000"), ("3 thousand", "3000"), ("5k", "5000"), ("5 dozen eggs", "60 egg")]),
    ("(-3), .5, -.5, +4", [("-3", "-3"), (".5", "1/2"), (".5", "1/2"), ("+4", "4")]),
    ("３０００人 and １２．５ km", [("３０００人", "3000 人"), ("１２．５ km", "25/2 km")]),
    # words
    ("twenty-three people and a dozen eggs", [("twenty-three people", "23 person"), ("a dozen eggs", "12 egg")]),
    ("two hundred and five, three thousand and six", [
        ("two hundred and five", "205"), ("three thousand and six", "3006")]),
    ("two and a half hours, half an hour, half of them", [
        ("two and a half hours", "5/2 h"), ("half an hour", "1/2 h"), ("half", "1/2")]),
    ("half a million users, two-thirds of it, a quarter of a mile", [
        ("half a million users", "500000 user"), ("two-thirds", "2/3"), ("a quarter of a mile", "1/4 mi")]),
    ("One day, one chapter; seven", [("One day", "1 day"), ("one chapter", "1 chapter"), ("seven", "7")]),
    # counts
    ("300 pages in 12 new chapters by 4 people", [
        ("300 pages", "300 page"), ("12 new chapters", "12 chapter"), ("4 people", "4 person")]),
    ("**42** km, `15` chapters, _7_ boxes", [
        ("42** km", "42 km"), ("15` chapters", "15 chapter"), ("7_ boxes", "7 box")]),
    # rows
    ("chapter 12, the 3rd chapter, No. 5, the second act", [
        ("12", "#12 chapter"), ("3rd chapter", "#3 chapter"), ("5", "#5"), ("second act", "#2 act")]),
    ("the first five, the third highest peak, the 2nd State Senate", [
        ("first", "#1"), ("five", "5"), ("third", "#3"), ("2nd", "#2")]),
    ("pages 20-28; two people's names", [("20", "#20 page"), ("28", "#28 page"), ("two people", "2 person")]),
    # approximate
    ("> 1 cat, speeds > 5 km, (>6), <b>7</b>", [("1 cat", "1 cat"), ("5 km", "~5 km"), ("6", "~6"), ("7", "7")]),
    ("about 500 people, ~5 GB, at least 3 kg, 500+ pages, ≈ 7", [
        ("500 people", "~500 person"), ("5 GB", "~5 GB"), ("3 kg", "~3 kg"), ("500+ pages", "~500 page"), ("7", "~7")]),
    # ranges and sums
    ("10–20 km, 2 to 3 million people, $5–10", [
        ("10", "10 km"), ("20 km", "20 km"), ("2", "2000000 person"), ("3 million people", "3000000 person"),
        ("$5", "5 USD"), ("10", "10 USD")]),
    ("between 10 and 20 km; 3 and 20 km", [("10", "10 km"), ("20 km", "20 km"), ("3", "3"), ("20 km", "20 km")]),
    ("2 h 30 min, 5 ft 11 in, 2 years and 3 months", [
        ("2 h 30 min", "5/2 h"), ("5 ft 11 in", "71/12 ft"), ("2 years and 3 months", "9/4 year")]),
    ("10km-20km or 5kg - 6kg", [("10km", "10 km"), ("20km", "20 km"), ("5kg", "5 kg"), ("6kg", "6 kg")]),
    ("30 minutes and 2 hours", [("30 minutes", "30 min"), ("2 hours", "2 h")]),
    # years
    ("In 2015 it had 2015 pages.", [("2015", "2015"), ("2015 pages", "2015 page")]),
    ("the 2015 elections, since 1998 users", [("2015", "2015"), ("1998", "1998")]),
    ("the 1900 and 1924 Summer Olympics", [("1900", "1900"), ("1924", "1924")]),
    ("840,000 in 2008", [("840,000", "840000"), ("2008", "2008")]),
    ("1914–18 and 1939–1945", [("1914", "1914"), ("18", "1918"), ("1939", "1939"), ("1945", "1945")]),
    ("1500–2000 pages", [("1500", "1500 page"), ("2000 pages", "2000 page")]),
    ("999 and 2101 and 1,500", [("999", "999"), ("2101", "2101"), ("1,500", "1500")]),
    ("mid-2015, pre-1990", [("2015", "2015"), ("1990", "1990")]),
    # times of day
    ("at 14:30, 2:30 pm, 5 p.m., 14:30:15", [
        ("14:30", "14:30"), ("2:30 pm", "14:30"), ("5 p.m.", "17:00"), ("14:30:15", "14:30:15")]),
    # East Asian
    ("120万人, 3.5億円, 5公里, 3年間", [
        ("120万人", "1200000 人"), ("3.5億円", "350000000 JPY"), ("5公里", "5 km"), ("3年間", "3 year")]),
]  # fmt: skip
DATES = [
    ("2015-03-23", "2015-03-23"),
    ("2015-03-23T14:30:00Z", "2015-03-23"),
    ("2015/3/23", "2015-03-23"),
    ("2015.03.23", "2015-03-23"),
    ("2015-03", "2015-03"),
    ("23 March 2015", "2015-03-23"),
    ("23rd of March, 2015", "2015-03-23"),
    ("March 23, 2015", "2015-03-23"),
    ("March 23rd, 2015", "2015-03-23"),
    ("Sept. 3, 2015", "2015-09-03"),
    ("23-Mar-2015", "2015-03-23"),
    ("March 2015", "2015-03"),
    ("23\nMarch 2015", "2015-03-23"),
    ("23.03.2015", "2015-03-23"),
    ("3.4.2015", "2015-04-03"),
    ("25/12/2015", "2015-12-25"),
    ("12/25/2015", "2015-12-25"),
    ("03/04/2015", "2015"),
    ("23. März 2015", "2015-03-23"),
    ("März 2015", "2015-03"),
    ("23 mars 2015", "2015-03-23"),
    ("1er janvier 2015", "2015-01-01"),
    ("août 2015", "2015-08"),
    ("23 de marzo de 2015", "2015-03-23"),
    ("enero de 2015", "2015-01"),
    ("23 марта 2015", "2015-03-23"),
    ("март 2015", "2015-03"),
    ("2015年3月23日", "2015-03-23"),
    ("2015年3月", "2015-03"),
    ("2015年", "2015"),
    ("2015년 3월 23일", "2015-03-23"),
    ("AD 79", "0079"),
    ("79 AD", "0079"),
    ("**23 March 2015**", "2015-03-23"),
]
NOTHING = [
    "RFC 2005, PEP 8, ISO 8601 and CVE-2021-44228",
    "E0382, u8, x86_64, i32, utf-8, GPT-4 and sha256",
    "0x1F, 0b1010, 3f2a, 550e8400-e29b-41d4-a716-446655440000",
    "1.2.3, v1.2, version 1.70, Rust 2021 edition, 2021-edition, 1.2.3-beta.4",
    "192.168.1.1 and 10.0.0.255:8080",
    "3D, 2.x, 5.txt, 2^32, 16:9, 24/7",
    "978-3-16-148410-0 and 12-34-5678",
    "https://example.org/2015/03/23 and www.example.org/5",
    "as shown [12], see[^3]",
    "Listing 20-28 and figure 3-1",
    "#123, @5, src/5/main.rs:10:4",
    "we wrote it with Python 3 and Windows 11 in mind",
    "the 430s, late 540s, zone 7A, K.K., 2A",
    "the 1990s, the 90s, 44 BC, on March 23, 5 May, 3月23日",
    "no one, this one, one of them, a chapter",
    "notes_2015_v2, foo.5, C++11",
    "1" * 60,
    ",".join("1" * 60),
    "it may march on, and then some",
    "2015-13-45-99",
    "",
]


@pytest.mark.parametrize(("text", "expected"), PROSE, ids=[text[:40] for text, _ in PROSE])
def test_values_are_read_as_written(text: str, expected: list[tuple[str, str]]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(("written", "date"), DATES, ids=[written for written, _ in DATES])
def test_a_date_is_read_in_a_sentence(written: str, date: str) -> None:
    text = f"It was on {written}, they say."
    (value,) = find_values(text)
    assert str(value.date) == date
    assert value.span is not None
    assert text[value.span.start : value.span.end] == written.strip("*")


@pytest.mark.parametrize("text", NOTHING, ids=[text[:40] for text in NOTHING])
def test_what_is_no_value_is_left_alone(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "other"),
    [("1.234", 1234), ("1,234", Fraction("1.234")), ("1,234,567", None), ("12.5", None), ("0.125", None)],
)
def test_the_other_reading_of_an_ambiguous_number_is_kept(text: str, other: Fraction | int | None) -> None:
    (value,) = find_values(text)
    assert value.other == other


@pytest.mark.parametrize(
    ("text", "step"),
    [("2.5 million", 100_000), ("12", 1), ("3.14", Fraction(1, 100)), ("1e3", 1000), ("about 5 km", 1)],
)
def test_the_worth_of_the_last_digit_is_kept(text: str, step: Fraction | int) -> None:
    (value,) = find_values(text)
    assert value.step == step


def check_spans(text: str) -> None:
    spans = [value.span for value in find_values(text)]
    assert all(span is not None and 0 <= span.start < span.end <= len(text) for span in spans)
    assert all(a is not None and b is not None and a.end <= b.start for a, b in pairwise(spans))


@given(st.text(max_size=80))
@example("5 EUR 10")
@example("\u0661\u06f2")
@example("half a")
@example("AD 0")
@example("32 May 2015")
def test_any_text_is_read_without_an_error_and_spans_are_in_order(text: str) -> None:
    check_spans(text)


PIECES = [
    "1", "12", "2015", "0", "007", ",", ".", "'", "_", "-", "–", "/", ":", "^", "%", "°C", "$", "€", "EUR", " ", " ",
    " ", "\n", "km", "h", "min", "m", "of", "and", "a", "half", "twenty", "hundred", "thousand", "one", "March", "may",
    "AD", "BC", "pm", "million", "万", "年", "月", "日", "人", "½", "e5", "×10^", "10⁸", "*", "`", "chapter",
    "chapters", "No.", "about", "~", "to", "between", "per", "+", "(", ")", "[", "]", "#", "th", "st", "x", "v", "the",
    "²",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_pieces_of_values_are_read_without_an_error_and_spans_are_in_order(text: str) -> None:
    check_spans(text)


@given(st.text(max_size=40), st.sampled_from([text for text, _ in PROSE]))
def test_a_line_reads_the_same_after_another_paragraph(before: str, text: str) -> None:
    prefix = f"{before}.\n\n"
    tail = [pair for value, pair in zip(find_values(prefix + text), told(prefix + text), strict=True)
            if value.span is not None and value.span.start >= len(prefix)]  # fmt: skip
    assert tail == told(text)


@pytest.mark.long
@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "1,",
        "1.",
        "1-",
        "1/",
        "1_",
        "1'",
        "1e5",
        "a ",
        "one ",
        "hundred and ",
        "$",
        "_",
        "5 km ",
        "May ",
        "年",
        "1 234 ",
    ],
)
def test_reading_takes_time_in_proportion_to_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        started = time.process_time()
        find_values(text)
        return time.process_time() - started

    short, long = (min(seconds(size) for _ in range(3)) for size in (10_000, 50_000))
    assert long < 5 * 3 * short + 0.05


@pytest.mark.parametrize("unit", ["1", "1,", "12.", "1'", "1-2-"])
def test_a_megabyte_of_digits_in_one_line_is_no_trouble(unit: str) -> None:
    started = time.process_time()
    assert find_values(unit * (1_000_000 // len(unit))) == ()
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("relation", "wanted", "line", "expected"),
    [
        ("in", "March 2015", "- Start Date: 2015-03-24", True),
        ("in", "March 2015", "- Start Date: 2015-04-01", False),
        ("in", "March 2015", "- Start Date: 2015", False),
        ("in", "2015", "signed on 3 May 2015", True),
        ("<", "2016", "written 2015-12-31", True),
        ("<", "2016", "written 2016-01-01", False),
        (">", "2015-03-24", "changed in April 2015", True),
        (">", "2015-03-24", "changed in March 2015", False),
        (">", "3 GB", "it needs 4096 MB of memory", True),
        (">", "3 GB", "it needs 3 GB of memory", False),
        (">=", "3 GB", "it needs 3 GB of memory", True),
        ("<", "10", "10 of them, or 9", True),
        ("=", "12", "a dozen eggs", True),
        ("=", "12", "eleven eggs", False),
        (">", "3 GB", "it takes 5 minutes", False),
        (">", "nothing", "5 minutes", False),
        (">", "2015", "no value here", False),
        (">", "2,000", "sold: 2050", True),
        (">", "2,000", "sold: 1950", False),
        (">", "2,000", "3,100 sold", True),
        (">", "2,000", "opened in 2015", False),
        (">", "2,000", "opened on 3 May 2015", False),
        (">", "2,000", "Harrow | 12.5% | $2,500.00", True),
        (">", "2,000", "Baler | 12.5% | $1,999.99", False),
        ("<", "2,000", "Baler | 1.999,99 €", True),
        (">", "$2,000", "Harrow | 2,500.00", False),
        (">", "2,000", "Road of 2,500 km", False),
        (">", "10", "9 of them, opened 2015", False),
    ],
)
def test_a_condition_is_met_when_some_value_of_the_line_meets_it(
    relation: str, wanted: str, line: str, expected: bool
) -> None:
    assert meets(Condition(relation, wanted), line, "") is expected


@pytest.mark.parametrize(
    ("wanted", "line", "context", "expected"),
    [
        ("March 2015", "- bought a tent", "Diary\nMarch 2015", True),
        ("March 2015", "- bought a tent", "2015-03-14.md", True),
        ("March 2015", "- bought a tent", "march 2015", True),
        ("March 2015", "- bought a tent", "2015-04-01.md", False),
        ("March 2015", "- bought a tent on 2015-04-01", "2015-03-14.md", False),
        ("3 GB", "- bought a tent", "3 GB", False),
    ],
)
def test_a_line_without_a_date_is_as_old_as_what_stands_above_it(
    wanted: str, line: str, context: str, expected: bool
) -> None:
    assert meets(Condition("in", wanted), line, context) is expected
