"""Watching folders for changes: a hint that comes early, never what a result rests on. The only user of watchdog.

Two faults of watchdog 7.1 are met here. Its default mask tells of every open and close, so that reading a tree floods
the system's queue and loses edits: the event filter leaves these out. And it hides that the system's limit of watches
is reached, or that the queue ran over: the watches that there are get counted against the folders there should be, and
its log is listened to for the overflow.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

from lens_lsp.corpus.corpus_rules import CorpusRules, IgnoreRules, clutter_name, denied_name, denied_root, name_of
from lens_lsp.corpus.safe_open import Root, Skipped
from lens_lsp.model.errors import LensError

MOST_TREES = 32
"""Folders of one root that are watched each by itself; with more, the root is watched as a whole: each has a thread."""
_MOST_PATHS = 4_096
"""Changed paths that are kept for whoever asks; with more, anything may have changed."""
_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
]
_LOGS = ("watchdog.observers.inotify", "watchdog.observers.inotify_c")
_OVERFLOW = "Inotify queue overflowed"
_LIMIT = (
    "the system's limit of file watches is reached: changes are looked for twice a second in cited files only; raise"
    " fs.inotify.max_user_watches"
)
_LOST = "the system lost track of file changes (too many at once): all cited files are looked at again"


class Watch:
    """Watches folders, each with all that no rule excludes. The methods wait for the disk.

    ``news`` is called, on any thread, when there is something for `take` where there was nothing.
    """

    def __init__(self, folders: Sequence[str], rules: CorpusRules, news: Callable[[], object]) -> None:
        self._folders = tuple(os.path.realpath(folder) for folder in folders)
        self._rules = rules
        self._news = news
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._doubt = False
        self._problems: list[str] = []
        self._said: set[str] = set()
        self._whole: set[str] = set()
        """Roots that are watched without a gap, as far as can be told."""
        self._trees: dict[str, ObservedWatch] = {}
        self._stale: list[ObservedWatch] = []
        self._observer = Observer()
        self._handler = _Handler(self)
        self._overflow = _Overflow(self._overflowed)

    def start(self) -> None:
        """Begin to watch."""
        with suppress(OSError, RuntimeError):
            self._observer.start()
        for name in _LOGS:
            logging.getLogger(name).addFilter(self._overflow)
        for folder in self._folders:
            self._watch_root(folder)
        self._count()

    def catch_up(self) -> None:
        """Watch the folders that came directly below a root since, and no longer those that went."""
        while self._stale:
            with suppress(KeyError):
                self._observer.unschedule(self._stale.pop())
        for folder in self._folders:
            if folder in self._whole:
                self._watch_root(folder)

    def stop(self) -> None:
        """Watch no longer."""
        for name in _LOGS:
            logging.getLogger(name).removeFilter(self._overflow)
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def take(self) -> tuple[frozenset[str] | None, tuple[str, ...]]:
        """The paths that changed since the last call, None for any; and what the user should know of the watch."""
        with self._lock:
            paths = None if self._doubt else frozenset(self._paths)
            problems = tuple(self._problems)
            self._paths.clear()
            self._problems.clear()
            self._doubt = False
        return paths, problems

    def changed(self, paths: Iterable[str]) -> None:
        """Something is told by the system."""
        with self._lock:
            waiting = self._waiting()
            self._paths.update(paths)
            if len(self._paths) > _MOST_PATHS:
                self._paths.clear()
                self._doubt = True
        if not waiting:
            self._news()

    def gone(self, folder: str) -> None:
        """A folder has another name or is there no longer."""
        watch = self._trees.pop(folder, None)
        if watch is not None:
            self._stale.append(watch)
            self._whole.discard(folder)
            self._in_doubt()

    def came(self, folder: str) -> None:
        """A folder came: one directly below a root has to be watched by itself."""
        if os.path.dirname(folder) in self._trees:
            self._in_doubt()

    def _watch_root(self, folder: str) -> None:
        if denied_root(folder):
            return
        try:
            trees = _top_folders(folder, self._rules)
        except (LensError, OSError):
            return
        whole = len(trees) > MOST_TREES or not sys.platform.startswith("linux")
        wanted = [folder] if whole else [folder, *trees]
        try:
            for path in wanted:
                if path not in self._trees:
                    recursive = whole or path != folder
                    self._trees[path] = self._observer.schedule(
                        self._handler, path, recursive=recursive, event_filter=_EVENTS
                    )
        except OSError:
            self._whole.discard(folder)
            self._in_doubt(_LIMIT)
        else:
            self._whole.add(folder)

    def _count(self) -> None:
        """Notice that the system gave fewer watches than were asked for."""
        for _ in range(2):  # a folder that went meanwhile is no sign of a limit
            have = _watches()
            if have is None or have >= self._folders_wanted():
                return
        self._whole.clear()
        self._in_doubt(_LIMIT)

    def _folders_wanted(self) -> int:
        roots = {folder for folder in self._folders if folder in self._trees}
        alone = {root for root in roots if any(tree.startswith(root + os.sep) for tree in self._trees)}
        return len(alone) + sum(sum(1 for _ in _folders_below(tree)) for tree in self._trees if tree not in alone)

    def _overflowed(self) -> None:
        self._in_doubt(_LOST)

    def _in_doubt(self, problem: str | None = None) -> None:
        with self._lock:
            waiting = self._waiting()
            self._doubt = True
            if problem is not None and problem not in self._said:
                self._said.add(problem)
                self._problems.append(problem)
        if not waiting:
            self._news()

    def _waiting(self) -> bool:
        return self._doubt or bool(self._paths) or bool(self._problems)


class _Handler(FileSystemEventHandler):
    """On watchdog's thread."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def on_any_event(self, event: FileSystemEvent) -> None:
        before, after = os.fsdecode(event.src_path), os.fsdecode(event.dest_path)
        if isinstance(event, DirDeletedEvent | DirMovedEvent):
            self._watch.gone(before)
        if isinstance(event, DirCreatedEvent | DirMovedEvent):
            self._watch.came(after or before)
        self._watch.changed({before, after} - {""})


class _Overflow(logging.Filter):
    """Hears of the overflow of the system's queue, of which watchdog tells nobody but its log. Nothing else is logged:
    what it says names files."""

    def __init__(self, overflowed: Callable[[], None]) -> None:
        super().__init__()
        self._overflowed = overflowed

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.msg, str) and record.msg.startswith(_OVERFLOW):
            self._overflowed()
        return False


def _top_folders(folder: str, rules: CorpusRules) -> list[str]:
    """The folders directly in a root that no rule excludes, sorted."""
    with Root(folder) as root, os.scandir(folder) as entries:
        found = list(entries)
        try:
            ignores = IgnoreRules.of_root(folder, rules).inside(root.handle, {entry.name for entry in found}, "")
        except Skipped:
            return []
    names = sorted(entry.name for entry in found if entry.is_dir(follow_symlinks=False))
    return [
        os.path.join(folder, name)
        for name in names
        if not (denied_name(name, name_of(folder)) or clutter_name(name) or ignores.ignores(name, name, True))
    ]


def _folders_below(tree: str) -> Iterator[str]:
    """A folder and all below it, as watchdog walks them."""
    yield tree
    for above, names, _ in os.walk(tree):
        for name in names:
            path = os.path.join(above, name)
            if not os.path.islink(path):
                yield path


def _watches() -> int | None:
    """How many inotify watches this process holds; None where the system does not say."""
    count = 0
    seen = False
    try:
        for fd in os.listdir("/proc/self/fd"):
            with suppress(OSError):
                if os.readlink(f"/proc/self/fd/{fd}") == "anon_inode:inotify":
                    seen = True
                    with open(f"/proc/self/fdinfo/{fd}", encoding="ascii", errors="replace") as info:
                        count += sum(line.startswith("inotify ") for line in info)
    except OSError:
        return None
    return count if seen else None
