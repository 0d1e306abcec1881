"""A file in the user's editor: the program is the user's, never the workspace's, and nothing that runs is opened."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lens_lsp.desktop.folders import NoEditor, open_file
from tests.desktop.desktop_process import Desktop
from tests.lsp.lsp_client import wait_until

Start = Callable[..., Desktop]
OPENER = "open" if sys.platform == "darwin" else "xdg-open"


def program(folder: Path, name: str) -> Path:
    """A program that writes down what it was started with."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f'#!/bin/sh\nprintf "%s\\n" {name} "$@" >> {folder}/part && mv {folder}/part {folder}/started\n')
    file.chmod(0o755)
    return file


def started(folder: Path) -> list[str]:
    """What was started there, waited for."""
    assert wait_until((folder / "started").exists)
    return (folder / "started").read_text().splitlines()


@pytest.fixture
def bin_(tmp_path: Path) -> Path:
    return tmp_path / "bin"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("code", ["--goto", "{0}:3:7"]),
        ("codium", ["--goto", "{0}:3:7"]),
        ("subl", ["{0}:3:7"]),
        ("gvim", ["+3", "{0}"]),
        ("emacsclient", ["--no-wait", "+3:7", "{0}"]),
        ("kate", ["--line", "3", "--column", "7", "{0}"]),
    ],
)
def test_the_user_s_editor_is_told_the_place(bin_: Path, notes: Path, name: str, arguments: list[str]) -> None:
    program(bin_, name)
    file = notes / "contract.md"
    assert (
        open_file(str(file), 3, 7, [str(notes)], {"VISUAL": f"{name} --new", "PATH": f"{bin_}:/bin:/usr/bin"}) == name
    )
    assert started(bin_) == [name, "--new", *(each.format(file) for each in arguments)]


def test_visual_comes_before_editor_and_vs_code_last(bin_: Path, notes: Path) -> None:
    for name in ("gvim", "kate", "code"):
        program(bin_, name)
    path, file, env = [str(notes)], str(notes / "contract.md"), {"PATH": str(bin_)}
    assert open_file(file, 1, 1, path, env | {"VISUAL": "gvim", "EDITOR": "kate"}) == "gvim"
    assert open_file(file, 1, 1, path, env | {"EDITOR": "kate"}) == "kate"
    assert open_file(file, 1, 1, path, env | {"VISUAL": "vim", "EDITOR": "nano -w"}) == "code"  # those need a terminal
    assert open_file(file, 1, 1, path, env | {"VISUAL": '"'}) == "code"


def test_no_program_of_a_workspace_is_ever_started(bin_: Path, notes: Path) -> None:
    program(notes / "bin", "code")
    program(notes / "bin", OPENER)
    (notes.parent / "alias").symlink_to(notes / "bin")
    file = str(notes / "bell.pdf")
    for path in (f"{notes}/bin", f"{notes.parent}/alias", ".", "", "bin", f":{notes}/bin:."):
        for visual in ("code", f"{notes}/bin/code", "./bin/code"):
            with pytest.raises(NoEditor):
                open_file(file, 1, 1, [str(notes)], {"PATH": path, "VISUAL": visual})
    assert not (notes / "bin" / "started").exists()
    # The control: the same folder outside of what is searched.
    assert open_file(file, 1, 1, [str(notes / "sub")], {"PATH": f"{notes}/bin:/bin:/usr/bin"}) == "code"
    started(notes / "bin")


@pytest.mark.parametrize("name", ["run.sh", "x.desktop", "x.exe", "x.bat", "x.js", "x.html", "x.py", "x.docm", "none"])
def test_the_system_opens_documents_and_nothing_that_runs(bin_: Path, notes: Path, name: str) -> None:
    program(bin_, OPENER)
    env = {"PATH": f"{bin_}:/bin:/usr/bin"}
    with pytest.raises(NoEditor):
        open_file(str(notes / name), 1, 1, [str(notes)], env)
    assert open_file(str(notes / "bell.pdf"), 1, 1, [str(notes)], env) == OPENER
    assert started(bin_) == [OPENER, str(notes / "bell.pdf")]


def test_the_page_opens_a_passage(start: Start, bin_: Path, notes: Path) -> None:
    program(bin_, "code")
    desktop = start(notes, VISUAL="code", PATH=f"{bin_}:/bin:/usr/bin").enter()
    uri = (notes / "contract.md").as_uri()
    reply = desktop.send("POST", "/api/open", {"uri": uri, "line": 3, "column": 5})
    assert reply.json() == {"opened": "code"}
    assert started(bin_) == ["code", "--goto", f"{notes / 'contract.md'}:3:5"]
    for wrong in ({"line": 0}, {"line": "x"}, {"column": 1.5}, {"line": True}, {"line": -1}):
        assert desktop.send("POST", "/api/open", {"uri": uri, **wrong}).status == 400
