"""Parameters of the requests and commands that are not of the Language Server Protocol, as pydantic models.

They check what a client sends; an unknown key is refused. Names on the wire are in camel case.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

_LONGEST = 10_000
"""Code points of the longest question."""
UInt = Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)]
Token = Annotated[str, Field(max_length=1_000)] | Annotated[int, Field(strict=True, ge=-(2**31), le=2**31 - 1)]
_Tokens = Annotated[int, Field(ge=0, le=10**9, strict=True)]
Text = Annotated[str, Field(min_length=1, max_length=10_000)]
Id = Annotated[str, Field(min_length=1, max_length=200)]
_Limit = Annotated[int, Field(ge=1, le=100, strict=True)]
_Lines = tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
_Places = tuple[UInt, UInt]


class Wire(BaseModel):
    """Base of all that is put on the wire or taken off it. Unknown keys are refused."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class SpokenParams(Wire):
    """Params of which a string alone stands for the key ``spoken_as``."""

    spoken_as: ClassVar[str]

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {cls.spoken_as: value} if isinstance(value, str) else value


class WirePosition(Wire):
    """A place as the client counts."""

    line: UInt
    character: UInt


class WireRange(Wire):
    """From a place to another."""

    start: WirePosition
    end: WirePosition


class Scope(Wire):
    """Where to look: in all workspace folders unless something narrower is named. ``uri`` names one document."""

    folders: Annotated[tuple[str, ...], Field(max_length=64)] | None = None
    """URIs."""
    globs: Annotated[tuple[str, ...], Field(max_length=64)] | None = None
    uri: str | None = None
    range: WireRange | None = None
    """In ``uri``: the text that holds the question itself and is never evidence."""


class WireBudget(Wire):
    """Limits of one question; each can only lower what the settings allow."""

    calls: UInt | None = None
    tokens: UInt | None = None
    seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    cost: Annotated[float, Field(gt=0, le=1e6)] | None = None


class AskParams(SpokenParams):
    """Of ``lens/ask`` and ``lens.server.ask``; a string alone is the question."""

    spoken_as: ClassVar[str] = "question"

    question: Annotated[str, Field(min_length=1, max_length=_LONGEST)]
    scope: Scope = Scope()
    mode: Literal["auto", "evidence", "fast", "deep"] | None = None
    thread: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    budget: WireBudget = WireBudget()
    work_done_token: Token | None = None
    anew: bool = False
    """Judge it anew: what earlier questions proved is not taken up."""
    dry_run: bool = False
    """Only say what would be sent: no call is made and nothing is kept."""
    for_model: bool = False
    """The answer is for a chat model that is not ours: without what is private or a secret."""


class StatusParams(Wire):
    """Of ``lens/status``. ``judge``: also who would judge a question, which takes a look at settings and consents."""

    judge: bool = False


class WireAsks(Wire):
    """How many questions run and wait, and how many may."""

    running: int
    waiting: int
    most_running: int
    most_waiting: int


class WireJudge(Wire):
    """Who would judge a question now."""

    mode: Literal["evidence", "fast", "deep"]
    endpoint: str | None = None
    """The origin of the model, or ``editor:ID``; None is offline."""
    model: str | None = None
    consent: Literal["local", "given", "missing"] | None = None
    """Whether text of all workspace folders may be sent there; ``local`` needs none."""
    problem: str | None = None
    """Why the model that is configured cannot be used."""


class ServerStatus(Wire):
    """The result of ``lens/status``."""

    version: str
    position_encoding: str
    folders: tuple[str, ...]
    """URIs."""
    documents: int
    unsynced: tuple[str, ...]
    """URIs of open texts that cannot be trusted; what is on disk is used."""
    tasks: int
    """What runs on the event loop, the status itself included."""
    asks: WireAsks
    switched_off: tuple[str, ...]
    """Requests that failed three times in a row."""
    watching: str
    """Who tells of changed files: ``editor``, ``system`` or ``none``."""
    judge: WireJudge | None = None
    """Only where it was asked for."""


class ModelMessage(Wire):
    """One message of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    text: str


class ModelParams(Wire):
    """Of ``lens/model``, which the server sends: one reply of the editor's own model. Without any messages no model is
    called: the result says which one would be."""

    family: str | None
    """Of the editor's models the family that the user chose; None for any."""
    messages: tuple[ModelMessage, ...]
    max_tokens: UInt
    """Of the reply."""


class ModelResult(Wire):
    """The client's result of ``lens/model``; what it says beyond this is ignored."""

    model_config = ConfigDict(extra="ignore")

    text: str
    model: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
    """The id of the model that answers, the same for every request of a question."""
    finish: Annotated[str, Field(max_length=100)] = "stop"
    """Why the text ends: ``stop``, ``length`` or another word."""
    tokens_in: _Tokens | None = None
    tokens_out: _Tokens | None = None
    context_tokens: Annotated[int, Field(ge=256, le=10**8, strict=True)] | None = None
    """How many tokens fit into the model, prompt and reply together."""


class FindParams(SpokenParams):
    """Of ``lens/find``; a string alone is the query. ``for_model``: the passages are for an editor's chat model.
    ``rerank``: the reader orders the best of them, which takes longer: for a second request behind one without it."""

    spoken_as: ClassVar[str] = "query"

    query: Text
    scope: Scope = Scope()
    limit: _Limit = 10
    rerank: bool = False
    for_model: bool = False
    work_done_token: Token | None = None


class FindCommand(SpokenParams):
    """Of ``lens.server.find``: as `FindParams`."""

    spoken_as: ClassVar[str] = "query"

    query: Text
    scope: Scope = Scope()
    limit: _Limit = 10


class AskCommand(SpokenParams):
    """Of ``lens.server.ask``: as `AskParams`. ``insert``: the answer belongs below the ``??`` line that ``scope``
    names."""

    spoken_as: ClassVar[str] = "question"

    question: Text
    scope: Scope = Scope()
    mode: Literal["auto", "evidence", "fast", "deep"] | None = None
    thread: Id | None = None
    budget: WireBudget = WireBudget()
    insert: bool = False

    def asking(self) -> AskParams:
        """The request for the question."""
        return AskParams(
            question=self.question, scope=self.scope, mode=self.mode, thread=self.thread, budget=self.budget
        )


class CancelParams(Wire):
    """Of ``lens.server.cancel``: nothing."""


class ClustersParams(Wire):
    """Of ``lens/clusters``: all of them, or those with these ids. ``fresh``: look at what they cite, now."""

    ids: Annotated[tuple[Id, ...], Field(max_length=1_000)] | None = None
    fresh: bool = False
    for_model: bool = False
    """They are for a chat model that is not ours."""


class ThreadsParams(Wire):
    """Of ``lens/threads``: nothing."""


class ForgetParams(Wire):
    """Of ``lens/forget``: whole ids, whole names of threads, or all."""

    ids: Annotated[tuple[Id, ...], Field(max_length=10_000)] = ()
    threads: Annotated[tuple[Id, ...], Field(max_length=10_000)] = ()
    all: bool = False


class WrongParams(Wire):
    """Of ``lens/wrong`` and ``lens.server.wrong``: whole ids of clusters; a string alone is one."""

    ids: Annotated[tuple[Id, ...], Field(min_length=1, max_length=1_000)]

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"ids": [value]} if isinstance(value, str) else value


class RecheckParams(SpokenParams):
    """Of ``lens/recheck`` and ``lens.server.recheck``: one text, which an ``answerUri`` may name (a string alone is its
    URI), or everything."""

    spoken_as: ClassVar[str] = "uri"

    uri: str | None = None


class TextParams(SpokenParams):
    """Of ``lens/text``: the URI of a file; a string alone is it. ``confined``: only of one that is searched or that
    holds an answer, found through no link."""

    spoken_as: ClassVar[str] = "uri"

    uri: str
    confined: bool = False


class AnswerParams(Wire):
    """Of ``lens/answer``: an earlier answer, named as in `OpenAnswerParams`. ``for_model``: it is for a chat model that
    is not ours."""

    answer: Text | None = None
    for_model: bool = False


class PassageParams(Wire):
    """Of ``lens/passage``: a document in a workspace folder and which of its lines, the last one included, or which
    span; all of it without. ``page``: only that page of them, from 1; a page is about 6,000 code points, cut at the end
    of a line. ``for_model``: it is for a chat model that is not ours."""

    uri: str
    lines: _Lines | None = None
    span: _Places | None = None
    page: Annotated[int, Field(ge=1)] | None = None
    for_model: bool = False

    @model_validator(mode="after")
    def _in_order(self) -> PassageParams:
        for place in (self.lines, self.span):
            if place is not None and place[0] > place[1]:
                raise ValueError("it ends before it begins")
        return self


class Beside(Wire):
    """What tells a quote from others like it: the shortest texts beside it that make its place unique, empty where it
    is unique by itself, none where there are no such texts; and how often it stands in its document."""

    before: Annotated[str, Field(max_length=1_000)] | None = ""
    after: Annotated[str, Field(max_length=1_000)] | None = ""
    count: UInt | None = None


class HeldCitation(Wire):
    """A citation as somebody holds it. Without ``sha256`` nothing is known of the document as it was: the quote is
    looked for at the place that is given, and elsewhere if it is not there."""

    uri: str
    quote: Annotated[str, Field(min_length=1, max_length=100_000)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None
    span: _Places | None = None
    lines: _Lines | None = None
    reader: Annotated[str, Field(max_length=200)] | None = None
    """What extracted the document's text; None for the reader of now."""
    beside: Beside | None = None
    """None for a quote that is unique by itself."""


class CheckParams(Wire):
    """Of ``lens/check``. ``for_model``: the citations are held by a chat model that is not ours."""

    citations: Annotated[tuple[HeldCitation, ...], Field(min_length=1, max_length=200)]
    for_model: bool = False


class LedgerParams(Wire):
    """Of ``lens/ledger``: how many of the last questions are listed."""

    questions: UInt = 20


class OpenAnswerParams(SpokenParams):
    """Of ``lens.server.openAnswer``: a URI, the id of a cluster, or a question; a string alone is any of them."""

    spoken_as: ClassVar[str] = "answer"

    answer: Text


class InsertAnswerParams(Wire):
    """Of ``lens.server.insertAnswer``: an earlier answer, named as in `OpenAnswerParams`, goes below the paragraph at a
    place of an open text."""

    uri: str
    position: WirePosition
    answer: Text
