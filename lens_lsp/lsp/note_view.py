"""What an editor shows in a note beside its words: the state of each citation, and machinery that can be folded away.

Every state is looked up in its source at the moment of the request, as for a diagnostic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.lsp.document_snapshot import DocumentSnapshot, MarkdownPage, locate_citations, run_on_snapshot
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.sanitize import printable_line

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer

_SIGNS = {
    CitationState.VERIFIED: "✓",
    CitationState.MOVED: "↷",
    CitationState.WITHDRAWN: "✗",
    CitationState.UNVERIFIABLE: "?",
}
_LONGEST = 200


async def hint(ls: LensServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    """``textDocument/inlayHint``: behind every citation whether its source still says so."""

    def work(snapshot: DocumentSnapshot, page: MarkdownPage) -> list[types.InlayHint]:
        ranges = snapshot.ranges()
        span = ranges.span(params.range.start, params.range.end)
        marks = page.marks(page.line_at(span.start), page.line_at(span.end))
        wanted = {mark.label: page.written[mark.label] for mark in marks}
        found = {each.written.label: each.finding.checked for each in locate_citations(snapshot, page, wanted.values())}
        return [
            types.InlayHint(
                ranges.position(mark.span.end),
                _SIGNS[found[mark.label].state],
                tooltip=printable_line(found[mark.label].why or found[mark.label].state.value, _LONGEST),
                padding_left=True,
            )
            for mark in marks
            if page.text[mark.span.end : mark.span.end + 1] != ":"  # a footnote's own beginning
        ]

    return await run_on_snapshot(ls.state, params.text_document.uri, work) or []


async def fold(ls: LensServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    """``textDocument/foldingRange``: of an answer in a note its footnotes, of an answer file its front matter."""

    def work(_snapshot: DocumentSnapshot, page: MarkdownPage) -> list[types.FoldingRange]:
        return [
            types.FoldingRange(first - 1, last - 1, kind=types.FoldingRangeKind.Region)
            for first, last in _machinery(page)
            if last > first
        ]

    return await run_on_snapshot(ls.state, params.text_document.uri, work) or []


def _machinery(page: MarkdownPage) -> Iterator[tuple[int, int]]:
    """The first and the last line of what no reader of a note needs, from 1."""
    for held in page.citing.held:
        notes = [each.line for each in page.citing.written if held.first < each.line <= held.last]
        if notes and held.block:
            yield min(notes), held.last
    if page.is_answer:
        end = next((number for number in range(2, page.lines + 1) if page.line(number).rstrip() == "---"), 1)
        yield 1, end


INLAY_HINT: RequestHandler[types.InlayHintParams] = RequestHandler(hint)
FOLDING_RANGE: RequestHandler[types.FoldingRangeParams] = RequestHandler(fold)
