"""Request handlers, and their dispatcher: a request gets one answer or one error, whatever happens in between.

A `RequestHandler` says what a request carries and who handles it. The `RequestDispatcher` calls it: checks what was
sent, maps every `LensError` to its number, hides everything else behind an incident, and gives a feature up that keeps
failing.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import traceback
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcRequestCancelled,
)

from lens_lsp.model.errors import LensError
from lens_lsp.model.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from lens_lsp.schema.protocol_params import Wire

P = TypeVar("P")
logger = logging.getLogger(__name__)
NUMBERS = {
    "lens.error": 1000,
    "lens.usage": 1001,
    "lens.path-not-found": 1002,
    "lens.path-refused": 1003,
    "lens.evaluation": 1004,
    "lens.missing-extra": 1005,
    "lens.budget-spent": 1006,
    "lens.oracle-failed": 1007,
    "lens.computation": 1008,
    "lens.store": 1009,
    "lens.model": 1010,
    "lens.store-unavailable": 1011,
    "lens.not-saved": 1012,
    "lens.store-unreadable": 1013,
    "lens.malformed-reply": 1014,
    "lens.consent": 1015,
    "lens.keyring": 1016,
    "lens.host-unusable": 1017,
}
"""The number of each kind of error in a JSON-RPC error; its ``data.code`` is the name. Neither ever changes."""
FAILURES = 3
"""So many of one kind in a row, and the feature is switched off until the server starts again."""


class RequestFailed(JsonRpcException):
    """The request was sound and cannot be served now; the message says why and what to do."""

    CODE = -32803
    MESSAGE = "Request Failed"


@dataclass(frozen=True, slots=True)
class RequestHandler(Generic[P]):
    """Who handles a request. ``handler`` gets the server and the params: those of lsprotocol for a standard request,
    checked by the model ``params`` for one of ours."""

    handler: Callable[[Any, P], Awaitable[object]]
    params: type[Wire] | None = None

    def parse(self, raw: object) -> Any:
        """The params as the handler takes them. Raises `JsonRpcInvalidParams`."""
        if self.params is None:
            return raw
        from pydantic import ValidationError

        try:
            return self.params.model_validate({} if raw is None else raw)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "params"
            spoken = getattr(self.params, "spoken_as", None)
            if first["type"] == "missing" and where == spoken:
                raise JsonRpcInvalidParams(
                    f'{where}: none was given; the argument is "…" or {{"{where}": "…"}}'
                ) from None
            raise JsonRpcInvalidParams(f"{where}: {first['msg']}") from None


class RequestDispatcher:
    """Calls the handlers of one server. ``warn`` tells the user one sentence; ``plain`` makes a result plain JSON."""

    def __init__(self, warn: Callable[[str], None], plain: Callable[[object], object]) -> None:
        self._warn = warn
        self._plain = plain
        self._failing: dict[str, tuple[type[BaseException], int]] = {}

    @property
    def switched_off(self) -> tuple[str, ...]:
        """The features that were given up."""
        return tuple(sorted(name for name, (_, times) in self._failing.items() if times >= FAILURES))

    async def call(self, name: str, load: Callable[[], RequestHandler[Any]], server: object, raw: object) -> object:
        """The result as plain JSON. Raises `JsonRpcException` and, if the client cancelled, ``CancelledError``."""
        if name in self.switched_off:
            raise RequestFailed(f"{name} is switched off after {FAILURES} failures; restart the language server")
        try:
            chosen = load()
            result = await chosen.handler(server, chosen.parse(raw))
            plain = self._plain(result)
        except JsonRpcException:
            raise
        except LensError as error:
            raise refusal(error) from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            # One that leaked from inside would leave a request unanswered.
            raise JsonRpcRequestCancelled("cancelled") from None
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - the door: a library's SystemExit is no end of the server either
            raise self._failed(name, error) from None
        self._failing.pop(name, None)
        return plain

    def _failed(self, name: str, error: BaseException) -> JsonRpcInternalError:
        failure = internal(name, error)
        kind, times = self._failing.get(name, (type(error), 0))
        times = times + 1 if kind is type(error) else 1
        self._failing[name] = (type(error), times)
        if times == FAILURES:
            self._warn(f"{name} failed {FAILURES} times in a row and is switched off; restart the language server")
        return failure


def internal(name: str, error: BaseException) -> JsonRpcInternalError:
    """Log a failure that should not be; what the client gets, which is its number."""
    number = incident(name, error)
    return JsonRpcInternalError(
        f"something went wrong that should not (incident {number}, see the server's log)",
        data={"code": "lens.internal", "incident": number},
    )


def refusal(error: LensError) -> JsonRpcException:
    """A `LensError` as the client gets it."""
    return JsonRpcException(str(error), NUMBERS.get(error.code, NUMBERS["lens.error"]), {"code": error.code})


def incident(name: str, error: BaseException) -> str:
    """Log a failure that should not be, without a word of what it was about; the number it is logged under."""
    number = secrets.token_hex(4)
    frames = " < ".join(
        f"{os.path.basename(frame.filename)}:{frame.lineno} {frame.name}"
        for frame in reversed(traceback.extract_tb(error.__traceback__)[-6:])
    )
    logger.error("incident %s in %s: %s at %s", number, name, type(error).__name__, frames)
    return number
