"""The locks: everything with hashes, and versions that answer what the project declares today."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import REPOSITORY

LOCKS = REPOSITORY / "release" / "locks"
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
EXTENSION = REPOSITORY / "vscode-extension" / "requirements.txt"
FILES = [*sorted(LOCKS.glob("*.txt")), EXTENSION]


def locked(text: str) -> Iterator[tuple[Requirement, list[str]]]:
    """Each requirement of a lock with its hashes."""
    for entry in re.split(r"^(?=[^\s#])", text.replace("\\\n", ""), flags=re.MULTILINE):
        if entry.strip() and not entry.startswith("#"):
            hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})\b", entry)
            yield Requirement(entry.partition("--hash")[0].strip()), hashes


def declared(extras: list[str]) -> Iterator[Requirement]:
    """What the project asks for, with what the extras ask for, and those that they name in turn."""
    for line in [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]:
        requirement = Requirement(line)
        if requirement.name == PROJECT["name"]:
            yield from declared(sorted(requirement.extras))
        else:
            yield requirement


def unanswered(text: str, requirements: Iterator[Requirement]) -> list[str]:
    """The requirements for which a lock has no version that they allow."""
    versions: dict[str, list[str]] = {}
    for requirement, _ in locked(text):
        (pinned,) = requirement.specifier
        versions.setdefault(canonicalize_name(requirement.name), []).append(pinned.version)
    return [
        str(requirement)
        for requirement in requirements
        if not any(requirement.specifier.contains(v) for v in versions.get(canonicalize_name(requirement.name), []))
    ]


def test_there_is_a_lock_for_the_runtime_each_extra_and_the_build() -> None:
    assert {path.stem for path in LOCKS.glob("*.txt")} == {"runtime", "build", *EXTRAS}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_everything_that_is_locked_has_hashes(path: Path) -> None:
    entries = list(locked(path.read_text(encoding="utf-8")))
    assert entries
    for requirement, hashes in entries:
        assert [each.operator for each in requirement.specifier] == ["=="], requirement
        assert hashes, requirement


@pytest.mark.parametrize("name", ["runtime", *EXTRAS])
def test_every_lock_answers_what_the_project_declares(name: str) -> None:
    text = (LOCKS / f"{name}.txt").read_text(encoding="utf-8")
    assert unanswered(text, declared([] if name == "runtime" else [name])) == []


def test_what_the_extension_installs_answers_what_the_project_declares() -> None:
    assert unanswered(EXTENSION.read_text(encoding="utf-8"), declared(["documents", "mcp"])) == []


def test_a_lock_that_is_behind_would_be_noticed() -> None:
    text = "pygls==2.0.0 --hash=sha256:" + "0" * 64
    assert unanswered(text, iter([Requirement("pygls>=2.1")])) == ["pygls>=2.1"]
    assert unanswered(text, iter([Requirement("pygls>=2"), Requirement("rich")])) == ["rich"]


def test_no_lock_names_an_index() -> None:
    assert [path.name for path in FILES if re.search(r"https?://|index-url|file:", path.read_text())] == []
