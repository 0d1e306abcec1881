"""A whole new file in the store's place: an empty one, or what could be saved from a broken one.

All of this happens under the folder's lock, and a process that dies in between leaves what the next one can finish.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lens_lsp.memory.store.connection import Connect, Connection, configure, structural_fault, transaction
from lens_lsp.memory.store.failures import is_corruption, is_refusal
from lens_lsp.memory.store.files import StoreFiles
from lens_lsp.memory.store.reading import Knowledge, all_damage
from lens_lsp.memory.store.salvage import salvage
from lens_lsp.memory.store.schema import PAGE_SIZE, Found, Layout, create, inspect
from lens_lsp.memory.store.writing import Changes, clear, write


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where and how files of a store are made."""

    files: StoreFiles
    connect: Connect
    clock: Callable[[], float]
    layout: Layout

    def unsettled(self) -> bool:
        """Whether something may have been interrupted, or is being written at this moment."""
        files = self.files
        half_done = files.new.exists() or files.copy.exists() or not os.path.lexists(files.database)
        return half_done or files.has_journal()

    def settle(self) -> str | None:
        """Finish what was interrupted, so that there is a file to open. Returns what to tell the user, if anything.

        Raises `sqlite3.Error` and OSError.
        """
        files = self.files
        if files.new.exists():
            files.exchange(self.clock())
        if not os.path.lexists(files.database):
            self.build(Changes())
            files.exchange(self.clock())
            return None
        if files.copy.exists() or files.has_journal():
            return self._roll_back()
        return None

    def broken(self, error: sqlite3.Error) -> bool:
        """Whether an error comes from what stands in the file."""
        return is_corruption(error) or (is_refusal(error) and os.access(self.files.database, os.W_OK))

    def build(self, content: Changes) -> None:
        """Make the file that `StoreFiles.exchange` puts in place. Raises `sqlite3.Error` and OSError."""
        with self.files.making(self.files.new) as part:
            connection = self.connect(str(part))
            try:
                connection.execute(f"PRAGMA page_size={PAGE_SIZE}")
                configure(connection)
                with transaction(connection):
                    create(connection, self.layout)
                    clear(connection)
                    write(Knowledge(connection), connection, content)
            finally:
                connection.close()

    def repair(self, why: str) -> str | None:
        """Put a broken file aside and a new one with all of its sound rows in its place. Returns what happened, None
        when the file is sound after all.

        Raises `sqlite3.Error` and OSError; the broken file is then still in its place.
        """
        if self._sound(self.files.database):
            return None
        salvaged = salvage(self.files.database.read_bytes())
        self.build(salvaged.content)
        aside = self.files.exchange(self.clock())
        kept = len(salvaged.content.clusters)
        lost = "an unknown number" if salvaged.lost is None else str(salvaged.lost)
        name = aside.name if aside is not None else "nothing"
        return (
            f"the knowledge store was damaged ({why}): {kept} clusters were saved, {salvaged.damaged} of them in part,"
            f" {lost} were lost; the damaged file is kept as {name}"
        )

    def _roll_back(self) -> str | None:
        """Let SQLite roll a dead process's journal back, and see what came of it: it may be another file's journal."""
        files = self.files
        if not files.copy.exists():
            with suppress(OSError):  # a full disk; rolling back needs no room
                files.duplicate(files.database, files.copy)
        if self._sound(files.database):
            files.discard(files.copy)
            return None
        if files.copy.exists() and self._sound(files.copy):
            files.duplicate(files.copy, files.new)
            aside = files.exchange(self.clock())
            files.discard(files.copy)
            name = aside.name if aside is not None else "nothing"
            return f"the journal beside the knowledge store was not its own and was put aside with {name}"
        told = self.repair("a journal could not be rolled back")
        files.discard(files.copy)
        return told

    def _sound(self, path: Path) -> bool:
        """Whether a file is a store and all of its rows are what was written. Raises `sqlite3.Error` when it cannot
        be read for another reason than what stands in it."""
        connection: Connection | None = None
        try:
            connection = self.connect(str(path))
            configure(connection)
            with transaction(connection, "DEFERRED"):  # to write would begin a database in an empty file
                kind = inspect(connection, self.layout)
                whole = True
                if kind is Found.CURRENT:
                    connection.execute('DELETE FROM "totals" WHERE 0')  # a byte of a broken header may forbid to write
                    whole = not any(each.corrupt for each in all_damage(connection))
                return kind is not Found.FOREIGN and whole and structural_fault(connection) is None
        except sqlite3.Error as error:
            if self.broken(error):
                return False
            raise
        finally:
            if connection is not None:
                connection.close()
