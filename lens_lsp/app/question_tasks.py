"""Slow work of one question on another thread, so that the event loop stays free and a cancel is heard at once."""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")
_LATE, _OVER = 0.05, 0.25
"""Seconds that a search which was stopped may take to measure what it has read, and to make something of it."""


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
