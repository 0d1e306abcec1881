"""The files of a store, by name, and how one whole file takes another's place.

A new file is built aside under another name, synced, and renamed to ``.new.db``: from then on it counts, and whoever
comes next finishes the exchange. What it replaces is kept beside it, never deleted.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

STEM = "knowledge"
KEPT = 3
"""How many broken files are kept: the newest."""

_SIDES = ("-journal", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class StoreFiles:
    """The names in a store's folder. ``stem`` differs only for the file beside one of a newer version."""

    folder: Path
    stem: str = STEM

    @property
    def database(self) -> Path:
        """The store itself."""
        return self.folder / f"{self.stem}.db"

    @property
    def journal(self) -> Path:
        """SQLite's rollback journal: empty or absent unless someone is writing, or was killed while writing."""
        return self.folder / f"{self.stem}.db-journal"

    @property
    def new(self) -> Path:
        """A whole file that is to take the store's place."""
        return self.folder / f"{self.stem}.new.db"

    @property
    def copy(self) -> Path:
        """The store as it was before a journal was rolled back into it."""
        return self.folder / f"{self.stem}.before-rollback.db"

    @property
    def part(self) -> Path:
        """A file that is being made."""
        return self.folder / f"{self.stem}.part.db"

    @property
    def lock(self) -> Path:
        """Held by the one process that changes anything here."""
        return self.folder / f"{STEM}.lock"

    @property
    def gate(self) -> Path:
        """Held by the one process that waits for the lock."""
        return self.folder / f"{STEM}.gate"

    def backup(self, version: int) -> Path:
        """The store as it was before it was brought up to date from a version."""
        return self.folder / f"{self.stem}.backup-v{version}.db"

    def identity(self) -> tuple[int, int] | None:
        """What tells the store's file from another of its name; None when there is none."""
        try:
            status = os.stat(self.database)
        except OSError:
            return None
        return status.st_dev, status.st_ino

    def stamp(self) -> tuple[int, ...] | None:
        """What changes when anybody writes to the store's file, or puts another in its place; None when there is none.

        Device, number, size in bytes, and nanoseconds of the last change of content and of the file. Raises OSError.
        """
        try:
            status = os.stat(self.database)
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns

    def has_journal(self) -> bool:
        """Whether there is a rollback journal that holds something: that of a writer, live or dead."""
        try:
            return os.stat(self.journal).st_size > 0
        except FileNotFoundError:
            return False

    def corrupt(self) -> tuple[Path, ...]:
        """Broken files that were put aside, the oldest first."""
        return self._matching(r"corrupt-.*\.db")

    def backups(self) -> tuple[Path, ...]:
        """Copies from before a migration."""
        return self._matching(r"backup-v-?\d+\.db")

    @contextmanager
    def making(self, name: Path) -> Iterator[Path]:
        """An empty file for the user alone, to be filled: it gets its name, for good, when the block ends well.

        Raises OSError; what was half made is then deleted, for a full disk needs the room.
        """
        self.discard(self.part)
        try:
            os.close(os.open(self.part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            yield self.part
            fd = os.open(self.part, os.O_RDWR)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
            os.replace(self.part, name)
        finally:
            self.discard(self.part)
        self.sync_folder()

    def duplicate(self, source: Path, name: Path) -> None:
        """A copy that is whole or not there. Raises OSError."""
        with self.making(name) as part:
            shutil.copyfile(source, part)

    def exchange(self, now: float) -> Path | None:
        """Let `new` take the store's place; the old file is put aside with its journal, under a name with the time.

        ``now`` is in seconds since the epoch. Returns the old file's name, None when there was none. Raises OSError.
        """
        aside = self._aside(now)
        there = os.path.lexists(self.database)
        if there:
            os.rename(self.database, aside)
        for side in _SIDES:  # a journal left here would be rolled back into the new file
            with suppress(FileNotFoundError):
                os.rename(f"{self.database}{side}", f"{aside}{side}")
        os.replace(self.new, self.database)
        self.sync_folder()
        for old in self.corrupt()[:-KEPT]:
            self.discard(old)
        return aside if there else None

    def discard(self, path: Path) -> None:
        """Delete a file and what SQLite put beside it. Raises OSError."""
        for name in (f"{path}", *(f"{path}{side}" for side in _SIDES)):
            with suppress(FileNotFoundError):
                os.unlink(name)

    def sync_folder(self) -> None:
        """Make renames last, where a folder can be synced."""
        if sys.platform == "win32":
            return
        fd = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def _aside(self, now: float) -> Path:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
        names = (f"{stamp}{f'-{n}' if n else ''}" for n in range(len(os.listdir(self.folder)) + 1))
        paths = (self.folder / f"{self.stem}.corrupt-{name}.db" for name in names)
        return next(path for path in paths if not os.path.lexists(path))

    def _matching(self, pattern: str) -> tuple[Path, ...]:
        whole = re.compile(re.escape(self.stem) + r"\." + pattern)
        return tuple(self.folder / name for name in sorted(os.listdir(self.folder)) if whole.fullmatch(name))
