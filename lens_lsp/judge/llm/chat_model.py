"""A chat model as the oracle sees it: one request, one reply, whole or as a stream, and what went wrong.

Nothing here knows a provider. Who implements `ChatModel` makes exactly one attempt per call and never retries: every
attempt is counted by the ledger of the question. `EditorChat` is the model that an editor offers: every request goes
through the editor, which asks its user and its provider. How the editor is asked is handed in. Where the text goes from
there is the editor's to say: it names the model, consent is given for that one, and no other's reply is taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
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


IN_GENERAL = {
    ModelFailure.PAUSED: "the endpoint was not asked, its last calls failed",
    ModelFailure.UNREACHABLE: "no connection to the endpoint; start it, check the network and the model's base URL",
    ModelFailure.UNTRUSTED: "the endpoint, its certificate or a redirect is not to be trusted; check the base URL",
    ModelFailure.UNAUTHORISED: "the endpoint does not accept the key; set a valid one in LENS_API_KEY",
    ModelFailure.BUSY: "the endpoint takes no request now; try again, or look into its log",
    ModelFailure.REJECTED: "the endpoint does not take the request; check the model's name and the URL (ends in /v1)",
    ModelFailure.DEADLINE: "no complete reply in time; set model.callSeconds higher, or name a smaller model",
    ModelFailure.TOO_LARGE: "the endpoint sent more than any reply has; see its log",
    ModelFailure.UNREADABLE: "what the endpoint sent is no reply of a chat model; check the base URL",
    ModelFailure.CUT_OFF: "the reply ended before its end; see the endpoint's log",
    ModelFailure.NO_TEXT: "a reply without text",
}
"""What to do about a failure, by its kind, for who must not be told where the endpoint is or what it said."""
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


def late(who: str, request: ChatRequest, waited: TimeLimit) -> ModelError:
    """A limit of time ran out: which one, and the setting that raises it. ``who`` is an origin or a model."""
    patience, least = request.patience, request.patience.call
    if waited is not TimeLimit.CALL:
        # The limits of a token are shares of a longest call that is above the default.
        least = max(least, CALL_SECONDS)
    where = "" if patience.option else " in your own settings"
    setting = f"{patience.option or 'model.callSeconds'} above {least:g}{where}"
    if waited is TimeLimit.FIRST:
        what = f"sent no token within {patience.first:g} s"
    elif waited is TimeLimit.NEXT:
        what = f"sent no further token for {patience.next:g} s in the middle of its reply"
    elif request.seconds < patience.call:
        what = f"gave no complete reply in the {request.seconds:.3g} s that were left"
        setting = "budget.seconds higher in your own settings"
    else:
        what = f"gave no complete reply within {patience.call:g} s"
    text = f"{who} {what}. Set {setting}, or name a smaller model"
    return ModelError(text, failure=ModelFailure.DEADLINE)


def too_large(origin: str, cap: int) -> ModelError:
    """More bytes than any reply has."""
    text = f"{origin} sent more than {cap >> 10} KiB for one reply; the rest was not read: see its log"
    return ModelError(text, failure=ModelFailure.TOO_LARGE)


def in_words(schema: Mapping[str, Any]) -> str:
    """What asks for JSON where nothing holds a model to it: the end of the last message."""
    told = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"\n\nReply with one JSON object that follows this JSON schema, and with nothing else:\n{told}"


def text_of(content: object) -> str:
    """The text of a content field: a string, or a list of parts as some servers send it. No half surrogate pairs."""
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        content = "".join(text for text in texts if isinstance(text, str))
    return _SURROGATE.sub("\ufffd", content) if isinstance(content, str) else ""


@dataclass(frozen=True, slots=True)
class EditorReply:
    """What the editor answered. ``model`` is the id of the model, ``finish`` why the text ends; tokens are None where
    the editor does not say. ``context_tokens`` is how many fit into the model."""

    text: str
    model: str
    finish: str = "stop"
    tokens_in: int | None = None
    tokens_out: int | None = None
    context_tokens: int | None = None


Ask = Callable[[tuple[Message, ...], int], Awaitable[EditorReply]]
"""Asks the editor for one reply to messages, of so many tokens at most. Raises `ModelError`."""


class EditorChat:
    """Implements `ChatModel`. ``offered`` is what the editor said of its model when it was asked for none of its words;
    ``context_tokens`` is what the user says."""

    def __init__(self, ask: Ask, offered: EditorReply, *, context_tokens: int | None = None) -> None:
        self._ask = ask
        self._offered = offered
        self._context = context_tokens or offered.context_tokens or REMOTE_CONTEXT

    @property
    def name(self) -> str:
        """The id of the model."""
        return self._offered.model

    @property
    def endpoint(self) -> str:
        """Where everything is sent: no origin, since only the editor knows it."""
        return f"editor:{self._offered.model}"

    @property
    def loopback(self) -> bool:
        """False: nobody says that text stays on this machine."""
        return False

    @property
    def context_tokens(self) -> int:
        """How many tokens fit, prompt and reply together."""
        return self._context

    @property
    def small(self) -> bool:
        """False: the editor does not say."""
        return False

    async def probe(self) -> int:
        """`context_tokens`: the editor has said them already."""
        return self._context

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One call, the whole reply. Raises `ModelError`."""
        try:
            async with asyncio.timeout(request.seconds):
                said = await self._ask(_messages(request), request.max_tokens)
        except TimeoutError:
            raise late(f"the editor's model {self.name}", request, TimeLimit.CALL) from None
        return self._reply(said)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply, None]:
        """One call, its text in one piece, then the whole reply. Raises `ModelError`."""
        reply = await self.complete(request)
        yield reply.text
        yield reply

    async def aclose(self) -> None:
        """Nothing is open."""

    def _reply(self, said: EditorReply) -> ChatReply:
        if said.model != self.name:
            text = f"the editor let another model answer than {self.name}; choose it in the editor, then ask again"
            raise ModelError(text, failure=ModelFailure.UNREADABLE)
        if len(said.text) > MOST_WHOLE:
            most = MOST_WHOLE >> 10
            text = f"the editor's model sent more than {most} Ki where a reply has a few; ask again"
            raise ModelError(text, failure=ModelFailure.TOO_LARGE)
        text = text_of(said.text)
        if said.finish == "content_filter" or not text.strip():
            raise ModelError(
                f"the editor's model {self.name} sent no text; ask again, or use another model",
                failure=ModelFailure.NO_TEXT,
            )
        return ChatReply(text, said.tokens_in, said.tokens_out, complete=said.finish != "length")


def _messages(request: ChatRequest) -> tuple[Message, ...]:
    """The messages, the schema of the reply in words: an editor's model cannot be held to one."""
    if request.schema is None or not request.messages:
        return request.messages
    last = request.messages[-1]
    return (*request.messages[:-1], Message(last.role, last.text + in_words(request.schema)))
