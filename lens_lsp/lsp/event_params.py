"""What ``lens/event`` tells, as types: see `results`. Made by `wire.events.event_json`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from lens_lsp.lsp.results import EventAnswer, EventEvidence, Mode, RankedDocument, Span, Stop
from lens_lsp.lsp.wire import Wire


class _Event(Wire):
    token: str | int | None
    """The ``workDoneToken`` of the question."""
    request: str | int
    """The id of the question's request."""
    schema_: Annotated[Literal["lens.event/1"], Field(alias="schema")]
    seq: int


class PlannedEvent(_Event):
    """How the question was understood."""

    type: Literal["planned"]
    mode: Mode
    seed: int
    plan: dict[str, Any]
    table: dict[str, float | tuple[float, ...]]


class ScannedEvent(_Event):
    """How much was scanned."""

    type: Literal["scanned"]
    found: int
    files: int
    skipped: int
    matches: int


class AdmittedEvent(_Event):
    """Documents that joined the search."""

    type: Literal["admitted"]
    round: int
    joined: tuple[dict[str, Any], ...]
    file: dict[str, tuple[float, ...]]
    ranking: tuple[RankedDocument, ...]
    reserve: float
    compression: float | None


class Region(Wire):
    """A region that is read."""

    number: int
    document: int
    path: str
    span: Span
    cells: Span
    arm: str
    tokens: int


class ProposedEvent(_Event):
    """What is read next."""

    type: Literal["proposed"]
    round: int
    weights: dict[str, float]
    regions: tuple[Region, ...]


class Judgement(Wire):
    """What a region says of a requirement."""

    region: int
    requirement: str
    verdict: str
    cells: Span | None
    log_odds: float | None


class ObservedEvent(_Event):
    """What was read, as it was judged."""

    type: Literal["observed"]
    round: int
    judgements: tuple[Judgement, ...]
    rejected: int
    terms: tuple[str, ...]


class BestCell(Wire):
    """A cell of a document, and how much of the belief is there."""

    document: int
    cell: int
    belief: float


class Belief(Wire):
    """How sure the search is of a requirement."""

    requirement: str
    nowhere: float
    glr: float | None
    threshold: float | None
    covered: bool
    rule: str | None
    best: tuple[BestCell, ...]


class CoveredEvent(_Event):
    """How sure the search is of each requirement."""

    type: Literal["covered"]
    round: int
    beliefs: tuple[Belief, ...]


class EvidenceFoundEvent(_Event):
    """A passage: ``early`` ones come before the plan and may be dropped, ``final`` ones are cited."""

    type: Literal["evidenceFound"]
    evidence: EventEvidence
    final: bool
    early: bool


class AnswerDeltaEvent(_Event):
    """More of the answer; ``restart`` takes back what came before, ``checking`` words are not checked yet."""

    type: Literal["answerDelta"]
    text: str
    restart: bool
    checking: bool


class AnsweredEvent(_Event):
    """The answer, whole."""

    type: Literal["answered"]
    answer: EventAnswer


class StoppedEvent(_Event):
    """Why it ended."""

    type: Literal["stopped"]
    reason: Stop


EventParams = Annotated[
    PlannedEvent
    | ScannedEvent
    | AdmittedEvent
    | ProposedEvent
    | ObservedEvent
    | CoveredEvent
    | EvidenceFoundEvent
    | AnswerDeltaEvent
    | AnsweredEvent
    | StoppedEvent,
    Field(discriminator="type"),
]
"""Of ``lens/event``."""
