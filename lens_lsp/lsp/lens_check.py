"""``lens/check`` and ``lens/recheck``: citations that somebody holds, or that are kept, against their sources now."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lens_lsp.app.workspace_store import kept_citations, settle
from lens_lsp.corpus.corpus_rules import AllowedFolders, CorpusRules
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Skipped
from lens_lsp.judge.redaction import redacted_whole
from lens_lsp.lsp.lens_answer import kept_answer
from lens_lsp.lsp.lens_text import WorkspacePath, document_at, is_extracted, workspace_path
from lens_lsp.lsp.locations import UriRefused
from lens_lsp.lsp.model_view import cut
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.memory.check import Report, check
from lens_lsp.memory.citations import SHORTEST_CONTEXT
from lens_lsp.memory.sources import Sources
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import Document, SkipReason, TextSource
from lens_lsp.model.errors import LensError, PathRefused
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.text import Position, SourceText, Span
from lens_lsp.schema.memory_shapes import check_json
from lens_lsp.schema.protocol_params import Beside, CheckParams, HeldCitation, RecheckParams
from lens_lsp.schema.protocol_results import CheckResult, HeldChecked

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer
    from lens_lsp.lsp.server_state import Stores

_NUMBER = regex(r"(\[\[SECRET:[a-z-]+:)\d+")
_NO_LONGER_KNOWN = "it holds a secret that was taken out, so it cannot be looked for"
_PRIVATE = "its document says `lens: private`: it is not given to a model"


@dataclass(frozen=True, slots=True)
class _CheckContext:
    """What citations are looked up with."""

    allowed: AllowedFolders
    rules: CorpusRules
    buffers: Mapping[str, Buffer]
    for_model: bool
    stop: threading.Event


async def check_held(ls: LensServer, params: CheckParams) -> CheckResult:
    """What became of each. Nothing that a citation names raises: what may not be read is broken, and says why."""
    state = ls.state
    rules = (await state.settings(fresh=True)).rules
    places: list[WorkspacePath | str] = []
    for held in params.citations:
        try:
            places.append(workspace_path(state, held.uri))
        except LensError as refused:
            places.append(str(refused))
    look = _CheckContext(await state.sources(), rules, state.buffers(), params.for_model, threading.Event())
    work = asyncio.get_running_loop().run_in_executor(None, _all, params.citations, places, look)
    try:
        return CheckResult(schema_="lens.held/1", citations=tuple(await asyncio.shield(work)))
    except asyncio.CancelledError:
        look.stop.set()
        raise


def _all(
    citations: Sequence[HeldCitation], places: Sequence[WorkspacePath | str], look: _CheckContext
) -> list[HeldChecked]:
    found = []
    with Sources(look.allowed, rules=look.rules, buffers=look.buffers) as sources:
        for held, place in zip(citations, places, strict=True):
            if look.stop.is_set():
                break
            found.append(
                HeldChecked(state="broken", why=place) if isinstance(place, str) else _one(held, place, look, sources)
            )
    return found


def _one(held: HeldCitation, place: WorkspacePath, look: _CheckContext, sources: Sources) -> HeldChecked:
    if look.allowed.place(place.folder) is None:
        return HeldChecked(state="broken", why=look.allowed.why)
    document: Document | None = None
    try:
        document = document_at(place, look.rules, look.buffers)
    except Skipped as skipped:
        if skipped.reason is not SkipReason.UNREADABLE:
            return HeldChecked(state="broken", why=f"its document is not read: {skipped.reason.value}")
    except LensError as error:
        return HeldChecked(state="broken", why=str(error))
    if document is not None and look.for_model and document.structure.private:
        return HeldChecked(state="broken", why=_PRIVATE)
    quote = held.quote if document is None else _in_its_words(held, document, look)
    if quote is None:
        assert document is not None
        return _by_its_hash(held, place, document)
    citation = _citation(held, quote, place, document)
    checked, at = sources.check(citation, "")
    return _told(checked, at, place, sources, look)


def _in_its_words(held: HeldCitation, document: Document, look: _CheckContext) -> str | None:
    """The quote in the words of the document: a model was given it without what nobody sees. None where a secret was
    taken out of it, too."""
    if not look.for_model or held.quote in document.text:
        return held.quote
    return redacted_whole(document.text, document.path).unredacted(held.quote)


def _by_its_hash(held: HeldCitation, place: WorkspacePath, document: Document) -> HeldChecked:
    """A quote that lacks its secrets stands where it stood while its document is the same."""
    text = document.text
    if held.span is None or held.sha256 != document.origin.sha256 or held.span[1] > len(text):
        return HeldChecked(state="drifted", why=_NO_LONGER_KNOWN)
    span = Span(*held.span)
    if _NUMBER.sub(r"\1", cut(redacted_whole(text, document.path), span)) != _NUMBER.sub(r"\1", held.quote):
        return HeldChecked(state="drifted", why="the file is as it was and does not say this there")
    lines = None if is_extracted(place.path) else _lines(SourceText(text), span)
    return HeldChecked(
        state="verified",
        why="",
        uri=place.uri,
        folder=place.folder,
        path=place.path,
        span=(span.start, span.end),
        lines=lines,
        sha256=document.origin.sha256,
    )


def _citation(held: HeldCitation, quote: str, place: WorkspacePath, document: Document | None) -> Citation:
    """The citation that is meant. Where no hash is given, the document is taken for what it was if the quote stands at
    its place, and for another one if not."""
    start = held.span[0] if held.span is not None else _start(held, quote, document)
    sha256 = held.sha256
    if sha256 is None:
        here = document is not None and document.text.startswith(quote, start)
        sha256 = document.origin.sha256 if document is not None and here else ""
    short = len(quote) < SHORTEST_CONTEXT
    beside = held.beside or (Beside(before=None, after=None) if short else Beside())
    return Citation(
        root=place.folder,
        path=place.path,
        source=TextSource.DISK,
        sha256=sha256,
        encoding="" if document is None else document.origin.encoding,
        reader=held.reader or ("" if document is None else document.reader),
        span=Span(start, start + len(quote)),
        quote=quote,
        left=beside.before,
        right=beside.after,
        count=beside.count,
    )


def _start(held: HeldCitation, quote: str, document: Document | None) -> int:
    """Where a quote without a span should begin: in the line that is named, else where it stands first."""
    if document is None:
        return 0
    if held.lines is None or is_extracted(document.path):
        return max(document.text.find(quote), 0)
    lines = SourceText(document.text)
    first = lines.offset(Position(held.lines[0], 1))
    at = document.text.find(quote, first)
    return at if at >= 0 and lines.position(at).line == held.lines[0] else first


def _told(
    checked: Checked, at: Position | None, place: WorkspacePath, sources: Sources, look: _CheckContext
) -> HeldChecked:
    if checked.span is None or at is None:
        broken = checked.gone or checked.unread is not None
        return HeldChecked(state="broken" if broken else "drifted", why=checked.why)
    now = WorkspacePath(place.folder, checked.path or place.path)
    if now != place:
        try:
            renamed = document_at(now, look.rules, look.buffers)
        except (Skipped, LensError):
            return HeldChecked(state="broken", why="the file is gone")
        if look.for_model and renamed.structure.private:
            return HeldChecked(state="broken", why=_PRIVATE)
    text = sources.text(checked, "")
    return HeldChecked(
        state="verified" if checked.state is CitationState.VERIFIED else "moved",
        why=checked.why,
        uri=now.uri,
        folder=now.folder,
        path=now.path,
        span=(checked.span.start, checked.span.end),
        lines=None if text is None else _lines(text, checked.span),
        sha256=checked.sha256,
        locator=None if checked.locator is None else dict(checked.locator),
    )


def _lines(text: SourceText, span: Span) -> tuple[int, int]:
    return text.position(span.start).line, text.position(max(span.start, span.end - 1)).line


CHECK = RequestHandler(check_held, CheckParams)


async def recheck(ls: LensServer, params: RecheckParams) -> dict[str, object]:
    """Schema ``lens.check/1``, for one text, for one answer that was kept, or for the workspace folders with their
    stores.

    Raises `PathNotFound` and `PathRefused`.
    """
    state = ls.state
    rules = (await state.settings()).rules
    workspaces = () if params.uri is not None else state.workspaces
    paths = [each.path for each in state.folders] if params.uri is None else [await _meant(ls, params.uri)]
    allowed = await state.sources()
    report = await asyncio.to_thread(_checked, paths, rules, state.buffers(), allowed, ls.state.stores, workspaces)
    ls.diagnostics.check_all()
    return check_json(report, str)


async def _meant(ls: LensServer, uri: str) -> str:
    """The path of a text or of a kept answer. Raises `PathRefused`."""
    try:
        return ls.state.allowed(uri)
    except UriRefused as error:
        answer = await asyncio.to_thread(kept_answer, ls.state.stores, ls.state.workspaces, uri)
        if answer is None:
            raise PathRefused(f"{uri} cannot be checked: {error}") from error
        return answer


def _checked(
    paths: Sequence[str],
    rules: CorpusRules,
    buffers: Mapping[str, Buffer],
    allowed: AllowedFolders,
    stores: Stores,
    workspaces: Sequence[str],
) -> Report:
    report = Report()
    check(paths, report, rules=rules, buffers=buffers, allowed=allowed)
    for workspace, store in stores.existing(workspaces):
        kept = Report()
        check((), kept, rules=rules, kept=kept_citations(store, workspace))
        settle(store, kept.findings)
        report.findings += kept.findings
    return report


RECHECK = RequestHandler(recheck, RecheckParams)
