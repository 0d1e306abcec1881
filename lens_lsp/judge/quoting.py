"""Evidence as Markdown: short verbatim quotes with their marker, nothing in them that could pass for one of ours."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lens_lsp.model.documents import Evidence
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import fold, key, stem

_MOST_SECTIONS = 20
_MARKER = re.compile(r"\[(\^?\d+)\]")
_BLANKS = re.compile(r"\s+")
_STRUCTURE = re.compile(r"^(?:[-*+>|]\s+|#{1,6}\s+|\d+[.)]\s+)+")
_TAGS = re.compile(
    r"<!--.*?-->|</?[a-zA-Z][\w-]*\s+[\w-]+=[^<>]*>|</(?:span|div|p|a|img|figure|[A-Z]\w{3,})>", re.DOTALL
)
_FENCE = re.compile(r"\s*(?:```|~~~)[\w,+ -]*\s*")
_ADDRESS = re.compile(r"\s*\[[^\]]+\]:\s*\S+\s*")
_RULE = re.compile(r"[\s|:=\-]*")
LONGEST = 320
"""Code points of a quote in an answer; the evidence holds all of it."""
_ITEM = 160


def marker(*numbers: int) -> str:
    """``[1][3]``."""
    return "".join(f"[{number}]" for number in dict.fromkeys(numbers))


def plain(text: str) -> str:
    """Text of a document on one line, its own ``[1]`` disarmed; "·" stands between items, rows and paragraphs.

    Tags, comments, fences of code and addresses of links are left out: they are no reading in a terminal.
    """
    parts: list[str] = []
    fresh = True
    for line in _TAGS.sub("", text).strip().splitlines():
        if _FENCE.fullmatch(line) or _ADDRESS.fullmatch(line):
            fresh = True
            continue
        bare = _STRUCTURE.sub("", line.strip())
        if bare and not _RULE.fullmatch(line):
            apart = parts and (fresh or bare != line.strip())
            parts.append(f"· {bare}" if apart else bare)
            fresh = False
        else:
            fresh = True
    joined = _BLANKS.sub(" ", " ".join(parts)).rstrip("|").rstrip()
    return _MARKER.sub(r"\\[\1]", joined)


def excerpt(
    evidence: Evidence, value: str | None = None, most: int = LONGEST, asked: frozenset[str] = frozenset()
) -> str:
    """The sentences of a quote that hold the value, or most of the stems ``asked`` for, or its first ones, on one line.

    "…" stands where it was cut.
    """
    quote = evidence.quote
    if len(quote) <= most and (not asked or not _broken(quote)):
        return plain(quote)
    parts = [span for span in sentences(quote, Span(0, len(quote))) if len(span)]
    at = quote.find(value) if value else -1
    first = next((i for i, span in enumerate(parts) if span.start <= at < span.end), 0)
    if at < 0 and asked and parts:
        first = max(range(len(parts)), key=lambda i: (_told(quote[parts[i].start : parts[i].end], asked), -i))
    last = first
    while last + 1 < len(parts) and parts[last + 1].end - parts[first].start <= most:
        last += 1
    if not parts:
        return ""
    start, end = parts[first].start, parts[last].end
    if end - start > most:
        start, end = _around(quote, Span(start, end), max(at, start), most)
    before, after = "… " if quote[:start].strip() else "", " …" if quote[end:].strip() else ""
    return before + plain(quote[start:end]) + after


def _broken(text: str) -> bool:
    """Whether a text begins inside a sentence."""
    return text[:1].islower() or text[:1] in ",;:)]"


def _told(text: str, asked: frozenset[str]) -> float:
    """How many of the stems a sentence holds; a fragment is worth one less."""
    return len({stem(word) for word in key(text).split()} & asked) - _broken(text.lstrip())


def _around(quote: str, span: Span, at: int, most: int) -> tuple[int, int]:
    """A stretch of a long sentence around a place, from word to word."""
    start = max(span.start, min(at - most // 3, span.end - most))
    end = min(span.end, start + most)
    if start > span.start:
        blank = quote.find(" ", start, at)
        start = blank + 1 if blank >= 0 else start
    if end < span.end:
        blank = quote.rfind(" ", at + 1, end)
        end = blank if blank > start else end
    return start, end


def block(evidence: Evidence, value: str | None = None) -> str:
    """A quote as a block, with its marker."""
    return f"> {excerpt(evidence, value)} {marker(evidence.n)}\n"


def item(evidence: Evidence, value: str | None = None, label: str = "", asked: frozenset[str] = frozenset()) -> str:
    """A quote as a list item, with its marker."""
    return f"- {label}{excerpt(evidence, value, _ITEM, asked)} {marker(evidence.n)}\n"


def holds(evidence: Evidence, text: str) -> bool:
    """Whether a quote holds a text, case and accents aside."""
    return fold(text) in fold(evidence.quote)


def differing(sides: Sequence[tuple[str, int]], newer: int | None) -> str:
    """The values of a contested fact with the numbers of their evidence, in one line without an end."""
    beside = "; ".join(f"{plain(value)} {marker(n)}" for value, n in sides)
    return f"The sources differ: {beside}" + ("" if newer is None else f"; the newer one is {marker(newer)}")


def not_read(sections: Sequence[str], said: str = "Not read") -> str:
    """The sections of a summarised document that did not fit; nothing where there are none."""
    named = "; ".join(plain(section) for section in sections[:_MOST_SECTIONS])
    more = len(sections) - _MOST_SECTIONS
    return f"{said}: {named}{f' and {more:,} more' if more > 0 else ''}." if named else ""
