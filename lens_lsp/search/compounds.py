"""Which characters hang together, so that no boundary may fall between them when text is shown or quoted.

Stricter than the words the search compares: hyphens, apostrophes and points inside a word join its parts, because
"toxic" is not what "non-toxic" says and "5" is not "3.5".
"""

from __future__ import annotations

import re
import unicodedata

from lens_lsp.model.text import Span

LONGEST = 60
"""Code points. A longer word is cut, since no reader takes it for one."""

# Letters of scripts that write no spaces, or that are syllables of their own: a boundary may fall between any two.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_JOINERS = frozenset("'’-\u2010\u2011.@")
_FIGURE_JOINERS = frozenset(",:")
_SIGNS = frozenset("-+−")


def in_word(text: str, at: int) -> bool:
    """Whether the character at an offset, or the one that it marks, is part of a word that must not be cut."""
    char = text[at]
    if char.isascii() or unicodedata.category(char)[0] != "M":
        return _is_letter(char)
    return at > 0 and (_is_letter(text[at - 1]) or unicodedata.category(text[at - 1])[0] == "M")


def joined(text: str, at: int) -> bool:
    """Whether the characters around an offset hang together."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if not right.isascii() and (unicodedata.category(right)[0] == "M" or right == "\u200d"):
        return not left.isspace()
    before, after = in_word(text, at - 1), in_word(text, at)
    if before and after:
        return True
    if before:
        return at + 1 < len(text) and _joins(text, at)
    if after and at > 1 and _joins(text, at - 1):
        return True
    return left == "\u200d"


def signed(text: str, at: int) -> bool:
    """Whether a figure at an offset has its sign right before it."""
    return (
        0 < at < len(text)
        and text[at - 1] in _SIGNS
        and text[at].isdigit()
        and not (at > 1 and (text[at - 2].isalnum() or text[at - 2] in ")]"))
    )


def widened(text: str, span: Span) -> Span:
    """The span with what it cuts at either end made whole; at most ``LONGEST`` code points more on each side."""
    start, end = span.start, span.end
    first, last = max(start - LONGEST, 0), min(end + LONGEST, len(text))
    start = next((at for at in range(start, first - 1, -1) if not joined(text, at)), start)
    end = next((at for at in range(end, last + 1) if not joined(text, at)), end)
    return Span(start, end)


def _is_letter(char: str) -> bool:
    if char.isascii():
        return char.isalnum() or char == "_"
    return char.isalnum() and _UNSPACED.match(char) is None


def _joins(text: str, at: int) -> bool:
    """Whether the character at an offset joins those on both sides."""
    if text[at] in _JOINERS:
        return in_word(text, at - 1) and in_word(text, at + 1)
    return text[at] in _FIGURE_JOINERS and text[at - 1].isdigit() and text[at + 1].isdigit()
