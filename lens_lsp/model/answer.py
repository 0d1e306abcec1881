"""The answer to a question, and the events that lead to it: what it came to, each requirement's status, the evidence,
and what it cost.

The field names are those of schema ``lens.answer/2`` (docs/reference). ``Lens.ask`` yields `Planned`, early
`EvidenceFound`, `Scanned`, `Admitted`, then per round `Proposed`, `Observed`, `Covered`, between them `EvidenceFound`
as quotes are verified, then `AnswerDelta`, `Answered` and, last, `Stopped`. Where nothing that a model said may stand,
the search without one begins anew with `Planned`.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Literal

from lens_lsp.model.documents import Coverage, Evidence, Fetched, RankedDocument, Stage
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.observation import ObservationTable, Verdict
from lens_lsp.model.plan import Intent, Plan
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
    fetched: tuple[Fetched, ...] = ()
    """What the roots in object stores took."""


@dataclass(frozen=True, slots=True)
class Reused:
    """Facts that an earlier answer proved and whose sources still hold. ``asked_at`` is when, in seconds since the
    epoch; ``requirements`` are ids of this question's."""

    cluster: str
    asked_at: float
    requirements: tuple[str, ...]


DoubtReason = Literal["number", "unit", "date", "name", "negation", "limit", "meaning"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Words of a sentence of the answer that the passages it cites do not support, and what is wrong with them."""

    sentence: str
    words: str
    reason: DoubtReason
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
        """What it counts as once it is kept: the words of a question that was stopped, or came before all documents
        were read, are not those to repeat."""
        early = self.stopped is StopReason.CANCELLED or self.coverage.unread > 0
        return Status.PARTIAL if early else self.status


@dataclass(frozen=True, slots=True)
class Planned:
    """The question was analysed."""

    plan: Plan
    mode: Mode
    seed: int
    table: ObservationTable
    """The likelihood ratios of the oracle that will observe."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """Every file was looked at: ``files`` of ``found`` were scanned, with ``matches`` places where a term stands."""

    found: int
    files: int
    skipped: int
    matches: int


@dataclass(frozen=True, slots=True)
class AdmittedDocument:
    """A document that joined the search. ``cells`` are its cells of 50 code points, ``file`` is π_file per
    requirement over all documents admitted so far, ``position`` π_pos per requirement and cell."""

    root: int
    path: str
    base: int
    """Where in the file the cells begin, in code points; 0 but for pieces of large files."""
    length: int
    cells: int
    position: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Admitted:
    """Documents joined the search; ``file`` gives π_file of all admitted so far, in order of admission, per
    requirement. Beliefs start anew from these priors and keep what was observed."""

    round: int
    joined: tuple[AdmittedDocument, ...]
    file: Mapping[str, tuple[float, ...]]
    ranking: tuple[RankedDocument, ...]
    reserve: int
    """Documents that wait for self-correction."""
    compression: float | None


@dataclass(frozen=True, slots=True)
class ProposedRegion:
    """A region that was drawn: by which arm, from which admitted document (by order of admission)."""

    number: int
    document: int
    path: str
    span: Span
    cells: Span
    arm: Arm
    tokens: int


@dataclass(frozen=True, slots=True)
class Proposed:
    """A round's regions, and the mixture they were drawn from."""

    round: int
    weights: Mapping[str, float]
    """λ by arm."""
    regions: tuple[ProposedRegion, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What one region said about one requirement, its quote resolved; ``cells`` are those the quote touches."""

    region: int
    requirement: str
    verdict: Verdict
    cells: Span | None
    log_odds: float | None = None
    """Of a judge that says how probable it is: what entered the beliefs in place of the verdict's ratio, in nats."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A round's observations as they entered the beliefs."""

    round: int
    judgements: tuple[Judged, ...]
    rejected: int
    """Quotes that could not be resolved; their verdicts count as none."""
    terms: tuple[str, ...]
    """New search terms."""


@dataclass(frozen=True, slots=True)
class BestCell:
    """A cell of a document (by order of admission), and how much of the belief is there."""

    document: int
    cell: int
    belief: float


@dataclass(frozen=True, slots=True)
class Belief:
    """One requirement's belief after a round."""

    requirement: str
    nowhere: float
    glr: float | None
    """GLR of the best quoted span; None without one."""
    threshold: float
    covered: bool
    rule: str | None
    """Which rule covered it: ``glr``, ``full``, ``partials``, ``exact``; ``answerable`` where the oracle says that the
    evidence answers the question, ``not-needed`` where it does so without this one."""
    best: tuple[BestCell, ...]
    """The cells with the most belief."""


@dataclass(frozen=True, slots=True)
class Covered:
    """Where the beliefs stand after a round."""

    round: int
    beliefs: tuple[Belief, ...]


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """A quote was verified in its source. While the search goes on numbers are in order of discovery; ``final``
    ones are those of the answer, and come just before it.

    ``early`` ones come before the scan where that takes long, while very many files are read for the first time, and
    while a model plans: windows that a first look found, numbered by themselves, for no requirement. The search owes
    them nothing and may find better ones.
    """

    evidence: Evidence
    final: bool = False
    early: bool = False


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """The next piece of the answer's text; ``restart`` begins it anew, what came before no longer holds. Words that are
    still ``checking`` were not yet compared with what was proven."""

    text: str
    restart: bool = False
    checking: bool = False


@dataclass(frozen=True, slots=True)
class Answered:
    """The whole answer."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Stopped:
    """Nothing follows."""

    reason: StopReason


Event = Planned | Scanned | Admitted | Proposed | Observed | Covered | EvidenceFound | AnswerDelta | Answered | Stopped


async def answer_of(events: AsyncGenerator[Event]) -> Answer:
    """Hear all events of a question and keep its answer. Raises RuntimeError when they end without one."""
    answer = None
    async with contextlib.aclosing(events):
        async for event in events:
            if isinstance(event, Answered):
                answer = event.answer
    if answer is None:
        raise RuntimeError("the search ended without an answer")
    return answer
