"""Reads what an endpoint sends back, byte by byte, trusting nothing: whole replies and event streams.

The SDK's own readers are not used. They take a stream that was cut for a complete one, hand web pages on as text and
let errors of the JSON reader through; all of it was measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from lens_lsp.judge.llm import error_messages
from lens_lsp.judge.llm.chat_model import ChatReply, ModelError, ModelFailure
from lens_lsp.judge.llm.endpoint import Key

MOST_WHOLE = 1 << 20
"""Bytes of a reply that is read as one document, and of one event of a stream; code points of a streamed text."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def media_type(header: str, origin: str) -> str:
    """The media type of a reply. Raises `ModelError` for a web page, another charset, and what is no reply at all."""
    kind, _, parameters = header.partition(";")
    kind = kind.strip().lower()
    charset = re.search(r"charset\s*=\s*\"?([^\s\";]+)", parameters, re.IGNORECASE)
    if charset is not None and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise _unreadable(f"{origin} answered in another charset than UTF-8; look for a proxy in between")
    if kind in ("application/json", "text/event-stream"):
        return kind
    if kind in ("text/html", "application/xhtml+xml"):
        raise _unreadable(
            f"{origin} answered with a web page: sign in to the network, or correct the base URL (ends in /v1)"
        )
    raise _unreadable(
        f"{origin} answered with something that is no chat reply; check the model's base URL (ends in /v1)"
    )


def whole_reply(body: bytes, origin: str, key: Key | None) -> ChatReply:
    """A reply that came as one JSON document. Raises `ModelError`."""
    found = _json(body, origin)
    _no_error(found, origin, key)
    choice = _first(found.get("choices"))
    if choice is None:
        raise _unreadable(f"{origin} answered without any choice; check that the base URL is one of a chat endpoint")
    message = choice.get("message")
    reader = _Reader(origin, key)
    reader.take(message if isinstance(message, dict) else {}, choice.get("finish_reason"))
    reader.count(found.get("usage"))
    if reader.finished is None:
        raise cut_off(origin)
    return reader.reply()


class EventStream:
    """A reply that comes as server-sent events. ``feed`` bytes as they arrive, then ask for the ``reply``."""

    def __init__(self, origin: str, key: Key | None) -> None:
        self._origin = origin
        self._key = key
        self._reader = _Reader(origin, key)
        self._line = bytearray()
        self._data: list[bytes] = []
        self._size = 0
        self.done = False
        """The endpoint said that nothing more comes."""

    @property
    def finished(self) -> bool:
        """The text is complete; usage may still come."""
        return self.done or self._reader.finished is not None

    @property
    def tokens(self) -> int:
        """Pieces of the reply so far, those that only think among them."""
        return self._reader.pieces

    def feed(self, part: bytes) -> Iterator[str]:
        """The text that a part of the stream completes. Raises `ModelError`."""
        *lines, rest = part.split(b"\n")
        for line in lines:
            yield from self._take(bytes(self._line) + line)
            self._line.clear()
            if self.done:
                return
        self._line += rest
        if len(self._line) + self._size > MOST_WHOLE:
            raise _too_large(self._origin)

    def end(self) -> Iterator[str]:
        """The text in what was not closed by an empty line when the connection ended."""
        if not self.done:
            yield from self._take(bytes(self._line))
            self._line.clear()
            yield from self._take(b"")

    def reply(self) -> ChatReply:
        """The whole reply. Raises `ModelError` when its end was never announced."""
        if not self.finished:
            raise cut_off(self._origin)
        return self._reader.reply()

    def _take(self, line: bytes) -> Iterator[str]:
        line = line.removesuffix(b"\r")
        if line.startswith(b"data:"):
            self._size += len(line)
            if self._size > MOST_WHOLE:
                raise _too_large(self._origin)
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            data = b"\n".join(self._data)
            self._data.clear()
            self._size = 0
            yield from self._event(data)

    def _event(self, data: bytes) -> Iterator[str]:
        if data.strip() == b"[DONE]":
            self.done = True
            return
        found = _json(data, self._origin)
        _no_error(found, self._origin, self._key)
        self._reader.count(found.get("usage"))
        choice = _first(found.get("choices"))
        if choice is not None:
            delta = choice.get("delta")
            text = self._reader.take(delta if isinstance(delta, dict) else {}, choice.get("finish_reason"))
            if text:
                yield text


class _Reader:
    """Collects a reply from its messages or deltas."""

    def __init__(self, origin: str, key: Key | None) -> None:
        self._origin = origin
        self._key = key
        self._text: list[str] = []
        self._length = 0
        self._refusal: list[str] = []
        self._tokens: tuple[int | None, int | None] = (None, None)
        self.finished: str | None = None
        self.pieces = 0
        """Messages or deltas that said something, in whatever field; who speaks is nothing yet."""

    def take(self, message: dict[str, Any], finish: object) -> str:
        """Take in one message or delta; its text."""
        if message.get("tool_calls") or message.get("function_call") or finish in ("tool_calls", "function_call"):
            raise _no_text(
                f"the model at {self._origin} called a tool, and there are none; use a model without that habit"
            )
        self.pieces += any(said for name, said in message.items() if name != "role")
        refusal = written(message.get("refusal"))
        if refusal:
            self._refusal.append(refusal)
        text = written(message.get("content"))
        if text:
            self._text.append(text)
            self._length += len(text)
        if self._length > MOST_WHOLE:
            raise _too_large(self._origin)
        if isinstance(finish, str) and finish:
            self.finished = finish
        return text

    def count(self, usage: object) -> None:
        """Take in what the endpoint reports about tokens; the last report counts."""
        if isinstance(usage, dict):
            self._tokens = (_tokens(usage.get("prompt_tokens")), _tokens(usage.get("completion_tokens")))

    def reply(self) -> ChatReply:
        """The reply as collected. Raises `ModelError` when there is no text in it."""
        if self._refusal:
            said = error_messages.clean("".join(self._refusal), self._key)
            raise _no_text(
                f"the model at {self._origin} refused to answer ({said}); ask otherwise, or use another model"
            )
        if self.finished == "content_filter":
            raise _no_text(
                f"{self._origin} withheld the reply by its content filter; ask otherwise, or use another model"
            )
        text = "".join(self._text)
        if not text.strip():
            spent = "used all its tokens before the first word" if self.finished == "length" else "sent an empty reply"
            raise _no_text(f"the model at {self._origin} {spent}; ask again, or use a model that thinks less")
        return ChatReply(text, *self._tokens, complete=self.finished != "length")


def cut_off(origin: str) -> ModelError:
    """The end of the reply was never announced."""
    text = f"the reply of {origin} ended before its end was announced; ask again, or look into the server's log"
    return ModelError(text, failure=ModelFailure.CUT_OFF)


def _json(data: bytes, origin: str) -> dict[str, Any]:
    try:
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise _unreadable(
            f"{origin} sent a reply that is no JSON object in UTF-8; look into its log, or update the server"
        )
    return found


def _no_error(found: dict[str, Any], origin: str, key: Key | None) -> None:
    """Raise `ModelError` for an error that came with a status of success."""
    error = found.get("error") or (found if found.get("object") == "error" else None)
    if error:
        words = error_messages.error_words(json.dumps({"error": error}).encode(), key)
        said = f" ({words})" if words else ""
        text = f"{origin} gave up on the reply{said}; ask again, or look into its log"
        raise ModelError(text, failure=ModelFailure.CUT_OFF)


def _first(choices: object) -> dict[str, Any] | None:
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def written(content: object) -> str:
    """The text of a content field: a string, or a list of parts as some servers send it. No half surrogate pairs."""
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        content = "".join(text for text in texts if isinstance(text, str))
    return _SURROGATE.sub("\ufffd", content) if isinstance(content, str) else ""


def _tokens(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def _unreadable(text: str) -> ModelError:
    return ModelError(text, failure=ModelFailure.UNREADABLE)


def _too_large(origin: str) -> ModelError:
    text = f"{origin} sent more than {MOST_WHOLE >> 10} Ki where a reply has a few; the rest was not read: see its log"
    return ModelError(text, failure=ModelFailure.TOO_LARGE)


def _no_text(text: str) -> ModelError:
    return ModelError(text, failure=ModelFailure.NO_TEXT)
