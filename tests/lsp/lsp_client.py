"""A client that says anything to a real server process, and notes all that comes back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
SERVE = (sys.executable, "-m", "lens_lsp", "serve")
PATIENCE = 120.0
"""Seconds that an answer may take on a busy machine before a test gives up."""
_LAST_WORDS = 10.0
"""Seconds in which the last words of a process that has ended are read, unless another holds its pipe."""
Message = dict[str, Any]
SILENCE = object()
"""The reply to a request that gets none."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reply to a request that gets an error."""

    code: int
    message: str


def frame(message: object) -> bytes:
    """A message with its header; bytes are taken as a body."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode("ascii")
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def environment(home: Path, **more: str) -> dict[str, str]:
    """Nothing of the developer's but the path to the package."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "LENS_READER") if name in os.environ}
    return kept | {"HOME": str(home), "PYTHONPATH": str(REPOSITORY)} | more


class LspProcess:
    """A server process and what it said. Use it in a ``with`` statement: it is gone afterwards."""

    def __init__(self, env: Mapping[str, str], command: tuple[str, ...] = SERVE, **options: Any) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, env=dict(env), **(pipes | options))
        self.errors = b""
        self.answers: dict[Any, Message] = {}
        self.counts: Counter[Any] = Counter()
        """How often each id was answered."""
        self.said: list[Message] = []
        """Notifications and requests of the server, in order."""
        self.replies: dict[str, Callable[[Any], object]] = {}
        """What is answered to requests of the server, by method; the others get no answer."""
        self.reading = threading.Event()
        """Cleared, the client reads no further."""
        self.reading.set()
        self._news = threading.Condition()
        self._over = False
        self._number = 0
        self._threads = [threading.Thread(target=each, daemon=True) for each in (self._read, self._read_errors)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> LspProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait()
        self.reading.set()
        for thread in self._threads:
            thread.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:  # what was never read
                    continue

    def raw(self, data: bytes) -> None:
        """Write bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *messages: object) -> None:
        """Send messages in one go."""
        self.raw(b"".join(map(frame, messages)))

    def request(self, method: str, params: object = None, id_: object = None) -> Any:
        """Send a request; its id."""
        if id_ is None:
            self._number += 1
            id_ = self._number
        self.send({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
        return id_

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, id_: object, seconds: float = PATIENCE) -> Message:
        """The answer to a request."""
        self.until(lambda: id_ in self.answers, seconds)
        return self.answers[id_]

    def ask(self, method: str, params: object = None, seconds: float = PATIENCE) -> Message:
        """Send a request and wait for its answer."""
        return self.answer(self.request(method, params), seconds)

    def result(self, method: str, params: object = None, seconds: float = PATIENCE) -> Any:
        """Send a request and wait for its result."""
        answer = self.ask(method, params, seconds)
        assert "error" not in answer, answer
        return answer["result"]

    def until(self, condition: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Wait until something is so, looking whenever the server says anything."""
        with self._news:
            held = self._news.wait_for(lambda: condition() or self._over, seconds)
            assert held, f"waited {seconds} s in vain; {self.errors[-500:]!r}"
            assert condition(), f"the server left with {self.process.poll()}; {self.errors[-500:]!r}"

    def begin(
        self,
        *folders: Path,
        capabilities: Message | None = None,
        options: object = None,
        process: int | None = None,
        client: Message | None = None,
    ) -> Message:
        """The handshake; its result. ``client``: the client's name and version."""
        result: Message = self.result(
            "initialize",
            {
                "processId": process or os.getpid(),
                "rootUri": folders[0].as_uri() if folders else None,
                "workspaceFolders": [{"uri": each.as_uri(), "name": each.name} for each in folders] or None,
                "capabilities": capabilities or {},
                "initializationOptions": options,
                "clientInfo": client,
            },
        )
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, version: int = 1) -> None:
        """Show a text."""
        document = {"uri": uri, "languageId": "markdown", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, version: int, *changes: Message) -> None:
        """Change a text."""
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def notifications(self, method: str) -> list[Any]:
        """The params of all that the server said of one kind."""
        return [message.get("params") for message in list(self.said) if message.get("method") == method]

    def leave(self) -> int:
        """Shut the server down; how it ended."""
        assert self.ask("shutdown")["result"] is None
        self.notify("exit")
        return self.ended()

    def ended(self, seconds: float = PATIENCE) -> int:
        """Wait for the end of the process and for what it said last; how it ended."""
        status = self.process.wait(seconds)
        self._threads[1].join(_LAST_WORDS)
        return status

    def hang_up(self) -> None:
        """Close the server's standard input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def close_output(self) -> None:
        """Close our end of the server's standard output: what it writes from now on nobody can read."""
        assert self.process.stdout is not None
        read, write = os.pipe()
        os.close(write)
        os.dup2(read, self.process.stdout.fileno())
        os.close(read)

    def seconds_of_processor(self) -> float:
        """What the process has used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident(self) -> int:
        """Bytes of memory that the process holds."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def _read(self) -> None:
        while (message := self._message()) is not None:
            with self._news:
                if "method" in message:
                    self.said.append(message)
                else:
                    self.answers[message["id"]] = message
                    self.counts[message["id"]] += 1
                self._news.notify_all()
            if message.get("method") in self.replies and "id" in message:
                self._reply(message["id"], self.replies[message["method"]](message.get("params")))
        with self._news:
            self._over = True
            self._news.notify_all()

    def _reply(self, id_: object, result: object) -> None:
        if isinstance(result, Refusal):
            self.send({"jsonrpc": "2.0", "id": id_, "error": {"code": result.code, "message": result.message}})
        elif result is not SILENCE:
            self.send({"jsonrpc": "2.0", "id": id_, "result": result})

    def _message(self) -> Message | None:
        stream = self.process.stdout
        assert stream is not None
        size = 0
        while True:
            self.reading.wait()
            line = stream.readline()
            if not line:
                return None
            if not line.strip():
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        body = stream.read(size)
        return json.loads(body) if len(body) == size else None

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Look again and again at what nothing announces; whether it became so in time."""
    until = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        if time.monotonic() > until:
            return False
        pause.wait(0.01)
    return True
