"""An endpoint that keeps failing is left alone for half a minute, then tried once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from lens_lsp.judge.llm.chat_model import ChatReply, ModelError, ModelFailure
from lens_lsp.judge.llm.openai_client import MOST_FAILURES, OPEN_SECONDS, Breaker, OpenAIChat
from tests.judge.llm.attempts import asking, whole
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer

T = TypeVar("T")
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


Use = Callable[[ChatServer, OpenAIChat, Clock], Awaitable[T]]


def with_broken(use: Use[T], fault: Fault = Fault.UNAVAILABLE) -> T:
    """Use a model whose endpoint has failed as often as it may."""

    async def run() -> T:
        clock = Clock()
        async with ChatServer("There.", fault, pause_after=0) as server:
            server.go_on.set()
            model = OpenAIChat(server.base_url, "any", breaker=Breaker(clock=clock))
            for _ in range(MOST_FAILURES):
                assert await failure(model) is not ModelFailure.PAUSED
            return await use(server, model, clock)

    return asyncio.run(run())


async def failure(model: OpenAIChat, *, stream: bool = False) -> ModelFailure | None:
    """How a call fails; None for a reply."""
    try:
        await whole(model, asking(), stream=stream)
    except ModelError as error:
        return error.failure
    return None


@BOTH
def test_after_three_failures_nothing_is_asked_for_half_a_minute(stream: bool) -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> None:
        server.fault = None
        for _ in range(10):
            assert await failure(model, stream=stream) is ModelFailure.PAUSED
        clock.now += OPEN_SECONDS - 0.001
        assert await failure(model, stream=stream) is ModelFailure.PAUSED
        assert server.connections == MOST_FAILURES
        clock.now += 0.001
        assert await failure(model, stream=stream) is None
        assert await failure(model, stream=stream) is None
        assert server.connections == MOST_FAILURES + 2

    with_broken(use)


@BOTH
def test_a_trial_that_fails_opens_it_for_as_long_again(stream: bool) -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> None:
        clock.now += OPEN_SECONDS
        assert await failure(model, stream=stream) is ModelFailure.BUSY
        assert await failure(model, stream=stream) is ModelFailure.PAUSED
        clock.now += OPEN_SECONDS
        server.fault = None
        assert await failure(model, stream=stream) is None
        assert server.connections == MOST_FAILURES + 2

    with_broken(use)


def test_only_one_call_tries_and_the_others_wait_for_what_becomes_of_it() -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> None:
        clock.now += OPEN_SECONDS
        found = await asyncio.gather(*(failure(model) for _ in range(5)))
        assert sorted(str(one) for one in found) == ["busy", *["paused"] * 4]
        assert server.connections == MOST_FAILURES + 1
        clock.now += OPEN_SECONDS
        server.fault = None
        assert await asyncio.gather(*(failure(model) for _ in range(5))) == [None] * 5

    with_broken(use)


def test_who_waits_for_a_trial_waits_no_longer_than_its_own_deadline() -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> None:
        clock.now += OPEN_SECONDS
        server.fault = Fault.SILENCE
        server.received.clear()
        trying = asyncio.ensure_future(model.complete(asking(30)))
        await server.received.wait()
        with pytest.raises(ModelError, match="being tried again now") as caught:
            await model.complete(asking(0.1))
        assert caught.value.failure is ModelFailure.PAUSED
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)

    with_broken(use)


def test_a_trial_that_is_cancelled_proves_nothing_and_the_next_call_is_one() -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> None:
        clock.now += OPEN_SECONDS
        server.fault = Fault.SILENCE
        server.received.clear()
        trying = asyncio.ensure_future(model.complete(asking(30)))
        await server.received.wait()
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)
        server.fault = None
        assert await failure(model) is None

    with_broken(use)


def test_a_reply_between_failures_begins_the_count_anew() -> None:
    async def run() -> list[ModelFailure | None]:
        async with ChatServer() as server:
            model = OpenAIChat(server.base_url, "any", breaker=Breaker(clock=Clock()))
            found = []
            for fault in [*[Fault.UNAVAILABLE] * 2, None] * 3:
                server.fault = fault
                found.append(await failure(model))
            return found

    assert ModelFailure.PAUSED not in asyncio.run(run())


@pytest.mark.parametrize("fault", [Fault.UNAUTHORISED, Fault.BAD_REQUEST, Fault.REFUSAL, Fault.REDIRECT], ids=str)
def test_an_endpoint_that_says_no_is_one_that_works(fault: Fault) -> None:
    async def run() -> set[ModelFailure | None]:
        async with ChatServer(fault=fault) as server:
            model = OpenAIChat(server.base_url, "any", breaker=Breaker(clock=Clock()))
            return {await failure(model) for _ in range(MOST_FAILURES + 2)}

    assert ModelFailure.PAUSED not in asyncio.run(run())


@pytest.mark.parametrize("fault", [Fault.RESET, Fault.CUT_BODY, Fault.WEB_PAGE, Fault.BAD_GATEWAY], ids=str)
def test_what_an_ailing_endpoint_does_counts(fault: Fault) -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> ModelFailure | None:
        return await failure(model)

    assert with_broken(use, fault) is ModelFailure.PAUSED


def test_the_warning_says_how_long_and_that_nothing_was_asked() -> None:
    async def use(server: ChatServer, model: OpenAIChat, clock: Clock) -> ModelError:
        clock.now += 6.5
        with pytest.raises(ModelError) as caught:
            await model.complete(asking())
        return caught.value

    error = with_broken(use)
    assert "was not asked, its last 3 calls failed (busy): it is tried again in 24 s" in str(error)
    assert not error.accepted
    assert not error.retryable


def test_a_stream_that_is_left_early_says_nothing_of_the_endpoint() -> None:
    async def run() -> ChatReply:
        async with ChatServer("Word by word.") as server:
            model = OpenAIChat(server.base_url, "any", breaker=Breaker(clock=Clock()))
            for _ in range(MOST_FAILURES + 1):
                stream = model.stream(asking())
                await anext(stream)
                await stream.aclose()
            return await model.complete(asking())

    assert asyncio.run(run()).text == "Word by word."
