"""Discovery: every file under a root that no rule excludes, and what was passed over and why.

Folders are listed and left by descriptor, from the one above, never through a link; so a tree may be deeper
than any path the system accepts, may change while it is walked, and leads nowhere else. Not here: reading
(``opening``), what a file holds (``encoding``, ``formats``).
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import NamedTuple

from lens_lsp.corpus.globs import Patterns
from lens_lsp.corpus.ignore import MARKERS, IgnoreRules
from lens_lsp.corpus.opening import Handle, Root, Skipped, close_folder, display_path, open_folder_at, skipped
from lens_lsp.corpus.rules import CorpusRules, clutter_name, denied_name, denied_path, denied_root
from lens_lsp.domain.model import Skip, SkipReason

_OPEN_FOLDERS = 16
"""Descriptors a walk keeps: enough never to reopen one in ordinary trees, few enough for a limit of 64."""
_LOOK_UP_EVERY = 1024
"""Entries of one folder between two looks at ``cancelled``."""
_TELL_EVERY = 1000
"""Files between two calls of ``on_progress``."""


class FileEntry(NamedTuple):
    """A file that may be searched, and what identifies its content. A tuple, for there are many."""

    root: int
    path: str
    """Relative, ``/`` between parts; may hold bytes that are no text: shown by ``display_path``."""
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int


@dataclass(frozen=True, slots=True)
class Discovery:
    """What lies under a root, sorted by path. ``Skip.path`` is printable, and ends in ``/`` for a folder."""

    files: list[FileEntry]
    skips: list[Skip]
    complete: bool = True
    """``False`` when it was cancelled: what was found until then."""


def discover(
    root: Root,
    rules: CorpusRules,
    *,
    explicit_file: str | None = None,
    on_progress: Callable[[int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Discovery:
    """Find the files under a root.

    ``explicit_file`` is a path below the root that the user named: it alone is looked at, and only the deny
    list can exclude it. ``on_progress`` is told the number of files found so far, about once per thousand.
    Raises nothing for what it meets on the way; ``PathRefused`` if ``explicit_file`` is not a plain path
    below the root.
    """
    if denied_root(root.path):
        return Discovery([], [Skip("./", SkipReason.DENIED)])
    if explicit_file is not None:
        return _named(root, explicit_file)
    walk = _Walk(root, rules, on_progress, cancelled)
    complete = walk.run()
    walk.files.sort(key=itemgetter(1))
    walk.skips.sort(key=attrgetter("path"))
    return Discovery(walk.files, walk.skips, complete)


def _named(root: Root, path: str) -> Discovery:
    if denied_path(path):
        return Discovery([], [Skip(display_path(path), SkipReason.DENIED)])
    try:
        fd = root.open(path)
    except Skipped as error:
        return Discovery([], [Skip(display_path(path), error.reason)])
    try:
        return Discovery([_entry(root.index, path, os.fstat(fd))], [])
    finally:
        os.close(fd)


def _entry(root: int, path: str, status: os.stat_result) -> FileEntry:
    return FileEntry(
        root,
        path,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        status.st_dev,
    )


class _Folder:
    """A folder on the way from the root to where the walk is."""

    __slots__ = ("children", "handle", "identity", "in_scope", "name", "rules")

    def __init__(self, name: str, handle: Handle, rules: IgnoreRules) -> None:
        self.name = name
        self.handle: Handle | None = handle
        """``None`` while closed to save descriptors."""
        self.rules = rules
        self.identity = (0, 0)
        self.children: list[tuple[str, bool]] = []
        """Folders still to visit, last first, and whether a scope named them."""
        self.in_scope = False


class _Walk:
    """One walk: depth first with an explicit stack, of which only the deepest folders stay open."""

    def __init__(
        self,
        root: Root,
        rules: CorpusRules,
        on_progress: Callable[[int], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self.files: list[FileEntry] = []
        self.skips: list[Skip] = []
        self._root = root
        self._respect_files = rules.respect_ignore_files
        self._start = IgnoreRules.of_root(root.path, rules.exclude, rules.respect_ignore_files)
        self._scopes = Patterns(rules.scopes)
        self._on_progress = on_progress or (lambda found: None)
        self._cancelled = cancelled or (lambda: False)
        self._stopped = False
        self._told = 0
        self._visited: set[tuple[int, int]] = set()
        self._stack: list[_Folder] = []
        self._steps: list[str] = []
        """The names of the folders on the stack, each with its slash; none for the root."""
        self._open: deque[_Folder] = deque()
        """The folders of the stack that are open, but for the root: always its deepest."""

    def run(self) -> bool:
        """Walk; ``False`` if it was cancelled."""
        try:
            top = _Folder("", self._root.handle, self._start)
            top.in_scope = not self._scopes
            self._enter(top)
            while self._stack and not self._stopped:
                folder = self._stack[-1]
                if folder.children:
                    self._descend(folder, *folder.children.pop())
                else:
                    self._leave()
        finally:
            while self._stack:
                self._leave()
        return not self._stopped

    def _descend(self, folder: _Folder, name: str, in_scope: bool) -> None:
        try:
            parent = self._handle(folder)
        except Skipped as error:
            for lost, _ in (*folder.children, (name, in_scope)):
                self._skip(self._prefix() + lost + "/", error.reason)
            folder.children.clear()
            return
        try:
            handle = open_folder_at(parent, name)
        except Skipped as error:
            self._skip(self._prefix() + name + "/", error.reason)
            return
        child = _Folder(name, handle, folder.rules)
        child.in_scope = in_scope
        self._open.append(child)
        if len(self._open) > _OPEN_FOLDERS:
            self._close_shallowest()
        self._enter(child)

    def _enter(self, folder: _Folder) -> None:
        """Put an open folder on the stack; look through it unless it was seen under another name."""
        self._stack.append(folder)
        self._steps.append(folder.name + "/" if folder.name else "")
        assert folder.handle is not None
        try:
            status = os.stat(folder.handle)
            folder.identity = (status.st_dev, status.st_ino)
            if folder.identity not in self._visited:
                self._visited.add(folder.identity)
                self._look_through(folder, folder.handle)
        except OSError as error:
            self._skip(self._prefix() or "./", skipped(error).reason)

    def _leave(self) -> None:
        folder = self._stack.pop()
        self._steps.pop()
        if folder.handle is not None and self._stack:
            close_folder(folder.handle)
            self._open.pop()

    def _close_shallowest(self) -> None:
        folder = self._open.popleft()
        if folder.handle is not None:
            close_folder(folder.handle)
            folder.handle = None

    def _handle(self, folder: _Folder) -> Handle:
        """The folder on top of the stack; if it was closed, opened again from the nearest open one above.

        The folders between are kept open as far as descriptors go, for they come next. Raises ``Skipped``.
        """
        if folder.handle is not None:
            return folder.handle
        at = len(self._stack) - 1
        while (handle := self._stack[at].handle) is None:
            at -= 1
        for step in self._stack[at + 1 :]:
            handle = step.handle = open_folder_at(handle, step.name)
            self._open.append(step)
            if len(self._open) > _OPEN_FOLDERS:
                self._close_shallowest()
        status = os.stat(handle)
        if (status.st_dev, status.st_ino) != folder.identity:
            raise Skipped(SkipReason.UNREADABLE)  # replaced meanwhile: what it was listed for is gone
        return handle

    def _prefix(self) -> str:
        """Path of the folder on top of the stack with a slash at its end, nothing for the root.

        Put together when it is needed: kept in every folder it would grow with the square of the depth.
        """
        return "".join(self._steps)

    def _skip(self, path: str, reason: SkipReason) -> None:
        self.skips.append(Skip(display_path(path), reason))

    def _look_through(self, folder: _Folder, handle: Handle) -> None:
        entries: list[os.DirEntry[str]] = []
        prefix = self._prefix()
        try:
            with os.scandir(handle) as found:
                entries.extend(found)
        except OSError as error:  # what was listed before it still counts
            self._skip(prefix or "./", skipped(error).reason)
        if self._respect_files:
            names = {entry.name for entry in entries if entry.name in MARKERS}
            folder.rules = folder.rules.inside(handle, names, prefix) if names else folder.rules
        while entries and not self._stopped:
            self._sort_out(folder, prefix, entries[-_LOOK_UP_EVERY:])
            del entries[-_LOOK_UP_EVERY:]  # each keeps the status it was asked for
            self._stopped = self._cancelled()
            if len(self.files) - self._told >= _TELL_EVERY:
                self._told = len(self.files)
                self._on_progress(self._told)
        folder.children.sort(reverse=True)

    def _sort_out(self, folder: _Folder, prefix: str, entries: list[os.DirEntry[str]]) -> None:
        """Each entry becomes a file, a folder to visit, or a skip. The hot loop of the walk."""
        ignores = None if folder.rules.silent else folder.rules.ignores
        root, in_scope, by_descriptor = self._root.index, folder.in_scope, isinstance(folder.handle, int)
        append, make, is_denied, is_regular = self.files.append, FileEntry._make, denied_name, stat.S_ISREG
        for entry in entries:
            name = entry.name
            path = prefix + name
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_denied(name):
                    self._skip(path + "/" if is_folder else path, SkipReason.DENIED)
                elif (is_folder and clutter_name(name)) or (ignores and ignores(name, path, is_folder)):
                    self._skip(path + "/" if is_folder else path, SkipReason.IGNORED)
                elif is_folder:
                    folder.children.append((name, in_scope or self._named_by_scope(name, path, True)))
                elif in_scope or self._named_by_scope(name, path, False):
                    # Windows lists no inode and no device, so by name the file is asked itself.
                    status = entry.stat(follow_symlinks=False) if by_descriptor else os.lstat(entry.path)
                    if is_regular(status.st_mode):
                        values = (root, path, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
                        append(make((*values, status.st_ino, status.st_dev)))
                    else:
                        self._skip(path, _irregular(status.st_mode))
            except OSError as error:
                self._skip(path, skipped(error).reason)

    def _named_by_scope(self, name: str, path: str, is_folder: bool) -> bool:
        return self._scopes.verdict(name, path, is_folder) is True


def _irregular(mode: int) -> SkipReason:
    if stat.S_ISLNK(mode):
        return SkipReason.LINK
    return SkipReason.UNREADABLE if stat.S_ISDIR(mode) else SkipReason.IRREGULAR
