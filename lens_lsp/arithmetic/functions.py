"""The functions an expression may call: how many arguments each takes, and what it gives.

Rules that need saying: ``months`` and ``years`` count whole ones, ``change`` is relative to the size of the first,
``round`` takes halves away from zero, ``median`` of an even number of values is the mean of the middle two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cmp_to_key, reduce

from lens_lsp.arithmetic.dates import CalendarDate, days_between, months_between, try_date, years_between
from lens_lsp.arithmetic.operations import add, amounts, described_value, divide, in_unit, order, subtract
from lens_lsp.arithmetic.unit_table import known_unit
from lens_lsp.arithmetic.units import ONE, Dimension, compatible, from_base, to_base
from lens_lsp.arithmetic.values import NUMERIC, Kind, Value, dated, is_year, quantity
from lens_lsp.arithmetic.writing import half_up
from lens_lsp.model.errors import ComputationError

_MOST_PLACES = 12


@dataclass(frozen=True, slots=True)
class Function:
    """A function of an expression; ``most`` is None when it takes any number of arguments."""

    call: Callable[[Sequence[Value]], Value]
    least: int
    most: int | None


def _alike(values: Sequence[Value], what: str, *, affine: bool) -> list[Value]:
    """All values as amounts in the unit of the first."""
    first = values[0]
    if is_year(first) and any(value.kind is Kind.NUMBER for value in values):
        values = [amounts(value, quantity(0))[0] for value in values]
        first = values[0]
    if first.kind not in NUMERIC or first.unit.dimension is Dimension.ORDINAL:
        raise ComputationError(f"Cannot take the {what} of {described_value(first)}.")
    if first.unit.dimension is Dimension.TEMPERATURE and not affine:
        raise ComputationError(f"Cannot take the {what} of temperatures.")
    return [in_unit(amounts(value, first)[0], first.unit) for value in values]


def _approximate(values: Sequence[Value]) -> bool:
    return any(value.approximate for value in values)


def _sum(values: Sequence[Value]) -> Value:
    return reduce(add, _alike(values, "sum", affine=False))


def _mean(values: Sequence[Value]) -> Value:
    alike = _alike(values, "mean", affine=True)
    unit = alike[0].unit
    total = sum((to_base(value.magnitude, unit) for value in alike), Fraction(0))
    return quantity(from_base(total / len(alike), unit), unit, approximate=_approximate(alike))


def _median(values: Sequence[Value]) -> Value:
    alike = sorted(_alike(values, "median", affine=True), key=lambda value: value.magnitude)
    middle = alike[(len(alike) - 1) // 2 : len(alike) // 2 + 1]
    return replace(_mean(middle), approximate=_approximate(alike))


def _least(values: Sequence[Value]) -> Value:
    return min(values, key=cmp_to_key(order))


def _greatest(values: Sequence[Value]) -> Value:
    return max(values, key=cmp_to_key(order))


def _only_dates(name: str, choose: Callable[[Sequence[Value]], Value]) -> Callable[[Sequence[Value]], Value]:
    def chosen(values: Sequence[Value]) -> Value:
        for value in values:
            _date(name, value)
        return choose(values)

    return chosen


def _count(values: Sequence[Value]) -> Value:
    return quantity(len(values))


def _abs(values: Sequence[Value]) -> Value:
    (value,) = values
    if value.kind not in NUMERIC:
        raise ComputationError(f"Cannot take the absolute value of {described_value(value)}.")
    return quantity(abs(value.magnitude), value.unit, approximate=value.approximate)


def _round(values: Sequence[Value]) -> Value:
    value, places = values[0], values[1] if len(values) > 1 else quantity(0)
    whole = places.kind is Kind.NUMBER and places.unit == ONE and places.magnitude.denominator == 1
    if not whole or abs(places.magnitude) > _MOST_PLACES:
        raise ComputationError(f"The places of round must be a whole number from -{_MOST_PLACES} to {_MOST_PLACES}.")
    if value.kind not in NUMERIC:
        raise ComputationError(f"Cannot round {described_value(value)}.")
    power = Fraction(10) ** int(places.magnitude)
    return quantity(half_up(value.magnitude * power) / power, value.unit, approximate=value.approximate)


def _date(name: str, value: Value) -> CalendarDate:
    if value.date is None:
        raise ComputationError(f"{name} takes dates, not {described_value(value)}.")
    return value.date


def _between(
    name: str, unit: str, count: Callable[[CalendarDate, CalendarDate], int], per: int = 1
) -> Callable[[Sequence[Value]], Value]:
    def between(values: Sequence[Value]) -> Value:
        a, b = (_date(name, value) for value in values)
        vague = _approximate(values) or a.precision is not b.precision
        return quantity(Fraction(count(a, b), per), known_unit(unit), approximate=vague)

    return between


def _ratio(values: Sequence[Value]) -> Value:
    a, b = amounts(*values)
    if a.kind not in NUMERIC or b.kind not in NUMERIC or not compatible(a.unit, b.unit):
        raise ComputationError(f"Cannot compare {described_value(a)} and {described_value(b)} as parts of a whole.")
    return divide(a, b)


def _percent(values: Sequence[Value]) -> Value:
    ratio = _ratio(values)
    return replace(ratio, magnitude=ratio.magnitude * 100, unit=known_unit("%"))


def _change(values: Sequence[Value]) -> Value:
    a, b = amounts(*values)
    _ratio((b, a))
    return _percent((subtract(b, a), _abs((a,))))


def _make_date(values: Sequence[Value]) -> Value:
    parts = [value.magnitude for value in values]
    plain = all((value.kind is Kind.NUMBER and value.unit == ONE) or is_year(value) for value in values)
    whole = plain and all(part.denominator == 1 and abs(part) < 10_000 for part in parts)
    date = try_date(*map(int, parts)) if whole else None
    if date is None:
        raise ComputationError("date takes a year, a month and a day that a calendar has.")
    return dated(date, approximate=_approximate(values))


FUNCTIONS = {
    "sum": Function(_sum, 1, None),
    "mean": Function(_mean, 1, None),
    "median": Function(_median, 1, None),
    "min": Function(_least, 1, None),
    "max": Function(_greatest, 1, None),
    "earliest": Function(_only_dates("earliest", _least), 1, None),
    "latest": Function(_only_dates("latest", _greatest), 1, None),
    "count": Function(_count, 1, None),
    "abs": Function(_abs, 1, 1),
    "round": Function(_round, 1, 2),
    "days": Function(_between("days", "day", days_between), 2, 2),
    "weeks": Function(_between("weeks", "week", days_between, 7), 2, 2),
    "months": Function(_between("months", "month", months_between), 2, 2),
    "years": Function(_between("years", "year", years_between), 2, 2),
    "ratio": Function(_ratio, 2, 2),
    "percent": Function(_percent, 2, 2),
    "change": Function(_change, 2, 2),
    "date": Function(_make_date, 1, 3),
}
"""By name. ``convert(x, unit)`` is not here: its second argument is a unit and no value."""
