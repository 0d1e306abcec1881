"""Threads and warm indexes that questions share: the queue of questions, worker threads, and a pool of workspaces.

A `Lens` answers one question at a time. While the one for some folders is busy, further questions about them get one of
their own, which starts cold and is let go afterwards. What all of them keep in memory together stays within the one
budget: the kept one has half of it, the others, of which there are at most four, an eighth each. One whose question was
given up while its disk does not answer counts as busy until it does.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from lens_lsp.lsp.request_handler import RequestFailed
from lens_lsp.model.errors import LensError

if TYPE_CHECKING:
    from lens_lsp.app.lens import Lens
    from lens_lsp.corpus.corpus_rules import CorpusRules

T = TypeVar("T")
P = ParamSpec("P")
_MOMENT = 0.05
"""Seconds that who left early waits for an end that another may wait for."""
Late = Callable[[asyncio.Future[None]], None]
MOST_LATE = 4
"""Questions that are over while what they did is not; each has a thread and a lens of its own."""
GRACE = 60.0
"""Seconds beyond its budget until a question is given up."""
_PATIENCE = 0.5
"""Seconds that a question waits for the lens of one that was given up, rather than begin cold."""
Key = tuple[tuple[str, ...], "CorpusRules", int | None]


async def run_on_worker(make: Callable[[], AsyncGenerator[T]], late: Late | None = None) -> AsyncGenerator[T]:
    """The items of a generator that is made, run and closed on a thread and an event loop of its own: it may compute
    between its awaits, and the server's loop stays free. Raises what it raises.

    What it opens (clients of models, their connections) belongs to that loop.

    Leaving early, by ``aclose`` or because the caller is cancelled, cancels it and waits until it has ended. With
    ``late`` it waits for a moment only: who is told of it then takes care of what is still used there, until the
    future that it is given is done.
    """
    here = asyncio.get_running_loop()
    arrived: asyncio.Queue[tuple[T] | None] = asyncio.Queue()
    worker = _Worker(make, lambda item: here.call_soon_threadsafe(arrived.put_nowait, (item,)))
    ended = here.run_in_executor(None, worker.run)
    ended.add_done_callback(lambda _: arrived.put_nowait(None))
    try:
        while (item := await arrived.get()) is not None:
            yield item[0]
    finally:
        worker.stop()
        await _end_of(ended, late)
    ended.result()


def run_on_this_loop(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Awaitable[T]]:
    """The same work, done on this loop whichever loop awaits it; it is cancelled with whoever awaits it."""
    here = asyncio.get_running_loop()

    async def done(*args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(*args, **kwargs), here))

    return done


class _Worker(Generic[T]):
    """A generator that runs on another thread."""

    def __init__(self, make: Callable[[], AsyncGenerator[T]], put: Callable[[T], object]) -> None:
        self._make = make
        self._put = put
        self._stopped = False
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None = None

    def run(self) -> None:
        """On the thread: from the first item to the last."""
        with asyncio.Runner() as runner:
            try:
                runner.run(self._run())
            except asyncio.CancelledError:
                return

    def stop(self) -> None:
        """From any thread: end it now, or before it begins; nothing if it has ended."""
        self._stopped = True
        if self._running is not None:
            loop, task = self._running
            try:
                loop.call_soon_threadsafe(task.cancel)
            except RuntimeError:  # the loop is closed: it has ended
                return

    async def _run(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._running = asyncio.get_running_loop(), task
        if self._stopped:
            return
        async with aclosing(self._make()) as items:
            async for item in items:
                self._put(item)


async def _end_of(ended: asyncio.Future[None], late: Late | None) -> None:
    """Wait for the end; a cancel meanwhile is kept for afterwards: what is used over there may be closed then."""
    clock = asyncio.get_running_loop().time
    until = clock() + _MOMENT
    cancelled: asyncio.CancelledError | None = None
    while not ended.done():
        left = None if late is None else until - clock()
        if late is not None and left is not None and left <= 0:
            late(ended)
            break
        try:
            await asyncio.wait({ended}, timeout=left)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


class QueueFull(Exception):
    """As many wait as may."""


class TurnQueue:
    """Queue of questions: at most ``running`` at a time and ``waiting`` behind them, first come, first served. On the
    event loop only."""

    def __init__(self, running: int, waiting: int) -> None:
        self.most_running = running
        self.most_waiting = waiting
        self.running = 0
        self._queue: deque[tuple[asyncio.Future[None], Callable[[int], object]]] = deque()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._queue)

    @asynccontextmanager
    async def taken(self, ahead: Callable[[int], object]) -> AsyncGenerator[None]:
        """Wait for a turn and have it. ``ahead`` is told how many come first whenever that changes.

        Raises `QueueFull`.
        """
        if self.running < self.most_running and not self._queue:
            self.running += 1
        else:
            await self._wait(ahead)
        try:
            yield
        finally:
            self.running -= 1
            self._next()

    async def _wait(self, ahead: Callable[[int], object]) -> None:
        if len(self._queue) >= self.most_waiting:
            raise QueueFull
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        place = (turn, ahead)
        self._queue.append(place)
        ahead(len(self._queue) - 1)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the turn came in the same moment: it is for the next
                self.running -= 1
            with suppress(ValueError):
                self._queue.remove(place)
            self._next()
            raise

    def _next(self) -> None:
        """Give the turns that are free to those who wait longest; tell the others where they stand."""
        while self._queue and self.running < self.most_running:
            turn, _ = self._queue.popleft()
            if not turn.done():
                self.running += 1
                turn.set_result(None)
        for number, (_, ahead) in enumerate(self._queue):
            ahead(number)


class WorkspaceLease:
    """A `Lens` for one question. What runs with it may outlast the question: a file system that does not answer holds
    whoever reads from it, whatever is cancelled."""

    def __init__(self, lens: Lens) -> None:
        self.lens = lens
        self.late: asyncio.Future[None] | None = None
        """Done when nothing uses the lens any more; None where nothing did at the end of the question."""

    def run_on_worker(self, make: Callable[[], AsyncGenerator[T]]) -> AsyncGenerator[T]:
        """As the function of this name, for what uses the lens; who is cancelled leaves soon, whatever it does."""
        return run_on_worker(make, self._outlasts)

    async def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """As `run_on_worker`, of a coroutine; its result."""

        async def items() -> AsyncGenerator[T]:
            yield await work()

        found = [each async for each in self.run_on_worker(items)]
        return found[0]

    def _outlasts(self, ended: asyncio.Future[None]) -> None:
        self.late = ended


class WorkspacePool:
    """The `Lens` of each set of folders, kept warm between questions. On the event loop only. ``first`` is for how many
    seconds a question reads documents before it shows anything, None the default."""

    def __init__(self, first: float | None = None) -> None:
        self._first = first
        self._kept: tuple[Key, Lens] | None = None
        self._lent = False
        self._late: set[asyncio.Future[None]] = set()
        """What outlasts its question."""
        self._ahead: tuple[asyncio.Future[None], threading.Event] | None = None

    @asynccontextmanager
    async def lent(
        self, paths: tuple[str, ...], rules: CorpusRules, memory: int | None = None
    ) -> AsyncGenerator[WorkspaceLease]:
        """A `Lens` for these paths, for one question. ``memory`` is the budget in bytes, None the default.

        Raises `PathNotFound`, `PathRefused`, and `RequestFailed` while too much outlasts its question.
        """
        if self._late:
            await asyncio.wait(self._late, timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if len(self._late) >= MOST_LATE:
            raise RequestFailed(f"{len(self._late)} earlier questions still wait for a disk that does not answer")
        key = (paths, rules, memory)
        if self._lent:
            loan = WorkspaceLease(await self._made(key, share=8))
            try:
                yield loan
            finally:
                self._back(loan)
            return
        self._lent = True
        lent: WorkspaceLease | None = None
        try:
            await self._stop_reading()
            if self._kept is None or self._kept[0] != key:
                self._kept = None  # before the next one fills its memory
                self._kept = key, await self._made(key, share=2)
            lent = WorkspaceLease(self._kept[1])
            yield lent
        finally:
            self._back(lent, kept=True)

    def _back(self, loan: WorkspaceLease | None, *, kept: bool = False) -> None:
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
        from lens_lsp.app.lens import Lens
        from lens_lsp.corpus.workspace import FIRST, memory_budget

        paths, rules, memory = key
        first = FIRST if self._first is None else self._first
        budget = (memory_budget() if memory is None else memory) // share
        make = asyncio.get_running_loop().run_in_executor
        return await make(None, lambda: Lens(paths, rules=rules, memory=budget, first=first))

    def _read_on(self) -> None:
        """Have the kept one read what waits, on another thread."""
        if self._ahead is None and self._kept is not None and self._kept[1].unread:
            stop = threading.Event()
            run = asyncio.get_running_loop().run_in_executor
            self._ahead = run(None, _read_on, self._kept[1], stop), stop

    async def _stop_reading(self) -> None:
        """End what the kept one reads ahead. Raises what went wrong in it."""
        if self._ahead is not None:
            done, stop = self._ahead
            stop.set()
            await asyncio.wait({done})
            self._ahead = None
            done.result()


@asynccontextmanager
async def in_time(seconds: float | None = None) -> AsyncGenerator[None]:
    """Give work up that is not over long after the ``seconds`` of its budget, None for the default: what waits for a
    disk counts no time. Raises `RequestFailed` then."""
    from lens_lsp.judge.ledger import Budget

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
