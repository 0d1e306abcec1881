"""Who reads the parts of a workspace: processes of this machine, the workers of a Dask cluster, or other machines.

A `ShardPool` keeps them between questions, with their texts. A step may take half of the time that a question has left,
and a process says each second that it works. One that dies, falls silent or is late loses the question its part: it is
read by another once, and then named as missing, and the question begins anew over the parts that are left, so that its
result is always exact for what was read.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from contextlib import closing
from typing import Any, Protocol, TypeVar, cast

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.pipes import Pipe, keyless_environment, serve, take_message
from lens_lsp.corpus.ssh import SshPlace, connection
from lens_lsp.disk import is_ssh_url
from lens_lsp.model.errors import LensError, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.search.shards import LocalShard, Open, PlacedShard, RemoteShard, Shard, ShardLost, ShardServer, ShardSet

Result = TypeVar("Result")
_LOOK = 0.5
"""Seconds between two looks at whether a worker of a cluster is still there."""
_AGAIN = 5.0
"""Seconds in which a cluster without a worker may get one."""
_MOST_KEPT = 32
"""Parts whose texts a worker of a cluster keeps."""
_STEP = 1 / 2
"""Share of a question's time that is left which one step may take."""


@dataclass(frozen=True, slots=True)
class ShardSpec:
    """What a worker reads: absolute paths, their rules, and which part of how many."""

    paths: tuple[str, ...]
    rules: CorpusRules
    memory: int | None
    number: int
    """Of all specs of a question, from 0."""
    of: int
    """1 where it is no part but all of its paths."""
    roots: tuple[int, ...] | None = None
    """The numbers of its paths among those of the question; None for all."""

    @property
    def name(self) -> str:
        """What people call it."""
        if self.of > 1 or self.roots is None:
            return f"part {self.number + 1} of {self.of}"
        return self.paths[0] if self.elsewhere else "this machine"

    @property
    def elsewhere(self) -> bool:
        """Whether it is a folder of another machine."""
        return is_ssh_url(self.paths[0])

    def server(self) -> ShardServer:
        """A worker that reads it in this process."""
        part = (self.number, self.of) if self.of > 1 else None
        return ShardServer(LocalShard(self.paths, self.rules, self.memory, part=part, name=self.name))


def parts_of(paths: Sequence[str], rules: CorpusRules, memory: int | None, parts: int) -> list[ShardSpec]:
    """Specs of paths in so many parts; where some are folders of other machines, each of these is one. Raises
    `UsageError`."""
    if parts < 1:
        raise UsageError("the number of parts must be at least 1")
    places = [(n,) for n, path in enumerate(paths) if is_ssh_url(path)]
    if not places:
        return [ShardSpec(tuple(paths), rules, memory, number, parts) for number in range(parts)]
    here = tuple(n for n, path in enumerate(paths) if not is_ssh_url(path))
    return [
        ShardSpec(tuple(paths[n] for n in roots), rules, memory, number, 1, roots)
        for number, roots in enumerate([here, *places] if here else places)
    ]


class ShardExecutor(Protocol):
    """Something that reads parts."""

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        """Whoever reads a part from now on, another than before; None where there is nobody. ``until`` tells to what
        time of `time.monotonic` the reply to a request of now is waited for."""
        ...

    def close(self) -> None:
        """End all that it started."""
        ...


class ShardPool:
    """The parts of some paths and who reads them. Not safe for threads: one question at a time."""

    def __init__(self, executor: ShardExecutor, specs: Sequence[ShardSpec]) -> None:
        self.specs = tuple(specs)
        self._executor = executor
        self._shards: dict[int, Shard] = {}
        self._until = 0.0

    def run(self, question: str, seconds: float, work: Callable[[ShardSet, Sequence[ShardLost]], Result]) -> Result:
        """Do some ``work`` over the parts, and tell it which are missing, and why.

        It is done anew whenever a part is lost. Raises `ShardLost` where none is left or the ``seconds`` are over.
        """
        self._until = time.monotonic() + seconds
        lost: dict[int, int] = {}
        missing: dict[int, ShardLost] = {}
        while True:
            for spec in self.specs:
                if spec.number not in self._shards and spec.number not in missing:
                    self._find_reader(spec, missing)
            live = {number: self._shards[number] for number in sorted(self._shards) if number not in missing}
            if not live or time.monotonic() >= self._until:
                raise next(iter(missing.values()), ShardLost("every part", "the time of the question is over"))
            left = self._until - time.monotonic()
            try:
                with closing(ShardSet(list(live.values()), Open(question, left))) as shards:
                    return work(shards, list(missing.values()))
            except ShardLost as error:
                for one in (error, *error.also):
                    number = next(number for number, shard in live.items() if shard.name == one.name)
                    self._shards.pop(number)
                    lost[number] = lost.get(number, 0) + 1
                    if one.final or lost[number] > 1:
                        missing[number] = one

    def _step_end(self) -> float:
        now = time.monotonic()
        return now + _STEP * max(0.0, self._until - now)

    def _find_reader(self, spec: ShardSpec, missing: dict[int, ShardLost]) -> None:
        shard = self._executor.shard(spec, self._step_end)
        if shard is None:
            missing[spec.number] = ShardLost(spec.name, "nobody is there to read it")
        elif spec.roots is None:
            self._shards[spec.number] = shard
        else:
            machine = SshPlace.of(spec.paths[0]).machine if spec.elsewhere else None
            self._shards[spec.number] = PlacedShard(shard, spec.roots, spec.paths, machine)

    def close(self) -> None:
        """End who reads."""
        self._shards.clear()
        self._executor.close()


class Processes:
    """A process of this machine for each part."""

    def __init__(self) -> None:
        self.running: dict[int, subprocess.Popen[bytes]] = {}
        """The process of each part."""

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        """See `ShardExecutor`."""
        self._end(spec.number)
        # The interpreter and the module that run here, in a folder that says nothing to Python.
        command = [sys.executable, "-P", "-m", "lens_lsp.search.executors"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=keyless_environment())
        self.running[spec.number] = process
        pipe = Pipe(process)
        try:
            pipe.put(pickle.dumps(spec))
        except OSError:
            return None
        return RemoteShard(f"{spec.name} (process {process.pid})", lambda data: pipe.send(data, until))

    def close(self) -> None:
        """See `ShardExecutor`."""
        for number in list(self.running):
            self._end(number)

    def _end(self, number: int) -> None:
        process = self.running.pop(number, None)
        if process is not None:
            process.kill()
            process.communicate()


class Machines(Processes):
    """A connection to the other machine of each folder that lies on one; the others are read by a process here."""

    def __init__(self) -> None:
        super().__init__()
        self._connected: set[str] = set()

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        """See `ShardExecutor`. Raises `PathRefused` for a folder that the user did not type."""
        if not spec.elsewhere:
            return super().shard(spec, until)
        there = connection(spec.paths[0])
        self._connected.add(spec.paths[0])
        return RemoteShard(spec.name, lambda data: there.send(data, until))

    def close(self) -> None:
        """See `ShardExecutor`."""
        super().close()
        while self._connected:
            connection(self._connected.pop()).close()


class DaskCluster:
    """The workers of a Dask cluster: each part has one, that keeps its texts.

    ``scheduler`` is the address of its scheduler, which the user's own settings alone may name. Needs the extra
    ``lens-lsp[cluster]``. Raises `UsageError` where that or the scheduler is missing.
    """

    def __init__(self, scheduler: str, *, seconds: float = 10.0) -> None:
        """``seconds`` are how long the scheduler is waited for."""
        try:
            from distributed import Client  # an extra, and seconds to import
        except ImportError as error:
            raise UsageError("a Dask cluster needs lens-lsp[cluster]: pip install 'lens-lsp[cluster]'") from error
        try:
            self._client = cast(Any, Client)(scheduler, timeout=seconds, set_as_default=False)
        except (OSError, ValueError, NotDone) as error:
            raise UsageError(f"the scheduler at {scheduler} does not answer: {error}") from error
        self._at: dict[int, str] = {}
        self._gone: float | None = None
        """Since when there is no worker."""

    @property
    def workers(self) -> list[str]:
        """The addresses of the workers, in order."""
        return sorted(self._client.scheduler_info(n_workers=-1)["workers"])

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        """See `ShardExecutor`. The worker with the fewest parts reads, another than before if there is one."""
        before = self._at.pop(spec.number, None)
        busy = list(self._at.values())
        workers = sorted(self._there(until()), key=lambda one: (one == before, busy.count(one), one))
        if not workers:
            return None
        address = self._at[spec.number] = workers[0]
        executor = self._client.get_executor(workers=[address], allow_other_workers=False, pure=False, retries=0)

        def send(data: bytes) -> bytes:
            future: Future[bytes] = executor.submit(handle, spec, data)
            try:
                return self._reply(future, address, until())
            finally:
                future.cancel()

        return RemoteShard(f"{spec.name} (worker {address})", send)

    def _there(self, until: float) -> list[str]:
        """The workers. Where all are gone they are waited for, for whoever looks after the cluster may start others."""
        while not (found := self.workers):
            now = time.monotonic()
            self._gone = now if self._gone is None else self._gone
            if now >= min(until, self._gone + _AGAIN):
                return []
            time.sleep(_LOOK)
        self._gone = None
        return found

    def _reply(self, future: Future[bytes], address: str, until: float) -> bytes:
        while True:
            try:
                return future.result(max(0.0, min(_LOOK, until - time.monotonic())))
            except NotDone as error:
                if time.monotonic() >= until:
                    raise TimeoutError("it did not answer in time") from error
                if address not in self.workers:
                    raise EOFError("the worker is gone") from error
            except LensError:
                raise
            except Exception as error:  # whatever a cluster may raise: of a worker that died, of a scheduler that left
                raise EOFError(f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """See `ShardExecutor`. The workers are not ours: they go on, and keep their texts."""
        self._client.close()


_SERVERS: dict[bytes, tuple[threading.Lock, ShardServer]] = {}
"""The parts that were asked last, the longest ago first."""
_OPENING = threading.Lock()


def handle(spec: ShardSpec, data: bytes) -> bytes:
    """On a worker of a cluster: the reply to a request about a part, whose texts stay until others were asked."""
    with _OPENING:
        key = pickle.dumps(spec)
        known = _SERVERS.pop(key) if key in _SERVERS else (threading.Lock(), spec.server())
        _SERVERS[key] = known
        if len(_SERVERS) > _MOST_KEPT:  # who asks that one reads its part anew
            del _SERVERS[next(iter(_SERVERS))]
    lock, server = known
    with lock:
        return server.handle(data)


def main() -> int:
    """In a process of `Processes`: read what is to be read, then answer."""
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    spec: ShardSpec = pickle.loads(take_message(requests))  # from the process that started this one
    sys.stdout = sys.stderr
    serve(spec.server().handle, requests, replies)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
