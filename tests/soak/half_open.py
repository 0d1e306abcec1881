"""`lens desktop` under connections that never become requests: the owner gets through, and little is logged.

``python -m tests.soak.half_open --n 2000 --asks 60`` opens so many connections of each kind, in a process of its own
that opens again what is dropped: silent ones, half a head, half a body, a head that drips, and all of these together.
Meanwhile the owner loads the page, uses a link, and asks: each request on a connection of its own. It prints one JSON
line and exits with 1 if a request was wrong or took longer than a second, a stream of the owner's broke, more than 5 MB
were logged, or descriptors were left afterwards; and if bare uvicorn under the same load was not caught.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.desktop.desktop_process import Desktop, with_descriptors
from tests.lsp.lsp_client import environment, wait_until
from tests.soak.harness import Options, Verdict, harness

LATEST = 1.0
"""Seconds for a request of the owner's."""
MOST_LOGGED = 5_000_000
DESCRIPTORS = 1024
"""What most systems give a program."""
SPARE = 4
"""Descriptors that may be more afterwards: of threads and connections that are about to end."""
AGAIN_A_SECOND = 500
"""Connections that were dropped and are opened again."""
DRIP_SECONDS = 1.0
HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Filler: " + b"x" * 1000
SENT: Mapping[str, bytes] = {
    "silent": b"",
    "half a head": HEAD,
    "half a body": b"POST /api/asks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b'Content-Length: 1000\r\n\r\n{"question": "',
    "drip": HEAD[:1],
}
TOGETHER = "together"
KINDS = (*SENT, TOGETHER)
BARE = """\
import socket, sys, uvicorn

async def app(scope, receive, send):
    while scope["type"] == "lifespan":
        await send({"type": (await receive())["type"] + ".complete"})
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})

listening = socket.create_server(("127.0.0.1", 0))
print(listening.getsockname()[1], flush=True)
config = uvicorn.Config(app, http="h11", ws="none", loop="asyncio", lifespan="off", log_config=None, access_log=False)
uvicorn.Server(config).run([listening])
"""


@dataclass
class Tally:
    """What came of the owner's requests."""

    n: int = 0
    late: int = 0
    worst: float = 0.0
    most_descriptors: int = 0
    left: int = 0
    logged: int = 0
    wrong: list[str] = field(default_factory=list)

    def asked(self, what: str, started: float, right: bool) -> None:
        """Note a request."""
        took = time.monotonic() - started
        self.n += 1
        self.worst = max(self.worst, took)
        self.late += took > LATEST
        if not right:
            self.wrong.append(f"{what} after {took:.2f} s")


async def crowd(port: int, kind: str, count: int) -> None:
    """Connections that never become requests, until our input ends; says when all were opened."""
    pace = asyncio.Semaphore(64)
    first = asyncio.Event()
    opened = 0

    async def stand(name: str) -> None:
        nonlocal opened
        while True:
            async with pace:
                try:
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.write(SENT[name])
                except OSError:
                    await asyncio.sleep(0.1)
                    continue
                finally:
                    opened += 1
                    if opened >= count:
                        first.set()
            with suppress(OSError):
                for at in range(1, len(HEAD)) if name == "drip" else ():
                    try:
                        await asyncio.wait_for(reader.read(), DRIP_SECONDS)
                    except TimeoutError:
                        writer.write(HEAD[at : at + 1])
                    else:
                        break
                await reader.read()
            writer.close()
            await asyncio.sleep(count / AGAIN_A_SECOND)

    names = list(SENT) if kind == TOGETHER else [kind]
    standing = [asyncio.create_task(stand(names[number % len(names)])) for number in range(count)]
    await first.wait()
    print("all here", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for task in standing:
        task.cancel()


@contextmanager
def crowded(port: int, kind: str, count: int) -> Iterator[None]:
    """While a crowd stands at a port."""
    command = [sys.executable, "-m", "tests.soak.half_open", "--crowd", f"{port},{kind},{count}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "all here\n"
        yield
        process.stdin.close()
        process.kill()


def descriptors(pid: int) -> int:
    """How many a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def owner(desktop: Desktop, number: int, tally: Tally) -> None:
    """One request of the owner's, each kind in turn."""
    steps = (
        ("GET", "/", None),
        ("GET", "/static/page.js", None),
        ("GET", "/api/folders", None),
        ("POST", "/api/rpc", {"method": "lens/threads"}),
    )
    method, path, body = steps[number % len(steps)]
    started, status = time.monotonic(), 0
    with suppress(OSError, http.client.HTTPException):
        status = desktop.send(method, path, body).status
    tally.asked(f"{method} {path}: {status}", started, status == 200)


def besieged(base: Path, count: int, asks: int) -> Tally:
    """A desktop, and the crowd of each kind before it."""
    tally = Tally()
    (notes := base / "notes").mkdir()
    (notes / "contract.md").write_text("The lease of the workshop ends on 30 June 2031.\n")
    (log := base / "log").touch()
    with log.open("r+b") as errors:
        desktop = Desktop(environment(base / "home"), str(notes), errors=errors.fileno(), descriptors=DESCRIPTORS)
        with desktop, desktop.enter().listen("/api/happenings") as stream:
            desktop.send("POST", "/api/rpc", {"method": "lens/threads"})  # the language server is there
            before = descriptors(desktop.process.pid)
            for kind in KINDS:
                with crowded(desktop.port, kind, count):
                    desktop.link, started = desktop.next_link(), time.monotonic()
                    desktop.key = ""
                    with suppress(OSError, AssertionError, http.client.HTTPException):
                        desktop.enter()
                    tally.asked(f"{kind}: using a link", started, bool(desktop.key))
                    for number in range(asks):
                        owner(desktop, number, tally)
                        tally.most_descriptors = max(tally.most_descriptors, descriptors(desktop.process.pid))
                if not wait_until(lambda: descriptors(desktop.process.pid) <= before + SPARE):
                    tally.left += descriptors(desktop.process.pid) - before
            desktop.interrupt()
            ended = [each.data["type"] for each in stream]  # it ended in order: it was whole until then
            tally.wrong += [] if "server" in ended else [f"the owner's stream broke: {ended}"]
        tally.logged = log.stat().st_size
    return tally


def bare(base: Path, count: int, asks: int) -> Tally:
    """The control: uvicorn as it is."""
    tally = Tally()
    log = base / "bare"
    with log.open("wb") as errors:
        command = with_descriptors(DESCRIPTORS, sys.executable, "-c", BARE)
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    with server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        with crowded(port, "silent", count):
            for _ in range(asks):
                started, status = time.monotonic(), 0
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2 * LATEST)
                with suppress(OSError):
                    connection.request("GET", "/")
                    status = connection.getresponse().status
                connection.close()
                tally.asked("GET /", started, status == 200)
        server.kill()
    tally.logged = log.stat().st_size
    return tally


@harness(n=2000, asks=60, crowd=str)
def main(options: Options) -> Verdict:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if options.crowd:
        port, kind, count = options.crowd.split(",")
        with suppress(asyncio.CancelledError):
            asyncio.run(crowd(int(port), kind, int(count)))
        return None
    tally = besieged(options.place, options.n, options.asks)
    control = bare(options.place, max(options.n, 2 * DESCRIPTORS), 5)
    row = {
        "n": tally.n,
        "late": tally.late,
        "left": tally.left,
        "connections": options.n * len(KINDS),
        "worst_ms": round(1000 * tally.worst),
        "logged_bytes": tally.logged,
        "most_descriptors": tally.most_descriptors,
        "controlBad": control.late,
        "controlLogged_bytes": control.logged,
        "wrong": tally.wrong,
    }
    held = not tally.late and not tally.left and tally.logged <= MOST_LOGGED
    return row, held and control.late


if __name__ == "__main__":
    sys.exit(main())
