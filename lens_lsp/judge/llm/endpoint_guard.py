"""The transport below every request to a model: what may be sent where, and how much may come back.

It stands under the SDK, so that none of the SDK's habits reach the network: environment variables, proxies, redirects,
compressed or endless replies, headers that describe this machine. The key is known here and nowhere above. Each
request has its own connection, which closes with it: a call that is cancelled holds nothing open, and no dead
connection is ever used again.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from contextvars import ContextVar
from ipaddress import ip_address
from typing import Any

import httpx2

from lens_lsp.judge.llm import error_messages
from lens_lsp.judge.llm.chat_model import Departure, ModelError, ModelFailure
from lens_lsp.judge.llm.endpoint import LOOPBACK, ApiKey, Endpoint, is_local_name, literal, may_contact
from lens_lsp.model.lazy_dataclass import dataclass

MOST_BYTES = 8 << 20
"""Bytes of one reply, streams included."""
DEPARTURE: ContextVar[Departure | None] = ContextVar("DEPARTURE", default=None)
"""Where to note that the request of this task leaves: the SDK between hands nothing through."""
_ERROR_BYTES = 16 << 10
_ERROR_SECONDS = 1.0
# The last address has all the time that the call has.
_CONNECT_SECONDS = 5.0
_HEADERS = ("accept", "content-type", "content-length", "transfer-encoding")


@dataclass(frozen=True, slots=True)
class EndpointAccess:
    """What is needed to reach an endpoint. ``ca_file`` names a PEM file with one more authority to trust; ``clock``
    gives the time of day in seconds, for a Retry-After that names a date."""

    endpoint: Endpoint
    key: ApiKey | None = None
    ca_file: str | None = None
    clock: Callable[[], float] = time.time


class EndpointError(ModelError):
    """A status that says no, with all that the server says about it: ``words``, cleaned, to be searched only."""

    def __init__(self, cause: ModelError, status: int, words: str) -> None:
        super().__init__(str(cause), retryable=cause.retryable, retry_after=cause.retry_after, failure=cause.failure)
        self.status = status
        self.words = words


def http_client(access: EndpointAccess) -> httpx2.AsyncClient:
    """A client that can talk to one endpoint only. It has no time limit of its own: its callers keep the deadline."""
    transport = GuardedTransport(access)
    return httpx2.AsyncClient(transport=transport, trust_env=False, follow_redirects=False, timeout=None)


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Sends to one origin, to addresses that may be contacted, and reads replies up to a cap.

    Raises `ModelError` for whatever goes wrong.
    """

    def __init__(self, access: EndpointAccess) -> None:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
        self._access = access
        self._endpoint = access.endpoint
        self._inner = httpx2.AsyncHTTPTransport(verify=_trust(access), trust_env=False, retries=0, limits=limits)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request, once."""
        if not self._is_own(request.url):
            raise error_messages.other_host(self._endpoint)
        response = await self._send(request)
        try:
            await self._check(response)
        except BaseException:
            await response.aclose()
            raise
        stream = _Capped(response, self._access)
        return httpx2.Response(response.status_code, headers=response.headers, stream=stream)

    async def aclose(self) -> None:
        """Close whatever is open."""
        await self._inner.aclose()

    def _is_own(self, url: httpx2.URL) -> bool:
        host, port = url.raw_host.decode("ascii").strip("[]"), url.port or (443 if url.scheme == "https" else 80)
        return (url.scheme, host, port) == (self._endpoint.scheme, self._endpoint.host, self._endpoint.port)

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        """Try the addresses one after the other until one takes the connection."""
        addresses = await self._addresses()
        for address in addresses[:-1]:
            try:
                return await self._attempt(request, address, _CONNECT_SECONDS)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                if _of_tls(error) is not None:
                    raise self._named(error) from None
            except (httpx2.TransportError, OSError) as error:
                raise self._named(error) from None
        try:
            return await self._attempt(request, addresses[-1], None)
        except (httpx2.TransportError, OSError) as error:
            raise self._named(error) from None

    async def _attempt(self, request: httpx2.Request, address: str, connect: float | None) -> httpx2.Response:
        """Send the request to one address."""
        opened: list[Any] = []
        departure = DEPARTURE.get()

        async def trace(event: str, details: Mapping[str, Any]) -> None:
            if event == "connection.connect_tcp.complete":
                opened.append(details["return_value"])
            elif event == "http11.send_request_body.started" and departure is not None:
                departure.left = True

        leaving = self._pinned(request, address)
        timeouts = {"connect": connect, "read": None, "write": None, "pool": None}
        leaving.extensions = {"timeout": timeouts, "sni_hostname": self._endpoint.host, "trace": trace}
        try:
            return await self._inner.handle_async_request(leaving)
        except BaseException:
            # Left alone, a connection whose TLS handshake is cancelled stays open.
            for stream in opened:
                await stream.aclose()
            raise

    def _pinned(self, request: httpx2.Request, address: str) -> httpx2.Request:
        """The request as it leaves: to an address that was checked, with the few headers that are needed.

        The name is resolved once, before, so that it cannot lead elsewhere between the check and the connection; TLS
        still proves the name.
        """
        headers = {name: request.headers[name] for name in _HEADERS if name in request.headers}
        headers |= {"host": self._endpoint.origin.partition("://")[2], "user-agent": "lens-lsp"}
        headers["accept-encoding"] = "identity"
        if self._access.key is not None:
            headers["authorization"] = f"Bearer {self._access.key.reveal()}"
        url = request.url.copy_with(host=address)
        return httpx2.Request(request.method, url, headers=headers, stream=request.stream)

    async def _addresses(self) -> tuple[str, ...]:
        """Where to connect, in order. Raises `ModelError` when there is nothing that may be contacted."""
        host = self._endpoint.host
        if literal(host) is not None:
            return (host,)
        if is_local_name(host):
            return LOOPBACK
        addresses = await _resolved(host, self._endpoint.port)
        if not addresses:
            raise error_messages.unknown_host(self._endpoint)
        # One address that may not be contacted spoils the name: no owner of a model's name gives it such a one.
        if not all(may_contact(ip_address(address), loopback=False) for address in addresses):
            raise error_messages.forbidden_address(self._endpoint)
        return addresses

    async def _check(self, response: httpx2.Response) -> None:
        """Refuse what is no plain, successful reply."""
        status = response.status_code
        if 300 <= status < 400:
            raise error_messages.redirected(self._endpoint, status)
        plain = response.headers.get("content-encoding", "identity").strip().lower() in ("", "identity")
        if status >= 400:
            body = await _beginning(response) if plain else b""
            words = error_messages.error_words(body, self._access.key)
            wait = error_messages.retry_after(response.headers.get("retry-after"), self._access.clock())
            said = error_messages.clean(body.decode("utf-8", "replace"), self._access.key, _ERROR_BYTES)
            raise EndpointError(error_messages.of_status(self._endpoint, status, words, wait), status, said)
        if not plain:
            raise error_messages.compressed(self._endpoint)

    def _named(self, error: Exception) -> ModelError:
        """What a failed connection means."""
        tls = _of_tls(error)
        if tls is not None:
            return error_messages.untrusted(self._endpoint, getattr(tls, "verify_message", "") or tls.reason or "")
        if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout, OSError)):
            return error_messages.unreachable(self._endpoint)
        # One class for two things: the line went dead, or what came over it is no HTTP.
        if isinstance(error, httpx2.RemoteProtocolError) and "disconnected" not in str(error):
            return error_messages.no_http(self._endpoint)
        return error_messages.dropped(self._endpoint)


class _Capped(httpx2.AsyncByteStream):
    """The bytes of a reply, up to the cap."""

    def __init__(self, response: httpx2.Response, access: EndpointAccess) -> None:
        self._response = response
        self._endpoint = access.endpoint

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        try:
            async for part in self._response.aiter_raw():
                size += len(part)
                if size > MOST_BYTES:
                    raise error_messages.too_large(self._endpoint, MOST_BYTES)
                yield part
        except (httpx2.TransportError, OSError):
            text = f"the connection to {self._endpoint.origin} broke in the middle of the reply; ask again"
            raise ModelError(text, failure=ModelFailure.CUT_OFF) from None

    async def aclose(self) -> None:
        await self._response.aclose()


def _trust(access: EndpointAccess) -> ssl.SSLContext:
    """Whose certificates hold: those of the system's authorities and of the one that was named."""
    if access.endpoint.scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody, and spares reading a hundred certificates
    context = httpx2.create_ssl_context(trust_env=False)
    if access.ca_file is not None:
        try:
            context.load_verify_locations(access.ca_file)
        except (OSError, ssl.SSLError):
            text = f"the certificates in {access.ca_file} can no longer be read; nothing was sent to a model"
            raise ModelError(text, failure=ModelFailure.UNTRUSTED) from None
    return context


async def _resolved(host: str, port: int) -> tuple[str, ...]:
    """The addresses of a name, none when it has none. A resolver that hangs delays neither a cancel nor the exit of
    the process, as a thread of a pool would."""
    loop = asyncio.get_running_loop()
    resolved: asyncio.Future[tuple[str, ...]] = loop.create_future()

    def settle(addresses: tuple[str, ...]) -> None:
        if not resolved.done():
            resolved.set_result(addresses)

    def resolve() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            found = []
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, tuple(dict.fromkeys(str(entry[4][0]) for entry in found)))

    threading.Thread(target=resolve, name="lens-resolve", daemon=True).start()
    return await resolved


async def _beginning(response: httpx2.Response) -> bytes:
    """The first bytes of an error's body, as far as they come soon."""
    found = bytearray()
    try:
        async with asyncio.timeout(_ERROR_SECONDS), aclosing(response.aiter_raw()) as parts:
            async for part in parts:
                found += part[: _ERROR_BYTES - len(found)]
                if len(found) >= _ERROR_BYTES:
                    break
    except (TimeoutError, httpx2.TransportError, OSError):
        pass
    return bytes(found)


def _of_tls(error: BaseException | None) -> ssl.SSLError | None:
    """The failure of TLS that caused an error."""
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error
