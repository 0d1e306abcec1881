"""JSON-RPC protocol and connection to the editor: pygls' own, made to answer every request once.

Each override names the fault of pygls 2.1.1 that it is for, and the test in ``tests/lsp/test_pygls_contract.py`` that
fails when the fault is gone.
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
"""The handlers of pygls' own that stay, the second one overridden."""
_DRAIN_SECONDS = 2.0
ENDED, BROKEN = 3, 4
"""How the process ends when the client's stream does, and when that is no sequence of messages."""
_NOTIFICATIONS = {method: kinds[1] is None for method, kinds in types.METHOD_TO_TYPES.items()}
"""By standard method: whether it is one."""


def make_converter() -> Converter:
    """pygls' converter, but params and results of unknown types stay plain JSON.

    Fault: they become nested named tuples, keys renamed (``test_custom_params_arrive_as_plain_json``).
    """
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    for message in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage):
        converter.register_structure_hook(message, lambda data, cls: cls(**data))
    return converter


class LensProtocol(LanguageServerProtocol):
    """What is said between client and server. On the event loop only, except for sending."""

    _server: EditorConnection

    def __init__(self, server: EditorConnection, converter: Converter) -> None:
        self._goodbye: int | str | None = None
        super().__init__(server, converter)
        for name in set(self.fm.builtin_features) - _KEPT:
            # Their documents are not ours (`documents`), their commands cannot be cancelled (`server`), their
            # notifications are remembered for ever (``test_a_notification_is_forgotten``).
            del self.fm.builtin_features[name]

    @property
    def closing(self) -> bool:
        """Whether the client asked us to shut down."""
        return self._goodbye is not None

    async def listen(self, inbox: Inbox) -> int:
        """Handle what arrives until the client leaves; the exit status.

        The read loop. Faults: pygls reads on the pool that runs thread handlers
        (``test_blocked_handlers_leave_the_server_listening``), takes no header but ``Content-Length`` in this spelling
        (``test_header_names_have_no_case``), and dies of a large one (``test_a_huge_length_is_survived``).
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
        """Handle one message, so that a request in it is answered once; whether it was ``exit``."""
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
        except Exception as error:  # noqa: BLE001 - the door: no message ends the server
            incident("receive", error)
            if _expects_answer(data):
                self._refuse(msg_id, JsonRpcInternalError("the message could not be handled"))
        return False

    def structure_message(self, data: Any) -> Any:
        """A whole message as pygls handles it, None for one to ignore. Raises `JsonRpcException` with the right code.

        Structuring. Faults: a request whose params do not fit is never answered
        (``test_malformed_standard_params_are_answered``), nor is one with a ``jsonrpc`` key inside its params
        (``test_params_may_contain_a_jsonrpc_key``), nor one after ``shutdown``
        (``test_a_request_after_shutdown_is_answered``).
        """
        if not isinstance(data, dict) or data.get("jsonrpc") != "2.0":
            raise JsonRpcInvalidRequest("not a JSON-RPC 2.0 message (batches are none of the protocol)")
        if _is_answer(data):
            return self._response(data)
        method = data.get("method")
        if not isinstance(method, str):
            raise JsonRpcInvalidRequest("the method is missing or no string")
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
        """Raise what a request is refused with before its params are looked at."""
        if isinstance(msg_id, bool) or not isinstance(msg_id, int | str):
            raise JsonRpcInvalidRequest("the id is neither a number without fraction nor a string")
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
        """Whether a notification means anything now."""
        if method == types.EXIT:
            return True
        if not _NOTIFICATIONS.get(method, True):
            logger.warning("a request without an id was ignored")
            return False
        return self._server.begun and not self.closing

    def _response(self, data: Mapping[str, Any]) -> Any:
        """An answer to one of our requests; None for an answer to nothing, or to one that was given up.

        Faults: pygls keeps the requests of both sides in one table, so that an answer with the id of a request that it
        is handling disturbs that one (``test_a_stray_response_disturbs_no_request``); and an answer that comes when
        nobody waits for it any more raises (``test_an_answer_that_nobody_waits_for_any_more_is_forgotten``).
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
        except Exception as error:  # noqa: BLE001 - whatever the client sent, the request is over
            incident("response", error)
            return types.ResponseErrorMessage(
                id=msg_id, error=types.ResponseError(code=JsonRpcInvalidRequest.CODE, message="a malformed answer")
            )

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        """Cancel what runs for a request; its answer comes when it has ended.

        Cancel. Faults: pygls forgets the request at once, so that its end cannot be waited for; and it cancels our own
        request of that id instead (``test_a_cancelled_request_is_known_until_it_has_ended``).
        """
        future = self._request_futures.get(msg_id)
        if future is not None and msg_id not in self._result_types and msg_id != self._goodbye:
            future.cancel()

    async def inquire(self, method: str, params: object) -> Any:
        """The client's answer to a request of ours. Raises `JsonRpcException`.

        Who stops waiting takes the request back: the client is told, and an answer that still comes is none to
        anything. (pygls' own way remembers the request, and its late answer is an error there.)
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
        """Stop everything; from the request on, no other is taken.

        Shutdown. Fault: pygls cancels while it iterates over what it cancels, and answers with an error
        (``test_shutdown_with_a_command_in_flight``, upstream issue 606).
        """
        await self._server.drain()

    async def drain(self) -> None:
        """Cancel all that runs and wait for its end, for a short while at most."""
        pending = dict(self._request_futures)
        for msg_id, future in pending.items():
            if msg_id != self._goodbye:
                future.cancel()
        running: Iterable[object] = pending.values()  # pygls calls them futures of threads, which few are
        tasks = {each for each in running if isinstance(each, asyncio.Task) and each is not asyncio.current_task()}
        if tasks:
            await asyncio.wait(tasks, timeout=_DRAIN_SECONDS)

    def _refuse(self, msg_id: int | str | None, error: JsonRpcException) -> None:
        self._send_data({"jsonrpc": "2.0", "id": msg_id, "error": {"code": error.code, "message": error.message}})


def _expects_answer(data: object) -> bool:
    """Whether a message that was refused is answered: everything is that is no notification and no answer."""
    if not isinstance(data, dict):
        return True
    return not _is_answer(data) and ("id" in data or not isinstance(data.get("method"), str))


def _is_answer(data: Mapping[str, Any]) -> bool:
    return "method" not in data and ("result" in data or "error" in data)


class EditorConnection(LanguageServer):
    """The connection to one editor, without any feature: what can be asked of it or told to it, and its state.

    ``environment`` is what the process was started with.
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
        """What this client has told us; there is one from ``initialize`` on."""
        if self._state is None:
            raise RuntimeError("no state before initialize")
        return self._state

    def warn(self, sentence: str) -> None:
        """Show the user a warning, and log it."""
        logger.warning("%s", sentence)
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, sentence))

    def misunderstood(self, method: str, params: object) -> None:
        """A message whose params did not fit: if it was to change a document, that one can be trusted no longer."""
        if self._state is None or method != types.TEXT_DOCUMENT_DID_CHANGE:
            return
        document = params.get("textDocument") if isinstance(params, dict) else None
        uri = document.get("uri") if isinstance(document, dict) else None
        if isinstance(uri, str):
            self._state.documents.distrust(uri, "a change of it could not be understood")

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what pygls reports, without what it is about. The default shows it to the user, contents and all."""
        if not isinstance(source, type) or source.__name__ != "FeatureRequestError":
            incident("pygls", error)

    async def register(self, id_: str, method: str, options: object) -> bool:
        """Ask the client for messages of a method; whether it sends them from now on."""
        registration = types.Registration(id_, method, options)
        try:
            await self.client_register_capability_async(types.RegistrationParams([registration]))
        except JsonRpcException:
            return False
        return True

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
