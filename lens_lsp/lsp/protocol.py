"""The JSON-RPC protocol and the connection to the editor: those of pygls, with overrides so that each request is
answered exactly once.

Each override names the fault of pygls 2.1.1 that it works around, and the test in
``tests/lsp/test_pygls_contract.py`` that fails once pygls has mended the fault.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)

from lens_lsp import __version__
from lens_lsp.lsp.request_handler import incident
from lens_lsp.lsp.transport import LARGEST, BrokenFraming, Inbox, TooLarge

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from cattrs import Converter

    from lens_lsp.lsp.server_state import ServerState

logger = logging.getLogger(__name__)
_KEPT = {types.INITIALIZE, types.SHUTDOWN}
"""The built-in handlers of pygls that stay; `LensProtocol.lsp_shutdown` overrides the second."""
_DRAIN_SECONDS = 2.0
"""How long `LensProtocol.drain` waits for what it cancelled to end."""
ENDED, BROKEN = 3, 4
"""Exit statuses: the client's stream ended without ``exit``; the stream is not a sequence of messages."""
_NOTIFICATIONS = {method: kinds[1] is None for method, kinds in types.METHOD_TO_TYPES.items()}
"""For each method of the LSP standard, whether it is a notification."""


def make_converter() -> Converter:
    """The converter of pygls, except that params and results of unknown types stay plain JSON.

    Fault: pygls makes nested named tuples of them and renames keys (``test_custom_params_arrive_as_plain_json``).
    """
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    for message in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage):
        converter.register_structure_hook(message, lambda data, cls: cls(**data))
    return converter


class LensProtocol(LanguageServerProtocol):
    """Receives and sends the messages between client and server. Use it on the event loop only, except to send."""

    _server: EditorConnection

    def __init__(self, server: EditorConnection, converter: Converter) -> None:
        self._goodbye: int | str | None = None
        super().__init__(server, converter)
        for name in set(self.fm.builtin_features) - _KEPT:
            # We keep documents ourselves (`documents`). pygls' commands cannot be cancelled (`server`), and it
            # remembers notifications for ever (``test_a_notification_is_forgotten``).
            del self.fm.builtin_features[name]

    @property
    def closing(self) -> bool:
        """Whether the client asked us to shut down."""
        return self._goodbye is not None

    async def listen(self, inbox: Inbox) -> int:
        """The read loop: handle messages until the client leaves, and return the exit status of the process.

        Faults: pygls reads on the pool that runs thread handlers
        (``test_blocked_handlers_leave_the_server_listening``), knows ``Content-Length`` in this spelling only
        (``test_header_names_have_no_case``), and dies of a huge length (``test_a_huge_length_is_survived``).
        """
        while True:
            arrival = await inbox.get()
            if arrival is None:
                return 0 if self.closing else ENDED
            if isinstance(arrival, BrokenFraming):
                logger.error("the protocol stream is broken: %s", arrival)
                return BROKEN
            if isinstance(arrival, TooLarge):
                self._refuse(None, JsonRpcInvalidRequest(f"a message of {arrival.size} bytes; the most is {LARGEST}"))
            elif self.receive(arrival):
                return 0 if self.closing else 1

    def receive(self, body: bytes) -> bool:
        """Handle one message; a request in it is answered once. Returns whether the message was ``exit``."""
        try:
            data = json.loads(body.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            self._refuse(None, JsonRpcParseError(f"not JSON in UTF-8 ({type(error).__name__})"))
            return False
        msg_id = data.get("id") if isinstance(data, dict) else None
        if isinstance(msg_id, bool) or not isinstance(msg_id, int | str):
            msg_id = None
        try:
            message = self.structure_message(data)
            method = getattr(message, "method", None)
            if method == types.EXIT:
                return True
            if method == types.SHUTDOWN:
                self._goodbye = msg_id
            if message is not None:
                self.handle_message(message)
        except JsonRpcException as error:
            if _expects_answer(data):
                self._refuse(msg_id, error)
        except Exception as error:  # noqa: BLE001 - no message may end the server
            incident("receive", error)
            if _expects_answer(data):
                self._refuse(msg_id, JsonRpcInternalError("the message could not be handled"))
        return False

    def structure_message(self, data: Any) -> Any:
        """The object that pygls makes of a JSON message; None if the message is to be ignored.

        Raises `JsonRpcException` with the code that the client is to get. Faults: pygls never answers a request whose
        params do not fit (``test_malformed_standard_params_are_answered``), one with a ``jsonrpc`` key inside its
        params (``test_params_may_contain_a_jsonrpc_key``) or one after ``shutdown``
        (``test_a_request_after_shutdown_is_answered``).
        """
        if not isinstance(data, dict) or data.get("jsonrpc") != "2.0":
            raise JsonRpcInvalidRequest("not a JSON-RPC 2.0 message (the protocol has no batches)")
        if _is_answer(data):
            return self._response(data)
        method = data.get("method")
        if not isinstance(method, str):
            raise JsonRpcInvalidRequest("the method is missing or is not a string")
        if "id" in data:
            self._check_request(method, data["id"])
        elif not self._heeded(method):
            return None
        try:
            return LanguageServerProtocol.structure_message(self, {"params": None, **data})
        except JsonRpcException:
            self._server.misunderstood(method, data.get("params"))
            raise JsonRpcInvalidParams(f"the params do not fit {method}") from None

    def _check_request(self, method: str, msg_id: object) -> None:
        """Raise `JsonRpcException` if a request is to be refused whatever its params are."""
        if isinstance(msg_id, bool) or not isinstance(msg_id, int | str):
            raise JsonRpcInvalidRequest("the id is neither an integer nor a string")
        if msg_id in self._request_futures:
            raise JsonRpcInvalidRequest("a request with this id is being answered")
        if _NOTIFICATIONS.get(method, False):
            raise JsonRpcInvalidRequest(f"{method} is a notification")
        if self.closing:
            raise JsonRpcInvalidRequest("the server is shutting down")
        begun = self._server.begun
        if method == types.INITIALIZE and begun:
            raise JsonRpcInvalidRequest("initialize was sent already")
        if method != types.INITIALIZE and not begun:
            raise JsonRpcServerNotInitialized("initialize comes first")
        if method not in self.fm.builtin_features and method not in self.fm.features:
            raise JsonRpcMethodNotFound.of(method)

    def _heeded(self, method: str) -> bool:
        """Whether a notification is handled now; before ``initialize`` and after ``shutdown`` only ``exit`` is."""
        if method == types.EXIT:
            return True
        if not _NOTIFICATIONS.get(method, True):
            logger.warning("a request without an id was ignored")
            return False
        return self._server.begun and not self.closing

    def _response(self, data: Mapping[str, Any]) -> Any:
        """The client's answer to a request of ours; None if there is no such request, or if it was given up.

        Faults: pygls keeps the requests of both sides in one table, so an answer whose id is that of a client's
        request disturbs that request (``test_a_stray_response_disturbs_no_request``); and it raises on an answer that
        nobody waits for any more (``test_an_answer_that_nobody_waits_for_any_more_is_forgotten``).
        """
        msg_id = data.get("id")
        if isinstance(msg_id, bool) or not isinstance(msg_id, int | str) or msg_id not in self._result_types:
            return None
        expected = self._result_types.pop(msg_id)
        waiting = self._request_futures.get(msg_id)
        if waiting is not None and waiting.done():
            del self._request_futures[msg_id]
            return None
        try:
            if data.get("error") is not None:
                return self._converter.structure(dict(data), types.ResponseErrorMessage)
            return self._converter.structure({"result": None, **data}, expected or JsonRPCResponseMessage)
        except Exception as error:  # noqa: BLE001 - a malformed answer still ends our request
            incident("response", error)
            return types.ResponseErrorMessage(
                id=msg_id, error=types.ResponseError(code=JsonRpcInvalidRequest.CODE, message="a malformed answer")
            )

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        """Cancel what runs for a client's request. The request is answered when that has ended.

        Faults: pygls forgets the request at once, so nobody can wait for its end; and if a request of ours has that
        id, it cancels ours instead (``test_a_cancelled_request_is_known_until_it_has_ended``).
        """
        future = self._request_futures.get(msg_id)
        if future is not None and msg_id not in self._result_types and msg_id != self._goodbye:
            future.cancel()

    async def inquire(self, method: str, params: object) -> Any:
        """Send the client a request and return its answer. Raises `JsonRpcException` if the answer is an error.

        When the caller is cancelled, the client is told to cancel too, and a late answer is ignored. (pygls remembers
        the request, and a late answer is an error there.)
        """
        msg_id = f"lens-{secrets.token_hex(8)}"
        try:
            return await self.send_request_async(method, params, msg_id)
        except asyncio.CancelledError:
            self._request_futures.pop(msg_id, None)
            self._result_types.pop(msg_id, None)
            self.notify(types.CANCEL_REQUEST, types.CancelParams(msg_id))
            raise

    @lsp_method(types.SHUTDOWN)
    async def lsp_shutdown(self, *args: object) -> None:  # type: ignore[override]
        """Cancel everything that runs. `closing` is true already, so later requests are refused.

        Fault: pygls cancels requests while it iterates over their table, and so answers with an error
        (``test_shutdown_with_a_command_in_flight``, upstream issue 606).
        """
        await self._server.drain()

    async def drain(self) -> None:
        """Cancel all requests that run except ``shutdown``, and wait up to 2 s for them to end."""
        pending = dict(self._request_futures)
        for msg_id, future in pending.items():
            if msg_id != self._goodbye:
                future.cancel()
        running: Iterable[object] = pending.values()  # typed as futures of threads, though most are tasks
        tasks = {each for each in running if isinstance(each, asyncio.Task) and each is not asyncio.current_task()}
        if tasks:
            await asyncio.wait(tasks, timeout=_DRAIN_SECONDS)

    def _refuse(self, msg_id: int | str | None, error: JsonRpcException) -> None:
        self._send_data({"jsonrpc": "2.0", "id": msg_id, "error": {"code": error.code, "message": error.message}})


def _expects_answer(data: object) -> bool:
    """Whether a refused message gets an error answer: every message does except notifications and answers."""
    if not isinstance(data, dict):
        return True
    return not _is_answer(data) and ("id" in data or not isinstance(data.get("method"), str))


def _is_answer(data: Mapping[str, Any]) -> bool:
    return "method" not in data and ("result" in data or "error" in data)


class EditorConnection(LanguageServer):
    """The connection to one editor and the state that it has told us. Features are registered elsewhere.

    ``environment`` holds the environment variables that the process was started with.
    """

    protocol: LensProtocol

    def __init__(self, environment: Mapping[str, str]) -> None:
        super().__init__(
            "lens",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=LensProtocol,
            converter_factory=make_converter,
        )
        self.environment = environment
        self._state: ServerState | None = None
        self._spawned: set[asyncio.Task[None]] = set()

    @property
    def begun(self) -> bool:
        """Whether the client has sent ``initialize``."""
        return self._state is not None

    @property
    def state(self) -> ServerState:
        """What this client has told us. Raises RuntimeError before ``initialize``."""
        if self._state is None:
            raise RuntimeError("no state before initialize")
        return self._state

    def warn(self, sentence: str) -> None:
        """Log a warning and show it to the user."""
        logger.warning("%s", sentence)
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, sentence))

    def misunderstood(self, method: str, params: object) -> None:
        """Note a message whose params did not fit. A document that it was to change is not trusted any more."""
        if self._state is None or method != types.TEXT_DOCUMENT_DID_CHANGE:
            return
        document = params.get("textDocument") if isinstance(params, dict) else None
        uri = document.get("uri") if isinstance(document, dict) else None
        if isinstance(uri, str):
            self._state.documents.distrust(uri, "a change to it could not be understood")

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error that pygls reports, without any contents. The default shows it to the user with all contents."""
        if not isinstance(source, type) or source.__name__ != "FeatureRequestError":
            incident("pygls", error)

    async def register(self, id_: str, method: str, options: object) -> bool:
        """Ask the client to send messages of a method. Returns whether it agreed."""
        registration = types.Registration(id_, method, options)
        try:
            await self.client_register_capability_async(types.RegistrationParams([registration]))
        except JsonRpcException:
            return False
        return True

    def spawn(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start work that nobody waits for. An exception in it is reported as an incident under this name."""

        def done(task: asyncio.Task[None]) -> None:
            self._spawned.discard(task)
            if not task.cancelled() and (error := task.exception()) is not None:
                incident(name, error)

        task = asyncio.get_running_loop().create_task(work)
        self._spawned.add(task)
        task.add_done_callback(done)
        return task

    async def drain(self) -> None:
        """Cancel all requests that run and all work from `spawn`, and wait up to 2 s for the requests to end."""
        for task in self._spawned:
            task.cancel()
        await self.protocol.drain()
