"""How long an answer without a model takes: warm in a running process, until the first evidence, and from the shell."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from benchmarks.apart import Figure
from benchmarks.corpora import Folder
from benchmarks.measuring import REPOSITORY, Series, interleaved, timed_child
from lens_lsp.domain.answer import Answer
from lens_lsp.domain.events import Event, EvidenceFound, answer_of
from lens_lsp.lens import Lens

ASK_GOALS = {"A": 0.100, "docs": 0.300}
"""Seconds of a warm question with its loop, links and verification, without the look at the disk."""
EVIDENCE_GOALS = {"C": 0.600}
"""Seconds until the first evidence, the look at the disk included."""
PROCESS_GOALS = {"A": 0.600}
IMPORTS_GOAL = 0.200
_SWEEP = ("walk", "read")
_IMPORTS = "import lens_lsp.cli.ask, lens_lsp.engine.answering"


@dataclass(frozen=True, slots=True)
class _Asked:
    """One question: seconds in all, until the first evidence, and of the look at the disk."""

    whole: float
    first: float
    sweep: float
    answer: Answer


def warm_asks(folder: Folder, texts: Sequence[str]) -> list[Figure]:
    """`Lens.ask` in evidence mode, texts in memory, question by question."""
    lens = Lens([folder.path])
    with asyncio.Runner() as runner:
        runner.run(_ask(lens, texts[0]))
        asked = [runner.run(_ask(lens, text)) for text in texts]
    status = Counter(one.answer.status.value for one in asked)
    rounds = Counter(one.answer.stopped.value for one in asked)
    note = f"{len(asked)} questions; {_counts(status)}; stopped {_counts(rounds)}; walk and reading left out"
    return [
        Figure(
            "ask, evidence mode",
            folder.name,
            Series.of_walls([one.whole - one.sweep for one in asked]),
            goal=ASK_GOALS.get(folder.name),
            note=note,
        ),
        Figure(
            "… until the first evidence",
            folder.name,
            Series.of_walls([one.first for one in asked]),
            goal=EVIDENCE_GOALS.get(folder.name),
            note="walk and reading included",
        ),
    ]


def shell_asks(folder: Folder, text: str, runs: int) -> list[Figure]:
    """`lens ask` as a process of its own, and what its imports cost beside a bare interpreter."""
    ask = [sys.executable, "-m", "lens_lsp", "ask", "--json", text, str(folder.path)]
    whole, imported, bare = interleaved(
        runs,
        lambda: timed_child(ask, cwd=REPOSITORY, check=False)[0],  # status 1 is an answer in part
        lambda: timed_child([sys.executable, "-c", _IMPORTS], cwd=REPOSITORY)[0],
        lambda: timed_child([sys.executable, "-c", "pass"], cwd=REPOSITORY)[0],
    )
    return [
        Figure("lens ask, whole process", folder.name, whole, goal=PROCESS_GOALS.get(folder.name)),
        Figure("… its imports", folder.name, imported, goal=IMPORTS_GOAL, note="with the interpreter's own start"),
        Figure("… a bare interpreter", folder.name, bare),
    ]


async def _ask(lens: Lens, text: str) -> _Asked:
    begun = time.perf_counter()
    first: float | None = None

    async def heard() -> AsyncGenerator[Event]:
        nonlocal first
        async for event in lens.ask(text):
            if first is None and isinstance(event, EvidenceFound):
                first = time.perf_counter() - begun
            yield event

    answer = await answer_of(heard())
    whole = time.perf_counter() - begun
    sweep = sum(stage.seconds for stage in answer.stages if stage.name in _SWEEP)
    return _Asked(whole, whole if first is None else first, sweep, answer)


def _counts(counted: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counted.items()))
