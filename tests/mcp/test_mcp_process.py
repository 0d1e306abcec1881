"""The process: nothing but messages on standard output, gone with its client, stopped where a call is cancelled."""

from __future__ import annotations

import asyncio
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from tests.lsp.lsp_client import environment
from tests.mcp.mcp_agent import ERAS, QUESTION, RawAgent, agent, arguments, call

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def asked(id_: int, **given: object) -> dict[str, object]:
    params = {"name": "ask", "arguments": {"question": QUESTION, "mode": "evidence", **given}}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_there(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_standard_output_holds_messages_and_nothing_else(home: Path, notes: Path) -> None:
    with RawAgent(home, notes) as server:
        server.begin()
        server.send(asked(2))
        assert not server.answer(2)["result"].get("isError")
        assert server.leave() == 0
    assert len(server.lines) >= 2
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in server.lines)


def test_the_end_of_input_ends_the_process_and_its_child(home: Path, notes: Path) -> None:
    with RawAgent(home, notes) as server:
        server.begin()
        server.send(asked(2))
        server.answer(2)
        [child] = children(server.process.pid)
        assert is_there(child)  # the control
        assert server.leave() == 0
        assert not is_there(child)


def test_a_client_that_is_killed_leaves_nobody_behind(home: Path, notes: Path) -> None:
    program = (
        "import subprocess, sys, time\n"
        "server = subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "print(server.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", program, *arguments(notes)]
    with subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE) as client:
        assert client.stdout is not None
        pid = int(client.stdout.readline())
        assert is_there(pid)
        watched = os.pidfd_open(pid)
        client.kill()
        assert select.select([watched], [], [], 20)[0]
        os.close(watched)


@pytest.mark.parametrize(
    "line",
    [
        b"no json",
        b"{",
        b"[]",
        b"\xff\xfe\x00",
        b'{"jsonrpc": "1.0", "id": 7, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": {}, "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": 3}',
        b'{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "rm"}}',
        b'{"jsonrpc": "2.0", "id": 8, "method": "no/such"}',
        b'{"jsonrpc": "2.0", "id": 8, "result": {}}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}',
        b'{"a": ' * 2000,
        b"x" * (1 << 20),
    ],
    ids=range(13),
)
def test_what_is_no_message_is_survived(raw: RawAgent, line: bytes) -> None:
    raw.send(line, LIST)
    assert len(raw.answer(1)["result"]["tools"]) == 5


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawAgent]:
    home = tmp_path_factory.mktemp("home")
    with RawAgent(home, home) as server:
        server.begin()
        yield server


def test_a_word_no_encoding_can_write_is_survived(home: Path, notes: Path) -> None:
    with RawAgent(home, notes) as server:
        server.begin()
        server.send(json.dumps(asked(2, thread="half \ud800 a pair")).encode(), LIST)
        assert len(server.answer(1)["result"]["tools"]) == 5


@pytest.mark.long
@pytest.mark.parametrize("mode", ERAS)
def test_a_cancelled_question_stops_at_once_and_what_it_found_is_kept(home: Path, notes: Path, mode: str) -> None:
    """The model never replies; that its connection closes shows that the work has stopped."""

    async def run() -> float:
        connected, closed = anyio.Event(), anyio.Event()

        async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            head = await reader.readuntil(b"\r\n")
            if b"/chat/completions" in head:
                connected.set()
                while await reader.read(1 << 16):
                    continue
                closed.set()
            writer.close()

        listening = await asyncio.start_server(never, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        near = {"LENS_BASE_URL": f"http://127.0.0.1:{port}/v1", "LENS_MODEL": "m"}
        async with listening, agent(home, notes, env=near, mode=mode) as client:
            async with anyio.create_task_group() as asking:
                asking.start_soon(client.call_tool, "ask", {"question": QUESTION, "mode": "fast"})
                with anyio.fail_after(30):
                    await connected.wait()
                assert not closed.is_set()  # the control
                began = time.monotonic()
                asking.cancel_scope.cancel()
            with anyio.fail_after(30):
                await closed.wait()
            took = time.monotonic() - began
            resources = (await client.list_resources()).resources
            [found] = [each for each in resources if each.uri.startswith("lens://found/")]
            [told] = (await client.read_resource(found.uri)).contents
            kept = json.loads(told.text)
            assert (kept["question"], kept["stopped"]) == (QUESTION, "cancelled")
            checked = await call(client, "check_citations", citations=kept["citations"])
            assert checked["counts"]["verified"] == len(kept["citations"]) > 0
            return took

    assert min(asyncio.run(run()) for _ in range(3)) < 0.2  # the best of a few: the machine may be busy


def test_the_server_behind_starts_again_when_it_was_killed(home: Path, notes: Path) -> None:
    with RawAgent(home, notes) as server:
        server.begin()
        server.send(asked(2))
        server.answer(2)
        [child] = children(server.process.pid)
        os.kill(child, 9)
        failed = []
        for number in (3, 4):  # the first may be the one that finds out
            server.send(asked(number))
            failed.append(server.answer(number)["result"].get("isError"))
        assert not failed[-1]
        assert children(server.process.pid) not in ([], [child])


def test_a_folder_that_is_none_is_told_in_one_sentence(home: Path) -> None:
    command = [sys.executable, *arguments(home / "gone")]
    done = subprocess.run(command, env=environment(home), capture_output=True, check=False, cwd=home)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"is no folder" in done.stderr
