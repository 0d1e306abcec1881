"""Clients that stop reading for a while: the server goes on reading, heeds a cancel, and loses nothing that it says.

``python -m tests.soak.lsp_paused_reader --n 100`` makes as many pauses, ten over one server process with pipes of
4 KiB, while a question waits for a model that never answers. In each pause the server gets more to say than any pipe
holds (64 KiB to 15 MiB), then the question is cancelled and a text is opened; the pause ends when all of that was taken
and the model's connection is closed. It prints one JSON line and exits with 1 if that took longer than 10 s, or if then
a request was not answered once and in whole, and the cancelled one as cancelled. In the last of ten pauses more is to
be said than the server keeps: it has to leave with status 1 and a sentence. It exits with 1, too, if a server that
writes where it reads did as well.
"""

from __future__ import annotations

import fcntl
import random
import struct
import sys
import tempfile
import termios
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lens_lsp.lsp.transport import BACKLOG
from tests.judge.llm.chat_faults import Fault
from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.lsp.lsp_client import SERVE, LspProcess, environment, wait_until
from tests.soak.harness import Options, Verdict, harness
from tests.soak.lsp_load import made, question

MOST_SECONDS = 10.0
PIPE = 4096
A_SERVER = 10
"""Pauses over one server; in the last of them it has more to say than it keeps."""
LEAST, MOST = 64 << 10, 15 << 20
"""Bytes that the server has to say in a pause."""
_AROUND = 200
"""Bytes of an answer beside the words that it repeats, at most."""
_CANCELLED = -32800
IN_ONE_PLACE = """
import sys
from lens_lsp.lsp import transport

def write(self, data):
    self._stream.write(data)
    self._stream.flush()

transport.Outbox.write = write
from lens_lsp.cli import main
sys.exit(main(["serve"]))
"""
"""A server that writes where it handles what it reads."""


@dataclass
class Tally:
    """What came of a number of pauses; ``seconds`` until everything was taken, ``unread`` bytes at that moment."""

    seconds: list[float] = field(default_factory=list)
    answers: int = 0
    unread: list[int] = field(default_factory=list)
    left: int = 0
    """Servers that left because nobody read what they kept."""
    wrong: list[str] = field(default_factory=list)


class Pauses:
    """The pauses over one server. ``model`` is silent."""

    def __init__(self, server: LspProcess, model: ChatServer, draw: random.Random, tally: Tally, most: float) -> None:
        self._server = server
        self._model = model
        self._draw = draw
        self._tally = tally
        self._most = most
        self._made = 0

    def pause(self) -> None:
        """One pause that ends well."""
        server, expect = self._server, self._expect
        self._made += 1
        asked = self._asked()
        server.reading.clear()
        words = self._words()
        ids = [f"{self._made}-{number}" for number in range(len(words))]
        started = time.perf_counter()
        taken = self._take(
            *(_request(id_, each) for id_, each in zip(ids, words, strict=True)),
            {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": asked}},
            _opening(self._made),
        )
        self._tally.seconds.append(time.perf_counter() - started)
        if not taken:
            expect(False, f"in {self._most} s it did not take what it was sent, {self._model.open} connections open")
            return
        self._tally.unread.append(
            sum(len(each) for id_, each in zip(ids, words, strict=True) if id_ not in server.answers)
        )
        expect(self._tally.unread[-1] > PIPE, "nothing was unread")
        server.reading.set()
        server.until(lambda: all(id_ in server.answers for id_ in (*ids, asked)))
        documents = server.result("lens/status")["documents"]
        expect(documents == self._made, f"{documents} texts are open, not {self._made}")
        halves = [id_ for id_, each in zip(ids, words, strict=True) if not _whole(server.answers[id_], each)]
        expect(not halves, f"{len(halves)} answers are not whole")
        expect(all(server.counts[id_] == 1 for id_ in (*ids, asked)), "a request was answered twice")
        code = server.answers[asked].get("error", {}).get("code")
        expect(code == _CANCELLED, f"the cancelled request was answered with {code}")
        self._tally.answers += len(ids) + 1
        for id_ in ids:
            del server.answers[id_], server.counts[id_]

    def give_up(self) -> None:
        """One that has no end: the server keeps so much, and leaves."""
        self._server.reading.clear()
        size = self._draw.randrange(PIPE, 1 << 20)
        self._take(*(_request(number, "x" * size) for number in range(3 + 5 * BACKLOG // (4 * size))))
        gone = wait_until(lambda: self._server.process.poll() is not None, self._most)
        self._expect(gone, f"there {self._most} s after more than it keeps")
        self._expect(self._server.process.poll() == 1, f"it left with {self._server.process.poll()}")
        self._tally.left += gone

    def _asked(self) -> Any:
        """Ask a question that the model keeps waiting; the id."""
        before = self._calls()
        id_ = self._server.request("lens/ask", {"question": question(self._made), "mode": "fast"})
        if not wait_until(lambda: self._calls() > before):
            raise RuntimeError("the model was not asked")
        return id_

    def _calls(self) -> int:
        """How often the model was asked; looks for what kind of endpoint it is do not wait and do not count."""
        return sum(each.path.endswith("/chat/completions") for each in list(self._model.requests))

    def _words(self) -> list[str]:
        """What the server is to repeat: few long texts or many short ones."""
        total = int(LEAST * (MOST / LEAST) ** self._draw.random())
        size = min(total, int(64 * (1 << 14) ** self._draw.random()))
        count = min(total // (size + _AROUND), 5_000) or 1
        size = max(size, min(LEAST // count, 1 << 20))  # however few they are, a pipe does not hold them
        return ["x" * size] * count

    def _take(self, *messages: object) -> bool:
        """Send while nobody reads; whether all of it was taken, and the model let go, in time."""

        def send() -> None:
            with suppress(OSError, ValueError):  # it has left, or was given up
                self._server.send(*messages)

        sending = threading.Thread(target=send, daemon=True)
        sending.start()
        sending.join(self._most)
        return not sending.is_alive() and wait_until(
            lambda: not _waiting(self._server) and not self._model.open, self._most
        )

    def _expect(self, so: bool, otherwise: str) -> None:
        if not so:
            self._tally.wrong.append(otherwise)


def _request(id_: object, method: str) -> dict[str, Any]:
    """A request for what there is not: the answer repeats it."""
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": None}


def _opening(number: int) -> dict[str, Any]:
    document = {"uri": f"file:///{number}.md", "languageId": "markdown", "version": 1, "text": "text"}
    return {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}


def _whole(answer: dict[str, Any], words: str) -> bool:
    return str(answer.get("error", {}).get("message", "")).endswith(words)


def _waiting(server: LspProcess) -> int:
    """Bytes in the server's standard input that it has not read."""
    assert server.process.stdin is not None
    room = fcntl.ioctl(server.process.stdin.fileno(), termios.FIONREAD, bytes(4))
    return int(struct.unpack("i", room)[0])


def run(pauses: int, seed: int = 1, *, control: bool = False, most: float = MOST_SECONDS) -> Tally:
    """Make so many pauses, until one goes wrong; each may take ``most`` seconds."""
    tally, draw = Tally(), random.Random(seed)
    command = (sys.executable, "-c", IN_ONE_PLACE) if control else SERVE
    with tempfile.TemporaryDirectory() as base, in_thread(ChatServer(fault=Fault.SILENCE)) as model:
        folder = made(Path(base) / "notes", 20)
        env = environment(Path(base), LENS_BASE_URL=model.base_url, LENS_MODEL="any")
        for first in range(0, pauses, A_SERVER):
            with LspProcess(env, command, pipesize=PIPE) as server:
                server.begin(folder)
                _paused(Pauses(server, model, draw, tally, most), server, min(A_SERVER, pauses - first), tally)
            said = server.errors
            if b"Traceback" in said or b"incident" in said or (tally.left and b"has not read" not in said):
                tally.wrong.append(f"it said {said[-300:]!r}")
            if tally.wrong:
                return tally
    return tally


def _paused(pauses: Pauses, server: LspProcess, count: int, tally: Tally) -> None:
    try:
        for number in range(count):
            if number == A_SERVER - 1:
                pauses.give_up()
                return
            pauses.pause()
            if tally.wrong:
                return
        if server.leave() != 0:
            tally.wrong.append(f"it left with {server.process.returncode}")
    except (AssertionError, OSError) as error:
        tally.wrong.append(f"no answer, status {server.process.poll()}: {error}")


@harness(n=100, seed=1)
def main(options: Options) -> Verdict:
    tally = run(options.n, options.seed)
    control = run(1, options.seed, control=True)
    return {
        "n": len(tally.seconds) + tally.left,
        "answers": tally.answers,
        "leftUnread": tally.left,
        "mostUnread_mb": round(max(tally.unread, default=0) / 1e6, 1),
        "worst_s": round(max(tally.seconds, default=0.0), 2),
        "wrong": tally.wrong,
        "controlN": len(control.seconds),
        "controlBad": len(control.wrong),
    }, control.wrong


if __name__ == "__main__":
    sys.exit(main())
