"""Workspace pool: worker threads, the queue of questions, leases of a warm workspace and reading ahead."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.lsp.lens_ask import rank_passages
from lens_lsp.lsp.navigation import describe_citation
from lens_lsp.lsp.request_handler import RequestFailed
from lens_lsp.lsp.workspace_pool import (
    GRACE,
    MOST_LATE,
    QueueFull,
    TurnQueue,
    WorkspaceLease,
    WorkspacePool,
    in_time,
    run_on_this_loop,
    run_on_worker,
)
from lens_lsp.memory.check import Cited, Finding
from lens_lsp.model.cluster import Checked, Citation, CitationState
from lens_lsp.model.documents import Evidence, Locator, TextSource
from lens_lsp.model.errors import PathNotFound
from lens_lsp.model.text import Position, Span
from tests.documents_made import docx, pdf
from tests.lsp.lsp_editor import Editor


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


RULES = CorpusRules()


class Held:
    """An observer that holds the search where it first tells of progress, until it is let go."""

    def __init__(self) -> None:
        self.came = threading.Event()
        self.go = threading.Event()

    def progress(self, stage: str, done: int, total: int | None) -> None:
        self.came.set()
        assert self.go.wait(60)

    def evidence(self, item: Evidence) -> None: ...


def question(folder: Path) -> Request:
    return Request("the lease", (str(folder),))


async def while_another_searches(lenses: WorkspacePool, folder: Path, held: Held) -> None:
    async with lenses.lent((str(folder),), RULES) as loan:
        await rank_passages(loan, question(folder), held)


@pytest.mark.parametrize("times", [1, 3])
def test_a_search_that_is_given_up_keeps_its_texts_until_it_has_ended(tmp_path: Path, times: int) -> None:
    (tmp_path / "contract.md").write_text("# Contract\n\nThe lease ends on 30 June 2031.\n")

    async def go() -> None:
        lenses, held = WorkspacePool(), Held()
        async with lenses.lent((str(tmp_path),), RULES) as loan:
            kept = loan.lens
        searching = asyncio.ensure_future(while_another_searches(lenses, tmp_path, held))
        try:
            assert await asyncio.to_thread(held.came.wait, 60)
            for _ in range(times):
                searching.cancel()
                await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await searching
            async with lenses.lent((str(tmp_path),), RULES) as meanwhile:
                assert meanwhile.lens is not kept
        finally:
            held.go.set()
        while (await kept_by(lenses, tmp_path)) is not kept:
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(go(), 120))


async def kept_by(lenses: WorkspacePool, folder: Path) -> Lens:
    async with lenses.lent((str(folder),), RULES) as loan:
        return loan.lens


def test_no_more_searches_are_begun_than_may_outlast_their_questions(tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text("# Contract\n\nThe lease ends on 30 June 2031.\n")

    async def go() -> None:
        lenses, stuck = WorkspacePool(), [Held() for _ in range(MOST_LATE)]
        try:
            for held in stuck:
                searching = asyncio.ensure_future(while_another_searches(lenses, tmp_path, held))
                assert await asyncio.to_thread(held.came.wait, 60)
                searching.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await searching
            with pytest.raises(RequestFailed, match="wait for a disk that does not answer"):
                await kept_by(lenses, tmp_path)
        finally:
            for held in stuck:
                held.go.set()
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with suppress(RequestFailed):
                await kept_by(lenses, tmp_path)
                break

    asyncio.run(asyncio.wait_for(go(), 120))


def test_what_is_not_over_long_after_its_time_is_given_up() -> None:
    async def go(seconds: float | None) -> None:
        async with in_time(seconds):
            await asyncio.Event().wait()

    with pytest.raises(RequestFailed, match="was given up"):
        asyncio.run(go(-GRACE))

    async def failing() -> None:
        async with in_time():
            raise TimeoutError("of another kind")

    with pytest.raises(TimeoutError, match="of another kind"):
        asyncio.run(failing())


def test_a_search_that_nobody_gives_up_finds(tmp_path: Path) -> None:
    (tmp_path / "contract.md").write_text("# Contract\n\nThe lease ends on 30 June 2031.\n")

    async def go() -> list[str]:
        held = Held()
        held.go.set()
        found = await rank_passages(WorkspaceLease(Lens((str(tmp_path),))), question(tmp_path), held)
        return [item.quote for item in found.evidence]

    assert "lease ends on 30 June 2031" in asyncio.run(go())[0]


FACT = "The monthly rent of the workshop is 940 euros."


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    for number in range(3):
        (tmp_path / f"{number}.docx").write_bytes(docx(f"Paper {number} of the board."))
    return tmp_path


async def until_read(lens: Lens) -> None:
    async with asyncio.timeout(30):
        while lens.unread:
            await asyncio.sleep(0)


def test_what_a_question_left_is_read_when_it_is_over(papers: Path) -> None:
    async def go() -> None:
        lenses = WorkspacePool(first=0)
        async with lenses.lent((str(papers),), RULES) as loan:
            await asyncio.to_thread(loan.lens.find, "board")
            assert loan.lens.unread == 3
        await until_read(loan.lens)
        async with lenses.lent((str(papers),), RULES) as again:
            assert again.lens is loan.lens

    asyncio.run(go())


def test_the_next_question_has_the_texts_to_itself(papers: Path) -> None:
    (papers / "long.pdf").write_bytes(pdf(*([f"Page {number} is read while nobody asks."] for number in range(3000))))

    async def go() -> None:
        lenses = WorkspacePool(first=0)
        async with lenses.lent((str(papers),), RULES) as loan:
            lens = loan.lens
            await asyncio.to_thread(lens.find, "long")  # so that it is read first
        async with lenses.lent((str(papers),), RULES):
            left = lens.unread
            await asyncio.to_thread(lens.find, "board")
            assert left
            assert lens.unread == 4
        await until_read(lens)

    asyncio.run(go())


def test_a_question_beside_another_one_reads_nothing_afterwards(papers: Path) -> None:
    async def go() -> None:
        lenses = WorkspacePool(first=0)
        async with lenses.lent((str(papers),), RULES) as kept, lenses.lent((str(papers),), RULES) as other:
            await asyncio.to_thread(other.lens.find, "board")
        assert (kept.lens.unread, other.lens.unread) == (0, 3)

    asyncio.run(go())


def test_a_folder_that_is_gone_is_told_by_the_next_question(papers: Path) -> None:
    async def go() -> None:
        lenses = WorkspacePool(first=0)
        async with lenses.lent((str(papers),), RULES) as loan:
            await asyncio.to_thread(loan.lens.find, "board")
            shutil.rmtree(papers)
        async with lenses.lent((str(papers),), RULES) as loan:
            with pytest.raises(PathNotFound):
                await asyncio.to_thread(loan.lens.find, "board")

    asyncio.run(go())


def told(locator: Locator | None, now: Locator | None = None) -> str:
    """The line of a hover that says where a quote is."""
    citation = Citation("/", "a.pdf", TextSource.DISK, "0" * 64, "binary", "pdf/1", Span(9, 12), "yes", locator=locator)
    checked = Checked(citation, CitationState.VERIFIED, Span(9, 12), "0" * 64, locator=now)
    return describe_citation(Finding(Cited("x.md", 1, "1", "/", citation), checked, Position(3, 4))).split("\n")[1]


def test_a_hover_says_the_page_instead_of_the_line() -> None:
    assert told({"page": 12}) == "a.pdf p. 12"


def test_a_hover_says_where_the_quote_is_now() -> None:
    assert told({"page": 12}, {"page": 13}) == "a.pdf p. 13"


def test_a_hover_keeps_the_line_where_there_is_one() -> None:
    assert told({"row": 3}) == "a.pdf:3:4, row 3"
    assert told(None) == "a.pdf:3:4"


def test_a_client_is_given_page_and_reader(edit: Callable[..., Editor], tmp_path: Path) -> None:
    pages = [f"Clause {number} says nothing of money and is long enough to fill a line." for number in range(30)]
    (tmp_path / "lease.pdf").write_bytes(pdf(pages, [FACT]))
    # A question has documents read until it is answered; passages are looked for among what was read in a moment.
    best = edit().result("lens/ask", {"question": "What is the monthly rent of the workshop?"}, 300)["evidence"][0]
    assert (best["path"], best["locator"], FACT in best["quote"]) == ("lease.pdf", {"page": 2}, True)
    assert best["reader"].startswith("pdf/")
