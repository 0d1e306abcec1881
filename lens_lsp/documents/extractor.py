"""Documents turned into text by another process, which is killed when it takes too long and replaced when it dies.

Parsers of PDF and Office files can be made to use any amount of time and memory, and some to run a stranger's code. So
they run in a worker (`lens_lsp.documents.worker`) that is given bytes and limits and nothing else.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from types import MappingProxyType, TracebackType
from typing import IO, Any, TypeVar

from lens_lsp.documents.frames import (
    MOST_DATA,
    MOST_TEXT,
    Damaged,
    extracted_from,
    failure_from,
    glances_from,
    receive,
    scanned_from,
    scanned_to,
    send,
    strings_in,
    view_from,
)
from lens_lsp.documents.kinds import (
    INSTALL,
    KINDS,
    PICTURE,
    SCAN,
    UNLOCKING,
    DocumentKind,
    Extracted,
    Failure,
    ScannedPage,
    Unextracted,
    View,
    missing,
)

SECONDS = 2.0
"""As long as a worker that is running already may take for one document."""
PICTURE_SECONDS = 20.0
"""As long as it may take to draw a page."""
GRACE = 3.0
"""Seconds on top for a worker's first document of a kind: it starts and imports the libraries then."""
MEMORY = 700 << 20
"""Bytes of address space of one worker, where the system keeps to it."""
_T = TypeVar("_T")
_TICK = 0.02
"""Seconds between two looks at whether somebody still waits."""
_LAST_WORDS = 1.0
"""Seconds for the pipes of a killed worker to end; a descendant of its own may hold them open."""
_PACKAGE = __name__.partition(".")[0]
_PROGRAM = f"""\
import json, sys
sys.path += json.loads(sys.argv[1])["path"]
from {_PACKAGE}.documents.worker import main
main()
"""


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and what it started, and wait until it is gone; on Windows itself alone."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class Cancelled(Exception):
    """The caller cancelled the extraction, or the extractor was closed."""


class Extractor:
    """Turns documents into text, one at a time for each worker. For several threads; `close` it, or use ``with``.

    Workers start when they are first needed. ``memory`` is theirs in bytes, each; ``None`` lifts the limit. ``code``
    names more folders to import readers from.
    """

    def __init__(self, *, workers: int = 1, memory: int | None = MEMORY, code: Sequence[str] = ()) -> None:
        order = _order(memory, code)
        self._workers = [_WorkerProcess(order) for _ in range(workers)]
        self._idle = list(self._workers)
        self._change = threading.Condition()
        self._closed = False
        self.passwords: Sequence[str] = ()
        """What documents are tried to be opened with that need a password."""

    @property
    def started(self) -> int:
        """How many processes were started until now."""
        return sum(worker.started for worker in self._workers)

    @property
    def kept(self) -> frozenset[str]:
        """What is kept from the workers on this system (`confinement.Protection`); empty until one has answered."""
        return frozenset[str]().union(*(worker.kept for worker in self._workers))

    def extract(
        self,
        kind: DocumentKind,
        data: bytes,
        *,
        first: int = 0,
        seconds: float = SECONDS,
        cancelled: Callable[[], bool] | None = None,
    ) -> Extracted:
        """The text of a document; raises `Unextracted` if there is none and `Cancelled` when that is asked for.

        Of a kind that is read in parts, the part from the page ``first`` on, from 0; how much is left stands in it.
        ``seconds`` go by the clock, from when a worker takes the document on. A worker's first document of a kind has
        `GRACE` seconds more. ``cancelled`` is asked every few hundredths of a second.
        """
        more = {"part": (first, kind.part)} if kind.part else {}
        return self._done(kind, data, seconds, cancelled, extracted_from, more)

    def glance(
        self,
        kind: DocumentKind,
        documents: Sequence[bytes],
        *,
        seconds: float = SECONDS,
        cancelled: Callable[[], bool] | None = None,
    ) -> tuple[str, ...]:
        """What documents of a kind that ``glances`` say of themselves; empty for one that cannot be opened.

        At most `MOST_AT_ONCE`; ``seconds`` are for all of them. Otherwise as `extract`.
        """
        sizes = [len(data) for data in documents]

        def understood(head: dict[str, Any], body: bytes) -> tuple[str, ...]:
            return glances_from(head, len(sizes))

        return self._done(kind, b"".join(documents), seconds, cancelled, understood, {"sizes": sizes})

    def picture(
        self, kind: DocumentKind, data: bytes, index: int, *, cancelled: Callable[[], bool] | None = None
    ) -> tuple[bytes, int]:
        """The page ``index`` from 0 of a document as a binary PGM, and how many there are. Otherwise as `extract`."""

        def understood(head: dict[str, Any], body: bytes) -> tuple[bytes, int]:
            if not body.startswith(b"P5\n"):
                raise Damaged("no picture")
            return body, _pages(head)

        return self._done(kind, data, PICTURE_SECONDS, cancelled, understood, {"picture": index})

    def recognise(
        self, data: bytes, index: int, *, seconds: float, cancelled: Callable[[], bool] | None = None
    ) -> tuple[ScannedPage, int]:
        """What is read on a picture of the page ``index`` from 0 of a PDF, and how many there are. Otherwise as
        `extract`."""

        def understood(head: dict[str, Any], body: bytes) -> tuple[ScannedPage, int]:
            return scanned_from(head.get("scanned")), _pages(head)

        return self._done(SCAN, data, seconds, cancelled, understood, {"recognise": index})

    def view(
        self,
        kind: DocumentKind,
        data: bytes,
        page: int,
        quote: str,
        *,
        seconds: float = SECONDS,
        scanned: ScannedPage | None = None,
    ) -> View:
        """A page, from 1, as people see it, a quote marked: by its text layer, or by what was read on its picture. Of a
        kind with ``pictures``; otherwise as `extract`."""
        job = {"page": page, "quote": quote, "scanned": scanned and scanned_to(scanned)}
        return self._done(kind, data, seconds, None, view_from, job)

    def _done(
        self,
        kind: DocumentKind,
        data: bytes,
        seconds: float,
        cancelled: Callable[[], bool] | None,
        understood: Callable[[dict[str, Any], bytes], _T],
        more: Mapping[str, Any] = MappingProxyType({}),
    ) -> _T:
        """Send a job to a worker; ``understood`` reads its reply, ``more`` are other fields of the job."""
        if missing(kind):
            raise Unextracted(Failure.NO_READER, INSTALL)
        if len(data) > MOST_DATA:
            raise Unextracted(Failure.TOO_LARGE, f"{len(data):,} bytes")

        def stopped() -> bool:
            return self._closed or (cancelled is not None and cancelled())

        worker = self._take(stopped)
        try:
            secret = {"passwords": list(self.passwords)} if self.passwords else {}
            head, text = worker.read(kind, data, seconds, stopped, {**more, **secret})
            failure = failure_from(head)
            if failure is not None:
                raise failure
            return understood(head, text)
        except Damaged as reason:
            worker.end()
            raise Unextracted(Failure.DIED, f"the worker: {reason}") from reason
        finally:
            self._give(worker)

    def release(self) -> None:
        """End the workers that read nothing now; they start again when they are needed."""
        with self._change:
            for worker in self._idle:
                worker.end()

    def close(self) -> None:
        """End the workers; documents under way and later ones raise `Cancelled`."""
        self._closed = True
        with self._change:
            self._change.wait_for(lambda: len(self._idle) == len(self._workers))
            for worker in self._workers:
                worker.end()

    def __enter__(self) -> Extractor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self, stopped: Callable[[], bool]) -> _WorkerProcess:
        with self._change:
            while not stopped():
                if self._idle:
                    return self._idle.pop()
                self._change.wait(_TICK)
        raise Cancelled

    def _give(self, worker: _WorkerProcess) -> None:
        with self._change:
            self._idle.append(worker)
            self._change.notify_all()


class _WorkerProcess:
    """A worker process, started when it is first needed and again after its end. For one thread at a time."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.started = 0
        self.kept: frozenset[str] = frozenset()
        self._order = order
        self._process: subprocess.Popen[bytes] | None = None
        self._exchange: _Exchange | None = None
        self._known: set[str] = set()
        """The kinds whose libraries it has imported."""

    def read(
        self, kind: DocumentKind, data: bytes, seconds: float, stopped: Callable[[], bool], more: Mapping[str, Any]
    ) -> tuple[dict[str, Any], bytes]:
        """The reply to a document; raises `Unextracted` without one, `Damaged` for half of one, and `Cancelled`."""
        began = time.monotonic()
        process = self._running()
        allowed = seconds if kind.name in self._known else seconds + GRACE
        deadline = began + allowed
        job = {"module": kind.module, "reader": kind.reader, "seconds": allowed, **more}
        self._exchange = exchange = _Exchange(process, job, data)
        try:
            while not exchange.over.wait(max(0.0, min(_TICK, deadline - time.monotonic()))):
                if stopped():
                    raise Cancelled
                if time.monotonic() >= deadline:
                    raise Unextracted(Failure.TIMED_OUT, f"not read in {allowed:.3g} s")
        except BaseException:
            # Also when the user interrupts: its reply must not be taken for that to the next document.
            self.end()
            raise
        if exchange.failure is not None:
            raise Damaged(str(exchange.failure)) from exchange.failure
        head, _ = exchange.reply
        self._known.add(kind.name)
        self.kept = strings_in(head, "kept")
        if head.get("last"):
            self.end()
        return exchange.reply

    def end(self) -> None:
        """Kill the process, if there is one, and wait until it is gone."""
        process, exchange = self._process, self._exchange
        self._process = self._exchange = None
        if process is None:
            return
        kill_group(process)
        if exchange is None or exchange.leave(_LAST_WORDS):
            _close(process)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.end()
        if self._process is None:
            self._known.clear()
            self._process = _started(self._order)
            self.started += 1
        return self._process


class _Exchange:
    """Sends a job to a worker and receives its reply, on a thread: both may block until the worker dies."""

    def __init__(self, process: subprocess.Popen[bytes], job: dict[str, Any], data: bytes) -> None:
        self.over = threading.Event()
        self.reply: tuple[dict[str, Any], bytes] = ({}, b"")
        self.failure: Exception | None = None
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(process, job, data), daemon=True)
        self._thread.start()

    def leave(self, seconds: float) -> bool:
        """Wait until nobody uses the pipes any more; after some seconds they are left to be closed when it is so."""
        self._left.set()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self, process: subprocess.Popen[bytes], job: dict[str, Any], data: bytes) -> None:
        jobs, replies, _ = _pipes(process)
        try:
            send(jobs, job, data)
            self.reply = receive(replies, MOST_TEXT)
        except (Damaged, OSError) as error:
            self.failure = error
        finally:
            self.over.set()
        if self._left.is_set():
            _close(process)


def _started(order: dict[str, Any]) -> subprocess.Popen[bytes]:
    """A new process; raises `Unextracted` where the system gives none."""
    # Without it no program of Windows starts.
    environment = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    try:
        return subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", "-c", _PROGRAM, json.dumps(order)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Never read nor written: the worker ends when this side of it is closed.
            stderr=subprocess.PIPE,
            cwd=os.path.abspath(os.sep),
            env=environment if sys.platform == "win32" else {},
            start_new_session=True,
        )
    except OSError as error:
        raise Unextracted(Failure.DIED, f"the worker could not be started: {error}") from error


def _pages(head: dict[str, Any]) -> int:
    pages = head.get("pages")
    if type(pages) is not int or pages < 1:
        raise Damaged("no number of pages")
    return pages


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    """The pipe for jobs, the one for replies, and one that tells the worker that this process lives."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise TypeError("a worker without pipes")
    return process.stdin, process.stdout, process.stderr


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in _pipes(process):
        with suppress(OSError):  # what was not written any more
            pipe.close()


def _order(memory: int | None, code: Sequence[str]) -> dict[str, Any]:
    """The argument of a new worker: its memory, and the folders that it may import code from."""
    # Isolated Python looks in its own folders only; ours and a library's may be elsewhere.
    modules = {UNLOCKING.module, *(library.module for kind in (*KINDS, PICTURE, SCAN) for library in kind.libraries)}
    libraries = sorted(folder for module in modules if (folder := _folder(module)) is not None)
    folders = list(dict.fromkeys([*libraries, *map(os.path.abspath, code)]))
    ours = _folder(_PACKAGE)
    listed = [] if ours is None else [ours]
    read = [os.path.join(folder, _PACKAGE) for folder in listed]
    if getattr(sys, "frozen", False):  # the modules are inside the program, which reads itself
        read.append(os.path.dirname(os.path.abspath(sys.executable)))
    return {"memory": memory, "path": [*listed, *folders], "listed": listed, "read": [*read, *folders]}


def _folder(module: str) -> str | None:
    """The folder that a module is imported from, without importing it; ``None`` for none."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return None
    below = os.path.dirname(os.path.abspath(spec.origin))
    return os.path.dirname(below) if spec.submodule_search_locations else below
