"""``lens/passage``: some lines of a document, as they are now."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from lens_lsp.corpus.formats.base import locate
from lens_lsp.corpus.opening import Skipped
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.domain.text import SourceText, Span
from lens_lsp.lsp.endpoint import Endpoint, RequestFailed
from lens_lsp.lsp.for_models import cut
from lens_lsp.lsp.held_citations import is_extracted
from lens_lsp.lsp.requests import PassageParams
from lens_lsp.lsp.results import PassageResult
from lens_lsp.lsp.within import Place, document_at, place_of
from lens_lsp.oracle.redaction import redacted

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer

MOST = 100_000
"""Code points of one passage; lines that go beyond are left out, but for the first."""


async def passage(ls: LensServer, params: PassageParams) -> PassageResult:
    """The lines. Raises `PathRefused` for what lies outside the workspace folders, `PathNotFound`, and `RequestFailed`
    for what a search does not read and a model is not given."""
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
    span, last = _stretch(lines, first, last)
    said = document.text[span.start : span.end]
    text = cut(redacted(document.text), span) if params.for_model else said
    locator = locate(document.locators, span.start)
    return PassageResult(
        schema_="lens.passage/1",
        uri=place.uri,
        folder=place.folder,
        path=place.path,
        text=text,
        span=(span.start, span.end),
        lines=(first, last),
        total_lines=_count(lines),
        sha256=document.origin.sha256,
        reader=document.reader,
        locator=None if locator is None else dict(locator),
        extracted=is_extracted(document.path),
        cleaned=text != said,
    )


def _wanted(params: PassageParams, lines: SourceText) -> tuple[int, int]:
    """The first and the last line that are asked for."""
    if params.lines is not None:
        return params.lines
    if params.span is not None:
        start, end = params.span
        return lines.position(start).line, lines.position(max(start, end - 1)).line
    return 1, _count(lines)


def _stretch(lines: SourceText, first: int, last: int) -> tuple[Span, int]:
    """Where some lines stand, without the end of the last, and which is the last of them that fits."""
    starts = lines.line_starts
    last = min(last, _count(lines))
    while last > first and _end(lines, last) - starts[first - 1] > MOST:
        last -= 1
    return Span(starts[first - 1], min(_end(lines, last), starts[first - 1] + MOST)), last


def _end(lines: SourceText, line: int) -> int:
    starts = lines.line_starts
    end = starts[line] if line < len(starts) else len(lines.text)
    return starts[line - 1] + len(lines.text[starts[line - 1] : end].rstrip("\r\n"))


def _count(lines: SourceText) -> int:
    """How many lines there are, as editors count them: what follows the last line's end is none."""
    count = len(lines.line_starts)
    return count - 1 if count > 1 and lines.line_starts[-1] == len(lines.text) else count


ENDPOINT = Endpoint(passage, PassageParams)
