"""What the client tells us: that it is there, what it has open, where it works.

Handlers are plain functions and return at once. pygls remembers a task of every other kind for ever
(``test_a_notification_is_forgotten``).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from lens_lsp.lsp.convert import encoding_of
from lens_lsp.lsp.documents import TextDocument
from lens_lsp.lsp.session import Session

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer

logger = logging.getLogger(__name__)


def begin(ls: LensServer, params: types.InitializeParams) -> None:
    """The client says who it is; pygls answers with our capabilities."""
    encoding = encoding_of(str(ls.protocol.workspace.position_encoding))
    ls.begin(Session.begin(params, encoding, ls.environment, partial(_unsynced, ls)))
    if ls.watchdog is not None and not ls.watchdog.follow(params.process_id) and params.process_id:
        logger.warning("the client's process cannot be seen from here; the parent is watched instead")


def ready(ls: LensServer, _params: object) -> None:
    """Nobody waits for us now: import what the first request would wait for."""
    asyncio.get_running_loop().run_in_executor(None, ls.load)
    ls.desk.configuration.begin()


def opened(ls: LensServer, params: types.DidOpenTextDocumentParams) -> None:
    """A text is shown."""
    ls.session.documents.opened(params.text_document)
    ls.desk.checks.changed(params.text_document.uri)


def changed(ls: LensServer, params: types.DidChangeTextDocumentParams) -> None:
    """A text is another now."""
    document = params.text_document
    ls.session.documents.changed(document.uri, document.version, params.content_changes)
    ls.desk.checks.changed(document.uri)


def closed(ls: LensServer, params: types.DidCloseTextDocumentParams) -> None:
    """A text is shown no longer."""
    uri = params.text_document.uri
    document = ls.session.documents.get(uri)
    ls.session.documents.closed(uri)
    ls.desk.checks.closed(uri, None if document is None else document.path)


def moved(ls: LensServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Workspace folders came and went."""
    ls.session.move(params.event.added, params.event.removed)
    ls.desk.configuration.pull()
    ls.desk.watching.moved()


def configured(ls: LensServer, params: types.DidChangeConfigurationParams) -> None:
    """The editor's settings are others now."""
    ls.desk.configuration.changed(params.settings)


def watched(ls: LensServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Files changed on disk, by the editor's watcher."""
    ls.desk.watching.told(params.changes)


def cancelled(ls: LensServer, params: types.WorkDoneProgressCancelParams) -> None:
    """The cancel button of a progress."""
    ls.session.cancel_progress(params.token)


def traced(ls: LensServer, _params: types.SetTraceParams) -> None:
    """We log no messages at any level, so there is nothing to do."""


NOTIFICATIONS: dict[str, Callable[[Any, Any], None]] = {
    types.INITIALIZE: begin,
    types.INITIALIZED: ready,
    types.TEXT_DOCUMENT_DID_OPEN: opened,
    types.TEXT_DOCUMENT_DID_CHANGE: changed,
    types.TEXT_DOCUMENT_DID_CLOSE: closed,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: configured,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: watched,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: moved,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: cancelled,
    types.SET_TRACE: traced,
}
"""By method, with ``initialize``, which pygls hands on before it answers."""


def _unsynced(ls: LensServer, document: TextDocument, why: str) -> None:
    name = document.uri.rpartition("/")[2]
    ls.warn(
        f"{name} may differ from what the editor shows ({why}): the file on disk is used until you close and reopen it"
    )
