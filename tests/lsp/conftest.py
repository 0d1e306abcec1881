"""A server process of its own for a test, and one that tests share which leave it as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.lsp.lsp_client import LspProcess, Message, environment
from tests.lsp.lsp_editor import CAPABILITIES, Editor

LEASE = "The lease of the workshop ends on 30 June 2031."


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the lease is told once, behind characters of every width."""
    folder = tmp_path_factory.mktemp("notes")
    (folder / "contract.md").write_text(f"# Contract\n\n## Term\n\né漢😀 {LEASE}\n\n## Rent\n\nMonthly.\n")
    (folder / "garden.md").write_text("# Garden\n\nBeans and peas.\n")
    return folder


@pytest.fixture
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., LspProcess]]:
    """Start a server; it is gone after the test."""
    with ExitStack() as stack:
        home = tmp_path_factory.mktemp("home")

        def started(**options: Any) -> LspProcess:
            env = environment(home) | options.pop("env", {})
            return stack.enter_context(LspProcess(env, **options))

        yield started


@pytest.fixture(scope="module")
def resident(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Editor]]:
    """The editor that the tests of a module share, once one of them wants it."""
    with ExitStack() as stack:
        editors: list[Editor] = []
        yield editors
        for editor in editors:
            stack.enter_context(editor)
            if editor.process.poll() is None:
                assert editor.leave() == 0
                assert b"Traceback" not in editor.errors


@pytest.fixture
def edit(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, resident: list[Editor]
) -> Iterator[Callable[..., Editor]]:
    """Start an editor, in ``tmp_path`` unless other folders are named; its server is gone after the test.

    The first one of a test that wants nothing special is the module's, moved to the folders, unless it is to be
    ``fresh``: what a server knows of its session (warnings that were told, answers, a selection) is there still.
    """
    with ExitStack() as stack:
        home = tmp_path_factory.mktemp("home")
        taken = False

        def started(*folders: Path, settings: Message | None = None, fresh: bool = False, **options: Any) -> Editor:
            nonlocal taken
            if not (taken or fresh or options):
                taken = True
                if not resident:
                    resident.append(Editor(environment(tmp_path_factory.mktemp("home"))))
                    resident[0].settings = settings or {}
                    resident[0].begin(*(folders or (tmp_path,)), capabilities=CAPABILITIES)
                else:
                    resident[0].move(*(folders or (tmp_path,)), settings=settings or {})
                return resident[0]
            editor = stack.enter_context(Editor(environment(home) | options.pop("env", {})))
            editor.settings = settings or {}
            capabilities = options.pop("capabilities", CAPABILITIES)
            editor.begin(*(folders or (tmp_path,)), capabilities=capabilities, **options)
            return editor

        yield started


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, notes: Path) -> Iterator[LspProcess]:
    """A server in the notes, for tests that change nothing in it."""
    with LspProcess(environment(tmp_path_factory.mktemp("home"))) as server:
        server.begin(notes)
        yield server
        assert server.leave() == 0
        assert b"Traceback" not in server.errors
