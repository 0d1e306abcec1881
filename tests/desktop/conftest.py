"""Folders with a contract in them, a desktop of its own for a test, and one for tests that leave it as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.desktop.desktop_process import Desktop
from tests.documents_made import pdf
from tests.lsp.lsp_client import environment

LEASE = "The lease of the workshop ends on 30 June 2031."
PROOF = "The bell was cast in Ghent in 1698."
OUTSIDE = "The secret of the outside."


def filled(folder: Path) -> Path:
    """A folder to search, and beside it what must never be read."""
    (folder / "notes").mkdir()
    (folder / "notes" / "contract.md").write_text(f"# Contract\n\né漢😀 {LEASE}\n")
    (folder / "notes" / "bell.pdf").write_bytes(pdf(["Nothing here."], ["A chronicle.", PROOF]))
    (folder / "notes" / ".env").write_text(f"KEY={OUTSIDE}\n")
    (folder / "outside.md").write_text(OUTSIDE)
    (folder / "outside.pdf").write_bytes(pdf([OUTSIDE]))
    (folder / "notes" / "link.md").symlink_to(folder / "outside.md")
    (folder / "notes" / "link.pdf").symlink_to(folder / "outside.pdf")
    (folder / "notes" / "up").symlink_to(folder)
    return folder / "notes"


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return filled(tmp_path)


@pytest.fixture
def start(home: Path) -> Iterator[Callable[..., Desktop]]:
    """Start a desktop; it is gone after the test."""
    with ExitStack() as stack:

        def started(*arguments: object, **env: str) -> Desktop:
            return stack.enter_context(Desktop(environment(home) | env, *map(str, arguments)))

        yield started


@pytest.fixture(scope="module")
def shared_notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, shared_notes: Path) -> Iterator[Desktop]:
    """A desktop in the notes, entered, for tests that change nothing in it."""
    with Desktop(environment(tmp_path_factory.mktemp("home")), str(shared_notes)) as desktop:
        yield desktop.enter()
        assert desktop.interrupt() == 0
