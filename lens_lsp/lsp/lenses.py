"""The `Lens` of each set of folders, kept warm between questions.

A `Lens` answers one question at a time. While the one for some folders is busy, further questions about them get one of
their own, which starts cold and is let go afterwards. What all of them keep in memory together stays within the one
budget: the kept one has half of it, the others, of which there are at most four, an eighth each.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.lens import Lens
from lens_lsp.workspace import memory_budget

Key = tuple[tuple[str, ...], CorpusRules, int | None]


class Lenses:
    """On the event loop only."""

    def __init__(self) -> None:
        self._kept: tuple[Key, Lens] | None = None
        self._lent = False

    @asynccontextmanager
    async def lent(self, paths: tuple[str, ...], rules: CorpusRules, memory: int | None = None) -> AsyncGenerator[Lens]:
        """A `Lens` for these paths, for one question. ``memory`` is the budget in bytes, None the default.

        Raises `PathNotFound` and `PathRefused`.
        """
        key = (paths, rules, memory)
        if self._lent:
            yield await _made(key, share=8)
            return
        self._lent = True
        try:
            if self._kept is None or self._kept[0] != key:
                self._kept = None  # before the next one fills its memory
                self._kept = key, await _made(key, share=2)
            yield self._kept[1]
        finally:
            self._lent = False


async def _made(key: Key, *, share: int) -> Lens:
    paths, rules, memory = key
    budget = memory_budget() if memory is None else memory
    make = asyncio.get_running_loop().run_in_executor
    return await make(None, lambda: Lens(paths, rules=rules, memory=budget // share))
