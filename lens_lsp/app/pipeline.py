"""The pipeline of one question: plan, look for early evidence, scan, explore, answer, keep."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lens_lsp.app.oracle_factory import LocalJudge, Terms, local_judge
from lens_lsp.corpus.extraction import notices
from lens_lsp.corpus.safe_open import Key
from lens_lsp.corpus.workspace import EarlierState, PreparedWorkspace, Progress, Snapshot, Workspace, overlay
from lens_lsp.judge.cancellation import QuestionTasks
from lens_lsp.judge.ledger import Budget, Ledger
from lens_lsp.judge.oracle import Oracle, ReadingJudge
from lens_lsp.judge.rules.offline_oracle import OfflineOracle
from lens_lsp.judge.rules.question_plan import analyse, question_plan
from lens_lsp.model.answer import Answered, Event, EvidenceFound, Mode, Planned, Scanned
from lens_lsp.model.documents import Evidence
from lens_lsp.model.errors import BudgetSpent, OracleFailed
from lens_lsp.model.plan import Plan
from lens_lsp.search.corpus_view import DocumentAccess
from lens_lsp.search.early_evidence import EarlyEvidenceTimer, EarlySearch
from lens_lsp.search.exploration import DocumentFeed, SearchOptions
from lens_lsp.search.search import Search
from lens_lsp.search.synthesis import AnswerSynthesis, Surroundings

if TYPE_CHECKING:
    from lens_lsp.app.question_memory import Memory, QuestionMemory
    from lens_lsp.app.settings import Request


_SLICE = 2.0
"""Seconds for which documents are read between two rounds."""


class Pipeline:
    """One question over a workspace, and everything that answers it.

    ``terms`` say who judges; without an oracle in them the judge without a model is loaded when it is needed.
    ``ledger`` counts what it costs; ``observer`` is told of progress.
    ``memory`` is what is known, None for nothing.
    """

    def __init__(
        self,
        workspace: Workspace,
        request: Request,
        terms: Terms,
        ledger: Ledger,
        work: QuestionTasks,
        observer: Progress,
        memory: Memory | None = None,
    ) -> None:
        self.workspace = workspace
        self.question = request.question
        self.exclude_spans = request.exclude_spans
        self.oracle = terms.oracle
        self.ledger = ledger
        self.options = SearchOptions(
            terms.mode, request.seed, request.ablate, request.trace, request.documents, request.admitted
        )
        self.settings = terms.settings
        self.work = work
        self.observer = observer
        self.memory = memory
        self.thread = request.thread
        self.anew = request.anew

    async def run(
        self,
        bring_up: Callable[[], asyncio.Future[PreparedWorkspace]],
        glimpse: EarlyEvidenceTimer,
        before: EarlierState | None = None,
    ) -> AsyncGenerator[Event]:
        """The events of the question; ``bring_up`` brings the workspace up in the meantime, after a first look at what
        was there ``before``, if that is given, else with a ``glimpse`` of what was read so far."""
        known = self._question_memory()
        loading = self._load_judge() if self.oracle is None else None
        planning = self.work.beside(self._plan(known))
        remote = self._planner.endpoint is not None
        early: list[Evidence] = []
        if before is not None:
            look = partial(self._look, analyse(self.question), counts=before.holds)
            early = await self.work.start(partial(look, before.snapshot))
            for item in early:
                yield EvidenceFound(item, early=True)
        sweep = bring_up()
        if remote and not early:  # its plan takes seconds: meanwhile what the rules would look for is something to read
            early = await self._early(analyse(self.question), sweep, glimpse, always=True)
            for item in early:
                yield EvidenceFound(item, early=True)
        plan, failure = await planning
        yield Planned(plan, self.options.mode, self.options.seed, self._planner.table)
        if failure is None and not early and not remote:
            for item in await self._early(plan, sweep, glimpse):
                yield EvidenceFound(item, early=True)
        ready = await sweep

        feed = DocumentFeed(lambda take_in: self.work.start(partial(self._read_on, take_in)), self._may_read)
        reading = self._reading(ready.snapshot)
        judge = LocalJudge(self._planner) if loading is None else await loading
        search = self._searcher(plan, judge, self.ledger, self.options, reading, feed)
        async for event in self._search(search, known, ready, failure):
            yield event
        if search.undecided and "rules" not in self.options.ablate:
            # The model gave no answer: the question is searched as it is without one, and what that proves stands.
            given_up, modelled, judge = search, judge, await self._load_judge()
            ledger, options = self._terms_without_model()
            plan = await judge.oracle.analyse(given_up.plan.question, ledger)
            yield Planned(plan, self.options.mode, self.options.seed, judge.oracle.table)
            search = self._searcher(plan, judge, ledger, options, reading, feed)
            async for event in self._search(search, None, ready, None):
                yield event
            search = _better(given_up, search, known)
            judge = modelled if search is given_up else judge
        async for event in self._answer(search, judge.oracle, known, ready):
            yield event

    def _load_judge(self) -> asyncio.Future[LocalJudge]:
        """Begin to load who judges without a model."""
        return self.work.start(lambda: local_judge(self.settings, self.work.ended))

    @property
    def _planner(self) -> Oracle:
        """Who plans: the rules where no model does."""
        return self.oracle or OfflineOracle()

    def _searcher(
        self,
        plan: Plan,
        judge: LocalJudge,
        ledger: Ledger,
        options: SearchOptions,
        reading: DocumentAccess,
        feed: DocumentFeed,
    ) -> Search:
        work = self.work
        search = Search(plan, reading, judge.oracle, ledger, options, work.cancelled, feed, work.late, work.start)
        if judge.warning is not None:
            search.warnings.append(judge.warning)
        return search

    def _question_memory(self) -> QuestionMemory | None:
        if self.memory is None:
            return None
        from lens_lsp.app.question_memory import (
            QuestionMemory,  # brings the store, which a question without one never needs
        )

        return QuestionMemory(self.memory, self.question, self._planner.endpoint, self.thread, self.anew)

    async def _plan(self, known: QuestionMemory | None) -> tuple[Plan, BudgetSpent | OracleFailed | None]:
        """The plan: as it was when the question was answered before, else the oracle's; by the rules when that fails,
        then with the failure."""
        question: str = self.question
        near: tuple[str, ...] = ()
        reads_first = self.options.mode is Mode.FAST and isinstance(self.oracle, ReadingJudge)
        if known is not None:
            earlier = await self.work.start(partial(known.begin, reads_first=reads_first))
            question, near = known.question, known.near
            if earlier is not None:
                return replace(earlier, question=question), None
        if reads_first:
            return question_plan(question), None
        try:
            return await self._planner.analyse(question, self.ledger, near), None
        except (BudgetSpent, OracleFailed) as failure:
            return await OfflineOracle().analyse(question, self.ledger), failure

    def _reading(self, snapshot: Snapshot) -> DocumentAccess:
        asking = overlay(snapshot.roots, self.exclude_spans)
        return DocumentAccess(self.workspace.cache, snapshot, asking, late=self.work.late, over=self.work.over)

    def _look(
        self, plan: Plan, snapshot: Snapshot, *, counts: Callable[[Key], bool] = lambda _: True
    ) -> list[Evidence]:
        """Something to read before the search has begun."""
        reading, ablate = self._reading(snapshot), self.options.signals
        return EarlySearch(plan, reading, ablate=ablate, cancelled=self.work.ended, counts=counts).evidence()

    async def _early(
        self, plan: Plan, sweep: asyncio.Future[PreparedWorkspace], glimpse: EarlyEvidenceTimer, *, always: bool = False
    ) -> list[Evidence]:
        """A look at what was read so far where reading takes long, else at everything where the search does, or
        ``always``."""
        look = partial(self._look, plan)
        found = await glimpse.evidence(look, sweep)
        ready = await sweep if not found else None
        if ready is None or not (always or self.workspace.large):
            return found
        return await self.work.start(partial(look, ready.snapshot))

    async def _search(
        self,
        search: Search,
        known: QuestionMemory | None,
        ready: PreparedWorkspace,
        failure: BudgetSpent | OracleFailed | None,
    ) -> AsyncIterator[Event]:
        """Scan with what is known of the plan, then explore unless the oracle has failed already."""

        def scan() -> int:
            self._read_first(search.plan)
            if known is None:
                return search.scan()
            recollection = known.recollect(search.plan, search.reading, ready.folders)
            self._read(only=recollection.files)
            matches = search.scan()
            search.recall(recollection)
            return matches

        matches = await self.work.start(scan)
        skipped = self.workspace.skipped(ready)
        yield Scanned(ready.sweep.found, self.workspace.cache.files, len(skipped), matches)
        if failure is not None:
            search.fail(failure)
            return
        async for event in search.explore():
            yield event

    def _terms_without_model(self) -> tuple[Ledger, SearchOptions]:
        """What a search by the rules may cost and how it goes, in the time that is left."""
        budget = Budget.of(Mode.EVIDENCE)
        left = self.ledger.budget.seconds - self.ledger.seconds
        return Ledger(replace(budget, seconds=min(budget.seconds, left))), replace(self.options, mode=Mode.EVIDENCE)

    def _may_read(self) -> bool:
        """Whether documents wait and it is too early for the answer."""
        early = self.ledger.seconds < self.ledger.budget.seconds / 2
        return self.workspace.cache.readable and early and not self.work.cancelled()

    def _read(self, *, seconds: float | None = None, only: Sequence[Key] | None = None, longer: bool = True) -> int:
        """Read documents that wait, by default as long as there is time; how many texts that gave."""
        left = self.ledger.budget.seconds / 2 - self.ledger.seconds
        return self.workspace.read_on(
            self.question,
            self.observer,
            seconds=left if seconds is None else min(seconds, left),
            patient=True,
            only=only,
            longer=longer,
            cancelled=self.work.cancelled,
        )

    def _read_on(self, take_in: Callable[[], bool]) -> bool:
        """Read documents for a moment and take in what came; whether some of it belongs to the best."""
        return self._read(seconds=_SLICE, longer=False) > 0 and take_in()

    def _read_first(self, plan: Plan) -> None:
        """What must be read before anything is said: the document that is to be summarised, and all where every match
        counts."""
        if plan.document is not None:
            self._read(only=self.workspace.cache.unread_called(plan.document))
        if any(requirement.rule is not None for requirement in plan.requirements):
            self._read()

    async def _answer(
        self, search: Search, oracle: Oracle, known: QuestionMemory | None, ready: PreparedWorkspace
    ) -> AsyncIterator[Event]:
        """The answer, kept before it is given, so that it can say what could not be kept."""
        skipped, stages = self.workspace.skipped(ready), self.workspace.stages(ready)
        scanned, told = self.workspace.cache.files, (*ready.sweep.failed, *notices(skipped))
        pictures, parts = self.workspace.cache.pictures, self.workspace.partial(ready)
        around = Surroundings(
            ready.roots,
            ready.sweep.found,
            scanned,
            skipped,
            stages,
            told,
            pictures,
            parts,
            self.workspace.cache.documents,
            self.workspace.cache.unread_documents,
            lambda: ready.fetched,
        )
        answering = AnswerSynthesis(search, oracle, self.ledger, around, self.options.mode)
        async for event in answering.run():
            if known is not None and isinstance(event, Answered):
                keep = partial(known.keep, event.answer, search, answering, ready.folders)
                yield Answered(await self.work.start(keep))
            else:
                yield event


def _better(given_up: Search, search: Search, known: QuestionMemory | None) -> Search:
    """Of a search whose model proved nothing and the one in its place the one to answer from: what was known before is
    more than nothing."""
    if given_up.progress.quotes and search.progress.open:
        return given_up
    search.take_over(given_up)
    if known is not None:
        known.endpoint = None
    return search
