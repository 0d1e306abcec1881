"""From a window to what is shown of it: whole words, the headings it stands under, its place in the file."""

from __future__ import annotations

import re

from lens_lsp.domain.model import Document
from lens_lsp.domain.text import Span

# Letters of scripts that write no spaces are words of their own: a window may begin and end between any two.
_WORD_PART = re.compile(r"[^\W\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3\u0e00-\u0eff]")
_LONGEST_WORD = 60


_MARGIN = 100
# Where a reader may begin: behind a line end, or behind a full stop and white space.
_BEGINNING = re.compile(r"(?:[\n\r]|[.!?][\"'”’)\]]*\s|[。！？])\s*")
_ENDING = re.compile(r"[\n\r]|[.!?][\"'”’)\]]*(?=\s)|[。！？]")


def readable(text: str, span: Span, core: Span) -> Span:
    """A window without what lies more than 100 code points from its hits, opened and closed at sentences or lines.

    Never wider than the window; on the measured questions it loses none of the answers inside it
    (docs/explanation/algorithm.md). ``core`` runs from the first hit to the last.
    """
    near, far = max(span.start, core.start - _MARGIN), min(span.end, core.end + _MARGIN)
    start = span.start
    for match in _BEGINNING.finditer(text, span.start, core.start):
        if match.end() <= near:
            start = match.end()
    end = next((match.end() for match in _ENDING.finditer(text, far, span.end)), span.end)
    return whole_words(text, Span(start, end))


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
    path: list[tuple[int, str]] = []
    for heading in document.structure.headings:
        if heading.span.start > offset:
            break
        while path and path[-1][0] >= heading.level:
            path.pop()
        path.append((heading.level, heading.text))
    return tuple(text for _, text in path)
