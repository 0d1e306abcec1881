"""Documents are read by a process that may hang, crash or lie: whoever asks gets a text or a reason, in time."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lens_lsp.documents.extractor import GRACE, INSTALL, Cancelled, Extractor
from lens_lsp.documents.frames import MOST_DATA, MOST_GLANCED
from lens_lsp.documents.kinds import DocumentKind, Failure, Library, Unextracted
from tests.documents.hostile_readers import kind

CODE = [str(Path(__file__).parent)]
REPOSITORY = Path(__file__).resolve().parents[2]
ECHO = kind("Echo")


@pytest.fixture
def extractor() -> Iterator[Extractor]:
    with Extractor(code=CODE) as made:
        yield made


def text(extractor: Extractor, reader: str, data: bytes = b"x") -> str:
    """What is read, however long a busy machine takes."""
    return extractor.extract(kind(reader), data, seconds=60.0).text


def failure(extractor: Extractor, reader: str, data: bytes = b"x", seconds: float = 2.0) -> Unextracted:
    with pytest.raises(Unextracted) as raised:
        extractor.extract(kind(reader), data, seconds=seconds)
    return raised.value


def told(extractor: Extractor) -> dict[str, object]:
    value: dict[str, object] = json.loads(text(extractor, "Tells"))
    return value


def process_of(extractor: Extractor) -> int:
    process = told(extractor)["process"]
    assert isinstance(process, int)
    return process


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def gone_within(process: int, seconds: float) -> bool:
    """Whether it ended; one that nobody has waited for yet has."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not is_there(process) or _is_zombie(process):
            return True
        threading.Event().wait(0.02)
    return False


def _is_zombie(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return not is_there(process)


def test_no_process_starts_before_there_is_a_document() -> None:
    with Extractor(code=CODE) as extractor:
        assert extractor.started == 0


def test_one_process_reads_one_document_after_the_other(extractor: Extractor) -> None:
    assert [text(extractor, "Echo", str(number).encode()) for number in range(20)] == [str(n) for n in range(20)]
    assert extractor.started == 1


def test_a_glance_goes_to_the_same_process_and_is_bounded(extractor: Extractor) -> None:
    assert extractor.glance(ECHO, [b"lamps", b"\xff", b"", b"oil"]) == ("about lamps", "", "about ", "about oil")
    assert [len(each) for each in extractor.glance(ECHO, [b"x" * (1 << 20)])] == [MOST_GLANCED]
    assert text(extractor, "Echo") == "x"
    assert extractor.started == 1


def test_a_glance_that_takes_too_long_is_given_up(extractor: Extractor) -> None:
    extractor.glance(kind("Sleeps"), [b"0"])
    with pytest.raises(Unextracted) as raised:
        extractor.glance(kind("Sleeps"), [b"0", b"60"], seconds=0.2)
    assert raised.value.failure is Failure.TIMED_OUT
    assert text(extractor, "Echo") == "x"


def test_what_its_parent_ever_held_does_not_count_against_a_process() -> None:
    much = len(b"x" * (400 << 20))
    with Extractor(code=CODE) as extractor:
        assert [text(extractor, "Echo", str(much).encode()) for _ in range(3)] == [str(much)] * 3
        assert extractor.started == 1


def test_what_a_reader_refuses_is_told_on_one_line_that_drives_no_terminal(extractor: Extractor) -> None:
    refused = failure(extractor, "Refuses")
    assert (refused.failure, refused.detail) == (Failure.ENCRYPTED, "a password, please")


@pytest.mark.parametrize("reader", ["Raises", "Recurses"])
def test_whatever_a_library_raises_the_document_is_broken_and_the_process_lives(
    extractor: Extractor, reader: str
) -> None:
    assert failure(extractor, reader).failure is Failure.BROKEN
    assert text(extractor, "Echo") == "x"
    assert extractor.started == 1


def test_a_text_of_blanks_is_none(extractor: Extractor) -> None:
    assert failure(extractor, "Blank").failure is Failure.EMPTY


@pytest.mark.long
@pytest.mark.parametrize("reader", ["Sleeps", "Spins"])
def test_a_document_that_takes_too_long_is_given_up_by_the_clock(extractor: Extractor, reader: str) -> None:
    text(extractor, reader, b"0")
    began = time.monotonic()
    assert failure(extractor, reader, b"60", seconds=0.2).failure is Failure.TIMED_OUT
    assert time.monotonic() - began < 0.2 + 1
    assert text(extractor, "Echo", b"next") == "next"
    assert extractor.started == 2


@pytest.mark.long
def test_a_workers_first_document_of_a_kind_has_time_for_its_library(extractor: Extractor) -> None:
    began = time.monotonic()
    assert extractor.extract(kind("Sleeps"), b"0.5", seconds=0.1).text == "slept"
    assert failure(extractor, "Sleeps", b"60", seconds=0.1).failure is Failure.TIMED_OUT
    assert failure(extractor, "Sleeps", b"60", seconds=0.1).failure is Failure.TIMED_OUT
    assert GRACE < time.monotonic() - began < 0.5 + 0.1 + 0.1 + 2 * GRACE


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_is_one_documents_end_and_the_next_is_read(extractor: Extractor, number: int) -> None:
    assert failure(extractor, "Crashes", str(int(number)).encode()).failure is Failure.DIED
    assert text(extractor, "Echo", b"next") == "next"
    assert extractor.started == 2


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to a limit on memory")
def test_memory_has_an_end_and_the_next_document_has_all_of_it_again(extractor: Extractor) -> None:
    assert failure(extractor, "Takes", b"2000").failure is Failure.DIED
    assert text(extractor, "Takes", b"400") == f"{400 << 20} bytes"
    # Having used so much, it gives way to a fresh one.
    assert text(extractor, "Takes", b"400") == f"{400 << 20} bytes"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to a limit on memory")
def test_without_the_limit_the_same_memory_is_given() -> None:
    with Extractor(code=CODE, memory=None) as unlimited:
        assert text(unlimited, "Takes", b"800") == f"{800 << 20} bytes"


def test_a_process_killed_between_documents_is_replaced(extractor: Extractor) -> None:
    process = process_of(extractor)
    os.kill(process, signal.SIGTERM)
    assert gone_within(process, 3)
    assert text(extractor, "Echo", b"next") == "next"


def test_what_a_library_prints_is_not_taken_for_a_reply(extractor: Extractor) -> None:
    assert text(extractor, "Prints") == "read 0"
    assert text(extractor, "Echo") == "x"


def test_places_outside_the_text_are_not_believed(extractor: Extractor) -> None:
    assert failure(extractor, "Lies").failure is Failure.DIED
    assert text(extractor, "Echo", b"next") == "next"


@pytest.mark.parametrize("data", [b"\xff" * 4096, b"\0" * 4096, b"\0\0\0\4\0\0\0\0null", b"\0\0\0\2\0\0\0\0{}"])
def test_a_flood_of_bytes_is_no_reply(extractor: Extractor, data: bytes) -> None:
    assert failure(extractor, "Floods", data, seconds=0.5).failure in (Failure.DIED, Failure.TIMED_OUT)
    assert text(extractor, "Echo", b"next") == "next"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_process_left_behind_with_the_pipes_holds_nobody_up(extractor: Extractor) -> None:
    text(extractor, "Forks", b"0")
    began = time.monotonic()
    assert failure(extractor, "Forks", b"4", seconds=0.1).failure is Failure.TIMED_OUT
    assert time.monotonic() - began < 3
    assert text(extractor, "Echo", b"next") == "next"


def test_more_bytes_than_a_worker_takes_are_not_sent(extractor: Extractor) -> None:
    with pytest.raises(Unextracted) as raised:
        extractor.extract(ECHO, bytes(MOST_DATA + 1))
    assert raised.value.failure is Failure.TOO_LARGE
    assert extractor.started == 0


def test_without_its_library_a_document_is_named_with_what_to_install_and_nothing_starts(extractor: Extractor) -> None:
    lacking = DocumentKind("x", ("x",), "no.such.module", "Reader", (Library("no-such-library", "no_such_library"),))
    with pytest.raises(Unextracted) as raised:
        extractor.extract(lacking, b"x")
    assert (raised.value.failure, raised.value.detail) == (Failure.NO_READER, INSTALL)
    assert extractor.started == 0


@pytest.mark.long
def test_a_cancel_is_heard_at_once_and_the_next_document_is_read(extractor: Extractor) -> None:
    text(extractor, "Echo")
    stop = threading.Event()
    asked_at: list[float] = []

    def cancel() -> None:
        asked_at.append(time.monotonic())
        stop.set()

    timer = threading.Timer(0.2, cancel)
    timer.start()
    with pytest.raises(Cancelled):
        extractor.extract(kind("Spins"), b"60", seconds=30, cancelled=stop.is_set)
    assert time.monotonic() - asked_at[0] < 0.2
    timer.join()
    assert text(extractor, "Echo", b"next") == "next"


def test_a_document_that_its_reader_was_interrupted_in_does_not_answer_for_the_next(extractor: Extractor) -> None:
    text(extractor, "Sleeps", b"0")

    def interrupted() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extractor.extract(kind("Sleeps"), b"0.1", cancelled=Once(interrupted))
    assert text(extractor, "Echo", b"next") == "next"


class Once:
    """Says no the first time, which is before a worker is taken, and does what it is told the second time."""

    def __init__(self, then: Callable[[], bool]) -> None:
        self._then = then
        self._asked = False

    def __call__(self) -> bool:
        asked, self._asked = self._asked, True
        return asked and self._then()


def test_a_document_that_waits_for_a_worker_can_be_cancelled(extractor: Extractor) -> None:
    text(extractor, "Echo")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(extractor.extract, kind("Sleeps"), b"0.5", seconds=5)
        while extractor._idle:  # until the worker is taken
            threading.Event().wait(0.001)
        with pytest.raises(Cancelled):
            extractor.extract(ECHO, b"x", cancelled=lambda: True)
        assert first.result().text == "slept"


def test_closing_ends_what_is_under_way_and_what_comes_later() -> None:
    extractor = Extractor(code=CODE)
    process = process_of(extractor)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(extractor.extract, kind("Spins"), b"1", seconds=30)
        while extractor._idle:
            threading.Event().wait(0.001)
        extractor.close()
        with pytest.raises(Cancelled):
            running.result()
    with pytest.raises(Cancelled):
        extractor.extract(ECHO, b"x")
    assert not is_there(process), "not even as a zombie"


def test_no_zombie_stays_of_workers_that_were_killed(extractor: Extractor) -> None:
    processes = []
    for reader in ("Spins", "Crashes"):
        processes.append(process_of(extractor))
        failure(extractor, reader, b"9", seconds=0.1)
    assert [is_there(process) for process in processes] == [False, False]


def test_many_threads_share_a_few_workers() -> None:
    with Extractor(workers=2, code=CODE) as extractor, ThreadPoolExecutor(8) as pool:
        words = [f"word {number}" * 1000 for number in range(200)]
        read = pool.map(lambda word: extractor.extract(ECHO, word.encode(), seconds=10).text, words)
        assert list(read) == words
        assert extractor.started <= 2


def test_an_event_loop_goes_on_while_a_document_is_read(extractor: Extractor) -> None:
    async def ask() -> tuple[str, int]:
        beats = 0
        reading = asyncio.create_task(asyncio.to_thread(extractor.extract, kind("Sleeps"), b"0.3", seconds=5))
        while not reading.done():
            await asyncio.sleep(0.01)
            beats += 1
        return (await reading).text, beats

    said, beats = asyncio.run(ask())
    assert said == "slept"
    assert beats > 5


def test_a_large_text_comes_whole(extractor: Extractor) -> None:
    words = "Überfluß 😀 " * 1_000_000
    assert extractor.extract(ECHO, words.encode(), seconds=20).text == words


def test_a_worker_that_read_many_documents_gives_way_to_a_fresh_one(extractor: Extractor) -> None:
    first = process_of(extractor)
    for _ in range(200):
        text(extractor, "Echo")
    assert process_of(extractor) != first
    assert extractor.started == 2


PARENT = """
import sys, threading
from lens_lsp.documents.extractor import Extractor
from tests.documents.hostile_readers import kind
import json
extractor = Extractor(code=sys.argv[2:])
print(json.loads(extractor.extract(kind("Tells"), b"x").text)["process"], flush=True)
if sys.argv[1] != "idle":
    threading.Thread(target=extractor.extract, args=(kind(sys.argv[1]), b"600"), kwargs={"seconds": 600}).start()
print("on", flush=True)
threading.Event().wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the worker ends with the document under way")
@pytest.mark.parametrize("doing", ["idle", "Sleeps", "Spins"])
def test_when_the_parent_is_killed_the_worker_is_gone_soon(doing: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, doing, *CODE], stdout=subprocess.PIPE, cwd=REPOSITORY, text=True
    ) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert parent.stdout.readline() == "on\n"
        if doing != "idle":
            assert _busy_within(worker, 10)
        parent.kill()
        parent.wait()
        assert gone_within(worker, 3)


def _busy_within(process: int, seconds: float) -> bool:
    """Whether the worker waits for no job any more: its pipe tells by signal then."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if any(_asynchronous(entry) for entry in Path(f"/proc/{process}/fdinfo").iterdir()):
            return True
        threading.Event().wait(0.01)
    return False


def _asynchronous(entry: Path) -> bool:
    try:
        flags = next(line for line in entry.read_text().splitlines() if line.startswith("flags:"))
    except (FileNotFoundError, StopIteration):
        return False
    return bool(int(flags.split()[1], 8) & os.O_ASYNC)
