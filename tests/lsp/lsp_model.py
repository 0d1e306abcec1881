"""A client that plays the user who is asked for consent, and the editor's own model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.judge.llm.chat_session import served
from tests.lsp.lsp_client import LspProcess, Message

FAR = "https://models.invalid/v1"
"""No such host is ever resolved: RFC 6761."""
CAPABILITIES: Message = {
    "general": {"positionEncodings": ["utf-32"]},
    "window": {"showMessage": {"messageActionItem": {}}},
}
PROMPT = "window/showMessageRequest"
ID = "played-1"
SPENT = {"tokensIn": 1_000, "tokensOut": 50}
"""What it says that every reply cost: as much as can be, so that no estimate takes its place."""


class Played:
    """The editor's model: what it was asked is in ``asked``, and how often which model it is in ``probes``.

    ``instead`` is said in place of every reply: a result, a `Refusal` or `SILENCE`.
    """

    def __init__(self, instead: object = None, *, offer: object = None) -> None:
        self.asked: list[Message] = []
        self.probes = 0
        self._instead = instead
        self._offer = offer
        self._script = served()

    def __call__(self, params: Message) -> object:
        if not params["messages"]:
            self.probes += 1
            return self._offer or {"text": "", "model": ID, "contextTokens": 32_000}
        self.asked.append(params)
        if self._instead is not None:
            return self._instead
        messages = [{"role": each["role"], "content": each["text"]} for each in params["messages"]]
        text = self._script({"messages": messages})
        return {"text": text, "model": ID, "finish": "stop", **SPENT}


def choosing(title: str | None) -> Callable[[Any], object]:
    """A user who always chooses the same action; None dismisses the question."""
    return lambda params: None if title is None else {"title": title}


def prompts(server: LspProcess) -> list[str]:
    """What the user was asked."""
    return [params["message"] for params in server.notifications(PROMPT)]


def consents(home: Path) -> list[Message]:
    """What was written down."""
    [file] = home.rglob("consent.json")
    given: list[Message] = json.loads(file.read_text())["given"]
    return given
