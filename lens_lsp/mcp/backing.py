"""The language server behind the tools: started when it is first needed, again when it has ended, told of the folders
that hold now. What it says is handed to the calls that it is about."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from typing import Any, Protocol

from lens_lsp.client import Client, Refused, ServerGone, unhandled
from lens_lsp.lsp.locations import uri_of
from lens_lsp.mcp.bounds import Bounds
from lens_lsp.model.errors import LensError

_CAPABILITIES: Mapping[str, object] = {
    "general": {"positionEncodings": ["utf-32"]},
    "window": {"showMessage": {"messageActionItem": {}}},
    "workspace": {"workspaceFolders": True},
}
_PROMPT = "window/showMessageRequest"


class Unavailable(LensError):
    """The language server cannot answer now; the message says why."""

    code = "lens.unavailable"


class Heard(Protocol):
    """What a call hears of its question."""

    def progressed(self, words: str) -> None:
        """Something is being done."""

    def happened(self, event: Mapping[str, Any]) -> None:
        """An event of the search."""

    async def prompted(self, words: str) -> str | None:
        """The user is to be asked; what is chosen, None where nobody can be asked."""


class Backing:
    """One language server at a time. On the event loop only."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._client: Client | None = None
        self._served: tuple[str, ...] = ()
        self._lock = asyncio.Lock()
        self._heard: dict[str, Heard] = {}
        self._tokens = itertools.count(1)

    async def request(self, method: str, params: Mapping[str, object], bounds: Bounds) -> Any:
        """The result of a request about these folders. Raises `Refused` and `Unavailable`."""
        client = await self._served_for(bounds)
        try:
            return await client.request(method, params)
        except ServerGone as gone:
            raise Unavailable(f"{gone}; it is started again by the next call") from None

    async def asked(self, params: Mapping[str, object], bounds: Bounds, heard: Heard) -> Any:
        """The result of a question, of which ``heard`` hears. Raises as `request`."""
        token = f"mcp-{next(self._tokens)}"
        self._heard[token] = heard
        try:
            return await self.request("lens/ask", {**params, "workDoneToken": token}, bounds)
        finally:
            del self._heard[token]

    async def close(self) -> None:
        """Have the language server leave; its process is gone afterwards."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def notification(self, method: str, params: Any) -> None:
        """What the language server tells."""
        heard = self._heard.get(str(params.get("token"))) if isinstance(params, dict) else None
        if heard is None:
            return
        if method == "lens/event":
            heard.happened(params)
        elif method == "$/progress" and (words := params["value"].get("message")):
            heard.progressed(str(words))

    async def request_of_server(self, method: str, params: Any) -> object:
        """What the language server asks: whether text may be sent to a model. One call is asked for all that wait."""
        if method != _PROMPT:
            raise unhandled(method)
        for heard in list(self._heard.values()):
            choice = await heard.prompted(str(params["message"]))
            if choice is not None:
                return {"title": choice}
        return None

    async def _served_for(self, bounds: Bounds) -> Client:
        async with self._lock:
            client = self._client
            if client is not None and not client.listening:
                await client.close()  # it has ended, or will answer nothing any more
                client = None
            if client is None:
                client = await self._started(bounds)
            elif self._served != bounds.paths:
                added = [{"uri": uri_of(path), "name": path} for path in bounds.paths if path not in self._served]
                removed = [{"uri": uri_of(path), "name": path} for path in self._served if path not in bounds.paths]
                event = {"event": {"added": added, "removed": removed}}
                client.notify("workspace/didChangeWorkspaceFolders", event)
            self._client, self._served = client, bounds.paths
            return client

    async def _started(self, bounds: Bounds) -> Client:
        try:
            return await Client.start(
                bounds.paths,
                _Hearing(self),
                options={"events": True, "settings": {}},
                capabilities=_CAPABILITIES,
                env=self._environment,
            )
        except (ServerGone, Refused, OSError) as error:
            raise Unavailable(f"the language server could not be started: {error}") from None


class _Hearing:
    """The backing, as a client of a language server hears."""

    def __init__(self, backing: Backing) -> None:
        self._backing = backing

    def notification(self, method: str, params: Any) -> None:
        self._backing.notification(method, params)

    async def request(self, method: str, params: Any) -> object:
        return await self._backing.request_of_server(method, params)
