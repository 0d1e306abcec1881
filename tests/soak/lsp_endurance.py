"""One server for a long time: questions, edits and cancels, and what it holds at the end.

``python -m tests.soak.lsp_endurance --asks 2000 --seconds 1800`` asks as many questions of one real server over that
time, of each four one cancelled, while open texts are typed in and files are written, moved and deleted. It prints one
JSON line and exits with 1 if the server left by itself or wrote a traceback, if a question was answered never or twice,
if tasks or descriptors were left, or if memory drifted by 5 % or more between the second quarter and the last one. A
server that keeps half a MiB of each question must drift in the same harness.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.lsp.lsp_client import SERVE, LspProcess, environment
from tests.soak.harness import Options, Verdict, harness
from tests.soak.lsp_load import made, question

MOST_DRIFT = 0.05
FILES = 200
QUESTIONS = 300
CONTROL_ASKS = 48
TYPED = 5
KEEPING = """
import sys
from lens_lsp.lsp import lens_ask

honest, kept = lens_ask.ASK, []

async def keeping(ls, params):
    kept.append(b"x" * (1 << 19))
    return await honest.handler(ls, params)

lens_ask.ASK = lens_ask.RequestHandler(keeping, lens_ask.AskParams)
from lens_lsp.cli import main
sys.exit(main(["serve"]))
"""


@dataclass
class Tally:
    """What was done and what was seen."""

    asks: int = 0
    edits: int = 0
    cancels: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    memory: list[int] = field(default_factory=list)
    """Bytes after each question."""
    descriptors: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def quarters(self) -> tuple[float, float]:
        """The median of the memory in the second quarter and in the last one."""
        share = max(1, len(self.memory) // 4)
        return statistics.median(self.memory[share : 2 * share]), statistics.median(self.memory[-share:])

    def drift(self) -> float:
        before, after = self.quarters()
        return after / before - 1

    def steady(self) -> bool:
        return self.drift() < MOST_DRIFT


class Sitting:
    """Somebody who works: asks, types, saves, tidies up."""

    def __init__(self, server: LspProcess, folder: Path, seed: int, tally: Tally) -> None:
        self._server = server
        self._folder = folder
        self._draw = random.Random(seed)
        self._tally = tally
        self._versions: dict[Path, int] = {}

    def edit(self) -> None:
        """Change a text that is open, or a file behind the server's back."""
        self._tally.edits += 1
        path = self._folder / f"note-{self._draw.randrange(FILES)}.md"
        spare = path.with_suffix(".txt")
        kind = self._draw.randrange(5)
        if kind <= 1:
            self._type(path)
        elif kind == 2:
            path.write_text(path.read_text() + f"A line of {self._tally.edits}.\n" if path.exists() else "# Again\n")
        elif kind == 3:
            if path.exists():
                path.replace(spare)
        else:
            path.unlink(missing_ok=True)
            path.write_text(f"# Anew\n\nThe bridge at barelingdor was opened in {1800 + self._tally.edits % 200}.\n")

    def _type(self, path: Path) -> None:
        version = self._versions.get(path, 0) + 1
        uri = path.as_uri()
        if version == 1:
            if len(self._versions) >= TYPED:
                closed = self._draw.choice(list(self._versions))
                del self._versions[closed]
                self._server.notify("textDocument/didClose", {"textDocument": {"uri": closed.as_uri()}})
            self._server.open(uri, path.read_text() if path.exists() else "# New\n")
        else:
            place = {"line": self._draw.randrange(6), "character": 0}
            self._server.change(uri, version, {"range": {"start": place, "end": place}, "text": "typed "})
        self._versions[path] = version

    def ask(self) -> None:
        """A question; of four one is cancelled, at once or a moment later."""
        number = self._draw.randrange(QUESTIONS)
        if self._draw.random() < 0.2:
            id_ = self._server.request("lens/find", {"query": question(number)})
        else:
            id_ = self._server.request("lens/ask", {"question": question(number)})
        if self._draw.random() < 0.25:
            self._tally.cancels += 1
            if self._draw.random() < 0.5:
                self._server.result("lens/status")
            self._server.notify("$/cancelRequest", {"id": id_})
        answer = self._server.answer(id_, 120)
        self._tally.outcomes[str(answer["error"]["code"]) if "error" in answer else "result"] += 1
        if self._server.counts[id_] != 1:
            self._tally.wrong.append(f"{id_} was answered {self._server.counts[id_]} times")
        if answer.get("error", {}).get("code") not in (None, -32800):
            self._tally.wrong.append(f"{id_}: {answer['error']}")
        self._tally.asks += 1
        self._tally.memory.append(self._server.resident())
        self._tally.descriptors.append(len(list(Path(f"/proc/{self._server.process.pid}/fd").iterdir())))
        self._server.answers.clear()
        self._server.counts.clear()
        self._server.said.clear()

    def close(self) -> None:
        """Close what is open."""
        for path in self._versions:
            self._server.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})


def run(asks: int, seconds: float, seed: int, command: tuple[str, ...] = SERVE) -> Tally:
    """``asks`` questions spread over some seconds."""
    tally = Tally()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as base:
        folder = made(Path(base) / "notes", FILES)
        with LspProcess(environment(Path(base)), command) as server:
            server.begin(folder)
            sitting = Sitting(server, folder, seed, tally)
            while tally.asks < asks:
                sitting.edit()
                sitting.ask()
                time.sleep(max(0.0, started + seconds * tally.asks / asks - time.monotonic()))
            sitting.close()
            status = server.result("lens/status")
            if status["asks"]["running"] or status["asks"]["waiting"]:
                tally.wrong.append(f"left: {status['asks']}")
            if server.leave() != 0 or b"Traceback" in server.errors:
                tally.wrong.append(f"it left with {server.process.returncode}: {server.errors[-300:]!r}")
    share = max(1, len(tally.descriptors) // 4)
    if (more := min(tally.descriptors[-share:]) - max(tally.descriptors[share : 2 * share])) > 0:
        tally.wrong.append(f"{more} descriptors more than in the second quarter")
    tally.seconds = time.monotonic() - started
    return tally


@harness(asks=2_000, seconds=1_800, seed=1)
def main(options: Options) -> Verdict:
    tally = run(options.asks, options.seconds, options.seed)
    control = run(CONTROL_ASKS, 0, options.seed, (sys.executable, "-c", KEEPING))
    before, after = tally.quarters()
    kept = control.quarters()[1] - control.quarters()[0]
    caught = kept > CONTROL_ASKS / 4 * (1 << 19) and control.drift() >= MOST_DRIFT
    return {
        "asks": tally.asks,
        "bad": len(tally.wrong) + (not tally.steady()),
        "edits": tally.edits,
        "cancels": tally.cancels,
        "outcomes": dict(tally.outcomes),
        "minutes": round(tally.seconds / 60, 1),
        "memory_mb": [round(before / 1e6, 1), round(after / 1e6, 1)],
        "most_mb": round(max(tally.memory) / 1e6, 1),
        "driftPercent": round(100 * tally.drift(), 2),
        "descriptors": [tally.descriptors[0], max(tally.descriptors), tally.descriptors[-1]],
        "wrong": tally.wrong,
        "controlDriftMb": round(kept / 1e6, 1) if caught else 0,
    }, caught


if __name__ == "__main__":
    sys.exit(main())
