"""A line of the table: what was measured, beside what, what is asked of it, and whether that holds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from benchmarks.measuring import Series

BUSY = 1.5
"""A row measured while more than so many processes a core wanted to run is marked."""


class Unit(StrEnum):
    """What the values of a row count."""

    WALL = "wall"
    """Seconds by the clock on the wall."""
    CPU = "cpu"
    """Seconds of processor time."""
    BYTES = "bytes"
    COUNT = "count"
    TIMES = "times"
    """A quotient."""
    PERCENT = "percent"
    """Of questions; the only unit of which more is better."""


class Kind(StrEnum):
    """How a goal is meant."""

    FASTER = "faster"
    """The yardstick takes at least so many times as long as we do."""
    COST = "cost"
    """We take at most so many times what the yardstick takes."""
    MOST = "most"
    """Our median is at most so much."""
    LEAST = "least"
    """Our median is at least so much."""


@dataclass(frozen=True, slots=True)
class Goal:
    """What is asked of a row."""

    kind: Kind
    value: float


def faster(times: float) -> Goal:
    return Goal(Kind.FASTER, times)


def cost(times: float) -> Goal:
    return Goal(Kind.COST, times)


def most(value: float) -> Goal:
    return Goal(Kind.MOST, value)


def least(value: float) -> Goal:
    return Goal(Kind.LEAST, value)


@dataclass(frozen=True, slots=True)
class Row:
    """Ours and, where there is one, the yardstick's values, run by run: the n-th of both are neighbours in time."""

    what: str
    corpus: str
    ours: tuple[float, ...]
    unit: Unit = Unit.WALL
    yardstick: str = ""
    theirs: tuple[float, ...] = ()
    goal: Goal | None = None
    note: str = ""
    cpu: tuple[float, ...] = ()
    """Of a row by the wall, our seconds of processor time: what a busy machine changes less."""
    their_cpu: tuple[float, ...] = ()
    part: str = ""
    load: float | None = None
    """Processes that wanted to run during the minute before the row was done; None where it is not known."""
    cores: int = 1

    @property
    def key(self) -> str:
        """What tells it from every other row, in this and in later runs."""
        return " · ".join(filter(None, (self.part, self.what, self.corpus, self.yardstick, self.unit)))

    @property
    def median(self) -> float:
        return statistics.median(self.ours)

    @property
    def times(self) -> float | None:
        """Our median over theirs."""
        return self.median / statistics.median(self.theirs) if self.theirs else None

    @property
    def paired(self) -> tuple[float, ...]:
        """What a later run is compared by: ours over theirs in each run, or ours alone where there is no yardstick."""
        if not self.theirs:
            return self.ours
        return tuple(one / other for one, other in zip(self.ours, self.theirs, strict=True))

    @property
    def holds(self) -> bool | None:
        """Whether the goal is reached; None where there is none."""
        if self.goal is None:
            return None
        if self.goal.kind is Kind.MOST:
            return self.median <= self.goal.value
        if self.goal.kind is Kind.LEAST:
            return self.median >= self.goal.value
        if self.times is None:
            raise ValueError(f"{self.key}: a goal of a quotient, and nothing to divide by")
        return self.times <= (self.goal.value if self.goal.kind is Kind.COST else 1 / self.goal.value)

    @property
    def busy(self) -> bool:
        """Whether others wanted the processors, too: then times are upper bounds."""
        return self.load is not None and self.load > BUSY * self.cores

    def json(self) -> dict[str, Any]:
        """As it is kept; the derived values are there for readers and are not read back."""
        return {
            "key": self.key,
            "part": self.part,
            "what": self.what,
            "corpus": self.corpus,
            "unit": self.unit.value,
            "ours": list(self.ours),
            "yardstick": self.yardstick,
            "theirs": list(self.theirs),
            "goal": None if self.goal is None else {"kind": self.goal.kind.value, "value": self.goal.value},
            "note": self.note,
            "cpu": list(self.cpu),
            "theirCpu": list(self.their_cpu),
            "load": self.load,
            "cores": self.cores,
            "median": self.median,
            "times": self.times,
            "holds": self.holds,
            "busy": self.busy,
        }

    @classmethod
    def read(cls, kept: dict[str, Any]) -> Row:
        """One that was kept. Raises KeyError, TypeError or ValueError for anything else."""
        goal = kept["goal"]
        return cls(
            what=kept["what"],
            corpus=kept["corpus"],
            ours=tuple(kept["ours"]),
            unit=Unit(kept["unit"]),
            yardstick=kept["yardstick"],
            theirs=tuple(kept["theirs"]),
            goal=None if goal is None else Goal(Kind(goal["kind"]), goal["value"]),
            note=kept["note"],
            cpu=tuple(kept["cpu"]),
            their_cpu=tuple(kept["theirCpu"]),
            part=kept["part"],
            load=kept["load"],
            cores=kept["cores"],
        )


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside ours in a row."""

    name: str
    series: Series


def row(
    what: str,
    corpus: str,
    ours: Series,
    beside: Beside | None = None,
    goal: Goal | None = None,
    *,
    unit: Unit = Unit.WALL,
    note: str = "",
    whole: bool = True,
) -> Row:
    """A row of times, by one of the two clocks. ``whole``: the processor times are those of all the work."""
    name, theirs = ("", ()) if beside is None else (beside.name, _values(beside.series, unit))
    found = Row(what, corpus, _values(ours, unit), unit, name, theirs, goal, note)
    if unit is Unit.CPU or not whole:
        return found
    return replace(
        found, cpu=_values(ours, Unit.CPU), their_cpu=() if beside is None else _values(beside.series, Unit.CPU)
    )


def figures(
    what: str, corpus: str, values: Sequence[float], unit: Unit, goal: Goal | None = None, note: str = ""
) -> Row:
    """A row of anything that is not timed twice."""
    return Row(what, corpus, tuple(values), unit, goal=goal, note=note)


def _values(series: Series, unit: Unit) -> tuple[float, ...]:
    return tuple(round(value, 7) for value in series.of(unit.value))
