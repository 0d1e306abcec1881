"""Texts of documents on the disk, so that each is read once: one SQLite file for all folders of a user.

A text is found by the hash of its document's bytes and the version of its reader, and by nothing else: no name and no
path is in the file. A long document is kept in parts as they are read, a scan in pages, too, as they are recognised.
Beside each text, apart from it, stand the gist that a search needs (title, headings) and the structure that only
documents need of which something is shown.

It is a cache: what is damaged is set aside and begun anew, what cannot be written is read again by the next start. It
is for the user alone, at most ``most`` bytes, and forgets what nobody used for `DAYS`. No write-ahead log: SQLite
before 3.51.3 may corrupt one that two processes write.
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import stat
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from lens_lsp.corpus.safe_open import Identity
from lens_lsp.disk import PART
from lens_lsp.documents.frames import (
    MOST_HEAD,
    MOST_TEXT,
    Damaged,
    extracted_from,
    gist_from,
    gist_head,
    joined,
    joined_gist,
    joined_text,
    receive,
    recognised_from,
    recognised_to,
    result_of,
    send,
)
from lens_lsp.documents.kinds import Extracted, Failure, ScannedPage, StoredText

MOST = 2 << 30
"""Bytes of all texts together."""
DAYS = 90
"""Days after which a text is removed that nobody used."""
NAME = "documents.db"
_VERSION, _UNCHECKED = 2, 1
"""Of the file; the one before had nothing that tells a damaged hash."""
_DAY = 24 * 3600
_LEFT = 0.9
"""Share of the bound that is left when texts go."""
_SECONDS = 5.0
"""For which one process waits for another that writes."""
_MANY = 512
"""Notes that are held until they are written together."""
_PAGES = "/page"
"""What follows the reader's name where a page that was recognised is kept, by its number, with its lines."""
_DIGEST = 32
"""Bytes of a hash."""
_MOST_PACKED = MOST_TEXT + MOST_HEAD
_TABLES = """
CREATE TABLE texts(
    id INTEGER PRIMARY KEY,
    reader TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    first INTEGER NOT NULL,
    size INTEGER NOT NULL,
    used INTEGER NOT NULL,
    failure TEXT,
    gist BLOB,
    text BLOB,
    UNIQUE(reader, sha256, first)
);
CREATE TABLE structures(id INTEGER PRIMARY KEY, structure BLOB NOT NULL);
CREATE TABLE contents(identity BLOB PRIMARY KEY, sha256 BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX texts_used ON texts(used, size);
"""
T = TypeVar("T")


class DocumentStore:
    """The file in a folder. Safe for threads, and for other processes. No method raises for what is wrong with the
    file: it then keeps nothing, and ``tell`` is told so. ``most`` is in bytes, ``clock`` in seconds."""

    def __init__(
        self,
        folder: Path,
        tell: Callable[[str], object] = lambda _: None,
        *,
        most: int = MOST,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder = folder
        self._tell = tell
        self.full = False
        """There is no room for more texts: all that are there are in use."""
        self._most = most
        self._clock = clock
        self._turn = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._off = False
        self._size = 0
        self._used: set[int] = set()
        self._identified: dict[bytes, bytes] = {}

    def text(self, reader: str, sha256: str) -> StoredText | Failure | None:
        """The text of a content by a reader, or why it has none; None where nothing is known."""

        def made(parts: Sequence[tuple[bytes, bytes]]) -> StoredText:
            texts = [_unpacked(text).decode("utf-8") for text, _ in parts]
            return StoredText(
                joined_text(texts), joined_gist([gist_from(json.loads(_unpacked(gist))) for _, gist in parts])
            )

        return self._found(reader, sha256, "gist", made)

    def extracted(self, reader: str, sha256: str) -> Extracted | Failure | None:
        """The same with all of its structure."""

        def made(parts: Sequence[tuple[bytes, bytes]]) -> Extracted:
            return joined([_extracted(text, structure) for text, structure in parts])

        structure = "(SELECT structure FROM structures WHERE structures.id = texts.id)"
        return self._found(reader, sha256, structure, made)

    def _found(
        self, reader: str, sha256: str, column: str, made: Callable[[Sequence[tuple[bytes, bytes]]], T]
    ) -> T | Failure | None:
        """What is ``made`` of the parts of a content, each its text and another ``column``, or why it has none."""

        def found(connection: sqlite3.Connection) -> T | Failure | None:
            rows = connection.execute(
                f"SELECT id, used, failure, text, {column} FROM texts WHERE reader=? AND sha256=? ORDER BY first",
                (reader, bytes.fromhex(sha256)),
            ).fetchall()
            if not rows:
                return None
            self._note_use((number, used) for number, used, *_ in rows)
            failure = rows[0][2]
            return made([row[3:] for row in rows]) if failure is None else Failure(failure)

        return self._tried(found)

    def sha256(self, identity: Identity) -> str | None:
        """The hash of a file's bytes by what identifies them, as `identify` learnt it."""
        key = _named(identity)

        def found(connection: sqlite3.Connection) -> str | None:
            row = connection.execute("SELECT sha256, used FROM contents WHERE identity=?", (key,)).fetchone()
            if row is None:
                return None
            digest = bytes(row[0])[:_DIGEST]
            if bytes(row[0]) != _checked(key, digest):
                raise Damaged("a hash that was not written so")
            if row[1] < self._today:
                self._identified[key] = digest
            return digest.hex()

        return self._tried(found)

    def identify(self, identity: Identity, sha256: str) -> None:
        """Note whose bytes have which hash; it is written with the next text, or by `flush`."""
        with self._turn:
            self._identified[_named(identity)] = bytes.fromhex(sha256)
            if len(self._identified) > _MANY:
                self.flush()

    def put(self, reader: str, sha256: str, extracted: Extracted, first: int = 0) -> None:
        """Keep a text, or the part of one that begins on the page ``first``."""
        head, text = result_of(extracted)
        frame = io.BytesIO()
        send(frame, head, b"")
        packed = zlib.compress(text, 1)
        structure = zlib.compress(frame.getvalue(), 1)
        gist = zlib.compress(json.dumps(gist_head(extracted.gist)).encode("ascii"), 1)
        self._put(reader, sha256, first, packed, gist, structure, None)

    def put_failure(self, reader: str, sha256: str, failure: Failure) -> None:
        """Keep why a content has no text."""
        self._put(reader, sha256, 0, None, None, b"", failure)

    def page(self, reader: str, sha256: str, number: int) -> tuple[str | ScannedPage, int] | None:
        """What was recognised on a page, from 1, of a content, and how many there are; None where nothing is known."""

        def found(connection: sqlite3.Connection) -> tuple[str | ScannedPage, int] | None:
            row = connection.execute(
                "SELECT id, used, text FROM texts WHERE reader=? AND sha256=? AND first=?",
                (reader + _PAGES, bytes.fromhex(sha256), number),
            ).fetchone()
            if row is None:
                return None
            self._note_use(iter([row[:2]]))
            count, page = json.loads(_unpacked(row[2]))
            if type(count) is not int:
                raise Damaged("no number of pages")
            return recognised_from(page), count

        return self._tried(found)

    def put_page(self, reader: str, sha256: str, number: int, page: str | ScannedPage, count: int) -> None:
        """Keep what was recognised on a page, from 1, of ``count``."""
        said = json.dumps([count, recognised_to(page)], separators=(",", ":")).encode("ascii")
        self._put(reader + _PAGES, sha256, number, zlib.compress(said, 1), None, b"", None)

    def drop_pages(self, reader: str, sha256: str) -> None:
        """Forget the pages of a content that were recognised."""
        self.drop(reader + _PAGES, sha256)

    def drop(self, reader: str, sha256: str) -> None:
        """Forget what is known of a content by a reader."""

        def dropped(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                _remove(connection, "reader=? AND sha256=?", (reader, bytes.fromhex(sha256)))

        self._tried(dropped)

    def flush(self) -> None:
        """Write what is held: who used what, and whose bytes have which hash."""
        with self._turn:
            if self._used or self._identified:

                def written(connection: sqlite3.Connection) -> None:
                    with _transaction(connection):
                        self._write_notes(connection)

                self._tried(written)

    def close(self) -> None:
        """Give the file back."""
        with self._turn:
            self.flush()
            self._disconnect()

    def _put(
        self,
        reader: str,
        sha256: str,
        first: int,
        text: bytes | None,
        gist: bytes | None,
        structure: bytes,
        failure: Failure | None,
    ) -> None:
        size = len(text or b"") + len(gist or b"") + len(structure) + 100

        def kept(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                if not self._has_room(connection, size):
                    return
                key = (reader, bytes.fromhex(sha256), first)
                _remove(connection, "reader=? AND sha256=? AND first=?", key)
                row = (*key, size, self._today, failure and failure.value, gist, text)
                inserted = connection.execute("INSERT INTO texts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", row)
                if text is not None:
                    connection.execute("INSERT INTO structures VALUES (?, ?)", (inserted.lastrowid, structure))
                self._write_notes(connection)
                self._size += size

        with self._turn:
            if not self.full:
                self._tried(kept, making=True)

    def _has_room(self, connection: sqlite3.Connection, size: int) -> bool:
        """Whether a text fits; those that were used longest ago, and not today, make room for it."""
        if self._size + size <= self._most:
            return True
        self._size = _size(connection)  # other processes write, too
        if self._size + size <= self._most:
            return True
        rows = connection.execute("SELECT id, size FROM texts WHERE used < ? ORDER BY used, id", (self._today,))
        gone = []
        left = self._size
        for number, taken in rows:
            if left + size <= _LEFT * self._most:
                break
            gone.append((number,))
            left -= taken
        connection.executemany("DELETE FROM texts WHERE id=?", gone)
        connection.executemany("DELETE FROM structures WHERE id=?", gone)
        self._size = left
        if left + size <= self._most:
            return True
        self.full = True
        self._tell(f"no more texts of documents are kept: {self._most >> 20:,} MiB are in use; `lens forget --cache`")
        return False

    @property
    def _today(self) -> int:
        return int(self._clock()) // _DAY

    def _note_use(self, rows: Iterator[tuple[int, int]]) -> None:
        self._used.update(number for number, used in rows if used < self._today)

    def _write_notes(self, connection: sqlite3.Connection) -> None:
        today = self._today
        used, self._used = self._used, set()
        identified, self._identified = self._identified, {}
        connection.executemany("UPDATE texts SET used=? WHERE id=?", [(today, number) for number in used])
        rows = [(key, _checked(key, digest), today) for key, digest in identified.items()]
        connection.executemany("INSERT OR REPLACE INTO contents VALUES (?, ?, ?)", rows)

    def _tried(self, work: Callable[[sqlite3.Connection], T], *, making: bool = False) -> T | None:
        """Do something with the file; None where that cannot be done. One that is damaged is set aside."""
        with self._turn:
            try:
                connection = self._opened(making=making)
                return None if connection is None else work(connection)
            except sqlite3.OperationalError as error:
                self._failed(error)
            except (sqlite3.DatabaseError, Damaged, ValueError, TypeError, zlib.error) as error:
                self._set_aside(error)
            except OSError as error:
                self._give_up(error)
            return None

    def _failed(self, error: sqlite3.OperationalError) -> None:
        """A busy file may be used by the next who comes; one that cannot be written or read is not tried again."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT):
            return
        if code == sqlite3.SQLITE_ERROR:  # our statements are right: the tables are not
            self._set_aside(error)
        else:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self._disconnect()
        self._off = True
        reason = error.strerror if isinstance(error, OSError) else str(error)
        self._tell(f"texts of documents are not kept: {self.folder / NAME}: {reason}")

    def _set_aside(self, error: Exception) -> None:
        """Begin anew, the damaged file beside the new one until the next is damaged."""
        self._disconnect()
        database = self.folder / NAME
        try:
            os.replace(database, database.with_suffix(".damaged"))
            for side in _sides(database):
                side.unlink(missing_ok=True)
        except OSError as refused:
            self._give_up(refused)
            return
        self._tell(f"the texts of documents that were kept are damaged ({error}); they are read anew")

    def _opened(self, *, making: bool) -> sqlite3.Connection | None:
        """The open file, None where there is none, and none is to be made. Raises OSError and sqlite3.Error."""
        database = self.folder / NAME
        if self._connection is not None:
            return self._connection
        if self._off:
            return None
        if not usable(self.folder) or not os.path.lexists(database):
            if not making:
                return None
            self._make(database)
        if not stat.S_ISREG(os.lstat(database).st_mode):
            raise PermissionError(f"{database} is no plain file")
        connection = _connected(database)
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == _UNCHECKED:
            with _transaction(connection):
                connection.execute("DELETE FROM contents")
                connection.execute(f"PRAGMA user_version={_VERSION}")
        elif version != _VERSION:
            connection.close()
            raise sqlite3.DatabaseError("of another version")
        self._connection = connection
        self._size = _size(connection)
        self._forget_unused(connection)
        return connection

    def _make(self, database: Path) -> None:
        """A new file, whole before it has its name; another process may be first."""
        self.folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        usable(self.folder)
        part = self.folder / f".{NAME}.{os.urandom(4).hex()}{PART}"
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            connection = _connected(part)
            try:
                connection.executescript(f"BEGIN;{_TABLES}PRAGMA user_version={_VERSION};COMMIT;")
            finally:
                connection.close()
            if os.path.lexists(database):
                part.unlink()
            else:
                os.replace(part, database)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
        self._tell(
            f"texts of documents are kept in {database}, so that each is read once;"
            " documents.store = false in your file of settings turns that off"
        )

    def _forget_unused(self, connection: sqlite3.Connection) -> None:
        """What nobody used for long is removed; a file that is busy keeps it."""
        oldest = (self._today - DAYS,)
        with suppress(sqlite3.OperationalError):
            if connection.execute("SELECT 1 FROM texts WHERE used < ? LIMIT 1", oldest).fetchone() is not None:
                with _transaction(connection):
                    _remove(connection, "used < ?", oldest)
                    connection.execute("DELETE FROM contents WHERE used < ?", oldest)

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def usable(folder: Path) -> bool:
    """Whether it is a folder, no link to one, and the user's own. Raises OSError for what is there and is not."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(found.st_mode) or (sys.platform != "win32" and found.st_uid != os.getuid()):
        raise PermissionError(f"{folder} is no folder of yours")
    return True


def kept(folder: Path) -> tuple[int, int]:
    """How many documents have a text in a folder's file, and the bytes of the file. Raises OSError, `sqlite3.Error`."""
    database = folder / NAME
    if not usable(folder) or not database.is_file():
        return 0, 0
    with _reading(database) as connection:
        count = connection.execute("SELECT count(*) FROM texts WHERE first=0 AND failure IS NULL").fetchone()[0]
    return count, database.stat().st_size


def remove(folder: Path) -> int:
    """Remove the file, what is beside it, and the folder if nothing else is in it; how many texts there were.

    Raises OSError.
    """
    count = 0
    if usable(folder):
        with suppress(sqlite3.Error):
            count = kept(folder)[0]
        database = folder / NAME
        found = [database, database.with_suffix(".damaged"), *_sides(database), *folder.glob(f".{NAME}.*{PART}*")]
        for path in found:
            path.unlink(missing_ok=True)
        with suppress(OSError):
            folder.rmdir()
    return count


@contextmanager
def _reading(database: Path) -> Iterator[sqlite3.Connection]:
    connection = _connected(database)
    try:
        yield connection
    finally:
        connection.close()


def _connected(database: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(database, timeout=_SECONDS, isolation_level=None, check_same_thread=False)
    for setting in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "synchronous=NORMAL"):
        connection.execute(f"PRAGMA {setting}")
    return connection


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _sides(database: Path) -> Sequence[Path]:
    return [database.with_name(f"{database.name}-{side}") for side in ("journal", "wal", "shm")]


def _size(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT coalesce(sum(size), 0) FROM texts").fetchone()[0])


def _remove(connection: sqlite3.Connection, condition: str, values: Sequence[object]) -> None:
    numbers = connection.execute(f"SELECT id FROM texts WHERE {condition}", values).fetchall()
    if numbers:
        connection.executemany("DELETE FROM structures WHERE id=?", numbers)
        connection.executemany("DELETE FROM texts WHERE id=?", numbers)


def _named(identity: Identity) -> bytes:
    return ",".join(map(str, identity)).encode("ascii")


def _checked(identity: bytes, digest: bytes) -> bytes:
    """A hash with what tells whether it is the one of this identity: no page of the file has a sum of its own."""
    return digest + zlib.crc32(identity + digest).to_bytes(4, "big")


def _unpacked(data: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    whole = unpacking.decompress(data, _MOST_PACKED)
    if not unpacking.eof:
        raise Damaged("not whole")
    return whole


def _extracted(text: bytes, structure: bytes) -> Extracted:
    head, _ = receive(io.BytesIO(_unpacked(structure)), 0)
    return extracted_from(head, _unpacked(text))
