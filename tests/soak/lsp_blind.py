"""Questions after the watch died: what files say counts, and nothing that was read before.

``python -m tests.soak.lsp_blind --n 500 --folder notes`` kills the watch of a server in each of three ways (its
threads end; the system's queue leads nowhere; the system forgets the watches), and then changes a cited file and asks,
so often. It prints one JSON line and exits with 1 if an answer did not quote what its file says now, quoted what it
said before, had a place that does not hold its quote, or if an open answer showed the change more than 2 s later; and
if a server that trusts what it read once is not caught.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from tests.lsp.lsp_client import environment
from tests.lsp.lsp_editor import Editor, under
from tests.soak.cited_notes import KINDS, Change, Changer, Note, draws, planted
from tests.soak.harness import Options, Verdict, harness
from tests.soak.lsp_drift import NOTES, WITHIN, Reader, begun, command, left, phase, spread
from tests.soak.lsp_load import made

WAYS = ("threads", "queue", "watches")


@dataclass
class Tally:
    """What came of a number of questions: ``stale`` answers, and milliseconds from the answer until an open one, given
    earlier, showed the change."""

    asked: int = 0
    stale: list[str] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def at(item: dict[str, Any]) -> str:
    """What stands at the place of evidence."""
    path = Path(item["uri"].removeprefix("file://"))
    return under(path.read_bytes().decode(), item["range"]) if path.exists() else ""


def faults_of(result: dict[str, Any], note: Note, each: Change, year: int) -> list[str]:
    """What is wrong with an answer after a change."""
    quotes = [item["quote"] for item in result["evidence"]]
    said = None if each.kind == "delete" else note.fact(year)
    faults = [] if said is None or any(said in quote for quote in quotes) else [f"{said} is missing: {quotes}"]
    for item in result["evidence"]:
        if note.name in item["quote"] and (said is None or said not in item["quote"]):
            faults.append(f"stale: {item['quote']}")
        if item["uri"] is not None and at(item) != item["quote"]:
            faults.append(f"not there: {item['quote']}")
    return faults


def blind(source: Path, asks: int, *ways: str, seed: int = 1, notes: int = NOTES, trusting: bool = False) -> Tally:
    """Ask after changes that no watch told of."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as base:
        cited = planted(Path(base).resolve(), source, notes, seed)
        faults = ["killable", *(["trusting"] if trusting else [])]
        with Editor(environment(Path(base)), command(*faults)) as editor, Changer() as changer:
            begun(editor, Path(base).resolve() / "notes", offers=False)
            reader = Reader(editor, cited)
            editor.wait(lambda: editor.result("lens/status")["watching"] == "system")
            for how in ways:
                editor.result("test/kill", {"how": how})
            draw = random.Random(seed)
            for each in islice(draws(cited, KINDS, seed), asks):
                phase(draw)
                _one(reader, changer, each, next(note for note in cited if note.path == each.paths[0]), tally)
            left(editor, tally.wrong)
    return tally


def _one(reader: Reader, changer: Changer, each: Change, note: Note, tally: Tally) -> None:
    reader.editor.said.clear()
    changer.do(each.steps)
    result = reader.editor.result("lens/ask", {"question": note.question}, 120)
    tally.asked += 1
    tally.stale += [f"{each.kind}: {fault}" for fault in faults_of(result, note, each, each.year)[:1]]
    took = reader.shows(note.path, each.codes, time.monotonic(), WITHIN)
    if took is None:
        tally.late.append(f"{each.kind}: {reader.editor.codes(reader.answers[note.path])}")
    else:
        tally.milliseconds.append(took)
    since = changer.do(each.undo)
    if took is not None and reader.shows(note.path, frozenset(), since, WITHIN) is None:
        tally.wrong.append(f"{each.kind} undone: {reader.editor.codes(reader.answers[note.path])}")


@harness(n=500, folder=Path, seed=1)
def main(options: Options) -> Verdict:
    source = options.folder or made(options.place / "made", 200)
    share = -(-options.n // len(WAYS))
    dead = [blind(source, share, way, seed=options.seed + number) for number, way in enumerate(WAYS)]
    control = blind(source, len(KINDS), "threads", seed=options.seed, trusting=True)
    return {
        "n": sum(tally.asked for tally in dead),
        "bad": sum(len(tally.stale) + len(tally.late) + len(tally.wrong) for tally in dead),
        "seed": options.seed,
        "stale": [each for tally in dead for each in tally.stale][:5],
        "late": [each for tally in dead for each in tally.late][:5],
        "wrong": [each for tally in dead for each in tally.wrong][:5],
        "shown_ms": spread([each for tally in dead for each in tally.milliseconds]),
        "controlN": control.asked,
        "controlStale": len(control.stale),
    }, control.stale


if __name__ == "__main__":
    sys.exit(main())
