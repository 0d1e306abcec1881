"""Dates and times of day as written, in English, German, French, Spanish, Italian, Russian, Chinese, Japanese, Korean.

Day, month and year in digits are read day first when dotted; with slashes or hyphens only when one order is possible,
else the year is all that is sure. A day and month without a year is recognised, so that its digits are not taken for
a count, and gives no date. Expects text from :func:`~lens_lsp.arithmetic.numerals.plain`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lens_lsp.arithmetic.dates import CalendarDate, try_date

_MONTHS = (
    "january jan januar januari janvier janv enero ene gennaio января январь",
    "february feb februar février fevrier févr febrero febbraio февраля февраль",
    "march mar märz maerz mars marzo марта март",
    "april apr avril avr abril abr aprile апреля апрель",
    "may mai mayo maggio мая май",
    "june jun juni juin junio giugno июня июнь",
    "july jul juli juillet juil julio luglio июля июль",
    "august aug août aout agosto августа август",
    "september sep sept septembre septiembre settembre сентября сентябрь",
    "october oct oktober okt octobre octubre ottobre октября октябрь",
    "november nov novembre noviembre ноября ноябрь",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre декабря декабрь",
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
"""Month names and abbreviations in lower case, without a dot."""
_VERBS = frozenset({"may", "march", "mar"})

_NAME = "|".join(sorted(MONTHS, key=len, reverse=True))
_GAP = r"[ \n-]"
_OF = r"(?:of |de |del |du |di |d')?"
_ENDS = r"(?![0-9]|[.,'][0-9]|[^\W_])"
_DAY_FIRST = re.compile(
    rf"([0-3]?[0-9])(?:\.|st|nd|rd|th|er|º|ª)?{_GAP}?{_OF}({_NAME})(?![^\W_])\.?,?(?:{_GAP}{_OF}([0-9]{{4}}){_ENDS})?",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"({_NAME})(?![^\W_])\.?{_GAP}([0-3]?[0-9])(?:st|nd|rd|th)?(?![0-9:]|[.,%][0-9]|[^\W_])"
    rf"(?!-[0-9])(?:,?[ \n]([0-9]{{4}}){_ENDS})?",
    re.IGNORECASE,
)
_MONTH_ONLY = re.compile(rf"({_NAME})(?![^\W_])\.?,?{_GAP}{_OF}([0-9]{{4}}){_ENDS}", re.IGNORECASE)
_YEAR_FIRST = re.compile(
    r"([0-9]{4})([-/.])([01]?[0-9])\2([0-3]?[0-9])"
    r"(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![0-9]|[-/.][0-9])"
)
_YEAR_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])(?![0-9]|-[0-9])")
_YEAR_LAST = re.compile(r"([0-3]?[0-9])([./-])([0-3]?[0-9])\2([0-9]{4})(?![0-9]|[./-][0-9])")
_EAST_ASIAN = re.compile(r"([0-9]{4}) ?[年년](?! ?[間间])(?: ?([01]?[0-9]) ?[月월](?: ?([0-3]?[0-9]) ?[日号號일])?)?")
_EAST_ASIAN_DAY = re.compile(r"[01]?[0-9] ?[月월] ?[0-3]?[0-9] ?[日号號일]")
_ERA_AFTER = re.compile(r"([0-9]{1,4}) ?(?:(AD|CE|A\.D\.|C\.E\.)|BCE?|B\.C\.(?:E\.)?|v\. ?Chr\.)(?![^\W_])")
_ERA_BEFORE = re.compile(r"(?:AD|A\.D\.) ?([0-9]{1,4})(?![0-9])")
_CLOCK = re.compile(
    r"([01]?[0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9]))?(?![0-9:]|\.[0-9])(?:[ \n]?([AaPp])\.?[Mm]\b\.?)?"
)
_HOUR = re.compile(r"(1[0-2]|[1-9]) ?([AaPp])\.?[Mm](?![^\W_])\.?")


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """A date that was read: where it ends, and what it is; None when it has no year or lies before year 1."""

    end: int
    date: CalendarDate | None


@dataclass(frozen=True, slots=True)
class WrittenTime:
    """A time of day that was read, in seconds since midnight."""

    end: int
    seconds: int
    twelve_hours: bool
    """Nothing says whether it is before or after noon."""


def match_date(text: str, start: int) -> WrittenDate | None:
    """The date that begins at a digit or a word, or None. A year alone is none here (``reading.py``)."""
    if not text[start].isdigit():
        return _month_first(text, start)
    return _in_digits(text, start) or _day_first(text, start) or _era(text, start)


def match_time(text: str, start: int) -> WrittenTime | None:
    """The time of day that begins at a digit, or None: "14:30", "14:30:15", "2:30 pm", "5 p.m."."""
    match = _CLOCK.match(text, start)
    half = None
    if match is not None:
        hour, minute, second, half = int(match[1]), int(match[2]), int(match[3] or 0), match[4]
    else:
        match = _HOUR.match(text, start)
        if match is None:
            return None
        hour, minute, second, half = int(match[1]), 0, 0, match[2]
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "Pp" else 0)
    if hour > 23:
        return None
    vague = half is None and 1 <= hour <= 12 and not match[1].startswith("0")
    return WrittenTime(match.end(), (hour * 60 + minute) * 60 + second, vague)


def _in_digits(text: str, start: int) -> WrittenDate | None:
    match = _YEAR_FIRST.match(text, start)
    if match is not None and (match[2] != "." or len(match[3]) == len(match[4]) == 2):
        return _valid(match.end(), int(match[1]), int(match[3]), int(match[4]))
    match = _YEAR_MONTH.match(text, start)
    if match is not None:
        return _valid(match.end(), int(match[1]), int(match[2]))
    match = _EAST_ASIAN.match(text, start)
    if match is not None:
        return _valid(match.end(), int(match[1]), *(int(part) for part in match.groups()[1:] if part))
    match = _EAST_ASIAN_DAY.match(text, start)
    if match is not None:
        return WrittenDate(match.end(), None)
    match = _YEAR_LAST.match(text, start)
    return None if match is None else _year_last(match)


def _year_last(match: re.Match[str]) -> WrittenDate | None:
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    if match[2] == "." or first > 12 or first == second:
        return _valid(match.end(), year, second, first)
    if second > 12:
        return _valid(match.end(), year, first, second)
    return _valid(match.end(), year)


def _day_first(text: str, start: int) -> WrittenDate | None:
    match = _DAY_FIRST.match(text, start)
    if match is None:
        return None
    month = MONTHS[match[2].lower()]
    if match[3] is not None:
        return _valid(match.end(), int(match[3]), month, int(match[1]))
    return WrittenDate(match.end(2), None) if _surely_a_month(match[2]) and 0 < int(match[1]) < 32 else None


def _month_first(text: str, start: int) -> WrittenDate | None:
    match = _MONTH_FIRST.match(text, start)
    if match is not None:
        if match[3] is not None:
            return _valid(match.end(), int(match[3]), MONTHS[match[1].lower()], int(match[2]))
        return WrittenDate(match.end(), None) if match[1][0].isupper() and 0 < int(match[2]) < 32 else None
    match = _MONTH_ONLY.match(text, start)
    if match is not None:
        verb = match[1] in _VERBS
        return None if verb else _valid(match.end(), int(match[2]), MONTHS[match[1].lower()])
    match = _ERA_BEFORE.match(text, start)
    return None if match is None else _valid(match.end(), int(match[1]))


def _era(text: str, start: int) -> WrittenDate | None:
    match = _ERA_AFTER.match(text, start)
    if match is None:
        return None
    return WrittenDate(match.end(), None) if match[2] is None else _valid(match.end(), int(match[1]))


def _surely_a_month(name: str) -> bool:
    return name[0].isupper() or (len(name) > 3 and name not in _VERBS)


def _valid(end: int, year: int, month: int | None = None, day: int | None = None) -> WrittenDate | None:
    date = try_date(year, month, day)
    return None if date is None else WrittenDate(end, date)
