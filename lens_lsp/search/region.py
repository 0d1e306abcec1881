"""From a window to what is shown of it: whole words, the headings it stands under, its place in the file."""

from __future__ import annotations

from bisect import bisect_right

from lens_lsp.domain.model import Document
from lens_lsp.domain.places_shown import has_own_places
from lens_lsp.domain.regexes import regex
from lens_lsp.domain.text import Span

# Letters of scripts that write no spaces are words of their own: a window may begin and end between any two.
_WORD_PART = regex(r"['’]|[^\W\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3\u0e00-\u0eff]")
_LONGEST_WORD = 60


_MARGIN = 100
_STOP = r"[.!?][\"'”’)\]*_`]*"
# Where a reader may begin: behind a full stop, a blank line, or before a line that opens a list item, a heading, a
# table row or a quote; in a list of lines, at any line.
_BEGINNING = regex(rf"{_STOP}\s+|[。！？]\s*|(?:\r\n?|\n)(?:[ \t]*(?:\r\n?|\n)|(?=[ \t]*(?:[-*+>|#=]|\d+[.)])))\s*")
_ENDING = regex(rf"{_STOP}(?=\s|$)|[。！？]|(?=[\r\n]+[ \t]*(?:[\r\n\-*+>|#=]|\d+[.)]))")
_LINE = regex(r"[\r\n]+")


def readable(text: str, span: Span, core: Span) -> Span:
    """A window without what lies more than 100 code points from its hits, opened and closed at sentences or lines.

    Never wider than the window. Of 500 measured questions it costs one its answer (docs/explanation/algorithm.md).
    ``core`` runs from the first hit to the last.
    """
    near, far = max(span.start, core.start - _MARGIN), min(span.end, core.end + _MARGIN)
    start = _begin(text, span.start, near, core.start)
    end = _close(text, core.end, far, span.end)
    return whole_words(text, Span(start, max(start, end)))


def from_its_page(document: Document, span: Span, at: int) -> Span:
    """A window that does not begin before the page, slide, chapter or message that the offset ``at`` stands on: what is
    shown is found where it is said to be. Tables and texts have no such bounds."""
    starts, locators = document.locators.starts, document.locators.locators
    index = bisect_right(starts, at) - 1
    if index < 0 or not has_own_places(locators[index]) or "sheet" in locators[index]:
        return span
    while index and locators[index - 1] == locators[index]:
        index -= 1
    return Span(max(span.start, starts[index]), span.end)


def _begin(text: str, first: int, near: int, core: int) -> int:
    """The last place at or before ``near`` where a sentence or block begins, else the next one that comes before
    the first hit, else a line, else the window."""
    if first == 0:
        return 0
    places = [match.end() for match in _BEGINNING.finditer(text, first, core) if match.end() <= core]
    before = [place for place in places if place <= near]
    if places:
        return before[-1] if before else places[0]
    lines = [match.end() for match in _LINE.finditer(text, first, near) if match.end() <= near]
    return lines[-1] if lines else first


def _close(text: str, core: int, far: int, last: int) -> int:
    """The first place from ``far`` on where a sentence or block ends, else the last one behind the last hit, else
    a line, else the window."""
    if last == len(text):
        return last
    match = _ENDING.search(text, far, last)
    if match is not None:
        return match.end()
    behind = [match.end() for match in _ENDING.finditer(text, core, last)]
    if behind:
        return behind[-1]
    line = _LINE.search(text, far, last)
    return last if line is None else line.start()


def whole_words(text: str, span: Span) -> Span:
    """The span without the parts of words it cuts at either end and without white space around it.

    A word of more than 60 code points is cut, since no reader takes it for one.
    """
    start, end = span.start, span.end
    if _inside_word(text, start):
        start = next((i for i in range(start, min(start + _LONGEST_WORD, end)) if not _part(text, i)), start)
    if _inside_word(text, end):
        end = next((i for i in range(end, max(end - _LONGEST_WORD, start), -1) if not _part(text, i - 1)), end)
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end)


def _part(text: str, index: int) -> bool:
    return _WORD_PART.match(text, index) is not None


def _inside_word(text: str, index: int) -> bool:
    return 0 < index < len(text) and _part(text, index - 1) and _part(text, index)


def heading_path(document: Document, offset: int) -> tuple[str, ...]:
    """The headings an offset stands under, outermost first."""
    headings = document.structure.headings
    path: list[str] = []
    level: int | None = None
    for index in range(bisect_right(headings, offset, key=lambda heading: heading.span.start) - 1, -1, -1):
        heading = headings[index]
        if level is None or heading.level < level:
            path.append(heading.text)
            level = heading.level
            if level <= 1:
                break
    return tuple(reversed(path))
