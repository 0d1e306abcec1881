"""Typed values: what one is, whether two of them say the same, and how a value is written.

Dates are of the proleptic Gregorian calendar, years 1 to 9999. `same` decides which facts are contested, so it says
False only when two values cannot both be right. `show` writes what it does not show in full with a leading "≈".
"""

from __future__ import annotations

import calendar
from dataclasses import replace
from datetime import date, timedelta
from enum import IntEnum, StrEnum
from fractions import Fraction

from lens_lsp.arithmetic.units import (
    ONE,
    SIGN_OF,
    Dimension,
    MeasureUnit,
    compatible,
    is_rate,
    plural,
    rate_parts,
    to_base,
    unit_named,
)
from lens_lsp.model.errors import ComputationError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.text import Span

MONTH_NAMES = tuple(calendar.month_name)
_SPAN_OF_YEARS = "only the years 1 to 9999 are known here"
_DURATIONS = (Dimension.TIME, Dimension.CALENDAR)
_CLOSE = Fraction(1, 100)
_HALF_DAY = 12 * 3600
_PLACES = 6
_WIDEST = Fraction(10**15)
_SMALLEST = Fraction(1, 10**_PLACES)


class Precision(IntEnum):
    """How exactly a date is known; a greater one is finer."""

    YEAR = 1
    MONTH = 2
    DAY = 3


@dataclass(frozen=True, slots=True)
class CalendarDate:
    """A year, a month of a year, or a day. Raises ValueError for what no calendar has."""

    year: int
    month: int | None = None
    day: int | None = None

    def __post_init__(self) -> None:
        if self.day is not None and self.month is None:
            raise ValueError("a day needs a month")
        date(self.year, 1 if self.month is None else self.month, 1 if self.day is None else self.day)

    @property
    def precision(self) -> Precision:
        """The finest part that is known."""
        if self.month is None:
            return Precision.YEAR
        return Precision.MONTH if self.day is None else Precision.DAY

    @property
    def first(self) -> date:
        """The first day it may mean."""
        return date(self.year, self.month or 1, self.day or 1)

    @property
    def last(self) -> date:
        """The last day it may mean."""
        month = self.month or 12
        return date(self.year, month, self.day or calendar.monthrange(self.year, month)[1])

    def cut(self, precision: Precision) -> CalendarDate:
        """The same date, known no more exactly than ``precision``."""
        month = self.month if precision >= Precision.MONTH else None
        return CalendarDate(self.year, month, self.day if precision >= Precision.DAY else None)

    def __str__(self) -> str:
        parts = (f"{self.year:04}", *(f"{part:02}" for part in (self.month, self.day) if part is not None))
        return "-".join(parts)


def try_date(year: int, month: int | None = None, day: int | None = None) -> CalendarDate | None:
    """The date, or None when no calendar has it."""
    try:
        return CalendarDate(year, month, day)
    except ValueError:
        return None


def agrees(a: CalendarDate, b: CalendarDate) -> bool:
    """Whether the two are the same as far as both are known: 2015 agrees with 2015-03-23."""
    precision = min(a.precision, b.precision)
    return a.cut(precision) == b.cut(precision)


def days_between(a: CalendarDate, b: CalendarDate) -> int:
    """Days from a to b, negative when b is earlier; raises ComputationError unless both are known to the day."""
    for one in (a, b):
        if one.precision < Precision.DAY:
            raise ComputationError(
                f"{one} is known to the {one.precision.name.lower()} only, so days cannot be counted from or to it;"
                " use years(a, b) or months(a, b)."
            )
    return (b.first - a.first).days


def add_days(start: CalendarDate, days: int) -> CalendarDate:
    """The day that many days later; raises ComputationError unless ``start`` is a day, or outside the calendar."""
    if start.precision < Precision.DAY:
        raise ComputationError(f"{start} is known to the {start.precision.name.lower()} only; days cannot be added.")
    try:
        end = start.first + timedelta(days=days)
    except OverflowError:
        raise ComputationError(f"{start} and {days:,} days: {_SPAN_OF_YEARS}.") from None
    return CalendarDate(end.year, end.month, end.day)


def add_months(start: CalendarDate, months: int) -> CalendarDate:
    """The date that many months later; a year alone takes whole years only."""
    if start.precision is Precision.YEAR and months % 12:
        raise ComputationError(f"{start} is known to the year only; months cannot be added.")
    year, month = divmod(start.year * 12 + (start.month or 1) - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise ComputationError(f"{start} and {months:,} months: {_SPAN_OF_YEARS}.")
    if start.month is None:
        return CalendarDate(year)
    if start.day is None:
        return CalendarDate(year, month + 1)
    return CalendarDate(year, month + 1, min(start.day, calendar.monthrange(year, month + 1)[1]))


def months_between(a: CalendarDate, b: CalendarDate) -> int:
    """Whole months from a to b: the most that can be added to a without passing b.

    When one is known less exactly than the other, both are cut to it. Negative when b is earlier. Raises
    ComputationError when one is known to the year only.
    """
    precision = min(a.precision, b.precision)
    if precision is Precision.YEAR:
        coarse = a if a.precision is Precision.YEAR else b
        raise ComputationError(f"{coarse} is known to the year only; months cannot be counted from or to it.")
    return _months(a.cut(precision), b.cut(precision))


def years_between(a: CalendarDate, b: CalendarDate) -> int:
    """Whole years from a to b: birthdays passed between two days, the difference of two years."""
    precision = min(a.precision, b.precision)
    if precision is Precision.YEAR:
        return b.year - a.year
    months = _months(a.cut(precision), b.cut(precision))
    return months // 12 if months >= 0 else -(-months // 12)


def earlier(a: CalendarDate, b: CalendarDate) -> bool:
    """Whether a is before b; raises ComputationError when that cannot be known (2015 and 2015-03-23)."""
    if a.last < b.first:
        return True
    if b.last < a.first or a == b:
        return False
    raise ComputationError(f"{a} and {b} cannot be put in order: one lies within the other.")


def _months(a: CalendarDate, b: CalendarDate) -> int:
    if b.first < a.first:
        return -_months(b, a)
    months = (b.year - a.year) * 12 + (b.month or 1) - (a.month or 1)
    return months if add_months(a, months).first <= b.first else months - 1


class ValueKind(StrEnum):
    """The kinds of values."""

    NUMBER = "number"
    """With or without a unit: amounts, percentages, money, counts, places in a row."""
    DURATION = "duration"
    DATE = "date"
    TIME = "time"
    """A time of day, in seconds since midnight."""
    BOOLEAN = "boolean"


NUMERIC = frozenset({ValueKind.NUMBER, ValueKind.DURATION})
"""The kinds that are an amount of a unit."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value that was read or computed. Made by :func:`quantity`, :func:`dated`, :func:`clock` and :func:`truth`."""

    kind: ValueKind
    magnitude: Fraction = Fraction(0)
    """How many of ``unit``, exact; seconds for a time; 1 or 0 for a boolean; the year for a date known to the year."""
    unit: MeasureUnit = ONE
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
    unit: MeasureUnit = ONE,
    *,
    span: Span | None = None,
    approximate: bool = False,
    other: Fraction | None = None,
    step: Fraction = Fraction(0),
) -> Value:
    """An amount of a unit: a duration when the unit is one of time, else a number."""
    kind = ValueKind.DURATION if unit.dimension in _DURATIONS else ValueKind.NUMBER
    amount = Fraction(magnitude)
    return Value(kind, amount, unit, span=span, approximate=approximate, other=other, step=step)


def dated(date: CalendarDate, *, span: Span | None = None, approximate: bool = False) -> Value:
    """A date."""
    year = Fraction(date.year if date.precision is Precision.YEAR else 0)
    return Value(ValueKind.DATE, year, date=date, span=span, approximate=approximate)


def clock(seconds: Fraction | int, *, span: Span | None = None, twelve_hours: bool = False) -> Value:
    """A time of day in seconds since midnight; ``twelve_hours`` when it may as well be 12 hours later."""
    other = Fraction((seconds + _HALF_DAY) % (2 * _HALF_DAY)) if twelve_hours else None
    return Value(ValueKind.TIME, Fraction(seconds), span=span, other=other)


def truth(holds: bool) -> Value:
    """Yes or no."""
    return Value(ValueKind.BOOLEAN, Fraction(int(holds)))


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
    if ValueKind.DATE in (a.kind, b.kind):
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
    day, other = (a, b) if a.kind is ValueKind.DATE else (b, a)
    plain = other.kind is ValueKind.NUMBER and other.unit == ONE
    return True if plain and is_year(day) and day.magnitude == other.magnitude else None


def _readings(value: Value) -> set[Fraction]:
    """Every base amount the writing may mean."""
    amounts = [value.magnitude, *([] if value.other is None else [value.other])]
    units = [value.unit, *(replace(value.unit, factor=factor) for factor in value.unit.also)]
    return {to_base(amount, unit) for amount in amounts for unit in units}


def is_year(value: Value) -> bool:
    """Whether it is a date known to the year: digits that may have been meant as a number."""
    return value.date is not None and value.date.precision is Precision.YEAR


def show(value: Value) -> str:
    """The value in words and figures: "12.5 km", "≈ 3.33 pages", "23 March 2015", "yes"."""
    if value.kind is ValueKind.BOOLEAN:
        return "yes" if value.magnitude else "no"
    about = "≈ " if value.approximate else ""
    if value.date is not None:
        return about + _date(value.date)
    if value.kind is ValueKind.TIME:
        return about + _time(int(value.magnitude))
    figures, exact = figure(abs(value.magnitude))
    sign = "-" if value.magnitude < 0 else ""
    return ("≈ " if about or not exact else "") + _with_unit(sign, figures, abs(value.magnitude), value.unit)


def figure(amount: Fraction) -> tuple[str, bool]:
    """An amount that is not negative in decimal figures, and whether they are exact."""
    if amount >= _WIDEST or 0 < amount < _SMALLEST:
        return _scientific(amount)
    for places in range(_PLACES + 1):
        scaled = amount * 10**places
        if scaled.denominator == 1:
            return _decimal(scaled.numerator, places), True
    places = 2
    while amount * 10**places < 100 and amount < 1:
        places += 1
    return _decimal(half_up(amount * 10**places), places), False


def half_up(amount: Fraction) -> int:
    """The nearest whole number, halves away from zero."""
    whole = (2 * abs(amount.numerator) + amount.denominator) // (2 * amount.denominator)
    return whole if amount >= 0 else -whole


def _decimal(digits: int, places: int) -> str:
    whole, rest = divmod(digits, 10**places)
    decimals = str(rest).zfill(places).rstrip("0") if places and rest else ""
    return f"{whole:,}.{decimals}" if decimals else f"{whole:,}"


def _scientific(amount: Fraction) -> tuple[str, bool]:
    exponent = _exponent(amount)
    mantissa = amount / Fraction(10) ** exponent
    digits = half_up(mantissa * 10**_PLACES)
    if mantissa * 10**_PLACES == digits:
        return f"{_decimal(digits, _PLACES)}e{exponent}", True
    digits = half_up(mantissa * 100)
    if digits >= 1000:
        digits, exponent = 100, exponent + 1
    return f"{_decimal(digits, 2)}e{exponent}", False


def _exponent(amount: Fraction) -> int:
    """The power of ten of the first digit, without writing the digits out."""
    bits = amount.numerator.bit_length() - amount.denominator.bit_length()
    exponent = bits * 30103 // 100000
    while Fraction(10) ** exponent > amount:
        exponent -= 1
    while Fraction(10) ** (exponent + 1) <= amount:
        exponent += 1
    return exponent


def _with_unit(sign: str, figures: str, amount: Fraction, unit: MeasureUnit) -> str:
    if unit == ONE:
        return sign + figures
    if unit.dimension is Dimension.ORDINAL:
        return _place(sign + figures, amount, unit)
    if unit.dimension is Dimension.MONEY:
        if amount.denominator != 1 and (amount * 100).denominator == 1:
            whole, _, cents = figures.partition(".")
            figures = f"{whole}.{cents.ljust(2, '0')}"
        money = SIGN_OF.get(unit.of)
        return f"{sign}{figures} {unit.symbol}" if money is None else f"{sign}{money}{figures}"
    name = unit.symbol if amount == 1 else _several(unit)
    space = "" if unit.symbol == "°" else " "
    return f"{sign}{figures}{space}{name}"


def _several(unit: MeasureUnit) -> str:
    if is_rate(unit):
        amount, per = rate_parts(unit)
        return f"{_several(unit_named(amount))} per {per}"
    return plural(unit.symbol) if unit.spelled else unit.symbol


def _place(figures: str, amount: Fraction, unit: MeasureUnit) -> str:
    if amount.denominator != 1:
        return f"{unit.of} {figures}".strip()
    last, teens = amount.numerator % 10, amount.numerator // 10 % 10 == 1
    ending = "th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(last, "th")
    return f"{figures.replace(',', '')}{ending} {unit.of}".strip()


def _date(date: CalendarDate) -> str:
    if date.year < 1000:
        return f"AD {date.year}" if date.month is None else str(date)
    if date.month is None:
        return str(date.year)
    month = f"{MONTH_NAMES[date.month]} {date.year}"
    return month if date.day is None else f"{date.day} {month}"


def _time(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours:02}:{minute:02}" + (f":{second:02}" if second else "")
