"""Questions asked from the page, and the assistant behind it: language server, feeds of events, prompts.

A question goes on whoever listens, and what it said can be heard again for a while."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from starlette.responses import StreamingResponse

from lens_lsp.client import CANCELLED, Client, Refused, ServerGone, ServerListener, unhandled
from lens_lsp.desktop.folders import Folders, Pages
from lens_lsp.lsp.locations import uri_of
from lens_lsp.model.lazy_dataclass import dataclass

_PING_SECONDS = 15.0
"""Between two signs of life, by which a connection that is gone is noticed."""
CAPABILITIES: Mapping[str, object] = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"showMessage": {"messageActionItem": {}}},
    "textDocument": {"publishDiagnostics": {}},
}
"""The page counts as JavaScript does, and asks its user."""
RUNNING, GONE = "running", "gone"
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 30.0
_LASTING_SECONDS = 60.0
"""A server that lived so long died of something else than its start."""
MOST = 50
"""Questions that are kept, those that run among them."""
KEPT_SECONDS = 3600.0
"""How long a question that ended can be heard again."""
PATIENCE = 10.0
"""Seconds that a question which was stopped may take to say what it found."""
SERVER_GONE = -32000
"""The code of a question that the language server did not live to answer."""
_STOP = "window/workDoneProgress/cancel"


class EventFeed:
    """Feed of numbered events, from 1, for any number of listeners who may come late, leave and come back.

    The last ``most`` events are kept, all if None. On the event loop only.
    """

    def __init__(self, most: int | None = None) -> None:
        self._kept: deque[tuple[int, str]] = deque(maxlen=most)
        self._last = 0
        self._over = False
        self._news = asyncio.Event()
        self._listeners = 0

    @property
    def heard(self) -> bool:
        """Whether anybody listens."""
        return self._listeners > 0

    def put(self, event: Mapping[str, object]) -> None:
        """One more event; plain JSON."""
        if self._over:
            return
        self._last += 1
        self._kept.append((self._last, json.dumps(event, allow_nan=False)))
        self._wake()

    def end(self) -> None:
        """That was all."""
        self._over = True
        self._wake()

    async def after(self, number: int) -> AsyncGenerator[tuple[int, str] | None]:
        """Every event after that number that is kept, and those to come; None now and then when there is none.

        Whoever leaves early closes it.
        """
        self._listeners += 1
        try:
            while True:
                news = self._news
                for seq, event in list(self._kept):
                    if seq > number:
                        number = seq
                        yield seq, event
                if self._over and number >= self._last:
                    return
                try:
                    async with asyncio.timeout(_PING_SECONDS):
                        await news.wait()
                except TimeoutError:
                    yield None
        finally:
            self._listeners -= 1

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def streamed(feed: EventFeed, last_id: str | None) -> StreamingResponse:
    """A feed as Server-Sent Events, from after the event that a client who comes back names by its number."""
    number = int(last_id) if last_id is not None and last_id.isascii() and last_id.isdecimal() else 0

    async def lines() -> AsyncGenerator[str]:
        yield ": connected\n\n"
        async with aclosing(feed.after(number)) as items:
            async for item in items:
                yield ": alive\n\n" if item is None else f"id: {item[0]}\ndata: {item[1]}\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


class LanguageServer:
    """The language server behind the page, one process at a time from `start` to `close`: one that died is replaced,
    and whoever needs it waits for the new one.

    On the event loop only. ``told`` hears `RUNNING` and `GONE`.
    """

    def __init__(
        self, folders: Sequence[str], hear: ServerListener, told: Callable[[str], None], env: Mapping[str, str]
    ) -> None:
        self._folders = tuple(folders)
        """What the server is to serve: the one that runs was told of every change."""
        self._hear = hear
        self._told = told
        self._env = env
        self._client: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._keeping: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to keep one running."""
        self._keeping = asyncio.get_running_loop().create_task(self._keep())

    async def close(self) -> None:
        """End it; its process is gone afterwards, and nobody waits any more."""
        if self._keeping is not None:
            self._keeping.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeping
        if self._client.done():
            await self._client.result().close()
        else:
            self._client.cancel()

    def serve_folders(self, folders: Sequence[str]) -> None:
        """Serve these folders (absolute paths) from now on, and those servers that are started later, too."""
        before, self._folders = self._folders, tuple(folders)
        self._tell_folders(before)

    def _tell_folders(self, before: Sequence[str]) -> None:
        """Tell the server that runs what came and went since it served those."""
        added, removed = (
            [_folder(each) for each in one if each not in other]
            for one, other in ((self._folders, before), (before, self._folders))
        )
        if added or removed:
            self.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": added, "removed": removed}})

    async def request(self, method: str, params: Mapping[str, object], *, again: bool = False) -> Any:
        """The result of a request. Raises `Refused`, and `ServerGone` when the server died over it.

        ``again``: it costs nothing and may be made twice, so that the next server is asked when one died over it.
        """
        if again:
            with suppress(ServerGone):
                return await (await self._running()).request(method, params)
        return await (await self._running()).request(method, params)

    def notify(self, method: str, params: Mapping[str, object]) -> bool:
        """Tell the server something; whether there is one."""
        there = self._client.done() and not self._client.cancelled()
        if there:
            self._client.result().notify(method, params)
        return there

    async def _running(self) -> Client:
        """A server that listens. Raises `ServerGone` when there will be none any more."""
        while True:
            waited = self._client
            try:
                client = await asyncio.shield(waited)
            except asyncio.CancelledError:
                if waited.cancelled():
                    raise ServerGone("lens desktop is ending") from None
                raise
            if client.listening or (self._keeping is not None and self._keeping.done()):
                return client
            await asyncio.wait({client.gone})
            await asyncio.sleep(0)  # until another is awaited in its place

    async def _keep(self) -> None:
        loop, pause = asyncio.get_running_loop(), _FIRST_PAUSE
        while True:
            began = loop.time()
            with suppress(ServerGone, OSError):
                served = self._folders
                client = await Client.start(
                    served, self._hear, options={"events": True}, capabilities=CAPABILITIES, env=self._env
                )
                self._client.set_result(client)
                self._tell_folders(served)
                self._told(RUNNING)
                await asyncio.wait({client.gone})
                self._client = loop.create_future()
                self._told(GONE)
            pause = _FIRST_PAUSE if loop.time() - began > _LASTING_SECONDS else min(2 * pause, _LONGEST_PAUSE)
            await asyncio.sleep(pause)


def _folder(path: str) -> dict[str, str]:
    return {"uri": uri_of(path), "name": os.path.basename(path)}


class Ending(StrEnum):
    """What became of a question."""

    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"


class TooManyQuestions(Exception):
    """As many questions run as may."""


@dataclass(slots=True, eq=False)
class PageQuestion:
    """A question of the page; ``tab`` is whose it is, as the page calls it."""

    id: str
    params: Mapping[str, object]
    tab: str | None
    asked: str
    """When, as ISO 8601 in UTC."""
    feed: EventFeed = field(default_factory=EventFeed)
    task: asyncio.Task[None] | None = None
    reached: bool = False
    """Whether the server has said anything of it: before that, it would not know what to stop."""
    begun: bool = False
    """Whether the server has told anything of its search: from then on it waits for no user."""
    ended: float | None = None
    ending: Ending | None = None
    result: Mapping[str, Any] | None = None
    """The answer: then the question is in its thread, too."""
    giving_up: asyncio.TimerHandle | None = None
    """Of a question that was stopped."""

    @property
    def may_wait(self) -> bool:
        """Whether it may be waiting for the user's consent."""
        return self.ended is None and not self.begun and self.params.get("mode") != "evidence"

    def shown(self) -> dict[str, object]:
        """As a list of questions shows it."""
        return {
            "id": self.id,
            "tab": self.tab,
            "question": self.params.get("question"),
            "thread": self.params.get("thread"),
            "asked": self.asked,
            "heard": self.feed.heard,
            "ending": self.ending,
            "inThread": self.result is not None,
            "answerUri": None if self.result is None else self.result.get("answerUri"),
        }


class PageQuestions:
    """The questions that run, and those that ended lately; ``answered`` is given each result. Event loop only."""

    def __init__(self, server: LanguageServer, answered: Callable[[Mapping[str, Any]], None]) -> None:
        self._server = server
        self._answered = answered
        self._asks: dict[str, PageQuestion] = {}

    def start(
        self, params: Mapping[str, object], tab: str | None, prompts: Iterable[Mapping[str, object]]
    ) -> PageQuestion:
        """Ask a question. ``prompts`` are what the user is being asked already. Raises `TooManyQuestions`."""
        self._forget(room=1)
        if len(self._asks) >= MOST:
            raise TooManyQuestions
        ask = PageQuestion(secrets.token_hex(8), params, tab, datetime.now(UTC).isoformat(timespec="milliseconds"))
        self._asks[ask.id] = ask
        if ask.may_wait:
            for prompt in prompts:
                ask.feed.put(prompt)
        ask.task = asyncio.get_running_loop().create_task(self._run(ask))
        return ask

    def get(self, id_: str) -> PageQuestion | None:
        """The question of a name, if it is kept."""
        self._forget()
        return self._asks.get(id_)

    def listed(self, tab: str | None) -> list[dict[str, object]]:
        """What runs and what ended lately, of one tab or of all, the last first."""
        self._forget()
        return [ask.shown() for ask in reversed(self._asks.values()) if tab is None or ask.tab == tab]

    def cancel(self, id_: str) -> bool:
        """Stop a question: what it found until then is its answer. False if there is none of this name.

        One that the server has said nothing of yet, that says nothing in time, or that is stopped twice, is given up;
        one that has ended stays as it is.
        """
        ask = self.get(id_)
        if ask is None:
            return False
        if ask.task is None or ask.ended is not None:
            return True
        if ask.reached and ask.giving_up is None and self._server.notify(_STOP, {"token": ask.id}):
            ask.giving_up = asyncio.get_running_loop().call_later(PATIENCE, ask.task.cancel)
        else:
            ask.task.cancel()
        return True

    def event(self, params: Mapping[str, Any]) -> None:
        """The server told what happens on the way of a question."""
        ask = self._asks.get(str(params.get("token")))
        if ask is not None:
            ask.reached = ask.begun = True
            ask.feed.put({"type": "event", "event": params})

    def progress(self, params: Mapping[str, Any]) -> None:
        """The server told how far it is."""
        ask, value = self._asks.get(str(params.get("token"))), params["value"]
        if ask is None:
            return
        ask.reached = True
        if message := value.get("message"):
            ask.feed.put({"type": "progress", "message": message, "percentage": value.get("percentage")})

    def tell_waiting(self, event: Mapping[str, object]) -> None:
        """Tell the questions that may wait for the user."""
        for ask in self._asks.values():
            if ask.may_wait:
                ask.feed.put(event)

    def cancel_all(self) -> None:
        """Cancel what runs; every feed ends."""
        for ask in self._asks.values():
            if ask.task is not None:
                ask.task.cancel()

    async def _run(self, ask: PageQuestion) -> None:
        try:
            result = await self._server.request("lens/ask", {**ask.params, "workDoneToken": ask.id})
        except Refused as refused:
            ask.ending = _fail(ask, refused)
        except ServerGone as gone:
            ask.ending = _fail(ask, Refused(SERVER_GONE, f"{gone}; ask again", {"code": "lens.server-gone"}))
        except asyncio.CancelledError:
            ask.ending = _fail(ask, Refused(CANCELLED, "cancelled"))
        else:
            ask.ending = Ending.STOPPED if result.get("stopped") == "cancelled" else Ending.ANSWERED
            ask.result = result
            ask.feed.put({"type": "result", "result": result})
            self._answered(result)
        finally:
            ask.ended = time.monotonic()
            if ask.giving_up is not None:
                ask.giving_up.cancel()
            ask.feed.end()

    def _forget(self, room: int = 0) -> None:
        """Let go of those that ended long ago, and of the oldest that ended where there must be room."""
        now = time.monotonic()
        ended = [ask for ask in self._asks.values() if ask.ended is not None]
        surplus = len(self._asks) + room - MOST
        for number, ask in enumerate(sorted(ended, key=lambda ask: ask.ended or 0.0)):
            if number < surplus or now - (ask.ended or 0.0) > KEPT_SECONDS:
                del self._asks[ask.id]


def _fail(ask: PageQuestion, refused: Refused) -> Ending:
    """Say why there is no answer."""
    cancelled = refused.code == CANCELLED
    name = "lens.cancelled" if cancelled else refused.name
    ask.feed.put({"type": "error", "code": refused.code, "name": name, "message": refused.message})
    return Ending.STOPPED if cancelled else Ending.FAILED


class Prompts:
    """What the language server asks of the user, until it is answered once. On the event loop only."""

    def __init__(self, tell: Callable[[Mapping[str, object]], None]) -> None:
        self._tell = tell
        """Tells every question that may wait."""
        self._open: dict[str, tuple[Mapping[str, object], asyncio.Future[str | None]]] = {}

    @property
    def waiting(self) -> tuple[Mapping[str, object], ...]:
        """As they are told."""
        return tuple(told for told, _ in self._open.values())

    async def put(self, params: Any) -> object:
        """The result of ``window/showMessageRequest``: what the user chose; cancelled when it is taken back."""
        number = secrets.token_hex(8)
        actions = [str(action["title"]) for action in params.get("actions") or ()]
        told = {"type": "consent", "id": number, "message": str(params["message"]), "actions": actions}
        chosen: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._open[number] = (told, chosen)
        self._tell(told)
        try:
            action = await chosen
        finally:
            del self._open[number]
            self._tell({"type": "consent-over", "id": number})
        return {"title": action} if action in actions else None

    def answer(self, number: str, action: str | None) -> bool:
        """The user has chosen, None to close it; False if nobody waits for that."""
        _, chosen = self._open.get(number, (None, None))
        if chosen is None or chosen.done():
            return False
        chosen.set_result(action)
        return True


_HAPPENINGS = 200
FOLLOWED = 50
"""Answers whose citations are watched, the last ones."""


class Assistant:
    """For some folders (absolute paths), which come and go; ``kept`` is where it is noted which. On one event loop
    only. Implements `ServerListener`."""

    def __init__(self, folders: Sequence[str], kept: Path | None = None) -> None:
        self.folders = Folders(folders, kept)
        self.pages = Pages(self.folders)
        self.happenings = EventFeed(_HAPPENINGS)
        self.server = LanguageServer(folders, self, self._server_is, os.environ)
        self.asks = PageQuestions(self.server, self._answered)
        self.prompts = Prompts(self.asks.tell_waiting)
        self._followed: OrderedDict[str, str] = OrderedDict()
        """The texts of answers, by URI."""
        self._drifted: dict[str, Sequence[Any]] = {}
        """What was told of the answers that do not hold, by URI."""
        self._reading: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin."""
        self.server.start()

    def folders_changed(self) -> None:
        """Have the server search what is open now, and every tab show it."""
        self.server.serve_folders(self.folders.given)
        self.happenings.put({"type": "changed"})

    def hush(self) -> None:
        """Cancel all questions and end all feeds."""
        self.happenings.end()
        self.asks.cancel_all()

    async def close(self) -> None:
        """End everything, and the language server."""
        self.hush()
        for task in self._reading:
            task.cancel()
        await self.server.close()
        await asyncio.get_running_loop().run_in_executor(None, self.pages.close)

    def notification(self, method: str, params: Any) -> None:
        """The language server told something."""
        if method == "lens/event":
            self.asks.event(params)
        elif method == "$/progress":
            self.asks.progress(params)
        elif method == "textDocument/publishDiagnostics":
            self._checked(params["uri"], params["diagnostics"])
        elif method == "window/showMessage":
            self.happenings.put({"type": "notice", "message": params["message"]})

    async def request(self, method: str, params: Any) -> object:
        """The language server asks something."""
        if method == "window/showMessageRequest":
            return await self.prompts.put(params)
        raise unhandled(method)

    def _server_is(self, state: str) -> None:
        self.happenings.put({"type": "server", "state": state})
        if state == RUNNING:
            for uri, text in self._followed.items():
                self._open(uri, text)

    def _answered(self, result: Mapping[str, Any]) -> None:
        uri = result.get("answerUri")
        if uri is None:  # a dry run, or an answer that could not be kept
            return
        self.happenings.put({"type": "answered", "answerUri": uri})
        self._read(uri)

    def follow(self, uris: Iterable[str]) -> None:
        """Have what answers cite watched from now on, as what was just answered is."""
        for uri in uris:
            if uri not in self._followed:
                self._read(uri)

    def _read(self, uri: str) -> None:
        task = asyncio.get_running_loop().create_task(self._follow(uri))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _follow(self, uri: str) -> None:
        """Have the citations of an answer watched: the server does that for texts that are open."""
        try:
            answer = await self.server.request("lens/answer", {"answer": uri}, again=True)
        except (Refused, ServerGone):  # it is none, or is gone
            return
        text = answer["text"]
        if uri in self._followed:
            self._close(uri)
        self._followed[uri] = text
        self._open(uri, text)
        if len(self._followed) > FOLLOWED:
            self._close(next(iter(self._followed)))

    def _open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        self.server.notify("textDocument/didOpen", {"textDocument": document})

    def _close(self, uri: str) -> None:
        del self._followed[uri]
        self._drifted.pop(uri, None)
        self.server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _checked(self, uri: str, diagnostics: Sequence[Any]) -> None:
        """Tell of an answer whose citations do not hold any more, do so otherwise, or do again: once each.

        The server says the same after every look, and a page that is told looks.
        """
        if uri not in self._followed or diagnostics == self._drifted.get(uri, []):
            return
        self._drifted[uri] = diagnostics
        self.happenings.put({"type": "drift", "uri": uri, "diagnostics": diagnostics})
