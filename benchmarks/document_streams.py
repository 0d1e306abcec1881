"""How soon the first passage out of a folder of many PDFs is there, and what memory that takes."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measuring import REPOSITORY
from lens_lsp.app.lens import Lens
from lens_lsp.model.documents import Evidence

PROMPT = 2.0
"""Seconds until the first passage."""
_QUERIES = 5
_TICK = 0.02
"""Seconds between two looks at the memory of the processes."""


@dataclass(frozen=True, slots=True)
class Cold:
    """One ``lens find`` from start to end. Seconds and bytes."""

    first: float
    """Until the first line of standard output."""
    whole: float
    processor: float
    """Of the command and its worker."""
    right: bool
    """A file of the title is among the first three passages."""
    parent: int
    worker: int


@dataclass(frozen=True, slots=True)
class Colds:
    """The same ``lens find`` again and again, each in a process of its own."""

    told_by: str
    """What leads to the right file: its name, or its title where the name is a number."""
    query: str
    runs: tuple[Cold, ...]

    @property
    def first(self) -> float:
        """The median of seconds until the first passage."""
        return median(run.first for run in self.runs)

    @property
    def right(self) -> int:
        """In how many runs the right file came first."""
        return sum(run.right for run in self.runs)

    def row(self) -> str:
        firsts = [run.first for run in self.runs]
        seconds = f"{self.first:.2f} | {min(firsts):.2f}–{max(firsts):.2f}"
        spent = f"{median(run.processor for run in self.runs):.2f} | {self.right} of {len(self.runs)}"
        most = [max(getattr(run, name) for run in self.runs) >> 20 for name in ("parent", "worker")]
        return f"| {self.told_by} | {self.query} | {seconds} | {spent} | {most[0]} | {most[1]} |"

    def json(self) -> dict[str, Any]:
        return {**asdict(self), "first": self.first, "right": self.right}


@dataclass(frozen=True, slots=True)
class Stream:
    """One process, until all is read. Seconds and bytes."""

    files: int
    read: int
    first: float | None
    """None when no passage came."""
    whole: float
    at_first: int
    """How many were read when the first passages were shown."""
    parent: int
    worker: int

    def lines(self) -> list[str]:
        return [
            f"one process: first passage after {self.first:.2f} s" if self.first else "one process: no passage",
            f"{self.at_first} of {self.files} documents read by then, {self.read} after {self.whole:.1f} s",
            f"most memory: {self.parent >> 20} MiB, its worker {self.worker >> 20} MiB",
        ]

    def json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class _Peaks:
    parent: int = 0
    workers: dict[int, int] = field(default_factory=dict)

    @property
    def worker(self) -> int:
        """That of the largest: a killed one and the next are never there at once."""
        return max(self.workers.values(), default=0)


def titles(folder: Path) -> list[str]:
    """Words of the names of some of the files, evenly chosen."""
    names = sorted(path.stem for path in folder.glob("*.pdf"))
    if not names:
        raise FileNotFoundError(f"no PDF in {folder}")
    chosen = names[:: max(1, len(names) // _QUERIES)][:_QUERIES]
    return [_title(name) for name in chosen]


def cold_finds(folder: Path, runs: int) -> list[Colds]:
    """``lens find`` for some of the titles: first in the folder, then in a copy whose files are called by numbers."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as copies:
        numbered = _numbered(folder, Path(copies))
        named = {path.name: _title(path.stem) for path in folder.glob("*.pdf")}
        return [
            Colds(told_by, title, tuple(_cold_find(where, title, of, home) for _ in range(runs)))
            for told_by, where, of in (("name", folder, named), ("title", Path(copies), numbered))
            for title in titles(folder)
        ]


def _numbered(folder: Path, copies: Path) -> dict[str, str]:
    """Copy the PDFs of a folder under numbers; the title of each."""
    of = {}
    for number, path in enumerate(sorted(folder.glob("*.pdf"))):
        name = f"scan{number:05}.pdf"
        shutil.copy2(path, copies / name)
        of[name] = _title(path.stem)
    return of


def _title(name: str) -> str:
    return re.sub(r"-\d+$", "", name).replace("-", " ")


def _cold_find(folder: Path, query: str, titles: Mapping[str, str], home: str) -> Cold:
    environment = {"HOME": home, "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "PYTHONUNBUFFERED": "1"}
    spent, began = _children_seconds(), time.perf_counter()
    command = [sys.executable, "-m", "lens_lsp", "find", "--format", "grep", "-n", "3", query, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        assert process.stdout is not None
        with _watched(process.pid) as peaks:
            lines = [process.stdout.readline()]
            first = time.perf_counter() - began
            lines += process.stdout.readlines()
            process.wait()
    whole = time.perf_counter() - began
    right = any(titles.get(Path(line.decode().partition(":")[0]).name) == query for line in lines)
    return Cold(first, whole, _children_seconds() - spent, right, peaks.parent, peaks.worker)


def _children_seconds() -> float:
    """Processor time of what was started and has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _First:
    """Notes when the first passage came."""

    def __init__(self) -> None:
        self.at: float | None = None

    def progress(self, stage: str, done: int, total: int | None) -> None: ...

    def evidence(self, item: Evidence) -> None:
        self.at = self.at or time.perf_counter()


def streamed(folder: Path) -> Stream:
    """A question, and the rest read as a server does it between two questions."""
    query, files = titles(folder)[0], len(list(folder.glob("*.pdf")))
    seen = _First()
    began = time.perf_counter()
    with _watched(os.getpid()) as peaks:
        lens = Lens([folder])
        at_first = lens.find(query, observer=seen).coverage.scanned
        lens.read_on(lambda: False)
        read = lens.find(query).coverage.scanned
    whole = time.perf_counter() - began
    first = seen.at and seen.at - began
    return Stream(files, read, first, whole, at_first, peaks.parent, peaks.worker)


@contextmanager
def _watched(pid: int) -> Iterator[_Peaks]:
    """The most memory a process and its descendants hold meanwhile, by the kernel's own high-water marks."""
    peaks, done = _Peaks(), threading.Event()

    def look() -> None:
        while not done.wait(_TICK):
            peaks.parent = max(peaks.parent, _high_water(pid))
            for child in _descendants(pid):
                peaks.workers[child] = max(peaks.workers.get(child, 0), _high_water(child))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield peaks
    finally:
        done.set()
        watcher.join()


def _high_water(pid: int) -> int:
    """Bytes; 0 when the process is gone or the system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def _descendants(pid: int) -> list[int]:
    found, waiting = [], [pid]
    while waiting:
        one = waiting.pop()
        try:
            tasks = list(Path(f"/proc/{one}/task").iterdir())
            children = [int(name) for task in tasks for name in (task / "children").read_text("ascii").split()]
        except OSError:
            continue
        found += children
        waiting += children
    return found
