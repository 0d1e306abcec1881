"""Algorithm 1 of the paper: prior, then propose, observe, update until covered or spent, then consolidate and answer.

Line by line in docs/explanation/algorithm.md. The search knows no files, no editor and no model: it is handed
readable documents and an oracle, and it yields events.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

import numpy as np

from lens_lsp.domain.answer import Arm, Mode, StopReason
from lens_lsp.domain.errors import BudgetSpent, OracleFailed
from lens_lsp.domain.events import (
    Admitted,
    Covered,
    Event,
    EvidenceFound,
    Observed,
)
from lens_lsp.domain.model import Stage
from lens_lsp.domain.observation import ObservationReply
from lens_lsp.domain.plan import Intent, MatchRule, Plan
from lens_lsp.oracle.base import ObserveRequest, Oracle
from lens_lsp.oracle.ledger import Ledger
from lens_lsp.search.aggregate import Matches, matches_of
from lens_lsp.search.candidates import ADMITTED, Candidates
from lens_lsp.search.draw import Proposal, Request, certain, fill, outline, stored, unread_sections, whole
from lens_lsp.search.further import Further
from lens_lsp.search.landscape import Landscape, joint, landscape
from lens_lsp.search.localise import passages_of
from lens_lsp.search.options import Options
from lens_lsp.search.passages import Passage
from lens_lsp.search.propose import draws, lexical, local, stratified
from lens_lsp.search.reading import Reading
from lens_lsp.search.recall import Recalled, Recollection, broken_sources, recall
from lens_lsp.search.rounds import Progress, Quote, settle_many
from lens_lsp.search.space import Space
from lens_lsp.search.telling import Telling
from lens_lsp.search.waiting import Waiting

PASSAGES = 50
"""Passages whose documents are admitted."""
_MARGIN = 4
"""How many times what is admitted counts as seen."""


class Search:
    """One question's exploration: `run` yields its events and leaves the rest as attributes for the answer.

    At ``cancelled`` it ends, with what a scan finds until it is ``late``.
    """

    def __init__(
        self,
        plan: Plan,
        reading: Reading,
        oracle: Oracle,
        ledger: Ledger,
        options: Options,
        cancelled: Callable[[], bool],
        further: Further | None = None,
        late: Callable[[], bool] | None = None,
    ) -> None:
        self.plan = plan
        self.reading = reading
        self.options = options
        self.space = Space()
        self.progress = Progress(plan, oracle.table)
        self.matches: dict[int, Matches] = {}
        self.candidates: Candidates
        self.passages: list[Passage] = []
        """What the scan finds, best first."""
        self.stopped: StopReason | None = None
        self.recalled: Recalled | None = None
        """What became of what earlier questions left."""
        self.subject: int | None = None
        """The document that the question names to be summarised: read in order, not searched."""
        self.warnings: list[str] = []
        self.stages: list[Stage] = []
        self._oracle = oracle
        self._ledger = ledger
        self._cancelled = cancelled
        self._late = late or cancelled
        self._further = further or Further()
        self._rng = np.random.Generator(np.random.PCG64(options.seed))
        self._mixture = options.mixture()
        self._rounds = 1 if "exploration" in options.ablate else ledger.budget.rounds
        self._position = np.zeros((len(plan.requirements), 0))
        self._landscape: Landscape
        self._tell: Telling

    def scan(self) -> int:
        """Lines 2 to 4: the scan, the prior, every exact count. Takes long on large workspaces: run it in a thread.

        The number of matches comes back.
        """
        self.candidates = Candidates(self.reading.corpus, self.plan, ablate=self.options.signals, cancelled=self._late)
        self.stages += self.candidates.stages
        self._rank()
        if self.plan.intent is Intent.SUMMARIZE and self.plan.document is not None:
            self.subject = self.candidates.called(self.plan.document)
        self._count_all()
        self._tell = Telling(self.plan, self.reading, self.candidates, self.space, trace=self.options.trace)
        self._waiting = Waiting(self.candidates, self.space, self._ledger.budget)
        return int(self.candidates.hits.counts.count.sum())

    def take_in(self) -> bool:
        """Have documents that were read since join the ranking; whether some are among its best, which join the search
        next. Takes long, as `scan`."""
        best = self.candidates.join()
        self._rank()
        self._waiting.bring(best)
        self._count_all()
        return bool(best)

    def _rank(self) -> None:
        """The documents by their best passages, as `localise` does."""
        self.passages = passages_of(self.reading, self.candidates.scored, PASSAGES)
        self.candidates.rank_by(self.passages)

    def _first(self) -> list[int]:
        """The slots to admit first: by the paper's protocol ten, else the documents of the first passages."""
        documents = 0 if self.options.mode is Mode.DEEP else len({passage.slot for passage in self.passages})
        return self.candidates.first(self.options.admitted or max(ADMITTED, documents))

    def _count_all(self) -> None:
        for j, requirement in enumerate(self.plan.requirements):
            matches = None if requirement.rule is None else self._count(requirement.rule)
            if matches is not None and matches.total:
                self.matches[j] = matches
                self.progress.covered[j] = "exact"

    def _count(self, rule: MatchRule) -> Matches:
        """Every match of an exact rule. Where no file is called as the rule says, the word meant all of them."""
        matches = matches_of(self.reading, rule, cancelled=self._cancelled)
        if matches.total or not rule.files:
            return matches
        return matches_of(self.reading, replace(rule, files=()), cancelled=self._cancelled)

    @property
    def rounds_left(self) -> int:
        """How many rounds of L are not spent."""
        return self._rounds - self.progress.round

    @property
    def unread(self) -> tuple[str, ...]:
        """Sections of a summarised document that did not fit."""
        return () if self.subject is None else unread_sections(self.space)

    def order_of(self, slot: int) -> int:
        """The place of a document in the order of admission."""
        return next((a.index for a in self.space.admitted if a.slot == slot), len(self.space.admitted))

    def reopen(self, ids: Set[str]) -> None:
        """Search on for requirements that the answer could not meet."""
        self.stopped = None
        self.progress.reopen({j for j, r in enumerate(self.plan.requirements) if r.id in ids})

    async def explore(self) -> AsyncIterator[Event]:
        """Lines 5 to 10: admit, then propose, observe, update until something says stop; `stopped` tells what."""
        started = time.perf_counter()
        try:
            async for event in self._explore():
                yield event
        except (BudgetSpent, OracleFailed) as failure:
            self.fail(failure)
        self.stages.append(Stage("explore", time.perf_counter() - started))

    def fail(self, failure: BudgetSpent | OracleFailed) -> None:
        """The oracle cannot go on: what was found stays."""
        if isinstance(failure, BudgetSpent):
            self.stopped = failure.reason
        else:
            self.stopped = StopReason.MODEL_FAILED
            if str(failure) not in self.warnings:
                self.warnings.append(str(failure))

    async def _explore(self) -> AsyncIterator[Event]:
        direct = self._whole_scope()
        if self.recalled is not None and not self.space.admitted:
            if self.recalled.whole:
                self.stopped = StopReason.REUSED
                return
            for event in self._take_up(self.recalled, direct) if self.subject is None else ():
                yield event
        if not self.space.admitted:
            named = [] if self.subject is None else [self.subject]
            yield self._admit(direct or named or self._first())
        while (reason := await self._reason_to_stop()) is None:
            if self._time_to_correct() or self._waiting.pending:
                yield self._widen()
            request = self._propose(everything=bool(direct))
            if not request.proposals:
                if await self._further.promising(self.take_in):
                    continue
                if self.progress.corrected:
                    reason = StopReason.NOWHERE if self.progress.hopeless() else StopReason.ROUNDS
                    break
                self.progress.corrected = True
                yield self._admit(self._waiting.reserve())
                continue
            self.progress.round += 1
            yield self._tell.proposed(self.progress.round, self._mixture.weights, request)
            async for event in self._observe(request):
                yield event
            if self.subject is not None or (direct and request.complete):
                reason = StopReason.DIRECT
                break
        self.stopped = reason

    def recall(self, recollection: Recollection) -> None:
        """Look up what earlier questions left; after `scan`. Reads documents: run it in a thread."""
        self.recalled = recall(recollection, self.plan, self.reading, self._bearing, self.matches)
        self.warnings += broken_sources(self.recalled)

    def _bearing(self, requirement: int, margin: int = 1) -> list[int]:
        """The slots that are admitted for a requirement before anything is known."""
        if self.subject is not None:
            return [self.subject]
        direct = self._whole_scope()
        if direct:
            return [slot for slot in direct if self.candidates.own[requirement, slot] > 0]
        return self.candidates.bearing(requirement, margin)

    def bearing(self) -> list[int]:
        """The slots of all documents that bear on the question, those that were admitted on the way among them."""
        slots = [slot for j in range(len(self.plan.requirements)) for slot in self._bearing(j, _MARGIN)]
        return list(dict.fromkeys([*slots, *self.space.slots.tolist()]))

    def _take_up(self, recalled: Recalled, direct: Sequence[int]) -> Iterator[Event]:
        """Enter what is held, as a round 0; a requirement that needs no further look is covered."""
        slots = [held.slot for items in recalled.held.values() for held in items]
        slots += [slot for newer in recalled.newer.values() for slot in newer]
        if any(j not in recalled.held for j in self.progress.open):
            slots += direct or self._first()
        if not recalled.held:
            return
        yield self._admit(slots)
        admissions = {admission.slot: admission for admission in self.space.admitted}
        request, judged = Request(self._ledger.budget.request_tokens), []
        for j, items in sorted(recalled.held.items()):
            for held in items:
                item = stored(len(request.proposals) + 1, admissions[held.slot], held.span)
                request.proposals.append(item)
                judged.append(self.progress.hold(j, item, held.span, held.citation.match, recalled.fact(j).value))
            if j in recalled.settled:
                self.progress.covered.setdefault(j, "reused")
        yield self._tell.proposed(0, self._mixture.weights, request)
        yield Observed(0, tuple(judged), 0, ())
        for n, quote in enumerate(self.progress.quotes, 1):
            yield EvidenceFound(self._tell.evidence(quote, n))
        yield Covered(0, self.progress.report(self.space.place))

    async def _reason_to_stop(self) -> StopReason | None:
        """Why to stop, if there is a reason; between two rounds documents that wait are read on."""
        progress = self.progress
        if self._cancelled():
            return StopReason.CANCELLED
        if not progress.open:
            return StopReason.COVERED
        if progress.round >= self._rounds:
            hopeless = progress.corrected and progress.hopeless()
            return StopReason.NOWHERE if hopeless and progress.round else StopReason.ROUNDS
        if progress.round and not await self._read_on() and progress.corrected and progress.hopeless():
            return StopReason.NOWHERE
        self._ledger.check_time()
        return StopReason.CANCELLED if self._cancelled() else None

    async def _read_on(self) -> bool:
        """Whether documents came that bear on the question. The last round is kept for such while any is unread."""
        last = self.progress.corrected or self.rounds_left == 1
        return await (self._further.promising(self.take_in) if last else self._further.some(self.take_in))

    def _whole_scope(self) -> list[int]:
        """The direct path: all texts, when they fit one request together."""
        if self.matches or self.subject is not None or "exploration" in self.options.ablate or self._further.left:
            return []
        lengths = self.candidates.lengths
        slots = np.flatnonzero(lengths).tolist()
        fits = int(lengths.sum()) // 3 + len(slots) <= self._ledger.budget.direct_tokens
        return [int(slot) for slot in slots] if fits and slots else []

    def _time_to_correct(self) -> bool:
        """Once, before the last round, while a requirement is open."""
        before_last = 0 < self.progress.round == self._rounds - 1
        return before_last and not self.progress.corrected

    def _widen(self) -> Admitted:
        """Admit what new terms brought up and, when self-correction is due, the reserve; relax the threshold then."""
        correcting = self._time_to_correct()
        self.progress.corrected |= correcting
        return self._admit(self._waiting.joining(correcting=correcting))

    def _admit(self, slots: Iterable[int]) -> Admitted:
        """Documents join: their cells, and the prior of all requirements over the larger space."""
        joined = []
        for slot in dict.fromkeys(slots):
            document = None if slot in self.space else self.reading.document(slot)
            if document is not None:
                joined.append(self.space.admit(slot, document))
        if self.space.admitted:
            self._landscape = landscape(self.reading.corpus, self.candidates, self.space)
            known = self._position.shape[1]
            # What was admitted keeps its π_pos, so that only observations move its beliefs.
            self._position = np.concatenate([self._position, self._landscape.position[:, known:]], axis=1)
        file = self.candidates.file_prior(self.space.slots)
        self.progress.beliefs.admit(joint(self.space, file, self._position))
        return self._tell.admitted(self.progress.round, joined, file, self._position, len(self._waiting.reserve()))

    def _propose(self, *, everything: bool) -> Request:
        """Line 6: choose regions by the mixture of arms; on the direct path and for summaries in reading order."""
        budget = self._ledger.budget
        most = budget.direct_tokens if everything or self.subject is not None else budget.request_tokens
        request = Request(most, budget.fence_tokens)
        if everything:
            for admission in self.space.admitted:
                whole(request, admission)
        elif self.subject is not None:
            outline(request, self.space)
        else:
            self._fill(request)
        return request

    def _fill(self, request: Request) -> None:
        progress, space = self.progress, self.space
        if not progress.open or not space.cells:
            return
        unread = (~progress.beliefs.shown).astype(np.float64)
        posterior = progress.beliefs.posterior()[progress.open]
        outstanding = posterior * unread
        certain(request, space, outstanding, first=not progress.round)
        file = self.candidates.file_prior(space.slots)[progress.open]
        arms = {
            Arm.LEXICAL: lexical(space.spread(file) * self._landscape.mass[progress.open] * unread),
            Arm.LOCAL: local(space, posterior, 1 - unread, self._links()) * unread,
            Arm.GLOBAL: stratified(space, unread),
        }
        fill(request, space, draws(arms, self._mixture.weights, self._rng), outstanding.sum(axis=0))

    def _links(self) -> dict[int, tuple[int, ...]]:
        """Links between admitted documents, by order of admission."""
        index = {admission.slot: admission.index for admission in self.space.admitted}
        links = self.candidates.overall.links
        return {
            index[source]: tuple(index[target] for target in targets if target in index)
            for source, targets in links.items()
            if source in index
        }

    async def _observe(self, request: Request) -> AsyncIterator[Event]:
        """Lines 7 to 9: ask the oracle once, update all beliefs, learn λ, settle what is covered."""
        progress = self.progress
        reply = await self._oracle.observe(
            ObserveRequest(
                plan=self.plan,
                outstanding=progress.outstanding(),
                regions=tuple(item.region(self.reading.before(item.admission.slot)) for item in request.proposals),
                idf=self.candidates.idf(),
            ),
            self._ledger,
        )
        known, rejected = len(progress.quotes), progress.rejected
        judged, utility = progress.enter(reply, request.proposals)
        read = [item for item in request.proposals if item.number in utility]
        self._mixture.learn(_by_arm(read, utility))
        fresh = progress.quotes[known:]
        terms = tuple(term for named in reply.terms.values() for term in named)
        yield Observed(progress.round, tuple(judged), progress.rejected - rejected, terms)
        for n, quote in enumerate(fresh, known + 1):
            yield EvidenceFound(self._tell.evidence(quote, n))
        if reply.terms and progress.round < self._rounds:
            self._follow(reply.terms)
        if read:
            await self._settle(reply, fresh)
        yield Covered(progress.round, progress.report(self.space.place))

    async def _settle(self, reply: ObservationReply, fresh: Sequence[Quote]) -> None:
        """The likelihood ratio first; the coverage rule, with the oracle's objections, for what that leaves open."""
        progress = self.progress
        progress.settle_by_likelihood()
        settle_many(progress, {quote.requirement for quote in fresh}, exhausted=bool(progress.beliefs.shown.all()))
        if not progress.open:
            return
        coverage = reply.coverage
        if coverage is None and self.options.mode is not Mode.FAST:
            evidence = [self._tell.evidence(quote, n) for n, quote in enumerate(progress.quotes, 1)]
            try:
                coverage = await self._oracle.cover(self.plan, progress.outstanding(), evidence, self._ledger)
            except BudgetSpent:
                progress.settle_by_rule(())
                raise
        progress.settle_by_rule(() if coverage is None else coverage.vetoed)
        if coverage is not None and coverage.terms and progress.round < self._rounds:
            self._follow(coverage.terms)

    def _follow(self, terms: Mapping[str, tuple[str, ...]]) -> None:
        """Search for new terms; who they lead to waits for the next round."""
        proven = {quote.proposal.admission.slot for quote in self.progress.quotes}
        self._waiting.bring(self.candidates.extend(terms, admitted=set(self.space.slots.tolist()), proven=proven))


def _by_arm(proposals: Sequence[Proposal], utility: Mapping[int, float]) -> dict[Arm, float]:
    """Each arm's utility: the nats of its regions per thousand tokens."""
    gained: dict[Arm, float] = {}
    tokens: dict[Arm, int] = {}
    for item in proposals:
        gained[item.arm] = gained.get(item.arm, 0.0) + utility[item.number]
        tokens[item.arm] = tokens.get(item.arm, 0) + item.tokens
    return {arm: gain / max(1, tokens[arm]) * 1000 for arm, gain in gained.items()}
