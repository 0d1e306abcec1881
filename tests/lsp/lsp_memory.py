"""A server in this process whose client is the test: what it sends, and what came back."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from lens_lsp.lsp.server import REQUESTS, LensServer, Loader

Message = dict[str, Any]


class Client:
    """The other end. Implements pygls' ``Writer``."""

    def __init__(self, requests: Mapping[str, Loader]) -> None:
        self.server = LensServer({}, requests={**REQUESTS, **requests})
        self.server.protocol.set_writer(self)
        self.answers: dict[Any, Message] = {}
        self.counts: Counter[Any] = Counter()
        self.said: list[Message] = []
        self._news = asyncio.Event()

    def write(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        if "method" in message:
            self.said.append(message)
        else:
            self.answers[message["id"]] = message
            self.counts[message["id"]] += 1
        self._news.set()

    def close(self) -> None: ...

    def send(self, id_: object, method: str, params: object = None) -> None:
        message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        self.server.protocol.receive(json.dumps(message).encode())

    def notify(self, method: str, params: object = None) -> None:
        self.server.protocol.receive(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    async def answer(self, id_: object) -> Message:
        async with asyncio.timeout(30):
            while id_ not in self.answers:
                self._news.clear()
                await self._news.wait()
        return self.answers[id_]

    async def ask(self, id_: object, method: str, params: object = None) -> Message:
        self.send(id_, method, params)
        return await self.answer(id_)


def talk(conversation: Callable[[Client], Coroutine[Any, Any, None]], **requests: Loader) -> None:
    """Have a conversation after the handshake. Further ``requests`` are by their method, ``_`` for a slash."""

    async def run() -> None:
        client = Client({name.replace("_", "/"): loader for name, loader in requests.items()})
        await client.ask("hello", "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        try:
            await conversation(client)
        finally:
            await client.server.drain()

    asyncio.run(run())
