"""The interface of an oracle: what a judge of passages is asked, what it answers, and the protocols of each kind.

`Oracle` is the paper's typed interface (supplement, "Prompt interfaces"); a `ReadingJudge` quotes and answers in one
call (round 1 with the question as the only fact; paper: lookup, K = 1); a `ClaimJudge` compares the sentences of an
answer with what they cite. None is trusted with positions: what it quotes is looked up in what it was shown.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from lens_lsp.judge.ledger import Ledger
from lens_lsp.model.answer import RequirementStatus
from lens_lsp.model.documents import Evidence
from lens_lsp.model.errors import OracleFailed
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.observation import ConfidenceMap, CoverageReply, ObservationReply, ObservationTable, Region
from lens_lsp.model.plan import Plan, Requirement


@dataclass(frozen=True, slots=True)
class ObserveRequest:
    """One round's regions and the requirements that are still open.

    ``idf`` weighs each anchor by its rarity in this workspace (text of the anchor to nats): a fact about the corpus
    that no model knows.
    """

    plan: Plan
    outstanding: tuple[Requirement, ...]
    regions: tuple[Region, ...]
    idf: Mapping[str, float] = field(default_factory=dict)
    prior: Mapping[int, float] = field(default_factory=dict)
    """Of passages of the scan: what it gives each region, by its number, as a share of the best one's score."""
    wrong: tuple[str, ...] = ()
    """Short answers to the question that the user called wrong."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One requirement as the search left it: what the answer may rest on.

    ``evidence`` are the numbers of its cited items in E*; ``sides`` the values of a contested fact with their items.
    ``matching`` of an exact rule counts every match, also those not shown.
    """

    requirement: Requirement
    status: RequirementStatus
    value: str | None
    evidence: tuple[int, ...]
    sides: tuple[tuple[str, int], ...] = ()
    newer: int | None = None
    """Of a contested fact the item that is newer than all others, where that is known."""
    matching: int = 0
    read: int = 0
    files: int = 0


@dataclass(frozen=True, slots=True)
class SynthesisRequest:
    """E*, numbered from 1, the facts, and what our own arithmetic made of them."""

    plan: Plan
    evidence: tuple[Evidence, ...]
    facts: tuple[Fact, ...]
    computed: str | None = None
    """The result of the plan's transformation, computed by us; None when operands are missing or nothing combines."""
    derivation: str | None = None
    """How it was computed, with the operands' numbers, as one line of Markdown."""
    unread: tuple[str, ...] = ()
    """Sections of a summarised document that did not fit."""
    judged: bool = False
    """A model read what was found and says that no passage states what is asked."""
    failure: str | None = None
    """Why the language model that was to judge gave no answer, as a clause; None where it did or there is none."""
    by_rows: bool = False
    """Rows of tables, or heads of mail, say it exactly: ``computed`` and ``derivation`` come from them."""
    again: bool = False
    """The first synthesis found a requirement unmet and the search went on; this call is the calibration's."""


@dataclass(slots=True)
class Synthesis:
    """What synthesis ended with, filled in when its stream is exhausted."""

    short: str | None = None
    unmet: tuple[str, ...] = ()
    """Requirements that the evidence does not meet after all."""
    unsupported: tuple[str, ...] = ()
    """Sentences of the answer that claim something and cite nothing."""


class Oracle(Protocol):
    """Judges relevance. Each method raises `BudgetSpent` before it would overspend the ledger, and
    `OracleFailed` when no usable reply could be had."""

    @property
    def endpoint(self) -> str | None:
        """The origin that everything is sent to; None when nothing leaves the process."""

    @property
    def table(self) -> ObservationTable:
        """The likelihood ratios of its verdicts, fitted on labelled runs."""

    @property
    def confidence(self) -> ConfidenceMap:
        """What its citations are worth, fitted on labelled runs."""

    async def analyse(self, question: str, ledger: Ledger, known: Sequence[str] = ()) -> Plan:
        """Stages S1 and S2: anchors and requirements from the question alone.

        ``known`` are facts that earlier questions looked up, for whoever can tell that one is asked for again.
        """

    async def observe(self, request: ObserveRequest, ledger: Ledger) -> ObservationReply:
        """One observation of every region about every outstanding requirement, in one request."""

    async def cover(
        self, plan: Plan, outstanding: Sequence[Requirement], evidence: Sequence[Evidence], ledger: Ledger
    ) -> CoverageReply:
        """Whether the evidence proves the requirements, and which terms are missing."""

    def synthesise(self, request: SynthesisRequest, result: Synthesis, ledger: Ledger) -> AsyncIterator[str]:
        """The answer as a stream of Markdown with ``[n]`` markers; fills ``result`` at its end."""

    async def calibrate(self, request: SynthesisRequest, answer: str, ledger: Ledger) -> str | None:
        """Stage S5: the short answer, when the synthesis gave none."""


@runtime_checkable
class PassageOracle(Oracle, Protocol):
    """An oracle that reads the best passages of the scan, once, and orders what is shown of them."""

    passages: int
    """How many it reads."""

    def stated(self, question: str, sentences: Sequence[tuple[str, str]]) -> Sequence[float]:
        """The log odds, in nats and not calibrated, that each of some sentences states what is asked; beside each the
        path of its file. Takes long."""


class Answerable(StrEnum):
    """Whether what was shown states what is asked."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"


@dataclass(frozen=True, slots=True)
class SaidQuote:
    """A quote as it was said: its number in the reply, which ``[n]`` of the answer means, its region and its words."""

    number: int
    region: int
    text: str


@dataclass(frozen=True, slots=True)
class SaidItem:
    """One member of a list that was asked for, and the number of its quote."""

    name: str
    quote: int


@dataclass(frozen=True, slots=True)
class Operand:
    """A value to calculate with: what the expression calls it, of whom it is, as it is written in which quote."""

    id: str
    name: str
    value: str
    quote: int


@dataclass(frozen=True, slots=True)
class SaidComputation:
    """What is to be calculated from values that were quoted: an expression over them, or ``greatest``, ``least``."""

    operands: tuple[Operand, ...]
    expression: str
    unit: str | None = None
    """The unit that the question asks for."""


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """The regions of one read call, the best document first, in reading order within a document."""

    question: str
    regions: tuple[Region, ...]
    summary: bool = False
    """The regions are a whole document or a part of it, to be summarised."""
    exhausted: bool = False
    """The search finds no further passage like those that were quoted: what is shown here is all there is."""
    wrong: tuple[str, ...] = ()
    """Short answers to the question that the user called wrong."""


@dataclass(slots=True)
class ReadReply:
    """What a read call said, complete once its stream is exhausted."""

    answerable: Answerable = Answerable.NO
    quotes: tuple[SaidQuote, ...] = ()
    items: tuple[SaidItem, ...] = ()
    computation: SaidComputation | None = None
    missing: tuple[str, ...] = ()
    """What is asked and was not stated, in words."""
    terms: tuple[str, ...] = ()
    """Search terms for what is missing."""
    answer: str = ""
    """Markdown; ``[n]`` is the number of a quote, ``{result}`` stands for what is computed."""
    short: str | None = None
    shown: frozenset[int] = frozenset()
    """The regions that were really read."""
    withheld: frozenset[int] = field(default=frozenset())
    """Those of the others that this judge may never read."""
    broken_off: bool = False
    """The reply ended before its end; what came before stands."""
    written: str = field(default="", repr=False)
    """The reply as it came."""
    small: bool = False
    """It is that of a model too small to judge, whose words are looked at closer."""


class Unfit(OracleFailed):
    """A reply that no answer can be made of; ``flaw`` says why."""

    def __init__(self, flaw: str) -> None:
        super().__init__(f"the model's reply is left out: {flaw}; `lens doctor --probe` tests whether it can judge")
        self.flaw = flaw


@runtime_checkable
class ReadingJudge(Protocol):
    """A judge that reads first: it quotes and answers in one call."""

    def read(self, request: ReadRequest, reply: ReadReply, ledger: Ledger) -> AsyncGenerator[str]:
        """One call. Yields the answer's words as they come, none of them checked, and fills ``reply``. Raises
        `BudgetSpent` and `OracleFailed`."""

    async def amend(
        self, request: ReadRequest, reply: ReadReply, problems: Sequence[str], ledger: Ledger
    ) -> ReadReply | None:
        """One call: the reply again, with its ``problems`` set right; None when nothing better came. Raises
        `BudgetSpent` and `OracleFailed`."""

    async def widen(self, question: str, about: str, ledger: Ledger) -> tuple[str, ...]:
        """One call: other words for a question whose own stand nowhere. ``about`` says what the files are about."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of an answer, without its markers, and the evidence that it cites."""

    text: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class ClaimFault:
    """Words of a sentence that its passages do not state, empty for the whole of it, and what is wrong with them: one
    of `judge.claims.Reason`."""

    words: str
    reason: str


@runtime_checkable
class ClaimJudge(Protocol):
    """A judge of sentences."""

    async def verify(
        self, question: str, claims: Sequence[Claim], ledger: Ledger
    ) -> Mapping[int, tuple[ClaimFault, ...]] | None:
        """One call: the faults of each claim, by its place in ``claims``; those that could not be shown are left out.
        None when the reply cannot be read. Raises `BudgetSpent` and `OracleFailed`."""
