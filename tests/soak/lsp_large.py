"""A text that is too large for one message: it is drained and refused, and the server goes on in the memory it had.

``python -m tests.soak.lsp_large --n 1024`` streams a ``textDocument/didOpen`` of so many MiB to a server, looking at
its memory all the while, and prints one JSON line. It exits with 1 if the server held 200 MB or more at any time, did
not refuse the message once, does not answer afterwards, or takes the text as open; and if bare pygls stays below
200 MB.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.lsp.lsp_client import LspProcess, environment
from tests.soak.harness import Options, Verdict, harness
from tests.soak.lsp_kills import BARE

MOST = 200_000_000
_MIB = 1 << 20
_CONTROL_MIB = 256
_LINE = b"The lamp room is open.\\n"


@dataclass
class Outcome:
    """What one large message came to."""

    before: int = 0
    most: int = 0
    """Bytes that the server held before, and at most."""
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


def streamed(server: LspProcess, uri: str, mebibytes: int, outcome: Outcome) -> None:
    """Send the message piece by piece, with a look at the server's memory after each."""
    item = {"uri": uri, "languageId": "markdown", "version": 1, "text": "@"}
    message = {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": item}}
    head, _, tail = json.dumps(message).encode().partition(b"@")
    piece = _LINE * (_MIB // len(_LINE))
    server.raw(b"Content-Length: %d\r\n\r\n" % (len(head) + len(piece) * mebibytes + len(tail)))
    server.raw(head)
    for _ in range(mebibytes):
        server.raw(piece)
        outcome.most = max(outcome.most, server.resident())
    server.raw(tail)


def run(mebibytes: int) -> Outcome:
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as base, LspProcess(environment(Path(base))) as server:
        uri = (Path(base) / "large.md").as_uri()
        server.begin(Path(base))
        server.result("lens/status")
        outcome.before = server.resident()
        started = time.perf_counter()
        streamed(server, uri, mebibytes, outcome)
        server.result("lens/status")
        outcome.seconds = time.perf_counter() - started
        outcome.most = max(outcome.most, server.resident())
        refused = server.answers.get(None, {}).get("error", {})
        if server.counts[None] != 1 or refused.get("code") != -32600:
            outcome.wrong.append(f"refused {server.counts[None]} times: {refused}")
        if server.result("textDocument/codeLens", {"textDocument": {"uri": uri}}):
            outcome.wrong.append("the text is open")
        if outcome.most >= MOST:
            outcome.wrong.append(f"it held {outcome.most} bytes")
        if server.leave() != 0:
            outcome.wrong.append(f"it left with {server.process.returncode}")
    return outcome


def bare(mebibytes: int) -> Outcome:
    """The same memory, looked at in bare pygls."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as base:
        command = (sys.executable, "-c", BARE)
        with LspProcess(environment(Path(base)), command) as server:
            server.begin(Path(base))
            outcome.before = server.resident()
            streamed(server, (Path(base) / "large.md").as_uri(), mebibytes, outcome)
            server.ask("shutdown")
            outcome.most = max(outcome.most, server.resident())
    return outcome


@harness(n=1024)
def main(options: Options) -> Verdict:
    outcome = run(options.n)
    control = bare(_CONTROL_MIB)
    return {
        "n": options.n,
        "bad": len(outcome.wrong),
        "before_mb": round(outcome.before / 1e6, 1),
        "most_mb": round(outcome.most / 1e6, 1),
        "seconds": round(outcome.seconds, 1),
        "wrong": outcome.wrong,
        "controlN": _CONTROL_MIB,
        "control_mb": round(control.most / 1e6, 1),
    }, not outcome.wrong and control.most >= MOST


if __name__ == "__main__":
    sys.exit(main())
