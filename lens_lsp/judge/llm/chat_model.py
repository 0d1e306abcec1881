"""A chat model as the oracle sees it: one request, one reply, whole or as a stream, and what went wrong.

Nothing here knows a provider. Who implements `ChatModel` makes exactly one attempt per call and never retries: every
attempt is counted by the ledger of the question.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, Protocol

from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

MOST_WHOLE = 1 << 20
"""Bytes of a reply that is read as one document, and of one event of a stream; code points of a streamed text."""
REMOTE_CONTEXT = 16_384
"""Tokens assumed of a model that is elsewhere and does not say."""
_SURROGATE = regex("[\ud800-\udfff]")
CALL_SECONDS = 600.0
"""The longest that one call may take, unless the user's own settings say otherwise."""
_FIRST_SECONDS = 300.0
_NEXT_SECONDS = 60.0


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    text: str


@dataclass(slots=True)
class Departure:
    """Whether a request left this process: ``left`` turns False when a call begins whose model watches its socket, and
    True before the first byte goes into it. None, where nobody watches, counts as left."""

    left: bool | None = None


@dataclass(frozen=True, slots=True)
class CallTimeouts:
    """How long a model is waited for, in seconds.

    ``call`` is the whole call (``model.callSeconds``). Of a reply that streams, ``first`` is how long its first token
    may take, the reading of the prompt included, and ``next`` how long each further one; while tokens come in time only
    the whole call is bounded. ``option`` is the one that was typed for this limit, None where the user's settings hold.
    """

    call: float = CALL_SECONDS
    first: float = _FIRST_SECONDS
    next: float = _NEXT_SECONDS
    option: str | None = None

    @classmethod
    def of(cls, call: float, option: str | None = None) -> CallTimeouts:
        """That of a longest call: who raises it has a slow model, which may be slow at every step."""
        share = max(1.0, call / CALL_SECONDS)
        return cls(call, _FIRST_SECONDS * share, _NEXT_SECONDS * share, option)


class TimeLimit(StrEnum):
    """What of a call was waited for when its time ran out."""

    FIRST = "first"
    """The first token of a reply that streams."""
    NEXT = "next"
    """A further one."""
    CALL = "call"
    """The end of the reply."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked of a model. ``max_tokens`` bounds the reply, ``seconds`` this call; less than ``patience`` allows a
    call where the question's time ends sooner.

    ``schema`` is a JSON schema the reply must follow; a model that cannot be held to one is asked for JSON in words.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    seconds: float = CALL_SECONDS
    schema: Mapping[str, Any] | None = None
    temperature: float = 0.0
    patience: CallTimeouts = CallTimeouts()
    departure: Departure = field(default_factory=Departure, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What came back. Tokens are as the endpoint reported them, None where it did not.

    ``complete`` is False when the reply stopped at ``max_tokens``.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    complete: bool = True


class ChatModel(Protocol):
    """A chat model behind some endpoint."""

    @property
    def name(self) -> str:
        """What the endpoint calls the model."""

    @property
    def endpoint(self) -> str | None:
        """The origin that everything is sent to, ``https://host:port``; None when nothing leaves the process."""

    @property
    def context_tokens(self) -> int:
        """How many tokens fit, prompt and reply together."""

    @property
    def small(self) -> bool:
        """Whether it is known to be a small model, which does better with less to say."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One call, the whole reply. Raises `ModelError`."""

    def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """One call, the reply's text piece by piece, then the whole reply. Raises `ModelError`."""

    async def aclose(self) -> None:
        """Let go of connections."""


class ModelFailure(StrEnum):
    """Why a call failed, for code that must tell one failure from another."""

    PAUSED = "paused"
    """The endpoint failed too often of late; nothing was asked of it."""
    UNREACHABLE = "unreachable"
    """No connection: nothing listens, no such host, or the line was dropped before an answer began."""
    UNTRUSTED = "untrusted"
    """The address, its certificate or a redirect is not to be trusted; nothing was sent there."""
    UNAUTHORISED = "unauthorised"
    """The key is missing or not accepted."""
    BUSY = "busy"
    """The endpoint turned the request away for now."""
    REJECTED = "rejected"
    """The endpoint does not take the request as it is."""
    DEADLINE = "deadline"
    """No complete reply in time."""
    TOO_LARGE = "too-large"
    UNREADABLE = "unreadable"
    """What came back is not a reply of a chat model: a web page, broken JSON, another charset, compressed."""
    CUT_OFF = "cut-off"
    """The reply ended before its end was announced."""
    NO_TEXT = "no-text"
    """A reply without text: empty, a call of tools, a refusal."""


_ACCEPTED = frozenset(
    {ModelFailure.DEADLINE, ModelFailure.TOO_LARGE, ModelFailure.UNREADABLE, ModelFailure.CUT_OFF, ModelFailure.NO_TEXT}
)


class ModelError(LensError):
    """A call failed; the message says what to do. ``retryable`` when the endpoint refused it and may accept another.
    ``retry_after`` are the seconds the endpoint asked to wait, None when it named none."""

    code = "lens.model"

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        failure: ModelFailure = ModelFailure.REJECTED,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after
        self.failure = failure

    @property
    def accepted(self) -> bool:
        """Whether the endpoint took the request, as far as can be known: then it was a call and may have cost.
        Otherwise it is not counted."""
        return self.failure in _ACCEPTED


def text_of(content: object) -> str:
    """The text of a content field: a string, or a list of parts as some servers send it. No half surrogate pairs."""
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        content = "".join(text for text in texts if isinstance(text, str))
    return _SURROGATE.sub("\ufffd", content) if isinstance(content, str) else ""
