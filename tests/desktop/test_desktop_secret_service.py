"""A key in a real Secret Service, that of GNOME, on a bus of the test's own."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.availability import unavailable
from tests.desktop.desktop_process import Desktop
from tests.judge.llm.chat_server import ChatServer, in_thread
from tests.judge.llm.chat_session import QUESTION, served
from tests.judge.llm.chat_session import notes as bridges
from tests.lsp.lsp_client import wait_until

KEY = "sk-canary-Stonechat-0123456789"


@pytest.fixture
def secret_service(home: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a session whose keyring is open."""
    for package, program in (("dbus", "dbus-daemon"), ("gnome-keyring", "gnome-keyring-daemon")):
        if shutil.which(program) is None:
            unavailable(package, f"{program} is not installed")
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    with ExitStack() as stack:

        def started(*command: str, env: dict[str, str]) -> subprocess.Popen[bytes]:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            process = stack.enter_context(subprocess.Popen(command, env=os.environ | env, **pipes))
            stack.callback(process.kill)
            return process

        session = {"XDG_RUNTIME_DIR": str(runtime), "HOME": str(home)}
        bus = started("dbus-daemon", "--session", "--nofork", "--print-address", env=session)
        assert bus.stdout is not None
        session["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().decode().strip()
        keyring = started("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets", env=session)
        assert keyring.stdin is not None
        keyring.stdin.write(b"the password of a session")
        keyring.stdin.close()
        assert wait_until(lambda: serves(session))
        yield session


def serves(session: dict[str, str]) -> bool:
    """Whether somebody keeps secrets in this session."""
    asked = ["org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]
    command = ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", *asked]
    return b"true" in subprocess.run(command, env=os.environ | session, capture_output=True, check=False).stdout


def test_a_key_is_kept_by_the_system_and_found_again(
    start: Callable[..., Desktop], home: Path, tmp_path: Path, secret_service: dict[str, str]
) -> None:
    (tmp_path / "bridges").mkdir()
    folder = bridges(tmp_path / "bridges", more=1)
    with in_thread(ChatServer(served())) as model:
        desktop = start(folder, **secret_service).enter()
        desktop.use_model(model.base_url, **{"model.name": "any"})
        kept = desktop.send("PUT", "/api/key", {"key": KEY})
        assert kept.json()["key"] == {"origin": model.origin, "stored": True, "available": True, "environment": False}
        assert desktop.interrupt() == 0
        again = start(folder, **secret_service).enter()
        again.heard(again.ask(QUESTION))
        assert {each.headers.get("authorization") for each in model.requests} == {f"Bearer {KEY}"}
        files = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
        assert b"Stonechat" not in files, "what the system keeps of it is encrypted"
        assert again.send("DELETE", "/api/key").json()["key"]["stored"] is False
        model.requests.clear()
        again.heard(again.ask(QUESTION + " Say it again."))
        assert {each.headers.get("authorization") for each in model.requests} == {None}
