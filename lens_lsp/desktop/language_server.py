"""The language server behind the page: one that died is replaced, and whoever needs it waits for the new one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lens_lsp.client import Client, ServerGone, ServerListener

CAPABILITIES: Mapping[str, object] = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"showMessage": {"messageActionItem": {}}},
    "textDocument": {"publishDiagnostics": {}},
}
"""The page counts as JavaScript does, and asks its user."""
RUNNING, GONE = "running", "gone"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 30.0
_LASTING_SECONDS = 60.0
"""A server that lived so long died of something else than its start."""


class LanguageServer:
    """One at a time, from `start` to `close`. On the event loop only. ``told`` hears `RUNNING` and `GONE`."""

    def __init__(
        self, folders: Sequence[str], hear: ServerListener, told: Callable[[str], None], env: Mapping[str, str]
    ) -> None:
        self._folders = tuple(folders)
        self._hear = hear
        self._told = told
        self._env = env
        self._client: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._keeping: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to keep one running."""
        self._keeping = asyncio.get_running_loop().create_task(self._keep())

    async def close(self) -> None:
        """End it; its process is gone afterwards, and nobody waits any more."""
        if self._keeping is not None:
            self._keeping.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeping
        if self._client.done():
            await self._client.result().close()
        else:
            self._client.cancel()

    async def request(self, method: str, params: Mapping[str, object], *, again: bool = False) -> Any:
        """The result of a request. Raises `Refused`, and `ServerGone` when the server died over it.

        ``again``: it costs nothing and may be made twice, so that the next server is asked when one died over it.
        """
        if again:
            with suppress(ServerGone):
                return await (await self._running()).request(method, params)
        return await (await self._running()).request(method, params)

    def notify(self, method: str, params: Mapping[str, object]) -> bool:
        """Tell the server something; whether there is one."""
        there = self._client.done() and not self._client.cancelled()
        if there:
            self._client.result().notify(method, params)
        return there

    @property
    def pid(self) -> int | None:
        """The number of its process, None while there is none."""
        return self._client.result().pid if self._client.done() and not self._client.cancelled() else None

    async def _running(self) -> Client:
        """A server that listens. Raises `ServerGone` when there will be none any more."""
        while True:
            waited = self._client
            try:
                client = await asyncio.shield(waited)
            except asyncio.CancelledError:
                if waited.cancelled():
                    raise ServerGone("lens desktop is ending") from None
                raise
            if client.listening or (self._keeping is not None and self._keeping.done()):
                return client
            await asyncio.wait({client.gone})
            await asyncio.sleep(0)  # until another is awaited in its place

    async def _keep(self) -> None:
        loop, pause = asyncio.get_running_loop(), _FIRST_PAUSE
        while True:
            began = loop.time()
            with suppress(ServerGone, OSError):
                client = await Client.start(
                    self._folders, self._hear, options={"events": True}, capabilities=CAPABILITIES, env=self._env
                )
                self._client.set_result(client)
                self._told(RUNNING)
                await asyncio.wait({client.gone})
                self._client = loop.create_future()
                self._told(GONE)
            pause = _FIRST_PAUSE if loop.time() - began > _LASTING_SECONDS else min(2 * pause, _LONGEST_PAUSE)
            await asyncio.sleep(pause)
