"""Discovery: every file under a root that no rule excludes, and what was passed over and why.

Folders are listed and left by descriptor, from the one above, never through a link; so a tree may be deeper than any
path the system accepts, may change while it is walked, and leads nowhere else. Not here: reading (``safe_open``), what
a file holds (``encoding``, ``formats``).

`Listings` keep what earlier looks found for as long as the folders themselves say nothing changed. A folder's own times
change with every name that comes, goes or is replaced in it, on file systems known to do so. A listing taken when these
times were older than two seconds therefore stays true for as long as they and the folder's identity do; two changes
within one tick of a coarse clock could look alike only sooner. What files hold is another matter: each is asked for its
status at every look.

`RenamedFiles` looks for a file by the hash of its content when it is no longer where it was, with a budget.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import field
from functools import partial
from operator import attrgetter, itemgetter
from typing import NamedTuple

from lens_lsp.corpus.corpus_rules import (
    MARKERS,
    CorpusRules,
    IgnoreRules,
    Scopes,
    clutter_name,
    denied_name,
    denied_path,
    denied_root,
    name_of,
    some_denied,
)
from lens_lsp.corpus.formats import reader_for
from lens_lsp.corpus.safe_open import (
    IDENTITY,
    Handle,
    Identity,
    Root,
    Skipped,
    call_of,
    close_folder,
    display_path,
    folder_status,
    list_into,
    open_folder_at,
    skipped,
    stat_entry,
)
from lens_lsp.disk import mounted_file_systems
from lens_lsp.documents.kinds import kind_for
from lens_lsp.model.documents import Part, PartReason, Skip, SkipReason
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

YOUNG_NS = 2_000_000_000
"""How long after it was written a file or folder may be written again without a change of its times."""
# On these every change of a folder moves its times at once. Not on FAT, nor through most network and user-space
# file systems, where another machine or a cache decides.
_STEADY = frozenset({"ext2", "ext3", "ext4", "xfs", "f2fs", "btrfs", "zfs", "tmpfs", "overlay"})
_BLOCK = 512
"""Files that are compared in one go."""
_DEVICES: dict[int, int] = {}
"""One object for each device number, for all files on it."""
Signature = tuple[int, int, int, int]
"""Identity and times of a folder."""
_OPEN_FOLDERS = 16
"""Descriptors a walk keeps: enough never to reopen one in ordinary trees, few enough for a limit of 64."""
_LOOK_UP_EVERY = 1024
"""Entries of one folder between two looks at ``cancelled``."""
_TELL_EVERY = 1000
"""Files between two calls of ``on_progress``."""
_PASSING = regex(r"(?:.*/)?(?:\.[^/]*|[^/]*(?:~|\.(?:part|tmp|temp|swp|bak)))")
"""Names of files that are there for a moment, while another program writes: no file is called so from now on."""
_MOST_KEPT = 1 << 17
_CHUNK = 1 << 20
_FEW, _PATIENCE = 1_000, 4
"""Files that are waited for so many times longer: a busy machine must not lose a note in a small folder."""
_HASHES: dict[Identity, str] = {}
"""Of files that were read; the oldest first."""
_LOCK = threading.Lock()


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


def file_entry(root: int, path: str, status: os.stat_result) -> FileEntry:
    """A file and what its status says."""
    return FileEntry._make((root, path, *IDENTITY(status)))


def entry_of(key: tuple[int, str], identity: Identity) -> FileEntry:
    """A file by its root and path, as it said of itself when it was read.

    Most were never changed but in content, and lie on one device: such numbers are one object, not two a file.
    """
    size, modified, changed, inode, device = identity
    changed = modified if changed == modified else changed
    return FileEntry._make((*key, size, modified, changed, inode, _DEVICES.setdefault(device, device)))


def differing(last: list[FileEntry], files: list[FileEntry]) -> Iterator[int]:
    """The places where two lists of the same length are not the same.

    A look hands out the same object for a file as long as it is the same: lists of the same objects are compared
    without a step of the interpreter for each.
    """
    for start in range(0, len(files), _BLOCK):
        end = min(start + _BLOCK, len(files))
        if last[start:end] != files[start:end]:
            yield from (place for place in range(start, end) if last[place] != files[place])


@dataclass(slots=True)
class Listing:
    """One folder: what stood in it under which rules."""

    signature: Signature
    rules: IgnoreRules
    in_scope: bool
    markers: frozenset[str]
    """Names in it that change the rules inside."""
    paths: list[str] = field(default_factory=list)
    """Its files that may be searched, by path from the root."""
    entries: list[FileEntry | None] = field(default_factory=list)
    """What each of them was at the last look, in the same order; None before the first."""
    children: list[tuple[str, bool]] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)


class Listings:
    """The listings of one root under one set of rules. Not safe for threads. ``now`` gives nanoseconds."""

    def __init__(self, now: Callable[[], int] = time.time_ns) -> None:
        self._now = now
        self._rules: CorpusRules | None = None
        self._by_folder: dict[str, Listing] = {}
        self._seen: dict[str, Listing] = {}
        self._devices: frozenset[int] = frozenset()

    def begin(self, rules: CorpusRules) -> None:
        """A look at the tree begins."""
        if rules != self._rules:
            self._rules, self._by_folder = rules, {}
        self._seen = {}
        self._devices = frozenset(device for device, kind in mounted_file_systems() if kind in _STEADY)

    def end(self) -> None:
        """The look is over; folders it did not come to are forgotten."""
        self._by_folder, self._seen = self._seen, {}

    def signature(self, status: os.stat_result) -> Signature | None:
        """What a folder's listing is worth keeping by, asked before it is listed; None if it cannot be relied on."""
        if status.st_dev not in self._devices:
            return None
        if self._now() - max(status.st_mtime_ns, status.st_ctime_ns) < YOUNG_NS:
            return None
        return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns

    def of(self, folder: str, signature: Signature | None) -> Listing | None:
        """The listing of a folder if it still holds, but for the rules."""
        known = self._by_folder.get(folder)
        return known if known is not None and known.signature == signature else None

    def enter(self, entry_of: Callable[[str], FileEntry | None]) -> None:
        """Take over what was learnt of the files of a look by names alone when they were read."""
        for listing in self._by_folder.values():
            listing.entries = list(map(entry_of, listing.paths))

    def keep(self, folder: str, listing: Listing) -> None:
        """Remember a listing, new or proven again."""
        self._seen[folder] = listing


@dataclass(frozen=True, slots=True)
class Discovery:
    """What lies under a root, sorted by path. ``Skip.path`` is printable, and ends in ``/`` for a folder."""

    files: list[FileEntry]
    skips: list[Skip]
    complete: bool = True
    """``False`` when it was cancelled: what was found until then."""
    parts: list[Part] = field(default_factory=list)
    """Ignore files that could not be used, or only in part."""
    paths: list[str] = field(default_factory=list)
    """The files by path alone where only names were asked for; ``files`` is empty then."""


def discover(
    root: Root,
    rules: CorpusRules,
    *,
    explicit_file: str | None = None,
    names_only: bool = False,
    listings: Listings | None = None,
    on_progress: Callable[[int], None] | None = None,
    on_names: Callable[[Sequence[str]], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    part: tuple[int, int] | None = None,
) -> Discovery:
    """Find the files under a root.

    ``names_only``, for one who is going to read every file anyway, asks none for its status first, except where the
    system does not say with the name that it is regular. ``listings``, the same object at each look, saves listing
    folders again that did not change. ``explicit_file`` is a path below the root that the user named: it alone is
    looked at, and only the deny list can exclude it. ``on_progress`` is told the number of files found so far, about
    once per thousand, and ``on_names`` is shown their paths, with ``names_only``. ``part`` are the number of a part,
    from 0, and how many there are: folders are listed, but of their files only those of the part (`in_part`) are asked
    for their status and given, unless scopes choose among the files. Raises nothing for what it meets on the way;
    ``PathRefused`` if ``explicit_file`` is not a plain path below the root.
    """
    if explicit_file is not None and not denied_root(root.path):
        return _named(root, explicit_file)
    try:
        if denied_root(root.path):
            raise Skipped(SkipReason.DENIED)
        walk = _Walk(root, rules, names_only, listings, on_progress, on_names, cancelled, part)
    except Skipped as error:
        return Discovery([], [Skip("./", error.reason, root.index)])
    complete = walk.run()
    walk.files.sort(key=itemgetter(1))
    walk.paths.sort()
    found = walk.paths if names_only else map(itemgetter(1), walk.files)
    return Discovery(walk.files, _gathered(walk.skips, found), complete, walk.parts, walk.paths)


def in_part(path: str, number: int, of: int) -> bool:
    """Whether a file belongs to one of several parts: by its path alone, as it is shown, so that all agree."""
    return zlib.crc32(display_path(path).encode("utf-8", "surrogatepass")) % of == number


def _gathered(skips: list[Skip], found: Iterable[str]) -> list[Skip]:
    """The skips by path; of what the scopes leave out, a folder in which nothing was found stands for all in it."""
    outside = [skip for skip in skips if skip.reason is SkipReason.OUT_OF_SCOPE]
    if outside:
        within = {""}
        for path in found:
            folder = path.rpartition("/")[0]
            while folder not in within:
                within.add(folder)
                folder = folder.rpartition("/")[0]
        tops = dict.fromkeys(_top(display_path(skip.path), within) for skip in outside)
        skips = [skip for skip in skips if skip.reason is not SkipReason.OUT_OF_SCOPE]
        skips += [Skip(path, SkipReason.OUT_OF_SCOPE, outside[0].root) for path in tops]
    return sorted(skips, key=attrgetter("path"))


def _top(path: str, within: Container[str]) -> str:
    """The first folder on the way to a path that is not ``within``, with its slash; else the path."""
    at = path.find("/")
    while at >= 0:
        if path[:at] not in within:
            return path[: at + 1]
        at = path.find("/", at + 1)
    return path


def _named(root: Root, path: str) -> Discovery:
    if denied_path(path, root.path):
        return Discovery([], [Skip(display_path(path), SkipReason.DENIED, root.index)])
    try:
        status = root.status(path)
    except Skipped as error:
        return Discovery([], [Skip(display_path(path), error.reason, root.index)])
    return Discovery([file_entry(root.index, path, status)], [])


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
        names_only: bool,
        listings: Listings | None,
        on_progress: Callable[[int], None] | None,
        on_names: Callable[[Sequence[str]], None] | None,
        cancelled: Callable[[], bool] | None,
        part: tuple[int, int] | None,
    ) -> None:
        self.files: list[FileEntry] = []
        self.paths: list[str] = []
        """Files found when only names are asked for; ``files`` stays empty then."""
        self.skips: list[Skip] = []
        self.parts: list[Part] = []
        self._root = root
        self._rules = rules
        self._names_only = names_only
        self._listings = listings if isinstance(root.handle, int) else None
        self._start = IgnoreRules.of_root(root.path, rules, self._unused)
        self._scopes = Scopes(root.path, rules)
        # Where scopes choose, what is left out is told by all that is found.
        self._part = part if self._scopes.hold_all else None
        self._on_progress = on_progress or (lambda found: None)
        self._on_names = on_names or (lambda names: None)
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
        if self._listings is not None:
            self._listings.begin(self._rules)
        try:
            top = _Folder("", self._root.handle, self._start)
            top.in_scope = self._scopes.hold_all
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
        if self._listings is not None:
            self._listings.end()
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
            status = folder_status(folder.handle)
            folder.identity = (status.st_dev, status.st_ino)
            if folder.identity not in self._visited:
                self._visited.add(folder.identity)
                self._look(folder, folder.handle, status)
        except OSError as error:
            self._skip(self._prefix() or "./", skipped(error).reason)
        except Skipped as error:
            self._skip(self._prefix() or "./", error.reason)

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
        try:
            status = folder_status(handle)
        except OSError as error:
            raise skipped(error) from error
        if (status.st_dev, status.st_ino) != folder.identity:
            raise Skipped(SkipReason.UNREADABLE)  # replaced meanwhile: what it was listed for is gone
        return handle

    def _prefix(self) -> str:
        """Path of the folder on top of the stack with a slash at its end, nothing for the root.

        Put together when it is needed: kept in every folder it would grow with the square of the depth.
        """
        return "".join(self._steps)

    def _skip(self, path: str, reason: SkipReason) -> None:
        self.skips.append(Skip(display_path(path), reason, self._root.index))

    def _unused(self, path: str, reason: PartReason) -> None:
        """An ignore file has no effect, or only in part."""
        self.parts.append(Part(display_path(path), 0, reason, self._root.index))

    def _look(self, folder: _Folder, handle: Handle, status: os.stat_result) -> None:
        """Look through a folder, or only at its known files if its listing still holds."""
        prefix = self._prefix()
        signature = None if self._listings is None else self._listings.signature(status)
        known = None if self._listings is None or self._names_only else self._listings.of(prefix, signature)
        above = folder.rules
        if known is not None and isinstance(handle, int) and self._look_again(folder, handle, prefix, known):
            return
        folder.rules = above
        files, paths, skips = len(self.files), len(self.paths), len(self.skips)
        markers, whole = self._look_through(folder, handle, prefix)
        if signature is not None and self._listings is not None and whole and not self._stopped:
            known = Listing(signature, folder.rules, folder.in_scope, markers)
            found = sorted(self.files[files:], key=itemgetter(1))
            known.paths = sorted(self.paths[paths:]) if self._names_only else [entry.path for entry in found]
            known.entries = [None] * len(known.paths) if self._names_only else list(found)
            known.children, known.skips = list(folder.children), self.skips[skips:]
            self._listings.keep(prefix, known)

    def _look_again(self, folder: _Folder, handle: int, prefix: str, known: Listing) -> bool:
        """Ask the files of an unchanged folder for their status; False if it must be listed after all."""
        folder.rules = self._inside(folder, handle, known.markers, prefix)
        if folder.in_scope != known.in_scope or folder.rules != known.rules:
            return False
        before, root, entries = len(self.files), self._root.index, known.entries
        look, identity, append, make, cut = os.stat, IDENTITY, self.files.append, FileEntry._make, len(prefix)
        try:
            for at, path in enumerate(known.paths):
                if at % _LOOK_UP_EVERY == 0 and self._look_up():
                    return True
                status = look(path[cut:] if cut else path, dir_fd=handle, follow_symlinks=False)
                entry, now = entries[at], identity(status)
                if entry is None or entry[2:] != now or entry[0] != root:
                    if not stat.S_ISREG(status.st_mode):
                        raise FileNotFoundError(path)
                    entry = entries[at] = make((root, path, *now))
                append(entry)
        except OSError:
            del self.files[before:]
            return False
        self.skips += known.skips
        folder.children = list(known.children)
        assert self._listings is not None
        self._listings.keep(prefix, known)
        return True

    def _look_up(self) -> bool:
        """Tell how far the walk is; whether it is to stop."""
        self._stopped = self._cancelled()
        found = len(self.files) + len(self.paths)
        if found - self._told >= _TELL_EVERY:
            self._told = found
            self._on_progress(self._told)
            self._on_names(self.paths)
        return self._stopped

    def _inside(self, folder: _Folder, handle: Handle, markers: frozenset[str], prefix: str) -> IgnoreRules:
        if not markers or not self._rules.respect_ignore_files:
            return folder.rules
        return folder.rules.inside(handle, markers, prefix, told=self._unused)

    def _look_through(self, folder: _Folder, handle: Handle, prefix: str) -> tuple[frozenset[str], bool]:
        """List a folder: the names that change rules, and whether every entry could be asked what it is."""
        entries: list[os.DirEntry[str]] = []
        whole = True
        try:
            list_into(handle, entries)
        except OSError as error:  # what was listed before it still counts
            self._skip(prefix or "./", skipped(error).reason)
            whole, entries = False, list(entries)
        names = [entry.name for entry in entries]
        markers = MARKERS.intersection(names)
        folder.rules = self._inside(folder, handle, markers, prefix)
        above = name_of(prefix or self._root.path)
        is_denied = partial(denied_name, above=above) if some_denied(names, above) else None
        while entries and not self._stopped:
            some = entries[-_LOOK_UP_EVERY:]
            if self._names_only:
                some = self._take_names(folder, prefix, some, is_denied)
            whole = self._sort_out(folder, prefix, some, is_denied) and whole
            del entries[-_LOOK_UP_EVERY:]  # each keeps the status it was asked for
            self._look_up()
        folder.children.sort(reverse=True)
        return markers, whole

    def _sort_out(
        self, folder: _Folder, prefix: str, entries: list[os.DirEntry[str]], is_denied: Callable[[str], bool] | None
    ) -> bool:
        """Each entry becomes a file, a folder to visit, or a skip; False if one could not be asked. The hot loop."""
        ignores = None if folder.rules.silent else folder.rules.ignores
        in_scope, whole = folder.in_scope, True
        for entry in entries:
            name = entry.name
            path = prefix + name
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
                if is_denied is not None and is_denied(name):
                    self._skip(path + "/" if is_folder else path, SkipReason.DENIED)
                elif (is_folder and clutter_name(name)) or (ignores and ignores(name, path, is_folder)):
                    self._skip(path + "/" if is_folder else path, SkipReason.IGNORED)
                elif is_folder:
                    folder.children.append((name, in_scope or self._scopes.name(name, path, True)))
                elif in_scope or self._scopes.name(name, path, False):
                    self._ask(folder, entry, path)
                else:
                    self._skip(path, SkipReason.OUT_OF_SCOPE)
            except OSError as error:
                self._skip(path, skipped(error).reason)
                whole = False
        return whole

    def _take_names(
        self, folder: _Folder, prefix: str, entries: list[os.DirEntry[str]], is_denied: Callable[[str], bool] | None
    ) -> list[os.DirEntry[str]]:
        """Take the files whose names say all there is to ask; gives the other entries. The hot loop of a first look."""
        if not folder.in_scope or is_denied is not None:
            return entries
        ignores = None if folder.rules.silent else folder.rules.ignores
        append, others, part = self.paths.append, [], self._part
        for entry in entries:
            try:
                plain = entry.is_file(follow_symlinks=False)
            except OSError:  # asked again, and then reported
                plain = False
            if plain and part is not None and not in_part(prefix + entry.name, *part):
                continue
            if plain and not (ignores and ignores(entry.name, prefix + entry.name, False)):
                append(prefix + entry.name)
            else:
                others.append(entry)
        return others

    def _ask(self, folder: _Folder, entry: os.DirEntry[str], path: str) -> None:
        if self._part is not None and not in_part(path, *self._part):
            return
        # Windows lists no inode and no device, so by name the file is asked itself.
        by_descriptor = type(folder.handle) is not str
        status = stat_entry(folder.handle, entry) if by_descriptor else os.lstat(entry.path)
        if not stat.S_ISREG(status.st_mode):
            self._skip(path, _irregular(status.st_mode))
        elif self._names_only:
            self.paths.append(path)
        else:
            self.files.append(file_entry(self._root.index, path, status))


def _irregular(mode: int) -> SkipReason:
    if stat.S_ISLNK(mode):
        return SkipReason.LINK
    return SkipReason.UNREADABLE if stat.S_ISDIR(mode) else SkipReason.IRREGULAR


class HashBudget:
    """What all searches of one look at citations may cost together."""

    def __init__(self, *, files: int = 50_000, size: int = 32 << 20, seconds: float = 0.5) -> None:
        self.files = files
        """Files that may still be met, and how many bytes of them may still be read."""
        self.size = size
        self.seconds = seconds

    @property
    def spent(self) -> bool:
        """Whether nothing more may be looked at."""
        return self.files <= 0 or self.size <= 0 or self.seconds <= 0


class RenamedFiles:
    """The files below one root, by what they hold."""

    def __init__(self, root: Root, rules: CorpusRules, budget: HashBudget) -> None:
        self._root = root
        self._rules = rules
        self._budget = budget
        self._paths: list[str] | None = None
        self._by_reader: dict[str, dict[str, list[str]] | None] = {}

    def holders(self, path: str, sha256: str) -> list[str] | None:
        """The files that have a hash, by path, of those that are read as ``path`` would be; None where there was more
        to look at than the budget allows, so that nobody knows."""
        reader = _reader(path)
        if reader not in self._by_reader:
            began = time.monotonic()
            self._by_reader[reader] = None if self._budget.spent else self._read(reader, began)
            self._budget.seconds -= time.monotonic() - began
        known = self._by_reader[reader]
        return None if known is None else known.get(sha256, [])

    def _read(self, reader: str, began: float) -> dict[str, list[str]] | None:
        met = 0

        def late() -> bool:
            few = met < _FEW and self._budget.seconds > 0
            return time.monotonic() - began > self._budget.seconds * (_PATIENCE if few else 1)

        if self._paths is None:

            def meet(count: int) -> None:
                nonlocal met
                met = count

            names = discover(
                self._root,
                self._rules,
                names_only=True,
                on_progress=meet,
                cancelled=lambda: met > self._budget.files or late(),
            )
            self._budget.files -= max(met, len(names.paths))
            if not names.complete or self._budget.files < 0:
                self._budget.files = min(self._budget.files, 0)
                return None
            self._paths = names.paths
        found: dict[str, list[str]] = {}
        met = 0
        for path in self._paths:
            if _reader(path) == reader and _PASSING.fullmatch(path) is None:
                met += 1
                if late() or self._budget.size <= 0:
                    return None
                digest = self._digest(path)
                if digest is not None:
                    found.setdefault(digest, []).append(path)
        return None if self._budget.size < 0 else found

    def _digest(self, path: str) -> str | None:
        """The hash of a file; None for one that cannot be read, and one larger than the budget, which is then spent."""
        try:
            fd, status = self._root.open_with_stat(path)
        except Skipped:
            return None
        try:
            identity = IDENTITY(status)
            if identity in _HASHES:
                return _HASHES[identity]
            if status.st_size > self._budget.size:
                self._budget.size = -1
                return None
            digest = hashlib.sha256()
            while data := call_of(fd, os.read, fd, min(_CHUNK, status.st_size + 1)):
                digest.update(data)
                self._budget.size -= len(data)
                if self._budget.size < 0:
                    return None
        except OSError:
            return None
        finally:
            os.close(fd)
        found = digest.hexdigest()
        if status.st_mtime_ns < time.time_ns() - YOUNG_NS:
            with _LOCK:
                if len(_HASHES) >= _MOST_KEPT:
                    del _HASHES[next(iter(_HASHES))]
                _HASHES[identity] = found
        return found


def _reader(path: str) -> str:
    """What a file of this name is read as: a text, a document of a kind, or (empty) nothing."""
    kind = kind_for(path)
    return kind.name if kind is not None else "text" if reader_for(path.rpartition("/")[2]) is not None else ""
