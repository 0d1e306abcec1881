"""Several questions under way at a time, on one event loop, and their results in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable
from typing import Any, TypeVar

T = TypeVar("T")


def in_order(
    runner: asyncio.Runner, begins: Iterable[Callable[[], Coroutine[Any, Any, T]]], at_once: int
) -> Generator[T, None, None]:
    """What each of some works comes to, in their order.

    A work begins when fewer than ``at_once`` are before it that were not handed out: whoever stops in between loses no
    more than those. What is under way when the generator is closed, or when a work fails, is cancelled.
    """
    loop = runner.get_loop()
    begun: deque[asyncio.Task[T]] = deque()
    try:
        for begin in begins:
            begun.append(loop.create_task(begin()))
            if len(begun) == at_once:
                yield runner.run(_result(begun.popleft()))
        while begun:
            yield runner.run(_result(begun.popleft()))
    finally:
        for task in begun:
            task.cancel()
        if begun:
            runner.run(_over(begun))


async def _result(task: asyncio.Task[T]) -> T:
    return await task


async def _over(tasks: Iterable[asyncio.Task[T]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)
