"""The HTTP of the page: each address, and what is done there. Whoever gets here was let in by the guard.

The user's own settings and key are shown and changed here, too. The key goes one way: the page can set it and take it
away, and learns only whether there is one.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, TypeVar, cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from lens_lsp.app.configuration import change_settings, read_settings, written_settings
from lens_lsp.app.consent import ConsentMissing, ask_again
from lens_lsp.app.settings import ModelSettings
from lens_lsp.client import Refused, ServerGone
from lens_lsp.corpus.extraction import recognition_state
from lens_lsp.desktop.folders import NoEditor, Outside, open_file
from lens_lsp.desktop.home import completions, places_of
from lens_lsp.desktop.local_models import look_for_models, try_model
from lens_lsp.desktop.page_questions import FOLLOWED, Assistant, PageQuestion, TooManyQuestions, streamed
from lens_lsp.judge.llm.endpoint import ApiKey, Endpoint
from lens_lsp.lsp.locations import uri_of
from lens_lsp.lsp.request_handler import incident
from lens_lsp.memory import keyring
from lens_lsp.model.errors import LensError, UsageError
from lens_lsp.model.sanitize import printable

MOST_BYTES = 1 << 20
"""Of a request's body."""
_SECONDS = 10.0
"""For a request's body to come."""
_PAGE = "index.html"
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_FORWARDED: Mapping[str, Mapping[str, object]] = {
    "lens/answer": {},
    "lens/clusters": {},
    "lens/find": {},
    "lens/forget": {},
    "lens/ledger": {},
    "lens/recheck": {},
    "lens/status": {},
    "lens/text": {"confined": True},
    "lens/threads": {},
    "lens/wrong": {},
}
"""The requests of the language server that the page may send, and what is said in each whatever the page says."""
_ASKING = frozenset({"question", "scope", "mode", "thread", "anew", "budget", "dryRun"})
T = TypeVar("T")
Handler = Callable[[Request], Awaitable[Response]]
_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")


class MalformedRequest(Exception):
    """A request that cannot be meant; the message says why. ``status`` is HTTP's."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object that a request carries. Raises `MalformedRequest`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise MalformedRequest("the body must be application/json", 415)
    data = bytearray()
    try:
        async with asyncio.timeout(_SECONDS):
            async for chunk in request.stream():
                data += chunk
                if len(data) > MOST_BYTES:
                    raise MalformedRequest(f"the body is larger than {MOST_BYTES} bytes", 413)
    except TimeoutError:
        raise MalformedRequest(f"the body did not come within {_SECONDS:.0f} seconds; send it again", 408) from None
    except ClientDisconnect:
        raise MalformedRequest("cancelled", 499) from None
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        raise MalformedRequest("the body is not JSON") from None
    if not isinstance(body, dict):
        raise MalformedRequest("the body is no JSON object")
    return body


def word(body: Mapping[str, Any], name: str, *, most: int = 10_000) -> str:
    """A key that must be a string. Raises `MalformedRequest`."""
    value = body.get(name)
    if not isinstance(value, str) or not value or len(value) > most:
        raise MalformedRequest(f"{name} must be a string of 1 to {most} characters")
    return value


def count(value: object, name: str, *, default: int = 1) -> int:
    """A number from 1, as JSON or written out; ``default`` where there is none. Raises `MalformedRequest`."""
    if value is None:
        return default
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 9:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 1 << 30:
        raise MalformedRequest(f"{name} must be a whole number from 1")
    return value


def application(assistant: Assistant) -> Starlette:
    """The app, which starts the assistant and closes it."""

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncGenerator[None]:
        assistant.start()
        yield
        await assistant.close()

    routes = [
        Route("/", _static(_PAGE)),
        *(Route(f"/static/{name}", _static(name)) for name in _built()),
        Route("/api/asks", _start, methods=["POST"]),
        Route("/api/asks", _asks),
        Route("/api/asks/{id}", _cancel, methods=["DELETE"]),
        Route("/api/asks/{id}/events", _events),
        Route("/api/consents/{id}", _consent, methods=["POST"]),
        Route("/api/folders", _folders),
        Route("/api/folders", _add_folder, methods=["POST"]),
        Route("/api/folders", _drop_folder, methods=["DELETE"]),
        Route("/api/follow", _follow, methods=["POST"]),
        Route("/api/happenings", _happenings),
        Route("/api/key", _keep_key, methods=["PUT"]),
        Route("/api/key", _drop_key, methods=["DELETE"]),
        Route("/api/models", _models),
        Route("/api/models/served", _served, methods=["POST"]),
        Route("/api/models/trial", _trial, methods=["POST"]),
        Route("/api/open", _open, methods=["POST"]),
        Route("/api/page", _page),
        Route("/api/paths", _paths, methods=["POST"]),
        Route("/api/recent", _forget_recent, methods=["DELETE"]),
        Route("/api/rpc", _rpc, methods=["POST"]),
        Route("/api/settings", _preferences),
        Route("/api/settings", _prefer, methods=["PUT"]),
    ]
    app = Starlette(routes=routes, lifespan=life, exception_handlers=_FAILURES)
    app.state.assistant = assistant
    return app


def _assistant(request: Request) -> Assistant:
    return cast("Assistant", request.app.state.assistant)


async def _start(request: Request) -> Response:
    assistant, body = _assistant(request), await body_of(request)
    tab = body.pop("tab", None)
    if not isinstance(tab, str | None) or (tab is not None and len(tab) > 100):
        raise MalformedRequest("tab must be a string of at most 100 characters")
    word(body, "question")
    if unknown := body.keys() - _ASKING:
        raise MalformedRequest(f"a question has no {', '.join(sorted(unknown))}")
    try:
        ask = assistant.asks.start(body, tab, assistant.prompts.waiting)
    except TooManyQuestions:
        raise MalformedRequest("too many questions run already; wait for one of them, or cancel it", 429) from None
    return JSONResponse({"id": ask.id}, 201)


async def _asks(request: Request) -> Response:
    return JSONResponse({"asks": _assistant(request).asks.listed(request.query_params.get("tab"))})


async def _cancel(request: Request) -> Response:
    ask = _ask(request)
    _assistant(request).asks.cancel(ask.id)
    return JSONResponse({})


async def _events(request: Request) -> StreamingResponse:
    return streamed(_ask(request).feed, request.headers.get("last-event-id"))


async def _happenings(request: Request) -> StreamingResponse:
    return streamed(_assistant(request).happenings, request.headers.get("last-event-id"))


async def _consent(request: Request) -> Response:
    body = await body_of(request)
    action = body.get("action")
    if not isinstance(action, str | None):
        raise MalformedRequest("action must be a string or null")
    if not _assistant(request).prompts.answer(request.path_params["id"], action):
        raise MalformedRequest("nobody waits for this any more", 404)
    return JSONResponse({})


async def _folders(request: Request) -> Response:
    return JSONResponse(await _opened(request))


async def _opened(request: Request) -> dict[str, object]:
    folders = _assistant(request).folders
    return {"folders": await _aside(folders.listed), "recent": await _aside(folders.recent)}


async def _add_folder(request: Request) -> Response:
    assistant, typed = _assistant(request), word(await body_of(request), "path", most=4096)
    folder, file = await _aside(partial(assistant.folders.add, typed))
    assistant.folders_changed()
    shown = {"added": uri_of(folder), "file": None if file is None else uri_of(file)}
    return JSONResponse(await _opened(request) | shown, 201)


async def _drop_folder(request: Request) -> Response:
    assistant, uri = _assistant(request), word(await body_of(request), "uri")
    await _aside(partial(assistant.folders.drop, uri))
    assistant.folders_changed()
    return JSONResponse(await _opened(request))


async def _forget_recent(request: Request) -> Response:
    path = word(await body_of(request), "path", most=4096)
    await _aside(partial(_assistant(request).folders.forget, path))
    return JSONResponse(await _opened(request))


async def _paths(request: Request) -> Response:
    """Paths that may be meant by what is typed, or by the name of what was dropped: names alone are looked at."""
    body, folders = await body_of(request), _assistant(request).folders
    if "name" in body:
        name, near = word(body, "name", most=255), await _aside(folders.all)
        found = await _aside(partial(places_of, name, near))
    else:
        found = await _aside(partial(completions, word(body, "typed", most=4096)))
    return JSONResponse({"paths": [{"path": each.shown, "folder": each.is_folder} for each in found]})


async def _follow(request: Request) -> Response:
    uris = (await body_of(request)).get("answers")
    if not isinstance(uris, list) or len(uris) > FOLLOWED or not all(isinstance(uri, str) for uri in uris):
        raise MalformedRequest(f"answers must be at most {FOLLOWED} URIs")
    _assistant(request).follow(uris)
    return JSONResponse({})


async def _preferences(request: Request) -> Response:
    return JSONResponse(await _aside(preferences))


async def _prefer(request: Request) -> Response:
    changes = await body_of(request)
    agreed = changes.pop("agreed", None)
    return JSONResponse(await _aside(partial(prefer, changes, agreed)))


async def _keep_key(request: Request) -> Response:
    key = word(await body_of(request), "key", most=4096)
    return JSONResponse(await _aside(partial(keep_key, key)))


async def _drop_key(request: Request) -> Response:
    return JSONResponse(await _aside(drop_key))


async def _models(_: Request) -> Response:
    found = await _aside(look_for_models)
    return JSONResponse(
        {
            "programs": [
                {"name": each.name, "port": each.port, "address": each.address, "models": each.models} for each in found
            ]
        }
    )


async def _served(_: Request) -> Response:
    """What the address that is kept says that it serves; the user has just kept it."""
    names = await (await _aside(partial(read_settings, (), os.environ))).model.served()
    return JSONResponse({"models": [name for name in names if name == printable(name)]})


async def _trial(request: Request) -> Response:
    body = await body_of(request)
    trial = await _aside(partial(try_model, count(body.get("port"), "port"), word(body, "model", most=200)))
    return JSONResponse({"said": trial.said, "seconds": trial.seconds})


async def _open(request: Request) -> Response:
    body, folders = await body_of(request), _assistant(request).folders
    uri, line, column = word(body, "uri"), count(body.get("line"), "line"), count(body.get("column"), "column")

    def opened() -> str:
        return open_file(folders.path(uri), line, column, folders.all(), os.environ)

    return JSONResponse({"opened": await _aside(opened)})


async def _page(request: Request) -> Response:
    asked = request.query_params
    uri, page = word(asked, "uri"), count(asked.get("page"), "page")
    view = await _aside(partial(_assistant(request).pages.view, uri, page, asked.get("quote", "")))
    return Response(view.png, media_type="image/png", headers={"X-Lens-Marks": str(view.marks)})


async def _rpc(request: Request) -> Response:
    body = await body_of(request)
    method, params = word(body, "method"), body.get("params") or {}
    if method not in _FORWARDED:
        raise MalformedRequest("that is none of the requests that the page may send", 403)
    if not isinstance(params, dict):
        raise MalformedRequest("params must be a JSON object")
    result = await _while_connected(
        request, _assistant(request).server.request(method, {**params, **_FORWARDED[method]}, again=True)
    )
    return JSONResponse({"result": result})


async def _aside(work: Callable[[], T]) -> T:
    """What waits for the disk or for the system, off the event loop."""
    return await asyncio.get_running_loop().run_in_executor(None, work)


def _ask(request: Request) -> PageQuestion:
    ask = _assistant(request).asks.get(request.path_params["id"])
    if ask is None:
        raise MalformedRequest("there is no such question, or it ended long ago", 404)
    return ask


async def _while_connected(request: Request, work: Awaitable[Any]) -> Any:
    """What the work gives; it is cancelled when the page does not wait for it any more."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            working.cancel()
        with suppress(asyncio.CancelledError):
            return await working
        raise MalformedRequest("cancelled", 499)
    finally:
        working.cancel()
        leaving.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _static(name: str) -> Handler:
    """Serves one file of the page, read now."""
    with open(os.path.join(_FOLDER, name), "rb") as file:
        content = file.read()
    kind = _KINDS[os.path.splitext(name)[1]]

    async def serve(_: Request) -> Response:
        return Response(content, media_type=kind)

    return serve


def _built() -> list[str]:
    """The names of the page's files: no other can be asked for."""
    return sorted(name for name in os.listdir(_FOLDER) if os.path.splitext(name)[1] in _KINDS and name != _PAGE)


def _failed(status: int, message: str, name: str | None = None, code: int | None = None) -> Response:
    return JSONResponse({"error": {"code": status if code is None else code, "name": name, "message": message}}, status)


async def _on_failure(_: Request, error: Exception) -> Response:
    """Every failure as JSON; what should not be says a number and nothing of what it was about."""
    if isinstance(error, MalformedRequest):
        return _failed(error.status, str(error))
    if isinstance(error, Outside):
        return _failed(404, str(error))
    if isinstance(error, Refused):
        return _failed(422, error.message, error.name, error.code)
    if isinstance(error, NoEditor):
        return _failed(422, str(error), "lens.no-editor")
    if isinstance(error, LensError):
        return _failed(422, str(error), error.code)
    if isinstance(error, OSError):
        return _failed(422, f"{error.strerror or type(error).__name__}: nothing was changed")
    if isinstance(error, ServerGone):
        return _failed(503, f"{error}; it is being started again")
    if isinstance(error, HTTPException):
        return _failed(error.status_code, error.detail)
    number = incident("the page", error)
    return _failed(500, f"something went wrong that should not (incident {number}, see the terminal)")


_FAILURES = dict.fromkeys(
    (MalformedRequest, Outside, NoEditor, Refused, LensError, OSError, ServerGone, HTTPException, Exception),
    _on_failure,
)


def preferences() -> dict[str, object]:
    """What the user's file says, how it is about the key and about scans.

    Raises `UsageError` for a file that cannot be used."""
    settings = read_settings((), os.environ)
    model = settings.model
    recognition = recognition_state(settings.documents, os.environ.get("PATH", ""), settings.extra_roots)
    return {
        "settings": written_settings(os.environ),
        "ocr": {"state": recognition.state, "by": recognition.by},
        "key": {
            "origin": _origin(model),
            "stored": model.key_in_keyring,
            "available": keyring.available(),
            "environment": model.key is not None and model.key_withheld is None and not model.key_in_keyring,
        },
    }


def prefer(changes: Mapping[str, object], agreed: object = None) -> dict[str, object]:
    """Change keys of the user's file, None takes one away; what holds then. Raises `UsageError` and OSError.

    Who changes the model's address is asked again whether text may go there: where that is another machine by the next
    question, as if that had never been allowed; where it is this one, which no question asks about, by `ConsentMissing`
    until ``agreed`` is the address.
    """
    address = changes.get("model.baseUrl")
    if isinstance(address, str) and address != written_settings(os.environ).get("model.baseUrl"):
        endpoint = Endpoint.of(address)
        if not endpoint.loopback:
            ask_again(endpoint.origin)
        elif agreed != address:
            raise ConsentMissing(
                f"questions and passages would go to whatever program of this machine listens at {endpoint.origin}, and"
                " no question would ask about it: agree to that, or leave the address as it is"
            )
    change_settings(os.environ, changes)
    return preferences()


def keep_key(key: str) -> dict[str, object]:
    """Keep the key for the origin of the model that is configured. Raises `UsageError`, `KeyringFailed`, OSError."""
    ApiKey(key)  # refuses what could not be sent
    keyring.keep(_required(), key)
    return preferences()


def drop_key() -> dict[str, object]:
    """Take the key of that origin away. Raises as `keep_key`."""
    keyring.drop(_required())
    return preferences()


def _origin(model: ModelSettings) -> str | None:
    if model.base_url is None:
        return None
    try:
        return Endpoint.of(model.base_url).origin
    except UsageError:
        return None


def _required() -> str:
    origin = _origin(read_settings((), os.environ).model)
    if origin is None:
        raise UsageError("a key belongs to the address of a model: set model.baseUrl first")
    return origin
