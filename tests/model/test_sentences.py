"""Sentences: what ends one and what does not, in any language, in linear time."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.model.sentences import breaks, sentences, trim
from lens_lsp.model.shown import tokens
from lens_lsp.model.text import Span


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text, Span(0, len(text)))]


@pytest.mark.parametrize(
    "parts",
    [
        ["It rained.", "Nobody came!", "Why?", "The end…", "So it was."],
        ["She said “No.”", "He left (at last).", "**Bold.**", "_Marked._", "Then on."],
        ["A claim.[1]", "Another.[^note]", "A <b>third.</b>", "A fourth."],
        ["What?!", "Really..."],
        ["Backed by J. P. Morgan and Mrs T. R. P. Hole.", "So it was."],
        ["See Brown v. Board and W. A. Sullivan.", "See Vol. IV.", "See more."],
        ["He signed 'R. Wilfer' (max. 6.5 m) etc. -- would he?", "Yes."],
        ["In 1995.", "The year after."],
        ["It ran v1.2.", "Then v2 came."],
        ["He lives in the U.S.", "The law there is old."],
        ["東京です。", "大阪は？", "「はい。」", "そう！", "終わり"],
        ["यह है।", "वह भी है।"],
        ["هل هذا؟", "نعم."],
        ["One stands here\n\n", "two after a blank line"],
        ["One stands here\r\n\r\n", "two after a blank line"],
    ],
)
def test_sentences_end_where_a_reader_ends_them(parts: list[str]) -> None:
    gap = "" if parts[0][0] == "東" else " "
    assert split(gap.join(parts)) == [part.strip() for part in parts]
    assert split(f"\n{gap}".join(parts)) == [part.strip() for part in parts]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith met Mrs. Jones, e.g. on Mondays, i.e. Tuesdays.",
        "J. R. R. Tolkien served in the U.S. Army with A. Einstein.",
        "It costs 3.5 million, see Fig. 2, No. 5 and pp. 10 ff. of v1.2 at example.com/a.b now.",
        "Warner Bros. Pictures and Acme Inc. Holdings vs. Smith et al. agreed.",
        "Use approx. five of them etc. before noon at 5 p.m. sharp.",
        "1. First do it",
        "a. Second do it",
        "“Why?” he asked, “why not?” she said.",
        "The file a.b.c has... nothing in it",
        "the line goes\non here, without\r\nan end",
        "全角１．５です",
    ],
)
def test_other_full_stops_end_nothing(text: str) -> None:
    assert split(text) == [text]


def test_only_the_stretch_asked_for_is_split() -> None:
    text = "One is here. Two is here. Three is here."
    assert [text[s.start : s.end] for s in sentences(text, Span(4, 20))] == ["is here.", "Two is"]
    assert sentences(text, Span(12, 13)) == []
    assert sentences("", Span(0, 0)) == []


TEXT = st.text(st.sampled_from("abAB1 .!?…。\n\r\t\"')]*<>[^é東"), max_size=60)


@given(TEXT, st.data())
def test_sentences_are_in_order_apart_trimmed_and_leave_out_nothing_but_blanks(text: str, data: st.DataObject) -> None:
    ends = data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))))
    span = Span(min(ends), max(ends))
    found = sentences(text, span)
    assert all(left.end <= right.start for left, right in pairwise(found))
    assert all(span.contains(part) and len(part) for part in found)
    said = [text[part.start : part.end] for part in found]
    assert all(part == part.strip() for part in said)
    assert "".join("".join(said).split()) == "".join(text[span.start : span.end].split())


@given(TEXT)
def test_whether_a_place_ends_a_sentence_does_not_depend_on_where_the_search_began(text: str) -> None:
    whole = list(breaks(text, 0, len(text)))
    for index, (_, after) in enumerate(whole, 1):
        assert list(breaks(text, after, len(text))) == whole[index:]


@given(st.text(st.sampled_from("a \n\t"), max_size=12))
def test_trimming_takes_the_blanks_at_both_ends(text: str) -> None:
    span = trim(text, Span(0, len(text)))
    assert text[span.start : span.end] == text.strip()


@pytest.mark.parametrize("piece", [". ", "..", ". )", "\r\n", "\n \n", ".)", "。", "(. ", "<a. ", "! [", "A. ", ".<a"])
def test_hostile_repetition_costs_linear_time(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    begun = time.process_time()
    sentences(text, Span(0, len(text)))
    assert time.process_time() - begun < 20


@pytest.mark.parametrize(
    ("text", "cost"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("é", 1), ("東京", 2), ("😀", 2)]
)
def test_tokens_are_estimated_from_the_bytes(text: str, cost: int) -> None:
    assert tokens(text) == cost
