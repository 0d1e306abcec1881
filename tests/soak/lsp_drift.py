"""How soon an open answer shows that another process changed a file that it cites; the editor says nothing.

``python -m tests.soak.lsp_drift --n 500 --folder notes`` plants facts in a copy of a folder of texts, asks for them,
keeps the answers open and has another process edit, save by a new file, move and delete what they cite, so often for
each way of watching: ``system`` (ours alone), ``editor`` (the client watches and says so) and ``silent`` (it offered
to and never says anything). It prints one JSON line and exits with 1 if the diagnostic of the right code came later
than 2 s, or did not leave when the change was undone; and if a server that neither watches nor looks misses none.
Then it types, 200 times by default, in an open source: at most one in a hundred may show later than 500 ms.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from tests.lsp.lsp_client import PATIENCE, LspProcess, environment, wait_until
from tests.lsp.lsp_editor import CAPABILITIES, Editor
from tests.soak.cited_notes import KINDS, MOVED, Change, Changer, Note, draws, planted
from tests.soak.harness import Options, Verdict, harness
from tests.soak.lsp_load import made

WITHIN = 2.0
OF_THE_ANSWER = {"lens.fact-missing"}
"""What is said of the answer that was given last, whatever its sources say."""
TYPED_MS = 500.0
NOTES = 20
FAULTS = {"system": "unpolled", "editor": "unpolled", "silent": "", "none": "unwatched"}
"""What is taken from a server, so that what is left is measured: by the way of watching."""


@dataclass
class Tally:
    """What came of a number of changes: milliseconds until they showed, by kind, and until they showed no more."""

    milliseconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    undone: list[float] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def all(self) -> list[float]:
        return sorted(each for kind in self.milliseconds.values() for each in kind)


class Reader:
    """An editor with open answers, one for each note, that waits for what they show."""

    def __init__(self, editor: Editor, notes: list[Note]) -> None:
        self.editor = editor
        self.answers: dict[Path, str] = {}
        for note in notes:
            result = editor.result("lens/ask", {"question": note.question}, 120)
            if note.fact(1000) not in [item["quote"] for item in result["evidence"]]:
                raise RuntimeError(f"{note.question}: {[item['quote'] for item in result['evidence']]}")
            self.answers[note.path] = editor.show(Path(result["answerUri"].removeprefix("file://")))

    def shows(self, note: Path, codes: frozenset[str], since: float, seconds: float) -> float | None:
        """Milliseconds from a moment on until an answer showed these codes; None if it did not in so many seconds."""
        uri = self.answers[note]
        try:
            self.editor.until(lambda: set(self.editor.codes(uri)) - OF_THE_ANSWER == codes, seconds)
        except AssertionError:
            if self.editor.process.poll() is not None:
                raise
            return None
        return 1000 * (time.monotonic() - since)

    def tell(self, change: Change) -> None:
        """What an editor that watches files says of a change."""
        events = [{"uri": path.as_uri(), "type": 2 if path.exists() else 3} for path in change.paths]
        self.editor.notify("workspace/didChangeWatchedFiles", {"changes": events})


def phase(draw: random.Random) -> None:
    """Wait for a part of the time between two looks, so that changes meet all of it."""
    wait_until(lambda: False, draw.random() * 0.5)


def command(*faults: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "tests.soak.faulty_server", *filter(None, faults))


def begun(editor: Editor, folder: Path, *, offers: bool) -> None:
    capabilities = CAPABILITIES
    if offers:
        more = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
        capabilities = CAPABILITIES | {"workspace": CAPABILITIES["workspace"] | more}
    editor.begin(folder, capabilities=capabilities)


def drift(source: Path, changes: int, watching: str, *, seed: int = 1, notes: int = NOTES) -> Tally:
    """Change files and wait for what shows, under one way of watching."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as base:
        cited = planted(Path(base).resolve(), source, notes, seed)
        with Editor(environment(Path(base)), command(FAULTS[watching])) as editor, Changer() as changer:
            begun(editor, Path(base).resolve() / "notes", offers=watching in {"editor", "silent"})
            reader = Reader(editor, cited)
            how = {"none": "none", "system": "system"}.get(watching, "editor")
            editor.wait(lambda: editor.result("lens/status")["watching"] == how)
            draw = random.Random(seed)
            for each in islice(draws(cited, KINDS, seed), changes):
                phase(draw)
                _one(reader, changer, each, tally, tells=watching == "editor")
            left(editor, tally.wrong)
    return tally


def _one(reader: Reader, changer: Changer, each: Change, tally: Tally, *, tells: bool) -> None:
    note = each.paths[0]
    reader.editor.said.clear()
    for steps, codes in ((each.steps, each.codes), (each.undo, frozenset[str]())):
        since = changer.do(steps)
        if tells:
            reader.tell(each)
        took = reader.shows(note, codes, since, WITHIN + 0.5 if codes else PATIENCE)
        if codes and (took is None or took > 1000 * WITHIN):
            tally.late.append(f"{each.kind}: {took} ms, {reader.editor.codes(reader.answers[note])}")
        elif took is None or took > 1000 * WITHIN:
            tally.wrong.append(f"{each.kind} undone: {took} ms")
        (tally.milliseconds[each.kind] if codes else tally.undone).append(-1.0 if took is None else took)
        if took is None:  # nothing came, so nothing has to leave
            changer.do(each.undo) if codes else None
            return


def typed(source: Path, edits: int, *, seed: int = 1, notes: int = NOTES) -> Tally:
    """Type in an open source, each time something that another diagnostic has to say."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as base:
        cited = planted(Path(base).resolve(), source, notes, seed)
        with Editor(environment(Path(base)), command()) as editor:
            begun(editor, Path(base).resolve() / "notes", offers=False)
            reader = Reader(editor, cited)
            for number in range(edits):
                note = cited[number % len(cited)]
                uri = note.path.as_uri() if number >= len(cited) else editor.show(note.path)
                editor.said.clear()
                since = time.monotonic()
                editor.edit(uri, [{"range": _top(), "newText": "Above.\n\n"}])
                line = editor.texts[uri][: editor.texts[uri].index(note.fact(1000))].count("\n") + 1
                _typed(reader, note, f"{note.path.name}:{line}:", since, tally)
            left(editor, tally.wrong)
    return tally


def _typed(reader: Reader, note: Note, place: str, since: float, tally: Tally) -> None:
    uri = reader.answers[note.path]

    def told() -> bool:
        found = reader.editor.diagnostics(uri)
        return {each["code"] for each in found} == MOVED and any(place in each["message"] for each in found)

    try:
        reader.editor.until(told, WITHIN)
    except AssertionError:
        tally.late.append(f"{place}: {[each['message'] for each in reader.editor.diagnostics(uri)]}")
        return
    tally.milliseconds["typed"].append(1000 * (time.monotonic() - since))


def _top() -> dict[str, dict[str, int]]:
    return {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}


def left(server: LspProcess, wrong: list[str]) -> None:
    """Have a server leave; what is wrong with how it does."""
    if server.leave() != 0 or b"Traceback" in server.errors:
        wrong.append(f"it left with {server.process.returncode}: {server.errors[-300:]!r}")


def spread(milliseconds: list[float]) -> dict[str, float]:
    """The middle, the slowest hundredth and the slowest."""
    ranked = sorted(milliseconds) or [0.0]
    at = {"p50": len(ranked) // 2, "p99": int(len(ranked) * 0.99), "max": len(ranked) - 1}
    return {name: round(ranked[min(index, len(ranked) - 1)], 1) for name, index in at.items()}


@harness(n=500, typed=200, folder=Path, seed=1)
def main(options: Options) -> Verdict:
    source = options.folder or made(options.place / "made", 200)
    ways = {way: drift(source, options.n, way, seed=options.seed) for way in ("system", "editor", "silent")}
    control = drift(source, len(KINDS), "none", seed=options.seed)
    keys = typed(source, options.typed, seed=options.seed)
    slow = sum(each > TYPED_MS for each in keys.all)
    too_slow = slow * (slow * 100 > options.typed)
    return {
        "n": options.n,
        "bad": sum(len(tally.late) + len(tally.wrong) for tally in (*ways.values(), keys)) + too_slow,
        "seed": options.seed,
        **{f"{way}_ms": spread(tally.all) for way, tally in ways.items()},
        "undone_ms": spread([each for tally in ways.values() for each in tally.undone]),
        "late": [f"{way}: {each}" for way, tally in ways.items() for each in tally.late + tally.wrong][:8],
        "typed": options.typed,
        "typed_ms": spread(keys.all),
        "typed_wrong": (keys.late + keys.wrong)[:5],
        "controlN": len(KINDS),
        "controlMissed": len(control.late),
    }, len(control.late) == len(KINDS)


if __name__ == "__main__":
    sys.exit(main())
