"""Questions asked of an endpoint that fails at random, dies for a while and comes back: each ends in an answer.

``python -m tests.soak.failing_endpoint --asks 500`` asks over real sockets, one request in five with a fault drawn from
all kinds, and prints one JSON line. In between the endpoint is dead for a tenth of the asks. It exits with 1 if an ask
raised, gave no answer or an answer of no known status, took longer than its time by 250 ms, or called an endpoint that
was to be left alone; and if a model that lets its exceptions through was not caught by the same harness.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.scripted_model import ScriptedModel
from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.app.settings import Request
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.llm.chat_model import ChatModel, ChatReply, ChatRequest, ModelError
from lens_lsp.judge.llm.openai_client import CircuitBreaker, OpenAIChat
from lens_lsp.model.answer import Answer, Answered, Mode, Status, StopReason
from tests.judge.llm.attempts import asking
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer
from tests.judge.llm.chat_session import NARROW, QUESTION, notes, oracle_of, served
from tests.soak.harness import Options, Verdict, harness

SHARE = 0.2
SECONDS = 1.0
"""What a question may take."""
OVERRUN = 0.25
BETWEEN = 7.0
"""Seconds of the breaker's clock from one question to the next."""
CONTROL = 20
_FAULTS = tuple(Fault)


class Clock:
    """Seconds that pass between questions only."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Leaky(ScriptedModel):
    """The control: what goes wrong below comes up as it is."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        raise ConnectionResetError("as the socket said it")

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        raise ConnectionResetError("as the socket said it")
        yield


@dataclass
class Tally:
    """What came of a number of asks."""

    asks: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    stopped: Counter[str] = field(default_factory=Counter)
    worst: float = 0.0
    left_alone: int = 0
    """Asks that began while the endpoint was left alone."""
    recovered: int = 0
    """Asks answered by the model after one that was not."""
    wrong: list[str] = field(default_factory=list)


async def ask(folder: Path, model: ChatModel, mode: Mode, seed: int, tally: Tally) -> Answer | None:
    """One question; an exception or an answer that is none is added to the tally."""
    budget = replace(Budget.of(mode), seconds=SECONDS, **NARROW)
    tally.asks += 1
    answer: Answer | None = None
    started = time.monotonic()
    try:
        asked = Lens([folder]).ask(
            Request(QUESTION, seed=seed), Terms(mode=mode, budget=budget, oracle=oracle_of(model, mode))
        )
        async for event in asked:
            if isinstance(event, Answered):
                answer = event.answer
    except Exception as error:  # noqa: BLE001  a leaked exception is what is looked for
        tally.wrong.append(f"ask {seed}: {error!r}")
        return None
    tally.worst = max(tally.worst, time.monotonic() - started - SECONDS)
    if answer is None or not answer.text or not answer.evidence:
        tally.wrong.append(f"ask {seed}: no answer")
        return None
    tally.statuses[answer.status.value] += 1
    tally.stopped[answer.stopped.value] += 1
    if answer.status is not Status.ANSWERED and answer.stopped is StopReason.MODEL_FAILED and not answer.warnings:
        tally.wrong.append(f"ask {seed}: it failed and nothing says why")
    return answer


async def asks(folder: Path, count: int, seed: int) -> Tally:
    """Many questions of one endpoint that fails at random and is dead in the middle."""
    rng, clock, tally = random.Random(seed), Clock(), Tally()
    breaker = CircuitBreaker(clock=clock)

    def drawn() -> Fault | None:
        return rng.choice(_FAULTS) if rng.random() < SHARE else None

    async with ChatServer(served(), retry_after="0") as server:
        model = OpenAIChat(server.base_url, "any", context_tokens=32_000, breaker=breaker)
        await _warm(server)
        worked = True
        for number in range(count):
            dead = count * 4 // 10 <= number < count * 5 // 10
            server.fault = Fault.RESET if dead else drawn
            closed, before = not breaker.open, server.connections
            answer = await ask(folder, model, (Mode.DEEP, Mode.FAST)[number % 2], seed + number, tally)
            if not closed:
                tally.left_alone += 1
                said = answer is not None and any("was not asked" in warning for warning in answer.warnings)
                if server.connections != before or not said:
                    tally.wrong.append(f"ask {number}: the endpoint was to be left alone, and the answer to say so")
            works = answer is not None and answer.stopped is not StopReason.MODEL_FAILED
            tally.recovered += works and not worked
            worked = works
            clock.now += BETWEEN
        await model.aclose()
    return tally


async def _warm(server: ChatServer) -> None:
    """Import the SDK and make the largest reply: those seconds are no question's."""
    model = OpenAIChat(server.base_url, "any")
    for fault in (Fault.GZIP_BOMB, None):
        server.fault = fault
        with suppress(ModelError):
            await model.complete(asking())
    await model.aclose()


async def control(folder: Path) -> int:
    """How many asks of a model that lets its exceptions through the harness finds wrong."""
    tally = Tally()
    for number in range(CONTROL):
        await ask(folder, Leaky([]), Mode.FAST, number, tally)
    return len(tally.wrong)


@harness(asks=500, seed=0)
def main(options: Options) -> Verdict:
    folder = notes(options.place, more=6)
    tally = asyncio.run(asks(folder, options.asks, options.seed))
    caught = asyncio.run(control(folder))
    row = {
        "n": tally.asks,
        "seed": options.seed,
        "statuses": dict(sorted(tally.statuses.items())),
        "stopped": dict(sorted(tally.stopped.items())),
        "leftAlone": tally.left_alone,
        "recovered": tally.recovered,
        "worst_overrun_ms": round(1000 * max(0.0, tally.worst)),
        "controlCaught": caught,
        "wrong": tally.wrong,
    }
    lively = tally.left_alone > 0 and tally.recovered > 0 and caught == CONTROL
    return row, tally.worst <= OVERRUN and lively


if __name__ == "__main__":
    sys.exit(main())
