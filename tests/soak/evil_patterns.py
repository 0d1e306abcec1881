"""Patterns that take for ever, wherever text from outside comes in: none takes long, and none stalls the server.

``python -m tests.soak.evil_patterns --n 1000`` makes as many patterns (nested quantifiers, choices, stars, brackets,
repeats, what folds oddly, the words of our own rules) and puts each, in two lengths, wherever a matcher of ours may
meet it: questions, quotes and replies of a model, ignore files, scopes, notes, answer files. Then a real server is
asked each one, its globs and an open text with it, and pinged meanwhile. It prints one JSON line.

Processor time counts, for the machine may be busy: a text may take 0.25 s and 0.1 ms for each code point, and four
times the length not more than eight times the time. A ping's stall is the time until its answer without what its own
threads waited for a processor, and no more than the processor time of the whole server meanwhile: the event loop did
not stand still longer than that. What is too slow is tried twice more, a code point longer each time. It exits with 1
if something was too slow at each try, failed otherwise than with a sentence or stalled the server by 50 ms or more; and
if an expression that backtracks was not too slow, in the same places of the harness. It needs Linux's ``schedstat``.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.lsp.lsp_client import SERVE, LspProcess, environment
from tests.soak.evil_places import ATTEMPTS, Place, folder_of_runs, places, slow
from tests.soak.evil_texts import Pattern, patterns
from tests.soak.harness import Options, Verdict, harness

MOST_STALL = 0.05
"""Seconds."""
CONTROLS = 10
"""How often the control is tried until it is caught."""
QUESTION, GLOB = 2_000, 200
"""Code points of a question to the server, and of the glob of its scope."""
REFUSED = frozenset({-32602, -32803})
"""Codes of errors that say in a sentence what is wrong with a question."""
BACKTRACKING = Pattern("control", "", "a", "!")
"""What an expression with two quantifiers, one in the other, tries to match in every way."""
EXPRESSION = "(a+)+$"
SEARCHING = f"""
import sys
from lens_lsp.lsp import lens_ask

async def searching(ls, params):
    import asyncio, re
    await asyncio.get_running_loop().run_in_executor(None, re.search, {EXPRESSION!r}, params.question)
    return {{}}

lens_ask.ASK = lens_ask.RequestHandler(searching, lens_ask.AskParams)
from lens_lsp.cli import main
sys.exit(main(["serve"]))
"""


@dataclass
class Tally:
    """What came of a number of patterns."""

    patterns: int = 0
    tried: Counter[str] = field(default_factory=Counter)
    """Texts by where they were put."""
    worst: dict[str, float] = field(default_factory=dict)
    """The most processor seconds of a text there."""
    stalls: list[float] = field(default_factory=list)
    """Seconds by ping."""
    wrong: list[str] = field(default_factory=list)


def put(where: Iterable[Place], pattern: Pattern, tally: Tally) -> None:
    """Put a pattern everywhere."""
    tally.patterns += 1
    for place in where:
        try:
            seconds, why = slow(place, pattern)
        except Exception as error:  # noqa: BLE001 - whatever is no sentence of ours is a finding
            seconds, why = 0.0, f"{type(error).__name__}: {error}"[:200]
        tally.tried[place.name] += 1
        tally.worst[place.name] = max(tally.worst.get(place.name, 0.0), seconds)
        if why:
            tally.wrong.append(f"{place.name}: {why}: {pattern}")


Threads = dict[str, tuple[float, float]]
"""Seconds that a thread ran and that it waited for a processor, by its number."""


def threads(process: int | str) -> Threads:
    """The threads of a process."""
    found = {}
    for path in Path(f"/proc/{process}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            ran, waited, _ = (path / "schedstat").read_text().split()
            found[path.name] = int(ran) / 1e9, int(waited) / 1e9
    return found


def since(now: Threads, before: Threads) -> list[tuple[float, float]]:
    """What the threads ran and waited in between, the busiest last."""
    known = {name: before.get(name, (0.0, 0.0)) for name in now}
    return sorted((now[name][0] - ran, now[name][1] - waited) for name, (ran, waited) in known.items())


def pinged(server: LspProcess) -> float:
    """How long a ping was held up by what the server did meanwhile.

    Its busiest thread is taken for the one that works on the question; all others, and ours, are the ping's way.
    """
    number = server.process.pid
    theirs, ours, began = threads(number), threads("self"), time.perf_counter()
    server.result("lens/status")
    passed = time.perf_counter() - began
    way = since(threads(number), theirs)
    ran = sum(each for each, _ in way)
    waited = sum(each for _, each in (*way[:-1], *since(threads("self"), ours)))
    return max(0.0, min(ran, passed - waited))


def stalls(server: LspProcess, question: str, glob: str | None, tally: Tally) -> list[float]:
    """Ask a question, and ping until it is answered: how long each ping was held up."""
    scope = {} if glob is None else {"globs": [glob]}
    asked = server.request("lens/ask", {"question": question, "scope": scope})
    found = []
    while asked not in server.answers:
        found.append(pinged(server))
    answer = server.answer(asked)
    if "error" in answer and answer["error"]["code"] not in REFUSED:
        tally.wrong.append(f"the server says {answer['error']} to {question[:60]!r}")
    return found


def served(
    base: Path, chosen: Sequence[Pattern], tally: Tally, *, length: int = QUESTION, command: tuple[str, ...] = SERVE
) -> None:
    """Ask a server every pattern, some with a glob, some with a text of it open."""
    folder = folder_of_runs(base / "served")
    with LspProcess(environment(base), command) as server:
        server.begin(folder)
        stalls(server, "What is all of this about?", None, Tally())  # what is imported at the first question
        for number, pattern in enumerate(chosen):
            if number % 3 == 0:
                server.open((folder / "open.md").as_uri(), f"# {pattern.of(GLOB)}\n\n{pattern.of(length)}\n", number)
            worst: list[float] = []
            for attempt in range(ATTEMPTS):
                glob = pattern.of(GLOB + attempt) if number % 2 else None
                found = stalls(server, pattern.of(length + attempt), glob, tally)
                tally.stalls += found
                worst.append(max(found, default=0.0))
                if worst[-1] < MOST_STALL:
                    break
            if min(worst) >= MOST_STALL:
                tally.wrong.append(f"the server stood still for {[round(each, 3) for each in worst]} s: {pattern}")
        if server.leave() != 0 or b"Traceback" in server.errors:
            tally.wrong.append(f"it left with {server.process.returncode}: {server.errors[-300:]!r}")


def run(n: int, seed: int = 1) -> Tally:
    """``n`` patterns, everywhere."""
    tally, chosen = Tally(), list(patterns(random.Random(seed), n))
    with tempfile.TemporaryDirectory() as name:
        base = Path(name).resolve()
        where = places(base)
        for pattern in chosen:
            put(where, pattern, tally)
        served(base, chosen, tally)
    return tally


def control() -> tuple[Tally, Tally]:
    """An expression that backtracks, put where our matchers are: in this process, and in a server's thread.

    Where many others wait for a processor, too, what a ping waited for one hides a stall now and then, never adds one.
    """
    alone, asked = Tally(), Tally()
    put([Place("an expression", (14, 21), lambda text: re.search(EXPRESSION, text))], BACKTRACKING, alone)
    for _ in range(CONTROLS):
        with tempfile.TemporaryDirectory() as name:
            served(Path(name).resolve(), [BACKTRACKING], asked, length=21, command=(sys.executable, "-c", SEARCHING))
        if asked.wrong:
            break
    return alone, asked


@harness(n=1_000, seed=1)
def main(options: Options) -> Verdict:
    tally = run(options.n, options.seed)
    alone, asked = control()
    ranked = sorted(tally.stalls) or [0.0]
    return {
        "n": tally.patterns,
        "texts": 2 * tally.tried.total(),
        "worst_ms": {name: round(1000 * seconds) for name, seconds in tally.worst.items()},
        "pings": len(tally.stalls),
        "p99_stall_ms": round(1000 * ranked[len(ranked) * 99 // 100], 1),
        "stall_ms": round(1000 * ranked[-1], 1),
        "wrong": tally.wrong,
        "controlBad": len(alone.wrong) + len(asked.wrong),
        "controlStall_ms": round(1000 * max(asked.stalls, default=0.0)),
    }, tally.stalls and alone.wrong and asked.wrong


if __name__ == "__main__":
    sys.exit(main())
