"""A listener that notes all that a server says, answers what it is told to, and can be waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from lens_lsp.client import unhandled

T = TypeVar("T")
PATIENCE = 120.0
Answering = Callable[[Any], Awaitable[object]]


class Noted:
    """What was said, in order. ``answering`` answers requests of the server, by method."""

    def __init__(self, **answering: Answering) -> None:
        self.said: list[tuple[str, Any]] = []
        self.taken_back: list[str] = []
        """Methods of requests that the server took back."""
        self._answering = {name.replace("_", "/"): answer for name, answer in answering.items()}
        self._news = asyncio.Condition()
        self._telling: set[asyncio.Task[None]] = set()

    def notification(self, method: str, params: Any) -> None:
        self.note(method, params)

    async def request(self, method: str, params: Any) -> object:
        self.note(method, params)
        if method not in self._answering:
            raise unhandled(method)
        try:
            return await self._answering[method](params)
        except asyncio.CancelledError:
            self.taken_back.append(method)
            self._tell()
            raise

    def note(self, method: str, params: Any) -> None:
        self.said.append((method, params))
        self._tell()

    def of(self, method: str) -> list[Any]:
        """The params of all of one kind."""
        return [params for name, params in self.said if name == method]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so, looking whenever the server says anything."""
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(condition)

    def _tell(self) -> None:
        task = asyncio.get_running_loop().create_task(self._notify())
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _notify(self) -> None:
        async with self._news:
            self._news.notify_all()


async def never(params: Any) -> object:
    """A user who does not answer."""
    return await asyncio.get_running_loop().create_future()


def run(work: Coroutine[Any, Any, T]) -> T:
    """On an event loop of its own, and not for ever."""

    async def timed() -> T:
        async with asyncio.timeout(2 * PATIENCE):
            return await work

    return asyncio.run(timed())
