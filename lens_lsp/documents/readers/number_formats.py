"""Numbers, dates and times as a spreadsheet shows them, by format codes such as ``#,##0.00`` and ``d mmm yyyy``.

Own code, because no library for it is kept well (docs/explanation/dependencies.md). Known is what people use: sections,
conditions, places for digits, groups, shares, scaling, powers of ten, fractions, words, currencies, dates, times and
spans of time. Marks and the names of months and days are those of English: a file does not say whose window it will be
seen in. A code with anything else in it gives nothing, and the cell is told by its value.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache

from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

SURE_DIGITS = 15
"""As many digits of a number are shown, as in Excel; the others are noise of binary fractions."""
BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    # Those of money come with the file where the program knew a currency; without, there is none to be shown.
    5: "#,##0;-#,##0", 6: "#,##0;-#,##0", 7: "#,##0.00;-#,##0.00", 8: "#,##0.00;-#,##0.00",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)", 39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)",
    41: "#,##0;(#,##0);-", 42: "#,##0;(#,##0);-", 43: "#,##0.00;(#,##0.00);-", 44: "#,##0.00;(#,##0.00);-",
    45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""The codes that a file names by number alone. Those missing show dates as the computer's owner likes them."""
_PIECE = regex(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<wide>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]{0,60})\]'
    r"|(?P<general>General)|(?P<ampm>AM/PM|A/P)|(?P<power>E[+-])"
    r"|(?P<date>y+|m+|d+|h+|s+)|(?P<digit>[0#?])|(?P<mark>[.,%/;@])|(?P<other>[^A-Za-z\"\\\[\]])",
    re.IGNORECASE | re.DOTALL,
)
_CONDITION = regex(r"(?P<relation><>|<=|>=|<|>|=)(?P<limit>-?\d{1,15}(?:\.\d{1,15})?)")
_COLOUR = regex(r"black|blue|cyan|green|magenta|red|white|yellow|color ?\d{1,2}", re.IGNORECASE)
_CURRENCY = regex(r"\$(?P<symbol>[^-\]]*)(?:-(?P<locale>[0-9A-Fa-f]{1,8}|[A-Za-z-]{2,20}))?")
_ELAPSED = regex(r"h+|m+|s+", re.IGNORECASE)
_LONGEST = 500
"""Code points of a code; Excel allows half of it."""
_MOST_DIGITS = 40
"""Places for digits on one side of the point."""
_GREATEST = Decimal(10) ** 30
"""Larger numbers are told by their value."""
_GROUP = 3
_SIMPLE = regex(r"[x%]*(?P<digits>(?P<whole>[#,]*)0(?:\.(?P<decimals>0+))?(?P<scale>,*))[x%]*")
_SPACES = regex(r"\s+")
_COUNTS = regex(r"[1-9]")
Moment = date | datetime | time | timedelta
_NAMED = 3
"""So many letters of a code stand for a shortened name."""
_FINEST = 6
"""Digits of a second that are known."""


class UnknownFormat(Exception):
    """A code, or a part of one, that is not known here."""


@dataclass(frozen=True, slots=True)
class FormatToken:
    """A piece of a section: ``kind`` is ``text``, ``digit``, ``mark``, ``power``, ``date``, ``elapsed``, ``ampm`` or
    ``general``."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class _Simple:
    """A section that Python can write by itself; ``shift`` is the power of ten that the number is multiplied with."""

    before: str
    form: str
    after: str
    shift: int
    step: Decimal


@dataclass(frozen=True, slots=True)
class FormatSection:
    """One of up to four parts of a code, and what it says about which numbers it is for."""

    tokens: tuple[FormatToken, ...]
    dated: bool
    """It shows a date, a time or a span of time."""
    foreign: bool
    """It names a language whose names of months and days are not known here."""
    relation: str
    limit: Decimal
    simple: _Simple | None
    """The short way to write it, which a sheet may take half a million times."""

    def holds(self, number: Decimal) -> bool:
        """Whether a number meets the section's own condition."""
        order = (number > self.limit) - (number < self.limit)
        return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0, "=": not order}.get(
            self.relation, bool(order)
        )


def shown_number(number: float, code: str) -> str | None:
    """How a number looks; None where that is not known, where nothing of it would be seen, or where it is a date."""
    try:
        exact = Decimal(f"{number:.{SURE_DIGITS}g}")
        if not abs(exact) < _GREATEST:  # also what is no number
            return None
        section, negative = _chosen(parsed(code), exact)
        if section.dated:
            return None
        shown = _shown(section, abs(exact))
    except (UnknownFormat, ArithmeticError):
        return None
    # What is shown as nothing has no sign.
    return (f"-{shown}" if negative and _COUNTS.search(shown) else shown) or None


def _shown(section: FormatSection, number: Decimal) -> str:
    """A number that is not negative, by a section."""
    simple = section.simple
    if simple is None:
        return " ".join(_written(section.tokens, number).split())
    if simple.shift:
        number = number.scaleb(simple.shift)
    return f"{simple.before}{number.quantize(simple.step, ROUND_HALF_UP):{simple.form}}{simple.after}"


@lru_cache(maxsize=1024)
def parsed(code: str) -> tuple[FormatSection, ...]:
    """The sections of a code; raises `UnknownFormat`."""
    if len(code) > _LONGEST:
        raise UnknownFormat
    sections: list[FormatSection] = []
    tokens: list[FormatToken] = []
    about: dict[str, str] = {}
    at = 0
    while at < len(code):
        piece = _PIECE.match(code, at)
        if piece is None:
            raise UnknownFormat
        at = piece.end()
        if piece["mark"] == ";":
            sections.append(_section(tokens, about))
            tokens, about = [], {}
        else:
            _add(piece, tokens, about)
    return (*sections, _section(tokens, about))


def _add(piece: re.Match[str], tokens: list[FormatToken], about: dict[str, str]) -> None:
    """Take a piece of a code into a section, as a token or as what is said about it."""
    kind = str(piece.lastgroup)
    text = piece[kind]
    if kind == "bracket":
        _bracket(text, tokens, about)
    elif kind == "wide":
        tokens.append(FormatToken("text", " "))
    elif kind in ("quoted", "escaped", "other"):
        tokens.append(FormatToken("text", text))
    elif kind != "fill":
        tokens.append(FormatToken(kind, text.lower() if kind in ("date", "ampm") else text))


def _bracket(text: str, tokens: list[FormatToken], about: dict[str, str]) -> None:
    condition, currency = _CONDITION.fullmatch(text), _CURRENCY.fullmatch(text)
    if condition is not None:
        about |= {"relation": condition["relation"], "limit": condition["limit"]}
    elif currency is not None:
        tokens.append(FormatToken("text", currency["symbol"]))
        about["locale"] = currency["locale"] or ""
    elif _ELAPSED.fullmatch(text):
        tokens.append(FormatToken("elapsed", text.lower()))
    elif not _COLOUR.fullmatch(text):
        raise UnknownFormat


def _section(tokens: Sequence[FormatToken], about: dict[str, str]) -> FormatSection:
    language = about.get("locale", "")
    english = not language or language.lower().startswith("en") or language[-2:].lower() == "09"
    return FormatSection(
        tokens=tuple(tokens),
        dated=any(token.kind in ("date", "elapsed", "ampm") for token in tokens),
        foreign=not english,
        relation=about.get("relation", ""),
        limit=Decimal(about.get("limit", "0")),
        simple=_simple(tokens),
    )


def _simple(tokens: Sequence[FormatToken]) -> _Simple | None:
    """The short way for most sections: digits in one stretch, those before the point optional but for the last."""
    if any(token.kind not in ("text", "digit", "mark") for token in tokens):
        return None
    found = _SIMPLE.fullmatch("".join("x" if token.kind == "text" else token.text for token in tokens))
    if found is None:
        return None
    words = [token.text for token in tokens]
    before, after = "".join(words[: found.start("digits")]), "".join(words[found.end("digits") :])
    decimals, shift = len(found["decimals"] or ""), 2 * found[0].count("%") - _GROUP * len(found["scale"])
    return _Simple(
        before=_SPACES.sub(" ", before).lstrip(),
        form=f"{',' if ',' in found['whole'] else ''}.{decimals}f",
        after=_SPACES.sub(" ", after).rstrip(),
        shift=shift,
        step=Decimal(1).scaleb(-decimals),
    )


def _chosen(sections: Sequence[FormatSection], number: Decimal) -> tuple[FormatSection, bool]:
    """The section for a number, and whether a minus stands before it."""
    numeric = sections[:3]
    if len(sections) == 1 and not sections[0].relation:
        return sections[0], number < 0
    if any(section.relation for section in numeric):
        for section in numeric:
            if not section.relation or section.holds(number):
                # Where all numbers of a section are negative, it says so itself.
                said = section.relation.startswith("<") and section.relation != "<>" and section.limit <= 0
                return section, number < 0 and not said
        raise UnknownFormat
    if number < 0 and len(numeric) > 1:
        return numeric[1], False
    if not number and len(numeric) > 2:
        return numeric[2], False
    return numeric[0], number < 0


def _written(tokens: Sequence[FormatToken], number: Decimal) -> str:
    """A number that is not negative in the places of a section."""
    kinds = [token.kind for token in tokens]
    if "general" in kinds or FormatToken("mark", "@") in tokens:
        plain = f"{number.normalize():f}"
        return "".join(plain if token.kind == "general" or token.text == "@" else token.text for token in tokens)
    if "digit" not in kinds:
        return "".join(token.text for token in tokens if token.kind == "text")
    number *= Decimal(100) ** sum(token == FormatToken("mark", "%") for token in tokens)
    if FormatToken("mark", "/") in tokens:
        return _fraction(tokens, number)
    if "power" in kinds:
        return _with_power(tokens, kinds.index("power"), number)
    return _decimal(tokens, number)


def _decimal(tokens: Sequence[FormatToken], number: Decimal) -> str:
    """Digits in their places, with groups and words between them."""
    point = tokens.index(FormatToken("mark", ".")) if FormatToken("mark", ".") in tokens else len(tokens)
    before = [at for at, token in enumerate(tokens) if token.kind == "digit" and at < point]
    after = [at for at, token in enumerate(tokens) if token.kind == "digit" and at > point]
    if max(len(before), len(after)) > _MOST_DIGITS:
        raise UnknownFormat
    commas = [at for at, token in enumerate(tokens) if token == FormatToken("mark", ",")]
    last = before[-1] if before else -1
    # Commas right behind the digits, on either side of the point, say that thousands are shown.
    scaling = [at for at in commas if last < at < point or at > max([last, *after])]
    grouped = any(before and before[0] < at < last for at in commas)
    rounded = (number / Decimal(1000) ** len(scaling)).quantize(Decimal(1).scaleb(-len(after)), ROUND_HALF_UP)
    whole, _, rest = f"{rounded:f}".partition(".")
    places = _before_point(tokens, before, whole.lstrip("0"), grouped=grouped) | _after_point(tokens, after, rest)
    if point < len(tokens) and not any(places[at].strip() for at in after):
        places[point] = ""
    shown = [places.get(at, _literal(token)) for at, token in enumerate(tokens)]
    return "".join(shown) if before or not whole.lstrip("0") else whole.lstrip("0") + "".join(shown)


def _literal(token: FormatToken) -> str:
    """What stands between the digits."""
    return "" if token == FormatToken("mark", ",") else token.text


def _before_point(
    tokens: Sequence[FormatToken], places: Sequence[int], digits: str, *, grouped: bool
) -> dict[int, str]:
    """What stands in the places before the point, from the right; the first takes all digits that are left."""
    found: dict[int, str] = {}
    written = 0
    for number, at in enumerate(reversed(places)):
        cut = 0 if number == len(places) - 1 else max(0, len(digits) - 1)
        own, digits = digits[cut:], digits[:cut]
        own = own or {"0": "0", "?": " "}.get(tokens[at].text, "")
        text = ""
        for digit in reversed(own):
            comma = "," if grouped and written and not written % _GROUP and digit != " " else ""
            text = digit + comma + text
            written += 1
        found[at] = text
    return found


def _after_point(tokens: Sequence[FormatToken], places: Sequence[int], digits: str) -> dict[int, str]:
    """What stands in the places after the point: zeros at the end only where a place wants them."""
    found: dict[int, str] = {}
    ending = True
    for at, digit in reversed(list(zip(places, digits, strict=False))):
        ending = ending and digit == "0" and tokens[at].text != "0"
        found[at] = {"?": " "}.get(tokens[at].text, "") if ending else digit
    return found


def _with_power(tokens: Sequence[FormatToken], power: int, number: Decimal) -> str:
    """``1.23E+03``; with several places before the point the power is a multiple of how many there are."""
    mantissa, exponent = tokens[:power], tokens[power + 1 :]
    point = mantissa.index(FormatToken("mark", ".")) if FormatToken("mark", ".") in mantissa else len(mantissa)
    width = max(1, sum(token.kind == "digit" for token in mantissa[:point]))
    decimals = sum(token.kind == "digit" for token in mantissa[point:])
    places = sum(token.kind == "digit" for token in exponent)
    if not places or max(width, decimals) > _MOST_DIGITS:
        raise UnknownFormat
    raised = number.adjusted() // width * width if number else 0
    rounded = number.scaleb(-raised).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    if rounded >= Decimal(10) ** width:
        raised += width
        rounded = number.scaleb(-raised).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    sign = "-" if raised < 0 else "+" if tokens[power].text.endswith("+") else ""
    behind = "".join(token.text for token in exponent if token.kind == "text")
    return f"{_decimal(mantissa, rounded)}E{sign}{abs(raised):0{places}}{behind}"


def _fraction(tokens: Sequence[FormatToken], number: Decimal) -> str:
    """``1 3/4``: with places below the line the nearest fraction of so many digits, with a number that one's."""
    line = tokens.index(FormatToken("mark", "/"))
    below = "".join(token.text for token in tokens[line + 1 :] if token.kind == "digit" or token.text.isdecimal())
    above = [at for at, token in enumerate(tokens[:line]) if token.kind == "digit"]
    if not below or not above or len(below) > 4 or any(token.kind == "mark" for token in tokens[line + 1 :]):
        raise UnknownFormat
    fixed = int(below) if below.isdecimal() and int(below) else 0
    mixed = any(above[0] < at < above[-1] for at, token in enumerate(tokens[:line]) if token.text == " ")
    whole = int(number) if mixed else 0
    rest = Fraction(number) - whole
    part = Fraction(round(rest * fixed), fixed) if fixed else rest.limit_denominator(10 ** len(below) - 1)
    if part == 1 and mixed:
        whole, part = whole + 1, Fraction(0)
    if not part and mixed:
        return str(whole)
    top, bottom = (round(rest * fixed), fixed) if fixed else (part.numerator, part.denominator)
    return f"{whole} {top}/{bottom}" if whole else f"{top}/{bottom}"


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


def moment_and_iso(moment: Moment, code: str) -> str:
    """A date or time as it looks, and behind a date that is not written as by ISO what ISO writes: ``1-Mar-24
    (2024-03-01)``. Where its looks are not known, ISO's alone."""
    shown = shown_moment(moment, code)
    if shown is None:
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
        return " ".join(_written_moment(section, moment).split()) or None
    except UnknownFormat:
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
            raise UnknownFormat
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
        raise UnknownFormat
    return day + timedelta(days=1)


def _written_moment(section: FormatSection, moment: Moment) -> str:
    tokens = section.tokens
    decimals = _second_digits(tokens)
    parts = _parts(moment, decimals)
    if parts.span and not any(token.kind == "elapsed" for token in tokens):
        raise UnknownFormat
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
            raise UnknownFormat
    return "".join(out)


def _second_digits(tokens: Sequence[FormatToken]) -> int:
    """How many digits of a second are shown: zeros behind a point; any other digits belong to no date."""
    digits = [at for at, token in enumerate(tokens) if token.kind == "digit"]
    if not digits:
        return 0
    together = digits == list(range(digits[0], digits[0] + len(digits)))
    if not together or digits[0] < 2 or tokens[digits[0] - 1] != FormatToken("mark", "."):
        raise UnknownFormat
    if tokens[digits[0] - 2].text not in ("s", "ss") or any(tokens[at].text != "0" for at in digits):
        raise UnknownFormat
    return len(digits)


def _digit(tokens: Sequence[FormatToken], at: int, parts: _Parts) -> str:
    place = 0
    while tokens[at - place - 1].kind == "digit":
        place += 1
    return f"{parts.fraction:0{_FINEST}}"[place : place + 1] or "0"


def _minutes(tokens: Sequence[FormatToken]) -> frozenset[int]:
    """The places where one or two m mean minutes: right after hours, or right before seconds."""
    times = [(at, token.text[0]) for at, token in enumerate(tokens) if token.kind in ("date", "elapsed")]
    found = set()
    for number, (at, letter) in enumerate(times):
        after = number > 0 and times[number - 1][1] == "h"
        before = number + 1 < len(times) and times[number + 1][1] == "s"
        if letter == "m" and len(tokens[at].text) < _NAMED and (after or before):
            found.add(at)
    return frozenset(found)


def _names(section: FormatSection) -> bool:
    """Whether months or days are named."""
    return any(
        token.kind == "ampm" or (token.kind == "date" and token.text[0] in "md" and len(token.text) >= _NAMED)
        for token in section.tokens
    )


def _day(token: FormatToken, parts: _Parts) -> str:
    """A year, month or day."""
    day, letter, length = parts.day, token.text[0], len(token.text)
    if day is None:
        raise UnknownFormat
    if letter == "y":
        return f"{day.year:04}" if length >= _NAMED else f"{day.year % 100:02}"
    if length < _NAMED:
        return f"{day.month if letter == 'm' else day.day:0{length}}"
    name = calendar.month_name[day.month] if letter == "m" else calendar.day_name[day.weekday()]
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
        raise UnknownFormat
    return f"{parts.seconds // {'h': 3600, 'm': 60, 's': 1}[code[0]]:0{len(code)}}"


def _rounded(moment: datetime) -> datetime:
    """To the second."""
    later = moment.microsecond >= 500_000 and moment.year < datetime.max.year
    return moment + timedelta(seconds=1) if later else moment
