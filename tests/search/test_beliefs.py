"""Cells, the density of terms over them, beliefs and stopping, each against the same counted by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_workspace import FILLER, Workspace

from lens_lsp.model.documents import Document, Origin, Structure
from lens_lsp.model.observation import ObservationTable, Verdict
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import (
    ADJACENT,
    CELL,
    DENSE,
    RELAXED,
    SATURATION,
    SOMEWHERE,
    AdmittedCells,
    Beliefs,
    CellGrid,
    Entry,
    Quoted,
    Space,
    coverage_rule,
    density_of,
    glr,
    passes,
    places_of,
    threshold,
    window_idf,
)
from lens_lsp.search.passages import WINDOW

TABLE = ObservationTable()
CELLS = 24
Make = Callable[[Mapping[str, str]], Workspace]
FULL = ObservationTable().full
PARTIAL = ObservationTable().partial


@st.composite
def priors(draw: st.DrawFn, rows: int = 2, cells: int = CELLS) -> np.ndarray:
    weights = draw(st.lists(st.integers(1, 1000), min_size=rows * cells, max_size=rows * cells))
    table = np.array(weights, np.float64).reshape(rows, cells)
    return np.asarray(table / table.sum(axis=1, keepdims=True))


@st.composite
def observations(draw: st.DrawFn, cells: int = CELLS, rows: int = 2) -> list[tuple[Span, list[Entry]]]:
    made = []
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, cells - 1))
        region = Span(start, draw(st.integers(start + 1, cells)))
        entries = []
        for row in range(rows):
            verdict = draw(st.sampled_from(list(Verdict)))
            quote = None
            if verdict in (Verdict.FULL, Verdict.PARTIAL):
                at = draw(st.integers(region.start, region.end - 1))
                quote = Span(at, draw(st.integers(at + 1, region.end)))
            entries.append(Entry(row, verdict, quote))
        made.append((region, entries))
    return made


def by_hand(prior: np.ndarray, made: list[tuple[Span, list[Entry]]]) -> np.ndarray:
    """The posterior as the paper writes it: prior times the product of likelihood ratios, cell by cell."""
    weight = [[SOMEWHERE * p for p in row] for row in prior.tolist()]
    for region, entries in made:
        for entry in entries:
            for cell in range(region.start, region.end):
                quoted = entry.quote is not None and entry.quote.start <= cell < entry.quote.end
                keeps = quoted or entry.quote is None
                ratio = TABLE[entry.verdict] if keeps else TABLE[Verdict.NONE]
                weight[entry.requirement][cell] *= math.exp(ratio)
    return np.array([[w / (math.fsum(row) + 1 - SOMEWHERE) for w in row] for row in weight])


@given(priors(), observations())
def test_the_belief_is_the_prior_times_the_likelihoods(prior: np.ndarray, made: list[tuple[Span, list[Entry]]]) -> None:
    beliefs = Beliefs(2, TABLE)
    beliefs.admit(prior)
    for region, entries in made:
        beliefs.observe(region, entries)
    assert np.allclose(beliefs.posterior(), by_hand(prior, made), atol=1e-12)


@given(priors(), observations())
def test_beliefs_are_normalised(prior: np.ndarray, made: list[tuple[Span, list[Entry]]]) -> None:
    beliefs = Beliefs(2, TABLE)
    beliefs.admit(prior)
    for region, entries in made:
        beliefs.observe(region, entries)
    assert np.allclose(beliefs.posterior().sum(axis=1) + beliefs.nowhere(), 1.0, atol=1e-12)


@given(priors(cells=12), priors(), observations(cells=12))
def test_admitting_then_observing_equals_observing_then_admitting(
    small: np.ndarray, large: np.ndarray, made: list[tuple[Span, list[Entry]]]
) -> None:
    first, second = Beliefs(2, TABLE), Beliefs(2, TABLE)
    first.admit(small)
    first.admit(large)
    second.admit(small)
    for region, entries in made:
        first.observe(region, entries)
        second.observe(region, entries)
    second.admit(large)
    assert np.allclose(first.posterior(), second.posterior(), atol=1e-12)
    assert np.allclose(first.nowhere(), second.nowhere(), atol=1e-12)


@given(priors(), observations())
def test_the_gain_is_the_divergence_of_the_beliefs_of_all_requirements(
    prior: np.ndarray, made: list[tuple[Span, list[Entry]]]
) -> None:
    beliefs = Beliefs(2, TABLE)
    beliefs.admit(prior)
    for region, entries in made:
        before = np.column_stack([beliefs.posterior(), beliefs.nowhere()])
        gain = beliefs.observe(region, entries)
        after = np.column_stack([beliefs.posterior(), beliefs.nowhere()])
        divergence = float(np.sum(after * np.log(after / before)))
        assert gain == pytest.approx(divergence, abs=1e-9)


def test_one_observation_moves_the_beliefs_of_every_requirement() -> None:
    beliefs = Beliefs(3, TABLE)
    beliefs.admit(np.full((3, 10), 0.1))
    before = beliefs.posterior()
    entries = [Entry(0, Verdict.FULL, Span(2, 3)), Entry(1, Verdict.NONE), Entry(2, Verdict.RELATED)]
    beliefs.observe(Span(2, 5), entries)
    after = beliefs.posterior()
    assert after[0, 2] > 0.8
    assert after[1, 2] < before[1, 2]
    assert after[2, 2] < before[2, 2]
    assert after[1, 9] > before[1, 9], "what was not shown gains what was read in vain loses"


def test_reading_everything_in_vain_leaves_the_fact_nowhere() -> None:
    beliefs = Beliefs(1, TABLE)
    beliefs.admit(np.full((1, 20), 0.05))
    assert beliefs.nowhere()[0] == pytest.approx(0.1)
    beliefs.observe(Span(0, 20), [Entry(0, Verdict.NONE)])
    assert beliefs.nowhere()[0] > 0.5


def test_without_documents_the_fact_is_nowhere() -> None:
    beliefs = Beliefs(2, TABLE)
    beliefs.admit(np.zeros((2, 0)))
    assert beliefs.nowhere() == pytest.approx([1.0, 1.0])


def test_cells_never_leave() -> None:
    beliefs = Beliefs(1, TABLE)
    beliefs.admit(np.full((1, 4), 0.25))
    with pytest.raises(ValueError, match="never leave"):
        beliefs.admit(np.full((1, 2), 0.5))


def text_of(seed: int, count: int) -> str:
    generator = random.Random(seed)
    return " ".join(
        generator.choice(["copper", "kettle", "lorem", "ipsum", "größe", "dolor", "amet", "東京"]) for _ in range(count)
    )


def counted(text: str, words: list[str], idf: list[float]) -> list[float]:
    """For each cell what the window that begins there holds of the words, one occurrence after the other."""
    places = [[at for at in range(len(text)) if text.startswith(word, at)] for word in words]
    cells = max(1, math.ceil(len(text) / CELL))
    found = []
    for cell in range(cells):
        start, stop = cell * CELL, min(cells * CELL, cell * CELL + WINDOW)
        total = 0.0
        for own, at in zip(idf, places, strict=True):
            count = sum(start <= place < stop for place in at)
            total += own * count * (SATURATION + 1) / (count + SATURATION)
        best = 0.0
        for first in range(start, stop - CELL + 1, CELL):
            pair = [any(first <= place < min(first + 2 * CELL, cells * CELL) for place in at) for at in places]
            if first - start <= WINDOW - 2 * CELL:
                best = max(best, sum(own for own, held in zip(idf, pair, strict=True) if held))
        total += DENSE * best
        for one in range(len(words) - 1):
            follows = [
                place
                for place in places[one]
                if any(place < other and other - place < CELL // 2 for other in places[one + 1][:])
            ]
            if any(start <= place < stop for place in follows):
                total += ADJACENT * min(idf[one], idf[one + 1])
        found.append(total)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_density_is_what_counting_gives(workspace: Make, seed: int) -> None:
    files = {f"{number}.md": text_of(100 * seed + number, 90 * number) for number in range(4)}
    space = workspace({**files, **FILLER})
    asked = space.ask("copper kettle")
    grid = CellGrid(space.corpus, np.array([space.slot(path) for path in files], np.int64))
    idf = window_idf(asked.hits, asked.measures)
    places = places_of(space.corpus, grid, asked.question, asked.hits)
    expected = [value for text in files.values() for value in counted(text, ["copper", "kettle"], idf.tolist())]
    assert density_of(grid, places, idf).tolist() == pytest.approx(expected)


def test_nothing_has_no_density(workspace: Make) -> None:
    space = workspace({"empty.md": "", **FILLER})
    asked = space.ask("copper kettle")
    grid = CellGrid(space.corpus, np.array([space.slot("empty.md")], np.int64))
    idf = window_idf(asked.hits, asked.measures)
    places = places_of(space.corpus, grid, asked.question, asked.hits)
    assert idf.tolist() == [0.0, 0.0]
    assert density_of(grid, places, idf).tolist() == [0.0]


def admitted(length: int, before: int = 0) -> AdmittedCells:
    space = Space()
    for n in range(before):
        space.admit(n, Document(0, f"{n}.md", "y" * 130, "text/1", Origin("", "utf-8"), Structure()))
    return space.admit(99, Document(0, "a.md", "x" * length, "text/1", Origin("", "utf-8"), Structure()))


@given(st.integers(1, 2000), st.lists(st.integers(0, 2000), max_size=8))
def test_regions_that_part_a_document_part_its_cells(length: int, cuts: list[int]) -> None:
    one = admitted(length, before=1)
    assert (one.first, one.cells) == (3, -(-length // CELL))
    bounds = sorted({0, length, *(cut for cut in cuts if cut < length)})
    spans = [Span(a, b) for a, b in pairwise(bounds) if b - a >= CELL]
    cells = [set(range(shown.start, shown.end)) for shown in map(one.cells_of, spans)]
    assert sum(map(len, cells)) == len(set().union(*cells)), "no cell is shown by two regions"
    assert all(one.first <= cell < one.first + one.cells for shown in cells for cell in shown)


@given(st.integers(1, 2000), st.data())
def test_a_quote_touches_cells_of_its_region_only(length: int, data: st.DataObject) -> None:
    one = admitted(length)
    start = data.draw(st.integers(0, length - 1))
    region = Span(start, data.draw(st.integers(start + 1, length)))
    at = data.draw(st.integers(region.start, region.end - 1))
    quote = Span(at, data.draw(st.integers(at + 1, region.end)))
    shown = one.cells_of(region)
    touched = one.touched(quote, shown)
    assert len(touched) > 0
    assert shown.contains(touched)


@given(st.integers(1, 3000), st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 600)), max_size=12))
def test_what_is_shown_was_never_shown_before(length: int, wanted: list[tuple[int, int]]) -> None:
    one = admitted(length)
    for start, size in wanted:
        around = Span(min(start, length - 1), min(min(start, length - 1) + size, length))
        unread = one.unread(around)
        covered = {at for span in one.read for at in range(span.start, span.end)}
        left = set(range(around.start, around.end)) - covered
        assert (unread is None) == (not left)
        if unread is not None:
            assert not covered & set(range(unread.start, unread.end))
            one.mark(unread)


def test_a_window_lies_around_the_middle_of_its_cell_and_inside_the_document() -> None:
    one = admitted(1000)
    assert one.window(10, 500) == Span(275, 775)
    assert one.window(0, 500) == Span(0, 500)
    assert one.window(19, 500) == Span(500, 1000)


def quoted(start: int, end: int, verdict: Verdict = Verdict.FULL, window: int = 0) -> Quoted:
    return Quoted(Span(start, end), verdict, Span(window, window + 10))


@pytest.mark.parametrize(("round_", "most"), [(1, 6), (2, 4), (3, 3)])
def test_one_full_quote_passes_for_so_many_requirements(round_: int, most: int) -> None:
    assert passes(FULL, threshold(round_, most))
    assert not passes(FULL, threshold(round_, most + 1))
    assert not passes(PARTIAL, RELAXED * threshold(1, 1))


def test_the_threshold_is_the_union_bound_of_the_supplement() -> None:
    assert threshold(3, 4) == pytest.approx(math.log((1 + math.log(3)) * 4 / 0.1))


def test_a_tie_does_not_pass() -> None:
    needed = threshold(1, 1)
    assert not passes(needed, needed)
    assert not passes(needed + 1e-10, needed)
    assert passes(needed + 1e-8, needed)


@pytest.mark.parametrize(
    ("ratio", "belief", "quotes", "expected"),
    [
        ([0.0, 4.25, 1.25, 0.0], [0.1, 0.6, 0.2, 0.1], [(1, 3)], 1.25),  # the least sure cell of a quote counts
        (
            [4.25, 0.0, 1.5, 0.0],
            [0.7, 0.1, 0.2, 0.0],
            [(0, 1)],
            4.25 - 1.5,
        ),  # a rival without a quote counts against it
        ([4.25, 0.0, 4.25, 0.0], [0.5, 0.0, 0.5, 0.0], [(0, 1), (2, 3)], 4.25),  # written down twice is support
        ([4.25, -3.0], [0.9, 0.0], [(0, 1)], 4.25),  # a refuted rival counts nothing
        ([1.0, 1.5, 2.0], [0.1, 0.2, 0.6], [(0, 2), (2, 3)], 2.0),  # the best quote is the one believed most
    ],
)
def test_the_ratio_of_the_best_quote(
    ratio: list[float], belief: list[float], quotes: list[tuple[int, int]], expected: float
) -> None:
    spans = [quoted(*quote) for quote in quotes]
    assert glr(np.array(ratio), np.array(belief), spans) == pytest.approx(expected)


def test_without_a_quote_there_is_no_ratio() -> None:
    assert glr(np.zeros(3), np.ones(3) / 3, []) is None
    assert not passes(None, 0.0)


def test_one_full_covers_and_two_partials_from_different_windows_do() -> None:
    assert coverage_rule([quoted(0, 1)]) == "full"
    partial = [quoted(0, 1, Verdict.PARTIAL, 0), quoted(5, 6, Verdict.PARTIAL, 0)]
    assert coverage_rule(partial) is None
    assert coverage_rule([*partial, quoted(20, 21, Verdict.PARTIAL, 20)]) == "partials"
    assert coverage_rule([]) is None
