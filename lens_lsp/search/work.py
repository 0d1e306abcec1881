"""Slow work of one question on another thread, so that the event loop stays free and a cancel is heard at once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")

_MOMENT = 0.05
"""Seconds that a search which was stopped may take to make something of what it has read."""


class Work:
    """The threads and tasks of one question. Leaving it waits for them, told to stop: what they use may be closed
    then."""

    def __init__(self, cancelled: Callable[[], bool] | None = None) -> None:
        self._stop = threading.Event()
        self._asked = cancelled
        self._since: float | None = None
        self._running: set[asyncio.Future[Any]] = set()
        self._tasks: list[asyncio.Task[Any]] = []

    def cancelled(self) -> bool:
        """Whether to stop: the caller asked for it, or nobody waits for the result any more."""
        return self._stop.is_set() or (self._asked is not None and self._asked())

    def late(self) -> bool:
        """Whether to stop even what makes something of what there is: a moment after the caller asked to."""
        if self._stop.is_set() or not self.cancelled():
            return self._stop.is_set()
        now = time.monotonic()
        self._since = self._since or now
        return now - self._since > _MOMENT

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

    async def __aenter__(self) -> Work:
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
