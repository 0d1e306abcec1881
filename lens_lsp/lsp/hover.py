"""``textDocument/hover``: what a footnote cites, or what cites a place of a note.

Its text does nothing: it is plain, or Markdown with every mark of it escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.lsp.document_snapshot import DocumentSnapshot, MarkdownPage, locate_citations, run_on_snapshot
from lens_lsp.lsp.navigation import CitationUse, cited_by
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.memory.check import Finding
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.documents import has_own_places, locator_text, place_text
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.sanitize import printable, printable_line, printable_path

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer

_PUNCTUATION = regex(r"[!-/:-@\[-`{-~]")
_LONGEST_QUOTE = 2_000
_MOST_USES = 10
_STATES = {
    CitationState.VERIFIED: "✓ still says so",
    CitationState.MOVED: "↷ moved",
    CitationState.WITHDRAWN: "✗ withdrawn",
    CitationState.UNVERIFIABLE: "? cannot be checked",
}


async def hover(ls: LensServer, params: types.HoverParams) -> types.Hover | None:
    """``textDocument/hover``: quote, source and state of a footnote; in a note, what cites the place."""
    stores = ls.state.stores
    formats = ls.state.hover_formats

    def work(snapshot: DocumentSnapshot, page: MarkdownPage) -> types.Hover | None:
        ranges = snapshot.ranges()
        offset = ranges.offset(params.position)
        written, span = page.meant(offset)
        told = [describe_citation(each.finding, each.beside) for each in locate_citations(snapshot, page, written)]
        if not told:
            uses = cited_by(snapshot, page, offset, stores)
            span = uses[0].span if uses else None
            told = [describe_uses(uses)] if uses else []
        if not told or span is None:
            return None
        return types.Hover(as_markup("\n\n".join(told), formats), ranges.range(span))

    return await run_on_snapshot(ls.state, params.text_document.uri, work)


def describe_citation(finding: Finding, beside: tuple[str, str] = ("", "")) -> str:
    """A citation: its quote between what stands ``beside`` it, where it stands, under which headings, and whether it
    still does."""
    checked = finding.checked
    citation = checked.citation
    quote = printable(citation.quote).strip("\n")
    if len(quote) > _LONGEST_QUOTE:
        quote = f"{quote[: _LONGEST_QUOTE - 1]}…"
    path = printable_path(checked.path or citation.path)
    locator = checked.locator or citation.locator
    if has_own_places(locator):
        place = place_text(path, locator)
    else:
        place = path if finding.at is None else f"{path}:{finding.at.line}:{finding.at.column}"
        place += f", {locator_text(locator)}" if locator else ""
    above = " › ".join(printable_line(heading) for heading in citation.heading)
    state = _STATES[checked.state] + (f": {checked.why}" if checked.why else "")
    before, after = beside
    said = " ".join(filter(None, (printable(before), f"“{quote}”", printable(after))))
    return "\n".join([said, place + (f"  {above}" if above else ""), state])


def describe_uses(uses: Sequence[CitationUse]) -> str:
    """What cites a place: the questions that it answers."""
    lines = [f"cited by {len(uses)} {'answer' if len(uses) == 1 else 'answers'}"]
    lines += [f"[{use.label}] {printable_line(use.question)}" for use in uses[:_MOST_USES]]
    return "\n".join([*lines, "…"] if len(uses) > _MOST_USES else lines)


def as_markup(text: str, formats: Sequence[str]) -> types.MarkupContent:
    """A text in the first format of the client's in which nothing acts: plain unless it takes Markdown only."""
    if types.MarkupKind.PlainText.value in formats or types.MarkupKind.Markdown.value not in formats:
        return types.MarkupContent(types.MarkupKind.PlainText, text)
    return types.MarkupContent(types.MarkupKind.Markdown, escaped(text))


def escaped(text: str) -> str:
    """Markdown that shows a text, line by line, and does nothing."""
    lines = (_PUNCTUATION.sub(r"\\\g<0>", line.strip()) for line in text.split("\n"))
    return "  \n".join(lines)


HOVER: RequestHandler[types.HoverParams] = RequestHandler(hover)
