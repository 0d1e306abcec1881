"""What is counted, measured and dated in a text, also where no full value is read: "12 March", "v3.4", "#84"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from lens_lsp.arithmetic.notation import MONTHS
from lens_lsp.arithmetic.typed_values import Kind, Value
from lens_lsp.arithmetic.units import Dimension, unit_named
from lens_lsp.arithmetic.value_parser import find_values
from lens_lsp.judge.tokens import prose
from lens_lsp.model.text import Span

UNITLESS = frozenset({Dimension.NUMBER, Dimension.COUNT, Dimension.ORDINAL})
"""The dimensions of numbers that measure nothing."""
PERIODS = {
    "day": "day daily", "week": "week weekly wk", "month": "month monthly mo", "quarter": "quarter quarterly",
    "year": "year yearly annual annually yr annum", "hour": "hour hourly h hr", "minute": "minute min",
    "second": "second sec s",
}  # fmt: skip
"""What something happens or is paid for again and again, with the words that say so."""

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_TO = r"\s?(?:-|–|to|and|through|until)\s?"
_DAYS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.])(?P<a>[0-3]?[0-9])(?:st|nd|rd|th|\.)?\s(?:of\s)?(?P<m>{_MONTH})(?P<b>)(?![^\W_])",
        rf"(?<![^\W_])(?P<m>{_MONTH})\.?\s(?P<a>[0-3]?[0-9])(?:st|nd|rd|th)?(?P<b>)(?![\w%]|[.:,][0-9])",
        rf"(?<![^\W_])(?P<m>{_MONTH})\.?\s(?P<a>[0-3]?[0-9])(?:st|nd|rd|th)?{_TO}(?P<b>[0-3]?[0-9])(?![0-9])",
        rf"(?<![\w.])(?P<a>[0-3]?[0-9])\.?{_TO}(?P<b>[0-3]?[0-9])(?:st|nd|rd|th|\.)?\s(?P<m>{_MONTH})(?![^\W_])",
    )
)
_CLOCKED = re.compile(r"(?<![\w.])(?:([0-9]{1,3})h)?(?:([0-9]{1,3})m)?([0-9]{1,3})s(?![^\W_])")
DIGITS = re.compile(r"[^\W_]*[0-9](?:[^\W_]|[.,:+/_-](?=[^\W_]))*")
"""A run that holds a digit."""
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_SUFFIX = re.compile(r"\.[a-z]{1,5}\Z")
_SEPARATORS = re.compile(r"[/_\\-]")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|([0-9]{1,2})[.)])[ \t]", re.MULTILINE)
_LISTING = re.compile(r"[:.;()]\s")
_COMMAS = re.compile(r",\s+and\s|,\s|\sand\s|\s&\s")


@dataclass(frozen=True, slots=True)
class Day:
    """A day of a month, without or with its year."""

    month: int
    day: int
    span: Span


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a text; places count in that text."""

    values: tuple[Value, ...] = ()
    days: tuple[Day, ...] = ()
    written: frozenset[str] = frozenset()
    """Every run that holds a digit, as written, in lower case; and the parts of each."""


def figures_of(text: str) -> Figures:
    """The figures of a text."""
    plain = prose(text)
    return _figures(plain, (*find_values(plain), *_clocked(plain)))


def figures_of_path(path: str) -> Figures:
    """The figures of a path, in which signs separate words."""
    plain = _SEPARATORS.sub(" ", _SUFFIX.sub("", path))
    name = _SUFFIX.sub("", path.rpartition("/")[2])
    return _figures(plain, (*find_values(plain), *find_values(name)))


def merged(figures: Sequence[Figures]) -> Figures:
    """The figures of several texts."""
    return Figures(
        tuple(value for one in figures for value in one.values),
        tuple(day for one in figures for day in one.days),
        frozenset(written for one in figures for written in one.written),
    )


def listed(text: str) -> frozenset[int]:
    """How many things a text lists (items, or names between commas and "and"), and the numbers of its items."""
    items = list(_ITEM.finditer(text))
    found = {len(items), *(int(item[1]) for item in items if item[1])}
    found.update(len(_COMMAS.split(part)) for part in _LISTING.split(text))
    return frozenset(found - {0, 1})


def _figures(plain: str, values: tuple[Value, ...]) -> Figures:
    days = [
        Day(value.date.month, value.date.day, value.span)
        for value in values
        if value.span is not None and value.date is not None and value.date.month and value.date.day
    ]
    for pattern in _DAYS:
        for match in pattern.finditer(plain):
            written = [int(day) for day in match.group("a", "b") if day]
            days += [Day(MONTHS[match["m"].lower()], day, Span(*match.span())) for day in written if 0 < day < 32]
    return Figures(values, tuple(days), frozenset(_written(plain)))


def _clocked(text: str) -> Iterator[Value]:
    """Durations as programs write them: 2m0s, 90s."""
    for match in _CLOCKED.finditer(text):
        seconds = (int(match[1] or 0) * 60 + int(match[2] or 0)) * 60 + int(match[3])
        yield Value(Kind.DURATION, Fraction(seconds), unit_named("second"), span=Span(*match.span()))


def _written(text: str) -> Iterator[str]:
    for match in DIGITS.finditer(text):
        whole = match.group().lower()
        yield whole
        yield whole.removeprefix("v")
        if not _THOUSANDS.fullmatch(whole):
            yield from (part.lstrip("0").removesuffix("s") for part in re.split(r"[-/_:+,]", whole))
