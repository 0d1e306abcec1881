"""``lens/find`` that is given up: who searches next has the texts to itself."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.request import Request
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.lsp.lens_find import rank_passages
from lens_lsp.lsp.request_handler import RequestFailed
from lens_lsp.lsp.workspace_pool import GRACE, MOST_LATE, WorkspaceLease, WorkspacePool, in_time
from lens_lsp.model.documents import Evidence

RULES = CorpusRules()


class Held:
    """An observer that holds the search where it first tells of progress, until it is let go."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.go = threading.Event()

    def progress(self, stage: str, done: int, total: int | None) -> None:
        self.came.set()
        assert self.go.wait(60)

    def evidence(self, item: Evidence) -> None: ...


def question(folder: Path) -> Request:
    return Request("the lease", (str(folder),))


async def while_another_searches(lenses: WorkspacePool, folder: Path, held: Held) -> None:
    async with lenses.lent((str(folder),), RULES) as loan:
        await rank_passages(loan, question(folder), held)


@pytest.mark.parametrize("times", [1, 3])
def test_a_search_that_is_given_up_keeps_its_texts_until_it_has_ended(tmp_path: Path, times: int) -> None:
    (tmp_path / "contract.md").write_text("# Contract\n\nThe lease ends on 30 June 2031.\n")

    async def go() -> None:
        lenses, held = WorkspacePool(), Held()
        async with lenses.lent((str(tmp_path),), RULES) as loan:
            kept = loan.lens
        searching = asyncio.ensure_future(while_another_searches(lenses, tmp_path, held))
        try:
            assert await asyncio.to_thread(held.came.wait, 60)
            for _ in range(times):
                searching.cancel()
                await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await searching
            async with lenses.lent((str(tmp_path),), RULES) as meanwhile:
                assert meanwhile.lens is not kept
        finally:
            held.go.set()
        while (await kept_by(lenses, tmp_path)) is not kept:
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(go(), 120))


async def kept_by(lenses: WorkspacePool, folder: Path) -> Lens:
    async with lenses.lent((str(folder),), RULES) as loan:
        return loan.lens


def test_no_more_searches_are_begun_than_may_outlast_their_questions(tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text("# Contract\n\nThe lease ends on 30 June 2031.\n")

    async def go() -> None:
        lenses, stuck = WorkspacePool(), [Held() for _ in range(MOST_LATE)]
        try:
            for held in stuck:
                searching = asyncio.ensure_future(while_another_searches(lenses, tmp_path, held))
                assert await asyncio.to_thread(held.came.wait, 60)
                searching.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await searching
            with pytest.raises(RequestFailed, match="wait for a disk that does not answer"):
                await kept_by(lenses, tmp_path)
        finally:
            for held in stuck:
                held.go.set()
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with suppress(RequestFailed):
                await kept_by(lenses, tmp_path)
                break

    asyncio.run(asyncio.wait_for(go(), 120))


def test_what_is_not_over_long_after_its_time_is_given_up() -> None:
    async def go(seconds: float | None) -> None:
        async with in_time(seconds):
            await asyncio.Event().wait()

    with pytest.raises(RequestFailed, match="was given up"):
        asyncio.run(go(-GRACE))

    async def failing() -> None:
        async with in_time():
            raise TimeoutError("of another kind")

    with pytest.raises(TimeoutError, match="of another kind"):
        asyncio.run(failing())


def test_a_search_that_nobody_gives_up_finds(tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text("# Contract\n\nThe lease ends on 30 June 2031.\n")

    async def go() -> list[str]:
        held = Held()
        held.go.set()
        found = await rank_passages(WorkspaceLease(Lens((str(tmp_path),))), question(tmp_path), held)
        return [item.quote for item in found.evidence]

    assert "lease ends on 30 June 2031" in asyncio.run(go())[0]
