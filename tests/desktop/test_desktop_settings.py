"""The user's settings and key over the page's HTTP: in their own file, in the system's keyring, for one origin."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desktop.desktop_process import Desktop
from tests.desktop.file_keyring import NAME, uses
from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.judge.llm.chat_session import QUESTION, served
from tests.judge.llm.chat_session import notes as bridges
from tests.lsp.lsp_client import environment

Start = Callable[..., Desktop]
OWN = "http://localhost:1/v1"
FAR = "https://models.invalid/v1"
"""On another machine; no such host is ever resolved (RFC 6761)."""
KEY = "sk-canary-Wheatear-0123456789"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bridges").mkdir()
    return bridges(tmp_path / "bridges", more=1)


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with in_thread(ChatServer(served())) as server:
        yield server


def config(home: Path) -> Path:
    return home / ".config" / "lens-lsp" / "config.toml"


def told(desktop: Desktop) -> dict[str, Any]:
    answer: dict[str, Any] = desktop.send("GET", "/api/settings").json()
    return answer


def prompted(desktop: Desktop, question: str, action: str) -> str:
    """PageQuestion, and answer the prompt for consent; its message."""
    id_ = desktop.ask(question)
    with desktop.listen(f"/api/asks/{id_}/events") as stream:
        prompt = stream.until("consent")[-1].data
    desktop.send("POST", f"/api/consents/{prompt['id']}", {"action": action})
    desktop.heard(id_)
    return str(prompt["message"])


def sent_keys(model: ChatServer) -> set[str | None]:
    """What was sent as a key with each request to the model since the last look."""
    keys = {each.headers.get("authorization") for each in model.requests}
    model.requests.clear()
    return keys


def test_settings_are_kept_in_the_user_s_own_file(start: Start, home: Path, folder: Path) -> None:
    config(home).parent.mkdir(parents=True)
    config(home).write_text("# mine\nmode = 'fast'  # quick\n[budget]\ncalls = 3\n")
    desktop = start(folder).enter()
    assert told(desktop)["settings"] == {"mode": "fast", "budget.calls": 3}
    changes = {"mode": "evidence", "budget.calls": None, "budget.seconds": 60, "model.baseUrl": OWN}
    reply = desktop.send("PUT", "/api/settings", changes | {"agreed": OWN})
    assert reply.json()["settings"] == {
        "mode": "evidence",
        "budget.seconds": 60,
        "model.baseUrl": OWN,
    }
    text = config(home).read_text()
    assert text.startswith('# mine\nmode = "evidence" # quick\n') or "# quick" in text.splitlines()[1]
    assert config(home).stat().st_mode & 0o077 == 0
    assert desktop.heard(desktop.ask(QUESTION))[-1].data["result"]["mode"] == "evidence"  # it holds at once
    ocr = desktop.send("PUT", "/api/settings", {"documents.ocr": "off"}).json()["ocr"]
    assert ocr["state"] in ("off", "off-not-installed")
    assert ocr == told(desktop)["ocr"] == {"state": ocr["state"], "by": "pip install 'lens-lsp[ocr]'"}
    text = config(home).read_text()
    for wrong in (
        {"mode": "all"},
        {"documents.ocr": "x y"},
        {"model.baseUrl": "http://evil.example"},
        {"no.such": 1},
        {"budget.calls": -1},
    ):
        refused = desktop.send("PUT", "/api/settings", wrong)
        assert (refused.status, refused.json()["error"]["name"]) == (422, "lens.usage")
    assert config(home).read_text() == text


def test_a_key_is_kept_in_the_keyring_and_goes_to_its_origin_alone(
    start: Start, home: Path, folder: Path, model: ChatServer
) -> None:
    desktop = start(folder, PYTHON_KEYRING_BACKEND=NAME).enter()
    assert told(desktop)["key"] == {"origin": None, "stored": False, "available": True, "environment": False}
    refused = desktop.send("PUT", "/api/key", {"key": KEY})
    assert (refused.status, refused.json()["error"]["name"]) == (422, "lens.usage")  # of no model
    desktop.use_model(model.base_url, **{"model.name": "any"})
    desktop.heard(desktop.ask(QUESTION))
    assert sent_keys(model) == {None}
    assert uses(home) == []  # who keeps no key there never touches it
    assert desktop.send("PUT", "/api/key", {"key": "with a space"}).status == 422
    kept = desktop.send("PUT", "/api/key", {"key": KEY})
    expected = {"origin": model.origin, "stored": True, "available": True, "environment": False}
    assert kept.json()["key"] == expected
    answer = desktop.heard(desktop.ask(QUESTION + " Say it again."))[-1].data["result"]
    assert answer["mode"] == "fast"
    assert sent_keys(model) == {f"Bearer {KEY}"}
    everything = b"".join(desktop.send("GET", path).body for path in ("/api/settings", "/api/asks"))
    files = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file() and file.name != "keyring.json")
    commands = b"".join(Path(f"/proc/{pid}/cmdline").read_bytes() for pid in desktop.children())
    assert b"Wheatear" not in everything + files + commands
    desktop.use_model(model.base_url.replace("127.0.0.1", "localhost"))
    assert told(desktop)["key"]["stored"] is False  # another origin, even if it leads to the same
    desktop.heard(desktop.ask(QUESTION + " And again."))
    assert sent_keys(model) == {None}
    desktop.use_model(model.base_url)
    assert desktop.send("DELETE", "/api/key").json()["key"]["stored"] is False
    desktop.heard(desktop.ask(QUESTION + " Once more."))
    assert sent_keys(model) == {None}
    assert "Wheatear" not in (home / "keyring.json").read_text()


def test_the_environment_s_key_comes_first_and_the_command_line_has_the_other_too(
    start: Start, home: Path, folder: Path, model: ChatServer
) -> None:
    desktop = start(folder, PYTHON_KEYRING_BACKEND=NAME).enter()
    desktop.use_model(model.base_url, **{"model.name": "any"})
    desktop.send("PUT", "/api/key", {"key": KEY})
    sent_keys(model)
    command = [sys.executable, "-m", "lens_lsp", "ask", QUESTION, str(folder), "--no-store"]
    for more, sent in (
        ({}, f"Bearer {KEY}"),
        ({"LENS_API_KEY": "sk-of-nobody"}, f"Bearer {KEY}"),  # of no origin: it is sent nowhere
        ({"LENS_API_KEY": "sk-own", "LENS_BASE_URL": model.base_url}, "Bearer sk-own"),
    ):
        env = environment(home, PYTHON_KEYRING_BACKEND=NAME, **more)
        done = subprocess.run(command, env=env, capture_output=True, check=True)
        assert sent_keys(model) == {sent}
        assert done.stderr == b""


@pytest.mark.parametrize("backend", ["keyring.backends.fail.Keyring", NAME.replace("FileKeyring", "PlainKeyring")])
def test_where_no_keyring_keeps_a_secret_the_environment_is_named(
    start: Start, home: Path, folder: Path, backend: str
) -> None:
    desktop = start(folder, PYTHON_KEYRING_BACKEND=backend).enter()
    desktop.use_model(OWN, **{"model.name": "any"})
    assert told(desktop)["key"]["available"] is False
    refused = desktop.send("PUT", "/api/key", {"key": KEY}).json()["error"]
    assert "LENS_API_KEY" in refused["message"]
    assert uses(home) == []


def test_a_key_that_went_away_is_told_and_none_is_sent(
    start: Start, home: Path, folder: Path, model: ChatServer
) -> None:
    desktop = start(folder, PYTHON_KEYRING_BACKEND=NAME).enter()
    desktop.use_model(model.base_url, **{"model.name": "any"})
    desktop.send("PUT", "/api/key", {"key": KEY})
    os.unlink(home / "keyring.json")
    failed = desktop.heard(desktop.ask(QUESTION))[-1].data
    assert (failed["type"], failed["name"]) == ("error", "lens.keyring")
    assert sent_keys(model) == set()


def test_a_changed_address_of_another_machine_is_asked_about_again(start: Start, home: Path, folder: Path) -> None:
    desktop = start(folder).enter()
    other = FAR.replace("models", "others")
    desktop.use_model(FAR, **{"model.name": "any"})
    assert "https://models.invalid" in prompted(desktop, QUESTION, "Send")
    heard = desktop.heard(desktop.ask(QUESTION + " Again."))
    assert "consent" not in {each.data["type"] for each in heard}  # it was given, and nothing changed
    for same in ({"model.baseUrl": FAR}, {"budget.calls": 3}, {"model.baseUrl": FAR, "mode": "fast"}):
        desktop.send("PUT", "/api/settings", same)
    heard = desktop.heard(desktop.ask(QUESTION + " Once more."))
    assert "consent" not in {each.data["type"] for each in heard}
    for number, address in enumerate((other, FAR, FAR.replace("/v1", "/v2"))):  # also one that was agreed to before
        desktop.use_model(address)
        message = prompted(desktop, f"{QUESTION} {number}", "Send")
        assert address.rpartition("/")[0] in message


def test_a_changed_address_of_this_machine_is_asked_about_at_once(
    start: Start, home: Path, folder: Path, model: ChatServer
) -> None:
    """No question asks about it: whoever listens there would get what it cites."""
    desktop = start(folder).enter()
    changes = {"model.baseUrl": model.base_url, "model.name": "any"}
    for agreed in (None, True, "", OWN, model.origin):
        refused = desktop.send("PUT", "/api/settings", changes | {"agreed": agreed})
        assert (refused.status, refused.json()["error"]["name"]) == (422, "lens.consent")
        assert model.origin in refused.json()["error"]["message"]
    assert not config(home).exists()
    desktop.heard(desktop.ask(QUESTION))
    assert sent_keys(model) == set()  # the control of it: nothing came there
    desktop.use_model(model.base_url, **{"model.name": "any"})
    desktop.heard(desktop.ask(QUESTION))
    assert sent_keys(model) == {None}
    assert desktop.send("PUT", "/api/settings", {"model.baseUrl": model.base_url, "mode": "fast"}).status == 200
    assert desktop.send("PUT", "/api/settings", {"model.baseUrl": None}).status == 200
    assert desktop.send("PUT", "/api/settings", {"model.baseUrl": model.base_url}).status == 422
