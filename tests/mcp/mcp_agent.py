"""Agents for the tests: the SDK's own client over a real process, and one that says anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from pydantic import FileUrl

from tests.lsp.lsp_client import environment

ERAS = ("legacy", "2026-07-28")
"""How clients begin: by a handshake, or each request by itself."""
LEASE = "The lease of the workshop ends on 30 June 2031."
QUESTION = "When does the lease of the workshop end?"


def arguments(*paths: Path, roots: bool = True) -> list[str]:
    """After the interpreter."""
    return ["-m", "lens_lsp", "mcp", *([] if roots else ["--no-roots"]), *map(str, paths)]


@asynccontextmanager
async def agent(
    home: Path, *paths: Path, cwd: Path | None = None, env: Mapping[str, str] = {}, mode: str = ERAS[0], **options: Any
) -> AsyncIterator[Client]:
    """A client with a server of its own."""
    server = StdioServerParameters(
        command=sys.executable, args=arguments(*paths), env={**environment(home), **env}, cwd=cwd or home
    )
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        from mcp.client.stdio import stdio_client

        async with Client(stdio_client(server, errlog=nothing), mode=mode, **options) as client:
            yield client


class Roots:
    """What a client answers of its roots; they can be changed."""

    def __init__(self, *folders: Path) -> None:
        self.folders: Sequence[Path] = folders

    async def __call__(self, _: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=FileUrl(folder.as_uri())) for folder in self.folders])


async def call(client: Client, name: str, **given: Any) -> dict[str, Any]:
    """The structured content of a tool that did not fail."""
    result = await client.call_tool(name, given)
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def failure(client: Client, name: str, **given: Any) -> str:
    """What a tool that failed says."""
    result = await client.call_tool(name, given)
    assert result.is_error, text_of(result)
    return text_of(result)


def text_of(result: types.CallToolResult) -> str:
    return "\n".join(each.text for each in result.content if isinstance(each, types.TextContent))


class RawAgent:
    """A server process and lines to and from it. Use it in a ``with`` statement: it is gone afterwards."""

    def __init__(self, home: Path, *paths: Path, env: Mapping[str, str] = {}) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [sys.executable, *arguments(*paths)]
        self.process = subprocess.Popen(command, env={**environment(home), **env}, cwd=home, **pipes)
        self.lines: list[bytes] = []

    def __enter__(self) -> RawAgent:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, *messages: object) -> None:
        """Write messages, bytes as they are."""
        assert self.process.stdin is not None
        for message in messages:
            body = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(body + b"\n")
        self.process.stdin.flush()

    def begin(self) -> None:
        """The handshake."""
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        assert self.answer(0)["result"]["serverInfo"]["name"] == "lens"
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def answer(self, id_: object) -> dict[str, Any]:
        """The answer to a request; what comes before it is kept in ``lines``."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == id_ and "method" not in message:
                return message
        raise AssertionError(f"no answer to {id_}")

    def leave(self, seconds: float = 20) -> int:
        """Close its input; its exit status."""
        out, _ = self.process.communicate(timeout=seconds)
        self.lines += out.splitlines(keepends=True)
        return self.process.returncode
