"""What our requests about earlier questions answer, as types: see `results`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lens_lsp.lsp.requests import HeldCitation
from lens_lsp.lsp.results import (
    AnswerStatus,
    LineColumn,
    Locator,
    Mode,
    PlacedLedger,
    Span,
    Standing,
    State,
    Tokens,
)
from lens_lsp.lsp.wire import Wire


class KeptQuestion(Wire):
    """A question that was asked; ``facts`` are ids, None for one that was not proven."""

    question: str
    asked: str
    mode: Mode
    oracle: str
    """The endpoint of the model, or ``offline``."""
    status: AnswerStatus
    answer: str
    short_answer: str | None
    facts: tuple[str | None, ...]
    evidence: tuple[str, ...]
    answer_uri: str | None


class KeptFact(Wire):
    """A fact that was proven; ``retired`` when its proof is gone."""

    id: str
    text: str
    status: Standing
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


class KeptLink(Wire):
    """Another cluster that shares evidence or requirements."""

    cluster: str
    weight: float


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
    links: tuple[KeptLink, ...]
    freshness: dict[State, int] | None
    """How many citations that facts rest on are of each state now; None where that was not asked for."""


class ClustersResult(Wire):
    """Of ``lens/clusters``, the one used last first; made by `knowing.clusters`."""

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
    """Of ``lens/threads``, the one asked last first; made by `knowing.threads`."""

    schema_: Annotated[Literal["lens.threads/1"], Field(alias="schema")]
    threads: tuple[Thread, ...]


class ForgetResult(Wire):
    """Of ``lens/forget``: ids and files that are gone; made by `knowing.forget`."""

    schema_: Annotated[Literal["lens.forgotten/1"], Field(alias="schema")]
    clusters: tuple[str, ...]
    files: tuple[str, ...]


class WrongAnswer(Wire):
    """An answer that was called wrong: a check from now on."""

    id: str
    question: str
    answer: str
    short_answer: str | None
    oracle: str
    called: str
    """When it was called so."""


class WrongResult(Wire):
    """Of ``lens/wrong``: the answers that were withdrawn; made by `knowing.wrong`."""

    schema_: Annotated[Literal["lens.wrong/1"], Field(alias="schema")]
    checks: tuple[WrongAnswer, ...]


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
    """Of ``lens/ledger``; ``today`` is None where the day's usage cannot be read; made by `knowing.ledger`."""

    schema_: Annotated[Literal["lens.ledger/1"], Field(alias="schema")]
    today: Today | None
    questions: tuple[LedgerQuestion, ...]


class PlaceNow(Wire):
    """Where a quote stands now."""

    path: str
    span: Span
    start: LineColumn | None
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
    state: State
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
    """Of ``lens/recheck`` and ``lens.server.recheck``; made by `rechecking.recheck`."""

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
    """Of ``lens/answer``: an answer as its Markdown file says it; made by `kept_answers.answer`."""

    schema_: Annotated[Literal["lens.kept/1"], Field(alias="schema")]
    uri: str
    text: str
    citations: tuple[AnswerCitation, ...]


class OpenAnswerResult(Wire):
    """Of ``lens.server.openAnswer``: whether the client showed it; made by `commands.open_answer`."""

    opened: bool


class InsertAnswerResult(Wire):
    """Of ``lens.server.insertAnswer``: whether the client took the edit; made by `commands.insert_answer`."""

    inserted: bool
