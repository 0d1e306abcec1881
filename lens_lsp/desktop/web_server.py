"""From a socket of our own to a page in the user's browser, until the user says that it is enough."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import webbrowser
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

import uvicorn

from lens_lsp.desktop.app import application
from lens_lsp.desktop.guard import ConnectionLimit, Guard, LinkAdmission, protocol_with
from lens_lsp.desktop.home import desktop_file, keep_port, read_desktop
from lens_lsp.desktop.page_questions import Assistant
from lens_lsp.model.errors import UsageError

HOST = "127.0.0.1"
_LAST_SECONDS = 2
"""For connections to end when we do."""
_MOST_HEAD = 32 << 10
"""Bytes of a request's headers."""
_AT_ONCE = 8
"""Connections that are accepted before those of before are looked at: they are open and not yet at the connections."""
_QUEUE = 4096
"""Connections that the system holds until they are accepted; who finds no place there tries again a second later."""
Show = Callable[[str], Awaitable[bool]]
"""What is done with the link once it works; True when the user is through with the page."""


def serve(folders: Sequence[str], port: int | None, show: Show) -> int:
    """Serve the page for these folders (absolute paths) until an interrupt, or until it was shown; the exit status.

    ``port`` 0 is any, None the one of the last time, if that is free: what a browser keeps of the page belongs to its
    port. Raises `UsageError` for a port that was asked for and is taken.
    """
    listening = _same_as_before() if port is None else _listening(port)
    try:
        asyncio.run(_serve(listening, folders, show))
    except KeyboardInterrupt:  # uvicorn's way to hand it on once everything has ended
        return 0
    return 0


async def _serve(listening: socket.socket, folders: Sequence[str], show: Show) -> None:
    port: int = listening.getsockname()[1]
    admission = LinkAdmission(lambda: _print(_link(port, admission), "In another browser"))
    assistant, connections = Assistant(folders, desktop_file()), ConnectionLimit()
    await asyncio.get_running_loop().run_in_executor(None, assistant.folders.note)
    guard = Guard(application(assistant), port, admission, connections)
    asyncio.get_running_loop().set_exception_handler(_loop_errors())
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)  # it prints what requests were about
    config = uvicorn.Config(
        guard,
        http=protocol_with(connections),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=_MOST_HEAD,
        backlog=_AT_ONCE,
        timeout_graceful_shutdown=_LAST_SECONDS,
    )
    link = _link(port, admission)
    server = _Server(config, assistant, lambda: _print(link, "Lens"))

    async def shown() -> None:
        if await show(link):
            server.should_exit = True
            assistant.hush()

    showing = asyncio.create_task(shown())
    try:
        await server.serve(sockets=[listening])
    finally:
        showing.cancel()
        with suppress(asyncio.CancelledError):
            await showing


class _Server(uvicorn.Server):
    """Ends the feeds first: a connection that listens to one would be waited for. Tells when it is ``ready``."""

    def __init__(self, config: uvicorn.Config, assistant: Assistant, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready
        self._loop = asyncio.get_running_loop()
        self._assistant = assistant

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen; the loop takes one number for what it accepts at once and for what waits, and that may be more."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_QUEUE)
        if not self.should_exit:
            self._loop.call_soon(self._ready)  # in the main loop, where an interrupt ends everything in order
        elif self.started:  # an interrupt came on the way: what was started has to end, and `serve` leaves at once
            await self.shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal: leave in order, at once the second time."""
        super().handle_exit(sig, frame)
        self._loop.call_soon_threadsafe(self._assistant.hush)


def _loop_errors() -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """Tells what the event loop complains of; that no connection can be accepted, many times a second, once."""
    told: set[str] = set()

    def tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or "socket" not in context:
            loop.default_exception_handler(context)
        elif not told:
            told.add("socket")
            sys.stderr.write(f"no connection can be accepted ({error.strerror}): close files, or raise `ulimit -n`\n")
            sys.stderr.flush()

    return tell


async def in_no_browser(link: str) -> bool:
    """Show nothing: the printed link has to do."""
    return False


async def in_browser(link: str) -> bool:
    """Show the page in the user's browser; where there is none, the printed link has to do."""
    await asyncio.get_running_loop().run_in_executor(None, webbrowser.open, link)
    return False


async def in_window(link: str) -> bool:
    """Show the page in a window of its own until that is closed; where none can be opened, the link has to do."""
    from lens_lsp.desktop.window import shown

    if await shown(link):
        return True
    sys.stderr.write("no window could be opened here; open the link in a browser\n")
    sys.stderr.flush()
    return False


def _same_as_before() -> socket.socket:
    """A socket at the port of the last time; at any, which is remembered, before there was one; at any, with a word
    for the user, where that is taken."""
    kept = desktop_file()
    port = read_desktop(kept).port
    if port is None:
        listening = _listening(0)
        with suppress(OSError):  # then it is another one the next time
            keep_port(kept, listening.getsockname()[1])
        return listening
    try:
        return _listening(port)
    except UsageError:
        listening = _listening(0)
        sys.stderr.write(
            f"port {port} of the last time is taken, by another lens desktop maybe: this page is at port"
            f" {listening.getsockname()[1]}, and bookmarks of the other one do not lead here\n"
        )
        sys.stderr.flush()
        return listening


def _listening(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # or connections of before would hold it for a while; elsewhere it means another thing
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        raise UsageError(f"port {port} cannot be had ({error.strerror}); leave --port out for any") from error
    return listening


def _link(port: int, admission: LinkAdmission) -> str:
    return f"http://{HOST}:{port}/#token={admission.token}"


def _print(link: str, what: str) -> None:
    sys.stdout.write(f"{what}: {link}\n")
    sys.stdout.flush()
