"""One question asked of a running process, and when what of it was there.

Nothing of the benchmark is imported here: processes whose memory is measured ask by it.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from lens_lsp.app.lens import Lens
from lens_lsp.model.answer import Answer, Event, EvidenceFound, answer_of
from lens_lsp.model.documents import Evidence, Stage

SWEEP = ("walk", "read")
"""The stages that look at the disk."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: seconds in all, until the first evidence, and of the look at the disk."""

    whole: float
    first: float
    sweep: float
    cpu: float
    answer: Answer


async def asked(lens: Lens, text: str) -> Asked:
    """Ask in evidence mode and watch for the first evidence."""
    begun, cpu = time.perf_counter(), time.process_time()
    first: float | None = None

    async def heard() -> AsyncGenerator[Event]:
        nonlocal first
        async for event in lens.ask(text):
            if first is None and isinstance(event, EvidenceFound):
                first = time.perf_counter() - begun
            yield event

    answer = await answer_of(heard())
    whole = time.perf_counter() - begun
    used = time.process_time() - cpu
    return Asked(whole, whole if first is None else first, seconds_of(answer.stages, *SWEEP), used, answer)


class _Progress:
    """Notes when there is something to show for the first time."""

    def __init__(self) -> None:
        self.first: float | None = None

    def progress(self, stage: str, done: int, total: int | None) -> None:
        self.first = self.first or time.perf_counter()

    def evidence(self, item: Evidence) -> None: ...


async def beginning(lens: Lens, text: str) -> tuple[float, float]:
    """Ask only until the first evidence: seconds until the first progress was told, and until then."""
    begun, progress = time.perf_counter(), _Progress()
    async with aclosing(lens.ask(text, observer=progress)) as events:
        async for event in events:
            if isinstance(event, EvidenceFound):
                break
        evidence = time.perf_counter()
    return (progress.first or evidence) - begun, evidence - begun


def seconds_of(stages: Sequence[Stage], *names: str) -> float:
    """What the stages of these names took together."""
    return sum(stage.seconds for stage in stages if stage.name in names)
