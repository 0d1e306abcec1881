"""The slow work of a question: told to stop, it may yet show what it has; nobody waiting, it ends at once."""

from __future__ import annotations

import asyncio

from lens_lsp.judge.cancellation import QuestionTasks
from tests.lsp.lsp_client import wait_until


def test_what_is_stopped_has_a_moment_to_show_something() -> None:
    asked: list[bool] = []
    work = QuestionTasks(lambda: bool(asked))
    assert not work.late()
    asked.append(True)
    assert work.cancelled()
    assert not work.late()
    assert wait_until(work.late)


def test_what_nobody_waits_for_has_none() -> None:
    async def left() -> QuestionTasks:
        async with QuestionTasks(lambda: False) as work:
            assert not work.late()
        return work

    assert asyncio.run(left()).late()
