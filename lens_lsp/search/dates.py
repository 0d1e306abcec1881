"""Dates as people write them: the days, months, years and ranges that a text names."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from lens_lsp.model.text import Span

_NAMES = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEARS = r"(?P<year>(?:19|20)\d{2})"
_EXACT = (
    re.compile(rf"\b{_DAY}(?: of)?[ -](?P<month>{_MONTH})\.?,?(?: of)?[ -](?P<year>\d{{4}})\b"),
    re.compile(rf"\b(?P<month>{_MONTH})\.?,? (?:{_DAY},? )?(?:of )?(?P<year>\d{{4}})\b"),
    re.compile(rf"(?<!\d){_YEARS}[- /](?P<month>{_MONTH})\b(?:[- /]{_DAY}\b)?"),
    re.compile(rf"(?<!\d){_YEARS}(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])?(?!\d)"),
    re.compile(rf"(?<!\d){_YEARS}[-_./](?P<month>0?[1-9]|1[0-2])(?:[-_./](?P<day>\d{{1,2}}))?(?!\d)"),
    # With strokes the month comes first unless it cannot; else the day does.
    re.compile(rf"(?<![\d/])(?P<month>0?[1-9]|1[0-2])/(?:(?P<day>\d{{1,2}})/)?{_YEARS}(?!\d)"),
    re.compile(rf"(?<!\d)(?P<day>\d{{1,2}})(?P<sign>[-./])(?P<month>0?[1-9]|1[0-2])(?P=sign){_YEARS}(?!\d)"),
)
_NOUNS = r"(?:meetings?|minutes|notes?|posts?|documents?|docs|files?|entry|entries|articles?|pages?|letters?|peps?)"
_YEAR = re.compile(
    r"\b(?:in|of|from|during|dated|since|after|before|until|till|between|and|to)(?: the)?(?: year)? "
    r"(?P<year>(?:19|20)\d{2})\b(?![-/.]\d)"
    rf"|\b{_NOUNS} (?P<behind>(?:19|20)\d{{2}})\b|\b(?P<ahead>(?:19|20)\d{{2}}) (?:\w+ )?{_NOUNS}\b"
)
_PART_OF_YEAR = re.compile(
    r"\b(?:(?P<season>spring|summer|autumn|fall|early|mid|late)|q(?P<quarter>[1-4])"
    r"|(?P<ordinal>first|second|third|fourth|last) (?P<size>quarter|half))[- ](?:of |in )?(?P<year>(?:19|20)\d{2})\b"
)
_SEASONS = {
    "spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "early": (1, 4), "mid": (5, 8),
    "late": (9, 12),
}  # fmt: skip
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_YEARLESS = re.compile(
    rf"\b{_DAY}(?: of)? (?P<month>{_MONTH})\b|\b(?P<first>{_MONTH})\.? (?P<behind>\d{{1,2}})(?:st|nd|rd|th)?\b"
    rf"|\b(?:in|of|from|during) (?P<whole>{'|'.join(_NAMES)})\b(?!\W*\d)"
)
_FIRST_YEAR, _LAST_YEAR = 1990, 2050
"""Years that a day without one may be of."""
_TO = r"(?:and|to|until|till|through|-)"
_RANGE = re.compile(r"\b(?:between|from) (?:the )?$")
_JOINED = re.compile(rf" *{_TO} (?:the )?(?:in |of )?")
_PART = re.compile(
    rf"\b(?:between|from) (?:the )?(?:{_DAY}(?: of)?)? ?(?P<month>{_MONTH})?\.?(?: (?P<behind>\d{{1,2}}))? "
    rf"{_TO} (?:the )?$"
)
_OPEN = re.compile(r"\b(?P<word>after|later than|since|before|earlier than|prior to|until|till)(?: the)? $")
_BEFORE = frozenset({"before", "earlier than", "prior to"})
_AFTER = frozenset({"after", "later than"})


@dataclass(frozen=True, slots=True)
class Period:
    """The days from ``first`` to ``last``: one day, a month, a year or a range."""

    first: date
    last: date

    @classmethod
    def of(cls, year: int, month: int | None = None, day: int | None = None) -> Period:
        """A year, a month or a day. Raises ValueError where there is none."""
        if month is None:
            return cls(date(year, 1, 1), date(year, 12, 31))
        if day is None:
            return cls(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))
        return cls(date(year, month, day), date(year, month, day))

    @property
    def days(self) -> int:
        """How many days it has, less one."""
        return (self.last - self.first).days

    def holds(self, other: Period) -> bool:
        """Whether another lies in it."""
        return self.first <= other.first and other.last <= self.last


def dates(folded: str) -> list[Period]:
    """The dates that stand in a folded text, in order, each as exact as it is said; no single years."""
    return [period for period, _ in _exact(folded)]


def periods(folded: str, *, years: bool) -> list[tuple[Period, Span]]:
    """The dates that a question asks about and where they stand: those in its text, ranges as one; single years only
    where ``years`` asks for them and nothing more exact is there."""
    found = _exact(folded)
    if years and not found:
        found += [(_part_of_year(match), Span(*match.span())) for match in _PART_OF_YEAR.finditer(folded)]
    if years and not found:
        for match in _YEAR.finditer(folded):
            year = match.lastgroup or "year"
            found.append((Period.of(int(match[year])), Span(*match.span(year))))
    ranges = list(_ranges(folded, found))
    return ranges if ranges or not years else list(_yearless(folded))


def _part_of_year(match: re.Match[str]) -> Period:
    year = int(match["year"])
    first, last = 1, 12
    if match["season"]:
        first, last = _SEASONS[match["season"]]
    else:
        months = 6 if match["size"] == "half" else 3
        number = int(match["quarter"] or _ORDINALS.get(match["ordinal"], 12 // months))
        first, last = max(1, min(12, number * months) - months + 1), min(12, number * months)
    return Period(Period.of(year, first).first, Period.of(year, last).last)


def _yearless(folded: str) -> Iterator[tuple[Period, Span]]:
    """The same day or month of every year, where none is said."""
    for match in _YEARLESS.finditer(folded):
        month = _MONTHS[match["month"] or match["first"] or match["whole"]]
        day = match["day"] or match["behind"]
        for year in range(_FIRST_YEAR, _LAST_YEAR + 1):
            with suppress(ValueError):
                yield Period.of(year, month, int(day) if day else None), Span(*match.span())


def _exact(folded: str) -> list[tuple[Period, Span]]:
    found: list[tuple[Period, Span]] = []
    taken: list[Span] = []
    for pattern in _EXACT:
        for match in pattern.finditer(folded):
            span = Span(*match.span())
            if any(span.overlaps(other) for other in taken):
                continue
            period = _period(match)
            # A day that there is not is no date, and not the month around it.
            taken.append(span)
            if period is not None:
                found.append((period, span))
    return sorted(found, key=lambda one: one[1].start)


def _period(match: re.Match[str]) -> Period | None:
    month = _MONTHS.get(match["month"]) or int(match["month"])
    try:
        return Period.of(int(match["year"]), month, int(match["day"]) if match["day"] else None)
    except ValueError:
        return None


def _ranges(folded: str, found: list[tuple[Period, Span]]) -> Iterator[tuple[Period, Span]]:
    """The dates with those that a range begins and ends with as one."""
    at = 0
    while at < len(found):
        period, span = found[at]
        at += 1
        before = folded[: span.start]
        if at < len(found) and _RANGE.search(before) and _JOINED.fullmatch(folded, span.end, found[at][1].start):
            end, behind = found[at]
            at += 1
            if period.first <= end.last:
                period, span = Period(period.first, end.last), Span(span.start, behind.end)
        elif (part := _PART.search(before)) and (part["month"] or part["day"]):
            first = _beginning(part, period)
            if first is not None and first <= period.last:
                period, span = Period(first, period.last), Span(part.start(), span.end)
        elif word := _OPEN.search(before):
            period, span = _open(word["word"], period), Span(word.start(), span.end)
        yield period, span


def _beginning(part: re.Match[str], period: Period) -> date | None:
    """Where a range begins whose first date leaves out what its last one says."""
    month = _MONTHS[part["month"]] if part["month"] else period.first.month
    day = part["day"] or part["behind"]
    try:
        return date(period.first.year, month, int(day) if day else 1)
    except ValueError:
        return None


def _open(word: str, period: Period) -> Period:
    day = timedelta(days=1)
    if word in _BEFORE:
        return Period(date.min, max(date.min + day, period.first) - day)
    if word in _AFTER:
        return Period(min(period.last, date.max - day) + day, date.max)
    return Period(period.first, date.max) if word == "since" else Period(date.min, period.last)
