"""What the pages tell a reader to type works, what they show is real, and their links lead somewhere."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from documentation import (
    DOCS,
    PAGES,
    REPOSITORY,
    Block,
    anchors,
    blocks,
    command_lines,
    documented_commands,
    links,
    name_of,
    simple_commands,
)

from evaluation import command as evaluation
from lens_lsp.cli import ask, clusters, consent, doctor, find
from lens_lsp.cli.arguments import Parser, desktop_parser, top_level_parser
from lens_lsp.model.errors import UsageError

README = REPOSITORY / "README.md"
FIRST = 'python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/lens ask "{}" docs'
SECOND = "python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/python -m pytest"
COMMANDS = [(name_of(page), words) for page, words in documented_commands()]
LENS = [(page, words[1:]) for page, words in COMMANDS if words[0].rpartition("/")[2] in ("lens", "lens-lsp")]
PYTHON = [(page, words[1:]) for page, words in COMMANDS if re.fullmatch(r"(?:.*/)?python3?", words[0])]


PARSED: dict[str, Callable[[list[str]], object]] = {
    **{module.__name__.rpartition(".")[2]: module.parse for module in (ask, clusters, consent, doctor, find)},
    "check": clusters.parse_check,
    "desktop": lambda rest: desktop_parser().parse_args(rest),
}


def parse(arguments: list[str]) -> None:
    """Parse as the command line does; raises UsageError."""
    name, rest = arguments[0], arguments[1:]
    if name in PARSED:
        PARSED[name](rest)
    elif name == "eval":
        parser = Parser(prog="lens")
        evaluation.add_parser(parser.add_subparsers(required=True))
        parser.parse_args(arguments)
    else:
        top_level_parser().parse_args(arguments)


def lens(*arguments: str, cwd: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
    """Run the command where a reader would."""
    kept = {
        name: os.environ[name] for name in ("PATH", "LANG", "HOME", "SYSTEMROOT", "LENS_READER") if name in os.environ
    }
    return subprocess.run(
        [sys.executable, "-m", "lens_lsp", *arguments],
        cwd=cwd,
        env=kept | {"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(("page", "arguments"), LENS, ids=[f"{page}:{' '.join(words)}" for page, words in LENS])
def test_a_documented_command_is_one_the_program_takes(page: str, arguments: list[str]) -> None:
    parse(arguments)


def test_every_command_is_documented_and_a_wrong_one_would_be_noticed() -> None:
    known = {"ask", "find", "check", "clusters", "consent", "desktop", "doctor", "eval"}
    assert {words[0] for _, words in LENS} == known
    evaluating = {words[1] for _, words in LENS if words[0] == "eval"}
    assert evaluating == {"prepare", "run", "report", "failures", "judge", "audit", "gate", "docsqa"}
    for wrong in (
        ["ask", "--no-such", "x"],
        ["find", "--no-such", "x"],
        ["check", "--format", "xml"],
        ["consent", "revoke"],
        ["doctor", "--probe-all"],
        ["eval", "gate"],
        ["--no-such"],
    ):
        with pytest.raises(UsageError):
            parse(wrong)


@pytest.mark.parametrize(("page", "arguments"), PYTHON, ids=[f"{page}:{' '.join(words)}" for page, words in PYTHON])
def test_a_documented_module_or_script_exists(page: str, arguments: list[str]) -> None:
    if arguments[0] == "-m":
        assert importlib.util.find_spec(arguments[1]) is not None
    elif arguments[0] != "-c":
        assert (REPOSITORY / arguments[0]).is_file()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if re.match(r"https?://", link):
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link}: no such file"
        assert target.is_relative_to(REPOSITORY), f"{link} leads out of the repository"
        assert not fragment or fragment in anchors(target), f"{link}: no such heading"


def test_every_page_is_reached_from_the_index() -> None:
    reached = {(DOCS / link.partition("#")[0]).resolve() for link in links(DOCS / "index.md")}
    pages = {page for page in PAGES if page.is_relative_to(DOCS)} - {DOCS / "index.md"}
    assert {page for page in reached if page.is_relative_to(DOCS)} == pages


def question() -> str:
    """What the first command of the README asks."""
    (asked,) = re.findall(r'bin/lens ask "([^"]+)" docs$', README.read_text(encoding="utf-8"), re.MULTILINE)
    return str(asked)


def test_the_readme_has_two_commands_each_a_block_of_its_own() -> None:
    starts = [block.lines for block in blocks(README) if any("python3 -m venv" in line for line in block.lines)]
    assert starts == [(FIRST.format(question()),), (SECOND,)]


def test_the_question_of_the_readme_is_answered_from_docs() -> None:
    outcome = lens("ask", question(), "docs", "--json")
    assert outcome.returncode == 0, outcome.stderr
    answer = json.loads(outcome.stdout)
    assert answer["status"] == "answered"
    best = answer["evidence"][0]
    text = (DOCS / best["path"]).read_bytes().decode("utf-8")
    assert text[slice(*best["span"])] == best["quote"]
    assert "A file above 8 MiB is cut into pieces" in best["quote"]


def shown(block: Block) -> Iterator[tuple[list[str], list[str]]]:
    """The commands of a console block whose output is shown, with that output."""
    command: list[str] = []
    output: list[str] = []
    for line in (*block.lines, "$ end"):
        if line.startswith("$ "):
            if command and output:
                yield command, output
            command, output = next(simple_commands(line[2:])), []
        else:
            output.append(line)


def without_places(line: str) -> str:
    """A line without line and column: an edit further up must not make the page wrong."""
    return re.sub(r":\d+:\d+", ":L:C", line).rstrip()


NOTES = {
    "house/contract.md": (
        "# Contract\n\n## Term\n\nThe lease of the workshop ends on 30 June 2031.\n\n## Rent\n\nMonthly.\n"
    ),
    "garden.md": "# Garden\n\nTomatoes need sun, water and patience.\n",
}
"""The notes that the examples search."""
SHOWN = [
    (f"{name_of(page)}: {' '.join(command)}", command, output)
    for page in PAGES
    for block in blocks(page)
    if block.language == "console"
    for command, output in shown(block)
]
(ANSWER,) = [
    list(block.lines) for block in blocks(README) if block.language == "console" and not list(command_lines(block))
]
SHOWN.append(("README.md: the first command", ["lens", "ask", question(), "docs"], ANSWER))


@pytest.mark.parametrize(("command", "output"), [case[1:] for case in SHOWN], ids=[case[0] for case in SHOWN])
def test_shown_output_is_what_the_command_prints(command: list[str], output: list[str], tmp_path: Path) -> None:
    (tmp_path / "notes" / "house").mkdir(parents=True)
    for name, text in NOTES.items():
        (tmp_path / "notes" / name).write_text(text, encoding="utf-8")
    outcome = lens(*command[1:], cwd=tmp_path if "notes" in command else REPOSITORY)
    printed = iter([without_places(line) for line in (outcome.stdout + outcome.stderr).splitlines()])
    for line in output:
        # Lines may be left out at "…", none may be added or change places.
        assert line.strip() == "…" or without_places(line) in printed, f"not printed here: {line!r}"
