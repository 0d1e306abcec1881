"""Whole questions of endpoints that fail, and of people who stop: the fast share of two soak commands."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.judge.cancellation import Stop, StoppableChat
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.model.answer import Event, EvidenceFound, Mode, Planned, Stopped
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer
from tests.judge.rules.chat_session import QUESTION, events_of, notes, oracle_of, scripted
from tests.soak.cancelling import HANGS, control, stops
from tests.soak.failing_endpoint import CONTROL, asks
from tests.soak.failing_endpoint import control as leaky

MOST_MS = 1_000
"""The soak command holds 100 ms on a machine that does nothing else."""


def test_whatever_fails_each_ask_ends_in_an_answer_and_a_dead_endpoint_is_left_alone(tmp_path: Path) -> None:
    tally = asyncio.run(asks(notes(tmp_path, more=3), 40, 0))
    assert tally.wrong == []
    assert sum(tally.statuses.values()) == 40
    assert tally.left_alone > 0
    assert tally.recovered > 0


def test_a_model_that_lets_exceptions_through_is_found_out(tmp_path: Path) -> None:
    assert asyncio.run(leaky(notes(tmp_path, more=1))) == CONTROL


def test_a_stopped_question_closes_its_socket_and_keeps_its_evidence(tmp_path: Path) -> None:
    tally = asyncio.run(stops(notes(tmp_path, more=4), 2 * len(HANGS)))
    assert tally.wrong == []
    assert max(tally.milliseconds) < MOST_MS
    assert len(tally.milliseconds) == 2 * len(HANGS)
    assert min(tally.kept) > 0


def test_a_question_that_nobody_stops_keeps_its_socket_open(tmp_path: Path) -> None:
    assert asyncio.run(control(notes(tmp_path, more=2))) == 1


async def first_of(folder: Path, server: ChatServer, mode: Mode) -> list[Event]:
    """The events of a question that is stopped while its first request waits, those before the stop first."""
    stop, model = Stop(), OpenAIChat(server.base_url, "any", context_tokens=32_000)
    seen: list[Event] = []

    async def ask() -> None:
        oracle = StoppableChat(oracle_of(model, mode), stop)
        async for event in Lens([folder]).ask(QUESTION, Terms(mode=mode, oracle=oracle)):
            seen.append(event)  # noqa: PERF401  each is looked at as it comes

    asking = asyncio.ensure_future(ask())
    await server.received.wait()
    assert server.open >= 1
    while not seen:
        await asyncio.sleep(0)
    assert isinstance(seen[0], EvidenceFound)
    stop.ask()
    await asking
    await model.aclose()
    return seen


@pytest.mark.parametrize("mode", [Mode.DEEP, Mode.FAST])
def test_first_evidence_does_not_wait_for_the_model(tmp_path: Path, mode: Mode) -> None:
    async def run() -> list[Event]:
        async with ChatServer(fault=Fault.SILENCE) as server:
            return await first_of(notes(tmp_path, more=4), server, mode)

    events = asyncio.run(asyncio.wait_for(run(), 10))
    first = events[0]
    assert isinstance(first, EvidenceFound)
    assert first.early
    assert first.evidence.path == "bridges.md"
    assert isinstance(events[-1], Stopped)
    early = sum(isinstance(event, EvidenceFound) and event.early for event in events)
    assert [type(event) for event in events[:early]] == [EvidenceFound] * early
    assert isinstance(events[early], Planned)


def test_leaving_while_the_model_reads_closes_its_socket(tmp_path: Path) -> None:
    async def run() -> None:
        async with ChatServer(fault=Fault.SILENCE) as server:
            model = OpenAIChat(server.base_url, "any", context_tokens=32_000)
            folder = notes(tmp_path, more=4)

            async def ask() -> None:
                async with aclosing(
                    Lens([folder]).ask(QUESTION, Terms(mode=Mode.FAST, oracle=oracle_of(model, Mode.FAST)))
                ) as events:
                    async for _ in events:
                        pass

            asking = asyncio.ensure_future(ask())
            await server.received.wait()
            assert server.open == 1
            asking.cancel()
            await server.idle()
            await asyncio.gather(asking, return_exceptions=True)
            assert asking.cancelled()
            await model.aclose()

    asyncio.run(asyncio.wait_for(run(), 10))


def test_an_empty_folder_has_no_first_evidence(tmp_path: Path) -> None:
    events = events_of(tmp_path, scripted(endpoint="https://models.example"), Mode.FAST)
    assert not any(isinstance(event, EvidenceFound) for event in events)
