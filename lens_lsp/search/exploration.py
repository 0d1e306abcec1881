"""The state of one search: what is known of the workspace, what was shown and quoted, what is still to join.

`Exploration` is what Algorithm 1 works on. It changes by whole steps: rank, admit documents, enter an observation, put
a requirement into other words. `search.py` holds the loop, `read_first.py` that of a judge that reads first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from lens_lsp.corpus.safe_open import display_path
from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.oracle import (
    Answerable,
    Claim,
    ClaimFault,
    ClaimJudge,
    Oracle,
    PassageOracle,
    ReadingJudge,
    ReadReply,
    SaidQuote,
)
from lens_lsp.judge.rules.question_plan import phrases
from lens_lsp.model.answer import (
    Admitted,
    AdmittedDocument,
    Belief,
    BestCell,
    Covered,
    Event,
    EvidenceFound,
    Judged,
    Mode,
    Observed,
    Proposed,
    ProposedRegion,
    StopReason,
)
from lens_lsp.model.documents import Document, Evidence, Stage
from lens_lsp.model.errors import BudgetSpent, OracleFailed
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.observation import Judgement, ObservationReply, ObservationTable, Verdict
from lens_lsp.model.plan import LOOP, Intent, Plan, Requirement, Unit, filled
from lens_lsp.model.text import Span
from lens_lsp.model.words import content
from lens_lsp.search.beliefs import (
    RELAXED,
    AdmittedCells,
    Beliefs,
    Entry,
    Landscape,
    Quoted,
    Space,
    above,
    coverage_rule,
    glr,
    landscape,
    passes,
    threshold,
)
from lens_lsp.search.boundaries import context_of, is_joined, region
from lens_lsp.search.corpus_view import DocumentAccess
from lens_lsp.search.localisation import ADMITTED, Candidates, Matches, matches_of, passages_of, ranking
from lens_lsp.search.passages import ScoredPassage, locator_offset, marks_in
from lens_lsp.search.proposals import (
    START,
    AdmissionQueue,
    Mixture,
    Proposal,
    Quote,
    RegionRequest,
    stored,
    unread_sections,
)
from lens_lsp.search.resolution import Resolved, resolve

if TYPE_CHECKING:
    from lens_lsp.search.recall import MemoryContext, Recalled
    from lens_lsp.search.table_answers import RowJudge, RowsFound


PASSAGES = 50
"""Passages whose documents are admitted."""
MOST_READ = 3_000
"""Tokens of regions in one read call at most."""
_COMPARED = 7
"""First passages of a question for a summary of which most are from one document, if it is about that one."""
_MARGIN = 4
"""How many times what is admitted counts as seen."""
_FLOOR = 0.35
"""What a region of a later observation must hold of an open requirement's terms, as a share of what the best admitted
place holds."""
_BESIDE_QUOTE = 12
"""Cells on either side of a quote that are read later, whatever they hold."""
NOT_NEEDED = "not-needed"
"""The rule of a requirement without evidence that the question does not need."""
_BEST_CELLS = 5
Locate = Callable[[int], tuple[int, int]]
"""From a cell to its document, by order of admission, and its number in it."""
_SPENT = {
    StopReason.BUDGET_CALLS: "the calls to it that one question may take are spent",
    StopReason.BUDGET_TOKENS: "the tokens that this question may take are spent",
    StopReason.BUDGET_SECONDS: "its time for this question is over",
    StopReason.BUDGET_COST: "the money that this question may cost is spent",
}
WITHOUT_MODEL = frozenset({StopReason.MODEL_FAILED, *_SPENT})
"""Ends after which those who need no model decide, in the time that is kept for it."""
T = TypeVar("T")


@dataclass(slots=True)
class SearchProgress:
    """Beliefs, quotes and coverage of one question."""

    plan: Plan
    table: ObservationTable
    beliefs: Beliefs = field(init=False)
    quotes: list[Quote] = field(default_factory=list)
    covered: dict[int, str] = field(default_factory=dict)
    """Requirements that are covered, and by which rule."""
    vetoed: dict[int, int] = field(default_factory=dict)
    """Requirements whose quotes the oracle does not accept, with how many there were then."""
    rejected: int = 0
    """Quotes that could not be found in what was shown."""
    round: int = 0
    corrected: bool = False
    """Self-correction has happened: the threshold is relaxed."""

    def __post_init__(self) -> None:
        self.beliefs = Beliefs(len(self.plan.requirements), self.table)

    @property
    def open(self) -> list[int]:
        """Requirements that are not covered, by index."""
        return [j for j in range(len(self.plan.requirements)) if j not in self.covered]

    def outstanding(self) -> tuple[Requirement, ...]:
        """The open requirements."""
        return tuple(self.plan.requirements[j] for j in self.open)

    def enter(self, reply: ObservationReply, proposals: Sequence[Proposal]) -> tuple[list[Judged], dict[int, float]]:
        """Update all beliefs by one reply; what was judged, and each region's utility in nats by its number.

        A region the oracle read and does not mention, and a requirement it is silent about, count as none. One that it
        never read changes nothing, and may be proposed again unless it was withheld.
        """
        said = {observation.region: observation.judgements for observation in reply.observations}
        judged: list[Judged] = []
        utility: dict[int, float] = {}
        open_ = self.open
        for item in proposals:
            if reply.shown is not None and item.number not in reply.shown:
                item.admission.unmark(item.span, again=item.number not in reply.withheld)
                continue
            by_id = {judgement.requirement: judgement for judgement in said.get(item.number, ())}
            entries = [self._entry(j, by_id.get(self.plan.requirements[j].id), item) for j in open_]
            utility[item.number] = self.beliefs.observe(item.cells, entries)
            judged += [self._judged(entry, item) for entry in entries]
        return judged, utility

    def _entry(self, requirement: int, judgement: Judgement | None, item: Proposal) -> Entry:
        if judgement is None:
            return Entry(requirement, Verdict.NONE)
        if judgement.verdict in (Verdict.NONE, Verdict.RELATED):
            return Entry(requirement, judgement.verdict, log_odds=judgement.log_odds)
        found = None if judgement.quote is None else resolve(judgement.quote, item.view)
        if found is None:
            self.rejected += 1
            return Entry(requirement, Verdict.NONE)
        cells = item.admission.touched(found.span, item.cells)
        self.quotes.append(
            Quote(requirement, judgement.verdict, item, found.span, cells, found.match, judgement.value, self.round)
        )
        return Entry(requirement, judgement.verdict, cells, judgement.log_odds)

    def read(self, reply: ReadReply, proposals: Sequence[Proposal]) -> tuple[list[Judged], dict[int, Quote]]:
        """Update the beliefs in the only requirement by the reply of a read call: what was judged, and where its quotes
        stand, by their numbers in the reply.

        A quote that stands in another region than was said counts if it is the only one. What was read and not quoted
        counts as none.
        """
        read = [item for item in proposals if item.number in reply.shown]
        for item in proposals:
            if item.number not in reply.shown:
                item.admission.unmark(item.span, again=item.number not in reply.withheld)
        numbered, verdict = self.located(reply, read), _verdict(reply)
        self.rejected += len({said.number for said in _quoted(reply)}) - len(numbered)
        self.quotes += numbered.values()
        judged = []
        for item in read:
            touched = [quote.cells for quote in numbered.values() if quote.proposal is item]
            quoted = Span(min(c.start for c in touched), max(c.end for c in touched)) if touched else None
            entry = Entry(0, Verdict.NONE if quoted is None else verdict, quoted)
            self.beliefs.observe(item.cells, [entry])
            judged.append(self._judged(entry, item))
        if reply.answerable is Answerable.YES and numbered:
            self.covered.update(dict.fromkeys(self.open, "read"))
        return judged, numbered

    def located(self, reply: ReadReply, read: Sequence[Proposal]) -> dict[int, Quote]:
        """Where the quotes of a reply stand in the regions that were ``read``, by their numbers in the reply; those
        that stand nowhere are left out."""
        verdict = _verdict(reply)
        numbered: dict[int, Quote] = {}
        for said in _quoted(reply):
            found = _place(said, read)
            if found is None:
                continue
            item, place = found
            cells = item.admission.touched(place.span, item.cells)
            numbered[said.number] = Quote(0, verdict, item, place.span, cells, place.match, None, self.round)
        return numbered

    def hold(self, requirement: int, item: Proposal, span: Span, match: str, value: str | None) -> Judged:
        """Enter what proved a requirement before and still stands, as a full quote of round 0."""
        cells = item.admission.touched(span, item.cells)
        self.quotes.append(Quote(requirement, Verdict.FULL, item, span, cells, match, value, 0))
        entry = Entry(requirement, Verdict.FULL, cells)
        self.beliefs.observe(item.cells, [entry])
        return self._judged(entry, item)

    def _judged(self, entry: Entry, item: Proposal) -> Judged:
        first = item.admission.first
        cells = None if entry.quote is None else Span(entry.quote.start - first, entry.quote.end - first)
        requirement = self.plan.requirements[entry.requirement].id
        return Judged(item.number, requirement, entry.verdict, cells, entry.log_odds)

    def quoted(self, requirement: int) -> list[Quoted]:
        """The verified quotes of a requirement as the stopping rules see them."""
        return [
            Quoted(quote.cells, quote.verdict, quote.proposal.cells)
            for quote in self.quotes
            if quote.requirement == requirement
        ]

    @property
    def threshold(self) -> float:
        """What the weakest requirement's GLR must exceed now."""
        needed = threshold(max(1, self.round), len(self.plan.requirements))
        return needed * RELAXED if self.corrected else needed

    def settle_by_likelihood(self) -> None:
        """Cover what passes the generalised likelihood ratio test. ``many`` is never settled by one window."""
        posterior = self.beliefs.posterior()
        for j in self.open:
            if self.plan.requirements[j].many or self.vetoed.get(j) == len(self.quoted(j)):
                continue
            if passes(glr(self.beliefs.ratio[j], posterior[j], self.quoted(j)), self.threshold):
                self.covered[j] = "glr"

    def settle_by_rule(self, vetoed: Iterable[str]) -> None:
        """Cover what the coverage rule covers, unless the oracle objects or objected to the same quotes."""
        objected = set(vetoed)
        for j in self.open:
            requirement = self.plan.requirements[j]
            if requirement.id in objected:
                self.vetoed[j] = len(self.quoted(j))
            if self.vetoed.get(j) == len(self.quoted(j)):
                continue
            rule = None if requirement.many else coverage_rule(self.quoted(j))
            if rule is not None:
                self.covered[j] = rule

    def settle_many(self, fresh: Set[int]) -> None:
        """Cover the requirements that want all windows: when everything was read, or a round brought nothing new."""
        exhausted = bool(self.beliefs.shown.all())
        for j in self.open:
            if self.plan.requirements[j].many and self.quoted(j) and (exhausted or j not in fresh):
                self.covered[j] = "all-read" if exhausted else "nothing-new"

    def settle_by_answer(self) -> None:
        """The oracle says that the evidence answers the question: what has quotes is covered, what has none was more
        than the question needs, unless something is to be counted or calculated from it."""
        for j in self.open:
            if self.quoted(j):
                self.covered[j] = "answerable"
            elif self.plan.transformation is None:
                self.covered[j] = NOT_NEEDED

    def values(self) -> dict[str, str]:
        """The value that the best quote of each requirement gives, by id."""
        posterior = self.beliefs.posterior()
        best: dict[int, tuple[bool, float, str]] = {}
        for quote in self.quotes:
            if quote.value:
                belief = float(posterior[quote.requirement, quote.cells.start : quote.cells.end].max())
                entry = (quote.verdict is Verdict.FULL, belief, quote.value)
                best[quote.requirement] = max(best.get(quote.requirement, entry), entry)
        return {self.plan.requirements[j].id: value for j, (_, _, value) in best.items()}

    def report(self, locate: Locate) -> tuple[Belief, ...]:
        """Where every requirement's belief stands."""
        posterior, nowhere = self.beliefs.posterior(), self.beliefs.nowhere()
        return tuple(
            Belief(
                requirement=requirement.id,
                nowhere=float(nowhere[j]),
                glr=glr(self.beliefs.ratio[j], posterior[j], self.quoted(j)) if self.beliefs.cells else None,
                threshold=self.threshold,
                covered=j in self.covered,
                rule=self.covered.get(j),
                best=tuple(
                    BestCell(*locate(int(cell)), float(posterior[j, cell]))
                    for cell in np.argsort(-posterior[j], kind="stable")[:_BEST_CELLS]
                ),
            )
            for j, requirement in enumerate(self.plan.requirements)
        )

    def hopeless(self) -> bool:
        """Whether every open requirement is more likely nowhere than anywhere."""
        nowhere = self.beliefs.nowhere()
        return all(nowhere[j] > 0.5 for j in self.open)

    def reopen(self, requirements: Set[int]) -> None:
        """The answer could not be given after all: these requirements are open again, what was quoted is no proof."""
        self.quotes = [quote for quote in self.quotes if quote.requirement not in requirements]
        for j in requirements:
            self.covered.pop(j, None)

    def proof(self, requirement: int) -> float:
        """How well a requirement is proven, in nats: the best quote's least sure cell, and more for each window that
        says it too. What confidence is a map of."""
        quotes = self.quoted(requirement)
        if not quotes:
            return 0.0
        row = self.beliefs.ratio[requirement]
        best = max(float(row[quote.cells.start : quote.cells.end].min()) for quote in quotes)
        return best + math.log(len({quote.window for quote in quotes}))


def with_context(quote: Quote) -> Span:
    """A quote with what stands around it in its block and what leads into it, within the region it was shown in."""
    document, shown = quote.proposal.admission.document, quote.proposal.span
    parts = [part.span for part in context_of(document, quote.span) if shown.contains(part.span)]
    return Span(
        min([quote.span.start, *(part.start for part in parts)]), max([quote.span.end, *(part.end for part in parts)])
    )


def _quoted(reply: ReadReply) -> Sequence[SaidQuote]:
    """What a reply quotes, unless it says that nothing answers the question."""
    return () if reply.answerable is Answerable.NO else reply.quotes


def _verdict(reply: ReadReply) -> Verdict:
    """How far the quotes of a reply go towards the question."""
    return Verdict.FULL if reply.answerable is Answerable.YES else Verdict.PARTIAL


def _place(said: SaidQuote, read: Sequence[Proposal]) -> tuple[Proposal, Resolved] | None:
    """Where a quote stands: in the region that was said, else in the only other one that holds it."""
    named = [item for item in read if item.number == said.region]
    for group in (named, read):
        found = [(item, place) for item in group if (place := resolve(said.text, item.view)) is not None]
        if len(found) == 1:
            return found[0]
    return None


class DocumentFeed:
    """Documents that are read while the search goes on: one PDF takes as long as a thousand notes.

    The search begins with what was read in time. Between its rounds it has more read, and before it gives up, all that
    its time allows. ``read`` reads documents for a moment, has them taken in by the function it is given, and says
    whether some that came belong to the best; ``left`` says whether it would read any.
    """

    def __init__(
        self,
        read: Callable[[Callable[[], bool]], Awaitable[bool]] | None = None,
        left: Callable[[], bool] | None = None,
    ) -> None:
        self._read = read
        self._left = left

    @property
    def left(self) -> bool:
        """Whether documents wait to be read, and there is time for it."""
        return self._left is not None and self._left()

    async def read_some(self, take_in: Callable[[], bool]) -> bool:
        """Read for a moment; whether a document came that belongs to the best. ``take_in`` says so of what came."""
        return self._read is not None and self.left and await self._read(take_in)

    async def read_until_promising(self, take_in: Callable[[], bool]) -> bool:
        """Read until such a document comes; False when there is none, or no more time."""
        while self.left:
            if await self.read_some(take_in):
                return True
        return False


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How one question is to be searched. ``trace`` adds to the events what recomputing the beliefs needs;
    ``documents`` is how many ranked documents the answer lists, at least ten. ``admitted`` is how many documents are
    admitted at first, m of the paper; by default ten in the paper's mode, else those of the first 50 passages."""

    mode: Mode = Mode.EVIDENCE
    seed: int = 0
    ablate: Set[str] = frozenset()
    trace: bool = False
    documents: int = 10
    admitted: int | None = None

    @property
    def signals(self) -> frozenset[str]:
        """Signal families that are off; without the multi-signal prior only lexical anchors are left."""
        off = set(self.ablate).difference(LOOP)
        if "prior" in self.ablate:
            off |= {"path", "summaries", "history", "scans"}
        return frozenset(off)

    def mixture(self) -> Mixture:
        """λ at the beginning, without the arms that are off."""
        mixture = Mixture(adaptive="lambda" not in self.ablate)
        off = {arm for arm in START if f"arm-{arm.value}" in self.ablate}
        if off:
            mixture.without(off)
        return mixture


class Runner(Protocol):
    """Runs slow work off the event loop."""

    def __call__(self, work: Callable[[], T]) -> Awaitable[T]:
        """Start the work; awaiting what comes back gives its result."""


class Exploration:
    """The state of one question's search and the steps that change it.

    At ``cancelled`` it ends, with what a scan finds until it is ``late``. ``run`` does what takes long without holding
    up the event loop; ``feed`` reads documents that were not read in time.
    """

    candidates: Candidates
    """The ranking of Layer 1."""
    queue: AdmissionQueue
    landscape: Landscape

    def __init__(
        self,
        plan: Plan,
        reading: DocumentAccess,
        oracle: Oracle,
        ledger: Ledger,
        options: SearchOptions,
        cancelled: Callable[[], bool],
        feed: DocumentFeed | None = None,
        late: Callable[[], bool] | None = None,
        run: Runner | None = None,
    ) -> None:
        self.plan = plan
        """What is searched for, which may be put into other words."""
        self.planned = plan
        """What was to be searched for."""
        self.reading = reading
        self.oracle = oracle
        self.ledger = ledger
        self.options = options
        self.cancelled = cancelled
        self.late = late or cancelled
        self.feed = feed or DocumentFeed()
        self.run: Runner = run or _at_once
        self.judge = oracle if options.mode is Mode.FAST and isinstance(oracle, ReadingJudge) else None
        """The oracle, if it reads first."""
        self.is_summary = plan.intent is Intent.SUMMARIZE
        self.passage_reader = oracle if isinstance(oracle, PassageOracle) and not self.is_summary else None
        """The oracle, if it reads the best passages at once."""
        rounds = 1 if self.passage_reader is not None else ledger.budget.rounds + (self.judge is not None)
        self.rounds = 1 if "exploration" in options.ablate else rounds
        """L: how many rounds there may be."""
        self.rng = np.random.Generator(np.random.PCG64(options.seed))
        self.mixture = options.mixture()
        self.space = Space()
        self.position = np.zeros((len(plan.requirements), 0))
        """π_pos of each requirement over the admitted cells."""
        self.progress = SearchProgress(plan, oracle.table)
        self.matches: dict[int, Matches] = {}
        """Exact counts, by requirement."""
        self.rows: RowsFound | None = None
        """What rows of tables and heads of mail say, exactly."""
        self.row_judge: RowJudge | None = None
        self.passages: list[ScoredPassage] = []
        """What the scan finds, best first."""
        self.first_shown: dict[int, ScoredPassage] = {}
        """The passages that an oracle reads at once, by the numbers of their regions."""
        self.recalled: Recalled | None = None
        """What became of what earlier questions left."""
        self.wrong: tuple[str, ...] = ()
        """Short answers to the question that the user called wrong."""
        self.subject: int | None = None
        """The document that the question names to be summarised: read in order, not searched."""
        self.guessed = False
        """Nobody named the ``subject``."""
        self.led: set[int] = set()
        """The first documents that new terms lead to: the best place of each is read, whatever it holds."""
        self.reply: ReadReply | None = None
        """What the last read call said."""
        self.said: dict[int, Quote] = {}
        """Its quotes that stand in their sources, by their numbers."""
        self.worded = False
        """Words of an answer were given out already."""
        self.stopped: StopReason | None = None
        self.failure: str | None = None
        """Why the oracle could not go on, as a clause."""
        self.warnings: list[str] = []
        self.stages: list[Stage] = []

    def take_in(self) -> bool:
        """Have documents that were read since join the ranking; whether some are among its best, which join the search
        next. Takes long, as `scan`."""
        best = self.candidates.join()
        self.rank()
        self.queue.add(best)
        self.count_all()
        self.ask_rows()
        return bool(best)

    def rank(self) -> None:
        """The documents by their best passages, as `localise` does."""
        self.passages = passages_of(self.reading, self.candidates.scored, PASSAGES)
        self.candidates.rank_by(self.passages)

    def dominant(self) -> int | None:
        """The document that most of the first passages are from, if one request holds all of it: a summary of what it
        says needs the whole of it."""
        slots = Counter(passage.slot for passage in self.passages[:_COMPARED])
        slot, count = slots.most_common(1)[0] if slots else (-1, 0)
        room = 3 * self.ledger.budget.direct_tokens
        return slot if 2 * count > _COMPARED and self.candidates.lengths[slot] <= room else None

    def first_slots(self) -> list[int]:
        """The slots to admit first: by the paper's protocol ten, else the documents of the first passages."""
        documents = 0 if self.options.mode is Mode.DEEP else len({passage.slot for passage in self.passages})
        return self.candidates.first(self.options.admitted or max(ADMITTED, documents))

    def count_all(self) -> None:
        """Enter the exact counts; a rule whose matches could not all be counted in time gives none."""
        for j, requirement in enumerate(self.plan.requirements):
            if requirement.rule is not None:
                matches = matches_of(self.reading, requirement.rule, cancelled=self.late)
                if not self.late() and matches.total:
                    self.matches[j] = matches
                    self.progress.covered[j] = "exact"

    def ask_rows(self) -> None:
        """Enter what rows say, where no model judges; they tell nothing of files and of occurrences of words."""
        rules = [requirement.rule for requirement in self.plan.requirements if requirement.rule is not None]
        if self.options.mode is not Mode.EVIDENCE or self.is_summary or "rules" in self.options.ablate:
            return
        if any(rule.unit is not Unit.LINE for rule in rules):
            return
        from lens_lsp.search.table_answers import RowJudge, rows_found

        question, reader = self.plan.question, self.passage_reader
        if self.row_judge is None and reader is not None:
            self.row_judge = RowJudge(partial(reader.stated, question))
        was, self.rows = self.rows, rows_found(self.reading, self.candidates, question, self.late, self.row_judge)
        if self.rows is not None:
            self.progress.covered.update(dict.fromkeys(range(len(self.plan.requirements)), "exact"))
            self.matches.clear()
        elif was is not None:
            self.progress.covered.clear()

    @property
    def wants_all_rows(self) -> bool:
        """Whether rows answer, or may answer, that are in no document yet which was read."""
        if self.rows is not None:
            return self.rows.of_all
        from lens_lsp.search.table_answers import needs_all_rows

        return self.options.mode is Mode.EVIDENCE and not self.is_summary and needs_all_rows(self.plan.question)

    @property
    def rounds_left(self) -> int:
        """How many rounds of L are not spent."""
        return self.rounds - self.progress.round

    def order_of(self, slot: int) -> int:
        """The place of a document in the order of admission."""
        return next((a.index for a in self.space.admitted if a.slot == slot), len(self.space.admitted))

    def take_over(self, other: Exploration) -> None:
        """Report what another search of the question met that was given up for this one."""
        if other.stopped in WITHOUT_MODEL:
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

    def recall(self, memory: MemoryContext) -> None:
        """Look up what earlier questions left; after `scan`. Reads documents: run it in a thread. What rows say is
        computed anew."""
        self.wrong = memory.wrong
        if self.rows is not None:
            return
        from lens_lsp.search.recall import broken_sources, recall

        self.recalled = recall(memory, self.plan, self.reading, self._bearing, self.matches)
        self.warnings += broken_sources(self.recalled)

    def _bearing(self, requirement: int, margin: int = 1) -> list[int]:
        """The slots that are admitted for a requirement before anything is known."""
        if self.subject is not None:
            return [self.subject]
        direct = self.whole_scope()
        if direct:
            return [slot for slot in direct if self.candidates.own[requirement, slot] > 0]
        return self.candidates.bearing(requirement, margin)

    def bearing(self) -> list[int]:
        """The slots of all documents that bear on the question, those that were admitted on the way among them."""
        scanned = range(len(self.position))  # what an answer says is missing is a requirement that nobody scanned for
        slots = [slot for j in scanned for slot in self._bearing(j, _MARGIN)]
        return list(dict.fromkeys([*slots, *self.space.slots.tolist()]))

    def whole_scope(self) -> list[int]:
        """The direct path: all texts, when they fit one request together."""
        direct = self.ledger.budget.direct_tokens
        direct = direct if self.judge is None else min(direct, MOST_READ)
        direct = direct if self.passage_reader is None else 0
        if self.matches or self.subject is not None or "exploration" in self.options.ablate or self.feed.left:
            return []
        lengths = self.candidates.lengths
        slots = np.flatnonzero(lengths).tolist()
        fits = int(lengths.sum()) // 3 + len(slots) <= direct
        return [int(slot) for slot in slots] if fits and slots else []

    def admit(self, slots: Iterable[int]) -> Admitted:
        """Documents join: their cells, and the prior of all requirements over the larger space."""
        joined = []
        for slot in dict.fromkeys(slots):
            passed_over = slot in self.space or self.reading.corpus.over()
            document = None if passed_over else self.reading.document(slot)
            if document is not None:
                joined.append(self.space.admit(slot, document))
        if self.space.admitted:
            self.landscape = landscape(self.reading.corpus, self.candidates, self.space)
            known = self.position.shape[1]
            # What was admitted keeps its π_pos, so that only observations move its beliefs.
            self.position = np.concatenate([self.position, self.landscape.position[:, known:]], axis=1)
        file = self.candidates.file_prior(self.space.slots)
        self.progress.beliefs.admit(self.space.spread(file) * self.position)
        slots = frozenset(self.space.slots.tolist())
        ids = [requirement.id for requirement in self.plan.requirements]
        return Admitted(
            round=self.progress.round,
            joined=tuple(self._described(admission, ids) for admission in joined),
            file={name: tuple(row) for name, row in zip(ids, file.tolist(), strict=True)},
            ranking=ranking(self.reading, self.candidates, slots, always=slots),
            reserve=len(self.queue.reserve()),
            compression=self.candidates.compression(self.space.slots),
        )

    def _described(self, admission: AdmittedCells, ids: Sequence[str]) -> AdmittedDocument:
        """A document that joined; with π_pos of its cells where the beliefs are to be computed again."""
        cells = self.position[:, admission.first : admission.end] if self.options.trace else self.position[:0]
        return AdmittedDocument(
            root=admission.document.root,
            path=display_path(admission.document.path),
            base=self.reading.before(admission.slot),
            length=len(admission.text),
            cells=admission.cells,
            position={name: tuple(row) for name, row in zip(ids, cells.tolist(), strict=False)},
        )

    def proposed(self, request: RegionRequest) -> Proposed:
        """The regions of this round, and λ when they were drawn."""
        regions = tuple(
            ProposedRegion(
                number=item.number,
                document=item.admission.index,
                path=display_path(item.admission.document.path),
                span=item.span,
                cells=Span(item.cells.start - item.admission.first, item.cells.end - item.admission.first),
                arm=item.arm,
                tokens=item.tokens,
            )
            for item in request.proposals
        )
        weights = {arm.value: weight for arm, weight in self.mixture.weights.items()}
        return Proposed(self.progress.round, weights, regions)

    def evidence(self, quote: Quote, n: int) -> Evidence:
        """A verified quote, grown to a readable boundary."""
        admission = quote.proposal.admission
        span = region(admission.document, quote.span)
        return self.reading.evidence(
            admission.slot,
            admission.document,
            span,
            n,
            at=self.match_offset(admission.document, span, quote.value),
            match=quote.match,
            requirements=(self.plan.requirements[quote.requirement].id,),
            signals=self.candidates.shares(admission.slot),
            arm=quote.proposal.arm.value,
            round_=quote.round,
            verdict=quote.verdict.value,
        )

    def match_offset(self, document: Document, span: Span, value: str | None) -> int:
        """Where in a span of evidence what was asked for stands: the ``value`` that it states, else the question's
        words."""
        at = -1 if not value else document.text.find(value, span.start, span.end)
        while at >= 0 and (is_joined(document.text, at) or is_joined(document.text, at + len(value or ""))):
            at = document.text.find(value or "", at + 1, span.end)
        if at >= 0:
            return at
        return locator_offset(document, span, marks_in(document.text, span, self.candidates.idf()))

    def enter_recalled(self, recalled: Recalled, direct: Sequence[int]) -> Iterator[Event]:
        """Enter what is held, as a round 0; a requirement that needs no further look is covered, and one that builds on
        it is searched with its value."""
        slots = [held.slot for items in recalled.held.values() for held in items]
        slots += [slot for newer in recalled.newer.values() for slot in newer]
        if any(j not in recalled.held for j in self.progress.open):
            slots += direct or self.first_slots()
        if not recalled.held:
            return
        yield self.admit(slots)
        admissions = self.space.by_slot
        request, judged = RegionRequest(self.ledger.budget.request_tokens), []
        for j, items in sorted(recalled.held.items()):
            for held in items:
                item = stored(len(request.proposals) + 1, admissions[held.slot], held.span)
                request.proposals.append(item)
                judged.append(self.progress.hold(j, item, held.span, held.citation.match, recalled.fact(j).value))
            if j in recalled.settled:
                self.progress.covered.setdefault(j, "reused")
        values = {recalled.plan.requirements[j].id: recalled.fact(j).value for j in recalled.settled}
        if terms := self._reword(filled(self.plan.requirements, {id_: v for id_, v in values.items() if v})):
            self.follow(terms)
        yield self.proposed(request)
        yield from self.observed(judged, (), 0, 0)
        yield Covered(0, self.progress.report(self.space.place))

    def replan(self, said: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
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
        names = {one.id: tuple(phrases(texts.get(one.id, ""))) for one in self.progress.outstanding()}
        return {name: found for name, found in names.items() if found}

    def follow(self, terms: Mapping[str, tuple[str, ...]]) -> None:
        """Search for new terms; who they lead to waits for the next round."""
        proven = {quote.proposal.admission.slot for quote in self.progress.quotes}
        led = self.candidates.extend(terms, admitted=set(self.space.slots.tolist()), proven=proven)
        self.led.update(led[:ADMITTED])
        self.queue.add(led)

    @property
    def may_call(self) -> bool:
        """Whether the oracle may be asked for more: it did not fail, and a call and time are left."""
        left = self.ledger.calls < self.ledger.budget.calls and not self.cancelled()
        return left and self.stopped not in WITHOUT_MODEL

    async def verify(self, claims: Sequence[Claim]) -> Mapping[int, tuple[ClaimFault, ...]] | None:
        """What is wrong with sentences of an answer, by their places; None when nobody can be asked or nothing that can
        be read came."""
        if not claims or not self.may_call or not isinstance(self.oracle, ClaimJudge):
            return None
        try:
            return await self.oracle.verify(self.plan.question, claims, self.ledger)
        except (BudgetSpent, OracleFailed):
            return None  # the rules have looked at them

    @property
    def read_in_vain(self) -> bool:
        """Whether a judge that reads first has nothing to answer from."""
        return self.judge is not None and self.reply is None and self.stopped is not StopReason.COVERED

    @property
    def undecided(self) -> bool:
        """Whether a model was asked in vain: it failed before it proved anything, or what a judge that reads first says
        rests on nothing. A "no" is a judgement if it says what is missing: a small model is not even asked that."""
        if self.matches or self.options.mode is Mode.EVIDENCE:
            return False
        if self.stopped in WITHOUT_MODEL and self.progress.open:
            return not any(quote.round for quote in self.progress.quotes)  # those of round 0 were known before
        if self.judge is None or self.progress.quotes or self.reply is None:
            return False
        return self.reply.answerable is not Answerable.NO or not self.reply.missing

    @property
    def unread(self) -> tuple[str, ...]:
        """Sections of a summarised document that did not fit; where a judge reads it, also those that did in part."""
        return () if self.subject is None else unread_sections(self.space, whole=self.judge is not None)

    def searched(self) -> list[int]:
        """The open requirements that are searched for: those that build on no open one without evidence."""
        quoted = {quote.requirement for quote in self.progress.quotes}
        unknown = {self.plan.requirements[j].id for j in self.progress.open if j not in quoted}
        return [j for j in self.progress.open if unknown.isdisjoint(self.plan.requirements[j].needs)]

    def relevant(self, searched: Sequence[int]) -> NDArray[np.bool_]:
        """The cells that are worth another call: they hold much of what an open requirement is searched by, or stand
        beside a quote for one."""
        mass = self.landscape.mass[searched]
        relevant = above(mass, _FLOOR)
        for admission in self.space.admitted:
            if admission.slot in self.led and not admission.read:
                cells = slice(admission.first, admission.end)
                relevant[cells] |= above(mass[:, cells], 1.0)
        for quote in self.progress.quotes:
            if quote.requirement in searched:
                admission = quote.proposal.admission
                first = max(admission.first, quote.cells.start - _BESIDE_QUOTE)
                relevant[first : min(admission.end, quote.cells.end + _BESIDE_QUOTE)] = True
        return relevant

    def links(self) -> dict[int, tuple[int, ...]]:
        """Links between admitted documents, by order of admission."""
        index = {admission.slot: admission.index for admission in self.space.admitted}
        links = self.candidates.overall.links
        return {
            index[source]: tuple(index[target] for target in targets if target in index)
            for source, targets in links.items()
            if source in index
        }

    def shares(self) -> dict[int, float]:
        """What the scan gives each passage that was shown, as a share of the best one's score."""
        most = max((passage.score for passage in self.passages), default=0.0) or 1.0
        return {number: passage.score / most for number, passage in self.first_shown.items()}

    @property
    def is_later_call(self) -> bool:
        """Whether a model was shown regions before: another call has to be worth it."""
        return self.progress.round > 0 and self.options.mode is not Mode.EVIDENCE

    def observed(self, judged: Sequence[Judged], terms: tuple[str, ...], known: int, rejected: int) -> Iterator[Event]:
        """What one observation brought: the judgements, then the quotes behind the ``known`` ones; before it so many
        quotes had been ``rejected``."""
        progress = self.progress
        yield Observed(progress.round, tuple(judged), progress.rejected - rejected, terms)
        for n, quote in enumerate(progress.quotes[known:], known + 1):
            yield EvidenceFound(self.evidence(quote, n))


async def _at_once(work: Callable[[], T]) -> T:
    return work()
