"""How long a call may take: to its first token, between tokens, as a whole; and which setting a late one names."""

from __future__ import annotations

import asyncio
import json

import pytest

from lens_lsp.judge.llm.chat_model import (
    CALL_SECONDS,
    ChatReply,
    ChatRequest,
    Message,
    ModelError,
    ModelFailure,
    Patience,
    Role,
)
from lens_lsp.judge.llm.openai_client import EventStream, OpenAIChat
from tests.judge.llm.attempts import whole
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer
from tests.judge.llm.chat_wire import delta

SLOW = "slow but steady"
LONG = 10.0
"""Seconds of what must not run out."""
BRIEF = 0.2


def asking(patience: Patience, seconds: float | None = None) -> ChatRequest:
    """A request; ``seconds`` are what is left of the question, where that is less than a call may take."""
    return ChatRequest((Message(Role.USER, "Why?"),), 100, seconds or patience.call, patience=patience)


def reply(server: ChatServer, request: ChatRequest, *, stream: bool = True) -> ChatReply:
    async def run() -> ChatReply:
        async with server:
            try:
                return await whole(OpenAIChat(server.base_url, "any"), request, stream=stream)
            finally:
                await asyncio.wait_for(server.idle(), 5)

    return asyncio.run(run())


def late(server: ChatServer, request: ChatRequest, *, stream: bool = True) -> str:
    with pytest.raises(ModelError) as caught:
        reply(server, request, stream=stream)
    assert caught.value.failure is ModelFailure.DEADLINE
    assert "allow more time" not in str(caught.value)
    return str(caught.value).removeprefix(server.origin)


def test_while_tokens_come_a_call_is_not_late() -> None:
    """The whole reply takes three times as long as any one token may."""
    limits = Patience(LONG, first=0.5, next=0.5)
    assert reply(ChatServer("x" * 150, pace=0.05), asking(limits)).text == "x" * 150


def test_the_first_token_may_take_longer_than_the_others() -> None:
    assert reply(ChatServer(SLOW, first=0.4), asking(Patience(LONG, first=LONG, next=BRIEF))).text == SLOW


def test_a_late_first_token_names_the_longest_call() -> None:
    said = late(ChatServer(SLOW, first=LONG), asking(Patience(CALL_SECONDS, first=BRIEF, next=LONG)))
    advice = "Set model.callSeconds above 600 in your own settings, or name a smaller model"
    assert said == f" sent no token within 0.2 s. {advice}"


def test_a_late_further_token_is_told_apart() -> None:
    said = late(ChatServer(SLOW, pace=0.1), asking(Patience(LONG, first=LONG, next=0.01)))
    assert said.startswith(" sent no further token for 0.01 s in the middle of its reply. Set model.callSeconds above")


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_the_whole_call_ends_at_its_limit_though_tokens_come(stream: bool) -> None:
    said = late(ChatServer("x" * 1_000, pace=0.05), asking(Patience(0.3, first=LONG, next=LONG)), stream=stream)
    assert said.startswith(" gave no complete reply within 0.3 s. Set model.callSeconds above 0.3 in your own settings")


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_the_end_of_the_question_names_the_time_of_the_question(stream: bool) -> None:
    said = late(ChatServer("x" * 1_000, pace=0.05), asking(Patience(), 0.3), stream=stream)
    assert said.startswith(" gave no complete reply in the 0.3 s that were left. Set budget.seconds higher")


def test_a_reply_that_is_no_stream_is_bounded_as_a_whole_only() -> None:
    limits = Patience(LONG, first=0.01, next=0.01)
    assert reply(ChatServer(SLOW, first=BRIEF), asking(limits), stream=False).text == SLOW


@pytest.mark.parametrize("fault", [Fault.KEEP_ALIVES, Fault.DRIPPED_HEADERS, Fault.SILENCE], ids=str)
def test_a_sign_of_life_is_no_token(fault: Fault) -> None:
    assert "sent no token" in late(ChatServer(fault=fault), asking(Patience(LONG, first=BRIEF, next=LONG)))


@pytest.mark.parametrize(
    ("field", "counts"), [({"reasoning_content": "Hm."}, True), ({"reasoning": "Hm."}, True), ({"role": "a"}, False)]
)
def test_a_thought_is_a_token_and_the_name_of_the_speaker_is_none(field: dict[str, str], counts: bool) -> None:
    events = EventStream("http://localhost", None)
    assert list(events.feed(b"data: " + json.dumps(delta(None, **field)).encode() + b"\n\n")) == []
    assert bool(events.tokens) == counts


def test_who_raises_the_longest_call_raises_every_limit_with_it() -> None:
    raised, lowered = Patience.of(2 * CALL_SECONDS), Patience.of(60)
    assert raised == Patience(1_200, first=600, next=120)
    assert lowered == Patience(60, first=300, next=60)
    assert Patience.of(CALL_SECONDS) == Patience()
