"""The oracle as the engine sees it: the paper's typed interfaces (supplement, "Prompt interfaces").

Whoever takes this seat (the offline rules, a chat model, the answer key of an evaluation) judges relevance and words
the answer. It is never trusted with positions: it quotes, and the engine finds the quote.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from lens_lsp.judge.ledger import Ledger
from lens_lsp.model.answer import RequirementStatus
from lens_lsp.model.documents import Evidence
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
