"""Who watches the files that are cited: the editor where it offers to, else we.

All of it is a hint that brings a check forward: the cited files themselves are looked at twice a second besides
(`lens_lsp.lsp.checks`). Nothing is watched before there is a text that cites.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException

from lens_lsp.lsp.uris import UriRefused, path_of

if TYPE_CHECKING:
    from lens_lsp.corpus.watch import Watch
    from lens_lsp.lsp.server import LensServer

_REGISTRATION = "lens-watched-files"


class Watching:
    """Of one client. On the event loop only."""

    def __init__(self, ls: LensServer) -> None:
        self._ls = ls
        self._begun = False
        self._by_client = False
        """Whether the editor watches."""
        self._watch: Watch | None = None

    @property
    def how(self) -> str:
        """Who watches, in a word: for ``lens/status``."""
        return "editor" if self._by_client else "system" if self._watch is not None else "none"

    def begin(self) -> None:
        """Watch from now on, if nobody does yet."""
        if not self._begun and self._ls.session.folders:
            self._begun = True
            self._ls.spawn("watching", self._begin())

    def moved(self) -> None:
        """The workspace folders are others now."""
        if self._begun:
            self.stop()
            self.begin()

    def stop(self) -> None:
        """Watch no longer."""
        watch, self._watch = self._watch, None
        self._begun = False
        self._by_client = False
        if watch is not None:
            asyncio.get_running_loop().run_in_executor(None, watch.stop)

    def told(self, changes: Sequence[types.FileEvent]) -> None:
        """The editor says that files changed."""
        paths = []
        for change in changes:
            try:
                paths.append(path_of(change.uri))
            except UriRefused:
                continue
        self._ls.desk.checks.touched(paths)

    async def _begin(self) -> None:
        folders = self._ls.session.workspaces()
        dynamic = "workspace.did_change_watched_files.dynamic_registration"
        if get_capability(self._ls.client_capabilities, dynamic, False) and await self._register():
            self._by_client = True
        else:
            await self._watch_by_ourselves(folders)
        self._ls.desk.checks.touched(None)  # what changed before anybody watched was told by nobody

    async def _register(self) -> bool:
        watchers = [types.FileSystemWatcher("**/*")]
        registration = types.Registration(
            _REGISTRATION,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            types.DidChangeWatchedFilesRegistrationOptions(watchers),
        )
        try:
            await self._ls.client_register_capability_async(types.RegistrationParams([registration]))
        except JsonRpcException:
            return False
        return True

    async def _watch_by_ourselves(self, folders: Sequence[str]) -> None:
        from lens_lsp.corpus.watch import Watch

        loop = asyncio.get_running_loop()
        rules = (await self._ls.session.settings()).rules

        def news() -> None:
            loop.call_soon_threadsafe(self._news)

        watch = Watch(folders, rules, news)
        await loop.run_in_executor(None, watch.start)
        if self._begun and folders == self._ls.session.workspaces():
            self._watch = watch
            self._news()
        else:
            await loop.run_in_executor(None, watch.stop)

    def _news(self) -> None:
        """Something was told by our own watch."""
        watch = self._watch
        if watch is None:
            return
        paths, problems = watch.take()
        for problem in problems:
            self._ls.desk.once(problem)
        self._ls.desk.checks.touched(paths)
        if paths is None:
            asyncio.get_running_loop().run_in_executor(None, watch.catch_up)
