"""200 generated expressions against ground truth that was made while generating, without using the package.

The generator keeps its own small table of units and its own percentages and dates (``Fraction``, ``Decimal`` and
``datetime``). Half of the operands are read from generated sentences, so reading is checked too.
"""

from __future__ import annotations

import calendar
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from lens_lsp.arithmetic.expression import evaluate
from lens_lsp.arithmetic.typed_values import Value
from lens_lsp.arithmetic.value_parser import find_values

Truth = tuple[str, Fraction] | date | bool
"""An amount in the base unit of its dimension; a day; yes or no."""
N = 200
FACTORS = {
    "length": {"m": Decimal(1), "km": Decimal(1000), "cm": Decimal("0.01"), "mi": Decimal("1609.344"),
               "ft": Decimal("0.3048")},
    "mass": {"kg": Decimal(1000), "g": Decimal(1), "lb": Decimal("453.59237"), "t": Decimal(1_000_000)},
    "time": {"s": Decimal(1), "min": Decimal(60), "h": Decimal(3600), "days": Decimal(86400), "weeks": Decimal(604800)},
    "data": {"B": Decimal(1), "KB": Decimal(1000), "MB": Decimal(1_000_000), "KiB": Decimal(1024),
             "GiB": Decimal(1024**3)},
    "energy": {"J": Decimal(1), "kWh": Decimal(3_600_000), "kcal": Decimal(4184)},
    "money": {"EUR": Decimal(1)},
    "pages": {"pages": Decimal(1)},
    "number": {"": Decimal(1)},
}  # fmt: skip
SENTENCES = ["It came to {}.", "They measured {} there.", "The **{}** were enough, says the report", "Result: {}"]


@dataclass
class Problem:
    """An expression with its operands and what it must come to."""

    expression: str = ""
    truth: Truth = False
    operands: dict[str, Value] = field(default_factory=dict)


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.problem = Problem()

    def problems(self, n: int) -> Iterator[Problem]:
        kinds = [self.arithmetic, self.units, self.percentages, self.changes, self.days, self.calendar, self.statistics,
                 self.comparison]  # fmt: skip
        for index in range(n):
            self.problem = Problem()
            self.problem.expression, self.problem.truth = kinds[index % len(kinds)]()
            yield self.problem

    # Leaves: what is written, and what it is worth.

    def amount(self, dimension: str, *, least: int = 1) -> tuple[str, Fraction]:
        unit, factor = self.random.choice(list(FACTORS[dimension].items()))
        figure = Decimal(self.random.randint(least * 100, 99_999)) / self.random.choice([1, 10, 100])
        worth = Fraction(figure) * Fraction(factor)
        plain = f"{figure:f}".rstrip("0").rstrip(".") if "." in f"{figure:f}" else f"{figure:f}"
        written = f"{plain} {unit}".strip()
        if unit == "pages" or self.random.random() < 0.5:
            return self.operand(f"{figure:,f} {unit}".strip()), worth
        return written, worth

    def operand(self, prose: str) -> str:
        sentence = self.random.choice(SENTENCES).format(prose)
        (value,) = find_values(sentence)
        name = f"f{len(self.problem.operands) + 1}"
        self.problem.operands[name] = value
        return name

    def percentage(self) -> tuple[str, Fraction]:
        figure = Decimal(self.random.randint(1, 2000)) / 10
        share = Fraction(figure) / 100
        if self.random.random() < 0.5:
            return self.operand(f"{figure} percent"), share
        return f"{figure} %", share

    def day(self) -> tuple[str, date]:
        day = date(1900, 1, 1) + timedelta(days=self.random.randrange(60_000))
        if self.random.random() < 0.5:
            forms = [f"{day.day} {calendar.month_name[day.month]} {day.year}", f"{day:%B} {day.day}, {day.year}",
                     f"{day:%d.%m.%Y}", f"{day.year}年{day.month}月{day.day}日"]  # fmt: skip
            return self.operand(self.random.choice(forms)), day
        return day.isoformat(), day

    # Problems.

    def arithmetic(self) -> tuple[str, Truth]:
        expression, worth = self.amount("number")
        for _ in range(self.random.randint(1, 4)):
            other, value = self.amount("number")
            symbol = self.random.choice("+-*/")
            worth = {"+": worth + value, "-": worth - value, "*": worth * value, "/": worth / value}[symbol]
            expression = f"({expression} {symbol} {other})"
        if self.random.random() < 0.3:
            expression, worth = f"-{expression} ** 2", -(worth**2)
        return expression, ("number", worth)

    def units(self) -> tuple[str, Truth]:
        dimension = self.random.choice(["length", "mass", "time", "data", "energy", "pages"])
        expression, worth = self.amount(dimension)
        for _ in range(self.random.randint(1, 3)):
            other, value = self.amount(dimension)
            symbol = self.random.choice("+-")
            expression, worth = f"{expression} {symbol} {other}", worth + (value if symbol == "+" else -value)
        if self.random.random() < 0.5:
            times, factor = self.amount("number")
            symbol = self.random.choice("*/")
            worth = worth * factor if symbol == "*" else worth / factor
            return f"({expression}) {symbol} {times}", (dimension, worth)
        if self.random.random() < 0.5:
            other, value = self.amount(dimension)
            return f"({expression}) / {other}", ("number", worth / value)
        target = self.random.choice([unit for unit in FACTORS[dimension] if unit != "pages"] or ["%"])
        return (expression if target == "%" else f"convert({expression}, {target})"), (dimension, worth)

    def percentages(self) -> tuple[str, Truth]:
        dimension = self.random.choice(list(FACTORS))
        kind = self.random.randrange(4)
        if kind == 0:
            part, share = self.percentage()
            whole, worth = self.amount(dimension)
            return f"{part} of {whole}", (dimension, worth * share)
        whole, worth = self.amount(dimension)
        part, share = self.percentage()
        if kind == 1:
            return f"{whole} + {part}", (dimension, worth + worth * share)
        if kind == 2:
            again, more = self.percentage()
            return f"{whole} - {part} + {again}", (dimension, worth * (1 - share) * (1 + more))
        return f"{whole} * {part}", (dimension, worth * share)

    def changes(self) -> tuple[str, Truth]:
        dimension = self.random.choice(list(FACTORS))
        a, first = self.amount(dimension)
        b, second = self.amount(dimension)
        if self.random.random() < 0.5:
            return f"percent({a}, {b})", ("share", first / second)
        return f"change({a}, {b})", ("share", (second - first) / first)

    def days(self) -> tuple[str, Truth]:
        a, first = self.day()
        if self.random.random() < 0.5:
            b, second = self.day()
            between = Fraction((first - second).days * 86400)
            return self.random.choice([(f"{a} - {b}", ("time", between)), (f"days({a}, {b})", ("time", -between))])
        n = self.random.randint(1, 5000)
        unit, days = self.random.choice([("days", n), ("weeks", 7 * n)])
        symbol = self.random.choice("+-")
        moved = first + timedelta(days=days if symbol == "+" else -days)
        return f"{a} {symbol} {n} {unit}", moved

    def calendar(self) -> tuple[str, Truth]:
        a, first = self.day()
        if self.random.random() < 0.5:
            n, unit = self.random.randint(1, 400), self.random.choice(["months", "years"])
            return f"{a} + {n} {unit}", later(first, n if unit == "months" else 12 * n)
        b, second = self.day()
        start, end = sorted((first, second))
        months = 0
        while later(start, months + 1) <= end:
            months += 1
        sign = 1 if first <= second else -1
        if self.random.random() < 0.5:
            return f"months({a}, {b})", ("calendar", Fraction(sign * months))
        return f"years({a}, {b})", ("calendar", Fraction(sign * (months // 12) * 12))

    def statistics(self) -> tuple[str, Truth]:
        dimension = self.random.choice(list(FACTORS))
        amounts = [self.amount(dimension) for _ in range(self.random.randint(2, 5))]
        written = ", ".join(expression for expression, _ in amounts)
        worth = sorted(value for _, value in amounts)
        middle = worth[len(worth) // 2]
        if len(worth) % 2 == 0:
            middle = (middle + worth[len(worth) // 2 - 1]) / 2
        name, truth = self.random.choice([
            ("sum", sum(worth, Fraction(0))), ("mean", sum(worth, Fraction(0)) / len(worth)), ("min", worth[0]),
            ("max", worth[-1]), ("median", middle)])  # fmt: skip
        return f"{name}({written})", (dimension, truth)

    def comparison(self) -> tuple[str, Truth]:
        dimension = self.random.choice(list(FACTORS))
        a, first = self.amount(dimension)
        b, second = self.amount(dimension)
        symbol = self.random.choice(["<", ">", "<=", "!=", "="])
        truth = {"<": first < second, ">": first > second, "<=": first <= second, "!=": first != second,
                 "=": first == second}[symbol]  # fmt: skip
        return f"{a} {symbol} {b}", truth


def later(start: date, months: int) -> date:
    """The same day so many months later, or the last of a shorter month."""
    month = start.month - 1 + months
    year, month = start.year + month // 12, month % 12 + 1
    return date(year, month, min(start.day, calendar.monthrange(year, month)[1]))


DIMENSIONS = {
    "length": "length", "mass": "mass", "time": "time", "data": "data", "energy": "energy", "money": "money",
    "count": "pages", "plain number": "number", "percentage": "share", "months and years": "calendar",
}  # fmt: skip


def outcome(value: Value) -> Truth:
    """A result as the generator writes its truths; bits are turned into bytes."""
    if value.date is not None:
        return value.date.first
    if value.kind.value == "boolean":
        return bool(value.magnitude)
    dimension = DIMENSIONS[value.unit.dimension.value]
    base = value.magnitude * value.unit.factor
    return dimension, base / 8 if dimension == "data" else base


def wrong(problems: list[Problem]) -> list[str]:
    """The expressions that do not come to the truth."""
    found = [(problem, outcome(evaluate(problem.expression, problem.operands))) for problem in problems]
    return [f"{one.expression} = {worth}, not {one.truth}" for one, worth in found if worth != one.truth]


PROBLEMS = list(Generator(seed=3).problems(N))


def test_none_of_200_generated_expressions_is_wrong() -> None:
    assert len(PROBLEMS) == N
    assert wrong(PROBLEMS) == []


def test_the_generated_expressions_have_units_percentages_dates_and_cited_operands() -> None:
    expressions = [problem.expression for problem in PROBLEMS]
    shares = [any(value.unit.symbol == "%" for value in problem.operands.values()) for problem in PROBLEMS]
    assert sum(shares) >= 10
    assert sum("%" in text for text in expressions) >= 10
    assert sum(isinstance(problem.truth, date) for problem in PROBLEMS) >= 10
    assert len({problem.truth[0] for problem in PROBLEMS if isinstance(problem.truth, tuple)}) == 10
    assert sum(bool(problem.operands) for problem in PROBLEMS) >= 100
    assert len({(problem.expression, *problem.operands.values()) for problem in PROBLEMS}) == N


def test_more_generated_expressions_are_right_too() -> None:
    assert wrong(list(Generator(seed=30).problems(1000))) == []
