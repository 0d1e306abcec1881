"""A question starts no program but the reader of documents and opens no connection, whatever lies in the folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.availability import unavailable
from tests.documents_made import docx

REPOSITORY = Path(__file__).resolve().parents[2]
WATCHED = """
import sys

STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "pty.spawn"}
TALKS = {"socket.bind", "socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}

def hook(event, values):
    if event == "subprocess.Popen":
        program = [str(value) for value in values[1]]
        print("STARTED" if program[:2] != [sys.executable, "-I"] else "READER", program[:2], file=sys.stderr)
    elif event in STARTS or event in TALKS:
        print("STARTED" if event in STARTS else "TALKED", event, values, file=sys.stderr)

sys.addaudithook(hook)
"""
ASKING = "from lens_lsp.cli import main\nsys.exit(main(sys.argv[1:]))\n"


def watched(program: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A process that tells on standard error what it starts and whom it talks to."""
    return subprocess.run(
        [sys.executable, "-c", WATCHED + program, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY), "HOME": str(folder.parent)},  # no store of earlier texts
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository in whose `.git` everything that git would run leaves a file behind."""
    folder = tmp_path / "cloned"
    hooks = folder / ".git" / "hooks"
    hooks.mkdir(parents=True)
    ran = tmp_path / "ran"
    script = f"touch '{ran}'"
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text(
        f'[core]\n\tfsmonitor = "{script}"\n\tpager = "{script}"\n\tsshCommand = "{script}"\n'
        f'[diff]\n\texternal = "{script}"\n[filter "x"]\n\tclean = "{script}"\n\tsmudge = "{script}"\n'
    )
    (folder / ".gitattributes").write_text("*.md filter=x\n")
    (folder / ".gitmodules").write_text('[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch\n')
    for name in ("post-checkout", "pre-commit", "post-index-change"):
        (hooks / name).write_text(f"#!/bin/sh\n{script}\n")
        (hooks / name).chmod(0o755)
    (folder / "lease.md").write_text("# Lease\n\nThe lease of the workshop ends on 30 June 2031.\n")
    (folder / "letter.docx").write_bytes(docx("The deposit of the workshop is 900 euros."))
    return folder


@pytest.mark.parametrize("command", ["ask", "find"])
def test_a_question_starts_no_program_and_opens_no_connection(command: str, hostile: Path) -> None:
    done = watched(ASKING, command, "When does the lease of the workshop end?", ".", folder=hostile)
    assert done.returncode == 0, done.stderr
    assert "30 June 2031" in done.stdout
    assert "STARTED" not in done.stderr
    assert "TALKED" not in done.stderr
    assert not (hostile.parent / "ran").exists()


def test_the_reader_of_documents_is_the_one_program(hostile: Path) -> None:
    done = watched(ASKING, "ask", "What is the deposit of the workshop?", "letter.docx", folder=hostile)
    assert "900 euros" in done.stdout, done.stderr
    assert "READER" in done.stderr
    assert "STARTED" not in done.stderr
    assert "TALKED" not in done.stderr


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("import subprocess; subprocess.run(['true'])", "STARTED"),
        ("import os; os.system('true')", "STARTED"),
        ("import socket; socket.socket().connect_ex(('127.0.0.1', 9))", "TALKED"),
        ("import socket; socket.getaddrinfo('localhost', 80)", "TALKED"),
    ],
)
def test_what_is_started_or_contacted_would_be_noticed(program: str, told: str, tmp_path: Path) -> None:
    assert told in watched(program, folder=tmp_path).stderr


def test_git_would_have_run_it(hostile: Path) -> None:
    if shutil.which("git") is None:
        unavailable("git", "git is not here")
    subprocess.run(["git", "init", "-q"], cwd=hostile, check=True)
    subprocess.run(["git", "status"], cwd=hostile, capture_output=True, check=False)
    assert (hostile.parent / "ran").exists()
