"""What models were used: calls, tokens and money for each day and origin. Kept in ``usage.json``.

No question, no document, no key: who may spend how much a day needs the sums alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from lens_lsp.memory.userdata.folder import change_kept, kept_folder, read_kept

KEPT_DAYS = 400
"""Days that are kept; older ones are forgotten with the next call."""

_SCHEMA = "lens.usage/1"


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls came to. ``cost`` is that of the calls whose prices were known, None when none were."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.tokens_in + self.tokens_out

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Spent(
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            sum(costs) if costs else None,
        )


Days = dict[str, dict[str, Spent]]
"""By day (ISO), by origin."""


def usage_file() -> Path:
    """Where usage is kept."""
    return kept_folder() / "usage.json"


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of the days that are kept."""

    days: Mapping[str, Mapping[str, Spent]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Usage:
        """Read the file; one that is missing holds nothing. Raises OSError, and ValueError for a broken file."""
        return cls(_parsed(read_kept(path)))

    def on(self, day: date) -> Spent:
        """All that was spent on one day, at all origins."""
        total = Spent()
        for spent in self.days.get(day.isoformat(), {}).values():
            total = total.plus(spent)
        return total


def record_usage(path: Path, day: date, origin: str, spent: Spent) -> None:
    """Add to what was spent on a day at an origin; a broken file is begun anew. Raises OSError."""

    def added(data: bytes | None) -> bytes:
        try:
            days = _parsed(data)
        except ValueError:
            days = {}
        today = days.setdefault(day.isoformat(), {})
        today[origin] = today.get(origin, Spent()).plus(spent)
        return _text({name: days[name] for name in sorted(days)[-KEPT_DAYS:]}).encode("ascii")

    change_kept(path, added)


def _text(days: Days) -> str:
    shown = {day: {origin: _entry(spent) for origin, spent in sorted(days[day].items())} for day in days}
    return json.dumps({"schema": _SCHEMA, "days": shown}, indent=1)


def _entry(spent: Spent) -> dict[str, object]:
    return {"calls": spent.calls, "tokens": {"in": spent.tokens_in, "out": spent.tokens_out}, "cost": spent.cost}


def _parsed(data: bytes | None) -> Days:
    """The days a file holds. Raises ValueError for what is no such file."""
    if data is None:
        return {}
    try:
        found = json.loads(data)
        if found["schema"] != _SCHEMA:
            raise ValueError("another schema")
        return {
            date.fromisoformat(day).isoformat(): {str(origin): _spent(entry) for origin, entry in origins.items()}
            for day, origins in found["days"].items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("not a record of usage") from error


def _spent(entry: Mapping[str, object]) -> Spent:
    tokens, cost = entry["tokens"], entry["cost"]
    if not isinstance(tokens, dict):
        raise TypeError("no tokens")
    if cost is not None and not (isinstance(cost, int | float) and 0 <= cost < float("inf")):
        raise ValueError("no cost")
    return Spent(_count(entry["calls"]), _count(tokens["in"]), _count(tokens["out"]), cost)


def _count(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("no count")
    return value
