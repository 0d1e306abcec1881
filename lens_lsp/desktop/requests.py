"""What a request of the page's must look like before anything is done with it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import ClientDisconnect, Request

MOST_BYTES = 1 << 20
"""Of a request's body."""
_SECONDS = 10.0
"""For a request's body to come."""


class Malformed(Exception):
    """A request that cannot be meant; the message says why. ``status`` is HTTP's."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object that a request carries. Raises `Malformed`."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Malformed("the body must be application/json", 415)
    data = bytearray()
    try:
        async with asyncio.timeout(_SECONDS):
            async for chunk in request.stream():
                data += chunk
                if len(data) > MOST_BYTES:
                    raise Malformed(f"the body is larger than {MOST_BYTES} bytes", 413)
    except TimeoutError:
        raise Malformed(f"the body did not come within {_SECONDS:.0f} seconds; send it again", 408) from None
    except ClientDisconnect:
        raise Malformed("cancelled", 499) from None
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        raise Malformed("the body is not JSON") from None
    if not isinstance(body, dict):
        raise Malformed("the body is no JSON object")
    return body


def word(body: Mapping[str, Any], name: str, *, most: int = 10_000) -> str:
    """A key that must be a string. Raises `Malformed`."""
    value = body.get(name)
    if not isinstance(value, str) or not value or len(value) > most:
        raise Malformed(f"{name} must be a string of 1 to {most} characters")
    return value


def count(value: object, name: str, *, default: int = 1) -> int:
    """A number from 1, as JSON or written out; ``default`` where there is none. Raises `Malformed`."""
    if value is None:
        return default
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 9:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 1 << 30:
        raise Malformed(f"{name} must be a whole number from 1")
    return value
