"""Every fault a chat endpoint may have, as it looks on the wire."""

from __future__ import annotations

import functools
import json
import struct
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from socket import SO_LINGER, SOL_SOCKET

from tests.judge.llm.chat_wire import PACE, Line, completion, delta, error

ENDLESS_BYTES = 300_000_000
BOMB_BYTES = 300_000_000


class Fault(StrEnum):
    """What an endpoint does wrong."""

    DRIP = "drip"
    KEEP_ALIVES = "keep-alives"
    SILENCE = "silence"
    HALF_OPEN = "half-open"
    CUT_BODY = "cut-body"
    CUT_STREAM = "cut-stream"
    NO_FINISH = "no-finish"
    INVALID_JSON = "invalid-json"
    WEB_PAGE = "web-page"
    CHARSET = "charset"
    NO_CONTENT = "no-content"
    REFUSAL = "refusal"
    TOOL_CALLS = "tool-calls"
    ENDLESS = "endless"
    GZIP_BOMB = "gzip-bomb"
    REDIRECT = "redirect"

    BAD_REQUEST = "400"
    UNAUTHORISED = "401"
    FORBIDDEN = "403"
    NOT_FOUND = "404"
    BUSY = "429"
    INTERNAL = "500"
    BAD_GATEWAY = "502"
    UNAVAILABLE = "503"
    ERROR_DRIP = "error-drip"
    RESET = "reset"
    NO_ANSWER = "no-answer"
    NOT_HTTP = "not-http"
    DRIPPED_HEADERS = "dripped-headers"
    ERROR_INSIDE = "error-inside"
    ENDLESS_EVENTS = "endless-events"
    ODD_SHAPES = "odd-shapes"
    DEEP_JSON = "deep-json"
    CONTENT_FILTER = "content-filter"


SIXTEEN = tuple(Fault)[:16]
"""The kinds of E04 and E05; the rest are those of E01 to E03 and more."""
NEVER_ENDING = frozenset({Fault.DRIP, Fault.KEEP_ALIVES, Fault.SILENCE, Fault.HALF_OPEN, Fault.DRIPPED_HEADERS})
"""These end at the deadline only."""
_ODD: tuple[object, ...] = (
    {"choices": 5},
    {"choices": [7]},
    {"choices": [{"message": "text", "delta": [1], "finish_reason": 3}]},
    {"choices": [{"message": {"content": {"a": 1}}, "delta": {"content": 9}, "finish_reason": "stop"}]},
    [1, 2],
    None,
)


@dataclass(frozen=True)
class Scene:
    """What a fault may depend on: the request's number from 1, and what the server was told."""

    number: int
    stream: bool
    elsewhere: str
    retry_after: str
    words: str


async def _both(line: Line, stream: bool, body: bytes, events: list[object]) -> None:
    """The same content as a document or as a stream that ends well."""
    if not stream:
        await line.whole(body)
        return
    await line.begin_stream()
    for event in events:
        await line.event(event)
    await line.end_stream()


async def _drip(scene: Scene, line: Line) -> None:
    if scene.stream:
        await line.head("200 OK", "text/event-stream", "Connection: close")
        await line.drip(b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n')
    else:
        await line.head("200 OK", "application/json", "Content-Length: 100000")
        await line.drip(b" ")


async def _keep_alives(scene: Scene, line: Line) -> None:
    await line.head("200 OK", "text/event-stream" if scene.stream else "application/json", "Connection: close")
    while not await line.gone_within(PACE):
        await line.send(b": keep-alive\n\n" if scene.stream else b"   \n")


async def _silence(scene: Scene, line: Line) -> None:
    await line.gone()


async def _half_open(scene: Scene, line: Line) -> None:
    if scene.stream:
        await line.begin_stream()
        await line.event(delta("The answer"))
    else:
        await line.head("200 OK", "application/json", "Content-Length: 1000")
        await line.send(b'{"choices": [')
    await line.gone()


async def _cut_body(scene: Scene, line: Line) -> None:
    if scene.stream:
        await line.begin_stream()
        await line.event(delta("The answer is "))
        await line.send(b'1000\r\ndata: {"choices"')
    else:
        body = completion("The answer is 42.")
        await line.head("200 OK", "application/json", f"Content-Length: {len(body)}")
        await line.send(body[:-20])


async def _cut_stream(scene: Scene, line: Line) -> None:
    if scene.stream:
        await line.begin_stream()
        await line.event(delta("The answer is "))
        await line.end_stream()
    else:
        await line.head("200 OK", "application/json", "Connection: close")
        await line.send(completion("The answer is 42.")[:-20])


async def _no_finish(scene: Scene, line: Line) -> None:
    events: list[object] = [delta("The answer"), delta(" is 42."), {"choices": [], "usage": {"prompt_tokens": 3}}]
    await _both(line, scene.stream, completion("The answer is 42.", None), events)


async def _invalid_json(scene: Scene, line: Line) -> None:
    await _both(line, scene.stream, b'{"choices": [{"message": ', ['{"choices": [{"delta": {"content": "a"', "[DONE]"])


async def _web_page(scene: Scene, line: Line) -> None:
    await line.whole(b"<!doctype html><title>Sign in</title>", kind="text/html; charset=utf-8")


async def _charset(scene: Scene, line: Line) -> None:
    body = '{"choices": [{"message": {"content": "caf\xe9"}, "finish_reason": "stop"}]}'.encode("latin-1")
    if scene.number % 2:
        await line.whole(body, kind="application/json; charset=iso-8859-1")
    elif scene.stream:
        await line.begin_stream()
        event = 'data: {"choices": [{"delta": {"content": "caf\xe9"}, "finish_reason": "stop"}]}\n\n'
        await line.chunk(event.encode("latin-1"))
        await line.end_stream()
    else:
        await line.whole(body)


async def _no_content(scene: Scene, line: Line) -> None:
    content = None if scene.number % 2 else " \n"
    await _both(line, scene.stream, completion(content), [delta(content, "stop"), "[DONE]"])


async def _refusal(scene: Scene, line: Line) -> None:
    words = "I cannot help with that."
    await _both(line, scene.stream, completion(None, refusal=words), [delta(None, "stop", refusal=words), "[DONE]"])


async def _tool_calls(scene: Scene, line: Line) -> None:
    function = {"name": "read_file", "arguments": '{"path": "/etc/passwd"}'}
    calls = [{"id": "1", "type": "function", "function": function}]
    body = completion(None, "tool_calls", tool_calls=calls)
    await _both(line, scene.stream, body, [delta(None, tool_calls=calls), "[DONE]"])


async def _endless(scene: Scene, line: Line) -> None:
    if scene.stream:
        await line.head("200 OK", "text/event-stream", "Connection: close")
        await line.send(b'data: {"choices": [{"delta": {"content": "')
    else:
        await line.head("200 OK", "application/json", f"Content-Length: {ENDLESS_BYTES}")
        await line.send(b'{"choices": [{"message": {"content": "')
    block = b"a" * 65_536
    for _ in range(ENDLESS_BYTES // len(block)):
        await line.send(block)


async def _endless_events(scene: Scene, line: Line) -> None:
    await line.head("200 OK", "text/event-stream" if scene.stream else "application/json", "Connection: close")
    block = b": keep-alive\n\n" * 4_000 if scene.stream else b" " * 65_536
    for _ in range(ENDLESS_BYTES // len(block)):
        await line.send(block)


@functools.cache
def _bomb() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(1_000_000)
    return b"".join(packer.compress(block) for _ in range(BOMB_BYTES // len(block))) + packer.flush()


async def _gzip_bomb(scene: Scene, line: Line) -> None:
    await line.whole(
        _bomb(), "Content-Encoding: gzip", kind="text/event-stream" if scene.stream else "application/json"
    )


async def _redirect(scene: Scene, line: Line) -> None:
    status = ("301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect")[scene.number % 4]
    await line.whole(b"{}", f"Location: {scene.elsewhere}/chat/completions", status=status)


async def _error_drip(scene: Scene, line: Line) -> None:
    await line.head("503 Service Unavailable", "application/json", "Content-Length: 100000")
    await line.drip(b" ")


async def _reset(scene: Scene, line: Line) -> None:
    line.writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
    line.writer.transport.abort()


async def _no_answer(scene: Scene, line: Line) -> None:
    line.writer.close()


async def _not_http(scene: Scene, line: Line) -> None:
    await line.send(b"SSH-2.0-OpenSSH_9.6\r\n\r\n" + b"\x00\xff" * 400)


async def _dripped_headers(scene: Scene, line: Line) -> None:
    await line.send(b"HTTP/1.1 200 OK\r\n")
    await line.drip(b"X-More: a\r\n")


async def _error_inside(scene: Scene, line: Line) -> None:
    body = error("the model ran out of memory")
    await _both(line, scene.stream, body, [delta("The"), json.loads(body)])


async def _odd_shapes(scene: Scene, line: Line) -> None:
    odd = _ODD[scene.number % len(_ODD)]
    await _both(line, scene.stream, json.dumps(odd).encode(), [odd])


async def _deep_json(scene: Scene, line: Line) -> None:
    deep = "[" * 100_000
    await _both(line, scene.stream, deep.encode(), [deep, "[DONE]"])


async def _content_filter(scene: Scene, line: Line) -> None:
    await _both(line, scene.stream, completion("Half", "content_filter"), [delta("Half", "content_filter"), "[DONE]"])


def _status(status: str) -> Callable[[Scene, Line], Awaitable[None]]:
    async def serve(scene: Scene, line: Line) -> None:
        await line.whole(error(scene.words or status), f"Retry-After: {scene.retry_after}", status=status)

    return serve


FAULTS: dict[Fault, Callable[[Scene, Line], Awaitable[None]]] = {
    Fault.DRIP: _drip,
    Fault.KEEP_ALIVES: _keep_alives,
    Fault.SILENCE: _silence,
    Fault.HALF_OPEN: _half_open,
    Fault.CUT_BODY: _cut_body,
    Fault.CUT_STREAM: _cut_stream,
    Fault.NO_FINISH: _no_finish,
    Fault.INVALID_JSON: _invalid_json,
    Fault.WEB_PAGE: _web_page,
    Fault.CHARSET: _charset,
    Fault.NO_CONTENT: _no_content,
    Fault.REFUSAL: _refusal,
    Fault.TOOL_CALLS: _tool_calls,
    Fault.ENDLESS: _endless,
    Fault.GZIP_BOMB: _gzip_bomb,
    Fault.REDIRECT: _redirect,
    Fault.BAD_REQUEST: _status("400 Bad Request"),
    Fault.UNAUTHORISED: _status("401 Unauthorized"),
    Fault.FORBIDDEN: _status("403 Forbidden"),
    Fault.NOT_FOUND: _status("404 Not Found"),
    Fault.BUSY: _status("429 Too Many Requests"),
    Fault.INTERNAL: _status("500 Internal Server Error"),
    Fault.BAD_GATEWAY: _status("502 Bad Gateway"),
    Fault.UNAVAILABLE: _status("503 Service Unavailable"),
    Fault.ERROR_DRIP: _error_drip,
    Fault.RESET: _reset,
    Fault.NO_ANSWER: _no_answer,
    Fault.NOT_HTTP: _not_http,
    Fault.DRIPPED_HEADERS: _dripped_headers,
    Fault.ERROR_INSIDE: _error_inside,
    Fault.ENDLESS_EVENTS: _endless_events,
    Fault.ODD_SHAPES: _odd_shapes,
    Fault.DEEP_JSON: _deep_json,
    Fault.CONTENT_FILTER: _content_filter,
}
