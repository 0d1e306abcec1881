"""Logs larger than memory should be asked to hold: how much a search takes, and how soon it ends when it is to.

``python -m tests.soak.large_texts --mb 400 --large 1000 --stops 3`` makes logs of so many megabytes, searches them in
processes of their own by ``lens find`` and ``lens ask`` with the built-in reader, and prints one JSON line. In a dense
log nearly each line holds the words of the question, in a sparse one only a line in the middle, and one is a single
line. It exits with 1 if

- a search of a dense log of ``--mb`` had more than 600 MB resident at its peak (of less than 400 MB, ``find`` 250),
- one of twice the size had no answer under an address space of 1.5 GB (``RLIMIT_AS``),
- an interrupt at one of ``--stops`` moments of a search of ``--large`` was followed by an end later than 0.5 s, by a
  traceback, or by nothing said of it; or ``--max-seconds 2`` by one later than 3 s after the start,
- a cancelled ``lens/find`` or ``lens/ask`` of a server was answered later than 200 ms,

or if a search that holds all places of all texts at once keeps within that memory, or one that hears of no stop ends in
time. What a process waits for a processor of a busy machine does not count, where the system tells it (Linux).
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.lsp.lsp_client import SERVE, LspProcess, environment
from tests.soak.harness import Options, Verdict, harness

QUESTION = "why did the backup of the server fail?"
MEGABYTE = 1_000_000
MOST_MB, MOST_FIND_MB, LEAST_MB = 600, 250, 400
ADDRESSES = 1_500 * MEGABYTE
MOST_STOP_MS, MOST_SECONDS_MS, MOST_CANCEL_MS = 500.0, 3000.0, 200.0
LENS = (sys.executable, "-m", "lens_lsp")
HOLDING = """
import sys
from lens_lsp.search import corpus_view
corpus_view._AT_ONCE = corpus_view._HELD = 1 << 60
from lens_lsp.cli import main
sys.exit(main(sys.argv[1:]))
"""
DEAF = """
import sys
from lens_lsp.judge.cancellation import QuestionTasks
QuestionTasks.ended = QuestionTasks.late = QuestionTasks.over = lambda self: False
from lens_lsp.cli import main
sys.exit(main(sys.argv[1:]))
"""
_WORDS = ("backup", "failed", "server", "disk", "timeout", "retry", "node", "volume", "replica", "error")
_OTHER = ("lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "elit", "tempor")
_NEEDLE = b"why did the backup of the server fail? the tape robot of the archive was out of tapes"


def made(folder: Path, kind: str, megabytes: int) -> Path:
    """A folder with one log, old enough to be known by its time."""
    draw = random.Random(1)
    folder.mkdir(parents=True)
    end = b" " if kind == "line" else b"\n"
    block = bytearray()
    while len(block) < MEGABYTE:
        if kind == "dense":
            where, *what = draw.randrange(40), *draw.choices(_WORDS, k=3)
            said = f"2026-11-{draw.randrange(1, 29):02d} node{where} the backup of the server {what[0]} failed: {what}"
        else:
            said = " ".join(draw.choices(_OTHER, k=12))
        block += said.encode() + end
    path = folder / "a.log"
    with path.open("wb") as file:
        for number in range(megabytes):
            file.write(block)
            if number == megabytes // 2:
                file.write(_NEEDLE + end)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return folder


@dataclass
class Tally:
    """What the searches took, and what was wrong with them."""

    n: int = 0
    peaks: dict[str, int] = field(default_factory=dict)
    """Megabytes."""
    stops: list[float] = field(default_factory=list)
    """Milliseconds from an interrupt to the end."""
    limits: list[float] = field(default_factory=list)
    """Milliseconds from the start of a search of two seconds to its end."""
    cancels: list[float] = field(default_factory=list)
    walls: list[float] = field(default_factory=list)
    """Milliseconds of the stops with what a busy machine adds."""
    wrong: list[str] = field(default_factory=list)

    def check(self, *, holds: bool, what: str) -> None:
        self.n += 1
        if not holds:
            self.wrong.append(what)


@dataclass
class Ended:
    """A process that has ended: its status, what it said, and the most it had resident, in bytes."""

    status: int
    output: bytes
    errors: bytes
    peak: int


class Searching:
    """A process that searches."""

    def __init__(self, command: Sequence[str], home: Path, *arguments: str, addresses: int | None = None) -> None:
        def limited() -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell has what it starts in the background ignore it
            if addresses is not None:
                resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))

        self._said = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115  closed at its end
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [*command, *arguments],
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=self._said[0],
            stderr=self._said[1],
            preexec_fn=limited,
        )
        self._ended: tuple[int, int] | None = None

    def over(self) -> bool:
        """Whether it has ended."""
        if self._ended is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self._ended = os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024
                self.process.returncode = self._ended[0]
        return self._ended is not None

    def times(self) -> Mapping[str, tuple[float, float]]:
        """Per thread, the seconds it ran and those it waited for a processor, as far as the system tells."""
        found = {}
        for path in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            try:
                ran, waited, _ = map(int, path.read_text().split())
            except (OSError, ValueError):
                continue
            found[path.parent.name] = ran / 1e9, waited / 1e9
        return found

    def until(self, seconds: float) -> bool:
        """Let it run for so many seconds of a processor; whether it still runs."""
        while not self.over() and sum(ran for ran, _ in self.times().values()) < seconds:
            time.sleep(0.01)
        return not self.over()

    def end(self) -> Ended:
        """Wait for its end."""
        while not self.over():
            time.sleep(0.002)
        assert self._ended is not None
        said = []
        for file in self._said:
            file.seek(0)
            said.append(file.read())
            file.close()
        return Ended(self._ended[0], said[0], said[1], self._ended[1])

    def timed(self, since: float) -> tuple[float, float, Ended]:
        """Milliseconds from a moment to its end, those that it ran or slept of them, and its end. Where its threads
        wait for a processor at the same time that counts twice; then at least those that they ran count."""
        before = self.times()
        after = before
        while not self.over():
            after = self.times() or after
            time.sleep(0.002)
        wall = 1000 * (time.monotonic() - since)
        ran, waited = (
            1000 * sum(times[column] - before.get(thread, (0.0, 0.0))[column] for thread, times in after.items())
            for column in (0, 1)
        )
        return wall, max(ran, wall - waited), self.end()


def asking(way: str, folder: Path, *more: str) -> tuple[str, ...]:
    own = ("--no-store", "--max-seconds", "3000") if way == "ask" else ()
    return (way, *own, *more, QUESTION, str(folder))


def remember(tally: Tally, base: Path, megabytes: int) -> None:
    """How much searches of a dense log take; whether one of twice the size is answered in a bounded space."""
    folder = made(base / "dense", "dense", megabytes)
    for way in ("find", "ask"):
        ended = Searching(LENS, base, *asking(way, folder)).end()
        peak = ended.peak // MEGABYTE
        tally.peaks[way] = peak
        most = MOST_FIND_MB if way == "find" and megabytes < LEAST_MB else MOST_MB
        found = ended.status in (0, 1) and b"a.log:" in ended.output
        tally.check(holds=found and peak <= most, what=f"{way}: {ended.status}, {peak} MB, {ended.errors[-300:]!r}")
    removed(folder)
    folder = made(base / "twice", "dense", 2 * megabytes)
    for way in ("find", "ask"):
        ended = Searching(LENS, base, *asking(way, folder), addresses=ADDRESSES).end()
        tally.peaks[f"{way}Twice"] = ended.peak // MEGABYTE
        found = ended.status in (0, 1) and b"a.log:" in ended.output
        tally.check(holds=found, what=f"{way} of {2 * megabytes} MB: {ended.status}, {ended.errors[-300:]!r}")
    removed(folder)


def moments(stops: int, way: str) -> Iterator[float]:
    """Seconds of a processor after which a search is stopped: it is imported by 1.5."""
    draw = random.Random(way)
    yield from (1.5 + draw.random() * 2 + 4 * number for number in range(stops))


def stop(tally: Tally, base: Path, megabytes: int, stops: int) -> None:
    """How soon searches of a large log end when they are interrupted or their time is over."""
    for kind in ("dense", "sparse", "line"):
        folder = made(base / kind, kind, megabytes)
        for way in ("find", "ask"):
            for after in moments(stops, way):
                searching = Searching(LENS, base, *asking(way, folder))
                if not searching.until(after):
                    searching.end()
                    continue
                began = time.monotonic()
                searching.process.send_signal(signal.SIGINT)
                wall, own, ended = searching.timed(began)
                tally.stops.append(own)
                tally.walls.append(wall)
                told = ended.status == 130 and b"interrupted" in ended.errors and b"Traceback" not in ended.errors
                what = f"{way} of {kind} after {after:.1f} s: {ended.status}, {own:.0f} ms, {ended.errors[-300:]!r}"
                tally.check(holds=told and own <= MOST_STOP_MS, what=what)
        searching = Searching(LENS, base, *asking("ask", folder, "--json", "--max-seconds", "2"))
        wall, own, ended = searching.timed(searching.began)
        tally.limits.append(own)
        said = json.loads(ended.output)
        told = said["stopped"] in ("budget-seconds", "covered", "rounds", "nowhere", "direct")
        what = f"two seconds of {kind}: {ended.status}, {own:.0f} ms, {said['stopped']}, {ended.errors[-300:]!r}"
        tally.check(holds=told and own <= MOST_SECONDS_MS, what=what)
        if kind == "dense":
            cancel(tally, base, folder, stops)
        removed(folder)


def cancel(tally: Tally, base: Path, folder: Path, stops: int) -> None:
    """How soon a server answers for a question that is cancelled."""
    with LspProcess(environment(base), SERVE) as server:
        server.begin(folder)
        for number in range(2 * stops):
            method = ("lens/find", "lens/ask")[number % 2]
            id_ = server.request(method, {"question": QUESTION})
            before = server.seconds_of_processor()
            while server.seconds_of_processor() < before + 1 + number and id_ not in server.answers:
                time.sleep(0.02)
            began = time.monotonic()
            server.notify("$/cancelRequest", {"id": id_})
            answer = server.answer(id_, 60)
            took = 1000 * (time.monotonic() - began)
            tally.cancels.append(took)
            tally.check(holds=took <= MOST_CANCEL_MS, what=f"{method}: {took:.0f} ms, {answer.get('error')}")


def controls(base: Path, megabytes: int) -> tuple[int, float]:
    """Megabytes that a search takes which holds everything, and milliseconds until one ends that hears of no stop."""
    folder = made(base / "control", "dense", megabytes)
    peak = Searching((sys.executable, "-c", HOLDING), base, *asking("find", folder)).end().peak // MEGABYTE
    searching = Searching((sys.executable, "-c", DEAF), base, *asking("ask", folder))
    took = 0.0
    if searching.until(3.5):
        began = time.monotonic()
        searching.process.send_signal(signal.SIGINT)
        took = searching.timed(began)[1]
    else:
        searching.end()
    removed(folder)
    return peak, took


def removed(folder: Path) -> None:
    (folder / "a.log").unlink()
    folder.rmdir()


@harness(mb=400, large=1000, stops=3)
def main(options: Options) -> Verdict:
    tally = Tally()
    remember(tally, options.place, options.mb)
    stop(tally, options.place, options.large, options.stops)
    peak, took = controls(options.place, options.mb)
    most = MOST_FIND_MB if options.mb < LEAST_MB else MOST_MB
    row = {
        "n": tally.n,
        "peak_mb": tally.peaks,
        "worst_stop_ms": round(max(tally.stops, default=0.0)),
        "worst_stop_wall_ms": round(max(tally.walls, default=0.0)),
        "worst_limit_ms": round(max(tally.limits, default=0.0)),
        "worst_cancel_ms": round(max(tally.cancels, default=0.0)),
        "load": round(os.getloadavg()[0], 1),
        "control_mb": peak,
        "control_stop_ms": round(took),
        "controlOver": int(peak > most) + int(took > MOST_STOP_MS),
        "wrong": tally.wrong,
    }
    return row, row["controlOver"] == 2


if __name__ == "__main__":
    sys.exit(main())
