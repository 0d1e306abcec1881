"""A real `lens desktop`, and a client that speaks HTTP with it over real sockets, byte for byte where that counts."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from tests.lsp.lsp_client import wait_until

PATIENCE = 120.0


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Sent:
    """One of the events of a stream."""

    id: int
    data: dict[str, Any]


def with_descriptors(count: int, *command: str) -> list[str]:
    """A command that may have so many descriptors, however many its caller has."""
    return ["sh", "-c", f'ulimit -S -n {count} && exec "$@"', "sh", *command]


class Desktop:
    """A process. Use it in a ``with`` statement: it is gone afterwards."""

    def __init__(
        self,
        env: Mapping[str, str],
        *arguments: str,
        shown: bool = False,
        errors: int = subprocess.PIPE,
        descriptors: int | None = None,
    ) -> None:
        command = [sys.executable, "-m", "lens_lsp", "desktop", *([] if shown else ["--no-browser"]), *arguments]
        if descriptors is not None:
            command = with_descriptors(descriptors, *command)
        self.process = subprocess.Popen(
            command, env=dict(env), stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().rpartition(" ")[2].strip()
        assert self.link, self.process.communicate()[1]
        self.port = urlsplit(self.link).port or 0
        self.key = ""

    def __enter__(self) -> Desktop:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return self.link.partition("token=")[2]

    @property
    def carried(self) -> dict[str, str]:
        """The header that lets a request in."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def enter(self) -> Desktop:
        """Use the link as the page does."""
        reply = self.use(self.token)
        assert reply.status == 201, reply
        self.key = reply.json()["key"]
        return self

    def use(self, token: str, **headers: str | None) -> Reply:
        """What a token is exchanged for."""
        return self.send("POST", "/api/session", Authorization=f"Bearer {token}", **headers)

    def next_link(self) -> str:
        """The link that was printed when the last one was used."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().rpartition(" ")[2].strip()

    def send(self, method: str, path: str, body: object = None, **headers: str | None) -> Reply:
        """A request with nothing but what is said here; headers with ``_`` for ``-``, None leaves a usual one out."""
        usual: dict[str, str | None] = {"Host": self.host, **self.carried}
        if body is not None:
            usual["Content-Type"] = "application/json"
        usual |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in usual.items():
                if value is not None:
                    connection.putheader(name, value)
            if data is not None or method not in ("GET", "HEAD"):
                connection.putheader("Content-Length", str(len(data or b"")))
            connection.endheaders(data)
            response = connection.getresponse()
            return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def raw(self, request: bytes) -> bytes:
        """All that comes back for some bytes, until the other side closes."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
            connection.sendall(request)
            answer = b""
            while chunk := connection.recv(1 << 16):
                answer += chunk
            return answer

    def rpc(self, method: str, **params: object) -> Any:
        """The result of a request of the language server's."""
        reply = self.send("POST", "/api/rpc", {"method": method, "params": params})
        assert reply.status == 200, reply
        return reply.json()["result"]

    def use_model(self, address: str, **more: object) -> None:
        """Have a model asked at an address, as who was asked about it and agreed."""
        reply = self.send("PUT", "/api/settings", {"model.baseUrl": address, "agreed": address, **more})
        assert reply.status == 200, reply

    def ask(self, question: str, **more: object) -> str:
        """Begin a question; its name."""
        reply = self.send("POST", "/api/asks", {"question": question, **more})
        assert reply.status == 201, reply
        return str(reply.json()["id"])

    def listen(self, path: str, last: int | None = None) -> Stream:
        """A stream of events, from after that one."""
        return Stream(self, path, last)

    def heard(self, id_: str, last: int | None = None) -> list[Sent]:
        """All events of a question to its end."""
        with self.listen(f"/api/asks/{id_}/events", last) as stream:
            return list(stream)

    def interrupt(self) -> int:
        """Ctrl-C; the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def children(self) -> list[int]:
        """The numbers of the processes that it started and that run."""
        found = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(pid) for path in found for pid in path.read_text().split()]

    def server(self, other_than: int = 0) -> int:
        """The number of the language server's process."""
        found: list[int] = []

        def there() -> bool:
            found[:] = [pid for pid in self.children() if b"serve" in _command(pid) and pid != other_than]
            return bool(found)

        assert wait_until(there)
        return found[0]


class Stream:
    """Server-Sent Events over a connection of its own. Use it in a ``with`` statement, or drop it."""

    def __init__(self, desktop: Desktop, path: str, last: int | None) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", desktop.port, timeout=PATIENCE)
        headers = {"Host": desktop.host, **desktop.carried}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        self._connection.request("GET", path, headers=headers)
        self.response = self._connection.getresponse()
        assert self.response.status == 200, self.response.read()

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop()

    def __iter__(self) -> Iterator[Sent]:
        number = 0
        for line in self.response:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "id":
                number = int(value)
            elif name == "data":
                yield Sent(number, json.loads(value))

    def until(self, type_: str) -> list[Sent]:
        """Events up to the first of this type."""
        heard: list[Sent] = []
        for sent in self:
            heard.append(sent)
            if sent.data["type"] == type_:
                return heard
        raise AssertionError(f"the stream ended without {type_}: {[each.data['type'] for each in heard]}")

    def drop(self) -> None:
        """Break the connection, whatever comes."""
        self.response.close()
        self._connection.close()


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def lives(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
