"""Streams of bytes that are almost messages: each is understood, or the server says so and leaves; it is never deaf.

``python -m tests.soak.lsp_framing --n 5000`` changes as many streams of requests here and there, has the real reading
thread and the real protocol read each through a pipe, and prints one JSON line. At its end every stream must have led
to one of three things: the last request in it was answered, or refused with the body that had swallowed it, or the
framing was called broken. It exits with 1 if one did not, within a second; and if bare pygls is deaf to none.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import random
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer

from lens_lsp.lsp.protocol import BROKEN, ENDED
from lens_lsp.lsp.server import LensServer
from lens_lsp.lsp.transport import Inbox
from tests.lsp.lsp_client import frame
from tests.soak.harness import Options, Verdict, harness

SOON = 1.0
LAST = "last"


@dataclass
class Tally:
    """What came of a number of streams."""

    streams: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def drawn(seed: int, number: int) -> bytes:
    """Some requests, changed in a few places, and a last one."""
    draw = random.Random(seed * 1_000_003 + number)
    data = bytearray(b"".join(_message(draw, id_) for id_ in range(draw.randrange(1, 4))))
    for _ in range(draw.randrange(3)):
        at = draw.randrange(len(data))
        size = draw.choice([0, 1, 1, 2, 8])
        data[at : at + size] = draw.choice(
            [b"", b"\n", b"\r\n", b"\r\n\r\n", b":", b"\0", b"9", b"-", draw.randbytes(4)]
        )
    return bytes(data) + frame({"jsonrpc": "2.0", "id": LAST, "method": "x", "params": None})


def _message(draw: random.Random, id_: int) -> bytes:
    body = json.dumps(
        {"jsonrpc": "2.0", "id": id_, "method": "lens/status", "params": {"é" * draw.randrange(3): 1}}
    ).encode()
    name = draw.choice([b"Content-Length", b"content-length", b"CONTENT-LENGTH", b"Content-length"])
    size = b"%d" % draw.choice([len(body)] * 40 + [0, 1, len(body) - 1, len(body) + 1, 10**12, 10**15, 10**4000])
    more = draw.choice(
        [b""] * 8
        + [b"A: b\r\n"] * 4
        + [b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n", b"X: y\r\n", b"z\r\n"]
    )
    end = draw.choice([b"\r\n"] * 6 + [b"\n"])
    return (
        draw.choice([b""] * 8 + [b"\r\n", b"\n\n"])
        + name
        + draw.choice([b": ", b":", b" : "])
        + size
        + end
        + more
        + end
        + body
    )


class _Heard:
    """The client's side: whether the last request was answered, or was part of a body that was refused."""

    def __init__(self) -> None:
        self.last = False
        self.refused = False

    def write(self, data: bytes) -> None:
        self.last |= b'"last"' in data
        self.refused = b"-32700" in data

    def close(self) -> None: ...


async def ours(data: bytes) -> str:
    """Read by the thread that reads, handled by the protocol."""
    server, heard = LensServer({}), _Heard()
    server.protocol.set_writer(heard)
    readable, writable = os.pipe()
    with os.fdopen(readable, "rb") as stream:
        inbox = Inbox(stream, asyncio.get_running_loop())
        inbox.start()
        listening = asyncio.create_task(server.protocol.listen(inbox))
        await asyncio.to_thread(_written, writable, data)
        try:
            status = await asyncio.wait_for(listening, SOON)
        except TimeoutError:
            return "deaf"
        await server.protocol.drain()
    if status == BROKEN:
        return "broken"
    if status != ENDED:
        return f"ended with {status}"
    return "answered" if heard.last else "refused" if heard.refused else "deaf"


async def bare(data: bytes) -> str:
    """The same by pygls."""
    server, heard = LanguageServer("bare", "0"), _Heard()
    server.protocol.set_writer(heard)
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    try:
        await asyncio.wait_for(run_async(threading.Event(), reader, server.protocol), SOON)
    except (TimeoutError, ValueError, asyncio.IncompleteReadError, OverflowError, MemoryError):
        return "died"
    return "answered" if heard.last else "deaf"


def _written(writable: int, data: bytes) -> None:
    with os.fdopen(writable, "wb") as stream:
        stream.write(data)


def run(streams: int, seed: int = 1, side: Callable[[bytes], Awaitable[str]] = ours) -> Tally:
    async def all_of_them() -> Tally:
        tally = Tally()
        for number in range(streams):
            outcome = await side(drawn(seed, number))
            tally.streams += 1
            tally.outcomes[outcome] += 1
            if outcome not in ("answered", "broken", "refused"):
                tally.wrong.append(f"stream {number}: {outcome}")
        return tally

    logging.disable(logging.CRITICAL)
    try:
        return asyncio.run(all_of_them())
    finally:
        logging.disable(logging.NOTSET)


@harness(n=5_000, seed=1)
def main(options: Options) -> Verdict:
    tally = run(options.n, options.seed)
    control = run(max(50, options.n // 50), options.seed, bare)
    return {
        "n": tally.streams,
        "outcomes": dict(tally.outcomes),
        "wrong": tally.wrong,
        "controlN": control.streams,
        "controlOutcomes": dict(control.outcomes),
    }, control.outcomes["deaf"]


if __name__ == "__main__":
    sys.exit(main())
