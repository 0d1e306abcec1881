"""Where a model may be reached, its key, and what of a server's own words is shown.

Base URLs are read strictly, and no address is contacted that was not meant. Plain http goes to this machine only, https
anywhere but to the addresses that machines use among themselves (link-local, cloud metadata): a base URL that leads
there is a mistake or an attack, never a model. What a server says is shortened, without control characters, and never
shown when it repeats a key.
"""

from __future__ import annotations

import json
import re
import unicodedata
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Self
from urllib.parse import SplitResult, urlsplit

from lens_lsp.model.errors import UsageError
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

Address = IPv4Address | IPv6Address
LOOPBACK = ("127.0.0.1", "::1")
"""What ``localhost`` means here, whatever a resolver says. Local servers listen on the first more often."""
MOST_WORDS = 200
"""Code points of a server's own words that are shown."""
_PORTS = {"http": 80, "https": 443}
_METADATA_NAMES = {"metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal"}
# Amazon (v6), Alibaba, Oracle, Azure: cloud services that hand credentials to whoever asks from inside.
_METADATA_ADDRESSES = {
    ip_address(text) for text in ("fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16")
}
_NAT64 = IPv6Network("64:ff9b::/96")
_LABEL = regex(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_KEY = regex(r"[\x21-\x7e]{1,4096}")


class ApiKey:
    """An API key that shows itself to nobody by accident: no repr, str or traceback holds it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        """Raises `UsageError` for what cannot be sent as a key."""
        if not _KEY.fullmatch(value):
            raise UsageError("an API key is printable ASCII without spaces; copy it again")
        self._value = value

    def __repr__(self) -> str:
        return "Key(...)"

    def reveal(self) -> str:
        """The key itself, for the one header that carries it."""
        return self._value

    def is_in(self, text: str) -> bool:
        """Whether a part of the key of 8 characters or more (all of a shorter one) stands in a text."""
        size = min(8, len(self._value))
        return any(self._value[at : at + size] in text for at in range(len(self._value) - size + 1))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go. ``host`` is lower-case ASCII; ``path`` starts with a slash and ends without one."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        """Scheme, host and port, the port only where it is not the scheme's own: keys and consent belong to it."""
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.authority}{port}"

    @property
    def authority(self) -> str:
        """The host as it is written in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def base(self) -> str:
        """The URL that ``/chat/completions`` is appended to."""
        return self.origin + self.path

    @property
    def loopback(self) -> bool:
        """Whether nothing leaves this machine."""
        address = literal(self.host)
        return is_local_name(self.host) if address is None else _plain(address).is_loopback

    @classmethod
    def of(cls, base_url: str) -> Self:
        """Read a base URL; one without a path means ``/v1``. Raises `UsageError` that says what to write instead."""
        parts = _split(base_url)
        host = _host(parts)
        try:
            port = _PORTS[parts.scheme] if parts.port is None else parts.port
        except ValueError:
            port = 0
        if not port:
            raise UsageError("the port in the model's base URL is not one: use 1 to 65535") from None
        path = parts.path.rstrip("/").removesuffix("/chat/completions")
        if "//" in path or re.search(r"[^\x21-\x7e]|[\\%]|/\.\.?(/|$)", path):
            raise UsageError("the path of the model's base URL is not plain; write it like https://host/v1")
        found = cls(parts.scheme, host, port, path or "/v1")
        if found.scheme == "http" and not found.loopback:
            raise UsageError(f"plain http reaches this machine only; use https://{found.authority} for another one")
        return found


def is_local_name(host: str) -> bool:
    """Whether a name means this machine without asking any resolver."""
    return host == "localhost" or host.endswith(".localhost")


def literal(host: str) -> Address | None:
    """The address that a host is, None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def may_contact(address: Address, *, loopback: bool) -> bool:
    """Whether an address may be connected to. ``loopback``: the endpoint is on this machine."""
    plain = _plain(address)
    if loopback or plain.is_loopback:
        return loopback and plain.is_loopback
    if plain in _METADATA_ADDRESSES:
        return False
    return not (plain.is_link_local or plain.is_unspecified or plain.is_multicast or plain.is_reserved)


def _plain(address: Address) -> Address:
    """The IPv4 address that an IPv6 one only carries, else the address."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else address)


def _split(base_url: str) -> SplitResult:
    text = base_url.strip()
    if not re.fullmatch(r"[\x21-\x7e\u00a1-\U0010ffff]{1,2048}", text) or "\\" in text:
        raise UsageError("the model's base URL holds characters that no URL has; write it like https://host/v1")
    try:
        parts = urlsplit(text)
    except ValueError:
        raise UsageError("the model's base URL cannot be read; write it like https://host/v1") from None
    if parts.scheme not in _PORTS:
        raise UsageError("a model is reached by https://, or by http:// on this machine; nothing else")
    if "@" in parts.netloc:
        raise UsageError("a base URL carries no user name or password; set the key in LENS_API_KEY")
    if parts.query or parts.fragment or text.endswith(("?", "#")):
        raise UsageError("a base URL ends with its path; leave out everything from ? or # on")
    return parts


def _host(parts: SplitResult) -> str:
    """The host of a URL as it is resolved. Raises `UsageError` for what is none or may never be contacted."""
    try:
        host = (parts.hostname or "").rstrip(".").encode("idna").decode("ascii").lower()
    except UnicodeError:
        host = ""
    address = literal(host)
    if address is None:
        labels = host.split(".")
        # 127.1, 2130706433 and 0x7f.1 are addresses to some resolvers and names to others.
        numeric = bool(re.fullmatch(r"[0-9]+|0x[0-9a-f]*", labels[-1]))
        if numeric or not all(_LABEL.fullmatch(label) for label in labels) or len(host) > 253:
            raise UsageError("the model's base URL names no host; write it like https://host/v1")
    elif getattr(address, "scope_id", None) or not may_contact(address, loopback=_plain(address).is_loopback):
        raise UsageError(f"{host} is an address that machines use among themselves, never a model's")
    if host in _METADATA_NAMES:
        raise UsageError(f"{host} hands out a machine's credentials; it is never a model's address")
    return host


def error_words(body: bytes, key: ApiKey | None) -> str:
    """What a server says about an error, cleaned; empty when it says nothing readable."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return "" if text.lstrip().startswith("<") else clean(text, key)
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and name in found:
            found = found[name]
    return clean(found if isinstance(found, str) else json.dumps(found)[: 4 * MOST_WORDS], key)


def clean(text: str, key: ApiKey | None, most: int = MOST_WORDS) -> str:
    """One line of at most ``most`` code points without control, format or surrogate characters; empty when a part of
    the key stands in it."""
    kinds = ((char, unicodedata.category(char)) for char in text[: 8 * most])
    kept = "".join(
        " " if kind in ("Zl", "Zp", "Cc") else char for char, kind in kinds if kind == "Cc" or kind[0] != "C"
    )
    shown = " ".join(kept.split())
    # What was taken out may have stood between parts of the key.
    if key is not None and (key.is_in(text) or key.is_in("".join(shown.split()))):
        return ""
    return shown if len(shown) <= most else shown[: most - 1] + "…"
