"""Who may speak with us: a browser on this machine that was given the link, from our own page, and nobody else.

Any page in the same browser can send requests to this machine, under any host name that it lets point here, and other
users of the machine can, too. So every request must name our own address as its host, come from our own page where it
says where it comes from, and carry the cookie that the link from the terminal is exchanged for, once.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
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
_OWN_SITES = frozenset({"same-origin", "none"})


class Admission:
    """The one link that is good, and the cookie that it is exchanged for. ``used`` is told when a link was."""

    def __init__(self, port: int, used: Callable[[], object]) -> None:
        self.cookie_name = f"lens-{port}"
        self.token = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        self._used = used

    def exchanged(self, token: str) -> str | None:
        """The cookie for the token of the link, None if it is not that; another one is good from then on."""
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return None
        self.token = secrets.token_urlsafe(32)
        self._used()
        return self._cookie

    def opens(self, cookie: str | None) -> bool:
        """Whether a request with these cookies comes from a browser that used a link."""
        try:
            sent = SimpleCookie(cookie or "").get(self.cookie_name)
        except CookieError:
            return False
        return sent is not None and secrets.compare_digest(sent.value.encode(), self._cookie.encode())


class Guard:
    """In front of the app: lets through what is allowed, and puts our headers on every response."""

    def __init__(self, app: ASGIApp, port: int, admission: Admission) -> None:
        self._app = app
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
        self._admission = admission

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

        answer = self._answer(scope)
        await (self._app if answer is None else answer)(scope, receive, guarded)

    def _answer(self, scope: Scope) -> Response | None:
        """What the guard itself answers; None for a request that may pass."""
        if scope["type"] != "http":
            return _refused(403, "only HTTP is spoken here")
        headers, method, path = Headers(scope=scope), scope["method"], scope["path"]
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return _refused(403, "this is no address of ours")
        if any(origin != f"http://{hosts[0]}" for origin in headers.getlist("origin")):
            return _refused(403, "another site may not ask")
        if path == "/" and method == "GET" and b"token=" in scope["query_string"]:
            return self._welcome(scope)
        if not self._admission.opens(headers.get("cookie")):
            return _refused(401, "open the link that `lens desktop` printed")
        if path != "/" and any(site not in _OWN_SITES for site in headers.getlist("sec-fetch-site")):
            return _refused(403, "another site may not ask")
        if method not in _SAFE and headers.get("x-lens") != "1":
            return _refused(403, "the header X-Lens is missing")
        return None

    def _welcome(self, scope: Scope) -> Response:
        """The cookie for the token of a link."""
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        cookie = self._admission.exchanged(tokens[0]) if len(tokens) == 1 else None
        if cookie is None:
            return PlainTextResponse(
                "This link was used already, or is none. `lens desktop` prints a new one each time.\n", 403
            )
        response = Response(status_code=303, headers={"Location": "/"})
        response.set_cookie(self._admission.cookie_name, cookie, httponly=True, samesite="strict", path="/")
        return response


def _refused(status: int, why: str) -> Response:
    return JSONResponse({"error": {"code": status, "name": None, "message": why}}, status)
