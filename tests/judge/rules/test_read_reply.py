"""The reply of a read call: what counts of it, wherever it breaks off, and its answer while it comes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.judge.llm.replies import LONGEST_REPLY, AnswerStream, MalformedReply, parse_read, parse_terms
from lens_lsp.judge.oracle import Answerable, Operand, ReadReply, SaidItem, SaidQuote
from tests.judge.rules.chat_session import reading

REGIONS = {1, 2}
WHOLE = json.loads(
    reading(
        "partly",
        [(1, 'It says "no", twice'), (2, "Größe: 5 \U0001f309")],
        'Zwei Brücken \\ "so" [1]\n\U0001f309 and 5 [2].',
        missing=["who built it"],
        terms=["mason"],
        items=[{"name": "one", "quote": 1}],
    )
)


def parsed(said: object, regions: set[int] = REGIONS) -> ReadReply:
    reply = ReadReply()
    parse_read(said if isinstance(said, str) else json.dumps(said), reply, regions)
    return reply


def test_all_that_was_said_counts() -> None:
    computation = ("a - b", [("a", "Arlen", "210 m", 1), ("b", "Dorn", "180 m", 2)])
    reply = parsed(reading("yes", [(1, "x"), (2, "y")], "Yes [1].", computed=computation, unit="km", short="yes"))
    assert (reply.answerable, reply.answer, reply.short) == (Answerable.YES, "Yes [1].", "yes")
    assert reply.quotes == (SaidQuote(1, 1, "x"), SaidQuote(2, 2, "y"))
    assert reply.computation is not None
    assert reply.computation.operands == (Operand("a", "Arlen", "210 m", 1), Operand("b", "Dorn", "180 m", 2))
    assert (reply.computation.expression, reply.computation.unit) == ("a - b", "km")
    assert not reply.broken_off


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ({"quotes": [{"n": 1, "region": 3, "quote": "x"}]}, {"quotes": ()}),
        ({"quotes": [{"region": 1, "quote": " "}, {"region": 2, "quote": "y"}]}, {"quotes": (SaidQuote(2, 2, "y"),)}),
        ({"quotes": {"n": "2", "region": "region 1", "quote": "x"}}, {"quotes": (SaidQuote(2, 1, "x"),)}),
        ({"quotes": "x"}, {"quotes": ()}),
        ({"items": [{"name": "", "quote": 1}, {"name": "b", "quote": 2}]}, {"items": (SaidItem("b", 2),)}),
        ({"computation": {"values": [], "expression": "1 + 1", "unit": None}}, {"computation": None}),
        ({"computation": "a - b"}, {"computation": None}),
        ({"missing": "the year", "terms": [7, "x", "x", None]}, {"missing": ("the year",), "terms": ("x",)}),
        ({"answer": 5, "short": True}, {"answer": "", "short": None}),
        ({"short": "unknown"}, {"short": None}),
        ({"short": 1931}, {"short": "1931"}),
        ({"answerable": True}, {"answerable": Answerable.YES}),
    ],
)
def test_parts_that_do_not_fit_are_left_out(change: dict[str, Any], left: dict[str, object]) -> None:
    reply = parsed({**WHOLE, **change})
    assert {name: getattr(reply, name) for name in left} == left


@pytest.mark.parametrize("said", ["", "I cannot.", "[]", '{"answer": "x"}', '{"answerable": "perhaps"}', "{" * 9_000])
def test_what_is_no_reply_at_all_is_malformed(said: str) -> None:
    with pytest.raises(MalformedReply):
        parsed(said)


def test_a_reply_without_end_is_malformed() -> None:
    with pytest.raises(MalformedReply):
        parsed(json.dumps({**WHOLE, "answer": "x" * LONGEST_REPLY}))


def test_thoughts_and_fences_are_no_part_of_it() -> None:
    text = f'<think>{{"answerable": "no"}}</think>Sure:\n```json\n{json.dumps(WHOLE)}\n```'
    assert parsed(text).answerable is Answerable.PARTLY


@given(st.integers(0, len(json.dumps(WHOLE)) - 1), st.booleans())
def test_wherever_it_breaks_off_what_came_before_stands(at: int, escaped: bool) -> None:
    text, whole = json.dumps(WHOLE, ensure_ascii=escaped), parsed(WHOLE)
    if at >= len(text):
        return
    try:
        reply = parsed(text[:at])
    except MalformedReply:
        assert '"answerable": "partly",' not in text[:at]
        return
    assert reply.broken_off
    assert whole.quotes[: len(reply.quotes)] == reply.quotes
    assert whole.answer.startswith(reply.answer)
    if '"answer": "Zwei Br' in text[:at]:
        assert len(reply.quotes) == 2
        assert reply.answer


@given(st.lists(st.integers(1, 400), max_size=20), st.booleans())
def test_the_answer_streams_alike_however_it_is_cut(cuts: list[int], escaped: bool) -> None:
    direct = {**WHOLE, "items": []}
    text, stream, at, words = json.dumps(direct, ensure_ascii=escaped), AnswerStream(), 0, ""
    for cut in [*cuts, len(text)]:
        words += stream.feed(text[at : at + cut])
        at += cut
    assert words == re.sub(r" \[\d\]", "", WHOLE["answer"])  # what markers point at is not known yet


def test_an_escaped_backslash_at_the_end_of_a_piece_is_whole() -> None:
    text, stream = json.dumps({**WHOLE, "items": []}), AnswerStream()
    at = text.index("\\\\") + 2
    words = stream.feed(text[:at])
    assert words.endswith("cken \\")
    assert words + stream.feed(text[at:]) == re.sub(r" \[\d\]", "", WHOLE["answer"])


@pytest.mark.parametrize(
    ("change", "streams"),
    [
        ({"items": []}, True),
        ({"items": [], "answerable": "yes"}, True),
        ({}, False),
        ({"items": [], "answerable": "no"}, False),
        ({"items": [], "computation": {"values": [], "expression": "a", "unit": None}}, False),
    ],
)
def test_nothing_streams_of_a_no_a_list_and_of_what_is_to_be_computed(change: dict[str, object], streams: bool) -> None:
    stream = AnswerStream()
    assert bool("".join(map(stream.feed, json.dumps({**WHOLE, **change})))) is streams


def test_other_words_are_terms_and_nothing_else() -> None:
    assert parse_terms('Sure: {"terms": ["ponts", "", 7, "viaduct"]}') == ("ponts", "viaduct")
    assert parse_terms('{"terms": null}') == ()
    with pytest.raises(MalformedReply):
        parse_terms("none")
