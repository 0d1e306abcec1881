"""The language server: how soon it answers ``initialize``, and how long its way there and back is.

Wall time until ``initialize`` is from before the process is made until the answer is read; processor time is all that
the process used, and it is killed as soon as it has answered. The client is Visual Studio Code as pytest-lsp recorded
it, which says more in ``initialize`` than others.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from benchmarks.measuring import REPOSITORY, Series, Timing, interleaved, timed, timed_child
from benchmarks.speed.asked import asked
from benchmarks.speed.bench import Bench
from benchmarks.speed.corpora import Folder
from benchmarks.speed.row import Beside, Row, Unit, most, row
from lens_lsp.app.lens import Lens

START_GOAL = 0.400
"""Seconds of wall time until ``initialize`` is answered."""
OURS = ("-m", "lens_lsp", "serve")
PEER = ("-c", "from pygls.lsp.server import LanguageServer; LanguageServer('bare', '1').start_io()")
_ECHO = (
    "from pygls.lsp.server import LanguageServer\n"
    "server = LanguageServer('bare', '1')\n"
    "server.feature('lens/status')(lambda params: {})\n"
    "server.start_io()\n"
)
_SHORT = 100
"""Requests of which a run takes the mean: each is a fraction of a millisecond."""
_EACH = 3
"""Questions of a run, by their median; none is asked twice, for a server reuses what it has proven."""
_CLIENT = "visual_studio_code_v1.65.2.json"


class NoAnswerError(Exception):
    """The server did not answer as it should have."""


def server(bench: Bench) -> Iterator[Row]:
    """From its start to ``initialize``; the shortest request; questions through it beside the library itself."""
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}
        yield from _started(bench, env)
        yield from _short(bench, env)
        for folder in bench.folders("A", "docs"):
            yield from _questioned(bench, folder, env)


def _started(bench: Bench, env: Mapping[str, str]) -> Iterator[Row]:
    message = initialize(recorded())
    served, peer, bare = interleaved(
        bench.runs,
        partial(until_initialized, OURS, message, env),
        partial(until_initialized, PEER, message, env),
        lambda: timed_child([sys.executable, "-c", "pass"], env=env)[0],
    )
    what, beside = "spawn → initialize", Beside("a server of pygls alone", peer)
    yield row(what, "–", served, goal=most(START_GOAL))
    yield row(what, "–", served, beside)
    yield row(what, "–", served, beside, unit=Unit.CPU)
    yield row(what, "–", served, Beside("a bare interpreter", bare), unit=Unit.CPU)


def _short(bench: Bench, env: Mapping[str, str]) -> Iterator[Row]:
    with Server(OURS, env) as ours, Server(("-c", _ECHO), env) as peer:
        mine, theirs = interleaved(bench.runs, partial(_mean_status, ours), partial(_mean_status, peer))
    yield row(
        "round trip, lens/status",
        "–",
        mine,
        Beside("the same in pygls alone", theirs),
        note=f"mean of {_SHORT}",
        whole=False,
    )


def _mean_status(server: Server) -> Timing:
    whole = timed(lambda: [server.request("lens/status", {}) for _ in range(_SHORT)])
    return Timing(whole.wall / _SHORT, whole.cpu / _SHORT)


def _questioned(bench: Bench, folder: Folder, env: Mapping[str, str]) -> Iterator[Row]:
    """Each question is asked of both, in the same run."""
    first, *texts = bench.corpora.questions(folder.name, _EACH * bench.runs + 1)
    groups = iter([texts[start : start + _EACH] for start in range(0, len(texts), _EACH)])
    lens = Lens([folder.path])
    mine, theirs = [], []
    with Server(OURS, env, folder.path) as ours, asyncio.Runner() as runner:
        ours.ask(first)
        runner.run(asked(lens, first))
        for _ in range(bench.runs):
            group = next(groups)
            mine.append(statistics.median(ours.ask(text) for text in group))
            theirs.append(statistics.median(runner.run(asked(lens, text)).whole for text in group))
    beside = Beside("Lens.ask in this process", Series.of_walls(theirs))
    what, note = "lens/ask, evidence mode, warm", "the look at the disk included"
    yield row(what, folder.name, Series.of_walls(mine), beside, note=note, whole=False)


class Server:
    """A server that was initialized, and a client that waits for each answer."""

    def __init__(self, python_arguments: Sequence[str], env: Mapping[str, str], folder: Path | None = None) -> None:
        self._process = _spawned(python_arguments, env)
        self._number = 1
        folders = None if folder is None else [{"uri": folder.absolute().as_uri(), "name": folder.name}]
        _send(self._process, initialize({}, folders))
        self._answered(1)
        _send(self._process, framed({"jsonrpc": "2.0", "method": "initialized", "params": {}}))

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _ended(self._process)

    def request(self, method: str, params: object) -> Any:
        """The result. Raises `NoAnswerError` for an error, too."""
        self._number += 1
        _send(self._process, framed({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}))
        return self._answered(self._number)

    def ask(self, question: str) -> float:
        """Seconds of one question in evidence mode."""
        begun = time.perf_counter()
        answer = self.request("lens/ask", {"question": question, "mode": "evidence"})
        wall = time.perf_counter() - begun
        if answer["stopped"] == "reused":
            raise NoAnswerError("an answer was reused")
        return wall

    def _answered(self, number: int) -> Any:
        assert self._process.stdout is not None
        answer = _answer(self._process.stdout, number)
        if "result" not in answer:
            raise NoAnswerError(f"{answer}")
        return answer["result"]


def until_initialized(python_arguments: Sequence[str], message: bytes, env: Mapping[str, str]) -> Timing:
    """One server, from before its process is made until it has answered; it is gone afterwards.

    Raises `NoAnswerError`.
    """
    started = time.perf_counter()
    process = _spawned(python_arguments, env)
    assert process.stdout is not None
    try:
        with suppress(BrokenPipeError):  # it has left, and no answer will come
            _send(process, message)
        answer = _answer(process.stdout, 1)
        wall = time.perf_counter() - started
    finally:
        used = _ended(process)
    if "capabilities" not in answer.get("result", {}):
        raise NoAnswerError(f"{answer}")
    return Timing(wall, used)


def initialize(capabilities: object, folders: object = None) -> bytes:
    """The request, as it goes over the wire."""
    params = {"processId": os.getpid(), "rootUri": None, "workspaceFolders": folders, "capabilities": capabilities}
    return framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})


def framed(message: object) -> bytes:
    body = json.dumps(message).encode("ascii")
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def recorded() -> object:
    """What the recorded client is capable of."""
    return json.loads((files("pytest_lsp") / "clients" / _CLIENT).read_text("utf-8"))["capabilities"]


def _spawned(python_arguments: Sequence[str], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, *python_arguments], env=dict(env), **pipes)


def _send(process: subprocess.Popen[bytes], message: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(message)
    process.stdin.flush()


def _ended(process: subprocess.Popen[bytes]) -> float:
    """Kill it; the seconds of processor time that it used."""
    assert process.stdin is not None
    assert process.stdout is not None
    os.kill(process.pid, signal.SIGKILL)  # ``process.kill`` would reap one that has left, and its times with it
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    with suppress(BrokenPipeError):
        process.stdin.close()
    process.stdout.close()
    return used.ru_utime + used.ru_stime


def _answer(stream: IO[bytes], number: int) -> dict[str, Any]:
    """The first message that has the id of our request. Raises `NoAnswerError` at the end of the stream."""
    while True:
        size = 0
        while (line := stream.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        if not line:
            raise NoAnswerError("the server left")
        message: dict[str, Any] = json.loads(stream.read(size))
        if message.get("id") == number and "method" not in message:
            return message
