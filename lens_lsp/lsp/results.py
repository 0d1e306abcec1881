"""What our requests answer, as types: the reference is made from them, and the tests hold every result against them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lens_lsp.lsp.requests import Beside
from lens_lsp.lsp.wire import Wire, WireRange

Mode = Literal["evidence", "fast", "deep"]
Standing = Literal["covered", "missing", "contested"]
AnswerStatus = Literal["answered", "partial", "unanswered"]
State = Literal["verified", "moved", "withdrawn", "unverifiable"]
Stop = Literal[
    "covered",
    "rounds",
    "nowhere",
    "direct",
    "reused",
    "budget-calls",
    "budget-tokens",
    "budget-seconds",
    "budget-cost",
    "model-failed",
    "cancelled",
]
Span = tuple[int, int]
"""Code points of the decoded or extracted text, of all of it also where the file is large and was read in pieces."""
Cut = tuple[Literal["start", "end"], ...]
"""Where a text is a part of a longer sentence, item, row or line."""
Locator = dict[str, int | str]


class LineColumn(Wire):
    """A place counted from 1, columns in code points."""

    line: int
    column: int


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
    """Evidence with its place as the client counts; none if the file changed meanwhile. Made by
    `asking.with_places_of`."""

    uri: str | None
    range: WireRange | None
    context: tuple[PlacedContext, ...]
    """What stands around the quote, in order."""
    beside: Beside | None = None
    """Only for a model."""
    cleaned: bool = False
    """For a model: ``quote`` or ``context`` is without what is secret or hidden in it."""


class EventEvidence(_Evidence):
    """Evidence inside an event; made by `wire.evidence.evidence_json`."""

    start: LineColumn
    end: LineColumn
    context: tuple[ContextPart, ...]


class RequirementResult(Wire):
    """A fact that a question needs, and what became of it."""

    id: str
    text: str
    status: Standing
    confidence: float | None
    many: bool
    matching: int
    read: int
    value: str | None
    evidence: tuple[int, ...]


class Computation(Wire):
    """What was computed from evidence."""

    expression: str
    operands: tuple[int, ...]
    value: str | float | None
    unit: str | None


class RankedDocument(Wire):
    """A document as the prior ranks it."""

    path: str
    root: int
    prior: float
    admitted: bool
    read: bool
    signals: dict[str, float]


class SkippedFile(Wire):
    """A file that was not searched, and why."""

    path: str
    """From its root; absolute for a root that is not there."""
    reason: str
    root: int


class HiddenPart(Wire):
    """A part of what was searched that was not searched itself, or an ignore file without effect, and why."""

    path: str
    line: int | None
    """Where it begins, from 1; null for no line of a text."""
    reason: str
    root: int


class Coverage(Wire):
    """What was looked at, and what was not and why."""

    found: int
    scanned: int
    skipped: tuple[SkippedFile, ...]
    admitted: int
    read: int
    matches_unread: int
    pictures: int
    """Pages and other pictures in searched documents of which nothing was read."""
    partial: tuple[HiddenPart, ...]
    """What of the searched files and folders was not searched."""


class Tokens(Wire):
    """Tokens in and out."""

    tokens_in: Annotated[int, Field(alias="in")]
    tokens_out: Annotated[int, Field(alias="out")]


class Sent(Wire):
    """A span of a document that was sent to a model, or would be."""

    path: str
    root: int
    span: Span


class PlacedSent(Sent):
    """One with the URI of its file; made by `previewing.sent_json`."""

    uri: str


class _Ledger(Wire):
    calls: dict[str, int]
    """By stage, and ``total``."""
    retries: int
    tokens: Tokens
    seconds: float
    cost: float | None
    endpoint: str | None


class Ledger(_Ledger):
    """What a question cost, and what was sent for it; made by `wire.evidence.account_json`."""

    sent: tuple[Sent, ...]


class PlacedLedger(_Ledger):
    """A ledger that names the files of what was sent."""

    sent: tuple[PlacedSent, ...]


class Doubt(Wire):
    """Words of a sentence that the passages it cites do not support."""

    sentence: str
    words: str
    reason: Literal["number", "unit", "date", "name", "negation", "limit", "meaning"]
    decisive: bool


class Reused(Wire):
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
    status: AnswerStatus
    stopped: Stop
    answer: str
    short_answer: str | None
    requirements: tuple[RequirementResult, ...]
    computation: Computation | None
    documents: tuple[RankedDocument, ...]
    coverage: Coverage
    ledger: Ledger
    reused: tuple[Reused, ...]
    newer: tuple[str, ...]
    typed: str | None
    compression: float | None
    rejected_quotes: int
    unsupported: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    warnings: tuple[str, ...]


class AnswerResult(_Answer):
    """Of ``lens/ask``; made by `asking.written`."""

    evidence: tuple[PlacedEvidence, ...]
    answer_uri: str | None


class EventAnswer(_Answer):
    """The answer inside its event; made by `wire.answer.answer_json`."""

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
    """Of ``lens/ask`` with ``dryRun``; without an endpoint nothing would be sent; made by `asking.would_send`."""

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
    """Of ``lens/text``: what a document says, as spans and ranges of evidence count it; made by `texts.text`."""

    text: str
    reader: str
    sha256: str
    locators: tuple[PlacedLocator, ...]


class PassageResult(Wire):
    """Of ``lens/passage``: lines of a document as they are now, fewer than asked for where they are many; made by
    `passages.passage`."""

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
    """Of ``lens/check``, in the order of the citations; made by `held_citations.check`."""

    schema_: Annotated[Literal["lens.held/1"], Field(alias="schema")]
    citations: tuple[HeldChecked, ...]


class FindResult(Wire):
    """Of ``lens/find``; made by `finding.found`."""

    schema_: Annotated[Literal["lens.evidence/2"], Field(alias="schema")]
    query: str
    roots: tuple[str, ...]
    evidence: tuple[PlacedEvidence, ...]
    documents: tuple[RankedDocument, ...]
    coverage: Coverage
    ledger: Ledger
    compression: float | None
    missing: tuple[str, ...]
    """Words of the question that occur nowhere, as folded for the search."""
    warnings: tuple[str, ...]
    answer_uri: str | None
    reranked: bool = False
    """Only where it was asked for: whether the reader ordered the passages. Their scores are those of the scan."""
