"""Evidence of a large workspace before all of it was read."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.oracle_factory import Terms
from lens_lsp.app.settings import Request
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover
from lens_lsp.corpus.workspace import EARLY_BYTES, Snapshot, Workspace
from lens_lsp.judge.ledger import Budget
from lens_lsp.judge.rules.question_plan import analyse
from lens_lsp.model.answer import Answered, Event, EvidenceFound, Mode, Planned, Scanned, answer_of
from lens_lsp.model.documents import Evidence
from lens_lsp.schema.answer_shapes import evidence_json
from lens_lsp.search.corpus_view import DocumentAccess
from lens_lsp.search.early_evidence import EarlyEvidenceTimer, EarlySearch
from tests.search.small_workspace import FILLER

QUAY = "# Quays\n\nThe quay of Brantholm was built by Elise Morrow in 1911.\n"
NOTES = {
    **FILLER,
    "quays.md": QUAY,
    "people.md": "Elise Morrow built many things, and nothing of note happened.\n",
    "towns.md": "Brantholm is a town.\n",
}
QUESTION = "Who built the quay of Brantholm?"
FILES = 4_000


def look(folder: Path, question: str, known: TextStore | None = None) -> list[Evidence]:
    with Root(str(folder)) as root:
        cache = known or TextStore()
        cache.refresh([root], discover(root, CorpusRules()).files, {})
        reading = DocumentAccess(cache, Snapshot([root], {}, CorpusRules()))
        return EarlySearch(analyse(question), reading).evidence()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, NOTES)
    return tmp_path


def write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


def test_the_rarest_words_lead_to_the_passage(folder: Path) -> None:
    found = look(folder, QUESTION)
    assert [item.n for item in found] == list(range(1, len(found) + 1))
    assert found[0].path == "quays.md"
    assert "built by Elise Morrow" in found[0].quote
    assert all(item.quote == NOTES[item.path][item.span.start : item.span.end] for item in found)
    assert all(item.requirements == () and item.verdict is None for item in found)


def test_a_name_leads_to_its_file(folder: Path) -> None:
    said = "In a harbour, nobody swims.\n"
    write(folder, {"Harbour Rules.md": said, "Boats.md": said, "empty/Harbour Rules.md": "Nothing of note happened.\n"})
    found = look(folder, "What do the Harbour Rules say?")
    assert found[0].path == "Harbour Rules.md"
    assert {item.quote for item in found} == {said.strip()}  # what holds no word of the question proves nothing


def test_in_which_order_files_came_into_memory_makes_no_difference(folder: Path) -> None:
    at_once = look(folder, QUESTION)
    cache = TextStore()
    kept = (folder / "quays.md").read_bytes()
    (folder / "quays.md").unlink()
    look(folder, QUESTION, cache)
    (folder / "quays.md").write_bytes(kept)
    (folder / "towns.md").write_bytes(b"Something else.\n")
    look(folder, QUESTION, cache)
    write(folder, NOTES)
    one_by_one = look(folder, QUESTION, cache)
    assert [evidence_json(item) for item in one_by_one] == [evidence_json(item) for item in at_once]


def test_what_is_nowhere_is_not_shown(folder: Path) -> None:
    assert look(folder, "zyzzyva qwertyish") == []


def test_a_text_that_changed_since_it_was_scanned_is_not_shown(folder: Path) -> None:
    with Root(str(folder)) as root:
        cache = TextStore()
        cache.refresh([root], discover(root, CorpusRules()).files, {})
        write(folder, {"quays.md": QUAY.replace("1911", "1912")})
        found = EarlySearch(analyse(QUESTION), DocumentAccess(cache, Snapshot([root], {}, CorpusRules()))).evidence()
    assert found
    assert "quays.md" not in {item.path for item in found}


def test_a_look_that_is_cancelled_shows_nothing(folder: Path) -> None:
    with Root(str(folder)) as root:
        cache = TextStore()
        cache.refresh([root], discover(root, CorpusRules()).files, {})
        reading = DocumentAccess(cache, Snapshot([root], {}, CorpusRules()))
        assert EarlySearch(analyse(QUESTION), reading, cancelled=lambda: True).evidence() == []
        assert reading.read == 0


def events_of(lens: Lens) -> list[Event]:
    async def hear() -> list[Event]:
        return [event async for event in lens.ask(QUESTION)]

    return asyncio.run(hear())


def kinds(events: list[Event], which: Callable[[EvidenceFound], bool]) -> list[Evidence]:
    return [event.evidence for event in events if isinstance(event, EvidenceFound) and which(event)]


@pytest.fixture
def large(folder: Path) -> Path:
    page = "Nothing of note happened on this page, nor on any page that was ever written about it.\n"
    size = 7 << 20
    write(
        folder, {f"large/{number:02}.md": page * (size // len(page)) for number in range(-(-EARLY_BYTES // size) + 1)}
    )
    return folder


def test_a_large_workspace_shows_something_before_it_was_scanned(large: Path) -> None:
    lens = Lens([str(large)])
    events = events_of(lens)
    early = kinds(events, lambda event: event.early)
    assert early[0].path == "quays.md"
    assert [type(event) for event in events[: len(early) + 2]] == [Planned, *[EvidenceFound] * len(early), Scanned]
    assert not any(event.final for event in events if isinstance(event, EvidenceFound) and event.early)
    (large / "quays.md").touch()
    again = kinds(events_of(lens), lambda event: event.early)
    assert [evidence_json(item) for item in again] == [evidence_json(item) for item in early]


def before(lens: Lens, buffers: Mapping[str, Buffer]) -> list[Evidence]:
    """What a question shows before its plan, which is before the disk was looked at."""

    async def hear() -> list[Evidence]:
        found = []
        async with aclosing(lens.ask(Request(QUESTION, buffers=buffers))) as events:
            async for event in events:
                if isinstance(event, Planned):
                    return found
                assert isinstance(event, EvidenceFound)
                assert event.early
                found.append(event.evidence)
        return found

    return asyncio.run(hear())


@pytest.mark.parametrize("memory", [None, 1 << 20], ids=["kept", "read again"])
def test_what_was_known_is_shown_before_the_disk_is_looked_at_unless_it_is_otherwise_now(
    large: Path, memory: int | None
) -> None:
    for note in filter(Path.is_file, large.rglob("*")):
        os.utime(note, (1_600_000_000, 1_600_000_000))  # a file that is younger could be another by now
    lens = Lens([str(large)], memory=memory)
    assert before(lens, {}) == []  # nothing is known yet
    early = kinds(events_of(lens), lambda event: event.early)
    settled = before(lens, {})
    assert [evidence_json(item) for item in settled] == [evidence_json(item) for item in early]
    assert settled[0].path == "quays.md"

    quays, text = large / "quays.md", "# Quays\n\nElise Morrow built no quay, and none is at Brantholm.\n"
    typed = {str(quays): Buffer(str(quays), text)}
    assert "quays.md" not in {item.path for item in before(lens, typed)}  # not as it was scanned
    (large / ".lensignore").write_text("quays.md\n")
    assert "quays.md" not in {item.path for item in before(lens, {})}
    (large / ".lensignore").unlink()
    events_of(lens)
    assert [item.path for item in before(lens, {})] == [item.path for item in settled]
    quays.write_text(text)
    assert "quays.md" not in {item.path for item in before(lens, {})}
    quays.unlink()
    assert "quays.md" not in {item.path for item in before(lens, {})}


def test_a_small_workspace_waits_for_the_search(folder: Path) -> None:
    lens = Lens([str(folder)])
    assert kinds(events_of(lens), lambda event: event.early) == []
    assert asyncio.run(answer_of(lens.ask(QUESTION))).evidence


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


def events_while_reading(lens: Lens, clock: Callable[[], float]) -> list[Event]:
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
    events = events_while_reading(Lens([str(many)]), steps(1.0))
    shown = early(events)
    assert shown[0].path == "00007.md"
    assert [type(event) for event in events[: len(shown) + 2]] == [Planned, *[EvidenceFound] * len(shown), Scanned]
    quick = events_while_reading(Lens([str(many)]), lambda: 0.0)
    assert early(quick) == []  # what takes no time has nothing to show before
    assert answered(quick) == answered(events)


def test_a_second_question_finds_what_the_first_read(many: Path) -> None:
    lens, other = Lens([str(many)]), Lens([str(many)])
    assert early(events_while_reading(lens, steps(1.0)))
    assert not early(events_while_reading(other, lambda: 0.0))
    assert answered(events_while_reading(lens, lambda: 0.0)) == answered(events_while_reading(other, lambda: 0.0))


class Reading:
    """A thread's part of it: so many files, and what each look is to find."""

    def __init__(self, glimpse: EarlyEvidenceTimer, finds: list[list[Evidence]]) -> None:
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
        reading = Reading(EarlyEvidenceTimer(steps(seconds)), finds)
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
    found = early(events_while_reading(Lens([str(many)]), steps(1.0)))
    assert looked_at(0.5, [[], found], 100) == ([2, 4], found)


class Shown:
    """What is offered while a workspace is read: how many files are known, and of how many."""

    def __init__(self) -> None:
        self.offers: list[tuple[int, int | None]] = []

    def offer(self, done: int, total: int | None, snapshot: Callable[[], Snapshot]) -> None:
        self.offers.append((done, total))

    def progress(self, stage: str, done: int, total: int | None) -> None:
        pass


def test_some_files_of_a_large_folder_are_read_while_it_is_walked_and_no_file_twice(tmp_path: Path) -> None:
    names = [f"{box}/note-{number}.txt" for box in ("a", "b") for number in range(2_500)]
    write(tmp_path, dict.fromkeys(names, "A quiet day.\n") | {"a/quay.txt": QUAY})
    at_once, walked, shown = Workspace([tmp_path], CorpusRules(), None), [], Shown()
    for workspace in (at_once, Workspace([tmp_path], CorpusRules(), None, many=1_000)):
        with workspace.open() as opened:
            workspace.bring_up(opened, shown, {}, None, "Who built the quay?", early_reader=shown)
        walked.append(shown.offers)
        shown = Shown()
        texts = [text for text in workspace.cache.slots if text is not None]
        assert len({text.key for text in texts}) == len(texts) == workspace.cache.files == len(names) + 1
        assert workspace.cache.size == at_once.cache.size
    assert all(total is not None for _, total in walked[0])
    first, total = walked[1][0]
    assert total is None
    assert 1_000 <= first < len(names)


def test_files_that_are_still_counted_are_looked_at_once() -> None:
    glimpse = EarlyEvidenceTimer(steps(0.0))
    reading = Reading(glimpse, [[]] * 3)

    async def ask() -> list[Evidence]:
        done = asyncio.get_running_loop().create_future()

        def read() -> None:
            for reading.done in (1, 2, 3):
                glimpse.offer(reading.done, None, reading.snapshot)

        asyncio.ensure_future(asyncio.to_thread(read)).add_done_callback(done.set_result)
        return await glimpse.evidence(reading.look, done)

    assert asyncio.run(ask()) == []
    assert reading.looked == [1]
