"""Search by reading first, mode `fast`: a judge reads the best passages, quotes them and answers in one call.

Then only what its reply says is missing is looked for: the rest of what it quoted, what its new terms find, passages
like those of the members of a list. The judge chooses what is cited; where that stands, what is computed from it and
whether the text may be called an answer is decided here (`check`): the answer, its short form and its status never
contradict each other.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import PurePosixPath

from lens_lsp.arithmetic.expression import evaluate
from lens_lsp.arithmetic.typed_values import Value, in_unit, same, show
from lens_lsp.arithmetic.units import Dimension, find_unit
from lens_lsp.arithmetic.value_parser import find_values, first_value
from lens_lsp.judge.answer_markdown import (
    MARKER,
    NUMBER,
    cited_numbers,
    differing,
    plain,
    unlinked,
    unsupported,
    without_addresses,
)
from lens_lsp.judge.claim_text import CitedPassage
from lens_lsp.judge.oracle import (
    Answerable,
    Claim,
    ClaimFault,
    Operand,
    ReadingJudge,
    ReadReply,
    ReadRequest,
    SaidComputation,
)
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.model.answer import AnswerDelta, Computation, Covered, Doubt, Event, StopReason
from lens_lsp.model.documents import BlockKind, Document, Evidence
from lens_lsp.model.errors import BudgetSpent, ComputationError, OracleFailed
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import tokens
from lens_lsp.model.plan import Combination
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Span, sentences
from lens_lsp.model.words import STOP_WORDS, content, key, words
from lens_lsp.search.beliefs import AdmittedCells
from lens_lsp.search.boundaries import heading_path
from lens_lsp.search.consolidation import (
    CitedSpan,
    Combined,
    Item,
    beyond,
    cited_passages,
    compare,
    consolidate,
    is_number,
    named,
    newest,
    outermost,
)
from lens_lsp.search.exploration import MOST_READ, Exploration, with_context
from lens_lsp.search.localisation import Candidates, passages_of
from lens_lsp.search.passages import WINDOW, ScoredPassage
from lens_lsp.search.proposals import Proposal, Quote, RegionRequest, best, outline, whole

RESULT = "{result}"
_SENTENCE_END = regex(r"[.!?。！？](?=\s|\Z)(?:[ \t]*\[[0-9,;\s^]{1,20}\])*|\n")
_LONGEST_SENTENCE = 600
_COPIED = 12
"""Code points before a marker that are looked for in the evidence with it."""
_REPEATED = regex(r"(\[[0-9]{1,4}\])(?:[ \t]*\1)+")
_EMPHASIS = regex(r"[*_`~]+")
_ORDERED = regex(r"(greatest|least)\b(?:\s*\([\w\s,]*\))?", re.IGNORECASE)
_KINDS = {"greatest": (Combination.GREATEST, "max"), "least": (Combination.LEAST, "min")}
_ASIDE = regex(r"\([^()]*\)")
_BETWEEN = regex(r"\b(day|week|month|year)s?_between\b")
_UNIT = regex(r"(?:[^\W\d]+|%)\Z")
"""What a result ends in, if it has a unit."""
_UNIT_AGAIN = regex(r"\{result\}([*_]*)[ \u00a0]?([^\W\d]+|%)")
_DAY = regex(r"\b([0-9]{1,2})(?:st|nd|rd|th)\b(?: of)?")
_CLOCKED = regex(r"(?<!\w)(?=\d)(?:(\d{1,4})h)?(?:(\d{1,4})m)?(?:(\d{1,4})s)?(?!\w)")
"""A duration as programs write it: ``1h30m0s``."""
_WHOLE = regex(r"[0-9]{1,6}")
_ANY_YEAR, _MARCH = "2001", 3
_COUNT = frozenset({"count", "count()"})
_FIRST_READ, _FURTHER_READ, _STEP_READ = 1_350, 1_500, 1_000
"""Tokens of the regions of the first read call, of a further one, and of one that only a step is missing for, where the
ranking is not flat."""
_FENCE = 12
"""Tokens of our lines around a region in a read call."""
_RELEVANT = 0.5
"""Passages that the first scan found are shown later if they score this share of the best one."""
_LED = 8
"""Passages of one further query."""
_MOST_QUERIES = 6
_SHORT_DOCUMENT = 4_000
"""Code points of a document of which the rest is shown once something of it was quoted."""
_READ_WHOLE = 0.8
"""Share of all requests that a document may fill to be read from beginning to end."""
_MOST_BESIDE = 6
_LEAST_MEMBERS = 2
"""Documents that members of a list come from, before more like them are looked for."""
_ALIKE = 30
"""Passages that are compared with those of the members."""
_LIKE = 0.9
"""Share of the score of the lowest member's passage that one like it has at least."""
_SHORTEST_TITLE = 2
"""Code points."""
_MARKER = regex(rf"([ \t]*){MARKER.pattern}")


@dataclass(frozen=True, slots=True)
class _Similar:
    """Passages like those that the members of a list in a reply were quoted from, and whether there are no more."""

    reply: ReadReply | None = None
    passages: Sequence[ScoredPassage] = ()
    complete: bool = False


class ReadFirst:
    """Lines 5 to 10 of one search with a judge that reads first."""

    def __init__(self, search: Exploration, judge: ReadingJudge) -> None:
        self._search = search
        self._judge = judge
        self._asked: tuple[ReadRequest, Sequence[Proposal]] | None = None
        """The read call that the last reply answers, and what it showed."""
        self._queue: list[ScoredPassage] = []
        """What the next read call is to show, best first."""
        self._similar = _Similar()
        self._widened = False
        self._broken_off = False
        """The last reply ended before its end."""
        self._fruitless = 0
        """Read calls that found nothing of what is asked."""

    async def explore(self, *, everything: bool) -> AsyncIterator[Event]:
        """Lines 5 to 10 with a judge that reads first: propose the best passages, observe by one read call that quotes
        and answers, update; then only what is said to be missing is looked for."""
        search = self._search
        self._queue = [] if search.subject is not None else list(search.passages)
        while (reason := self._reading_ends()) is None:
            newcomers = [passage.slot for passage in self._queue if passage.slot not in search.space]
            if newcomers:
                yield search.admit(newcomers)
            request = self._propose_reading(everything=everything)
            if len(request.proposals) == request.kept:
                if await search.feed.read_until_promising(search.take_in):
                    self._queue = list(search.passages)
                    continue
                if await self._widen_words():
                    continue
                reason = StopReason.NOWHERE if self._says_no() else StopReason.ROUNDS
                break
            search.progress.round += 1
            yield search.proposed(request)
            async for event in self._read(request):
                yield event
            if self._broken_off:
                reason, search.failure = StopReason.MODEL_FAILED, "its reply ended before its end"
                break
            if search.subject is not None and self._says_no():  # another document was meant
                search.subject, self._queue = None, list(search.passages)
                continue
            if search.guessed and search.progress.open:  # or that one does not hold all
                search.subject = None
            if (search.subject is not None or everything) and request.complete:
                reason = StopReason.DIRECT
                break
            if search.progress.open and search.subject is None and search.rounds_left and search.reply is not None:
                self._queue = await search.run(partial(self._led_to, search.reply))
        search.stopped = reason

    def _reading_ends(self) -> StopReason | None:
        """Why no further read call is made, if there is a reason."""
        search = self._search
        if search.cancelled():
            return StopReason.CANCELLED
        if not search.progress.open and search.subject is None:
            return StopReason.COVERED
        if search.rounds_left <= 0 or (search.progress.round > 1 and self._fruitless > 1):
            return StopReason.NOWHERE if self._says_no() else StopReason.ROUNDS
        search.ledger.check_time()
        return None

    def _says_no(self) -> bool:
        return self._search.reply is None or self._search.reply.answerable is Answerable.NO

    def _propose_reading(self, *, everything: bool) -> RegionRequest:
        """The regions of the next read call: what was quoted before, then what is new."""
        search = self._search
        budget, summarised = search.ledger.budget, search.subject is not None
        most = budget.direct_tokens if everything or summarised else min(MOST_READ, budget.request_tokens)
        request = RegionRequest(most, _FENCE)
        # A document that is summarised is read piece by piece, each once.
        quotes = [] if summarised else search.progress.quotes
        if search.reply is not None and len(search.reply.items) >= _LEAST_MEMBERS:  # room for further members of a list
            spans = {(quote.proposal.admission.slot, with_context(quote)): quote for quote in quotes}
            for (slot, span), quote in spans.items():
                if not any(other != span and at == slot and other.contains(span) for at, other in spans):
                    request.again(quote.proposal, span)
        else:
            for quote in {(quote.proposal.admission.slot, quote.proposal.span): quote for quote in quotes}.values():
                request.again(quote.proposal)
        if everything or (summarised and self._fits_rounds(request)):
            for admission in search.space.admitted:
                whole(request, admission)
        elif summarised:
            outline(request, search.space)
        else:
            best(request, search.space, self._queue, self._enough(), bare=self._similar.passages)
        request.arrange()
        return request

    def _enough(self) -> int:
        """Tokens of regions that a read call needs: more where a list goes on or nothing was found than where a step is
        missing, whose words are known."""
        if self._similar.passages:
            return MOST_READ
        if self._search.reply is None:
            return _FIRST_READ
        step = self._search.reply.answerable is Answerable.PARTLY and not self._search.reply.items
        return _STEP_READ if step else _FURTHER_READ

    def _fits_rounds(self, request: RegionRequest) -> bool:
        """Whether all rounds together hold the document that is summarised, and one does not."""
        size = sum(tokens(admission.text) for admission in self._search.space.admitted)
        return _READ_WHOLE * request.most < size <= _READ_WHOLE * request.most * self._search.rounds

    async def _read(self, request: RegionRequest) -> AsyncIterator[Event]:
        """One read call: its answer's words as they come, then what it quotes."""
        progress = self._search.progress
        regions = tuple(item.region(self._search.reading.before(item.admission.slot)) for item in request.proposals)
        reply, known, rejected = ReadReply(), len(progress.quotes), progress.rejected
        asked = ReadRequest(
            self._search.plan.question,
            regions,
            self._search.is_summary,
            exhausted=self._exhausted(),
            wrong=self._search.wrong,
        )
        earlier = None if self._search.subject is None else self._search.reply
        begun = False
        async with aclosing(self._judge.read(asked, reply, self._search.ledger)) as words:
            async for piece in words:
                apart = "\n\n" if earlier is not None and self._search.worded and not begun else ""
                restart = self._search.worded and not begun and earlier is None
                yield AnswerDelta(apart + unlinked(printable(piece)), restart=restart, checking=True)
                begun = self._search.worded = True
        judged, said = progress.read(reply, request.proposals)
        if earlier is not None:
            reply, said = join_replies(earlier, self._search.said, reply, said)
        self._broken_off = reply.broken_off
        no = reply.answerable is Answerable.NO
        self._fruitless += no and self._search.subject is None
        if not no or not self._search.said:  # what was proven before stays
            self._search.reply, self._search.said = reply, said
            self._asked = (asked, request.proposals) if earlier is None else None  # one of several is not said again
        for event in self._search.observed(judged, reply.terms, known, rejected):
            yield event
        yield Covered(progress.round, progress.report(self._search.space.place))

    def last_shown(self, reply: ReadReply) -> list[Proposal]:
        """The regions that a reply to the last read call was shown."""
        return [] if self._asked is None else [item for item in self._asked[1] if item.number in reply.shown]

    async def amend(self, problems: Sequence[str]) -> tuple[ReadReply, dict[int, Quote]] | None:
        """The last reply again, after ``problems`` were found in it, and where its quotes stand; None when no call is
        left for it or nothing that can be read came."""
        if not self._search.may_call or self._search.reply is None or self._asked is None:
            return None
        asked, proposals = self._asked
        try:
            reply = await self._judge.amend(asked, self._search.reply, problems, self._search.ledger)
        except (BudgetSpent, OracleFailed):
            return None  # the answer stands as it was said, with what was found in it
        if reply is None:
            return None
        return reply, self._search.progress.located(reply, [item for item in proposals if item.number in reply.shown])

    async def listed_all(self) -> bool:
        """Whether the last reply has members of a list and every passage like theirs was shown."""
        if not self._search.may_call or self._asked is None or self._search.reply is None:
            return False
        await self._search.run(partial(self._look_for_members, self._search.reply))
        return self._exhausted()

    def _led_to(self, reply: ReadReply) -> list[ScoredPassage]:
        """Passages that may hold what a reply says is missing: what resembles the members of a list, what stands beside
        what was quoted, what each of its terms finds by itself, then what the first scan found and was not shown,
        above a floor."""
        queries = [" ".join((self._search.plan.question, *reply.terms)), *reply.terms, *reply.missing]
        found = [self._search_for(query, _LED) for query in dict.fromkeys(queries[:_MOST_QUERIES])]
        passages = self._search.passages
        floor = _RELEVANT * max((passage.score for passage in passages), default=0.0)
        both = _in_turn([*self._named(reply), *self._beside()], _in_turn(*found))
        self._look_for_members(reply)
        return [*self._similar.passages, *both, *(passage for passage in passages if passage.score >= floor)]

    def _look_for_members(self, reply: ReadReply) -> None:
        """Find passages like those that the members of a list were quoted from, once for each reply: by the words that
        most of the quotes share (relevance feedback), down to about the score of the lowest of these quotes."""
        if self._similar.reply is reply:
            return
        self._similar = _Similar(reply)
        said = self._search.said
        quotes = {item.quote: said[item.quote] for item in reply.items if item.quote in said}.values()
        places = {(quote.proposal.admission.slot, quote.span) for quote in quotes}
        if len({slot for slot, _ in places}) < _LEAST_MEMBERS:
            return
        shared = Counter(word for quote in quotes for word in dict.fromkeys(words(quote.text)))
        common = [word for word, count in shared.items() if 2 * count > len(quotes) and word not in STOP_WORDS]
        found = self._search_for(" ".join(common), _ALIKE) if common else []
        known = [one.score for one in found if any(one.slot == s and one.span.overlaps(at) for s, at in places)]
        if known:
            passages = [one for one in found if one.score >= _LIKE * min(known)]
            self._similar = _Similar(reply, passages, len(passages) < len(found) or len(found) < _ALIKE)

    def _exhausted(self) -> bool:
        """Whether every passage like the members of a list was shown, and no document waits to be read."""
        similar, search = self._similar, self._search
        if not similar.passages or not similar.complete or search.feed.left or search.cancelled():
            return False
        admitted = search.space.by_slot
        return all(one.slot in admitted and admitted[one.slot].unread(one.span) is None for one in similar.passages)

    def _named(self, reply: ReadReply) -> list[ScoredPassage]:
        """What was not shown of short documents whose title stands in what a reply says is missing."""
        wanted = [f" {key(part)} " for part in (*reply.missing, *reply.terms)]
        found = []
        for admission in self._search.space.admitted:
            stem = PurePosixPath(admission.document.path).stem
            names = [name for one in (admission.title, stem) if len(name := key(one)) >= _SHORTEST_TITLE]
            if any((f" {name} " if name.isascii() else name) in part for name in names for part in wanted):
                found += self._rest(admission, None)
        return found[:_MOST_BESIDE]

    def _beside(self) -> list[ScoredPassage]:
        """What stands beside what was quoted, the rest of a short document first (the paper's local arm)."""
        quoted = (quote.proposal for quote in self._search.said.values())
        found = {(one.slot, one.span): one for item in quoted for one in self._rest(item.admission, item.span)}
        return list(found.values())[:_MOST_BESIDE]

    def _rest(self, admission: AdmittedCells, shown: Span | None) -> list[ScoredPassage]:
        """What was not shown of a short document; of a long one what stands around a place, if one is given."""
        length = len(admission.text)
        if length <= _SHORT_DOCUMENT:
            starts: Iterable[int] = range(0, length, WINDOW)
        else:
            starts = () if shown is None else (shown.end, shown.end + WINDOW, shown.start - WINDOW)
        spans = (Span(max(0, start), min(length, start + WINDOW)) for start in starts if start < length)
        score = max((passage.score for passage in self._search.passages), default=0.0)
        return [
            ScoredPassage(admission.slot, span, score)
            for span in spans
            if span.start < span.end and admission.unread(span) is not None
        ]

    def _search_for(self, query: str, most: int) -> list[ScoredPassage]:
        candidates = Candidates(
            self._search.reading.corpus,
            analyse(query),
            ablate={*self._search.options.signals, "links"},
            cancelled=self._search.late,
        )
        return passages_of(self._search.reading, candidates.scored, most, read=most)

    async def _widen_words(self) -> bool:
        """Ask once for other words where the question's own stand nowhere; whether they lead anywhere."""
        nowhere = not self._search.passages or bool(self._search.candidates.missing())
        if self._widened or not nowhere or not self._says_no() or self._search.progress.round >= self._search.rounds:
            return False
        self._widened = True
        terms = await self._judge.widen(self._search.plan.question, self._about(), self._search.ledger)
        if not terms:
            return False
        before = self._search.passages
        self._queue = await self._search.run(partial(self._led_to, ReadReply(terms=terms)))
        seen = {(passage.slot, passage.span) for passage in before}
        return any((passage.slot, passage.span) not in seen for passage in self._queue)

    def _about(self) -> str:
        """What the files are about, as far as it may be told: the names of their folders."""
        names = ", ".join(name for name in map(os.path.basename, self._search.reading.roots) if name)
        return f"The files lie in a folder named {names}." if names else ""


def _in_turn(*ranked: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """The first of each, the second of each, and so on."""
    return [passage for row in zip_longest(*ranked) for passage in row if passage is not None]


def join_replies(
    first: ReadReply, said: Mapping[int, Quote], second: ReadReply, more: Mapping[int, Quote]
) -> tuple[ReadReply, dict[int, Quote]]:
    """Two replies over two pieces of one document as one, and their quotes that stand: those of the second are numbered
    on, its answer follows. A piece that says nothing of what is asked leaves what was said."""
    if second.answerable is Answerable.NO:
        first.shown, first.withheld, first.broken_off = second.shown, second.withheld, second.broken_off
        return first, dict(said)
    behind = max((quote.number for quote in first.quotes), default=0)

    def renumbered(match: re.Match[str]) -> str:
        return f"{match[1]}[{', '.join(str(int(number) + behind) for number in NUMBER.findall(match[2]))}]"

    answerable = min(first.answerable, second.answerable, key=list(Answerable).index)
    parts = first.answer, _MARKER.sub(renumbered, second.answer)
    reply = ReadReply(
        answerable,
        (*first.quotes, *(replace(quote, number=quote.number + behind) for quote in second.quotes)),
        (*first.items, *(replace(item, quote=item.quote + behind) for item in second.items)),
        missing=() if answerable is Answerable.YES else tuple(dict.fromkeys((*first.missing, *second.missing))),
        terms=second.terms,
        answer="\n\n".join(part for part in parts if part),
        short=first.short or second.short,
        shown=second.shown,
        withheld=second.withheld,
        broken_off=second.broken_off,
    )
    return reply, {**said, **{number + behind: quote for number, quote in more.items()}}


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """The answer of a read call after the check."""

    items: list[Item]
    """E*: what the answer cites, in the order in which it cites it."""
    evidence: tuple[Evidence, ...]
    text: str
    short: str | None
    result: Combined | None
    missing: tuple[str, ...]
    """What is asked and not stated."""
    unsupported: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    arguable: tuple[Claim, ...]
    """Sentences that a judge should look at again."""
    sides: tuple[tuple[str, int], ...]
    """Values of what is asked that differ between passages, with the numbers of their evidence."""
    stated: bool
    """The judge says that all that is asked is stated."""
    whole: bool
    """It may be called answered: all that is asked is stated, every sentence rests on a quote that stands in its
    source, and what is to be computed was."""
    problems: tuple[str, ...] = ()
    """What is wrong with it, as the judge may be told it."""

    def mends(self, other: CheckedAnswer) -> bool:
        """Whether it is better than another answer to the same question, which the judge was asked to set right."""
        if self.whole or not other.stated:  # of a list that was said to go on, only a whole answer says more
            return self.whole
        return bool(self.text) and len(self.problems) < len(other.problems)


def check(
    question: str,
    reply: ReadReply,
    said: Mapping[int, Quote],
    evidence: Callable[[Item, int], Evidence],
    rivals: Sequence[Quote] = (),
    verdict: Mapping[str, Sequence[ClaimFault]] | None = None,
) -> CheckedAnswer:
    """Compare what a reply says with what it quotes. ``said`` are its quotes that stand in their sources, at least one;
    ``evidence`` makes an item of evidence with its number; ``rivals`` are the places that give other values for what is
    asked, the one that the reply gives first; ``verdict`` is what a judge found in its sentences, by their text."""
    chosen = quotes_of(reply, said)
    items = consolidate(
        cited_span(quote, 1.0, subject=True) for quote in (*(said[number] for number in chosen), *rivals)
    )
    shown = tuple(evidence(item, n) for n, item in enumerate(items, 1))
    numbers = {number: n for number in chosen if (n := item_of(said[number], items)) is not None}
    result = result_of(reply, said, numbers)
    text = final_text(reply, numbers, result, [item.quote for item in shown])
    without = unsupported(text, range(1, len(items) + 1))
    passages = cited_passages(items, shown, question)
    ours = [CitedPassage(value) for value in (result.text if result else "", str(len(reply.items) or "")) if value]
    compared = compare(text, passages, shown, ours, verdict)
    short = _short(reply, result, compared.doubts)
    above = () if short is None or result is not None else beyond(short, [*passages.values(), *ours])
    uncomputed = RESULT in reply.answer and result is None
    counted = _counted(reply, said)
    answerable = reply.answerable is Answerable.YES and bool(text) and not reply.broken_off
    missing = () if reply.answerable is Answerable.YES else tuple(filter(None, map(_unmarked, reply.missing)))
    if uncomputed:
        text += "\n\nThe values could not be combined; they are shown as they stand."
    problems = tuple(_problems(reply, said, without, compared.decisive, counted, above, uncomputed=uncomputed))
    if compared.decisive:
        text += f"\n\n{named(compared.decisive)}"
    if counted is not None:
        text += (
            f"\n\nThe count is in doubt: {counted:,} things are named, the short answer is {plain(reply.short or '')}."
        )
    sides = tuple((one.value, n) for one in rivals if one.value and (n := item_of(one, items)) is not None)
    if sides:
        newer = newest([items[n - 1].day for _, n in sides])
        text += f"\n\n{differing(sides, None if newer is None else sides[newer][1])}."
    if missing:
        text += f"\n\nNo passage states: {without_addresses('; '.join(missing))}."
    return CheckedAnswer(
        items,
        shown,
        text,
        None if uncomputed or counted is not None or above else short,
        result,
        missing,
        without,
        compared.doubts,
        compared.arguable,
        sides,
        stated=reply.answerable is Answerable.YES,
        whole=answerable and not problems,
        problems=problems,
    )


def _problems(
    reply: ReadReply,
    said: Mapping[int, Quote],
    without: Sequence[str],
    decisive: Sequence[Doubt],
    counted: int | None,
    beyond: Sequence[Doubt],
    *,
    uncomputed: bool,
) -> Iterator[str]:
    """What is wrong with a reply, as the judge may be told it."""
    for doubt in decisive:
        words = f"“{doubt.words}” ({doubt.reason})"
        yield f"{words} does not stand in the quotes that this sentence cites: {_unnumbered(doubt.sentence)}"
    yield from (f"No quote is cited for: {_unnumbered(sentence)}" for sentence in without)
    for number in sorted(set(cited_numbers(reply.answer)) - said.keys()):
        yield f"Quote {number} does not stand in its region as you wrote it."
    if uncomputed:
        yield "The computation cannot be done: each value must stand in its quote as written, in units that combine."
    if counted is not None:
        yield f"You name {counted} items, but the short answer is {reply.short}."
    for doubt in beyond:
        yield f"The short answer says “{doubt.words}” ({doubt.reason}), which stands in none of the quotes."


def _unnumbered(sentence: str) -> str:
    """A sentence without its markers: their numbers are ours, not those that the judge wrote."""
    return _MARKER.sub("", sentence)


def _counted(reply: ReadReply, said: Mapping[int, Quote]) -> int | None:
    """How many things the judge names, if its short answer is another number."""
    number = _WHOLE.fullmatch((reply.short or "").strip())
    names = distinct([item.name for item in reply.items if item.quote in said])
    if number is None or not names or reply.computation is not None or int(number[0]) == len(names):
        return None
    return len(names)


def _short(reply: ReadReply, result: Combined | None, doubts: Sequence[Doubt]) -> str | None:
    """The short answer: what was computed, unless the judge's own says it; none that is in doubt or not all that was
    asked."""
    if result is not None:
        written = (reply.short or "").replace(RESULT, result.text)
        return written if key(result.text) in key(written) else result.text
    short = reply.short
    if not short or RESULT in short or reply.answerable is not Answerable.YES:
        return None
    doubted = any(key(doubt.words) in key(short) or key(short) in key(doubt.words) for doubt in doubts)
    return None if doubted else short


def quotes_of(reply: ReadReply, said: Mapping[int, Quote]) -> list[int]:
    """The numbers of the quotes that the answer rests on, in the order in which it cites them: those of its text, of
    what is computed, of its items; all quotes when it cites none."""
    named = cited_numbers(reply.answer)
    if reply.computation is not None:
        named += [operand.quote for operand in reply.computation.operands]
    named += [item.quote for item in reply.items]
    found = [number for number in dict.fromkeys(named) if number in said]
    return found or sorted(said)


def item_of(quote: Quote, items: Sequence[Item]) -> int | None:
    """The number, from 1, of the item of evidence that holds a quote."""
    slot = quote.proposal.admission.slot
    return next((n for n, item in enumerate(items, 1) if item.slot == slot and item.span.contains(quote.span)), None)


def result_of(reply: ReadReply, said: Mapping[int, Quote], numbers: Mapping[int, int]) -> Combined | None:
    """What stands for ``{result}``: a value, the name with the greatest or least one, or how many items there are.

    ``numbers`` are the numbers of the evidence by those of the quotes. None when nothing is to be computed or a value
    does not stand in its quote or does not combine with the others: then the arithmetic is dropped, not the facts.
    """
    computation = reply.computation
    if computation is None or computation.expression.strip().lower() in _COUNT:
        names = distinct([item.name for item in reply.items if item.quote in said])
        return Combined(f"{len(names):,}") if names and RESULT in reply.answer else None
    values = _values(computation.operands, said)
    if values is None:
        return None
    try:
        return _computed(computation, values, numbers)
    except ComputationError:
        return None


def distinct(names: Sequence[str]) -> list[str]:
    """Names without those that are written alike, in order."""
    return list({key(name): name for name in reversed(names)}.values())[::-1]


def final_text(reply: ReadReply, numbers: Mapping[int, int], result: Combined | None, texts: Sequence[str]) -> str:
    """The answer as it is shown: markers point at the evidence and at nothing else, the result stands in its place,
    nothing in it is a link or an address that is not in one of the ``texts`` of the evidence.

    A marker that stands with the words before it in the evidence, too, and has another one behind it in its sentence is
    the document's: it is written apart, so that it is no marker.
    """

    def renumbered(match: re.Match[str]) -> str:
        if _is_of_document(match, texts):
            return f"{match[1]}[ {match[2]} ]"
        found = [numbers.get(int(number)) for number in NUMBER.findall(match[2])]
        marks = "".join(f"[{n}]" for n in dict.fromkeys(found) if n is not None)
        return f"{match[1]}{marks}" if marks else ""

    text = _REPEATED.sub(r"\1", _MARKER.sub(renumbered, reply.answer))
    text = without_addresses(printable(text), texts)
    if result is None:
        return text.replace(RESULT, "…").strip()
    unit = _UNIT.search(result.text)
    if unit is not None:  # the judge wrote the unit behind it, too
        text = _UNIT_AGAIN.sub(
            lambda match: RESULT + (match[1] if _same_unit(match[2], unit[0]) else match[0][len(RESULT) :]), text
        )
    shown = without_addresses(plain(result.text))  # a name is the judge's
    return text.replace(RESULT, f"**{shown}**").replace("****", "**").strip()


def _is_of_document(match: re.Match[str], texts: Sequence[str]) -> bool:
    """Whether a marker of an answer was copied from a document with the words before it."""
    text = match.string
    rest = text[match.end() : match.end() + _LONGEST_SENTENCE]
    end = _SENTENCE_END.search(rest)
    followed = _MARKER.search(rest if end is None else rest[: end.end()]) is not None
    copied = text[max(0, match.start(2) - _COPIED) : match.end()]
    return followed and len(copied) > len(match[0]) and any(copied in one for one in texts)


def _unmarked(line: str) -> str:
    """A line of the judge's that may stand in an answer: without brackets, which are for markers."""
    return plain(line.translate({ord("["): "(", ord("]"): ")"}))


def _same_unit(one: str, other: str) -> bool:
    """Whether two words mean one unit: "m" and "metres"."""
    if one.lower().rstrip("s") == other.lower().rstrip("s"):
        return True
    units = [find_unit(word) or find_unit(word.rstrip("s")) for word in (one, other)]
    return units[0] is not None and units[0] == units[1]


def _values(operands: Sequence[Operand], said: Mapping[int, Quote]) -> dict[str, Value] | None:
    """The typed values of all operands; None when one has none. Days without a year are of one year, if that may not be
    a leap year that makes a difference."""
    for year in ("", _ANY_YEAR):
        values = {}
        for operand in operands:
            quote = said.get(operand.quote)
            value = None if quote is None else _value(operand, quote, year)
            if value is not None:
                values[operand.id] = value
        if len(values) == len({operand.id for operand in operands}):
            dates = [value.date for value in values.values() if year and value.date is not None]
            leap = any(date.month is None or date.month < _MARCH for date in dates)
            return None if year and (leap or len(dates) < len(values)) else _of_one_unit(values)
    return None


def _of_one_unit(values: Mapping[str, Value]) -> dict[str, Value]:
    """The values, where a bare number takes the only unit of the others: "187 and 173 stars"."""
    bare = {name for name, one in values.items() if one.unit.dimension is Dimension.NUMBER and is_number(one)}
    units = {one.unit for name, one in values.items() if name not in bare and is_number(one)}
    if len(units) != 1:
        return dict(values)
    return {name: replace(one, unit=next(iter(units))) if name in bare else one for name, one in values.items()}


def _value(operand: Operand, quote: Quote, year: str) -> Value | None:
    """The typed value of an operand, if its quote gives it: as it is written, or as an equal value."""
    document = quote.proposal.admission.document
    text = _EMPHASIS.sub("", document.text[quote.span.start : quote.span.end])
    written = _EMPHASIS.sub("", operand.value)
    day = _DAY.sub(r"\1", _CLOCKED.sub(_in_words, written))
    value = first_value(f"{day} {year}" if year else day)
    if value is None:
        return None
    if key(written) in key(text) and _whole(written, text):
        return value
    return value if any(same(value, other) for other in find_values(text)) else None


def _in_words(clocked: re.Match[str]) -> str:
    """``5m0s`` as a number of seconds in words; ``5m`` may be metres."""
    if sum(part is not None for part in clocked.groups()) < 2:
        return clocked[0]
    hours, minutes, seconds = (int(part or 0) for part in clocked.groups())
    return f"{3600 * hours + 60 * minutes + seconds} seconds"


def _whole(written: str, text: str) -> bool:
    return re.search(rf"(?<![\w.,-]){re.escape(written)}(?![\w]|[.,]\d)", text, re.IGNORECASE) is not None


def _computed(computation: SaidComputation, values: Mapping[str, Value], numbers: Mapping[int, int]) -> Combined:
    operands = computation.operands
    cited = tuple(dict.fromkeys(numbers[operand.quote] for operand in operands if operand.quote in numbers))
    expression = _BETWEEN.sub(r"\1s", computation.expression.strip())
    ordered = _ORDERED.fullmatch(expression)
    if ordered is not None:
        kind, word = _KINDS[ordered[1].lower()]
        place = outermost(kind, [values[one.id] for one in operands])
        name = "equal" if place is None else operands[place].name
        return Combined(name, Computation(f"{word}({', '.join(one.id for one in operands)})", cited, name, None))
    value = evaluate(expression, values)
    unit = find_unit(computation.unit) if computation.unit else None
    if unit is not None:
        try:
            value = in_unit(value, unit)
        except ComputationError:
            unit = None
    shown = show(value)
    return Combined(shown, Computation(expression, cited, shown, value.unit.symbol))


def _with_subject(document: Document, span: Span) -> Span:
    """A quote that does not say of what it speaks, with the sentence of its paragraph that does: under no heading but
    the title, the beginning of the document names its subject."""
    text, title = document.text, document.structure.head.title
    blocks = document.structure.blocks
    first = next((block for block in blocks if block.kind is BlockKind.PARAGRAPH and block.span.contains(span)), None)
    if title is None or first is None or heading_path(document, span.start)[1:]:
        return span
    opening = sentences(text, first.span)[0]
    named = content(_ASIDE.sub("", title))
    says = named <= content(text[opening.start : opening.end])
    if named <= content(text[span.start : span.end]) or not says or span.end - opening.start > WINDOW:
        return span
    return Span(min(opening.start, span.start), span.end)


def cited_span(quote: Quote, belief: float, *, subject: bool) -> CitedSpan:
    """A quote as what may be cited; with the sentence that names its ``subject`` where it does not."""
    admission = quote.proposal.admission
    return CitedSpan(
        admission.slot,
        admission.document,
        _with_subject(admission.document, quote.span) if subject else quote.span,
        quote.requirement,
        quote.verdict,
        belief,
        match=quote.match,
        value=quote.value,
        arm=quote.proposal.arm,
        round=quote.round,
    )
