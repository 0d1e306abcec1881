"""How many strangers may stand at the door, and for how long.

A connection is a stranger's until a request on it carries the key, and again after that request. Any program of this
machine can open connections and send nothing, half a head or half a body. So strangers leave after some seconds, and
where there are too many the one that has stood there longest makes room: whoever sends a request is served before it
is that one. Connections that carry the key are not counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_STRANGERS = 64
STRANGER_SECONDS = 10.0

Client = tuple[str, int] | None
"""Address and port of the other side, as ASGI names it."""


class Door:
    """The connections of one server. On the event loop only."""

    def __init__(self) -> None:
        self._open: dict[Client, asyncio.Transport] = {}
        self._strangers: dict[Client, asyncio.TimerHandle] = {}
        """When each leaves; who has stood there longest comes first."""

    def opened(self, client: Client, transport: asyncio.Transport) -> None:
        """A stranger has come."""
        self._open[client] = transport
        self._wait(client)

    def closed(self, client: Client, transport: asyncio.Transport) -> None:
        """A connection has ended."""
        if self._open.get(client) is transport:
            del self._open[client]
            self._forget(client)

    @contextmanager
    def serving(self, client: Client) -> Iterator[None]:
        """While a request with the key is served on a connection."""
        self._forget(client)
        try:
            yield
        finally:
            if client in self._open:
                self._wait(client)

    def _wait(self, client: Client) -> None:
        self._forget(client)
        self._strangers[client] = asyncio.get_running_loop().call_later(STRANGER_SECONDS, self._drop, client)
        if len(self._strangers) > MOST_STRANGERS:
            self._drop(next(iter(self._strangers)))

    def _forget(self, client: Client) -> None:
        if leaving := self._strangers.pop(client, None):
            leaving.cancel()

    def _drop(self, client: Client) -> None:
        self._forget(client)
        self._open.pop(client).abort()


def protocol_at(door: Door) -> type[H11Protocol]:
    """HTTP as uvicorn speaks it, on connections that the door knows."""

    class Protocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            door.opened(self.client, transport)

        def connection_lost(self, exc: Exception | None) -> None:
            door.closed(self.client, self.transport)
            super().connection_lost(exc)

    return Protocol
