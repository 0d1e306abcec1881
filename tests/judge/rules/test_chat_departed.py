"""What the ledger lists as sent is what was handed to a socket, whatever became of it then."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest

from lens_lsp.judge.ledger import Budget, Ledger
from lens_lsp.judge.llm.chat_oracle import ChatOracle
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.judge.oracle import ObserveRequest
from lens_lsp.model.answer import Account, Mode, Sent
from lens_lsp.model.errors import BudgetSpent, OracleFailed
from lens_lsp.model.observation import Region
from lens_lsp.model.plan import Plan, Requirement
from lens_lsp.model.text import Span
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer

PLAN = Plan("When?", (Requirement("f1", "when"),), ())
REGION = Region(1, "a.md", "A", (), None, "It is so.", root=1, sources=(Span(3, 12),))
LISTED = (Sent("a.md", Span(3, 12), 1),)


async def rest(_: float) -> None:
    return None


async def observed(model: OpenAIChat, seconds: float = 5.0) -> Account:
    """The account of one observation."""
    ledger = Ledger(replace(Budget.of(Mode.FAST), seconds=seconds))
    request = ObserveRequest(PLAN, PLAN.requirements, (REGION,))
    with contextlib.suppress(OracleFailed, BudgetSpent):
        await ChatOracle(model, Mode.FAST, sleep=rest).observe(request, ledger)
    return ledger.account()


def against(fault: Fault | None, seconds: float = 5.0, **told: str) -> Account:
    async def run() -> Account:
        async with ChatServer('{"found": []}', fault, **told) as server:
            return await observed(OpenAIChat(server.base_url, "any"), seconds)

    return asyncio.run(run())


@contextlib.contextmanager
def port_of(*, listening: bool) -> Iterator[int]:
    """A port that refuses, or one whose connections nobody ever takes."""
    with contextlib.ExitStack() as stack:
        taken = stack.enter_context(socket.socket())
        taken.bind(("127.0.0.1", 0))
        if listening:
            taken.listen(0)
            for _ in range(8):  # more than the queue of the kernel takes
                waiting = stack.enter_context(socket.socket())
                waiting.setblocking(False)
                waiting.connect_ex(taken.getsockname())
        yield taken.getsockname()[1]


@pytest.mark.parametrize("listening", [False, True], ids=["refused", "never-accepted"])
def test_nothing_was_sent_where_no_connection_came_about(listening: bool) -> None:
    with port_of(listening=listening) as port:
        account = asyncio.run(observed(OpenAIChat(f"http://127.0.0.1:{port}", "any"), 0.3))
    assert account.sent == ()


def test_nothing_was_sent_to_a_host_that_does_not_prove_who_it_is() -> None:
    async def run() -> Account:
        async with ChatServer() as server:  # speaks no TLS
            return await observed(OpenAIChat(f"https://127.0.0.1:{server.port}/v1", "any"))

    assert asyncio.run(run()).sent == ()


@pytest.mark.parametrize(
    "fault", [None, Fault.UNAUTHORISED, Fault.BUSY, Fault.RESET, Fault.NO_ANSWER, Fault.CUT_BODY], ids=str
)
def test_what_an_endpoint_read_is_listed_once_whatever_it_answers(fault: Fault | None) -> None:
    account = against(fault, retry_after="0")
    assert account.sent == LISTED


def test_what_was_sent_before_the_time_was_over_is_listed() -> None:
    assert against(Fault.SILENCE, 0.3).sent == LISTED


def test_a_request_that_is_cancelled_is_listed_if_it_had_left() -> None:
    async def run() -> Account:
        async with ChatServer(fault=Fault.SILENCE) as server:
            ledger = Ledger(Budget.of(Mode.FAST))
            request = ObserveRequest(PLAN, PLAN.requirements, (REGION,))
            oracle = ChatOracle(OpenAIChat(server.base_url, "any"), Mode.FAST)
            asking = asyncio.ensure_future(oracle.observe(request, ledger))
            await server.received.wait()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            return ledger.account()

    assert asyncio.run(run()).sent == LISTED


@pytest.mark.parametrize(
    ("fault", "calls"), [(Fault.UNAUTHORISED, 0), (Fault.NOT_FOUND, 0), (Fault.BUSY, 0), (Fault.REFUSAL, 1)], ids=str
)
def test_only_a_request_that_the_endpoint_took_is_a_call(fault: Fault, calls: int) -> None:
    assert sum(against(fault, retry_after="0").calls.values()) == calls
