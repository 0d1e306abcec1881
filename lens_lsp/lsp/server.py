"""The server: pygls' with our protocol, our documents and a table of who handles what.

Handlers are imported when they are first needed, so that ``initialize`` is answered before numpy and pydantic are.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from lens_lsp import __version__
from lens_lsp.lsp.desk import Desk
from lens_lsp.lsp.endpoint import Endpoints, incident, internal
from lens_lsp.lsp.features import COMMANDS, OPTIONS, PULLED, REQUESTS, Loader
from lens_lsp.lsp.notifications import NOTIFICATIONS
from lens_lsp.lsp.protocol import LensProtocol, make_converter
from lens_lsp.lsp.session import Session
from lens_lsp.lsp.watchdog import Watchdog

logger = logging.getLogger(__name__)


class LensServer(LanguageServer):
    """One client's server. ``environment`` is what the process was started with; ``watchdog`` learns whose server it
    is."""

    protocol: LensProtocol

    def __init__(
        self,
        environment: Mapping[str, str],
        watchdog: Watchdog | None = None,
        requests: Mapping[str, Loader] = REQUESTS,
    ) -> None:
        super().__init__(
            "lens",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=LensProtocol,
            converter_factory=make_converter,
        )
        self.environment = environment
        self.watchdog = watchdog
        self.endpoints = Endpoints(self.warn)
        self._requests = {**PULLED, **COMMANDS, **requests}
        self._desk: Desk | None = None
        self._session: Session | None = None
        self._spawned: set[asyncio.Task[None]] = set()
        for name in requests:
            self.offer(name)
        for name in COMMANDS:
            self.command(name)(_handler(name))
        self.feature(types.WORKSPACE_EXECUTE_COMMAND)(execute)
        for method, handler in NOTIFICATIONS.items():
            self.feature(method)(_guarded(method, handler))

    @property
    def begun(self) -> bool:
        """Whether the client has sent ``initialize``."""
        return self._session is not None

    @property
    def session(self) -> Session:
        """What this client has told us; there is one from ``initialize`` on."""
        if self._session is None:
            raise RuntimeError("no session before initialize")
        return self._session

    @property
    def desk(self) -> Desk:
        """What is kept for the features; there is one from ``initialize`` on."""
        if self._desk is None:
            raise RuntimeError("no desk before initialize")
        return self._desk

    def begin(self, session: Session) -> None:
        """The client has sent ``initialize``."""
        self._session = session
        self._desk = Desk(self)
        if self._desk.checks.pulled:
            for name in PULLED:
                self.offer(name)

    def offer(self, name: str) -> None:
        """Take requests of this name; before ``initialize`` is answered, a standard one becomes a capability."""
        self.feature(name, OPTIONS.get(name))(_handler(name))

    def plain(self, result: object) -> object:
        """A result as plain JSON. Raises what cannot be turned into it: afterwards nobody would be told."""
        from pydantic import BaseModel

        if isinstance(result, BaseModel):
            result = result.model_dump(mode="json", by_alias=True)
        plain: object = self.protocol._converter.unstructure(result)
        json.dumps(plain, allow_nan=False)
        return plain

    def warn(self, sentence: str) -> None:
        """Show the user a warning, and log it."""
        logger.warning("%s", sentence)
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, sentence))

    def misunderstood(self, method: str, params: object) -> None:
        """A message whose params did not fit: if it was to change a document, that one can be trusted no longer."""
        if self._session is None or method != types.TEXT_DOCUMENT_DID_CHANGE:
            return
        document = params.get("textDocument") if isinstance(params, dict) else None
        uri = document.get("uri") if isinstance(document, dict) else None
        if isinstance(uri, str):
            self._session.documents.distrust(uri, "a change of it could not be understood")

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what pygls reports, without what it is about. The default shows it to the user, contents and all."""
        if not isinstance(source, type) or source.__name__ != "FeatureRequestError":
            incident("pygls", error)

    async def call(self, name: str, params: object) -> object:
        """The result of a request, as plain JSON. Raises `JsonRpcException`."""
        return await self.endpoints.call(name, self._requests[name], self, params)

    def load(self) -> None:
        """Import all handlers now."""
        for loader in self._requests.values():
            loader()

    def spawn(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Have something done that nobody waits for. What goes wrong in it becomes an incident under this name."""

        def done(task: asyncio.Task[None]) -> None:
            self._spawned.discard(task)
            if not task.cancelled() and (error := task.exception()) is not None:
                incident(name, error)

        task = asyncio.get_running_loop().create_task(work)
        self._spawned.add(task)
        task.add_done_callback(done)
        return task

    async def drain(self) -> None:
        """Cancel all that runs, for the client or by itself, and wait for its end, for a short while at most."""
        for task in self._spawned:
            task.cancel()
        await self.protocol.drain()


def _handler(name: str) -> Any:
    async def handle(ls: LensServer, params: Any = None) -> object:
        return await ls.call(name, params)

    return handle


def _guarded(method: str, handler: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
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
