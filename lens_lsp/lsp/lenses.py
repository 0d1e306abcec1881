"""The `Lens` of each set of folders, kept warm between questions.

A `Lens` answers one question at a time. While the one for some folders is busy, further questions about them get one of
their own, which starts cold and is let go afterwards. What all of them keep in memory together stays within the one
budget: the kept one has half of it, the others, of which there are at most four, an eighth each.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.domain.errors import LensError
from lens_lsp.lens import Lens
from lens_lsp.workspace import FIRST, memory_budget

Key = tuple[tuple[str, ...], CorpusRules, int | None]


class Lenses:
    """On the event loop only. ``first`` is for how many seconds a question reads documents before it shows anything."""

    def __init__(self, first: float = FIRST) -> None:
        self._first = first
        self._kept: tuple[Key, Lens] | None = None
        self._lent = False
        self._aside: tuple[asyncio.Future[None], threading.Event] | None = None

    @asynccontextmanager
    async def lent(self, paths: tuple[str, ...], rules: CorpusRules, memory: int | None = None) -> AsyncGenerator[Lens]:
        """A `Lens` for these paths, for one question. ``memory`` is the budget in bytes, None the default.

        Raises `PathNotFound` and `PathRefused`.
        """
        key = (paths, rules, memory)
        if self._lent:
            yield await self._made(key, share=8)
            return
        self._lent = True
        try:
            await self._to_itself()
            if self._kept is None or self._kept[0] != key:
                self._kept = None  # before the next one fills its memory
                self._kept = key, await self._made(key, share=2)
            yield self._kept[1]
        finally:
            self._lent = False
            self._read_on()

    async def _made(self, key: Key, *, share: int) -> Lens:
        paths, rules, memory = key
        budget = (memory_budget() if memory is None else memory) // share
        make = asyncio.get_running_loop().run_in_executor
        return await make(None, lambda: Lens(paths, rules=rules, memory=budget, first=self._first))

    def _read_on(self) -> None:
        """Have the kept one read what waits, on another thread."""
        if self._aside is None and self._kept is not None and self._kept[1].unread:
            stop = threading.Event()
            run = asyncio.get_running_loop().run_in_executor
            self._aside = run(None, _read_on, self._kept[1], stop), stop

    async def _to_itself(self) -> None:
        """End what the kept one does aside. Raises what went wrong in it."""
        if self._aside is not None:
            done, stop = self._aside
            stop.set()
            await asyncio.wait({done})
            self._aside = None
            done.result()


def _read_on(lens: Lens, stop: threading.Event) -> None:
    with suppress(LensError):  # a folder is gone: the next question says so
        lens.read_on(stop.is_set)
