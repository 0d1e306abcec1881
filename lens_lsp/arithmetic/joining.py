"""Neighbouring values that share a unit or make one amount: "10–20 km", "$5–10", "2 h 30 min", "1914–18"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from lens_lsp.arithmetic.dates import CalendarDate
from lens_lsp.arithmetic.units import ONE, Dimension, convert
from lens_lsp.arithmetic.values import Kind, Value, dated, is_year, quantity
from lens_lsp.model.text import Span

_RANGE = re.compile(r"[*_`]{0,3} ?(?:-|–|—|~|〜|to|or|x|×|bis|至)? ?[*_`]{0,3}")
_MARKS_ONLY = re.compile(r"[*_` ]*")
_BETWEEN = re.compile(r"[Bb]etween (?:about |around |roughly )?[*_`]{0,3}\Z")
_LOOSE = re.compile(r",? | and |, and |")
_TIGHT = re.compile(r" ?")
_LONGEST_GAP = 12
_PARTS = {("ft", "in"), ("lb", "oz"), ("stone", "lb"), ("°", "arcmin"), ("arcmin", "arcsec")}


@dataclass(frozen=True, slots=True)
class Found:
    """Something that was recognised and where reading goes on; ``value`` is None for what has none."""

    end: int
    value: Value | None = None
    scale: int = 1
    """The factor of its scale word, already applied."""
    digits: bool = False
    """Written in nothing but digits, so it may be half a range."""


def joined(text: str, found: Sequence[Found]) -> list[Value]:
    """The values in order, after neighbours were brought together."""
    values: list[Value] = []
    previous: Found | None = None
    for item in found:
        value = item.value
        if value is None:
            continue
        if previous is not None and values:
            first, value = _shared(text, values[-1], previous, value, item)
            values[-1] = first
            whole = _sum(text, first, value)
            if whole is not None:
                values.pop()
                value = whole
        values.append(value)
        previous = item
    return values


def _between(text: str, a: Value, b: Value) -> str | None:
    if a.span is None or b.span is None or b.span.start - a.span.end > _LONGEST_GAP:
        return None
    return text[a.span.end : b.span.start]


def _shared(text: str, a: Value, left: Found, b: Value, right: Found) -> tuple[Value, Value]:
    """Two ends of a range, each with the unit that is written once."""
    gap = _between(text, a, b)
    if gap is None or a.span is None:
        return a, b
    spanned = _RANGE.fullmatch(gap) is not None and _MARKS_ONLY.fullmatch(gap) is None
    if not spanned and not (gap == " and " and _BETWEEN.search(text[max(0, a.span.start - 20) : a.span.start])):
        return a, b
    if is_year(a) and left.digits and b.kind is Kind.NUMBER and b.unit == ONE and right.digits and spanned:
        return a, _short_year(a, b)
    plain = _plain(a, left)
    if plain is not None and b.date is None and b.unit != ONE and b.unit.dimension is not Dimension.ORDINAL:
        factor = right.scale if left.scale == 1 else 1
        shared = quantity(plain.magnitude * factor, b.unit, span=a.span, approximate=a.approximate)
        return replace(shared, step=plain.step * factor), b
    if plain is not None and right.scale > 1 and left.scale == 1 and b.unit == ONE:
        return replace(plain, magnitude=plain.magnitude * right.scale, step=plain.step * right.scale, other=None), b
    if a.unit.dimension in (Dimension.MONEY, Dimension.ORDINAL) and b.kind is Kind.NUMBER and b.unit == ONE:
        return a, replace(b, unit=a.unit)
    return a, b


def _plain(value: Value, found: Found) -> Value | None:
    """The value as a number without a unit, when it may be one."""
    if value.kind is Kind.NUMBER and value.unit == ONE:
        return value
    return quantity(value.magnitude, span=value.span, step=Fraction(1)) if is_year(value) and found.digits else None


def _short_year(a: Value, b: Value) -> Value:
    """ "1914–18" ends in 1918."""
    century, year = divmod(int(a.magnitude), 100)
    if b.magnitude.denominator == 1 and year < b.magnitude < 100 and b.magnitude >= 10:
        return dated(CalendarDate(century * 100 + int(b.magnitude)), span=b.span, approximate=b.approximate)
    return b


def _sum(text: str, a: Value, b: Value) -> Value | None:
    """One amount written in two units ("5 ft 11 in"), or None."""
    gap = _between(text, a, b)
    if gap is None or a.span is None or b.span is None or a.unit.dimension is not b.unit.dimension:
        return None
    loose = a.kind is Kind.DURATION and b.kind is Kind.DURATION
    if (_LOOSE if loose else _TIGHT).fullmatch(gap) is None:
        return None
    if not loose and (a.unit.symbol, b.unit.symbol) not in _PARTS:
        return None
    whole = a.magnitude.denominator == 1 and a.magnitude > 0 and b.magnitude >= 0
    if not whole or a.unit.factor <= b.unit.factor or b.magnitude * b.unit.factor >= a.unit.factor:
        return None
    total = a.magnitude + convert(b.magnitude, b.unit, a.unit)
    step = convert(b.step, b.unit, a.unit)
    span = Span(a.span.start, b.span.end)
    return quantity(total, a.unit, span=span, approximate=a.approximate or b.approximate, step=step)
