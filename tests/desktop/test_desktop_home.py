"""The desktop as a home: folders that come and go, those of before, completed paths, the port of the last time."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.desktop.home import MOST_RECENT, completions, keep_open, left_open, note_opened, places_of, read_desktop
from tests.desktop.conftest import LEASE, OUTSIDE
from tests.desktop.desktop_process import Desktop

Start = Callable[..., Desktop]
QUESTION = "When does the lease of the workshop end?"
MILL = "The mill at Arlen was built in 1787."
MILL_QUESTION = "When was the mill at Arlen built?"


@pytest.fixture
def mills(tmp_path: Path) -> Path:
    folder = tmp_path / "mills"
    folder.mkdir()
    (folder / "arlen.md").write_text(f"# Mills\n\n{MILL}\n")
    return folder


def data_file(home: Path) -> Path:
    return home / ".local" / "share" / "lens-lsp" / "desktop.json"


def opened(desktop: Desktop) -> dict[str, Any]:
    answer: dict[str, Any] = desktop.send("GET", "/api/folders").json()
    return answer


def quotes(desktop: Desktop, question: str) -> str:
    result = desktop.heard(desktop.ask(question, mode="evidence"))[-1].data["result"]
    return " ".join(item["quote"] for item in result["evidence"])


def test_a_folder_is_added_asked_and_dropped_while_the_page_runs(start: Start, notes: Path, mills: Path) -> None:
    desktop = start(notes).enter()
    assert MILL not in quotes(desktop, MILL_QUESTION)
    with desktop.listen("/api/happenings") as stream:
        added = desktop.send("POST", "/api/folders", {"path": str(mills)})
        assert (added.status, added.json()["added"], added.json()["file"]) == (201, mills.as_uri(), None)
        stream.until("changed")  # other tabs are told
    assert [folder["uri"] for folder in opened(desktop)["folders"]] == [notes.as_uri(), mills.as_uri()]
    assert MILL in quotes(desktop, MILL_QUESTION)
    assert LEASE in quotes(desktop, QUESTION)
    assert desktop.send("DELETE", "/api/folders", {"uri": mills.as_uri()}).status == 200
    assert MILL not in quotes(desktop, MILL_QUESTION)
    assert desktop.send("POST", "/api/open", {"uri": (mills / "arlen.md").as_uri()}).status == 404
    assert desktop.send("DELETE", "/api/folders", {"uri": mills.as_uri()}).status == 404


def test_a_server_that_is_started_again_serves_what_is_open_then(start: Start, notes: Path, mills: Path) -> None:
    desktop = start(notes).enter()
    before = desktop.server()
    desktop.send("POST", "/api/folders", {"path": str(mills)})
    desktop.send("DELETE", "/api/folders", {"uri": notes.as_uri()})
    os.kill(before, signal.SIGKILL)
    desktop.server(other_than=before)
    assert MILL in quotes(desktop, MILL_QUESTION)
    assert LEASE not in quotes(desktop, QUESTION)


def test_a_file_is_added_by_the_folder_that_it_lies_in(start: Start, notes: Path, mills: Path) -> None:
    desktop = start(notes).enter()
    reply = desktop.send("POST", "/api/folders", {"path": str(mills / "arlen.md")}).json()
    assert (reply["added"], reply["file"]) == (mills.as_uri(), (mills / "arlen.md").as_uri())


def test_what_is_no_folder_is_not_added(start: Start, notes: Path, tmp_path: Path) -> None:
    desktop = start(notes).enter()
    before = opened(desktop)["folders"]
    for path, name in (
        (str(tmp_path / "none"), "lens.path-not-found"),
        ("relative", "lens.path-refused"),
        ("/a\0b", "lens.path-refused"),
        (str(notes / ".env"), "lens.path-refused"),
        ("/dev/null", "lens.path-refused"),
    ):
        refused = desktop.send("POST", "/api/folders", {"path": path})
        assert (refused.status, refused.json()["error"]["name"]) == (422, name), path
    assert desktop.send("POST", "/api/folders", {"path": ""}).status == 400
    assert opened(desktop)["folders"] == before


def test_only_the_page_that_used_the_link_opens_and_closes_folders(start: Start, notes: Path, mills: Path) -> None:
    desktop = start(notes).enter()
    ours = f"http://{desktop.host}"
    attempts: list[tuple[str, str, object]] = [
        ("POST", "/api/folders", {"path": str(mills)}),
        ("DELETE", "/api/folders", {"uri": notes.as_uri()}),
        ("DELETE", "/api/recent", {"path": str(notes)}),
        ("POST", "/api/paths", {"typed": f"{notes}/"}),
        ("POST", "/api/paths", {"name": "mills"}),
    ]
    before = opened(desktop)
    for method, path, body in attempts:
        assert desktop.send(method, path, body, Authorization=None).status == 401
        assert desktop.send(method, path, body, Authorization="Bearer wrong").status == 401
        for origin in ("https://evil.example", "null", "http://127.0.0.1:1", f"http://localhost:{desktop.port}"):
            assert desktop.send(method, path, body, Origin=origin).status == 403
        for site in ("cross-site", "same-site"):
            assert desktop.send(method, path, body, Sec_Fetch_Site=site).status == 403
        assert desktop.send(method, path, body, Host=f"evil.example:{desktop.port}").status == 403
        data = json.dumps(body).encode()
        for kind in ("text/plain", "application/x-www-form-urlencoded", None):  # what a form can send
            assert desktop.send(method, path, data, Content_Type=kind).status == 415
    assert opened(desktop) == before
    # The control: the same from our own page.
    for method, path, body in attempts:
        assert desktop.send(method, path, body, Origin=ours, Sec_Fetch_Site="same-origin").status in (200, 201)
    assert opened(desktop) != before


def test_what_was_opened_is_remembered_in_the_user_s_own_data(
    start: Start, home: Path, notes: Path, mills: Path
) -> None:
    desktop = start(notes).enter()
    assert opened(desktop)["recent"] == []
    desktop.send("POST", "/api/folders", {"path": str(mills)})
    desktop.send("DELETE", "/api/folders", {"uri": mills.as_uri()})
    found = opened(desktop)["recent"]
    assert [(each["path"], each["there"]) for each in found] == [(str(mills), True)]
    assert desktop.interrupt() == 0
    other = start(mills).enter()
    assert [each["path"] for each in opened(other)["recent"]] == [str(notes)]
    forgotten = other.send("DELETE", "/api/recent", {"path": str(notes)}).json()
    assert forgotten["recent"] == []
    assert str(notes) not in data_file(home).read_text()
    assert data_file(home).stat().st_mode & 0o077 == 0
    assert not [file for folder in (notes, mills) for file in folder.rglob("desktop.json")]


def test_the_list_is_short_and_a_broken_one_begins_anew(tmp_path: Path) -> None:
    kept = tmp_path / "desktop.json"
    for number in range(2 * MOST_RECENT):
        note_opened(kept, [f"/folder {number}"])
    assert [each.path for each in read_desktop(kept).recent][:2] == ["/folder 23", "/folder 22"]
    assert len(read_desktop(kept).recent) == MOST_RECENT
    for broken in (b"", b"{", b"[]", b'{"schema": "lens.desktop/1", "port": "x", "folders": []}'):
        kept.write_bytes(broken)
        assert read_desktop(kept).recent == ()
        note_opened(kept, ["/one"])
        assert [each.path for each in read_desktop(kept).recent] == ["/one"]


def test_a_start_that_names_no_folder_opens_what_was_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, home, notes, mills = (tmp_path / name for name in ("desktop.json", "home", "notes", "mills"))
    for folder in (home, notes, mills):
        folder.mkdir()
    assert left_open(kept, str(home)) == [str(home)]
    keep_open(kept, str(home), [str(notes), str(mills)])
    assert left_open(kept, str(home)) == [str(notes), str(mills)]
    assert left_open(kept, str(notes)) == [str(notes)], "another folder is what is meant there"
    notes.rmdir()
    assert left_open(kept, str(home)) == [str(mills)]
    mills.rmdir()
    assert left_open(kept, str(home)) == [str(home)]
    monkeypatch.setenv("HOME", str(home))
    assert left_open(kept, str(home)) == [], "of a whole home nothing is opened unasked"


def test_what_is_open_is_kept_as_folders_come_and_go(start: Start, home: Path, notes: Path, mills: Path) -> None:
    desktop = start(notes).enter()
    kept = data_file(home)
    desktop.send("POST", "/api/folders", {"path": str(mills)})
    left = read_desktop(kept).left
    assert left is not None
    assert left.folders == (str(notes), str(mills))
    desktop.send("DELETE", "/api/folders", {"uri": notes.as_uri()})
    assert left_open(kept, left.started_in) == [str(mills)]


def test_a_path_is_completed_by_names_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("Papers", "papers old", "music", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "plan.md").write_text("x")
    (tmp_path / "p.key").write_text(OUTSIDE)
    (tmp_path / "pipe").symlink_to(tmp_path / "plan.md")
    monkeypatch.setenv("HOME", str(tmp_path))

    def shown(typed: str) -> list[str]:
        return [each.shown for each in completions(typed)]

    assert shown("~/pa") == ["~/Papers", "~/papers old"]
    assert shown(f"{tmp_path}/P") == [f"{tmp_path}/{name}" for name in ("Papers", "papers old", "plan.md")]
    assert shown("~/.h") == ["~/.hidden"]
    assert shown("~/") == ["~/music", "~/Papers", "~/papers old", "~/plan.md"]
    assert shown("pa") == shown("~/none/x") == shown("/a\0b") == []


def test_what_was_dropped_is_looked_for_near_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / "Documents" / "papers").mkdir(parents=True)
    (home / "Documents" / ".env").write_text(OUTSIDE)
    (tmp_path / "work" / "notes").mkdir(parents=True)
    (tmp_path / "work" / "papers").mkdir()
    monkeypatch.setenv("HOME", str(home))
    near = [str(tmp_path / "work" / "notes")]
    found = [each.shown for each in places_of("papers", near)]
    assert sorted(found) == [str(home / "Documents" / "papers"), str(tmp_path / "work" / "papers")]
    for name in ("", ".", "..", "../work", "Documents/papers", "a\0", ".env", "none"):
        assert places_of(name, near) == []


def test_the_port_is_the_same_the_next_time(start: Start, home: Path, notes: Path) -> None:
    first = start(notes)
    assert first.interrupt() == 0
    again = start(notes)
    assert again.port == first.port
    other = start(notes)  # while that one runs
    assert other.port != first.port
    other.interrupt()
    told = other.process.communicate()[1]
    assert f"port {first.port} of the last time is taken" in told
    assert f"at port {other.port}" in told
    assert again.interrupt() == 0
    assert json.loads(data_file(home).read_text())["port"] == first.port
    assert start(notes).port == first.port


def test_a_port_that_is_asked_for_is_had_or_refused_and_not_remembered(start: Start, home: Path, notes: Path) -> None:
    first = start(notes)
    assert first.interrupt() == 0
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        with pytest.raises(AssertionError, match=f"port {number} cannot be had"):
            start("--port", number, notes)
    assert start("--port", number, notes).port == number
    assert start("--port", 0, notes).port not in (number, first.port)
    assert json.loads(data_file(home).read_text())["port"] == first.port
