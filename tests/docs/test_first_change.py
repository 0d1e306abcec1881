"""The walk-through for newcomers does what it says: every block of it is applied and run, in a copy of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from documentation import DOCS, REPOSITORY, Block, blocks, command_lines, text_of

from tests.availability import unavailable

PAGE = DOCS / "first-change.md"
LEFT = shutil.ignore_patterns(
    *(".git", ".venv", "node_modules", "vscode-extension", "__pycache__", "runs", "dist", "build"),
    *(".pytest_cache", ".hypothesis", ".ruff_cache", ".import_linter_cache", "*.egg-info"),
)
"""What a newcomer's clone has not, and what no step looks at; the cache of mypy is taken along, to save its minute."""
SET_UP = ("python3 -m venv .venv", ".venv/bin/pip install -e '.[test]'")
"""Not run here, since it downloads: the tests are run by what the second line installs."""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository under git, with a ``.venv/bin`` of the programs that run this test."""
    if shutil.which("git") is None:
        unavailable("git", "git is not installed")
    if os.name == "nt":
        pytest.skip("the commands of the page are for Linux and macOS")
    tree = tmp_path_factory.mktemp("clone") / "lens-lsp"
    shutil.copytree(REPOSITORY, tree, ignore=LEFT)
    programs = tree / ".venv" / "bin"
    programs.mkdir(parents=True)
    ours = {"python": f'"{sys.executable}"', "lens": f'"{sys.executable}" -m lens_lsp'}
    beside = {name: f'"{Path(sys.executable).parent / name}"' for name in ("ruff", "mypy", "lint-imports")}
    for name, command in (ours | beside).items():
        (programs / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        (programs / name).chmod(0o755)
    run(tree, "git init -q && git add -A && git -c user.name=n -c user.email=e@example.org commit -qm all")
    return tree


def run(tree: Path, line: str) -> str:
    """Type a line; what it printed. Fails when it does."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LENS_", "PYTEST_", "GIT_"))}
    outcome = subprocess.run(
        ["sh", "-ec", line],
        cwd=tree,
        env=kept | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "120"},
        capture_output=True,
        encoding="utf-8",
        timeout=900,
        check=False,
    )
    assert outcome.returncode == 0, f"{line}\n{outcome.stdout}\n{outcome.stderr}"
    return outcome.stdout


def apply(tree: Path, difference: Block) -> None:
    """Do what a block marked as a difference says."""
    (tree / ".difference").write_text("\n".join(difference.lines) + "\n", encoding="utf-8")
    run(tree, "git apply .difference && rm .difference")


def steps() -> Iterator[tuple[str, Block]]:
    """Every block of the page, each with the file that the words before it name as new."""
    text = text_of(PAGE)
    for block in blocks(PAGE):
        before = text.partition("\n".join(block.lines))[0]
        new = re.search(r"New,\s+`([^`]+)`:\n\n`{3,}python\n\Z", before)
        yield (new[1] if new else ""), block


def shows(printed: str, block: Block) -> bool:
    """Whether the lines of a console block were printed, one after the other."""
    return "\n".join(block.lines) in printed


def test_following_the_page_adds_a_format_and_a_signal_and_leaves_nothing(tree: Path) -> None:
    printed, done = "", []
    for new, block in steps():
        if block.language == "python":
            assert new, f"the page does not say which file this is: {block.lines[0]}"
            assert not (tree / new).exists()
            (tree / new).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        elif block.language == "diff":
            apply(tree, block)
        elif block.language == "console":
            assert shows(printed, block), printed
        else:
            assert block.language == "sh"
            printed = "".join(run(tree, line) for line in command_lines(block) if line not in SET_UP)
        done.append(block.language)
    assert {"python", "diff", "sh", "console"} == set(done)
    assert run(tree, "git status --porcelain") == "", "the page leaves something behind"


def test_without_the_change_nothing_of_what_the_page_shows_is_printed(tree: Path) -> None:
    shown = [block for _, block in steps() if block.language == "console"]
    asked = [
        line
        for _, block in steps()
        for line in command_lines(block)
        if line.startswith(("mkdir", "printf", ".venv/bin/lens "))
    ]
    assert len(asked) == 4
    printed = "".join(run(tree, line) for line in asked)
    run(tree, "rm -r tried")
    assert "Green tea wants water of 70 degrees." in printed
    assert [block.lines for block in shown if shows(printed, block)] == []


def test_each_step_of_the_page_is_needed(tree: Path) -> None:
    """The control: with the row of the formats page left out, the page's own check fails."""
    first = next(block for _, block in steps() if block.language == "diff")
    new, reader = next((new, block) for new, block in steps() if new)
    (tree / new).write_text("\n".join(reader.lines) + "\n", encoding="utf-8")
    apply(tree, first)
    with pytest.raises(AssertionError, match="test_the_page_has_every_reader_with_its_suffixes"):
        run(tree, ".venv/bin/python -m pytest -q tests/docs/test_formats_page.py")
    run(tree, "git checkout -q -- . && git clean -qfd")
