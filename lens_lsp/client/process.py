"""A language server in a child process: how it is started, what it says, and how it ends.

It is the interpreter that runs us, isolated, so that nothing in the folders it serves is imported. Its standard error
is ours.
"""

from __future__ import annotations

import asyncio
import json
import os
import site
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import BinaryIO, cast

from lens_lsp.lsp.framing import BrokenFraming, TooLarge
from lens_lsp.lsp.streams import Inbox, Outbox

_PACKAGE = __name__.partition(".")[0]
_PROGRAM = f"""\
import json, sys
sys.path += json.loads(sys.argv.pop(1))
from {_PACKAGE}.cli import run
run()
"""
_LAST_WORDS = 2.0
"""Seconds for what a process said to be read after its end; a descendant of its own may hold the pipe open."""


class ServerProcess:
    """One process and its two pipes. On the event loop that was running when it was made.

    ``gone`` gets its exit status, negative for a signal, when it has ended and all that it said was read.
    """

    def __init__(self, env: Mapping[str, str]) -> None:
        self._loop = asyncio.get_running_loop()
        self.gone: asyncio.Future[int] = self._loop.create_future()
        self._read_all = threading.Event()
        self._process = _started(env)
        stdin, stdout = _pipes(self._process)
        self._inbox = Inbox(stdout, self._loop)
        self._outbox = Outbox(stdin, lambda why: self.kill())
        self._inbox.start()
        self._outbox.start()
        threading.Thread(target=self._watch, name="lens-child", daemon=True).start()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

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
    ours = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return [ours, *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]


def _pipes(process: subprocess.Popen[bytes]) -> tuple[BinaryIO, BinaryIO]:
    if process.stdin is None or process.stdout is None:
        raise TypeError("a server without pipes")
    return cast("BinaryIO", process.stdin), cast("BinaryIO", process.stdout)
