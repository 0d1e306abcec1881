"""From drawn cells to the regions of one request: snapped outward, never overlapping, within the context cap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from lens_lsp.domain.answer import Arm
from lens_lsp.domain.observation import Region
from lens_lsp.domain.shown import Shown, tokens
from lens_lsp.domain.text import Span
from lens_lsp.engine.disclosure import disclosed
from lens_lsp.engine.measure import Floats
from lens_lsp.engine.passage import REGION_TOKENS, region, shown
from lens_lsp.engine.space import Admission, Space

_WIDTH = 500
"""Code points around a drawn cell, before snapping."""
_OPENING = 300
"""Code points that are shown of the beginning of a document, before snapping."""
_ENOUGH = 0.9
"""Share of the outstanding belief that one request needs to hold at most."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A region that goes to the oracle, and where it came from; ``cells`` count through the whole space."""

    number: int
    admission: Admission
    span: Span
    cells: Span
    arm: Arm
    tokens: int
    view: Shown

    def region(self, before: int = 0) -> Region:
        """The region as the oracle gets it; ``before`` code points of the file lie before the document's text."""
        document = self.admission.document
        return Region(
            number=self.number,
            path=document.path,
            title=self.admission.title,
            headings=self.view.headings,
            header="\n".join(self.view.headers) or None,
            text=self.view.text,
            units=tuple(unit.span for unit in self.view.units),
            private=document.structure.private,
            sources=disclosed(document, self.admission.title, self.view, before),
        )


class Request:
    """The regions of one observation, up to a number of tokens."""

    def __init__(self, most: int) -> None:
        self._left = self._most = most
        self.proposals: list[Proposal] = []

    @property
    def full(self) -> bool:
        """Whether another region of the usual size may not fit."""
        return self._left < REGION_TOKENS

    @property
    def half(self) -> bool:
        """Whether half of it is filled."""
        return 2 * self._left < self._most

    def add(self, admission: Admission, span: Span, arm: Arm) -> Proposal | None:
        """Show a span snapped outward, without what was shown before; None when nothing is left of it or it does
        not fit."""
        unread = admission.unread(region(admission.document, span))
        if unread is None:
            return None
        view = shown(admission.document, unread)
        size = tokens(view.text)
        if not view.text.strip() or (size > self._left and self.proposals):
            return None
        self._left -= size
        admission.mark(unread)
        number = len(self.proposals) + 1
        proposal = Proposal(number, admission, unread, admission.cells_of(unread), arm, size, view)
        self.proposals.append(proposal)
        return proposal


def fill(request: Request, space: Space, drawn: Iterable[tuple[Arm, int]], outstanding: Floats) -> None:
    """Add drawn cells' regions until the request is full or holds nine tenths of the outstanding belief.

    ``outstanding`` is the belief of each unread cell, summed over the open requirements.
    """
    needed = _ENOUGH * float(outstanding.sum())
    held = 0.0
    taken = np.zeros(space.cells, bool)
    for arm, cell in drawn:
        if request.full or held >= needed:
            return
        if taken[cell]:
            continue
        admission = space.of(cell)
        proposal = request.add(admission, admission.window(cell, _WIDTH), arm)
        if proposal is not None:
            taken[proposal.cells.start : proposal.cells.end] = True
            held += float(outstanding[proposal.cells.start : proposal.cells.end].sum())


def openings(request: Request, space: Space) -> None:
    """The beginning of every admitted document, while half of the request is left for what was drawn."""
    for admission in space.admitted:
        if request.half:
            return
        request.add(admission, Span(0, min(len(admission.text), _OPENING)), Arm.GLOBAL)


def whole(request: Request, admission: Admission, within: Span | None = None) -> None:
    """All of a document or of a part of it, region by region, as far as the request holds it."""
    at, end = (0, len(admission.text)) if within is None else (within.start, within.end)
    while at < end and not request.full:
        proposal = request.add(admission, Span(at, min(end, at + _WIDTH)), Arm.DIRECT)
        at = at + _WIDTH if proposal is None else max(proposal.span.end, at + 1)


def outline(request: Request, space: Space) -> tuple[str, ...]:
    """The admitted documents for a summary: the beginning of every section first, then the rest of each, in order.

    The headings of sections of which nothing fitted come back.
    """
    unread = []
    for admission in space.admitted:
        sections = list(_sections(admission))
        for _, span in sections:
            if not request.full:
                request.add(admission, Span(span.start, min(span.end, span.start + _WIDTH)), Arm.DIRECT)
        for _, span in sections:
            whole(request, admission, span)
        unread += [name for name, span in sections if not any(span.overlaps(read) for read in admission.read)]
    return tuple(unread)


def _sections(admission: Admission) -> Iterator[tuple[str, Span]]:
    """Each section's heading and span; text before the first heading has none."""
    headings = admission.document.structure.headings
    starts = [0, *(heading.span.start for heading in headings)]
    names = ["", *(heading.text for heading in headings)]
    for name, start, end in zip(names, starts, [*starts[1:], len(admission.text)], strict=True):
        if admission.text[start:end].strip():
            yield name, Span(start, end)
