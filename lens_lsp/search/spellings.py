"""Other ways to write what a question holds: its numbers, so that a cell that shows ``$1,234.50`` is found by
``1234.5`` and the other way round, and words that are written as nobody writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lens_lsp.model.words import WORD
from lens_lsp.search.vocabulary import vocabulary

_NUMBER = re.compile(
    r"(?<![\w.,'])(?<![0-9][-/:])"
    r"(?:[0-9]{1,3}(?P<group>[,. '])[0-9]{3}(?:(?P=group)[0-9]{3}){0,4}|[0-9]{1,15})(?:[.,][0-9]{1,12})?"
    r"(?!\w|[-/:.,'][0-9])"
)
_MARKS = ((",", "."), (".", ","), (" ", ","), ("'", "."), ("", "."), ("", ","))
"""What groups thousands, and what stands before the decimals."""
_YEAR = re.compile(r"(?:19|20)[0-9][0-9]")
_GROUPED = 4
"""So many digits have groups."""
_CENTS = 2
_SHARE = re.compile(r"0\.([0-9]{2,6})")


def spellings(folded: str) -> dict[str, tuple[str, ...]]:
    """For words of a folded question that are of a number, how else the whole number may be written."""
    found: dict[str, dict[str, None]] = {}
    for match in _NUMBER.finditer(folded):
        written = match.group()
        others = dict.fromkeys(other for other in _others(written) if other != written)
        for word in WORD.findall(written) if others else ():
            found.setdefault(word, {}).update(others)
    return {word: tuple(others) for word, others in found.items()}


def _others(written: str) -> Iterator[str]:
    whole, decimals = _parts(written)
    if len(whole) >= _GROUPED or decimals:
        endings = dict.fromkeys((decimals.rstrip("0"), decimals, decimals.ljust(_CENTS, "0"))) if decimals else ("",)
        for group, point in _MARKS[:1] if _YEAR.fullmatch(written) else _MARKS:
            grouped = f"{int(whole):,}".replace(",", group)
            if not group or len(whole) >= _GROUPED:
                yield from (grouped + (point + ending if ending else "") for ending in endings)
    share = _SHARE.fullmatch(written)
    if share is not None:
        whole, rest = str(int(share[1][:_CENTS])), share[1][_CENTS:].rstrip("0")
        for point in ".," if rest else ".":
            yield from (f"{whole}{point + rest if rest else ''}{sign}" for sign in ("%", " %"))


def _parts(written: str) -> tuple[str, str]:
    """The digits before and behind the decimal mark: as ``computation.numerals`` reads them, a comma groups three."""
    digits = re.split(r"[^0-9]", written)
    marks = re.findall(r"[^0-9]", written)
    last = marks[-1] if marks else ""
    alone = marks.count(last) == 1
    if last in (".", ",") and alone and not (last == "," and len(marks) == 1 and len(digits[-1]) == _GROUPED - 1):
        return "".join(digits[:-1]), digits[-1]
    return "".join(digits), ""


_SHORTEST_WRONG = 5
"""Letters from which on a word is taken for a misspelt one: of shorter ones too many others are near."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def corrections(word: str) -> list[str]:
    """The words one letter away from a folded word that is not in the vocabulary: one letter dropped, doubled, changed
    or exchanged with the next. Empty for words that people write, short ones and other scripts."""
    if len(word) < _SHORTEST_WRONG or not word.isascii() or not word.isalpha() or vocabulary().knows(word):
        return []
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    near = dict.fromkeys(left + right[1:] for left, right in parts if right)
    near |= dict.fromkeys(left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1)
    near |= dict.fromkeys(left + letter + right[1:] for left, right in parts if right for letter in _LETTERS)
    near |= dict.fromkeys(left + letter + right for left, right in parts for letter in _LETTERS)
    return [other for other in near if other != word and vocabulary().knows(other)]
