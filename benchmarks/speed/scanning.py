"""Scanning and ranking by words alone: texts in memory, nothing in memory, and nothing in the page cache either."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.measuring import REPOSITORY, Task, Timing, timed, timed_child
from benchmarks.speed.answering import answer, lowered
from benchmarks.speed.bench import Bench
from benchmarks.speed.corpora import CAN_EVICT, ColdCacheError, Folder, cached_share, evict
from benchmarks.speed.queries import TERMS, literals
from benchmarks.speed.row import Beside, Row, Unit, cost, faster, most, row
from lens_lsp.corpus.encoding import Arena
from lens_lsp.corpus.scan import scan

WARM_GOALS = {"A": {"T12": 15.0, "T40": 5.0}, "docs": {"T12": 8.0, "T40": 2.0}, "C": {"T12": 6.0, "T40": 1.0}}
"""How many times faster than ripgrep, by the wall."""
BANDWIDTH_GOALS = {"A": 15.0, "docs": 15.0, "C": 10.0}
"""At most so many times one pass over the texts in memory."""
GUARD_RAILS = {"A": 0.025, "C": 1.0}
"""Seconds."""
NOTHING_CACHED_GOAL = 1.0
COLD_GOAL = 1.5
"""At most so many times ripgrep's processor time, and its wall time."""
_GATED = ("A", "docs")
_WORD = 8


def warm(bench: Bench) -> Iterator[Row]:
    """Texts in memory: scan, BM25, the ten best with their windows; beside ripgrep and the memory's own limit."""
    for folder in bench.folders("A", "docs", "C"):
        texts = lowered(str(folder.path))
        for terms, goal in WARM_GOALS[folder.name].items():
            yield from _warm(bench, folder, texts, terms, goal)


def _warm(bench: Bench, folder: Folder, texts: tuple[Arena, list[str]], terms: str, goal: float) -> Iterator[Row]:
    arena, wanted = texts[0], TERMS[folder.name][terms]
    note = f"{bench.matches(folder, terms, texts):,} matches"
    (ours, scanned, limit), rg = bench.against(
        folder,
        terms,
        partial(timed, partial(answer, arena, wanted)),
        partial(timed, partial(scan, arena.chunks(), literals(wanted))),
        partial(timed, partial(read_through, arena)),
    )
    what = f"scan, rank, windows, {terms}"
    name, theirs = rg.fastest()
    yield row(what, folder.name, ours, Beside("ripgrep", theirs), faster(goal), note=f"{note}; rg {name}")
    if terms == "T12":
        speed = f"memory is read at {arena.size / 1e9 / limit.median():.1f} GB/s"
        memory = Beside("one pass over the memory", limit)
        yield row(what, folder.name, ours, memory, cost(BANDWIDTH_GOALS[folder.name]), note=speed)
        yield row(f"scan alone, {terms}", folder.name, scanned, memory)
        if folder.name in GUARD_RAILS:
            yield row(what, folder.name, ours, goal=most(GUARD_RAILS[folder.name]))


def read_through(arena: Arena) -> int:
    """Look at every byte of the texts once, as fast as this machine's memory gives them; the greatest word."""
    greatest = 0
    for chunk in arena.chunks():
        start = -chunk.data.ctypes.data % _WORD  # what lies across words would be copied first
        aligned = chunk.data[start : start + (len(chunk.data) - start) // _WORD * _WORD]
        if len(aligned):
            greatest = max(greatest, int(np.max(aligned.view(np.uint64))))
    return greatest


def uncached(bench: Bench) -> Iterator[Row]:
    """Empty cache, page cache warm: walk, read, fold, scan, rank in a fresh process, its imports left out."""
    for folder in bench.folders("A", "docs", "C"):
        tasks = [partial(alone, way, folder, "T12") for way in ("product", "lean")]
        (product, lean), rg = bench.against(folder, "T12", *tasks)
        goal = cost(NOTHING_CACHED_GOAL) if folder.name in _GATED else None
        for what, ours, yardstick, limit in (
            ("nothing cached", product, rg.fastest(), goal),
            ("nothing cached, ASCII lowered only", lean, rg.fastest(), None),
            ("nothing cached, against its least CPU", product, rg.fastest("cpu"), None),
        ):
            beside = Beside("ripgrep", yardstick[1])
            yield row(what, folder.name, ours, beside, limit, unit=Unit.CPU, note=f"rg {yardstick[0]}")


def cold(bench: Bench) -> Iterator[Row]:
    """The page cache dropped before every run; the wall. Raises ColdCacheError where the system cannot."""
    if not CAN_EVICT:
        raise ColdCacheError("this system cannot drop files from its page cache: leave `cold` out")
    for folder in bench.folders("A", "docs", "C"):
        left: list[float] = []
        dropped = partial(_dropped, folder, left)
        tasks = [partial(dropped, partial(alone, way, folder, "T12")) for way in ("product", "lean")]
        (product, lean), rg = bench.against(folder, "T12", *tasks, around=dropped)
        goal = cost(COLD_GOAL) if folder.name in _GATED else None
        name, theirs = rg.fastest()
        note = f"rg {name}; at most {max(left):.1%} of the files were in the page cache"
        for what, ours, limit in (("cold page cache", product, goal), ("cold, ASCII lowered only", lean, None)):
            yield row(what, folder.name, ours, Beside("ripgrep", theirs), limit, note=note)


def _dropped(folder: Folder, left: list[float], task: Task) -> Timing:
    evict(folder)
    left.append(cached_share(folder))
    return task()


def alone(way: str, folder: Folder, terms: str) -> Timing:
    """The work in a process of its own, started as the command line starts: without a thread of BLAS for each core."""
    arguments = [sys.executable, "-m", "benchmarks.speed.answering", way, str(folder.path), folder.name, terms]
    environment = {"OPENBLAS_NUM_THREADS": "1"} | os.environ
    _, output = timed_child(arguments, cwd=REPOSITORY, stdout=subprocess.PIPE, env=environment)
    found = json.loads(output)
    return Timing(found["wall"], found["cpu"])
