"""Dates, times and spans of time as a spreadsheet shows them, by codes like ``d mmm yyyy`` and ``[h]:mm``.

Names of months and days are English ones; a code that asks for those of another language gives nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from lens_lsp.documents.readers.number_formats import Section, Token, Unknown, parsed

Moment = date | datetime | time | timedelta
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NAMED = 3
"""So many letters of a code stand for a shortened name."""
_FINEST = 6
"""Digits of a second that are known."""


def iso(moment: Moment) -> str:
    """As ISO writes it: ``2024-03-01 12:00``; a span of time as hours and minutes, ``90:30``."""
    if isinstance(moment, timedelta):
        minutes, seconds = divmod(round(moment.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
    if isinstance(moment, datetime):
        moment = _rounded(moment)
        return moment.isoformat(" ", "seconds" if moment.second else "minutes")
    if isinstance(moment, time):
        return moment.isoformat("seconds" if moment.second else "minutes")
    return moment.isoformat()


def told(moment: Moment, code: str | None) -> str:
    """A date or time as it looks, and behind a date that is not written as by ISO what ISO writes: ``1-Mar-24
    (2024-03-01)``. Where its looks are not known, ISO's alone."""
    shown = None if code is None else shown_moment(moment, code)
    if code is None or shown is None:
        return iso(moment)
    letters = {letter for token in parsed(code)[0].tokens if token.kind == "date" for letter in token.text}
    clock = bool(letters & set("hs"))
    if not isinstance(moment, date) or (clock and not letters & set("yd")):
        return shown
    return beside_iso(shown, moment, clock=clock)


def beside_iso(shown: str, moment: date, *, clock: bool = True) -> str:
    """How a date looks, and where ISO would write it otherwise, that behind it; without ``clock`` its day alone."""
    written = iso(moment if clock or not isinstance(moment, datetime) else moment.date())
    return shown if shown == written else f"{shown} ({written})"


def shown_moment(moment: Moment, code: str) -> str | None:
    """How a date or time looks; None where that is not known, or where the code is for numbers."""
    try:
        section = parsed(code)[0]
        if not section.dated or (section.foreign and _names(section)):
            return None
        return " ".join(_written(section, moment).split()) or None
    except Unknown:
        return None


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a moment is made of; None where it has no date or is a span of time."""

    day: date | None
    seconds: int
    """Of the day, or of the whole span."""
    fraction: int
    """Millionths of a second."""
    span: bool = False


def _parts(moment: Moment, decimals: int) -> _Parts:
    """The parts, rounded to so many digits of a second."""
    unit = 10 ** (_FINEST - min(decimals, _FINEST))
    if isinstance(moment, timedelta):
        if moment < timedelta(0):
            raise Unknown
        ticks = round(moment / timedelta(microseconds=unit)) * unit
        return _Parts(None, ticks // 10**_FINEST, ticks % 10**_FINEST, span=True)
    day = None if isinstance(moment, time) else moment
    at = moment if isinstance(moment, time) else moment.time() if isinstance(moment, datetime) else time()
    passed = timedelta(hours=at.hour, minutes=at.minute, seconds=at.second, microseconds=at.microsecond)
    ticks = round(passed / timedelta(microseconds=unit)) * unit
    if ticks == 86400 * 10**_FINEST:
        ticks, day = 0, _next(day)
    on = day.date() if isinstance(day, datetime) else day
    return _Parts(on, ticks // 10**_FINEST, ticks % 10**_FINEST)


def _next(day: date | None) -> date | None:
    if day is None or day >= (datetime.max if isinstance(day, datetime) else date.max) - timedelta(days=1):
        raise Unknown
    return day + timedelta(days=1)


def _written(section: Section, moment: Moment) -> str:
    tokens = section.tokens
    decimals = _decimals(tokens)
    parts = _parts(moment, decimals)
    if parts.span and not any(token.kind == "elapsed" for token in tokens):
        raise Unknown
    half = any(token.kind == "ampm" for token in tokens)
    minutes = _minutes(tokens)
    out: list[str] = []
    for at, token in enumerate(tokens):
        if token.kind == "date":
            out.append(
                _time(token.text, parts, half=half) if at in minutes or token.text[0] in "hs" else _day(token, parts)
            )
        elif token.kind == "elapsed":
            out.append(_elapsed(token.text, parts))
        elif token.kind == "ampm":
            morning, evening = token.text.upper().split("/")
            out.append(evening if parts.seconds % 86400 >= 43200 else morning)
        elif token.kind == "digit":
            out.append(_digit(tokens, at, parts))
        elif token.kind in ("text", "mark") and token.text not in (";", "@"):
            out.append(token.text)
        else:
            raise Unknown
    return "".join(out)


def _decimals(tokens: Sequence[Token]) -> int:
    """How many digits of a second are shown: zeros behind a point; any other digits belong to no date."""
    digits = [at for at, token in enumerate(tokens) if token.kind == "digit"]
    if not digits:
        return 0
    together = digits == list(range(digits[0], digits[0] + len(digits)))
    if not together or digits[0] < 2 or tokens[digits[0] - 1] != Token("mark", "."):
        raise Unknown
    if tokens[digits[0] - 2].text not in ("s", "ss") or any(tokens[at].text != "0" for at in digits):
        raise Unknown
    return len(digits)


def _digit(tokens: Sequence[Token], at: int, parts: _Parts) -> str:
    place = 0
    while tokens[at - place - 1].kind == "digit":
        place += 1
    return f"{parts.fraction:0{_FINEST}}"[place : place + 1] or "0"


def _minutes(tokens: Sequence[Token]) -> frozenset[int]:
    """The places where one or two m mean minutes: right after hours, or right before seconds."""
    times = [(at, token.text[0]) for at, token in enumerate(tokens) if token.kind in ("date", "elapsed")]
    found = set()
    for number, (at, letter) in enumerate(times):
        after = number > 0 and times[number - 1][1] == "h"
        before = number + 1 < len(times) and times[number + 1][1] == "s"
        if letter == "m" and len(tokens[at].text) < _NAMED and (after or before):
            found.add(at)
    return frozenset(found)


def _names(section: Section) -> bool:
    """Whether months or days are named."""
    return any(
        token.kind == "ampm" or (token.kind == "date" and token.text[0] in "md" and len(token.text) >= _NAMED)
        for token in section.tokens
    )


def _day(token: Token, parts: _Parts) -> str:
    """A year, month or day."""
    day, letter, length = parts.day, token.text[0], len(token.text)
    if day is None:
        raise Unknown
    if letter == "y":
        return f"{day.year:04}" if length >= _NAMED else f"{day.year % 100:02}"
    if length < _NAMED:
        return f"{day.month if letter == 'm' else day.day:0{length}}"
    name = _MONTHS[day.month - 1] if letter == "m" else _DAYS[day.weekday()]
    if letter == "m" and length > _NAMED + 1:
        return name[0] if length == _NAMED + 2 else name
    return name[:_NAMED] if length == _NAMED else name


def _time(code: str, parts: _Parts, *, half: bool) -> str:
    """Hours, minutes or seconds of a day."""
    letter, width = code[0], min(len(code), 2)
    seconds = parts.seconds
    if letter == "h":
        hour = seconds // 3600 % 24
        return f"{(hour + 11) % 12 + 1 if half else hour:0{width}}"
    return f"{seconds // 60 % 60 if letter == 'm' else seconds % 60:0{width}}"


def _elapsed(code: str, parts: _Parts) -> str:
    """All hours, minutes or seconds of a span."""
    if parts.day is not None:
        raise Unknown
    return f"{parts.seconds // {'h': 3600, 'm': 60, 's': 1}[code[0]]:0{len(code)}}"


def _rounded(moment: datetime) -> datetime:
    """To the second."""
    later = moment.microsecond >= 500_000 and moment.year < datetime.max.year
    return moment + timedelta(seconds=1) if later else moment
