"""Bringing a file up to date: a checked backup first, then one transaction for each step, its version number in it.

A process that dies anywhere leaves a file that is whole and of one version or the next; whoever opens it goes on.
"""

from __future__ import annotations

from lens_lsp.memory.store.connection import Connect, Connection, corruption, number, structural_fault, transaction
from lens_lsp.memory.store.failures import StoreUnavailable, Unavailable
from lens_lsp.memory.store.files import StoreFiles
from lens_lsp.memory.store.schema import Layout


def migrate(connection: Connection, connect: Connect, files: StoreFiles, layout: Layout) -> None:
    """Lead an older file to ``layout``; the folder's lock must be held. A file that is up to date stays as it is.

    Raises `StoreUnavailable` when a step fails (the file stays at the version before it), `sqlite3.DatabaseError` for
    a broken file, which is not touched, and OSError.
    """
    version = number(connection, "user_version")
    if version >= layout.version:
        return
    _back_up(connection, connect, files, version)
    first = layout.version - len(layout.steps)
    for target in range(version + 1, layout.version + 1):
        try:
            with transaction(connection):
                if number(connection, "user_version") == target - 1:  # else another process did not ask for the lock
                    layout.steps[target - 1 - first](connection)
                    connection.execute(f"PRAGMA user_version={target}")
        except (ValueError, KeyError, TypeError) as error:
            why = f"the knowledge store could not be brought up to date from version {target - 1}: {error}"
            raise StoreUnavailable(Unavailable.MIGRATION, why) from error


def _back_up(connection: Connection, connect: Connect, files: StoreFiles, version: int) -> None:
    """Keep the file as it is under a name of its own, unless it or its copy is broken."""
    _require_sound(connection)
    with files.making(files.backup(version)) as part:  # made before SQLite makes it, so that it is for the user alone
        connection.execute("VACUUM INTO ?", (str(part),))
        copy = connect(str(part))
        try:
            _require_sound(copy)
        finally:
            copy.close()


def _require_sound(connection: Connection) -> None:
    found = structural_fault(connection, "quick_check")
    if found is not None:
        raise corruption(found)
