"""Whether a line holds a value that meets a condition: "in March 2015", "before 2016", "more than 3 GB"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lens_lsp.arithmetic.context import REACH, counts_as_year
from lens_lsp.arithmetic.dates import CalendarDate, agrees
from lens_lsp.arithmetic.operations import order
from lens_lsp.arithmetic.reading import find_values, first_value
from lens_lsp.arithmetic.units import ONE, Dimension
from lens_lsp.arithmetic.values import Kind, Value, is_year, quantity
from lens_lsp.model.errors import ComputationError
from lens_lsp.model.plan import Condition


def meets(condition: Condition, line: str, context: str) -> bool:
    """Whether any value of a line stands in the relation to the value that the condition names.

    A line that names no date is as old as what stands above it: ``context`` is its document's title, headings and
    path. Values that cannot be compared do not meet a condition, and nothing meets one that names no value.
    """
    target = first_value(condition.value)
    if target is None:
        return False
    values = _amounts(line, target)
    if any(_holds(condition.relation, value, target) for value in values):
        return True
    if target.date is None or any(value.date is not None for value in values):
        return False
    above = find_values(context.title())  # months count in small letters too
    return any(value.date is not None and _in_time(condition.relation, value.date, target.date) for value in above)


def _amounts(line: str, target: Value) -> Sequence[Value]:
    """The values of a line; what looks like a year is an amount beside an amount of as many digits.

    "sold: 2050" is more than 2,000; "since 2015" and "in 2015" stay years.
    """
    values = find_values(line)
    if target.kind is not Kind.NUMBER or target.unit != ONE or not 1000 <= target.magnitude < 10_000:
        return values
    return [quantity(value.magnitude) if is_year(value) and not _said_year(line, value) else value for value in values]


def _said_year(line: str, value: Value) -> bool:
    start = value.span.start if value.span is not None else 0
    return counts_as_year(line[max(0, start - REACH) : start], int(value.magnitude))


def _holds(relation: str, value: Value, target: Value) -> bool:
    if value.date is not None and target.date is not None:
        return _in_time(relation, value.date, target.date)
    if value.date is not None or target.date is not None:
        return False
    if ONE in (value.unit, target.unit) and Dimension.COUNT in (value.unit.dimension, target.unit.dimension):
        value, target = replace(value, unit=ONE), replace(target, unit=ONE)  # "more than 10", and "12 pages" are
    elif target.unit == ONE and value.unit.dimension is Dimension.MONEY:
        value = replace(value, unit=ONE)  # "more than 2,000", and "$2,500.00" is
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
