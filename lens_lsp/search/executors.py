"""Who reads the parts of a workspace: processes of this machine, or the workers of a Dask cluster.

A `ShardPool` keeps them between questions, with their texts. A step may take half of the time that a question has left,
and a process says each second that it works. One that dies, falls silent or is late loses the question its part: it is
read by another once, and then named as missing, and the question begins anew over the parts that are left, so that its
result is always exact for what was read.
"""

from __future__ import annotations

import math
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
from contextlib import closing, suppress
from typing import IO, Any, Protocol, TypeVar, cast

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.model.errors import LensError, UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.search.shards import LocalShard, Open, RemoteShard, Shard, ShardLost, ShardServer, ShardSet

Result = TypeVar("Result")
_SIZE = struct.Struct("<Q")
MOST_BYTES = 1 << 30
"""Bytes of one message; more are none of ours."""
_PART = 1 << 20
"""Bytes of it that are waited for together."""
_LOOK = 0.5
"""Seconds between two looks at whether a worker of a cluster is still there."""
_BEAT = 1.0
"""Seconds after which a process that works on a request says so."""
_STEP = 1 / 2
"""Share of a question's time that is left which one step may take."""
_SILENCE, _SILENT = 15.0, 1 / 4
"""Seconds, and share of a step, for which a process that has spoken may say nothing: the lesser of the two."""


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
        time of `time.monotonic` the reply to a request of now is waited for."""
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
                for one in (error, *error.also):
                    number = next(number for number, shard in live.items() if shard.name == one.name)
                    self._shards.pop(number)
                    lost[number] = lost.get(number, 0) + 1
                    if lost[number] > 1:
                        missing[number] = one

    def _step_end(self) -> float:
        now = time.monotonic()
        return now + _STEP * max(0.0, self._until - now)

    def _find_reader(self, spec: ShardSpec, missing: dict[int, ShardLost]) -> None:
        shard = self._executor.shard(spec, self._step_end)
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
    """Requests to a process over its standard streams, one at a time; one that is late or silent is ended."""

    def __init__(self, process: subprocess.Popen[bytes], until: Callable[[], float]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._until = process, until
        self._given, self._taken = process.stdin, process.stdout
        self._lock = threading.Lock()
        self._heard = math.inf
        """When it said something last; until it does, nobody knows how long it needs to start."""
        self._ended = ""

    def put(self, data: bytes) -> None:
        put_message(self._given, data)

    def send(self, data: bytes) -> bytes:
        with self._lock:
            done = threading.Event()
            if self._heard < math.inf:
                self._hear()
            threading.Thread(target=self._watch, args=(done, self._until()), daemon=True).start()
            try:
                self.put(data)
                while not (reply := take_message(self._taken, self._hear)):
                    pass
                return reply
            except (OSError, EOFError, ValueError) as error:  # ValueError: its streams are closed
                raise EOFError(self._ended or str(error)) from error
            finally:
                done.set()

    def _hear(self) -> None:
        self._heard = time.monotonic()

    def _watch(self, done: threading.Event, until: float) -> None:
        """End the process where it says nothing for too long, or does not answer until a moment."""
        silence = min(_SILENCE, _SILENT * (until - time.monotonic()))
        while not done.wait(max(0.0, min(until, self._heard + silence) - time.monotonic())):
            now = time.monotonic()
            if now >= min(until, self._heard + silence):
                self._ended = "it did not answer in time" if now >= until else f"it said nothing for {silence:.1f} s"
                self._process.kill()
                return


def put_message(stream: IO[bytes], data: bytes) -> None:
    """Write a message: its size in eight bytes, then its bytes. One without bytes says that a reply is being made."""
    stream.write(_SIZE.pack(len(data)))
    stream.write(data)
    stream.flush()


def take_message(stream: IO[bytes], heard: Callable[[], None] = lambda: None) -> bytes:
    """Read a message; ``heard`` is told whenever a part of it came. Raises EOFError where the other side has ended,
    OSError for one that is none."""
    head = stream.read(_SIZE.size)
    if len(head) < _SIZE.size:
        raise EOFError("it ended")
    (size,) = _SIZE.unpack(head)
    if size > MOST_BYTES:
        raise OSError("it sent what is no message")
    data = bytearray()
    heard()
    while len(data) < size:
        part = stream.read(min(size - len(data), _PART))
        if not part:
            raise EOFError("it ended in the middle of a reply")
        data += part
        heard()
    return bytes(data)


def serve(server: ShardServer, requests: IO[bytes], replies: IO[bytes]) -> None:
    """Answer requests until there are no more, and say every second that a reply is being made."""
    with suppress(EOFError, OSError):  # the other side has ended
        while True:
            data, done = take_message(requests), threading.Event()
            beat = threading.Thread(target=_beat, args=(replies, done), daemon=True)
            beat.start()
            try:
                reply = server.handle(data)
            finally:
                done.set()
                beat.join()
            put_message(replies, reply)


def _beat(replies: IO[bytes], done: threading.Event) -> None:
    with suppress(OSError):
        while not done.wait(_BEAT):
            put_message(replies, b"")


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
                return self._reply(future, address, until())
            finally:
                future.cancel()

        return RemoteShard(f"{spec.name} (worker {address})", send)

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
