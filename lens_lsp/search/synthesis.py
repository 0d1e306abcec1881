"""Lines 11 to 13 of Algorithm 1: consolidate, synthesise from E* alone, return the pair (E*, a).

Whatever ended the search, there is an answer: with requirements missing it says which, and shows the passages that
come nearest. When the oracle cannot word it any more (the budget is spent, the model failed) the rules do.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import field, replace
from typing import TYPE_CHECKING

from lens_lsp.judge.answer_markdown import not_read, unlinked
from lens_lsp.judge.claim_text import CitedPassage
from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.oracle import Claim, ClaimFault, Fact, Oracle, PassageOracle, ReadReply, Synthesis, SynthesisRequest
from lens_lsp.judge.rules.offline_oracle import OfflineOracle
from lens_lsp.memory.clusters import is_computed, is_quoted, quoted
from lens_lsp.model.answer import (
    Answer,
    AnswerDelta,
    Answered,
    Arm,
    Computation,
    Doubt,
    Event,
    EvidenceFound,
    Mode,
    RequirementResult,
    RequirementStatus,
    Status,
    Stopped,
    StopReason,
)
from lens_lsp.model.cluster import OFFLINE
from lens_lsp.model.documents import Coverage, Evidence, Fetched, Part, PartReason, Skip, Stage
from lens_lsp.model.errors import BudgetSpent, OracleFailed
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.observation import Verdict
from lens_lsp.model.plan import Intent, Requirement
from lens_lsp.model.sanitize import printable, sanitize_markdown
from lens_lsp.search.consolidation import (
    MOST_PASSAGES,
    CitedSpan,
    Combined,
    Item,
    choose,
    cited_passages,
    combine,
    compare,
    consolidate,
    facts_of,
    named,
    rivals,
)
from lens_lsp.search.exploration import NOT_NEEDED, WITHOUT_MODEL
from lens_lsp.search.localisation import ranking
from lens_lsp.search.proposals import Quote
from lens_lsp.search.read_first import CheckedAnswer, ReadFirst, check, cited_span
from lens_lsp.search.search import Search

if TYPE_CHECKING:
    from lens_lsp.search.record_query import TableAnswer
    from lens_lsp.search.records import Record
    from lens_lsp.search.table_answers import RowsFound

ALL_LISTED = "No other passages resemble those you quoted: if members of a list were asked for, these are all."
"""What a judge is told that says a list may go on after everything like its members was shown."""
LONGEST_COMPARED = 20_000
"""Code points of a worded answer that are compared with its evidence; a longer one runs away, and is none."""
MOST_LISTED = 200
"""Matches of an exact rule that are cited; the count is exact whatever their number."""
_CALIBRATED = frozenset({Intent.LOOKUP, Intent.COMPUTATION, Intent.COMPARISON})
_SPENT = WITHOUT_MODEL - {StopReason.BUDGET_CALLS} | {StopReason.CANCELLED}
"""After these the oracle is not asked for anything more."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the answer reports beside the search: the roots as shown, and what the sweep saw."""

    roots: tuple[str, ...]
    found: int
    scanned: int
    skipped: tuple[Skip, ...] = ()
    stages: tuple[Stage, ...] = ()
    warnings: tuple[str, ...] = ()
    pictures: int = 0
    partial: tuple[Part, ...] = ()
    documents: int = 0
    unread: int = 0
    fetched: Callable[[], tuple[Fetched, ...]] = tuple
    """What the roots in object stores took until now."""


@dataclass(slots=True)
class _Draft:
    """E* and what rests on it."""

    items: list[Item]
    evidence: tuple[Evidence, ...]
    facts: list[Fact]
    combined: Combined | None
    text: str = ""
    short: str | None = None
    unmet: set[str] = field(default_factory=set)
    unsupported: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    whole: bool = True
    """It may be called answered when nothing is missing."""
    by_model: bool = False
    """A model worded the text."""


class AnswerSynthesis:
    """Turns a finished search into events up to `Stopped`. ``mode`` is the one in which the question was asked: the
    search may be the one without a model in its place."""

    def __init__(self, search: Search, oracle: Oracle, ledger: Ledger, around: Surroundings, mode: Mode) -> None:
        self._search = search
        self._oracle = oracle
        self._ledger = ledger
        self._around = around
        self._mode = mode
        self.items: tuple[Item, ...] = ()
        """E* of the answer, in the order of its numbers."""

    async def run(self) -> AsyncIterator[Event]:
        """The answer as it is worded, then whole."""
        reader = self._search.read_first
        events = self._run_read(reader) if reader is not None and self._search.said else self._run_synthesis()
        async for event in events:
            yield event

    async def _run_synthesis(self) -> AsyncIterator[Event]:
        """The answer from E*; once more after further rounds if the first left a fact unmet."""
        started = time.perf_counter()
        draft = self._draft()
        for item in draft.evidence:
            yield EvidenceFound(item, final=True)
        async for delta in self._synthesise(draft, again=False):
            yield delta
        known: int | None = None
        if draft.unmet and self._may_go_on():
            self._search.reopen(draft.unmet)
            known = len(self._search.progress.quotes)
            async for event in self._search.explore():
                yield event
        if known is not None and len(self._search.progress.quotes) > known:
            draft = self._draft()
            for item in draft.evidence:
                yield EvidenceFound(item, final=True)
            async for delta in self._synthesise(draft, again=True):
                yield delta
        elif draft.short is None and self._search.stopped is not StopReason.REUSED:
            draft.short = await self._calibrated(draft)
        if draft.by_model and (added := await self._compare(draft)):
            draft.text += added
            yield AnswerDelta(added)
        for event in self._end(draft, started):
            yield event

    def _end(self, draft: _Draft, started: float) -> Iterator[Event]:
        self._search.stages.append(Stage("answer", time.perf_counter() - started))
        self.items = tuple(draft.items)
        answer = self._answer(draft)
        yield Answered(answer)
        yield Stopped(answer.stopped)

    async def _run_read(self, reader: ReadFirst) -> AsyncIterator[Event]:
        """The answer of a judge that reads first, as the check leaves it; what the check finds wrong the judge may set
        right, once."""
        search, started = self._search, time.perf_counter()
        assert search.reply is not None
        checked = await self._check(reader, search.reply, search.said)
        problems = checked.problems if checked.stated else ()
        if not checked.stated and checked.missing and await reader.listed_all():
            problems = (ALL_LISTED,)
        if problems and (amended := await reader.amend(problems)) is not None:
            reply, said = amended
            again = await self._check(reader, reply, said) if said else None
            if again is not None and again.mends(checked):
                checked = again
        draft = self._read_draft(checked)
        for item in draft.evidence:
            yield EvidenceFound(item, final=True)
        yield AnswerDelta(self._headed(draft.text), restart=search.worded)
        for event in self._end(draft, started):
            yield event

    async def _check(self, reader: ReadFirst, reply: ReadReply, said: Mapping[int, Quote]) -> CheckedAnswer:
        """What a reply comes to, with the places that contradict it among what it was shown; where rules tell too
        little of its sentences, the judge looks at these again."""
        question = self._search.plan.question
        differing = rivals(question, reply, said, reader.last_shown(reply))
        checked = check(question, reply, said, self._evidence, differing)
        verdict = await self._verdict(checked.arguable)
        return checked if verdict is None else check(question, reply, said, self._evidence, differing, verdict)

    async def _verdict(self, claims: Sequence[Claim]) -> dict[str, tuple[ClaimFault, ...]] | None:
        """What the judge finds wrong with sentences, by their text; None when it was not asked."""
        verdict = await self._search.verify(claims)
        return None if verdict is None else {claims[at].text: faults for at, faults in verdict.items()}

    async def _compare(self, draft: _Draft) -> str:
        """Compare what the model worded with the evidence it cites; what there is to say of it, to be added."""
        passages = cited_passages(draft.items, draft.evidence, self._search.plan.question)
        derived = () if draft.combined is None else (draft.combined.text, draft.combined.derivation)
        ours = [CitedPassage(text) for text in derived if text]
        text = draft.text[:LONGEST_COMPARED]
        compared = compare(text, passages, draft.evidence, ours)
        verdict = await self._verdict(compared.arguable)
        if verdict is not None:
            compared = compare(text, passages, draft.evidence, ours, verdict)
        draft.doubts, draft.whole = compared.doubts, text == draft.text
        if not compared.decisive:
            return ""
        draft.whole = False
        return f"\n\n{named(compared.decisive)}"

    def _read_draft(self, checked: CheckedAnswer) -> _Draft:
        """The question is proven as far as its answer is; what is said to be missing is a fact of its own."""
        search = self._search
        first = search.plan.requirements[0]
        further = [Requirement(f"f{n}", text) for n, text in enumerate(checked.missing, 2)]
        search.plan = search.planned = replace(search.plan, requirements=(first, *further))
        state = RequirementStatus.COVERED if checked.stated or further else RequirementStatus.MISSING
        numbers = tuple(range(1, len(checked.items) + 1))
        count = len(numbers)
        if checked.sides and state is RequirementStatus.COVERED:
            state = RequirementStatus.CONTESTED
        facts = [Fact(first, state, checked.short, numbers, checked.sides, matching=count, read=count)]
        facts += [Fact(requirement, RequirementStatus.MISSING, None, ()) for requirement in further]
        unread = not_read(search.unread, "Not read to the end")
        return _Draft(
            checked.items,
            checked.evidence,
            facts,
            checked.result,
            f"{checked.text}\n\n{unread}" if unread else checked.text,
            checked.short,
            unsupported=checked.unsupported,
            doubts=checked.doubts,
            whole=checked.whole and not unread,
        )

    def _may_go_on(self) -> bool:
        search = self._search
        return search.options.mode is Mode.DEEP and search.rounds_left > 0 and search.stopped is StopReason.COVERED

    async def _synthesise(self, draft: _Draft, *, again: bool) -> AsyncIterator[AnswerDelta]:
        """Stage S4; by the rules when the oracle cannot. Whoever words it, none of its links is one."""
        if self._search.stopped is StopReason.REUSED:
            yield self._repeated(draft)
            return
        request = self._request(draft, again=again)
        result = Synthesis()
        voice = self._voice
        parts: list[str] = []
        afresh = again or self._search.worded
        try:
            async with aclosing(self._worded(voice, request, result, draft)) as pieces:
                async for piece in pieces:
                    parts.append(piece)
                    first = len(parts) == 1
                    yield AnswerDelta(self._headed(piece) if first else piece, restart=afresh and first)
        except (BudgetSpent, OracleFailed) as error:
            self._search.fail(error)
            voice = OfflineOracle()
            restart, result = bool(parts) or afresh, Synthesis()
            parts = []
            async for piece in self._worded(voice, request, result, draft):
                parts.append(piece)
                first = len(parts) == 1
                yield AnswerDelta(self._headed(piece) if first else piece, restart=restart and first)
        draft.text, draft.short, draft.unmet = "".join(parts), result.short, set(result.unmet)
        draft.unsupported = result.unsupported
        draft.by_model = not isinstance(voice, (OfflineOracle, PassageOracle))

    async def _worded(
        self, oracle: Oracle, request: SynthesisRequest, result: Synthesis, draft: _Draft
    ) -> AsyncGenerator[str]:
        """The answer's pieces: first which newer documents are not in it. Closed early, so is the model's stream."""
        newer = self._newer(draft)
        if newer:
            names = (sanitize_markdown(name, in_link=True) for name in newer)  # who shows it minds what is guessed
            yield f"Newer, not in this answer: {', '.join(names)}\n\n"
        pieces = oracle.synthesise(request, result, self._ledger)
        try:
            async for piece in pieces:
                yield unlinked(printable(piece))
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    def _repeated(self, draft: _Draft) -> AnswerDelta:
        """The earlier answer: all it rests on was just looked up."""
        assert self._search.recalled is not None
        asked = self._search.recalled.memory.asked
        assert asked is not None
        text, short = asked.text, asked.short
        quotes = [item.quote for item in draft.evidence]
        if self._oracle.endpoint is None and asked.oracle != OFFLINE:  # a model's words are nothing to rest on
            text = quoted(quotes)
            short = short if short and (is_computed(short, asked) or is_quoted(short, quotes)) else None
        draft.text, draft.short = unlinked(printable(text)), short  # whoever wrote the store
        return AnswerDelta(self._headed(draft.text))

    def _headed(self, text: str) -> str:
        """The text below what is said first of documents that were not read."""
        told = self._unread.unread_told
        return f"{told}\n\n{text}" if told else text

    @property
    def _unread(self) -> Coverage:
        around = self._around
        return Coverage(around.found, around.scanned, documents=around.documents, unread=around.unread)

    def _rests_on_all(self, draft: _Draft) -> bool:
        """Whether the answer is one of all documents, such as a count or a list, or of a whole document."""
        plan = self._search.plan
        if plan.intent is Intent.SUMMARIZE:
            cited = {(item.root, item.path) for item in draft.evidence}
            late = {(part.root, part.path) for part in self._around.partial if part.reason is PartReason.NOT_READ}
            return bool(cited & late)
        return plan.intent is Intent.AGGREGATION or any(one.many or one.rule for one in plan.requirements)

    @property
    def _voice(self) -> Oracle:
        """Who words the answer: the rules after a model that has had its say or cannot go on, and in `fast` what was
        counted exactly. A reader of passages words by the rules itself."""
        search = self._search
        spent = search.stopped in _SPENT or search.reply is not None or search.read_in_vain
        counted = search.options.mode is Mode.FAST and bool(search.matches)
        silent = (spent or counted) and not isinstance(self._oracle, PassageOracle)
        return OfflineOracle() if silent else self._oracle

    async def _calibrated(self, draft: _Draft) -> str | None:
        """Stage S5, in the paper's mode only."""
        search = self._search
        if search.options.mode is not Mode.DEEP or search.plan.intent not in _CALIBRATED or not draft.evidence:
            return None
        try:
            return await self._voice.calibrate(self._request(draft, again=False), draft.text, self._ledger)
        except (BudgetSpent, OracleFailed):
            return None  # the answer stands without a short form

    def _request(self, draft: _Draft, *, again: bool) -> SynthesisRequest:
        combined = draft.combined
        return SynthesisRequest(
            plan=self._search.plan,
            evidence=draft.evidence,
            facts=tuple(draft.facts),
            computed=None if combined is None else combined.text,
            derivation=None if combined is None else combined.derivation,
            unread=self._search.unread,
            by_rows=self._search.rows is not None,
            judged=self._search.reply is not None,
            failure=self._search.failure,
            again=again,
        )

    def _draft(self) -> _Draft:
        search = self._search
        if search.stopped is StopReason.REUSED and search.recalled is not None:
            return self._drafted(search.recalled.items(), search.recalled.facts())
        if search.rows is not None:
            return self._draft_of_rows(search.rows)
        items = consolidate(self._cited())
        if search.plan.intent is Intent.SUMMARIZE:
            items.sort(key=lambda item: (search.order_of(item.slot), item.span.start))
        apart = search.options.mode is Mode.DEEP
        facts = facts_of(search.plan, items, search.progress.covered, search.matches, apart=apart)
        needed = [fact for j, fact in enumerate(facts) if search.progress.covered.get(j) != NOT_NEEDED]
        return self._drafted(items, needed)

    def _draft_of_rows(self, found: RowsFound) -> _Draft:
        """What rows say, or all of it where they do not agree, with the rows as evidence."""
        search, answers = self._search, found.answers
        answer = answers[0]
        asked = Requirement("f1", search.plan.question, many=answer.of_all)
        search.plan = search.planned = replace(
            search.plan, requirements=(asked,), intent=answer.operation.intent, transformation=None
        )
        items: list[Item] = []
        sides: list[tuple[str, int]] = []
        for one in answers:
            shown = one.rows[: MOST_LISTED if len(answers) == 1 else 1]
            before = len(items)
            items += [item for row in shown if (item := self._row_item(one, row)) is not None]
            if len(items) > before:
                sides.append((one.short, before + 1))
        numbers = tuple(range(1, len(items) + 1))
        status = RequirementStatus.COVERED if numbers else RequirementStatus.MISSING
        contested = len(sides) > 1
        fact = Fact(
            asked,
            RequirementStatus.CONTESTED if contested else status,
            answer.short,
            numbers,
            tuple(sides) if contested else (),
            matching=len(answer.rows),
            read=len(answer.rows),
            files=1,
        )
        computation = None
        if answer.computed is not None and not contested:
            expression, value, unit = answer.computed
            computation = Computation(expression, numbers, value, unit)
        evidence = tuple(self._evidence(item, n) for n, item in enumerate(items, 1))
        combined = None if contested else Combined(answer.short, computation, answer.told)
        return _Draft(items, evidence, [fact], combined, whole=found.whole)

    def _row_item(self, answer: TableAnswer, row: Record) -> Item | None:
        """A row as an item of E*; its place is that of the cell that is meant."""
        document = self._search.reading.document(row.slot)
        if document is None:
            return None
        place, value = answer.place_of(document, row)
        cited = CitedSpan(row.slot, document, place, 0, Verdict.FULL, 1.0, value=value, arm=Arm.SCAN)
        return Item(row.slot, document, row.span, [cited], answer.table.header)

    def _drafted(self, items: list[Item], facts: list[Fact]) -> _Draft:
        evidence = tuple(self._evidence(item, n) for n, item in enumerate(items, 1))
        return _Draft(items, evidence, facts, combine(self._search.plan, facts))

    def _cited(self) -> list[CitedSpan]:
        """What may be cited, requirement by requirement, the strongest first."""
        search = self._search
        posterior = search.progress.beliefs.posterior()
        chain = search.options.mode is Mode.DEEP
        cited: list[CitedSpan] = []
        weak: list[CitedSpan] = []
        for j, requirement in enumerate(search.plan.requirements):
            if j in search.matches:
                cited += self._matched(j)
                continue
            quotes = [
                cited_span(quote, float(posterior[j, quote.cells.start : quote.cells.end].max()), subject=chain)
                for quote in search.progress.quotes
                if quote.requirement == j
            ]
            covered = j in search.progress.covered
            (cited if covered else weak).extend(choose(quotes, many=requirement.many, covered=covered, chain=chain))
        return cited + weak + self._passages(search.progress.open)

    def _matched(self, requirement: int) -> list[CitedSpan]:
        cited = []
        for match in self._search.matches[requirement].shown[:MOST_LISTED]:
            document = self._search.reading.document(match.slot)
            if document is not None:
                cited.append(CitedSpan(match.slot, document, match.line, requirement, Verdict.FULL, 1.0, arm=Arm.SCAN))
        return cited

    def _passages(self, missing: Sequence[int]) -> list[CitedSpan]:
        """The best windows under the prior, for requirements that nothing covers."""
        search = self._search
        if not missing or search.subject is not None:
            return []
        passages: list[CitedSpan] = []
        for passage in search.passages[:MOST_PASSAGES]:
            document = search.reading.document(passage.slot)
            if document is not None:
                found = CitedSpan(passage.slot, document, passage.span, 0, Verdict.RELATED, passage.score)
                passages += [replace(found, requirement=j) for j in missing]
        return passages

    def _evidence(self, item: Item, n: int) -> Evidence:
        search = self._search
        best = item.carries[0]
        return search.reading.evidence(
            item.slot,
            item.document,
            item.span,
            n,
            under=best.span.start,
            at=search.match_offset(item.document, item.span, best.value) if search.rows is None else best.span.start,
            score=best.belief,
            match=best.match,
            requirements=tuple(search.plan.requirements[j].id for j in item.requirements),
            signals=search.candidates.shares(item.slot),
            arm=best.arm.value,
            round_=best.round,
            verdict=None if item.passage else best.verdict.value,
            header=item.header,
        )

    def _answer(self, draft: _Draft) -> Answer:
        search, around = self._search, self._around
        results = tuple(self._result(fact, draft) for fact in draft.facts)
        search.plan = replace(search.plan, requirements=tuple(fact.requirement for fact in draft.facts))
        missing = any(result.status is RequirementStatus.MISSING for result in results)
        early = bool(around.unread) and self._rests_on_all(draft)
        status = Status.PARTIAL if missing or early or not draft.whole else Status.ANSWERED
        if not draft.evidence:
            status = Status.UNANSWERED
        slots = search.space.slots
        return Answer(
            question=search.plan.question,
            mode=self._mode,
            intent=search.plan.intent,
            seed=search.options.seed,
            roots=around.roots,
            status=status,
            stopped=search.stopped or StopReason.COVERED,
            text=self._headed(draft.text),
            short=draft.short,
            requirements=results,
            evidence=draft.evidence,
            computation=None if draft.combined is None else draft.combined.computation,
            documents=ranking(
                search.reading, search.candidates, frozenset(slots.tolist()), most=search.options.documents
            ),
            coverage=Coverage(
                found=around.found,
                scanned=around.scanned,
                skipped=around.skipped,
                admitted=len(slots),
                read=search.reading.read,
                matches_unread=search.candidates.unread(slots),
                pictures=around.pictures,
                partial=tuple(sorted({*around.partial, *search.reading.comments()})),
                documents=around.documents,
                unread=around.unread,
            ),
            account=replace(self._ledger.account(), fetched=self._around.fetched()),
            compression=search.candidates.compression(slots),
            rejected_quotes=search.progress.rejected,
            unsupported=draft.unsupported,
            doubts=draft.doubts,
            reused=() if search.recalled is None else search.recalled.reused,
            newer=self._newer(draft),
            stages=(*around.stages, *search.stages),
            warnings=(*around.warnings, *search.reading.warnings, *search.warnings, *self._ledger.warnings),
        )

    def _result(self, fact: Fact, draft: _Draft) -> RequirementResult:
        status = RequirementStatus.MISSING if fact.requirement.id in draft.unmet else fact.status
        found = status is not RequirementStatus.MISSING
        j = [requirement.id for requirement in self._search.plan.requirements].index(fact.requirement.id)
        return RequirementResult(
            id=fact.requirement.id,
            text=fact.requirement.text,
            status=status,
            confidence=self._confidence(j) if found else None,
            many=fact.requirement.many,
            matching=fact.matching,
            read=fact.read,
            value=fact.value if found else None,
            evidence=fact.evidence,
        )

    def _confidence(self, requirement: int) -> float | None:
        """Of what was found now; of what was found before and stands, what it was then. Of rows, what the choice of
        their reading is worth, which the words of a question alone do not tell."""
        if self._search.rows is not None:
            return self._search.rows.answers[0].confidence
        recalled = self._search.recalled
        if recalled is not None and requirement in recalled.settled:
            return recalled.fact(requirement).confidence
        return self._oracle.confidence(self._search.progress.proof(requirement))

    def _newer(self, draft: _Draft) -> tuple[str, ...]:
        recalled = self._search.recalled
        if recalled is None:
            return ()
        from lens_lsp.search.recall import named_newer

        return named_newer(recalled, self._search.reading, (item.slot for item in draft.items))
