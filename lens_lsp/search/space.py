"""The candidate subspace of one question: the admitted documents, cut into cells of 50 code points.

Paper, Proposition 1: exploration is restricted to windows of admitted documents. Cells are numbered through all
documents in order of admission, so they keep their numbers when others join.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from lens_lsp.model.documents import Document
from lens_lsp.model.text import Span
from lens_lsp.search.measure import Floats, Ints
from lens_lsp.search.position import CELL


@dataclass(slots=True)
class Admission:
    """One admitted document: its first cell, how many it has, its sections, and what of it was shown to
    the oracle (disjoint spans, in order)."""

    index: int
    slot: int
    document: Document
    first: int
    cells: int
    bounds: tuple[int, ...]
    """First cell of each section, and one past its last cell."""
    read: list[Span] = field(default_factory=list)
    withheld: list[Span] = field(default_factory=list)
    """What was proposed and may never be shown."""

    @property
    def text(self) -> str:
        """Its text."""
        return self.document.text

    @property
    def title(self) -> str:
        """What it calls itself, else its file name."""
        head = self.document.structure.head
        return head.title or self.document.path.rpartition("/")[2]

    def unread(self, around: Span) -> Span | None:
        """The part of a span that was never shown and may be: the longest one."""
        gaps: list[Span] = []
        start = around.start
        for span in sorted((*self.read, *self.withheld)) if self.withheld else self.read:
            if span.end <= start:
                continue
            if span.start >= around.end:
                break
            if span.start > start:
                gaps.append(Span(start, span.start))
            start = max(start, span.end)
        if start < around.end:
            gaps.append(Span(start, around.end))
        gaps = [gap for gap in gaps if self.text[gap.start : gap.end].strip()]
        return max(gaps, key=len, default=None)

    def mark(self, span: Span) -> None:
        """Remember a span as shown."""
        self.read.append(span)
        self.read.sort()

    def unmark(self, span: Span, *, again: bool) -> None:
        """It was not shown after all; it may be proposed ``again``, or never."""
        if span in self.read:
            self.read.remove(span)
        if not again:
            self.withheld.append(span)

    def cells_of(self, span: Span) -> Span:
        """The cells whose middle lies in a span, at least one: disjoint spans never share a cell but for tiny ones."""
        low = -(-(span.start - CELL // 2) // CELL)
        high = -(-(span.end - CELL // 2) // CELL)
        if span.end == len(self.text):
            high = self.cells
        low = min(max(low, 0), self.cells - 1)
        return Span(self.first + low, self.first + max(low + 1, min(high, self.cells)))

    def touched(self, span: Span, within: Span) -> Span:
        """The cells of a region that a quote touches, at least the nearest one."""
        low = self.first + span.start // CELL
        high = self.first + -(-span.end // CELL)
        low = min(max(low, within.start), within.end - 1)
        return Span(low, max(low + 1, min(high, within.end)))

    def window(self, cell: int, width: int) -> Span:
        """``width`` code points around the middle of a cell of this document, inside it."""
        middle = (cell - self.first) * CELL + CELL // 2
        start = max(0, min(middle - width // 2, len(self.text) - width))
        return Span(start, min(len(self.text), start + width))


class Space:
    """The admitted documents and their cells."""

    def __init__(self) -> None:
        self.admitted: list[Admission] = []
        self._starts: list[int] = []
        self.cells = 0

    def __contains__(self, slot: int) -> bool:
        return any(admission.slot == slot for admission in self.admitted)

    @property
    def slots(self) -> Ints:
        """The slots, in order of admission."""
        return np.array([admission.slot for admission in self.admitted], np.int64)

    def admit(self, slot: int, document: Document) -> Admission:
        """Add a document's cells."""
        cells = max(1, -(-len(document.text) // CELL))
        bounds = (*_sections(document, self.cells), self.cells + cells)
        admission = Admission(len(self.admitted), slot, document, self.cells, cells, bounds)
        self.admitted.append(admission)
        self._starts.append(self.cells)
        self.cells += cells
        return admission

    def of(self, cell: int) -> Admission:
        """The document a cell belongs to."""
        return self.admitted[bisect_right(self._starts, cell) - 1]

    def place(self, cell: int) -> tuple[int, int]:
        """The document a cell belongs to, by order of admission, and the cell's number in it."""
        admission = self.of(cell)
        return admission.index, cell - admission.first

    def spread(self, per_document: Floats) -> Floats:
        """One value per document, repeated for each of its cells, along the last axis."""
        return np.repeat(per_document, [admission.cells for admission in self.admitted], axis=-1)

    def strata(self) -> Iterable[Span]:
        """The cells of each section of each document, in order."""
        for admission in self.admitted:
            for start, end in pairwise(admission.bounds):
                yield Span(start, end)


def _sections(document: Document, first: int) -> tuple[int, ...]:
    """The first cells of the sections: where a heading stands, and the beginning."""
    starts = {first, *(first + heading.span.start // CELL for heading in document.structure.headings)}
    return tuple(sorted(starts))
