"""Where a store lives, and what is said when the system, SQLite or another process is in its way."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lens_lsp.disk import network_file_system
from lens_lsp.memory.answer_files import Saved
from lens_lsp.memory.store import Database, Store
from lens_lsp.memory.store_file import (
    FolderLock,
    NotSaved,
    NotSavedReason,
    StoreConnection,
    StoreFiles,
    StoreUnavailable,
    StoreUnreadable,
    UnavailableReason,
    configure,
    connect,
    is_corruption,
    not_saved,
    prepare_folder,
    store_folder,
    unavailable,
)
from lens_lsp.memory.store_rows import (
    AnswerName,
    Changes,
    StoreView,
)
from lens_lsp.model.cluster import Turn
from tests.hand_made import answer
from tests.memory.kept import kept, kept_turn, question_key
from tests.memory.mutants import Changed


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may write everywhere, so where the tests run as root they step down for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that another user can reach."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def reason(folder: Path) -> UnavailableReason:
    with pytest.raises(StoreUnavailable) as caught:
        Store.open(folder)
    assert str(caught.value)
    return caught.value.reason


def table_of_mounts(folder: Path, kind: str, at: Path) -> Path:
    device = os.stat(folder).st_dev
    at.write_text(
        "22 28 0:21 / /proc rw,relatime shared:12 - proc proc rw\n"
        f"36 35 {os.major(device)}:{os.minor(device)} / /some/where rw shared:1 - {kind} server:/export rw\n"
    )
    return at


def test_a_workspace_has_a_folder_of_its_own_named_by_its_real_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "notes").mkdir()
    (tmp_path / "alias").symlink_to("notes")
    environment: dict[str, str] = {}
    folder = store_folder(str(tmp_path / "notes"), environment=environment)
    digest = hashlib.blake2b(os.fsencode(os.path.realpath(tmp_path / "notes")), digest_size=8).hexdigest()
    assert folder.name == digest
    assert folder.parent.name == "lens-lsp"
    assert not folder.parent.exists()
    assert store_folder(str(tmp_path / "alias"), environment=environment) == folder
    assert store_folder(str(tmp_path), environment=environment) != folder


def test_the_option_wins_over_the_environment_and_that_over_our_own_place(tmp_path: Path) -> None:
    environment = {"LENS_STORE": str(tmp_path / "theirs")}
    assert store_folder("/notes", str(tmp_path / "mine"), environment) == tmp_path / "mine"
    assert store_folder("/notes", None, environment) == tmp_path / "theirs"
    assert store_folder("/notes", ".lens", environment) == Path.cwd() / ".lens"
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("home", ["", "nowhere", "relative/home"])
def test_without_a_home_there_is_no_store(home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / home) if home == "nowhere" else home)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    with pytest.raises(StoreUnavailable) as caught:
        store_folder("/notes", environment={})
    assert caught.value.reason is UnavailableReason.NO_HOME
    assert "--store" in str(caught.value)
    assert store_folder("/notes", str(tmp_path), {}) == tmp_path


@pytest.mark.parametrize("name", ["store", "store/deeper"])
def test_a_file_where_the_folder_should_be_is_no_store(tmp_path: Path, name: str) -> None:
    (tmp_path / "store").write_text("a file")
    assert reason(tmp_path / name) is UnavailableReason.NOT_A_FOLDER
    assert (tmp_path / "store").read_text() == "a file"


def test_a_folder_where_the_file_should_be_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "knowledge.db").mkdir()
    assert reason(tmp_path) is UnavailableReason.UNREADABLE
    assert (tmp_path / "knowledge.db").is_dir()


@pytest.mark.skipif(os.name == "nt", reason="no such modes")
def test_a_read_only_folder_is_no_store(open_to_all: Path) -> None:
    Store.open(open_to_all / "store").close()
    for path in (open_to_all / "store").iterdir():
        path.chmod(0o444)
    (open_to_all / "store").chmod(0o555)
    with ordinary_user():
        assert reason(open_to_all / "store") is UnavailableReason.READ_ONLY
        assert reason(open_to_all / "store" / "deeper") is UnavailableReason.READ_ONLY


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p"])
def test_no_knowledge_is_kept_on_a_network_file_system(tmp_path: Path, kind: str) -> None:
    mounts = table_of_mounts(tmp_path, kind, tmp_path / "mountinfo")
    with pytest.raises(StoreUnavailable, match="network") as caught:
        prepare_folder(tmp_path / "store", mounts)
    assert caught.value.reason is UnavailableReason.NETWORK
    assert kind in str(caught.value)


def test_local_file_systems_and_systems_that_do_not_say_are_good(tmp_path: Path) -> None:
    mounts = table_of_mounts(tmp_path, "ext4", tmp_path / "mountinfo")
    assert network_file_system(tmp_path, mounts) is None
    assert network_file_system(tmp_path, tmp_path / "no such table") is None
    prepare_folder(tmp_path / "store", mounts)
    assert (tmp_path / "store").is_dir()


def test_a_lock_that_another_holds_is_waited_for_and_then_given_up(tmp_path: Path) -> None:
    one = FolderLock(StoreFiles(tmp_path))
    other = FolderLock(StoreFiles(tmp_path), seconds=0.05)
    with one.held(), one.held(), pytest.raises(StoreUnavailable) as caught, other.held():
        pass
    assert caught.value.reason is UnavailableReason.BUSY
    with other.held():
        pass
    one.close()
    other.close()


def error_of(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("said by SQLite")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "reason", "said"),
    [
        (sqlite3.SQLITE_FULL, NotSavedReason.FULL, "is full"),
        (sqlite3.SQLITE_BUSY, NotSavedReason.BUSY, "another process"),
        (sqlite3.SQLITE_LOCKED_SHAREDCACHE, NotSavedReason.BUSY, "another process"),
        (sqlite3.SQLITE_IOERR_FSYNC, NotSavedReason.FROZEN, "until the next start"),
        (sqlite3.SQLITE_IOERR_DIR_FSYNC, NotSavedReason.FROZEN, "until the next start"),
        (sqlite3.SQLITE_IOERR_WRITE, NotSavedReason.IO, "said by SQLite"),
        (sqlite3.SQLITE_READONLY, NotSavedReason.IO, "said by SQLite"),
    ],
)
def test_each_failure_of_a_save_has_its_reason(code: int, reason: NotSavedReason, said: str) -> None:
    found = not_saved(error_of(code))
    assert found.reason is reason
    assert str(found).startswith("not saved: ")
    assert said in str(found)


@pytest.mark.parametrize(
    ("code", "reason", "said"),
    [
        (sqlite3.SQLITE_FULL, UnavailableReason.FULL, "is full"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, UnavailableReason.BUSY, "another process"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, UnavailableReason.READ_ONLY, "cannot be written"),
        (sqlite3.SQLITE_PERM, UnavailableReason.READ_ONLY, "cannot be written"),
        (sqlite3.SQLITE_CANTOPEN, UnavailableReason.UNREADABLE, "said by SQLite"),
    ],
)
def test_each_failure_to_open_has_its_reason(code: int, reason: UnavailableReason, said: str) -> None:
    found = unavailable(error_of(code))
    assert found.reason is reason
    assert said in str(found)


def test_an_error_of_pythons_own_layer_is_no_corruption() -> None:
    assert not is_corruption(sqlite3.ProgrammingError("closed"))
    assert unavailable(sqlite3.OperationalError("x")).reason is UnavailableReason.UNREADABLE


@pytest.mark.parametrize(
    ("number", "reason"),
    [(errno.ENOSPC, NotSavedReason.FULL), (errno.EDQUOT, NotSavedReason.FULL), (errno.EIO, NotSavedReason.IO)],
)
def test_an_error_of_the_system_during_a_change_keeps_what_there_was(
    tmp_path: Path, number: int, reason: NotSavedReason
) -> None:
    def failing(_: StoreView) -> Changes:
        raise OSError(number, os.strerror(number))

    with Store.open(tmp_path) as store:
        store.save(Changes((kept(1),)))
        with pytest.raises(NotSaved, match=f"not saved: {os.strerror(number)}") as caught:
            store.update(failing)
        assert caught.value.reason is reason
        assert store.clusters() == (kept(1),)
        store.save(Changes((kept(2),)))


def test_a_folder_that_another_holds_refuses_a_change_and_takes_the_next(tmp_path: Path) -> None:
    files = StoreFiles(tmp_path)
    with Store.open(tmp_path) as store:
        store.save(Changes((kept(1),)))
    database = Database(files, FolderLock(files, 0.05))
    database.begin()
    with closing(Store(database)) as store, closing(FolderLock(files)) as other:
        with other.held(), pytest.raises(NotSaved, match="another process is holding") as caught:
            store.save(Changes((kept(2),)))
        assert caught.value.reason is NotSavedReason.BUSY
        assert store.clusters() == (kept(1),)
        store.save(Changes((kept(2),)))
        assert store.clusters() == (kept(1), kept(2))


def test_a_lock_that_cannot_be_opened_leaves_no_descriptor(tmp_path: Path) -> None:
    StoreFiles(tmp_path).lock.mkdir()
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(StoreUnavailable):
        FolderLock(StoreFiles(tmp_path))
    assert len(os.listdir("/dev/fd")) == before


def test_a_folder_without_locks_is_told_as_such(tmp_path: Path) -> None:
    lock = FolderLock(StoreFiles(tmp_path))
    lock.close()  # a lock on what is not open fails as one on a file system without any does: not by being held
    with pytest.raises(StoreUnavailable, match="knows no locks") as caught, lock.held():
        pass
    assert caught.value.reason is UnavailableReason.NO_LOCKS


def test_a_file_that_cannot_be_opened_is_no_store(tmp_path: Path) -> None:
    def refused(path: str) -> StoreConnection:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    with pytest.raises(StoreUnavailable) as caught:
        Store.open(tmp_path, connect=refused)
    assert caught.value.reason is UnavailableReason.READ_ONLY


def test_a_file_that_is_altered_at_every_try_is_given_up_and_read_the_next_time(tmp_path: Path) -> None:
    altering = True

    def altered(path: str) -> StoreConnection:
        def before(sql: str) -> str:
            if altering and sql.startswith("BEGIN"):
                with closing(sqlite3.connect(path)) as other:
                    other.execute("VACUUM")
            return sql

        return Changed(connect(path), before)

    with Store.open(tmp_path, connect=altered) as store:
        with pytest.raises(StoreUnreadable, match="alter the file again and again"):
            store.clusters()
        altering = False
        assert store.clusters() == ()


def test_a_journal_is_not_rolled_back_after_a_failed_sync(tmp_path: Path) -> None:
    files = StoreFiles(tmp_path)
    with Store.open(tmp_path) as store:
        store.save(Changes((kept(1),)))
        store._database.frozen = True
        journal = Path(f"{files.database}-journal")
        journal.write_bytes(bytes(512) + b"x")
        with pytest.raises(StoreUnreadable, match="not read before the next start"):
            store.clusters()
        assert journal.read_bytes() == bytes(512) + b"x"
        journal.unlink()
        assert store.clusters() == (kept(1),)


def test_a_store_is_only_opened_where_there_is_one(tmp_path: Path) -> None:
    assert Store.existing(tmp_path / "none") is None
    assert not (tmp_path / "none").exists()
    Store.open(tmp_path / "one").close()
    found = Store.existing(tmp_path / "one")
    assert found is not None
    found.close()


def test_questions_and_turns_are_listed_in_order(tmp_path: Path) -> None:
    turns = tuple(kept_turn(n, thread) for thread in ("side", "main") for n in (2, 1))
    with Store.open(tmp_path) as store:
        store.save(Changes((kept(2), kept(0)), turns=turns))
        assert store.questions() == (("k0", question_key(0)), ("k2", question_key(2)))
        asked = [(cluster.id, each) for cluster in store.clusters() for each in cluster.asked]
        assert store.answers() == tuple(
            AnswerName(cluster, each.id, each.question, each.key, each.at) for cluster, each in asked
        )
        assert [(turn.thread, turn.n) for turn in store.all_turns()] == [
            ("main", 1),
            ("main", 2),
            ("side", 1),
            ("side", 2),
        ]


def _saved(question: str) -> Saved:
    return Saved(replace(answer(os.sep), question=question), {}, datetime.now(UTC), None, private=False)


def test_an_answer_is_kept_beside_the_store_or_refused(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        first, second = (_saved(f"{word}?") for word in ("One", "Two"))
        path = store.keep_answer("one.md", first)
        assert 'question: "One?"' in path.read_text()
        assert store.keep_answer("one.md", second) == path
        assert 'question: "Two?"' in path.read_text()
        path.write_text("# Mine\n")
        with pytest.raises(NotSaved, match="there is a file that Lens did not make; move it away"):
            store.keep_answer("one.md", first)
        assert path.read_text() == "# Mine\n"
        (path.parent / "two.md").mkdir()
        with pytest.raises(NotSaved, match="the answer is known but was not saved as a file") as caught:
            store.keep_answer("two.md", first)
        assert caught.value.reason is NotSavedReason.IO
        path.unlink()
        (path.parent / "two.md").rmdir()
        shutil.rmtree(path.parent)
        path.parent.write_text("no folder")
        with pytest.raises(NotSaved):
            store.keep_answer("one.md", first)


def test_forgetting_deletes_answers_by_what_they_say_was_asked(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.save(Changes((kept(1), kept(2))))
        store.keep_answer("gone.md", _saved(kept(1).asked[0].question))
        folder = store.keep_answer("other.md", _saved("What else?")).parent
        (folder / "nameless.md").write_text("# No question\n")
        forgotten = store.forget(["k1"])
        assert forgotten.clusters == ("k1",)
        assert forgotten.files == (f"{folder.name}/gone.md",)
        assert sorted(path.name for path in folder.glob("*.md")) == ["nameless.md", "other.md"]


def test_forgetting_a_thread_takes_what_only_it_came_upon(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        turns = (
            Turn("a", 1, "one?", kept(1).asked[0].question, "k1", 1.0),
            Turn("a", 2, "two?", kept(2).asked[0].question, "k2", 2.0),
            Turn("a", 3, "What else?", "What else?", None, 3.0),
            Turn("b", 1, "two?", kept(2).asked[0].question, "k2", 4.0),
            Turn("b", 2, "And what stays?", "And what stays?", None, 5.0),
        )
        store.save(Changes((kept(1), kept(2)), turns=turns))
        for name, question in {"gone": "What else?", "stays": "And what stays?"}.items():
            store.keep_answer(f"{name}.md", _saved(question))
        forgotten = store.forget([], ["a"])
        assert (forgotten.clusters, [Path(name).name for name in forgotten.files]) == (("k1",), ["gone.md"])
        assert ([each.id for each in store.clusters()], store.all_turns()) == (["k2"], turns[3:])
        assert store.forget([], ["b"]).clusters == ("k2",)
        assert (store.clusters(), store.all_turns()) == ((), ())


def test_a_file_in_another_mode_that_is_in_use_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as holding:
        holding.execute("PRAGMA journal_mode=WAL")
        holding.execute("CREATE TABLE x (y)")
        holding.execute("BEGIN IMMEDIATE")
        holding.execute("INSERT INTO x VALUES (1)")
        with closing(connect(str(path))) as connection, pytest.raises(sqlite3.OperationalError):
            configure(Changed(connection, lambda sql: "PRAGMA busy_timeout=1" if "busy_timeout" in sql else sql))
