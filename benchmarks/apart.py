"""What the rows leave out: the look at the disk, links, whole questions, the first question, starting up, memory."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpora import Folder
from benchmarks.measuring import REPOSITORY, Series, Timing, interleaved, python_child, timed_child
from lens_lsp.domain.model import Findings
from lens_lsp.evaluation.data.datasets import open_dataset, questions
from lens_lsp.lens import Lens

QUESTIONS = 50
FIND_GOALS = {"A": 0.150, "docs": 0.350}
"""Seconds of a whole question, the look at the disk and the links included."""
VERSION_GOAL = 0.060
IMPORTS = ("lens_lsp.cli", "lens_lsp.lens", "numpy", "ahocorasick_rs")
_SOURCES = {"A": ("hotpotqa", "500"), "docs": ("workspaces", "cpp-docs")}
_LINKS = frozenset({"links"})


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of the second table."""

    what: str
    corpus: str
    series: Series
    clock: str = "wall"
    goal: float | None = None
    note: str = ""

    @property
    def passed(self) -> bool | None:
        return None if self.goal is None else self.series.median(self.clock) <= self.goal

    def json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "corpus": self.corpus,
            "clock": self.clock,
            "lens": self.series.json(),
            "goalSeconds": self.goal,
            "passed": self.passed,
            "note": self.note,
        }


def asked(data: Path, corpus: str) -> list[str]:
    """The first questions of the corpus's data set."""
    folder, snapshot = _SOURCES[corpus]
    return [question.text for question in questions(open_dataset(data / folder, snapshot))[:QUESTIONS]]


def whole_questions(folder: Folder, texts: Sequence[str]) -> list[Figure]:
    """`Lens.find` in a workspace whose texts are in memory, question by question, with links and without."""
    lens = Lens([folder.path])
    lens.find(texts[0])
    whole, without = [], []
    for text in texts:
        whole.append(lens.find(text))
        without.append(lens.find(text, ablate=_LINKS))
    names = [stage.name for stage in whole[0].stages]
    shares = " + ".join(f"{name} {statistics.median(_stage(one, name) for one in whole) * 1000:.1f}" for name in names)
    links = [max(0.0, _stage(one, "prior") - _stage(other, "prior")) for one, other in zip(whole, without, strict=True)]
    sweep = [_stage(one, "walk") + _stage(one, "read") for one in whole]
    return [
        Figure("stat sweep", folder.name, Series.of_walls(sweep), note="walk, status of every file, comparison"),
        Figure("second-hop links", folder.name, Series.of_walls(links), note="prior with links less prior without"),
        Figure(
            "whole find",
            folder.name,
            Series.of_walls([sum(stage.seconds for stage in one.stages) for one in whole]),
            goal=FIND_GOALS.get(folder.name),
            note=f"{len(texts)} questions; medians {shares} ms",
        ),
    ]


def first_question(folder: Folder, text: str, runs: int) -> list[Figure]:
    """A question to a fresh process, and what memory one takes."""
    command = [sys.executable, "-m", "lens_lsp", "find", "--json", text, str(folder.path)]
    (series,) = interleaved(runs, lambda: timed_child(command, cwd=REPOSITORY)[0])
    found = python_child("benchmarks.answering", "product", str(folder.path), folder.name, "T12")[1]
    peak = f"peak memory of a filled cache and one question {found['peakBytes'] / 2**20:.0f} MiB"
    return [
        Figure("first question, whole process", folder.name, series, note=peak),
        Figure("… its processor time", folder.name, series, clock="cpu"),
    ]


def starting(runs: int) -> list[Figure]:
    """`lens --version`, and interpreters that only import something."""

    def process(*arguments: str) -> Timing:
        return timed_child([sys.executable, *arguments], cwd=REPOSITORY)[0]

    bare, version, *imported = interleaved(
        runs,
        lambda: process("-c", "pass"),
        lambda: process("-m", "lens_lsp", "--version"),
        *(lambda name=name: process("-c", f"import {name}") for name in IMPORTS),
    )
    return [
        Figure("bare python", "–", bare),
        Figure("lens --version", "–", version, goal=VERSION_GOAL),
        *(Figure(f"python, import {name}", "–", series) for name, series in zip(IMPORTS, imported, strict=True)),
    ]


def _stage(found: Findings, name: str) -> float:
    return sum(stage.seconds for stage in found.stages if stage.name == name)
