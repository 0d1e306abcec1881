"""Questions that were asked from the page: they go on whoever listens, and what they said can be heard again."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from lens_lsp.client import CANCELLED, Refused, ServerGone
from lens_lsp.desktop.feeds import Feed

MOST = 50
"""Questions that are kept, those that run among them."""
KEPT_SECONDS = 3600.0
"""How long a question that ended can be heard again."""
PATIENCE = 10.0
"""Seconds that a question which was stopped may take to say what it found."""
GONE = -32000
"""The code of a question that the language server did not live to answer."""
_STOP = "window/workDoneProgress/cancel"


class Server(Protocol):
    """Who answers."""

    async def request(self, method: str, params: Mapping[str, object]) -> Any:
        """The result of a request. Raises `Refused`, and `ServerGone` when the server died over it."""

    def notify(self, method: str, params: Mapping[str, object]) -> bool:
        """Tell it something; whether there is one."""


class Ending(StrEnum):
    """What became of a question."""

    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"


class TooMany(Exception):
    """As many questions run as may."""


@dataclass(slots=True, eq=False)
class Ask:
    """One question. ``tab`` is whose it is, as the page calls it."""

    id: str
    params: Mapping[str, object]
    tab: str | None
    asked: str
    """When, as ISO 8601 in UTC."""
    feed: Feed = field(default_factory=Feed)
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


class Asks:
    """Those that run, and those that ended lately. On the event loop only.

    ``answered`` is given each result.
    """

    def __init__(self, server: Server, answered: Callable[[Mapping[str, Any]], None]) -> None:
        self._server = server
        self._answered = answered
        self._asks: dict[str, Ask] = {}

    def start(self, params: Mapping[str, object], tab: str | None, prompts: Iterable[Mapping[str, object]]) -> Ask:
        """Ask. ``prompts`` are what the user is being asked already. Raises `TooMany`."""
        self._forget(room=1)
        if len(self._asks) >= MOST:
            raise TooMany
        ask = Ask(secrets.token_hex(8), params, tab, datetime.now(UTC).isoformat(timespec="milliseconds"))
        self._asks[ask.id] = ask
        if ask.may_wait:
            for prompt in prompts:
                ask.feed.put(prompt)
        ask.task = asyncio.get_running_loop().create_task(self._run(ask))
        return ask

    def get(self, id_: str) -> Ask | None:
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

    async def _run(self, ask: Ask) -> None:
        try:
            result = await self._server.request("lens/ask", {**ask.params, "workDoneToken": ask.id})
        except Refused as refused:
            ask.ending = _fail(ask, refused)
        except ServerGone as gone:
            ask.ending = _fail(ask, Refused(GONE, f"{gone}; ask again", {"code": "lens.server-gone"}))
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


def _fail(ask: Ask, refused: Refused) -> Ending:
    """Say why there is no answer."""
    cancelled = refused.code == CANCELLED
    name = "lens.cancelled" if cancelled else refused.name
    ask.feed.put({"type": "error", "code": refused.code, "name": name, "message": refused.message})
    return Ending.STOPPED if cancelled else Ending.FAILED
