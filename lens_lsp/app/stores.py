"""The store of a workspace: opened when there is one to use, or when it may be made.

``notify`` is told, a sentence at a time, what the user should know of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lens_lsp.app.configuration import HERE, workspaces_of

if TYPE_CHECKING:
    from pathlib import Path

    from lens_lsp.app.history import Memory
    from lens_lsp.memory.store import Store

Notify = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """Which store was asked for: another folder than the workspace's own, or none."""

    folder: str | None = None
    off: bool = False

    def place(self, workspace: str) -> Path:
        """The folder of the store. Raises `StoreUnavailable`."""
        from lens_lsp.memory.store_file import store_folder

        return store_folder(workspace, self.folder, os.environ)


def workspace_for(paths: Sequence[str]) -> str:
    """The workspace whose store counts: that of the first path that exists."""
    return workspaces_of(tuple(paths) or (HERE,))[0]


@contextmanager
def opened_memory(paths: Sequence[str], choice: StoreChoice, notify: Notify) -> Iterator[Memory | None]:
    """The workspace's memory, made where there is none; None when it is off or cannot be had, which is told once."""
    if choice.off:
        yield None
        return
    from lens_lsp.app.history import Memory
    from lens_lsp.memory.store import Store
    from lens_lsp.memory.store_file import StoreUnavailable

    workspace = workspace_for(paths)
    try:
        store = Store.open(choice.place(workspace))
    except StoreUnavailable as why:
        notify(str(why))
        yield None
        return
    with _told(store, notify):
        yield Memory(store, workspace)


@contextmanager
def existing_store(paths: Sequence[str], choice: StoreChoice, notify: Notify) -> Iterator[Store | None]:
    """The workspace's store if it has one; nothing is made. Raises `StoreUnavailable` for one that cannot be read."""
    from lens_lsp.memory.store import Store
    from lens_lsp.memory.store_file import StoreUnavailable

    store = None
    if not choice.off:
        try:
            folder = choice.place(workspace_for(paths))
        except StoreUnavailable:  # without a home there is no store
            yield None
            return
        store = Store.existing(folder)
    if store is None:
        yield None
        return
    with _told(store, notify):
        yield store


@contextmanager
def unchanged_memory(paths: Sequence[str], choice: StoreChoice, notify: Notify) -> Iterator[Memory | None]:
    """The workspace's memory if it has one, to be read and not added to."""
    from lens_lsp.app.history import Memory

    with existing_store(paths, choice, notify) as store:
        yield None if store is None else Memory(store, workspace_for(paths), keeps=False)


@contextmanager
def _told(store: Store, notify: Notify) -> Iterator[None]:
    """Close the store at the end; what it has to say is told at once, and what it finds while in use then."""
    with store:
        at_first = store.notices
        for notice in at_first:
            notify(notice)
        yield
        for notice in store.notices[len(at_first) :]:
            notify(notice)
