"""Evaluate the expressions of computation questions, sharing no code with the package.

Literals are plain decimal numbers, ISO dates, and a number followed by ``days`` or ``weeks``. A difference of
dates is a number of days; a date plus or minus a number moves by that many days. Numbers are exact fractions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

Value = Fraction | date

TOKEN = re.compile(r"\s*(?:(\d{4}-\d{2}-\d{2})|(\d+(?:\.\d+)?)(?:\s+(days|weeks)\b)?|([-+*/()]))")
DAYS = {None: 1, "days": 1, "weeks": 7}


class ExpressionError(Exception):
    """The expression is malformed, or combines dates and numbers in a way that has no meaning."""


def literals(expression: str) -> set[str]:
    """The numbers and dates written in the expression, without their units."""
    return {match[1] or match[2] for match in _tokens(expression) if not match[4]}


def evaluate(expression: str) -> Value:
    """The value: a date, or a number (of days where dates were subtracted). Raises ExpressionError."""
    tokens = list(_tokens(expression))
    value, rest = _sum(tokens, 0)
    if rest != len(tokens):
        raise ExpressionError(f"{expression}: unexpected {tokens[rest][0].strip()!r}")
    return value


def rendered(value: Value, decimals: int) -> str:
    """The value as an answer is written: an ISO date, or a number rounded half up to ``decimals`` places."""
    if isinstance(value, date):
        return value.isoformat()
    with localcontext() as context:
        context.prec = 50
        exact = Decimal(value.numerator) / Decimal(value.denominator)
        return str(exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def _tokens(expression: str) -> Iterator[re.Match[str]]:
    at, text = 0, expression.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"{expression}: cannot be read from column {at + 1}")
        yield match
        at = match.end()


def _sum(tokens: list[re.Match[str]], at: int) -> tuple[Value, int]:
    value, at = _product(tokens, at)
    while at < len(tokens) and tokens[at][4] in ("+", "-"):
        right, after = _product(tokens, at + 1)
        value, at = _added(value, right, 1 if tokens[at][4] == "+" else -1), after
    return value, at


def _product(tokens: list[re.Match[str]], at: int) -> tuple[Value, int]:
    value, at = _atom(tokens, at)
    while at < len(tokens) and tokens[at][4] in ("*", "/"):
        right, after = _atom(tokens, at + 1)
        if isinstance(value, date) or isinstance(right, date):
            raise ExpressionError("a date cannot be multiplied or divided")
        if tokens[at][4] == "/" and right == 0:
            raise ExpressionError("division by zero")
        value, at = value * right if tokens[at][4] == "*" else value / right, after
    return value, at


def _atom(tokens: list[re.Match[str]], at: int) -> tuple[Value, int]:
    if at == len(tokens):
        raise ExpressionError("the expression ends too early")
    token = tokens[at]
    if token[1]:
        return date.fromisoformat(token[1]), at + 1
    if token[2]:
        return Fraction(token[2]) * DAYS[token[3]], at + 1
    if token[4] != "(":
        raise ExpressionError(f"unexpected {token[4]!r}")
    value, after = _sum(tokens, at + 1)
    if after == len(tokens) or tokens[after][4] != ")":
        raise ExpressionError("a bracket is not closed")
    return value, after + 1


def _added(left: Value, right: Value, sign: int) -> Value:
    if isinstance(left, date) and isinstance(right, date):
        if sign > 0:
            raise ExpressionError("two dates cannot be added")
        return Fraction((left - right).days)
    if isinstance(right, date):
        raise ExpressionError("a date cannot be added to or taken from a number")
    if isinstance(left, date):
        if right.denominator != 1:
            raise ExpressionError("a date moves by whole days only")
        return left + timedelta(days=sign * int(right))
    return left + sign * right
