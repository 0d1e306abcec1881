"""Whether a line holds a value that meets a condition: "in March 2015", "before 2016", "more than 3 GB"."""

from __future__ import annotations

from dataclasses import replace

from lens_lsp.computation.arithmetic import order
from lens_lsp.computation.dates import CalendarDate, agrees
from lens_lsp.computation.reading import find_values
from lens_lsp.computation.units import ONE, Dimension
from lens_lsp.computation.values import Value
from lens_lsp.domain.errors import ComputationError


def holds(relation: str, wanted: str, line: str) -> bool:
    """Whether any value of the line stands in the relation to the value that ``wanted`` writes.

    Relations are ``<``, ``<=``, ``>``, ``>=``, ``=`` and ``in`` (a date within a period). Values that cannot be
    compared do not meet it; nor does anything when ``wanted`` holds no value.
    """
    target = next(iter(find_values(wanted)), None)
    return target is not None and any(_meets(relation, value, target) for value in find_values(line))


def _meets(relation: str, value: Value, target: Value) -> bool:
    if value.date is not None and target.date is not None:
        return _in_time(relation, value.date, target.date)
    if value.date is not None or target.date is not None:
        return False
    if ONE in (value.unit, target.unit) and Dimension.COUNT in (value.unit.dimension, target.unit.dimension):
        value, target = replace(value, unit=ONE), replace(target, unit=ONE)  # "more than 10", and "12 pages" are
    try:
        compared = order(value, target)
    except ComputationError:
        return False
    allowed = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "=": (0,), "in": (0,)}
    return compared in allowed.get(relation, ())


def _in_time(relation: str, date: CalendarDate, target: CalendarDate) -> bool:
    """A date known to the month or year meets a condition only when all its days do."""
    if relation == "in":
        return target.first <= date.first and date.last <= target.last
    if relation == "=":
        return agrees(date, target)
    return {
        "<": date.last < target.first,
        "<=": date.last <= target.last,
        ">": date.first > target.last,
        ">=": date.first >= target.first,
    }.get(relation, False)
