"""Files that may not answer: a call that hangs is left behind and told as an error."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from lens_lsp.corpus import safe_open as waiting
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import (
    MOST_LEFT,
    Root,
    Skipped,
    SlowDescriptor,
    TimedCalls,
    call_of,
    guard_descriptor,
    open_at,
    read_files,
)
from lens_lsp.corpus.walk import discover
from lens_lsp.corpus.workspace import _wait as workspace_wait
from lens_lsp.disk import file_system_of, may_hang
from lens_lsp.model.documents import SkipReason
from tests.availability import unavailable
from tests.lsp.lsp_client import wait_until
from tests.soak import slow_disk
from tests.soak.harness import LeftOut
from tests.soak.slow_disk import Tally

DEVICE = os.makedev(0, 4093)
MOUNTS = """\
21 1 0:40 / /mnt/share rw - nfs4 server:/share rw
22 1 0:41 / /mnt/user rw - fuse.portal portal rw
23 1 8:1 / /mnt/stick rw - fuseblk /dev/sda1 rw
24 1 0:42 / /tmp rw - tmpfs tmpfs rw
"""
posix = pytest.mark.skipif(os.name != "posix", reason="needs descriptors of folders")


@pytest.fixture
def patience() -> Iterator[TimedCalls]:
    patience = TimedCalls(DEVICE)
    yield patience
    patience.end()
    assert wait_until(lambda: waiting._LEFT[DEVICE] == 0)


@pytest.fixture
def pipe(patience: TimedCalls) -> Iterator[tuple[SlowDescriptor, int]]:
    """One that nobody has written into: to read from it hangs."""
    reading, writing = os.pipe()
    yield patience.holds(reading), writing
    os.close(writing)  # lets go of who still reads
    assert wait_until(lambda: waiting._LEFT[DEVICE] == 0)
    os.close(reading)


@posix
def test_which_file_systems_may_not_answer(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    devices = [os.makedev(0, 40), os.makedev(0, 41), os.makedev(8, 1), os.makedev(0, 42), os.makedev(0, 43)]
    assert [may_hang(device, mounts) for device in devices] == [True, True, False, False, False]
    assert file_system_of(devices[0], mounts) == "nfs4"
    assert not may_hang(devices[0], tmp_path / "no such table")


@posix
def test_a_local_folder_is_asked_directly(tmp_path: Path) -> None:
    with Root(str(tmp_path)) as root:
        assert type(root.handle) is int
    descriptor = os.open(tmp_path, os.O_RDONLY)
    assert guard_descriptor(descriptor) is descriptor
    os.close(descriptor)


@posix
def test_what_answers_gives_its_result_and_its_error(patience: TimedCalls, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("here")
    folder = patience.holds(os.open(tmp_path, os.O_RDONLY))
    file = open_at(folder, "note.md", os.O_RDONLY)
    assert call_of(file, os.read, file, 9) == b"here"
    assert type(file) is SlowDescriptor
    with pytest.raises(FileNotFoundError):
        open_at(folder, "none.md", os.O_RDONLY)
    os.close(file)
    os.close(folder)


@posix
def test_what_hangs_ends_with_an_error_and_others_are_still_asked(
    patience: TimedCalls, pipe: tuple[SlowDescriptor, int]
) -> None:
    reading, writing = pipe
    patience.until = time.monotonic() + 0.05
    with pytest.raises(OSError, match=os.strerror(errno.ETIMEDOUT)) as caught:
        call_of(reading, os.read, reading, 1)
    assert caught.value.errno == errno.ETIMEDOUT
    assert waiting._LEFT[DEVICE] == 1
    patience.until = time.monotonic() + 60
    assert call_of(reading, os.fstat, reading).st_size == 0
    os.write(writing, b"x")
    assert wait_until(lambda: waiting._LEFT[DEVICE] == 0)


@posix
def test_a_question_that_has_little_time_waits_less_for_each_call(patience: TimedCalls, tmp_path: Path) -> None:
    folder = patience.holds(os.open(tmp_path, os.O_RDONLY))
    workspace_wait([SimpleNamespace(handle=folder)], 60.0, 0.5)  # type: ignore[list-item]
    assert patience.most == 0.5
    assert 0 < patience.until - time.monotonic() <= 60
    os.close(folder)


@posix
def test_nothing_is_asked_after_the_time(patience: TimedCalls, pipe: tuple[SlowDescriptor, int]) -> None:
    patience.until = time.monotonic() - 1
    called = threading.Event()
    with pytest.raises(TimeoutError):
        call_of(pipe[0], called.set)
    assert not called.is_set()


@posix
def test_a_descriptor_that_comes_too_late_is_closed(patience: TimedCalls, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opened by nobody who writes, it hangs
    folder = patience.holds(os.open(tmp_path, os.O_RDONLY))
    patience.until = time.monotonic() + 0.05
    with pytest.raises(TimeoutError):
        open_at(folder, "pipe", os.O_RDONLY)
    writing = os.open(tmp_path / "pipe", os.O_WRONLY)
    assert wait_until(lambda: waiting._LEFT[DEVICE] == 0)
    with pytest.raises(BrokenPipeError):
        os.write(writing, b"nobody reads")
    os.close(writing)
    os.close(folder)


@posix
def test_a_device_that_holds_many_threads_is_asked_nothing_more(
    patience: TimedCalls, pipe: tuple[SlowDescriptor, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(waiting._LEFT, DEVICE, MOST_LEFT)
    with pytest.raises(TimeoutError):
        call_of(pipe[0], os.fstat, pipe[0])
    monkeypatch.undo()


@posix
def test_a_root_that_may_not_answer_is_walked_and_read_like_any_other(patience: TimedCalls, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "note.md").write_text("here")
    (tmp_path / "plan.md").write_text("there")
    with Root(str(tmp_path)) as root:
        root.handle = patience.holds(root.handle)  # type: ignore[arg-type]
        found = [entry.path for entry in discover(root, CorpusRules()).files]
        assert found == ["letters/note.md", "plan.md"]
        assert [data for data, _ in read_files(root, found, 100)] == [b"here", b"there"]
        assert b"".join(root.stream("plan.md")) == b"there"
        patience.until = time.monotonic() - 1
        assert [data for data, _ in read_files(root, found, 100)] == [SkipReason.UNREADABLE] * 2
        assert [skip.reason for skip in discover(root, CorpusRules()).skips] == [SkipReason.UNREADABLE]
        with pytest.raises(Skipped):
            root.read("plan.md")


ONE_HANGS = 2
"""A seed by which one file hangs."""


def tried(asks: int, *, inline: bool = False) -> Tally:
    try:
        return slow_disk.run(asks, ONE_HANGS, inline=inline)
    except LeftOut as error:
        unavailable("mount", str(error))


@pytest.mark.long
def test_a_question_over_a_disk_that_hangs_ends_with_what_was_read() -> None:
    tally = tried(4)
    assert tally.wrong == []
    assert dict(tally.asked) == {"slow": 1, "hanging": 1, "cancelled": 1, "sound": 1}
    assert (tally.hung, tally.named, tally.partial) == (0, 1, 1)


@pytest.mark.long
def test_a_server_that_reads_where_it_handles_messages_does_not_pass() -> None:
    assert tried(1, inline=True).wrong != []
