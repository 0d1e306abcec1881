"""``lens desktop`` at the door: what is mistyped, what is missing, what it costs to ask for help."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from lens_process import Command, assert_one_sentence

BLOCKED = """
import sys
sys.modules.update(dict.fromkeys(["starlette", "uvicorn", "tomlkit"]))
from lens_lsp.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nowhere"], "does not exist"),
        (["a.md"], "not a folder"),
        (["--port", "70000"], "port"),
        (["--port", "x"], "port"),
        (["--nothing"], "--nothing"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(lens: Command, tmp_path: Path, arguments: list[str], told: str) -> None:
    (tmp_path / "a.md").write_text("x")
    outcome = lens("desktop", "--no-browser", *arguments)
    assert told in outcome.complaint
    assert_one_sentence(outcome, 2)


def test_a_port_that_is_taken_is_one_sentence(lens: Command, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        outcome = lens("desktop", "--no-browser", "--port", str(taken.getsockname()[1]))
    assert "--port" in outcome.complaint
    assert_one_sentence(outcome, 2)


def test_without_the_extra_the_command_that_installs_it_is_named() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKED, "desktop"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "pip install 'lens-lsp[desktop]'" in done.stderr


def test_without_its_extra_a_window_names_the_command_that_installs_it() -> None:
    code = BLOCKED.replace('["starlette", "uvicorn", "tomlkit"]', '["webview"]')
    done = subprocess.run(
        [sys.executable, "-c", code, "desktop", "--window"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "pip install 'lens-lsp[window]'" in done.stderr


def test_help_imports_no_web_server() -> None:
    code = (
        "import sys\nfrom lens_lsp.cli import main\nmain(['desktop', '--help'])\n"
        "print(*sorted({'starlette', 'uvicorn', 'asyncio', 'numpy', 'keyring'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "--no-browser" in done.stdout
    assert done.stderr.strip() == ""
