"""How often each term stands in each text, and in how many stretches, against a count written out."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.scan import STRETCH, Collected, Counts, Hits, counted, distinct

TERMS = 3
Text = list[tuple[int, int]]
"""Of each place in a text the term and the offset."""
TEXT = st.lists(st.tuples(st.integers(0, TERMS - 1), st.integers(0, 4 * STRETCH)), max_size=20).map(sorted)
TEXTS = st.lists(TEXT, max_size=8)


def collected(texts: list[Text], *, every: int = 1, block: int = 1 << 18, passing: int = 1 << 30) -> Hits:
    """The hits of texts in slots ``every`` apart; those from number ``passing`` on pass by."""
    found = Collected(TERMS, block=block)
    for number, text in enumerate(texts):
        slot, term, at = np.array([(number * every, *place) for place in text], np.int32).reshape(-1, 3).T
        found.add(Hits(slot, term, at), passing=number >= passing)
    return found.hits()


def expected(texts: list[Text], every: int = 1) -> dict[tuple[int, int], int]:
    return dict(Counter((number * every, term) for number, text in enumerate(texts) for term, _ in text))


def table_of(counts: Counts) -> dict[tuple[int, int], int]:
    pairs = list(zip(counts.slot.tolist(), counts.term.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    return dict(zip(pairs, counts.count.tolist(), strict=True))


def stretches(texts: list[Text]) -> list[int]:
    """Per term."""
    places = {(term, number, at // STRETCH) for number, text in enumerate(texts) for term, at in text}
    count = Counter(term for term, _, _ in places)
    return [count[term] for term in range(TERMS)]


@given(TEXTS, st.sampled_from([1, 3, 1 << 27]), st.sampled_from([1, 4, 1 << 18]))
def test_places_are_counted_in_blocks_as_at_once(texts: list[Text], every: int, block: int) -> None:
    found = collected(texts, every=every, block=block)
    assert table_of(found.counts) == expected(texts, every)
    assert list(table_of(found.counts)) == sorted(expected(texts, every))
    assert len(found) == sum(map(len, texts))
    assert found.unlisted.slots.tolist() == []


@given(TEXTS, st.integers(0, 8), st.sampled_from([1, 4, 1 << 18]))
def test_texts_that_pass_by_are_counted_and_not_listed(texts: list[Text], passing: int, block: int) -> None:
    found = collected(texts, block=block, passing=passing)
    assert table_of(found.counts) == expected(texts)
    assert len(found) == sum(map(len, texts[:passing]))
    assert found.unlisted.slots.tolist() == [slot for slot, text in enumerate(texts) if slot >= passing and text]
    assert found.unlisted.stretches.tolist() == stretches(texts[passing:])


@given(TEXTS, st.integers(0, 8), st.permutations(range(TERMS)), st.integers(0, TERMS))
def test_some_terms_are_found_by_their_new_numbers(
    texts: list[Text], passing: int, order: list[int], most: int
) -> None:
    found, chosen = collected(texts, passing=passing), order[:most]
    some = found.only(np.array(chosen, np.int64))
    renumbered = [[(chosen.index(term), at) for term, at in text if term in chosen] for text in texts]
    assert table_of(some.counts) == expected(renumbered)
    assert len(some) == sum(map(len, renumbered[:passing]))
    assert some.unlisted.stretches.tolist() == stretches(renumbered[passing:])[:most]
    again = some.numbered(np.array(chosen, np.int64))
    assert table_of(again.counts) == {pair: n for pair, n in expected(texts).items() if pair[1] in chosen}


@given(TEXTS, TEXTS, st.integers(0, 8))
def test_further_terms_and_texts_are_found_behind_those_that_are_known(
    texts: list[Text], more: list[Text], passing: int
) -> None:
    known, others = collected(texts, passing=passing), collected(more, passing=passing)
    both = known.plus(others, TERMS)
    shifted = {(slot, term + TERMS): count for (slot, term), count in expected(more).items()}
    assert table_of(both.counts) == expected(texts) | shifted
    assert both.unlisted.stretches.tolist() == stretches(texts[passing:]) + stretches(more[passing:])
    assert both.unlisted.slots.tolist() == sorted({*known.unlisted.slots.tolist(), *others.unlisted.slots.tolist()})
    added = np.add(stretches(texts[passing:]), stretches(more[passing:])).tolist()
    assert known.plus(others, 0).unlisted.stretches.tolist() == added


@given(st.lists(st.integers(-5, 2**62)))
def test_values_are_counted_as_numpy_does(values: list[int]) -> None:
    array = np.array(values, np.int64)
    unique, counts = np.unique(array, return_counts=True)
    assert distinct(array).tolist() == unique.tolist()
    assert [found.tolist() for found in counted(array)] == [unique.tolist(), counts.tolist()]
