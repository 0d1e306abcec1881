"""Beliefs: one distribution per requirement over cells and "nowhere", and what one observation does to all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.model.observation import ObservationTable, Verdict
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import SOMEWHERE, Beliefs, Entry

TABLE = ObservationTable()
CELLS = 24


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
