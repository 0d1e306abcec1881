from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.folding import blank, fold_text
from lens_lsp.model.text import Span
from lens_lsp.model.words import FOLDED, fold

TELLING = "aZ9 \n.ßẞæŒøŁéÅı\u0301\u0308İЖйΣς語カﾞ서\u1112\u1161\u11ab😀𝒜𠮷ＦｕＬｌ１\u200b\u00ad\ufeff…“Ꭰ\u2028ﬁ\ud800"
TEXT = st.text(st.one_of(st.sampled_from(TELLING), st.characters()), max_size=60)


def by_character(text: str) -> tuple[bytes, list[int]]:
    """The folded bytes of a text and the code point each of them came from, one character at a time."""
    parts = [FOLDED[char].encode("utf-8", "replace") for char in text]
    return b"".join(parts), [point for point, part in enumerate(parts) for _ in part]


def check(text: str) -> None:
    folded = fold_text(text)
    data, points = by_character(text)
    assert folded.data == data
    if folded.offsets is None:
        assert points == list(range(len(data)))
    else:
        assert folded.offsets.points(np.arange(len(data))).tolist() == points


@given(TEXT)
def test_every_folded_byte_leads_back_to_the_character_it_came_from(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "é",
        "aé",
        "éa",
        "\u200b",
        "\u200b\u200ba",
        "a\u200b",
        "ßa",
        "ß" * 5 + "é" * 3,
        "語é😀",
        "e\u0301e\u0301",
        "한국어",
        "ＡＢ",
    ],
)
def test_the_corners_of_the_map_hold(text: str) -> None:
    check(text)


@given(TEXT)
def test_the_map_never_runs_backwards_and_ends_at_the_end(text: str) -> None:
    folded = fold_text(text)
    if folded.offsets is not None:
        points = folded.offsets.points(np.arange(len(folded.data) + 1)).tolist()
        assert points == sorted(points)
        assert points[-1] == len(text)


@given(st.text(st.characters(max_codepoint=127)))
def test_ascii_is_lowered_in_place_and_needs_no_map(text: str) -> None:
    folded = fold_text(text)
    assert folded.offsets is None
    assert folded.data == text.lower().encode()


@given(TEXT)
def test_questions_and_documents_fold_alike(text: str) -> None:
    assert fold_text(text).data == fold(text).encode("utf-8", "replace")


@given(TEXT)
def test_the_separator_of_texts_is_never_in_one(text: str) -> None:
    assert b"\xff" not in fold_text(text).data


@given(st.text(st.sampled_from("ab<é語\n"), max_size=30), st.data())
def test_blanking_hides_the_spans_and_moves_nothing(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6).filter(lambda ends: len(ends) % 2 == 0)))
    spans = [Span(start, end) for start, end in zip(ends[::2], ends[1::2], strict=True)]
    hidden = {index for span in spans for index in range(span.start, span.end)}
    assert blank(text, spans) == "".join(" " if index in hidden else char for index, char in enumerate(text))
