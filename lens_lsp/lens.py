"""One workspace, composed: what the doors call.

A `Lens` holds the folded texts of its folders in memory between questions and brings them in line with the disk
at each one. It writes nothing but what a question leaves in the memory that was given along.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Protocol

from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.snapshot import Buffer
from lens_lsp.corpus.unread import notices
from lens_lsp.domain.ablations import LOOP, SIGNALS
from lens_lsp.domain.answer import Mode
from lens_lsp.domain.errors import UsageError
from lens_lsp.domain.events import Event
from lens_lsp.domain.model import Coverage, Evidence, Findings, Stage
from lens_lsp.domain.text import Span
from lens_lsp.domain.words import fold
from lens_lsp.oracle.analysis import analyse
from lens_lsp.search.candidates import Candidates
from lens_lsp.search.localise import Localisation, as_evidence, localise, ranking
from lens_lsp.search.measure import Ints
from lens_lsp.search.reading import Reading
from lens_lsp.workspace import FIRST, QUESTION, Progress, Ready, Workspace, overlay

if TYPE_CHECKING:
    from asyncio import Future

    from lens_lsp.memory import Memory
    from lens_lsp.models.base import ChatModel
    from lens_lsp.oracle.base import Oracle
    from lens_lsp.oracle.ledger import Budget
    from lens_lsp.oracle.preview import Preview


class FindObserver(Progress, Protocol):
    """Told about a question while it is being answered, on the caller's thread."""

    def evidence(self, item: Evidence) -> None:
        """The next best passage, checked against its source."""


class _Silent:
    def progress(self, stage: str, done: int, total: int | None) -> None: ...

    def evidence(self, item: Evidence) -> None: ...


class Lens:
    """Folders and files to find evidence in.

    ``memory`` is how many bytes of text are kept between questions, by default `memory_budget`; ``first`` for how many
    seconds documents (PDF, Office, …) are read before a question has shown anything. Raises `PathNotFound` or
    `PathRefused` for a path that cannot be searched. Not safe for threads: one question at a time.
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
        query: str,
        *,
        limit: int = 10,
        observer: FindObserver | None = None,
        buffers: Mapping[str, Buffer] | None = None,
        asking: Mapping[str, Span] | None = None,
        ablate: Set[str] = frozenset(),
        cancelled: Callable[[], bool] | None = None,
    ) -> Findings:
        """The passages that most likely answer a question, each checked against its source.

        ``limit`` is the number of passages; ``buffers`` are texts open in an editor by absolute path, which win
        over the disk; ``asking`` are the spans, by absolute path, that hold the query itself and are never found.
        Raises `UsageError` for a query with nothing in it and for an unknown ablation.
        """
        _check(query, ablate, SIGNALS)
        if limit < 1:
            raise UsageError("the number of passages must be at least 1")
        observer = observer or _Silent()
        with self._workspace.open() as opened:
            ready = self._workspace.bring_up(opened, observer, buffers or {}, cancelled, query)
            observer.progress("scan", 0, None)
            reading = Reading(self._workspace.cache, ready.snapshot, overlay(ready.snapshot.roots, asking or {}))
            place = localise(reading, analyse(query), limit, ablate=ablate, cancelled=cancelled)
            observer.progress("verify", 0, None)
            verifying = time.perf_counter()
            evidence = _publish(reading, place, observer)
            verified = Stage("verify", time.perf_counter() - verifying)
        return Findings(
            query=query,
            roots=ready.roots,
            evidence=tuple(evidence),
            documents=ranking(reading, place.candidates, frozenset(place.admitted.tolist()), most=limit),
            coverage=self._coverage(ready, place.candidates, place.admitted, reading),
            compression=place.candidates.compression(place.admitted),
            stages=(*self._workspace.stages(ready), *place.stages, verified),
            warnings=(*notices(self._workspace.skipped(ready)), *reading.warnings),
            missing=() if cancelled is not None and cancelled() else place.candidates.missing(),
        )

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

    async def ask(
        self,
        question: str,
        *,
        mode: Mode = Mode.EVIDENCE,
        seed: int = 0,
        budget: Budget | None = None,
        oracle: Oracle | None = None,
        observer: FindObserver | None = None,
        buffers: Mapping[str, Buffer] | None = None,
        asking: Mapping[str, Span] | None = None,
        ablate: Set[str] = frozenset(),
        trace: bool = False,
        documents: int = 10,
        admitted: int | None = None,
        cancelled: Callable[[], bool] | None = None,
        prices: tuple[float, float] | None = None,
        spent: Callable[[int, int], None] | None = None,
        memory: Memory | None = None,
        thread: str | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> AsyncGenerator[Event]:
        """Search until every fact the question needs is found or the budget is spent; the events, as they happen.

        The last two are `Answered` and `Stopped`, also when ``cancelled`` turned true on the way: then with what was
        found. Without an ``oracle`` the offline rules judge and no call is made. ``asking`` are the lines or
        selections, by absolute path, that hold the question itself and are never evidence. ``trace`` adds to the
        events all that recomputing the beliefs needs. ``documents`` is how many ranked documents the answer lists, at
        least ten; ``admitted`` is how many the search admits first, by default ten in the mode `deep` and else those of
        the first 50 passages. ``observer`` is told about progress, on another thread. ``prices`` are the oracle's,
        (in, out) per million tokens; ``spent`` is told the tokens (in, out) of each call as soon as it is over.
        What is known in ``memory`` is used while it still holds, and what is proven is kept there; ``thread`` names the
        conversation in it that the question belongs to. Raises `UsageError` for an empty question, for an unknown
        ablation and for a thread without a memory.
        """
        from lens_lsp.search.glimpse import Glimpse  # brings asyncio, which `find` never needs
        from lens_lsp.search.work import Work

        _check(question, ablate, (*SIGNALS, *LOOP))
        if thread is not None and memory is None:
            raise UsageError("a thread needs the store of answers: leave out --no-store")
        work, workspace, glimpse = Work(cancelled), self._workspace, Glimpse(clock)
        seconds = QUESTION if budget is None else budget.seconds
        with workspace.open() as opened:

            def bring_up() -> Future[Ready]:
                heard = observer or _Silent()
                return work.start(
                    lambda: workspace.bring_up(opened, heard, buffers or {}, work.cancelled, question, seconds, glimpse)
                )

            # What is known of a large workspace comes first; else the disk is looked at while the question is analysed.
            before = workspace.before(opened, buffers or {}, work.cancelled)
            sweep = bring_up() if before is None else None
            async with work:
                # So is the disk while the loop and the arithmetic are imported.
                from lens_lsp.asking import Asking
                from lens_lsp.oracle.ledger import Budget, Ledger
                from lens_lsp.oracle.offline import OfflineOracle
                from lens_lsp.search.options import Options

                oracle = oracle or OfflineOracle()
                budget = budget or Budget.of(mode)
                ledger = Ledger(budget, clock=clock, prices=prices, endpoint=oracle.endpoint, spent=spent)
                options = Options(mode, seed, ablate, trace, documents, admitted)
                heard = observer or _Silent()
                steps = Asking(workspace, question, oracle, ledger, options, asking or {}, work, heard, memory, thread)
                async for event in steps.run(lambda: sweep or bring_up(), glimpse, before):
                    yield event

    async def preview(
        self,
        question: str,
        model: ChatModel,
        *,
        mode: Mode,
        budget: Budget,
        seed: int = 0,
        buffers: Mapping[str, Buffer] | None = None,
        asking: Mapping[str, Span] | None = None,
        memory: Memory | None = None,
        thread: str | None = None,
    ) -> Preview:
        """What `ask` would send to a model first, with no call made; ``memory`` must keep nothing. Raises as `ask`."""
        from lens_lsp.oracle.chat import ChatOracle
        from lens_lsp.oracle.preview import Preview

        preview = Preview(ChatOracle(model, mode))
        async for _ in self.ask(
            question,
            mode=mode,
            seed=seed,
            budget=budget,
            oracle=preview,
            buffers=buffers,
            asking=asking,
            memory=memory,
            thread=thread,
        ):
            pass
        return preview

    def _coverage(self, ready: Ready, candidates: Candidates, admitted: Ints, reading: Reading) -> Coverage:
        return Coverage(
            found=ready.sweep.found,
            scanned=self._workspace.cache.files,
            skipped=self._workspace.skipped(ready),
            admitted=len(admitted),
            read=reading.read,
            matches_unread=candidates.unread(admitted),
            pictures=self._workspace.cache.pictures,
        )


def _publish(reading: Reading, place: Localisation, observer: FindObserver) -> list[Evidence]:
    """The passages whose text still stands where it was found, as evidence."""
    evidence: list[Evidence] = []
    for passage in place.passages:
        if reading.confirmed(passage.slot) is None:
            continue
        item = as_evidence(reading, passage, len(evidence) + 1, place.candidates.shares(passage.slot))
        if item is None:
            continue
        evidence.append(item)
        observer.evidence(item)
    return evidence


def _check(question: str, ablate: Set[str], known: Sequence[str]) -> None:
    if not fold(question).strip():
        raise UsageError("the question is empty: give a few words to look for")
    unknown = set(ablate).difference(known)
    if unknown:
        raise UsageError(f"no such ablation: {', '.join(sorted(unknown))}; choose from {', '.join(sorted(known))}")
