"""Work on an event loop of its own: its items arrive, its errors too, and leaving it waits for its end."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from lens_lsp.lsp.workspace_pool import run_on_this_loop, run_on_worker


async def counted(*, until: int, threads: list[int], ended: list[bool]) -> AsyncGenerator[int]:
    try:
        for number in range(until):
            threads.append(threading.get_ident())
            yield number
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)
        ended.append(True)


def test_items_come_in_order_from_another_thread() -> None:
    async def numbers() -> AsyncGenerator[tuple[int, int]]:
        for number in range(50):
            yield number, threading.get_ident()

    async def scenario() -> list[tuple[int, int]]:
        return [item async for item in run_on_worker(numbers)]

    found = asyncio.run(scenario())
    assert [number for number, _ in found] == list(range(50))
    assert threading.get_ident() not in {thread for _, thread in found}


def test_what_it_raises_is_raised_here_after_its_items() -> None:
    async def failing() -> AsyncGenerator[int]:
        yield 1
        raise KeyError("over there")

    async def scenario() -> None:
        items = run_on_worker(failing)
        assert await anext(items) == 1
        with pytest.raises(KeyError, match="over there"):
            await anext(items)

    asyncio.run(scenario())


def test_the_loop_here_runs_while_it_computes_there() -> None:
    turns = 0

    async def computing() -> AsyncGenerator[int]:
        until = time.monotonic() + 60
        while turns <= 20 and time.monotonic() < until:
            pass
        yield turns

    async def scenario() -> int:
        nonlocal turns
        task = asyncio.ensure_future(anext(run_on_worker(computing)))
        while not task.done():
            turns += 1
            await asyncio.sleep(0.001)
        return await task

    assert asyncio.run(scenario()) > 20


def test_closing_it_early_cancels_it_and_waits_for_its_end() -> None:
    ended: list[bool] = []

    async def scenario() -> None:
        async with aclosing(run_on_worker(lambda: counted(until=3, threads=[], ended=ended))) as items:
            async for item in items:
                if item == 2:
                    break
        assert ended == [True]

    asyncio.run(scenario())


def test_cancelling_who_waits_for_it_cancels_it_and_waits_for_its_end() -> None:
    ended: list[bool] = []
    heard: list[int] = []

    async def hear() -> None:
        async with aclosing(run_on_worker(lambda: counted(until=1, threads=[], ended=ended))) as items:
            async for item in items:
                heard.append(item)  # noqa: PERF401 - it ends by being cancelled

    async def scenario() -> None:
        task = asyncio.create_task(hear())
        while not heard:
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()  # once more, while it waits for the end
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended == [True]

    asyncio.run(scenario())


def test_who_is_cancelled_leaves_what_cannot_end_to_whoever_takes_it() -> None:
    go, came, left = threading.Event(), threading.Event(), list[asyncio.Future[None]]()

    async def stuck() -> AsyncGenerator[int]:
        came.set()
        assert go.wait(60)
        yield 1

    async def hear() -> None:
        async for _ in run_on_worker(stuck, left.append):
            pass

    async def scenario() -> None:
        task = asyncio.create_task(hear())
        try:
            assert await asyncio.to_thread(came.wait, 60)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            (ended,) = left
            assert not ended.done()
        finally:
            go.set()
        await asyncio.wait({ended})
        ended.result()

    asyncio.run(scenario())


def test_what_ends_by_itself_is_left_to_nobody() -> None:
    left: list[asyncio.Future[None]] = []

    async def scenario() -> list[int]:
        items = run_on_worker(lambda: counted(until=2, threads=[], ended=[]), left.append)
        found = [await anext(items), await anext(items)]
        await items.aclose()
        return found

    assert asyncio.run(scenario()) == [0, 1]
    assert left == []


def test_what_is_cancelled_before_it_has_a_thread_never_begins() -> None:
    begun: list[int] = []

    async def hear() -> None:
        async for _ in run_on_worker(lambda: counted(until=1, threads=begun, ended=[])):
            break

    async def scenario() -> None:
        release = threading.Event()
        loop = asyncio.get_running_loop()
        blocked = [loop.run_in_executor(None, release.wait) for _ in range(64)]
        task = asyncio.create_task(hear())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.gather(*blocked)
        assert begun == []

    asyncio.run(scenario())


def test_work_led_home_runs_on_the_first_loop_and_ends_with_who_awaits_it() -> None:
    seen: list[asyncio.AbstractEventLoop] = []
    cancelled: list[bool] = []

    async def double(number: int) -> int:
        seen.append(asyncio.get_running_loop())
        return 2 * number

    async def hang() -> None:
        seen.append(asyncio.get_running_loop())
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(True)

    async def scenario() -> None:
        here = asyncio.get_running_loop()
        doubling, hanging = run_on_this_loop(double), run_on_this_loop(hang)

        async def there() -> AsyncGenerator[int]:
            assert asyncio.get_running_loop() is not here
            yield await doubling(21)
            await hanging()

        async with aclosing(run_on_worker(there)) as items:
            assert await anext(items) == 42
            while len(seen) < 2:
                await asyncio.sleep(0.001)
        while not cancelled:
            await asyncio.sleep(0.001)
        assert set(seen) == {here}

    asyncio.run(scenario())


def test_what_fails_at_home_fails_where_it_is_awaited() -> None:
    async def failing() -> None:
        raise KeyError("at home")

    async def scenario() -> None:
        led = run_on_this_loop(failing)

        async def there() -> AsyncGenerator[str]:
            with pytest.raises(KeyError, match="at home"):
                await led()
            yield "told"

        assert [item async for item in run_on_worker(there)] == ["told"]

    asyncio.run(scenario())
