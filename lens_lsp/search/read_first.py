"""Search by reading first, mode `fast`: a judge reads the best passages, quotes them and answers in one call.

Then only what its reply says is missing is looked for: the rest of what it quoted, what its new terms find, passages
like those of the members of a list.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from pathlib import PurePosixPath

from lens_lsp.judge.analysis import analyse
from lens_lsp.judge.answer_markdown import MARKER, NUMBER, unlinked
from lens_lsp.judge.oracle import Answerable, ReadingJudge, ReadReply, ReadRequest
from lens_lsp.model.answer import AnswerDelta, Covered, Event, StopReason
from lens_lsp.model.errors import BudgetSpent, OracleFailed
from lens_lsp.model.observation import tokens
from lens_lsp.model.sanitize import printable
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, key, words
from lens_lsp.search.beliefs import Admission
from lens_lsp.search.exploration import MOST_READ, Exploration, with_context
from lens_lsp.search.localisation import Candidates, passages_of
from lens_lsp.search.passages import WINDOW, ScoredPassage
from lens_lsp.search.proposals import Proposal, Quote, RegionRequest, best, outline, whole

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
_MARKER = re.compile(rf"([ \t]*){MARKER.pattern}")


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
        self._queue = [] if self._search.subject is not None else list(self._search.passages)
        while (reason := self._reading_ends()) is None:
            newcomers = [passage.slot for passage in self._queue if passage.slot not in self._search.space]
            if newcomers:
                yield self._search.admit(newcomers)
            request = self._propose_reading(everything=everything)
            if len(request.proposals) == request.kept:
                if await self._search.feed.read_until_promising(self._search.take_in):
                    self._queue = list(self._search.passages)
                    continue
                if await self._widen_words():
                    continue
                reason = StopReason.NOWHERE if self._says_no() else StopReason.ROUNDS
                break
            self._search.progress.round += 1
            yield self._search.events.proposed(self._search.progress.round, self._search.mixture.weights, request)
            async for event in self._read(request):
                yield event
            if self._broken_off:
                reason, self._search.failure = StopReason.MODEL_FAILED, "its reply ended before its end"
                break
            if self._search.subject is not None and self._says_no():  # another document was meant
                self._search.subject, self._queue = None, list(self._search.passages)
                continue
            if (
                self._search.subject is not None and self._search.guessed and self._search.progress.open
            ):  # or that one does not hold all
                self._search.subject = None
            if (self._search.subject is not None or everything) and request.complete:
                reason = StopReason.DIRECT
                break
            if (
                self._search.progress.open
                and self._search.subject is None
                and self._search.rounds_left
                and self._search.reply is not None
            ):
                self._queue = await self._search.run(partial(self._led_to, self._search.reply))
        self._search.stopped = reason

    def _reading_ends(self) -> StopReason | None:
        """Why no further read call is made, if there is a reason."""
        if self._search.cancelled():
            return StopReason.CANCELLED
        if not self._search.progress.open and self._search.subject is None:
            return StopReason.COVERED
        if self._search.progress.round >= self._search.rounds or (
            self._search.progress.round > 1 and self._fruitless > 1
        ):
            return StopReason.NOWHERE if self._says_no() else StopReason.ROUNDS
        self._search.ledger.check_time()
        return None

    def _says_no(self) -> bool:
        return self._search.reply is None or self._search.reply.answerable is Answerable.NO

    def _propose_reading(self, *, everything: bool) -> RegionRequest:
        """The regions of the next read call: what was quoted before, then what is new."""
        budget = self._search.ledger.budget
        whole_document = everything or self._search.subject is not None
        request = RegionRequest(
            budget.direct_tokens if whole_document else min(MOST_READ, budget.request_tokens), _FENCE
        )
        # A document that is summarised is read piece by piece, each once.
        quotes = [] if self._search.subject is not None else self._search.progress.quotes
        kept = {(quote.proposal.admission.slot, quote.proposal.span): quote for quote in quotes}
        if (
            self._search.reply is not None and len(self._search.reply.items) >= _LEAST_MEMBERS
        ):  # room for further members of a list
            spans = {(quote.proposal.admission.slot, with_context(quote)): quote for quote in quotes}
            for (slot, span), quote in spans.items():
                if not any(other != span and at == slot and other.contains(span) for at, other in spans):
                    request.again(quote.proposal, span)
        else:
            for quote in kept.values():
                request.again(quote.proposal)
        if everything or (self._search.subject is not None and self._fits_rounds(request)):
            for admission in self._search.space.admitted:
                whole(request, admission)
        elif self._search.subject is not None:
            outline(request, self._search.space)
        else:
            enough = self._enough()
            best(request, self._search.space, self._queue, enough, bare=self._similar.passages)
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
        asked = ReadRequest(self._search.plan.question, regions, self._search.is_summary, exhausted=self._exhausted())
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
            reply, said = joined(earlier, self._search.said, reply, said)
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
        floor = _RELEVANT * max((passage.score for passage in self._search.passages), default=0.0)
        led = [passage for row in zip_longest(*found) for passage in row if passage is not None]
        beside = [*self._named(reply), *self._beside()]
        both = [passage for row in zip_longest(beside, led) for passage in row if passage is not None]
        self._look_for_members(reply)
        return [
            *self._similar.passages,
            *both,
            *(passage for passage in self._search.passages if passage.score >= floor),
        ]

    def _look_for_members(self, reply: ReadReply) -> None:
        """Find passages like those that the members of a list were quoted from, once for each reply: by the words that
        most of the quotes share (relevance feedback), down to about the score of the lowest of these quotes."""
        if self._similar.reply is reply:
            return
        self._similar = _Similar(reply)
        quotes = {
            item.quote: self._search.said[item.quote] for item in reply.items if item.quote in self._search.said
        }.values()
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
            passages = [one for one in found if one.score >= _LIKE * min(known)]
            self._similar = _Similar(reply, passages, len(passages) < len(found) or len(found) < _ALIKE)

    def _exhausted(self) -> bool:
        """Whether every passage like the members of a list was shown, and no document waits to be read."""
        if (
            not self._similar.passages
            or not self._similar.complete
            or self._search.feed.left
            or self._search.cancelled()
        ):
            return False
        admitted = self._search.space.by_slot
        return all(
            one.slot in admitted and admitted[one.slot].unread(one.span) is None for one in self._similar.passages
        )

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

    def _rest(self, admission: Admission, shown: Span | None) -> list[ScoredPassage]:
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


def joined(
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
