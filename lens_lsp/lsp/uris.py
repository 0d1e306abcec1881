"""Paths and ``file:`` URIs, both ways, exact to the byte.

pygls' own raise for names that are no text, turn ``file://host/share`` into a network path and let NUL through.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

_FILE = re.compile(r"file:(//(?P<authority>[^/]*))?(?P<path>/[^?#]*)(#.*)?", re.IGNORECASE | re.DOTALL)
_BAD_ESCAPE = re.compile(r"%(?![0-9a-fA-F]{2})")
_DRIVE = re.compile(r"/[A-Za-z]:(/|\Z)")
_SAFE = "/!$&'()*+,;=:@-._~"
_WINDOWS = os.name == "nt"


class UriRefused(ValueError):
    """A URI that names no file we may look at; the message says why."""


def path_of(uri: str, *, windows: bool = _WINDOWS) -> str:
    """The absolute path of a ``file:`` URI as ``windows`` or other systems write it; no part of it is ``.`` or ``..``.
    Raises `UriRefused`."""
    match = _FILE.fullmatch(uri)
    if match is None:
        raise UriRefused("not a file: URI")
    if (match["authority"] or "").lower() not in ("", "localhost"):
        raise UriRefused("a file on another host")
    written = match["path"]
    if _BAD_ESCAPE.search(written):
        raise UriRefused("a % that escapes nothing")
    try:
        data = unquote_to_bytes(written)
    except UnicodeEncodeError as error:
        raise UriRefused("half a surrogate pair") from error
    if b"\0" in data:
        raise UriRefused("a NUL in a path")
    path = os.fsdecode(data)
    if windows and not _DRIVE.match(path):
        raise UriRefused("no drive")
    parts = re.split(r"[/\\]" if windows else "/", path)[1:]
    if path.startswith("//") or "." in parts or ".." in parts:
        raise UriRefused("a path that is not plain")
    root, separator = (f"{parts.pop(0)}\\", "\\") if windows else ("/", "/")
    return root + separator.join(parts).rstrip(separator)


def uri_of(path: str, *, windows: bool = _WINDOWS) -> str:
    """The ``file:`` URI of an absolute path as ``windows`` or other systems write it."""
    if windows:
        path = "/" + path.replace("\\", "/")
    return "file://" + quote_from_bytes(os.fsencode(path), safe=_SAFE)
