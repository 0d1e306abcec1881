"""A passage as people are shown it: its quote, between a few lines of its context.

The command line, a hover and Markdown take the same lines, so that a passage reads alike wherever it is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lens_lsp.model.documents import Context, ContextRole, Evidence
from lens_lsp.model.inert import printable

ELLIPSIS = "…"
MOST_LINES = 3
"""Lines of context with one passage."""
LONGEST_LINE = 160
"""Characters of a line of context; a longer one is cut at a word."""
_ADJACENT = 4
"""Code points between two parts that are nothing but white space, as an empty line with either line end is."""
_ORDER = (ContextRole.HEADER, ContextRole.LEAD_IN, ContextRole.BEFORE, ContextRole.AFTER, ContextRole.PARENT)
"""Which context comes first where there is no room for all."""
_ENDS_AT_QUOTE = frozenset({ContextRole.BEFORE, ContextRole.LEAD_IN})
"""Context whose last lines count, as they are next to the quote."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines of a passage, printable and without their ends. ``gap``: text is left out before them, and no ellipsis
    in the lines says so."""

    lines: tuple[str, ...]
    is_quote: bool
    gap: bool


def passage_shown(item: Evidence, most: int = MOST_LINES) -> list[Part]:
    """The quote whole, and at most so many lines of its context, in the order of the source. An ellipsis stands where
    the quote or a part of the context was cut."""
    lines = _context_lines(item.context, most)
    shown: list[Part] = []
    end: int | None = None
    pieces = [(item.span, quote_lines(item), True)]
    pieces += [(part.span, taken, False) for part, taken in zip(item.context, lines, strict=True) if taken]
    for span, taken, is_quote in sorted(pieces, key=lambda piece: piece[0]):
        told = taken[0].startswith(ELLIPSIS) or bool(shown and shown[-1].lines[-1].endswith(ELLIPSIS))
        gap = end is not None and span.start > end + _ADJACENT and not told
        shown.append(Part(tuple(taken), is_quote, gap))
        end = span.end
    return shown


def quote_lines(item: Evidence) -> list[str]:
    """The lines of a quote, with an ellipsis where it is cut."""
    return _with_cuts(printable(item.quote).strip("\n").rstrip(), item.cut).split("\n")


def _context_lines(context: Sequence[Context], most: int) -> list[list[str]]:
    """The lines that are shown of each part; those next to the quote where not all are."""
    whole = [[line.rstrip() for line in printable(part.text).strip().split("\n") if line.strip()] for part in context]
    ranked = sorted(range(len(context)), key=lambda index: _ORDER.index(context[index].role))
    room = dict.fromkeys(range(len(context)), 0)
    left = most
    while left and (wanting := [index for index in ranked if room[index] < len(whole[index])]):
        for index in wanting[:left]:
            room[index] += 1
        left -= len(wanting[:left])
    return [_shortened(part, whole[index], room[index]) for index, part in enumerate(context)]


def _shortened(part: Context, lines: Sequence[str], room: int) -> list[str]:
    if not room:
        return []
    at_end = part.role in _ENDS_AT_QUOTE
    dropped = ("start" if at_end else "end",) if room < len(lines) else ()
    kept = lines[-room:] if at_end else lines[:room]
    text = "\n".join(_clipped(line, at_end=at_end) for line in kept)
    return _with_cuts(text, (*part.cut, *dropped)).split("\n")


def _clipped(line: str, *, at_end: bool) -> str:
    """A line, or as much of it as there is room for, to a word: its end or its beginning, whichever is nearer."""
    if len(line) <= LONGEST_LINE:
        return line
    if at_end:
        kept = line[-LONGEST_LINE:]
        return ELLIPSIS + (kept.partition(" ")[2] or kept)
    kept = line[:LONGEST_LINE]
    return (kept.rpartition(" ")[0] or kept) + ELLIPSIS


def _with_cuts(text: str, cut: Sequence[str]) -> str:
    if "start" in cut and not text.startswith(ELLIPSIS):
        text = ELLIPSIS + text.lstrip()
    return text + ELLIPSIS if "end" in cut and not text.endswith(ELLIPSIS) else text
