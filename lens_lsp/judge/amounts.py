"""Whether an amount of a sentence is one of a passage: converted, rounded where the sentence says "about"."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction

from lens_lsp.arithmetic.typed_values import NUMERIC, Value
from lens_lsp.arithmetic.units import Dimension, Unit, currency, is_rate, rate_parts, singular, unit_named
from lens_lsp.judge.figures import PERIODS, UNITLESS

_CLOSE = Fraction(1, 50)
"""How far apart two amounts in different units are that are about the same."""
_LONGEST_UNIT = 14


def held(value: Value, others: Iterable[Value], words: Collection[str], *, about: bool) -> bool:
    """Whether one of the others is the same amount. ``words`` are those of the passages: a unit may stand in them."""
    return any(other.kind in NUMERIC and same(value, other, words, about=about) for other in others)


def same(a: Value, b: Value, words: Collection[str], *, about: bool) -> bool:
    """Whether the amount ``a`` of a sentence is the amount ``b`` of a passage."""
    if is_rate(a.unit) and is_rate(b.unit) and _period(a.unit) != _period(b.unit):
        return False
    ours, theirs = without_rate(a.unit), without_rate(b.unit)
    if ours.dimension in UNITLESS:
        return _same_number(a, ours, b, theirs, about=about)
    if theirs.dimension in UNITLESS:
        return _same_unit_apart(a, ours, b, theirs, words, about=about)
    if ours.dimension is not theirs.dimension or ours.of != theirs.of:
        return False
    for factor in (ours.factor, *ours.also):
        for other in (theirs.factor, *theirs.also):
            left, right = a.magnitude * factor + ours.offset, b.magnitude * other + theirs.offset
            if left == right or (about and abs(left - right) <= max(a.step * factor / 2, _CLOSE * abs(right))):
                return True
    return False


def without_rate(unit: Unit) -> Unit:
    """The unit of the amount of a rate: euros, of euros per month."""
    if not is_rate(unit):
        return unit
    symbol = rate_parts(unit)[0]
    return currency(symbol) if len(symbol) == 3 and symbol.isupper() else unit_named(symbol)


def _period(unit: Unit) -> str:
    word = rate_parts(unit)[1].lower()
    return next((period for period, names in PERIODS.items() if word in names.split()), word)


def _same_number(a: Value, ours: Unit, b: Value, theirs: Unit, *, about: bool) -> bool:
    if theirs.dimension is Dimension.SHARE and 0 < a.magnitude < 1 and b.magnitude == 100 * a.magnitude:
        return True
    if theirs.dimension is Dimension.ORDINAL and theirs.of and ours.dimension is Dimension.COUNT:
        return False  # "seven members" is not "section 7"
    if ours.of != theirs.of and ours.of in PERIODS and theirs.of in PERIODS:
        return False  # "10 business hours", "10 calendar days"
    return a.magnitude in (b.magnitude, b.other) or (about and _near(a, b.magnitude))


def _same_unit_apart(a: Value, ours: Unit, b: Value, theirs: Unit, words: Collection[str], *, about: bool) -> bool:
    """Whether a measured amount is a number whose unit is its noun, or stands elsewhere, as in a table's header."""
    if a.magnitude == b.magnitude and theirs.of == singular(ours.symbol):
        return True
    if theirs.dimension is not Dimension.NUMBER:
        return False
    if a.magnitude == b.magnitude and _is_said(ours.symbol, words):
        return True
    share = b.magnitude * 100
    return ours.dimension is Dimension.SHARE and (a.magnitude == share or (about and _near(a, share)))


def _near(a: Value, amount: Fraction) -> bool:
    return abs(a.magnitude - amount) <= a.step / 2


def _is_said(symbol: str, words: Collection[str]) -> bool:
    return any(
        word == symbol.lower()
        or (len(word) <= _LONGEST_UNIT and word[0].isalpha() and unit_named(word).symbol == symbol)
        for word in words
    )
