"""What is kept of a run, and when a row counts as better or worse than the one before."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.speed.record import (
    SCHEMA,
    Record,
    RecordError,
    Verdict,
    compared,
    read_record,
    regressions,
    verdict,
)
from benchmarks.speed.row import Row, Unit, most

MACHINE = {"processor": "p", "cores": 2, "system": "Linux", "python": "3", "build": "b"}
OURS = (1.0, 1.1, 1.2)
TIMED = Row("find", "A", OURS, part="find", load=1.0, cores=2)
BESIDE = replace(TIMED, yardstick="rg", theirs=(10.0, 10.0, 10.0))


def record(*rows: Row, **changed: object) -> Record:
    corpora = {"A": {"files": 10, "bytes": 100}}
    return replace(Record(dict(MACHINE), "generated", "2030-01-01", corpora=corpora, rows=list(rows)), **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("now", "found"),
    [
        ((1.3, 1.4, 1.5), Verdict.WORSE),
        ((0.7, 0.8, 0.9), Verdict.BETTER),
        ((1.2, 1.3, 1.4), Verdict.SAME),  # the spreads touch
        ((0.5, 1.4, 9.0), Verdict.SAME),
        (OURS, Verdict.SAME),
    ],
)
def test_only_what_lies_beyond_the_spread_is_a_change(now: tuple[float, ...], found: Verdict) -> None:
    assert verdict(replace(TIMED, ours=now), TIMED, here=True) is found
    slower_together = tuple(3 * value for value in now)
    beside = replace(BESIDE, ours=slower_together, theirs=(30.0, 30.0, 30.0))
    assert verdict(beside, BESIDE, here=False) is found


def test_a_narrow_spread_does_not_make_a_small_change_large() -> None:
    steady = replace(TIMED, ours=(1.0, 1.0, 1.0))
    assert verdict(replace(TIMED, ours=(1.04, 1.04, 1.04)), steady, here=True) is Verdict.SAME
    assert verdict(replace(TIMED, ours=(1.06, 1.06, 1.06)), steady, here=True) is Verdict.WORSE


def test_bare_times_of_a_busy_or_another_machine_are_not_compared() -> None:
    worse = replace(TIMED, ours=(5.0, 5.0, 5.0))
    assert verdict(worse, TIMED, here=False) is Verdict.UNKNOWN
    assert verdict(replace(worse, load=3.5), TIMED, here=True) is Verdict.UNKNOWN
    assert verdict(worse, replace(TIMED, load=3.5), here=True) is Verdict.UNKNOWN
    held = replace(TIMED, ours=(5.0,), unit=Unit.BYTES, load=3.5)
    assert verdict(held, replace(held, ours=(4.0,)), here=False) is Verdict.WORSE


def test_of_recall_less_is_worse() -> None:
    recall = Row("R@5", "A", (93.0,), Unit.PERCENT)
    assert verdict(replace(recall, ours=(80.0,)), recall, here=True) is Verdict.WORSE
    assert verdict(replace(recall, ours=(99.0,)), recall, here=True) is Verdict.BETTER


def test_rows_are_compared_by_key_over_equal_corpora() -> None:
    worse = replace(TIMED, ours=(5.0, 5.0, 5.0))
    before = record(TIMED, replace(TIMED, what="gone"))
    (only,) = regressions(compared(record(worse, replace(worse, what="new")), before))
    assert (only.now, only.before) == (worse, TIMED)
    assert regressions(compared(record(TIMED), before)) == []
    assert compared(record(worse, corpora={"A": {"files": 11, "bytes": 100}}), before) == []
    assert compared(record(worse, text="hotpotqa 500"), before) == []
    assert compared(record(worse, quick=True), before) == []


def test_rows_of_other_parts_are_kept_of_the_same_build_alone() -> None:
    earlier = record(TIMED, replace(TIMED, part="cold"), points=[{"curve": "files"}], commands=["rg"])
    again = record(replace(TIMED, ours=(2.0,)))
    again.with_kept(earlier, ["find"])
    assert [(row.part, row.ours) for row in again.rows] == [("find", (2.0,)), ("cold", OURS)]
    assert (again.points, again.commands) == ([{"curve": "files"}], ["rg"])
    for other in (
        record(machine=MACHINE | {"build": "other"}),
        record(machine=MACHINE | {"processor": "other"}),
        record(text="other"),
        record(quick=True),
    ):
        other.with_kept(earlier, ["find"])
        assert other.rows == []


def test_a_record_comes_back_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "benchmarks.json"
    assert read_record(path) is None
    kept = record(replace(TIMED, goal=most(2.0)), warnings=["busy"])
    kept.write(path)
    assert read_record(path) == kept


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "lens.speed/1"}', json.dumps({"schema": SCHEMA, "rows": [{}]})])
def test_a_file_that_is_no_record_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "benchmarks.json"
    path.write_text(text, "utf-8")
    with pytest.raises(RecordError, match=r"benchmarks\.json"):
        read_record(path)
