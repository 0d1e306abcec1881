"""Progress as the editor shows it: begun at once or as soon as the client allows it, cancellable, always ended."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException

from lens_lsp.lsp.endpoint import RequestFailed
from lens_lsp.lsp.turns import Busy

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer

_CREATE_SECONDS = 5.0

Value = types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd


class Progress:
    """Of one request, in a ``with`` statement. ``token`` is the client's; without one the client is asked for its
    consent to ours, which nothing waits for. Its cancel button cancels the task that entered this.

    pygls' own helper forgets no token (``test_progress_tokens_are_forgotten``, upstream issue 607).
    """

    def __init__(self, ls: LensServer, token: int | str | None, title: str) -> None:
        self._ls = ls
        self._title = title
        self._token = f"lens-{secrets.token_hex(8)}" if token is None else token
        self._ours = token is None
        self._begun = False
        self._said: str | None = None
        self._asking: asyncio.Task[None] | None = None

    def __enter__(self) -> Progress:
        task = asyncio.current_task()
        if task is not None:
            self._ls.session.on_progress_cancel(self._token, task.cancel)
        if not self._ours:
            self._begin()
        elif get_capability(self._ls.client_capabilities, "window.work_done_progress", False):
            self._asking = self._ls.spawn("progress", self._create())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ls.session.on_progress_cancel(self._token, None)
        if self._asking is not None:
            self._asking.cancel()
        if self._begun:
            self._send(types.WorkDoneProgressEnd())

    def on_cancel(self, cancel: Callable[[], object]) -> None:
        """From now on the cancel button does this, and leaves the task alone."""
        self._ls.session.on_progress_cancel(self._token, cancel)

    def report(self, text: str) -> None:
        """Say what is being done."""
        if text == self._said:
            return
        self._said = text
        if self._begun:
            self._send(types.WorkDoneProgressReport(cancellable=True, message=text))

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """A turn among the questions of the session; how many come first is reported. Raises `RequestFailed` where too
        many wait."""
        turns = self._ls.session.turns
        try:
            async with turns.taken(lambda ahead: self.report(f"waiting, {ahead} ahead")):
                yield
        except Busy:
            raise RequestFailed(f"busy: {turns.most_waiting} questions wait already; ask again later") from None

    def from_thread(self) -> Callable[[str], object]:
        """The same for other threads."""
        loop = asyncio.get_running_loop()
        return lambda text: loop.call_soon_threadsafe(self.report, text)

    async def _create(self) -> None:
        params = types.WorkDoneProgressCreateParams(self._token)
        with suppress(JsonRpcException, TimeoutError):
            async with asyncio.timeout(_CREATE_SECONDS):
                await self._ls.window_work_done_progress_create_async(params)
            self._begin()

    def _begin(self) -> None:
        self._begun = True
        self._send(types.WorkDoneProgressBegin(title=self._title, cancellable=True, message=self._said))

    def _send(self, value: Value) -> None:
        self._ls.progress(types.ProgressParams(self._token, value))
