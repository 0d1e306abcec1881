"""Where a document may be cut for reading: the boundaries around an offset, found without looking at the rest of it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from lens_lsp.model.documents import Block, BlockKind, Document
from lens_lsp.model.observation import tokens
from lens_lsp.model.text import Span, breaks

REGION_TOKENS = 400
"""The most tokens of a region, as ``tokens`` estimates them. A window that is larger stays as it is."""

REACH = 3 * REGION_TOKENS
"""Code points beyond which no boundary is looked for: each is a byte at least, three bytes are a token."""
_RUN_BACK = 64
"""Code points before an offset from which on a full stop may reach behind it with its closing marks."""
_BREAK = re.compile(r"\r\n?|\n")
PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE, BlockKind.LIST_ITEM})
"""Kinds of blocks that consist of sentences."""


class Edges:
    """Where a region may begin and end around an offset; ``None`` where no such place is near enough.

    ``coarse`` boundaries are those of whole items, rows and blocks of code, if a region can hold those; else they are
    those of sentences and lines.
    """

    def __init__(self, document: Document, room: Span) -> None:
        self._text = document.text
        self._blocks = document.structure.blocks
        self._hidden = document.structure.hidden
        self._room = room

    def start(self, at: int, *, coarse: bool) -> int | None:
        """The last boundary at or before ``at``."""
        index = bisect_right(self._blocks, at, key=_block_start)
        block = self._blocks[index - 1] if index else None
        edge = self._room.start
        if block is not None and block.span.end <= at:
            edge, block = max(edge, block.span.end), None
        elif block is not None:
            edge = max(edge, block.span.start)
        low = max(edge, at - REACH)
        found: list[int] = []
        if not self._is_whole(block, coarse=coarse):
            if block is not None and block.kind in PROSE:
                found = [after for _, after in breaks(self._text, low, at) if not inside(self._hidden, after)]
            else:
                found = [line.end() for line in _BREAK.finditer(self._text, low, at)]
        if found:
            return found[-1]
        return edge if edge == low else None

    def end(self, at: int, *, coarse: bool) -> int | None:
        """The first boundary at or behind ``at``."""
        index = bisect_left(self._blocks, at, key=_block_start)
        block = self._blocks[index - 1] if index else None
        edge = self._room.end
        if block is not None and block.span.end >= at:
            edge = min(edge, block.span.end)
        else:
            block = None
            edge = min(edge, self._blocks[index].span.start) if index < len(self._blocks) else edge
        high = min(edge, at + REACH)
        if not self._is_whole(block, coarse=coarse):
            found = self._stop(block, at, high)
            if found is not None:
                return found
        return edge if edge == high else None

    def _is_whole(self, block: Block | None, *, coarse: bool) -> bool:
        """Whether a block is taken as a whole; text in no block never is."""
        if block is None or not coarse or (block.kind in PROSE and block.kind is not BlockKind.LIST_ITEM):
            return False
        return fits(self._text, block.span)

    def _stop(self, block: Block | None, at: int, high: int) -> int | None:
        """The first end of a sentence or a line at or behind ``at``, before ``high``."""
        if block is None or block.kind not in PROSE:
            line = _BREAK.search(self._text, at, high)
            return None if line is None else line.start()
        for stop, after in breaks(self._text, max(block.span.start, at - _RUN_BACK), high):
            if after >= at and not inside(self._hidden, after):
                return max(stop, at)
        return None


def fits(text: str, span: Span) -> bool:
    """Whether a stretch of text is no larger than a region may be."""
    return len(span) <= REACH and tokens(text[span.start : span.end]) <= REGION_TOKENS


def overlapping(blocks: Sequence[Block], span: Span) -> Iterator[Block]:
    """The blocks that share something with a stretch, in order."""
    for index in range(bisect_right(blocks, span.start, key=_block_end), len(blocks)):
        if blocks[index].span.start >= span.end:
            return
        yield blocks[index]


def inside(spans: Sequence[Span], at: int) -> bool:
    """Whether an offset lies within one of some spans that are in order and apart, and not at its ends."""
    index = bisect_right(spans, at, key=_start) - 1
    return index >= 0 and spans[index].start < at < spans[index].end


def without(spans: Sequence[Span], around: Span) -> list[Span]:
    """What is left of a stretch when spans that are in order and apart are taken out of it."""
    found: list[Span] = []
    at = around.start
    for index in range(bisect_right(spans, at, key=_end), len(spans)):
        cut = spans[index]
        if cut.start >= around.end:
            break
        if cut.start > at:
            found.append(Span(at, cut.start))
        at = cut.end
    if at < around.end:
        found.append(Span(at, around.end))
    return found


def _start(span: Span) -> int:
    return span.start


def _end(span: Span) -> int:
    return span.end


def _block_end(block: Block) -> int:
    return block.span.end


def _block_start(block: Block) -> int:
    return block.span.start
