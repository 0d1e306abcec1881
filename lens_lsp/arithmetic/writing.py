"""Write a value as a person would. What is not shown in full says so with "≈"; nothing else is rounded.

A decimal that ends within six places is exact. Anything else is rounded, half away from zero, to two places, or to
three digits when it is smaller than 1. Numbers from 1,000 on have commas, so that no count looks like a year.
``find_values`` reads back what is written here.
"""

from __future__ import annotations

from fractions import Fraction

from lens_lsp.arithmetic.dates import MONTH_NAMES, CalendarDate
from lens_lsp.arithmetic.nouns import plural
from lens_lsp.arithmetic.unit_table import SIGN_OF, unit_named
from lens_lsp.arithmetic.units import ONE, Dimension, Unit, is_rate, rate_parts
from lens_lsp.arithmetic.values import Kind, Value

_PLACES = 6
_WIDEST = Fraction(10**15)
_SMALLEST = Fraction(1, 10**_PLACES)


def show(value: Value) -> str:
    """The value in words and figures: "12.5 km", "≈ 3.33 pages", "23 March 2015", "yes"."""
    if value.kind is Kind.BOOLEAN:
        return "yes" if value.magnitude else "no"
    about = "≈ " if value.approximate else ""
    if value.date is not None:
        return about + _date(value.date)
    if value.kind is Kind.TIME:
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


def _with_unit(sign: str, figures: str, amount: Fraction, unit: Unit) -> str:
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


def _several(unit: Unit) -> str:
    if is_rate(unit):
        amount, per = rate_parts(unit)
        return f"{_several(unit_named(amount))} per {per}"
    return plural(unit.symbol) if unit.spelled else unit.symbol


def _place(figures: str, amount: Fraction, unit: Unit) -> str:
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
