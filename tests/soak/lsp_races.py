"""Files that are edited, saved, moved and deleted while a question runs: no place that is told may be stale.

``python -m tests.soak.lsp_races --n 1000 --folder notes`` asks as often, and changes the file that holds the answer on
the way: after the scan, after the oracle, before citations are recorded, before and after their places are looked up,
before and after they are checked, or at a moment by chance; in three of ten races it is changed back at a later one.
One race in four is about a text that is open and typed in; one question in five is ``lens/find``. Every place that the
server tells (of evidence, of definitions, beside diagnostics) is cut out of what that file held between the server's
last look and the arrival, by a checker that shares no code with it: the words there must be the quote. It prints one
JSON line and exits with 1 for each place that is not, and for open answers that show something else than the disk for
more than 2 s; and if a server that does not look again is not caught.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from tests.lsp.lsp_client import Message, environment
from tests.lsp.lsp_editor import Editor, offset, under
from tests.soak.cited_notes import KINDS, Change, Note, Step, draws, planted
from tests.soak.gate import Act, Gate, History
from tests.soak.harness import Options, Verdict, harness
from tests.soak.lsp_drift import WITHIN, begun, command, left
from tests.soak.lsp_load import made

NOTES = 20
CHANCE = "chance"
POINTS = ("scanned", "observed", "answered", "record", "publish", "placed", "check", "checked", CHANCE)
_PLACE = re.compile(r"\(([^()]*):(\d+):(\d+)\)")
_MARK = re.compile(r"\[\^(\d+)\]")


@dataclass
class Tally:
    """What came of a number of races: ``places`` that were told, ``withdrawn`` items that have none."""

    races: int = 0
    places: int = 0
    withdrawn: int = 0
    met: Counter[str] = field(default_factory=Counter)
    """Races by the point at which the file was changed."""
    stale: list[str] = field(default_factory=list)
    lasting: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


class Heard(list[Message]):
    """Messages, each with the moment at which it came."""

    def append(self, message: Message) -> None:
        super().append(message | {"at": time.monotonic()})


class Racer:
    """One editor, its answers and the checker. ``root`` is the folder that is asked."""

    def __init__(self, editor: Editor, root: Path, gate: Gate, tally: Tally, seed: int) -> None:
        self._editor = editor
        self._root = root
        self._gate = gate
        self._tally = tally
        self._draw = random.Random(seed)
        self._history = History()
        self._texts: dict[tuple[str, int], str] = {}
        """What was shown, by URI and version."""
        self._took = 0.1
        self._heard = 0
        self._began: dict[str, float] = {}
        self._diagnostics: dict[str, tuple[int, list[Message]]] = {}
        editor.said = Heard()

    def race(self, note: Note, each: Change) -> None:
        """Ask while the file is changed; check all that is told until it shows no more change."""
        number = self._tally.races
        self._tally.races += 1
        typing = number % 4 == 3
        if number % 2:  # what is known needs no search
            self._editor.result("lens/forget", {"all": True})
        if typing:
            self._show(note)
        acts = self._typed(note, each) if typing else [lambda: self._do(each.steps), lambda: self._do(each.undo)]
        first = POINTS[number % len(POINTS)]
        later = POINTS[POINTS.index(first) + 1 :] if first != CHANCE else POINTS[:-1]
        plan = [(first, acts[0])]
        if later and self._draw.random() < 0.3:
            plan.append((self._draw.choice(later), acts[1]))
        asked = time.monotonic()
        result = self._asked(note, plan, find=number % 5 == 4)
        self._evidence(result["evidence"], asked, time.monotonic())
        uri = self._answer(result)
        if uri is not None:
            self._defined(uri)
            self._settled(uri, each)
        self._tally.met[first] += self._gate.unmet() < len(plan)
        self._restore(note, typing=typing)

    def _asked(self, note: Note, plan: Sequence[tuple[str, Act]], *, find: bool) -> dict[str, Any]:
        """The answer, what is planned done on the way."""
        started = time.monotonic()
        by_chance = plan[0][0] == CHANCE
        self._gate.plan(() if by_chance else plan)
        if find:
            asking = self._editor.request("lens/find", {"query": note.question})
        else:
            asking = self._editor.request("lens/ask", {"question": note.question})
        if by_chance:
            threading.Event().wait(self._draw.random() * 1.2 * self._took)
            plan[0][1]()
            self._gate.plan(plan[1:])
        answer = self._editor.answer(asking, 120)
        if "error" in answer:
            self._tally.wrong.append(f"{note.question}: {answer['error']}")
        result: dict[str, Any] = answer.get("result") or {"evidence": [], "answerUri": None}
        self._took = 0.8 * self._took + 0.2 * (time.monotonic() - started)
        return result

    def _do(self, steps: Sequence[Step]) -> None:
        self._history.do(steps)

    def _show(self, note: Note) -> None:
        """Show the source itself: from now on its text is that of the editor."""
        uri = self._editor.show(note.path)
        self._texts[uri, self._editor.versions[uri]] = self._editor.texts[uri]
        self._editor.result("lens/status")

    def _typed(self, note: Note, each: Change) -> list[Act]:
        """The change as one of an open text, and back."""
        texts = [step[2] for step in each.steps if step[0] in {"write", "replace"}] or [""]
        return [lambda: self._type(note, texts[0]), lambda: self._type(note, note.text())]

    def _type(self, note: Note, text: str) -> None:
        uri = note.path.as_uri()

        def tell() -> None:
            self._editor.texts[uri] = text
            self._editor.versions[uri] += 1
            self._texts[uri, self._editor.versions[uri]] = text
            self._editor.change(uri, self._editor.versions[uri], {"text": text})
            self._editor.result("lens/status")  # when this is answered, the change has arrived

        self._history.become(str(note.path), text, tell)

    def _restore(self, note: Note, *, typing: bool) -> None:
        if typing:
            self._type(note, note.text())
            self._editor.notify("textDocument/didClose", {"textDocument": {"uri": note.path.as_uri()}})
            self._editor.result("lens/status")
        steps: list[Step] = [("unlink", str(note.other))] if note.other.exists() else []
        if not note.path.exists() or note.path.read_bytes().decode() != note.text():
            steps.append(("replace", str(note.path), note.text()))
        self._history.do(steps)

    def _evidence(self, items: list[dict[str, Any]], asked: float, received: float) -> None:
        for item in items:
            told = f"[{item['n']}] {item['path']}"
            if item["uri"] is None:
                self._tally.withdrawn += 1
            else:
                self._place(item["uri"], item["range"], item["quote"], item["began"], received, told)
            path = str(self._root / item["path"])
            start, end = item["span"]
            held = [text for text in self._history.between(path, asked, received) if _hash(text) == item["sha256"]]
            if item["source"] == "buffer":
                held = [self._texts[(self._root / item["path"]).as_uri(), item["version"]]]
            if not held or any(text[start:end] != item["quote"] for text in held):
                self._tally.stale.append(f"{told}: its hash is of a text that does not say it there")

    def _place(self, uri: str, where: Any, quote: str, first: float, last: float, told: str) -> None:
        """Check a place that was told: some text of its file in that time says the quote there."""
        self._tally.places += 1
        texts = self._history.between(uri.removeprefix("file://"), first, last)
        if not any(_cut(text, where) == quote for text in texts):
            self._tally.stale.append(f"{told}: {[_cut(text, where) for text in texts]} for {quote}")

    def _answer(self, result: dict[str, Any]) -> str | None:
        """Show the answer's file, in place of the earlier answer to the same question."""
        if result["answerUri"] is None:
            return None
        editor, uri = self._editor, str(result["answerUri"])
        path = Path(uri.removeprefix("file://"))
        if uri not in editor.texts:
            editor.show(path)
        else:
            editor.texts[uri] = path.read_bytes().decode()
            editor.versions[uri] += 1
            editor.change(uri, editor.versions[uri], {"text": editor.texts[uri]})
        self._texts[uri, editor.versions[uri]] = editor.texts[uri]
        return uri

    def _defined(self, uri: str) -> None:
        """Follow every footnote."""
        text = self._editor.texts[uri]
        for label in dict.fromkeys(_MARK.findall(text)):
            first = time.monotonic()
            found = self._editor.result("textDocument/definition", self._editor.at(uri, f"[^{label}]"))
            for place in found:
                quote = sources_of(text)[label]["quote"]
                self._place(place["uri"], place["range"], quote, first, time.monotonic(), f"definition of [{label}]")

    def _settled(self, uri: str, each: Change) -> None:
        """Wait until an open answer shows what the disk says, and check every place that it shows on the way."""
        with suppress(AssertionError):
            self._editor.until(lambda: not self._unlike(uri), WITHIN)
        unlike = self._unlike(uri)
        if unlike:
            self._tally.lasting.append(f"{each.kind}: {unlike}")

    def _unlike(self, uri: str) -> str:
        """In what the diagnostics of an answer contradict what its sources say now."""
        self._hear()
        text, now = self._editor.texts[uri], self._editor.versions[uri]
        version, shown = self._diagnostics.get(uri, (now, []))
        if version != now:
            return "what is shown is of an earlier text"
        for label, source in sources_of(text).items():
            codes = {each["code"] for each in shown if under(text, each["range"]) == f"[^{label}]"}
            held = self._history.now(str(self._root / source["path"]))
            stands = held is not None and held[slice(*source["span"])] == source["quote"]
            if not codes and not stands:
                return f"[{label}] does not stand and is told to"
            if "lens.citation-broken" in codes and held is not None:
                return f"[{label}] is there and is told to be gone"
        return ""

    def _hear(self) -> None:
        """Check the places in and beside the diagnostics that came since, and note what is shown now."""
        messages = self._editor.said[self._heard :]
        self._heard += len(messages)
        for message in messages:
            params = message.get("params")
            if message.get("method") == "test/published":
                self._began[params["uri"]] = params["began"]
            elif message.get("method") == "textDocument/publishDiagnostics":
                if not params["diagnostics"]:
                    self._diagnostics.pop(params["uri"], None)
                    continue
                self._diagnostics[params["uri"]] = params["version"], params["diagnostics"]
                text = self._texts.get((params["uri"], params["version"]), "")  # a source that nobody opened has none
                for each in params["diagnostics"]:
                    self._diagnostic(text, each, self._began[params["uri"]], message["at"])

    def _diagnostic(self, text: str, each: dict[str, Any], first: float, last: float) -> None:
        words = _cut(text, each["range"])
        marked = _MARK.fullmatch(words)
        if each["code"].startswith("lens.citation") and marked is None:
            self._tally.stale.append(f"{each['code']} stands at {words!r}")
        if marked is None:
            return
        source = sources_of(text)[marked[1]]
        for related in each.get("relatedInformation") or ():
            place = related["location"]
            self._place(place["uri"], place["range"], source["quote"], first, last, f"beside {each['code']}")
        moved = _PLACE.search(each["message"])
        if moved is not None:
            start = {"line": int(moved[2]) - 1, "character": int(moved[3]) - 1}
            texts = self._history.between(str(self._root / moved[1]), first, last)
            self._tally.places += 1
            if not any(_from(held, start).startswith(source["quote"]) for held in texts):
                self._tally.stale.append(f"{each['message']}: not there")


def sources_of(text: str) -> dict[str, dict[str, Any]]:
    """What an answer's front matter records, by number."""
    found = [json.loads(line.removeprefix("  - ")) for line in text.splitlines() if line.startswith("  - {")]
    return {str(each["n"]): each for each in found}


def _cut(text: str, where: Any) -> str:
    try:
        return under(text, where)
    except ValueError:  # there are fewer lines
        return ""


def _from(text: str, start: Any) -> str:
    try:
        return text[offset(text, start) :]
    except ValueError:
        return ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def run(source: Path, races: int, *, seed: int = 1, notes: int = NOTES, unverified: bool = False) -> Tally:
    """Race, and check all that is told."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        cited = planted(base, source, notes, seed)
        faults = ["gated", *(["unverified"] if unverified else [])]
        with (
            Gate(base / "gate") as gate,
            Editor(environment(base, LENS_GATE=str(base / "gate")), command(*faults)) as editor,
        ):
            begun(editor, base / "notes", offers=False)
            racer = Racer(editor, base / "notes", gate, tally, seed)
            by_path = {note.path: note for note in cited}
            for each in islice(draws(cited, KINDS, seed), races):
                racer.race(by_path[each.paths[0]], each)
            left(editor, tally.wrong)
    return tally


@harness(n=1_000, folder=Path, seed=1)
def main(options: Options) -> Verdict:
    source = options.folder or made(options.place / "made", 200)
    tally = run(source, options.n, seed=options.seed)
    control = run(source, 2 * len(POINTS), seed=options.seed, unverified=True)
    return {
        "n": tally.races,
        "bad": len(tally.stale) + len(tally.lasting) + len(tally.wrong),
        "seed": options.seed,
        "met": dict(sorted(tally.met.items())),
        "places": tally.places,
        "withdrawn": tally.withdrawn,
        "stale": tally.stale[:5],
        "lasting": tally.lasting[:5],
        "wrong": tally.wrong,
        "controlN": control.races,
        "controlStale": len(control.stale),
    }, control.stale


if __name__ == "__main__":
    sys.exit(main())
