"""One client, one process: the threads, the event loop and the watchdog around a server, and how all of it ends."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from lens_lsp.lsp.endpoint import incident
from lens_lsp.lsp.protocol import ENDED
from lens_lsp.lsp.server import LensServer
from lens_lsp.lsp.session import RUNNING
from lens_lsp.lsp.streams import Inbox, Outbox
from lens_lsp.lsp.watchdog import Watchdog

logger = logging.getLogger(__name__)

LOST = 1
"""How the process ends when nothing can be written to the client any more."""
_FLUSH_SECONDS = 1.0
_SWITCH_SECONDS = 0.001
"""How long a thread may keep the interpreter while the event loop waits for it: a fifth of the default."""
_THREADS = 4 * RUNNING
_INTERRUPTED = 130


def serve(stdin: BinaryIO, stdout: BinaryIO, environment: Mapping[str, str]) -> int:
    """Serve until the client leaves, or the process is told to; the exit status.

    The loop and its threads are left as they are, for the process to end with: closing them would wait for work that
    nobody wants any more.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    loop = asyncio.new_event_loop()
    return loop.run_until_complete(_serve(stdin, stdout, environment))


class _Ending:
    """How it ends; what is said first counts. From any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.status: asyncio.Future[int] = loop.create_future()

    def because(self, why: str, status: int) -> None:
        """End with this status, for a reason worth a line in the log."""
        logger.warning("leaving: %s", why)
        self.end(status)

    def end(self, status: int) -> None:
        """End with this status."""
        self._loop.call_soon_threadsafe(self._set, status)

    def with_result(self, task: asyncio.Task[int]) -> None:
        """End with what a task came to."""
        if not task.cancelled():
            self._set(task.result())

    def _set(self, status: int) -> None:
        if not self.status.done():
            self.status.set_result(status)


async def _serve(stdin: BinaryIO, stdout: BinaryIO, environment: Mapping[str, str]) -> int:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(_THREADS, "lens-work"))
    loop.set_exception_handler(_unhandled)
    ending = _Ending(loop)
    for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, _INTERRUPTED)):
        _on_signal(loop, number, ending, status)
    watchdog = Watchdog(lambda: ending.because("the client is gone", ENDED), lambda: os._exit(ENDED))
    server = LensServer(environment, watchdog)
    inbox, outbox = Inbox(stdin, loop), Outbox(stdout, lambda why: ending.because(why, LOST))
    server.protocol.set_writer(outbox)
    outbox.start()
    inbox.start()
    watchdog.start()
    listening = asyncio.create_task(server.protocol.listen(inbox))
    listening.add_done_callback(ending.with_result)
    status = await ending.status
    listening.cancel()
    await server.drain()
    outbox.flush(_FLUSH_SECONDS)
    return status


def _on_signal(loop: asyncio.AbstractEventLoop, number: int, ending: _Ending, status: int) -> None:
    try:
        loop.add_signal_handler(number, ending.end, status)
    except NotImplementedError:  # Windows
        signal.signal(number, lambda *_: ending.end(status))


def _unhandled(_loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """What nobody awaited, without a word of its contents."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        incident("the event loop", error)
    else:
        logger.error("the event loop: %s", context.get("message"))
