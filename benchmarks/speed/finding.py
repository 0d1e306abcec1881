"""Whole questions to a running process: find, answers without a model, and when the first evidence is there."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from benchmarks.speed.asked import SWEEP, asked, seconds_of
from benchmarks.speed.bench import Bench
from benchmarks.speed.corpora import Folder
from benchmarks.speed.row import Row, Unit, figures, most
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.model.documents import Findings

FIND_GOALS = {"A": 0.150, "docs": 0.350}
"""Seconds of a whole question, the look at the disk and the links included."""
ASK_GOALS = {"A": 0.100, "docs": 0.300}
"""Seconds of a warm question with its loop, links and verification, without the look at the disk."""
EVIDENCE_GOALS = {"C": 0.600}
"""Seconds until the first evidence, the look at the disk included."""
_LINKS = frozenset({"links"})
_MANY = 50_000
"""Files from which a few questions are enough: each takes seconds."""
_FEW = 3


def find(bench: Bench) -> Iterator[Row]:
    """`Lens.find`, texts in memory; a run asks every question with links and without, and counts by the median."""
    for folder in bench.folders("A", "docs", "C"):
        texts = _texts(bench, folder)
        lens = Lens([folder.path])
        lens.find(texts[0])
        runs = [[_found(lens, text) for text in texts] for _ in range(bench.runs)]
        yield from _rows(folder, runs)


@dataclass(frozen=True, slots=True)
class _Found:
    """One question with links and without, and the processor seconds of the first."""

    linked: Findings
    unlinked: Findings
    cpu: float


def _found(lens: Lens, text: str) -> _Found:
    begun = time.process_time()
    linked = lens.find(text)
    cpu = time.process_time() - begun
    return _Found(linked, lens.find(Request(text, ablate=_LINKS)), cpu)


def _rows(folder: Folder, runs: Sequence[Sequence[_Found]]) -> Iterator[Row]:
    whole = [[found.linked.stages for found in run] for run in runs]
    names = [stage.name for stage in whole[0][0]]
    shares = " + ".join(
        f"{name} {_median([seconds_of(one, name) for run in whole for one in run]) * 1000:.1f}" for name in names
    )
    slowest = max(seconds_of(one, *names) for run in whole for one in run)
    links = [[max(0.0, _prior(one.linked) - _prior(one.unlinked)) for one in run] for run in runs]
    note = f"{len(runs[0])} questions, the slowest {slowest * 1000:,.0f} ms; medians {shares} ms"
    cpu = [[one.cpu for one in run] for run in runs]
    yield _row("whole find", folder, [[seconds_of(one, *names) for one in run] for run in whole], FIND_GOALS, note, cpu)
    sweeps = [[seconds_of(one, *SWEEP) for one in run] for run in whole]
    yield _row("stat sweep", folder, sweeps, {}, "walk and status of every file")
    yield _row("second-hop links", folder, links, {}, "prior with links less prior without")


def ask(bench: Bench) -> Iterator[Row]:
    """`Lens.ask` in evidence mode, texts in memory; a run asks every question and counts by the median."""
    for folder in bench.folders("A", "docs", "C"):
        texts = _texts(bench, folder)
        lens = Lens([folder.path])
        with asyncio.Runner() as runner:
            runner.run(asked(lens, texts[0]))
            runs = [[runner.run(asked(lens, text)) for text in texts] for _ in range(bench.runs)]
        status = Counter(one.answer.status.value for one in runs[0])
        ended = Counter(one.answer.stopped.value for one in runs[0])
        note = f"{len(texts)} questions: {_counts(status)}; stopped {_counts(ended)}; walk and reading left out"
        yield _row(
            "answer, evidence mode", folder, [[one.whole - one.sweep for one in run] for run in runs], ASK_GOALS, note
        )
        both = "walk and reading included"
        cpu = [[one.cpu for one in run] for run in runs]
        yield _row(
            "answer, the look at the disk included", folder, [[one.whole for one in run] for run in runs], {}, both, cpu
        )
        firsts = [[one.first for one in run] for run in runs]
        yield _row("first evidence", folder, firsts, EVIDENCE_GOALS, both)


def _prior(findings: Findings) -> float:
    return seconds_of(findings.stages, "prior")


def _texts(bench: Bench, folder: Folder) -> list[str]:
    count = bench.sizes.questions if folder.files < _MANY else min(_FEW, bench.sizes.questions)
    return bench.corpora.questions(folder.name, count)


def _row(
    what: str,
    folder: Folder,
    runs: Sequence[Sequence[float]],
    goals: dict[str, float],
    note: str,
    cpu: Sequence[Sequence[float]] = (),
) -> Row:
    goal = most(goals[folder.name]) if folder.name in goals else None
    found = figures(what, folder.name, [_median(run) for run in runs], Unit.WALL, goal, note)
    return replace(found, cpu=tuple(_median(run) for run in cpu))


def _median(seconds: Sequence[float]) -> float:
    return round(statistics.median(seconds), 7)


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counted.items()))
