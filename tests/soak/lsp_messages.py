"""Messages of every kind and shape, thrown at a real server: each request is answered once, and nothing ends it.

``python -m tests.soak.lsp_messages --n 100000`` sends as many, half of them requests, most of them wrong in some way,
and prints one JSON line. It exits with 1 if one was answered never or twice, if the server left, said a traceback or
grew beyond 400 MiB; and if bare pygls left none unanswered.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lsprotocol import types

from tests.lsp.lsp_client import SERVE, LspProcess, environment, frame
from tests.soak.harness import Options, Verdict, harness

BATCH = 500
MOST_MEMORY = 400 << 20
BARE = """
from lsprotocol import types
from pygls.lsp.server import LanguageServer
server = LanguageServer("bare", "0")

@server.feature("lens/status")
def status(ls, params):
    return {}

@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(ls, params: types.HoverParams):
    return None

server.start_io()
"""
ENDS = {types.EXIT, types.SHUTDOWN}
METHODS = [*sorted(set(types.METHOD_TO_TYPES) - ENDS), "lens/ask", "lens/status", "lens/nothing", "", "$/x", "\0"] + [
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.WORKSPACE_EXECUTE_COMMAND,
    types.CANCEL_REQUEST,
] * 8
KEYS = [
    *("textDocument", "uri", "version", "text", "languageId", "contentChanges", "range", "start"),
    *("end", "line", "character", "position", "command", "arguments", "id", "token"),
    *("value", "changes", "type", "event", "added", "removed", "jsonrpc", "method"),
    *("settings", "params", "question", "scope", "mode", "workDoneToken"),
]
SCALARS: Sequence[Any] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**63,
        10**400,
        1e308,
        0.5,
        "",
        "x",
        "\0",
        "😀",
        "\ud800",
        "../..",
        "lens.server.ask",
    ),
    *("file:///etc/passwd", "file://h/x", "file:///%00", "untitled:U", "vscode-notebook-cell:/a#b", [], {}),
)


@dataclass
class Tally:
    """What came of a number of messages."""

    messages: int = 0
    requests: int = 0
    unanswered: int = 0
    doubled: int = 0
    codes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    memory: int = 0


class Speaker:
    """Draws messages. ``folder`` holds the documents that are real."""

    def __init__(self, seed: int, folder: Path) -> None:
        self._draw = random.Random(seed)
        self._uris = [(folder / name).as_uri() for name in ("a.md", "b.md")] + ["untitled:U", "x"]

    def message(self, id_: int) -> tuple[bytes, Any]:
        """One message as it is sent, and the id it must be answered under, None for nothing that can be told."""
        draw = self._draw
        method, params = self._sensible() if draw.random() < 0.4 else (draw.choice(METHODS), self._anything())
        if draw.random() < 0.2 and isinstance(params, dict) and params:
            params = {**params, draw.choice(list(params)): self._anything()}
        message: dict[str, Any] = {
            "jsonrpc": draw.choice(["2.0"] * 20 + ["1.0", 2, None]),
            "method": method,
            "params": params,
        }
        expected = None
        if draw.random() < 0.5:
            message["id"] = expected = id_ if draw.random() < 0.5 else f"r{id_}"
        if draw.random() < 0.02:
            del message["params"]
        body = json.dumps(message).encode()
        if draw.random() < 0.02:
            at = draw.randrange(len(body))
            body, expected = body[:at] + bytes([draw.randrange(256)]) + body[at + draw.randrange(2) :], None
        return frame(body), expected

    def _sensible(self) -> tuple[str, dict[str, Any]]:
        draw = self._draw
        uri = draw.choice(self._uris)
        document = {"uri": uri, "version": draw.randrange(100), "languageId": "markdown", "text": "a\nb😀\r\n\fc"}
        edit = {
            "range": {"start": self._place(), "end": self._place()},
            "text": draw.choice(["", "zz", "\r", "\n", "😀"]),
        }
        return draw.choice(
            [
                (types.TEXT_DOCUMENT_DID_OPEN, {"textDocument": document}),
                (
                    types.TEXT_DOCUMENT_DID_CHANGE,
                    {"textDocument": document, "contentChanges": [edit] * draw.randrange(3)},
                ),
                (types.TEXT_DOCUMENT_DID_CLOSE, {"textDocument": {"uri": uri}}),
                (types.TEXT_DOCUMENT_HOVER, {"textDocument": {"uri": uri}, "position": self._place()}),
                (types.WORKSPACE_EXECUTE_COMMAND, {"command": "lens.server.ask", "arguments": [self._anything()]}),
                (types.CANCEL_REQUEST, {"id": draw.randrange(10**6)}),
                ("lens/status", None),
            ]
        )

    def _place(self) -> dict[str, int]:
        return {"line": self._draw.randrange(5), "character": self._draw.randrange(9)}

    def _anything(self, depth: int = 0) -> Any:
        draw = self._draw
        if depth > 3 or draw.random() < 0.35:
            return draw.choice(SCALARS)
        if draw.random() < 0.3:
            return [self._anything(depth + 1) for _ in range(draw.randrange(4))]
        return {draw.choice(KEYS): self._anything(depth + 1) for _ in range(draw.randrange(5))}


def run(messages: int, seed: int = 1, *, bare: bool = False) -> Tally:
    """Send messages in batches, each with a status at its end: when that is answered, all before it must be."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as base:
        notes = Path(base) / "notes"
        notes.mkdir()
        (notes / "a.md").write_text("The lease ends on 30 June 2031.\n")
        command = (sys.executable, "-c", BARE) if bare else SERVE
        with LspProcess(environment(Path(base)), command) as server:
            server.begin(notes)
            speaker = Speaker(seed, notes)
            while tally.messages < messages and not tally.wrong:
                _batch(server, speaker, min(BATCH, messages - tally.messages), tally)
            if not tally.wrong and not bare:
                tally.memory = server.resident()
                if server.leave() != 0 or b"Traceback" in server.errors or tally.memory > MOST_MEMORY:
                    tally.wrong.append(f"it left with {server.process.returncode}, {tally.memory >> 20} MiB")
    return tally


def _batch(server: LspProcess, speaker: Speaker, count: int, tally: Tally) -> None:
    drawn = [speaker.message(10**7 + tally.messages + number) for number in range(count)]
    ids = [expected for _, expected in drawn if expected is not None]
    try:
        server.raw(b"".join(data for data, _ in drawn))
        server.result("lens/status")
        server.until(lambda: all(id_ in server.answers for id_ in ids), 1.0 if server.process.args != SERVE else 30.0)
    except (AssertionError, BrokenPipeError):
        if server.process.poll() is not None:
            tally.wrong.append(f"the server left with {server.process.returncode}: {server.errors[-300:]!r}")
    tally.messages += count
    tally.requests += len(ids)
    tally.unanswered += sum(id_ not in server.answers for id_ in ids)
    tally.doubled += sum(server.counts[id_] > 1 for id_ in ids)
    tally.codes.update(_outcome(server.answers[id_]) for id_ in ids if id_ in server.answers)
    server.answers.clear()
    server.counts.clear()
    server.said.clear()


def _outcome(answer: dict[str, Any]) -> str:
    return str(answer["error"]["code"]) if "error" in answer else "result"


@harness(n=100_000, seed=1)
def main(options: Options) -> Verdict:
    started = time.perf_counter()
    tally = run(options.n, options.seed)
    seconds = time.perf_counter() - started
    control = run(BATCH, options.seed, bare=True)
    bad = tally.unanswered + tally.doubled + len(tally.wrong)
    return {
        "n": tally.messages,
        "bad": bad,
        "requests": tally.requests,
        "unanswered": tally.unanswered,
        "doubled": tally.doubled,
        "outcomes": dict(sorted(tally.codes.items())),
        "memoryMiB": tally.memory >> 20,
        "wrong": tally.wrong,
        "seconds": round(seconds, 1),
        "controlN": control.messages,
        "controlUnanswered": control.unanswered,
    }, not bad and control.unanswered


if __name__ == "__main__":
    sys.exit(main())
