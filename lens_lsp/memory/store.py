"""Rows read straight out of the pages of a broken file, without SQLite and without believing its schema or its trees.

Every leaf page of a table is looked at (https://www.sqlite.org/fileformat2.html), whatever tree it belonged to. What
looks like a row counts only when its checksum is right for one of our tables, which also tells the table.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from lens_lsp.disk import PART, replace_whole
from lens_lsp.memory.answer_files import ANSWERS, is_answer
from lens_lsp.memory.store_file import (
    STEM,
    Connect,
    Connection,
    FolderLock,
    NotSaved,
    NotSavedReason,
    StoreFiles,
    StoreUnavailable,
    StoreUnreadable,
    Unavailable,
    configure,
    connect,
    corruption,
    frozen,
    is_corruption,
    is_failed_sync,
    is_refusal,
    not_saved,
    number,
    prepare_folder,
    structural_fault,
    transaction,
    unavailable,
    unusable,
)
from lens_lsp.memory.store_rows import (
    CLUSTERS,
    LAYOUT,
    PAGE_SIZE,
    PART_BYTES,
    PARTS,
    SUM_BYTES,
    SUMMARIES,
    TABLES,
    TOTALS,
    TURNS,
    WRONG,
    Changes,
    Damage,
    Found,
    Kind,
    Knowledge,
    Layout,
    Removal,
    Row,
    Table,
    Value,
    all_damage,
    assemble,
    clear,
    create,
    decoded,
    headless,
    inspect,
    listed_parts,
    name_of,
    row_sum,
    summary_of,
    turn_of,
    write,
    wrong_of,
)
from lens_lsp.model.cluster import Cluster, DocumentSummary, Turn, WrongAnswer

_LEAF = 0x0D

_FILE_HEADER = 100

_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}

"""Bytes of a whole number, by serial type."""

_MOST_LOCAL = PAGE_SIZE - 35

_LEAST_LOCAL = (PAGE_SIZE - 12) * 32 // 255 - 23


class _NoRow(Exception):
    """What stands there is no row."""


def rows_in(data: bytes) -> Iterator[Row]:
    """Every row of ours in the bytes of a file, in the order of its pages; the same row may come twice."""
    for start in range(0, len(data), PAGE_SIZE):
        page = data[start : start + PAGE_SIZE]
        header = _FILE_HEADER if start == 0 else 0
        if len(page) != PAGE_SIZE or page[header] != _LEAF:
            continue
        (count,) = struct.unpack_from(">H", page, header + 3)
        for n in range(min(count, (PAGE_SIZE - header - 8) // 2)):
            (offset,) = struct.unpack_from(">H", page, header + 8 + 2 * n)
            try:
                row = _row(_record(_payload(data, page, offset)))
            except (_NoRow, IndexError, struct.error):
                continue
            if row is not None:
                yield row


def _row(values: list[Value]) -> Row | None:
    """The row that values are, by their checksum; None when it fits no table."""
    *columns, checksum = values
    if not isinstance(checksum, bytes) or len(checksum) != SUM_BYTES:
        return None
    for table in TABLES:
        if len(columns) == len(table.columns):
            row = tuple(_as_read(table, place, value) for place, value in enumerate(columns))
            if row_sum(table, row) == checksum:
                return Row(table, row, checksum)
    return None


def _as_read(table: Table, place: int, value: Value) -> Value:
    """Whole numbers stand in the file as such, also in a column of reals."""
    kind = table.columns[place][1]
    return float(value) if kind is Kind.REAL and isinstance(value, int) else value


def _payload(data: bytes, page: bytes, offset: int) -> bytes:
    """The bytes of a cell's record, from its page and those it runs over to."""
    size, offset = _varint(page, offset)
    _, offset = _varint(page, offset)
    if size > len(data):
        raise _NoRow
    if size <= _MOST_LOCAL:
        return page[offset : offset + size]
    local = _LEAST_LOCAL + (size - _LEAST_LOCAL) % (PAGE_SIZE - 4)
    local = local if local <= _MOST_LOCAL else _LEAST_LOCAL
    pieces = [page[offset : offset + local]]
    (follows,) = struct.unpack_from(">I", page, offset + local)
    left = size - local
    while left > 0:
        start = (follows - 1) * PAGE_SIZE
        if not 0 < start < len(data):
            raise _NoRow
        (follows,) = struct.unpack_from(">I", data, start)
        pieces.append(data[start + 4 : start + min(PAGE_SIZE, 4 + left)])
        left -= PAGE_SIZE - 4
    return b"".join(pieces)


def _record(payload: bytes) -> list[Value]:
    """The values of a record."""
    end, offset = _varint(payload, 0)
    kinds: list[int] = []
    while offset < end:
        kind, offset = _varint(payload, offset)
        kinds.append(kind)
    values: list[Value] = []
    offset = end
    for kind in kinds:
        value, size = _value(payload, offset, kind)
        values.append(value)
        offset += size
    if offset != len(payload) or not values:
        raise _NoRow
    return values


def _value(payload: bytes, offset: int, kind: int) -> tuple[Value, int]:
    """A value by its serial type, and its size in bytes."""
    if kind == 0:
        return None, 0
    if kind in _INTEGERS:
        size = _INTEGERS[kind]
        return int.from_bytes(payload[offset : offset + size], "big", signed=True), size
    if kind == 7:
        return struct.unpack_from(">d", payload, offset)[0], 8
    if kind in (8, 9):
        return kind - 8, 0
    if kind < 12:
        raise _NoRow
    size = (kind - 12) // 2
    if size > len(payload):
        raise _NoRow
    return payload[offset : offset + size], size


def _varint(data: bytes, offset: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends."""
    value = 0
    for n in range(8):
        byte = data[offset + n]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, offset + n + 1
    return value << 8 | data[offset + 8], offset + 9


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What was found. ``damaged`` clusters lost something, ``lost`` ones are gone: None when nothing counts them."""

    content: Changes
    damaged: int
    lost: int | None


def salvage(data: bytes) -> Salvaged:
    """All that stands in the bytes of a file and is what was written."""
    heads: dict[str, list[Row]] = {}
    parts: dict[str, list[Row]] = {}
    others: dict[str, dict[tuple[object, ...], Row]] = {table.name: {} for table in (SUMMARIES, TURNS, WRONG, TOTALS)}
    for row in rows_in(data):
        if row.table is CLUSTERS:
            heads.setdefault(name_of(row.values), []).append(row)
        elif row.table in PARTS:
            parts.setdefault(name_of(row.values), []).append(row)
        else:
            others[row.table.name][row.values[: row.table.keys]] = row
    clusters: list[Cluster] = []
    damaged = 0
    for name in sorted({*heads, *parts}):
        damage: list[Damage] = []
        cluster = _cluster(name, heads.get(name, []), parts.get(name, []), damage)
        if cluster is not None:
            clusters.append(cluster)
            damaged += bool(damage)
    counted = others[TOTALS.name].get((CLUSTERS.name.encode(),))
    expected = counted.values[1] if counted is not None else None
    content = Changes(
        clusters=tuple(clusters),
        summaries=tuple(decoded(summary_of, others[SUMMARIES.name].values(), [])),
        turns=tuple(decoded(turn_of, others[TURNS.name].values(), [])),
        wrong=tuple(decoded(wrong_of, others[WRONG.name].values(), [])),
    )
    return Salvaged(content, damaged, max(0, expected - len(clusters)) if isinstance(expected, int) else None)


def _cluster(name: str, heads: Sequence[Row], parts: Sequence[Row], damage: list[Damage]) -> Cluster | None:
    """A cluster from all that names it. Of several states the one that most is left of, then the one used last."""
    present = {row.checksum[:PART_BYTES] for row in parts}

    def remains(head: Row) -> tuple[float, float]:
        listed, used = listed_parts(head), head.values[4]
        return len(listed & present) / max(1, len(listed)), used if isinstance(used, float) else 0.0

    if heads:
        chosen = max(heads, key=remains)
        listed = listed_parts(chosen)
        return assemble(chosen, [row for row in parts if row.checksum[:PART_BYTES] in listed], damage)
    damage.append(Damage(CLUSTERS.name, name, "its own row is missing"))
    return headless(name, parts, damage)


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
    _require_structure_of(connection)
    with files.making(files.backup(version)) as part:  # made before SQLite makes it, so that it is for the user alone
        connection.execute("VACUUM INTO ?", (str(part),))
        copy = connect(str(part))
        try:
            _require_structure_of(copy)
        finally:
            copy.close()


def _require_structure_of(connection: Connection) -> None:
    found = structural_fault(connection, "quick_check")
    if found is not None:
        raise corruption(found)


T = TypeVar("T")

Work = Callable[[Knowledge, Connection], T]

_ATTEMPTS = 3

"""As it is, after one repair, and after another process's."""

_ROUNDS = 5

"""To open a file: settled, mended, brought up to date, and two that other processes may spoil."""

_MOST_NOTED = 1_000


@dataclass(frozen=True, slots=True)
class _Open:
    """An open file and what tells that it is still the one that was looked at."""

    connection: Connection
    identity: tuple[int, int] | None
    state: tuple[int, int]


class _Altered(Exception):
    """Another process gave the file another schema since it was looked at."""


class Session:
    """The file behind a store, with all that happens to it. One thread at a time works in it."""

    def __init__(self, workshop: Workshop, lock: FolderLock) -> None:
        self.workshop = workshop
        self.frozen = False
        """A sync failed: nothing more is written."""
        self.notices: list[str] = []
        self.damage: list[Damage] = []
        self._lock = lock
        self._mutex = threading.RLock()
        self._file: _Open | None = None
        self._examined: tuple[int, ...] | None = None
        """The stamp of the file when its structure was last known to be sound."""

    def begin(self) -> None:
        """Open the file; raises `StoreUnavailable`."""
        with self._mutex:
            try:
                self._opened()
            except sqlite3.Error as error:
                raise unavailable(error) from error
            except OSError as error:
                raise unusable(self.workshop.files.database, error) from error

    def read(self, work: Work[T]) -> T:
        """What ``work`` makes of one state of the store. Raises `StoreUnreadable`."""
        with self._mutex:
            if self.frozen and self.workshop.files.has_journal():  # to read would be to write: SQLite would roll back
                raise StoreUnreadable("the knowledge store is not read before the next start: the disk failed a write")
            try:
                return self._attempt("DEFERRED", work)
            except (StoreUnavailable, sqlite3.Error, OSError) as error:
                raise StoreUnreadable(f"the knowledge store cannot be read: {error}") from error

    def write(self, work: Work[T]) -> T:
        """What ``work`` returns, once all that it wrote is on the disk. Raises `NotSaved`."""
        with self.changing():
            return self._attempt("IMMEDIATE", work)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Hold the folder's lock; what fails inside is a `NotSaved`."""
        with self._mutex:
            if self.frozen:
                raise frozen()
            try:
                with self._lock.held():
                    yield
            except StoreUnavailable as error:
                reason = NotSavedReason.BUSY if error.reason is Unavailable.BUSY else NotSavedReason.IO
                raise NotSaved(reason, f"not saved: {error}") from error
            except sqlite3.Error as error:
                self.frozen = self.frozen or is_failed_sync(error)
                raise not_saved(error) from error
            except OSError as error:
                full = error.errno in (errno.ENOSPC, errno.EDQUOT)
                reason = NotSavedReason.FULL if full else NotSavedReason.IO
                raise NotSaved(reason, f"not saved: {error.strerror}") from error

    def vacuum(self) -> None:
        """Write the whole file anew, inside `changing`: what was overwritten may have left traces where rows moved."""
        self._opened().connection.execute("VACUUM")
        self._disconnect()

    def close(self) -> None:
        """Give file and lock back."""
        with self._mutex:
            self._disconnect()
            self._lock.close()

    def _attempt(self, kind: str, work: Work[T]) -> T:
        """Work in a transaction; a file that turns out to be broken is mended, and the work done again."""
        mendable = not self.frozen
        for attempt in range(1, _ATTEMPTS + 1):
            final = attempt == _ATTEMPTS or not mendable
            file = self._opened()
            knowledge = Knowledge(file.connection)
            try:
                with transaction(file.connection, kind):
                    if _state(file.connection) != file.state:
                        raise _Altered
                    if kind == "IMMEDIATE":
                        self._require_structure(file.connection)
                    result = work(knowledge, file.connection)
                    _require_sound(knowledge, final=final and kind == "DEFERRED")
                if kind == "IMMEDIATE":
                    self._examined = self.workshop.files.stamp()  # what we wrote into a sound file left it sound
                return result
            except _Altered:
                self._disconnect()
            except sqlite3.Error as error:
                if not is_failed_sync(error):
                    self._disconnect()
                if final or not self.workshop.broken(error):
                    raise
                mendable = self._mended(file.identity, str(error))
            finally:
                self.damage += knowledge.damage[: _MOST_NOTED - len(self.damage)]
        raise sqlite3.OperationalError("other processes alter the file again and again")

    def _require_structure(self, connection: Connection) -> None:
        """Raise for a file that SQLite would damage further by writing; the lock is held and a transaction open.

        All rows can be read where a page is wrong about its free room, or where a page in use stands among the free
        ones; to write there is to overwrite some of them. The whole file is looked at, about 2 ms for each MB: so it
        is done only before the first write and when somebody else wrote since.
        """
        if self._examined is not None and self._examined == self.workshop.files.stamp():
            return
        fault = structural_fault(connection)
        if fault is not None:
            raise corruption(fault.splitlines()[-1])  # the last line says what, one before it may name the database

    def _opened(self) -> _Open:
        """The open file; another one when another process has put another in its place."""
        if self._file is not None and self.workshop.files.identity() != self._file.identity:
            self._disconnect()
        if self._file is None:
            self._file = self._open()
        return self._file

    def _open(self) -> _Open:
        for _ in range(_ROUNDS):
            self._settle()
            identity = self.workshop.files.identity()
            try:
                found = self._looked_at(identity)
            except sqlite3.Error as error:
                if not self.workshop.broken(error):
                    raise
                self._mend(identity, str(error))
                continue
            if isinstance(found, _Open):
                return found
            if found is Found.NEWER:
                self._step_aside()
            elif found is Found.FOREIGN:
                self._mend(identity, "it is of another application, or its schema was altered")
        raise StoreUnavailable(Unavailable.UNREADABLE, "the knowledge store cannot be mended")

    def _looked_at(self, identity: tuple[int, int] | None) -> _Open | Found:
        """The file, open, when it is the current one; else what it was, brought up to date if it was older."""
        workshop = self.workshop
        connection = workshop.connect(str(workshop.files.database))
        kept = False
        try:
            configure(connection)
            found = inspect(connection, workshop.layout)
            if found is Found.OLDER:
                with self._lock.held():
                    migrate(connection, workshop.connect, workshop.files, workshop.layout)
            elif found is Found.CURRENT:
                file = _Open(connection, identity, _state(connection))
                kept = identity == workshop.files.identity()
                if kept:
                    return file
            return found
        finally:
            if not kept:
                connection.close()

    def _settle(self) -> None:
        """Finish what a process that died has left. A journal that holds something may also be a live writer's."""
        if self.workshop.unsettled() and not self.frozen:
            with self._lock.held():
                self.notice(self.workshop.settle())

    def _mend(self, identity: tuple[int, int] | None, why: str) -> None:
        """Replace a broken file, unless another process has done it."""
        with self._lock.held():
            if self.workshop.files.identity() == identity:
                self.notice(self.workshop.repair(why))

    def _mended(self, identity: tuple[int, int] | None, why: str) -> bool:
        """Replace a broken file; False when that is not possible now: then the rest of it can still be read."""
        try:
            self._mend(identity, why)
        except (StoreUnavailable, sqlite3.Error, OSError) as error:
            self.notice(f"the knowledge store is damaged ({why}) and cannot be mended now ({error})")
            return False
        return True

    def _step_aside(self) -> None:
        """Leave a file of a newer version alone and use one beside it."""
        files, version = self.workshop.files, self.workshop.layout.version
        self.notice(
            f"{files.database.name} is of a newer version of lens and was not touched;"
            f" this version keeps its knowledge beside it"
        )
        self.workshop = replace(self.workshop, files=replace(files, stem=f"{STEM}.v{version}"))

    def notice(self, told: str | None) -> None:
        """Keep what the user should be told, once."""
        if told is not None and told not in self.notices:
            self.notices.append(told)

    def _disconnect(self) -> None:
        if self._file is not None:
            self._file.connection.close()
            self._file = None


def _state(connection: Connection) -> tuple[int, int]:
    """Version of the schema by our count and by SQLite's."""
    return number(connection, "user_version"), number(connection, "schema_version")


def _require_sound(knowledge: Knowledge, *, final: bool) -> None:
    """Raise for a corrupt row; ``final``: what is left may be used."""
    broken = next((each for each in knowledge.damage if each.corrupt), None)
    if broken is not None and not final:
        raise corruption(f"{broken.table}: {broken.why}")


_QUESTION = b"question:"

_MOST_HEAD = 65_536

"""Bytes in which an answer file has named its question."""


@dataclass(frozen=True, slots=True)
class Oblivion:
    """The clusters that have to go, what goes with them, and the questions that no answer file may answer any more."""

    clusters: tuple[Cluster, ...]
    changes: Changes
    removal: Removal
    questions: frozenset[str] | None
    """None for all: no cluster stays."""


def oblivion(knowledge: Knowledge, ids: Iterable[str]) -> Oblivion:
    """All rows that hold something of these clusters, their turns and the summaries of what they cite among them."""
    wanted = frozenset(ids)
    clusters = knowledge.clusters()
    going = [cluster for cluster in clusters if cluster.id in wanted]
    keys = {asked.key for cluster in going for asked in cluster.asked}
    wrong = [answer for answer in knowledge.wrong() if answer.id in wanted or answer.key in keys]
    staying = [cluster for cluster in clusters if cluster.id not in wanted]
    questions = plain(asked.question for cluster in going for asked in cluster.asked)
    cited = {(citation.root, citation.path) for cluster in going for _, citation in cluster.citations}
    turns = [turn for turn in knowledge.all_turns() if turn.cluster in wanted or _plain(turn.question) in questions]
    return Oblivion(
        tuple(going),
        Changes(
            clusters=tuple(unlinked for each in staying if (unlinked := _without_links(each, wanted)) != each),
            removed=tuple(cluster.id for cluster in going),
        ),
        Removal(
            summaries=tuple(sorted(cited)),
            turns=tuple((turn.thread, turn.n) for turn in turns),
            wrong=tuple(answer.id for answer in wrong),
        ),
        questions if staying else None,
    )


def delete_copies(files: StoreFiles) -> tuple[str, ...]:
    """Delete every file with an older state of the store; returns their names. Raises OSError."""
    copies = (*files.corrupt(), *files.backups(), *(path for path in (files.copy, files.part) if path.exists()))
    for path in copies:
        files.discard(path)
    return tuple(path.name for path in copies)


def delete_answers(folder: Path, questions: frozenset[str] | None) -> tuple[str, ...]:
    """Delete the answer files of some questions, None for all; returns their names below the store's folder.

    Raises OSError.
    """
    answers = folder / ANSWERS
    if answers.is_symlink() or not answers.is_dir():  # nothing of ours was ever written through a link
        return ()
    gone = [path for path in sorted(answers.glob("*.md")) if questions is None or _answered(path) in questions]
    gone += sorted(answers.glob(f".*{PART}"))  # half of an answer that a killed process was writing, to any question
    for path in gone:
        os.unlink(path)
    return tuple(f"{ANSWERS}/{path.name}" for path in gone)


def plain(questions: Iterable[str]) -> frozenset[str]:
    """Questions as the files of their answers are known by."""
    return frozenset(map(_plain, questions))


def _answered(path: Path) -> str | None:
    """The question of an answer file; None when it names none."""
    with open(path, "rb") as file:
        head = file.read(_MOST_HEAD)
    for line in head.splitlines():
        if line.startswith(_QUESTION):
            written = line.removeprefix(_QUESTION).strip().decode("utf-8", "replace")
            with suppress(ValueError):
                written = str(json.loads(written))
            return _plain(written)
    return None


def _without_links(cluster: Cluster, ids: frozenset[str]) -> Cluster:
    return replace(cluster, links=tuple(link for link in cluster.links if link.cluster not in ids))


def _plain(question: str) -> str:
    return " ".join(question.split()).casefold()


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten: ids of clusters and of wrong answers, and names of files that were deleted from the store's
    folder."""

    clusters: tuple[str, ...]
    files: tuple[str, ...]
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """How a store is, for ``lens doctor``. ``size`` is in bytes."""

    path: Path
    version: int
    sqlite: str
    size: int
    clusters: int
    archived: int
    facts: int
    citations: int
    summaries: int
    problems: tuple[str, ...]
    """What a full look finds wrong now; empty for a sound store."""
    notices: tuple[str, ...]
    damaged: int
    """Rows that were left out since the store was opened."""
    corrupt: tuple[str, ...]
    """Names of broken files that were put aside."""
    backups: tuple[str, ...]
    writable: bool


class Store:
    """One workspace's knowledge. Made by `open`; a context manager that closes it."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        connect: Connect = connect,
        clock: Callable[[], float] = time.time,
        layout: Layout = LAYOUT,
    ) -> Store:
        """The store in a folder, made where there is none, mended and brought up to date where it needs to be.

        ``connect`` opens a file; ``clock`` gives seconds since the epoch, for names. Raises `StoreUnavailable`.
        """
        prepare_folder(folder)
        files = StoreFiles(folder)
        session = Session(Workshop(files, connect, clock, layout), FolderLock(files.lock, files.gate))
        try:
            session.begin()
        except BaseException:
            session.close()
            raise
        return cls(session)

    @classmethod
    def existing(cls, folder: Path) -> Store | None:
        """The store in a folder; None where there is none, and none is made. Raises `StoreUnavailable`."""
        return cls.open(folder) if StoreFiles(folder).database.exists() else None

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The file in use: beside ``knowledge.db`` when that is of a newer version."""
        return self._session.workshop.files.database

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should be told once: a file of a newer version, damage and what was saved."""
        return tuple(self._session.notices)

    @property
    def damage(self) -> tuple[Damage, ...]:
        """Rows that were left out of what was read since the store was opened."""
        return tuple(self._session.damage)

    def clusters(self) -> tuple[Cluster, ...]:
        """All clusters, live and archived, in order of id. Raises `StoreUnreadable`, as all that reads."""
        return self._session.read(lambda knowledge, _: knowledge.clusters())

    def cluster(self, id_: str) -> Cluster | None:
        """One cluster; None when there is none of that id."""
        return self._session.read(lambda knowledge, _: knowledge.cluster(id_))

    def by_question(self, key: str) -> tuple[str, ...]:
        """Ids of the clusters in which a question of this normal form was asked."""
        return self._session.read(lambda knowledge, _: knowledge.by_question(key))

    def questions(self) -> tuple[tuple[str, str], ...]:
        """Every question's cluster and normal form."""
        return self._session.read(lambda knowledge, _: knowledge.questions())

    def by_fact(self, key: str) -> tuple[str, ...]:
        """Ids of the clusters that hold a requirement of this normal form, retired ones too."""
        return self._session.read(lambda knowledge, _: knowledge.by_fact(key))

    def by_citation(self, id_: str) -> tuple[str, ...]:
        """Ids of the clusters that hold a citation."""
        return self._session.read(lambda knowledge, _: knowledge.by_citation(id_))

    def summaries(self) -> tuple[DocumentSummary, ...]:
        """What was proven from documents, one for each."""
        return self._session.read(lambda knowledge, _: knowledge.summaries())

    def turns(self, thread: str) -> tuple[Turn, ...]:
        """The questions of a thread, the first one first."""
        return self._session.read(lambda knowledge, _: knowledge.turns(thread))

    def all_turns(self) -> tuple[Turn, ...]:
        """The questions of all threads, by thread and number."""
        return self._session.read(lambda knowledge, _: knowledge.all_turns())

    def wrong(self) -> tuple[WrongAnswer, ...]:
        """Answers that were called wrong, the first one first."""
        return self._session.read(lambda knowledge, _: knowledge.wrong())

    def save(self, changes: Changes) -> None:
        """Keep changes, all or none of them, whatever is there by now; `update` looks first. Raises `NotSaved`."""
        self.update(lambda knowledge: changes)

    def update(self, change: Callable[[Knowledge], Changes]) -> Changes:
        """Look, decide and write in one transaction, so that no other process's work is lost. Returns what was kept.

        ``change`` must be pure and quick: it runs while others wait, and again when a broken file was mended. Raises
        `NotSaved`; the store then holds what it held.
        """

        def decide(knowledge: Knowledge, connection: Connection) -> Changes:
            changes = change(knowledge)
            if changes:
                write(knowledge, connection, changes)
            return changes

        return self._session.write(decide)

    def keep_answer(self, name: str, text: str) -> Path:
        """Write an answer file beside the store, whole or not at all, over one of that name. Raises `NotSaved`."""
        path = self.path.parent / ANSWERS / name
        try:
            replace_whole(path, text.encode("utf-8"), made=is_answer, below=self.path.parent)
        except OSError as error:
            why = f"the answer is known but was not saved as a file: {error.strerror or error}"
            raise NotSaved(NotSavedReason.IO, why) from error
        return path

    def forget(self, ids: Iterable[str]) -> Forgotten:
        """Take clusters and wrong answers out so that no byte of them is left in the store's folder, except where
        others say the same.

        What was called wrong of the clusters' questions, their turns, the summaries of the documents they cite, answer
        files of their questions, and every copy of the store go with them. Raises `NotSaved` and `StoreUnreadable`:
        what is still listed has to be forgotten again.
        """
        wanted, session = tuple(ids), self._session
        with session.changing():
            session.write(lambda *_: None)  # a broken file is put aside now: afterwards its copy would stay
            going = session.read(lambda knowledge, _: oblivion(knowledge, wanted))
            files = session.workshop.files  # those first: what is still listed can be forgotten again
            gone = (*delete_copies(files), *delete_answers(files.folder, going.questions))
            session.write(lambda knowledge, to: write(knowledge, to, going.changes, going.removal))
            session.vacuum()
        if files.stem != STEM:
            session.notice(f"{STEM}.db is of a newer version and was left alone: forget there with that version")
        return Forgotten(going.changes.removed, gone, going.removal.wrong)

    def withdraw(
        self, ids: Iterable[str], wrong_in: Callable[[Cluster], Iterable[WrongAnswer]]
    ) -> tuple[WrongAnswer, ...]:
        """Take clusters out whose answers are wrong, with the summaries of what they cite and the answer files of their
        questions, and keep what ``wrong_in`` makes of each. Their turns stay, without an answer. Raises `NotSaved` and
        `StoreUnreadable`."""
        wanted, session = frozenset(ids), self._session

        def decide(knowledge: Knowledge, connection: Connection) -> tuple[WrongAnswer, ...]:
            going = oblivion(knowledge, wanted)
            wrong = {each.id: each for cluster in going.clusters for each in wrong_in(cluster)}
            turns = tuple(replace(turn, cluster=None) for turn in knowledge.all_turns() if turn.cluster in wanted)
            changes = replace(going.changes, turns=turns, wrong=tuple(wrong.values()))
            write(knowledge, connection, changes, Removal(summaries=going.removal.summaries))
            return changes.wrong

        with session.changing():
            wrong = session.write(decide)
            delete_answers(session.workshop.files.folder, plain(each.question for each in wrong))
        return wrong

    def health(self) -> Health:
        """A full look at everything. Raises `StoreUnreadable`."""
        session = self._session
        before = len(session.damage)
        clusters, structure = session.read(lambda knowledge, _: (knowledge.clusters(), knowledge.structure()))
        new = tuple(f"{each.table} {each.name}: {each.why}" for each in session.damage[before:])
        files = session.workshop.files
        return Health(
            path=self.path,
            version=session.workshop.layout.version,
            sqlite=sqlite3.sqlite_version,
            size=self.path.stat().st_size,
            clusters=len(clusters),
            archived=sum(cluster.archived for cluster in clusters),
            facts=sum(len(cluster.facts) for cluster in clusters),
            citations=sum(len(cluster.citations) for cluster in clusters),
            summaries=len(self.summaries()),
            problems=(*new, *((structure,) if structure else ())),
            notices=self.notices,
            damaged=len(session.damage),
            corrupt=tuple(path.name for path in files.corrupt()),
            backups=tuple(path.name for path in files.backups()),
            writable=not session.frozen,
        )

    def close(self) -> None:
        """Give the file back; the store cannot be used afterwards."""
        self._session.close()
