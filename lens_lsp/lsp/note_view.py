"""What an editor shows in a note beside its words: the state of each citation, and machinery that can be folded away.

Every state is looked up in its source at the moment of the request, as for a diagnostic.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.lsp.document_snapshot import DocumentSnapshot, MarkdownPage, locate_citations, run_on_snapshot
from lens_lsp.lsp.locations import Ranges, UriRefused, path_of, uri_of
from lens_lsp.lsp.navigation import note_text, notes_in
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.memory.answer_files import link_to
from lens_lsp.memory.citation_records import records_above
from lens_lsp.memory.notes import leads_to, may_cite, read_note, rewritten, syntax_of
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.sanitize import printable_line
from lens_lsp.model.text import Span

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
            types.FoldingRange(first - 1, last - 1, kind=kind) for first, last, kind in _machinery(page) if last > first
        ]

    return await run_on_snapshot(ls.state, params.text_document.uri, work) or []


def _machinery(page: MarkdownPage) -> Iterator[tuple[int, int, types.FoldingRangeKind]]:
    """The first and the last line of what no reader of a note needs, from 1. What stands above the heading of an answer
    counts as imports: these are what editors fold by themselves."""
    for held in page.citing.held:
        notes = [each.line for each in page.citing.written if held.first < each.line <= held.last]
        if notes and held.block:
            yield min(notes), held.last, types.FoldingRangeKind.Region
    if page.is_answer:
        end = next((number for number in range(2, page.lines + 1) if page.line(number).rstrip() == "---"), 1)
        while end < page.lines and (page.line(end + 1).isspace() or page.line(end + 1).startswith("<!-- lens:begin")):
            end += 1
        yield 1, end, types.FoldingRangeKind.Imports


async def will_rename(ls: LensServer, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    """``workspace/willRenameFiles``: the footnotes of notes lead where files or folders will be, or from where the note
    itself will be."""
    moves = {}
    for each in params.files:
        with suppress(UriRefused):
            moves[path_of(each.old_uri)] = path_of(each.new_uri)
    rules = (await ls.state.settings()).rules
    buffers, workspaces, encoding = ls.state.buffers(), ls.state.workspaces, ls.state.encoding
    uris = {found: each.uri for each in ls.state.documents if (found := ls.state.place(each)) is not None}

    def work() -> dict[str, list[types.TextEdit]]:
        texts = {path: note_text(path, *status) for path, status in notes_in(workspaces, rules)}
        texts |= {path: buffer.text for path, buffer in buffers.items()}
        changes = {}
        for path, text in texts.items():
            edits = _renamed(path, text, moves) if may_cite(text) or "[^" in text else []
            if edits:
                ranges = Ranges(text, encoding)
                changes[uris.get(path) or uri_of(path)] = [
                    types.TextEdit(ranges.range(span), new) for span, new in edits
                ]
        return changes

    changes = await asyncio.to_thread(work)
    return types.WorkspaceEdit(changes=changes) if changes else None


def _renamed(path: str, text: str, moves: Mapping[str, str]) -> list[tuple[Span, str]]:
    """What to change in a note for its footnotes to lead where they led, after some files were renamed."""

    def after(name: str) -> str:
        old = next((old for old in moves if inside(name, old)), None)
        return name if old is None else moves[old] + name[len(old) :]

    base = os.path.dirname(path)
    records = records_above(base)
    root = base if records is None else records.folder
    edits = []
    for each in read_note(text, path, records).written:
        leads = None if each.reference is None else leads_to(each.reference, base)
        if each.reference is None or leads is None or (after(leads) == leads and after(path) == path):
            continue
        named = each.reference.named
        shown = (
            os.path.relpath(after(leads), root).replace(os.sep, "/") if after(leads) != leads else each.reference.name
        )
        link = link_to(after(leads), os.path.dirname(after(path))) + (f"#L{named}" if named else "")
        edits += rewritten(syntax_of(path), each.reference, shown, named, link)
    return sorted(edits)


INLAY_HINT: RequestHandler[types.InlayHintParams] = RequestHandler(hint)
WILL_RENAME: RequestHandler[types.RenameFilesParams] = RequestHandler(will_rename)
FOLDING_RANGE: RequestHandler[types.FoldingRangeParams] = RequestHandler(fold)
