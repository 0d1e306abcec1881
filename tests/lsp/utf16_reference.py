"""What an editor does to a text, written down a second time: over arrays of code units, without a line of ours.

The rules are those of `vscode-languageserver-textdocument`, which the soak harness compares with where node is. A
position inside a character is the place before it.
"""

from __future__ import annotations

import array
import random

ALPHABET = [
    *"ab é漢😀𝒳\t",
    "\n",
    "\r\n",
    "\r",
    "\x0c",
    "\x0b",
    "\x85",
    "\u2028",
    "\u2029",
    "\x1c",
    "\u0301",
]
CODES = {"utf-8": ("utf-8", "B"), "utf-16": ("utf-16-le", "H"), "utf-32": ("utf-32-le", "I")}

Place = tuple[int, int]


class Reference:
    """A text as an array of code units."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self._code, self._type = CODES[encoding]
        self._units = self._coded(text)

    @property
    def text(self) -> str:
        return self._units.tobytes().decode(self._code)

    @property
    def lines(self) -> list[int]:
        """Where each line starts, in code units."""
        starts, units, at = [0], self._units, 0
        while at < len(units):
            if units[at] == 13 and at + 1 < len(units) and units[at + 1] == 10:
                at += 1
            if units[at] in (10, 13):
                starts.append(at + 1)
            at += 1
        return starts

    def change(self, new: str, first: Place | None = None, last: Place | None = None) -> None:
        if first is None or last is None:
            self._units = self._coded(new)
            return
        start, end = sorted((self._offset(*first), self._offset(*last)))
        self._units[start:end] = self._coded(new)

    def _offset(self, line: int, character: int) -> int:
        starts = self.lines
        if line >= len(starts):
            return len(self._units)
        end = starts[line + 1] if line + 1 < len(starts) else len(self._units)
        while end > starts[line] and self._units[end - 1] in (10, 13):
            end -= 1
        at = min(starts[line] + character, end)
        while starts[line] < at < len(self._units) and self._continues(self._units[at]):
            at -= 1
        return at

    def _continues(self, unit: int) -> bool:
        return {"B": 0x80 <= unit < 0xC0, "H": 0xDC00 <= unit < 0xE000, "I": False}[self._type]

    def _coded(self, text: str) -> array.array[int]:
        return array.array(self._type, text.encode(self._code))


def drawn_text(draw: random.Random, most: int) -> str:
    return "".join(draw.choice(ALPHABET) for _ in range(draw.randrange(most)))


def drawn_edit(draw: random.Random, now: Reference) -> tuple[str, Place | None, Place | None]:
    """New text and where it goes: everywhere now and then, often beyond the end of lines and of the text."""
    new = drawn_text(draw, 8)
    if draw.random() < 0.03:
        return new, None, None
    line = draw.randrange(len(now.lines) + 2)
    first, last = (line, draw.randrange(14)), (line + draw.randrange(3), draw.randrange(14))
    return (new, last, first) if draw.random() < 0.05 else (new, first, last)
