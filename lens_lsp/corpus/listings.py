"""What earlier looks at a tree found in its folders, kept as long as the folders themselves say nothing changed.

A folder's own times change with every name that comes, goes or is replaced in it, on file systems known to do so. A
listing taken when these times were older than two seconds therefore stays true for as long as they and the folder's
identity do; two changes within one tick of a coarse clock could look alike only sooner. What files hold is another
matter: each is asked for its status at every look.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from lens_lsp.corpus.ignore import IgnoreRules
from lens_lsp.corpus.opening import Root, Skipped
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.model.documents import Skip

YOUNG_NS = 2_000_000_000
"""How long after it was written a file or folder may be written again without a change of its times."""
# On these every change of a folder moves its times at once. Not on FAT, nor through most network and user-space
# file systems, where another machine or a cache decides.
_STEADY = frozenset({b"ext2", b"ext3", b"ext4", b"xfs", b"f2fs", b"btrfs", b"zfs", b"tmpfs", b"overlay"})
_BLOCK = 512
"""Files that are compared in one go."""
_DEVICES: dict[int, int] = {}
"""One object for each device number, for all files on it."""


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


Identity = tuple[int, int, int, int, int]
"""Size, time of modification, time of status change, inode, device."""
UNKNOWN: Identity = (-1, 0, 0, 0, 0)
"""Of a file that could not be asked."""
IDENTITY: Callable[[os.stat_result], Identity] = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino", "st_dev")
"""What of a status identifies a content."""


def identity_of(root: Root, path: str) -> Identity | None:
    """What identifies a file's content now; None when it cannot be opened."""
    try:
        fd, status = root.open_with_stat(path)
    except Skipped:
        return None
    os.close(fd)
    return IDENTITY(status)


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


Signature = tuple[int, int, int, int]
"""Identity and times of a folder."""


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
        self._devices = _steady_devices()

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


def _steady_devices() -> frozenset[int]:
    """Device numbers of the mounts whose folders can be relied on; none where the system does not tell."""
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return frozenset()
    devices = set()
    for line in lines:
        mount, _, kind = line.partition(b" - ")
        if kind.split(b" ", 1)[0] in _STEADY:
            major, _, minor = mount.split(b" ", 3)[2].partition(b":")
            devices.add(os.makedev(int(major), int(minor)))
    return frozenset(devices)
