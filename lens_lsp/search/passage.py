"""Regions: what an oracle is shown of a document, snapped outward from a window to boundaries a reader would choose.

For reading and display only, never for scoring. Snapping never shrinks a window, with one exception: what is ours
(``Structure.ours``) is cut away. The costs depend on the window and its neighbourhood, not on the document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from lens_lsp.model.documents import Block, BlockKind, Document
from lens_lsp.model.observation import RegionView, tokens
from lens_lsp.model.text import Span, sentences, trim
from lens_lsp.search.compounds import widened
from lens_lsp.search.edges import PROSE, REACH, REGION_TOKENS, Edges, fits, inside, overlapping, without
from lens_lsp.search.outline import heading_path

__all__ = ["REGION_TOKENS", "quotable", "region", "shown", "units"]

_LINE = re.compile(r"[^\r\n]+")
_WORDY = re.compile(r"[^\W_]")
_LONGEST_TAGS = 400
# Markup that stands inside a word without ending it. An atomic group: Python 3.11.2 errs with a possessive one.
_RUNNING_ON = re.compile(
    r"(?>(?:</?(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike"
    r"|strong|sub|sup|tt|u|var|wbr)(?=[\s/>])[^<>]*+>|<!--(?>(?:[^-]+|-(?!->))*)-->)+)",
    re.IGNORECASE,
)


def region(document: Document, span: Span) -> Span:
    """The region around a window.

    It takes whole sentences of paragraphs, whole list items, table rows and blocks of code; where those make it larger
    than ``REGION_TOKENS``, sentences of items and lines of code; else whole words. Words are made whole even where that
    costs some tokens too many. A window that is ours altogether gives an empty span, one that is in part its longest
    other part.
    """
    text = document.text
    room, core = _apart(document, Span(min(span.start, len(text)), min(span.end, len(text))))
    if not len(core) and len(span):
        return core
    words = _within(widened(text, core), room)
    edges = Edges(document, room)
    starts = [edges.start(core.start, coarse=True), edges.start(core.start, coarse=False), words.start]
    ends = [edges.end(core.end, coarse=True), edges.end(core.end, coarse=False), words.end]
    for loss in range(4):
        for level in range(max(0, loss - 2), min(loss, 2) + 1):
            start, end = starts[loss - level], ends[level]
            if start is None or end is None or end - start > REACH:
                continue
            found = _within(widened(text, Span(min(start, words.start), max(end, words.end))), room)
            if tokens(text[found.start : found.end]) <= REGION_TOKENS:
                return found
    return words


def quotable(document: Document, span: Span) -> Span | None:
    """The longest stretch of a passage that is not ours; None when it says nothing."""
    if not document.structure.ours:
        return span if len(span) else None
    parts = (trim(document.text, part) for part in without(document.structure.ours, span))
    best = max(parts, key=len, default=Span(0, 0))
    return best if _WORDY.search(document.text, best.start, best.end) else None


def units(document: Document, span: Span) -> list[Block]:
    """What a region is made of, in order and apart, none of it reaching out of the region.

    Sentences of prose, list items, table rows, headings, blocks of code; what is longer than a region may be comes in
    sentences or lines, what stands in no block and front matter in lines. Without outer blanks, without what is ours,
    without what has neither letters nor figures that are shown.
    """
    found: list[Block] = []
    at = span.start
    for block in overlapping(document.structure.blocks, span):
        start, end = max(block.span.start, span.start), min(block.span.end, span.end)
        found += _lines(document.text, Span(at, max(at, start)), BlockKind.PARAGRAPH)
        found += _parts(document, block, Span(start, end))
        at = end
    found += _lines(document.text, Span(at, max(at, span.end)), BlockKind.PARAGRAPH)
    return list(_proper(document, found))


def shown(document: Document, span: Span) -> RegionView:
    """A region as an oracle sees it."""
    text = document.text
    pieces = _visible(document, span)
    parts: list[str] = []
    at: list[int] = []
    size = 0
    for index, piece in enumerate(pieces):
        if index and _ends_a_word(text, pieces[index - 1].end, piece.start):
            parts.append(" ")
            size += 1
        at.append(size)
        parts.append(text[piece.start : piece.end])
        size += len(piece)
    view = RegionView(span, "".join(parts), tuple(at), tuple(pieces))
    found = units(document, span)
    headers = {unit.header: None for unit in found if unit.header is not None and not span.contains(unit.header)}
    return RegionView(
        span,
        view.text,
        view.at,
        view.pieces,
        units=tuple(Block(unit.kind, Span(view.place(unit.span.start), view.place(unit.span.end))) for unit in found),
        headings=_headings_above(document, span),
        headers=tuple(" ".join(shown(document, _start_of(header)).text.split()) for header in headers),
    )


def _headings_above(document: Document, span: Span) -> tuple[str, ...]:
    """The headings that a span stands under; of one that it begins with, those above that."""
    text = document.text
    start = trim(text, span).start
    end = text.find("\n", start, span.end)
    path = heading_path(document, max(start, (span.end if end < 0 else end) - 1))
    headings = document.structure.headings
    begun = bisect_right(headings, start - 1, key=lambda heading: heading.span.start)
    begins = begun < len(headings) and headings[begun].span.start <= (span.end if end < 0 else end)
    return path[:-1] if begins else path


def _apart(document: Document, span: Span) -> tuple[Span, Span]:
    """The stretch around a window in which nothing is ours, and the window's part in it: the longest one."""
    ours, size = document.structure.ours, len(document.text)
    best: tuple[Span, Span] | None = None
    at = bisect_right(ours, span.start, key=lambda own: own.end)
    before = ours[at - 1].end if at else 0
    while True:
        after = ours[at].start if at < len(ours) else size
        room = Span(before, max(before, after))
        start = min(max(span.start, room.start), room.end)
        core = Span(start, max(start, min(span.end, room.end)))
        if best is None or len(core) > len(best[1]):
            best = room, core
        if at == len(ours) or ours[at].end >= span.end:
            return best
        before = ours[at].end
        at += 1


def _within(span: Span, room: Span) -> Span:
    return Span(max(span.start, room.start), min(span.end, room.end))


def _start_of(header: Span) -> Span:
    return Span(header.start, min(header.end, header.start + REACH))


def _parts(document: Document, block: Block, clipped: Span) -> list[Block]:
    text, kind = document.text, block.kind
    if kind in PROSE and not (kind is BlockKind.LIST_ITEM and fits(text, clipped)):
        found: list[Block] = []
        for sentence in sentences(text, clipped):
            # A full stop inside a tag ends nothing.
            if found and inside(document.structure.hidden, sentence.start):
                found[-1] = Block(kind, Span(found[-1].span.start, sentence.end))
            else:
                found.append(Block(kind, sentence))
        return found
    if kind is BlockKind.FRONT_MATTER or (kind is BlockKind.CODE and not fits(text, clipped)):
        return _lines(text, clipped, kind)
    return [Block(kind, clipped, block.header)]


def _lines(text: str, span: Span, kind: BlockKind) -> list[Block]:
    return [Block(kind, Span(*line.span())) for line in _LINE.finditer(text, span.start, span.end)]


def _proper(document: Document, found: list[Block]) -> Iterator[Block]:
    """The units without what is ours and without markup and blanks at their ends, if something is left to read."""
    text, structure = document.text, document.structure
    for unit in found:
        for part in without(structure.ours, unit.span):
            seen = [trim(text, piece) for piece in without(structure.hidden, part)]
            read = [piece for piece in seen if len(piece)]
            if any(_WORDY.search(text, piece.start, piece.end) for piece in read):
                yield Block(unit.kind, Span(read[0].start, read[-1].end), unit.header)


def _visible(document: Document, span: Span) -> list[Span]:
    """The stretches of a region that are neither markup nor ours."""
    structure = document.structure
    return [piece for part in without(structure.ours, span) for piece in without(structure.hidden, part)]


def _ends_a_word(text: str, before: int, after: int) -> bool:
    """Whether what is left out between two offsets stands for a blank that is not there."""
    if text[before - 1].isspace() or text[after].isspace():
        return False
    return after - before > _LONGEST_TAGS or _RUNNING_ON.fullmatch(text, before, after) is None
