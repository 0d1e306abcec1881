"""What our own requests carry, as models that check it: nothing unchecked passes.

Standard requests are lsprotocol's. Names on the wire are in camel case.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

_LONGEST = 10_000
"""Code points of the longest question."""
UInt = Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)]
Token = Annotated[str, Field(max_length=1_000)] | Annotated[int, Field(strict=True, ge=-(2**31), le=2**31 - 1)]


class Wire(BaseModel):
    """Base of all that is put on the wire or taken off it. Unknown keys are refused."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


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


class AskParams(Wire):
    """Of ``lens/ask`` and ``lens.server.ask``; a string alone is the question."""

    question: Annotated[str, Field(min_length=1, max_length=_LONGEST)]
    scope: Scope = Scope()
    mode: Literal["auto", "evidence", "fast", "deep"] | None = None
    thread: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    budget: WireBudget = WireBudget()
    work_done_token: Token | None = None
    dry_run: bool = False
    """Only say what would be sent: no call is made and nothing is kept."""
    for_model: bool = False
    """The answer is for a chat model that is not ours: without what is private or a secret."""

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"question": value} if isinstance(value, str) else value


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


class Status(Wire):
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


_Tokens = Annotated[int, Field(ge=0, le=10**9, strict=True)]


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
