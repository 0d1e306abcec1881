"""Work that computes between its awaits, on a thread and an event loop of its own: the server's loop stays free.

What such work opens (clients of models, their connections) belongs to that loop and must be made and closed in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any, Generic, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

_MOMENT = 0.05
"""Seconds that who left early waits for an end that another may wait for."""


Late = Callable[[asyncio.Future[None]], None]


async def aside(make: Callable[[], AsyncGenerator[T]], late: Late | None = None) -> AsyncGenerator[T]:
    """The items of a generator that is made, run and closed over there. Raises what it raises.

    Leaving early, by ``aclose`` or because the caller is cancelled, cancels it and waits until it has ended. With
    ``late`` it waits for a moment only: who is told of it then takes care of what is still used over there, until the
    future that it is given is done.
    """
    here = asyncio.get_running_loop()
    arrived: asyncio.Queue[tuple[T] | None] = asyncio.Queue()
    there = _There(make, lambda item: here.call_soon_threadsafe(arrived.put_nowait, (item,)))
    ended = here.run_in_executor(None, there.run)
    ended.add_done_callback(lambda _: arrived.put_nowait(None))
    try:
        while (item := await arrived.get()) is not None:
            yield item[0]
    finally:
        there.stop()
        await _end_of(ended, late)
    ended.result()


def homeward(work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, Awaitable[T]]:
    """The same work, done on this loop whichever loop awaits it; it is cancelled with whoever awaits it."""
    here = asyncio.get_running_loop()

    async def done(*args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(*args, **kwargs), here))

    return done


class _There(Generic[T]):
    """The other side."""

    def __init__(self, make: Callable[[], AsyncGenerator[T]], put: Callable[[T], object]) -> None:
        self._make = make
        self._put = put
        self._stopped = False
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[None]] | None = None

    def run(self) -> None:
        """On the thread: from the first item to the last."""
        with asyncio.Runner() as runner:
            try:
                runner.run(self._hear())
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

    async def _hear(self) -> None:
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
