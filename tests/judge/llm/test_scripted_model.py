"""The scripted model says what it is told, in order, and remembers what it was asked."""

from __future__ import annotations

import asyncio

import pytest

from benchmarks.scripted_model import Broken, ScriptedModel
from lens_lsp.judge.llm.chat_model import ChatModel, ChatReply, ChatRequest, Message, ModelError, ModelFailure, Role
from tests.judge.llm.attempts import asking


async def pieces(model: ChatModel, request: ChatRequest) -> list[str | ChatReply]:
    return [part async for part in model.stream(request)]


def test_replies_come_in_order_and_requests_are_kept() -> None:
    async def run() -> None:
        model = ScriptedModel(["one", ChatReply("two", 5, 6, complete=False)])
        first, second = asking(text="a"), asking(text="b")
        assert await model.complete(first) == ChatReply("one")
        assert await model.complete(second) == ChatReply("two", 5, 6, complete=False)
        assert model.requests == [first, second]

    asyncio.run(run())


def test_a_stream_is_its_pieces_and_then_the_whole() -> None:
    model = ScriptedModel(["abcdefg"], piece=3)
    assert asyncio.run(pieces(model, asking())) == ["abc", "def", "g", ChatReply("abcdefg")]


def test_a_function_sees_the_request_and_may_wait() -> None:
    async def later(request: ChatRequest) -> str:
        return request.messages[-1].text.upper()

    for script in (lambda request: request.messages[-1].text.upper(), later):
        model = ScriptedModel(script)
        request = ChatRequest((Message(Role.USER, "shout"),), 5)
        assert asyncio.run(model.complete(request)).text == "SHOUT"


def test_it_fails_on_demand_at_once_or_amid_a_stream() -> None:
    error = ModelError("too busy", retryable=True, failure=ModelFailure.BUSY)

    async def run() -> list[str | ChatReply]:
        model = ScriptedModel([error, Broken("half a ", error), Broken("half", error)])
        with pytest.raises(ModelError, match="too busy"):
            await model.complete(asking())
        seen: list[str | ChatReply] = []

        async def read() -> None:
            async for part in model.stream(asking()):
                seen.append(part)  # noqa: PERF401  what came stays when it fails

        with pytest.raises(ModelError, match="too busy"):
            await read()
        with pytest.raises(ModelError, match="too busy"):
            await model.complete(asking())
        assert len(model.requests) == 3
        return seen

    assert asyncio.run(run()) == ["half a "]


def test_a_script_that_is_over_says_so() -> None:
    with pytest.raises(ModelError, match="over"):
        asyncio.run(ScriptedModel([]).complete(asking()))


def test_it_looks_like_any_model() -> None:
    model: ChatModel = ScriptedModel([], name="m", endpoint="https://models.example", context_tokens=99)
    assert (model.name, model.endpoint, model.context_tokens) == ("m", "https://models.example", 99)
    assert ScriptedModel([]).endpoint is None
    scripted = ScriptedModel([])
    asyncio.run(scripted.aclose())
    assert scripted.closed
