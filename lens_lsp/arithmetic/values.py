"""A typed value, and whether two of them say the same. ``reading.py`` finds them in prose, ``writing.py`` shows them.

``same`` decides which facts are contested, so it says False only when two values cannot both be right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from lens_lsp.arithmetic.dates import CalendarDate, Precision, agrees
from lens_lsp.arithmetic.units import ONE, Dimension, Unit, compatible, to_base
from lens_lsp.model.text import Span


class Kind(StrEnum):
    """What a value is."""

    NUMBER = "number"
    """With or without a unit: amounts, percentages, money, counts, places in a row."""
    DURATION = "duration"
    DATE = "date"
    TIME = "time"
    """A time of day, in seconds since midnight."""
    BOOLEAN = "boolean"


NUMERIC = frozenset({Kind.NUMBER, Kind.DURATION})
"""The kinds that are an amount of a unit."""
_DURATIONS = (Dimension.TIME, Dimension.CALENDAR)
_CLOSE = Fraction(1, 100)
_HALF_DAY = 12 * 3600


@dataclass(frozen=True, slots=True)
class Value:
    """One value. Made by :func:`quantity`, :func:`dated`, :func:`clock` and :func:`truth`."""

    kind: Kind
    magnitude: Fraction = Fraction(0)
    """How many of ``unit``, exact; seconds for a time; 1 or 0 for a boolean; the year for a date known to the year."""
    unit: Unit = ONE
    date: CalendarDate | None = None
    span: Span | None = None
    """Where it was read, in code points of that text; None when it was computed."""
    approximate: bool = False
    """Written with "about", "≈", "at least" and the like, or computed from such a value."""
    other: Fraction | None = None
    """The magnitude in another reading of the same writing: 1234 for "1.234"."""
    step: Fraction = Fraction(0)
    """What one unit of its last written digit is worth, in ``unit``; 0 when it was computed."""


def quantity(
    magnitude: Fraction | int,
    unit: Unit = ONE,
    *,
    span: Span | None = None,
    approximate: bool = False,
    other: Fraction | None = None,
    step: Fraction = Fraction(0),
) -> Value:
    """An amount of a unit: a duration when the unit is one of time, else a number."""
    kind = Kind.DURATION if unit.dimension in _DURATIONS else Kind.NUMBER
    amount = Fraction(magnitude)
    return Value(kind, amount, unit, span=span, approximate=approximate, other=other, step=step)


def dated(date: CalendarDate, *, span: Span | None = None, approximate: bool = False) -> Value:
    """A date."""
    year = Fraction(date.year if date.precision is Precision.YEAR else 0)
    return Value(Kind.DATE, year, date=date, span=span, approximate=approximate)


def clock(seconds: Fraction | int, *, span: Span | None = None, twelve_hours: bool = False) -> Value:
    """A time of day in seconds since midnight; ``twelve_hours`` when it may as well be 12 hours later."""
    other = Fraction((seconds + _HALF_DAY) % (2 * _HALF_DAY)) if twelve_hours else None
    return Value(Kind.TIME, Fraction(seconds), span=span, other=other)


def truth(holds: bool) -> Value:
    """Yes or no."""
    return Value(Kind.BOOLEAN, Fraction(int(holds)))


def same(a: Value, b: Value) -> bool | None:
    """Whether two values say the same; None when they do not compare or the writing leaves it open.

    Amounts are converted first. Dates compare as far as both are known. Different kinds, dimensions, currencies and
    counted nouns give None, and so do two amounts that differ by no more than rounding, by one of several readings of
    a number or unit, or when one is approximate.
    """
    if a.kind in NUMERIC and b.kind in NUMERIC:
        return _same_amount(a, b)
    if a.date is not None and b.date is not None:
        if agrees(a.date, b.date):
            return True
        return None if a.approximate or b.approximate else False
    if Kind.DATE in (a.kind, b.kind):
        return _same_year(a, b)
    if a.kind is not b.kind:
        return None
    if a.magnitude == b.magnitude:
        return True
    return None if _readings(a) & _readings(b) else False


def _same_amount(a: Value, b: Value) -> bool | None:
    if not compatible(a.unit, b.unit) or a.unit.of != b.unit.of:
        return None
    left, right = to_base(a.magnitude, a.unit), to_base(b.magnitude, b.unit)
    if left == right:
        return True
    if a.approximate or b.approximate or _readings(a) & _readings(b):
        return None
    rounding = max(a.step * a.unit.factor, b.step * b.unit.factor) / 2
    if a.unit != b.unit:
        rounding = max(rounding, _CLOSE * max(abs(left), abs(right)))
    return None if abs(left - right) <= rounding else False


def _same_year(a: Value, b: Value) -> bool | None:
    """A bare year and a plain number may be the same number; else a date compares with dates only."""
    day, other = (a, b) if a.kind is Kind.DATE else (b, a)
    plain = other.kind is Kind.NUMBER and other.unit == ONE
    return True if plain and is_year(day) and day.magnitude == other.magnitude else None


def _readings(value: Value) -> set[Fraction]:
    """Every base amount the writing may mean."""
    amounts = [value.magnitude, *([] if value.other is None else [value.other])]
    units = [value.unit, *(replace(value.unit, factor=factor) for factor in value.unit.also)]
    return {to_base(amount, unit) for amount in amounts for unit in units}


def is_year(value: Value) -> bool:
    """Whether it is a date known to the year: digits that may have been meant as a number."""
    return value.date is not None and value.date.precision is Precision.YEAR
