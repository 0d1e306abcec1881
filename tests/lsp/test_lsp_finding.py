"""``lens/find`` that is given up: who searches next has the texts to itself."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.domain.model import Evidence
from lens_lsp.lens import Lens
from lens_lsp.lsp.convert import Encoding
from lens_lsp.lsp.finding import ranked
from lens_lsp.lsp.lenses import Lenses
from lens_lsp.lsp.questions import Question

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


def question(folder: Path) -> Question:
    return Question("the lease", (str(folder),), (str(folder),), (), {}, {}, 0, Encoding.Utf16, str(folder))


async def while_another_searches(lenses: Lenses, folder: Path, held: Held) -> None:
    async with lenses.lent((str(folder),), RULES) as lens:
        await ranked(lens, question(folder), 10, held)


@pytest.mark.parametrize("times", [1, 3])
def test_a_search_that_is_given_up_keeps_its_texts_until_it_has_ended(tmp_path: Path, times: int) -> None:
    (tmp_path / "contract.md").write_text("# Contract\n\nThe lease ends on 30 June 2031.\n")

    async def go() -> tuple[Lens, Lens]:
        lenses, held = Lenses(), Held()
        async with lenses.lent((str(tmp_path),), RULES) as kept:
            pass
        searching = asyncio.ensure_future(while_another_searches(lenses, tmp_path, held))
        try:
            assert await asyncio.to_thread(held.came.wait, 60)
            for _ in range(times):
                searching.cancel()
                for _ in range(20):
                    await asyncio.sleep(0)
                assert not searching.done()
            async with lenses.lent((str(tmp_path),), RULES) as meanwhile:
                assert meanwhile is not kept
        finally:
            held.go.set()
        with pytest.raises(asyncio.CancelledError):
            await searching
        async with lenses.lent((str(tmp_path),), RULES) as afterwards:
            return kept, afterwards

    kept, afterwards = asyncio.run(go())
    assert afterwards is kept


def test_a_search_that_nobody_gives_up_finds(tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text("# Contract\n\nThe lease ends on 30 June 2031.\n")

    async def go() -> list[str]:
        held = Held()
        held.go.set()
        found = await ranked(Lens((str(tmp_path),)), question(tmp_path), 10, held)
        return [item.quote for item in found.evidence]

    assert "lease ends on 30 June 2031" in asyncio.run(go())[0]
