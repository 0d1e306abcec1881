"""One workspace, and the questions that are asked of it.

A `Lens` holds the folded texts of its folders in memory between questions and brings them in line with the disk
at each one. It writes nothing but what a question leaves in the memory that was given along.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncGenerator, Callable, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from lens_lsp.app.oracle_factory import Terms, local_reader
from lens_lsp.app.settings import RERANKED, Request, Settings
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.extraction import PATIENT, extractions, notices
from lens_lsp.corpus.workspace import (
    FIRST,
    QUESTION,
    PreparedWorkspace,
    Progress,
    ReadThrough,
    Searched,
    Workspace,
    overlay,
)
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.model.answer import Event, StopReason
from lens_lsp.model.documents import ContextRole, Coverage, Evidence, Findings, Stage
from lens_lsp.model.errors import BudgetSpent, OracleFailed, UsageError
from lens_lsp.model.plan import LOOP, SIGNALS
from lens_lsp.model.words import fold
from lens_lsp.search.corpus_view import DocumentAccess, Ints, never
from lens_lsp.search.localisation import Candidates, Localisation, localise, quotes, ranking
from lens_lsp.search.passages import ScoredPassage

if TYPE_CHECKING:
    from asyncio import Future

    from lens_lsp.app.question_memory import Memory


class FindObserver(Progress, Protocol):
    """Told about a question while it is being answered, on the caller's thread."""

    def evidence(self, item: Evidence) -> None:
        """The next best passage, checked against its source. Where the reader is to order the passages, those that are
        told are the first ones before it reads; the order it makes of them is that of the findings."""


class _Silent:
    def progress(self, stage: str, done: int, total: int | None) -> None: ...

    def evidence(self, item: Evidence) -> None: ...


def quiet() -> FindObserver:
    """An observer that nobody asks."""
    return _Silent()


class Lens:
    """Folders and files to find evidence in.

    ``memory`` is how many bytes of text are kept between questions, by default `memory_budget`; ``first`` for how many
    seconds documents (PDF, Office, …) are read before a question has shown anything. Raises `PathNotFound` or
    `PathRefused` where none of the paths can be searched. Not safe for threads: one question at a time.
    """

    def __init__(
        self,
        paths: Sequence[str | os.PathLike[str]] = (".",),
        *,
        rules: CorpusRules = CorpusRules(),
        memory: int | None = None,
        first: float = FIRST,
    ) -> None:
        self._workspace = Workspace(paths, rules, memory, first)

    def find(
        self,
        request: Request | str,
        *,
        observer: FindObserver | None = None,
        cancelled: Callable[[], bool] | None = None,
        settings: Settings = Settings(),
    ) -> Findings:
        """The passages that most likely answer a query, each checked against its source; a string is the query alone.

        Where the request says ``rerank``, the reader of the ``settings`` orders the best of them; a search that is
        cancelled or has no reader keeps them as they came, the latter with a warning.

        Raises `UsageError` for a query with nothing in it and for an unknown ablation.
        """
        request = checked(request)
        observer = observer or _Silent()
        with self._workspace.open() as opened:
            ready = self._workspace.bring_up(opened, observer, request.buffers, cancelled, request.question)
            if self._workspace.cache.unread_documents:
                observer.progress("unread", self._workspace.cache.unread_documents, self._workspace.cache.documents)
            reading = DocumentAccess(
                self._workspace.cache,
                ready.snapshot,
                overlay(ready.snapshot.roots, request.exclude_spans),
                late=cancelled or never,
                over=cancelled or never,
            )
            reading.warnings += ready.sweep.failed
            return findings_of(request, reading, lambda: self._workspace.searched(ready), observer, cancelled, settings)

    def close(self) -> None:
        """Let go what it holds: nothing, for its files are open during a question alone."""

    @property
    def unread(self) -> int:
        """How many documents the questions so far left unread."""
        return self._workspace.cache.unread

    def read_on(self, cancelled: Callable[[], bool]) -> None:
        """Read the documents that the questions so far left unread, until none is left or ``cancelled``.

        For the time between two questions, on any one thread.
        """
        with self._workspace.open() as opened:
            self._workspace.go_on([root for root, _ in opened], cancelled)

    def read_through(self, done: ReadThrough, observer: Progress) -> None:
        """Read every document whose text is not kept yet, and hold none; ``done`` counts, ``observer`` is told."""
        extractions().longest = PATIENT
        self._workspace.read_through(done, observer)

    async def ask(
        self,
        request: Request | str,
        terms: Terms = Terms(),
        *,
        memory: Memory | None = None,
        observer: FindObserver | None = None,
        cancelled: Callable[[], bool] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> AsyncGenerator[Event]:
        """Search until every fact the question needs is found or the budget is spent; the events, as they happen.

        The last two are `Answered` and `Stopped`, also when ``cancelled`` turned true on the way: then with what was
        found. ``terms`` say who judges; by default the reader does, if there is one, without a call. `app.ask` makes
        them of settings. What is known in ``memory`` is used while it still holds, and what is proven is kept there.
        ``observer`` is told about progress, on another thread. Raises `UsageError` for an empty question, for an
        unknown ablation and for a thread without a memory.
        """
        from lens_lsp.judge.cancellation import QuestionTasks
        from lens_lsp.search.early_evidence import EarlyEvidenceTimer  # brings asyncio, which `find` never needs

        request = Request(request) if isinstance(request, str) else request
        _check(request.question, request.ablate, (*SIGNALS, *LOOP))
        if request.thread is not None and memory is None:
            raise UsageError("a thread needs the store of answers: leave out --no-store")
        seconds = QUESTION if terms.budget is None else terms.budget.seconds
        work = QuestionTasks(cancelled, seconds=seconds, clock=clock)
        workspace, glimpse, heard = self._workspace, EarlyEvidenceTimer(clock), observer or _Silent()
        with workspace.open() as opened:

            def bring_up() -> Future[PreparedWorkspace]:
                return work.start(
                    lambda: workspace.bring_up(
                        opened, heard, request.buffers, work.ended, request.question, seconds, glimpse
                    )
                )

            # What is known of a large workspace comes first; else the disk is looked at while the question is analysed.
            before = workspace.before(opened, request.buffers, work.ended)
            sweep = bring_up() if before is None else None
            async with work:
                # So is the disk while the loop and the arithmetic are imported.
                from lens_lsp.app.pipeline import Pipeline

                steps = Pipeline(workspace, request, terms, terms.ledger(clock), work, heard, memory)
                async for event in steps.run(lambda: sweep or bring_up(), glimpse, before):
                    yield event


def checked(request: Request | str) -> Request:
    """A request for `Lens.find`. Raises `UsageError` as that does."""
    request = Request(request) if isinstance(request, str) else request
    _check(request.question, request.ablate, SIGNALS)
    if request.limit < 1:
        raise UsageError("the number of passages must be at least 1")
    return request


def findings_of(
    request: Request,
    reading: DocumentAccess,
    searched: Callable[[], Searched],
    observer: FindObserver,
    cancelled: Callable[[], bool] | None,
    settings: Settings,
) -> Findings:
    """What is found in some texts; ``searched`` tells at the end what they are of."""
    query, limit = request.question, request.limit
    observer.progress("scan", 0, None)
    most = max(limit, RERANKED) if request.rerank else limit
    place = localise(reading, analyse(query), most, ablate=request.ablate, cancelled=cancelled)
    observer.progress("verify", 0, None)
    verifying = time.perf_counter()
    evidence = _publish(reading, place, observer, limit)
    stages = [*place.stages, Stage("verify", time.perf_counter() - verifying)]
    of = searched()
    warnings = [*notices(of.skipped), *reading.warnings]
    read = None
    if request.rerank:
        observer.progress("rerank", 0, None)
        ordering = time.perf_counter()
        places, read, warning = _reranked(query, list(evidence.values()), settings, cancelled)
        stages.append(Stage("rerank", time.perf_counter() - ordering))
        warnings += [warning] if warning else []
        found = [list(evidence.items())[at] for at in places[:limit]]
        evidence = {passage: replace(item, n=n) for n, (passage, item) in enumerate(found, 1)}
        place = replace(place, passages=list(evidence))
    return Findings(
        query=query,
        roots=of.roots,
        evidence=tuple(evidence.values()),
        documents=ranking(reading, place.candidates, frozenset(place.admitted.tolist()), most=limit),
        coverage=_coverage(of, place.candidates, place.admitted, reading),
        compression=place.candidates.compression(place.admitted),
        stages=(*of.stages, *stages),
        fetched=of.fetched,
        warnings=tuple(warnings),
        missing=() if cancelled is not None and cancelled() else place.candidates.missing(),
        reranked=read,
    )


def _coverage(of: Searched, candidates: Candidates, admitted: Ints, reading: DocumentAccess) -> Coverage:
    return Coverage(
        found=of.found,
        scanned=of.scanned,
        skipped=of.skipped,
        admitted=len(admitted),
        read=reading.read,
        matches_unread=candidates.unread(admitted),
        pictures=of.pictures,
        partial=tuple(sorted({*of.partial, *reading.comments()})),
        documents=of.documents,
        unread=of.unread,
    )


def _publish(
    reading: DocumentAccess, place: Localisation, observer: FindObserver, limit: int
) -> dict[ScoredPassage, Evidence]:
    """The passages whose text still stands where it was found, as evidence; the first ``limit`` of them are told."""
    evidence: dict[ScoredPassage, Evidence] = {}
    for passage, item in quotes(reading, place):
        evidence[passage] = item
        if len(evidence) <= limit:
            observer.evidence(item)
    return evidence


def _reranked(
    query: str, found: Sequence[Evidence], settings: Settings, cancelled: Callable[[], bool] | None
) -> tuple[Sequence[int], bool, str | None]:
    """The places of passages, best first: the first `RERANKED` as the reader of the settings orders them together with
    the scan that found them, those behind as they came. Whether the reader read, else why it did not, unless nobody
    wants to know. Loads the reader where it was not yet."""
    # Brings onnxruntime, which `find` alone never needs.
    from lens_lsp.judge.reader.cross_encoder import ReaderPassage, ReaderUnavailable

    places = list(range(len(found)))
    first = found[:RERANKED]
    best = max((item.score for item in first), default=0.0) or 1.0

    def stop() -> None:
        if cancelled is not None and cancelled():
            raise BudgetSpent(StopReason.CANCELLED)

    def shown(item: Evidence) -> ReaderPassage:
        headers = (part.text for part in item.context if part.role is ContextRole.HEADER)
        return ReaderPassage(item.quote, item.path, (*item.heading, *headers))

    try:
        stop()
        model = local_reader(settings)
        readings = model.read(query, [shown(item) for item in first], stop)
    except BudgetSpent:
        return places, False, None
    except (ReaderUnavailable, OracleFailed) as why:
        return places, False, f"{why}: the passages stand in the order of the scan"
    ranks = [model.calibration.rank(one, item.score / best) for one, item in zip(readings, first, strict=True)]
    return [*sorted(range(len(first)), key=lambda at: -ranks[at]), *places[len(first) :]], True, None


def _check(question: str, ablate: Set[str], known: Sequence[str]) -> None:
    if not fold(question).strip():
        raise UsageError("the question is empty: give a few words to look for")
    unknown = set(ablate).difference(known)
    if unknown:
        raise UsageError(f"no such ablation: {', '.join(sorted(unknown))}; choose from {', '.join(sorted(known))}")
