"""pygls as it comes, in memory: a real client and a real server that talk JSON-RPC in one event loop."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from lsprotocol import types
from pygls.io_ import run_async
from pygls.lsp.client import LanguageClient
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter


class _Pipe:
    """The writing end whose reading end is a ``StreamReader``."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    def write(self, data: bytes) -> None:
        self._reader.feed_data(data)

    def close(self) -> None:
        self._reader.feed_eof()


@contextlib.asynccontextmanager
async def connected(server: LanguageServer) -> AsyncGenerator[LanguageClient]:
    """A client that has initialized the server."""
    client = LanguageClient("test", "0", converter_factory=default_converter)
    to_server, to_client = asyncio.StreamReader(), asyncio.StreamReader()
    server.protocol.set_writer(_Pipe(to_client))
    client.protocol.set_writer(_Pipe(to_server))
    stop = threading.Event()
    sides = [
        asyncio.create_task(run_async(stop, to_server, server.protocol, error_handler=server.report_server_error)),
        asyncio.create_task(run_async(stop, to_client, client.protocol)),
    ]
    try:
        await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
        client.initialized(types.InitializedParams())
        yield client
    finally:
        stop.set()
        to_server.feed_eof()
        to_client.feed_eof()
        await asyncio.gather(*sides)


def with_client(server: LanguageServer, scenario: Callable[[LanguageClient], Coroutine[Any, Any, None]]) -> None:
    """Play a scenario; it gets the client."""

    async def run() -> None:
        async with connected(server) as client:
            await scenario(client)

    asyncio.run(run())


async def sent(client: LanguageClient, method: str, params: object, id_: int | str) -> Any:
    """The answer to a request that is sent as it is, in reasonable time."""
    answer = client.protocol._request_futures[id_] = asyncio.get_running_loop().create_future()  # type: ignore[assignment]
    client.protocol._send_data({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
    return await asyncio.wait_for(answer, SOON)  # type: ignore[arg-type]


SOON = 0.3
"""Seconds in which all that is answered at all is answered, in memory."""
