from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.arena import Chunk
from lens_lsp.corpus.scan import scan, word_literal
from lens_lsp.domain.words import fold
from lens_lsp.oracle.matching import Form, folded, forms, held, occurrences, places, tightest


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        ("building", "they build and built", ["build", "built"]),
        ("longer", "its length", ["length"]),
        ("bought", "buy a tent", ["buy"]),
        ("rust", "rusty trust rusting", ["rust", "rust"]),
        ("7", "7 70 17", ["7"]),
        ("столица", "столицы", ["столи"]),
        ("建成", "1889年建成", ["建成"]),
        ("cat", "concatenate", []),
    ],
)
def test_a_term_stands_where_its_stem_or_an_irregular_form_stands(term: str, text: str, found: list[str]) -> None:
    hits = [text[at : at + len(form.root)] for form in forms(term) for at in places(text, form)]
    assert sorted(hits) == sorted(found)


VOCABULARY = "rust rusty trust build builder buildings year years 2015 12015 мост моста сад 建成 京都 a x7"
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=12), WORDS, st.sampled_from([" ", ", ", "-", "\n", ""]))
def test_a_word_stands_where_the_scan_finds_it(words: list[str], term: str, gap: str) -> None:
    text = fold(gap.join(words))
    data = np.frombuffer(text.encode() + b"\n\n\n\n\n\n\n\n\n", np.uint8)
    hits = scan([Chunk(data, np.array([0]), np.array([0]))], [(word_literal(term),)])
    own = [len(text[:at].encode()) for form in forms(term, name=True) for at in places(text, form)]
    assert sorted(own) == sorted(hits.at.tolist())


@given(st.text(max_size=60))
def test_every_folded_offset_leads_back_into_the_text(text: str) -> None:
    found = folded(text)
    back = [found.source(at) for at in range(len(found.text))]
    assert back == sorted(back)
    assert all(0 <= offset < len(text) for offset in back)


def test_the_tightest_stretch_holds_every_wanted_term() -> None:
    hits = [(0, 0), (50, 1), (60, 0), (64, 2), (90, 1)]
    assert tightest(hits, 0b011) == 10
    assert tightest(hits, 0b111) == 14
    assert tightest(hits, 0b001) == 0
    assert tightest([(0, 0)], 0b011) == 0


def test_terms_are_found_in_order_and_as_bits() -> None:
    terms = [(Form("mill", 0),), (Form("old", 0),), (Form("barn", 0),)]
    assert occurrences("the old mill", terms) == [(4, 1), (8, 0)]
    assert held("the old mill", terms) == 0b011
