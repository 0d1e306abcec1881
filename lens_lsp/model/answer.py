"""What a question came to: the answer, each requirement's status, the evidence, and what it cost.

The field names are those of schema ``lens.answer/2`` (docs/reference).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lens_lsp.model.documents import Coverage, Evidence, RankedDocument, Stage
from lens_lsp.model.plan import Intent
from lens_lsp.model.text import Span


class Mode(StrEnum):
    """Who judges relevance, and the call plan: `DEEP` is the paper's, `EVIDENCE` makes no model call."""

    EVIDENCE = "evidence"
    FAST = "fast"
    DEEP = "deep"


class Status(StrEnum):
    """Whether the question was answered."""

    ANSWERED = "answered"
    """Every requirement is covered or contested."""
    PARTIAL = "partial"
    """Evidence is shown, and at least one requirement is missing."""
    UNANSWERED = "unanswered"
    """There is no evidence."""


class RequirementStatus(StrEnum):
    """Whether one fact was found."""

    COVERED = "covered"
    MISSING = "missing"
    CONTESTED = "contested"


class StopReason(StrEnum):
    """Why the search ended."""

    COVERED = "covered"
    ROUNDS = "rounds"
    NOWHERE = "nowhere"
    DIRECT = "direct"
    REUSED = "reused"
    BUDGET_CALLS = "budget-calls"
    BUDGET_TOKENS = "budget-tokens"
    BUDGET_SECONDS = "budget-seconds"
    BUDGET_COST = "budget-cost"
    MODEL_FAILED = "model-failed"
    CANCELLED = "cancelled"


class Arm(StrEnum):
    """The proposal families (paper, equation for π_t), and the ways around them."""

    LEXICAL = "lexical"
    LOCAL = "local"
    GLOBAL = "global"
    DIRECT = "direct"
    """The whole scope fitted one request."""
    SCAN = "scan"
    """An exact rule over every match of the scan."""
    STORE = "store"
    """An earlier answer's citation that stands."""


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """One requirement at the end: its status and the numbers of the evidence that carries it."""

    id: str
    text: str
    status: RequirementStatus
    confidence: float | None
    many: bool
    matching: int
    """Matching windows there are; of these ``read`` were read."""
    read: int
    value: str | None
    evidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Computation:
    """Arithmetic done by our code on cited operands; ``operands`` are evidence numbers."""

    expression: str
    operands: tuple[int, ...]
    value: str
    unit: str | None


@dataclass(frozen=True, slots=True)
class Sent:
    """A span of a document that was sent to an endpoint; ``root`` is the index of the folder that ``path`` is in.

    ``veiled``: hidden text was taken out of it, or of what was told of where it stands.
    """

    path: str
    span: Span
    root: int = 0
    veiled: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Account:
    """What the question cost. ``calls`` by stage, without the total; ``seconds`` is wall time."""

    calls: Mapping[str, int] = field(default_factory=dict)
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float | None = None
    endpoint: str | None = None
    sent: tuple[Sent, ...] = ()


@dataclass(frozen=True, slots=True)
class Reused:
    """Facts that an earlier answer proved and whose sources still hold. ``asked_at`` is when, in seconds since the
    epoch; ``requirements`` are ids of this question's."""

    cluster: str
    asked_at: float
    requirements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Words of a sentence of the answer that the passages it cites do not support, and what is wrong with them: number,
    unit, date, name, negation, limit or meaning."""

    sentence: str
    words: str
    reason: str
    decisive: bool = True
    """It keeps the text from being called an answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The pair (E*, a) of the paper with everything needed to trust or doubt it."""

    question: str
    mode: Mode
    intent: Intent
    seed: int
    roots: tuple[str, ...]
    status: Status
    stopped: StopReason
    text: str
    """Markdown with ``[n]`` markers."""
    short: str | None
    requirements: tuple[RequirementResult, ...]
    evidence: tuple[Evidence, ...]
    computation: Computation | None
    documents: tuple[RankedDocument, ...]
    coverage: Coverage
    account: Account
    compression: float | None
    rejected_quotes: int = 0
    unsupported: tuple[str, ...] = ()
    """Sentences of the answer that claim something and cite nothing."""
    doubts: tuple[Doubt, ...] = ()
    """What the answer says beyond the passages that it cites for it."""
    reused: tuple[Reused, ...] = ()
    newer: tuple[str, ...] = ()
    """Documents that bear on a reused fact, came or changed since it was proven, and are not cited, by path."""
    typed: str | None = None
    """The question as it was typed, when what it refers to in its thread was put in."""
    stages: tuple[Stage, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def kept_as(self) -> Status:
        """What it counts as once it is kept: the words of a question that was stopped are not those to repeat."""
        return Status.PARTIAL if self.stopped is StopReason.CANCELLED else self.status
