"""Client of our own language server, run in a child process: what the desktop page and the MCP server work through.

The child is the same interpreter, isolated, so that nothing in the folders that it serves is imported. Its standard
error is ours.
"""

from __future__ import annotations

import asyncio
import json
import os
import site
import subprocess
import sys
import threading
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, Protocol, cast

from lens_lsp.lsp.locations import uri_of
from lens_lsp.lsp.transport import BrokenFraming, Inbox, Outbox, TooLarge

_PACKAGE = __name__.partition(".")[0]
_PROGRAM = f"""\
import json, sys
sys.path += json.loads(sys.argv.pop(1))
from {_PACKAGE}.cli import run
run()
"""
_LAST_WORDS = 2.0
"""Seconds for what a process said to be read after its end; a descendant of its own may hold the pipe open."""
CANCELLED = -32800
"""The code of a request that was cancelled."""
_METHOD_NOT_FOUND, _INTERNAL = -32601, -32603
_BEGIN_SECONDS = 60.0
_LEAVE_SECONDS = 3.0
"""Seconds for `shutdown` to be answered, and then again for the process to end."""
_CAPABILITIES = {"general": {"positionEncodings": ["utf-16"]}}


class ServerProcess:
    """One process and its two pipes. On the event loop that was running when it was made.

    ``gone`` gets its exit status, negative for a signal, when it has ended and all that it said was read.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self._loop = asyncio.get_running_loop()
        self.gone: asyncio.Future[int] = self._loop.create_future()
        self._read_all = threading.Event()
        self._process = _started(env)
        self.pid = self._process.pid
        stdin, stdout = _pipes(self._process)
        self._inbox = Inbox(stdout, self._loop)
        self._outbox = Outbox(stdin, lambda why: self.kill())
        self._inbox.start()
        self._outbox.start()
        threading.Thread(target=self._watch, name="lens-child", daemon=True).start()

    def send(self, message: Mapping[str, object]) -> None:
        """Have a message written. One that is none (`ValueError`) is the caller's fault."""
        body = json.dumps(message, allow_nan=False).encode("ascii")
        self._outbox.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def message(self) -> object:
        """The next message it sent, as plain JSON; None after the last. What is no message ends it."""
        arrival = await self._inbox.get()
        if isinstance(arrival, bytes):
            with suppress(ValueError, RecursionError):
                message: object = json.loads(arrival)
                return message
        self._read_all.set()
        if isinstance(arrival, bytes | BrokenFraming | TooLarge):
            self.kill()
        return None

    def kill(self) -> None:
        """End it at once. From any thread."""
        with suppress(OSError):
            self._process.kill()

    def _watch(self) -> None:
        status = self._process.wait()
        self._read_all.wait(_LAST_WORDS)
        with suppress(RuntimeError):  # the loop is closed: nobody wants to know any more
            self._loop.call_soon_threadsafe(self._end, status)

    def _end(self, status: int) -> None:
        if self._read_all.is_set():  # else a thread waits in one of them still, and closing would wait for it
            for pipe in _pipes(self._process):
                with suppress(OSError):  # what was not written any more
                    pipe.close()
            self._outbox.write(b"")  # its thread finds the pipe closed, and ends
        if not self.gone.done():
            self.gone.set_result(status)


def _started(env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A new process; raises `OSError` where the system gives none.

    In a session of its own: an interrupt typed into our terminal is for us, who then tell it to leave.
    """
    return subprocess.Popen(
        [sys.executable, "-I", "-c", _PROGRAM, json.dumps(code_folders()), "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=os.path.abspath(os.sep),
        env=dict(env),
        start_new_session=True,
    )


def code_folders() -> list[str]:
    """Where our code lies, and the user's own packages where they count: isolated Python looks at neither."""
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return [ours, *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    if process.stdin is None or process.stdout is None:
        raise TypeError("a server without pipes")
    return cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)


class Refused(Exception):
    """A request was answered by an error: its ``code``, its ``message``, and what else was said (``data``)."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    @property
    def name(self) -> str | None:
        """The name of an error of ours, such as ``lens.consent``; None for errors of the protocol."""
        name = self.data.get("code") if isinstance(self.data, Mapping) else None
        return name if isinstance(name, str) else None


class ServerGone(Exception):
    """The server's process has ended, or never began to answer."""


class ServerListener(Protocol):
    """Who hears what the server says of itself. Both are called on the event loop, in the order of what is said."""

    def notification(self, method: str, params: Any) -> None:
        """It told something; to be taken in at once."""

    async def request(self, method: str, params: Any) -> object:
        """It asks something; the result is plain JSON. Cancelled when it takes that back; may raise `Refused`."""


class Client:
    """A language server in a child process, and the requests to it. On one event loop only."""

    def __init__(self, process: ServerProcess, hear: ServerListener) -> None:
        self.server: Mapping[str, Any] = {}
        """The result of ``initialize``."""
        self._process = process
        self.pid = process.pid
        """The number of the server's process."""
        self.gone = process.gone
        """Gets the exit status when the process has ended, negative for a signal. Wait for it by ``asyncio.wait``."""
        self._hear = hear
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._asked: dict[int | str, asyncio.Task[object]] = {}
        """What the server asked and we have not answered yet."""
        self._reading = asyncio.get_running_loop().create_task(self._read())
        self._reading.add_done_callback(self._ended)
        self.gone.add_done_callback(lambda _: self._reading.cancel())

    @classmethod
    async def start(
        cls,
        folders: Sequence[str],
        hear: ServerListener,
        *,
        options: Mapping[str, object] = {},
        capabilities: Mapping[str, object] = _CAPABILITIES,
        env: Mapping[str, str] | None = None,
    ) -> Client:
        """A server that serves these folders (absolute paths), ready for requests.

        ``options`` are its ``initializationOptions``; ``env`` is its environment, ours if None. Raises `ServerGone`,
        and `OSError` where the system gives no process.
        """
        client = cls(ServerProcess(os.environ if env is None else env), hear)
        try:
            async with asyncio.timeout(_BEGIN_SECONDS):
                client.server = await client.request("initialize", _begin(folders, capabilities, options))
        except TimeoutError:
            await client.close()
            raise ServerGone(f"the language server did not answer within {_BEGIN_SECONDS:g} s") from None
        except BaseException:
            await client.close()
            raise
        client.notify("initialized", {})
        return client

    @property
    def listening(self) -> bool:
        """Whether requests still have a chance; `gone` follows soon after when they have none."""
        return not self._reading.done()

    async def request(self, method: str, params: Mapping[str, object] | None = None) -> Any:
        """The result of a request. Raises `Refused` and `ServerGone`.

        Cancelled, it has the server cancel the request and does not wait for that.
        """
        if not self.listening:
            raise ServerGone("the language server has ended")
        self._number += 1
        number = self._number
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, "params": params})
        try:
            return await answer
        except asyncio.CancelledError:
            if not answer.done() or answer.cancelled():
                self.notify("$/cancelRequest", {"id": number})
            raise
        finally:
            self._waiting.pop(number, None)

    def notify(self, method: str, params: Mapping[str, object]) -> None:
        """Tell the server something; nothing happens when it is gone."""
        self._send({"method": method, "params": params})

    async def close(self) -> None:
        """Have the server leave, and kill it if it does not; its process is gone afterwards."""
        try:
            async with asyncio.timeout(_LEAVE_SECONDS):
                await self.request("shutdown")
            self.notify("exit", {})
            await asyncio.wait({self.gone}, timeout=_LEAVE_SECONDS)
        except (Refused, ServerGone, TimeoutError):
            pass
        finally:
            self._process.kill()
            await asyncio.wait({self.gone})

    def _send(self, message: Mapping[str, object]) -> None:
        self._process.send({"jsonrpc": "2.0", **message})

    async def _read(self) -> None:
        while (message := await self._process.message()) is not None:
            if not isinstance(message, dict):
                continue
            if "method" not in message:
                self._answered(message)
            elif "id" in message:
                self._ask(message["id"], str(message["method"]), message.get("params"))
            elif message["method"] == "$/cancelRequest":
                asked = self._asked.get(message["params"]["id"])
                if asked is not None:
                    asked.cancel()
            else:
                self._hear.notification(str(message["method"]), message.get("params"))

    def _ended(self, reading: asyncio.Task[None]) -> None:
        """Nothing is read any more: whoever waits is told, and the process goes."""
        self._process.kill()
        failure = None if reading.cancelled() else reading.exception()
        if failure is not None:
            told = {"message": "what the language server said could not be taken in", "exception": failure}
            reading.get_loop().call_exception_handler(told)
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ServerGone("the language server has ended"))
        for task in self._asked.values():
            task.cancel()

    def _answered(self, message: Mapping[str, Any]) -> None:
        answer = self._waiting.get(message.get("id", -1))
        if answer is None or answer.done():
            return
        error = message.get("error")
        if error is None:
            answer.set_result(message.get("result"))
        else:
            answer.set_exception(Refused(error["code"], error["message"], error.get("data")))

    def _ask(self, number: int | str, method: str, params: object) -> None:
        asking: Coroutine[Any, Any, object] = self._hear.request(method, params)
        task = self._asked[number] = asyncio.get_running_loop().create_task(asking)
        task.add_done_callback(lambda task: self._reply(number, task))

    def _reply(self, number: int | str, task: asyncio.Task[object]) -> None:
        del self._asked[number]
        error = Refused(CANCELLED, "cancelled") if task.cancelled() else task.exception()
        if error is None:
            self._send({"id": number, "result": task.result()})
            return
        if not isinstance(error, Refused):
            error = Refused(_INTERNAL, f"something went wrong that should not ({type(error).__name__})")
        self._send({"id": number, "error": {"code": error.code, "message": error.message}})


def unhandled(method: str) -> Refused:
    """The answer to a request of the server's that nobody here handles."""
    return Refused(_METHOD_NOT_FOUND, f"{method} is not handled")


def _begin(
    folders: Sequence[str], capabilities: Mapping[str, object], options: Mapping[str, object]
) -> dict[str, object]:
    return {
        "processId": os.getpid(),
        "rootUri": uri_of(folders[0]) if folders else None,
        "workspaceFolders": [{"uri": uri_of(each), "name": os.path.basename(each)} for each in folders],
        "capabilities": capabilities,
        "initializationOptions": options,
    }
