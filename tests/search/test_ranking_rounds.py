"""Both rounds over the texts, over parts of a corpus and over the whole: what they give adds up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.encoding import Arena
from lens_lsp.corpus.scan import Hits, scan
from lens_lsp.judge.analysis import analyse
from lens_lsp.search import passages
from lens_lsp.search.passages import NO_WINDOWS, Totals, Weights, Windows, count, score
from lens_lsp.search.question import prepare

QUESTION = prepare(analyse("copper kettle car"))
TERMS = len(QUESTION.scanned)
WORDS = ("copper", "kettle", "car", QUESTION.related[0].word, "lorem", "ipsum " * 30)
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join), min_size=1, max_size=8)
MOST = 12


def scanned(texts: Sequence[str]) -> tuple[Hits, np.ndarray]:
    """The hits of some texts, numbered from 0, and their lengths."""
    arena = Arena()
    for text in texts:
        arena.add(text.encode())
    return scan(arena.chunks(), QUESTION.scanned), arena.lengths()


def parts_of(texts: Sequence[str], data: st.DataObject) -> list[list[int]]:
    """The numbers of the texts in each of up to three parts, some of which may be empty."""
    owner = data.draw(st.lists(st.integers(0, 2), min_size=len(texts), max_size=len(texts)))
    return [[number for number, own in enumerate(owner) if own == part] for part in range(3)]


def totals_of(texts: Sequence[str]) -> Totals:
    hits, lengths = scanned(texts)
    return count(hits, TERMS, lengths)


def windows_of(texts: Sequence[str], weights: Weights, most: int = MOST) -> Windows:
    hits, lengths = scanned(texts)
    return score(hits, np.arange(len(texts)), lengths, weights, most)


@given(TEXTS, st.data())
def test_the_totals_of_parts_add_up_to_those_of_the_whole(texts: list[str], data: st.DataObject) -> None:
    parts = [totals_of([texts[number] for number in part]) for part in parts_of(texts, data)]
    added, whole = parts[0].plus(parts[1]).plus(parts[2]), totals_of(texts)
    assert added.size == whole.size == sum(len(text.encode()) for text in texts)
    assert added.places.tolist() == whole.places.tolist()
    assert added.rarity().tolist() == whole.rarity().tolist()


@given(TEXTS, st.data())
def test_the_windows_of_parts_merge_to_those_of_the_whole(texts: list[str], data: st.DataObject) -> None:
    weights = Weights(QUESTION, totals_of(texts))
    merged = NO_WINDOWS
    for part in parts_of(texts, data):
        own = windows_of([texts[number] for number in part], weights)
        numbers = np.array(part, np.int64)
        merged = merged.plus(Windows(numbers[own.slot], own.at, own.score), MOST)
    assert rows(merged) == rows(windows_of(texts, weights))[:MOST]


@given(TEXTS, st.integers(1, 400))
def test_how_many_texts_are_scored_in_one_go_makes_no_difference(texts: list[str], block: int) -> None:
    weights = Weights(QUESTION, totals_of(texts))
    whole = windows_of(texts, weights, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passages, "_BLOCK", block)
        assert rows(windows_of(texts, weights, 3)) == rows(whole)


@given(TEXTS)
def test_windows_are_the_best_ones_and_one_of_every_text_that_has_any(texts: list[str]) -> None:
    weights = Weights(QUESTION, totals_of(texts))
    few, all_ = windows_of(texts, weights, 1), windows_of(texts, weights, 10_000)
    hits, _ = scanned(texts)
    telling = np.concatenate([weights.own, weights.related]) > 0
    assert set(few.slot.tolist()) == set(all_.slot.tolist()) == set(hits.slot[telling[hits.term]].tolist())
    assert few.best(len(texts)).tolist() == all_.best(len(texts)).tolist()
    assert few.score.tolist() == sorted(few.score.tolist(), reverse=True)
    assert ((few.score > 0) & (few.score <= 1)).all()
    assert rows(few) == [row for row in rows(all_) if row in rows(few)]


def test_a_word_that_stands_nowhere_weighs_nothing_and_a_rare_one_most() -> None:
    totals = totals_of(["copper " * 200, "a kettle"])
    copper, kettle, car = totals.rarity()[:3].tolist()
    assert kettle > copper > 0
    assert car == 0.0


def test_nothing_to_count_is_no_division_by_zero() -> None:
    for texts in ([], [""], ["", ""]):
        totals = totals_of(texts)
        weights = Weights(QUESTION, totals)
        assert totals.rarity().tolist() == [0.0] * TERMS
        assert weights.total == 1.0
        assert rows(windows_of(texts, weights)) == []


def rows(windows: Windows) -> list[tuple[int, int, float]]:
    return list(zip(windows.slot.tolist(), windows.at.tolist(), windows.score.tolist(), strict=True))
