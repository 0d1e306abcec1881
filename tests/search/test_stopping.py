"""When a requirement is settled: the likelihood ratio of its best quote, and the coverage rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lens_lsp.model.observation import ObservationTable, Verdict
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import RELAXED, Quoted, best_quote, coverage_rule, glr, passes, threshold

FULL = ObservationTable().full
PARTIAL = ObservationTable().partial


def quoted(start: int, end: int, verdict: Verdict = Verdict.FULL, window: int = 0) -> Quoted:
    return Quoted(Span(start, end), verdict, Span(window, window + 10))


@pytest.mark.parametrize(("round_", "most"), [(1, 6), (2, 4), (3, 3)])
def test_one_full_quote_passes_for_so_many_requirements(round_: int, most: int) -> None:
    assert passes(FULL, threshold(round_, most))
    assert not passes(FULL, threshold(round_, most + 1))


def test_one_partial_quote_never_passes() -> None:
    assert not passes(PARTIAL, threshold(1, 1))
    assert not passes(PARTIAL, RELAXED * threshold(1, 1))


def test_the_threshold_is_the_union_bound_of_the_supplement() -> None:
    assert threshold(3, 4) == pytest.approx(math.log((1 + math.log(3)) * 4 / 0.1))


def test_a_tie_does_not_pass() -> None:
    needed = threshold(1, 1)
    assert not passes(needed, needed)
    assert not passes(needed + 1e-10, needed)
    assert passes(needed + 1e-8, needed)


def test_the_least_sure_cell_of_a_quote_counts() -> None:
    ratio = np.array([0.0, 4.25, 1.25, 0.0])
    assert glr(ratio, np.array([0.1, 0.6, 0.2, 0.1]), [quoted(1, 3)]) == pytest.approx(1.25)


def test_a_rival_without_a_quote_counts_against_the_best() -> None:
    ratio = np.array([4.25, 0.0, 1.5, 0.0])
    belief = np.array([0.7, 0.1, 0.2, 0.0])
    assert glr(ratio, belief, [quoted(0, 1)]) == pytest.approx(4.25 - 1.5)


def test_a_fact_written_down_twice_is_support_and_not_doubt() -> None:
    ratio = np.array([4.25, 0.0, 4.25, 0.0])
    belief = np.array([0.5, 0.0, 0.5, 0.0])
    assert glr(ratio, belief, [quoted(0, 1), quoted(2, 3)]) == pytest.approx(4.25)


def test_unread_and_refuted_rivals_count_nothing() -> None:
    assert glr(np.array([4.25, -3.0]), np.array([0.9, 0.0]), [quoted(0, 1)]) == pytest.approx(4.25)


def test_without_a_quote_there_is_no_ratio() -> None:
    assert glr(np.zeros(3), np.ones(3) / 3, []) is None
    assert not passes(None, 0.0)


def test_the_best_quote_is_the_one_believed_most() -> None:
    belief = np.array([0.1, 0.2, 0.6])
    assert best_quote(belief, [quoted(0, 2), quoted(2, 3)]).cells == Span(2, 3)


def test_one_full_covers_and_two_partials_from_different_windows_do() -> None:
    assert coverage_rule([quoted(0, 1)]) == "full"
    partial = [quoted(0, 1, Verdict.PARTIAL, 0), quoted(5, 6, Verdict.PARTIAL, 0)]
    assert coverage_rule(partial) is None
    assert coverage_rule([*partial, quoted(20, 21, Verdict.PARTIAL, 20)]) == "partials"
    assert coverage_rule([]) is None
