"""The units of a region that may be quoted: as the engine gives them, long ones cut at lines and sentences."""

from __future__ import annotations

import re
from collections.abc import Collection

from lens_lsp.domain.observation import Region
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.sentences import sentences, trim
from lens_lsp.domain.text import Span
from lens_lsp.domain.words import key

_LONGEST = 400
_LINE = regex(r"[^\r\n]+")
_HEADING = regex(r"(?:#{1,6}|=+)\s[^\n]*|\S[^\n]*\n(?:=+|-+)\s*")
_MARKUP = regex(
    r"\s*(?:(?:<!--.*?-->|</?[a-zA-Z][^<>]*[\s/\"'][^<>]*>|</?[a-z]+>)\s*)+|\s*\[[^\]]+\]:\s*\S+\s*", re.DOTALL
)
_QUESTION = regex(r"[?？][\"'”’»)\]*_]*$")
_LONGEST_TITLE = 120


def bounds(region: Region) -> list[Span]:
    """Spans of the region's text that may be quoted, in order, apart, without blanks at their ends."""
    given = region.units or (Span(0, len(region.text)),)
    found: list[Span] = []
    end = 0
    for unit in given:
        span = trim(region.text, Span(max(unit.start, end), max(unit.end, end)))
        if not len(span):
            continue
        end = span.end
        if len(span) <= _LONGEST and region.units:
            found.append(span)
        else:
            found.extend(_cut(region.text, span))
    return found


def _cut(text: str, span: Span) -> list[Span]:
    """A long unit, or a region without any, by lines and sentences."""
    found: list[Span] = []
    for match in _LINE.finditer(text, span.start, span.end):
        line = trim(text, Span(match.start(), match.end()))
        found.extend(sentences(text, line))
    return found


def bare(text: str, titles: Collection[str]) -> bool:
    """Whether a unit says nothing by itself: a heading, the document's title, a question, tags or a link's
    address."""
    if _QUESTION.search(text) or _HEADING.fullmatch(text) or _MARKUP.fullmatch(text):
        return True
    return len(text) <= _LONGEST_TITLE and key(text) in titles
