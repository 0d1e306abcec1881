"""Algorithm 1 of the paper: prior, then propose, observe, update until covered or spent.

Line by line in docs/explanation/algorithm.md; consolidation and the answer (lines 11 to 13) are `synthesis.py`. The
search knows no files, no editor and no model: it is handed readable documents and an oracle, and it yields events.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from lens_lsp.judge.oracle import ObserveRequest
from lens_lsp.model.answer import Admitted, Arm, Covered, Event, Mode, StopReason
from lens_lsp.model.documents import Stage
from lens_lsp.model.errors import BudgetSpent, OracleFailed
from lens_lsp.model.observation import CoverageReply, ObservationReply, Verdict
from lens_lsp.search.exploration import Exploration
from lens_lsp.search.localisation import Candidates
from lens_lsp.search.proposals import (
    AdmissionQueue,
    Proposal,
    Quote,
    RegionRequest,
    certain,
    draws,
    fill,
    first,
    lexical,
    local,
    outline,
    stratified,
    whole,
)
from lens_lsp.search.read_first import ReadFirst

_LONGEST_WAIT = 30.0
"""Seconds until which an answer without a proof waits for documents that are not read yet."""
_LATER_ROUND = 2_000
"""Tokens of the regions that a model is shown in one observation after the first."""


class Search(Exploration):
    """One question's search: `scan`, then `explore`, which yields events and leaves the rest as attributes."""

    @cached_property
    def read_first(self) -> ReadFirst | None:
        """The loop of a judge that reads first; None where the oracle observes."""
        return None if self.judge is None else ReadFirst(self, self.judge)

    def scan(self) -> int:
        """Lines 2 to 4: the scan, the prior, every exact count. Takes long on large workspaces: run it in a thread.

        The number of matches comes back.
        """
        self.candidates = Candidates(self.reading.corpus, self.plan, ablate=self.options.signals, cancelled=self.late)
        self.stages += self.candidates.stages
        self.rank()
        if self.is_summary:
            named = None if self.plan.document is None else self.candidates.called(self.plan.document)
            self.guessed = named is None and self.judge is not None
            self.subject = self.dominant() if self.guessed else named
        self.count_all()
        self.ask_rows()
        self.queue = AdmissionQueue(self.candidates, self.space, self.ledger.budget)
        return int(self.candidates.hits.counts.count.sum())

    async def explore(self) -> AsyncIterator[Event]:
        """Lines 5 to 10: admit, then propose, observe, update until something says stop; `stopped` tells what."""
        started = time.perf_counter()
        try:
            async for event in self._explore():
                yield event
        except (BudgetSpent, OracleFailed) as failure:
            self.fail(failure)
        self.stages.append(Stage("explore", time.perf_counter() - started))

    async def _explore(self) -> AsyncIterator[Event]:
        direct = self.whole_scope()
        for event in self._enter(direct):
            yield event
        while self.feed.left and self.wants_all_rows:
            await self.feed.read_some(self.take_in)
        if self.recalled is not None and self.recalled.whole:
            self.stopped = StopReason.REUSED
        elif self.read_first is not None and not self.matches:
            async for event in self.read_first.explore(everything=bool(direct)):
                yield event
        else:
            if self.passage_reader is not None and self.progress.open and await self._wait_for_documents():
                yield self.admit(self.first_slots())
            async for event in self._explore_by_observing(everything=bool(direct)):
                yield event

    def _enter(self, direct: Sequence[int]) -> Iterator[Event]:
        """Line 5: what is known is taken up, the first documents are admitted."""
        if self.space.admitted:
            return
        if self.recalled is not None:
            if self.recalled.whole:
                return
            if self.subject is None:
                yield from self.enter_recalled(self.recalled, direct)
        if not self.space.admitted:
            named = [] if self.subject is None else [self.subject]
            yield self.admit(direct or named or self.first_slots())

    async def _wait_for_documents(self) -> bool:
        """Before the only round of a passage reader: unless what was read holds a proof, documents are read as long as
        one waits for an answer; whether some that came belong to the best."""
        if not self.feed.left or await self._holds_proof():
            return False
        came = False
        while self.feed.left and self.ledger.seconds < _LONGEST_WAIT:
            came |= await self.feed.read_some(self.take_in)
        return came

    async def _holds_proof(self) -> bool:
        """Whether the passage reader takes one of the passages for a proof; nothing of that is entered."""
        request = self._propose(everything=False)
        reply = await self.oracle.observe(self._observation(request), self.ledger)
        for item in request.proposals:
            item.admission.unmark(item.span, again=True)
        return any(judged.verdict is Verdict.FULL for said in reply.observations for judged in said.judgements)

    def _observation(self, request: RegionRequest) -> ObserveRequest:
        """What the oracle is asked about the regions of a round."""
        return ObserveRequest(
            plan=self.plan,
            outstanding=self.progress.outstanding(),
            regions=tuple(item.region(self.reading.before(item.admission.slot)) for item in request.proposals),
            idf=self.candidates.idf(),
            prior=self.shares(),
            wrong=self.wrong,
        )

    async def _explore_by_observing(self, *, everything: bool) -> AsyncIterator[Event]:
        """Lines 6 to 10 with an oracle that observes: propose by the arms, one observation a round."""
        while (reason := await self._reason_to_stop()) is None:
            if self._time_to_correct() or self.queue.pending:
                yield self._widen()
            request = self._propose(everything=everything)
            if not request.proposals:
                if await self.feed.read_until_promising(self.take_in):
                    continue
                if self.progress.corrected:
                    reason = StopReason.NOWHERE if self.progress.hopeless() else StopReason.ROUNDS
                    break
                self.progress.corrected = True
                yield self.admit(self.queue.reserve())
                continue
            self.progress.round += 1
            yield self.proposed(request)
            async for event in self._observe(request):
                yield event
            if self.subject is not None or (everything and request.complete):
                reason = StopReason.DIRECT
                break
        self.stopped = reason

    async def _reason_to_stop(self) -> StopReason | None:
        """Why to stop, if there is a reason; between two rounds documents that wait are read on."""
        progress = self.progress
        if self.cancelled():
            return StopReason.CANCELLED
        if not progress.open:
            return StopReason.COVERED
        if progress.round >= self.rounds:
            hopeless = progress.corrected and progress.hopeless()
            return StopReason.NOWHERE if hopeless and progress.round else StopReason.ROUNDS
        if progress.round and not await self._read_on() and progress.corrected and progress.hopeless():
            return StopReason.NOWHERE
        self.ledger.check_time()
        return StopReason.CANCELLED if self.cancelled() else None

    async def _read_on(self) -> bool:
        """Whether documents came that bear on the question. The last round is kept for such while any is unread."""
        last = self.progress.corrected or self.rounds_left == 1
        return await (self.feed.read_until_promising(self.take_in) if last else self.feed.read_some(self.take_in))

    def _time_to_correct(self) -> bool:
        """Once, before the last round, while a requirement is open."""
        before_last = 0 < self.progress.round == self.rounds - 1
        return before_last and not self.progress.corrected

    def _widen(self) -> Admitted:
        """Admit what new terms brought up and, when self-correction is due, the reserve; relax the threshold then."""
        correcting = self._time_to_correct()
        self.progress.corrected |= correcting
        return self.admit(self.queue.next_slots(correcting=correcting))

    def _propose(self, *, everything: bool) -> RegionRequest:
        """Line 6: choose regions by the mixture of arms; on the direct path and for summaries in reading order."""
        budget = self.ledger.budget
        most = budget.direct_tokens if everything or self.subject is not None else budget.request_tokens
        if self.is_later_call and not everything and self.subject is None:
            most = min(most, _LATER_ROUND)
        request = RegionRequest(most, budget.fence_tokens)
        if everything:
            for admission in self.space.admitted:
                whole(request, admission)
        elif self.subject is not None:
            outline(request, self.space)
        elif self.passage_reader is not None:
            self.first_shown = first(request, self.space, self.passages[: self.passage_reader.passages])
        else:
            self._fill(request)
        return request

    def _fill(self, request: RegionRequest) -> None:
        progress, space = self.progress, self.space
        searched = self.searched()
        if not searched or not space.cells:
            return
        unread = (~progress.beliefs.shown).astype(np.float64)
        if self.is_later_call:
            unread *= self.relevant(searched)
        posterior = progress.beliefs.posterior()[searched]
        outstanding = posterior * unread
        certain(request, space, outstanding, first=not progress.round)
        file = self.candidates.file_prior(space.slots)[searched]
        arms = {
            Arm.LEXICAL: lexical(space.spread(file) * self.landscape.mass[searched] * unread),
            Arm.LOCAL: local(space, posterior, 1 - unread, self.links()) * unread,
            Arm.GLOBAL: stratified(space, unread),
        }
        fill(request, space, draws(arms, self.mixture.weights, self.rng), outstanding.sum(axis=0))

    async def _observe(self, request: RegionRequest) -> AsyncIterator[Event]:
        """Lines 7 to 9: ask the oracle once, update all beliefs, learn λ, settle what is covered."""
        progress = self.progress
        reply = await self.oracle.observe(self._observation(request), self.ledger)
        ordered = [self.first_shown[number] for number in reply.order if number in self.first_shown]
        self.passages = [*ordered, *(passage for passage in self.passages if passage not in ordered)]
        known, rejected = len(progress.quotes), progress.rejected
        judged, utility = progress.enter(reply, request.proposals)
        read = [item for item in request.proposals if item.number in utility]
        self.mixture.learn(_by_arm(read, utility))
        fresh = progress.quotes[known:]
        terms = tuple(term for named in reply.terms.values() for term in named)
        for event in self.observed(judged, terms, known, rejected):
            yield event
        if reply.terms and progress.round < self.rounds:
            self.follow(reply.terms)
        if read:
            await self._settle(reply, fresh)
        yield Covered(progress.round, progress.report(self.space.place))

    async def _settle(self, reply: ObservationReply, fresh: Sequence[Quote]) -> None:
        """The likelihood ratio first; for what that leaves open the coverage rule, with the oracle's objections, unless
        it says that the evidence answers the question. It is asked about new evidence only."""
        progress = self.progress
        progress.settle_by_likelihood()
        progress.settle_many({quote.requirement for quote in fresh})
        coverage = reply.coverage
        if progress.open and fresh and coverage is None and self.options.mode is not Mode.FAST:
            evidence = [self.evidence(quote, n) for n, quote in enumerate(progress.quotes, 1)]
            try:
                coverage = await self.oracle.cover(self.plan, progress.outstanding(), evidence, self.ledger)
            except BudgetSpent:
                progress.settle_by_rule(())
                raise
        coverage = coverage or CoverageReply()
        if coverage.answerable:
            progress.settle_by_answer()
        else:
            progress.settle_by_rule(coverage.vetoed)
        terms = dict(coverage.terms)
        for name, found in self.replan(coverage.rewritten).items():
            terms[name] = (*found, *terms.get(name, ()))
        if terms and progress.open and progress.round < self.rounds:
            self.follow(terms)


def _by_arm(proposals: Sequence[Proposal], utility: Mapping[int, float]) -> dict[Arm, float]:
    """Each arm's utility: the nats of its regions per thousand tokens."""
    gained: dict[Arm, float] = {}
    tokens: dict[Arm, int] = {}
    for item in proposals:
        gained[item.arm] = gained.get(item.arm, 0.0) + utility[item.number]
        tokens[item.arm] = tokens.get(item.arm, 0) + item.tokens
    return {arm: gain / max(1, tokens[arm]) * 1000 for arm, gain in gained.items()}
