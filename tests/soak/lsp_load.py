"""How soon the server answers while questions run and wait.

``python -m tests.soak.lsp_load --n 2000`` keeps as many questions asked as may run (4) and 50 more waiting, over a
folder of generated notes, and asks for ``lens/status`` so often, one after the other. It prints one JSON line and exits
with 1 if one in a hundred took longer than 200 ms, or an answer was lost; and if a server whose questions are worked on
where messages are handled was as quick.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.lsp.lsp_client import SERVE, LspProcess, environment
from tests.soak.harness import Options, Verdict, harness

MOST_MS = 200.0
ASKED = 54
FILES, PARAGRAPHS = 1_500, 30
ON_THE_LOOP = """
import sys
from lens_lsp.lsp import lens_ask

async def blocking(ls, params):
    import asyncio
    from lens_lsp.model.answer import answer_of
    from lens_lsp.app.lens import Lens
    paths = tuple(folder.path for folder in ls.state.folders)
    lens = Lens(paths)
    lens.find(params.question)
    return {}

lens_ask.ASK = lens_ask.RequestHandler(blocking, lens_ask.AskParams)
from lens_lsp.cli import main
sys.exit(main(["serve"]))
"""


@dataclass
class Tally:
    """Milliseconds of the pings; how many questions were running and waiting at each, at least; what went wrong."""

    milliseconds: list[float] = field(default_factory=list)
    full: int = 0
    """Pings that found 4 running and 50 waiting."""
    answered: int = 0
    wrong: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        ranked = sorted(self.milliseconds)
        return round(ranked[min(len(ranked) - 1, int(len(ranked) * share))], 1)


def made(folder: Path, files: int = FILES) -> Path:
    """Notes about places that were opened, with dates."""
    draw = random.Random(1)
    words = [
        f"{a}{b}{c}" for a in ("bar", "kel", "mon", "tir") for b in ("a", "e", "o") for c in ("ling", "dor", "wick")
    ]
    folder.mkdir(parents=True)
    for number in range(files):
        lines = [f"# The {draw.choice(words)} {number}", ""]
        for _ in range(PARAGRAPHS):
            said = " ".join(draw.choice(words) for _ in range(40))
            lines += [f"The bridge at {draw.choice(words)} was opened in {draw.randrange(1800, 2000)}: {said}.", ""]
        (folder / f"note-{number}.md").write_text("\n".join(lines))
    return folder


def question(number: int) -> str:
    return f"When was the bridge at {('barelingdor', 'kelowick', 'monading')[number % 3]} opened, number {number}?"


def pinged(server: LspProcess, pings: int, tally: Tally) -> None:
    """Keep questions running and waiting, and time the pings."""
    asked = [server.request("lens/ask", {"question": question(number)}) for number in range(ASKED)]
    done = 0
    while len(tally.milliseconds) < pings:
        started = time.perf_counter()
        asks = server.result("lens/status", seconds=120)["asks"]
        tally.milliseconds.append(1000 * (time.perf_counter() - started))
        tally.full += asks["running"] == 4 and asks["waiting"] >= ASKED - 8
        finished = sum(id_ in server.answers for id_ in asked)
        for _ in range(finished - done):
            asked.append(server.request("lens/ask", {"question": question(len(asked))}))
        done = finished
    for id_ in asked:
        if id_ not in server.answers:
            server.notify("$/cancelRequest", {"id": id_})
    for id_ in asked:
        answer = server.answer(id_, 120)
        tally.answered += "result" in answer
        if server.counts[id_] != 1 or ("error" in answer and answer["error"]["code"] != -32800):
            tally.wrong.append(f"{id_}: {server.counts[id_]} answers, {answer.get('error')}")


def run(pings: int, *, files: int = FILES, control: bool = False) -> Tally:
    tally = Tally()
    with tempfile.TemporaryDirectory() as base:
        folder = made(Path(base) / "notes", files)
        command = (sys.executable, "-c", ON_THE_LOOP) if control else SERVE
        with LspProcess(environment(Path(base)), command) as server:
            server.begin(folder)
            server.result("lens/ask", {"question": question(0)}, 120)
            pinged(server, pings, tally)
            if server.leave() != 0 or b"Traceback" in server.errors:
                tally.wrong.append(f"it left with {server.process.returncode}: {server.errors[-300:]!r}")
    return tally


@harness(n=2_000)
def main(options: Options) -> Verdict:
    tally = run(options.n)
    control = run(2, files=FILES // 4, control=True)
    slow = sum(each > MOST_MS for each in tally.milliseconds)
    return {
        "n": options.n,
        "bad": len(tally.wrong) + slow * (slow * 100 > options.n),
        "p50_ms": tally.percentile(0.5),
        "p99_ms": tally.percentile(0.99),
        "worst_ms": tally.percentile(1),
        "full": tally.full,
        "answered": tally.answered,
        "wrong": tally.wrong,
        "control_p99_ms": control.percentile(0.99),
    }, tally.full and control.percentile(0.99) > MOST_MS


if __name__ == "__main__":
    sys.exit(main())
