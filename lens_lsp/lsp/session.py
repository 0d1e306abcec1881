"""What one client has told us, and what runs for it: the only mutable state of the server, on the event loop only.

Whatever is handed to work is frozen first, before anything is awaited.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.corpus.corpus_rules import NOWHERE, AllowedFolders, inside
from lens_lsp.lsp.convert import Encoding
from lens_lsp.lsp.documents import Documents, TextDocument
from lens_lsp.lsp.turns import Turns
from lens_lsp.lsp.uris import UriRefused, path_of

if TYPE_CHECKING:
    from lens_lsp.app.settings.settings import Settings
    from lens_lsp.corpus.intake import Buffer
    from lens_lsp.lsp.lenses import Lenses

logger = logging.getLogger(__name__)

RUNNING = 4
"""Questions that are worked on at a time."""
WAITING = 64
"""Questions that may wait for their turn."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A workspace folder. ``real`` is its path without links; open texts may be named by either."""

    uri: str
    path: str
    real: str


class Session:
    """From ``initialize`` to the end. ``environment`` is what the process was started with."""

    def __init__(
        self,
        capabilities: types.ClientCapabilities,
        documents: Documents,
        environment: Mapping[str, str],
        options: Mapping[str, object],
    ) -> None:
        self.capabilities = capabilities
        self.documents = documents
        self.environment = environment
        self.options = options
        """The client's ``initializationOptions``."""
        self.folders: tuple[Folder, ...] = ()
        self.turns = Turns(RUNNING, WAITING)
        self._progress: dict[int | str, Callable[[], object]] = {}
        self.configuring: asyncio.Task[None] | None = None
        """Set while the editor is asked for its settings: nothing is decided by settings before they are known."""
        self._client: Mapping[str, object] | None = None
        self._settings: Settings | None = None
        self._sources = NOWHERE
        self._lenses: Lenses | None = None

    @classmethod
    def begin(
        cls,
        params: types.InitializeParams,
        encoding: Encoding,
        environment: Mapping[str, str],
        unsynced: Callable[[TextDocument, str], None],
    ) -> Session:
        """The session that ``initialize`` asks for; ``unsynced`` is told of documents that can be trusted no longer."""
        options = params.initialization_options
        session = cls(
            params.capabilities,
            Documents(encoding, unsynced),
            environment,
            options if isinstance(options, dict) else {},
        )
        folders = params.workspace_folders
        if folders is None and params.root_uri is not None:
            folders = [types.WorkspaceFolder(params.root_uri, "")]
        session.move(folders or (), ())
        return session

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
    def trusted(self) -> bool:
        """Whether the client takes the workspace for trusted: else nothing is read that an answer names."""
        return self.options.get("trusted") is not False

    async def sources(self) -> AllowedFolders:
        """Where sources may lie that an answer names: in the folders of the workspace and of the user's settings."""
        await self.settings()
        return self._sources

    def move(self, added: Iterable[types.WorkspaceFolder], removed: Iterable[types.WorkspaceFolder]) -> None:
        """Workspace folders came and went. What is no plain folder here is left out."""
        gone = {folder.uri for folder in removed}
        kept = {folder.uri: folder for folder in self.folders if folder.uri not in gone}
        for each in added:
            folder = _folder(each.uri)
            if folder is not None:
                kept[each.uri] = folder
        self.folders = tuple(kept.values())
        self._settings = None

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
        path = path_of(uri)
        found = self._found_as(path)
        if any(inside(found, folder.path) for folder in self.folders) or self.documents.get(uri) is not None:
            return found
        raise UriRefused("a path outside the workspace folders")

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
            found = await asyncio.get_running_loop().run_in_executor(
                None, _settings_of, folders, self.environment, client
            )
            if folders is self.folders and client is self._client:
                self._settings, allowed = found
                self._sources = allowed if self.trusted else NOWHERE
        return self._settings

    def workspaces(self) -> tuple[str, ...]:
        """The real paths of the workspace folders."""
        return tuple(folder.real for folder in self.folders)

    def place(self, document: TextDocument) -> str | None:
        """The path under which a search finds an open text; None for what was never saved."""
        return None if document.path is None else self._found_as(document.path)

    def hover_formats(self) -> tuple[str, ...]:
        """The kinds of text that the client shows in a hover, the one it likes best first."""
        text = self.capabilities.text_document
        formats = None if text is None or text.hover is None else text.hover.content_format
        return tuple(each.value for each in formats or ())

    @property
    def lenses(self) -> Lenses:
        """What questions are asked of."""
        from lens_lsp.lsp.lenses import Lenses

        if self._lenses is None:
            self._lenses = Lenses()
        return self._lenses

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

    def _found_as(self, path: str) -> str:
        """The path as a search names it: below a workspace folder as that is named, wherever links lead."""
        if any(inside(path, folder.path) for folder in self.folders):
            return path
        real = os.path.realpath(path)
        for folder in self.folders:
            if inside(real, folder.real):
                return os.path.normpath(os.path.join(folder.path, os.path.relpath(real, folder.real)))
        return path


def _folder(uri: str) -> Folder | None:
    try:
        path = path_of(uri)
    except UriRefused as error:
        logger.warning("a workspace folder is left out: %s", error)
        return None
    return Folder(uri, path, os.path.realpath(path))


def _settings_of(
    folders: tuple[Folder, ...], environment: Mapping[str, str], client: Mapping[str, object] | None
) -> tuple[Settings, AllowedFolders]:
    from lens_lsp.app.configuration import load_settings

    there = [folder.real for folder in folders if os.path.exists(folder.real)]
    settings = load_settings(there, environment, client=client)
    return settings, AllowedFolders.below([*(folder.path for folder in folders), *settings.extra_roots])
