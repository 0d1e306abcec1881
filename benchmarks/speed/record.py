"""What a run leaves behind as JSON, and how it differs from what an earlier one left."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.speed.row import Row, Unit

SCHEMA = "lens.benchmarks/1"
LEAST_CHANGE = 0.05
"""Medians that differ by less are equal, however narrow the spread is."""
_SAME_MACHINE = ("processor", "cores", "system", "python")


class RecordError(Exception):
    """A file is no record of this benchmark."""


@dataclass(slots=True)
class Record:
    """All rows of a run, the points of the curves, and what they were taken on and of."""

    machine: dict[str, Any]
    """As `measuring.machine`; the build is that of every row."""
    text: str
    """Where the text of the corpora comes from."""
    day: str
    quick: bool = False
    corpora: dict[str, dict[str, int]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    points: list[dict[str, Any]] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "day": self.day,
            "quick": self.quick,
            "machine": self.machine,
            "text": self.text,
            "corpora": self.corpora,
            "rows": [row.json() for row in self.rows],
            "points": self.points,
            "commands": self.commands,
            "warnings": self.warnings,
        }

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(self.json(), ensure_ascii=False, indent=1) + "\n", "utf-8")

    def with_kept(self, earlier: Record | None, parts: Sequence[str]) -> None:
        """Take over the rows of other parts than these from an earlier record of the same build, machine and text."""
        if earlier is None or (earlier.machine["build"], earlier.text) != (self.machine["build"], self.text):
            return
        if not same_machine(self, earlier) or earlier.quick != self.quick:
            return
        self.rows += [row for row in earlier.rows if row.part not in parts]
        self.points += [] if "curves" in parts else earlier.points
        self.commands += earlier.commands
        self.warnings += earlier.warnings
        self.corpora |= earlier.corpora


def read_record(path: Path) -> Record | None:
    """What was written there; None where there is nothing. Raises RecordError for anything else."""
    try:
        kept = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise RecordError(f"{path} cannot be read: {error}") from error
    try:
        if kept["schema"] != SCHEMA:
            raise RecordError(f"{path} is a {kept['schema']}, not a {SCHEMA}")
        rows = [Row.read(row) for row in kept["rows"]]
        names = ("machine", "text", "day", "quick", "corpora", "points", "commands", "warnings")
        return Record(rows=rows, **{name: kept[name] for name in names})
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{path} is no record of a benchmark: {error!r}") from error


class Verdict(StrEnum):
    """How a row differs from the earlier one."""

    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    """Within the spread of the runs, or too little to tell."""
    UNKNOWN = "not comparable"
    """A time without a yardstick, of another machine or of a busy one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One row of both records."""

    now: Row
    before: Row
    verdict: Verdict


def compared(now: Record, before: Record) -> list[Difference]:
    """The rows that both have over equal corpora, in order."""
    known = {row.key: row for row in before.rows}
    here = same_machine(now, before)
    both = [row for row in now.rows if row.key in known and _same_corpus(row, now, before)]
    return [Difference(row, known[row.key], verdict(row, known[row.key], here)) for row in both]


def verdict(now: Row, before: Row, here: bool) -> Verdict:
    """Better or worse only where the spreads do not touch; ``here``: both were taken on the same machine.

    Quotients of runs that were neighbours can be compared across machines and loads, bare times cannot.
    """
    if now.unit in (Unit.WALL, Unit.CPU) and not now.theirs and (not here or now.busy or before.busy):
        return Verdict.UNKNOWN
    ours, theirs = _values(now), _values(before)
    middle, other = median(ours), median(theirs)
    if abs(middle - other) <= LEAST_CHANGE * abs(other):
        return Verdict.SAME
    if min(ours) > max(theirs):
        return Verdict.WORSE
    return Verdict.BETTER if max(ours) < min(theirs) else Verdict.SAME


def regressions(differences: Iterable[Difference]) -> list[Difference]:
    return [one for one in differences if one.verdict is Verdict.WORSE]


def same_machine(now: Record, before: Record) -> bool:
    return all(now.machine[name] == before.machine[name] for name in _SAME_MACHINE)


def _same_corpus(row: Row, now: Record, before: Record) -> bool:
    name = row.corpus.partition(",")[0]
    return now.quick == before.quick and now.text == before.text and now.corpora.get(name) == before.corpora.get(name)


def _values(row: Row) -> tuple[float, ...]:
    """Of which less is better."""
    return tuple(-value for value in row.ours) if row.unit is Unit.PERCENT else row.paired
