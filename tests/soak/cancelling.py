"""Questions that are stopped while the model is being asked: the socket closes at once, what was found stays.

``python -m tests.soak.cancelling --stops 100`` stops as many questions, at each of their calls in turn, in two ways
(the person stops, the door lets go), and prints one JSON line. The endpoint says when it saw the end of the connection.
It exits with 1 if that took longer than 100 ms, or if a stopped question lost the evidence it had; and if a question
that nobody stopped had closed its connection as well.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.judge.cancellation import Stop
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.openai_client import OpenAIChat
from lens_lsp.model.answer import Answer, Answered, Event, Mode, StopReason
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer
from tests.judge.llm.chat_session import NARROW, PROOF, QUESTION, notes, oracle_of, quoting, served
from tests.soak.harness import Options, Verdict, harness

MOST_MS = 100.0
HANGS = ((1, Fault.SILENCE), (2, Fault.DRIP), (3, Fault.HALF_OPEN), (1, Fault.HALF_OPEN), (3, Fault.SILENCE))
"""At which request of a question the endpoint hangs, and how: each is a read call."""
_STILL = 0.2


@dataclass
class Tally:
    """What came of a number of stops: milliseconds until the endpoint saw the end, evidence that was kept."""

    milliseconds: list[float] = field(default_factory=list)
    kept: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


async def stopped(folder: Path, server: ChatServer, at: int, fault: Fault, tally: Tally) -> None:
    """Stop a question at its nth request, as a person does; its answer comes all the same."""
    asked, hung = _hanging(server, at, fault)
    stop = Stop()
    model = OpenAIChat(server.base_url, "any", context_tokens=32_000)
    events = _asked(folder, oracle_of(model, Mode.FAST, stop=stop))
    asking = asyncio.ensure_future(_answer(events))
    await asyncio.wait_for(hung.wait(), 10)
    started = time.perf_counter()
    stop.ask()
    await asyncio.wait_for(server.idle(), 10)
    tally.milliseconds.append(1000 * (time.perf_counter() - started))
    answer = await asking
    await model.aclose()
    tally.kept.append(len(answer.evidence))
    if answer.stopped is not StopReason.CANCELLED or not answer.evidence or not answer.text:
        tally.wrong.append(f"request {at} {fault}: {answer.stopped}, {len(answer.evidence)} passages")
    if at > 1 and not any(item.verdict for item in answer.evidence):
        tally.wrong.append(f"request {at} {fault}: the quote of the first round is lost")
    if len(server.requests) != asked + at:
        tally.wrong.append(f"request {at} {fault}: {len(server.requests) - asked} requests")


async def abandoned(folder: Path, server: ChatServer, at: int, fault: Fault, tally: Tally) -> None:
    """Let go of a question at its nth request, as a door does that closes."""
    asked, hung = _hanging(server, at, fault)
    model = OpenAIChat(server.base_url, "any", context_tokens=32_000)
    asking = asyncio.ensure_future(_answer(_asked(folder, oracle_of(model, Mode.FAST))))
    await asyncio.wait_for(hung.wait(), 10)
    started = time.perf_counter()
    asking.cancel()
    await asyncio.wait_for(server.idle(), 10)
    tally.milliseconds.append(1000 * (time.perf_counter() - started))
    await asyncio.gather(asking, return_exceptions=True)
    await model.aclose()
    if not asking.cancelled() or len(server.requests) != asked + at:
        tally.wrong.append(f"request {at} {fault}: it went on")


def _hanging(server: ChatServer, at: int, fault: Fault) -> tuple[int, asyncio.Event]:
    """Have the server hang at the nth request from now; the event says that it does."""
    asked, hung = len(server.requests), asyncio.Event()

    def drawn() -> Fault | None:
        if len(server.requests) - asked != at:
            return None
        hung.set()
        return fault

    server.fault = drawn
    return asked, hung


def _asked(folder: Path, oracle: object) -> AsyncGenerator[Event]:
    budget = replace(Budget.of(Mode.FAST), **NARROW)
    return Lens([folder]).ask(QUESTION, Terms(mode=Mode.FAST, budget=budget, oracle=oracle))  # type: ignore[arg-type]


async def _answer(events: AsyncGenerator[Event]) -> Answer:
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Answered):
                return event.answer
    raise RuntimeError("no answer")


def endpoint() -> ChatServer:
    """One that proves a part in every round, so that there are three."""
    return ChatServer(served({"read": quoting(PROOF, "partial")}))


async def control(folder: Path) -> int:
    """Connections that are open while nobody stops the question: 1, else the stops prove nothing."""
    async with endpoint() as server:
        _, hung = _hanging(server, 2, Fault.SILENCE)
        model = OpenAIChat(server.base_url, "any", context_tokens=32_000)
        asking = asyncio.ensure_future(_answer(_asked(folder, oracle_of(model, Mode.FAST))))
        await asyncio.wait_for(hung.wait(), 10)
        done, _ = await asyncio.wait({asking}, timeout=_STILL)
        still = server.open if not done else 0
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await model.aclose()
    return still


async def stops(folder: Path, count: int) -> Tally:
    tally = Tally()
    async with endpoint() as server:
        for number in range(count):
            at, fault = HANGS[number // 2 % len(HANGS)]
            await (stopped, abandoned)[number % 2](folder, server, at, fault, tally)
    return tally


@harness(stops=100)
def main(options: Options) -> Verdict:
    folder = notes(options.place, more=6)
    still = asyncio.run(control(folder))
    tally = asyncio.run(stops(folder, options.stops))
    times = sorted(tally.milliseconds)
    return {
        "n": len(times),
        "bad": len(tally.wrong) + sum(one > MOST_MS for one in times),
        "median_ms": round(times[len(times) // 2], 1),
        "p99_ms": round(times[min(len(times) - 1, len(times) * 99 // 100)], 1),
        "worst_ms": round(times[-1], 1),
        "leastEvidence": min(tally.kept, default=0),
        "controlOpen": still,
        "wrong": tally.wrong,
    }, still == 1


if __name__ == "__main__":
    sys.exit(main())
