"""While a large workspace is read for the first time, what was read so far shows something, and changes nothing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.judge.ledger import Budget
from lens_lsp.model.answer import Answered, Event, EvidenceFound, Mode, Planned, Scanned
from lens_lsp.model.documents import Evidence
from lens_lsp.schema.answer import evidence_json
from lens_lsp.search.early_evidence import Glimpse

QUESTION = "Who built the quay of Brantholm?"
FILES = 4_000


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    for number in range(FILES):
        (folder / f"{number:05}.md").write_text(f"# Page {number}\n\nNothing of note happened on page {number}.\n")
    (folder / "00007.md").write_text("# Quays\n\nThe quay of Brantholm was built by Elise Morrow in 1911.\n")
    return folder


def steps(seconds: float) -> Callable[[], float]:
    """A clock that moves on by so much whenever it is asked."""
    times = count(0.0, seconds)
    return lambda: next(times)


class Held:
    """An observer that lets no file be read before the question is planned and whoever asked waits for the files."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def progress(self, stage: str, done: int, total: int | None) -> None:
        assert stage != "read" or self.released.wait(60)

    def evidence(self, item: Evidence) -> None: ...


def events_of(lens: Lens, clock: Callable[[], float]) -> list[Event]:
    async def hear() -> list[Event]:
        budget, observer, events = replace(Budget.of(Mode.EVIDENCE), seconds=1e9), Held(), []
        async for event in lens.ask(QUESTION, Terms(budget=budget), clock=clock, observer=observer):
            asyncio.get_running_loop().call_soon(observer.released.set)  # when the question goes on, not now
            events.append(event)
        return events

    return asyncio.run(hear())


def early(events: list[Event]) -> list[Evidence]:
    return [event.evidence for event in events if isinstance(event, EvidenceFound) and event.early]


def answered(events: list[Event]) -> object:
    answer = next(event.answer for event in events if isinstance(event, Answered))
    return answer.text, [evidence_json(item) for item in answer.evidence], answer.coverage.scanned


def test_what_was_read_so_far_is_shown_before_all_was_read_and_the_answer_is_the_same(many: Path) -> None:
    events = events_of(Lens([str(many)]), steps(1.0))
    shown = early(events)
    assert shown[0].path == "00007.md"
    assert [type(event) for event in events[: len(shown) + 2]] == [Planned, *[EvidenceFound] * len(shown), Scanned]
    quick = events_of(Lens([str(many)]), lambda: 0.0)
    assert early(quick) == []  # what takes no time has nothing to show before
    assert answered(quick) == answered(events)


def test_a_second_question_finds_what_the_first_read(many: Path) -> None:
    lens, other = Lens([str(many)]), Lens([str(many)])
    assert early(events_of(lens, steps(1.0)))
    assert not early(events_of(other, lambda: 0.0))
    assert answered(events_of(lens, lambda: 0.0)) == answered(events_of(other, lambda: 0.0))


class Reading:
    """A thread's part of it: so many files, and what each look is to find."""

    def __init__(self, glimpse: Glimpse, finds: list[list[Evidence]]) -> None:
        self.glimpse = glimpse
        self.finds = iter(finds)
        self.looked: list[int] = []
        self.done = 0

    def snapshot(self) -> Snapshot:
        self.looked.append(self.done)
        return Snapshot([], {}, CorpusRules())

    def look(self, _: Snapshot) -> list[Evidence]:
        return next(self.finds)

    def run(self, total: int) -> None:
        for self.done in range(total):
            self.glimpse.offer(self.done, total, self.snapshot)


def looked_at(seconds: float, finds: list[list[Evidence]], total: int) -> tuple[list[int], list[Evidence]]:
    """After how many files there was a look, when each takes so many seconds, and what was shown."""

    async def ask() -> tuple[list[int], list[Evidence]]:
        reading = Reading(Glimpse(steps(seconds)), finds)
        loop = asyncio.get_running_loop()
        done = loop.create_future()

        async def read() -> None:
            await asyncio.to_thread(reading.run, total)
            done.set_result(None)

        task = asyncio.ensure_future(read())
        found = await reading.glimpse.evidence(reading.look, done)
        await task
        return reading.looked, found

    return asyncio.run(ask())


def test_looks_that_find_nothing_are_made_again_after_twice_the_time_and_not_near_the_end() -> None:
    assert looked_at(0.5, [[]] * 9, 100) == ([2, 4, 8, 16, 32, 64], [])
    assert looked_at(0.5, [[]] * 9, 64) == ([2, 4, 8, 16, 32], [])
    assert looked_at(0.5, [[]], 3) == ([], [])  # the rest takes no longer than the look


def test_after_a_look_that_found_something_there_is_no_other(many: Path) -> None:
    found = early(events_of(Lens([str(many)]), steps(1.0)))
    assert looked_at(0.5, [[], found], 100) == ([2, 4], found)
