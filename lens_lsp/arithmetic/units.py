"""Units of measure: what adds to what, and exact conversion. The units people write stand in ``unit_table.py``.

Every factor is a ``Fraction``: converting there and back gives the same number. Months and years are a dimension of
their own (a month is no fixed number of days), every currency and every counted noun adds only to itself, and
temperatures are affine: they convert and compare, and only their differences add.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from lens_lsp.arithmetic.nouns import singular
from lens_lsp.model.errors import ComputationError


class Dimension(StrEnum):
    """What a unit measures; the value is how a message names it."""

    NUMBER = "plain number"
    COUNT = "count"
    ORDINAL = "place in a row"
    SHARE = "percentage"
    MONEY = "money"
    LENGTH = "length"
    AREA = "area"
    VOLUME = "volume"
    MASS = "mass"
    TIME = "time"
    CALENDAR = "months and years"
    SPEED = "speed"
    DATA = "data"
    DATA_RATE = "data rate"
    TEMPERATURE = "temperature"
    TEMPERATURE_STEP = "temperature difference"
    ENERGY = "energy"
    POWER = "power"
    PRESSURE = "pressure"
    FORCE = "force"
    VOLTAGE = "voltage"
    CURRENT = "current"
    ANGLE = "angle"
    FREQUENCY = "frequency"


_PER = " per "


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit; ``symbol`` is what is shown after a number."""

    symbol: str
    dimension: Dimension
    factor: Fraction = Fraction(1)
    """How many of the dimension's base unit one of these is."""
    offset: Fraction = Fraction(0)
    """Where its zero lies on the base scale; other than 0 for temperatures only."""
    of: str = ""
    """The currency code, or the noun that is counted, in the singular."""
    also: tuple[Fraction, ...] = ()
    """Other factors that people mean by the same writing (KB as 1024 bytes, the imperial gallon)."""
    spelled: bool = False
    """The symbol is a word with a plural."""


ONE = Unit("", Dimension.NUMBER)
"""The unit of a plain number."""


@lru_cache(maxsize=4096)
def counted(noun: str) -> Unit:
    """The unit of things counted by a noun; singular and plural give the same unit."""
    one = singular(noun)
    return Unit(one, Dimension.COUNT, of=one, spelled=True)


@lru_cache(maxsize=4096)
def ordinal(noun: str = "") -> Unit:
    """The unit of places in a row: chapter 12 and the 12th chapter; without a noun just "12th"."""
    one = singular(noun)
    return Unit(one, Dimension.ORDINAL, of=one)


@lru_cache(maxsize=256)
def currency(code: str) -> Unit:
    """The unit of money in one currency; never converted into another."""
    return Unit(code, Dimension.MONEY, of=code)


def rate(unit: Unit, per: Unit) -> Unit:
    """The unit of an amount for each of something ("km per day"); it adds only to itself."""
    written = f"{unit.symbol}{_PER}{per.symbol}"
    return Unit(written, Dimension.COUNT, of=written)


def is_rate(unit: Unit) -> bool:
    """Whether it was made by :func:`rate`."""
    return unit.dimension is Dimension.COUNT and _PER in unit.of


def rate_parts(unit: Unit) -> tuple[str, str]:
    """The symbols of the two units of a rate."""
    amount, _, per = unit.of.partition(_PER)
    return amount, per


def compatible(a: Unit, b: Unit) -> bool:
    """Whether amounts in the two convert into each other exactly."""
    return a.dimension is b.dimension and (a.of == b.of or a.dimension is Dimension.SHARE)


def to_base(amount: Fraction, unit: Unit) -> Fraction:
    """An amount in the base unit of its dimension."""
    return amount * unit.factor + unit.offset


def from_base(amount: Fraction, unit: Unit) -> Fraction:
    """An amount of base units in ``unit``."""
    return (amount - unit.offset) / unit.factor


def convert(amount: Fraction, unit: Unit, target: Unit) -> Fraction:
    """The same amount in another unit, exactly; raises ComputationError when the two measure different things."""
    if not compatible(unit, target):
        raise ComputationError(f"Cannot convert {described(unit)} to {described(target)}{reason(unit, target)}.")
    return from_base(to_base(amount, unit), target)


def described(unit: Unit) -> str:
    """A unit as a message names it: ``km (length)``."""
    if unit.dimension is Dimension.NUMBER:
        return "a plain number"
    if unit.dimension is Dimension.ORDINAL:
        return f"a place in a row of {unit.of or 'things'}"
    return f"{unit.symbol} ({unit.dimension.value})"


def reason(a: Unit, b: Unit) -> str:
    """Why two units that seem to belong together do not, to end a sentence with; often empty."""
    dimensions = {a.dimension, b.dimension}
    if dimensions == {Dimension.TIME, Dimension.CALENDAR}:
        return ": a month or year is no fixed number of days"
    if dimensions == {Dimension.MONEY}:
        return ": exchange rates are not known here"
    return ""
