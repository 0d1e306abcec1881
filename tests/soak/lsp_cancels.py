"""Questions that are cancelled as soon as they are asked, or while they are worked on, or while a model is silent.

``python -m tests.soak.lsp_cancels --n 5000`` asks and cancels as many over one real server process, up to 40 at a time,
half of them offline and half with a model on loopback that never answers, and prints one JSON line. It exits with 1 if
one was answered never or twice, if an answer came later than 200 ms after its cancel (more than one in a hundred, when
nothing else waits), or if a task, a turn or a connection was left; and if nothing was left over where nobody cancels.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer
from tests.lsp.lsp_client import LspProcess, environment, wait_until
from tests.soak.harness import Options, Verdict, harness
from tests.soak.lsp_load import made, question

AT_A_TIME = 40
MOST_MS = 200.0
CANCELLED = "-32800"


@dataclass
class Tally:
    """What came of a number of cancels; ``milliseconds`` from a cancel to the answer."""

    asked: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)
    doubled: int = 0
    left: dict[str, int] = field(default_factory=dict)
    """What was there at the end that had not been at the beginning."""
    wrong: list[str] = field(default_factory=list)


class Asker:
    """Asks and cancels over one server."""

    def __init__(self, server: LspProcess, seed: int, tally: Tally) -> None:
        self._server = server
        self._draw = random.Random(seed)
        self._tally = tally

    def ask(self, number: int) -> int:
        """Ask a question by request or by command; its id."""
        params = {"question": question(number), "mode": self._draw.choice(["evidence", "fast"])}
        if self._draw.random() < 0.3:
            command = {"command": "lens.server.ask", "arguments": [params]}
            return int(self._server.request("workspace/executeCommand", command))
        return int(self._server.request("lens/ask", params))

    def round(self, count: int) -> None:
        """So many at a time: each is cancelled at once or a moment later, some twice."""
        ids = [self.ask(number) for number in range(count)]
        self._tally.asked += count
        if self._draw.random() < 0.7:
            wait_until(lambda: False, self._draw.random() * 0.05)
        self._draw.shuffle(ids)
        cancel: list[Any] = [{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id_}} for id_ in ids]
        started = time.perf_counter()
        self._server.send(*cancel, *cancel[: count // 4])
        for id_ in ids:
            answer = self._server.answer(id_)
            self._tally.outcomes[str(answer["error"]["code"]) if "error" in answer else "result"] += 1
        self._tally.milliseconds.append(1000 * (time.perf_counter() - started))
        self._server.result("lens/status")
        self._tally.doubled += sum(self._server.counts[id_] != 1 for id_ in ids)
        for id_ in ids:
            del self._server.answers[id_], self._server.counts[id_]
        self._server.said.clear()


def running(server: LspProcess, endpoint: ChatServer) -> dict[str, int]:
    """What is under way."""
    status = server.result("lens/status")
    asks = status["asks"]
    return {
        "tasks": status["tasks"],
        "running": asks["running"],
        "waiting": asks["waiting"],
        "connections": endpoint.open,
        "descriptors": len(list(Path(f"/proc/{server.process.pid}/fd").iterdir())),
    }


def left(before: dict[str, int], now: dict[str, int]) -> dict[str, int]:
    return {name: now[name] - before[name] for name in before if now[name] > before[name]}


def play(server: LspProcess, endpoint: ChatServer, questions: int, tally: Tally, *, control: bool) -> None:
    """Ask and cancel, or only ask, and look at what is left."""
    for mode in ("evidence", "fast"):  # everything that comes once and stays has come
        id_ = server.request("lens/ask", {"question": question(0), "mode": mode})
        if mode == "fast":
            wait_until(lambda: endpoint.open > 0)
            server.notify("$/cancelRequest", {"id": id_})
        server.answer(id_)
    wait_until(lambda: endpoint.open == 0)
    before = running(server, endpoint)
    asker, draw = Asker(server, 1, tally), random.Random(2)
    if control:
        for number in range(questions):
            asker.ask(number)
        wait_until(lambda: endpoint.open > 0)
        tally.left = left(before, running(server, endpoint))
        return
    while tally.asked < questions:
        asker.round(min(draw.choice([1, 1, 4, AT_A_TIME]), questions - tally.asked))
    wait_until(lambda: not left(before, running(server, endpoint)), 2)
    tally.left = left(before, running(server, endpoint))
    if server.leave() != 0 or b"Traceback" in server.errors:
        tally.wrong.append(f"it left with {server.process.returncode}: {server.errors[-300:]!r}")


async def run(questions: int, *, control: bool = False) -> Tally:
    tally = Tally()
    with tempfile.TemporaryDirectory() as base:
        folder = made(Path(base) / "notes", 60)
        async with ChatServer(fault=Fault.SILENCE) as endpoint:
            env = environment(Path(base), LENS_BASE_URL=endpoint.base_url, LENS_MODEL="any")
            with LspProcess(env) as server:
                server.begin(folder)
                await asyncio.to_thread(play, server, endpoint, questions, tally, control=control)
    return tally


@harness(n=5_000)
def main(options: Options) -> Verdict:
    tally = asyncio.run(run(options.n))
    control = asyncio.run(run(20, control=True))
    ranked = sorted(tally.milliseconds)
    lost = tally.asked - sum(tally.outcomes.values())
    slow = sum(each > MOST_MS for each in ranked)
    return {
        "n": tally.asked,
        "bad": lost + tally.doubled + len(tally.wrong) + len(tally.left) + slow * (slow * 100 > len(ranked)),
        "outcomes": dict(tally.outcomes),
        "doubled": tally.doubled,
        "left": tally.left,
        "rounds": len(ranked),
        "p50_ms": round(ranked[len(ranked) // 2], 1),
        "p99_ms": round(ranked[len(ranked) * 99 // 100], 1),
        "worst_ms": round(ranked[-1], 1),
        "wrong": tally.wrong,
        "controlLeft": control.left,
    }, control.left


if __name__ == "__main__":
    sys.exit(main())
