"""Cancellation of a question: the wish to stop, and the tasks and threads that it ends."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import Any, TypeVar

from lens_lsp.model.answer import StopReason
from lens_lsp.model.errors import BudgetSpent

T = TypeVar("T")
_LATE, _OVER = 0.05, 0.25
"""Seconds that a search which was stopped may take to measure what it has read, and to make something of it."""


class Stop:
    """The wish to end with what there is: uttered anywhere (another thread, a signal's handler), heeded on one loop."""

    def __init__(self) -> None:
        self._asked = False
        self._pending: set[asyncio.Timeout] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def ask(self) -> None:
        """End what is pending and whatever would begin."""
        self._asked = True
        if self._loop is not None:
            with suppress(RuntimeError):  # it is closed: nothing is pending
                self._loop.call_soon_threadsafe(self._end)  # a loop that waits for a socket hears of nothing else

    def asked(self) -> bool:
        """Whether it was uttered."""
        return self._asked

    def _end(self) -> None:
        now = asyncio.get_running_loop().time()
        for limit in self._pending:
            if not limit.expired():  # a stop that came before ends it already
                limit.reschedule(now)

    @asynccontextmanager
    async def heeded(self) -> AsyncGenerator[None]:
        """What is awaited inside is cancelled at the stop. Raises `BudgetSpent` then: no further call is wanted."""
        self._loop = asyncio.get_running_loop()
        if self._asked:
            raise BudgetSpent(StopReason.CANCELLED)
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._pending.add(limit)
                try:
                    yield
                finally:
                    self._pending.discard(limit)
        except TimeoutError:
            if limit.expired():
                raise BudgetSpent(StopReason.CANCELLED) from None
            raise


class QuestionTasks:
    """The threads and tasks of one question. Leaving it waits for them, told to stop: what they use may be closed
    then. ``seconds`` is how long the question may take, by a ``clock`` that runs from now."""

    def __init__(
        self,
        cancelled: Callable[[], bool] | None = None,
        *,
        seconds: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stop = threading.Event()
        self._asked = cancelled
        self._clock = clock
        self._until = clock() + seconds
        self._since: float | None = None
        self._running: set[asyncio.Future[Any]] = set()
        self._tasks: list[asyncio.Task[Any]] = []

    def cancelled(self) -> bool:
        """Whether to stop: the caller asked for it, or nobody waits for the result any more."""
        return self._stop.is_set() or (self._asked is not None and self._asked())

    def ended(self) -> bool:
        """Whether nothing more is to be begun: the work is `cancelled`, or the question's time is over."""
        return self.cancelled() or self._clock() >= self._until

    def late(self) -> bool:
        """Whether to stop even what measures what there is: a moment after it `ended`."""
        return self._ended_for(_LATE)

    def over(self) -> bool:
        """Whether to stop even what makes something of it: a moment later."""
        return self._ended_for(_OVER)

    def _ended_for(self, seconds: float) -> bool:
        if self._stop.is_set():
            return True
        if self._since is None:
            if not self.ended():
                return False
            self._since = time.monotonic()
        return time.monotonic() - self._since > seconds

    def start(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run something slow; awaiting what comes back may be cancelled, the work itself then stops by itself."""
        future = asyncio.get_running_loop().run_in_executor(None, work)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return asyncio.shield(future)

    def beside(self, waiting: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run what mostly waits, beside the rest; whoever leaves without its result cancels it."""
        task = asyncio.ensure_future(waiting)
        self._tasks.append(task)
        return task

    async def __aenter__(self) -> QuestionTasks:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._running:
            await asyncio.wait(self._running)
