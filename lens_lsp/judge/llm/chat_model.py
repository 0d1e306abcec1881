"""The interface to a chat model: its requests, its replies, whole or streamed, and its failures.

Nothing here knows a provider. An implementation of `ChatModel` makes exactly one attempt per call and never retries,
because the ledger of the question counts every attempt.

`EditorChat` is the model that an editor offers. Every request goes through the editor, which asks its user and its
provider, and only the editor knows where the text goes from there. The editor names the model; the user consents to
that model, and a reply of any other is refused.
"""

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
"""The most bytes of a whole reply or of one event of a stream, and the most code points of a streamed text."""
REMOTE_CONTEXT = 16_384
"""The context length, in tokens, that is assumed of a remote model that does not tell its own."""
_SURROGATE = regex("[\ud800-\udfff]")
CALL_SECONDS = 600.0
"""The most seconds that one call may take, unless the user's own settings say otherwise."""
_FIRST_SECONDS = 300.0
"""Seconds to wait for the first token of a stream."""
_NEXT_SECONDS = 60.0
"""Seconds to wait for each further token."""


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
    """Whether a request has left this process.

    ``left`` becomes False when a call begins whose model watches its socket, and True before the first byte is written
    to the socket. It stays None where nobody watches; None counts as left.
    """

    left: bool | None = None


@dataclass(frozen=True, slots=True)
class CallTimeouts:
    """How long to wait for a model, in seconds.

    ``call`` bounds the whole call (``model.callSeconds``). In a streamed reply, ``first`` bounds the wait for the
    first token, the reading of the prompt included, and ``next`` the wait for each further token. ``option`` is the
    command-line option that set ``call``, None if the user's settings did.
    """

    call: float = CALL_SECONDS
    first: float = _FIRST_SECONDS
    next: float = _NEXT_SECONDS
    option: str | None = None

    @classmethod
    def of(cls, call: float, option: str | None = None) -> CallTimeouts:
        """The limits for a call of up to ``call`` seconds. Above the default, those of a token grow in proportion."""
        share = max(1.0, call / CALL_SECONDS)
        return cls(call, _FIRST_SECONDS * share, _NEXT_SECONDS * share, option)


class TimeLimit(StrEnum):
    """Which part of a call was waited for when the time ran out."""

    FIRST = "first"
    """The first token of a streamed reply."""
    NEXT = "next"
    """A further token of a streamed reply."""
    CALL = "call"
    """The end of the reply."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request to a model. ``max_tokens`` bounds the reply, and ``seconds`` the time of this call.

    ``seconds`` is less than ``patience.call`` where the question has less time left. ``schema`` is a JSON schema that
    the reply must follow; a model that cannot be held to it gets it in words.
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
    """The reply to a request. Token counts are those the endpoint reported, None if it reported none.

    ``complete`` is False if the reply was cut at ``max_tokens``.
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
        """The origin that requests are sent to, ``https://host:port``; None if nothing leaves the process."""

    @property
    def context_tokens(self) -> int:
        """The context length: how many tokens prompt and reply may have together."""

    @property
    def small(self) -> bool:
        """Whether the model is known to be small; a small one does better with shorter requests."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Make one call and return the whole reply. Raises `ModelError`."""

    def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Make one call: yields the text piece by piece, then the whole reply. Raises `ModelError`."""

    async def aclose(self) -> None:
        """Close the connections."""


class ModelFailure(StrEnum):
    """The kind of a failed call, for code that must tell one failure from another."""

    PAUSED = "paused"
    """The endpoint was not asked, because its last calls failed."""
    UNREACHABLE = "unreachable"
    """There is no connection: nothing listens, no such host, or it was dropped before an answer began."""
    UNTRUSTED = "untrusted"
    """The address, its certificate or a redirect is not to be trusted; nothing was sent there."""
    UNAUTHORISED = "unauthorised"
    """The key is missing or not accepted."""
    BUSY = "busy"
    """The endpoint refused the request for now, and may accept it later."""
    REJECTED = "rejected"
    """The endpoint refused the request as it is."""
    DEADLINE = "deadline"
    """No complete reply in time."""
    TOO_LARGE = "too-large"
    """The reply is longer than any reply may be; the rest was not read."""
    UNREADABLE = "unreadable"
    """What came back is not a chat reply: a web page, broken JSON, another charset, compressed data."""
    CUT_OFF = "cut-off"
    """The reply broke off before the endpoint announced its end."""
    NO_TEXT = "no-text"
    """The reply has no text: it is empty, a tool call or a refusal."""


IN_GENERAL = {
    ModelFailure.PAUSED: "the endpoint was not asked, because its last calls failed",
    ModelFailure.UNREACHABLE: "no connection to the endpoint; start it, check the network and the model's base URL",
    ModelFailure.UNTRUSTED: "the endpoint, its certificate or a redirect is not to be trusted; check the base URL",
    ModelFailure.UNAUTHORISED: "the endpoint does not accept the key; set a valid one in LENS_API_KEY",
    ModelFailure.BUSY: "the endpoint accepts no request now; try again, or see its log",
    ModelFailure.REJECTED: "the endpoint refused the request; check the model's name and the base URL (ends in /v1)",
    ModelFailure.DEADLINE: "no complete reply in time; set model.callSeconds higher, or name a smaller model",
    ModelFailure.TOO_LARGE: "the endpoint sent a reply that is too long; see its log",
    ModelFailure.UNREADABLE: "the endpoint sent something that is not a chat reply; check the base URL",
    ModelFailure.CUT_OFF: "the reply broke off; see the endpoint's log",
    ModelFailure.NO_TEXT: "the endpoint sent a reply without text",
}
"""By kind of failure, a message that says what to do. It names no endpoint and quotes nothing the endpoint said."""
_ACCEPTED = frozenset(
    {ModelFailure.DEADLINE, ModelFailure.TOO_LARGE, ModelFailure.UNREADABLE, ModelFailure.CUT_OFF, ModelFailure.NO_TEXT}
)


class ModelError(LensError):
    """A call that failed; the message says what to do.

    ``retryable`` says that the endpoint refused this call but may accept another. ``retry_after`` is how many seconds
    the endpoint asked to wait, None if it named no time.
    """

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
        """Whether the endpoint accepted the request, as far as can be known.

        Then it is counted as a call, since it may have cost money; otherwise it is not counted.
        """
        return self.failure in _ACCEPTED


def late(who: str, request: ChatRequest, waited: TimeLimit) -> ModelError:
    """The error for a time limit that ran out: says which one, and the setting that raises it.

    ``who`` is the subject of the message: an origin or a model.
    """
    patience, least = request.patience, request.patience.call
    if waited is not TimeLimit.CALL:
        # The limits of a token grow only with a longest call above the default: see `CallTimeouts.of`.
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
    """The error for a reply of more than ``cap`` bytes."""
    text = f"{origin} sent more than {cap >> 10} KiB for one reply; the rest was not read: see its log"
    return ModelError(text, failure=ModelFailure.TOO_LARGE)


def in_words(schema: Mapping[str, Any]) -> str:
    """The request to reply in JSON, for a model that cannot be held to a schema. It ends the last message."""
    told = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"\n\nReply with one JSON object that follows this JSON schema, and with nothing else:\n{told}"


def text_of(content: object) -> str:
    """The text of a content field: a string, or a list of parts as some servers send it.

    Surrogates become U+FFFD. Other content gives an empty text.
    """
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        content = "".join(text for text in texts if isinstance(text, str))
    return _SURROGATE.sub("\ufffd", content) if isinstance(content, str) else ""


@dataclass(frozen=True, slots=True)
class EditorReply:
    """The editor's reply. ``model`` is the id of the model that wrote it, ``finish`` why the text ends.

    ``context_tokens`` is the model's context length. Token counts are None where the editor does not say.
    """

    text: str
    model: str
    finish: str = "stop"
    tokens_in: int | None = None
    tokens_out: int | None = None
    context_tokens: int | None = None


Ask = Callable[[tuple[Message, ...], int], Awaitable[EditorReply]]
"""The function that asks the editor for one reply: takes the messages and the most tokens. Raises `ModelError`."""


class EditorChat:
    """A `ChatModel` that sends each request through the editor.

    ``offered`` is the editor's reply to a request without messages: it names the model. ``context_tokens`` is the
    context length that the user set, None to use the editor's.
    """

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
        """``editor:`` and the id of the model, in place of an origin, which only the editor knows."""
        return f"editor:{self._offered.model}"

    @property
    def loopback(self) -> bool:
        """False: the editor may send the text elsewhere."""
        return False

    @property
    def context_tokens(self) -> int:
        """The context length: how many tokens prompt and reply may have together."""
        return self._context

    @property
    def small(self) -> bool:
        """False: the editor does not say."""
        return False

    async def probe(self) -> int:
        """`context_tokens`; no request is needed."""
        return self._context

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Make one call and return the whole reply. Raises `ModelError`."""
        try:
            async with asyncio.timeout(request.seconds):
                said = await self._ask(_messages(request), request.max_tokens)
        except TimeoutError:
            raise late(f"the editor's model {self.name}", request, TimeLimit.CALL) from None
        return self._reply(said)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply, None]:
        """Make one call: yields the text in one piece, then the whole reply. Raises `ModelError`."""
        reply = await self.complete(request)
        yield reply.text
        yield reply

    async def aclose(self) -> None:
        """Do nothing: there is no connection to close."""

    def _reply(self, said: EditorReply) -> ChatReply:
        if said.model != self.name:
            text = f"the editor answered with another model than {self.name}; choose it in the editor, then ask again"
            raise ModelError(text, failure=ModelFailure.UNREADABLE)
        if len(said.text) > MOST_WHOLE:
            most = MOST_WHOLE >> 10
            text = f"the editor's model sent more than {most} Ki characters for one reply; ask again"
            raise ModelError(text, failure=ModelFailure.TOO_LARGE)
        text = text_of(said.text)
        if said.finish == "content_filter" or not text.strip():
            raise ModelError(
                f"the editor's model {self.name} sent no text; ask again, or use another model",
                failure=ModelFailure.NO_TEXT,
            )
        return ChatReply(text, said.tokens_in, said.tokens_out, complete=said.finish != "length")


def _messages(request: ChatRequest) -> tuple[Message, ...]:
    """The messages of a request, with any schema in words: a model of an editor cannot be held to one."""
    if request.schema is None or not request.messages:
        return request.messages
    last = request.messages[-1]
    return (*request.messages[:-1], Message(last.role, last.text + in_words(request.schema)))
