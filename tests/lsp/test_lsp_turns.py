"""TurnQueue: a few run, more wait in order, and whoever leaves makes room."""

from __future__ import annotations

import asyncio

import pytest

from lens_lsp.lsp.workspace_pool import QueueFull, TurnQueue


def silent(_ahead: int) -> None: ...


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_turns_are_taken_in_order_and_never_more_than_may() -> None:
    order: list[int] = []
    most = 0

    async def scenario() -> None:
        turns = TurnQueue(2, 10)

        async def work(number: int) -> None:
            nonlocal most
            async with turns.taken(silent):
                order.append(number)
                most = max(most, turns.running)
                await asyncio.sleep(0)

        await asyncio.gather(*(work(number) for number in range(12)))
        assert (turns.running, turns.waiting) == (0, 0)

    asyncio.run(scenario())
    assert order == list(range(12))
    assert most == 2


def test_more_than_may_wait_are_refused() -> None:
    async def scenario() -> None:
        turns, release = TurnQueue(1, 2), asyncio.Event()

        async def work() -> None:
            async with turns.taken(silent):
                await release.wait()

        tasks = [asyncio.create_task(work()) for _ in range(3)]
        await settle()
        with pytest.raises(QueueFull):
            await work()
        release.set()
        await asyncio.gather(*tasks)

    asyncio.run(scenario())


def test_who_waits_is_told_how_many_come_first() -> None:
    told: dict[int, list[int]] = {0: [], 1: [], 2: []}

    async def scenario() -> None:
        turns, gates = TurnQueue(1, 5), [asyncio.Event() for _ in range(3)]

        async def work(number: int) -> None:
            async with turns.taken(told[number].append):
                await gates[number].wait()

        tasks = [asyncio.create_task(work(number)) for number in range(3)]
        for gate in gates:
            await settle()
            gate.set()
        await asyncio.gather(*tasks)

    asyncio.run(scenario())
    assert told == {0: [], 1: [0], 2: [1, 0]}


def test_who_leaves_while_waiting_makes_room() -> None:
    async def scenario() -> None:
        turns, release = TurnQueue(1, 5), asyncio.Event()
        done: list[str] = []

        async def work(name: str) -> None:
            async with turns.taken(silent):
                await release.wait()
                done.append(name)

        first, second, third = (asyncio.create_task(work(name)) for name in "abc")
        await settle()
        second.cancel()
        await asyncio.wait({second})
        assert turns.waiting == 1
        release.set()
        await asyncio.gather(first, third)
        assert done == ["a", "c"]
        assert (turns.running, turns.waiting) == (0, 0)

    asyncio.run(scenario())


def test_a_turn_that_comes_as_its_owner_is_cancelled_goes_to_the_next() -> None:
    async def scenario() -> None:
        turns = TurnQueue(1, 5)
        done: list[str] = []

        async def work(name: str) -> None:
            async with turns.taken(silent):
                done.append(name)

        async with turns.taken(silent):
            second, third = (asyncio.create_task(work(name)) for name in "bc")
            await settle()
        second.cancel()  # it has been given the turn and has not run since
        await asyncio.wait({second, third})
        assert second.cancelled()
        assert done == ["c"]
        assert (turns.running, turns.waiting) == (0, 0)

    asyncio.run(scenario())
