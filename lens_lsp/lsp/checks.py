"""When texts that cite are checked, and how the editor hears of it. On the event loop only.

A check reads every source anew. Hints that a source changed (an edit of an open text, the editor's watcher, our own)
bring it forward and decide nothing.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability

from lens_lsp.corpus.corpus_rules import inside

if TYPE_CHECKING:
    from lens_lsp.lsp.server import LensServer

PAUSE = 0.1
"""Seconds between a hint and the check, so that a burst of hints is one check."""
_APART = 0.3
"""Seconds between two checks at least, whatever is hinted: a checkout hints ten thousand times."""
_POLL = 0.5
"""Seconds between two looks at the cited files, whoever watches them."""

Stamp = tuple[int, int, int, int] | None
"""What tells a file from what it was; None where there is none."""


class Checks:
    """Of one client. Where it pulls and lets itself be told to pull again, it is told; else diagnostics are pushed."""

    def __init__(self, ls: LensServer) -> None:
        self._ls = ls
        self._due: set[str] = set()
        self._sources: dict[str, frozenset[str]] = {}
        """The real paths of what each text cites, by its URI, as of its last check."""
        self._names: frozenset[str] = frozenset()
        """Every part of those paths: most hints are none of ours."""
        self._own: dict[str, list[types.Diagnostic]] = {}
        """What was pushed of a text's own diagnostics, by its URI."""
        self._elsewhere: dict[str, Mapping[str, Sequence[types.Diagnostic]]] = {}
        """What the check of a text told about other files, by its URI and theirs: pushed to every client."""
        self._pushed: set[str] = set()
        self._running: asyncio.Task[None] | None = None
        self._ran = -_APART
        """When the last check ended, by the loop's clock."""
        self._polling: asyncio.Task[None] | None = None

    @property
    def pulled(self) -> bool:
        """Whether the client asks for diagnostics itself."""
        capabilities = self._ls.session.capabilities
        return bool(
            get_capability(capabilities, "text_document.diagnostic")
            and get_capability(capabilities, "workspace.diagnostics.refresh_support")
        )

    @property
    def sources(self) -> frozenset[str]:
        """The real paths of all that is cited."""
        return frozenset().union(*self._sources.values())

    def changed(self, uri: str) -> None:
        """A text was opened or is another now: check it and whatever cites it."""
        document = self._ls.session.documents.get(uri)
        if document is not None:
            if not self.pulled:  # a client that pulls does so by itself for the text that it changes
                self._check([uri])
            if document.path is not None and self._sources:
                self.touched([document.path])

    def closed(self, uri: str, path: str | None) -> None:
        """A text is shown no longer; what cites it goes by the disk again."""
        self._sources.pop(uri, None)
        self._due.discard(uri)
        self._publish(uri, [], None)
        self._tell_elsewhere(uri, {})
        if path is not None:
            self.touched([path])

    def touched(self, paths: Iterable[str] | None) -> None:
        """Files or folders may have changed; None for any."""
        if paths is None:
            self._check(self._sources)
            return
        near = [path for path in paths if os.path.basename(path) in self._names]
        real = {os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)) for path in near}
        if real:
            self._check(
                uri
                for uri, sources in self._sources.items()
                if any(inside(source, path) for source in sources for path in real)
            )

    def again(self) -> None:
        """Check all open texts: what is reported may be another now."""
        self._check(document.uri for document in self._ls.session.documents)

    async def report(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of an open text, checked now."""
        from lens_lsp.lsp.inspecting import inspected

        result = await inspected(self._ls, uri)
        if result is None or not result.cites:
            self._know(uri, frozenset())
            self._tell_elsewhere(uri, {})
            return [] if result is None else result.diagnostics
        self._know(uri, result.sources)
        self._tell_elsewhere(uri, result.elsewhere)
        return result.diagnostics

    def _know(self, uri: str, sources: frozenset[str]) -> None:
        if sources:
            self._sources[uri] = sources
        else:
            self._sources.pop(uri, None)
        self._names = frozenset(part for source in self.sources for part in source.split(os.sep))
        if sources:
            self._ls.desk.watching.begin()
            if self._polling is None:
                self._polling = self._ls.spawn("polling", self._poll())

    def _check(self, uris: Iterable[str]) -> None:
        self._due.update(uris)
        if self._due and self._running is None:
            self._running = self._ls.spawn("checks", self._run())

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        try:
            while self._due:
                await asyncio.sleep(max(PAUSE, self._ran + _APART - clock()))
                due, self._due = self._due, set()
                if self.pulled:
                    await self._ls.workspace_diagnostic_refresh_async(None)
                else:
                    for uri in sorted(due):
                        await self._push(uri)
                self._ran = clock()
        finally:
            self._running = None

    async def _push(self, uri: str) -> None:
        document = self._ls.session.documents.get(uri)
        if document is None:
            return
        version = document.version
        items = await self.report(uri)
        now = self._ls.session.documents.get(uri)
        if now is not None and now.version == version:
            self._publish(uri, items, version)
        elif now is not None:
            self._due.add(uri)

    def _tell_elsewhere(self, uri: str, told: Mapping[str, Sequence[types.Diagnostic]]) -> None:
        """Keep what a text tells about other files, and push what is new of it."""
        before = self._elsewhere.pop(uri, {})
        if told and self._ls.session.documents.get(uri) is not None:
            self._elsewhere[uri] = told
        for other in {*before, *told}:
            if before.get(other) != told.get(other):
                self._publish(other, self._own.get(other, []), None)

    def _publish(self, uri: str, own: list[types.Diagnostic], version: int | None) -> None:
        self._own[uri] = own
        if not own:
            del self._own[uri]
        items = [*own, *(each for told in self._elsewhere.values() for each in told.get(uri, ()))]
        if items or uri in self._pushed:
            self._ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, items, version))
            (self._pushed.add if items else self._pushed.discard)(uri)

    async def _poll(self) -> None:
        """Look at the cited files now and then, for as long as there are any texts that cite.

        A watch may be dead without a sign of it, and tells nothing of what another machine changes.
        """
        loop = asyncio.get_running_loop()
        before: Mapping[str, Stamp] = {}
        try:
            while self._sources:
                now = await loop.run_in_executor(None, _stamps, self.sources)
                # One that was not looked at before may have changed since it was checked.
                self.touched([path for path in now if path not in before or before[path] != now[path]])
                before = now
                await asyncio.sleep(_POLL)
        finally:
            self._polling = None


def _stamps(paths: Iterable[str]) -> dict[str, Stamp]:
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> Stamp:
    try:
        status = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):  # a name that no file has
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
