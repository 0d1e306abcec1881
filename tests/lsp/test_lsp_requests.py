"""Every request is answered once, with a result or the right error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pydantic import TypeAdapter

from tests.judge.llm.chat_session import QUESTION, notes
from tests.lsp.lsp_client import REPOSITORY, LspProcess, frame
from tests.lsp.lsp_model import CAPABILITIES, PROMPT, Played, choosing

sys.path.insert(0, str(REPOSITORY / "docs"))
from protocol_reference import CALLS

from lens_lsp.lsp.server import COMMANDS, REQUESTS

PARSE, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, NOT_INITIALIZED = -32700, -32600, -32601, -32602, -32002


def code(answer: dict[str, object]) -> object:
    error = answer.get("error")
    return error["code"] if isinstance(error, dict) else None


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"question": ""}, "question"),
        ({}, "question"),
        ({"question": "q", "bogus": 1}, "bogus"),
        ({"question": 5}, "question"),
        ({"question": "q", "mode": "telepathy"}, "mode"),
        ({"question": "q", "scope": {"range": {"start": {"line": -1, "character": 0}}}}, "scope.range"),
        ([], "params"),
        (7, "params"),
    ],
)
def test_params_of_ours_that_do_not_fit_are_named(shared: LspProcess, params: object, named: str) -> None:
    answer = shared.ask("lens/ask", params)
    assert code(answer) == INVALID_PARAMS
    assert answer["error"]["message"].startswith(named)


def test_what_was_sent_is_not_repeated_in_the_error(shared: LspProcess) -> None:
    answer = shared.ask("lens/ask", {"question": {"secret": "canary-4711"}})
    assert "canary-4711" not in json.dumps(answer)


@pytest.mark.parametrize("arguments", [[{"question": ""}], [7], [["q"]], [], ["q", "r"], None])
def test_a_command_takes_one_argument_and_checks_it(shared: LspProcess, arguments: object) -> None:
    answer = shared.ask("workspace/executeCommand", {"command": "lens.server.ask", "arguments": arguments})
    assert code(answer) == INVALID_PARAMS


def test_an_unknown_command_is_refused(shared: LspProcess) -> None:
    assert code(shared.ask("workspace/executeCommand", {"command": "rm"})) == INVALID_PARAMS


@pytest.mark.parametrize("method", sorted(types.METHOD_TO_TYPES))
def test_every_method_is_answered_whatever_its_params(shared: LspProcess, method: str) -> None:
    if method == types.SHUTDOWN:
        return  # it takes none, and means it
    is_notification = types.METHOD_TO_TYPES[method][1] is None
    for params in ({"wrong": 1}, [], "x", 5, None):
        answer = shared.ask(method, params)
        expected = {INVALID_REQUEST} if is_notification or method == types.INITIALIZE else {NO_METHOD, INVALID_PARAMS}
        assert code(answer) in expected, answer
        shared.notify(method, params) if method != types.EXIT else None
    assert shared.result("lens/status")["documents"] == 0


@pytest.mark.parametrize("method", ["no/such", "$/secret", "", "lens/nothing"])
def test_an_unknown_method_is_refused(shared: LspProcess, method: str) -> None:
    assert code(shared.ask(method)) == NO_METHOD


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", PARSE),
        (b"{", PARSE),
        (b'{"jsonrpc": "2.0", "id": \xff}', PARSE),
        (b"[" * 100_000, PARSE),
        (b'{"jsonrpc": "2.0", "id": ' + b"9" * 5_000 + b', "method": "lens/status"}', PARSE),
        (b"5", INVALID_REQUEST),
        (b"[]", INVALID_REQUEST),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "lens/status"}]', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": NaN, "method": "lens/status"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": null, "method": "lens/status"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": true, "method": "lens/status"}', INVALID_REQUEST),
        (b'{"jsonrpc": "2.0", "id": [1], "method": "lens/status"}', INVALID_REQUEST),
    ],
)
def test_a_body_without_a_usable_id_is_refused_with_none(shared: LspProcess, body: bytes, expected: int) -> None:
    before = shared.counts[None]
    shared.raw(frame(body))
    shared.until(lambda: shared.counts[None] == before + 1)
    assert code(shared.answers[None]) == expected
    assert shared.result("lens/status")["documents"] == 0


@pytest.mark.parametrize(
    "message",
    [
        {"id": 901, "method": "lens/status"},
        {"jsonrpc": "1.0", "id": 901, "method": "lens/status"},
        {"jsonrpc": 2, "id": 901, "method": "lens/status"},
        {"jsonrpc": "2.0", "id": 901, "method": 5},
        {"jsonrpc": "2.0", "id": 901},
    ],
)
def test_a_message_of_another_kind_is_refused_with_its_id(shared: LspProcess, message: object) -> None:
    before = shared.counts[901]
    shared.send(message)
    shared.until(lambda: shared.counts[901] == before + 1)
    assert code(shared.answers[901]) == INVALID_REQUEST


def test_half_a_surrogate_pair_is_only_a_character(shared: LspProcess) -> None:
    shared.send({"jsonrpc": "2.0", "id": "\ud800", "method": "lens/status"})
    assert "result" in shared.answer("\ud800")


@pytest.mark.parametrize("id_", [0, -1, 2**40, "", "é"])
def test_any_number_or_string_is_an_id(shared: LspProcess, id_: object) -> None:
    shared.request("lens/status", id_=id_)
    assert "result" in shared.answer(id_)
    assert shared.counts[id_] == 1


def test_params_may_hold_what_looks_like_a_message(shared: LspProcess) -> None:
    answer = shared.ask("lens/ask", {"question": "q", "note": {"jsonrpc": "2.0", "id": 1, "method": "exit"}})
    assert code(answer) == INVALID_PARAMS


def test_an_answer_to_nothing_is_ignored(shared: LspProcess) -> None:
    before = dict(shared.counts)
    shared.send(
        {"jsonrpc": "2.0", "id": 77, "result": 1}, {"jsonrpc": "2.0", "id": 78, "error": "x"}, {"id": 79, "error": 1}
    )
    shared.result("lens/status")
    assert {id_ for id_ in shared.counts if id_ not in before} & {77, 78, 79} == set()


def test_nothing_but_initialize_comes_first(start: Callable[..., LspProcess]) -> None:
    server = start()
    assert code(server.ask("lens/status")) == NOT_INITIALIZED
    assert code(server.ask("shutdown")) == NOT_INITIALIZED
    server.open("file:///a.md", "ignored")
    assert code(server.ask("initialize", {"capabilities": 7})) == INVALID_PARAMS
    server.begin()
    assert server.result("lens/status")["documents"] == 0
    assert code(server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})) == INVALID_REQUEST


def test_nothing_comes_after_shutdown(start: Callable[..., LspProcess]) -> None:
    server = start()
    server.begin()
    assert server.ask("shutdown")["result"] is None
    for method in ("lens/status", "shutdown", "initialize", "no/such"):
        assert code(server.ask(method)) == INVALID_REQUEST
    server.notify("exit")
    assert server.ended() == 0


def test_an_id_in_use_is_refused(start: Callable[..., LspProcess], notes: object) -> None:
    server = start()
    server.begin(notes)  # type: ignore[arg-type]
    ask = {"jsonrpc": "2.0", "id": 5, "method": "lens/ask", "params": {"question": "when does the lease end?"}}
    server.send(ask, ask)
    server.until(lambda: server.counts[5] == 2)
    assert b"Traceback" not in server.errors


Start = Callable[..., LspProcess]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "w").mkdir()
    return notes(tmp_path / "w", more=2)


def test_every_request_and_command_of_ours_is_in_the_reference() -> None:
    ours = {name for name in REQUESTS if name.startswith("lens/")} | set(COMMANDS)
    assert set(CALLS) == ours | {"lens/event", "lens/model"}


def test_every_result_is_of_its_type(start: Start, folder: Path) -> None:
    played = Played()
    server = start(env={"HOME": str(folder.parent)})
    server.replies |= {PROMPT: choosing("Send"), "lens/model": played}
    options = {"events": True, "model": True, "settings": {"model": {"name": "editor"}}}
    server.begin(folder, capabilities=CAPABILITIES, options=options)
    said: list[tuple[str, Any]] = []

    def call(name: str, params: object = None) -> None:
        method, sent = (name, params)
        if name in COMMANDS:
            method, sent = "workspace/executeCommand", {"command": name, "arguments": [params]}
        said.append((name, server.result(method, sent)))

    (folder / "sum.md").write_text("The mill costs 40 EUR. The bridge costs 2 EUR.\n")
    for mode in ("evidence", "fast", "deep"):
        call("lens/ask", {"question": QUESTION, "mode": mode, "workDoneToken": mode, "thread": "t"})
    call("lens/ask", {"question": "How much do the mill and the bridge cost together?", "mode": "evidence"})
    call("lens/ask", {"question": QUESTION, "dryRun": True})
    call("lens/find", {"query": QUESTION})
    call("lens/find", {"query": QUESTION, "forModel": True})
    call("lens/ask", {"question": QUESTION, "mode": "fast", "forModel": True, "workDoneToken": "model"})
    passage = {"uri": (folder / "sum.md").as_uri()}
    call("lens/passage", passage)
    call("lens/check", {"citations": [passage | {"quote": "The mill costs 40 EUR."}, passage | {"quote": "gone"}]})
    call("lens/answer", {"answer": QUESTION})
    call("lens/answer", {"answer": QUESTION, "forModel": True})
    (folder / "bridges.md").write_text("New.\n\n" + (folder / "bridges.md").read_text())
    call("lens/clusters", {"fresh": True})
    for name in ("lens/clusters", "lens/threads", "lens/ledger", "lens/recheck", "lens/status"):
        call(name)
    call("lens/text", {"uri": (folder / "sum.md").as_uri()})
    call("lens/status", {"judge": True})
    call("lens.server.ask", QUESTION)
    call("lens.server.find", QUESTION)
    call("lens.server.recheck", {})
    call("lens.server.openAnswer", QUESTION)
    (folder / "sum.md").write_text("The mill was built in 1874.\n")
    call("lens/ask", {"question": "When was the mill built?", "mode": "evidence"})
    call("lens/clusters")
    call("lens/wrong", {"ids": [cluster["id"] for cluster in said[-1][1]["clusters"]]})
    assert said[-1][1]["checks"]
    call("lens.server.wrong", "none")
    call("lens/forget", {"all": True})
    for name, result in said:
        TypeAdapter(CALLS[name].result).validate_python(result)
    events = server.notifications("lens/event")
    assert {event["type"] for event in events} >= {"planned", "observed", "covered", "evidenceFound", "answered"}
    for event in events:
        TypeAdapter(CALLS["lens/event"].params).validate_python(event)
    for params in played.asked:
        TypeAdapter(CALLS["lens/model"].params).validate_python(params)
