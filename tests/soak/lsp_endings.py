"""Servers that end in each of five ways, idle, while questions are worked on, and with answers that nobody has read.

``python -m tests.soak.lsp_endings --n 100`` starts as many servers and ends a fifth of them in each way: ``exit``
without ``shutdown``, both, ``SIGTERM``, the end of standard input, a standard output that nobody reads any more. It
prints one JSON line and exits with 1 if the exit status was another than is promised, if an answer that was ready or a
request that was being handled got none or two, if there was a traceback, or if it took longer than 5 s; and if bare
pygls ends as promised without a ``shutdown``.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.lsp.lsp_client import SERVE, LspProcess, environment, wait_until
from tests.soak.harness import Options, Verdict, harness
from tests.soak.lsp_kills import AT_A_TIME, BARE
from tests.soak.lsp_load import made, question

MOST_SECONDS = 5.0
STATUS = {"exit": 1, "shutdown": 0, "terminated": 0, "hung-up": 3, "unread-for-ever": 1}
"""The ways to end, each with the exit status."""
KINDS = ("idle", "asking", "unread")
"""What the server does meanwhile."""
QUESTIONS = 12
READY = 40
"""Answers that wait for a client that does not read, of `_LONG` bytes each: together more than a pipe holds."""
_LONG = 10_000
_UNKNOWN, _CANCELLED = -32601, -32800
_MARK = b"a request without an id was ignored"
"""What is logged of a ``hover`` without an id: what came before it has been handled by then."""


@dataclass
class Tally:
    """What came of a number of endings."""

    seconds: list[float] = field(default_factory=list)
    ways: Counter[str] = field(default_factory=Counter)
    flushed: int = 0
    """Answers that were ready and unread when the end began, and came."""
    cancelled: int = 0
    """Questions that the end cut short, and that were told so."""
    wrong: list[str] = field(default_factory=list)


def busied(server: LspProcess, kind: str) -> list[Any]:
    """Have a server do something; the ids of what it still owes an answer."""
    if kind == "asking":
        asked = [server.request("lens/ask", {"question": question(number)}) for number in range(QUESTIONS)]
        server.until(lambda: server.result("lens/status")["asks"]["running"] > 0)
        return asked
    if kind == "unread":
        server.reading.clear()
        unknown = "x" * _LONG
        ids = [f"ready-{number}" for number in range(READY)]
        server.send(*({"jsonrpc": "2.0", "id": id_, "method": unknown, "params": None} for id_ in ids))
        server.notify("textDocument/hover")
        if not wait_until(lambda: _MARK in server.errors):
            raise RuntimeError("the server does not take what it is sent")
        return ids
    return []


def ended(server: LspProcess, way: str) -> None:
    """End it in one of the ways, and read what it has to say."""
    if way == "exit":
        server.notify("exit")
    elif way == "shutdown":
        server.send({"jsonrpc": "2.0", "id": "bye", "method": "shutdown"}, {"jsonrpc": "2.0", "method": "exit"})
    elif way == "terminated":
        server.process.send_signal(signal.SIGTERM)
    elif way == "hung-up":
        server.hang_up()
    else:
        server.close_output()
        wait_until(lambda: _left(server), MOST_SECONDS)
    server.reading.set()


def _left(server: LspProcess) -> bool:
    """Whether a server whose output is closed has found out: it does when it has something to say."""
    with suppress(BrokenPipeError):
        server.request("lens/status")
    return server.process.poll() is not None


def one(way: str, kind: str, folder: Path, tally: Tally, *, bare: bool = False) -> None:
    """Start a server, end it, and see how."""
    command = (sys.executable, "-c", BARE) if bare else SERVE
    with tempfile.TemporaryDirectory() as home:
        with LspProcess(environment(Path(home)), command) as server:
            server.begin(folder)
            if not bare:
                server.result("lens/status")
            owed = [*busied(server, kind), *(["bye"] if way == "shutdown" else [])]
            unread = [id_ for id_ in owed if id_ not in server.answers]
            started = time.perf_counter()
            ended(server, way)
            in_time = wait_until(lambda: server.process.poll() is not None, MOST_SECONDS)
            tally.seconds.append(time.perf_counter() - started)
            status = server.process.poll()
        wrong = [] if in_time else [f"there after {MOST_SECONDS} s"]  # all that it said was read by now
        wrong += [] if status == STATUS[way] else [f"it left with {status}"]
        wrong += [f"{server.errors[-300:]!r}"] if b"Traceback" in server.errors or b"incident" in server.errors else []
        if way != "unread-for-ever":
            wrong += [f"{id_} was answered {server.counts[id_]} times" for id_ in owed if server.counts[id_] != 1][:2]
            codes = Counter(server.answers.get(id_, {}).get("error", {}).get("code") for id_ in unread)
            tally.flushed += codes[_UNKNOWN]
            tally.cancelled += codes[_CANCELLED]
            wrong += [f"answers {codes}" for _ in range(bool(codes.keys() - {None, _UNKNOWN, _CANCELLED}))]
    tally.ways[way] += 1
    if wrong:
        tally.wrong.append(f"{way} while {kind}: {'; '.join(wrong)}")


def run(endings: int, *, bare: bool = False) -> Tally:
    """End so many servers: all ways in turn, and all of them in each of the kinds."""
    tally = Tally()
    ways = [
        (way, KINDS[(number + turn) % len(KINDS)]) for turn in range(len(KINDS)) for number, way in enumerate(STATUS)
    ]
    if bare:
        ways = [("exit", "idle")]
    with tempfile.TemporaryDirectory() as base, ThreadPoolExecutor(AT_A_TIME) as pool:
        folder = made(Path(base) / "notes", 150)
        drawn = [ways[number % len(ways)] for number in range(endings)]
        for done in [pool.submit(one, way, kind, folder, tally, bare=bare) for way, kind in drawn]:
            done.result()
    return tally


@harness(n=100)
def main(options: Options) -> Verdict:
    tally = run(options.n)
    control = run(2, bare=True)
    ranked = sorted(tally.seconds)
    return {
        "n": len(ranked),
        "ways": dict(tally.ways),
        "flushed": tally.flushed,
        "cancelled": tally.cancelled,
        "p50_s": round(ranked[len(ranked) // 2], 2),
        "worst_s": round(ranked[-1], 2),
        "wrong": tally.wrong,
        "controlN": len(control.seconds),
        "controlBad": len(control.wrong),
    }, tally.flushed and tally.cancelled and control.wrong


if __name__ == "__main__":
    sys.exit(main())
