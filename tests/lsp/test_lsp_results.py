"""What the server says is what its reference says: every key, of the right type, and no other."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.judge.llm.chat_session import QUESTION, notes
from tests.lsp.lsp_client import REPOSITORY, LspProcess
from tests.lsp.lsp_model import CAPABILITIES, PROMPT, Played, choosing

sys.path.insert(0, str(REPOSITORY / "docs"))
from protocol_reference import CALLS

from lens_lsp.lsp.server import COMMANDS, REQUESTS

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
