"""The stores of the workspace folders: opened when they are first needed, and kept open."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from lens_lsp.app.history import Memory
    from lens_lsp.memory.store import Store


class Stores:
    """By the real path of the folder. Every method waits for the disk: call it off the event loop, from any thread.

    ``told`` is given, once each, what the user should know of a store.
    """

    def __init__(self, environment: Mapping[str, str], told: Callable[[str], object]) -> None:
        self._environment = environment
        self._told = told
        self._lock = threading.Lock()
        self._open: dict[str, Store] = {}

    def made(self, workspace: str) -> Store | None:
        """The store of a workspace, made where there is none; None where none can be had, which is told."""
        return self._opened(workspace, make=True)

    def existing(self, workspaces: Sequence[str]) -> list[tuple[str, Store]]:
        """The stores that there are, each with its workspace."""
        found = ((workspace, self._opened(workspace, make=False)) for workspace in dict.fromkeys(workspaces))
        return [(workspace, store) for workspace, store in found if store is not None]

    def memory(self, workspace: str) -> Memory | None:
        """What a workspace remembers; None where nothing can be kept."""
        from lens_lsp.app.history import Memory

        store = self.made(workspace)
        return None if store is None else Memory(store, workspace)

    def answers(self, workspaces: Sequence[str]) -> list[Path]:
        """The folders of the answer files of these workspaces, whether they are there or not."""
        from lens_lsp.memory.answer_files import ANSWERS
        from lens_lsp.memory.store_file import StoreUnavailable, store_folder

        try:
            return [store_folder(workspace, None, self._environment) / ANSWERS for workspace in workspaces]
        except StoreUnavailable:
            return []

    def _opened(self, workspace: str, *, make: bool) -> Store | None:
        from lens_lsp.memory.store import Store
        from lens_lsp.memory.store_file import StoreUnavailable, store_folder

        with self._lock:
            if workspace in self._open:
                return self._open[workspace]
            try:
                folder = store_folder(workspace, None, self._environment)
                store = Store.open(folder) if make else Store.existing(folder)
            except StoreUnavailable as why:
                self._told(str(why))
                return None
            if store is None:
                return None
            self._open[workspace] = store
            for notice in store.notices:
                self._told(notice)
            return store
