"""What goes through the pipes: all of a text comes over as it was, and of a liar's reply nothing is taken."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.documents import frames
from lens_lsp.documents.frames import (
    Damaged,
    bounded,
    extracted_from,
    failure_from,
    glances_from,
    receive,
    result_of,
    send,
    strings_in,
    view_from,
)
from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.model.documents import Block, BlockKind, Head, Heading, LocatorMap, Structure
from lens_lsp.model.text import Span

WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cf", "Co", "Zl", "Zp")), max_size=30)
SIZES = struct.Struct(">II")
GOOD = Extracted(
    "Größe 😀\n\nName | Age\nAnn | 7",
    LocatorMap((0, 9, 20, 26), ({"page": 1}, {"sheet": "S", "cell": "A1"}, {"sheet": "S", "cell": "A2"}, {})),
    Structure(
        Head("Title", ("alias",), ("tag",), "What it says"),
        (Heading(Span(0, 7), 1, "Größe 😀"),),
        (
            Block(BlockKind.HEADING, Span(0, 7)),
            Block(BlockKind.TABLE_ROW, Span(9, 19)),
            Block(BlockKind.TABLE_ROW, Span(20, 27), Span(9, 19)),
        ),
        hidden=(Span(0, 1),),
    ),
    ("some of it is hidden",),
    pages=(3, 7),
    pictures=2,
)


def through_a_pipe(head: dict[str, Any], body: bytes, most: int = 1 << 20) -> tuple[dict[str, Any], bytes]:
    pipe = io.BytesIO()
    send(pipe, head, body)
    pipe.seek(0)
    return receive(pipe, most)


def reply(extracted: Extracted = GOOD, **changed: object) -> tuple[dict[str, Any], bytes]:
    head, body = through_a_pipe(*result_of(extracted))
    return {**head, **changed}, body


@st.composite
def documents(draw: st.DrawFn) -> Extracted:
    paragraphs = draw(st.lists(st.text(st.characters(blacklist_categories=("Cs",)), max_size=20), max_size=8))
    text, blocks, headings, starts = "", [], [], []
    for paragraph in paragraphs:
        span = Span(len(text), len(text) + len(paragraph))
        blocks.append(Block(draw(st.sampled_from(BlockKind)), span, blocks[0].span if blocks else None))
        if draw(st.booleans()):
            headings.append(Heading(span, draw(st.integers(1, 9)), draw(WORDS)))
        starts.append(span.start)
        text += paragraph + "\n\n"
    values = st.one_of(st.integers(-(2**53), 2**53), WORDS)
    locators = [draw(st.dictionaries(st.sampled_from(["page", "sheet", "cell"]), values)) for _ in starts]
    head = Head(draw(st.none() | WORDS), (), tuple(draw(st.lists(WORDS, max_size=3))), draw(st.none() | WORDS))
    structure = Structure(head, tuple(headings), tuple(blocks))
    return Extracted(text, LocatorMap(tuple(starts), tuple(locators)), structure, tuple(draw(st.lists(WORDS))))


@given(documents())
def test_a_text_comes_over_as_it_was(extracted: Extracted) -> None:
    # A span that begins and ends at nothing is no header.
    assert extracted_from(*reply(extracted)) == without_empty_headers(extracted)


def without_empty_headers(extracted: Extracted) -> Extracted:
    blocks = [
        Block(block.kind, block.span, block.header if block.header and block.header.end else None)
        for block in extracted.structure.blocks
    ]
    structure = Structure(extracted.structure.head, extracted.structure.headings, tuple(blocks))
    return Extracted(extracted.text, extracted.locators, structure, extracted.notices)


def test_every_field_comes_over() -> None:
    assert extracted_from(*reply()) == GOOD


LIES: list[dict[str, object]] = [
    {"blocks": [0, 7, 9, 19, 20, 28]},
    {"blocks": [0, 7, 9, 21, 20, 27]},
    {"blocks": [7, 0, 9, 19, 20, 27]},
    {"blocks": [-1, 7, 9, 19, 20, 27]},
    {"blocks": [0, 7, 9, 19, 20]},
    {"blocks": [0, 7]},
    {"blocks": [0, 7, 9, 19, 20, 27.0]},
    {"blocks": [False, 7, 9, 19, 20, 27]},
    {"blocks": None},
    {"headers": [0, 0, 0, 0, 9, 24]},
    {"headers": [0, 0, 0, 0, 9, 900]},
    {"kinds": ["heading", "table-row", "script"]},
    {"kinds": ["heading"]},
    {"kinds": [["heading"], {}, 1]},
    {"headings": [0, 99]},
    {"levels": [0]},
    {"levels": [1, 1]},
    {"levels": [10**6]},
    {"words": ["x" * 2001]},
    {"words": ["\x1b]52;c;\x07"]},
    {"words": [1]},
    {"title": "x" * 2001},
    {"title": "\u202egnp.exe"},
    {"title": "\ud800"},
    {"title": ["x"]},
    {"description": "x" * 100_001},
    {"tags": ["x"] * 1001},
    {"notices": "not a list"},
    {"hidden": [0, 28]},
    {"starts": [0, 9, 20, 28]},
    {"starts": [0, 9, 9, 20]},
    {"starts": [-1, 9, 20, 26]},
    {"starts": [0, 9, 20]},
    {"starts": [0, 9, 20, 26, 27]},
    {"shapes": [["page"], ["sheet", "cell"]]},
    {"shapes": [["page", "a", "b", "c", "d"], ["sheet", "cell"], []]},
    {"shapes": [["__class__"], ["sheet", "cell"], []]},
    {"shapes": [[1], ["sheet", "cell"], []]},
    {"shapes": 7},
    {"places": [0, 1, 1, "S", "A1", 1, "S", "A2", 9]},
    {"places": [0, 1, 1, "S", "A1", 1, "S", "A2", -1]},
    {"places": [0, 1, 1, "S", "A1", 1, "S", "A2", 2, 2]},
    {"places": [0, 2**54, 1, "S", "A1", 1, "S", "A2", 2]},
    {"places": [0, 1.5, 1, "S", "A1", 1, "S", "A2", 2]},
    {"places": [0, None, 1, "S", "A1", 1, "S", "A2", 2]},
    {"places": [0, True, 1, "S", "A1", 1, "S", "A2", 2]},
    {"places": [0, ["x"], 1, "S", "A1", 1, "S", "A2", 2]},
    {"places": [0, 1, 1, "S" * 2001, "A1", 1, "S", "A2", 2]},
    {"pages": [7, 3]},
    {"pages": [0]},
    {"pages": [1, 2**54]},
    {"pages": ["3"]},
    {"pages": 3},
    {"pictures": -1},
    {"pictures": True},
    {"pictures": 2**54},
]


@pytest.mark.parametrize("lie", LIES, ids=str)
def test_of_a_reply_that_is_not_in_order_nothing_is_taken(lie: dict[str, object]) -> None:
    with pytest.raises(Damaged):
        extracted_from(*reply(**lie))


@pytest.mark.parametrize("name", list(reply()[0]))
def test_a_reply_that_lacks_something_is_none(name: str) -> None:
    head, body = reply()
    del head[name]
    with pytest.raises(Damaged):
        extracted_from(head, body)


def test_a_text_that_is_no_utf_8_is_none() -> None:
    head, _ = reply()
    for body in (b"\xff", b"\xed\xa0\x80", b"\xc0\x80"):
        with pytest.raises(Damaged):
            extracted_from(head, body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(list(reply()[0])), JSON, min_size=1), st.binary(max_size=40))
def test_whatever_else_is_said_there_is_a_text_in_order_or_none(lie: dict[str, object], body: bytes) -> None:
    head, good = reply(**lie)
    for each in (body, good):
        try:
            extracted = extracted_from(head, each)
        except Damaged:
            continue
        assert all(block.span.end <= len(extracted.text) for block in extracted.structure.blocks)
        assert all(start <= len(extracted.text) for start in extracted.locators.starts)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\0\0\0",
        SIZES.pack(2, 5) + b"{}" + b"four",
        SIZES.pack(10, 0) + b"{}",
        SIZES.pack(2, 0) + b"[]",
        SIZES.pack(4, 0) + b"null",
        SIZES.pack(2, 0) + b"\xff\xfe",
        SIZES.pack(8, 0) + b"{'a': 1}",
        SIZES.pack(frames.MOST_HEAD + 1, 0),
        SIZES.pack(2, (1 << 20) + 1) + b"{}",
        SIZES.pack(2**32 - 1, 2**32 - 1),
        SIZES.pack(200_006, 0) + b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        SIZES.pack(5_000_009, 0) + b'{"a":[' + b"{},".ljust(3) * 1_666_667 + b"0]}",
        SIZES.pack(5_005, 0) + b"{" + b"1" * 5_004,
    ],
    ids=lambda frame: repr(frame[:20]),
)
def test_what_is_no_frame_is_not_waited_for_or_kept(frame: bytes) -> None:
    with pytest.raises(Damaged):
        receive(io.BytesIO(frame), 1 << 20)


def test_a_head_may_have_as_many_lists_as_a_document_needs() -> None:
    head = {"words": ["[1] [2]"] * 1000}
    assert through_a_pipe(head, b"x") == (head, b"x")


def test_a_failure_is_one_of_those_that_there_are() -> None:
    assert failure_from({"kinds": []}) is None
    told = failure_from({"failure": "encrypted", "detail": "a\nb\x1b[0m"})
    assert told is not None
    assert (told.failure, told.detail) == (Failure.ENCRYPTED, "a b")
    for lie in ({"failure": "boom"}, {"failure": None}, {"failure": ["broken"]}, {"failure": "broken", "detail": 1}):
        with pytest.raises(Damaged):
            failure_from(lie)


def test_an_honest_readers_long_words_are_cut_and_lone_surrogates_replaced() -> None:
    long = Extracted(
        "a\ud800b",
        LocatorMap((0,), ({"sheet": "s" * 5000},)),
        Structure(Head("t\x07" * 3000, (), ("g",) * 2000, "d" * 200_000), (Heading(Span(0, 1), 1, "w" * 3000),)),
        ("n" * 5000,) * 1500,
    )
    taken = extracted_from(*reply(long))
    assert taken.text == "a?b"
    assert len(taken.structure.head.title or "") <= 2000
    assert (len(taken.structure.head.tags), len(taken.notices)) == (1000, 1000)
    assert len(str(taken.locators.locators[0]["sheet"])) == 2000


def test_more_text_than_is_carried_is_a_failure() -> None:
    with pytest.raises(Unextracted) as raised:
        result_of(Extracted("x" * (frames.MOST_TEXT + 1)))
    assert raised.value.failure is Failure.TOO_LARGE


def test_of_too_many_places_the_first_are_kept_and_a_notice_says_so() -> None:
    most, count = 100, 110
    starts = tuple(range(0, 3 * count, 3))
    blocks = tuple(Block(BlockKind.PARAGRAPH, Span(start, start + 1)) for start in starts)
    whole = Extracted("x\n\n" * count, LocatorMap(starts, ({"page": 1},) * count), Structure(blocks=blocks))
    cut = bounded(whole, most)
    assert len(cut.structure.blocks) == len(cut.locators.starts) == most
    assert len(cut.text) == cut.structure.blocks[-1].span.end
    assert cut.notices == (f"only the first {len(cut.text):,} characters were read",)


def test_a_text_of_many_places_and_no_blocks_ends_at_the_last_place() -> None:
    whole = Extracted("x" * 20, LocatorMap(tuple(range(20)), ({"page": 1},) * 20))
    assert bounded(whole, 10).text == "x" * 10


def test_what_is_within_bounds_is_left_as_it_is() -> None:
    assert bounded(GOOD) is GOOD


def test_a_head_is_ascii_whatever_is_in_it() -> None:
    pipe = io.BytesIO()
    send(pipe, {"words": ["\ud800ü"]}, b"")
    assert json.loads(pipe.getvalue()[SIZES.size :].decode("ascii")) == {"words": ["\ud800ü"]}


@pytest.mark.parametrize("marks", [None, True, "3", -1, 1.0, 1 << 40])
def test_a_view_whose_marks_are_no_number_is_none(marks: object) -> None:
    assert view_from({"marks": 3}, frames.PNG + b"x").marks == 3
    with pytest.raises(Damaged, match="a view that is none"):
        view_from({"marks": marks}, frames.PNG + b"x")


@pytest.mark.parametrize("body", [b"", b"GIF89a", frames.PNG[1:], b"x" + frames.PNG])
def test_a_view_that_is_no_picture_is_none(body: bytes) -> None:
    with pytest.raises(Damaged, match="a view that is none"):
        view_from({"marks": 0}, body)


@pytest.mark.parametrize(
    "said", [None, "ab", {}, ["one"], ["one", "two", "three"], ["one", 2], ["one", "x" * (frames.MOST_GLANCED + 1)]]
)
def test_what_documents_say_of_themselves_is_as_much_as_was_asked_for(said: object) -> None:
    longest = "x" * frames.MOST_GLANCED
    assert glances_from({"said": ["one", longest]}, 2) == ("one", longest)
    with pytest.raises(Damaged):
        glances_from({"said": said}, 2)


def test_words_of_a_head_are_a_list_or_none() -> None:
    assert strings_in({"words": ["a", 3, None, "b", "a"]}, "words") == {"a", "b"}
    assert strings_in({"words": "ab"}, "words") == strings_in({}, "words") == frozenset()


def test_more_blocks_than_a_text_may_have_are_refused() -> None:
    many = frames.MOST_PLACES + 1
    lie = {"blocks": [0, 0] * many, "headers": [0, 0] * many, "kinds": ["paragraph"] * many}
    with pytest.raises(Damaged, match="too many blocks"):
        extracted_from(*reply(**lie))
