"""One call against a faulty endpoint, and whether what came of it is what must come."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from lens_lsp.judge.llm.chat_model import ChatModel, ChatReply, ChatRequest, Message, ModelError, ModelFailure, Role
from lens_lsp.judge.llm.openai_client import OpenAIChat
from tests.judge.llm.chat_faults import NEVER_ENDING, Fault
from tests.judge.llm.chat_server import ChatServer

KEY = "sk-canary-93b1f7c2d8e4"
OVERRUN = 0.25
"""Seconds that a call may take beyond its deadline."""
SHORT = 0.25
LONG = 5.0
EXPECTED: dict[Fault, set[ModelFailure]] = {
    Fault.CUT_BODY: {ModelFailure.CUT_OFF},
    # Without a length, half a document is a broken one.
    Fault.CUT_STREAM: {ModelFailure.CUT_OFF, ModelFailure.UNREADABLE},
    Fault.NO_FINISH: {ModelFailure.CUT_OFF},
    Fault.INVALID_JSON: {ModelFailure.UNREADABLE},
    Fault.WEB_PAGE: {ModelFailure.UNREADABLE},
    Fault.CHARSET: {ModelFailure.UNREADABLE},
    Fault.NO_CONTENT: {ModelFailure.NO_TEXT},
    Fault.REFUSAL: {ModelFailure.NO_TEXT},
    Fault.TOOL_CALLS: {ModelFailure.NO_TEXT},
    Fault.ENDLESS: {ModelFailure.TOO_LARGE},
    Fault.GZIP_BOMB: {ModelFailure.UNREADABLE},
    Fault.REDIRECT: {ModelFailure.UNTRUSTED},
    Fault.BAD_REQUEST: {ModelFailure.REJECTED},
    Fault.UNAUTHORISED: {ModelFailure.UNAUTHORISED},
    Fault.FORBIDDEN: {ModelFailure.UNAUTHORISED},
    Fault.NOT_FOUND: {ModelFailure.REJECTED},
    Fault.BUSY: {ModelFailure.BUSY},
    Fault.INTERNAL: {ModelFailure.BUSY},
    Fault.BAD_GATEWAY: {ModelFailure.BUSY},
    Fault.UNAVAILABLE: {ModelFailure.BUSY},
    Fault.ERROR_DRIP: {ModelFailure.BUSY},
    Fault.RESET: {ModelFailure.UNREACHABLE},
    Fault.NO_ANSWER: {ModelFailure.UNREACHABLE},
    Fault.NOT_HTTP: {ModelFailure.UNREADABLE},
    Fault.ERROR_INSIDE: {ModelFailure.CUT_OFF},
    Fault.ENDLESS_EVENTS: {ModelFailure.TOO_LARGE},
    Fault.ODD_SHAPES: {ModelFailure.UNREADABLE, ModelFailure.CUT_OFF, ModelFailure.NO_TEXT},
    Fault.DEEP_JSON: {ModelFailure.UNREADABLE},
    Fault.CONTENT_FILTER: {ModelFailure.NO_TEXT},
} | {fault: {ModelFailure.DEADLINE} for fault in NEVER_ENDING}


@dataclass(frozen=True)
class Outcome:
    """What came of one call. It keeps no exception: those hold the frames, and so the bytes, of the call.

    ``typed``: it failed as it must, in a sentence, and said nothing of the key. ``overrun``: seconds beyond the
    deadline, 0 within it. ``closed``: no connection was left open.
    """

    fault: Fault
    typed: bool
    shown: str
    failure: str | None
    overrun: float
    closed: bool


def outcome(fault: Fault, error: Exception | None, overrun: float, *, closed: bool) -> Outcome:
    shown = f"{error!r} {error.__cause__!r} {error.__context__!r}" if error is not None else "no error"
    failure = error.failure if isinstance(error, ModelError) else None
    sentence = isinstance(error, ModelError) and len(str(error)) > 20
    typed = sentence and failure in EXPECTED[fault] and KEY[:8] not in shown
    return Outcome(fault, typed, shown, failure, overrun, closed)


def asking(seconds: float = LONG, text: str = "What is the answer?") -> ChatRequest:
    return ChatRequest((Message(Role.SYSTEM, "Be brief."), Message(Role.USER, text)), max_tokens=100, seconds=seconds)


async def whole(model: ChatModel, request: ChatRequest, *, stream: bool) -> ChatReply:
    """A call of either kind; of a stream, what it ended with."""
    if not stream:
        return await model.complete(request)
    parts = [part async for part in model.stream(request)]
    *texts, reply = parts
    assert isinstance(reply, ChatReply)
    assert "".join(text for text in texts if isinstance(text, str)) == reply.text
    return reply


async def attempt(server: ChatServer, fault: Fault, *, stream: bool) -> Outcome:
    """One call against a server with a fault; then all connections must close."""
    server.fault = fault
    model = OpenAIChat(server.base_url, "any", KEY)
    seconds = SHORT if fault in NEVER_ENDING else LONG
    started = time.monotonic()
    error: Exception | None = None
    try:
        await whole(model, asking(seconds), stream=stream)
    except Exception as caught:  # noqa: BLE001  a leaked exception is what is looked for
        error = caught
    overrun = max(0.0, time.monotonic() - started - seconds)
    closed = True
    try:
        await asyncio.wait_for(server.idle(), 1)
    except TimeoutError:
        closed = False
    await model.aclose()
    return outcome(fault, error, overrun, closed=closed)
