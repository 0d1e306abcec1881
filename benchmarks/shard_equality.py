"""Whether parts of a workspace that others read give what one process gives, question by question; and what is said
when they are killed.

python -m benchmarks.shard_equality "$LENS_DATA/docsqa" --work runs/shards [--questions 200] [--parts 1 2 3 7]
    [--dask 2] [--ssh] [--kill] [--stop]

The questions are plain queries; nothing is read of what proves their answers. ``--ssh`` starts an ``sshd`` of this
machine and lets another user in, whom it makes and removes; it needs root, and a folder for ``--work`` that everybody
may read. ``--kill`` ends a process with SIGKILL at a random moment of each question, ``--stop`` halts one: its answer
must be the whole, or name what was not read.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path

from evaluation.data.docsqa import open_docsqa, unpack
from lens_lsp import __version__
from lens_lsp.app.lens import Lens
from lens_lsp.app.settings import Request
from lens_lsp.app.sharded_lens import ShardedLens
from lens_lsp.corpus.ssh import SshConnection
from lens_lsp.model.documents import Findings, SkipReason
from lens_lsp.search.executors import DaskCluster, Processes, ShardExecutor, ShardSpec
from lens_lsp.search.shards import RemoteShard, Shard
from tests.ssh_server import HOST, ssh_server

_LIMIT = 20


def questions_of(data: Path, work: Path, most: int) -> Iterator[tuple[Path, list[str]]]:
    """The folders, unpacked, each with its questions, about as many of each."""
    dataset = open_docsqa(data)
    by_folder: dict[str, list[str]] = {}
    for question in dataset.questions:
        by_folder.setdefault(question.workspace, []).append(question.question)
    each = -(-most // len(by_folder))
    left = most
    for name, asked in sorted(by_folder.items()):
        chosen = asked[: min(each, left)]
        left -= len(chosen)
        if chosen:
            yield unpack(dataset, name, work), chosen


def told(found: Findings) -> Findings:
    """All that is found, without times and without who read it."""
    return replace(found, stages=(), coverage=replace(found.coverage, shards=()))


@contextmanager
def dask(workers: int) -> Iterator[Callable[[], ShardExecutor]]:
    """A cluster of this machine, of so many workers."""
    from distributed import LocalCluster

    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield lambda: DaskCluster(cluster.scheduler_address)


class SshParts:
    """Each part is read by another user, over a connection of its own."""

    def __init__(self) -> None:
        self._connections: dict[int, SshConnection] = {}

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        """See `ShardExecutor`."""
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


@contextmanager
def ssh() -> Iterator[Callable[[], SshParts]]:
    """A server of this machine, and ``ssh`` set up for it."""
    with ssh_server() as server:
        if isinstance(server, str):
            raise SystemExit(server)
        os.environ["PATH"] = f"{server.programs}{os.pathsep}{os.environ['PATH']}"
        yield SshParts


def compared(
    folder: Path,
    asked: list[str],
    whole: list[Findings],
    executor: ShardExecutor,
    parts: int,
    name: str,
    into: Counter[str],
) -> None:
    """Ask all questions of a folder in parts; equal results and seconds go ``into`` a counter."""
    lens = ShardedLens(executor, [folder], parts)
    with closing(lens):
        for question, expected in zip(asked, whole, strict=True):
            begun = time.perf_counter()
            found = lens.find(Request(question, limit=_LIMIT))
            into[f"{name}: milliseconds"] += round(1000 * (time.perf_counter() - begun))
            into[f"{name}: asked"] += 1
            into[f"{name}: equal"] += told(found) == expected
            if told(found) != expected:
                print(f"differs: {name}: {folder.name}: {question}", flush=True)


def faulty(
    folder: Path,
    asked: list[str],
    whole: list[Findings],
    executor: Processes | SshParts,
    fault: signal.Signals,
    chance: random.Random,
    name: str,
    into: Counter[str],
) -> None:
    """Ask all questions of a folder in three parts while who reads them gets a signal."""
    lens = ShardedLens(executor, [folder], 3, seconds=60.0)

    def strike(times: int, pause: float) -> None:
        for _ in range(times):
            time.sleep(pause * chance.random())
            running = [process.pid for process in list(executor.running.values())]
            with suppress(ProcessLookupError):
                if running:
                    os.kill(chance.choice(running), fault)

    with closing(lens):
        lens.find(Request(asked[0], limit=_LIMIT))
        for question, expected in zip(asked, whole, strict=True):
            striker = threading.Thread(target=strike, args=(chance.choice((1, 2, 4)), 1.0))
            begun = time.perf_counter()
            striker.start()
            found = lens.find(Request(question, limit=_LIMIT))
            seconds = time.perf_counter() - begun
            striker.join()
            lost = [part.name for part in found.coverage.shards if part.lost is not None]
            named = [skip.path for skip in found.coverage.skipped if skip.reason is SkipReason.NO_ANSWER]
            into[f"{name}: asked"] += 1
            into[f"{name}: whole"] += not lost and told(found) == expected
            into[f"{name}: part missing and named"] += bool(lost) and sorted(lost) == sorted(named)
            into[f"{name}: within a minute"] += seconds < 60.0


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shard_equality")
    parser.add_argument("data", type=Path, help="the DocsQA folder")
    parser.add_argument("--work", type=Path, required=True, help="where the folders are unpacked")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--parts", type=int, nargs="*", default=[1, 2, 3, 7])
    parser.add_argument("--dask", type=int, default=0, metavar="N", help="also with a cluster of N workers")
    parser.add_argument("--ssh", action="store_true", help="also over ssh, by another user of this machine")
    parser.add_argument("--kill", action="store_true", help="also kill who reads during the questions")
    parser.add_argument("--stop", action="store_true", help="also stop who reads, as a host that does not answer")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server's user is removed then, too
    into: Counter[str] = Counter()
    chance = random.Random(1)
    faults = [signal.SIGKILL] * args.kill + [signal.SIGSTOP] * args.stop
    with (
        dask(args.dask) if args.dask else nullcontext() as cluster,
        ssh() if args.ssh else nullcontext() as connected,
    ):
        for folder, asked in questions_of(args.data, args.work, args.questions):
            one = Lens([folder])
            begun = time.perf_counter()
            whole = [told(one.find(Request(question, limit=_LIMIT))) for question in asked]
            into["one process: milliseconds"] += round(1000 * (time.perf_counter() - begun))
            into["one process: asked"] += len(asked)
            for parts in args.parts:
                compared(folder, asked, whole, Processes(), parts, f"{parts} processes", into)
            if cluster is not None:
                for parts in args.parts:
                    compared(folder, asked, whole, cluster(), parts, f"{args.dask} workers, {parts} parts", into)
            if connected is not None:
                for parts in args.parts:
                    compared(folder, asked, whole, connected(), parts, f"{parts} parts over ssh", into)
            for fault in faults:
                faulty(folder, asked, whole, Processes(), fault, chance, f"{fault.name}, processes", into)
                if connected is not None:
                    faulty(folder, asked, whole, connected(), fault, chance, f"{fault.name}, ssh", into)
            print(f"{folder.name}: {dict(into)}", flush=True)
    for name, value in sorted(into.items()):
        print(f"{name}: {value:,}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
