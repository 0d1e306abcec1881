"""The reader as the oracle of a question that no language model answers.

It reads the best passages of the scan once and says of each, calibrated, how probable it is that the passage states the
fact, and in which words. It answers questions in English that a few words of one passage can answer; of others its
passages are shown, and none is called a proof. What is exact (counts, lists of places) and the wording stay with the
rules.
"""

from __future__ import annotations

import asyncio
import re
import threading
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import field

from lens_lsp.judge.ledger import Ledger
from lens_lsp.judge.oracle import ObserveRequest, Synthesis, SynthesisRequest
from lens_lsp.judge.reader.cross_encoder import Calibration, PassageScore, ReaderModel, ReaderPassage
from lens_lsp.judge.rules.offline_oracle import OfflineOracle, short_answer, worded
from lens_lsp.model.answer import StopReason
from lens_lsp.model.documents import Evidence
from lens_lsp.model.errors import BudgetSpent
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.observation import (
    ConfidenceMap,
    CoverageReply,
    Judgement,
    Observation,
    ObservationReply,
    ObservationTable,
    Region,
    Verdict,
)
from lens_lsp.model.plan import Intent, Plan, Requirement
from lens_lsp.model.text import Span
from lens_lsp.model.words import STOP_WORDS, content, key

_LIST = regex(
    r"^(?:please )?(?:list|name|enumerate)\b|\bwhat (?:are|were)\b"
    r"|\b(?:which|what) (?:[\w'-]+ ){0,2}?(?P<last>[\w-]+s)\b",
    re.IGNORECASE,
)
_ONE = regex(
    r"(?:\w*(?:ss|us|is)|does|has|was|happens|causes|makes|means|comes|becomes|gets|takes|lets|helps|needs|goes|works"
    r"|always|as|times|says|keeps|holds|gives|stands|applies)$",
    re.IGNORECASE,
)
_SEVERAL = regex(r",|;|\n|\band\b|&|\bor\b")
_TWO = regex(
    r"\b(?P<each>for|in|on|at|by|with|from|about) [^,;?]{1,60}? and (?P=each)\b|\brespectively\b", re.IGNORECASE
)
_CALCULATED = regex(
    r"\b(?:altogether|in total|in all|combined|difference|compared|percentage of|by how (?:much|many)|times (?:slower"
    r"|faster|larger|more|as)|how (?:many|much) (?:\w+ )?(?:more|less|fewer|longer|older|later|earlier|higher|lower)"
    r"|how (?:many|much) [\w ]{1,30}between)\b",
    re.IGNORECASE,
)
_LETTERS = regex(r"[^\W\d_]+")
_OTHER_LANGUAGES = """
der die das den dem ist sind wie wer wo wann welche welcher welches warum und nicht ein eine le la les est sont quel
quelle où quand pourquoi comment qui dans avec el los las es son qué cuál dónde cuándo cómo quién il lo gli che quale
dove quando come perché het een wat waar hoe wie welke
"""
_FOREIGN = frozenset(_OTHER_LANGUAGES.split()) - STOP_WORDS
_LEAST_PLAIN = 0.9
"""Share of the letters of a text in English that are those of ASCII."""
_MARKED = regex(r"(?P<mark>`{1,2}|\*\*)(?=\S)[^`\n]{1,200}?(?<=\S)(?P=mark)")
PASSAGES = 24
"""Passages that are read for a question."""


def one_answer(question: str, answer: str) -> bool:
    """Whether the ``answer``, a stretch of words of one passage, can be all that a question asks for."""
    if _TWO.search(question) or _CALCULATED.search(question):
        return False
    found = _LIST.search(question)
    several = found is not None and (found["last"] is None or _ONE.match(found["last"]) is None)
    return not several or _SEVERAL.search(answer) is not None


def in_english(question: str, passage: str) -> bool:
    """Whether both are in the language that the reader was trained for, as far as letters and common words tell."""
    if not _plain(question) or not _plain(passage):
        return False
    words = {word.lower() for word in _LETTERS.findall(question)}
    return len(words & _FOREIGN) <= len(words & STOP_WORDS)


def columns_answer(question: str, region: Region, at: int) -> bool:
    """Whether words that begin ``at`` code points into a region may answer although the reader sees no columns: of a
    table's row those of two cells at most, and only where every word of the question that carries meaning stands in
    the row, in its header or above."""
    inside = zip(region.units, region.cells, strict=False)
    row, cells = next(((u, n) for u, n in inside if n and u.start <= at < u.end), (None, 0))
    if row is None:
        return True
    about = (region.text[row.start : row.end], *heads(region), region.path)
    return cells <= 2 and content(question) <= content(*about)


def _plain(text: str) -> bool:
    letters = "".join(_LETTERS.findall(text))
    return sum(map(str.isascii, letters)) >= _LEAST_PLAIN * len(letters)


def _never() -> bool:
    return False


@dataclass(slots=True)
class ReaderOracle:
    """Implements `judge.oracle.PassageOracle` for one question with a loaded ``model``, called ``name`` in the answer.
    Where ``cancelled`` turns true, which is asked on another thread, it reads no further."""

    model: ReaderModel
    rules: OfflineOracle = field(default_factory=OfflineOracle)
    passages: int = PASSAGES
    cancelled: Callable[[], bool] = _never
    name: str = "the built-in reader"
    _known: dict[tuple[str, ReaderPassage], PassageScore] = field(default_factory=dict)
    """What was read already: a question that waits for documents comes back with passages that it had before."""
    _judged: bool = False
    """Passages were read, so that the answer says who judged."""

    @property
    def endpoint(self) -> None:
        """Nothing leaves the process."""

    @property
    def table(self) -> ObservationTable:
        """What exact rules say is entered with these ratios; the reader says its own."""
        return self.rules.table

    @property
    def confidence(self) -> ConfidenceMap:
        """From calibrated log odds to the share of labelled passages that state what is asked."""
        return self._calibration.confidence

    @property
    def _calibration(self) -> Calibration:
        return self.model.calibration

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        """The question as the fact to find, one of two for a comparison."""
        return await self.rules.analyse(question, ledger, known)

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        """How probable it is that each region states each requirement. Lists and summaries are left to the rules."""
        if request.plan.intent in (Intent.SUMMARIZE, Intent.AGGREGATION):
            return await self.rules.observe(request, ledger)
        shown = [ReaderPassage(region.text, region.path, heads(region)) for region in request.regions]
        said: list[list[Judgement]] = [[] for _ in request.regions]
        ranks: dict[int, float] = {}
        scan = [request.prior.get(region.number, 0.0) for region in request.regions]
        alone = len(request.plan.requirements) == 1
        wrong = frozenset(map(key, request.wrong)) if alone else frozenset()
        for requirement in request.outstanding:
            asked = request.plan.question if alone else requirement.text
            readings = await self._read(asked, shown, ledger)
            answers = [one.text[reading.start : reading.end] for one, reading in zip(shown, readings, strict=True)]
            odds = self._calibration.log_odds(readings, scan, answers)
            for k, region in enumerate(request.regions):
                proof = (
                    odds[k] >= self._calibration.answered
                    and readings[k].end > readings[k].start
                    and (not alone or one_answer(asked, answers[k]))
                    and in_english(asked, region.text)
                    and columns_answer(asked, region, readings[k].start)
                    and not (wrong and key(_said(region, readings[k])) in wrong)
                )
                said[k].append(_judged(requirement, region, readings[k], odds[k], proof=proof))
                rank = self._calibration.rank(readings[k], scan[k])
                ranks[region.number] = max(ranks.get(region.number, rank), rank)
        self._judged = True
        numbered = zip(request.regions, said, strict=True)
        observations = tuple(Observation(region.number, tuple(found)) for region, found in numbered)
        return ObservationReply(observations, order=tuple(sorted(ranks, key=lambda number: -ranks[number])))

    async def _read(self, question: str, shown: Sequence[ReaderPassage], ledger: Ledger) -> Sequence[PassageScore]:
        """What the model makes of the passages, on another thread, which ends soon when nobody waits for it."""
        left = threading.Event()
        fresh = [passage for passage in shown if (question, passage) not in self._known]

        def stop() -> None:
            if left.is_set() or self.cancelled():
                raise BudgetSpent(StopReason.CANCELLED)
            ledger.check_time()

        try:
            read = await asyncio.to_thread(self.model.read, question, fresh, stop)
        finally:
            left.set()
        self._known.update(zip(((question, passage) for passage in fresh), read, strict=True))
        return [self._known[question, passage] for passage in shown]

    def stated(self, question: str, sentences: Sequence[tuple[str, str]]) -> Sequence[float]:
        """What the network makes of sentences; raises `BudgetSpent` where nobody waits any more."""

        def stop() -> None:
            if self.cancelled():
                raise BudgetSpent(StopReason.CANCELLED)

        self._judged = True
        return [one.log_odds for one in self.model.read(question, [ReaderPassage(*each) for each in sentences], stop)]

    async def cover(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence], ledger: Ledger
    ) -> CoverageReply:
        """Vetoes what no single passage proves."""
        return await self.rules.cover(plan, outstanding, evidence, ledger)

    async def synthesise(self, request: SynthesisRequest, result: Synthesis, ledger: Ledger) -> AsyncIterator[str]:
        """The quotes with the answer marked; the short answer is what the reader marked in the most probable one."""
        known = request.plan.intent is Intent.LOOKUP and not request.by_rows  # read for an earlier question
        reader = self.name if self._judged or known else None
        for piece in worded(request, configured=ledger.account().endpoint is not None, reader=reader):
            yield piece
        result.short = short_answer(request)

    async def calibrate(self, request: SynthesisRequest, answer: str, ledger: Ledger) -> str | None:
        """The short answer, as in the synthesis."""
        return short_answer(request)


def heads(region: Region) -> tuple[str, ...]:
    """What stands above a region: headings, and the header of its table."""
    return (*region.headings, *((region.header,) if region.header else ()))


def _judged(requirement: Requirement, region: Region, reading: PassageScore, odds: float, *, proof: bool) -> Judgement:
    if not proof:
        return Judgement(requirement.id, Verdict.RELATED, log_odds=odds)
    answer = whole(region.text, Span(reading.start, reading.end))
    first, last = _units(region, answer)
    quote = region.text[first:last]
    return Judgement(requirement.id, Verdict.FULL, quote, region.text[answer.start : answer.end], odds)


def _said(region: Region, reading: PassageScore) -> str:
    """The answer that the reader marked in a region."""
    answer = whole(region.text, Span(reading.start, reading.end))
    return region.text[answer.start : answer.end]


def whole(text: str, answer: Span) -> Span:
    """An answer with all of the code or bold words that it begins or ends in."""
    start, end = answer.start, answer.end
    last = text.find("\n", end)
    for marked in _MARKED.finditer(text, text.rfind("\n", 0, start) + 1, len(text) if last < 0 else last):
        if marked.start() < end and start < marked.end():
            start, end = min(start, marked.start()), max(end, marked.end())
    return Span(start, end)


def _units(region: Region, answer: Span) -> tuple[int, int]:
    """The sentences, items or rows that an answer stands in."""
    starts = [unit.start for unit in region.units]
    first = max(0, bisect_right(starts, answer.start) - 1)
    last = max(0, bisect_right(starts, answer.end - 1) - 1)
    if not region.units or region.units[first].start > answer.start:
        return answer.start, answer.end
    return region.units[first].start, max(region.units[last].end, answer.end)
