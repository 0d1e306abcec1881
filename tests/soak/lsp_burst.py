"""Tens of thousands of files made, rewritten and removed at once, as a checkout of git does it.

``python -m tests.soak.lsp_burst --n 60000`` has another process make so many files, 60 to a folder, below a workspace
that one real server watches while an answer is open, write them again, and remove them, twice over; meanwhile
``lens/status`` is asked for all the time. It prints one JSON line and exits with 1 if diagnostics of one text were
published more than once in 250 ms, if the processor was busy for half of the time or more in the 5 s that begin 5 s
after the last file, if memory after the second turn is 5 % above that after the first, if one in a hundred answers took
500 ms, if a cited file that changed afterwards was not told of within 2 s; and if a server that checks at every hint
publishes no more often.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.lsp.lsp_client import REPOSITORY, Message, environment, wait_until
from tests.lsp.lsp_editor import Editor
from tests.soak.cited_notes import DRIFTED, Changer, change, planted
from tests.soak.harness import Options, Verdict, harness
from tests.soak.lsp_drift import WITHIN, Reader, begun, command
from tests.soak.lsp_load import made

APART = 0.25
QUIET, LOOK = 5.0, 5.0
MOST_SHARE = 0.5
MOST_MS = 500.0
MOST_GROWTH = 0.05
NOTES = 5
TURNS = 2
A_FOLDER = 60
CONTROL_FILES = 3_000
CHECKOUT = """
import os, shutil, sys
place, files, a_folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for turn in range(2):
    for number in range(files):
        folder = os.path.join(place, f"part-{number // a_folder}")
        if number % a_folder == 0:
            os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"file-{number}.md"), "w") as file:
            file.write(f"# File {number}\\n\\nNothing of the kind, turn {turn}.\\n")
shutil.rmtree(place)
"""


class Heard(list[Message]):
    """Messages, each with the moment at which it came."""

    def append(self, message: Message) -> None:
        super().append(message | {"at": time.monotonic()})


@dataclass
class Tally:
    """What came of the bursts."""

    files: int = 0
    seconds: list[float] = field(default_factory=list)
    """How long each burst took."""
    milliseconds: list[float] = field(default_factory=list)
    published: int = 0
    crowded: int = 0
    """How often something was published less than 250 ms after it was published before."""
    shares: list[float] = field(default_factory=list)
    """Of the processor, after each burst."""
    memory: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def p99(self) -> float:
        ranked = sorted(self.milliseconds)
        return round(ranked[int(len(ranked) * 0.99)], 1) if ranked else 0.0

    def faults(self) -> list[str]:
        """What was beyond its bound."""
        told = [f"published {self.crowded} times within {APART} s of the last time"] if self.crowded else []
        told += [f"busy for {share:.0%} of the time afterwards" for share in self.shares if share >= MOST_SHARE]
        if self.p99() >= MOST_MS:
            told.append(f"one answer in a hundred took {self.p99()} ms")
        if self.memory[-1] > self.memory[0] * (1 + MOST_GROWTH):
            told.append(f"memory grew from {self.memory[0] >> 20} to {self.memory[-1] >> 20} MiB")
        return [*self.wrong, *told]


def crowded(said: Sequence[Message]) -> tuple[int, int]:
    """How often diagnostics were published, and how often of these too soon after the last ones of the same text."""
    last: dict[str, float] = {}
    count = soon = 0
    for message in said:
        if message.get("method") == "textDocument/publishDiagnostics":
            uri = message["params"]["uri"]
            count += 1
            soon += message["at"] - last.get(uri, 0.0) < APART
            last[uri] = message["at"]
    return count, soon


def burst(editor: Editor, place: Path, files: int, tally: Tally) -> None:
    """One turn, and the quiet after it."""
    editor.said.clear()
    started = time.monotonic()
    arguments = [sys.executable, "-c", CHECKOUT, str(place), str(files), str(A_FOLDER)]
    with subprocess.Popen(arguments, cwd=REPOSITORY) as making:
        while making.poll() is None:
            asked = time.perf_counter()
            editor.result("lens/status")
            tally.milliseconds.append(1000 * (time.perf_counter() - asked))
            threading.Event().wait(0.02)
    tally.seconds.append(round(time.monotonic() - started, 1))
    tally.files += files
    threading.Event().wait(QUIET)
    before = editor.seconds_of_processor()
    threading.Event().wait(LOOK)
    tally.shares.append(round((editor.seconds_of_processor() - before) / LOOK, 2))
    tally.memory.append(editor.resident())
    count, soon = crowded(list(editor.said))
    tally.published += count
    tally.crowded += soon


def run(files: int, *, turns: int = TURNS, hasty: bool = False) -> Tally:
    tally = Tally()
    with tempfile.TemporaryDirectory() as place:
        base = Path(place).resolve()
        cited = planted(base, made(base / "made", 40), NOTES)
        faults = command("hasty") if hasty else command("unpolled")
        with Editor(environment(base), faults) as editor, Changer() as changer:
            editor.said = Heard()
            begun(editor, base / "notes", offers=False)
            reader = Reader(editor, cited)
            editor.wait(lambda: editor.result("lens/status")["watching"] == "system")
            drifted = change(cited[0], "edit", 1001)
            changer.do(drifted.steps)  # so that there is something to publish all along
            if reader.shows(cited[0].path, DRIFTED, time.monotonic(), WITHIN) is None:
                tally.wrong.append("a changed file was not told of before the bursts")
            for _ in range(turns):
                burst(editor, base / "notes" / "checkout", files, tally)
            other = change(cited[1], "edit", 1002)
            if reader.shows(cited[1].path, DRIFTED, changer.do(other.steps), WITHIN) is None:
                tally.wrong.append("a changed file was not told of after the bursts")
            if not wait_until(lambda: editor.result("lens/status")["asks"]["running"] == 0):
                tally.wrong.append("something still runs")
            if editor.leave() != 0 or b"Traceback" in editor.errors:
                tally.wrong.append(f"it left with {editor.process.returncode}: {editor.errors[-300:]!r}")
    return tally


@harness(n=60_000)
def main(options: Options) -> Verdict:
    tally = run(options.n)
    control = run(min(options.n, CONTROL_FILES), turns=1, hasty=True)
    faults = tally.faults()
    return {
        "n": tally.files,
        "burst_s": tally.seconds,
        "p99_ms": tally.p99(),
        "published": tally.published,
        "processorShare": tally.shares,
        "memory_mb": [round(each / 1e6, 1) for each in tally.memory],
        "wrong": faults,
        "controlCrowded": control.crowded,
    }, control.crowded


if __name__ == "__main__":
    sys.exit(main())
