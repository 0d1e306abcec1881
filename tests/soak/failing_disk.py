"""Questions over a disk that fails: what cannot be read is named, everything else is searched, and nothing is over.

``python -m tests.soak.failing_disk --asks 200 --seed 1`` shows a folder through a file system of ours (`FaultyDisk`)
and asks one real server as often. For every other question some files and folders fail: looked up, opened, listed or
read, at once or midway, with EIO, ESTALE, ENOENT or EACCES. Each question must end in an answer that proves what the
sound files hold; what fails must be named among what was not searched, and proven again by the question after it. It
prints one JSON line and exits with 1 otherwise, and if a server that lets the system's errors through is as good. Where
nothing can be mounted it says so (``leftOut``).
"""

from __future__ import annotations

import errno
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.soak.faulty_disk import sound
from tests.soak.harness import Options, Verdict, harness
from tests.soak.shown_notes import FOLDERS, ShownNotes, proven, question, shown, skipped

MOST = 5
CONTROL_ASKS = 8
ERRORS = (errno.EIO, errno.ESTALE, errno.ENOENT, errno.EACCES)
OF_FILES = ("lookup", "open", "read", "read on")
OF_FOLDERS = ("open", "opendir", "readdir")
UNTOLD = ("readdir", errno.ENOENT)
"""What no program hears of: the C library takes it for the end of the listing, as of a folder that was just removed."""


@dataclass
class Tally:
    """What came of a number of questions."""

    asked: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    """By what failed and how."""
    named: int = 0
    wrong: list[str] = field(default_factory=list)


class Failing:
    """Some paths fail, each in one way."""

    def __init__(self, draw: random.Random, notes: Sequence[str]) -> None:
        self.ways: dict[str, tuple[str, int]] = {}
        if draw.random() < 0.3:
            self.ways[draw.choice(FOLDERS[1:]).rstrip("/")] = draw.choice(OF_FOLDERS), draw.choice(ERRORS)
        for path in draw.sample(notes, draw.randint(1, MOST)):
            long = int(path[:-3].rpartition("-")[2]) % 4 == 0
            self.ways[path] = draw.choice(OF_FILES[: 4 if long else 3]), draw.choice(ERRORS)

    def __call__(self, what: str, path: str) -> int:
        way, error = self.ways.get(path, ("", 0))
        return error if way == what or (way == "open" and what == "opendir") else 0

    def missed(self, path: str) -> bool:
        """Whether a note is out of reach."""
        return path in self.ways or path.rpartition("/")[0] in self.ways


class Asker:
    """Asks about notes that fail."""

    def __init__(self, shown: ShownNotes, seed: int, tally: Tally) -> None:
        self._shown = shown
        self._notes = shown.notes
        self._draw = random.Random(seed)
        self._tally = tally
        self._gone: list[str] = []
        """What failed last."""

    def ask(self) -> None:
        """A question while some files fail, or about one that did."""
        paths = list(self._notes)
        failing = Failing(self._draw, paths) if self._tally.asked % 2 == 0 else None
        self._shown.disk.fault = failing or sound
        if failing is None:
            path = self._draw.choice(self._gone)
        else:
            path = self._draw.choice([each for each in paths if not failing.missed(each)])
            self._gone = [each for each in paths if failing.missed(each)]
            self._shown.change(self._gone, self._tally.asked)
        self._tally.asked += 1
        method, key = self._draw.choice([("lens/ask", "question"), ("lens/find", "query")])
        answer = self._shown.server.ask(method, {key: question(self._notes[path])}, 120)
        self._shown.disk.fault = sound
        if "error" in answer:
            self._tally.wrong.append(f"{failing and failing.ways}: {answer['error']}")
            return
        result = answer["result"]
        if not proven(result, self._notes[path]):
            quotes = [item["quote"][:80] for item in result["evidence"]]
            self._tally.wrong.append(f"{path} was not found: {failing and failing.ways}, {quotes}")
        self._named(failing, skipped(result))

    def _named(self, failing: Failing | None, told: set[str]) -> None:
        ways = failing.ways if failing else {}
        for path, (what, error) in ways.items():
            self._tally.faults[f"{what} {errno.errorcode[error]}"] += 1
            above = path.rpartition("/")[0]
            if path in told or above in told:
                self._tally.named += 1
            elif error != errno.ENOENT and ways.get(above) != UNTOLD:
                # What is not there is no file that was not searched.
                self._tally.wrong.append(f"{path} is not named: {what} {errno.errorcode[error]}")
        if not ways and told:
            self._tally.wrong.append(f"still not searched: {sorted(told)[:3]}")


def run(asks: int, seed: int = 1, *, unforgiving: bool = False) -> Tally:
    """Raises `LeftOut`."""
    tally = Tally()
    with shown(["unforgiving"] if unforgiving else [], tally.wrong) as notes:
        asker = Asker(notes, seed, tally)
        while tally.asked < asks:
            asker.ask()
    return tally


@harness(asks=200, seed=1)
def main(options: Options) -> Verdict:
    tally = run(options.asks, options.seed)
    control = run(CONTROL_ASKS, options.seed, unforgiving=True)
    return {
        "n": tally.asked,
        "faults": dict(sorted(tally.faults.items())),
        "failed": sum(tally.faults.values()),
        "named": tally.named,
        "wrong": tally.wrong,
        "controlBad": len(control.wrong),
    }, tally.named and control.wrong


if __name__ == "__main__":
    sys.exit(main())
