"""A language server in a child process: requests, what it says meanwhile, and every way it can end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.client import Client, Refused, ServerGone
from tests.client.client_listener import Noted, never, run
from tests.lsp.lsp_client import environment, wait_until

QUESTION = "When does the lease of the workshop end?"
LEASE = "The lease of the workshop ends on 30 June 2031."
ASKING = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"showMessage": {"messageActionItem": {}}},
}
PROMPT = "window/showMessageRequest"
FAR = {"LENS_BASE_URL": "https://models.invalid/v1", "LENS_MODEL": "far"}
"""A model that the user is asked about before anything is sent; no such host is ever resolved (RFC 6761)."""


@pytest.fixture
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return environment(tmp_path_factory.mktemp("home"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "contract.md").write_text(f"# Contract\n\n{LEASE}\n")
    return tmp_path


def lives(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").exists()


async def waiting(folder: Path, env: dict[str, str], *, asks: int = 1) -> tuple[Client, Noted, list[asyncio.Task[Any]]]:
    """A server that waits for its user, and the questions that wait for it."""
    hear = Noted(window_showMessageRequest=never)
    client = await Client.start([str(folder)], hear, capabilities=ASKING, env=env | FAR)
    tasks = [asyncio.create_task(client.request("lens/ask", {"question": QUESTION})) for _ in range(asks)]
    await hear.until(lambda: bool(hear.of(PROMPT)))
    return client, hear, tasks


def test_a_question_is_answered_and_its_events_come_before(folder: Path, env: dict[str, str]) -> None:
    async def ask() -> None:
        hear = Noted()
        client = await Client.start([str(folder)], hear, options={"events": True}, env=env)
        assert client.server["capabilities"]["positionEncoding"] == "utf-16"
        answer = await client.request("lens/ask", {"question": QUESTION, "workDoneToken": "t1"})
        assert (answer["status"], answer["evidence"][0]["quote"]) == ("answered", LEASE)
        events = [params for params in hear.of("lens/event") if params["token"] == "t1"]
        assert [each["seq"] for each in events] == list(range(1, len(events) + 1))
        assert events[-1]["type"] == "stopped"
        assert hear.of("$/progress")
        await client.close()

    run(ask())


def test_an_error_says_its_code_and_its_name(folder: Path, env: dict[str, str]) -> None:
    async def ask() -> None:
        client = await Client.start([str(folder)], Noted(), env=env)
        for method, params, code, name in (
            ("lens/nothing", {}, -32601, None),
            ("lens/ask", {"question": 1}, -32602, None),
            ("lens/ask", {"question": QUESTION, "mode": "fast"}, 1001, "lens.usage"),
        ):
            with pytest.raises(Refused) as refused:
                await client.request(method, params)
            assert (refused.value.code, refused.value.name) == (code, name)
            assert refused.value.message
        await client.close()

    run(ask())


def test_what_the_server_asks_is_answered(folder: Path, env: dict[str, str]) -> None:
    async def evidence_only(params: Any) -> object:
        return {"title": params["actions"][1]["title"]}

    async def ask() -> None:
        hear = Noted(window_showMessageRequest=evidence_only)
        client = await Client.start([str(folder)], hear, capabilities=ASKING, env=env | FAR)
        answer = await client.request("lens/ask", {"question": QUESTION})
        assert (answer["mode"], answer["ledger"]["endpoint"]) == ("evidence", None)
        await client.close()

    run(ask())


def test_what_nobody_here_handles_is_refused(folder: Path, env: dict[str, str]) -> None:
    async def broken(params: Any) -> object:
        raise ZeroDivisionError

    async def ask() -> None:
        for hear in (Noted(), Noted(window_showMessageRequest=broken)):
            client = await Client.start([str(folder)], hear, capabilities=ASKING, env=env | FAR)
            with pytest.raises(Refused) as refused:
                await client.request("lens/ask", {"question": QUESTION})
            assert refused.value.name == "lens.consent"
            await client.close()

    run(ask())


@pytest.mark.long
def test_cancelling_cancels_in_the_server_within_200_milliseconds(folder: Path, env: dict[str, str]) -> None:
    async def ask() -> float:
        client, hear, [asked] = await waiting(folder, env)
        before = time.monotonic()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await hear.until(lambda: hear.taken_back == [PROMPT])
        took = time.monotonic() - before
        await client.close()
        return took

    assert min(run(ask()) for _ in range(3)) < 0.2  # the best of a few: the machine may be busy


def test_a_request_that_is_not_cancelled_goes_on(folder: Path, env: dict[str, str]) -> None:
    async def ask() -> None:
        client, hear, [first, second] = await waiting(folder, env, asks=2)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await client.request("lens/status", {})  # the server has taken the cancelling in
        assert (hear.taken_back, second.done()) == ([], False)
        await client.close()
        with pytest.raises((ServerGone, Refused)):
            await second

    run(ask())


def test_a_child_that_is_killed_fails_what_waits_and_all_that_comes(folder: Path, env: dict[str, str]) -> None:
    async def ask() -> None:
        client, hear, tasks = await waiting(folder, env, asks=2)
        os.kill(client.pid, signal.SIGKILL)
        for task in tasks:
            with pytest.raises(ServerGone):
                await task
        await asyncio.wait({client.gone})
        assert client.gone.result() == -signal.SIGKILL
        assert hear.taken_back == [PROMPT]
        with pytest.raises(ServerGone):
            await client.request("lens/status", {})
        client.notify("lens/nothing", {})
        await client.close()

    run(ask())


def test_closing_leaves_no_process_and_no_thread(folder: Path, env: dict[str, str]) -> None:
    threads = set(threading.enumerate())

    async def ask() -> int:
        client = await Client.start([str(folder)], Noted(), env=env)
        assert lives(client.pid)
        await client.close()
        assert client.gone.result() == 0
        await client.close()
        return client.pid

    assert not lives(run(ask()))
    assert wait_until(lambda: set(threading.enumerate()) <= threads)


def test_closing_ends_a_server_that_does_not_listen_any_more(folder: Path, env: dict[str, str]) -> None:
    async def ask() -> int:
        client = await Client.start([str(folder)], Noted(), env=env)
        os.kill(client.pid, signal.SIGSTOP)
        await client.close()
        assert client.gone.result() == -signal.SIGKILL
        return client.pid

    assert not lives(run(ask()))


def test_it_leaves_with_us(folder: Path, env: dict[str, str]) -> None:
    program = (
        "import asyncio, sys\n"
        "from lens_lsp.client import Client\n"
        "from tests.client.client_listener import Noted\n"
        "async def go():\n"
        f"    client = await Client.start([{str(folder)!r}], Noted())\n"
        "    print(client.pid, flush=True)\n"
        "    await asyncio.wait({client.gone})\n"
        "asyncio.run(go())\n"
    )

    async def ask() -> tuple[int, int]:
        ours = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE, env=env
        )
        assert ours.stdout is not None
        child = int(await ours.stdout.readline())
        alive = lives(child)
        ours.kill()
        await ours.wait()
        return alive, child

    alive, child = run(ask())
    assert alive
    assert wait_until(lambda: not lives(child))


def test_nothing_in_the_folder_where_it_is_started_is_imported(folder: Path, env: dict[str, str]) -> None:
    for name in ("asyncio", "pygls", "sitecustomize"):
        (folder / f"{name}.py").write_text(f"open({str(folder / 'ran')!r}, 'w').close()\n")

    async def ask() -> None:
        before = os.getcwd()
        os.chdir(folder)
        try:
            hostile = env | {"PYTHONPATH": f"{folder}{os.pathsep}{env['PYTHONPATH']}", "PYTHONSTARTUP": "asyncio.py"}
            client = await Client.start([str(folder)], Noted(), env=hostile)
        finally:
            os.chdir(before)
        assert (await client.request("lens/ask", {"question": QUESTION}))["status"] == "answered"
        await client.close()

    run(ask())
    assert not (folder / "ran").exists()
    # The control: without isolation the same folder does run.
    control = f"import sys; sys.path.insert(0, {str(folder)!r}); import pygls"
    subprocess.run([sys.executable, "-c", control], env=env, check=False)
    assert (folder / "ran").exists()


def children() -> set[int]:
    found = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return {int(pid) for path in found for pid in path.read_text().split()}


def test_a_start_that_is_given_up_leaves_no_process(folder: Path, env: dict[str, str]) -> None:
    before = children()

    async def ask() -> None:
        starting = asyncio.create_task(Client.start([str(folder)], Noted(), env=env))
        while not children() - before:
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert children() <= before

    run(ask())
