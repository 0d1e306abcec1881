"""The arithmetic of a row: median, quotient, goal, load."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from benchmarks.measuring import Series, Timing
from benchmarks.speed.plots import share
from benchmarks.speed.row import Beside, Goal, Kind, Row, Unit, cost, faster, figures, least, most, row

SERIES = Series((Timing(3.0, 30.0), Timing(1.0, 10.0), Timing(2.0, 20.0)))
THEIRS = Series((Timing(6.0, 15.0), Timing(4.0, 5.0), Timing(2.0, 10.0)))


def test_a_row_takes_one_clock_of_both_series() -> None:
    wall = row("scan", "A", SERIES, Beside("rg", THEIRS))
    assert (wall.ours, wall.theirs) == ((3.0, 1.0, 2.0), (6.0, 4.0, 2.0))
    assert (wall.median, wall.times) == (2.0, 0.5)
    assert (wall.cpu, wall.their_cpu) == ((30.0, 10.0, 20.0), (15.0, 5.0, 10.0))
    assert row("scan", "A", SERIES, Beside("rg", THEIRS), whole=False).cpu == ()
    processor = row("scan", "A", SERIES, Beside("rg", THEIRS), unit=Unit.CPU)
    assert (processor.median, processor.times, processor.cpu) == (20.0, 2.0, ())
    assert row("scan", "A", SERIES).times is None


def test_neighbours_in_time_are_compared_with_each_other() -> None:
    assert row("scan", "A", SERIES, Beside("rg", THEIRS)).paired == (0.5, 0.25, 1.0)
    assert row("scan", "A", SERIES).paired == (3.0, 1.0, 2.0)


@pytest.mark.parametrize(
    ("goal", "held"),
    [
        (faster(2.0), True),
        (faster(2.1), False),
        (cost(0.5), True),
        (cost(0.4), False),
        (most(2.0), True),
        (most(1.9), False),
        (least(2.0), True),
        (least(2.1), False),
        (None, None),
    ],
)
def test_a_goal_is_a_quotient_or_a_bound_of_the_median(goal: Goal | None, held: bool | None) -> None:
    assert row("scan", "A", SERIES, Beside("rg", THEIRS), goal).holds is held


@pytest.mark.parametrize("kind", [Kind.FASTER, Kind.COST])
def test_a_quotient_of_nothing_is_a_mistake(kind: Kind) -> None:
    with pytest.raises(ValueError, match="nothing to divide by"):
        assert row("scan", "A", SERIES, goal=Goal(kind, 1.0)).holds


@pytest.mark.parametrize("goal", [faster(2.0), faster(3.0), cost(0.5), cost(0.4), most(2.0), most(1.0)])
def test_a_share_above_one_is_a_goal_that_was_missed(goal: Goal) -> None:
    found = row("scan", "A", SERIES, Beside("rg", THEIRS), goal)
    used = share(found)
    assert used is not None
    assert (used <= 1) is found.holds
    assert share(replace(found, goal=None)) is None


def test_a_row_is_busy_above_one_and_a_half_processes_a_core() -> None:
    one = figures("held", "C", [5], Unit.BYTES)
    assert not one.busy
    assert not replace(one, load=3.0, cores=2).busy
    assert replace(one, load=3.1, cores=2).busy


def test_rows_come_back_from_json_as_they_were() -> None:
    for one in (
        replace(row("scan", "A", SERIES, Beside("rg", THEIRS), faster(2.0), note="n"), part="warm", load=1.5, cores=2),
        figures("recall", "A", [93.2], Unit.PERCENT, least(91.5)),
    ):
        assert Row.read(json.loads(json.dumps(one.json()))) == one


def test_keys_tell_rows_apart_that_differ_in_clock_yardstick_corpus_or_part() -> None:
    one = row("scan", "A", SERIES, Beside("rg", THEIRS))
    others = [
        replace(one, part="cold"),
        replace(one, corpus="docs"),
        replace(one, yardstick="tantivy"),
        replace(one, unit=Unit.CPU),
        replace(one, what="rank"),
    ]
    assert len({other.key for other in (one, *others)}) == 6
    assert replace(one, ours=(1.0,), note="again", load=9.0).key == one.key
