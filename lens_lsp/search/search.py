"""Algorithm 1 of the paper: prior, then propose, observe, update until covered or spent, then consolidate and answer.

Line by line in docs/explanation/algorithm.md. The search knows no files, no editor and no model: it is handed
readable documents and an oracle, and it yields events.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from lens_lsp.judge.analysis import analyse, phrases
from lens_lsp.judge.answer_markdown import unlinked
from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.oracle import (
    Answerable,
    Claim,
    ClaimFault,
    ClaimJudge,
    ObserveRequest,
    Oracle,
    PassageOracle,
    ReadingJudge,
    ReadReply,
    ReadRequest,
)
from lens_lsp.model.answer import Admitted, AnswerDelta, Arm, Covered, Event, EvidenceFound, Mode, Observed, StopReason
from lens_lsp.model.documents import Stage
from lens_lsp.model.errors import BudgetSpent, OracleFailed
from lens_lsp.model.observation import CoverageReply, ObservationReply, tokens
from lens_lsp.model.plan import Intent, MatchRule, Plan, filled
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, content, key, words
from lens_lsp.search.beliefs import Admission, Landscape, Space, above, joint, landscape
from lens_lsp.search.consolidation import Matches, matches_of
from lens_lsp.search.corpus_view import Reading
from lens_lsp.search.further import Further
from lens_lsp.search.localisation import ADMITTED, Candidates, passages_of
from lens_lsp.search.options import Options
from lens_lsp.search.passages import WINDOW, Passage
from lens_lsp.search.proposals import (
    Proposal,
    Request,
    best,
    certain,
    draws,
    fill,
    first,
    lexical,
    local,
    outline,
    stored,
    stratified,
    unread_sections,
    whole,
)
from lens_lsp.search.read_first import joined
from lens_lsp.search.recall import Recalled, Recollection, broken_sources, recall
from lens_lsp.search.rounds import Progress, Quote, settle_many, with_context
from lens_lsp.search.telling import Telling
from lens_lsp.search.waiting import Waiting

PASSAGES = 50
"""Passages whose documents are admitted."""
_FIRST_READ, _FURTHER_READ, _STEP_READ = 1_350, 1_500, 1_000
"""Tokens of the regions of the first read call, of a further one, and of one that only a step is missing for, where the
ranking is not flat."""
_MOST_READ = 3_000
"""Tokens of regions in one read call at most."""
_FENCE = 12
"""Tokens of our lines around a region in a read call."""
_RELEVANT = 0.5
"""Passages that the first scan found are shown later if they score this share of the best one."""
_LED = 8
"""Passages of one further query."""
_MOST_QUERIES = 6
_LATER_ROUND = 2_000
"""Tokens of the regions that a model is shown in one observation after the first."""
_FLOOR = 0.35
"""What such a region must hold of an open requirement's terms, as a share of what the best admitted place holds."""
_BESIDE_QUOTE = 12
"""Cells on either side of a quote that are read later, whatever they hold."""
_SHORT_DOCUMENT = 4_000
"""Code points of a document of which the rest is shown once something of it was quoted."""
_READ_WHOLE = 0.8
"""Share of all requests that a document may fill to be read from beginning to end."""
_MOST_BESIDE = 6
_COMPARED = 7
"""First passages of a question for a summary of which most are from one document, if it is about that one."""
_LEAST_MEMBERS = 2
"""Documents that members of a list come from, before more like them are looked for."""
_ALIKE = 30
"""Passages that are compared with those of the members."""
_LIKE = 0.9
"""Share of the score of the lowest member's passage that one like it has at least."""
_SHORTEST_TITLE = 2
"""Code points."""
_MARGIN = 4
"""How many times what is admitted counts as seen."""


_SPENT = {
    StopReason.BUDGET_CALLS: "the calls to it that one question may take are spent",
    StopReason.BUDGET_TOKENS: "the tokens that this question may take are spent",
    StopReason.BUDGET_SECONDS: "its time for this question is over",
    StopReason.BUDGET_COST: "the money that this question may cost is spent",
}
_WITHOUT = frozenset({StopReason.MODEL_FAILED, *_SPENT})
"""Ends after which those who need no model decide, in the time that is kept for it."""

T = TypeVar("T")


class Runner(Protocol):
    """Does what takes long somewhere else than on the event loop."""

    def __call__(self, work: Callable[[], T]) -> Awaitable[T]:
        """Start the work; awaiting what comes back gives its result."""


class Search:
    """One question's exploration: `run` yields its events and leaves the rest as attributes for the answer.

    At ``cancelled`` it ends, with what a scan finds until it is ``late``. ``run`` does what takes long without holding
    up the event loop.
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
        run: Runner | None = None,
    ) -> None:
        self.plan = plan
        """What is searched for, which may be put into other words."""
        self.planned = plan
        """What was to be searched for."""
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
        self._guessed = False
        """Nobody named the ``subject``."""
        self._summary = plan.intent is Intent.SUMMARIZE
        self.subject: int | None = None
        """The document that the question names to be summarised: read in order, not searched."""
        self.failure: str | None = None
        """Why the oracle could not go on, as a clause."""
        self.warnings: list[str] = []
        self.stages: list[Stage] = []
        self._oracle = oracle
        self._ledger = ledger
        self._cancelled = cancelled
        self._late = late or cancelled
        self._further = further or Further()
        self._rng = np.random.Generator(np.random.PCG64(options.seed))
        self._mixture = options.mixture()
        self._first_shown: dict[int, Passage] = {}
        """The passages that an oracle reads at once, by the numbers of their regions."""
        self._judge = oracle if options.mode is Mode.FAST and isinstance(oracle, ReadingJudge) else None
        self.reply: ReadReply | None = None
        """What the last read call said."""
        self.said: dict[int, Quote] = {}
        """Its quotes that stand in their sources, by their numbers."""
        self._asked: tuple[ReadRequest, Sequence[Proposal]] | None = None
        """The read call that ``reply`` answers, and what it showed."""
        self.worded = False
        """Words of an answer were given out already."""
        self._queue: list[Passage] = []
        """What the next read call is to show, best first."""
        self._alike: list[Passage] = []
        """Passages like those of the members of a list, of"""
        self._alike_of: ReadReply | None = None
        """this reply, and"""
        self._alike_all = False
        """whether there are no more."""
        self._widened = False
        self._broken_off = False
        """The last reply ended before its end."""
        self._led: set[int] = set()
        """The first documents that new terms lead to: the best place of each is read, whatever it holds."""
        self._noes = 0
        """Read calls that found nothing of what is asked."""
        self._run: Runner = run or _at_once
        self._reader = oracle if isinstance(oracle, PassageOracle) and not self._summary else None
        rounds = 1 if self._reader is not None else ledger.budget.rounds + (self._judge is not None)
        self._rounds = 1 if "exploration" in options.ablate else rounds
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
        if self._summary:
            named = None if self.plan.document is None else self.candidates.called(self.plan.document)
            self._guessed = named is None and self._judge is not None
            self.subject = self._dominant() if self._guessed else named
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

    def _dominant(self) -> int | None:
        """The document that most of the first passages are from, if one request holds all of it: a summary of what it
        says needs the whole of it."""
        slots = Counter(passage.slot for passage in self.passages[:_COMPARED])
        slot, count = slots.most_common(1)[0] if slots else (-1, 0)
        room = 3 * self._ledger.budget.direct_tokens
        return slot if 2 * count > _COMPARED and self.candidates.lengths[slot] <= room else None

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

    def _count(self, rule: MatchRule) -> Matches | None:
        """Every match of an exact rule; None where they could not all be counted in time."""
        found = matches_of(self.reading, rule, cancelled=self._late)
        return None if self._late() else found

    @property
    def read_in_vain(self) -> bool:
        """Whether a judge that reads first has nothing to answer from."""
        return self._judge is not None and self.reply is None and self.stopped is not StopReason.COVERED

    @property
    def undecided(self) -> bool:
        """Whether a model was asked in vain: it failed before it proved anything, or what a judge that reads first says
        rests on nothing. A "no" is a judgement if it says what is missing: a small model is not even asked that."""
        if self.matches or self.options.mode is Mode.EVIDENCE:
            return False
        if self.stopped in _WITHOUT and self.progress.open:
            return not any(quote.round for quote in self.progress.quotes)  # those of round 0 were known before
        if self._judge is None or self.progress.quotes or self.reply is None:
            return False
        return self.reply.answerable is not Answerable.NO or not self.reply.missing

    @property
    def rounds_left(self) -> int:
        """How many rounds of L are not spent."""
        return self._rounds - self.progress.round

    @property
    def unread(self) -> tuple[str, ...]:
        """Sections of a summarised document that did not fit; where a judge reads it, also those that did in part."""
        return () if self.subject is None else unread_sections(self.space, whole=self._judge is not None)

    def order_of(self, slot: int) -> int:
        """The place of a document in the order of admission."""
        return next((a.index for a in self.space.admitted if a.slot == slot), len(self.space.admitted))

    def take_over(self, other: Search) -> None:
        """Report what another search of the question met that was given up for this one."""
        if other.stopped in _WITHOUT:
            self.stopped, self.failure = other.stopped, other.failure
        elif other.progress.rejected:
            self.warnings.append("nothing that the model quotes stands in what it was shown: the answer is without it")
        self.warnings[:0] = other.warnings
        self.stages[:0] = other.stages
        self.progress.rejected += other.progress.rejected
        self.worded = other.worded

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
            self.failure = _SPENT.get(failure.reason)
        else:
            self.stopped = StopReason.MODEL_FAILED
            self.failure = str(failure).partition(";")[0]
            if str(failure) not in self.warnings:
                self.warnings.append(str(failure))

    async def _explore(self) -> AsyncIterator[Event]:
        direct = self._whole_scope()
        for event in self._enter(direct):
            yield event
        if self.recalled is not None and self.recalled.whole:
            self.stopped = StopReason.REUSED
        elif self._judge is not None and not self.matches:
            async for event in self._explore_by_reading(self._judge, everything=bool(direct)):
                yield event
        else:
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
                yield from self._take_up(self.recalled, direct)
        if not self.space.admitted:
            named = [] if self.subject is None else [self.subject]
            yield self._admit(direct or named or self._first())

    async def _explore_by_observing(self, *, everything: bool) -> AsyncIterator[Event]:
        """Lines 6 to 10 with an oracle that observes: propose by the arms, one observation a round."""
        while (reason := await self._reason_to_stop()) is None:
            if self._time_to_correct() or self._waiting.pending:
                yield self._widen()
            request = self._propose(everything=everything)
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
            if self.subject is not None or (everything and request.complete):
                reason = StopReason.DIRECT
                break
        self.stopped = reason

    async def _explore_by_reading(self, judge: ReadingJudge, *, everything: bool) -> AsyncIterator[Event]:
        """Lines 5 to 10 with a judge that reads first: propose the best passages, observe by one read call that quotes
        and answers, update; then only what is said to be missing is looked for."""
        self._queue = [] if self.subject is not None else list(self.passages)
        while (reason := self._reading_ends()) is None:
            newcomers = [passage.slot for passage in self._queue if passage.slot not in self.space]
            if newcomers:
                yield self._admit(newcomers)
            request = self._propose_reading(everything=everything)
            if len(request.proposals) == request.kept:
                if await self._further.promising(self.take_in):
                    self._queue = list(self.passages)
                    continue
                if await self._widen_words(judge):
                    continue
                reason = StopReason.NOWHERE if self._says_no() else StopReason.ROUNDS
                break
            self.progress.round += 1
            yield self._tell.proposed(self.progress.round, self._mixture.weights, request)
            async for event in self._read(judge, request):
                yield event
            if self._broken_off:
                reason, self.failure = StopReason.MODEL_FAILED, "its reply ended before its end"
                break
            if self.subject is not None and self._says_no():  # another document was meant
                self.subject, self._queue = None, list(self.passages)
                continue
            if self.subject is not None and self._guessed and self.progress.open:  # or that one does not hold all
                self.subject = None
            if (self.subject is not None or everything) and request.complete:
                reason = StopReason.DIRECT
                break
            if self.progress.open and self.subject is None and self.rounds_left and self.reply is not None:
                self._queue = await self._run(partial(self._led_to, self.reply))
        self.stopped = reason

    def _reading_ends(self) -> StopReason | None:
        """Why no further read call is made, if there is a reason."""
        if self._cancelled():
            return StopReason.CANCELLED
        if not self.progress.open and self.subject is None:
            return StopReason.COVERED
        if self.progress.round >= self._rounds or (self.progress.round > 1 and self._noes > 1):
            return StopReason.NOWHERE if self._says_no() else StopReason.ROUNDS
        self._ledger.check_time()
        return None

    def _says_no(self) -> bool:
        return self.reply is None or self.reply.answerable is Answerable.NO

    def _propose_reading(self, *, everything: bool) -> Request:
        """The regions of the next read call: what was quoted before, then what is new."""
        budget = self._ledger.budget
        whole_document = everything or self.subject is not None
        request = Request(budget.direct_tokens if whole_document else min(_MOST_READ, budget.request_tokens), _FENCE)
        # A document that is summarised is read piece by piece, each once.
        quotes = [] if self.subject is not None else self.progress.quotes
        kept = {(quote.proposal.admission.slot, quote.proposal.span): quote for quote in quotes}
        if self.reply is not None and len(self.reply.items) >= _LEAST_MEMBERS:  # room for further members of a list
            spans = {(quote.proposal.admission.slot, with_context(quote)): quote for quote in quotes}
            for (slot, span), quote in spans.items():
                if not any(other != span and at == slot and other.contains(span) for at, other in spans):
                    request.again(quote.proposal, span)
        else:
            for quote in kept.values():
                request.again(quote.proposal)
        if everything or (self.subject is not None and self._fits_rounds(request)):
            for admission in self.space.admitted:
                whole(request, admission)
        elif self.subject is not None:
            outline(request, self.space)
        else:
            enough = self._enough()
            best(request, self.space, self._queue, enough, bare=self._alike)
        request.arrange()
        return request

    def _enough(self) -> int:
        """Tokens of regions that a read call needs: more where a list goes on or nothing was found than where a step is
        missing, whose words are known."""
        if self._alike:
            return _MOST_READ
        if self.reply is None:
            return _FIRST_READ
        step = self.reply.answerable is Answerable.PARTLY and not self.reply.items
        return _STEP_READ if step else _FURTHER_READ

    def _fits_rounds(self, request: Request) -> bool:
        """Whether all rounds together hold the document that is summarised, and one does not."""
        size = sum(tokens(admission.text) for admission in self.space.admitted)
        return _READ_WHOLE * request.most < size <= _READ_WHOLE * request.most * self._rounds

    async def _read(self, judge: ReadingJudge, request: Request) -> AsyncIterator[Event]:
        """One read call: its answer's words as they come, then what it quotes."""
        progress = self.progress
        regions = tuple(item.region(self.reading.before(item.admission.slot)) for item in request.proposals)
        reply, known, rejected = ReadReply(), len(progress.quotes), progress.rejected
        asked = ReadRequest(self.plan.question, regions, self._summary, exhausted=self._exhausted())
        earlier = None if self.subject is None else self.reply
        begun = False
        async with aclosing(judge.read(asked, reply, self._ledger)) as words:
            async for piece in words:
                apart = "\n\n" if earlier is not None and self.worded and not begun else ""
                restart = self.worded and not begun and earlier is None
                yield AnswerDelta(apart + unlinked(printable(piece)), restart=restart, checking=True)
                begun = self.worded = True
        judged, said = progress.read(reply, request.proposals)
        if earlier is not None:
            reply, said = joined(earlier, self.said, reply, said)
        self._broken_off = reply.broken_off
        no = reply.answerable is Answerable.NO
        self._noes += no and self.subject is None
        if not no or not self.said:  # what was proven before stays
            self.reply, self.said = reply, said
            self._asked = (asked, request.proposals) if earlier is None else None  # one of several is not said again
        yield Observed(progress.round, tuple(judged), progress.rejected - rejected, reply.terms)
        for n, quote in enumerate(progress.quotes[known:], known + 1):
            yield EvidenceFound(self._tell.evidence(quote, n))
        yield Covered(progress.round, progress.report(self.space.place))

    def last_shown(self, reply: ReadReply) -> list[Proposal]:
        """The regions that a reply to the last read call was shown."""
        return [] if self._asked is None else [item for item in self._asked[1] if item.number in reply.shown]

    @property
    def may_call(self) -> bool:
        """Whether the oracle may be asked for more: it did not fail, and a call and time are left."""
        left = self._ledger.calls < self._ledger.budget.calls and not self._cancelled()
        return left and self.stopped not in _WITHOUT

    @property
    def may_amend(self) -> bool:
        """Whether the last reply may be asked for again."""
        return self.may_call and self._asked is not None

    async def verify(self, claims: Sequence[Claim]) -> Mapping[int, tuple[ClaimFault, ...]] | None:
        """What is wrong with sentences of an answer, by their places; None when nobody can be asked or nothing that can
        be read came."""
        if not claims or not self.may_call or not isinstance(self._oracle, ClaimJudge):
            return None
        try:
            return await self._oracle.verify(self.plan.question, claims, self._ledger)
        except (BudgetSpent, OracleFailed):
            return None  # the rules have looked at them

    async def amend(self, problems: Sequence[str]) -> tuple[ReadReply, dict[int, Quote]] | None:
        """The last reply again, after ``problems`` were found in it, and where its quotes stand; None when no call is
        left for it or nothing that can be read came."""
        if not self.may_amend or self._judge is None or self.reply is None or self._asked is None:
            return None
        asked, proposals = self._asked
        try:
            reply = await self._judge.amend(asked, self.reply, problems, self._ledger)
        except (BudgetSpent, OracleFailed):
            return None  # the answer stands as it was said, with what was found in it
        if reply is None:
            return None
        return reply, self.progress.located(reply, [item for item in proposals if item.number in reply.shown])

    async def listed_all(self) -> bool:
        """Whether the last reply has members of a list and every passage like theirs was shown."""
        if not self.may_amend or self.reply is None:
            return False
        await self._run(partial(self._look_for_members, self.reply))
        return self._exhausted()

    def _led_to(self, reply: ReadReply) -> list[Passage]:
        """Passages that may hold what a reply says is missing: what resembles the members of a list, what stands beside
        what was quoted, what each of its terms finds by itself, then what the first scan found and was not shown,
        above a floor."""
        queries = [" ".join((self.plan.question, *reply.terms)), *reply.terms, *reply.missing]
        found = [self._search_for(query, _LED) for query in dict.fromkeys(queries[:_MOST_QUERIES])]
        floor = _RELEVANT * max((passage.score for passage in self.passages), default=0.0)
        led = [passage for row in zip_longest(*found) for passage in row if passage is not None]
        beside = [*self._named(reply), *self._beside()]
        both = [passage for row in zip_longest(beside, led) for passage in row if passage is not None]
        self._look_for_members(reply)
        return [*self._alike, *both, *(passage for passage in self.passages if passage.score >= floor)]

    def _look_for_members(self, reply: ReadReply) -> None:
        """Find passages like those that the members of a list were quoted from, once for each reply: by the words that
        most of the quotes share (relevance feedback), down to about the score of the lowest of these quotes."""
        if self._alike_of is reply:
            return
        self._alike_of, self._alike, self._alike_all = reply, [], False
        quotes = {item.quote: self.said[item.quote] for item in reply.items if item.quote in self.said}.values()
        places = {(quote.proposal.admission.slot, quote.span) for quote in quotes}
        if len({slot for slot, _ in places}) < _LEAST_MEMBERS:
            return
        shared = Counter(
            word for quote in quotes for word in dict.fromkeys(words(quote.text)) if word not in STOP_WORDS
        )
        common = [word for word, count in shared.items() if 2 * count > len(quotes)]
        found = self._search_for(" ".join(common), _ALIKE) if common else []
        known = [one.score for one in found if any(one.slot == s and one.span.overlaps(at) for s, at in places)]
        if known:
            self._alike = [one for one in found if one.score >= _LIKE * min(known)]
            self._alike_all = len(self._alike) < len(found) or len(found) < _ALIKE

    def _exhausted(self) -> bool:
        """Whether every passage like the members of a list was shown, and no document waits to be read."""
        if not self._alike or not self._alike_all or self._further.left or self._cancelled():
            return False
        admitted = {admission.slot: admission for admission in self.space.admitted}
        return all(one.slot in admitted and admitted[one.slot].unread(one.span) is None for one in self._alike)

    def _named(self, reply: ReadReply) -> list[Passage]:
        """What was not shown of short documents whose title stands in what a reply says is missing."""
        wanted = [f" {key(part)} " for part in (*reply.missing, *reply.terms)]
        found = []
        for admission in self.space.admitted:
            stem = PurePosixPath(admission.document.path).stem
            names = [name for one in (admission.title, stem) if len(name := key(one)) >= _SHORTEST_TITLE]
            if any((f" {name} " if name.isascii() else name) in part for name in names for part in wanted):
                found += self._rest(admission, None)
        return found[:_MOST_BESIDE]

    def _beside(self) -> list[Passage]:
        """What stands beside what was quoted, the rest of a short document first (the paper's local arm)."""
        quoted = (quote.proposal for quote in self.said.values())
        found = {(one.slot, one.span): one for item in quoted for one in self._rest(item.admission, item.span)}
        return list(found.values())[:_MOST_BESIDE]

    def _rest(self, admission: Admission, shown: Span | None) -> list[Passage]:
        """What was not shown of a short document; of a long one what stands around a place, if one is given."""
        length = len(admission.text)
        if length <= _SHORT_DOCUMENT:
            starts: Iterable[int] = range(0, length, WINDOW)
        else:
            starts = () if shown is None else (shown.end, shown.end + WINDOW, shown.start - WINDOW)
        spans = (Span(max(0, start), min(length, start + WINDOW)) for start in starts if start < length)
        score = max((passage.score for passage in self.passages), default=0.0)
        return [
            Passage(admission.slot, span, score)
            for span in spans
            if span.start < span.end and admission.unread(span) is not None
        ]

    def _search_for(self, query: str, most: int) -> list[Passage]:
        candidates = Candidates(
            self.reading.corpus, analyse(query), ablate={*self.options.signals, "links"}, cancelled=self._late
        )
        return passages_of(self.reading, candidates.scored, most, read=most)

    async def _widen_words(self, judge: ReadingJudge) -> bool:
        """Ask once for other words where the question's own stand nowhere; whether they lead anywhere."""
        nowhere = not self.passages or bool(self.candidates.missing())
        if self._widened or not nowhere or not self._says_no() or self.progress.round >= self._rounds:
            return False
        self._widened = True
        terms = await judge.widen(self.plan.question, self._about(), self._ledger)
        if not terms:
            return False
        before = self.passages
        self._queue = await self._run(partial(self._led_to, ReadReply(terms=terms)))
        seen = {(passage.slot, passage.span) for passage in before}
        return any((passage.slot, passage.span) not in seen for passage in self._queue)

    def _about(self) -> str:
        """What the files are about, as far as it may be told: the names of their folders."""
        names = ", ".join(name for name in map(os.path.basename, self.reading.roots) if name)
        return f"The files lie in a folder named {names}." if names else ""

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
        scanned = range(len(self._position))  # what an answer says is missing is a requirement that nobody scanned for
        slots = [slot for j in scanned for slot in self._bearing(j, _MARGIN)]
        return list(dict.fromkeys([*slots, *self.space.slots.tolist()]))

    def _take_up(self, recalled: Recalled, direct: Sequence[int]) -> Iterator[Event]:
        """Enter what is held, as a round 0; a requirement that needs no further look is covered, and one that builds on
        it is searched with its value."""
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
        values = {recalled.plan.requirements[j].id: recalled.fact(j).value for j in recalled.settled}
        if terms := self._reword(filled(self.plan.requirements, {id_: v for id_, v in values.items() if v})):
            self._follow(terms)
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
        direct = self._ledger.budget.direct_tokens
        direct = direct if self._judge is None else min(direct, _MOST_READ)
        direct = direct if self._reader is None else 0
        if self.matches or self.subject is not None or "exploration" in self.options.ablate or self._further.left:
            return []
        lengths = self.candidates.lengths
        slots = np.flatnonzero(lengths).tolist()
        fits = int(lengths.sum()) // 3 + len(slots) <= direct
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
            passed_over = slot in self.space or self.reading.corpus.over()
            document = None if passed_over else self.reading.document(slot)
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
        if self._is_later_call and not everything and self.subject is None:
            most = min(most, _LATER_ROUND)
        request = Request(most, budget.fence_tokens)
        if everything:
            for admission in self.space.admitted:
                whole(request, admission)
        elif self.subject is not None:
            outline(request, self.space)
        elif self._reader is not None:
            self._first_shown = first(request, self.space, self.passages[: self._reader.passages])
        else:
            self._fill(request)
        return request

    @property
    def _is_later_call(self) -> bool:
        """Whether a model was shown regions before: another call has to be worth it."""
        return self.progress.round > 0 and self.options.mode is not Mode.EVIDENCE

    def _fill(self, request: Request) -> None:
        progress, space = self.progress, self.space
        searched = self._searched()
        if not searched or not space.cells:
            return
        unread = (~progress.beliefs.shown).astype(np.float64)
        if self._is_later_call:
            unread *= self._relevant(searched)
        posterior = progress.beliefs.posterior()[searched]
        outstanding = posterior * unread
        certain(request, space, outstanding, first=not progress.round)
        file = self.candidates.file_prior(space.slots)[searched]
        arms = {
            Arm.LEXICAL: lexical(space.spread(file) * self._landscape.mass[searched] * unread),
            Arm.LOCAL: local(space, posterior, 1 - unread, self._links()) * unread,
            Arm.GLOBAL: stratified(space, unread),
        }
        fill(request, space, draws(arms, self._mixture.weights, self._rng), outstanding.sum(axis=0))

    def _searched(self) -> list[int]:
        """The open requirements that are searched for: those that build on no open one without evidence."""
        quoted = {quote.requirement for quote in self.progress.quotes}
        unknown = {self.plan.requirements[j].id for j in self.progress.open if j not in quoted}
        return [j for j in self.progress.open if unknown.isdisjoint(self.plan.requirements[j].needs)]

    def _relevant(self, searched: Sequence[int]) -> NDArray[np.bool_]:
        """The cells that are worth another call: they hold much of what an open requirement is searched by, or stand
        beside a quote for one."""
        mass = self._landscape.mass[searched]
        relevant = above(mass, _FLOOR)
        for admission in self.space.admitted:
            if admission.slot in self._led and not admission.read:
                cells = slice(admission.first, admission.first + admission.cells)
                relevant[cells] |= above(mass[:, cells], 1.0)
        for quote in self.progress.quotes:
            if quote.requirement in searched:
                admission = quote.proposal.admission
                first = max(admission.first, quote.cells.start - _BESIDE_QUOTE)
                relevant[first : min(admission.first + admission.cells, quote.cells.end + _BESIDE_QUOTE)] = True
        return relevant

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
                prior=self._shares(),
            ),
            self._ledger,
        )
        ordered = [self._first_shown[number] for number in reply.order if number in self._first_shown]
        self.passages = [*ordered, *(passage for passage in self.passages if passage not in ordered)]
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

    def _shares(self) -> dict[int, float]:
        """What the scan gives each passage that was shown, as a share of the best one's score."""
        most = max((passage.score for passage in self.passages), default=0.0) or 1.0
        return {number: passage.score / most for number, passage in self._first_shown.items()}

    async def _settle(self, reply: ObservationReply, fresh: Sequence[Quote]) -> None:
        """The likelihood ratio first; for what that leaves open the coverage rule, with the oracle's objections, unless
        it says that the evidence answers the question. It is asked about new evidence only."""
        progress = self.progress
        progress.settle_by_likelihood()
        settle_many(progress, {quote.requirement for quote in fresh}, exhausted=bool(progress.beliefs.shown.all()))
        coverage = reply.coverage
        if progress.open and fresh and coverage is None and self.options.mode is not Mode.FAST:
            evidence = [self._tell.evidence(quote, n) for n, quote in enumerate(progress.quotes, 1)]
            try:
                coverage = await self._oracle.cover(self.plan, progress.outstanding(), evidence, self._ledger)
            except BudgetSpent:
                progress.settle_by_rule(())
                raise
        coverage = coverage or CoverageReply()
        if coverage.answerable:
            progress.settle_by_answer()
        else:
            progress.settle_by_rule(coverage.vetoed)
        terms = dict(coverage.terms)
        for name, found in self._replan(coverage.rewritten).items():
            terms[name] = (*found, *terms.get(name, ()))
        if terms and progress.open and progress.round < self._rounds:
            self._follow(terms)

    def _replan(self, said: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """Put requirements into other words: as the oracle ``said``, where that is about the question or what was
        quoted for it, and with the values of those that they build on. The new names in those that are open come
        back."""
        known = content(self.plan.question, *(quote.text for quote in self.progress.quotes))
        texts = filled(self.plan.requirements, self.progress.values())
        texts |= {name: text for name, text in said.items() if content(text) & known}
        return self._reword(texts)

    def _reword(self, texts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        """Search for requirements by other texts from here on; the names that these bring to those that are open."""
        if not texts:
            return {}
        requirements = tuple(
            replace(one, text=texts[one.id], template=None) if one.id in texts else one
            for one in self.plan.requirements
        )
        self.plan = self.progress.plan = replace(self.plan, requirements=requirements)
        self.candidates.plan = replace(self.candidates.plan, requirements=requirements)
        self._tell = replace(self._tell, plan=self.plan)
        return {one.id: found for one in self.progress.outstanding() if (found := _names(texts.get(one.id, "")))}

    def _follow(self, terms: Mapping[str, tuple[str, ...]]) -> None:
        """Search for new terms; who they lead to waits for the next round."""
        proven = {quote.proposal.admission.slot for quote in self.progress.quotes}
        led = self.candidates.extend(terms, admitted=set(self.space.slots.tolist()), proven=proven)
        self._led.update(led[:ADMITTED])
        self._waiting.bring(led)


async def _at_once(work: Callable[[], T]) -> T:
    return work()


def _names(text: str) -> tuple[str, ...]:
    return tuple(phrases(text))


def _by_arm(proposals: Sequence[Proposal], utility: Mapping[int, float]) -> dict[Arm, float]:
    """Each arm's utility: the nats of its regions per thousand tokens."""
    gained: dict[Arm, float] = {}
    tokens: dict[Arm, int] = {}
    for item in proposals:
        gained[item.arm] = gained.get(item.arm, 0.0) + utility[item.number]
        tokens[item.arm] = tokens.get(item.arm, 0) + item.tokens
    return {arm: gain / max(1, tokens[arm]) * 1000 for arm, gain in gained.items()}
