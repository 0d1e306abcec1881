"""Whether text of a workspace may be sent to a model: remembered, or asked of the user through the editor."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException

from lens_lsp.app.consent import ConsentMissing, Destination, record, unconsented

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer

PATIENCE = 600.0
"""Seconds until a question to the user that nobody answered counts as refused."""


class Choice(StrEnum):
    """What the user says, by the title of the action."""

    SEND = "Send"
    EVIDENCE = "Evidence only"
    REFUSED = ""


@dataclass(slots=True)
class _Pending:
    """A question that is being put to the user, and how many requests wait for its answer."""

    workspaces: tuple[str, ...]
    choice: asyncio.Future[Choice]
    task: asyncio.Task[None] | None = None
    waiting: int = field(default=0)


class Consenting:
    """Of one client. Puts at most one question at a time to the user for each endpoint. On the event loop only."""

    def __init__(self, ls: LensServer) -> None:
        self._ls = ls
        self._pending: dict[str, _Pending] = {}

    async def agreed(
        self, destination: Destination, folders: Sequence[str], worded: Callable[[], Awaitable[str]]
    ) -> bool:
        """Whether text of the folders may be sent to the model; False: the question is to be answered by rules.

        ``worded`` says what would be sent where, in the words that the user is asked in. Raises `ConsentMissing`, and
        as `unconsented`.
        """
        endpoint = destination.endpoint
        while missing := await self.missing(destination, folders):
            pending = self._pending.get(endpoint) or self._put(endpoint, missing, worded)
            choice = await self._answer(endpoint, pending)
            if set(missing) <= set(pending.workspaces):
                if choice is Choice.REFUSED:
                    raise ConsentMissing.of(endpoint, missing, f"ask again and choose {Choice.SEND.value}")
                return choice is Choice.SEND
        return True

    async def missing(self, destination: Destination, folders: Sequence[str]) -> tuple[str, ...]:
        """The folders whose text may not be sent to the model yet. Raises as `unconsented`."""
        return await asyncio.get_running_loop().run_in_executor(None, unconsented, destination, folders)

    def _put(self, endpoint: str, missing: tuple[str, ...], worded: Callable[[], Awaitable[str]]) -> _Pending:
        if not get_capability(self._ls.client_capabilities, "window.show_message"):
            raise ConsentMissing.of(endpoint, missing, "consent once with `lens ask --yes`")
        pending = _Pending(missing, asyncio.get_running_loop().create_future())
        self._pending[endpoint] = pending
        pending.task = self._ls.spawn("consent", self._ask(endpoint, pending, worded))
        return pending

    async def _answer(self, endpoint: str, pending: _Pending) -> Choice:
        """What the user says; the question is taken back when nobody waits for that any more."""
        pending.waiting += 1
        try:
            return await asyncio.shield(pending.choice)
        finally:
            pending.waiting -= 1
            if not pending.waiting and pending.task is not None and not pending.choice.done():
                self._forget(endpoint, pending)
                pending.task.cancel()

    async def _ask(self, endpoint: str, pending: _Pending, worded: Callable[[], Awaitable[str]]) -> None:
        choice = Choice.REFUSED
        try:
            async with asyncio.timeout(PATIENCE):
                choice = await self._chosen(await worded())
            if choice is Choice.SEND:
                await asyncio.get_running_loop().run_in_executor(None, self._record, endpoint, pending.workspaces)
        except (JsonRpcException, TimeoutError):
            choice = Choice.REFUSED
        finally:
            self._forget(endpoint, pending)
            if not pending.choice.done():
                pending.choice.set_result(choice)

    async def _chosen(self, words: str) -> Choice:
        actions = [types.MessageActionItem(Choice.SEND.value), types.MessageActionItem(Choice.EVIDENCE.value)]
        params = types.ShowMessageRequestParams(types.MessageType.Info, words, actions)
        action = await self._ls.protocol.inquire(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
        title = None if action is None else action.title
        return Choice(title) if title in (Choice.SEND, Choice.EVIDENCE) else Choice.REFUSED

    def _record(self, endpoint: str, workspaces: Sequence[str]) -> None:
        if problem := record(endpoint, workspaces):
            self._ls.desk.once(problem)

    def _forget(self, endpoint: str, pending: _Pending) -> None:
        if self._pending.get(endpoint) is pending:
            del self._pending[endpoint]
