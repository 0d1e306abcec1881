"""What is behind the page: the language server, the questions, the prompts, and what happens meanwhile."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lens_lsp.client import Refused, ServerGone, unhandled
from lens_lsp.desktop.folders import Folders, Pages
from lens_lsp.desktop.page_questions import RUNNING, EventFeed, LanguageServer, PageQuestions, Prompts

_HAPPENINGS = 200
FOLLOWED = 50
"""Answers whose citations are watched, the last ones."""


class Assistant:
    """For one set of folders (absolute paths). On one event loop only. Implements `ServerListener`."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = Folders(folders)
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
