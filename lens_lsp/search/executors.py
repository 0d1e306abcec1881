"""Who reads the parts of a workspace: processes of this machine, or the workers of a Dask cluster.

A `ShardPool` keeps them between questions, with their texts. A worker that dies or does not answer in time loses the
question its part: it is read by another once, and then named as missing, and the question begins anew over the parts
that are left, so that its result is always exact for what was read.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from contextlib import closing
from typing import IO, Any, Protocol, TypeVar, cast

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.model.errors import LensError, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.search.shards import LocalShard, Open, RemoteShard, Shard, ShardLost, ShardServer, ShardSet

Result = TypeVar("Result")
_SIZE = struct.Struct("<Q")
MOST_BYTES = 1 << 30
"""Bytes of one message; more are none of ours."""
_LOOK = 0.5
"""Seconds between two looks at whether a worker of a cluster is still there."""


@dataclass(frozen=True, slots=True)
class ShardSpec:
    """What a worker reads: absolute paths, their rules, and which part of how many."""

    paths: tuple[str, ...]
    rules: CorpusRules
    memory: int | None
    number: int
    of: int

    @property
    def name(self) -> str:
        """What people call it."""
        return f"part {self.number + 1} of {self.of}"

    def server(self) -> ShardServer:
        """A worker that reads it in this process."""
        return ShardServer(LocalShard(self.paths, self.rules, self.memory, part=(self.number, self.of), name=self.name))


class ShardExecutor(Protocol):
    """Something that reads parts."""

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        """Whoever reads a part from now on, another than before; None where there is nobody. ``until`` tells to what
        time of `time.monotonic` a reply is waited for."""
        ...

    def close(self) -> None:
        """End all that it started."""
        ...


class ShardPool:
    """The parts of some paths and who reads them. Not safe for threads: one question at a time."""

    def __init__(
        self,
        executor: ShardExecutor,
        paths: Sequence[str | os.PathLike[str]],
        parts: int,
        *,
        rules: CorpusRules = CorpusRules(),
        memory: int | None = None,
    ) -> None:
        if parts < 1:
            raise UsageError("the number of parts must be at least 1")
        found = tuple(os.path.abspath(path) for path in paths)
        self.specs = [ShardSpec(found, rules, memory, number, parts) for number in range(parts)]
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
                number = next(number for number, shard in live.items() if shard.name == error.name)
                self._shards.pop(number)
                lost[number] = lost.get(number, 0) + 1
                if lost[number] > 1:
                    missing[number] = error

    def _find_reader(self, spec: ShardSpec, missing: dict[int, ShardLost]) -> None:
        shard = self._executor.shard(spec, lambda: self._until)
        if shard is None:
            missing[spec.number] = ShardLost(spec.name, "nobody is there to read it")
        else:
            self._shards[spec.number] = shard

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
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.running[spec.number] = process
        connection = _Pipe(process, until)
        try:
            connection.put(pickle.dumps(spec))
        except OSError:
            return None
        return RemoteShard(f"{spec.name} (process {process.pid})", connection.send)

    def close(self) -> None:
        """See `ShardExecutor`."""
        for number in list(self.running):
            self._end(number)

    def _end(self, number: int) -> None:
        process = self.running.pop(number, None)
        if process is not None:
            process.kill()
            process.communicate()


class _Pipe:
    """Requests to a process over its standard streams, one at a time; one that is late is ended."""

    def __init__(self, process: subprocess.Popen[bytes], until: Callable[[], float]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._until = process, until
        self._given, self._taken = process.stdin, process.stdout
        self._lock = threading.Lock()

    def put(self, data: bytes) -> None:
        put_message(self._given, data)

    def send(self, data: bytes) -> bytes:
        with self._lock:
            timer = threading.Timer(max(0.0, self._until() - time.monotonic()), self._process.kill)
            timer.daemon = True
            timer.start()
            try:
                self.put(data)
                return take_message(self._taken)
            except ValueError as error:  # its streams are closed
                raise EOFError(str(error)) from error
            finally:
                timer.cancel()


def put_message(stream: IO[bytes], data: bytes) -> None:
    """Write a message: its size in eight bytes, then its bytes."""
    stream.write(_SIZE.pack(len(data)))
    stream.write(data)
    stream.flush()


def take_message(stream: IO[bytes]) -> bytes:
    """Read a message. Raises EOFError where the other side has ended, OSError for one that is none."""
    head = stream.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise EOFError("it ended")
    (size,) = _SIZE.unpack(head)
    if size > MOST_BYTES:
        raise OSError("it sent what is no message")
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("it ended in the middle of a reply")
    return data


def serve(server: ShardServer, requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer requests until there are no more."""
    while True:
        try:
            data = take_message(requests)
        except (EOFError, OSError):
            return
        put_message(replies, server.handle(data))


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

    @property
    def workers(self) -> list[str]:
        """The addresses of the workers, in order."""
        return sorted(self._client.scheduler_info(n_workers=-1)["workers"])

    def shard(self, spec: ShardSpec, until: Callable[[], float]) -> Shard | None:
        """See `ShardExecutor`. The worker with the fewest parts reads, another than before if there is one."""
        before = self._at.pop(spec.number, None)
        busy = list(self._at.values())
        workers = sorted(self.workers, key=lambda one: (one == before, busy.count(one), one))
        if not workers:
            return None
        address = self._at[spec.number] = workers[0]
        executor = self._client.get_executor(workers=[address], allow_other_workers=False, pure=False, retries=0)

        def send(data: bytes) -> bytes:
            future: Future[bytes] = executor.submit(handle, spec, data)
            try:
                return self._reply(future, address, until)
            finally:
                future.cancel()

        return RemoteShard(f"{spec.name} (worker {address})", send)

    def _reply(self, future: Future[bytes], address: str, until: Callable[[], float]) -> bytes:
        while True:
            try:
                return future.result(max(0.0, min(_LOOK, until() - time.monotonic())))
            except NotDone as error:
                if time.monotonic() >= until():
                    raise TimeoutError("no answer within the time of the question") from error
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
_OPENING = threading.Lock()


def handle(spec: ShardSpec, data: bytes) -> bytes:
    """On a worker of a cluster: the reply to a request about a part, whose texts it keeps."""
    with _OPENING:
        key = pickle.dumps(spec)
        known = _SERVERS.get(key)
        if known is None:
            known = _SERVERS[key] = threading.Lock(), spec.server()
    lock, server = known
    with lock:
        return server.handle(data)


def main() -> int:
    """In a process of `Processes`: read what is to be read, then answer."""
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    spec: ShardSpec = pickle.loads(take_message(requests))  # from the process that started this one
    sys.stdout = sys.stderr
    serve(spec.server(), requests, replies)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
