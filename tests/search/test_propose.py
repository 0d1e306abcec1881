"""The three arms: where each looks, how their mixture learns, and that nothing outside the space is ever drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lens_lsp.model.answer import Arm
from lens_lsp.model.documents import Document, Heading, Origin, Structure
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import Space
from lens_lsp.search.proposals import FLOOR, START, Mixture, draws, lexical, local, stratified


def document(path: str, length: int, headings: tuple[int, ...] = ()) -> Document:
    structure = Structure(headings=tuple(Heading(Span(at, at + 5), 1, "Title") for at in headings))
    return Document(0, path, "x" * length, "text/1", Origin("", "utf-8"), structure)


@pytest.fixture
def space() -> Space:
    made = Space()
    made.admit(4, document("a.md", 1000, (500,)))
    made.admit(7, document("b.md", 500))
    return made


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def test_lexical_proposals_follow_the_anchor_mass_of_all_open_requirements() -> None:
    mass = np.array([[0.0, 3.0, 1.0], [0.0, 100.0, 300.0], [0.0, 0.0, 0.0]])
    assert lexical(mass).tolist() == [0.0, 0.5, 0.5]


def test_local_proposals_stay_next_to_what_is_believed(space: Space) -> None:
    posterior = np.full((1, space.cells), 1e-6)
    posterior[0, 3] = 0.9
    seen = np.zeros(space.cells)
    seen[3] = 1.0
    drawn = local(space, posterior, seen, {})
    assert drawn.sum() == pytest.approx(1.0)
    assert drawn[:10].min() > drawn[10:20].max(), "its section, and next to it, before the other section"
    assert drawn[20:].max() == 0.0, "another document only by a link"


def test_local_proposals_follow_links(space: Space) -> None:
    posterior = np.zeros((1, space.cells))
    posterior[0, 3] = 0.9
    drawn = local(space, posterior, (posterior[0] > 0).astype(float), {0: (1,)})
    assert drawn[20:].min() > 0.0


def test_before_anything_was_seen_local_proposals_follow_the_prior(space: Space) -> None:
    posterior = np.full((1, space.cells), 1e-6)
    posterior[0, 3] = 0.9
    drawn = local(space, posterior, np.zeros(space.cells), {})
    assert drawn[:10].min() > drawn[10:].max()


def test_global_proposals_give_documents_and_sections_equal_shares(space: Space) -> None:
    drawn = stratified(space, np.ones(space.cells))
    assert drawn[:20].sum() == pytest.approx(drawn[20:].sum())
    assert drawn[:10].sum() == pytest.approx(drawn[10:20].sum())


def test_global_proposals_leave_out_what_was_read(space: Space) -> None:
    unread = np.ones(space.cells)
    unread[:10] = 0.0
    drawn = stratified(space, unread)
    assert not drawn[:10].any()
    assert drawn.sum() == pytest.approx(1.0)


@given(
    st.lists(st.floats(0, 10), min_size=20, max_size=20),
    st.lists(st.floats(0, 10), min_size=20, max_size=20),
    st.integers(0, 2**32),
)
def test_nothing_is_drawn_twice_or_from_outside(one: list[float], two: list[float], seed: int) -> None:
    arms = {Arm.LEXICAL: np.array(one), Arm.GLOBAL: np.array(two)}
    drawn = [cell for _, cell in draws(arms, START, rng(seed))]
    possible = {cell for cell in range(20) if one[cell] > 0 or two[cell] > 0}
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == possible


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    arms = {Arm.LEXICAL: np.ones(50), Arm.GLOBAL: np.ones(50)}
    first, again, other = (list(draws(arms, START, rng(seed))) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_cells_are_drawn_as_often_as_their_weight_says() -> None:
    arms = {Arm.LEXICAL: np.array([3.0, 1.0])}
    first = [next(draws(arms, {Arm.LEXICAL: 1.0}, rng(seed)))[1] for seed in range(2000)]
    assert first.count(0) / 2000 == pytest.approx(0.75, abs=0.04)


def test_the_arm_that_paid_gains_weight_and_none_falls_below_the_floor() -> None:
    mixture = Mixture()
    for _ in range(20):
        mixture.learn({Arm.LEXICAL: 0.0, Arm.LOCAL: 5.0, Arm.GLOBAL: 0.0})
    assert mixture.weights[Arm.LOCAL] == pytest.approx(1 - 2 * FLOOR)
    assert mixture.weights[Arm.LEXICAL] == pytest.approx(FLOOR)
    assert sum(mixture.weights.values()) == pytest.approx(1.0)


def test_one_step_is_the_exponential_of_the_relative_utility() -> None:
    mixture = Mixture()
    mixture.learn({Arm.LEXICAL: 2.0, Arm.LOCAL: 1.0})
    raw = {Arm.LEXICAL: 0.6 * np.exp(1.0), Arm.LOCAL: 0.25 * np.exp(0.5), Arm.GLOBAL: 0.15}
    assert mixture.weights == pytest.approx({arm: weight / sum(raw.values()) for arm, weight in raw.items()})


def test_a_fixed_mixture_does_not_learn() -> None:
    mixture = Mixture(adaptive=False)
    mixture.learn({Arm.LOCAL: 5.0})
    assert mixture.weights == dict(START)


def test_an_arm_can_be_switched_off() -> None:
    mixture = Mixture()
    mixture.without({Arm.LEXICAL})
    assert mixture.weights == pytest.approx({Arm.LOCAL: 0.625, Arm.GLOBAL: 0.375})
