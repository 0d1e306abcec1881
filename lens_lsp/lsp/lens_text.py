"""``lens/text`` and ``lens/passage``: what a document says, all of it or some lines, as it is now.

Documents are read as a search reads them, and nothing else is read.
"""

from __future__ import annotations

import asyncio
import os
from bisect import bisect_right
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pygls.exceptions import JsonRpcInvalidParams

from lens_lsp.corpus.corpus_rules import CorpusRules, inside, left_out
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.formats.text_reader import locate
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.documents.kinds import kind_for
from lens_lsp.judge.redaction import redacted_whole
from lens_lsp.lsp.locations import UriRefused, path_of, uri_of
from lens_lsp.lsp.model_view import cut
from lens_lsp.lsp.request_handler import RequestFailed, RequestHandler
from lens_lsp.model.documents import Document, SkipReason
from lens_lsp.model.errors import PathRefused
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.sanitize import printable_path
from lens_lsp.model.text import SourceText, Span
from lens_lsp.schema.protocol_params import PassageParams, TextParams
from lens_lsp.schema.protocol_results import PassageResult, PlacedLocator, TextResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.server_state import ServerState

MOST = 100_000
"""Code points of one passage; lines that go beyond are left out, but for the first."""
PAGE = 6_000
"""Code points of a page: whole lines, but for a line that is longer."""


async def text(ls: LensServer, params: TextParams) -> TextResult:
    """The text of a file or, where it is open, of its buffer. Raises `RequestFailed` with why there is none, and
    `PathRefused` for one outside of where it is confined to."""
    try:
        path = path_of(params.uri)
    except UriRefused as refused:
        raise JsonRpcInvalidParams(f"uri: {refused}") from None
    settings = await ls.state.settings()
    buffers = ls.state.buffers()
    folder = os.path.dirname(path)
    if params.confined:
        state = ls.state
        answers = await asyncio.to_thread(ls.state.stores.answers, state.workspaces)
        folders = [*(each.path for each in state.folders), *settings.extra_roots, *map(str, answers)]
        folder = _around(path, folders)
    return await asyncio.to_thread(_read, folder, path, settings.rules, buffers)


def _around(path: str, folders: Sequence[str]) -> str:
    """The one of the folders that a path lies in, by its name. Raises `PathRefused`."""
    for folder in folders:
        if inside(path, folder) and path != folder:
            return folder
    raise PathRefused(f"{printable_path(path)} lies in no folder that is searched")


def _read(folder: str, path: str, rules: CorpusRules, buffers: Mapping[str, Buffer]) -> TextResult:
    """The text of a path below a folder; what lies between them is no link."""
    name = os.path.relpath(path, folder).replace(os.sep, "/")
    overlay = {(0, name): buffers[path]} if path in buffers else {}
    with Root(folder) as root:
        try:
            document = Snapshot([root], overlay, rules).document(0, name)
        except Skipped as skipped:
            raise RequestFailed(f"{name} is not read: {skipped.reason.value}") from None
    located = zip(document.locators.starts, document.locators.locators, strict=True)
    return TextResult(
        text=document.text,
        reader=document.reader,
        sha256=document.origin.sha256,
        locators=tuple(PlacedLocator(start=start, locator=dict(locator)) for start, locator in located),
    )


TEXT = RequestHandler(text, TextParams)


@dataclass(frozen=True, slots=True)
class WorkspacePath:
    """A document in a workspace folder; ``path`` is from the folder, its parts apart by ``/``."""

    folder: str
    path: str

    @property
    def uri(self) -> str:
        """The URI of its file."""
        return uri_of(self.absolute)

    @property
    def absolute(self) -> str:
        """The path of its file."""
        return os.path.join(self.folder, *self.path.split("/"))


def workspace_path(state: ServerState, uri: str) -> WorkspacePath:
    """The place of a URI. Raises `PathRefused` for one that names nothing in a workspace folder."""
    try:
        path = state.allowed(uri)
    except UriRefused as error:
        raise PathRefused(f"{uri} is not read: {error}") from error
    around = [folder.path for folder in state.folders if inside(path, folder.path) and path != folder.path]
    if not around:
        raise PathRefused(f"{uri} is not read: it names no file in a workspace folder")
    folder = max(around, key=len)
    return WorkspacePath(folder, os.path.relpath(path, folder).replace(os.sep, "/"))


def document_at(place: WorkspacePath, rules: CorpusRules, buffers: Mapping[str, Buffer]) -> Document:
    """What stands at a place, by the rules of a search. Waits for the disk.

    Raises `Skipped` with why a search does not come to it, `PathNotFound` and `PathRefused`.
    """
    overlay = {(0, place.path): buffers[place.absolute]} if place.absolute in buffers else {}
    with Root(place.folder) as root:
        reason = left_out(root, place.path, rules)
        if reason is not None and reason is not SkipReason.UNREADABLE:
            raise Skipped(reason)
        return Snapshot([root], overlay, rules).document(0, place.path)


def is_extracted(path: str) -> bool:
    """Whether the text of a document of this name is not the file's but made by its reader."""
    reader = reader_for(path.rpartition("/")[2])
    return kind_for(path) is not None or (reader is not None and reader.extracted)


async def passage(ls: LensServer, params: PassageParams) -> PassageResult:
    """The lines. Raises `PathRefused` for what lies outside the workspace folders, `PathNotFound`, and `RequestFailed`
    for what a search does not read, a model is not given, and lines and pages that there are not."""
    place = workspace_path(ls.state, params.uri)
    rules = (await ls.state.settings(fresh=True)).rules
    return await asyncio.to_thread(_passage, place, params, rules, ls.state.buffers())


def _passage(
    place: WorkspacePath, params: PassageParams, rules: CorpusRules, buffers: Mapping[str, Buffer]
) -> PassageResult:
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


PASSAGE = RequestHandler(passage, PassageParams)
