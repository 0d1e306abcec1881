"""Results of the requests that are not of the Language Server Protocol, and its events, as pydantic models.

What is shown as the model has it is declared there: its dataclasses and enumerations are fields here, in camel case.
The reference and the TypeScript types follow all of them, and the tests hold every result against them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from lens_lsp.model.answer import (
    Belief,
    Computation,
    Doubt,
    Judged,
    Mode,
    ProposedRegion,
    RequirementResult,
    RequirementStatus,
    Status,
    StopReason,
)
from lens_lsp.model.cluster import CitationState, ClusterLink
from lens_lsp.model.documents import Locator, RankedDocument, Skip
from lens_lsp.model.text import Position
from lens_lsp.schema.protocol_params import Beside, HeldCitation, Wire, WireRange

Span = tuple[int, int]
"""Code points of the decoded or extracted text, of all of it also where the file is large and was read in pieces."""
Cut = tuple[Literal["start", "end"], ...]
"""Where a text is a part of a longer sentence, item, row or line."""


class Found(Wire):
    """How evidence was come by; no ``arm`` outside of a question."""

    arm: str | None
    round: int
    signals: dict[str, float]


class ContextPart(Wire):
    """Text beside a quote that helps to understand it and proves nothing."""

    role: Literal["before", "after", "header", "lead-in", "parent"]
    span: Span
    text: str
    cut: Cut


class PlacedContext(ContextPart):
    """Context with its place as the client counts; none if it does not stand beside the quote any more."""

    range: WireRange | None


class _Evidence(Wire):
    n: int
    path: str
    root: int
    span: Span
    quote: str
    cut: Cut
    sha256: str
    source: Literal["disk", "buffer"]
    version: int | None
    encoding: str
    encoding_guessed: bool
    reader: str | None
    match: Literal["exact", "normalised"]
    locator: Locator | None
    heading: tuple[str, ...]
    requirements: tuple[str, ...]
    found: Found
    score: float | None


class PlacedEvidence(_Evidence):
    """Evidence with its place as the client counts; none if the file changed meanwhile."""

    uri: str | None
    range: WireRange | None
    context: tuple[PlacedContext, ...]
    """What stands around the quote, in order."""
    beside: Beside | None = None
    """Only for a model."""
    cleaned: bool = False
    """For a model: ``quote`` or ``context`` is without what is secret or hidden in it."""


class EventEvidence(_Evidence):
    """Evidence inside an event."""

    start: Position
    end: Position
    context: tuple[ContextPart, ...]


class UnsearchedPart(Wire):
    """A part of what was searched that was not searched itself, or an ignore file without effect, and why."""

    path: str
    line: int | None
    """Where it begins, from 1; null for no line of a text."""
    reason: str
    root: int


class ShardPart(Wire):
    """A part of the files that a process or a worker of a cluster read, and why nothing of it was read if so."""

    name: str
    found: int
    scanned: int
    skipped: int
    lost: str | None


class CoverageResult(Wire):
    """What was looked at, and what was not and why."""

    found: int
    scanned: int
    skipped: tuple[Skip, ...]
    admitted: int
    read: int
    matches_unread: int
    pictures: int
    """Pages and other pictures in searched documents of which nothing was read."""
    partial: tuple[UnsearchedPart, ...]
    """What of the searched files and folders was not searched."""
    documents: int
    """PDF, Office, e-book and mail files that have a text, or may have one."""
    unread: int
    """Those of them that were not read yet, or not to their end: of these nothing is known."""
    shards: tuple[ShardPart, ...] = ()
    """Left out where one process read all."""


class Tokens(Wire):
    """Tokens in and out."""

    tokens_in: Annotated[int, Field(alias="in")]
    tokens_out: Annotated[int, Field(alias="out")]


class SentSpan(Wire):
    """A span of a document that was sent to a model, or would be."""

    path: str
    root: int
    span: Span


class PlacedSent(SentSpan):
    """One with the URI of its file."""

    uri: str


class _Ledger(Wire):
    calls: dict[str, int]
    """By stage, and ``total``."""
    retries: int
    tokens: Tokens
    seconds: float
    cost: float | None
    endpoint: str | None


class QuestionLedger(_Ledger):
    """What a question cost, and what was sent for it."""

    sent: tuple[SentSpan, ...]


class PlacedLedger(_Ledger):
    """A ledger that names the files of what was sent."""

    sent: tuple[PlacedSent, ...]


class ReusedCluster(Wire):
    """What was known before."""

    cluster: str
    asked_at: str
    requirements: tuple[str, ...]


class _Answer(Wire):
    schema_: Annotated[Literal["lens.answer/2"], Field(alias="schema")]
    question: str
    mode: Mode
    intent: str
    seed: int
    roots: tuple[str, ...]
    status: Status
    stopped: StopReason
    answer: str
    short_answer: str | None
    requirements: tuple[RequirementResult, ...]
    computation: Computation | None
    documents: tuple[RankedDocument, ...]
    coverage: CoverageResult
    ledger: QuestionLedger
    reused: tuple[ReusedCluster, ...]
    newer: tuple[str, ...]
    typed: str | None
    compression: float | None
    rejected_quotes: int
    unsupported: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    warnings: tuple[str, ...]


class AnswerResult(_Answer):
    """Of ``lens/ask``."""

    evidence: tuple[PlacedEvidence, ...]
    answer_uri: str | None


class EventAnswer(_Answer):
    """The answer inside its event."""

    evidence: tuple[EventEvidence, ...]


class DryRunMessage(Wire):
    """One message of a request that is not made."""

    role: Literal["system", "user", "assistant"]
    text: str


class DryRunRequest(Wire):
    """A request that would be made; tokens are estimates."""

    stage: str
    tokens: int
    reply_tokens: int
    messages: tuple[DryRunMessage, ...]


class DryRunResult(Wire):
    """Of ``lens/ask`` with ``dryRun``; without an endpoint nothing would be sent."""

    schema_: Annotated[Literal["lens.dry-run/1"], Field(alias="schema")]
    mode: Mode
    endpoint: str | None
    requests: tuple[DryRunRequest, ...]
    sent: tuple[PlacedSent, ...]


class PlacedLocator(Wire):
    """Where a person would open what stands from ``start`` on, in code points, up to the next one."""

    start: int
    locator: Locator


class TextResult(Wire):
    """Of ``lens/text``: what a document says, as spans and ranges of evidence count it."""

    text: str
    reader: str
    sha256: str
    locators: tuple[PlacedLocator, ...]


class PassageResult(Wire):
    """Of ``lens/passage``: lines of a document as they are now, fewer than asked for where they are many."""

    schema_: Annotated[Literal["lens.passage/1"], Field(alias="schema")]
    uri: str
    folder: str
    """The workspace folder, absolute."""
    path: str
    """From there."""
    text: str
    span: Span
    lines: tuple[int, int]
    total_lines: int
    sha256: str
    reader: str
    locator: Locator | None
    """Of its beginning."""
    extracted: bool
    """The text is not the file's but made by its reader, and so are its lines."""
    cleaned: bool
    """For a model: ``text`` is without what is secret or hidden in it."""
    total: int
    """Code points of all the lines that were asked for."""
    page: int | None
    pages: int | None
    """How many pages these lines have; none where no page was asked for, as ``page``."""
    truncated: bool
    """There is more of these lines behind ``text``."""


class HeldChecked(Wire):
    """What became of a citation: ``drifted`` when its document no longer says it, ``broken`` when there is no such
    document that may be read. Places are those of now, none unless it stands."""

    state: Literal["verified", "moved", "drifted", "broken"]
    why: str
    """Empty when it is verified."""
    uri: str | None = None
    folder: str | None = None
    path: str | None = None
    span: Span | None = None
    lines: tuple[int, int] | None = None
    """None in extracted texts."""
    sha256: str | None = None
    locator: Locator | None = None


class CheckResult(Wire):
    """Of ``lens/check``, in the order of the citations."""

    schema_: Annotated[Literal["lens.held/1"], Field(alias="schema")]
    citations: tuple[HeldChecked, ...]


class FindResult(Wire):
    """Of ``lens/find``."""

    schema_: Annotated[Literal["lens.evidence/2"], Field(alias="schema")]
    query: str
    roots: tuple[str, ...]
    evidence: tuple[PlacedEvidence, ...]
    documents: tuple[RankedDocument, ...]
    coverage: CoverageResult
    ledger: QuestionLedger
    compression: float | None
    missing: tuple[str, ...]
    """Words of the question that occur nowhere, as folded for the search."""
    warnings: tuple[str, ...]
    answer_uri: str | None
    reranked: bool = False
    """Only where it was asked for: whether the reader ordered the passages. Their scores are those of the scan."""


class KeptQuestion(Wire):
    """A question that was asked; ``facts`` are ids, None for one that was not proven."""

    question: str
    asked: str
    mode: Mode
    oracle: str
    """The endpoint of the model, or ``offline``."""
    status: Status
    answer: str
    short_answer: str | None
    facts: tuple[str | None, ...]
    evidence: tuple[str, ...]
    answer_uri: str | None


class KeptFact(Wire):
    """A fact that was proven; ``retired`` when its proof is gone."""

    id: str
    text: str
    status: RequirementStatus
    value: str | None
    confidence: float | None
    evidence: tuple[str, ...]
    proven: str
    retired: bool


class KeptCitation(Wire):
    """What a fact rests on."""

    id: str
    root: str
    path: str
    sha256: str
    span: Span
    quote: str
    heading: tuple[str, ...]
    locator: Locator | None
    uri: str


class KeptCluster(Wire):
    """Questions that rest on the same evidence; times are ISO 8601 in UTC."""

    workspace: str
    id: str
    title: str
    archived: bool
    confidence: float | None
    hits: int
    created: str
    used: str
    questions: tuple[KeptQuestion, ...]
    facts: tuple[KeptFact, ...]
    citations: tuple[KeptCitation, ...]
    links: tuple[ClusterLink, ...]
    freshness: dict[CitationState, int] | None
    """How many citations that facts rest on are of each state now; None where that was not asked for."""


class ClustersResult(Wire):
    """Of ``lens/clusters``, the one used last first."""

    schema_: Annotated[Literal["lens.clusters/1"], Field(alias="schema")]
    clusters: tuple[KeptCluster, ...]


class ThreadQuestion(Wire):
    """A question of a thread: as it was typed, and as it was understood."""

    typed: str
    question: str
    asked: str
    cluster: str | None
    answer_uri: str | None


class Thread(Wire):
    """A conversation, its first question first."""

    workspace: str
    name: str
    asked: str
    questions: tuple[ThreadQuestion, ...]


class ThreadsResult(Wire):
    """Of ``lens/threads``, the one asked last first."""

    schema_: Annotated[Literal["lens.threads/1"], Field(alias="schema")]
    threads: tuple[Thread, ...]


class ForgetResult(Wire):
    """Of ``lens/forget``: ids and files that are gone."""

    schema_: Annotated[Literal["lens.forgotten/1"], Field(alias="schema")]
    clusters: tuple[str, ...]
    files: tuple[str, ...]


class WrongCheck(Wire):
    """An answer that was called wrong: a check from now on."""

    id: str
    question: str
    answer: str
    short_answer: str | None
    oracle: str
    called: str
    """When it was called so."""


class WrongResult(Wire):
    """Of ``lens/wrong``: the answers that were withdrawn."""

    schema_: Annotated[Literal["lens.wrong/1"], Field(alias="schema")]
    checks: tuple[WrongCheck, ...]


class Today(Wire):
    """What all models were used for today."""

    calls: int
    tokens: Tokens
    cost: float | None


class LedgerQuestion(Wire):
    """A question of this session, and what it cost."""

    question: str
    mode: Mode
    answer_uri: str | None
    ledger: PlacedLedger


class LedgerResult(Wire):
    """Of ``lens/ledger``; ``today`` is None where the day's usage cannot be read."""

    schema_: Annotated[Literal["lens.ledger/1"], Field(alias="schema")]
    today: Today | None
    questions: tuple[LedgerQuestion, ...]


class PlaceNow(Wire):
    """Where a quote stands now."""

    path: str
    span: Span
    start: Position | None
    sha256: str | None
    locator: Locator | None


class CheckedCitation(Wire):
    """A citation after a look at its source."""

    where: str
    file: str
    line: int
    label: str
    root: str
    path: str
    state: CitationState
    why: str | None
    quote: str
    span: Span
    sha256: str
    now: PlaceNow | None


class UnreadablePlace(Wire):
    """A place that should hold citations and cannot be read."""

    where: str
    file: str
    line: int
    why: str


class UnderstoodMark(Wire):
    """A text that is private and does not say so as documented; ``as`` says how its mark was understood."""

    where: str
    file: str
    line: int
    """0 where there is none."""
    as_: Annotated[str, Field(alias="as")]


class RecheckResult(Wire):
    """Of ``lens/recheck`` and ``lens.server.recheck``."""

    schema_: Annotated[Literal["lens.check/1"], Field(alias="schema")]
    answers: int
    citations: tuple[CheckedCitation, ...]
    unreadable: tuple[UnreadablePlace, ...]
    understood: tuple[UnderstoodMark, ...]
    counts: dict[Literal["verified", "moved", "withdrawn", "unverifiable", "unreadable"], int]


class AnswerCitation(HeldCitation):
    """A citation of an answer; ``altered`` says what its footnote says otherwise."""

    label: str
    altered: str


class KeptAnswer(Wire):
    """Of ``lens/answer``: an answer as its Markdown file says it."""

    schema_: Annotated[Literal["lens.kept/1"], Field(alias="schema")]
    uri: str
    text: str
    citations: tuple[AnswerCitation, ...]


class CancelResult(Wire):
    """Of ``lens.server.cancel``: how many questions ran."""

    cancelled: int


class OpenAnswerResult(Wire):
    """Of ``lens.server.openAnswer``: whether the client showed it."""

    opened: bool


class InsertAnswerResult(Wire):
    """Of ``lens.server.insertAnswer``: whether the client took the edit."""

    inserted: bool


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


class ProposedEvent(_Event):
    """What is read next."""

    type: Literal["proposed"]
    round: int
    weights: dict[str, float]
    regions: tuple[ProposedRegion, ...]


class ObservedEvent(_Event):
    """What was read, as it was judged."""

    type: Literal["observed"]
    round: int
    judgements: tuple[Judged, ...]
    rejected: int
    terms: tuple[str, ...]


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
    reason: StopReason


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
