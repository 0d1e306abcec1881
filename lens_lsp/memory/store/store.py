"""The store: what earlier questions left behind, in one SQLite file for each workspace.

Synchronous, to be called off the event loop; one lock serves all threads of a process. Every write is one transaction
that is on the disk when the call returns. What is read was checked row by row; a broken file is put aside and replaced
by what could be saved from it (docs/explanation/knowledge.md).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from lens_lsp.disk import replace_whole
from lens_lsp.memory.store.assembly import Damage
from lens_lsp.memory.store.connection import Connect, Connection, connect
from lens_lsp.memory.store.failures import NotSaved, NotSavedReason
from lens_lsp.memory.store.files import STEM, StoreFiles
from lens_lsp.memory.store.folder_lock import FolderLock
from lens_lsp.memory.store.forgetting import (
    ANSWERS,
    delete_answers,
    delete_copies,
    is_answer,
    oblivion,
    plain,
)
from lens_lsp.memory.store.place import prepare_folder
from lens_lsp.memory.store.reading import Knowledge
from lens_lsp.memory.store.replacement import Workshop
from lens_lsp.memory.store.schema import LAYOUT, Layout
from lens_lsp.memory.store.session import Session
from lens_lsp.memory.store.writing import Changes, Removal, write
from lens_lsp.model.cluster import Cluster, DocumentSummary, Turn, WrongAnswer


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
