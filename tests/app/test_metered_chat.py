"""Calls that are written down, and the one that is not made because a day's tokens could not take it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from datetime import date
from pathlib import Path

import pytest

from lens_lsp.app.metered_chat import MeteredChat
from lens_lsp.judge.llm.chat_model import ChatReply, ChatRequest, Message, ModelError, ModelFailure, Role
from lens_lsp.memory.userdata import Meter, Usage
from lens_lsp.model.errors import UsageError

TODAY = date(2026, 3, 1)
REQUEST = ChatRequest((Message(Role.USER, "a" * 300),), max_tokens=100)
"""104 tokens by estimate, and 100 of the reply at most."""


class Model:
    """Replies when it is let; what it says costs what it says it cost."""

    name, endpoint, context_tokens = "any", "https://models.invalid", 8_000

    def __init__(self, reply: ChatReply | ModelError) -> None:
        self.reply = reply
        self.may = asyncio.Event()
        self.may.set()

    async def complete(self, request: ChatRequest) -> ChatReply:
        await self.may.wait()
        if isinstance(self.reply, ModelError):
            raise self.reply
        return self.reply

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str | ChatReply]:
        yield "abc"
        yield "def"
        yield await self.complete(request)

    async def aclose(self) -> None:
        """Nothing is open."""


def metered(model: Model, folder: Path, daily: int | None) -> MeteredChat:
    return MeteredChat(model, Meter(folder / "usage.json", model.endpoint, today=lambda: TODAY), daily)


def spent(folder: Path) -> tuple[int, int, int]:
    used = Usage.read(folder / "usage.json").on(TODAY)
    return used.calls, used.tokens_in, used.tokens_out


def test_a_call_under_way_counts_as_what_it_may_cost(tmp_path: Path) -> None:
    asyncio.run(_two_at_once(tmp_path))


async def _two_at_once(tmp_path: Path) -> None:
    model = Model(ChatReply("x", 20, 5))
    model.may.clear()
    chat = metered(model, tmp_path, 400)
    first = asyncio.ensure_future(chat.complete(REQUEST))
    await asyncio.sleep(0)
    with pytest.raises(UsageError, match="196 are left, and the next call may take 204"):
        await chat.complete(REQUEST)
    model.may.set()
    await first
    await chat.complete(REQUEST)
    assert spent(tmp_path) == (2, 40, 10)


def test_a_silent_endpoint_costs_the_estimate_and_a_call_that_was_refused_nothing(tmp_path: Path) -> None:
    asyncio.run(_silent_and_refused(tmp_path))


async def _silent_and_refused(tmp_path: Path) -> None:
    chat = metered(Model(ChatReply("abcdef")), tmp_path, None)
    assert [piece async for piece in chat.stream(REQUEST)][:2] == ["abc", "def"]
    assert spent(tmp_path) == (1, 104, 2)
    refused = metered(Model(ModelError("busy", failure=ModelFailure.BUSY)), tmp_path, None)
    broken = metered(Model(ModelError("cut", failure=ModelFailure.CUT_OFF)), tmp_path, None)
    for chat in (refused, broken):
        with pytest.raises(ModelError):
            await chat.complete(REQUEST)
    assert spent(tmp_path) == (2, 208, 2)
