"""The `Lens` of each set of folders, kept warm between questions.

A `Lens` answers one question at a time. While the one for some folders is busy, further questions about them get one of
their own, which starts cold and is let go afterwards. What all of them keep in memory together stays within the one
budget: the kept one has half of it, the others, of which there are at most four, an eighth each. One whose question was
given up while its disk does not answer counts as busy until it does.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from lens_lsp.app.lens import Lens
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.workspace import FIRST, memory_budget
from lens_lsp.judge.ledger import Budget
from lens_lsp.lsp.aside import aside
from lens_lsp.lsp.endpoint import RequestFailed
from lens_lsp.model.errors import LensError

MOST_LATE = 4
"""Questions that are over while what they did is not; each has a thread and a lens of its own."""
GRACE = 60.0
"""Seconds beyond its budget until a question is given up."""
_PATIENCE = 0.5
"""Seconds that a question waits for the lens of one that was given up, rather than begin cold."""

T = TypeVar("T")
Key = tuple[tuple[str, ...], CorpusRules, int | None]


class Loan:
    """A `Lens` for one question. What runs with it may outlast the question: a file system that does not answer holds
    whoever reads from it, whatever is cancelled."""

    def __init__(self, lens: Lens) -> None:
        self.lens = lens
        self.late: asyncio.Future[None] | None = None
        """Done when nothing uses the lens any more; None where nothing did at the end of the question."""

    def aside(self, make: Callable[[], AsyncGenerator[T]]) -> AsyncGenerator[T]:
        """As `lens_lsp.lsp.aside.aside`, for what uses the lens; who is cancelled leaves soon, whatever it does."""
        return aside(make, self._outlasts)

    def _outlasts(self, ended: asyncio.Future[None]) -> None:
        self.late = ended


class Lenses:
    """On the event loop only. ``first`` is for how many seconds a question reads documents before it shows anything."""

    def __init__(self, first: float = FIRST) -> None:
        self._first = first
        self._kept: tuple[Key, Lens] | None = None
        self._lent = False
        self._late: set[asyncio.Future[None]] = set()
        """What outlasts its question."""
        self._aside: tuple[asyncio.Future[None], threading.Event] | None = None

    @asynccontextmanager
    async def lent(self, paths: tuple[str, ...], rules: CorpusRules, memory: int | None = None) -> AsyncGenerator[Loan]:
        """A `Lens` for these paths, for one question. ``memory`` is the budget in bytes, None the default.

        Raises `PathNotFound`, `PathRefused`, and `RequestFailed` while too much outlasts its question.
        """
        if self._late:
            await asyncio.wait(self._late, timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if len(self._late) >= MOST_LATE:
            raise RequestFailed(f"{len(self._late)} earlier questions still wait for a disk that does not answer")
        key = (paths, rules, memory)
        if self._lent:
            loan = Loan(await self._made(key, share=8))
            try:
                yield loan
            finally:
                self._back(loan)
            return
        self._lent = True
        lent: Loan | None = None
        try:
            await self._to_itself()
            if self._kept is None or self._kept[0] != key:
                self._kept = None  # before the next one fills its memory
                self._kept = key, await self._made(key, share=2)
            lent = Loan(self._kept[1])
            yield lent
        finally:
            self._back(lent, kept=True)

    def _back(self, loan: Loan | None, *, kept: bool = False) -> None:
        """A loan is over, as soon as nothing uses its lens any more."""

        def over(ended: asyncio.Future[None] | None = None) -> None:
            if ended is not None:
                self._late.discard(ended)
                _forget(ended)
            if kept:
                self._lent = False
                self._read_on()

        if loan is None or loan.late is None or loan.late.done():
            over()
        else:
            self._late.add(loan.late)
            loan.late.add_done_callback(over)

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


@asynccontextmanager
async def in_time(seconds: float | None = None) -> AsyncGenerator[None]:
    """Give work up that is not over long after the ``seconds`` of its budget, None for the default: what waits for a
    disk counts no time. Raises `RequestFailed` then."""
    most = Budget().seconds if seconds is None else seconds
    try:
        async with asyncio.timeout(most + GRACE) as limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise RequestFailed("the question was given up: a disk or network folder does not answer") from None


def _forget(ended: asyncio.Future[None]) -> None:
    """Whatever came of it, nobody asks."""
    if not ended.cancelled():
        ended.exception()


def _read_on(lens: Lens, stop: threading.Event) -> None:
    with suppress(LensError):  # a folder is gone: the next question says so
        lens.read_on(stop.is_set)
