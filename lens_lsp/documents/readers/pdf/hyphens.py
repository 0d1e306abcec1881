"""Words that a line's end cut in two."""

from __future__ import annotations

import re
from collections.abc import Iterable

SPLIT = "\x02"
"""Stands in a passage where a hyphen stood at the end of a line."""

_WORD = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")
_CUT = re.compile(rf"([^\W_]+(?:[-\u2010][^\W_]+)*)?{SPLIT}([^\W_]+(?:[-\u2010][^\W_]+)*)?")
_END_HYPHEN = re.compile(r"(?<=\w)[-\u2010\u00ad]$")


def carried(line: str) -> str:
    """A line as it goes on in the next one: with `SPLIT` for the hyphen it ends in, else with a blank."""
    cut = _END_HYPHEN.sub(SPLIT, line)
    return cut if cut.endswith(SPLIT) else f"{cut} "


class Hyphens:
    """Decides by the words of the whole document whether a hyphen at a line's end belongs to its word.

    In this order: a word that also stands undivided loses it, one that also stands with it keeps it; it stays beside
    another hyphen, behind a digit and before whatever is no small letter, and goes between small letters.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: set[str] = set()
        for text in texts:
            self._words.update(match[0].lower() for match in _WORD.finditer(text))

    def joined(self, text: str) -> str:
        """The text with its cut words whole."""
        while SPLIT in text:
            whole = _CUT.sub(self._whole, text)
            text = whole if whole != text else whole.replace(SPLIT, "-")
        return text

    def _whole(self, cut: re.Match[str]) -> str:
        left, right = cut[1] or "", cut[2] or ""
        if (left + right).lower() in self._words:
            return left + right
        known = f"{left}-{right}".lower() in self._words
        if known or "-" in left + right or not left[-1:].isalpha() or not right[:1].islower():
            return f"{left}-{right}"
        return left + right
