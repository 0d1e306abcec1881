"""State of the server for its one client: folders, open documents, settings, stores and recent answers.

It is the only mutable state, and is used on the event loop alone. Whatever is handed to other threads is frozen first,
before anything is awaited.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability

from lens_lsp.corpus.corpus_rules import NOWHERE, AllowedFolders, inside
from lens_lsp.lsp.locations import Encoding, UriRefused, path_of
from lens_lsp.lsp.open_documents import OpenDocuments, TextDocument
from lens_lsp.lsp.workspace_pool import TurnQueue, WorkspacePool
from lens_lsp.model.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from lens_lsp.app.question_memory import Memory
    from lens_lsp.app.settings import Settings
    from lens_lsp.corpus.intake import Buffer
    from lens_lsp.memory.store import Store
    from lens_lsp.model.answer import Answer


logger = logging.getLogger(__name__)
RUNNING = 4
"""Questions that are worked on at a time."""
WAITING = 64
"""Questions that may wait for their turn."""
_REMEMBERED = 100
"""Answers of this session whose facts are known beyond what their files say."""
_MOST_WARNINGS = 1_000


@dataclass(frozen=True, slots=True)
class WorkspaceFolder:
    """A workspace folder. ``real`` is its path without links; open texts may be named by either."""

    uri: str
    path: str
    real: str


@dataclass(frozen=True, slots=True)
class EditorOptions:
    """Settings of the editor's own side. ``answers`` is a folder inside a workspace folder, None for the store's."""

    answers: str | None = None
    notes: bool = True
    """Whether citations inside notes get diagnostics; answer files always do."""


class ServerState:
    """From ``initialize`` to the end. ``environment`` is what the process was started with; ``warn`` tells the user a
    sentence."""

    def __init__(
        self,
        params: types.InitializeParams,
        encoding: Encoding,
        environment: Mapping[str, str],
        warn: Callable[[str], object],
    ) -> None:
        options = params.initialization_options
        self.capabilities = params.capabilities
        self.client = params.client_info
        self.options: Mapping[str, object] = options if isinstance(options, dict) else {}
        """The client's ``initializationOptions``."""
        self.environment = environment
        self.documents = OpenDocuments(encoding, self._warn_unsynced)
        self.folders: tuple[WorkspaceFolder, ...] = ()
        self.turns = TurnQueue(RUNNING, WAITING)
        self.pool = WorkspacePool()
        self.stores = Stores(environment, self.warn_once)
        self.editor_options = EditorOptions()
        self.configuring: asyncio.Task[None] | None = None
        """Set while the editor is asked for its settings: nothing is decided by settings before they are known."""
        self.typed: asyncio.Task[object] | None = None
        """Searches for what was typed last, or did."""
        self.typing = asyncio.Lock()
        self.accounts: deque[tuple[Answer, str | None]] = deque(maxlen=_REMEMBERED)
        """The answers of this session with their files, the last one first, for ``lens/ledger``. Their roots are
        absolute."""
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._warn = warn
        self._warned: set[str] = set()
        self._progress: dict[int | str, Callable[[], object]] = {}
        self._client: Mapping[str, object] | None = None
        self._settings: Settings | None = None
        self._sources = NOWHERE
        folders = params.workspace_folders
        if folders is None and params.root_uri is not None:
            folders = [types.WorkspaceFolder(params.root_uri, "")]
        self.change_folders(folders or (), ())

    @property
    def encoding(self) -> Encoding:
        """The unit that the client counts characters in."""
        return self.documents.encoding

    @property
    def offers_model(self) -> bool:
        """Whether the client answers ``lens/model``."""
        return self.options.get("model") is True

    @property
    def reads_texts(self) -> bool:
        """Whether the client shows the texts that ``lens/text`` gives, so that places in them mean something to it."""
        return self.options.get("texts") is True

    @property
    def hover_formats(self) -> tuple[str, ...]:
        """The kinds of text that the client shows in a hover, the one it likes best first."""
        text = self.capabilities.text_document
        formats = None if text is None or text.hover is None else text.hover.content_format
        return tuple(each.value for each in formats or ())

    @property
    def workspaces(self) -> tuple[str, ...]:
        """The real paths of the workspace folders."""
        return tuple(folder.real for folder in self.folders)

    def supports(self, capability: str) -> bool:
        """Whether the client has a capability, named by its path, such as ``window.show_message``."""
        return bool(get_capability(self.capabilities, capability, False))

    def change_folders(self, added: Iterable[types.WorkspaceFolder], removed: Iterable[types.WorkspaceFolder]) -> None:
        """Workspace folders came and went. What is no plain folder here is left out."""
        gone = {folder.uri for folder in removed}
        kept = {folder.uri: folder for folder in self.folders if folder.uri not in gone}
        for each in added:
            try:
                path = path_of(each.uri)
            except UriRefused as error:
                logger.warning("a workspace folder is left out: %s", error)
            else:
                kept[each.uri] = WorkspaceFolder(each.uri, path, os.path.realpath(path))
        self.folders = tuple(kept.values())
        self._settings = None

    def configure(self, client: Mapping[str, object] | None) -> None:
        """The editor's settings are these now."""
        self._client = client
        self._settings = None

    async def settings(self, *, fresh: bool = False) -> Settings:
        """What holds in the workspace folders; ``fresh`` looks at the files of settings again."""
        if self.configuring is not None:
            await asyncio.wait({self.configuring})
        if fresh:
            self._settings = None
        while self._settings is None:
            folders, client = self.folders, self._client
            found = await asyncio.to_thread(_load_settings, folders, self.environment, client)
            if folders is self.folders and client is self._client:
                self._settings, allowed = found
                # In a workspace that the client does not trust, nothing is read that an answer names.
                self._sources = NOWHERE if self.options.get("trusted") is False else allowed
        return self._settings

    async def sources(self) -> AllowedFolders:
        """Where sources may lie that an answer names: in the folders of the workspace and of the user's settings."""
        await self.settings()
        return self._sources

    def buffers(self) -> dict[str, Buffer]:
        """The open texts that can be trusted, by the path under which a search of the folders finds them."""
        from lens_lsp.corpus.intake import Buffer

        frozen = {}
        for document in self.documents:
            path = self.place(document)
            if document.synced and path is not None:
                frozen[path] = Buffer(path, document.text, document.version, document.history)
        return frozen

    def unsynced(self) -> tuple[str, ...]:
        """The URIs of open texts that cannot be trusted."""
        return tuple(document.uri for document in self.documents if not document.synced)

    def allowed(self, uri: str) -> str:
        """The path of a URI in a workspace folder or of an open text. Raises `UriRefused`."""
        found = self._found_as(path_of(uri))
        if any(inside(found, folder.path) for folder in self.folders) or self.documents.get(uri) is not None:
            return found
        raise UriRefused("a path outside the workspace folders")

    def place(self, document: TextDocument) -> str | None:
        """The path under which a search finds an open text; None for what was never saved."""
        return None if document.path is None else self._found_as(document.path)

    def remember(self, path: str, answer: Answer) -> None:
        """An answer was written to a file."""
        self._answers[path] = answer
        self._answers.move_to_end(path)
        while len(self._answers) > _REMEMBERED:
            self._answers.popitem(last=False)

    def answer(self, path: str | None) -> Answer | None:
        """The answer that this session wrote to a file."""
        return None if path is None else self._answers.get(path)

    def forget_answers(self) -> None:
        """Know nothing of earlier answers any more."""
        self._answers.clear()
        self.accounts.clear()

    def warn_once(self, sentence: str) -> None:
        """Tell the user something that is told once. From any thread."""
        if sentence not in self._warned and len(self._warned) < _MOST_WARNINGS:
            self._warned.add(sentence)
            self._warn(sentence)

    def on_progress_cancel(self, token: int | str, cancel: Callable[[], object] | None) -> None:
        """What the client's cancel button for a token does; None for nothing any more."""
        if cancel is None:
            self._progress.pop(token, None)
        else:
            self._progress[token] = cancel

    def cancel_progress(self, token: int | str) -> None:
        """The client's cancel button."""
        cancel = self._progress.get(token)
        if cancel is not None:
            cancel()

    def cancel_all(self) -> int:
        """All cancel buttons at once; how many there were."""
        tokens = list(self._progress)
        for token in tokens:
            self.cancel_progress(token)
        return len(tokens)

    def _found_as(self, path: str) -> str:
        """The path as a search names it: below a workspace folder as that is named, wherever links lead."""
        if any(inside(path, folder.path) for folder in self.folders):
            return path
        real = os.path.realpath(path)
        for folder in self.folders:
            if inside(real, folder.real):
                return os.path.normpath(os.path.join(folder.path, os.path.relpath(real, folder.real)))
        return path

    def _warn_unsynced(self, document: TextDocument, why: str) -> None:
        name = document.uri.rpartition("/")[2]
        self._warn(
            f"{name} may differ from what the editor shows ({why}): the file on disk is used until you close and"
            " reopen it"
        )


class Stores:
    """The stores of the workspace folders, by the folder's real path: opened when first needed, and kept open.

    Every method waits for the disk: call it off the event loop, from any thread. ``warn`` is given, once each, what the
    user should know of a store.
    """

    def __init__(self, environment: Mapping[str, str], warn: Callable[[str], object]) -> None:
        self._environment = environment
        self._warn = warn
        self._lock = threading.Lock()
        self._open: dict[str, Store] = {}

    def made(self, workspace: str) -> Store | None:
        """The store of a workspace, made where there is none; None where none can be had, which is told."""
        return self._opened(workspace, make=True)

    def existing(self, workspaces: Sequence[str]) -> list[tuple[str, Store]]:
        """The stores that there are, each with its workspace."""
        found = ((workspace, self._opened(workspace, make=False)) for workspace in dict.fromkeys(workspaces))
        return [(workspace, store) for workspace, store in found if store is not None]

    def memory(self, workspace: str, *, keeps: bool = True) -> Memory | None:
        """What a workspace remembers; None where nothing can be kept, or nothing is and ``keeps`` is false: then it is
        only read."""
        from lens_lsp.app.question_memory import Memory

        store = self._opened(workspace, make=keeps)
        return None if store is None else Memory(store, workspace, keeps=keeps)

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
                self._warn(str(why))
                return None
            if store is None:
                return None
            self._open[workspace] = store
            for notice in store.notices:
                self._warn(notice)
            return store


def _load_settings(
    folders: tuple[WorkspaceFolder, ...], environment: Mapping[str, str], client: Mapping[str, object] | None
) -> tuple[Settings, AllowedFolders]:
    from lens_lsp.app.configuration import load_settings

    there = [folder.real for folder in folders if os.path.exists(folder.real)]
    settings = load_settings(there, environment, client=client)
    return settings, AllowedFolders.below([*(folder.path for folder in folders), *settings.extra_roots])
