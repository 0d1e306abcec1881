"""Processes: `lens --version`, interpreters that only import, a question to a fresh process."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from benchmarks.measuring import REPOSITORY, Task, Timing, interleaved, timed_child
from benchmarks.speed.bench import Bench
from benchmarks.speed.row import Beside, Row, Unit, most, row

VERSION_GOAL = 0.060
PROCESS_GOALS = {"A": 0.600}
IMPORTS_GOAL = 0.200
"""Seconds; of imports beyond the interpreter's own start."""
IMPORTS = (
    "lens_lsp.cli",
    "lens_lsp.app.lens",
    "lens_lsp.cli.ask, lens_lsp.search.synthesis",
    "numpy",
    "ahocorasick_rs",
)
_ASK = IMPORTS[2]


def start(bench: Bench) -> Iterator[Row]:
    """Nothing but starting, beside a bare interpreter."""
    bare, version, *imported = interleaved(
        bench.runs, process("-c", "pass"), process("-m", "lens_lsp", "--version"), *map(importing, IMPORTS)
    )
    beside = Beside("a bare interpreter", bare)
    yield row("lens --version", "–", version, goal=most(VERSION_GOAL))
    for name, series in zip(IMPORTS, imported, strict=True):
        yield row(f"import {name}", "–", series, beside)


def processes(bench: Bench) -> Iterator[Row]:
    """`lens ask` and `lens find` as a shell runs them: nothing in memory, the page cache warm."""
    for folder in bench.folders("A", "docs"):
        (text,) = bench.corpora.questions(folder.name, 1)
        arguments = ("--json", text, str(folder.path))
        asked, found, imported, bare = interleaved(
            bench.runs,
            process("-m", "lens_lsp", "ask", *arguments),
            process("-m", "lens_lsp", "find", *arguments),
            importing(_ASK),
            process("-c", "pass"),
        )
        goal = most(PROCESS_GOALS[folder.name]) if folder.name in PROCESS_GOALS else None
        yield row("lens ask, whole process", folder.name, asked, goal=goal)
        yield row("lens ask, whole process", folder.name, asked, unit=Unit.CPU)
        yield row("its imports", folder.name, imported, Beside("a bare interpreter", bare))
        yield row(
            "its imports", folder.name, imported, goal=most(IMPORTS_GOAL), note="with the interpreter's own start"
        )
        yield row("lens find, whole process", folder.name, found)
        yield row("lens find, whole process", folder.name, found, unit=Unit.CPU)


def process(*arguments: str) -> Task:
    """A fresh interpreter from start to end, as the command line starts it."""

    def run() -> Timing:
        # Status 1 is an answer in part, or none.
        return timed_child([sys.executable, *arguments], cwd=REPOSITORY, check=False)[0]

    return run


def importing(names: str) -> Task:
    return process("-c", f"import {names}")
