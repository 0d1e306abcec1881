"""Typed values and exact arithmetic on them, with units, percentages and dates.

Dates are of the proleptic Gregorian calendar, years 1 to 9999. `same` decides which facts are contested, so it says
False only when two values cannot both be right. `show` writes what it does not show in full with a leading "≈". The
arithmetic (docs/explanation/computation.md has its rules) raises ComputationError with one sentence, and nothing else.
"""

from __future__ import annotations

import calendar
from dataclasses import replace
from datetime import date, timedelta
from enum import IntEnum, StrEnum
from fractions import Fraction

from lens_lsp.arithmetic.units import (
    KNOWN_UNITS,
    ONE,
    SIGN_OF,
    Dimension,
    MeasureUnit,
    compatible,
    convert,
    counted,
    described,
    from_base,
    is_rate,
    known_unit,
    plural,
    rate,
    rate_parts,
    reason,
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


GREATEST_EXPONENT = 64

"""The largest power, up or down."""

MOST_BITS = 4096

"""The largest numerator and denominator of a result, in bits."""

_DAY_SECONDS = 86400

# The base units of these dimensions fit together, so that factors multiply as they are.
_PRODUCTS = {
    (Dimension.LENGTH, Dimension.LENGTH): Dimension.AREA,
    (Dimension.AREA, Dimension.LENGTH): Dimension.VOLUME,
    (Dimension.SPEED, Dimension.TIME): Dimension.LENGTH,
    (Dimension.POWER, Dimension.TIME): Dimension.ENERGY,
    (Dimension.DATA_RATE, Dimension.TIME): Dimension.DATA,
    (Dimension.VOLTAGE, Dimension.CURRENT): Dimension.POWER,
    (Dimension.FORCE, Dimension.LENGTH): Dimension.ENERGY,
    (Dimension.PRESSURE, Dimension.AREA): Dimension.FORCE,
}

_TIMES = _PRODUCTS | {(b, a): product for (a, b), product in _PRODUCTS.items()}
_QUOTIENTS = {(product, b): a for (a, b), product in _TIMES.items()}
_UNITS = {(unit.dimension, unit.factor): unit for unit in reversed(KNOWN_UNITS)}
_BASES = {dimension: unit for (dimension, factor), unit in _UNITS.items() if factor == 1}
_AFFINE = {Dimension.TEMPERATURE, Dimension.ORDINAL}


def bounded(amount: Fraction) -> Fraction:
    """The amount; raises ComputationError when it is too large to go on with."""
    if max(amount.numerator.bit_length(), amount.denominator.bit_length()) > MOST_BITS:
        raise ComputationError("The numbers grow too large to compute with.")
    return amount


def described_value(value: Value) -> str:
    """What a value is, for a message: ``km (length)``, ``a date``."""
    return described(value.unit) if value.kind in NUMERIC else f"a {value.kind.value}"


def amounts(a: Value, b: Value) -> tuple[Value, Value]:
    """The two as they compute: a year beside a number that is not a duration is a number."""
    if is_year(a) and b.kind is ValueKind.NUMBER:
        a = quantity(a.magnitude, approximate=a.approximate)
    elif is_year(b) and a.kind is ValueKind.NUMBER:
        b = quantity(b.magnitude, approximate=b.approximate)
    return a, b


def add(a: Value, b: Value) -> Value:
    """a + b: one dimension, in a's unit; a date or time and a duration; "x + 20 %" is x increased by a fifth."""
    a, b = amounts(a, b)
    if a.kind is ValueKind.DURATION and b.kind in (ValueKind.DATE, ValueKind.TIME):
        a, b = b, a
    if a.kind in (ValueKind.DATE, ValueKind.TIME):
        return _moved(a, b, 1)
    if _numeric(a, b) and a.unit.dimension is Dimension.TEMPERATURE_STEP and b.unit.dimension is Dimension.TEMPERATURE:
        a, b = b, a
    return _combined(a, b, 1)


def subtract(a: Value, b: Value) -> Value:
    """a - b, as :func:`add`; two dates give days, two times minutes, two temperatures a difference."""
    a, b = amounts(a, b)
    if a.date is not None and b.date is not None:
        return _computed(days_between(b.date, a.date), known_unit("day"), a, b)
    if a.kind is ValueKind.TIME and b.kind is ValueKind.TIME:
        return _computed((a.magnitude - b.magnitude) / 60, known_unit("min"), a, b)
    if a.kind in (ValueKind.DATE, ValueKind.TIME):
        return _moved(a, b, -1)
    if _numeric(a, b) and a.unit.dimension is b.unit.dimension and a.unit.dimension in _AFFINE:
        return _difference(a, b)
    return _combined(a, b, -1)


def multiply(a: Value, b: Value) -> Value:
    """a * b: a number, percentage or count times an amount; a rate times what it is for; lengths to areas."""
    a, b = amounts(a, b)
    if _numeric(a, b) and not {a.unit.dimension, b.unit.dimension} & _AFFINE:
        for one, other in ((a, b), (b, a)):
            if is_rate(one.unit) and compatible(other.unit, unit_named(rate_parts(one.unit)[1])):
                return _undone(one, other)
            if _is_factor(other.unit, one.unit):
                return _computed(one.magnitude * to_base(other.magnitude, other.unit), one.unit, a, b)
        dimension = _TIMES.get((a.unit.dimension, b.unit.dimension))
        if dimension is not None:
            return _derived(a.magnitude * b.magnitude, dimension, a.unit.factor * b.unit.factor, a, b)
    raise ComputationError(f"Cannot multiply {described_value(a)} by {described_value(b)}.")


def divide(a: Value, b: Value) -> Value:
    """a / b: a plain number for one dimension; distance by time to speed, and so on; else a rate ("pages per day").

    Raises ComputationError also when b is zero.
    """
    a, b = amounts(a, b)
    problem = ComputationError(f"Cannot divide {described_value(a)} by {described_value(b)}{reason(a.unit, b.unit)}.")
    if not _numeric(a, b) or {a.unit.dimension, b.unit.dimension} & _AFFINE:
        raise problem
    if b.magnitude == 0:
        raise ComputationError("Division by zero.")
    if compatible(a.unit, b.unit):
        return _computed(to_base(a.magnitude, a.unit) / to_base(b.magnitude, b.unit), ONE, a, b)
    if b.unit.dimension in (Dimension.NUMBER, Dimension.SHARE):
        return _computed(a.magnitude / to_base(b.magnitude, b.unit), a.unit, a, b)
    dimension = _QUOTIENTS.get((a.unit.dimension, b.unit.dimension))
    if dimension is not None:
        return _derived(a.magnitude / b.magnitude, dimension, a.unit.factor / b.unit.factor, a, b)
    if a.unit == ONE or is_rate(a.unit) or is_rate(b.unit) or reason(a.unit, b.unit):
        raise problem
    return _computed(a.magnitude / b.magnitude, rate(a.unit, b.unit), a, b)


def part_of(a: Value, b: Value) -> Value:
    """ "20 % of b", "0.5 of b": in b's unit."""
    if not _numeric(a, b) or a.unit.dimension not in (Dimension.SHARE, Dimension.NUMBER):
        raise ComputationError(f"Only a percentage or a plain number can stand before 'of', not {described_value(a)}.")
    if b.unit.dimension in _AFFINE:
        raise ComputationError(f"Cannot take a part of {described_value(b)}.")
    return _computed(b.magnitude * to_base(a.magnitude, a.unit), b.unit, a, b)


def power(a: Value, b: Value) -> Value:
    """a ** b for whole b up to :data:`GREATEST_EXPONENT`; lengths to areas and volumes."""
    if b.kind is not ValueKind.NUMBER or b.unit != ONE or b.magnitude.denominator != 1:
        raise ComputationError("An exponent must be a whole plain number.")
    exponent = int(b.magnitude) if abs(b.magnitude) <= GREATEST_EXPONENT else None
    if exponent is None:
        raise ComputationError(f"An exponent must lie between -{GREATEST_EXPONENT} and {GREATEST_EXPONENT}.")
    if is_year(a):
        a = quantity(a.magnitude, approximate=a.approximate)
    if a.kind is ValueKind.NUMBER and a.unit.dimension is Dimension.LENGTH and exponent in (2, 3):
        return multiply(multiply(a, a), a) if exponent == 3 else multiply(a, a)
    if a.kind is not ValueKind.NUMBER or a.unit.dimension not in (Dimension.NUMBER, Dimension.SHARE):
        raise ComputationError(f"Cannot raise {described_value(a)} to the power {exponent}.")
    base = to_base(a.magnitude, a.unit)
    if base == 0 and exponent < 0:
        raise ComputationError("Division by zero.")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length()) * abs(exponent)
    if bits > MOST_BITS:
        raise ComputationError("The numbers grow too large to compute with.")
    return _computed(from_base(base**exponent, a.unit), a.unit, a, b)


def negate(a: Value) -> Value:
    """-a for an amount."""
    if is_year(a):
        a = quantity(a.magnitude, approximate=a.approximate)
    if a.kind not in NUMERIC or a.unit.dimension is Dimension.ORDINAL:
        raise ComputationError(f"Cannot negate {described_value(a)}.")
    return _computed(-a.magnitude, a.unit, a, a)


def in_unit(a: Value, unit: MeasureUnit) -> Value:
    """The same amount in another unit of its dimension."""
    if a.kind not in NUMERIC:
        raise ComputationError(f"Cannot convert {described_value(a)} to {described(unit)}.")
    return _computed(convert(a.magnitude, a.unit, unit), unit, a, a)


def order(a: Value, b: Value) -> int:
    """-1, 0 or 1 as a is less than, equal to or more than b; raises ComputationError when they do not compare."""
    a, b = amounts(a, b)
    if a.date is not None and b.date is not None:
        return -1 if earlier(a.date, b.date) else int(earlier(b.date, a.date))
    if _numeric(a, b):
        left, right = a.magnitude, convert(b.magnitude, b.unit, a.unit)
    elif a.kind is ValueKind.TIME and b.kind is ValueKind.TIME:
        left, right = a.magnitude, b.magnitude
    else:
        raise ComputationError(f"Cannot put {described_value(a)} and {described_value(b)} in order.")
    return (left > right) - (left < right)


def equal(a: Value, b: Value) -> bool:
    """Whether the two are equal, exactly; dates as far as both are known. Raises ComputationError across dimensions."""
    a, b = amounts(a, b)
    if a.date is not None and b.date is not None:
        return agrees(a.date, b.date)
    if a.kind is ValueKind.BOOLEAN and b.kind is ValueKind.BOOLEAN:
        return a.magnitude == b.magnitude
    if a.kind is not b.kind and not _numeric(a, b):
        raise ComputationError(f"Cannot compare {described_value(a)} and {described_value(b)}.")
    return order(a, b) == 0


def _numeric(a: Value, b: Value) -> bool:
    return a.kind in NUMERIC and b.kind in NUMERIC


def _computed(amount: Fraction | int, unit: MeasureUnit, a: Value, b: Value) -> Value:
    return quantity(bounded(Fraction(amount)), unit, approximate=a.approximate or b.approximate)


def _derived(amount: Fraction, dimension: Dimension, factor: Fraction, a: Value, b: Value) -> Value:
    """An amount in the unit that the two units make (km and h: km/h), else in the base unit of the dimension."""
    unit = _UNITS.get((dimension, factor))
    if unit is not None:
        return _computed(amount, unit, a, b)
    return _computed(amount * factor, _BASES[dimension], a, b)


def _is_factor(unit: MeasureUnit, of: MeasureUnit) -> bool:
    """Whether amounts in ``unit`` only multiply amounts in ``of``: numbers, percentages, counts of what has a unit.

    A percentage times a plain number is a plain number, in either order.
    """
    if unit.dimension is Dimension.NUMBER:
        return of.dimension is not Dimension.SHARE
    if unit.dimension is Dimension.SHARE:
        return True
    counts = unit.dimension is Dimension.COUNT and not is_rate(unit)
    return counts and of.dimension not in (Dimension.NUMBER, Dimension.SHARE, Dimension.COUNT)


def _undone(a: Value, b: Value) -> Value:
    """A rate times an amount of what it is for: 5 km per day * 2 weeks."""
    amount, per = map(unit_named, rate_parts(a.unit))
    return _computed(a.magnitude * convert(b.magnitude, b.unit, per), amount, a, b)


def _combined(a: Value, b: Value, sign: int) -> Value:
    if not _numeric(a, b) or a.unit.dimension is Dimension.ORDINAL:
        raise _not_combined(a, b, sign)
    if a.unit.dimension is Dimension.TEMPERATURE:
        if b.unit.dimension is not Dimension.TEMPERATURE_STEP:
            raise _not_combined(a, b, sign, ", only a temperature difference")
        moved = to_base(a.magnitude, a.unit) + sign * to_base(b.magnitude, b.unit)
        return _computed(from_base(moved, a.unit), a.unit, a, b)
    if b.unit.dimension is Dimension.SHARE and a.unit.dimension is not Dimension.SHARE:
        if b.unit.of:
            raise _not_combined(a, b, sign, ", only to or from a percentage")
        return _computed(a.magnitude * (1 + sign * to_base(b.magnitude, b.unit)), a.unit, a, b)
    if not compatible(a.unit, b.unit):
        raise _not_combined(a, b, sign, reason(a.unit, b.unit))
    return _computed(a.magnitude + sign * convert(b.magnitude, b.unit, a.unit), a.unit, a, b)


def _not_combined(a: Value, b: Value, sign: int, why: str = "") -> ComputationError:
    if sign > 0:
        return ComputationError(f"Cannot add {described_value(b)} to {described_value(a)}{why}.")
    return ComputationError(f"Cannot subtract {described_value(b)} from {described_value(a)}{why}.")


def _difference(a: Value, b: Value) -> Value:
    if a.unit.dimension is Dimension.TEMPERATURE:
        step = to_base(a.magnitude, a.unit) - to_base(b.magnitude, b.unit)
        unit = known_unit(f"{a.unit.symbol} of difference")
        return _computed(step / unit.factor, unit, a, b)
    if a.unit.of != b.unit.of:
        raise _not_combined(a, b, -1)
    return _computed(a.magnitude - b.magnitude, counted(a.unit.of) if a.unit.of else ONE, a, b)


def _moved(a: Value, b: Value, sign: int) -> Value:
    """A date or time of day and a duration."""
    if b.kind is not ValueKind.DURATION:
        raise _not_combined(a, b, sign, ", only a duration")
    by = sign * to_base(b.magnitude, b.unit)
    approximate = a.approximate or b.approximate
    if a.date is None:
        if b.unit.dimension is Dimension.CALENDAR:
            raise ComputationError("Months and years cannot be added to a time of day.")
        return clock((a.magnitude + by) % _DAY_SECONDS)
    if b.unit.dimension is Dimension.CALENDAR:
        if by.denominator != 1:
            raise ComputationError("Only whole months can be added to a date.")
        return dated(add_months(a.date, int(by)), approximate=approximate)
    if (by / _DAY_SECONDS).denominator != 1:
        raise ComputationError("Only whole days can be added to a date.")
    return dated(add_days(a.date, int(by / _DAY_SECONDS)), approximate=approximate)
