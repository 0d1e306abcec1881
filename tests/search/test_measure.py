"""The measurements against BM25 written out term by term and text by text."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.encoding import Arena
from lens_lsp.corpus.scan import exact_literal, scan
from lens_lsp.search.corpus_view import Measures, inverse_frequency, measure

VOCABULARY = ("one", "two", "three", "absent")
TEXTS = st.lists(st.lists(st.sampled_from((*VOCABULARY[:3], "other")), max_size=12).map(" ".join), max_size=8)


def measured(texts: list[str], removed: set[int] = frozenset()) -> Measures:
    arena = Arena()
    for text in texts:
        arena.add(text.encode())
    for slot in removed:
        arena.remove(slot)
    hits = scan(arena.chunks(), [(exact_literal(word),) for word in VOCABULARY])
    return measure(hits, len(VOCABULARY), arena.lengths(), len(texts) - len(removed))


def idf(word: str, texts: list[str]) -> float:
    holding = sum(word in text.split() for text in texts)
    return math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5)) if holding else 0.0


def saturation(word: str, text: str, texts: list[str]) -> float:
    count = Counter(text.split())[word]
    average = sum(map(len, texts)) / len(texts)
    return count / (count + 1.2 * (1 - 0.6 + 0.6 * len(text) / average)) if count else 0.0


@given(TEXTS)
def test_coverage_is_bm25_as_a_share_of_the_best_possible(texts: list[str]) -> None:
    measures = measured(texts)
    total = sum(idf(word, texts) for word in VOCABULARY)
    expected = [sum(idf(word, texts) * saturation(word, text, texts) for word in VOCABULARY) for text in texts]
    assert measures.coverage().tolist() == pytest.approx([value / (total or 1.0) for value in expected])


@given(TEXTS)
def test_frequencies_count_texts_and_occurrences(texts: list[str]) -> None:
    measures = measured(texts)
    counts = measures.counts
    table = dict(zip(zip(counts.slot.tolist(), counts.term.tolist(), strict=True), counts.count.tolist(), strict=True))
    assert table == {
        (slot, term): count
        for slot, text in enumerate(texts)
        for term, word in enumerate(VOCABULARY)
        if (count := text.split().count(word))
    }
    assert measures.frequency.tolist() == [sum(word in text.split() for text in texts) for word in VOCABULARY]
    assert measures.idf.tolist() == pytest.approx([idf(word, texts) for word in VOCABULARY])


@given(TEXTS.filter(len))
def test_rows_are_the_saturations_of_the_given_texts(texts: list[str]) -> None:
    slots = np.arange(len(texts))[::-2].copy()
    expected = [[saturation(word, texts[slot], texts) for word in VOCABULARY] for slot in slots.tolist()]
    assert measured(texts).rows(slots) == pytest.approx(np.array(expected))


@given(TEXTS.filter(lambda texts: len(texts) > 1), st.data())
def test_removed_texts_count_for_nothing(texts: list[str], data: st.DataObject) -> None:
    removed = data.draw(st.sets(st.integers(0, len(texts) - 1), max_size=len(texts) - 1))
    left = [text for slot, text in enumerate(texts) if slot not in removed]
    with_gaps, without = measured(texts, removed), measured(left)
    assert with_gaps.idf.tolist() == without.idf.tolist()
    gaps = [slot for slot in range(len(texts)) if slot not in removed]
    assert with_gaps.coverage()[gaps].tolist() == pytest.approx(without.coverage().tolist())
    assert with_gaps.texts == without.texts


def test_a_word_in_every_text_still_weighs_something_and_one_in_none_nothing() -> None:
    weights = inverse_frequency(np.array([0, 1, 50, 100]), 100)
    assert weights[0] == 0
    assert weights[1] > weights[2] > weights[3] > 0


def test_nothing_measured_is_no_division_by_zero() -> None:
    for texts in ([], [""], ["", ""], ["other"]):
        measures = measured(texts)
        assert measures.total == 1.0
        assert measures.coverage().tolist() == [0.0] * len(texts)


def test_a_question_is_answered_without_masked_arrays(tmp_path: Path) -> None:
    for name, link in (("mill", "weir"), ("weir", "mill")):
        text = f"The Old {name.title()} was built in 1702 beside the [[{link}]].\n"
        (tmp_path / f"{name}.md").write_text(text, "utf-8")
    code = (
        "import asyncio, sys\n"
        "from lens_lsp import Lens\n"
        "async def ask(question):\n"
        "    return [event async for event in Lens([sys.argv[1]]).ask(question)]\n"
        "for question in ('When was the Old Mill built?', 'How many files mention 1702?'):\n"
        "    assert asyncio.run(ask(question))\n"
        "print('numpy' in sys.modules, 'numpy.ma' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"
