"""Ask questions over one folder. All that reaches the engine passes through here: texts of questions and the folder.

No key, no identifier and no expected kind of answer: this module imports none of the modules that read them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lens_lsp.app.lens import Lens
from lens_lsp.app.request import Request
from lens_lsp.domain.events import answer_of
from lens_lsp.wire import answer_json

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
        lens, answers = Lens([folder]), []
        for ablate in without:
            answers.append([])
            for question in questions:
                answers[-1].append(await _ask(lens, question, ablate, seed))
                asked()
        return answers

    return asyncio.run(collect())


async def _ask(lens: Lens, question: str, ablate: frozenset[str], seed: int) -> Answer:
    return answer_json(await answer_of(lens.ask(Request(question, seed=seed, ablate=ablate))))
