"""Whether text of a workspace may be sent to a model: remembered, or asked of the user through the editor."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException

from lens_lsp.domain.errors import LensError
from lens_lsp.domain.inert import printable_path
from lens_lsp.domain.records import dataclass

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer

PATIENCE = 600.0
"""Seconds until a question to the user that nobody answered counts as refused."""


class ConsentMissing(LensError):
    """Text may not be sent to a model; the message says how that is allowed, and what works without."""

    code = "lens.consent"


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

    async def agreed(self, endpoint: str, workspaces: Sequence[str], worded: Callable[[], Awaitable[str]]) -> bool:
        """Whether text of the workspaces may be sent; False: the question is to be answered by rules.

        ``worded`` says what would be sent where, in the words that the user is asked in. Raises `ConsentMissing`.
        """
        while missing := await self.missing(endpoint, workspaces):
            pending = self._pending.get(endpoint) or self._put(endpoint, missing, worded)
            choice = await self._answer(endpoint, pending)
            if set(missing) <= set(pending.workspaces):
                if choice is Choice.REFUSED:
                    raise _refused(endpoint, missing, f"ask again and choose {Choice.SEND.value}")
                return choice is Choice.SEND
        return True

    async def missing(self, endpoint: str, workspaces: Sequence[str]) -> tuple[str, ...]:
        """The workspaces whose text may not be sent to an endpoint yet."""
        from lens_lsp.kept.consents import Consents, consent_file

        given = (await asyncio.get_running_loop().run_in_executor(None, Consents.read, consent_file())).given
        return tuple(workspace for workspace in workspaces if (workspace, endpoint) not in given)

    def _put(self, endpoint: str, missing: tuple[str, ...], worded: Callable[[], Awaitable[str]]) -> _Pending:
        if not get_capability(self._ls.client_capabilities, "window.show_message"):
            raise _refused(endpoint, missing, "consent once with `lens ask --yes`")
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
        from lens_lsp.kept.consents import Consents, consent_file

        consents = Consents.read(consent_file())
        try:
            for workspace in workspaces:
                consents.record(workspace, endpoint)
        except OSError as error:
            why = error.strerror or type(error).__name__
            self._ls.desk.once(f"consent holds for this question and could not be remembered: {why}")

    def _forget(self, endpoint: str, pending: _Pending) -> None:
        if self._pending.get(endpoint) is pending:
            del self._pending[endpoint]


def _refused(endpoint: str, workspaces: Sequence[str], how: str) -> ConsentMissing:
    named = ", ".join(printable_path(workspace) for workspace in workspaces)
    return ConsentMissing(f"text of {named} may not be sent to {endpoint} yet: {how}, or ask with mode evidence")
