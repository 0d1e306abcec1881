"""Clocks, series and the machine they were taken on."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
LIBRARIES = ("numpy", "ahocorasick_rs", "bm25s", "tantivy")


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of one run: by the wall, and of processor time (user and system)."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Series:
    """What several runs of the same thing took."""

    timings: tuple[Timing, ...]

    @classmethod
    def of_walls(cls, seconds: Sequence[float]) -> Series:
        """A series of which only the wall time is known."""
        return cls(tuple(Timing(value, value) for value in seconds))

    def of(self, clock: str) -> list[float]:
        return [getattr(timing, clock) for timing in self.timings]

    def median(self, clock: str = "wall") -> float:
        return statistics.median(self.of(clock))

    def shown(self, clock: str = "wall") -> str:
        """Milliseconds: median and, in brackets, least and most."""
        values = self.of(clock)
        return f"{_ms(statistics.median(values))} [{_ms(min(values))}–{_ms(max(values))}]"


Task = Callable[[], Timing]


def timed(work: Callable[[], object]) -> Timing:
    """One call in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Timing(time.perf_counter() - wall, time.process_time() - cpu)


def timed_child(arguments: Sequence[str | os.PathLike[str]], **options: Any) -> tuple[Timing, bytes]:
    """One child process from start to end, alone: no other child may run meanwhile. Gives its output."""
    before, wall = _children(), time.perf_counter()
    found: Any = subprocess.run(arguments, **({"check": True, "stdout": subprocess.PIPE} | options))
    wall = time.perf_counter() - wall
    output: bytes = found.stdout or b""
    return Timing(wall, _children() - before), output


def interleaved(runs: int, *tasks: Task) -> list[Series]:
    """Each task once, then each once more, ...: what disturbs the machine disturbs all of them alike."""
    rounds = [[task() for task in tasks] for _ in range(runs)]
    return [Series(tuple(column)) for column in zip(*rounds, strict=True)]


def python_child(module: str, *arguments: str) -> tuple[Timing, Any]:
    """A module of this repository in a fresh interpreter; it answers in JSON."""
    timing, output = timed_child([sys.executable, "-m", module, *arguments], cwd=REPOSITORY)
    return timing, json.loads(output)


def resident_bytes() -> int | None:
    """What this process holds in memory now; None where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def peak_bytes() -> int:
    """The most this process ever held in memory.

    On Linux not by ``getrusage``: a child counts there what its parent held when it was started.
    """
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def machine() -> dict[str, Any]:
    """Where these figures were taken, and of which build."""
    return {
        "cores": os.cpu_count(),
        "memoryGiB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "python": platform.python_version(),
        "libraries": {name: _version(name) for name in LIBRARIES},
        "build": build(),
        "load": [round(value, 2) for value in os.getloadavg()],
    }


def build() -> str:
    """A digest of the package's sources: equal for equal builds, committed or not."""
    digest = hashlib.sha256()
    for path in sorted((REPOSITORY / "lens_lsp").rglob("*.py")):
        digest.update(path.relative_to(REPOSITORY).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _ms(seconds: float) -> str:
    value = seconds * 1000
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
