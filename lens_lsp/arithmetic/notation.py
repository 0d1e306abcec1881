"""Numbers, dates and times of day as written: the regular expressions that recognise them at a place in a text.

Which mark is which (docs/explanation/computation.md): one comma before exactly three digits groups thousands, any other
single comma is a decimal mark; a single dot is a decimal mark; a mark that occurs twice groups thousands; of two
different marks the last is the decimal mark. Dates are read in nine languages; in digits day first when dotted, with
slashes or hyphens only when one order is possible, else the year is all that is sure. Everything here expects text in
which `plain` has replaced lookalikes.
"""

from __future__ import annotations

import re
from fractions import Fraction

from lens_lsp.arithmetic.typed_values import CalendarDate, try_date
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

MOST_DIGITS = 48
"""Longer runs of digits and separators are data and no number of a sentence; code points."""
_GREATEST_POWER = 99
VULGAR = {
    "½": Fraction(1, 2), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3), "¼": Fraction(1, 4), "¾": Fraction(3, 4),
    "⅕": Fraction(1, 5), "⅖": Fraction(2, 5), "⅗": Fraction(3, 5), "⅘": Fraction(4, 5), "⅙": Fraction(1, 6),
    "⅚": Fraction(5, 6), "⅛": Fraction(1, 8), "⅜": Fraction(3, 8), "⅝": Fraction(5, 8), "⅞": Fraction(7, 8),
}  # fmt: skip
"""Fractions that are one character."""
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_DIGITS = {zero + n: str(n) for zero in (0x660, 0x6F0, 0x966) for n in range(10)}
_SPACES = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_PLAIN: dict[int, int | str | None] = {
    **_WIDE,
    **_SPACES,
    **_DIGITS,
    0x2212: "-",
    0x2010: "-",
    0x2011: "-",
    0x2019: "'",
    0xFFE5: "¥",
    0xFFE1: "£",
}
_CORE = regex(r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9])(?:[.,][0-9]+(?![.,][0-9]))?|[0-9]+(?:[.,'_][0-9]+)*")
_FORMS = (
    (regex(r"(0|[1-9][0-9]*)"), ""),
    (regex(r"([1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.([0-9]+))?"), ","),
    (regex(r"([1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})(?:\.([0-9]+))?"), ","),
    (regex(r"([1-9][0-9]{0,2}(?:\.[0-9]{3})+),([0-9]+)"), "."),
    (regex(r"([1-9][0-9]{0,2}(?:\.[0-9]{3}){2,})"), "."),
    (regex(r"(0|[1-9][0-9]*)\.([0-9]+)"), ""),
    (regex(r"(0|[1-9][0-9]*),([0-9]+)"), ""),
    (regex(r"([1-9][0-9]{0,2}(?:'[0-9]{3})+)(?:[.,]([0-9]+))?"), "'"),
    (regex(r"([1-9][0-9]{0,2}(?:_[0-9]{3})+)(?:\.([0-9]+))?"), "_"),
    (regex(r"([1-9][0-9]{0,2}(?: [0-9]{3})+)(?:[.,]([0-9]+))?"), " "),
)
_ADDRESS = regex(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}")
_YEARS = regex(r"[12][0-9]{3}(?:,[12][0-9]{3})+")
_EITHER = regex(r"([1-9][0-9]{0,2})[.,]([0-9]{3})")
_FRACTION = regex(r"/([0-9]{1,4})(?![0-9]|[/.,][0-9])")
_MIXED = regex(r" ([0-9]{1,2})/([0-9]{1,3})(?![0-9/])")
_DENOMINATORS = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 32, 64, 100, 1000})
_EXPONENT = regex(r"[eE]([+-]?[0-9]{1,2})(?![0-9A-Za-z_])")
_TIMES_POWER = regex(r" ?[x×·*] ?10(?:(?:\^|\*\*)\{?(-?[0-9]{1,2})\}?|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))(?![0-9])")
_SCALES = {
    10**2: "hundred", 10**3: "thousand tausend mille mil тысяч тысячи тыс 千 천",
    10**4: "万 萬 만", 10**6: "million millions mio Mio Millionen Million millones миллион миллиона миллионов млн mn "
    "百万",
    10**8: "亿 億 억", 10**9: "billion billions bn Milliarden Milliarde Mrd milliards milliard миллиард миллиарда "
    "миллиардов млрд", 10**12: "trillion trillions tn 兆 조", 12: "dozen dozens",
}  # fmt: skip
_SCALE_WORDS = {word: scale for scale, words in _SCALES.items() for word in words.split()}
_SCALE = regex(rf"[ \n-]?({'|'.join(sorted(_SCALE_WORDS, key=len, reverse=True))})(?![a-zA-Zа-я])\.?", re.IGNORECASE)
_GLUED_SCALE = regex(r"([kKM])(?![\w/²³])|(?<=[0-9]) (M)(?![\w/²³])")
_MONEY_SCALE = regex(r" ?([kKmMbB]|bn|mn|tn)(?![\w/²³])")
_LETTERS = {"k": 10**3, "m": 10**6, "b": 10**9, "bn": 10**9, "mn": 10**6, "tn": 10**12}
_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {part: at for at, part in enumerate(_SMALL.split())} | {
    part: 20 + 10 * at for at, part in enumerate(_TENS.split())
}
_THOUSANDS = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_PARTS |= {f"{part}s": at for part, at in _PARTS.items() if part != "half"} | {"halves": 2}
_ORDINALS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth twentieth
"""
ORDINAL_WORDS = {part: at for at, part in enumerate(_ORDINALS.split(), 1)}
"""Ordinals as words, first to twentieth."""
STARTS = frozenset({*_VALUES, "a", "an", "half"})
"""The words a number in words may begin with, in lower case."""
_WORD = regex(r"[A-Za-z]+")
_NEXT = regex(r"[ \n-]([A-Za-z]+)\b")
_AND = regex(r"[ \n]and[ \n]([A-Za-z]+)\b")
_HALF = regex(
    r"half(?:[ \n]an?[ \n](million|billion|thousand|hundred|dozen)\b|(?=[ \n](?:of|the|an?)[ \n]))", re.IGNORECASE
)
_A_SCALE = regex(r"an?[ \n](hundred|thousand|million|billion|trillion|dozen|quarter of|third of)\b", re.IGNORECASE)
_REST = regex(r"[ \n]and[ \n](?:a[ \n](half|quarter)|three[ \n](quarters))\b", re.IGNORECASE)
_NAMED = {"hundred": 100, "dozen": 12, **_THOUSANDS}
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
_VERBS = ("may", "march", "mar")
_NAME = "|".join(sorted(MONTHS, key=len, reverse=True))
_GAP = r"[ \n-]"
_OF = r"(?:of |de |del |du |di |d')?"
_ENDS = r"(?![0-9]|[.,'][0-9]|[^\W_])"
_YEAR = rf"(?P<year>[0-9]{{4}}){_ENDS}"
_TIME_OF_DAY = r"(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?![0-9]|[-/.][0-9])"
_DAY_FIRST = regex(
    rf"(?P<day>[0-3]?[0-9])(?:\.|st|nd|rd|th|er|º|ª)?{_GAP}?{_OF}(?P<month>{_NAME})(?![^\W_])"
    rf"(?:\.?,?{_GAP}{_OF}{_YEAR})?",
    re.IGNORECASE,
)
_YEAR_LAST = regex(
    r"(?P<day>[0-3]?[0-9])(?P<sign>[./-])(?P<month>[0-3]?[0-9])(?P=sign)(?P<year>[0-9]{4})(?![0-9]|[./-][0-9])"
)
_FROM_DIGIT = (
    regex(rf"(?P<year>[0-9]{{4}})([-/])(?P<month>[01]?[0-9])\2(?P<day>[0-3]?[0-9]){_TIME_OF_DAY}"),
    regex(rf"(?P<year>[0-9]{{4}})\.(?P<month>[01][0-9])\.(?P<day>[0-3][0-9]){_TIME_OF_DAY}"),
    regex(r"(?P<year>[0-9]{4})-(?P<month>0[1-9]|1[0-2])(?![0-9]|-[0-9])"),
    regex(
        r"(?P<year>[0-9]{4}) ?[年년](?! ?[間间])"
        r"(?: ?(?P<month>[01]?[0-9]) ?[月월](?: ?(?P<day>[0-3]?[0-9]) ?[日号號일])?)?"
    ),
    regex(r"[01]?[0-9] ?[月월] ?[0-3]?[0-9] ?[日号號일]"),
    _YEAR_LAST,
    _DAY_FIRST,
    regex(
        r"(?:(?P<year>[0-9]{1,4}) ?(?:AD|CE|A\.D\.|C\.E\.)"
        r"|[0-9]{1,4} ?(?:BCE?|B\.C\.(?:E\.)?|v\. ?Chr\.))(?![^\W_])"
    ),
)
_FROM_WORD = (
    regex(
        rf"(?P<month>{_NAME})(?![^\W_])\.?{_GAP}(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?(?![0-9:]|[.,%][0-9]|[^\W_])"
        rf"(?!-[0-9])(?:,?[ \n]{_YEAR})?",
        re.IGNORECASE,
    ),
    regex(rf"(?!(?-i:{'|'.join(_VERBS)})\b)(?P<month>{_NAME})(?![^\W_])\.?,?{_GAP}{_OF}{_YEAR}", re.IGNORECASE),
    regex(r"(?:AD|A\.D\.) ?(?P<year>[0-9]{1,4})(?![0-9])"),
)
_CLOCK = regex(
    r"(?P<hour>[01]?[0-9]|2[0-4]):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?(?![0-9:]|\.[0-9])"
    r"(?:[ \n]?(?P<half>[AaPp])\.?[Mm]\b\.?)?"
)
_HOUR = regex(r"(?P<hour>1[0-2]|[1-9]) ?(?P<half>[AaPp])\.?[Mm](?![^\W_])\.?")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number that was read: its end in the text, its amount, the worth of its last digit, its other reading."""

    end: int
    amount: Fraction
    step: Fraction
    other: Fraction | None = None
    scale: int = 1
    """The factor a scale word ("million") gave it, already applied."""
    digits: bool = True
    """Nothing but digits: it may be a year."""

    def scaled(self, factor: int, end: int) -> Numeral:
        """The same digits in front of a scale word that ends at ``end``."""
        other = None if self.other is None else self.other * factor
        return Numeral(end, self.amount * factor, self.step * factor, other, self.scale * factor, digits=False)


def plain(text: str) -> str:
    """The text with full-width forms, other scripts' digits, typographic spaces and hyphens in ASCII; same offsets."""
    return text if text.isascii() else text.translate(_PLAIN)


def core_end(text: str, start: int) -> int:
    """Where the run of digits and separators at ``start`` ends."""
    match = _CORE.match(text, start)
    return start if match is None else match.end()


def match_numeral(text: str, start: int) -> Numeral | None:
    """The number that begins at a digit, or None for what is none: versions, addresses, long runs of digits.

    A list such as "1,2,3" gives its first number.
    """
    core = _CORE.match(text, start)
    if core is None or len(core.group()) > MOST_DIGITS:
        return None
    written = core.group()
    if _is_list(text, start, written):
        written = written.partition(",")[0]
    read = _amount(written)
    if read is None:
        return None
    end = start + len(written)
    return _continued(text, Numeral(end, *read, digits=written.isdigit()))


def match_scale(text: str, numeral: Numeral, *, money: bool) -> Numeral:
    """The number with the scale words after it: "2.5 million", "120万", "5k", and "$5m" when it is money."""
    if money:
        letters = _MONEY_SCALE.match(text, numeral.end)
        if letters is not None:
            return numeral.scaled(_LETTERS[letters[1].lower()], letters.end())
    glued = _GLUED_SCALE.match(text, numeral.end)
    if glued is not None:
        return numeral.scaled(_LETTERS[(glued[1] or glued[2]).lower()], glued.end())
    for _ in range(2):
        word = _SCALE.match(text, numeral.end)
        if word is None:
            break
        factor = _SCALE_WORDS.get(word[1]) or _SCALE_WORDS.get(word[1].lower())
        if factor is None:
            break
        abbreviated = word[1].lower() in ("mio", "mrd", "млн", "млрд", "тыс")
        numeral = numeral.scaled(factor, word.end() if abbreviated else word.end(1))
    return numeral


def _is_list(text: str, start: int, written: str) -> bool:
    """Whether commas stand between numbers: "1,2,3", "2015,2016"."""
    if start > 1 and text[start - 1] == "," and text[start - 2].isdigit():
        return True
    return _YEARS.fullmatch(written) is not None or (written.count(",") > 1 and _amount(written) is None)


def _amount(written: str) -> tuple[Fraction, Fraction, Fraction | None] | None:
    """Amount, worth of the last digit, other reading."""
    if _ADDRESS.fullmatch(written) and max(map(int, written.split("."))) < 256:
        return None
    for form, grouping in _FORMS:
        match = form.fullmatch(written)
        if match is not None:
            whole = match[1].replace(grouping, "") if grouping else match[1]
            decimals = (match[2] or "") if form.groups > 1 else ""
            step = Fraction(1, 10 ** len(decimals))
            return int(whole + decimals) * step, step, _other(written)
    return None


def _other(written: str) -> Fraction | None:
    either = _EITHER.fullmatch(written)
    if either is None:
        return None
    joined = int(either[1] + either[2])
    return Fraction(joined, 1000) if "," in written else Fraction(joined)


def _continued(text: str, numeral: Numeral) -> Numeral | None:
    """The number with a fraction or a power of ten after it; None for a ratio that is no fraction ("24/7")."""
    end, amount = numeral.end, numeral.amount
    if text[end : end + 1] in VULGAR:
        return Numeral(end + 1, amount + VULGAR[text[end]], Fraction(0), digits=False)
    if numeral.digits:
        if text[end : end + 1] == "/" and text[end + 1 : end + 2].isdigit():
            fraction = _FRACTION.match(text, end)
            if fraction is None or int(fraction[1]) not in _DENOMINATORS or not 0 < amount < int(fraction[1]):
                return None
            return Numeral(fraction.end(), amount / int(fraction[1]), Fraction(0), digits=False)
        mixed = _MIXED.match(text, end)
        if mixed is not None and int(mixed[2]) in _DENOMINATORS and 0 < int(mixed[1]) < int(mixed[2]):
            return Numeral(mixed.end(), amount + Fraction(int(mixed[1]), int(mixed[2])), Fraction(0), digits=False)
    power = _EXPONENT.match(text, end) or _TIMES_POWER.match(text, end)
    if power is None:
        return numeral
    exponent = int(next(filter(None, power.groups())).translate(_SUPERSCRIPTS).replace("--", "-") or 0)
    if abs(exponent) > _GREATEST_POWER:
        return None
    factor = Fraction(10) ** exponent
    return Numeral(power.end(), amount * factor, numeral.step * factor, digits=False)


def match_words(text: str, start: int) -> Numeral | None:
    """The number in words that begins at ``start``, or None."""
    first = _WORD.match(text, start)
    if (
        first is None
        or text[first.end() : first.end() + 1].isalnum()
        or text[first.end() : first.end() + 1] in ("_", "'")
    ):
        return None
    word = first.group().lower()
    if word == "half":
        return _half(text, start)
    if word in ("a", "an"):
        return _a_scale(text, start)
    if word not in _VALUES:
        return None
    fraction = _NEXT.match(text, first.end())
    if fraction is not None and fraction[1].lower() in _PARTS and 0 < _VALUES[word] < 10:
        amount = Fraction(_VALUES[word], _PARTS[fraction[1].lower()])
        return Numeral(fraction.end(), amount, Fraction(0), digits=False) if amount < 1 else None
    return _and_a_half(text, _cardinal(text, first.end(), _VALUES[word]))


def _numeral(end: int, amount: Fraction | int) -> Numeral:
    return Numeral(end, Fraction(amount), Fraction(0), digits=False)


def _half(text: str, start: int) -> Numeral | None:
    match = _HALF.match(text, start)
    if match is None:
        return None
    if match[1] is not None:
        return _numeral(match.end(), Fraction(_NAMED[match[1].lower()], 2))
    return _numeral(start + len("half"), Fraction(1, 2))


def _a_scale(text: str, start: int) -> Numeral | None:
    match = _A_SCALE.match(text, start)
    if match is None:
        return None
    part = match[1].lower().removesuffix(" of")
    if part in _PARTS:
        return _numeral(match.end() - len(" of"), Fraction(1, _PARTS[part]))
    if part == "dozen":
        return _numeral(match.end(), 12)
    return _and_a_half(text, _cardinal(text, match.end(), _NAMED[part]))


def _and_a_half(text: str, numeral: Numeral) -> Numeral:
    """The number with "and a half" and then a scale word ("two and a half million")."""
    rest = _REST.match(text, numeral.end)
    if rest is None:
        return numeral
    part = (rest[1] or rest[2]).lower()
    amount = numeral.amount + {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "quarters": Fraction(3, 4)}[part]
    scale = _NEXT.match(text, rest.end())
    if scale is not None and scale[1].lower() in _THOUSANDS:
        return _numeral(scale.end(), amount * _THOUSANDS[scale[1].lower()])
    return _numeral(rest.end(), amount)


def _cardinal(text: str, end: int, value: int) -> Numeral:
    """Read on from the first word, whose value is given, as long as the words make one number."""
    done, group, last = (value, 0, value) if value >= 1000 else (0, value, value)
    least = value if value >= 1000 else None
    while True:
        match = _NEXT.match(text, end)
        if match is not None and match[1].lower() == "and" and last >= 100:
            match = _AND.match(text, end)
            if match is not None and match[1].lower() not in _VALUES:
                match = None
        word = "" if match is None else match[1].lower()
        if match is None:
            break
        if word in _THOUSANDS and group and (least is None or _THOUSANDS[word] < least):
            least = last = _THOUSANDS[word]
            done, group = done + group * least, 0
        elif word == "hundred" and 0 < group < 100:
            group, last = group * 100, 100
        elif word == "dozen" and not done and group:
            group, last = group * 12, 1
        elif word in _VALUES and _follows(_VALUES[word], last):
            last = _VALUES[word]
            group += last
        else:
            break
        end = match.end()
    return _numeral(end, done + group)


def _follows(value: int, last: int) -> bool:
    """Whether a small number may follow: units after tens, anything after a hundred or a scale."""
    return value > 0 and (last >= 100 or (20 <= last < 100 and value < 10))


def match_date(text: str, start: int) -> tuple[int, CalendarDate | None] | None:
    """Where the date that begins at a digit or a word ends, and what it is: None when it has no year or lies before
    year 1. A year alone is no date here: `value_parser` reads it."""
    for form in _FROM_DIGIT if text[start].isdigit() else _FROM_WORD:
        match = form.match(text, start)
        if match is None:
            continue
        year, name, number = (match.groupdict().get(part) for part in ("year", "month", "day"))
        month, day = _month(name), int(number) if number else None
        if year is None:
            sure = name is None or name[0].isupper() or (form is _DAY_FIRST and len(name) > 3 and name not in _VERBS)
            if sure and (day is None or 0 < day < 32):
                return match.end(), None
            continue
        if form is _YEAR_LAST and match["sign"] != "." and day != month and (day or 0) <= 12:
            month, day = (day, month) if (month or 0) > 12 else (None, None)
        date = try_date(int(year), month, day)
        if date is not None:
            return match.end(), date
    return None


def _month(written: str | None) -> int | None:
    return None if written is None else MONTHS.get(written.lower()) or int(written)


def match_time(text: str, start: int) -> tuple[int, int, bool] | None:
    """Where the time of day that begins at a digit ends, the seconds since midnight, and whether nothing says if it is
    before or after noon; or None: "14:30", "14:30:15", "2:30 pm", "5 p.m."."""
    match = _CLOCK.match(text, start) or _HOUR.match(text, start)
    if match is None:
        return None
    hour, minute, second = (int(match.groupdict().get(part) or 0) for part in ("hour", "minute", "second"))
    half = match["half"]
    if half is not None:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "Pp" else 0)
    if hour > 23:
        return None
    vague = half is None and 1 <= hour <= 12 and not match["hour"].startswith("0")
    return match.end(), (hour * 60 + minute) * 60 + second, vague
