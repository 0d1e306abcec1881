"""An endpoint for ``lens`` processes: a chat server that follows the script of one question, and a key to look for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lens_process import Outcome

from lens_lsp.judge.llm.chat_model import ChatRequest, Message, Role
from tests.judge.llm.chat_server import ChatServer
from tests.judge.llm.chat_session import Says, scripted, stage_of

KEY = "sk-canary-Quillfeather-0123456789"
FAR = "https://models.invalid/v1"
"""No such host is ever resolved: RFC 6761."""


def request_of(asked: dict[str, Any]) -> ChatRequest:
    """A request as it came over the wire."""
    messages = tuple(Message(Role(message["role"]), message["content"]) for message in asked["messages"])
    return ChatRequest(messages, max_tokens=1)


def following(stages: dict[str, Says] | None = None) -> Callable[[dict[str, Any]], str]:
    """What a server replies that follows the script."""
    model = scripted(stages)
    return lambda asked: str(model._tell(request_of(asked)))


def settings(base_url: str, **more: str) -> dict[str, str]:
    return {"LENS_BASE_URL": base_url, "LENS_MODEL": "any", "LENS_API_KEY": KEY, **more}


def stages(server: ChatServer) -> list[str]:
    """The stages of the chat requests that a server got."""
    return [stage_of(request_of(each.json)) for each in server.requests if each.path.endswith("/chat/completions")]


def assert_no_key(outcome: Outcome) -> None:
    assert b"Quillfeather" not in outcome.out + outcome.err
    assert b"sk-canary" not in outcome.out + outcome.err
