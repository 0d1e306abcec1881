"""Calendar dates of year, month or day precision, and the arithmetic people do with them.

Proleptic Gregorian calendar, years 1 to 9999. Adding months keeps the day, or takes the last day of a shorter month:
31 January + 1 month is the last of February.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta
from enum import IntEnum

from lens_lsp.model.errors import ComputationError

MONTH_NAMES = tuple(calendar.month_name)
_SPAN_OF_YEARS = "only the years 1 to 9999 are known here"


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
