"""More messages than can be handled at once: the client is held back, nothing is lost, answers stay soon.

``python -m tests.soak.lsp_flood --n 20000`` sends so many requests, half as many changes of an open text and five times
as many events of watched files (a hundred a message), mixed, as fast as the server takes them. Every fiftieth request
is timed from before it is written, so that the wait for room in the pipe counts. It prints one JSON line and exits
with 1 if a request is not answered once, if a change is lost, if a cited file that changed right behind the flood is
not told of within 2 s, or if one in a hundred timed requests took 500 ms; and if a server that takes messages without
bound is as quick.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.lsp.lsp_client import SERVE, Message, environment, frame, wait_until
from tests.lsp.lsp_editor import CAPABILITIES, Editor
from tests.soak.harness import Options, Verdict, harness

MOST_MS = 500.0
TOLD_WITHIN = 2.0
EVENTS = 100
_ANSWERED_WITHIN = 120.0
_TIMED = 50
_ASKS = "?? What is lit?\n"
_LEASE = "The lease of the workshop ends on 30 June 2031."
UNBOUNDED = """
import sys
from lens_lsp.lsp import transport
transport.MESSAGES = transport.LARGEST = 1 << 60
from lens_lsp.cli import main
sys.exit(main(["serve"]))
"""


@dataclass
class Tally:
    """What came of a flood."""

    requests: int = 0
    changes: int = 0
    events: int = 0
    seconds: float = 0.0
    told: float | None = None
    """Seconds until the changed file behind the flood was told of."""
    milliseconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        ranked = sorted(self.milliseconds)
        return round(ranked[min(len(ranked) - 1, int(len(ranked) * share))], 1)


class Timed(Editor):
    """Notes when each answer came."""

    def __init__(self, *args: object, **options: object) -> None:
        self.came: dict[object, float] = {}
        super().__init__(*args, **options)

    def _message(self) -> Message | None:
        message = super()._message()
        if message is not None and "method" not in message:
            self.came[message["id"]] = time.perf_counter()
        return message


def flood(requests: int, note: str, folder: Path, tally: Tally) -> Iterator[tuple[Message, object]]:
    """The messages, mixed, and of requests the id."""
    draw = random.Random(1)
    waiting = ["request"] * requests + ["change"] * (requests // 2) + ["events"] * (requests * 5 // EVENTS)
    draw.shuffle(waiting)
    files = [(folder / f"{draw.randrange(1 << 30)}.md").as_uri() for _ in range(EVENTS)]
    for kind in waiting:
        if kind == "request":
            tally.requests += 1
            id_ = f"flood-{tally.requests}"
            yield {"jsonrpc": "2.0", "id": id_, "method": "lens/status", "params": None}, id_
            continue
        if kind == "change":
            place = {"line": tally.changes, "character": 0}
            tally.changes += 1
            edit = {"range": {"start": place, "end": place}, "text": _ASKS}
            document = {"uri": note, "version": tally.changes + 1}
            params: Message = {"textDocument": document, "contentChanges": [edit]}
            yield {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}, None
        else:
            tally.events += EVENTS
            params = {"changes": [{"uri": uri, "type": draw.randrange(1, 4)} for uri in files]}
            yield {"jsonrpc": "2.0", "method": "workspace/didChangeWatchedFiles", "params": params}, None


def flooded(editor: Timed, requests: int, folder: Path, tally: Tally) -> bool:
    """Let it loose, and see what came of it; whether everything was answered at last."""
    (folder / "note.md").write_text("")
    note = editor.show(folder / "note.md")
    asked = editor.result("lens/ask", {"question": "When does the lease of the workshop end?"})
    answer = editor.show(Path(asked["answerUri"].removeprefix("file://")))
    editor.result("lens/recheck", {"uri": answer})
    sent: dict[object, float] = {}
    started = time.perf_counter()
    for message, id_ in flood(requests, note, folder, tally):
        if id_ is not None:
            sent[id_] = time.perf_counter()
        editor.raw(frame(message))
    answered = wait_until(lambda: len(editor.came.keys() & sent.keys()) == len(sent), _ANSWERED_WITHIN)
    ended = time.perf_counter()
    tally.seconds = ended - started
    tally.milliseconds = [1000 * (editor.came.get(id_, ended) - sent[id_]) for id_ in list(sent)[::_TIMED]]
    if not answered:
        tally.wrong.append(f"not all was answered {_ANSWERED_WITHIN:.0f} s after the last of it was sent")
        return False
    tally.wrong += [f"{id_} was answered {editor.counts[id_]} times" for id_ in sent if editor.counts[id_] != 1][:5]
    lenses = editor.result("textDocument/codeLens", {"textDocument": {"uri": note}}, 120)
    if len(lenses) != tally.changes:
        tally.wrong.append(f"{tally.changes - len(lenses)} changes were lost")
    contract = folder / "contract.md"
    contract.write_text("Nothing of it.\n")
    started = time.perf_counter()
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": contract.as_uri(), "type": 2}]})
    editor.wait(lambda: "lens.citation-drifted" in editor.codes(answer))
    tally.told = time.perf_counter() - started
    if tally.told > TOLD_WITHIN:
        tally.wrong.append(f"a changed file was told of after {tally.told:.1f} s")
    return True


def run(requests: int, *, control: bool = False) -> Tally:
    tally = Tally()
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base).resolve() / "notes"
        folder.mkdir()
        (folder / "contract.md").write_text(f"# Contract\n\n{_LEASE}\n")
        command = (sys.executable, "-c", UNBOUNDED) if control else SERVE
        watching = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
        capabilities = CAPABILITIES | {"workspace": CAPABILITIES["workspace"] | watching}
        with Timed(environment(Path(base)), command) as editor:
            editor.begin(folder, capabilities=capabilities)
            answered = flooded(editor, requests, folder, tally)
            if answered and (editor.leave() != 0 or b"Traceback" in editor.errors):
                tally.wrong.append(f"it left with {editor.process.returncode}: {editor.errors[-300:]!r}")
    return tally


@harness(n=20_000)
def main(options: Options) -> Verdict:
    tally = run(options.n)
    control = run(options.n, control=True)
    slow = tally.percentile(0.99) >= MOST_MS
    return {
        "n": tally.requests,
        "bad": len(tally.wrong) + slow,
        "changes": tally.changes,
        "events": tally.events,
        "seconds": round(tally.seconds, 1),
        "requestsPerSecond": round(tally.requests / tally.seconds),
        "p50_ms": tally.percentile(0.5),
        "p99_ms": tally.percentile(0.99),
        "worst_ms": tally.percentile(1),
        "told_s": tally.told and round(tally.told, 2),
        "wrong": tally.wrong,
        "control_p99_ms": control.percentile(0.99),
    }, control.percentile(0.99) > MOST_MS


if __name__ == "__main__":
    sys.exit(main())
