"""Whether parts of a workspace that others read give what one process gives, question by question; and what is said
when they are killed, or halt.

python -m benchmarks.shard_equality "$LENS_DATA" --work runs/shards [--questions 200] [--parts 1 2 3 7]
    [--dask 2] [--ssh] [--kill] [--stop] [--seconds 30] [--only NAME …]

Half of the questions are of DocsQA, half of the gate's rows; they are plain queries, and nothing is read of what proves
their answers. ``--ssh`` starts an ``sshd`` of this machine and lets another user in, whom it makes and removes; it
needs root, and a folder for ``--work`` that everybody may read. ``--parts`` without a number compares nothing.

``--kill`` ends who reads with SIGKILL at random moments of each question, ``--stop`` halts one until the question is
answered. Its answer must be the whole, or name what was not read and be exactly what a search of the other parts gives
in peace (`complaints`), within the question's time.

Each row is a JSON line, printed after each folder over all until then; the last of a name counts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from evaluation.data.datasets import open_dataset, questions
from evaluation.data.docsqa import open_docsqa, unpack
from evaluation.data.snapshots import prepare
from evaluation.gate import ROWS
from lens_lsp import __version__
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.app.sharded_lens import ShardedLens
from lens_lsp.corpus.ssh import SshConnection
from lens_lsp.model.documents import Findings, SkipReason
from lens_lsp.search.executors import DaskCluster, Processes, ShardExecutor, ShardSpec
from lens_lsp.search.shards import RemoteShard, Shard, ShardLost
from tests.ssh_server import HOST, SshServer, ssh_server

_LIMIT = 20
_PARTS = 3
"""Parts while there are faults."""
_AGAIN = 60.0
"""Seconds in which workers of a cluster must be there again."""
_PART = re.compile(r"part (\d+) of \d+")
_SHARD = b"lens_lsp\0shard"
"""In the command line of a reader behind ``ssh``."""


def folders_of(data: Path, work: Path, most: int, only: Sequence[str] = ()) -> Iterator[tuple[str, Path, list[str]]]:
    """The folders of DocsQA and the corpora of the gate's rows, or ``only`` some of either, each with its name and its
    questions: half of all of either kind, about as many of each folder."""
    docs = open_docsqa(data / "docsqa")
    by_folder: dict[str, list[str]] = {}
    for question in docs.questions:
        if not only or question.workspace in only:
            by_folder.setdefault(question.workspace, []).append(question.question)
    names = sorted(by_folder, key=lambda name: len(by_folder[name]))  # what the small ones lack the others have
    left = most // 2
    for at, name in enumerate(names):
        asked = by_folder[name][: -(-left // (len(names) - at))]
        left -= len(asked)
        if asked:
            yield name, unpack(docs, name, work), asked
    left = most - most // 2
    rows = [row for row in ROWS if not only or row.name in only]
    for at, row in enumerate(rows):
        dataset = open_dataset(data / row.dataset, row.snapshot)
        name = f"{row.dataset}-{row.snapshot}{'-hidden' if row.hide_titles else ''}"
        few = islice(questions(dataset), min(row.first or left, -(-left // (len(rows) - at))))
        asked = [question.text for question in few]
        left -= len(asked)
        if asked:
            corpus = prepare(data / row.dataset, row.snapshot, work / name, hide_titles=row.hide_titles)
            yield row.name, corpus.folder, asked


def told(found: Findings) -> Findings:
    """All that is found, without times and without who read it."""
    return replace(found, stages=(), coverage=replace(found.coverage, shards=()))


@dataclass(frozen=True)
class Readers:
    """One kind of who reads."""

    name: str
    start: Callable[[], ShardExecutor]
    running: Callable[[ShardExecutor], list[int]]
    """The processes that a fault may strike."""
    settle: Callable[[], object] = lambda: None
    """Waits, before a question, until everybody is there who is to read."""


@contextmanager
def dask(workers: int) -> Iterator[Readers]:
    """A cluster of this machine, of so many workers."""
    from distributed import LocalCluster

    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as cluster:

        def running(_: ShardExecutor) -> list[int]:
            return [nanny.pid for nanny in cluster.workers.values() if nanny.pid]

        def settle() -> None:
            # Dask starts a worker again, but gives one up that dies while it starts.
            until = time.monotonic() + _AGAIN
            while len(cluster.scheduler.workers) < workers and time.monotonic() < until:
                cluster.scale(workers)
                time.sleep(0.5)

        yield Readers(f"dask, {workers} workers", lambda: DaskCluster(cluster.scheduler_address), running, settle)


class SshParts:
    """Each part is read by another user, over a connection of its own."""

    def __init__(self) -> None:
        self._connections: dict[int, SshConnection] = {}

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        """See `ShardExecutor`."""
        if spec.number in self._connections:
            self._connections[spec.number].close()
        hello = {"scopes": (), "exclude": (), "noIgnore": False, "part": (spec.number, spec.of)}
        there = self._connections[spec.number] = SshConnection(f"ssh://{HOST}{spec.paths[0]}", __version__, hello)
        return RemoteShard(spec.name, lambda data: there.send(data, until))

    @property
    def running(self) -> dict[int, subprocess.Popen[bytes]]:
        """The process of ``ssh`` for each part."""
        return {number: one.process for number, one in self._connections.items() if one.process is not None}

    def close(self) -> None:
        """See `ShardExecutor`."""
        for there in self._connections.values():
            there.close()


def _shards_of(server: SshServer) -> list[int]:
    """The processes in which the other user reads."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, KeyError):
            if folder.owner() == server.user and _SHARD in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


@contextmanager
def ssh() -> Iterator[Readers]:
    """A server of this machine, and ``ssh`` set up for it. A fault strikes here or there."""
    with ssh_server() as server:
        if isinstance(server, str):
            raise SystemExit(server)
        os.environ["PATH"] = f"{server.programs}{os.pathsep}{os.environ['PATH']}"

        def running(executor: ShardExecutor) -> list[int]:
            assert isinstance(executor, SshParts)
            return [process.pid for process in executor.running.values()] + _shards_of(server)

        yield Readers("ssh", SshParts, running)


@contextmanager
def processes() -> Iterator[Readers]:
    """Processes of this machine."""

    def running(executor: ShardExecutor) -> list[int]:
        assert isinstance(executor, Processes)
        return [process.pid for process in list(executor.running.values())]

    yield Readers("processes", Processes, running)


def compared(
    folder: Path, asked: list[str], whole: list[Findings], readers: Readers, parts: int, into: Counter[str]
) -> None:
    """Ask all questions of a folder in parts; equal results and milliseconds go ``into`` a counter."""
    name = f"{readers.name}, {parts} {'part' if parts == 1 else 'parts'}"
    with closing(ShardedLens(readers.start(), [folder], parts)) as lens:
        for question, expected in zip(asked, whole, strict=True):
            into[f"{name}: asked"] += 1
            try:
                found, milliseconds = _timed(lens, question)
            except ShardLost:
                into[f"{name}: refused, nobody answered"] += 1
                continue
            into[f"{name}: milliseconds"] += milliseconds
            into[f"{name}: equal"] += told(found) == expected
            if any(part.lost is not None for part in found.coverage.shards):
                into[f"{name}: parts missing and named"] += 1
            elif told(found) != expected:
                print(json.dumps({"differs": name, "folder": folder.name, "question": question}), flush=True)


def _timed(lens: ShardedLens, question: str) -> tuple[Findings, int]:
    begun = time.perf_counter()
    found = lens.find(Request(question, limit=_LIMIT))
    return found, round(1000 * (time.perf_counter() - begun))


class _Some(Processes):
    """Processes for some parts alone; nobody reads the others."""

    def __init__(self, numbers: frozenset[int]) -> None:
        super().__init__()
        self._numbers = numbers

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        """See `ShardExecutor`."""
        return super().shard(spec, until) if spec.number in self._numbers else None


class Peace:
    """What a search of some parts of a folder gives where nothing is struck."""

    def __init__(self, folder: Path, parts: int = _PARTS) -> None:
        self.every = frozenset(range(parts))
        self._folder = folder
        self._lenses: dict[frozenset[int], ShardedLens] = {}

    def find(self, question: str, numbers: frozenset[int]) -> Findings:
        """The search of the parts of these numbers, from 0."""
        if numbers not in self._lenses:
            self._lenses[numbers] = ShardedLens(_Some(numbers), [self._folder], len(self.every))
        return self._lenses[numbers].find(Request(question, limit=_LIMIT))

    def close(self) -> None:
        """End the processes."""
        for lens in self._lenses.values():
            lens.close()


def complaints(found: Findings, question: str, peace: Peace) -> list[str]:
    """What is wrong with an answer that was struck. Which parts it read is checked, not believed: its result must be
    that of a search of just these."""
    wrong = []
    lost = {part.name for part in found.coverage.shards if part.lost is not None}
    numbers = {part.name: int(_PART.match(part.name)[1]) - 1 for part in found.coverage.shards}  # type: ignore[index]
    if sorted(numbers.values()) != sorted(peace.every):
        wrong.append("a part is neither read nor lost")
    if {skip.path for skip in found.coverage.skipped if skip.reason is SkipReason.NO_ANSWER} != lost:
        wrong.append("the coverage does not name what was not read")
    if {name for name in lost if any(warning.startswith(f"{name} was not") for warning in found.warnings)} != lost:
        wrong.append("no warning names what was not read")
    read = frozenset(number for name, number in numbers.items() if name not in lost)
    if not read or _unnamed(found) != _unnamed(peace.find(question, read)):
        wrong.append(f"it is not what the parts {sorted(one + 1 for one in read)} hold")
    return wrong


def _unnamed(found: Findings) -> Findings:
    """What was found, without which parts were lost."""
    skipped = tuple(skip for skip in found.coverage.skipped if skip.reason is not SkipReason.NO_ANSWER)
    lost = [part.name for part in found.coverage.shards if part.lost is not None]
    warnings = tuple(w for w in found.warnings if not w.startswith(tuple(f"{name} was not" for name in lost)))
    return replace(told(found), coverage=replace(told(found).coverage, skipped=skipped), warnings=warnings)


def struck(
    folder: Path,
    asked: Sequence[str],
    readers: Readers,
    fault: signal.Signals,
    chance: random.Random,
    peace: Peace,
    most: float,
    into: Counter[str],
) -> None:
    """Ask all questions of a folder in parts while who reads them gets a signal; each has at ``most`` so many
    seconds."""
    name = f"{fault.name}, {readers.name}"
    executor = readers.start()
    usual = 1.0

    def strike(moments: Sequence[float], hit: list[int]) -> None:
        for moment in moments:
            time.sleep(moment)
            running = readers.running(executor)
            with suppress(ProcessLookupError, IndexError):
                os.kill(chosen := chance.choice(running), fault)
                hit.append(chosen)

    with closing(ShardedLens(executor, [folder], _PARTS, seconds=most)) as lens:
        with suppress(ShardLost):
            usual = max(0.2, _timed(lens, asked[0])[1] / 1000)
        for question in asked:
            readers.settle()
            times, hit = chance.choice((1, 2, 4)), list[int]()
            moments = [usual * chance.random() / times for _ in range(times)]
            striker = threading.Thread(target=strike, args=(moments, hit))
            begun = time.perf_counter()
            striker.start()
            try:
                found = lens.find(Request(question, limit=_LIMIT))
            except ShardLost:
                found = None
            seconds = time.perf_counter() - begun
            striker.join()
            for pid in hit if fault == signal.SIGSTOP else ():  # a host that comes back
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            into[f"{name}: asked"] += 1
            into[f"{name}: signals"] += len(hit)
            into[f"{name}: slowest, milliseconds"] = max(into[f"{name}: slowest, milliseconds"], round(1000 * seconds))
            into[f"{name}: more than a second late"] += seconds > most + 1
            if found is None:
                into[f"{name}: refused, nobody answered"] += 1
                continue
            wrong = complaints(found, question, peace)
            lost = sum(part.lost is not None for part in found.coverage.shards)
            into[f"{name}: wrong"] += bool(wrong)
            into[f"{name}: whole"] += not wrong and not lost
            into[f"{name}: parts missing and named"] += not wrong and bool(lost)
            if wrong:
                print(
                    json.dumps({"wrong": name, "folder": folder.name, "question": question, "why": wrong}), flush=True
                )


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shard_equality")
    parser.add_argument("data", type=Path, help="the folder of evaluation data")
    parser.add_argument("--work", type=Path, required=True, help="where the folders are unpacked")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="only these folders and rows")
    parser.add_argument("--parts", type=int, nargs="*", default=[1, 2, 3, 7])
    parser.add_argument("--no-processes", action="store_true", help="without processes of this machine")
    parser.add_argument("--dask", type=int, default=0, metavar="N", help="also with a cluster of N workers")
    parser.add_argument("--ssh", action="store_true", help="also over ssh, by another user of this machine")
    parser.add_argument("--kill", action="store_true", help="also kill who reads during the questions")
    parser.add_argument("--stop", action="store_true", help="also stop who reads, as a host that does not answer")
    parser.add_argument("--seconds", type=float, default=30.0, help="of a question with faults (default 30)")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server's user is removed then, too
    into: Counter[str] = Counter()
    chance = random.Random(1)
    faults = [signal.SIGKILL] * args.kill + [signal.SIGSTOP] * args.stop
    with ExitStack() as stack:
        kinds = [] if args.no_processes else [stack.enter_context(processes())]
        kinds += [stack.enter_context(dask(args.dask))] if args.dask else []
        kinds += [stack.enter_context(ssh())] if args.ssh else []
        for name, folder, asked in folders_of(args.data, args.work, args.questions, args.only):
            if args.parts:
                one = Lens([folder])
                begun = time.perf_counter()
                whole = [told(one.find(Request(question, limit=_LIMIT))) for question in asked]
                into["one process: milliseconds"] += round(1000 * (time.perf_counter() - begun))
                into["one process: asked"] += len(asked)
                for readers in kinds:
                    for parts in args.parts:
                        compared(folder, asked, whole, readers, parts, into)
                    _put(name, into)
            with closing(Peace(folder)) as peace:
                for readers in kinds:
                    for fault in faults:
                        struck(folder, asked, readers, fault, chance, peace, args.seconds, into)
            _put(name, into)
    return 0


def _put(folder: str, into: Counter[str]) -> None:
    rows: dict[str, dict[str, int]] = {}
    for key, value in into.items():
        row, _, column = key.rpartition(": ")
        rows.setdefault(row, {})[column] = value
    for row, figures in sorted(rows.items()):
        print(json.dumps({"row": row, "until": folder, **figures}), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
