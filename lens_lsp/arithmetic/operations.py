"""Arithmetic on values: exact, with units, percentages and dates (docs/explanation/computation.md has the rules).

Everything here raises :class:`~lens_lsp.model.errors.ComputationError` with one sentence, and nothing else.
"""

from __future__ import annotations

from fractions import Fraction

from lens_lsp.arithmetic.typed_values import (
    NUMERIC,
    CalendarDate,
    Value,
    ValueKind,
    add_days,
    add_months,
    agrees,
    clock,
    dated,
    days_between,
    earlier,
    is_year,
    quantity,
)
from lens_lsp.arithmetic.units import (
    KNOWN_UNITS,
    ONE,
    Dimension,
    MeasureUnit,
    compatible,
    convert,
    counted,
    described,
    from_base,
    is_rate,
    known_unit,
    rate,
    rate_parts,
    reason,
    to_base,
    unit_named,
)
from lens_lsp.model.errors import ComputationError

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
        return dated(_by_months(a.date, by), approximate=approximate)
    if (by / _DAY_SECONDS).denominator != 1:
        raise ComputationError("Only whole days can be added to a date.")
    return dated(add_days(a.date, int(by / _DAY_SECONDS)), approximate=approximate)


def _by_months(date: CalendarDate, months: Fraction) -> CalendarDate:
    if months.denominator != 1:
        raise ComputationError("Only whole months can be added to a date.")
    return add_months(date, int(months))
