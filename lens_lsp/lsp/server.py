"""Language server of one client: its requests, commands and notifications, and the process that it runs in.

Handlers are imported when they are first needed, so that ``initialize`` is answered before numpy and pydantic are.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from lens_lsp.lsp.configuration import Configuration
from lens_lsp.lsp.diagnostic_schedule import DiagnosticSchedule, Report
from lens_lsp.lsp.editor_window import ConsentPrompt
from lens_lsp.lsp.locations import encoding_of
from lens_lsp.lsp.protocol import ENDED, EditorConnection
from lens_lsp.lsp.request_handler import RequestDispatcher, RequestHandler, incident, internal
from lens_lsp.lsp.server_state import RUNNING, ServerState
from lens_lsp.lsp.transport import Inbox, Outbox
from lens_lsp.model.lazy_dataclass import dataclass

logger = logging.getLogger(__name__)
LOST = 1
"""How the process ends when nothing can be written to the client any more."""
GRACE = 2.0
"""Seconds between the notice that the client is gone and the hard end."""
_POLL = 0.5
_FLUSH_SECONDS = 1.0
_SWITCH_SECONDS = 0.001
"""How long a thread may keep the interpreter while the event loop waits for it: a fifth of the default."""
_THREADS = 4 * RUNNING
_INTERRUPTED = 130
Loader = Callable[[], RequestHandler[Any]]
OPTIONS: Mapping[str, object] = {
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite]
    ),
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=[":"]),
    types.WORKSPACE_WILL_RENAME_FILES: types.FileOperationRegistrationOptions(
        [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
    ),
}
"""What is said of a feature beyond that it is there."""


def _in(module: str, name: str) -> Loader:
    """A handler in a module of this package, which is imported when it is needed."""
    return lambda: cast("RequestHandler[Any]", getattr(importlib.import_module(f"lens_lsp.lsp.{module}"), name))


REQUESTS: Mapping[str, Loader] = {
    "lens/answer": _in("lens_answer", "ANSWER"),
    "lens/ask": _in("lens_ask", "ASK"),
    "lens/check": _in("lens_check", "CHECK"),
    "lens/clusters": _in("lens_clusters", "CLUSTERS"),
    "lens/find": _in("lens_ask", "FIND"),
    "lens/forget": _in("lens_clusters", "FORGET"),
    "lens/ledger": _in("lens_clusters", "LEDGER"),
    "lens/passage": _in("lens_text", "PASSAGE"),
    "lens/recheck": _in("lens_check", "RECHECK"),
    "lens/status": _in("lens_status", "STATUS"),
    "lens/text": _in("lens_text", "TEXT"),
    "lens/threads": _in("lens_clusters", "THREADS"),
    "lens/wrong": _in("lens_clusters", "WRONG"),
    types.DOCUMENT_LINK_RESOLVE: _in("navigation", "LINK_RESOLVE"),
    types.TEXT_DOCUMENT_CODE_ACTION: _in("code_action", "CODE_ACTION"),
    types.TEXT_DOCUMENT_CODE_LENS: _in("code_action", "CODE_LENS"),
    types.TEXT_DOCUMENT_COMPLETION: _in("live_passages", "COMPLETION"),
    types.TEXT_DOCUMENT_DEFINITION: _in("navigation", "DEFINITION"),
    types.TEXT_DOCUMENT_DOCUMENT_LINK: _in("navigation", "LINK"),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: _in("navigation", "DOCUMENT_SYMBOL"),
    types.TEXT_DOCUMENT_FOLDING_RANGE: _in("note_view", "FOLDING_RANGE"),
    types.TEXT_DOCUMENT_HOVER: _in("navigation", "HOVER"),
    types.TEXT_DOCUMENT_INLAY_HINT: _in("note_view", "INLAY_HINT"),
    types.TEXT_DOCUMENT_REFERENCES: _in("navigation", "REFERENCES"),
    types.WORKSPACE_WILL_RENAME_FILES: _in("note_view", "WILL_RENAME"),
    types.WORKSPACE_SYMBOL: _in("live_passages", "WORKSPACE_SYMBOL"),
}
"""Who handles a request; a standard one among them becomes a capability."""
COMMANDS: Mapping[str, Loader] = {
    "lens.server.ask": _in("commands", "ASK"),
    "lens.server.cancel": _in("commands", "CANCEL"),
    "lens.server.find": _in("commands", "FIND"),
    "lens.server.insertAnswer": _in("commands", "INSERT_ANSWER"),
    "lens.server.openAnswer": _in("commands", "OPEN_ANSWER"),
    "lens.server.recheck": _in("commands", "RECHECK"),
    "lens.server.wrong": _in("commands", "WRONG"),
}
"""Who handles a command: it takes its params as its one argument."""
PULLED: Mapping[str, Loader] = {
    types.TEXT_DOCUMENT_DIAGNOSTIC: lambda: RequestHandler(pull_diagnostics),
    types.WORKSPACE_DIAGNOSTIC: lambda: RequestHandler(pull_workspace),
}
"""Requests that are only offered to a client that pulls diagnostics and lets itself be told when: to the others they
are pushed, and nobody gets them twice."""


class LensServer(EditorConnection):
    """One client's server. ``environment`` is what the process was started with; ``watchdog`` learns whose server it
    is."""

    def __init__(
        self,
        environment: Mapping[str, str],
        watchdog: Watchdog | None = None,
        requests: Mapping[str, Loader] = REQUESTS,
    ) -> None:
        super().__init__(environment)
        self.watchdog = watchdog
        self.dispatcher = RequestDispatcher(self.warn, self.plain)
        self.diagnostics = DiagnosticSchedule(self)
        self.configuration = Configuration(self, self.diagnostics.check_all)
        self.consent = ConsentPrompt(self)
        self._requests = {**PULLED, **COMMANDS, **requests}
        for name in requests:
            self.offer(name)
        for name in COMMANDS:
            self.command(name)(_handler(name))
        self.feature(types.WORKSPACE_EXECUTE_COMMAND)(execute)
        for method, handler in NOTIFICATIONS.items():
            self.feature(method)(_guarded(method, handler))

    def offer(self, name: str) -> None:
        """Take requests of this name; before ``initialize`` is answered, a standard one becomes a capability."""
        self.feature(name, OPTIONS.get(name))(_handler(name))

    def begin(self, state: ServerState) -> None:
        """The client has sent ``initialize``."""
        self._state = state
        if self.diagnostics.pulled:
            closed = self.diagnostics.pulled_of_closed
            options = types.DiagnosticOptions(True, closed, "lens")
            self.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(_handler(types.TEXT_DOCUMENT_DIAGNOSTIC))
            if closed:
                self.offer(types.WORKSPACE_DIAGNOSTIC)

    def plain(self, result: object) -> object:
        """A result as plain JSON. Raises what cannot be turned into it: afterwards nobody would be told."""
        from pydantic import BaseModel

        if isinstance(result, BaseModel):
            result = result.model_dump(mode="json", by_alias=True)
        plain: object = self.protocol._converter.unstructure(result)
        json.dumps(plain, allow_nan=False)
        return plain

    async def call(self, name: str, params: object) -> object:
        """The result of a request, as plain JSON. Raises `JsonRpcException`."""
        return await self.dispatcher.call(name, self._requests[name], self, params)

    def load(self) -> None:
        """Import all handlers now."""
        for loader in self._requests.values():
            loader()


def _handler(name: str) -> Any:
    async def handle(ls: LensServer, params: Any = None) -> object:
        return await ls.call(name, params)

    return handle


async def execute(ls: LensServer, params: types.ExecuteCommandParams) -> object:
    """Run a command.

    Faults of pygls' own: it cancels a command's request and lets the command run on
    (``test_cancelling_a_command_cancels_its_coroutine``), never answers for one that raises ``CancelledError``
    (``test_a_command_raising_cancelled_error_is_answered``) and knows no defaults
    (``test_command_parameters_may_have_defaults``).
    """
    if params.command not in COMMANDS:
        raise JsonRpcInvalidParams(f"no such command: {params.command}")
    arguments = params.arguments or ()
    if len(arguments) > 1:
        raise JsonRpcInvalidParams(f"{params.command} takes one argument: a string or an object")
    return await ls.call(params.command, arguments[0] if arguments else None)


async def pull_diagnostics(
    ls: LensServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport:
    """``textDocument/diagnostic``, for clients that are told when to ask again."""
    return types.RelatedFullDocumentDiagnosticReport(await ls.diagnostics.report(params.text_document.uri))


async def pull_workspace(ls: LensServer, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    """``workspace/diagnostic``: of all notes that cite and are not open, as they are looked at where the client takes
    parts of a result."""
    token = params.partial_result_token

    def send(reports: Sequence[Report]) -> None:
        assert token is not None
        ls.progress(types.ProgressParams(token, types.WorkspaceDiagnosticReport(reports)))

    known = {each.uri: each.value for each in params.previous_result_ids}
    return types.WorkspaceDiagnosticReport(await ls.diagnostics.report_all(known, None if token is None else send))


def _guarded(method: str, handler: Callable[[LensServer, Any], None]) -> Callable[[LensServer, Any], None]:
    """The handler of a notification, of which an incident is left if it fails; of ``initialize`` the answer, too.

    Faults of pygls' own: what ``initialize`` raises is answered with all it says
    (``test_an_error_says_nothing_of_what_it_is_about``), and a ``SystemExit`` ends the server.
    """

    def handle(ls: LensServer, params: Any) -> None:
        try:
            handler(ls, params)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - the door, as for requests
            failure = internal(method, error)
            if method == types.INITIALIZE:
                raise failure from None

    return handle


# Notifications are handled by plain functions that return at once: pygls remembers a task of every other kind for ever
# (``test_a_notification_is_forgotten``).
def _initialize(ls: LensServer, params: types.InitializeParams) -> None:
    """The client says who it is; pygls answers with our capabilities."""
    encoding = encoding_of(str(ls.protocol.workspace.position_encoding))
    ls.begin(ServerState(params, encoding, ls.environment, ls.warn))
    if ls.watchdog is not None and not ls.watchdog.follow(params.process_id) and params.process_id:
        logger.warning("the client's process cannot be seen from here; the parent is watched instead")


def _initialized(ls: LensServer, _params: object) -> None:
    """Nobody waits for us now: import what the first request would wait for."""
    asyncio.get_running_loop().run_in_executor(None, ls.load)
    ls.configuration.begin()


def _did_open(ls: LensServer, params: types.DidOpenTextDocumentParams) -> None:
    ls.state.documents.opened(params.text_document)
    ls.diagnostics.changed(params.text_document.uri)


def _did_change(ls: LensServer, params: types.DidChangeTextDocumentParams) -> None:
    document = params.text_document
    ls.state.documents.changed(document.uri, document.version, params.content_changes)
    ls.diagnostics.changed(document.uri)


def _did_close(ls: LensServer, params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    document = ls.state.documents.get(uri)
    ls.state.documents.closed(uri)
    ls.diagnostics.closed(uri, None if document is None else document.path)


def _did_change_folders(ls: LensServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    ls.state.change_folders(params.event.added, params.event.removed)
    ls.configuration.pull()
    ls.diagnostics.watch.restart()


NOTIFICATIONS: dict[str, Callable[[LensServer, Any], None]] = {
    types.INITIALIZE: _initialize,
    types.INITIALIZED: _initialized,
    types.TEXT_DOCUMENT_DID_OPEN: _did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: _did_change,
    types.TEXT_DOCUMENT_DID_CLOSE: _did_close,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: lambda ls, params: ls.configuration.changed(params.settings),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: lambda ls, params: ls.diagnostics.watch.told(params.changes),
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: _did_change_folders,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: lambda ls, params: ls.state.cancel_progress(params.token),
    types.SET_TRACE: lambda ls, params: None,  # no messages are logged at any level
}
"""By method, with ``initialize``, which pygls hands on before it answers."""


def serve(stdin: BinaryIO, stdout: BinaryIO, environment: Mapping[str, str]) -> int:
    """Serve until the client leaves, or the process is told to; the exit status.

    The loop and its threads are left as they are, for the process to end with: closing them would wait for work that
    nobody wants any more.
    """
    sys.setswitchinterval(_SWITCH_SECONDS)
    loop = asyncio.new_event_loop()
    return loop.run_until_complete(_serve(stdin, stdout, environment))


async def _serve(stdin: BinaryIO, stdout: BinaryIO, environment: Mapping[str, str]) -> int:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(_THREADS, "lens-work"))
    loop.set_exception_handler(_unhandled)
    ended: asyncio.Future[int] = loop.create_future()

    def end(status: int, why: str | None = None) -> None:
        """Let the process end with this status, unless that is settled; from any thread. A reason is worth a line."""
        if why is not None:
            logger.warning("leaving: %s", why)
        loop.call_soon_threadsafe(lambda: None if ended.done() else ended.set_result(status))

    for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, _INTERRUPTED)):
        try:
            loop.add_signal_handler(number, end, status)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_, status=status: end(status))
    watchdog = Watchdog(lambda: end(ENDED, "the client is gone"), lambda: os._exit(ENDED))
    server = LensServer(environment, watchdog)
    inbox, outbox = Inbox(stdin, loop), Outbox(stdout, lambda why: end(LOST, why))
    server.protocol.set_writer(outbox)
    outbox.start()
    inbox.start()
    watchdog.start()
    listening = asyncio.create_task(server.protocol.listen(inbox))
    listening.add_done_callback(lambda task: None if task.cancelled() else end(task.result()))
    status = await ended
    listening.cancel()
    await server.drain()
    outbox.flush(_FLUSH_SECONDS)
    return status


def _unhandled(_loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """What nobody awaited, without a word of its contents."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        incident("the event loop", error)
    else:
        logger.error("the event loop: %s", context.get("message"))


@dataclass(frozen=True, slots=True)
class ClientProcess:
    """A process that is told from a later one of the same number by when it began; None where that is not known."""

    pid: int
    began: str | None

    @classmethod
    def of(cls, pid: int) -> ClientProcess | None:
        """The running process of a number; None if there is none, or none that can be seen from here."""
        if not _exists(pid):
            return None
        return cls(pid, _began(pid))

    def lives(self) -> bool:
        """Whether it is still the one that runs."""
        return _exists(self.pid) and _began(self.pid) == self.began


class Watchdog:
    """Watches the client: the process that ``initialize`` named, else the parent.

    ``gone`` is called on the watchdog's own thread; `GRACE` seconds later the process ends by ``leave``, which does
    not return, whatever its other threads do.
    """

    def __init__(self, gone: Callable[[], None], leave: Callable[[], object]) -> None:
        self._gone = gone
        self._leave = leave
        self._parent = os.getppid()
        self._client: ClientProcess | None = None
        self._stop = threading.Event()

    def start(self) -> None:
        """Begin to watch."""
        threading.Thread(target=self._watch, name="lens-watchdog", daemon=True).start()

    def stop(self) -> None:
        """Watch no longer."""
        self._stop.set()

    def follow(self, pid: int | None) -> bool:
        """Watch this process from now on; False if it cannot be seen from here, as from inside a container."""
        self._client = None if pid is None or pid <= 0 else ClientProcess.of(pid)
        return self._client is not None

    def alone(self) -> bool:
        """Whether nobody is left to work for."""
        client = self._client
        return not client.lives() if client is not None else os.getppid() != self._parent

    def _watch(self) -> None:
        while not self.alone():
            if self._stop.wait(_POLL):
                return
        self._gone()
        self._stop.wait(GRACE)
        self._leave()


def _exists(pid: int) -> bool:
    if os.name == "nt":  # there, signal 0 would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return _status(pid)[:1] != ["Z"]


def _began(pid: int) -> str | None:
    fields = _status(pid)
    return fields[19] if len(fields) > 19 else None


def _status(pid: int) -> list[str]:
    """What Linux says of a process, from its state on; nothing elsewhere."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []
