"""Questions over the protocol: answers with locations, open texts, turns, progress, cancelling."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.lsp_client import LspProcess

Start = Callable[..., LspProcess]
LEASE = "The lease of the workshop ends on 30 June 2031."
QUESTION = "When does the lease of the workshop end?"
COLUMNS = {"utf-8": 10, "utf-16": 5, "utf-32": 4}
"""Where the lease begins in its line, by encoding."""


def capabilities(*encodings: str, progress: bool = False) -> dict[str, Any]:
    return {"general": {"positionEncodings": list(encodings)}, "window": {"workDoneProgress": progress}}


def cut(text: str, encoding: str, given: dict[str, Any]) -> str:
    """What a client finds at a range, by its own counting."""
    name, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    line = text.replace("\r\n", "\n").split("\n")[given["start"]["line"]].encode(name)
    assert given["start"]["line"] == given["end"]["line"]
    return line[given["start"]["character"] * width : given["end"]["character"] * width].decode(name)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_evidence_comes_as_a_range_in_the_encoding_of_the_client(start: Start, notes: Path, encoding: str) -> None:
    server = start()
    result = server.begin(notes, capabilities=capabilities(encoding, "utf-16"))
    assert result["capabilities"]["positionEncoding"] == encoding
    answer = server.result("lens/ask", {"question": QUESTION})
    assert (answer["schema"], answer["status"]) == ("lens.answer/2", "answered")
    first = answer["evidence"][0]
    assert "start" not in first
    assert first["uri"] == (notes / "contract.md").as_uri()
    assert LEASE in first["quote"]
    assert cut((notes / "contract.md").read_text(), encoding, first["range"]) == first["quote"]


def test_a_client_that_names_no_encoding_counts_in_utf_16(start: Start, notes: Path) -> None:
    assert start().begin(notes)["capabilities"]["positionEncoding"] == "utf-16"
    assert start().begin(notes, capabilities=capabilities("utf-7"))["capabilities"]["positionEncoding"] == "utf-16"


def test_a_command_gives_what_the_request_gives(shared: LspProcess) -> None:
    command = {"command": "lens.server.ask", "arguments": [QUESTION]}
    shared.result("lens/ask", {"question": QUESTION})  # from the second time on it is taken up
    asked = shared.result("lens/ask", {"question": QUESTION})
    commanded = shared.result("workspace/executeCommand", command)
    for answer in (asked, commanded):
        del answer["ledger"]["seconds"]
    assert asked == commanded


def test_unsaved_text_is_evidence_and_says_its_version(start: Start, notes: Path) -> None:
    server = start()
    server.begin(notes)
    uri = (notes / "garden.md").as_uri()
    server.open(uri, "# Garden\r\n\r\nThe lease of the garden ends on 1 May 2044.\r\n", 3)
    year = {"start": {"line": 2, "character": 38}, "end": {"line": 2, "character": 42}}
    server.change(uri, 9, {"range": year, "text": "2055"})
    found = server.result("lens/ask", {"question": "When does the lease of the garden end?"})["evidence"]
    [item] = [each for each in found if each["uri"] == uri]
    assert (item["source"], item["version"]) == ("buffer", 9)
    assert "1 May 2055" in item["quote"]
    assert item["range"]["start"]["line"] == 2


def test_a_text_that_went_out_of_step_is_read_from_disk_until_it_comes_whole(start: Start, notes: Path) -> None:
    server = start()
    server.begin(notes)
    uri = (notes / "garden.md").as_uri()
    server.open(uri, "The lease of the garden ends on 1 May 2044.\n", 3)
    server.change(
        uri, 2, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "x"}
    )
    answer = server.result("lens/ask", {"question": "When does the lease of the garden end?"})
    assert "buffer" not in {item["source"] for item in answer["evidence"]}
    assert any("unsaved changes" in warning for warning in answer["warnings"])
    [shown] = server.notifications("window/showMessage")
    assert "garden.md" in shown["message"]
    assert server.result("lens/status")["unsynced"] == [uri]
    server.change(uri, 4, {"text": "The lease of the garden ends on 2 May 2044.\n"})
    answer = server.result("lens/ask", {"question": "When does the lease of the garden end?"})
    assert "buffer" in {item["source"] for item in answer["evidence"]}


def test_a_change_that_cannot_be_understood_puts_the_text_out_of_step(start: Start, notes: Path) -> None:
    server = start()
    server.begin(notes)
    uri = (notes / "garden.md").as_uri()
    server.open(uri, "text", 3)
    server.change(uri, 4, {"range": {"start": "here"}, "text": "x"})
    assert server.result("lens/status")["unsynced"] == [uri]


def test_only_the_scope_is_searched(start: Start, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("The lease of the workshop ends on 1 January 2099.\n")
    server = start()
    server.begin(notes, tmp_path)
    scopes: list[tuple[dict[str, Any], set[str]]] = [
        ({"folders": [tmp_path.as_uri()]}, {"other.md"}),
        ({"uri": (notes / "contract.md").as_uri()}, {"contract.md"}),
        ({"globs": ["contract*"]}, {"contract.md"}),
        ({}, {"other.md", "contract.md"}),
    ]
    for scope, expected in scopes:
        answer = server.result("lens/ask", {"question": QUESTION, "scope": scope})
        assert {Path(item["uri"]).name for item in answer["evidence"]} == expected


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "http://h/x", "file://host/share", "file:///etc/../x", "x"])
def test_a_scope_outside_the_folders_is_refused(shared: LspProcess, uri: str) -> None:
    for scope in ({"uri": uri}, {"folders": [uri]}):
        error = shared.ask("lens/ask", {"question": QUESTION, "scope": scope})["error"]
        assert (error["code"], error["data"]) == (1003, {"code": "lens.path-refused"})


def test_the_text_of_the_question_itself_is_no_evidence(start: Start, notes: Path) -> None:
    server = start()
    server.begin(notes)
    uri = (notes / "garden.md").as_uri()
    server.open(uri, f"Notes\n\n{QUESTION} It ends on 30 June 2031.\n")
    selected = {"start": {"line": 2, "character": 0}, "end": {"line": 3, "character": 0}}
    answer = server.result("lens/ask", {"question": QUESTION, "scope": {"uri": uri, "range": selected}})
    assert {Path(item["uri"]).name for item in answer["evidence"]} == {"contract.md"}


def test_without_a_folder_the_open_files_are_searched(start: Start, notes: Path) -> None:
    server = start()
    server.begin()
    assert server.ask("lens/ask", {"question": QUESTION})["error"]["code"] == 1001
    server.open((notes / "contract.md").as_uri(), (notes / "contract.md").read_text())
    assert server.result("lens/ask", {"question": QUESTION})["status"] == "answered"


def test_folders_come_and_go(start: Start, notes: Path) -> None:
    server = start()
    server.begin()
    folder = {"uri": notes.as_uri(), "name": "notes"}
    moved = "workspace/didChangeWorkspaceFolders"
    server.notify(moved, {"event": {"added": [folder, {"uri": "vfs:/x", "name": "x"}], "removed": []}})
    assert server.result("lens/status")["folders"] == [notes.as_uri()]
    assert server.result("lens/ask", {"question": QUESTION})["status"] == "answered"
    server.notify(moved, {"event": {"added": [], "removed": [folder, folder]}})
    assert server.result("lens/status")["folders"] == []


def test_a_model_that_is_not_configured_is_told_with_its_number(shared: LspProcess) -> None:
    error = shared.ask("lens/ask", {"question": QUESTION, "mode": "deep"})["error"]
    assert error["code"] == 1001
    assert "model.baseUrl" in error["message"]


def test_progress_on_the_token_of_the_client_begins_and_ends(start: Start, notes: Path) -> None:
    server = start()
    server.begin(notes)
    server.result("lens/ask", {"question": QUESTION, "workDoneToken": 7})
    said = server.notifications("$/progress")
    assert {each["token"] for each in said} == {7}
    kinds = [each["value"]["kind"] for each in said]
    assert (kinds[0], kinds[-1], set(kinds[1:-1])) == ("begin", "end", {"report"})


def test_progress_of_our_own_waits_for_the_client_and_holds_nothing_up(start: Start, notes: Path) -> None:
    server = start()
    server.begin(notes, capabilities=capabilities(progress=True))
    assert server.result("lens/ask", {"question": QUESTION})["status"] == "answered"  # nobody answered the create
    created = [message for message in server.said if message["method"] == "window/workDoneProgress/create"]
    assert len(created) == 1
    assert server.notifications("$/progress") == []
    server.send({"jsonrpc": "2.0", "id": created[0]["id"], "result": None})
    assert server.result("lens/status")["documents"] == 0
    assert server.notifications("$/progress") == []
