"""What the store says when the system, SQLite or another process is in its way; what it makes of single bad rows."""

from __future__ import annotations

import errno
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lens_lsp.memory.store import Session, Store, Workshop, migrate, rows_in
from lens_lsp.memory.store_file import (
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
    is_corruption,
    not_saved,
    unavailable,
)
from lens_lsp.memory.store_rows import (
    ASKED,
    CITATIONS,
    FACTS,
    LAYOUT,
    PAGE_SIZE,
    Changes,
    Damage,
    Knowledge,
    Row,
    Table,
    Value,
    headless,
    name_of,
)
from tests.memory.store.kept import kept, kept_turn, question_key
from tests.memory.store.mutants import Changed


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
        (sqlite3.SQLITE_FULL, Unavailable.FULL, "is full"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, Unavailable.BUSY, "another process"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, Unavailable.READ_ONLY, "cannot be written"),
        (sqlite3.SQLITE_PERM, Unavailable.READ_ONLY, "cannot be written"),
        (sqlite3.SQLITE_CANTOPEN, Unavailable.UNREADABLE, "said by SQLite"),
    ],
)
def test_each_failure_to_open_has_its_reason(code: int, reason: Unavailable, said: str) -> None:
    found = unavailable(error_of(code))
    assert found.reason is reason
    assert said in str(found)


def test_an_error_of_pythons_own_layer_is_no_corruption() -> None:
    assert not is_corruption(sqlite3.ProgrammingError("closed"))
    assert unavailable(sqlite3.OperationalError("x")).reason is Unavailable.UNREADABLE


@pytest.mark.parametrize(
    ("number", "reason"),
    [(errno.ENOSPC, NotSavedReason.FULL), (errno.EDQUOT, NotSavedReason.FULL), (errno.EIO, NotSavedReason.IO)],
)
def test_an_error_of_the_system_during_a_change_keeps_what_there_was(
    tmp_path: Path, number: int, reason: NotSavedReason
) -> None:
    def failing(_: Knowledge) -> Changes:
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
    session = Session(Workshop(files, connect, lambda: 0.0, LAYOUT), FolderLock(files.lock, files.gate, 0.05))
    session.begin()
    with closing(Store(session)) as store, closing(FolderLock(files.lock, files.gate)) as other:
        with other.held(), pytest.raises(NotSaved, match="another process is holding") as caught:
            store.save(Changes((kept(2),)))
        assert caught.value.reason is NotSavedReason.BUSY
        assert store.clusters() == (kept(1),)
        store.save(Changes((kept(2),)))
        assert store.clusters() == (kept(1), kept(2))


def test_a_gate_that_cannot_be_opened_leaves_no_descriptor(tmp_path: Path) -> None:
    (tmp_path / "gate").mkdir()
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(StoreUnavailable):
        FolderLock(tmp_path / "lock", tmp_path / "gate")
    assert len(os.listdir("/dev/fd")) == before


def test_a_folder_without_locks_is_told_as_such(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "lock", tmp_path / "gate")
    lock.close()  # a lock on what is not open fails as one on a file system without any does: not by being held
    with pytest.raises(StoreUnavailable, match="knows no locks") as caught, lock.held():
        pass
    assert caught.value.reason is Unavailable.NO_LOCKS


def test_a_file_that_cannot_be_opened_is_no_store(tmp_path: Path) -> None:
    def refused(path: str) -> Connection:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    with pytest.raises(StoreUnavailable) as caught:
        Store.open(tmp_path, connect=refused)
    assert caught.value.reason is Unavailable.READ_ONLY


def test_a_file_that_is_altered_at_every_try_is_given_up_and_read_the_next_time(tmp_path: Path) -> None:
    altering = True

    def altered(path: str) -> Connection:
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
        store._session.frozen = True
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
        assert [(turn.thread, turn.n) for turn in store.all_turns()] == [
            ("main", 1),
            ("main", 2),
            ("side", 1),
            ("side", 2),
        ]


def test_an_answer_is_kept_beside_the_store_or_refused(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        first, second = (f'---\nlens: answer/1\nquestion: "{word}?"\n---\n' for word in ("One", "Two"))
        path = store.keep_answer("one.md", first)
        assert path.read_text() == first
        assert store.keep_answer("one.md", second) == path
        assert path.read_text() == second
        path.write_text("# Mine\n")
        with pytest.raises(NotSaved, match="there is a file that Lens did not make; move it away"):
            store.keep_answer("one.md", first)
        assert path.read_text() == "# Mine\n"
        (path.parent / "two.md").mkdir()
        with pytest.raises(NotSaved, match="the answer is known but was not saved as a file") as caught:
            store.keep_answer("two.md", "x")
        assert caught.value.reason is NotSavedReason.IO
        path.unlink()
        (path.parent / "two.md").rmdir()
        path.parent.rmdir()
        path.parent.write_text("no folder")
        with pytest.raises(NotSaved):
            store.keep_answer("one.md", "x")


def test_forgetting_deletes_answers_by_what_they_say_was_asked(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.save(Changes((kept(1), kept(2))))
        texts = {
            "gone.md": f'---\nlens: answer/1\nquestion: "{kept(1).asked[0].question}"\n---\n',
            "other.md": '---\nlens: answer/1\nquestion: "What else?"\n---\n',
            "nameless.md": "# No question\n",
        }
        for name, text in texts.items():
            folder = store.keep_answer(name, text).parent
        forgotten = store.forget(["k1"])
        assert forgotten.clusters == ("k1",)
        assert forgotten.files == (f"{folder.name}/gone.md",)
        assert sorted(path.name for path in folder.iterdir()) == ["nameless.md", "other.md"]


def test_a_file_in_another_mode_that_is_in_use_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as holding:
        holding.execute("PRAGMA journal_mode=WAL")
        holding.execute("CREATE TABLE x (y)")
        holding.execute("BEGIN IMMEDIATE")
        holding.execute("INSERT INTO x VALUES (1)")
        with closing(connect(str(path))) as connection, pytest.raises(sqlite3.OperationalError):
            configure(Changed(connection, lambda sql: "PRAGMA busy_timeout=1" if "busy_timeout" in sql else sql))


def test_a_file_that_is_up_to_date_is_not_migrated(tmp_path: Path) -> None:
    files = StoreFiles(tmp_path)
    Store.open(tmp_path).close()
    with closing(connect(str(files.database))) as connection:
        migrate(connection, connect, files, LAYOUT)
    assert files.backups() == ()


def test_a_file_that_is_sound_after_all_is_not_replaced(tmp_path: Path) -> None:
    files = StoreFiles(tmp_path)
    with Store.open(tmp_path) as store:
        store.save(Changes((kept(1),)))
    workshop = Workshop(files, connect, lambda: 0.0, LAYOUT)
    identity = files.identity()
    assert workshop.repair("somebody said so") is None
    assert files.identity() == identity
    assert workshop.broken(corruption("x"))


def test_whatever_stands_in_pages_only_rows_that_were_written_come_out(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        store.save(Changes(tuple(kept(n, parts=6) for n in range(12))))
        data = store.path.read_bytes()
    written = {(row.table.name, row.values) for row in rows_in(data)}
    assert len(written) > 100
    draw = random.Random(5)
    lost = 0
    for _ in range(250):
        spoilt = bytearray(data)
        page = draw.randrange(len(data) // PAGE_SIZE) * PAGE_SIZE
        for _ in range(draw.choice([1, 4, 40])):
            at = page + draw.choice([draw.randrange(24), draw.randrange(PAGE_SIZE)])
            spoilt[at] = draw.choice([0, 0x7F, 0x80, 0xFF, draw.randrange(256)])
        found = {(row.table.name, row.values) for row in rows_in(bytes(spoilt[: draw.choice([len(data), page + 900])]))}
        assert found <= written
        lost += found != written
    assert lost > 150


def varint(*numbers: int) -> bytes:
    """Numbers of SQLite, each in nine bytes: the longest way to write them."""
    return b"".join(
        bytes(0x80 | (number >> 8 >> 7 * n) & 0x7F for n in range(7, -1, -1)) + bytes([number & 0xFF])
        for number in numbers
    )


def leaf(*cells: bytes) -> bytes:
    """Two pages, the second one a leaf of a table with these cells."""
    page, end = bytearray(PAGE_SIZE), PAGE_SIZE
    page[0], page[3:5] = 0x0D, len(cells).to_bytes(2, "big")
    for n, cell in enumerate(cells):
        end -= len(cell)
        page[8 + 2 * n : 10 + 2 * n] = end.to_bytes(2, "big")
        page[end : end + len(cell)] = cell
    return bytes(PAGE_SIZE) + bytes(page)


@pytest.mark.parametrize(
    "cell",
    [
        varint(1 << 40, 1),
        varint(5_000, 1) + bytes(4_100),
        varint(3, 1) + b"\x03\x0a\x00",
        varint(3, 1) + b"\x02\x0b",
        varint(2, 1) + b"\x02\x7f",
        varint(1, 1) + b"\x01",
        varint(4, 1) + b"\x02\x01\x07\x07",
        varint(9, 1) + b"\x00",
    ],
    ids=["huge", "leads nowhere", "no kind", "no kind either", "too long", "nothing", "too much", "no head"],
)
def test_what_only_looks_like_a_row_is_none(cell: bytes) -> None:
    assert list(rows_in(leaf(cell[:4_000]))) == []


def parts_of_k1(folder: Path, table: Table, column: str, value: Value) -> list[Row]:
    """The rows of a cluster's parts, those of one table with another value in a column."""
    with Store.open(folder) as store:
        store.save(Changes((kept(1),)))
        data = store.path.read_bytes()
    place = table.position(column)
    return [
        Row(table, (*row.values[:place], value, *row.values[place + 1 :]), row.checksum) if row.table is table else row
        for row in rows_in(data)
        if row.table in (ASKED, FACTS, CITATIONS)
    ]


def test_a_citation_that_ends_before_it_begins_goes_with_all_that_rests_on_it(tmp_path: Path) -> None:
    damage: list[Damage] = []
    assert headless("k1", parts_of_k1(tmp_path, CITATIONS, "start", 99_999_999), damage) is None
    assert {(each.table, each.why, each.corrupt) for each in damage} == {("citations", "no span", False)}


def test_a_question_without_its_facts_leaves_the_facts(tmp_path: Path) -> None:
    damage: list[Damage] = []
    found = headless("k1", parts_of_k1(tmp_path, ASKED, "facts", b"{}"), damage)
    assert found is not None
    assert (found.asked, found.title, found.facts) == ((), "", kept(1).facts)
    assert {(each.table, each.why) for each in damage} == {("asked", "no list of facts")}


def test_a_name_that_is_no_text_is_none() -> None:
    assert name_of((7, b"x")) == ""
    assert name_of((b"\xff",)) == ""
    assert name_of((b"k1",)) == "k1"
