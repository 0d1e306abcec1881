"""A workspace that wants to run something: modules with the names of ours, settings of git, and what an ask starts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lens_process import TIMEOUT

REPOSITORY = Path(__file__).resolve().parents[2]
SHADOWS = (
    "asyncio",
    "codecs",
    "encodings",
    "json",
    "lens_lsp",
    "numpy",
    "openai",
    "pygls",
    "re",
    "sitecustomize",
    "sqlite3",
    "usercustomize",
)
"""Modules that are imported on the way to an answer, or that Python itself looks for."""
WATCHED = """
import json, sys
seen = []
PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.startfile", "pty.spawn")
def hook(event, arguments):
    if event in PROGRAMS or event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        seen.append([event, repr(arguments)[:200]])
sys.addaudithook(hook)
"""
ASK = WATCHED + (
    "from lens_lsp.cli import main\n"
    "status = main(['ask', 'When does the lease of the workshop end?', '.', '--json'])\n"
    "print(json.dumps({'status': status, 'seen': seen}), file=sys.stderr)\n"
)
CONTROL = WATCHED + (
    "import socket, subprocess\n"
    "subprocess.run([sys.executable, '-I', '-c', ''], check=True)\n"
    "with socket.socket() as one:\n"
    "    one.connect_ex(('127.0.0.1', 9))\n"
    "print(json.dumps({'status': 0, 'seen': seen}), file=sys.stderr)\n"
)


@pytest.fixture
def hostile(notes: Path) -> Path:
    """A folder with a module for each shadowed name, which leaves a mark when it is run, and a hostile repository."""
    for name in SHADOWS:
        folder = notes / name
        folder.mkdir()
        for path in (notes / f"{name}.py", folder / "__init__.py"):
            path.write_text(f"open({str(notes / 'ran')!r}, 'a').write({name!r})\n")
    git = notes / ".git"
    (git / "hooks").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(f"[core]\n\tfsmonitor = touch {notes / 'ran'}\n\tpager = touch {notes / 'ran'}\n")
    (git / "hooks" / "post-index-change").write_text(f"#!/bin/sh\ntouch {notes / 'ran'}\n")
    (git / "hooks" / "post-index-change").chmod(0o755)
    (notes / ".gitmodules").write_text('[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch\n')
    return notes


def python(folder: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )


def test_no_module_of_the_workspace_is_run(hostile: Path, environment: dict[str, str]) -> None:
    # The way of the extension: isolated, so that neither the folder nor a variable says where modules are.
    start = f"import sys; sys.path.append({str(REPOSITORY)!r}); from lens_lsp.cli import main; sys.exit(main({{}}))"
    paths = environment | {"PYTHONPATH": str(hostile), "PYTHONHOME": ""}
    for arguments in (["doctor"], ["ask", "When does the lease of the workshop end?", "."]):
        done = python(hostile, paths, "-I", "-c", start.format(arguments))
        assert done.returncode == 0, done.stderr
    assert not (hostile / "ran").exists()


def test_without_isolation_the_same_modules_are_run(hostile: Path, environment: dict[str, str]) -> None:
    python(hostile, environment, "-c", "import asyncio")
    assert (hostile / "ran").read_text() == "asyncio"


def watched(folder: Path, environment: dict[str, str], program: str) -> tuple[int, list[str]]:
    """How a program ended and what it did of what is watched."""
    done = python(folder, environment, "-P", "-c", program)
    told = json.loads(done.stderr.splitlines()[-1])
    return told["status"], [event for event, _ in told["seen"]]


def test_a_question_starts_no_program_and_opens_no_connection(hostile: Path, environment: dict[str, str]) -> None:
    assert watched(hostile, environment, ASK) == (0, [])
    assert not (hostile / "ran").exists()


def test_the_harness_sees_programs_and_connections(hostile: Path, environment: dict[str, str]) -> None:
    _, seen = watched(hostile, environment, CONTROL)
    assert {"subprocess.Popen", "socket.connect"} <= set(seen)
