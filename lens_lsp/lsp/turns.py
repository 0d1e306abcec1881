"""Turns: a few run, more wait in order, the rest are refused at once."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress


class Busy(Exception):
    """As many wait as may."""


class Turns:
    """At most ``running`` at a time and ``waiting`` behind them, first come, first served. On the event loop only."""

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
        """Wait for a turn and have it. ``ahead`` is told how many come first whenever that changes. Raises `Busy`."""
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
            raise Busy
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
