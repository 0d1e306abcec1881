"""How often each term stands in each text, against a count written out, whatever comes in which blocks."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.corpus.hits import Collected, Counts, Hits, counted, distinct

PLACES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=20)
"""Of one text: the term, and where it stands."""


def columns(*values: list[int]) -> list[np.ndarray]:
    return [np.array(column, np.int32) for column in values]


def collected(texts: list[list[tuple[int, int]]], *, least: int = 1, block: int = 1) -> Hits:
    """The places of the texts, numbered by ``least``: every second one is only counted where its term is listed."""
    found = Collected(3, block=block)
    for number, places in enumerate(texts):
        slot = number * least
        listed = places[:1] + places[2::2]
        held = {term for term, _ in listed}
        left = Counter(sorted(term for term, _ in places[1::2] if term in held))
        slots, terms, at = columns([slot] * len(listed), [term for term, _ in listed], [at for _, at in listed])
        found.add(Hits(slots, terms, at), Counts(*columns([slot] * len(left), list(left), list(left.values()))))
    return found.hits()


def expected(texts: list[list[tuple[int, int]]], least: int = 1) -> dict[tuple[int, int], int]:
    table: dict[tuple[int, int], int] = {}
    for number, places in enumerate(texts):
        listed = places[:1] + places[2::2]
        held = {term for term, _ in listed}
        count = Counter(term for term, _ in listed) + Counter(term for term, _ in places[1::2] if term in held)
        table |= {(number * least, term): times for term, times in count.items()}
    return table


def table_of(counts: Counts) -> dict[tuple[int, int], int]:
    pairs = list(zip(counts.slot.tolist(), counts.term.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    return dict(zip(pairs, counts.count.tolist(), strict=True))


@given(st.lists(PLACES, max_size=12), st.sampled_from([1, 3, 1 << 28]), st.sampled_from([1, 4, 1 << 18]))
def test_all_places_are_counted_in_blocks_as_at_once(
    texts: list[list[tuple[int, int]]], least: int, block: int
) -> None:
    texts = texts[: (1 << 31) // least]
    found = collected(texts, least=least, block=block)
    assert table_of(found.counts) == expected(texts, least)
    assert len(found) == sum(len(places[:1] + places[2::2]) for places in texts)
    ordered = list(zip(found.counts.slot.tolist(), found.counts.term.tolist(), strict=True))
    assert ordered == sorted(ordered)
    listed = Counter(zip(found.slot.tolist(), found.term.tolist(), strict=True))
    fewer = {slot for (slot, term), count in table_of(found.counts).items() if listed[slot, term] < count}
    assert found.thinned.tolist() == sorted(fewer)


@given(st.lists(PLACES, max_size=8), st.permutations(range(3)), st.integers(0, 3))
def test_some_terms_are_counted_by_their_new_numbers(
    texts: list[list[tuple[int, int]]], order: list[int], most: int
) -> None:
    found, terms = collected(texts), np.array(order[:most], np.int64)
    some = found.only(terms)
    number = {term: place for place, term in enumerate(order[:most])}
    assert table_of(some.counts) == {
        (slot, number[term]): count for (slot, term), count in expected(texts).items() if term in number
    }
    again = some.numbered(terms) if most else some
    assert table_of(again.counts).items() <= expected(texts).items()


@given(st.lists(PLACES, max_size=8), st.lists(PLACES, max_size=8))
def test_further_terms_are_counted_behind_those_that_are_known(
    texts: list[list[tuple[int, int]]], more: list[list[tuple[int, int]]]
) -> None:
    both = collected(texts).plus(collected(more), 3)
    shifted = {(slot, term + 3): count for (slot, term), count in expected(more).items()}
    assert table_of(both.counts) == expected(texts) | shifted
    assert both.thinned.tolist() == sorted({*collected(texts).thinned.tolist(), *collected(more).thinned.tolist()})


@given(st.lists(st.integers(-5, 2**62)))
def test_values_are_counted_as_numpy_does(values: list[int]) -> None:
    array = np.array(values, np.int64)
    unique, counts = np.unique(array, return_counts=True)
    assert distinct(array).tolist() == unique.tolist()
    assert [found.tolist() for found in counted(array)] == [unique.tolist(), counts.tolist()]
