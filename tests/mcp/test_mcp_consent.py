"""Text goes to a model elsewhere only after the user said so: asked if the client can ask, else answered by rules."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest

from tests.mcp.mcp_agent import ERAS, QUESTION, agent, call

FAR = {"LENS_BASE_URL": "https://models.invalid/v1", "LENS_MODEL": "far"}
"""No such host is ever resolved: RFC 6761."""


class User:
    """Who is asked, and what is said."""

    def __init__(self, action: Any, choice: str | None = None) -> None:
        self.reply = types.ElicitResult(action=action, content=None if choice is None else {"choice": choice})
        self.asked: list[str] = []

    async def __call__(self, _: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return self.reply


def consents(home: Path) -> list[Any]:
    return [json.loads(file.read_text()) for file in home.rglob("consent.json")]


@pytest.mark.parametrize("mode", ERAS)
def test_the_user_is_asked_with_host_and_bytes_and_a_yes_is_remembered(home: Path, notes: Path, mode: str) -> None:
    user = User("accept", "Send")

    async def run() -> None:
        async with agent(home, notes, env=FAR, mode=mode, elicitation_callback=user) as client:
            for _ in range(2):
                answer = await call(client, "ask", question=QUESTION)
                assert (answer["mode"], answer["stopped"]) == ("fast", "model-failed")

    asyncio.run(run())
    [asked] = user.asked
    for part in ("https://models.invalid", " bytes", str(notes)):
        assert part in asked
    assert "models.invalid" in str(consents(home))


@pytest.mark.parametrize(
    ("mode", "action", "choice"),
    [
        (ERAS[0], "decline", None),
        (ERAS[1], "cancel", None),
        (ERAS[0], "accept", "Evidence only"),
        (ERAS[1], "accept", "x"),
    ],
)
def test_anything_else_answers_by_rules(home: Path, notes: Path, mode: str, action: str, choice: str | None) -> None:
    user = User(action, choice)

    async def run() -> None:
        async with agent(home, notes, env=FAR, mode=mode, elicitation_callback=user) as client:
            answer = await call(client, "ask", question=QUESTION)
            assert (answer["mode"], answer["status"], answer["sent_to"]) == ("evidence", "answered", None)

    asyncio.run(run())
    assert len(user.asked) == 1
    assert consents(home) == []


@pytest.mark.parametrize("mode", ERAS)
def test_who_cannot_be_asked_is_told_the_command(home: Path, notes: Path, mode: str) -> None:
    async def run() -> None:
        async with agent(home, notes, env=FAR, mode=mode) as client:
            answer = await call(client, "ask", question=QUESTION)
            assert (answer["mode"], answer["status"]) == ("evidence", "answered")
            assert f"lens ask --yes QUESTION '{notes}'" in answer["warnings"][0]

    asyncio.run(run())
    assert consents(home) == []
