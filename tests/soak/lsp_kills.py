"""Clients killed idle, while questions are worked on, and with the server's input held open elsewhere.

``python -m tests.soak.lsp_kills --n 200`` starts as many clients, each with a server of its own, kills the client with
``SIGKILL`` and looks until the server and all it started are gone. It prints one JSON line and exits with 1 if one was
there after 3 s, or left a file behind; and if bare pygls is gone in time where its input stays open.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.lsp.lsp_client import LspProcess, environment
from tests.soak.harness import Options, Verdict, harness
from tests.soak.lsp_load import made, question

MOST_SECONDS = 3.0
KINDS = ("idle", "asking", "inherited", "asking-inherited")
AT_A_TIME = 2
BARE = """
from pygls.lsp.server import LanguageServer
LanguageServer("bare", "0").start_io()
"""
REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Tally:
    """What came of a number of kills."""

    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def client(kind: str, folder: Path, *, bare: bool) -> None:
    """What is killed: starts a server, has it do something, says its process and waits."""
    with tempfile.TemporaryDirectory() as home:
        command = (sys.executable, "-c", BARE) if bare else (sys.executable, "-m", "lens_lsp", "serve")
        with LspProcess(environment(Path(home), TMPDIR=os.environ["TMPDIR"]), command) as server:
            server.begin(folder)
            if kind.startswith("asking"):
                for number in range(60):
                    server.request("lens/ask", {"question": question(number)})
                server.until(lambda: bool(server.answers.keys() - {1}))  # work is under way, most of it still to come
            elif not bare:
                server.result("lens/status")
            holder = 0
            if kind.endswith("inherited"):
                assert server.process.stdin is not None
                kept = server.process.stdin.fileno()
                waiting = [sys.executable, "-c", "import signal; signal.pause()"]
                null = subprocess.DEVNULL
                holder = subprocess.Popen(waiting, pass_fds=[kept], stdin=null, stdout=null, stderr=null).pid
            print(json.dumps({"server": server.process.pid, "holder": holder}), flush=True)
            signal.pause()


def killed(kind: str, folder: Path, tally: Tally, *, bare: bool = False) -> None:
    """Kill one client and wait for its server to be gone."""
    with tempfile.TemporaryDirectory() as temporary:
        command = [sys.executable, "-m", "tests.soak.lsp_kills", "--client", kind, "--folder", str(folder)]
        process = subprocess.Popen(
            [*command, *(["--bare"] if bare else [])],
            stdout=subprocess.PIPE,
            cwd=REPOSITORY,
            env={**os.environ, "TMPDIR": temporary},
        )
        assert process.stdout is not None
        told = json.loads(process.stdout.readline() or "null")
        if told is None:
            raise RuntimeError("the client did not begin")
        family = [told["server"], *_children(told["server"])]
        process.kill()
        started = time.perf_counter()
        process.wait()
        process.stdout.close()
        try:
            there = _wait(family)
            tally.seconds.append(time.perf_counter() - started)
            if there:
                tally.wrong.append(f"{kind}: {len(there)} processes after {MOST_SECONDS} s")
            for left in there:
                os.kill(left, signal.SIGKILL)
        finally:
            if told["holder"]:
                os.kill(told["holder"], signal.SIGKILL)
        ours = [
            name for name in os.listdir(temporary) if not name.startswith("tmp")
        ]  # the client's own is not cleaned up
        if ours:
            tally.wrong.append(f"{kind}: left {ours}")


def _wait(family: list[int]) -> list[int]:
    """Those that are still there when the time is up."""
    until = time.monotonic() + MOST_SECONDS
    while there := [process for process in family if _lives(process)]:
        if time.monotonic() > until:
            return there
        time.sleep(0.01)
    return []


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _children(process: int) -> list[int]:
    try:
        found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [each for child in map(int, found) for each in (child, *_children(child))]


def run(kills: int, folder: Path, *, bare: bool = False) -> Tally:
    tally = Tally()
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        kinds = [KINDS[number % len(KINDS)] for number in range(kills)] if not bare else ["inherited"] * kills
        for done in [pool.submit(killed, kind, folder, tally, bare=bare) for kind in kinds]:
            done.result()
    return tally


@harness(n=200, client=str, folder=Path, bare=False)
def main(options: Options) -> Verdict:
    if options.client is not None:
        client(options.client, options.folder, bare=options.bare)
        return None
    folder = made(options.place / "notes", 400)
    tally = run(options.n, folder)
    control = run(2, folder, bare=True)
    ranked = sorted(tally.seconds)
    return {
        "n": len(ranked),
        "p50_s": round(ranked[len(ranked) // 2], 2),
        "worst_s": round(ranked[-1], 2),
        "wrong": tally.wrong,
        "controlN": len(control.seconds),
        "controlBad": len(control.wrong),
    }, control.wrong


if __name__ == "__main__":
    sys.exit(main())
