"""The transport below every request to a model: what may be sent where, and how much may come back.

It stands under the SDK, so that none of the SDK's habits reach the network: environment variables, proxies, redirects,
compressed or endless replies, headers that describe this machine. The key is known here and nowhere above. Each
request has its own connection, which closes with it: a call that is cancelled holds nothing open, and no dead
connection is ever used again.
"""

from __future__ import annotations

import asyncio
import math
import re
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from contextvars import ContextVar
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from typing import Any

import httpx2

from lens_lsp.judge.llm.chat_model import Departure, ModelError, ModelFailure, too_large
from lens_lsp.judge.llm.endpoint import (
    LOOPBACK,
    ApiKey,
    Endpoint,
    clean,
    error_words,
    is_local_name,
    literal,
    may_contact,
)
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

MOST_BYTES = 8 << 20
"""Bytes of one reply, streams included."""
DEPARTURE: ContextVar[Departure | None] = ContextVar("DEPARTURE", default=None)
"""Where to note that the request of this task leaves: the SDK between hands nothing through."""
_ERROR_BYTES = 16 << 10
_ERROR_SECONDS = 1.0
# The last address has all the time that the call has.
_CONNECT_SECONDS = 5.0
_SERVERS = {
    11434: "Ollama with `ollama serve`",
    1234: "LM Studio's server with `lms server start`",
    8000: "vLLM with `vllm serve MODEL`",
    8080: "llama.cpp with `llama-server -m MODEL.gguf`",
}
_RETRYABLE = {408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_SECONDS = regex(r"\d{1,9}(\.\d{1,9})?")
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
            text = f"a request to another place than {self._endpoint.origin} was stopped"
            raise ModelError(text, failure=ModelFailure.UNTRUSTED)
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
            text = f"the host {host} is not known; check the network and the model's base URL"
            raise ModelError(text, retryable=True, failure=ModelFailure.UNREACHABLE)
        # One address that may not be contacted spoils the name: no owner of a model's name gives it such a one.
        if not all(may_contact(ip_address(address), loopback=False) for address in addresses):
            text = (
                f"{host} leads to an address that may not be contacted (this machine, link-local or metadata);"
                " nothing was sent: check the model's base URL"
            )
            raise ModelError(text, failure=ModelFailure.UNTRUSTED)
        return addresses

    async def _check(self, response: httpx2.Response) -> None:
        """Refuse what is no plain, successful reply."""
        status, origin = response.status_code, self._endpoint.origin
        if 300 <= status < 400:  # the key and the text were meant for this origin
            text = f"{origin} redirects elsewhere (HTTP {status}), which is never followed; set the final base URL"
            raise ModelError(text, failure=ModelFailure.UNTRUSTED)
        plain = response.headers.get("content-encoding", "identity").strip().lower() in ("", "identity")
        if status >= 400:
            body = await _beginning(response) if plain else b""
            words = error_words(body, self._access.key)
            wait = retry_after(response.headers.get("retry-after"), self._access.clock())
            said = clean(body.decode("utf-8", "replace"), self._access.key, _ERROR_BYTES)
            raise EndpointError(_of_status(origin, status, words, wait), status, said)
        if not plain:
            text = f"{origin} sent a compressed reply though none was asked for; switch that off in it or its proxy"
            raise ModelError(text, failure=ModelFailure.UNREADABLE)

    def _named(self, error: Exception) -> ModelError:
        """What a failed connection means."""
        origin = self._endpoint.origin
        tls = _of_tls(error)
        if tls is not None:
            reason = clean(getattr(tls, "verify_message", "") or tls.reason or "", None) or "no TLS"
            text = (
                f"{origin} could not prove who it is ({reason}); nothing was sent. This check cannot be switched off:"
                " correct the certificate or the base URL, or let this system trust its authority"
            )
            return ModelError(text, failure=ModelFailure.UNTRUSTED)
        if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout, OSError)):
            return _unreachable(self._endpoint)
        # One class for two things: the line went dead, or what came over it is no HTTP.
        if isinstance(error, httpx2.RemoteProtocolError) and "disconnected" not in str(error):
            text = f"what listens at {origin} does not speak HTTP; check scheme and port of the model's base URL"
            return ModelError(text, failure=ModelFailure.UNREADABLE)
        text = f"{origin} closed the connection without an answer; see its log, it may have run out of memory"
        return ModelError(text, retryable=True, failure=ModelFailure.UNREACHABLE)


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
                    raise too_large(self._endpoint.origin, MOST_BYTES)
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


def _unreachable(endpoint: Endpoint) -> ModelError:
    """Nothing listens: say what to start."""
    if endpoint.loopback:
        likely = _SERVERS.get(endpoint.port)
        others = ", or ".join(f"{what} (port {port})" for port, what in _SERVERS.items() if port != endpoint.port)
        start = f"{likely}, or {others}" if likely else others
        text = f"nothing listens at {endpoint.origin}; start {start}, or change the model's base URL"
    else:
        text = f"no connection to {endpoint.origin}; check the network, any VPN it needs, and the model's base URL"
    return ModelError(text, retryable=True, failure=ModelFailure.UNREACHABLE)


def _of_status(origin: str, status: int, words: str, retry_after: float | None) -> ModelError:
    """An HTTP status that says no. ``words`` are the server's own, cleaned."""
    said = f" ({words})" if words else ""
    if status in (401, 403, 407):
        text = f"{origin} does not accept the key (HTTP {status}); set a valid one for it in LENS_API_KEY"
        return ModelError(text, failure=ModelFailure.UNAUTHORISED)
    if status == 429:
        wait = "" if retry_after is None else f" for {retry_after:g} s"
        text = f"{origin} takes no more requests{wait} (HTTP 429){said}; wait, or raise the limit of your account"
        return ModelError(text, retryable=True, retry_after=retry_after, failure=ModelFailure.BUSY)
    if status in _RETRYABLE:
        text = f"{origin} cannot answer now (HTTP {status}){said}; try again, or look into its log"
        return ModelError(text, retryable=True, retry_after=retry_after, failure=ModelFailure.BUSY)
    if status == 404:
        text = f"{origin} does not have that model or path (HTTP 404){said}; check the name and the URL (ends in /v1)"
        return ModelError(text)
    if status == 413 or re.search(r"context.{0,20}(length|window|size)|too (long|many tokens)", words, re.IGNORECASE):
        text = f"the request is larger than the model takes (HTTP {status}){said}; set model.contextTokens to its size"
        return ModelError(text)
    return ModelError(f"{origin} does not take the request (HTTP {status}){said}; check the model's name and settings")


def retry_after(value: str | None, now: float) -> float | None:
    """Seconds that a Retry-After header asks to wait, by number or date; None for none and for nonsense."""
    text = (value or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        wait = parsedate_to_datetime(text).timestamp() - now
    except (ValueError, TypeError, OverflowError, IndexError, OSError):
        return None
    return max(0.0, wait) if math.isfinite(wait) else None
