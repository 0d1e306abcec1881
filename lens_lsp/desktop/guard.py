"""Who may speak with us: a browser on this machine that was given the link, from our own page, and nobody else.

Any page in the same browser can send requests to this machine, under any host name that it lets point here, and other
users of the machine can, too. So every request must name our own address as its host, come from our own page where it
says where it comes from, and carry the key that the link from the terminal is exchanged for, once.

The key is no cookie: a browser sends the cookies of a host to every port of it, and so to every other server of this
machine. The token is in the fragment of the link, which no browser sends; the key is kept where browsers keep what
belongs to one port, and sent by our page's own requests, in a header. ``localhost`` is no name of ours: another program
may listen at the same port of ``[::1]``, and would share with us what belongs to that name.

The files of the page are shown to everybody: there is nothing in them.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_STRANGERS = 64
STRANGER_SECONDS = 10.0
Client = tuple[str, int] | None
"""Address and port of the other side, as ASGI names it."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
        " frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Of every response."""
_SAFE = frozenset({"GET", "HEAD"})
_SESSION = "/api/session"
_OWN_SITES = frozenset({"same-origin", "none"})


class ConnectionLimit:
    """Limit of the connections of one server that did not show the key, by number and by time. On the event loop only.

    A connection is a stranger's until a request on it carries the key, and again after that request. Any program of
    this machine can open connections and send nothing, half a head or half a body. So strangers leave after some
    seconds, and where there are too many the one that has stood there longest makes room: whoever sends a request is
    served before it is that one. Connections that carry the key are not counted.
    """

    def __init__(self) -> None:
        self._open: dict[Client, asyncio.Transport] = {}
        self._strangers: dict[Client, asyncio.TimerHandle] = {}
        """When each leaves; who has stood there longest comes first."""

    def opened(self, client: Client, transport: asyncio.Transport) -> None:
        """A stranger has come."""
        self._open[client] = transport
        self._wait(client)

    def closed(self, client: Client, transport: asyncio.Transport) -> None:
        """A connection has ended."""
        if self._open.get(client) is transport:
            del self._open[client]
            self._forget(client)

    @contextmanager
    def serving(self, client: Client) -> Iterator[None]:
        """While a request with the key is served on a connection."""
        self._forget(client)
        try:
            yield
        finally:
            if client in self._open:
                self._wait(client)

    def _wait(self, client: Client) -> None:
        self._forget(client)
        self._strangers[client] = asyncio.get_running_loop().call_later(STRANGER_SECONDS, self._drop, client)
        if len(self._strangers) > MOST_STRANGERS:
            self._drop(next(iter(self._strangers)))

    def _forget(self, client: Client) -> None:
        if leaving := self._strangers.pop(client, None):
            leaving.cancel()

    def _drop(self, client: Client) -> None:
        self._forget(client)
        self._open.pop(client).abort()


def protocol_with(connections: ConnectionLimit) -> type[H11Protocol]:
    """HTTP as uvicorn speaks it, on connections that are counted."""

    class Protocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            connections.opened(self.client, transport)

        def connection_lost(self, exc: Exception | None) -> None:
            connections.closed(self.client, self.transport)
            super().connection_lost(exc)

    return Protocol


class LinkAdmission:
    """The one link that is good, and the key that it is exchanged for. ``used`` is told when a link was."""

    def __init__(self, used: Callable[[], object]) -> None:
        self.token = secrets.token_urlsafe(32)
        self._key = secrets.token_urlsafe(32)
        self._used = used

    def exchanged(self, token: str) -> str | None:
        """The key for the token of the link, None if it is not that; another one is good from then on."""
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token = secrets.token_urlsafe(32)
        self._used()
        return self._key

    def opens(self, key: str) -> bool:
        """Whether a request with this key comes from a page that used a link."""
        return secrets.compare_digest(key.encode(), self._key.encode())


class Guard:
    """In front of the app: lets through what is allowed, and puts our headers on every response."""

    def __init__(self, app: ASGIApp, port: int, admission: LinkAdmission, connections: ConnectionLimit) -> None:
        self._app = app
        self._address = f"127.0.0.1:{port}"
        self._admission = admission
        self._connections = connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection of the server's."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        if (answer := self._answer(scope)) is not None:
            await answer(scope, receive, guarded)
        elif _shown_to_all(scope["path"]):
            await self._app(scope, receive, guarded)
        else:
            with self._connections.serving(scope["client"]):
                await self._app(scope, receive, guarded)

    def _answer(self, scope: Scope) -> Response | None:
        """What the guard itself answers; None for a request that may pass."""
        if scope["type"] != "http":
            return _refused(403, "only HTTP is spoken here")
        headers, path = Headers(scope=scope), scope["path"]
        if headers.getlist("host") != [self._address]:
            return _refused(403, f"this is no address of ours: open http://{self._address}/")
        if any(origin != f"http://{self._address}" for origin in headers.getlist("origin")):
            return _refused(403, "another site may not ask")
        if path != "/" and any(site not in _OWN_SITES for site in headers.getlist("sec-fetch-site")):
            return _refused(403, "another site may not ask")
        if _shown_to_all(path):
            return None if scope["method"] in _SAFE else _refused(405, "that is only to be read")
        sent = _bearer(headers)
        if path == _SESSION:
            return self._welcome(scope["method"], sent)
        return None if self._admission.opens(sent) else _refused(401, "open the link that `lens desktop` printed last")

    def _welcome(self, method: str, token: str) -> Response:
        """The key for the token of a link."""
        if method != "POST":
            return _refused(405, "a link is used by POST")
        key = self._admission.exchanged(token)
        if key is None:
            return _refused(403, "this link was used already, or is none: `lens desktop` prints a new one each time")
        return JSONResponse({"key": key}, 201)


def _shown_to_all(path: str) -> bool:
    """Whether it is a file of the page."""
    return path == "/" or path.startswith("/static/")


def _bearer(headers: Headers) -> str:
    """What a request carries as its key or token, empty where it is none."""
    sent = headers.getlist("authorization")
    scheme, _, value = sent[0].partition(" ") if len(sent) == 1 else ("", "", "")
    return value if scheme == "Bearer" else ""


def _refused(status: int, why: str) -> Response:
    return JSONResponse({"error": {"code": status, "name": None, "message": why}}, status)
