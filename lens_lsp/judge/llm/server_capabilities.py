"""What an endpoint has been found to take: learned from what it refuses, once for each thing.

Compatible servers differ in four details. Each is assumed in its richest form until the endpoint refuses a request and
names it. That refused request is a retry and no call (`ModelError.retryable`); the next one leaves the thing out, and
so do all that follow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from lens_lsp.judge.llm.endpoint import Endpoint
from lens_lsp.judge.llm.messages import ChatRequest

_REFUSED = (400, 404, 415, 422, 500, 501)
_FORMAT = re.compile(r"response.?format|schema|json.?object|structured.?output|guided|grammar", re.IGNORECASE)
_NAME = "reply"


class Shape(IntEnum):
    """How an endpoint can be held to JSON."""

    WORDS = 0
    """It is only asked for, in words."""
    OBJECT = 1
    """Any JSON object; which one is asked for in words."""
    SCHEMA = 2


@dataclass(frozen=True, slots=True)
class Habits:
    """What to put into a request. ``limit`` is the field that bounds the reply; ``usage`` asks a stream for it."""

    shape: Shape = Shape.SCHEMA
    limit: str = "max_tokens"
    temperature: bool = True
    usage: bool = True

    @classmethod
    def at_first(cls, endpoint: Endpoint) -> Habits:
        """What an endpoint is assumed to take. OpenAI's own renamed the limit; all others know the old name."""
        own = endpoint.host == "api.openai.com"
        return cls(limit="max_completion_tokens" if own else "max_tokens")

    def body(self, request: ChatRequest, name: str, *, stream: bool) -> dict[str, Any]:
        """The fields of the request as the endpoint takes it."""
        messages = [{"role": message.role.value, "content": message.text} for message in request.messages]
        body: dict[str, Any] = {"model": name, "messages": messages, self.limit: request.max_tokens}
        if self.temperature:
            body["temperature"] = request.temperature
        if stream:
            body["stream"] = True
            if self.usage:
                body["stream_options"] = {"include_usage": True}
        if request.schema is None:
            return body
        if self.shape is Shape.SCHEMA:
            schema = {"name": _NAME, "strict": True, "schema": dict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
            return body
        if self.shape is Shape.OBJECT:
            body["response_format"] = {"type": "json_object"}
        if messages:
            messages[-1]["content"] += in_words(request.schema)
        return body

    def after_refusal(self, sent: dict[str, Any], status: int, words: str) -> Habits | None:
        """What to send from now on, after a request was refused with these words; None when they name nothing.

        It looks at what was sent, so that several calls at a time, refused for the same, learn it once.
        """
        if status not in _REFUSED:
            return None
        if "stream_options" in sent and re.search(r"stream.?options|include.?usage", words, re.IGNORECASE):
            return replace(self, usage=False)
        if "max_tokens" in sent and "max_completion_tokens" in words:
            return replace(self, limit="max_completion_tokens")
        if "temperature" in sent and "temperature" in words.lower():
            return replace(self, temperature=False)
        if "response_format" in sent and _FORMAT.search(words):
            # LM Studio takes a schema or nothing, most others a plain object where they take no schema.
            taken = Shape.OBJECT if sent["response_format"]["type"] == "json_schema" else Shape.WORDS
            return replace(self, shape=min(self.shape, taken))
        return None


def in_words(schema: Mapping[str, Any]) -> str:
    """What asks for JSON where nothing holds a model to it: the end of the last message."""
    told = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"\n\nReply with one JSON object that follows this JSON schema, and with nothing else:\n{told}"
