"""What is behind the page: the language server, the questions, the prompts, and what happens meanwhile."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from lens_lsp.client.client import unhandled
from lens_lsp.desktop.asks import Asks
from lens_lsp.desktop.feeds import Feed
from lens_lsp.desktop.folders import Folders
from lens_lsp.desktop.language_server import RUNNING, LanguageServer
from lens_lsp.desktop.pages import Pages
from lens_lsp.desktop.prompts import Prompts
from lens_lsp.lsp.uris import UriRefused, path_of

_HAPPENINGS = 200
_FOLLOWED = 50
"""Answers whose citations are watched, the last ones."""
_LARGEST_ANSWER = 4 << 20


class Assistant:
    """For one set of folders (absolute paths). On one event loop only. Implements `Hearing`."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = Folders(folders)
        self.pages = Pages(self.folders)
        self.happenings = Feed(_HAPPENINGS)
        self.server = LanguageServer(folders, self, self._server_is, os.environ)
        self.asks = Asks(self.server.request, self._answered)
        self.prompts = Prompts(self.asks.tell_waiting)
        self._followed: OrderedDict[str, str] = OrderedDict()
        """The texts of answers, by URI."""
        self._drifted: set[str] = set()
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
        task = asyncio.get_running_loop().create_task(self._follow(uri))
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)

    async def _follow(self, uri: str) -> None:
        """Have the citations of an answer watched: the server does that for texts that are open."""
        text = await asyncio.get_running_loop().run_in_executor(None, _answer, uri)
        if text is None:
            return
        if uri in self._followed:
            self._close(uri)
        self._followed[uri] = text
        self._open(uri, text)
        if len(self._followed) > _FOLLOWED:
            self._close(next(iter(self._followed)))

    def _open(self, uri: str, text: str) -> None:
        document = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        self.server.notify("textDocument/didOpen", {"textDocument": document})

    def _close(self, uri: str) -> None:
        del self._followed[uri]
        self.server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _checked(self, uri: str, diagnostics: Sequence[Any]) -> None:
        """Tell of an answer whose citations do not hold any more, and when they do again."""
        if uri not in self._followed or not (diagnostics or uri in self._drifted):
            return
        (self._drifted.add if diagnostics else self._drifted.discard)(uri)
        self.happenings.put({"type": "drift", "uri": uri, "diagnostics": diagnostics})


def _answer(uri: str) -> str | None:
    """The text of an answer's file; None if it cannot be read."""
    try:
        with open(path_of(uri), encoding="utf-8", newline="") as file:
            return file.read(_LARGEST_ANSWER)
    except (UriRefused, OSError, UnicodeDecodeError):
        return None
