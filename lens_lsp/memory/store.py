"""The store: what earlier questions left behind, in one SQLite file for each workspace.

Synchronous, to be called off the event loop; one lock serves all threads of a process. Every write is one transaction
that is on the disk when the call returns. A damaged file is never believed: it is set aside under a name that says so,
the user is told, and a new store is begun (docs/explanation/knowledge.md).
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Concatenate, ParamSpec, TypeVar

from lens_lsp.disk import PART, PRIVATE
from lens_lsp.memory.answer_files import ANSWERS, Saved, put_answer, question_of
from lens_lsp.memory.citation_records import ID, keep_records
from lens_lsp.memory.store_file import (
    STEM,
    Connect,
    FolderLock,
    NotSaved,
    NotSavedReason,
    StoreConnection,
    StoreDamaged,
    StoreFiles,
    StoreUnavailable,
    StoreUnreadable,
    UnavailableReason,
    configure,
    connect,
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
    LAYOUT,
    PAGE_SIZE,
    Changes,
    FileKind,
    Layout,
    Removal,
    StoreView,
    create_tables,
    file_kind,
    write,
)
from lens_lsp.model.cluster import Cluster, WrongAnswer
from lens_lsp.model.lazy_dataclass import dataclass

T = TypeVar("T")
P = ParamSpec("P")
Work = Callable[[StoreView, StoreConnection], T]
_ATTEMPTS = 3
"""As it is, in a new file, and in another process's."""
_ROUNDS = 5
"""To open a file: made, brought up to date, set aside, and two that other processes may spoil."""


@dataclass(frozen=True, slots=True)
class _Open:
    """An open file and what tells that it is still the one that was looked at."""

    connection: StoreConnection
    identity: tuple[int, ...]
    state: tuple[int, int]


class _Altered(Exception):
    """Another process gave the file another schema since it was looked at."""


class Database:
    """The file behind a store: opened, brought up to date, set aside, and read and written in transactions.

    Which error leads to what is decided here. Everything that changes a file happens under the folder's lock. One
    thread at a time works in it.
    """

    def __init__(
        self,
        files: StoreFiles,
        lock: FolderLock,
        *,
        connect: Connect = connect,
        clock: Callable[[], float] = time.time,
        layout: Layout = LAYOUT,
    ) -> None:
        self.files = files
        self.layout = layout
        self.frozen = False
        """A sync failed: nothing more is written."""
        self.notices: list[str] = []
        self._lock = lock
        self._connect = connect
        self._clock = clock
        self._mutex = threading.RLock()
        self._file: _Open | None = None
        self._examined: tuple[int, ...] = ()
        """The stamp of the file when its structure was last known to be sound."""

    def begin(self) -> None:
        """Open the file; raises `StoreUnavailable`."""
        with self._mutex:
            try:
                self._opened()
            except sqlite3.Error as error:
                raise unavailable(error) from error
            except OSError as error:
                raise unusable(self.files.database, error) from error

    def read(self, work: Work[T]) -> T:
        """What ``work`` makes of one state of the store. Raises `StoreUnreadable`."""
        with self._mutex:
            if self.frozen and self.files.has_journal():  # to read would be to write: SQLite would roll back
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
                reason = NotSavedReason.BUSY if error.reason is UnavailableReason.BUSY else NotSavedReason.IO
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

    def notice(self, told: str) -> None:
        """Keep what the user should be told, once."""
        if told not in self.notices:
            self.notices.append(told)

    def close(self) -> None:
        """Give file and lock back."""
        with self._mutex:
            self._disconnect()
            self._lock.close()

    def _attempt(self, kind: str, work: Work[T]) -> T:
        """Work in a transaction; a file that turns out to be damaged is set aside, and the work done in a new one."""
        writing = kind == "IMMEDIATE"
        for attempt in range(1, _ATTEMPTS + 1):
            file = self._opened()
            try:
                with transaction(file.connection, kind):
                    if _state(file.connection) != file.state:
                        raise _Altered
                    if writing and self._examined != self.files.stamp():
                        _require_structure(file.connection)
                    result = work(StoreView(file.connection), file.connection)
                if writing:
                    self._examined = self.files.stamp()  # what we wrote into a sound file left it sound
                return result
            except _Altered:
                self._disconnect()
            except sqlite3.Error as error:
                if not is_failed_sync(error):
                    self._disconnect()
                if attempt == _ATTEMPTS or not self._damaged(error):
                    raise
                self._set_aside(file.identity, str(error))
        raise sqlite3.OperationalError("other processes alter the file again and again")

    def _opened(self) -> _Open:
        """The open file; another one when another process has put another in its place."""
        if self._file is not None and self.files.identity() != self._file.identity:
            self._disconnect()
        if self._file is None:
            self._file = self._open()
        return self._file

    def _open(self) -> _Open:
        for _ in range(_ROUNDS):
            if not self.frozen and not os.path.lexists(self.files.database):
                with self._lock.held():
                    self._make()
            identity = self.files.identity()
            try:
                found = self._looked_at(identity)
            except sqlite3.Error as error:
                if not self._damaged(error):
                    raise
                self._set_aside(identity, str(error))
                continue
            if isinstance(found, _Open):
                return found
            if found is FileKind.NEWER:
                self.notice(
                    f"{self.files.database.name} is of a newer version of lens and was not touched;"
                    f" this version keeps its knowledge beside it"
                )
                self.files = replace(self.files, stem=f"{STEM}.v{self.layout.version}")
            elif found is FileKind.FOREIGN:
                self._set_aside(identity, "it is of another application, or its schema was altered")
        raise StoreUnavailable(
            UnavailableReason.UNREADABLE, "the knowledge store cannot be opened: others alter it again"
        )

    def _looked_at(self, identity: tuple[int, ...]) -> _Open | FileKind:
        """The file, open, when it is the current one; else what it was, brought up to date if it was older."""
        connection = self._connect(str(self.files.database))
        kept = False
        try:
            configure(connection)
            found = file_kind(connection, self.layout)
            if found is FileKind.OLDER:
                with self._lock.held():
                    self._migrate(connection)
            elif found is FileKind.CURRENT and identity == self.files.identity():
                file = _Open(connection, identity, _state(connection))
                kept = True
                return file
            return found
        finally:
            if not kept:
                connection.close()

    def _make(self) -> None:
        """A new file in the store's place, unless another process has made one; the folder's lock is held."""
        if os.path.lexists(self.files.database):
            return
        with self.files.making(self.files.database) as part:
            connection = self._connect(str(part))
            try:
                connection.execute(f"PRAGMA page_size={PAGE_SIZE}")
                configure(connection)
                with transaction(connection):
                    create_tables(connection, self.layout)
            finally:
                connection.close()

    def _migrate(self, connection: StoreConnection) -> None:
        """Lead an older file to the layout: a checked backup first, then one transaction for each step, its version
        number in it. The folder's lock is held.

        A process that dies anywhere leaves a file that is whole and of one version or the next; whoever opens it goes
        on. Raises `StoreUnavailable` when a step fails (the file stays at the version before it), `StoreDamaged` for a
        file that is damaged, which is not touched, other `sqlite3.Error` and OSError.
        """
        layout, version = self.layout, number(connection, "user_version")
        if version >= layout.version:
            return
        _require_structure(connection, "quick_check")
        with self.files.making(self.files.backup(version)) as part:  # made here, so that it is for the user alone
            connection.execute("VACUUM INTO ?", (str(part),))
            copy = self._connect(str(part))
            try:
                _require_structure(copy, "quick_check")
            finally:
                copy.close()
        first = layout.version - len(layout.steps)
        for target in range(version + 1, layout.version + 1):
            try:
                with transaction(connection):
                    if number(connection, "user_version") == target - 1:  # else another did not ask for the lock
                        layout.steps[target - 1 - first](connection)
                        connection.execute(f"PRAGMA user_version={target}")
            except (ValueError, KeyError, TypeError) as error:
                why = f"the knowledge store could not be brought up to date from version {target - 1}: {error}"
                raise StoreUnavailable(UnavailableReason.MIGRATION, why) from error

    def _damaged(self, error: sqlite3.Error) -> bool:
        """Whether an error comes from what stands in the file, and it may be set aside for that."""
        broken = is_corruption(error) or (is_refusal(error) and os.access(self.files.database, os.W_OK))
        return broken and not self.frozen

    def _set_aside(self, identity: tuple[int, ...], why: str) -> None:
        """Set a damaged file aside and begin a new one, unless another process has done it or it is sound after all.

        Raises `StoreUnavailable`, `sqlite3.Error` and OSError.
        """
        with self._lock.held():
            if self.files.identity() != identity or not identity or self._is_sound():
                return
            name = self.files.set_aside(self._clock())
            self.notice(
                f"the knowledge store was damaged ({why}) and is not used any more:"
                f" it is kept as {name}, and a new one was begun"
            )
            self._make()

    def _is_sound(self) -> bool:
        """Whether the file is a store and all of its rows are what was written. Raises `sqlite3.Error` when it cannot
        be read for another reason than what stands in it."""
        connection: StoreConnection | None = None
        try:
            connection = self._connect(str(self.files.database))
            configure(connection)
            with transaction(connection, "DEFERRED"):  # to write would begin a database in an empty file
                kind = file_kind(connection, self.layout)
                if kind is FileKind.CURRENT:
                    connection.execute('DELETE FROM "clusters" WHERE 0')  # a damaged header may forbid to write
                    view = StoreView(connection)
                    view.clusters(), view.summaries(), view.all_turns(), view.wrong()
                return kind is not FileKind.FOREIGN and structural_fault(connection) is None
        except sqlite3.Error as error:
            if self._damaged(error):
                return False
            raise
        finally:
            if connection is not None:
                connection.close()

    def _disconnect(self) -> None:
        if self._file is not None:
            self._file.connection.close()
            self._file = None


def _state(connection: StoreConnection) -> tuple[int, int]:
    """Version of the schema by our count and by SQLite's."""
    return number(connection, "user_version"), number(connection, "schema_version")


def _require_structure(connection: StoreConnection, check: str = "integrity_check") -> None:
    """Raise `StoreDamaged` for a file that SQLite would damage further by writing.

    All rows can be read where a page is wrong about its free room, or where a page in use stands among the free ones;
    to write there is to overwrite some of them. The whole file is looked at, about 2 ms for each MB: so a writer does
    it only before its first write and when somebody else wrote since.
    """
    fault = structural_fault(connection, check)
    if fault is not None:
        raise StoreDamaged(fault.splitlines()[-1])  # the last line says what, one before it may name the database


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """The clusters that have to go, what goes with them, and the questions that no answer file may answer any more."""

    clusters: tuple[Cluster, ...]
    changes: Changes
    removal: Removal
    questions: frozenset[str] | None
    """None for all: no cluster stays."""


def deletion_plan(view: StoreView, ids: Iterable[str], threads: frozenset[str] = frozenset()) -> DeletionPlan:
    """All rows that hold something of these clusters, their turns and the summaries of what they cite among them; and
    of these threads, with the clusters that only they came upon."""
    all_turns = view.all_turns()
    elsewhere = {turn.cluster for turn in all_turns if turn.thread not in threads}
    lone = {turn.cluster for turn in all_turns if turn.thread in threads and turn.cluster} - elsewhere
    wanted = frozenset(ids) | lone
    clusters = view.clusters()
    going = [cluster for cluster in clusters if cluster.id in wanted]
    keys = {asked.key for cluster in going for asked in cluster.asked}
    wrong = [answer for answer in view.wrong() if answer.id in wanted or answer.key in keys]
    staying = [cluster for cluster in clusters if cluster.id not in wanted]
    questions = frozenset(_plain(asked.question) for cluster in going for asked in cluster.asked)
    cited = {(citation.root, citation.path) for cluster in going for _, citation in cluster.citations}
    if threads:
        asked_elsewhere = {_plain(turn.question) for turn in all_turns if turn.thread not in threads}
        questions |= {_plain(turn.question) for turn in all_turns if turn.thread in threads} - asked_elsewhere
    turns = [
        turn
        for turn in all_turns
        if turn.cluster in wanted or turn.thread in threads or _plain(turn.question) in questions
    ]
    return DeletionPlan(
        tuple(going),
        Changes(
            clusters=tuple(
                replace(each, links=tuple(link for link in each.links if link.cluster not in wanted))
                for each in staying
                if any(link.cluster in wanted for link in each.links)
            ),
            removed=tuple(cluster.id for cluster in going),
        ),
        Removal(
            summaries=tuple(sorted(cited)),
            turns=tuple((turn.thread, turn.n) for turn in turns),
            wrong=tuple(answer.id for answer in wrong),
        ),
        questions if staying or threads else None,
    )


def delete_answers(folder: Path, questions: frozenset[str] | None) -> tuple[str, ...]:
    """Delete the answer files of some questions, None for all, and the records that no other cites; returns their names
    below the store's folder.

    Raises OSError.
    """
    answers = folder / ANSWERS
    if answers.is_symlink() or not answers.is_dir():  # nothing of ours was ever written through a link
        return ()
    gone = [path for path in sorted(answers.glob("*.md")) if questions is None or _answers(path, questions)]
    gone += sorted(answers.glob(f".*{PART}"))  # half of an answer that a killed process was writing, to any question
    for path in gone:
        os.unlink(path)
    left = "".join(path.read_text("utf-8", "replace") for path in answers.glob("*.md"))
    keep_records(str(answers), frozenset(re.findall(ID, left)), PRIVATE)
    return tuple(f"{ANSWERS}/{path.name}" for path in gone)


def _answers(path: Path, questions: frozenset[str]) -> bool:
    asked = question_of(path)
    return asked is not None and _plain(asked) in questions


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
    corrupt: tuple[str, ...]
    """Names of damaged files that were set aside."""
    backups: tuple[str, ...]
    writable: bool


def _reader(method: Callable[Concatenate[StoreView, P], T]) -> Callable[Concatenate[Store, P], T]:
    """A method of `StoreView` as one of `Store`, in a transaction of its own."""

    def read(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return store._database.read(lambda view, _: method(view, *args, **kwargs))

    read.__doc__ = method.__doc__
    return read


class Store:
    """One workspace's knowledge. Made by `open`; a context manager that closes it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        connect: Connect = connect,
        clock: Callable[[], float] = time.time,
        layout: Layout = LAYOUT,
    ) -> Store:
        """The store in a folder, made where there is none, brought up to date where it is older.

        ``connect`` opens a file; ``clock`` gives seconds since the epoch, for names. Raises `StoreUnavailable`.
        """
        prepare_folder(folder)
        files = StoreFiles(folder)
        database = Database(files, FolderLock(files), connect=connect, clock=clock, layout=layout)
        try:
            database.begin()
        except BaseException:
            database.close()
            raise
        return cls(database)

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
        return self._database.files.database

    @property
    def notices(self) -> tuple[str, ...]:
        """What the user should be told once: a file of a newer version, or a damaged one that was set aside."""
        return tuple(self._database.notices)

    # All that reads raises `StoreUnreadable`.
    clusters = _reader(StoreView.clusters)
    cluster = _reader(StoreView.cluster)
    by_question = _reader(StoreView.by_question)
    questions = _reader(StoreView.questions)
    typed_questions = _reader(StoreView.typed_questions)
    answers = _reader(StoreView.answers)
    by_fact = _reader(StoreView.by_fact)
    by_citation = _reader(StoreView.by_citation)
    summaries = _reader(StoreView.summaries)
    turns = _reader(StoreView.turns)
    all_turns = _reader(StoreView.all_turns)
    wrong = _reader(StoreView.wrong)

    def save(self, changes: Changes) -> None:
        """Keep changes, all or none of them, whatever is there by now; `update` looks first. Raises `NotSaved`."""
        self.update(lambda view: changes)

    def update(self, change: Callable[[StoreView], Changes]) -> Changes:
        """Look, decide and write in one transaction, so that no other process's work is lost. Returns what was kept.

        ``change`` must be pure and quick: it runs while others wait, and again when a damaged file was set aside.
        Raises `NotSaved`; the store then holds what it held.
        """

        def decide(view: StoreView, connection: StoreConnection) -> Changes:
            changes = change(view)
            if changes:
                write(connection, changes)
            return changes

        return self._database.write(decide)

    def keep_answer(self, name: str, saved: Saved) -> Path:
        """Write an answer file beside the store, over one of that name, and the records of what it cites. Raises
        `NotSaved`."""
        folder = self.path.parent / ANSWERS
        try:
            put_answer(folder / name, saved, str(folder), PRIVATE, self.path.parent)
        except OSError as error:
            why = f"the answer is known but was not saved as a file: {error.strerror or error}"
            raise NotSaved(NotSavedReason.IO, why) from error
        return folder / name

    def forget(self, ids: Iterable[str], threads: Iterable[str] = ()) -> Forgotten:
        """Take clusters, wrong answers and whole threads out so that no byte of them is left in the store's folder,
        except where others say the same.

        What was called wrong of the clusters' questions, their turns, the summaries of the documents they cite, answer
        files of their questions, and every copy of the store go with them. Raises `NotSaved` and `StoreUnreadable`:
        what is still listed has to be forgotten again.
        """
        wanted, named, database = tuple(ids), frozenset(threads), self._database
        with database.changing():
            database.write(lambda *_: None)  # a damaged file is set aside now: afterwards it would stay
            going = database.read(lambda view, _: deletion_plan(view, wanted, named))
            files = database.files  # those first: what is still listed can be forgotten again
            gone = (*files.delete_copies(), *delete_answers(files.folder, going.questions))
            database.write(lambda _, to: write(to, going.changes, going.removal))
            database.vacuum()
        if files.stem != STEM:
            database.notice(f"{STEM}.db is of a newer version and was left alone: forget there with that version")
        return Forgotten(going.changes.removed, gone, going.removal.wrong)

    def withdraw(
        self, ids: Iterable[str], wrong_in: Callable[[Cluster], Iterable[WrongAnswer]]
    ) -> tuple[WrongAnswer, ...]:
        """Take clusters out whose answers are wrong, with the summaries of what they cite and the answer files of their
        questions, and keep what ``wrong_in`` makes of each. Their turns stay, without an answer. Raises `NotSaved` and
        `StoreUnreadable`."""
        wanted, database = frozenset(ids), self._database

        def decide(view: StoreView, connection: StoreConnection) -> tuple[WrongAnswer, ...]:
            going = deletion_plan(view, wanted)
            wrong = {each.id: each for cluster in going.clusters for each in wrong_in(cluster)}
            turns = tuple(replace(turn, cluster=None) for turn in view.all_turns() if turn.cluster in wanted)
            changes = replace(going.changes, turns=turns, wrong=tuple(wrong.values()))
            write(connection, changes, Removal(summaries=going.removal.summaries))
            return changes.wrong

        with database.changing():
            wrong = database.write(decide)
            delete_answers(database.files.folder, frozenset(_plain(each.question) for each in wrong))
        return wrong

    def health(self) -> Health:
        """A full look at everything. Raises `StoreUnreadable`."""
        database = self._database
        clusters = self.clusters()
        structure = database.read(lambda _, connection: structural_fault(connection))
        files = database.files
        return Health(
            path=self.path,
            version=database.layout.version,
            sqlite=sqlite3.sqlite_version,
            size=self.path.stat().st_size,
            clusters=len(clusters),
            archived=sum(cluster.archived for cluster in clusters),
            facts=sum(len(cluster.facts) for cluster in clusters),
            citations=sum(len(cluster.citations) for cluster in clusters),
            summaries=len(self.summaries()),
            problems=(structure,) if structure else (),
            notices=self.notices,
            corrupt=tuple(path.name for path in files.corrupt()),
            backups=tuple(path.name for path in files.backups()),
            writable=not database.frozen,
        )

    def close(self) -> None:
        """Give the file back; the store cannot be used afterwards."""
        self._database.close()
