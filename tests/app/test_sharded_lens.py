"""Parts of a workspace that processes and cluster workers read: equal results, and nothing lost without a word."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.app.sharded_lens import ShardedLens
from lens_lsp.corpus import pipes
from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.encoding import LARGE
from lens_lsp.model.documents import Findings, SkipReason
from lens_lsp.model.errors import UsageError
from lens_lsp.model.text import Span
from lens_lsp.search import executors
from lens_lsp.search.executors import DaskCluster, Processes, ShardSpec
from lens_lsp.search.shards import Open, RemoteShard, Shard, ShardLost, encoded_request

QUERY = "where is the copper kettle"


def kettles(notes: Path, count: int) -> Path:
    """Notes that tell of kettles and link to each other, in a new folder."""
    notes.mkdir()
    for number in range(count):
        link = f"See [[note {number // 2}]]."
        text = f"# Note {number}\n\nThe copper kettle number {number} stands in hall {number % 5}. {link}\n"
        (notes / f"note {number}.md").write_text(text)
    return notes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return kettles(tmp_path / "notes", 24)


@pytest.fixture
def processes() -> Iterator[Processes]:
    started = Processes()
    yield started
    started.close()


def told(found: Findings) -> Findings:
    """All that is found, without times and without who read it."""
    return replace(found, stages=(), coverage=replace(found.coverage, shards=()))


def whole(folder: Path) -> Findings:
    return told(Lens([folder]).find(QUERY))


def test_processes_give_what_one_process_gives_also_after_a_change(folder: Path, processes: Processes) -> None:
    lens = ShardedLens(processes, [folder], 3)
    found = lens.find(QUERY)
    assert told(found) == whole(folder)
    assert [part.lost for part in found.coverage.shards] == [None] * 3
    assert sum(part.scanned for part in found.coverage.shards) == 24
    pids = {process.pid for process in processes.running.values()}
    (folder / "note 7.md").write_text("The copper kettle is in the harbour museum.\n")
    assert told(lens.find(QUERY)) == whole(folder)
    assert {process.pid for process in processes.running.values()} == pids, "they stay warm"


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes tell their environment on Linux")
def test_processes_get_no_key(folder: Path, processes: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENS_API_KEY", "sk-secret")
    monkeypatch.setenv("LENS_OTHER", "is handed on")
    ShardedLens(processes, [folder], 1).find(QUERY)
    environment = Path(f"/proc/{processes.running[0].pid}/environ").read_bytes()
    assert b"is handed on" in environment
    assert b"sk-secret" not in environment


def test_part_of_a_killed_process_is_read_by_another(folder: Path, processes: Processes) -> None:
    lens = ShardedLens(processes, [folder], 2)
    lens.find(QUERY)
    os.kill(processes.running[1].pid, signal.SIGKILL)
    assert told(lens.find(QUERY)) == whole(folder)


class Dying(Processes):
    """The process of one part is killed as soon as it was started."""

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        shard = super().shard(spec, until)
        if spec.number == 1:
            os.kill(self.running[1].pid, signal.SIGKILL)
        return shard


def test_part_that_nobody_can_read_is_named_and_the_others_are_searched(folder: Path) -> None:
    dying = Dying()
    try:
        found = ShardedLens(dying, [folder], 3).find(QUERY)
    finally:
        dying.close()
    lost = [part for part in found.coverage.shards if part.lost is not None]
    assert len(lost) == 1
    assert lost[0].name.startswith("part 2 of 3")
    assert [skip.path for skip in found.coverage.skipped if skip.reason is SkipReason.NO_ANSWER] == [lost[0].name]
    assert found.warnings[-1].startswith(f"{lost[0].name} was not searched")
    assert 0 < found.coverage.scanned < 24
    assert found.evidence


@pytest.mark.parametrize("stopped", [(0,), (0, 1)])
def test_process_that_is_stopped_is_replaced_within_the_time(
    folder: Path, processes: Processes, stopped: tuple[int, ...]
) -> None:
    lens = ShardedLens(processes, [folder], 3, seconds=60.0)
    lens.find(QUERY)
    before = {number: process.pid for number, process in processes.running.items()}
    for number in stopped:
        os.kill(before[number], signal.SIGSTOP)
    begun = time.monotonic()
    found = lens.find(QUERY)
    assert time.monotonic() - begun < 60
    assert told(found) == whole(folder)
    assert {number for number, pid in before.items() if processes.running[number].pid != pid} == set(stopped)


class Stopping(Processes):
    """The process of one part is stopped whenever it was started and has spoken."""

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        shard = super().shard(spec, until)
        if spec.number == 1:
            assert shard is not None
            shard.open(Open(QUERY, 30.0))
            os.kill(self.running[1].pid, signal.SIGSTOP)
        return shard


def test_part_whose_processes_are_stopped_is_named_and_the_others_are_searched_in_time(folder: Path) -> None:
    stopping = Stopping()
    begun = time.monotonic()
    try:
        found = ShardedLens(stopping, [folder], 3, seconds=60.0).find(QUERY)
    finally:
        stopping.close()
    assert time.monotonic() - begun < 60
    lost = [part for part in found.coverage.shards if part.lost is not None]
    assert [part.name.partition(" (")[0] for part in lost] == ["part 2 of 3"]
    assert "it said nothing for" in str(lost[0].lost)
    assert 0 < found.coverage.scanned < 24
    assert found.evidence


def test_without_shares_of_the_time_a_stopped_process_takes_it_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: what the test above asserts is not so by itself."""
    monkeypatch.setattr(executors, "_STEP", 1.0)
    monkeypatch.setattr(pipes, "SILENT", 1.0)
    stopping = Stopping()
    try:
        with pytest.raises(ShardLost):
            ShardedLens(stopping, [folder], 3, seconds=20.0).find(QUERY)
    finally:
        stopping.close()


class Lying:
    """Two parts, read here; what their replies say is changed on the way."""

    def __init__(self, change: Callable[[bytes], bytes]) -> None:
        self._change = change

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        server = spec.server()
        return RemoteShard(spec.name, lambda data: self._change(server.handle(data)))

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("was", "said"),
    [
        (b'"quote":"# Note', b'"quote":"# Nope'),
        (b'"sha256":"', b'"sha256":"0'),
        (b'"path":"note ', b'"path":"../note '),
    ],
)
def test_quote_that_a_worker_made_up_is_caught(folder: Path, was: bytes, said: bytes) -> None:
    honest = ShardedLens(Lying(lambda reply: reply), [folder], 2).find(QUERY)
    assert told(honest) == whole(folder)
    found = ShardedLens(Lying(lambda reply: reply.replace(was, said)), [folder], 2).find(QUERY)
    assert not found.evidence
    assert any("a quote that does not stand there was left out" in warning for warning in found.warnings)


@pytest.mark.parametrize("said", [b"The copper kettle stands in hall 8 of", b"The copper kettle stood in the hall of"])
def test_quote_of_a_very_large_file_that_a_worker_made_up_is_caught(tmp_path: Path, said: bytes) -> None:
    """The hash of the file is right: the words at the span are not."""
    line = "Nothing of interest is said in this line, and nothing in the next one either.\n"
    lines = [line] * (LARGE // len(line) + 2)
    lines[len(lines) // 2] = "\nThe copper kettle stands in hall 7 of the mill.\n\n"
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "log.txt").write_text("".join(lines))
    honest = ShardedLens(Lying(lambda reply: reply), [folder], 2).find(QUERY)
    assert "stands in hall 7 of" in honest.evidence[0].quote
    assert told(honest) == whole(folder)
    was = b"The copper kettle stands in hall 7 of"
    found = ShardedLens(Lying(lambda reply: reply.replace(was, said)), [folder], 2).find(QUERY)
    assert not found.evidence
    assert any("a quote that does not stand there was left out" in warning for warning in found.warnings)


def test_texts_open_in_an_editor_are_no_matter_of_shards(folder: Path, processes: Processes) -> None:
    request = Request(QUERY, exclude_spans={str(folder / "note 1.md"): Span(0, 1)})
    with pytest.raises(UsageError, match="on this machine alone"):
        ShardedLens(processes, [folder], 2).find(request)


@pytest.fixture
def environment_put_back() -> Iterator[None]:
    """What starts workers sets variables for all processes that are started later, those of other tests among them."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.usefixtures("environment_put_back")
def test_workers_of_a_cluster_give_what_one_process_gives_and_may_die(folder: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as cluster:
        dask = DaskCluster(cluster.scheduler_address)
        try:
            lens = ShardedLens(dask, [folder], 3)
            found = lens.find(QUERY)
            assert told(found) == whole(folder)
            assert len({part.name for part in found.coverage.shards}) == 3
            os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
            again = lens.find(QUERY)
            missing = [part for part in again.coverage.shards if part.lost]
            assert told(again) == whole(folder) if not missing else again.coverage.scanned < 24
        finally:
            dask.close()


@pytest.mark.usefixtures("environment_put_back")
def test_cluster_without_a_worker_is_waited_for_and_not_for_long(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    spec = ShardSpec((str(folder),), CorpusRules(), None, 0, 1)
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=":0", silence_logs=50) as cluster:
        dask = DaskCluster(cluster.scheduler_address)
        try:
            monkeypatch.setattr(executors, "_AGAIN", 0.0)
            assert dask.shard(spec, lambda: time.monotonic() + 60) is None
            monkeypatch.setattr(executors, "_AGAIN", 60.0)
            with ThreadPoolExecutor(1) as pool:
                found = pool.submit(dask.shard, spec, lambda: time.monotonic() + 60)
                cluster.scale(1)
                assert found.result() is not None
        finally:
            dask.close()


def test_worker_keeps_the_texts_of_the_parts_that_were_asked_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "_SERVERS", {})
    monkeypatch.setattr(executors, "_MOST_KEPT", 2)
    folders = [kettles(tmp_path / name, 2) for name in ("a", "b", "c")]
    specs = [ShardSpec((str(folder),), CorpusRules(), None, 0, 1) for folder in folders]
    request = encoded_request(Open(QUERY, 30.0))
    for at in (0, 1, 0, 2):
        executors.handle(specs[at], request)
    assert list(executors._SERVERS) == [pickle.dumps(specs[0]), pickle.dumps(specs[2])]


def test_cluster_that_is_not_there_is_said() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(UsageError, match="does not answer"):
        DaskCluster("tcp://127.0.0.1:1", seconds=1.0)
