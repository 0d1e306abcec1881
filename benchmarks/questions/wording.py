"""Whether two texts say the same: words, numbers and dates of an answer against those of a key.

Shares no code with the package.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from fractions import Fraction

MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]

_MARKS = str.maketrans("’‘“”−–—", "''\"\"---", "`*_")
_WORD = re.compile(r"[a-z0-9à-öø-ɏа-яё]")
"""A character that separates nothing: scripts without spaces between words have no such characters."""
_MOST_EXTRA = 4


def plain(text: str) -> str:
    """Without case, emphasis, line breaks and thousands separators; typographic marks as typed."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_MARKS)
    joined = re.sub(r"(?<=\d)[, '](?=\d{3}(?!\d))", "", " ".join(folded.split()))
    return joined.strip(" .!?,;:\"'")


def stands_in(key: str, text: str) -> bool:
    """Whether a key stands in a text as words: not within a longer word or number."""
    wanted, held = plain(key), plain(text)
    if not wanted:
        return False
    at = held.find(wanted)
    while at >= 0:
        if _apart(held, at, at + len(wanted)):
            return True
        at = held.find(wanted, at + 1)
    return False


def equals(text: str | None, keys: Iterable[str]) -> bool:
    """Whether a text is one of the keys."""
    return text is not None and plain(text) in map(plain, keys)


def names(text: str | None, keys: Iterable[str]) -> bool:
    """Whether a short text is one of the keys or holds one beside a few other words; yes and no come first."""
    if text is None:
        return False
    said = plain(text)
    for key in keys:
        wanted = plain(key)
        if wanted in ("yes", "no"):
            found = re.match(rf"{wanted}\b", said) is not None
        else:
            found = stands_in(key, text) and len(said.split()) <= len(wanted.split()) + _MOST_EXTRA
        if found or said == wanted:
            return True
    return False


def number_in(text: str | None) -> Fraction | None:
    """The first number of a text, thousands separators or not."""
    match = re.search(r"-?\d+(?:\.\d+)?", plain(text or ""))
    return None if match is None else Fraction(match[0])


def date_in(text: str | None) -> date | None:
    """The first day that a text names: 2026-08-20, 20 August 2026 or August 20, 2026."""
    said = plain(text or "")
    month = "|".join(MONTHS)
    for pattern in (
        r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)",
        rf"(?P<day>\d{{1,2}}) (?P<month>{month}) (?P<year>\d{{4}})",
        rf"(?P<month>{month}) (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})",
    ):
        found = re.search(pattern, said)
        if found is not None:
            named = found["month"]
            return date(
                int(found["year"]), MONTHS.index(named) + 1 if named in MONTHS else int(named), int(found["day"])
            )
    return None


def _apart(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    first, last = text[start], text[end - 1]
    if first.isdigit() and re.search(r"\d[.,]$", before):
        return False
    if _WORD.match(first) and before and _WORD.match(before[-1]):
        return False
    if last.isdigit():  # a unit may follow without a space
        return re.match(r"\d|[.,]\d", after) is None
    return not (_WORD.match(last) and after and _WORD.match(after))
