"""What the editor shows for us (``window/*``): progress, messages, files, and the question for consent to a model."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from enum import StrEnum
from types import TracebackType
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lens_lsp.app.consent import ConsentMissing, Destination, record, unconsented
from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.lsp.locations import uri_of
from lens_lsp.lsp.request_handler import RequestFailed
from lens_lsp.lsp.workspace_pool import QueueFull
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.sanitize import printable_line, printable_path

if TYPE_CHECKING:
    from lens_lsp.lsp.protocol import EditorConnection
    from lens_lsp.model.answer import Answer

_CREATE_SECONDS = 5.0
Value = types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
PATIENCE = 600.0
"""Seconds until a question to the user that nobody answered counts as refused."""
_SHOW_SECONDS = 10.0
_LONGEST = 500
_MOST_PLACES = 5


class WorkDoneProgress:
    """Progress of one request, in a ``with`` statement: begun at once or as soon as the client allows it, cancellable,
    always ended.

    ``token`` is the client's; without one the client is asked for its
    consent to ours, which nothing waits for. Its cancel button cancels the task that entered this.

    pygls' own helper forgets no token (``test_progress_tokens_are_forgotten``, upstream issue 607).
    """

    def __init__(self, ls: EditorConnection, token: int | str | None, title: str) -> None:
        self._ls = ls
        self._title = title
        self._token = f"lens-{secrets.token_hex(8)}" if token is None else token
        self._ours = token is None
        self._begun = False
        self._said: str | None = None
        self._asking: asyncio.Task[None] | None = None

    def __enter__(self) -> WorkDoneProgress:
        task = asyncio.current_task()
        if task is not None:
            self._ls.state.on_progress_cancel(self._token, task.cancel)
        if not self._ours:
            self._begin()
        elif self._ls.state.supports("window.work_done_progress"):
            self._asking = self._ls.spawn("progress", self._create())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ls.state.on_progress_cancel(self._token, None)
        if self._asking is not None:
            self._asking.cancel()
        if self._begun:
            self._send(types.WorkDoneProgressEnd())

    def on_cancel(self, cancel: Callable[[], object]) -> None:
        """From now on the cancel button does this, and leaves the task alone."""
        self._ls.state.on_progress_cancel(self._token, cancel)

    def report(self, text: str) -> None:
        """Say what is being done."""
        if text == self._said:
            return
        self._said = text
        if self._begun:
            self._send(types.WorkDoneProgressReport(cancellable=True, message=text))

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """A turn among the questions of the session; how many come first is reported. Raises `RequestFailed` where too
        many wait."""
        turns = self._ls.state.turns
        try:
            async with turns.taken(lambda ahead: self.report(f"waiting, {ahead} ahead")):
                yield
        except QueueFull:
            raise RequestFailed(f"busy: {turns.most_waiting} questions wait already; ask again later") from None

    def from_thread(self) -> Callable[[str], object]:
        """The same for other threads."""
        loop = asyncio.get_running_loop()
        return lambda text: loop.call_soon_threadsafe(self.report, text)

    async def _create(self) -> None:
        params = types.WorkDoneProgressCreateParams(self._token)
        with suppress(JsonRpcException, TimeoutError):
            async with asyncio.timeout(_CREATE_SECONDS):
                await self._ls.window_work_done_progress_create_async(params)
            self._begin()

    def _begin(self) -> None:
        self._begun = True
        self._send(types.WorkDoneProgressBegin(title=self._title, cancellable=True, message=self._said))

    def _send(self, value: Value) -> None:
        self._ls.progress(types.ProgressParams(self._token, value))


class ConsentChoice(StrEnum):
    """What the user says, by the title of the action."""

    SEND = "Send"
    EVIDENCE = "Evidence only"
    REFUSED = ""


@dataclass(slots=True)
class _Pending:
    """A question that is being put to the user, and how many requests wait for its answer."""

    workspaces: tuple[str, ...]
    choice: asyncio.Future[ConsentChoice]
    task: asyncio.Task[None] | None = None
    waiting: int = 0


class ConsentPrompt:
    """Whether text of a workspace may be sent to a model: remembered, or asked of the user through the editor.

    Puts at most one question at a time to the user for each endpoint. On the event loop only.
    """

    def __init__(self, ls: EditorConnection) -> None:
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
        while missing := await asyncio.to_thread(unconsented, destination, folders):
            pending = self._pending.get(endpoint) or self._put(endpoint, missing, worded)
            choice = await self._answer(endpoint, pending)
            if set(missing) <= set(pending.workspaces):
                if choice is ConsentChoice.REFUSED:
                    raise ConsentMissing.of(endpoint, missing, f"ask again and choose {ConsentChoice.SEND.value}")
                return choice is ConsentChoice.SEND
        return True

    def _put(self, endpoint: str, missing: tuple[str, ...], worded: Callable[[], Awaitable[str]]) -> _Pending:
        if not self._ls.state.supports("window.show_message"):
            raise ConsentMissing.of(endpoint, missing, "consent once with `lens ask --yes`")
        pending = _Pending(missing, asyncio.get_running_loop().create_future())
        self._pending[endpoint] = pending
        pending.task = self._ls.spawn("consent", self._ask(endpoint, pending, worded))
        return pending

    async def _answer(self, endpoint: str, pending: _Pending) -> ConsentChoice:
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
        choice = ConsentChoice.REFUSED
        try:
            async with asyncio.timeout(PATIENCE):
                choice = await self._chosen(await worded())
            if choice is ConsentChoice.SEND:
                await asyncio.to_thread(self._record, endpoint, pending.workspaces)
        except (JsonRpcException, TimeoutError):
            choice = ConsentChoice.REFUSED
        finally:
            self._forget(endpoint, pending)
            if not pending.choice.done():
                pending.choice.set_result(choice)

    async def _chosen(self, words: str) -> ConsentChoice:
        actions = [
            types.MessageActionItem(ConsentChoice.SEND.value),
            types.MessageActionItem(ConsentChoice.EVIDENCE.value),
        ]
        params = types.ShowMessageRequestParams(types.MessageType.Info, words, actions)
        action = await self._ls.protocol.inquire(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
        title = None if action is None else action.title
        return ConsentChoice(title) if title in (ConsentChoice.SEND, ConsentChoice.EVIDENCE) else ConsentChoice.REFUSED

    def _record(self, endpoint: str, workspaces: Sequence[str]) -> None:
        if problem := record(endpoint, workspaces):
            self._ls.state.warn_once(problem)

    def _forget(self, endpoint: str, pending: _Pending) -> None:
        if self._pending.get(endpoint) is pending:
            del self._pending[endpoint]


async def show(ls: EditorConnection, path: str, told: str, line: int = 1) -> bool:
    """Open a file in the editor at a line, from 1; where that fails say ``told`` and the file's place instead. Whether
    it was opened."""
    if ls.state.supports("window.show_document.support"):
        start = types.Position(line - 1, 0)
        params = types.ShowDocumentParams(
            uri_of(path), external=False, take_focus=True, selection=types.Range(start, start)
        )
        try:
            async with asyncio.timeout(_SHOW_SECONDS):
                if (await ls.window_show_document_async(params)).success:
                    return True
        except (JsonRpcException, TimeoutError):
            pass  # it is told below
    folder = next((each for each in ls.state.workspaces if inside(path, each)), None)
    named = path if folder is None else os.path.relpath(path, folder)
    say(ls, f"{told} ({printable_path(named)}:{line})")
    return False


def say(ls: EditorConnection, text: str) -> None:
    """Tell the user something that is no warning."""
    ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))


def summarize(answer: Answer) -> str:
    """An answer as one message."""
    return printable_line(answer.short or answer.text, _LONGEST)


def summarize_with_places(answer: Answer) -> str:
    """An answer that is in no file, with the places that prove it."""
    places = [f"{printable_path(item.path)}:{item.start.line}" for item in answer.evidence[:_MOST_PLACES]]
    return " ".join([summarize(answer), *places])
