"""``lens ask`` with a model: a real process and a real endpoint on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lens_process import TIMEOUT, Command, assert_one_sentence, on_a_terminal
from scripted_endpoint import FAR, KEY, assert_no_key, following, settings, stages

from lens_lsp.judge.llm.chat_model import ChatRequest
from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.judge.llm.chat_session import PROOF, QUESTION, notes

posix = pytest.mark.skipif(os.name != "posix", reason="needs POSIX terminals or signals")


@pytest.fixture
def lens(lens_here: Command) -> Command:
    """The process itself is not what is tested here."""
    return lens_here


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bridges").mkdir()
    return notes(tmp_path / "bridges", more=2)


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with in_thread(ChatServer(following())) as running:
        yield running


def test_a_configured_model_answers_fast_with_citations(lens: Command, folder: Path, server: ChatServer) -> None:
    outcome = lens("ask", QUESTION, "bridges", "--no-store", "--json", env=settings(server.base_url))
    assert (outcome.status, outcome.complaint) == (0, "")
    answer = json.loads(outcome.out)
    assert (answer["mode"], answer["status"], answer["shortAnswer"]) == ("fast", "answered", "4 May 1931")
    assert answer["answer"].strip() == "It was opened on 4 May 1931 [1]."
    assert PROOF in answer["evidence"][0]["quote"]
    assert answer["ledger"]["endpoint"] == server.origin
    assert answer["ledger"]["calls"] == {"read": 1, "total": 1}
    assert "bridges.md" in {sent["path"] for sent in answer["ledger"]["sent"]}
    assert stages(server) == ["read"]
    assert_no_key(outcome)


def test_deep_plans_in_two_calls_and_explain_tells_what_went_where(
    lens: Command, folder: Path, server: ChatServer
) -> None:
    outcome = lens(
        "ask", QUESTION, "bridges", "--no-store", "--mode", "deep", "--explain", env=settings(server.base_url)
    )
    assert outcome.status == 0
    assert sorted(stages(server)) == ["anchors", "decompose", "observe", "synthesise"]
    assert "It was opened on 4 May 1931 [1]." in outcome.text
    assert "4 calls (1 analyse, 1 decompose, 1 observe, 1 synthesise), 0 retried" in outcome.text
    assert f"sent to {server.origin}: " in outcome.text
    assert_no_key(outcome)


def test_evidence_is_the_mode_without_a_model_and_when_asked_for(
    lens: Command, folder: Path, server: ChatServer
) -> None:
    only_one = settings(server.base_url)
    del only_one["LENS_MODEL"]
    for arguments, environment in (([], only_one), (["--mode", "evidence"], settings(server.base_url))):
        outcome = lens("ask", QUESTION, "bridges", "--no-store", "--json", *arguments, env=environment)
        assert json.loads(outcome.out)["mode"] == "evidence"
    assert server.connections == 0


def test_limits_lower_the_budget_of_the_mode(lens: Command, folder: Path, server: ChatServer) -> None:
    outcome = lens(
        "ask", QUESTION, "bridges", "--no-store", "--json", "--max-calls", "1", env=settings(server.base_url)
    )
    assert json.loads(outcome.out)["ledger"]["calls"]["total"] <= 1
    assert len(stages(server)) <= 1
    refused = lens("ask", QUESTION, "bridges", "--no-store", "--max-cost", "1", env=settings(server.base_url))
    assert_one_sentence(refused, 2)


def test_where_the_model_is_down_the_reader_judges_and_it_is_said_what_to_start(lens: Command, folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else can take the port
        base_url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        outcome = lens("ask", QUESTION, "bridges", "--no-store", env=settings(base_url))
    assert outcome.status == 0
    assert PROOF in outcome.text
    assert "*The model gave no answer: nothing listens at " in outcome.text
    assert "Judged by a reader of your own" in outcome.text
    assert "ollama serve" in outcome.complaint
    assert_no_key(outcome)


@pytest.mark.parametrize("base_url", ["ftp://host/v1", "http://models.invalid/v1", f"http://{KEY}@localhost/v1"])
def test_a_base_url_that_cannot_be_meant_is_told(lens: Command, folder: Path, base_url: str) -> None:
    outcome = lens("ask", QUESTION, "bridges", "--no-store", env=settings(base_url))
    assert_one_sentence(outcome, 2)
    assert_no_key(outcome)


def test_our_own_key_is_the_one_that_is_sent(lens: Command, folder: Path, server: ChatServer) -> None:
    lens("ask", QUESTION, "bridges", "--no-store", env=settings(server.base_url))
    assert all(KEY in repr(each) for each in server.requests if each.path.endswith("/chat/completions"))


def test_a_dry_run_shows_the_requests_and_makes_no_connection(lens: Command, folder: Path, server: ChatServer) -> None:
    environment = settings(server.base_url)
    shown = lens("ask", QUESTION, "bridges", "--no-store", "--dry-run", env=environment)
    assert (shown.status, shown.complaint) == (0, "")
    assert shown.text.startswith(f"Nothing was sent. In mode fast, {server.origin} (model any) would get:\n")
    for part in ("Request 1: read, about ", PROOF, "  bridges.md "):
        assert part in shown.text
    machine = lens("ask", QUESTION, "bridges", "--no-store", "--dry-run", "--json", "--mode", "deep", env=environment)
    document = json.loads(machine.out)
    assert (document["schema"], document["mode"], document["endpoint"]) == ("lens.dry-run/1", "deep", server.origin)
    assert [each["stage"] for each in document["requests"]] == ["analyse", "decompose", "observe"]
    assert all(each["tokens"] > 0 for each in document["requests"])
    everything = "".join(message["text"] for each in document["requests"] for message in each["messages"])
    for sent in document["sent"]:
        assert (folder / sent["path"]).read_text()[slice(*sent["span"])].strip("# \n") in everything
    assert server.connections == 0
    assert_no_key(shown)
    assert_no_key(machine)


def test_the_dry_run_shows_what_is_then_sent(lens: Command, folder: Path, server: ChatServer) -> None:
    environment = settings(server.base_url)
    shown = json.loads(lens("ask", QUESTION, "bridges", "--no-store", "--dry-run", "--json", env=environment).out)
    answer = json.loads(lens("ask", QUESTION, "bridges", "--no-store", "--json", env=environment).out)
    assert shown["sent"]
    assert shown["sent"] == answer["ledger"]["sent"][: len(shown["sent"])]


@pytest.mark.parametrize("arguments", [[], ["--json"], ["--mode", "deep", "--quiet"]])
def test_another_machine_needs_consent(lens: Command, folder: Path, arguments: list[str]) -> None:
    outcome = lens("ask", QUESTION, "bridges", "--no-store", *arguments, env=settings(FAR))
    assert_one_sentence(outcome, 2)
    assert "--yes" in outcome.complaint
    assert "https://models.invalid" in outcome.complaint
    assert_no_key(outcome)
    assert lens("ask", QUESTION, "bridges", "--no-store", "--dry-run", *arguments, env=settings(FAR)).status == 0


@contextlib.contextmanager
def other_machine() -> Iterator[tuple[str, list[object]]]:
    """An address of this machine that is not loopback, and the connections that came to it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
        try:
            route.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no address but loopback")
        address = route.getsockname()[0]
    if address.startswith("127."):
        pytest.skip("this machine has no address but loopback")
    with socket.create_server((address, 0)) as listener:
        came: list[object] = []

        def accept() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, peer = listener.accept()
                    came.append(peer)
                    connection.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"https://{address}:{listener.getsockname()[1]}", came
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)


@pytest.mark.skipif(sys.platform != "linux", reason="shutting a listener down wakes accept on Linux only")
def test_nothing_connects_without_consent_and_yes_is_remembered(
    lens: Command, folder: Path, environment: dict[str, str]
) -> None:
    with other_machine() as (origin, came):
        asked = ("ask", QUESTION, "bridges", "--no-store", "--max-seconds", "1")
        assert lens(*asked, env=settings(origin)).status == 2
        assert came == []
        assert lens(*asked, "--yes", env=settings(origin)).status < 2
        assert came, "the harness would have noticed a connection"
        again = lens(*asked, env=settings(origin))
        assert again.status < 2, "consent was given before"
        assert_no_key(again)
        other = folder.parent / "other"
        other.mkdir()
        assert lens("ask", QUESTION, "other", env=settings(origin)).status == 2, "another workspace"
    (kept,) = Path(environment["HOME"]).rglob("consent.json")
    assert json.loads(kept.read_text())["given"] == [{"workspace": str(folder.resolve()), "origin": origin}]
    assert "Quillfeather" not in kept.read_text()
    if os.name == "posix":
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert {path.name for path in kept.parent.iterdir()} <= {"consent.json", ".lock", "usage.json"}


def answering(said: bytes, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Ask on a terminal where somebody types."""
    command = ["-m", "lens_lsp", "ask", QUESTION, str(folder), "--max-calls", "0"]
    status, shown = on_a_terminal(command, folder, environment, said=said, prints=False)
    return status, shown.decode()


@posix
def test_a_terminal_is_asked_once_and_a_yes_is_remembered(folder: Path, environment: dict[str, str]) -> None:
    environment |= settings(FAR) | {"NO_COLOR": "1"}
    status, shown = answering(b"\n", folder, environment)
    assert status == 2
    assert "would be sent to https://models.invalid (model any)" in shown
    assert "nothing was sent" in shown
    status, shown = answering(b"y\n", folder, environment)
    assert status == 0, "no call is allowed, and the rules answer"
    assert "[y/N]" in shown
    status, shown = answering(b"", folder, environment)
    assert status == 0
    assert "[y/N]" not in shown
    assert "Quillfeather" not in shown


@pytest.mark.long
@posix
def test_an_interrupt_while_the_model_is_silent_prints_what_was_found_within_a_second(
    folder: Path, environment: dict[str, str]
) -> None:
    hanging, over = threading.Event(), threading.Event()

    def hang(_: ChatRequest) -> str:
        hanging.set()
        over.wait(TIMEOUT)
        return "{}"

    with in_thread(ChatServer(following({"read": hang}))) as server:
        command = [sys.executable, "-m", "lens_lsp", "ask", QUESTION, str(folder), "--json"]
        process = subprocess.Popen(
            command,
            env=environment | settings(server.base_url),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            assert hanging.wait(TIMEOUT)
            asked = time.monotonic()
            process.send_signal(signal.SIGINT)
            printed, complaint = process.communicate(timeout=TIMEOUT)
            seconds = time.monotonic() - asked
        finally:
            over.set()
            process.kill()
    answer = json.loads(printed)
    assert process.returncode == 130
    assert answer["stopped"] == "cancelled"
    assert PROOF in "".join(item["quote"] for item in answer["evidence"])
    assert answer["ledger"]["calls"] == {"read": 1, "total": 1}
    (kept,) = Path(environment["HOME"]).rglob("usage.json")
    assert [spent["calls"] for day in json.loads(kept.read_text())["days"].values() for spent in day.values()] == [1]
    assert "interrupted; " in complaint.decode()
    assert seconds < 1.0
