"""A real server that a harness gave faults: ``python -m tests.soak.faulty_server [fault ...]``.

``unwatched``: nobody watches files and nobody looks. ``unpolled``: nobody looks, whatever is watched. ``hasty``: as
``unpolled``, and every hint is followed at once. ``killable``: ``test/kill`` stops the watch, ``how`` is ``threads``,
``queue`` (its descriptor leads nowhere from then on) or ``watches`` (the system forgets them). ``trusting``: what was
read once is what files say. ``unverified``: citations stand where they stood. ``unforgiving``: an error of the system
ends whatever met it. ``inline``: files are read where messages are handled. ``gated``: it stops at every point of a
question and of a check, says so over the socket ``LENS_GATE`` and goes on when it is answered; what it sends says in
``began`` when its last look began.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable
from typing import Any

from lens_lsp.cli import main
from lens_lsp.lsp import diagnostic_schedule, server
from lens_lsp.lsp.request_handler import RequestHandler
from lens_lsp.schema.protocol_params import Wire


class Kill(Wire):
    """The params of ``test/kill``."""

    how: str


def unwatched() -> None:
    diagnostic_schedule.FileWatch.begin = lambda self: None  # type: ignore[method-assign]
    unpolled()


def unpolled() -> None:
    async def nothing(self: diagnostic_schedule.DiagnosticSchedule) -> None: ...

    diagnostic_schedule.DiagnosticSchedule._poll = nothing  # type: ignore[method-assign]


def hasty() -> None:
    unpolled()
    diagnostic_schedule.PAUSE = diagnostic_schedule._APART = 0.0


def killable() -> None:
    async def kill(ls: Any, params: Any) -> dict[str, object]:
        from watchdog.observers.inotify_c import inotify_rm_watch

        observer = ls.diagnostics.watch._watch._observer
        queue = observer._inotify_fd
        if params.how == "threads":
            for thread in (*observer.emitters, observer):
                thread.stop()
        elif params.how == "queue":
            os.dup2(os.pipe()[0], queue._inotify_fd)
        else:
            for descriptor in list(queue._watch_for_wd):
                inotify_rm_watch(queue._inotify_fd, descriptor)
        return {}

    server.REQUESTS["test/kill"] = lambda: RequestHandler(kill, Kill)  # type: ignore[index]


def trusting() -> None:
    from lens_lsp.corpus.text_store import TextStore
    from lens_lsp.corpus.workspace import Snapshot

    known: dict[tuple[str, str], Any] = {}
    read, refresh = Snapshot.read, TextStore.refresh

    def cached(self: Snapshot, root: int, rel: str) -> Any:
        key = self.roots[root].path, rel
        if key not in known:
            known[key] = read(self, root, rel)
        return known[key]

    Snapshot.read = cached  # type: ignore[method-assign]
    TextStore.refresh = lambda self, *args, **options: [] if self.files else refresh(self, *args, **options)  # type: ignore[method-assign]


def unverified() -> None:
    from lens_lsp.memory import sources
    from lens_lsp.model.cluster import Checked, CitationState

    def verify(citation: Any, now: Any, **_: Any) -> Checked:
        return Checked(citation, CitationState.VERIFIED, citation.span, now.origin.sha256)

    sources.verify = verify


def unforgiving() -> None:
    from lens_lsp.corpus import safe_open, walk

    def raised(error: OSError) -> Any:
        raise error

    safe_open.skipped = safe_open.skipped = walk.skipped = raised


def inline() -> None:
    import asyncio

    from lens_lsp.judge.cancellation import QuestionTasks
    from lens_lsp.lsp.workspace_pool import WorkspaceLease

    def start(self: QuestionTasks, work: Callable[[], Any]) -> Any:
        done = asyncio.get_running_loop().create_future()
        done.set_result(work())
        return done

    QuestionTasks.start = start  # type: ignore[method-assign]
    WorkspaceLease.run_on_worker = lambda self, make: make()  # type: ignore[method-assign]


class Gate:
    """Stops whoever comes to a point until the harness says to go on."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(path)
        self._lock = threading.Lock()

    def at(self, point: str) -> float:
        """Stop here; when it went on, by the monotonic clock."""
        with self._lock:
            self._socket.sendall(point.encode() + b"\n")
            self._socket.recv(1)
        return time.monotonic()


def gated() -> None:
    gate = Gate(os.environ["LENS_GATE"])
    _gate_questions(gate)
    _gate_checks(gate)


def _gate_questions(gate: Gate) -> None:
    from lens_lsp.app.lens import Lens
    from lens_lsp.lsp import lens_ask
    from lens_lsp.model.answer import Answered, Observed, Scanned
    from lens_lsp.model.documents import TextSource
    from lens_lsp.schema.answer_shapes import evidence_json

    ask, find, placed, recorded = Lens.ask, Lens.find, lens_ask.places_of, lens_ask.record_citations
    points = {Scanned: "scanned", Observed: "observed", Answered: "answered"}
    searched, looked = 0.0, 0.0  # when the search ended: open texts are taken anew after that, the disk later still

    async def stopping(*args: Any, **options: Any) -> AsyncGenerator[Any]:
        nonlocal searched
        async for event in ask(*args, **options):
            if type(event) in points:
                searched = gate.at(points[type(event)])
            yield event

    def ended(*args: Any, **options: Any) -> Any:
        nonlocal searched
        found = find(*args, **options)
        searched = gate.at("answered")
        return found

    def recording(*args: Any) -> Any:
        gate.at("record")
        return recorded(*args)

    def placing(*args: Any) -> Any:
        nonlocal looked
        looked = gate.at("publish")
        places = placed(*args)
        gate.at("placed")
        return places

    def shaped(item: Any) -> dict[str, object]:
        return evidence_json(item) | {"began": searched if item.origin.source is TextSource.BUFFER else looked}

    Lens.ask, Lens.find = stopping, ended  # type: ignore[method-assign, assignment]
    lens_ask.record_citations = recording
    lens_ask.places_of = placing
    lens_ask.evidence_json = shaped


def _gate_checks(gate: Gate) -> None:
    from lens_lsp.lsp import diagnostics

    run, look = diagnostics.run_on_snapshot, diagnostics.locate_citations
    publish = diagnostic_schedule.DiagnosticSchedule._publish
    began: dict[str, float] = {}

    async def running(state: Any, uri: str, work: Any) -> Any:
        began[uri] = time.monotonic()
        return await run(state, uri, work)

    def looking(snapshot: Any, page: Any, written: Any) -> Any:
        gate.at("check")
        found = look(snapshot, page, written)
        gate.at("checked")
        return found

    def saying(self: Any, uri: str, items: Any, version: int | None) -> None:
        self._ls.protocol.notify("test/published", {"uri": uri, "began": began.get(uri, time.monotonic())})
        publish(self, uri, items, version)

    diagnostics.run_on_snapshot, diagnostics.locate_citations = running, looking
    diagnostic_schedule.DiagnosticSchedule._publish = saying  # type: ignore[method-assign]


FAULTS: dict[str, Callable[[], None]] = {
    "unwatched": unwatched,
    "unpolled": unpolled,
    "hasty": hasty,
    "killable": killable,
    "trusting": trusting,
    "unverified": unverified,
    "unforgiving": unforgiving,
    "inline": inline,
    "gated": gated,
}

if __name__ == "__main__":
    for fault in sys.argv[1:]:
        FAULTS[fault]()
    sys.exit(main(["serve"]))
