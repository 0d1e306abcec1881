"""Text that fits a terminal: how wide it is, where its lines end, what is cut.

Columns are counted as terminals do: a character of Chinese, Japanese or Korean takes two, a combining mark none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import category, east_asian_width

from lens_lsp.cli.terminal import printable
from lens_lsp.model.documents import ELLIPSIS

_LONGEST_WORD = 40
_LONGEST_ADDRESS = 28
_ADDRESS = re.compile(r"(?:\w{2,12}://|www\.)[^\s)>\]|]+")
_WORD = re.compile(r"\S+")
_PART = re.compile(r"[\x00-\u10ff\u1200-\u2fff]+")
"""A stretch without ideographs, kana or Hangul: between these a line may end anywhere."""
_BULLET = re.compile(r"(?:[-*+>]\s+|#{1,6}\s+|\|\s*|\d{1,3}[.)]\s+)+")
_FIELD = re.compile(r"[^\W_][\w -]{0,30}:(?:\s|$)")
_UNREAD = re.compile(r"(?:```|~~~)[\w,+ -]*|[\s|:=~*_+-]*|<!--.*?-->|\[[^\]]+\]:\s*\S+")
"""Lines that say nothing: fences, rules, comments and addresses of links."""
APART = " · "

Range = tuple[int, int]


def columns(text: str) -> int:
    """How many columns a text takes on one line."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(char: str) -> int:
    if char < "\u0300":
        return 1
    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def clipped(text: str, room: int, *, at_start: bool = False) -> str:
    """A text in one line of so many columns, an ellipsis where its end, or its start, was cut."""
    if columns(text) <= room:
        return text
    if room < 1:
        return ""
    if at_start:
        return ELLIPSIS + clipped(text[::-1], room)[::-1].removeprefix(ELLIPSIS)
    return text[: _fitting(text, 0, len(text), room - 1)].rstrip() + ELLIPSIS


def _fitting(text: str, start: int, end: int, room: int) -> int:
    """Where the characters end that fit."""
    for at in range(start, end):
        room -= _width(text[at])
        if room < 0:
            return at
    return end


def rows(text: str, width: int) -> int:
    """How many rows of a terminal a text takes that it wraps itself; a line break at the end begins one more."""
    return sum(_rows(line, max(2, width)) for line in text.split("\n"))


def _rows(line: str, width: int) -> int:
    if line.isascii():
        return max(1, -(-len(line) // width))
    count, at = 1, 0
    for char in line:
        size = _width(char)
        if at + size > width:
            count, at = count + 1, 0
        at += size
    return count


def wrapped(text: str, room: int, start: int = 0) -> list[Range]:
    """The lines of a text, each at most so many columns wide, as ranges of it without the blanks at their ends."""
    lines: list[Range] = []
    first, last, used = start, start, 0
    for begin, end in _breakable(text, start):
        while True:
            gap = columns(text[last:begin]) if last > first else 0
            size = columns(text[begin:end])
            if used + gap + size <= room:
                first = first if last > first else begin
                last, used = end, used + gap + size
                break
            if last > first:
                lines.append((first, last))
                first, last, used = begin, begin, 0
                continue
            stop = max(begin + 1, _fitting(text, begin, end, room))
            lines.append((begin, stop))  # longer than a line: broken where it must be
            first, last, used, begin = stop, stop, 0, stop
            if begin >= end:
                break
    return [*lines, (first, last)] if last > first else lines


def _breakable(text: str, start: int) -> list[Range]:
    """What may stand on a line of its own: words, and in scripts without spaces each character."""
    found: list[Range] = []
    for word in _WORD.finditer(text, start):
        if word.group().isascii():
            found.append(word.span())
            continue
        at = word.start()
        for part in _PART.finditer(text, *word.span()):
            found += [(k, k + 1) for k in range(at, part.start())]
            found.append(part.span())
            at = part.end()
        found += [(k, k + 1) for k in range(at, word.end())]
    return found


def flowed(text: str, heading: str = "") -> str:
    """Text of a document as one line: "·" stands between items, rows, fields and paragraphs.

    A first line that only repeats ``heading``, fences, rules and addresses of links are left out.
    """
    parts: list[str] = []
    fresh = True
    for line in printable(text).splitlines():
        bare = " ".join(line.split())
        mark = _BULLET.match(bare)
        said = bare if mark is None else bare[mark.end() :]
        said = said.rstrip("| ") if bare.startswith("|") else said
        if _UNREAD.fullmatch(bare) or (not parts and heading and said.rstrip("# ") == heading):
            fresh = True
            continue
        apart = fresh or mark is not None or _FIELD.match(bare) is not None
        if parts:
            parts.append(APART if apart else "" if _unspaced(parts[-1][-1:], said[:1]) else " ")
        parts.append(said)
        fresh = False
    return "".join(parts)


def _unspaced(before: str, after: str) -> bool:
    """Whether no blank belongs between two characters at which a line ended."""
    return bool(before and after) and _width(before) == _width(after) == 2


def shortened(text: str, kept: Sequence[str] = ()) -> str:
    """A text whose addresses and other very long words are cut, save those that hold one of ``kept``."""

    def cut(most: int, found: re.Match[str]) -> str:
        word = found.group()
        if len(word) <= most or not word.isprintable() or any(part in word or word in part for part in kept):
            return word
        return word[: most - 1] + ELLIPSIS

    def cut_word(found: re.Match[str]) -> str:
        word = found.group()
        whole = columns(word) > len(word) or ELLIPSIS in word
        return word if whole else cut(_LONGEST_WORD, found)

    return _WORD.sub(cut_word, _ADDRESS.sub(lambda found: cut(_LONGEST_ADDRESS, found), text))
