"""Numbers as written: digits with separators, fractions, powers of ten, scale words, English number words.

Which mark is which (docs/explanation/computation.md): one comma before exactly three digits groups thousands, any other
single comma is a decimal mark; a single dot is a decimal mark; a mark that occurs twice groups thousands; of two
different marks the last is the decimal mark. The other reading of "1.234" and "1,234" is kept beside the number.
Everything here expects text in which :func:`plain` has replaced lookalikes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

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

_CORE = re.compile(r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9])(?:[.,][0-9]+(?![.,][0-9]))?|[0-9]+(?:[.,'_][0-9]+)*")
_FORMS = (
    (re.compile(r"(0|[1-9][0-9]*)"), ""),
    (re.compile(r"([1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.([0-9]+))?"), ","),
    (re.compile(r"([1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})(?:\.([0-9]+))?"), ","),
    (re.compile(r"([1-9][0-9]{0,2}(?:\.[0-9]{3})+),([0-9]+)"), "."),
    (re.compile(r"([1-9][0-9]{0,2}(?:\.[0-9]{3}){2,})"), "."),
    (re.compile(r"(0|[1-9][0-9]*)\.([0-9]+)"), ""),
    (re.compile(r"(0|[1-9][0-9]*),([0-9]+)"), ""),
    (re.compile(r"([1-9][0-9]{0,2}(?:'[0-9]{3})+)(?:[.,]([0-9]+))?"), "'"),
    (re.compile(r"([1-9][0-9]{0,2}(?:_[0-9]{3})+)(?:\.([0-9]+))?"), "_"),
    (re.compile(r"([1-9][0-9]{0,2}(?: [0-9]{3})+)(?:[.,]([0-9]+))?"), " "),
)
_ADDRESS = re.compile(r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}")
_YEARS = re.compile(r"[12][0-9]{3}(?:,[12][0-9]{3})+")
_EITHER = re.compile(r"([1-9][0-9]{0,2})[.,]([0-9]{3})")
_FRACTION = re.compile(r"/([0-9]{1,4})(?![0-9]|[/.,][0-9])")
_MIXED = re.compile(r" ([0-9]{1,2})/([0-9]{1,3})(?![0-9/])")
_DENOMINATORS = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 32, 64, 100, 1000})
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]{1,2})(?![0-9A-Za-z_])")
_TIMES_POWER = re.compile(r" ?[x×·*] ?10(?:(?:\^|\*\*)\{?(-?[0-9]{1,2})\}?|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))(?![0-9])")

_SCALES = {
    10**2: "hundred", 10**3: "thousand tausend mille mil тысяч тысячи тыс 千 천",
    10**4: "万 萬 만", 10**6: "million millions mio Mio Millionen Million millones миллион миллиона миллионов млн mn "
    "百万",
    10**8: "亿 億 억", 10**9: "billion billions bn Milliarden Milliarde Mrd milliards milliard миллиард миллиарда "
    "миллиардов млрд", 10**12: "trillion trillions tn 兆 조", 12: "dozen dozens",
}  # fmt: skip
_SCALE_WORDS = {word: scale for scale, words in _SCALES.items() for word in words.split()}
_SCALE = re.compile(
    rf"[ \n-]?({'|'.join(sorted(_SCALE_WORDS, key=len, reverse=True))})(?![a-zA-Zа-я])\.?", re.IGNORECASE
)
_GLUED_SCALE = re.compile(r"([kKM])(?![\w/²³])|(?<=[0-9]) (M)(?![\w/²³])")
_MONEY_SCALE = re.compile(r" ?([kKmMbB]|bn|mn|tn)(?![\w/²³])")
_LETTERS = {"k": 10**3, "m": 10**6, "b": 10**9, "bn": 10**9, "mn": 10**6, "tn": 10**12}


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
