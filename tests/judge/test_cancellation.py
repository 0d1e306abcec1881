"""A model's pending call ends when the person asks to stop, wherever it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from benchmarks.scripted_model import ScriptedModel
from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.judge.cancellation import Stop
from lens_lsp.judge.llm.chat_model import ChatReply, ChatRequest
from lens_lsp.model.answer import Answer, AnswerDelta, Answered, Mode, StopReason
from lens_lsp.model.errors import BudgetSpent
from tests.judge.llm.chat_session import BEGUN, PROOF, QUESTION, notes, oracle_of, scripted, stage_of


class Hanging(ScriptedModel):
    """Begins an answer and never ends it."""

    left = False

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        try:
            if stage_of(request) == "read":
                yield BEGUN
            yield "It was opened when the carts came over the bridge [1]. "
            await asyncio.Event().wait()
        finally:
            self.left = True


def test_a_stop_in_the_middle_of_the_words_leaves_the_stream_and_the_rules_word(tmp_path: Path) -> None:
    model = Hanging(scripted()._tell, context_tokens=32_000)

    async def ask() -> Answer:
        stop = Stop()
        oracle = oracle_of(model, Mode.FAST, stop=stop)
        async with asyncio.timeout(20):
            async for event in Lens([notes(tmp_path, more=2)]).ask(QUESTION, Terms(mode=Mode.FAST, oracle=oracle)):
                if isinstance(event, AnswerDelta) and not model.left:
                    stop.ask()
                if isinstance(event, Answered):
                    return event.answer
        raise AssertionError("no answer")

    answer = asyncio.run(ask())
    assert model.left
    assert answer.stopped is StopReason.CANCELLED
    assert PROOF in answer.evidence[0].quote
    assert "carts" not in answer.text


def test_after_a_stop_nothing_begins() -> None:
    async def begin() -> None:
        stop = Stop()
        stop.ask()
        async with stop.heeded():
            pytest.fail("begun")

    with pytest.raises(BudgetSpent) as spent:
        asyncio.run(begin())
    assert spent.value.reason is StopReason.CANCELLED


def test_a_deadline_of_its_own_is_no_stop() -> None:
    async def late() -> None:
        async with Stop().heeded():
            raise TimeoutError

    with pytest.raises(TimeoutError):
        asyncio.run(late())
