"""The letters of a PDF page made right: accents drawn over their letters, numbers of two cells taken for one, and pages
whose fonts do not say which letters they draw.

All of it goes by what pdfium gives: one character each, and its box.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from lens_lsp.model.lazy_regex import regex

JOINED = "\u2060"
"""Stands for a character that became a part of another one; it takes no room and is not shown."""
_COMBINING = {
    "`": "\u0300",
    "\u02cb": "\u0300",
    "\u00b4": "\u0301",
    "\u02ca": "\u0301",
    "^": "\u0302",
    "\u02c6": "\u0302",
    "~": "\u0303",
    "\u02dc": "\u0303",
    "\u00af": "\u0304",
    "\u02c9": "\u0304",
    "\u02d8": "\u0306",
    "\u02d9": "\u0307",
    "\u00a8": "\u0308",
    "\u00b0": "\u030a",
    "\u02da": "\u030a",
    "\u02dd": "\u030b",
    "\u02c7": "\u030c",
    "\u00b8": "\u0327",
    "\u02db": "\u0328",
}
"""The accents that stand alone, and what they are over or under a letter."""
_ACCENT = regex(f"[{re.escape(''.join(_COMBINING))}]")
_DOTLESS = {"\u0131": "i", "\u0237": "j"}
_NEAR = 2
"""Characters between an accent and its letter: a blank that is none."""
_INSIDE = 0.1
"""Of a letter's width: how far beside it the middle of its accent may be."""
_NO_GAP = 0.15
"""Of a letter's height: a blank in a smaller gap beside an accent is none."""
_NUMERIC = regex(r"[-+\u2013\u2212(]?[$\u20ac\u00a3]?\d[\d.,%$\u20ac\u00a3()+\u2212-]*")
_NUMBER = regex(r"[-+\u2013\u2212(]?[$\u20ac\u00a3]?(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+|\d+)(?:[.,]\d+)?%?\)?")
_PLUS_AND_MINUS = "+-\u2013\u2212"
_MOST_DIGITS = 60
_WIDER = 0.04
"""In font sizes: a gap that much wider than the others of its word may be one between cells."""
_ENOUGH = 40
"""Characters of a page that tell whether its letters can be right."""
_SAMPLE = 400
_GARBLED = 0.3
"""Of the characters have no letter."""
_MOST_SCRIPTS = 6
"""Blocks of 256 characters that the letters of one page are of."""
_NO_LETTER = regex("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffd\ue000-\uf8ff]")
_SIGNS = regex("[\x02\ufffe\uf020-\uf0ff]")
"""Hyphens at line ends, and the signs of the symbol fonts."""
_SHIFT = {code: chr(code + 29) for code in range(3, 98)}
"""Numbers of glyphs taken for letters: in most fonts of the TrueType kind they are 29 lower."""
_COMMON_WORDS = """
the and of to in is that for with on as by de la el los que en un una le les des et du est der die das und den von ist
nicht il di che per non een het van dat och att det som na nie do da em os para com
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_FEWEST_COMMON = 8
_WORD = regex(r"[^\W\d_]+")


def composed(text: str, boxes: list[float]) -> str:
    """The text with each accent that stands over or under a letter made a part of it. As long as before: what became a
    part of another character is `JOINED`, and its four numbers in ``boxes`` those of its letter."""
    if _ACCENT.search(text) is None:
        return text
    letters = list(text)
    for match in _ACCENT.finditer(text):
        at = match.start()
        found = _letter_of(letters, boxes, at)
        if found is None:
            continue
        place, letter = found
        letters[place] = letter
        low, high = sorted((at, place))
        for between in [at, *range(low + 1, high)]:
            _join(letters, boxes, between, place)
        _close(letters, boxes, place, high + 1 if place < at else low - 1)
    return "".join(letters)


def _letter_of(letters: Sequence[str], boxes: Sequence[float], at: int) -> tuple[int, str] | None:
    """Where the letter is that the middle of an accent stands over, and what both are together."""
    middle = (boxes[4 * at] + boxes[4 * at + 2]) / 2
    best: tuple[float, int, str] | None = None
    for step in (*range(1, _NEAR + 1), *range(-1, -_NEAR - 1, -1)):
        place = at + step
        if not 0 <= place < len(letters) or not letters[place].isalpha():
            continue
        if any(letters[between] not in (" ", JOINED) for between in range(min(at, place) + 1, max(at, place))):
            continue
        left, _, right, _ = boxes[4 * place : 4 * place + 4]
        slack = _INSIDE * (right - left)
        same_line = boxes[4 * place + 3] < boxes[4 * at + 1] and boxes[4 * at + 3] < boxes[4 * place + 1]
        base = _DOTLESS.get(letters[place], letters[place])
        together = unicodedata.normalize("NFC", base + _COMBINING[letters[at]])
        if same_line and len(together) == 1 and left - slack <= middle <= right + slack:
            far = abs(middle - (left + right) / 2)
            if best is None or far < best[0]:
                best = far, place, together
    return None if best is None else best[1:]


def _join(letters: list[str], boxes: list[float], at: int, place: int) -> None:
    letters[at] = JOINED
    boxes[4 * at : 4 * at + 4] = boxes[4 * place : 4 * place + 4]


def _close(letters: list[str], boxes: list[float], place: int, blank: int) -> None:
    """Take away the blank beside an accent where the letters on both sides of it touch."""
    beyond = blank + (1 if blank > place else -1)
    if not 0 <= beyond < len(letters) or not 0 <= blank < len(letters) or letters[blank] != " ":
        return
    left, right = (place, beyond) if blank > place else (beyond, place)
    gap = boxes[4 * right] - boxes[4 * left + 2]
    if letters[beyond].isalpha() and abs(gap) < _NO_GAP * abs(boxes[4 * place + 1] - boxes[4 * place + 3]):
        _join(letters, boxes, blank, place)


def apart_at(text: str, objects: Sequence[int], gaps: Sequence[float], size: float) -> Iterator[int]:
    """Where two numbers of neighbouring cells are one word: the places behind the first. ``objects`` are those that
    each character was drawn by, ``gaps`` what is between it and the next one."""
    if not 2 < len(text) <= _MOST_DIGITS or _NUMERIC.fullmatch(text) is None:
        return
    if _NUMBER.fullmatch(text) is not None:
        return
    ends = [at for at in range(1, len(text)) if objects[at] != objects[at - 1]]
    usual = max(sorted(gaps)[len(gaps) // 2], 0.0)
    start = 0
    for at in ends:
        # A sign may be that of an exponent.
        alone = len(ends) == 1 and text[at] not in _PLUS_AND_MINUS
        wide = alone or gaps[at - 1] > usual + _WIDER * size
        if wide and _NUMBER.fullmatch(text, start, at) and _begins(text, at):
            yield at
            start = at


def _begins(text: str, at: int) -> bool:
    """Whether a number begins there, and not the group of digits or the sign inside one."""
    return text[at] not in ".,%)" and _NUMBER.match(text, at) is not None


def is_garbled(text: str, unmapped: Sequence[bool]) -> bool:
    """Whether the letters of a page are not those that are seen: its fonts say of too many glyphs not which letters
    they are. ``unmapped`` tells it of some of the characters."""
    seen = _SIGNS.sub("", text)
    if len(seen) < _ENOUGH:
        return False
    if len(_NO_LETTER.findall(seen)) > _GARBLED * len(seen):
        return True
    if sum(unmapped) > _GARBLED * max(len(unmapped), 1) and _is_no_language(seen):
        return True
    shifted = sum(word in _COMMON for word in _WORD.findall(text.translate(_SHIFT).lower()))
    return shifted >= _FEWEST_COMMON and shifted > 4 * sum(word in _COMMON for word in _WORD.findall(text.lower()))


def _is_no_language(text: str) -> bool:
    """Whether the letters are of many scripts, or hardly any are: what has no map may still be right."""
    letters = [letter for letter in text if letter.isalnum()]
    return len({ord(letter) >> 8 for letter in letters}) >= _MOST_SCRIPTS or 2 * len(letters) < len(
        "".join(text.split())
    )


def sampled(count: int) -> range:
    """The characters of a page that are asked for."""
    return range(0, count, max(count // _SAMPLE, 1))
