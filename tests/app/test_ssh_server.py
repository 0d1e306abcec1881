"""Folders of another user, over a real ``sshd``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ssh_server import HOST, SshServer, required_ssh_server

QUERY = "where is the copper kettle"


@pytest.fixture(scope="module")
def server() -> Iterator[SshServer]:
    yield from required_ssh_server()


@pytest.fixture(scope="module")
def folder(server: SshServer) -> Path:
    notes = server.home / "notes"
    notes.mkdir()
    for number in range(8):
        (notes / f"note {number}.md").write_text(
            f"# Note {number}\n\nThe copper kettle {number} stands in hall {number}.\n"
        )
    server.own(notes)
    (notes / "of root.md").write_text("The copper kettle that nobody else may read.\n")
    (notes / "of root.md").chmod(0o600)
    return notes


def lens(server: SshServer, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = f"{server.programs}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "XDG_CACHE_HOME": str(tmp_path / "cache"), "LENS_CONFIG": os.devnull}
    command = [sys.executable, "-P", "-m", "lens_lsp", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300)


def test_passages_come_from_the_other_user(server: SshServer, folder: Path, tmp_path: Path) -> None:
    for url in (server.url(folder), f"ssh://{HOST}/~/notes"):
        done = lens(server, tmp_path, "find", QUERY, url, "--json")
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert said["roots"] == [url]
        assert {item["machine"] for item in said["evidence"]} == {HOST}
        assert said["coverage"]["scanned"] == 8
        skipped = [(skip["path"], skip["reason"]) for skip in said["coverage"]["skipped"]]
        assert skipped == [("of root.md", "permission")]
        here = json.loads(lens(server, tmp_path, "find", QUERY, str(folder), "--json").stdout)
        quotes = [(item["path"], item["span"], item["quote"], item["sha256"]) for item in said["evidence"]]
        assert quotes == [
            (item["path"], item["span"], item["quote"], item["sha256"])
            for item in here["evidence"]
            if item["path"] != "of root.md"
        ]


def test_a_question_is_answered_from_the_other_user(server: SshServer, folder: Path, tmp_path: Path) -> None:
    done = lens(server, tmp_path, "ask", "in which hall does the copper kettle 3 stand?", server.url(folder), "--json")
    said = json.loads(done.stdout)
    assert any("stands in hall 3" in item["quote"] for item in said["evidence"]), done.stderr
    assert {skip["reason"] for skip in said["coverage"]["skipped"]} == {"permission"}


def test_a_key_that_is_not_let_in_and_a_port_without_a_server_are_said(
    server: SshServer, folder: Path, tmp_path: Path
) -> None:
    refused = lens(server, tmp_path, "find", QUERY, f"ssh://nobody@{HOST}{folder}")
    assert refused.returncode == 2
    assert "Permission denied" in refused.stderr
    gone = lens(server, tmp_path, "find", QUERY, f"ssh://{HOST}:1{folder}")
    assert gone.returncode == 2
    assert "Connection refused" in gone.stderr
