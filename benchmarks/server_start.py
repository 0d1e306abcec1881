"""How long ``lens serve`` takes from its start until ``initialize`` is answered, beside a server of pygls alone.

    python -m benchmarks.server_start --runs 15

Each run starts, one after the other: the server, a server of pygls that offers nothing, and a bare interpreter. Wall
time is from before the process is made until the answer is read; processor time is all that the process used, and it is
killed as soon as it has answered. On a busy machine the second is the one to compare. The client is Visual Studio Code
as pytest-lsp recorded it, which says more in ``initialize`` than others. Ends with 1 if the median is above the gate.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from typing import IO, Any

from benchmarks.measuring import REPOSITORY, Series, Timing, interleaved, machine, timed_child

SCHEMA = "lens.server-start/1"
GATE = 0.400
"""Seconds of wall time until ``initialize`` is answered."""
LEAST_RUNS = 15
OURS = ("-m", "lens_lsp", "serve")
PEER = ("-c", "from pygls.lsp.server import LanguageServer; LanguageServer('bare', '1').start_io()")
BARE = ("-c", "pass")
_CLIENT = "visual_studio_code_v1.65.2.json"


class NoAnswerError(Exception):
    """The server did not answer ``initialize`` as it should have."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    message = initialize(recorded())
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}
        before = machine()["load"]
        served, peer, bare = interleaved(
            options.runs,
            lambda: until_initialized(OURS, message, env),
            lambda: until_initialized(PEER, message, env),
            lambda: timed_child([sys.executable, *BARE], env=env)[0],
        )
    passed = served.median() <= GATE
    record = {
        "schema": SCHEMA,
        "machine": machine() | {"loadBefore": before},
        "runs": options.runs,
        "gateSeconds": GATE,
        "passed": passed,
        "serve": served.json(),
        "pygls": peer.json(),
        "python": bare.json(),
    }
    if options.json:
        print(json.dumps(record, indent=1))
    else:
        print(report(record, {"lens serve": served, "a server of pygls alone": peer, "python -c pass": bare}))
    return 0 if passed else 1


def report(record: Mapping[str, Any], rows: Mapping[str, Series]) -> str:
    """The figures as Markdown."""
    about = record["machine"]
    verdict = "pass" if record["passed"] else "FAIL"
    return "\n".join(
        [
            f"Python {about['python']}, {about['cores']} cores, load {about['loadBefore'][0]}; build {about['build']}",
            f"Medians of {record['runs']} alternating runs [least–most], milliseconds.",
            "",
            "| until `initialize` is answered | wall | processor |",
            "| :--- | ---: | ---: |",
            *(f"| {name} | {series.shown('wall')} | {series.shown('cpu')} |" for name, series in rows.items()),
            "",
            f"Gate: at most {GATE * 1000:.0f} ms by the wall: {verdict}",
        ]
    )


def until_initialized(python_arguments: Sequence[str], message: bytes, env: Mapping[str, str]) -> Timing:
    """One server, from before its process is made until it has answered; it is gone afterwards.

    Raises `NoAnswerError`.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *python_arguments],
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with suppress(BrokenPipeError):  # it has left, and no answer will come
            process.stdin.write(message)
            process.stdin.flush()
        answer = _answer(process.stdout)
        wall = time.perf_counter() - started
    finally:
        os.kill(process.pid, signal.SIGKILL)  # ``process.kill`` would reap one that has left, and its times with it
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
    if "capabilities" not in answer.get("result", {}):
        raise NoAnswerError(f"{answer}")
    return Timing(wall, used.ru_utime + used.ru_stime)


def initialize(capabilities: object) -> bytes:
    """The request, as it goes over the wire."""
    params = {"processId": os.getpid(), "rootUri": None, "workspaceFolders": None, "capabilities": capabilities}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode("ascii")
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def recorded() -> object:
    """What the recorded client is capable of."""
    return json.loads((files("pytest_lsp") / "clients" / _CLIENT).read_text("utf-8"))["capabilities"]


def _answer(stream: IO[bytes]) -> dict[str, Any]:
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
        if message.get("id") == 1:
            return message


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.server_start",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=LEAST_RUNS, help=f"of each, at least {LEAST_RUNS}")
    parser.add_argument("--json", action="store_true", help="all figures as JSON")
    options = parser.parse_args(arguments)
    if options.runs < LEAST_RUNS:
        parser.error(f"--runs must be at least {LEAST_RUNS}")
    return options


if __name__ == "__main__":
    sys.exit(main())
