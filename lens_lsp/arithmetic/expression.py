"""Evaluate an expression over named values: a tokenizer, recursive descent, exact arithmetic; no ``eval``.

    comparison := sum [("<" | "<=" | ">" | ">=" | "=" | "!=") sum]
    sum        := product (("+" | "-") product)*
    product    := sign (("*" | "/" | "of") sign)*
    sign       := ("-" | "+") sign | power
    power      := primary ["**" sign]
    primary    := number [unit] | currency number | date | name | function "(" arguments ")" | "(" comparison ")"

``2015-03-23`` without spaces is a date. Bad input of any kind raises ComputationError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cmp_to_key, reduce
from operator import ge, gt, le, lt

from lens_lsp.arithmetic.typed_values import (
    NUMERIC,
    CalendarDate,
    Value,
    ValueKind,
    add,
    amounts,
    dated,
    days_between,
    described_value,
    divide,
    equal,
    half_up,
    in_unit,
    is_year,
    months_between,
    multiply,
    negate,
    order,
    part_of,
    power,
    quantity,
    subtract,
    truth,
    try_date,
    years_between,
)
from lens_lsp.arithmetic.units import (
    ONE,
    Dimension,
    MeasureUnit,
    compatible,
    counted,
    find_unit,
    from_base,
    is_rate,
    known_unit,
    match_unit,
    singular,
    to_base,
)
from lens_lsp.model.errors import ComputationError
from lens_lsp.model.lazy_regex import regex

_MOST_PLACES = 12
_NONE = quantity(0)
LONGEST = 1000
"""The longest expression, in code points."""
DEEPEST = 40
"""How many parentheses, calls, signs and powers may stand inside each other."""
_PLAIN = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-"})
_SPACE = regex(r"\s*")
_DATE = regex(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9])")
_NUMBER = regex(r"([0-9]{1,40})(?:\.([0-9]{1,40}))?(?:[eE]([+-]?[0-9]{1,2}))?(?![0-9.])")
_SCALE = regex(r" ?(thousand|million|billion|trillion)\b|([kKM])(?![\w/²³])")
_SCALES = {
    "k": 10**3,
    "K": 10**3,
    "M": 10**6,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_MONEY = regex(r"(?:US|AU?|CA?|NZ|HK|S|R)?\$|[€£¥₹]")
_NAME = regex(r"[^\W\d]\w*")
_UNIT_ARGUMENT = regex(r"""\s*(["']?)([^"'(),]{1,60})\1\s*\)""")
_IN_NAME = regex(r"\w")
_ORDERS = {"<=": le, "≤": le, ">=": ge, "≥": ge, "<": lt, ">": gt}
_EQUALITIES = {"!=": False, "≠": False, "==": True, "=": True}
_COMPARISONS = ("<=", "≤", ">=", "≥", "!=", "≠", "==", "=", "<", ">")


def _alike(values: Sequence[Value], what: str, *, affine: bool) -> list[Value]:
    """All values as amounts in the unit of the first."""
    first = values[0]
    if is_year(first) and any(value.kind is ValueKind.NUMBER for value in values):
        values = [amounts(value, quantity(0))[0] for value in values]
        first = values[0]
    if first.kind not in NUMERIC or first.unit.dimension is Dimension.ORDINAL:
        raise ComputationError(f"Cannot take the {what} of {described_value(first)}.")
    if first.unit.dimension is Dimension.TEMPERATURE and not affine:
        raise ComputationError(f"Cannot take the {what} of temperatures.")
    return [in_unit(amounts(value, first)[0], first.unit) for value in values]


def _approximate(values: Sequence[Value]) -> bool:
    return any(value.approximate for value in values)


def _sum(*values: Value) -> Value:
    return reduce(add, _alike(values, "sum", affine=False))


def _mean(*values: Value) -> Value:
    alike = _alike(values, "mean", affine=True)
    unit = alike[0].unit
    total = sum((to_base(value.magnitude, unit) for value in alike), Fraction(0))
    return quantity(from_base(total / len(alike), unit), unit, approximate=_approximate(alike))


def _median(*values: Value) -> Value:
    alike = sorted(_alike(values, "median", affine=True), key=lambda value: value.magnitude)
    middle = alike[(len(alike) - 1) // 2 : len(alike) // 2 + 1]
    return replace(_mean(*middle), approximate=_approximate(alike))


def _outermost(choose: Callable[..., Value], name: str = "") -> Callable[..., Value]:
    """The least or greatest value; of dates alone where the function has a ``name`` to complain by."""

    def chosen(*values: Value) -> Value:
        for value in values if name else ():
            _date(name, value)
        return choose(values, key=cmp_to_key(order))

    return chosen


def _abs(value: Value) -> Value:
    if value.kind not in NUMERIC:
        raise ComputationError(f"Cannot take the absolute value of {described_value(value)}.")
    return quantity(abs(value.magnitude), value.unit, approximate=value.approximate)


def _round(value: Value, places: Value = _NONE) -> Value:
    whole = places.kind is ValueKind.NUMBER and places.unit == ONE and places.magnitude.denominator == 1
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


def _between(unit: str, count: Callable[[CalendarDate, CalendarDate], int], per: int = 1) -> Callable[..., Value]:
    def between(first: Value, second: Value) -> Value:
        a, b = _date(f"{unit}s", first), _date(f"{unit}s", second)
        vague = first.approximate or second.approximate or a.precision is not b.precision
        return quantity(Fraction(count(a, b), per), known_unit(unit), approximate=vague)

    return between


def _ratio(a: Value, b: Value) -> Value:
    a, b = amounts(a, b)
    if a.kind not in NUMERIC or b.kind not in NUMERIC or not compatible(a.unit, b.unit):
        raise ComputationError(f"Cannot compare {described_value(a)} and {described_value(b)} as parts of a whole.")
    return divide(a, b)


def _percent(a: Value, b: Value) -> Value:
    ratio = _ratio(a, b)
    return replace(ratio, magnitude=ratio.magnitude * 100, unit=known_unit("%"))


def _change(a: Value, b: Value) -> Value:
    a, b = amounts(a, b)
    _ratio(b, a)
    return _percent(subtract(b, a), _abs(a))


def _make_date(*values: Value) -> Value:
    parts = [value.magnitude for value in values]
    plain = all((value.kind is ValueKind.NUMBER and value.unit == ONE) or is_year(value) for value in values)
    whole = plain and all(part.denominator == 1 and abs(part) < 10_000 for part in parts)
    date = try_date(*map(int, parts)) if whole else None
    if date is None:
        raise ComputationError("date takes a year, a month and a day that a calendar has.")
    return dated(date, approximate=_approximate(values))


FUNCTIONS: dict[str, tuple[Callable[..., Value], int, int | None]] = {
    "sum": (_sum, 1, None),
    "mean": (_mean, 1, None),
    "median": (_median, 1, None),
    "min": (_outermost(min), 1, None),
    "max": (_outermost(max), 1, None),
    "earliest": (_outermost(min, "earliest"), 1, None),
    "latest": (_outermost(max, "latest"), 1, None),
    "count": (lambda *values: quantity(len(values)), 1, None),
    "abs": (_abs, 1, 1),
    "round": (_round, 1, 2),
    "days": (_between("day", days_between), 2, 2),
    "weeks": (_between("week", days_between, 7), 2, 2),
    "months": (_between("month", months_between), 2, 2),
    "years": (_between("year", years_between), 2, 2),
    "ratio": (_ratio, 2, 2),
    "percent": (_percent, 2, 2),
    "change": (_change, 2, 2),
    "date": (_make_date, 1, 3),
}
"""By name, with the least and the most arguments; None for any number of them. ``convert(x, unit)`` is not here: its
second argument is a unit and no value."""


def evaluate(expression: str, operands: Mapping[str, Value]) -> Value:
    """Compute an expression over operands by name; raises ComputationError, and nothing else, for what it cannot."""
    if len(expression) > LONGEST:
        raise ComputationError(f"The expression is longer than {LONGEST:,} characters.")
    return _Parser(expression.translate(_PLAIN), operands).whole()


class _Parser:
    """Recursive descent over one expression, which is computed while it is read."""

    def __init__(self, text: str, operands: Mapping[str, Value]) -> None:
        self.text = text
        self.operands = operands
        self.at = 0
        self.depth = 0

    def whole(self) -> Value:
        if not self.text.strip():
            raise ComputationError("The expression is empty.")
        value = self._comparison()
        if self._peek():
            raise self._unexpected()
        return value

    def _peek(self) -> str:
        """The next character that is no space, or an empty string at the end."""
        space = _SPACE.match(self.text, self.at)
        self.at = self.at if space is None else space.end()
        return self.text[self.at : self.at + 1]

    def _take(self, *symbols: str) -> str | None:
        """The first of some symbols that stands next, which is passed over; of words all must stand there."""
        self._peek()
        for symbol in symbols:
            end = self.at + len(symbol)
            goes_on = symbol.isalpha() and _IN_NAME.match(self.text, end)
            if self.text.startswith(symbol, self.at) and not goes_on:
                self.at = end
                return symbol
        return None

    def _expect(self, symbol: str) -> None:
        if self._take(symbol) is None:
            raise self._unexpected(f", where {symbol!r} should be")

    def _unexpected(self, instead: str = "") -> ComputationError:
        found = self._peek()
        if not found:
            return ComputationError(f"The expression ends too early{instead}.")
        name = _NAME.match(self.text, self.at)
        shown = name.group()[:40] if name else found
        return ComputationError(f"Unexpected {shown!r} at character {self.at + 1}{instead}.")

    def _deeper(self, read: Callable[[], Value]) -> Value:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ComputationError(f"The expression is nested more than {DEEPEST} deep.")
        value = read()
        self.depth -= 1
        return value

    def _comparison(self) -> Value:
        left = self._sum()
        symbol = self._take(*_COMPARISONS)
        if symbol is None:
            return left
        right = self._sum()
        if symbol in _EQUALITIES:
            return truth(equal(left, right) is _EQUALITIES[symbol])
        return truth(_ORDERS[symbol](order(left, right), 0))

    def _chain(self, read: Callable[[], Value], operators: Mapping[str, Callable[[Value, Value], Value]]) -> Value:
        """Values with operators of one rank between them, from left to right."""
        value = read()
        while symbol := self._take(*operators):
            value = operators[symbol](value, read())
        return value

    def _sum(self) -> Value:
        return self._chain(self._product, {"+": add, "-": subtract})

    def _product(self) -> Value:
        return self._chain(self._sign, {"of": part_of, "*": multiply, "/": divide})

    def _sign(self) -> Value:
        if self._take("-"):
            return negate(self._deeper(self._sign))
        if self._take("+"):
            return self._deeper(self._sign)
        base = self._primary()
        if self._take("**", "^"):
            return power(base, self._deeper(self._sign))
        return base

    def _primary(self) -> Value:
        first = self._peek()
        if self._take("("):
            value = self._deeper(self._comparison)
            self._expect(")")
            return value
        if "0" <= first <= "9":
            return self._literal()
        money = _MONEY.match(self.text, self.at)
        if money is not None:
            self.at = money.end()
            return quantity(self._number(), find_unit(money.group()) or ONE)
        name = _NAME.match(self.text, self.at)
        if name is None or name.group() == "of":
            raise self._unexpected()
        self.at = name.end()
        if self._peek() == "(":
            return self._call(name.group())
        return self._operand(name.group())

    def _operand(self, name: str) -> Value:
        if name not in self.operands:
            known = ", ".join(list(self.operands)[:12]) or "none"
            raise ComputationError(f"There is no operand {name[:40]!r}; there are: {known}.")
        return self.operands[name]

    def _call(self, name: str) -> Value:
        self._expect("(")
        if name == "convert":
            return self._convert()
        if name not in FUNCTIONS:
            raise ComputationError(f"There is no function {name[:40]!r}; there are: convert, {', '.join(FUNCTIONS)}.")
        function, least, most = FUNCTIONS[name]
        arguments: list[Value] = []
        while self._peek() != ")":
            if arguments:
                self._expect(",")
            arguments.append(self._deeper(self._comparison))
        self._expect(")")
        if not least <= len(arguments) <= (most or len(arguments)):
            takes = f"{least} or more" if most is None else f"{least} to {most}" if least < most else f"{least}"
            raise ComputationError(f"{name} takes {takes} arguments, not {len(arguments)}.")
        return function(*arguments)

    def _convert(self) -> Value:
        value = self._deeper(self._comparison)
        self._expect(",")
        written = _UNIT_ARGUMENT.match(self.text, self.at)
        unit = None if written is None else find_unit(written[2])
        if written is None or unit is None:
            shown = "" if written is None else f", which {written[2].strip()!r} is not"
            raise ComputationError(f"convert takes a value and a unit{shown}.")
        self.at = written.end()
        return in_unit(value, unit)

    def _literal(self) -> Value:
        written = _DATE.match(self.text, self.at)
        if written is not None:
            date = try_date(*map(int, written.groups()))
            if date is None:
                raise ComputationError(f"No calendar has the date {written.group()}.")
            self.at = written.end()
            return dated(date)
        amount = self._number()
        return quantity(amount, self._unit())

    def _number(self) -> Fraction:
        self._peek()
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise self._unexpected(", where a number should be")
        self.at = match.end()
        decimals = match[2] or ""
        amount = Fraction(int(match[1] + decimals), 10 ** len(decimals)) * Fraction(10) ** int(match[3] or 0)
        scale = _SCALE.match(self.text, self.at)
        if scale is not None:
            self.at = scale.end()
            amount *= _SCALES[scale[1] or scale[2]]
        return amount

    def _unit(self) -> MeasureUnit:
        """The unit after a number: one of the table, or a noun that an operand counts."""
        self._peek()
        found = match_unit(self.text, self.at)
        if found is not None:
            self.at = found[1]
            return found[0]
        name = _NAME.match(self.text, self.at)
        if name is None or name.group() == "of":
            return ONE
        unit = counted(singular(name.group()))
        counts = {value.unit for value in self.operands.values() if not is_rate(value.unit)}
        if unit not in counts:
            raise ComputationError(f"{name.group()[:40]!r} after a number is no unit that is known here.")
        self.at = name.end()
        return unit
