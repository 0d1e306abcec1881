"""A question as a program asks it that keeps nothing of its own: bad input, settings, and what it does meanwhile."""

from __future__ import annotations

import asyncio
import inspect
import os
from contextlib import aclosing
from pathlib import Path

import pytest

from lens_lsp.app import Request, ask, find
from lens_lsp.app.settings import CommandLine
from lens_lsp.app.workspace_store import StoreChoice
from lens_lsp.disk import lock_file, take_lock
from lens_lsp.memory.store_file import StoreFiles
from lens_lsp.model.answer import Answered, Event, answer_of
from lens_lsp.model.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A note, under the settings of nobody."""
    for name in ("LENS_BASE_URL", "LENS_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "lease.md").write_text("The lease of the workshop ends on 30 June 2031.\n")
    return tmp_path / "notes"


@pytest.mark.parametrize("model", [False, True], ids=["without a model", "with a model"])
def test_a_mode_that_there_is_none_of_is_refused_with_those_there_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch, model: bool
) -> None:
    if model:
        monkeypatch.setenv("LENS_BASE_URL", "http://127.0.0.1:9/v1")
        monkeypatch.setenv("LENS_MODEL", "any")
    for request in (
        Request("When does it end?", (str(folder),), mode="nonsense"),
        Request("When does it end?", (str(folder),), options=CommandLine(mode="nonsense")),
    ):
        with pytest.raises(UsageError, match="no mode 'nonsense'; choose from auto, evidence, fast, deep"):
            asyncio.run(answer_of(ask(request)))


def test_settings_and_store_are_those_of_the_process_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second set of variables would hold for the settings, and not for the store, the consents and the usage."""
    (folder.parent / "lens.toml").write_text('exclude = ["lease.md"]\n')
    request = Request("When does the lease end?", (str(folder),))
    assert [each.path for each in find(request).evidence] == ["lease.md"]
    monkeypatch.setenv("LENS_CONFIG", str(folder.parent / "lens.toml"))
    assert find(request).evidence == ()
    for function in (ask, find):
        assert "environment" not in inspect.signature(function).parameters


def test_the_loop_of_the_caller_goes_on_while_a_store_is_waited_for(folder: Path) -> None:
    """Who holds the store gives it back on the loop that the question is asked on."""
    told: list[str] = []
    events, _ = asyncio.run(_asked_while_the_store_is_held(folder, told))
    assert told == []
    assert isinstance(events[-2], Answered)
    assert "2031" in str(events[-2].answer.evidence[0].quote)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files cannot be looked at here")
def test_a_question_that_is_cancelled_while_it_waits_for_its_store_leaves_nothing_open(folder: Path) -> None:
    events, still_open = asyncio.run(_asked_while_the_store_is_held(folder, [], cancel=True))
    assert (events, still_open) == ([], [])


async def _asked_while_the_store_is_held(
    folder: Path, told: list[str], *, cancel: bool = False
) -> tuple[list[Event], list[str]]:
    """The events, and the files of the store that are open after them."""
    store = folder.parent / "store"
    request, choice = Request("When does the lease end?", (str(folder),)), StoreChoice(str(store))
    store.mkdir(0o700)
    events: list[Event] = []

    async def listen() -> None:
        async with aclosing(ask(request, store=choice, notify=told.append)) as heard:
            events.extend([event async for event in heard])

    with open(lock_file(StoreFiles(store).lock)) as held:
        take_lock(held.fileno(), 0.0)
        listening = asyncio.ensure_future(listen())
        await asyncio.sleep(0)
        if cancel:
            listening.cancel()
            await asyncio.sleep(0)
    await asyncio.wait([listening])
    assert listening.cancelled() is cancel
    descriptors = Path("/proc/self/fd")
    named = [os.path.realpath(each) for each in descriptors.iterdir()] if descriptors.exists() else []
    return events, [name for name in named if name.startswith(str(store.resolve()))]
