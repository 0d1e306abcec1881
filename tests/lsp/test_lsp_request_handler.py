"""What becomes of a handler that fails, hangs, or returns nonsense."""

from __future__ import annotations

import asyncio
import importlib
import json
import pkgutil
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

import lens_lsp
from lens_lsp.lsp.request_handler import NUMBERS, RequestHandler, refusal
from lens_lsp.lsp.server import COMMANDS, REQUESTS, LensServer, Watchdog
from lens_lsp.model.errors import LensError, PathRefused
from tests.lsp.lsp_memory import Client, talk
from tests.lsp.lsp_params import notifications, request

DOORS = ("lens_lsp.cli", "lens_lsp.desktop", "lens_lsp.mcp", "lens_lsp.__main__")


def errors() -> set[type[LensError]]:
    """Every kind of error that a layer below the doors can raise."""
    for module in pkgutil.walk_packages(lens_lsp.__path__, "lens_lsp."):
        if not module.name.startswith(DOORS):
            importlib.import_module(module.name)
    found, new = set(), {LensError}
    while new:
        found |= new
        new = {sub for kind in new for sub in kind.__subclasses__()} - found
    return {kind for kind in found if not kind.__module__.startswith((*DOORS, "test"))}


def test_every_error_has_a_number_of_its_own() -> None:
    codes = {kind.code for kind in errors()}
    assert codes == set(NUMBERS)
    assert len(set(NUMBERS.values())) == len(NUMBERS)
    assert all(1000 <= number < 2000 for number in NUMBERS.values())


def test_an_error_of_ours_comes_as_its_number_and_its_sentence() -> None:
    async def refused(ls: LensServer, params: object) -> None:
        raise PathRefused("this way leads out")

    async def conversation(client: Client) -> None:
        error = (await client.ask(1, "test/refused"))["error"]
        assert error == {"code": 1003, "message": "this way leads out", "data": {"code": "lens.path-refused"}}

    talk(conversation, test_refused=lambda: RequestHandler(refused))
    assert refusal(LensError("x")).code == 1000


class Panic(BaseException):
    """As libraries in Rust raise it."""


@pytest.mark.parametrize(
    "kind", [ValueError, MemoryError, RecursionError, OSError, KeyError, AssertionError, SystemExit, Panic]
)
def test_any_other_error_is_an_incident_without_its_contents(
    kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    async def failing(ls: LensServer, params: object) -> None:
        raise kind("canary")

    async def conversation(client: Client) -> None:
        error = (await client.ask(1, "test/failing"))["error"]
        assert error["code"] == -32603
        assert error["data"]["incident"] in error["message"]
        assert error["data"]["incident"] in caplog.text
        assert "canary" not in json.dumps(error)
        ours = [record.getMessage() for record in caplog.records if record.name.startswith("lens_lsp")]
        assert kind.__name__ in "".join(ours)
        assert "canary" not in "".join(ours)
        assert "result" in await client.ask(2, "lens/status")

    talk(conversation, test_failing=lambda: RequestHandler(failing))


@pytest.mark.parametrize("kind", [MemoryError, RecursionError, OSError, UnicodeDecodeError])
def test_whatever_fails_in_whichever_handler_is_answered_and_survived(kind: type[Exception]) -> None:
    async def failing(ls: LensServer, params: object) -> None:
        raise kind("utf-8", b"", 0, 1, "canary") if kind is UnicodeDecodeError else kind("canary")

    names = [*REQUESTS, *COMMANDS]

    async def conversation(client: Client) -> None:
        for name in names:
            error = (await client.ask(name, *request(name)))["error"]
            assert error["code"] == -32603, name
            assert "canary" not in json.dumps(error)
        assert client.counts == dict.fromkeys(["hello", *names], 1)
        assert (await client.ask("after", "no/such"))["error"]["code"] == -32601

    talk(conversation, **dict.fromkeys(names, lambda: RequestHandler(failing)))


class Leaving:
    """Stands for anything: whatever is wanted of it would end the process."""

    def __getattr__(self, name: str) -> object:
        raise SystemExit("canary")


@pytest.mark.parametrize("state", [object(), Leaving()], ids=["nothing", "leaving"])
def test_whatever_fails_in_the_handler_of_a_notification_is_survived(
    state: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def conversation(client: Client) -> None:
        client.server._state = client.server.diagnostics.watch = state  # whatever needs them raises
        for method, params in notifications("canary").items():
            caplog.clear()
            client.notify(method, params)
            assert (f"in {method}: " in caplog.text) == (method != "$/setTrace")
            assert "canary" not in caplog.text
        assert (await client.ask("after", "no/such"))["error"]["code"] == -32601

    talk(conversation)


@pytest.mark.parametrize("kind", [ValueError, StopIteration, SystemExit, Panic])
def test_an_initialize_that_fails_is_an_incident_without_its_contents(
    kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    class Failing(Watchdog):
        def follow(self, pid: int | None) -> bool:
            raise kind("canary")

    async def conversation() -> None:
        client = Client({})
        client.server.watchdog = Failing(lambda: None, lambda: None)
        answer = await client.ask("hello", "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        assert answer["error"]["code"] == -32603
        assert answer["error"]["data"]["incident"] in caplog.text
        assert "canary" not in json.dumps(answer) + caplog.text
        assert "traceback" not in answer["error"]["data"]

    asyncio.run(conversation())


def test_a_feature_that_fails_three_times_in_a_row_is_switched_off_and_said_so_once() -> None:
    kinds: list[type[Exception] | None] = [KeyError, KeyError, None, KeyError, ValueError, KeyError, KeyError, KeyError]

    async def moody(ls: LensServer, params: object) -> None:
        kind = kinds.pop(0)
        if kind is not None:
            raise kind

    async def conversation(client: Client) -> None:
        for number in range(8):
            assert ("error" in await client.ask(number, "test/moody")) == (number != 2)
        assert not kinds
        assert (await client.ask(9, "test/moody"))["error"]["code"] == -32803
        assert (await client.ask(10, "lens/status"))["result"]["switchedOff"] == ["test/moody"]
        shown = [each for each in client.said if each["method"] == "window/showMessage"]
        assert len(shown) == 1
        assert "test/moody" in shown[0]["params"]["message"]

    talk(conversation, test_moody=lambda: RequestHandler(moody))


@pytest.mark.parametrize("result", [{1, 2}, object(), float("nan"), {"a": b"bytes"}, lambda: 1])
def test_a_result_that_is_no_json_is_an_error_and_no_silence(result: object) -> None:
    async def strange(ls: LensServer, params: object) -> object:
        return result

    async def conversation(client: Client) -> None:
        assert (await client.ask(1, "test/strange"))["error"]["code"] == -32603

    talk(conversation, test_strange=lambda: RequestHandler(strange))


def test_a_handler_that_is_cancelled_from_inside_still_answers() -> None:
    async def leaking(ls: LensServer, params: object) -> None:
        raise asyncio.CancelledError

    async def conversation(client: Client) -> None:
        assert (await client.ask(1, "test/leaking"))["error"]["code"] == -32800

    talk(conversation, test_leaking=lambda: RequestHandler(leaking))


def test_a_handler_that_cannot_be_imported_is_an_incident() -> None:
    async def conversation(client: Client) -> None:
        assert (await client.ask(1, "test/missing"))["error"]["code"] == -32603

    def missing() -> RequestHandler[Any]:
        raise ImportError("no such module")

    talk(conversation, test_missing=missing)


def test_an_error_of_the_protocol_is_passed_on() -> None:
    async def modified(ls: LensServer, params: object) -> None:
        raise JsonRpcException("content modified", -32801)

    async def conversation(client: Client) -> None:
        for number in range(4):
            assert (await client.ask(number, "test/modified"))["error"]["code"] == -32801

    talk(conversation, test_modified=lambda: RequestHandler(modified))


def test_a_cancelled_request_is_answered_once_when_it_has_ended() -> None:
    ended = []

    async def slow(ls: LensServer, params: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)  # what is cleaned up may take its time
            ended.append(params)

    async def conversation(client: Client) -> None:
        command = {"command": "lens.server.ask", "arguments": ["q"]}
        for via, params in (("lens/ask", "q"), ("workspace/executeCommand", command)):
            client.send(via, via, params)
            await asyncio.sleep(0)
            client.notify("$/cancelRequest", {"id": via})
            client.notify("$/cancelRequest", {"id": via})
            assert (await client.answer(via))["error"]["code"] == -32800
        client.notify("$/cancelRequest", {"id": "nothing"})
        client.notify("$/cancelRequest", {"id": "lens/ask"})
        await client.ask(5, "lens/status")
        assert ended == ["q", "q"]
        assert client.counts == {"hello": 1, "lens/ask": 1, "workspace/executeCommand": 1, 5: 1}

    talk(conversation, **dict.fromkeys(("lens/ask", "lens.server.ask"), lambda: RequestHandler(slow)))


def test_a_request_that_is_cancelled_before_it_began_never_begins() -> None:
    begun = []

    async def slow(ls: LensServer, params: object) -> None:
        begun.append(params)

    async def conversation(client: Client) -> None:
        client.send(1, "test/slow")
        client.notify("$/cancelRequest", {"id": 1})
        assert (await client.answer(1))["error"]["code"] == -32800
        assert begun == []

    talk(conversation, test_slow=lambda: RequestHandler(slow))


def test_shutdown_waits_for_what_it_cancels() -> None:
    ended = []

    async def slow(ls: LensServer, params: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append(params)

    async def conversation(client: Client) -> None:
        for number in range(5):
            client.send(number, "test/slow", number)
        await asyncio.sleep(0)
        assert (await client.ask("bye", "shutdown"))["result"] is None
        assert sorted(ended) == [0, 1, 2, 3, 4]
        assert {client.answers[number]["error"]["code"] for number in range(5)} == {-32800}

    talk(conversation, test_slow=lambda: RequestHandler(slow))


def test_an_answer_of_the_client_meets_only_our_own_requests() -> None:
    async def slow(ls: LensServer, params: object) -> str:
        await asyncio.sleep(0)
        return "mine"

    async def conversation(client: Client) -> None:
        client.send(1, "test/slow")
        client.server.protocol.receive(b'{"jsonrpc": "2.0", "id": 1, "result": "theirs"}')
        assert (await client.answer(1))["result"] == "mine"
        asking = client.server.protocol.send_request_async("client/question", {})
        id_ = client.said[-1]["id"]
        client.notify("$/cancelRequest", {"id": id_})
        client.server.protocol.receive(json.dumps({"jsonrpc": "2.0", "id": id_, "result": {"a-b": 1}}).encode())
        assert await asking == {"a-b": 1}

    talk(conversation, test_slow=lambda: RequestHandler(slow))


def test_work_that_nobody_waits_for_fails_by_itself(caplog: pytest.LogCaptureFixture) -> None:
    async def failing() -> None:
        raise ValueError("canary")

    async def conversation(client: Client) -> None:
        await asyncio.wait({client.server.spawn("background", failing())})
        assert "ValueError" in caplog.text
        assert "canary" not in caplog.text
        endless = client.server.spawn("background", asyncio.Event().wait())  # type: ignore[arg-type]
        await client.server.drain()
        await asyncio.wait({endless})
        assert endless.cancelled()

    talk(conversation)
