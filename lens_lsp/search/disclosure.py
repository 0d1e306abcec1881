"""Where in a file everything stands that an oracle is shown of it: the region and its context.

What leaves the machine is listed span by span, so the title, the headings and the table headers around a region count
as much as its text.
"""

from __future__ import annotations

import re

from lens_lsp.model.documents import Document
from lens_lsp.model.observation import RegionView
from lens_lsp.model.text import Span
from lens_lsp.search.edges import REACH, overlapping

_BETWEEN = r"(?:\W|&#?\w{1,10};){1,40}"


def disclosed(document: Document, title: str, view: RegionView, before: int = 0) -> tuple[Span, ...]:
    """The spans of a region, its title, headings and table headers, in order and apart.

    In code points of the file; ``before`` of them lie before the document's text. A file name as title has none.
    """
    structure = document.structure
    spans = [view.span]
    spans += [h.span for h in structure.headings if h.span.start < view.span.end and h.text in view.headings]
    spans += [block.header for block in overlapping(structure.blocks, view.span) if block.header is not None]
    spans += _title(document, title)
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(Span(before + span.start, before + span.end) for span in joined)


def _title(document: Document, title: str) -> list[Span]:
    """Where a title stands: verbatim, as a heading, else its words with quotes, escapes and markup between them. One
    that the document gives itself in yet another way stands somewhere at its beginning."""
    place = document.text.find(title) if title else -1
    if place >= 0:
        return [Span(place, place + len(title))]
    heading = next((h.span for h in document.structure.headings if h.text == title), None)
    if heading is not None:
        return [heading]
    words = re.findall(r"\w+", title)
    found = re.search(_BETWEEN.join(map(re.escape, words)), document.text[:REACH]) if words else None
    if found is not None:
        return [Span(*found.span())]
    return [Span(0, min(len(document.text), REACH))] if title == document.structure.head.title else []
