"""``lens/passage``: some lines of a document, as they are now."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Skipped
from lens_lsp.judge.redaction import redacted_whole
from lens_lsp.lsp.endpoint import Endpoint, RequestFailed
from lens_lsp.lsp.for_models import cut
from lens_lsp.lsp.held_citations import is_extracted
from lens_lsp.lsp.requests import PassageParams
from lens_lsp.lsp.results import PassageResult
from lens_lsp.lsp.within import Place, document_at, place_of
from lens_lsp.model.text import SourceText, Span

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer

MOST = 100_000
"""Code points of one passage; lines that go beyond are left out, but for the first."""
PAGE = 6_000
"""Code points of a page: whole lines, but for a line that is longer."""


async def passage(ls: LensServer, params: PassageParams) -> PassageResult:
    """The lines. Raises `PathRefused` for what lies outside the workspace folders, `PathNotFound`, and `RequestFailed`
    for what a search does not read, a model is not given, and lines and pages that there are not."""
    place = place_of(ls.session, params.uri)
    rules = (await ls.session.settings(fresh=True)).rules
    run = asyncio.get_running_loop().run_in_executor
    return await run(None, _passage, place, params, rules, ls.session.buffers())


def _passage(place: Place, params: PassageParams, rules: CorpusRules, buffers: Mapping[str, Buffer]) -> PassageResult:
    try:
        document = document_at(place, rules, buffers)
    except Skipped as skipped:
        raise RequestFailed(f"{place.path} is not read: {skipped.reason.value}") from None
    if params.for_model and document.structure.private:
        raise RequestFailed(f"{place.path} says `lens: private`: it is not given to a model")
    lines = SourceText(document.text)
    first, last = _wanted(params, lines)
    if first > _count(lines):
        raise RequestFailed(f"{place.path} has {_count(lines)} lines")
    asked = Span(lines.line_starts[first - 1], _end(lines, min(last, _count(lines))))
    pages = None
    if params.page is None:
        span = _stretch(lines, first, last)
    else:
        pages = pages_of(lines, asked)
        if params.page > len(pages):
            raise RequestFailed(f"{place.path} has {len(pages)} page{'s' * (len(pages) > 1)} of these lines")
        span = pages[params.page - 1]
    said = document.text[span.start : span.end]
    text = cut(redacted_whole(document.text, document.path), span) if params.for_model else said
    locator = locate(document.locators, span.start)
    return PassageResult(
        schema_="lens.passage/1",
        uri=place.uri,
        folder=place.folder,
        path=place.path,
        text=text,
        span=(span.start, span.end),
        lines=(lines.position(span.start).line, lines.position(span.end).line),
        total_lines=_count(lines),
        sha256=document.origin.sha256,
        reader=document.reader,
        locator=None if locator is None else dict(locator),
        extracted=is_extracted(document.path),
        cleaned=text != said,
        total=len(asked),
        page=params.page,
        pages=None if pages is None else len(pages),
        truncated=span.end < asked.end,
    )


def _wanted(params: PassageParams, lines: SourceText) -> tuple[int, int]:
    """The first and the last line that are asked for."""
    if params.lines is not None:
        return params.lines
    if params.span is not None:
        start, end = params.span
        return lines.position(start).line, lines.position(max(start, end - 1)).line
    return 1, _count(lines)


def pages_of(lines: SourceText, asked: Span) -> list[Span]:
    """Where the pages of some lines stand, each without the end of its last line; at least one."""
    starts, text = lines.line_starts, lines.text
    pages = []
    at = asked.start
    while asked.end - at > PAGE:
        ends = starts[bisect_right(starts, at + PAGE + 1) - 1]
        if ends <= at:  # a line that is longer than a page
            ends = at + PAGE - (text[at + PAGE - 1 : at + PAGE + 1] == "\r\n")
        pages.append(Span(at, at + len(text[at:ends].rstrip("\r\n"))))
        at = ends
    return [*pages, Span(at, asked.end)]


def _stretch(lines: SourceText, first: int, last: int) -> Span:
    """Where some lines stand, without the end of the last of them that fits."""
    starts = lines.line_starts
    last = min(last, _count(lines))
    while last > first and _end(lines, last) - starts[first - 1] > MOST:
        last -= 1
    return Span(starts[first - 1], min(_end(lines, last), starts[first - 1] + MOST))


def _end(lines: SourceText, line: int) -> int:
    starts = lines.line_starts
    end = starts[line] if line < len(starts) else len(lines.text)
    return starts[line - 1] + len(lines.text[starts[line - 1] : end].rstrip("\r\n"))


def _count(lines: SourceText) -> int:
    """How many lines there are, as editors count them: what follows the last line's end is none."""
    count = len(lines.line_starts)
    return count - 1 if count > 1 and lines.line_starts[-1] == len(lines.text) else count


ENDPOINT = Endpoint(passage, PassageParams)
