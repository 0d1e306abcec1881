"""The pages of the documentation as data: tables, fenced blocks, commands, links."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
PAGES = (
    REPOSITORY / "README.md",
    REPOSITORY / "CHANGELOG.md",
    REPOSITORY / "CONTRIBUTING.md",
    REPOSITORY / "SECURITY.md",
    *sorted(DOCS.rglob("*.md")),
)

_BLOCK = re.compile(r"^( *)(`{3,})([\w-]*)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
_CODE = re.compile(r"(`+)(?:(?!\1).)+\1", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Z_]+=.*")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language and its lines."""

    page: Path
    language: str
    lines: tuple[str, ...]


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(REPOSITORY).as_posix()


def blocks(page: Path) -> Iterator[Block]:
    for match in _BLOCK.finditer(text_of(page)):
        yield Block(page, match[3], tuple(match[4].splitlines()))


def command_lines(block: Block) -> Iterator[str]:
    """What a reader would type: every line of ``sh``, the lines with a prompt of ``console``."""
    for line in block.lines:
        if block.language == "sh" and line.strip():
            yield line
        elif block.language == "console" and line.startswith("$ "):
            yield line[2:]


def simple_commands(line: str) -> Iterator[list[str]]:
    """The commands of a line, apart at ``|``, ``&&`` and ``;``, without assignments before them."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if word and set(word) <= set("|&;<>"):
            while words and _ASSIGNMENT.fullmatch(words[0]):
                words.pop(0)
            if words:
                yield words
            words = []
        else:
            words.append(word)


def documented_commands() -> Iterator[tuple[Path, list[str]]]:
    """Every simple command in every page."""
    for page in PAGES:
        for block in blocks(page):
            for line in command_lines(block):
                for command in simple_commands(line):
                    yield page, command


def links(page: Path) -> list[str]:
    """The targets of all links, outside code."""
    prose = _CODE.sub("", _BLOCK.sub("", text_of(page)))
    return _LINK.findall(prose)


def anchors(page: Path) -> set[str]:
    """The fragment of each heading, as the usual hosts make it."""
    prose = _BLOCK.sub("", text_of(page))
    return {
        re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")
        for heading in _HEADING.findall(prose)
    }


def table_rows(page: Path, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    _, found, below = f"\n{text_of(page)}".partition(f"\n{heading}\n")
    assert found, f"{name_of(page)} has no heading {heading!r}"
    rows = []
    for line in below.splitlines():
        if line.startswith("|"):
            cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
            rows.append([cell.strip() for cell in cells])
        elif rows:
            break
    assert len(rows) > 2, f"{name_of(page)}: no table below {heading!r}"
    return rows[2:]
