from __future__ import annotations

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lens_lsp.corpus.folding import SEPARATOR, fold_batch, fold_text

TELLING = (
    "aZ@[`{9 \n.ßẞæŒøŁéÅı\u0301\u0308İЖйΣς語カﾞ서\u1112\u1161\u11ab😀𝒜𠮷ＦｕＬｌ１\u200b\u00ad\ufeff…“Ꭰ\u2028ﬁ\ufdfa"
)
CHARACTERS = st.one_of(st.sampled_from(TELLING), st.characters(exclude_categories=["Cs"]))
TEXT = st.text(CHARACTERS, max_size=40)


def check(*texts: str) -> None:
    """The batch holds what folding each text alone gives: the bytes, and the way back from each of them."""
    batch = fold_batch([text.encode() for text in texts])
    data = batch.data.tobytes()
    end = -1
    for index, text in enumerate(texts):
        folded = fold_text(text)
        assert int(batch.starts[index]) == end + 1
        start, end = int(batch.starts[index]), int(batch.ends[index])
        assert data[start:end] == folded.data
        assert data[end] == SEPARATOR
        places = np.arange(len(folded.data) + 1)
        expected = places if folded.offsets is None else folded.offsets.points(places)
        offsets = None if batch.maps is None else batch.maps.of(index)
        assert (places if offsets is None else offsets.points(places)).tolist() == expected.tolist()
    assert len(data) == end + 1


@given(st.lists(TEXT, min_size=1, max_size=8))
@settings(max_examples=400)
def test_texts_fold_together_as_they_fold_alone(texts: list[str]) -> None:
    check(*texts)


@pytest.mark.parametrize(
    "texts",
    [
        ("",),
        ("", "", ""),
        ("PLAIN",),
        ("é", "plain", "é"),
        ("\u200b",),
        ("\u200b\u200ba", "b"),
        ("a\u200b", "\u200b"),
        ("ß" * 5 + "é" * 3, "語é😀"),
        ("Ünïcode at the start", "at the end ü"),
        ("\ufdfa", "ﬁ\ufdfaﬁ", "x"),
        ("e\u0301e\u0301", "ＡＢ"),
    ],
)
def test_the_corners_hold(texts: tuple[str, ...]) -> None:
    check(*texts)


def test_every_character_folds_in_a_batch_as_it_does_alone() -> None:
    codes = [code for code in range(1, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    # Of the million that are not assigned every hundredth will do: they all fold to themselves.
    characters = [chr(code) for code in codes if code % 100 == 0 or unicodedata.category(chr(code)) not in ("Cn", "Co")]
    step = 1 << 15
    for start in range(0, len(characters), step):
        part = characters[start : start + step]
        check("".join(part), "between", " ".join(part[::7]))


def test_a_text_in_ascii_needs_no_map_wherever_it_stands() -> None:
    batch = fold_batch([b"plain", "größe".encode(), b"PLAIN"])
    assert batch.maps is not None
    assert [batch.maps.of(index) is None for index in range(3)] == [True, False, True]
    assert fold_batch([b"plain", b"PLAIN"]).maps is None
