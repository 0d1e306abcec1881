"""The state of one question between rounds: what was shown, what was quoted, which requirements are open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from lens_lsp.judge.oracle import Answerable, ReadReply, SaidQuote
from lens_lsp.model.answer import Belief, Judged
from lens_lsp.model.observation import Judgement, ObservationReply, ObservationTable, Verdict
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span
from lens_lsp.search.beliefs import RELAXED, Beliefs, Entry, Quoted, coverage_rule, glr, passes, threshold
from lens_lsp.search.boundaries import context_of
from lens_lsp.search.corpus_view import Floats
from lens_lsp.search.proposals import Proposal
from lens_lsp.search.resolution import Resolved, resolve

NOT_NEEDED = "not-needed"
"""The rule of a requirement without evidence that the question does not need."""
_BEST_CELLS = 5

Locate = Callable[[int], tuple[int, int]]
"""From a cell to its document, by order of admission, and its number in it."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote found in its source: for which requirement (by index), how far it goes, and how it came up."""

    requirement: int
    verdict: Verdict
    proposal: Proposal
    span: Span
    """Code points of the document."""
    cells: Span
    match: str
    value: str | None
    round: int

    @property
    def text(self) -> str:
        """Its words, as they stand in the document."""
        return self.proposal.admission.text[self.span.start : self.span.end]


@dataclass(slots=True)
class Progress:
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
                best=tuple((*locate(int(cell)), float(posterior[j, cell])) for cell in _best(posterior[j])),
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


def settle_many(progress: Progress, fresh: Set[int], *, exhausted: bool) -> None:
    """Cover the requirements that want all windows: when everything was read, or a round brought nothing new."""
    for j in progress.open:
        if progress.plan.requirements[j].many and progress.quoted(j) and (exhausted or j not in fresh):
            progress.covered[j] = "all-read" if exhausted else "nothing-new"


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


def _best(row: Floats) -> list[int]:
    return [int(cell) for cell in np.argsort(-row, kind="stable")[:_BEST_CELLS]]
