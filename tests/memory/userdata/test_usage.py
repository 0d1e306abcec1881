"""Usage by day and origin, and what is left of a day's tokens."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from lens_lsp.memory.userdata import KEPT_DAYS, Meter, Spent, Usage, record_usage
from lens_lsp.model.errors import UsageError

DAY = date(2031, 6, 30)
HERE, THERE = "http://127.0.0.1:1", "https://models.invalid"


def entry(text: str) -> bytes:
    return f'{{"schema": "lens.usage/1", "days": {{"2031-06-30": {{"{THERE}": {text}}}}}}}'.encode()


BROKEN = [
    b"",
    b"{",
    b"[]",
    b"\xff",
    b'{"schema": "lens.usage/2", "days": {}}',
    b'{"schema": "lens.usage/1", "days": []}',
    b'{"schema": "lens.usage/1", "days": {"someday": {}}}',
    entry('{"calls": -1, "tokens": {"in": 0, "out": 0}, "cost": 0}'),
    entry('{"calls": 1, "tokens": {"in": "9", "out": 0}, "cost": 0}'),
    entry('{"calls": 1, "tokens": {"in": 9}, "cost": 0}'),
    entry('{"calls": 1, "tokens": [], "cost": 0}'),
    entry('{"calls": 1, "tokens": {"in": 0, "out": 0}, "cost": "x"}'),
    entry('{"calls": 1, "tokens": {"in": 0, "out": 0}, "cost": -1}'),
    b"[" * 99_999,
]


def meter(path: Path, origin: str = THERE, prices: tuple[float, float] | None = None) -> Meter:
    return Meter(path, origin, prices, lambda: DAY)


def test_calls_add_up_by_day_and_origin(tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    meter(path, THERE, (2.0, 10.0)).spent(1_000_000, 100_000)
    meter(path, THERE).spent(5, 5)
    meter(path, HERE).spent(100, 10)
    record_usage(path, DAY - timedelta(1), THERE, Spent(1, 7, 7))
    usage = Usage.read(path)
    assert usage.days[DAY.isoformat()][THERE] == Spent(2, 1_000_005, 100_005, 3.0)
    assert usage.days[DAY.isoformat()][HERE] == Spent(1, 100, 10, None)
    assert usage.on(DAY).tokens == 1_100_120
    assert usage.on(DAY - timedelta(1)) == Spent(1, 7, 7)
    assert usage.on(DAY + timedelta(1)) == Spent()


def test_old_days_are_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    days = {f"2020-{1 + number // 28:02}-{1 + number % 28:02}": {} for number in range(12 * 28)}
    days |= {day.replace("2020", "2021"): {} for day in days}
    path.write_text(f'{{"schema": "lens.usage/1", "days": {days}}}'.replace("'", '"'))
    record_usage(path, DAY, THERE, Spent(1, 2, 3))
    kept = Usage.read(path).days
    assert len(kept) == KEPT_DAYS
    assert min(kept) > "2020-06"
    assert DAY.isoformat() in kept


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_file_is_begun_anew_and_never_counts_as_nothing_used(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "usage.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="not a record of usage"):
        Usage.read(path)
    with pytest.raises(UsageError, match=r"usage\.json.*delete it"):
        meter(path).left(100)
    assert path.read_bytes() == content
    meter(path).spent(3, 4)
    assert meter(path).left(100) == 93


def test_what_is_left_of_a_day_is_never_below_zero(tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    assert meter(path).left(100) == 100
    meter(path, HERE).spent(60, 0)
    meter(path, THERE).spent(0, 30)
    assert meter(path).left(100) == 10
    meter(path).spent(500, 0)
    assert meter(path).left(100) == 0


def test_a_limit_that_cannot_be_counted_is_refused_and_a_call_that_cannot_be_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    nowhere = meter(tmp_path / "file" / "usage.json")
    with pytest.raises(UsageError, match=r"budget\.dailyTokens cannot be kept"):
        nowhere.left(100)
    assert nowhere.problem is None
    nowhere.spent(1, 1)
    assert nowhere.problem is not None
    assert "usage.json" in nowhere.problem
