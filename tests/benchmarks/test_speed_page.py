"""The page and the pictures of a record."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.speed.page import figure, number, page, ratio, summary
from benchmarks.speed.plots import draw
from benchmarks.speed.record import Record, compared
from benchmarks.speed.row import Row, Unit, cost, faster, most

MACHINE = {
    "processor": "p",
    "cores": 2,
    "memoryGiB": 23.4,
    "system": "Linux",
    "python": "3",
    "build": "b",
    "libraries": {"numpy": "2"},
    "ripgrep": "ripgrep 15",
}
WARM = Row(
    "scan",
    "A",
    (0.004, 0.005, 0.006),
    yardstick="rg",
    theirs=(0.1, 0.1, 0.1),
    goal=faster(15),
    note="41 matches",
    cpu=(0.004,),
    their_cpu=(0.2,),
    part="warm",
    load=0.5,
    cores=2,
)
LIMIT = replace(WARM, yardstick="one pass", theirs=(0.001, 0.001, 0.001), goal=cost(4.0), note="", load=8.0)
HELD = Row("held at most", "C", (250e6,), Unit.BYTES, goal=most(300e6), part="memory")
POINT = {"curve": "bytes", "files": 66, "bytes": 10**6, "first": 0.2, "find": 0.01, "peakBytes": 50e6}
TITLES = {"memory": "Memory", "warm": "Scanning"}


def record(*rows: Row) -> Record:
    corpora = {name: {"files": 20_020, "bytes": 11_000_000} for name in ("A", "C")}
    return Record(dict(MACHINE), "generated", "2030-01-01", corpora=corpora, rows=list(rows), points=[dict(POINT)])


def cells(text: str, start: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {start}")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_each_row_stands_beside_its_goal_and_whether_it_holds() -> None:
    shown = page(record(WARM, LIMIT, HELD), [], None, TITLES)
    yardsticks = [line for line in shown.splitlines() if line.startswith("| scan")]
    assert "| 5.0 [4.0–6.0] | rg | 100 [100–100] | 20.0× as fast | ≥ 15× | yes | 4.0 / 200 |" in yardsticks[0]
    assert "| 5.0 [4.0–6.0]† | one pass | 1.0 [1.0–1.0] | 5.00× the cost | ≤ 4× | NO† | 4.0 / 200 |" in yardsticks[1]
    assert cells(shown, "held")[2:] == ["250 MB", "–", "–", "–", "≤ 300 MB", "yes", "–"]
    assert shown.index("## Memory") < shown.index("## Scanning")
    assert "* scan, A: 41 matches" in shown


def test_what_does_not_hold_is_said_first() -> None:
    shown = page(record(WARM, LIMIT, HELD), [], None, TITLES)
    assert "2 of 3 goals hold; 1 of 3 rows were measured while the machine was busy." in shown
    missed = shown.partition("What does not hold:")[2].partition("\n\n!")[0].strip()
    assert missed == "* scan, A: 5.0 [4.0–6.0]; one pass 1.0 [1.0–1.0], 5.00× the cost (goal ≤ 4×)"
    assert "What does not hold" not in page(record(WARM, HELD), [], None, TITLES)


def test_rows_that_changed_are_told_with_what_they_were() -> None:
    before = record(WARM, HELD)
    now = record(replace(WARM, ours=(0.008, 0.008, 0.008)), replace(HELD, ours=(200e6,)))
    differences = compared(now, before)
    shown = page(now, differences, before, TITLES)
    assert "of 2 rows that both have 2 differ" in shown
    part = shown.partition("## Since the record before")[2]
    assert cells(part, "scan")[2:] == ["0.05× [0.04×–0.06×] rg", "0.08× [0.08×–0.08×] rg", "worse"]
    assert cells(part, "held")[2:] == ["250 MB", "200 MB", "better"]
    assert "worse: warm · scan · A · rg · wall: 5.0 [4.0–6.0] → 8.0 [8.0–8.0]" in summary(now, differences)


def test_points_of_curves_stand_in_a_table() -> None:
    shown = page(record(), [], None, TITLES)
    assert cells(shown, "bytes") == ["bytes", "66 files", "1.0 MB", "200", "10.0", "–", "–", "50 MB"]
    assert "seconds-by-bytes.png" in shown
    assert "seconds-by-files.png" not in shown


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.0123456, Unit.WALL, "12.3"),
        (1.5, Unit.CPU, "1,500"),
        (0.00034, Unit.WALL, "0.340"),
        (2_500_000, Unit.BYTES, "2 MB"),
        (3, Unit.COUNT, "3"),
        (1.049, Unit.TIMES, "1.05×"),
        (93.25, Unit.PERCENT, "93.2"),
    ],
)
def test_numbers_are_shown_as_readers_want_them(value: float, unit: Unit, shown: str) -> None:
    assert number(value, unit) == shown


def test_one_value_has_no_spread() -> None:
    assert figure((0.002, 0.001, 0.003), Unit.WALL) == "2.0 [1.0–3.0]"
    assert figure((0.002,), Unit.WALL) == "2.0"


def test_a_quotient_without_a_goal_is_told_in_the_direction_above_one() -> None:
    assert ratio(replace(WARM, goal=None)) == "20.0× as fast"
    assert ratio(replace(LIMIT, goal=None)) == "5.00× the cost"
    assert ratio(HELD) == "–"


def test_equal_records_give_equal_pictures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    changed = replace(WARM, part="changes")
    first, again = (
        {path.name: path.read_bytes() for path in draw(record(WARM, LIMIT, HELD, changed), tmp_path / name)}
        for name in ("first", "again")
    )
    assert first == again
    assert set(first) == {"goals.png", "changes.png", "seconds-by-bytes.png", "memory-by-bytes.png"}
    assert all(picture.startswith(b"\x89PNG") for picture in first.values())
