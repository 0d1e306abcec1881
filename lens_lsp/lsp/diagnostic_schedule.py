"""Schedule of the checks of texts that cite, and the watch of the files that they cite.

A check reads every source anew. Hints that a source changed (an edit of an open text, the editor's watcher, our own)
bring it forward and decide nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from lsprotocol import types

from lens_lsp.corpus.corpus_rules import inside
from lens_lsp.lsp.locations import UriRefused, path_of, uri_of
from lens_lsp.model.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from lens_lsp.corpus.corpus_rules import CorpusRules
    from lens_lsp.corpus.watch import Watch
    from lens_lsp.lsp.protocol import EditorConnection

PAUSE = 0.1
"""Seconds between a hint and the check, so that a burst of hints is one check."""
_APART = 0.3
"""Seconds between two checks at least, whatever is hinted: a checkout hints ten thousand times."""
_POLL = 0.5
"""Seconds between two looks at the cited files, whoever watches them."""
_HELD = 30.0
"""Seconds for which a request for the diagnostics of all notes waits for news."""
_MOST_NOTES = 2_000
"""Notes that are not open of which diagnostics are reported."""
_NOTHING = "0"
"""The id of the result of a note that has no diagnostics."""
Report = types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport
Stamp = tuple[int, int, int, int] | None
"""What tells a file from what it was; None where there is none."""


@dataclass(frozen=True, slots=True)
class _Looked:
    """What a look at a note that is not open came to. It holds while the files have their ``stamps``, unless something
    ``drifted``: that may stand in any file again."""

    stamps: Mapping[str, Stamp]
    items: list[types.Diagnostic]
    id: str
    drifted: bool


class DiagnosticSchedule:
    """Checks of one client's texts. Where it pulls and lets itself be told to pull again, it is told; else diagnostics
    are pushed. On the event loop only."""

    def __init__(self, ls: EditorConnection) -> None:
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
        self._looked: dict[str, _Looked] = {}
        """The notes that are not open, by URI."""
        self._news = asyncio.Event()
        """Something may have changed since all notes were looked at."""
        self._polling: asyncio.Task[None] | None = None
        self.watch = FileWatch(ls, self.heard)

    @property
    def pulled(self) -> bool:
        """Whether the client asks for diagnostics itself."""
        supports = self._ls.state.supports
        return supports("text_document.diagnostic") and supports("workspace.diagnostics.refresh_support")

    @property
    def pulled_of_closed(self) -> bool:
        """Whether the client may ask for notes that are not open, too. Before 0.13 a Neovim that may does not ask again
        for the texts that are (https://github.com/neovim/neovim/pull/40623)."""
        client = self._ls.state.client
        if client is None or client.name != "Neovim":
            return True
        version = re.match(r"(\d+)\.(\d+)", client.version or "")
        return version is not None and (int(version[1]), int(version[2])) >= (0, 13)

    @property
    def sources(self) -> frozenset[str]:
        """The real paths of all that is cited."""
        return frozenset().union(*self._sources.values())

    def changed(self, uri: str) -> None:
        """A text was opened or is another now: check it and whatever cites it."""
        document = self._ls.state.documents.get(uri)
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

    def heard(self, paths: Iterable[str] | None) -> None:
        """As `touched`, of files that nobody may know yet."""
        self._news.set()
        self.touched(paths)

    def check_all(self) -> None:
        """Check all open texts: what is reported may be another now."""
        self._check(document.uri for document in self._ls.state.documents)

    async def report(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of an open text, checked now."""
        from lens_lsp.lsp.diagnostics import check_document

        result = await check_document(self._ls.state, uri)
        if result is None or not result.cites:
            self._know(uri, frozenset())
            self._tell_elsewhere(uri, {})
            return [] if result is None else result.diagnostics
        self._know(uri, result.sources)
        self._tell_elsewhere(uri, result.elsewhere)
        return result.diagnostics

    async def report_all(
        self, previous: Mapping[str, str], send: Callable[[list[Report]], object] | None
    ) -> list[Report]:
        """The diagnostics of all notes that cite and are not open, checked now; ``previous`` are the ids of the results
        that the client has, by URI. Where nothing is new the answer waits for news, for a while: they ask again soon.

        With ``send`` each report is sent as soon as it is there, and none is left to return.
        """
        self._news.clear()
        new, same = await self._look_at_all(previous, send)
        if not new:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), _HELD)
                await asyncio.sleep(PAUSE)
            new, same = await self._look_at_all(previous, send)
        if send is None:
            return [*new, *same]
        send(same)
        return []

    async def _look_at_all(
        self, previous: Mapping[str, str], send: Callable[[list[Report]], object] | None
    ) -> tuple[list[Report], list[Report]]:
        """What is new, and what is as the client has it."""
        state, new, same = self._ls.state, list[Report](), list[Report]()

        def report(each: Report) -> None:
            new.append(each)
            if send is not None:
                send([each])

        shown = {state.place(document) for document in state.documents}
        found = await asyncio.to_thread(_citing_notes, state.workspaces, (await state.settings()).rules)
        notes = {uri_of(path): (path, *seen) for path, seen in found.items() if path not in shown}
        for uri, (path, stamp, text) in notes.items():
            known = self._looked.get(uri)
            if known is None or known.drifted or known.stamps != await asyncio.to_thread(_stamps, known.stamps):
                known = await self._look(uri, path, stamp, text)
            if known.id == previous.get(uri):
                same.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri, known.id))
            elif known.items or uri in previous:
                report(types.WorkspaceFullDocumentDiagnosticReport(uri, known.items, result_id=known.id))
        for uri in previous.keys() - notes.keys():
            self._looked.pop(uri, None)
            if previous[uri] != _NOTHING:  # it is open now, or gone, or cites no more
                report(types.WorkspaceFullDocumentDiagnosticReport(uri, [], result_id=_NOTHING))
        return new, same

    async def _look(self, uri: str, path: str, stamp: Stamp, text: str) -> _Looked:
        """Check a note that is not open, and watch what it cites."""
        from lens_lsp.lsp.diagnostics import GONE, check_document

        result = await check_document(self._ls.state, uri, (path, text))
        items, sources = [], frozenset[str]()
        if result is not None and result.cites:
            items, sources = result.diagnostics, result.sources
        self._know(uri, sources)
        said = "\n".join(f"{each.range} {each.code} {each.message}" for each in items)
        known = self._looked[uri] = _Looked(
            stamps={path: stamp} | await asyncio.to_thread(_stamps, sources),
            items=items,
            id=hashlib.sha256(said.encode()).hexdigest()[:16] if items else _NOTHING,
            drifted=any(each.code in GONE for each in items),
        )
        return known

    def _know(self, uri: str, sources: frozenset[str]) -> None:
        if sources:
            self._sources[uri] = sources
        else:
            self._sources.pop(uri, None)
        self._names = frozenset(part for source in self.sources for part in source.split(os.sep))
        if sources:
            self.watch.begin()
            if self._polling is None:
                self._polling = self._ls.spawn("polling", self._poll())

    def _check(self, uris: Iterable[str]) -> None:
        uris = tuple(uris)
        for uri in uris:
            self._looked.pop(uri, None)
            self._news.set()
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
        document = self._ls.state.documents.get(uri)
        if document is None:
            return
        version = document.version
        items = await self.report(uri)
        now = self._ls.state.documents.get(uri)
        if now is not None and now.version == version:
            self._publish(uri, items, version)
        elif now is not None:
            self._due.add(uri)

    def _tell_elsewhere(self, uri: str, told: Mapping[str, Sequence[types.Diagnostic]]) -> None:
        """Keep what a text tells about other files, and push what is new of it."""
        before = self._elsewhere.pop(uri, {})
        if told and self._ls.state.documents.get(uri) is not None:
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
        before: Mapping[str, Stamp] = {}
        try:
            while self._sources:
                now = await asyncio.to_thread(_stamps, self.sources)
                # One that was not looked at before may have changed since it was checked.
                self.touched([path for path in now if path not in before or before[path] != now[path]])
                before = now
                await asyncio.sleep(_POLL)
        finally:
            self._polling = None


def _citing_notes(workspaces: Sequence[str], rules: CorpusRules) -> dict[str, tuple[Stamp, str]]:
    """The notes of the workspace folders that may cite, by path, each with its text and its stamp before that was read;
    as many as are reported."""
    from lens_lsp.lsp.navigation import cites, note_text, notes_in

    known = ((path, _stamp(path), note_text(path, *status)) for path, status in sorted(notes_in(workspaces, rules)))
    return dict(islice(((path, (stamp, text)) for path, stamp, text in known if cites(text)), _MOST_NOTES))


def _stamps(paths: Iterable[str]) -> dict[str, Stamp]:
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> Stamp:
    try:
        status = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):  # a name that no file has
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


class FileWatch:
    """Watch of the files that are cited: by the editor where it offers to, else by us.

    All of it is a hint that brings a check forward, by ``touched``: the cited files themselves are looked at twice a
    second besides. Nothing is watched before there is a text that cites. On the event loop only.
    """

    def __init__(self, ls: EditorConnection, touched: Callable[[Iterable[str] | None], object]) -> None:
        self._ls = ls
        self._touched = touched
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
        if not self._begun and self._ls.state.folders:
            self._begun = True
            self._ls.spawn("watching", self._begin())

    def restart(self) -> None:
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
        self._touched(paths)

    async def _begin(self) -> None:
        folders = self._ls.state.workspaces
        dynamic = "workspace.did_change_watched_files.dynamic_registration"
        options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")])
        if self._ls.state.supports(dynamic) and await self._ls.register(
            "lens-watched-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options
        ):
            self._by_client = True
        else:
            await self._watch_by_ourselves(folders)
        self._touched(None)  # what changed before anybody watched was told by nobody

    async def _watch_by_ourselves(self, folders: Sequence[str]) -> None:
        from lens_lsp.corpus.watch import Watch

        loop = asyncio.get_running_loop()
        rules = (await self._ls.state.settings()).rules

        watch = Watch(folders, rules, lambda: loop.call_soon_threadsafe(self._news))
        await asyncio.to_thread(watch.start)
        if self._begun and folders == self._ls.state.workspaces:
            self._watch = watch
            self._news()
        else:
            await asyncio.to_thread(watch.stop)

    def _news(self) -> None:
        """Something was told by our own watch."""
        watch = self._watch
        if watch is None:
            return
        paths, problems = watch.take()
        for problem in problems:
            self._ls.state.warn_once(problem)
        self._touched(paths)
        if paths is None:
            asyncio.get_running_loop().run_in_executor(None, watch.catch_up)
