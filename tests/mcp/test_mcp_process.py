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
from typing import Any

import anyio
import mcp_types as types
import pytest

from tests.lsp.lsp_client import REPOSITORY, environment
from tests.mcp.independent import untrue
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


FAR = {"LENS_BASE_URL": "https://models.invalid/v1", "LENS_MODEL": "far"}
"""No such host is ever resolved: RFC 6761."""


class User:
    """Who is asked, and what is said."""

    def __init__(self, action: Any, choice: str | None = None) -> None:
        self.reply = types.ElicitResult(action=action, content=None if choice is None else {"choice": choice})
        self.asked: list[str] = []

    async def __call__(self, _: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return self.reply


def consents(home: Path) -> list[Any]:
    return [json.loads(file.read_text()) for file in home.rglob("consent.json")]


@pytest.mark.parametrize("mode", ERAS)
def test_the_user_is_asked_with_host_and_bytes_and_a_yes_is_remembered(home: Path, notes: Path, mode: str) -> None:
    user = User("accept", "Send")

    async def run() -> None:
        async with agent(home, notes, env=FAR, mode=mode, elicitation_callback=user) as client:
            for _ in range(2):
                answer = await call(client, "ask", question=QUESTION)
                assert (answer["mode"], answer["stopped"]) == ("fast", "model-failed")

    asyncio.run(run())
    [asked] = user.asked
    for part in ("https://models.invalid", " bytes", str(notes)):
        assert part in asked
    assert "models.invalid" in str(consents(home))


@pytest.mark.parametrize(
    ("mode", "action", "choice"),
    [
        (ERAS[0], "decline", None),
        (ERAS[1], "cancel", None),
        (ERAS[0], "accept", "Evidence only"),
        (ERAS[1], "accept", "x"),
    ],
)
def test_anything_else_answers_by_rules(home: Path, notes: Path, mode: str, action: str, choice: str | None) -> None:
    user = User(action, choice)

    async def run() -> None:
        async with agent(home, notes, env=FAR, mode=mode, elicitation_callback=user) as client:
            answer = await call(client, "ask", question=QUESTION)
            assert (answer["mode"], answer["status"], answer["sent_to"]) == ("evidence", "answered", None)

    asyncio.run(run())
    assert len(user.asked) == 1
    assert consents(home) == []


@pytest.mark.parametrize("mode", ERAS)
def test_who_cannot_be_asked_is_told_the_command(home: Path, notes: Path, mode: str) -> None:
    async def run() -> None:
        async with agent(home, notes, env=FAR, mode=mode) as client:
            answer = await call(client, "ask", question=QUESTION)
            assert (answer["mode"], answer["status"]) == ("evidence", "answered")
            assert f"lens ask --yes QUESTION '{notes}'" in answer["warnings"][0]

    asyncio.run(run())
    assert consents(home) == []


DOCS = REPOSITORY / "docs"
QUESTIONS = (
    "Which exit status does `lens serve` give at the end of input?",
    "How many questions run at a time in the language server?",
    "What is the licence of pypdfium2?",
    "How many megabytes of messages wait to be written at most?",
    "Where are consents kept?",
    "Which names of files are never searched?",
    "Who reads PDF files?",
    "What is in the ledger?",
    "How is the key kept from other processes?",
    "What does `lens check` compare?",
)


async def researched(home: Path) -> list[dict[str, Any]]:
    """What the agent would show of each question: its citations after a look at the files."""
    shown = []
    async with agent(home, DOCS) as client:
        for question in QUESTIONS:
            answer = await call(client, "ask", question=question, mode="evidence")
            for citation in answer["citations"]:
                read = await call(client, "read_evidence", path=citation["where"], folder=citation["folder"])
                assert citation["quote"] in read["text"] or citation["quote"].strip() in read["text"]
                assert read["sha256"] == citation["sha256"]
            checked = await call(client, "check_citations", citations=answer["citations"])
            assert {each["state"] for each in checked["citations"]} == {"verified"}
            shown.append({"question": question, "status": answer["status"], "citations": answer["citations"]})
    return shown


@pytest.mark.long
def test_ten_questions_and_not_one_untrue_citation(home: Path) -> None:
    shown = asyncio.run(researched(home))
    assert [each["question"] for each in shown] == list(QUESTIONS)
    citations = [citation for each in shown for citation in each["citations"]]
    assert all(each["citations"] for each in shown)
    assert [untrue(citation, DOCS) for citation in citations] == [None] * len(citations)
    assert len(citations) >= 2 * len(QUESTIONS)


def test_an_untrue_citation_would_be_noticed(home: Path, notes: Path) -> None:
    async def run() -> dict[str, Any]:
        async with agent(home, notes) as client:
            return dict((await call(client, "find_evidence", query="beans and peas"))["citations"][0])

    citation = asyncio.run(run())
    first, last = citation["lines"]
    start, end = citation["span"]
    assert untrue(citation, notes) is None
    assert untrue({**citation, "quote": citation["quote"][:-1] + "x"}, notes) == "quote"
    assert untrue({**citation, "sha256": "0" * 64}, notes) == "hash"
    assert untrue({**citation, "lines": [first, last + 1]}, notes) == "lines"
    assert untrue({**citation, "span": [start + 1, end]}, notes) == "quote"
    assert untrue({**citation, "where": "garden.md:1-1"}, notes) in (
        "where",
        None if citation["lines"] == [1, 1] else "where",
    )
    assert untrue(citation, home) == "outside"
