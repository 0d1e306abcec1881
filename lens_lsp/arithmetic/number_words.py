"""English number words: "twenty-three", "two hundred and five", "a dozen", "half a million", "two thirds".

"One" is read only before a noun or unit (``reading.py``), "half" only where it measures something; "a" only before a
scale word. A sequence that is no number ("one two three") ends where it stops making sense.
"""

from __future__ import annotations

import re
from fractions import Fraction

from lens_lsp.arithmetic.numerals import Numeral

_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_VALUES = {word: n for n, word in enumerate(_SMALL.split())} | {
    word: 20 + 10 * n for n, word in enumerate(_TENS.split())
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_PARTS |= {f"{word}s": n for word, n in _PARTS.items() if word != "half"} | {"halves": 2}
_ORDINALS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth twentieth
"""
ORDINAL_WORDS = {word: n for n, word in enumerate(_ORDINALS.split(), 1)}
"""Ordinals as words, first to twentieth."""
STARTS = frozenset({*_VALUES, "a", "an", "half"})
"""The words a number in words may begin with, in lower case."""

_WORD = re.compile(r"[A-Za-z]+")
_NEXT = re.compile(r"[ \n-]([A-Za-z]+)\b")
_AND = re.compile(r"[ \n]and[ \n]([A-Za-z]+)\b")
_HALF = re.compile(
    r"half(?:[ \n]an?[ \n](million|billion|thousand|hundred|dozen)\b|(?=[ \n](?:of|the|an?)[ \n]))", re.IGNORECASE
)
_A_SCALE = re.compile(r"an?[ \n](hundred|thousand|million|billion|trillion|dozen|quarter of|third of)\b", re.IGNORECASE)
_REST = re.compile(r"[ \n]and[ \n](?:a[ \n](half|quarter)|three[ \n](quarters))\b", re.IGNORECASE)
_NAMED = {"hundred": 100, "dozen": 12, **_SCALES}


def match_words(text: str, start: int) -> Numeral | None:
    """The number in words that begins at ``start``, or None."""
    first = _WORD.match(text, start)
    if first is None or not _may_end(text, first.end()):
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


def _may_end(text: str, end: int) -> bool:
    return not (text[end : end + 1].isalnum() or text[end : end + 1] in ("_", "'"))


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
    if scale is not None and scale[1].lower() in _SCALES:
        return _numeral(scale.end(), amount * _SCALES[scale[1].lower()])
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
        if word in _SCALES and group and (least is None or _SCALES[word] < least):
            least = last = _SCALES[word]
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
