"""Ask questions over one folder. All that reaches the engine passes through here: texts of questions and the folder.

No key, no identifier and no expected kind of answer: this module imports none of the modules that read them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.model import answer as domain
from lens_lsp.model.answer import answer_of
from lens_lsp.schema.answer_shapes import answer_json

Answer = dict[str, Any]
"""As ``lens ask --json`` prints it, schema ``lens.answer/2``."""


def ask_all(
    folder: Path,
    questions: Sequence[str],
    *,
    without: Sequence[frozenset[str]] = (frozenset(),),
    seed: int = 0,
    asked: Callable[[], None] = lambda: None,
) -> list[list[Answer]]:
    """The answers in order of the questions, once for each set of parts that are switched off.

    ``asked`` is called after every question.
    """

    async def collect() -> list[list[Answer]]:
        lens = Lens([folder])
        answers: list[list[Answer]] = []
        for ablate in without:
            answers.append([])
            for question in questions:
                answers[-1].append(await _ask(lens, question, ablate, seed))
                asked()
        return answers

    return asyncio.run(collect())


def ask_timed(folder: Path, questions: Sequence[str]) -> list[tuple[domain.Answer, float]]:
    """The answers themselves in order of the questions, each with the seconds it took, by one `Lens` that stays warm.

    The mode and the limits are those of ``lens ask`` without a model; no answer is remembered for the next question.
    """

    async def collect() -> list[tuple[domain.Answer, float]]:
        lens = Lens([folder])
        answers: list[tuple[domain.Answer, float]] = []
        for question in questions:
            began = time.perf_counter()
            answer = await answer_of(lens.ask(Request(question)))
            answers.append((answer, time.perf_counter() - began))
        return answers

    return asyncio.run(collect())


async def _ask(lens: Lens, question: str, ablate: frozenset[str], seed: int) -> Answer:
    return answer_json(await answer_of(lens.ask(Request(question, seed=seed, ablate=ablate))))
