"""Questions over a disk that is slow or does not answer: each ends in its time, and what was not read is named.

``python -m tests.soak.slow_disk --n 200 --seed 1`` shows a folder through a file system of ours (`FaultyDisk`) and asks
one real server as often, in turn: with 50 ms more for every operation; while some files hang, looked up, opened or
read, until the harness lets them go; the same and cancelled as soon as something hangs; and on a sound disk about what
hung. A question must end within its budget and three seconds, prove what the sound files hold and name what hangs; a
cancelled one must be answered within 200 ms, 99 of 100 within 100 ms; what hung must be proven again when it is back.
It prints one JSON line and exits with 1 otherwise, and if a server that reads where it handles messages is as good.
Where nothing can be mounted it says so (``leftOut``).
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from tests.lsp.lsp_client import PATIENCE, Message
from tests.soak.faulty_disk import sound
from tests.soak.harness import Options, Verdict, harness
from tests.soak.shown_notes import ShownNotes, proven, question, shown, skipped

LATER = 0.05
"""Seconds that every operation of the slow disk takes more."""
BUDGETS = (1.0, 10.0)
"""Seconds of the questions of a slow disk: too few for all of it, and enough for what is not as it was."""
HANGING_BUDGET = 10.0
OVER = 3.0
"""Seconds that a question may take beyond its budget: what it cites is looked up once more."""
CANCEL_MS, USUAL_CANCEL_MS = 200.0, 100.0
CONTROL_ASKS = 2
MOST = 3
WAYS = ("lookup", "open", "read")


def slow(_what: str, _path: str) -> int:
    """No fault, but late."""
    time.sleep(LATER)
    return 0


class Hanging:
    """Some files hang, each in one way, until they are let go."""

    def __init__(self, ways: dict[str, str]) -> None:
        self.ways = ways
        self.met = threading.Event()
        """Something hangs."""
        self._go = threading.Event()

    def __call__(self, what: str, path: str) -> int:
        if self.ways.get(path) == what:
            self.met.set()
            self._go.wait()
        return 0

    def let_go(self) -> None:
        """All go on."""
        self._go.set()


@dataclass
class Tally:
    """What came of a number of questions."""

    asked: Counter[str] = field(default_factory=Counter)
    """By what the disk did."""
    named: int = 0
    partial: int = 0
    """Answers on a slow disk that name what their time was too short for."""
    worst: float = 0.0
    """Seconds beyond the budget."""
    cancels: list[float] = field(default_factory=list)
    """Milliseconds from a cancel to its answer."""
    hung: int = 0
    """Questions that were over only when the disk had been let go."""
    wrong: list[str] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        ranked = sorted(self.cancels) or [0.0]
        return round(ranked[min(len(ranked) - 1, int(len(ranked) * share))], 1)


class Asker:
    """Asks about notes that come late, or hang."""

    def __init__(self, shown: ShownNotes, seed: int, tally: Tally) -> None:
        self._server = shown.server
        self._disk = shown.disk
        self._shown = shown
        self._notes = shown.notes
        self._draw = random.Random(seed)
        self._tally = tally
        self._gone: list[str] = [next(iter(self._notes))]
        """What hung last."""

    def ask(self, number: int) -> None:
        """One question, each kind in turn."""
        (self._slow, self._hanging, self.cancelled, self._sound)[number % 4](number)

    def _slow(self, number: int) -> None:
        seconds, path = BUDGETS[number // 4 % len(BUDGETS)], self._draw.choice(list(self._notes))
        self._change(list(self._notes)[::2] if seconds == BUDGETS[0] else [path])
        self._disk.fault = slow
        result = self._ended("slow", self._request(path, seconds), seconds, lambda: setattr(self._disk, "fault", sound))
        if result is None:
            return
        told = skipped(result)
        self._tally.partial += bool(told)
        named = covered(path, told) or any(path in warning for warning in result["warnings"])
        if not proven(result, self._notes[path]) and not named:
            self._wrong("slow", f"{path} is neither proven nor named within {seconds} s")

    def _hanging(self, _number: int) -> None:
        hanging, path = self._drawn()
        result = self._ended("hanging", self._request(path, HANGING_BUDGET), HANGING_BUDGET, hanging.let_go)
        self._release(hanging)
        if result is None:
            return
        told = skipped(result)
        if not proven(result, self._notes[path]):
            why = f"{hanging.ways}, not searched {sorted(told)}, {result['warnings']}"
            self._wrong("hanging", f"{path} is sound and not proven: {why}")
        missing = [each for each in hanging.ways if not covered(each, told)]
        self._tally.named += len(hanging.ways) - len(missing)
        if missing:
            self._wrong("hanging", f"not named: {missing} of {hanging.ways}")

    def cancelled(self, _number: int) -> None:
        """A question that is cancelled as soon as something hangs."""
        hanging, path = self._drawn()
        asked = self._request(path, HANGING_BUDGET)
        if not hanging.met.wait(PATIENCE):
            self._wrong("cancelled", f"nothing hung: {hanging.ways}")
        self._server.notify("$/cancelRequest", {"id": asked})
        started = time.monotonic()
        answer = self._came(asked, 2 * CANCEL_MS / 1000)
        self._tally.cancels.append(1000 * (time.monotonic() - started))
        self._release(hanging)
        self._tally.asked["cancelled"] += 1
        if answer is None:
            self._tally.hung += 1
            answer = self._server.answer(asked)
        if self._tally.cancels[-1] > CANCEL_MS or answer.get("error", {}).get("code") != -32800:
            self._wrong("cancelled", f"{round(self._tally.cancels[-1])} ms, {str(answer)[:200]}")

    def _sound(self, _number: int) -> None:
        path = self._draw.choice(self._gone)
        result = self._ended("sound", self._request(path, BUDGETS[0]), BUDGETS[0], lambda: None)
        if result is not None and (not proven(result, self._notes[path]) or skipped(result)):
            self._wrong("sound", f"{path} hung before and is not proven, or not read: {sorted(skipped(result))[:3]}")

    def _drawn(self) -> tuple[Hanging, str]:
        """A disk on which some files hang that were changed before, and a path that does not."""
        paths = self._draw.sample(list(self._notes), self._draw.randint(1, MOST) + 1)
        self._gone = paths[1:]
        self._change(self._gone)
        hanging = Hanging({each: self._draw.choice(WAYS) for each in self._gone})
        self._disk.fault = hanging
        return hanging, paths[0]

    def _change(self, paths: Sequence[str]) -> None:
        self._shown.change(paths, sum(self._tally.asked.values()))

    def _release(self, hanging: Hanging) -> None:
        self._disk.fault = sound
        hanging.let_go()

    def _request(self, path: str, seconds: float) -> Any:
        return self._server.request(
            "lens/ask", {"question": question(self._notes[path]), "budget": {"seconds": seconds}}
        )

    def _ended(self, kind: str, asked: Any, seconds: float, let_go: Callable[[], object]) -> Message | None:
        """The result of a question, late or not; None for an error."""
        self._tally.asked[kind] += 1
        started = time.monotonic()
        answer = self._came(asked, seconds + OVER)
        if answer is None:
            self._tally.hung += 1
            self._wrong(kind, f"no answer within {seconds + OVER} s")
            let_go()
            answer = self._server.answer(asked)
        self._tally.worst = max(self._tally.worst, time.monotonic() - started - seconds)
        self._disk.fault = sound
        if "error" in answer:
            self._wrong(kind, str(answer["error"]))
        return answer.get("result")

    def _came(self, asked: Any, seconds: float) -> Message | None:
        """The answer, None if it did not come in time."""
        with suppress(AssertionError):
            return self._server.answer(asked, seconds)
        return None

    def _wrong(self, kind: str, what: str) -> None:
        self._tally.wrong.append(f"{kind}: {what}")


def covered(path: str, told: set[str]) -> bool:
    """Whether a file is named, or a folder that it is in."""
    return path in told or path.rpartition("/")[0] in told or "." in told


def run(asks: int, seed: int = 1, *, inline: bool = False) -> Tally:
    """Ask each kind in turn; with ``inline``, cancel questions of a server that reads where it handles messages. Raises
    `LeftOut`."""
    tally = Tally()
    with shown(["inline"] if inline else [], tally.wrong) as notes:
        asker = Asker(notes, seed, tally)
        for number in range(asks):
            (asker.cancelled if inline else asker.ask)(number)
    return tally


@harness(n=200, seed=1)
def main(options: Options) -> Verdict:
    tally = run(options.n, options.seed)
    control = run(CONTROL_ASKS, options.seed, inline=True)
    usual = tally.percentile(0.99) <= USUAL_CANCEL_MS
    return {
        "n": sum(tally.asked.values()),
        "bad": len(tally.wrong) + (not usual),
        "asked": dict(sorted(tally.asked.items())),
        "hung": tally.hung,
        "named": tally.named,
        "partial": tally.partial,
        "worst_overrun_ms": round(1000 * max(0.0, tally.worst)),
        "cancel_p50_ms": tally.percentile(0.5),
        "cancel_p99_ms": tally.percentile(0.99),
        "cancel_worst_ms": tally.percentile(1.0),
        "controlBad": len(control.wrong),
        "wrong": tally.wrong,
        "controlWrong": control.wrong[:4],
    }, tally.named and tally.partial and control.wrong


if __name__ == "__main__":
    sys.exit(main())
