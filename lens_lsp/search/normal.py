"""A text in the form in which a quote is compared with its source, with the way back to every character.

Two texts have the same form when they differ only in what a careful copyist may change: line breaks and other blanks,
typographic quotes and dashes, soft hyphens and other characters of no width, the composition of accents, capitals, and
Markdown's marks. Words, figures, their order and the blanks between words are never touched, nor is anything whose
removal could change a value: an asterisk between two figures multiplies, "10²" is not "102" (so NFC and not NFKC).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from lens_lsp.model.text import Span
from lens_lsp.search.compounds import in_word

_ZERO_WIDTH = "\u00ad\u200b\u2060\ufeff"
_TOKEN = re.compile(
    rf"(?P<blank>[\s{_ZERO_WIDTH}]+)|(?P<ascii>[^\s\x80-\U0010ffff]+)|(?P<other>[^\x00-\x7f\s{_ZERO_WIDTH}]+)"
)
_CJK = re.compile("[\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U000323af]")
_MOST_MARKS = 16
"""Accents on one letter; sorting more of them takes time that grows with their square."""
_PLAIN = {
    **dict.fromkeys("‘’‚‛′ʼ", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "…": "...",
    "ς": "σ",
}
_MARK = re.compile(
    r"\\[!-/:-@\[-`{-~]|(?P<blank>(?:\r\n?+|\n)[ \t]*+[\r\n])"
    r"|\[\[(?P<target>[^\[\]|\r\n]{1,200}\|)?(?=[^\s\[\]|])(?P<shown>[^\[\]|\r\n]{1,200})\]\]"
    r"|(?P<open>!?\[)|\](?P<link>\((?P<to>(?>(?:[^()\s<>]|\([^()\s<>]{0,200}\)){1,2000})"
    r"(?:[ \t]\"[^\"\r\n]{0,200}\")?)\))?"
    r"|(?P<run>(?P<sign>[*_`~])(?P=sign)*+)"
)


@dataclass(frozen=True, slots=True)
class Normal:
    """The compared form. Character ``i`` of ``text`` stands for ``[starts[i], ends[i])`` of the source."""

    text: str
    starts: list[int]
    ends: list[int]
    links: tuple[tuple[int, str], ...]
    """Where the texts of links begin in the source and where they lead: written, though no part of the form."""
    pairs: tuple[tuple[Span, Span], ...]
    """The marks that are no part of the form: what opens and what closes."""

    def balanced(self, place: Span) -> Span:
        """A place of the source with the marks right before or behind it whose partners it holds."""
        start, end = place.start, place.end
        for opener, closer in sorted(self.pairs, reverse=True):
            if opener.end == start < closer.start < end:
                start = opener.start
        for opener, closer in sorted(self.pairs, key=lambda pair: pair[1]):
            if start <= opener.start < end == closer.start:
                end = closer.end
        return Span(start, end)


def normalise(text: str) -> Normal:
    """The compared form of a text, in linear time."""
    pairs, links = _marks(text)
    form = _Form()
    at = 0
    for mark in sorted(mark for pair in pairs for mark in pair):
        form.add(text, at, mark.start)
        at = mark.end
    form.add(text, at, len(text))
    return Normal("".join(form.parts), form.starts, form.ends, links, pairs)


class _Form:
    """Collects the characters of a form."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, text: str, start: int, end: int) -> None:
        """Add a stretch of the source."""
        for token in _TOKEN.finditer(text, start, end):
            first, last = token.span()
            if token.lastgroup == "ascii":
                self.parts.append(token.group().lower())
                self.starts.extend(range(first, last))
                self.ends.extend(range(first + 1, last + 1))
            elif token.lastgroup == "other":
                self._other(text, first, last)
            elif token.group().strip(_ZERO_WIDTH):
                self._blank(first, last)

    def _blank(self, first: int, last: int) -> None:
        if self.parts and self.parts[-1] == " ":
            self.ends[-1] = last
        else:
            self._keep(" ", first, last)

    def _other(self, text: str, first: int, last: int) -> None:
        if self.parts and unicodedata.combining(text[first]) and self.ends[-1] == first:
            first = self._take_back()  # the letter that the accent belongs to
        elif self._between_cjk(text[first]):
            self._take_back()  # lines of scripts without blanks join without one
        run = text[first:last]
        if unicodedata.is_normalized("NFC", run):
            for at, char in enumerate(run, first):
                self._keep(_plain(char), at, at + 1)
            return
        at = first
        while at < last:
            end = at + 1
            while end < last and end - at <= _MOST_MARKS and _goes_on(text[end]):
                end += 1
            composed = unicodedata.normalize("NFC", text[at:end])
            self._keep("".join(map(_plain, composed)), at, end)
            at = end

    def _between_cjk(self, char: str) -> bool:
        parts = self.parts
        return len(parts) > 1 and parts[-1] == " " and bool(_CJK.match(char)) and bool(_CJK.match(parts[-2][-1]))

    def _take_back(self) -> int:
        """Forget the last character; where it began."""
        last = self.parts.pop()
        if len(last) > 1:
            self.parts.append(last[:-1])
        self.ends.pop()
        return self.starts.pop()

    def _keep(self, chars: str, start: int, end: int) -> None:
        if chars:
            self.parts.append(chars)
            self.starts.extend([start] * len(chars))
            self.ends.extend([end] * len(chars))


def _plain(char: str) -> str:
    return _PLAIN.get(char) or char.lower()


def _goes_on(char: str) -> bool:
    """Whether a character may become one with the one before it: accents, vowel signs, parts of a syllable."""
    return unicodedata.category(char)[0] == "M" or "\u1160" <= char <= "\u11ff"


def _marks(text: str) -> tuple[tuple[tuple[Span, Span], ...], tuple[tuple[int, str], ...]]:
    """The pairs of Markdown's marks that are no part of what is read, all apart, and where its links lead.

    Emphasis, strikes and code count only in pairs within a paragraph, brackets only as links. An opening mark stands
    before and a closing one behind what it marks, and never between two letters or figures.
    """
    pairs: list[tuple[Span, Span]] = []
    links: list[tuple[int, str]] = []
    opened: dict[str, Span] = {}
    brackets: list[Span] = []
    for mark in _MARK.finditer(text):
        span = Span(*mark.span())
        if mark["run"] is not None:
            _pair(text, mark["run"], span, opened, pairs)
        elif mark["shown"] is not None:
            pairs.append((Span(span.start, mark.start("shown")), Span(mark.end("shown"), span.end)))
            if mark["target"] is not None:
                links.append((mark.start("shown"), mark["target"]))
        elif mark["open"] is not None:
            brackets.append(span)
        elif mark["blank"] is not None:
            opened.clear()
            brackets.clear()
        elif text[span.start] == "]" and brackets:
            opener = brackets.pop()
            # "name[key](call)" is no link.
            if mark["link"] is not None and not (opener.start and in_word(text, opener.start - 1)):
                pairs.append((opener, span))
                links.append((opener.end, mark["to"]))
    return tuple(pairs), tuple(sorted(links))


def _pair(text: str, run: str, span: Span, opened: dict[str, Span], pairs: list[tuple[Span, Span]]) -> None:
    """Close what the same run of marks opened, or open it."""
    if run == "~":  # "about", as in "~5"
        return
    code = run[0] == "`"
    before, after = span.start - 1, span.end
    closes = before >= 0 and not text[before].isspace() and not (after < len(text) and in_word(text, after))
    opener = opened.pop(run, None) if closes or code else None
    if opener is not None:
        pairs.append((opener, span))
    elif code or (after < len(text) and not text[after].isspace() and not (before >= 0 and in_word(text, before))):
        opened[run] = span
