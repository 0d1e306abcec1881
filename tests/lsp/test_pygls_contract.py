"""What we wish pygls 2.1.1 did. Each strict xfail is the reason for one override; when an upgrade makes it pass, pytest
fails here, and the override that names the test can go.
"""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcRequestCancelled
from pygls.lsp.client import LanguageClient
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from tests.lsp.bare_pygls import SOON, sent, with_client
from tests.lsp.lsp_client import frame

missing = pytest.mark.xfail(strict=True, reason="pygls 2.1.1")
BARE = """
import time
from pygls.lsp.server import LanguageServer
server = LanguageServer("bare", "0", max_workers=2)

@server.feature("x/ping")
def ping(ls, params):
    return "pong"

@server.feature("x/block")
@server.thread()
def block(ls, params):
    time.sleep(1)

server.start_io()
"""


@pytest.fixture
def server() -> LanguageServer:
    return LanguageServer("bare", "0")


def execute(client: LanguageClient, name: str, *arguments: object, msg_id: int | None = None) -> Any:
    params = types.ExecuteCommandParams(command=name, arguments=list(arguments))
    return client.protocol.send_request_async(types.WORKSPACE_EXECUTE_COMMAND, params, msg_id=msg_id)


def said_by(*data: bytes) -> tuple[bytes, int]:
    """What a bare server process writes for these bytes after the handshake, and how it ends at their end."""
    capabilities = {"processId": None, "rootUri": None, "capabilities": {}}
    hello = frame({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": capabilities})
    done = subprocess.run(
        [sys.executable, "-c", BARE], input=b"".join((hello, *data)), capture_output=True, check=False, timeout=60
    )
    return done.stdout, done.returncode


def ping(id_: int) -> bytes:
    return frame({"jsonrpc": "2.0", "id": id_, "method": "x/ping", "params": None})


@missing
def test_malformed_standard_params_are_answered(server: LanguageServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: LanguageServer, params: types.HoverParams) -> None: ...

    async def scenario(client: LanguageClient) -> None:
        with pytest.raises(JsonRpcInvalidParams):
            await sent(client, "textDocument/hover", {"position": "nonsense"}, 9)

    with_client(server, scenario)


@missing
def test_params_may_contain_a_jsonrpc_key(server: LanguageServer) -> None:
    @server.feature("x/echo")
    def echo(ls: LanguageServer, params: Any) -> str:
        return "ok"

    async def scenario(client: LanguageClient) -> None:
        assert await sent(client, "x/echo", {"note": {"jsonrpc": "2.0"}}, 9) == "ok"

    with_client(server, scenario)


@missing
def test_custom_params_arrive_as_plain_json(server: LanguageServer) -> None:
    @server.feature("x/keys")
    def keys(ls: LanguageServer, params: Any) -> bool:
        return isinstance(params, dict)

    async def scenario(client: LanguageClient) -> None:
        assert await sent(client, "x/keys", {"my-key": 1}, 9) is True

    with_client(server, scenario)


@missing
def test_a_request_after_shutdown_is_answered(server: LanguageServer) -> None:
    async def scenario(client: LanguageClient) -> None:
        await client.shutdown_async(None)
        with pytest.raises(JsonRpcException):
            await sent(client, "x/anything", {}, 9)

    with_client(server, scenario)


@missing
def test_a_stray_response_disturbs_no_request(server: LanguageServer) -> None:
    @server.command("slow")
    async def slow(ls: LanguageServer) -> str:
        await asyncio.sleep(0.05)
        return "mine"

    async def scenario(client: LanguageClient) -> None:
        request = execute(client, "slow", msg_id=5)
        client.protocol._send_data({"jsonrpc": "2.0", "id": 5, "result": "theirs"})
        assert await asyncio.wait_for(request, SOON) == "mine"

    with_client(server, scenario)


@missing
def test_an_answer_that_nobody_waits_for_any_more_is_forgotten(server: LanguageServer) -> None:
    async def scenario(client: LanguageClient) -> None:
        asked = server.protocol.send_request("x/ask", None, msg_id=7)
        asked.cancel()
        server.protocol._handle_response(7, result="late")

    with_client(server, scenario)


@missing
def test_cancelling_a_command_cancels_its_coroutine(server: LanguageServer) -> None:
    outcome = []
    begun = asyncio.Event()

    @server.command("slow")
    async def slow(ls: LanguageServer) -> None:
        begun.set()
        try:
            await asyncio.sleep(SOON)
            outcome.append("finished")
        except asyncio.CancelledError:
            outcome.append("cancelled")
            raise

    async def scenario(client: LanguageClient) -> None:
        request = execute(client, "slow", msg_id=1)
        await begun.wait()
        client.cancel_request(types.CancelParams(id=1))
        with pytest.raises(JsonRpcRequestCancelled):
            await request
        await asyncio.sleep(2 * SOON)

    with_client(server, scenario)
    assert outcome == ["cancelled"]


@missing
def test_a_cancelled_request_is_known_until_it_has_ended(server: LanguageServer) -> None:
    begun, known = asyncio.Event(), []

    @server.feature("x/slow")
    async def slow(ls: LanguageServer, params: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            known.append(1 in ls.protocol._request_futures)

    async def scenario(client: LanguageClient) -> None:
        request = client.protocol.send_request_async("x/slow", {}, msg_id=1)
        await begun.wait()
        client.cancel_request(types.CancelParams(id=1))
        with pytest.raises(JsonRpcRequestCancelled):
            await request

    with_client(server, scenario)
    assert known == [True]


@missing
def test_a_command_raising_cancelled_error_is_answered(server: LanguageServer) -> None:
    @server.command("leak")
    async def leak(ls: LanguageServer) -> None:
        raise asyncio.CancelledError

    async def scenario(client: LanguageClient) -> None:
        with pytest.raises(JsonRpcRequestCancelled):
            await asyncio.wait_for(execute(client, "leak"), SOON)

    with_client(server, scenario)


@missing
def test_command_parameters_may_have_defaults(server: LanguageServer) -> None:
    @server.command("greet")
    def greet(ls: LanguageServer, name: str, loud: bool = False) -> str:
        return name

    async def scenario(client: LanguageClient) -> None:
        assert await execute(client, "greet", "ann") == "ann"

    with_client(server, scenario)


@missing  # https://github.com/openlawlibrary/pygls/issues/606
def test_shutdown_with_a_command_in_flight(server: LanguageServer) -> None:
    begun = asyncio.Event()

    @server.command("slow")
    async def slow(ls: LanguageServer) -> None:
        begun.set()
        await asyncio.sleep(SOON)

    async def scenario(client: LanguageClient) -> None:
        request = execute(client, "slow")
        request.add_done_callback(lambda future: future.cancelled() or future.exception())
        await begun.wait()
        assert await client.shutdown_async(None) is None

    with_client(server, scenario)


@missing
def test_a_notification_is_forgotten(server: LanguageServer) -> None:
    async def scenario(client: LanguageClient) -> None:
        before = len(server.protocol._request_futures)
        for _ in range(5):
            client.set_trace(types.SetTraceParams(types.TraceValue.Off))
        with pytest.raises(JsonRpcException):
            await sent(client, "x/unknown", {}, 9)
        assert len(server.protocol._request_futures) == before

    with_client(server, scenario)


@missing  # https://github.com/openlawlibrary/pygls/issues/607
def test_progress_tokens_are_forgotten(server: LanguageServer) -> None:
    async def scenario(client: LanguageClient) -> None:
        server.work_done_progress.begin("t", types.WorkDoneProgressBegin(title="t"))
        server.work_done_progress.end("t", types.WorkDoneProgressEnd())
        assert server.work_done_progress.tokens == {}

    with_client(server, scenario)


@missing
def test_a_result_that_is_no_json_is_answered(server: LanguageServer) -> None:
    @server.feature("x/strange")
    def strange(ls: LanguageServer, params: Any) -> object:
        return object()

    async def scenario(client: LanguageClient) -> None:
        with pytest.raises(JsonRpcException):
            await sent(client, "x/strange", {}, 9)

    with_client(server, scenario)


@missing
def test_an_error_says_nothing_of_what_it_is_about(server: LanguageServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)

    @server.feature("x/failing")
    def failing(ls: LanguageServer, params: Any) -> None:
        raise ValueError("canary")

    async def scenario(client: LanguageClient) -> None:
        with pytest.raises(JsonRpcException) as caught:
            await sent(client, "x/failing", {}, 9)
        assert "canary" not in f"{caught.value.message} {caught.value.data}"
        assert "canary" not in caplog.text

    with_client(server, scenario)


@missing
@pytest.mark.parametrize("separator", ["\f", "\v", "\x85", "\u2028"])
def test_incremental_sync_splits_lines_as_editors_do(separator: str) -> None:
    document = TextDocument("file:///n.md", f"alpha{separator}beta\ngamma\n", version=1)
    word = types.Range(types.Position(1, 0), types.Position(1, 5))
    document.apply_change(types.TextDocumentContentChangePartial(range=word, text="DELTA"))
    assert document.source == f"alpha{separator}beta\nDELTA\n"


@missing
def test_unopened_documents_keep_their_line_endings(tmp_path: Path) -> None:
    path = tmp_path / "n.md"
    path.write_bytes(b"one\r\ntwo\r\n")
    assert TextDocument(path.as_uri()).source == "one\r\ntwo\r\n"


@missing
def test_header_names_have_no_case() -> None:
    said, _ = said_by(ping(1).replace(b"Content-Length", b"content-length"))
    assert b"pong" in said


@missing
def test_a_huge_length_is_survived() -> None:
    _, status = said_by(b"Content-Length: 1000000000000000\r\n\r\n", ping(1))
    assert status == 0


@missing
def test_blocked_handlers_leave_the_server_listening() -> None:
    blocks = [frame({"jsonrpc": "2.0", "id": number, "method": "x/block", "params": None}) for number in range(2, 6)]
    said, _ = said_by(*blocks, ping(1))
    order = [json.loads(each.partition(b"\r\n\r\n")[2])["id"] for each in said.split(b"Content-Length:")[2:]]
    assert order[0] == 1


@missing
def test_exit_without_shutdown_is_1() -> None:
    assert said_by(frame({"jsonrpc": "2.0", "method": "exit", "params": None}))[1] == 1


@pytest.mark.xfail(strict=True, reason="lsprotocol 2025.0.0")
def test_importing_the_types_makes_few_classes() -> None:
    code = "import linecache, lsprotocol.types; print(sum('attrs generated' in name for name in linecache.cache))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100
