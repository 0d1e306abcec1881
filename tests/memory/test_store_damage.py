"""Damaged, foreign and newer files: nothing of them is believed, they are set aside and named, or left alone."""

from __future__ import annotations

import os
import random
import sqlite3
import struct
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import Connect, NotSaved, StoreConnection, StoreFiles, StoreUnreadable, connect
from lens_lsp.memory.store_rows import LAYOUT, PAGE_SIZE, SUMMARIES, Changes, Values
from tests.memory.corruption import another_application, foreign_journal, hostile_schema, made_up_journal
from tests.memory.history import Model, found_in
from tests.memory.kept import fact_key, kept, kept_summary, kept_turn, question_key
from tests.memory.mutants import Changed, unexamined

CLUSTERS = tuple(kept(n) for n in range(8))
GONE = tuple(f"k{n}" for n in range(20, 26))
FIRST = Changes(CLUSTERS, (), (kept_summary(1),), tuple(map(kept_turn, range(1, 6))))
BEFORE = Model().after(FIRST)
LATER = Changes((kept(30, parts=30),), turns=(kept_turn(6),))
Fault = Callable[[Path], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with some clusters and with pages that are free, closed."""
    with Store.open(tmp_path / "store") as store:
        store.save(FIRST)
        store.save(Changes(tuple(kept(int(id_[1:])) for id_ in GONE)))
        store.save(Changes(removed=GONE))
    return tmp_path / "store"


def file_of(folder: Path) -> Path:
    return folder / "knowledge.db"


def run(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def set_aside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("knowledge.corrupt-*.db"))


def flip(path: Path, text: bytes) -> None:
    """Change one letter of a text that stands in a file."""
    content = path.read_bytes()
    assert text in content
    path.write_bytes(content.replace(text, text[:-1] + bytes([text[-1] ^ 1]), 1))


def test_a_file_with_a_damaged_row_is_set_aside_as_it_is_and_named_and_a_new_one_begun(folder: Path) -> None:
    flip(file_of(folder), kept(3).citations[3][1].sha256.encode())
    content = file_of(folder).read_bytes()
    name = "knowledge.corrupt-20270115T080000Z.db"
    with Store.open(folder, clock=lambda: 1_800_000_000.0) as store:
        assert store.notices == ()  # nothing was looked at yet
        assert store.clusters() == ()
        (told,) = store.notices
        assert "was damaged (citations: the checksum of a row is wrong)" in told
        assert f"it is kept as {name}, and a new one was begun" in told
        store.save(Changes((kept(1),)))
        assert (store.clusters(), store.health().problems, store.health().corrupt) == ((kept(1),), (), (name,))
    assert (folder / name).read_bytes() == content
    with Store.open(folder) as store:
        assert store.notices == ()
        assert store.clusters() == (kept(1),)


@pytest.mark.parametrize("table", ["clusters", "asked", "facts", "citations", "links"])
def test_a_cluster_without_one_of_its_rows_is_not_believed(folder: Path, table: str) -> None:
    run(file_of(folder), f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
    with Store.open(folder) as store:
        assert store.clusters() == ()
        assert len(store.notices) == len(set_aside(folder)) == 1


@pytest.mark.parametrize(
    "change",
    [
        f"UPDATE asked SET key = '{question_key(1)}' WHERE cluster = 'k2'",
        f"UPDATE facts SET cluster = 'k1' || cluster WHERE key = '{fact_key(1)}'",
        "UPDATE clusters SET hits = 77 WHERE id = 'k1'",
        "UPDATE wrong SET key = ''; UPDATE turns SET question = 'another'; UPDATE summaries SET text = 'another'",
    ],
)
def test_what_was_altered_is_found_by_no_lookup(folder: Path, change: str) -> None:
    run(file_of(folder), change)
    with Store.open(folder) as store:
        assert store.by_question(question_key(1)) in ((), ("k1",))
        assert store.by_fact(fact_key(1)) in ((), ("k1",))
        assert store.cluster("k1") in (None, kept(1))
        assert set(store.turns("main")) <= set(FIRST.turns)
        assert set(store.summaries()) <= set(FIRST.summaries)
        assert store.notices


def test_damage_that_is_met_while_saving_sets_the_file_aside_and_the_save_is_done(folder: Path) -> None:
    flip(file_of(folder), kept(3).citations[3][1].sha256.encode())
    with Store.open(folder) as store:
        store.update(lambda view: Changes(clusters=(replace(kept(1), hits=len(view.clusters())),)))
        assert store.notices
        assert store.clusters() == (replace(kept(1), hits=0),)


@pytest.mark.parametrize(
    "content",
    [b"", bytes(8 * PAGE_SIZE), b"This is no database.\n" * 1_000, b"SQLite format 3\0" + os.urandom(PAGE_SIZE * 3)],
    ids=["empty", "zeros", "text", "noise"],
)
def test_what_is_no_store_is_set_aside_unchanged_and_a_new_one_begun(folder: Path, content: bytes) -> None:
    file_of(folder).write_bytes(content)
    with Store.open(folder) as store:
        assert store.clusters() == ()
        assert "was damaged" in store.notices[0]
        store.save(Changes(CLUSTERS))
    (name,) = set_aside(folder)
    assert (folder / name).read_bytes() == content


@pytest.mark.parametrize("seed", range(12))
def test_triggers_and_views_never_run(folder: Path, seed: int) -> None:
    hostile_schema(file_of(folder), b"", random.Random(seed))
    with Store.open(folder) as store:
        assert store.notices
        store.save(Changes((kept(1, revision=1),)))
        assert store.clusters() == (kept(1, revision=1),)
        assert store.health().problems == ()
    assert len(set_aside(folder)) == 1


def test_a_file_of_another_application_is_set_aside_with_all_it_holds(folder: Path) -> None:
    another_application(file_of(folder), b"", random.Random(1))
    content = file_of(folder).read_bytes()
    with Store.open(folder) as store:
        assert store.clusters() == ()
    assert [(folder / name).read_bytes() for name in set_aside(folder)] == [content]


@pytest.mark.parametrize("journal", [foreign_journal, made_up_journal])
def test_the_journal_of_another_file_makes_nobody_believe_it(
    folder: Path, tmp_path: Path, journal: Callable[..., None]
) -> None:
    with Store.open(tmp_path / "another") as store:
        store.save(Changes(tuple(kept(n, revision=5, parts=9) for n in range(20))))
        other = store.path.read_bytes()
    journal(file_of(folder), other, random.Random(3))
    assert os.stat(f"{file_of(folder)}-journal").st_size > 0
    with Store.open(folder) as store:
        told = (store.clusters() == (), bool(store.notices))
        assert told in ((True, True), (False, False))
        assert told[0] or store.clusters() == CLUSTERS
        store.save(Changes((kept(9),)))
        assert store.health().problems == ()
    assert told[1] == bool(set_aside(folder))


def test_a_header_that_forbids_to_write_is_found_when_something_is_saved(folder: Path) -> None:
    content = bytearray(file_of(folder).read_bytes())
    content[18] = 77
    file_of(folder).write_bytes(content)
    with Store.open(folder) as store:
        assert store.clusters() == CLUSTERS
        store.save(Changes((kept(9),)))
        assert store.clusters() == (kept(9),)
        assert "was damaged" in store.notices[0]


def test_a_newer_file_is_not_touched_and_one_beside_it_is_used(folder: Path) -> None:
    run(file_of(folder), "CREATE TABLE new_things(x); PRAGMA user_version = 9")
    content = file_of(folder).read_bytes()
    with Store.open(folder) as store:
        assert "newer version" in store.notices[0]
        assert store.clusters() == ()
        store.save(Changes((kept(1),)))
        assert store.path.name == f"knowledge.v{LAYOUT.version}.db"
        assert store.forget(["k1"]).clusters == ("k1",)
        assert any("was left alone" in told for told in store.notices)
        store.save(Changes((kept(2),)))
    with Store.open(folder) as store:
        assert store.clusters() == (kept(2),)
    assert file_of(folder).read_bytes() == content


def test_a_file_that_becomes_newer_while_it_is_open_is_let_go(folder: Path) -> None:
    with Store.open(folder) as store:
        assert len(store.clusters()) == 8
        run(file_of(folder), "PRAGMA user_version = 9")
        content = file_of(folder).read_bytes()
        store.save(Changes((kept(20),)))
        assert store.clusters() == (kept(20),)
        assert "newer version" in store.notices[0]
    assert file_of(folder).read_bytes() == content


def test_a_value_that_no_program_of_this_version_writes_is_damage(folder: Path) -> None:
    strange: Values = (b"", b"strange.md", b"\xff no text", b"x")
    with closing(sqlite3.connect(file_of(folder), isolation_level=None)) as connection:
        connection.execute(SUMMARIES.insert, (*strange, SUMMARIES.row_sum(strange)))
    with Store.open(folder) as store:
        assert store.summaries() == ()
        assert "(no UTF-8)" in store.notices[0]


def test_another_program_that_sets_the_file_aside_is_followed(folder: Path) -> None:
    with Store.open(folder) as one:
        assert len(one.clusters()) == 8
        flip(file_of(folder), kept(3).citations[3][1].sha256.encode())
        with Store.open(folder) as other:
            assert other.clusters() == ()
            assert other.notices
        one.save(Changes((kept(30),)))
        assert one.notices == ()
        assert one.clusters() == (kept(30),)
    assert len(set_aside(folder)) == 1


def test_a_file_that_is_deleted_under_an_open_store_begins_anew(folder: Path) -> None:
    with Store.open(folder) as store:
        assert len(store.clusters()) == 8
        file_of(folder).unlink()
        assert store.clusters() == ()
        store.save(Changes((kept(1),)))
        assert store.clusters() == (kept(1),)


def test_only_the_newest_damaged_files_are_kept(folder: Path) -> None:
    for n in range(6):
        file_of(folder).write_bytes(b"broken %d" % n)
        Store.open(folder, clock=lambda n=n: 1e9 + 86_400 * n).close()
    assert [(folder / name).read_bytes() for name in set_aside(folder)] == [b"broken 3", b"broken 4", b"broken 5"]


def test_a_version_that_no_step_leads_from_is_a_damaged_file(folder: Path) -> None:
    run(file_of(folder), f"PRAGMA user_version = {LAYOUT.version - len(LAYOUT.steps) - 1}")
    with Store.open(folder) as store:
        assert store.clusters() == ()
    assert len(set_aside(folder)) == 1


def test_a_sound_file_is_not_set_aside_whatever_an_error_says(folder: Path) -> None:
    failing = True

    def once(sql: str) -> str:
        nonlocal failing
        wrong, failing = failing and sql.startswith("SELECT CAST("), failing and not sql.startswith("SELECT CAST(")
        return "SELECT nothing" if wrong else sql

    with Store.open(folder, connect=lambda path: Changed(connect(path), once)) as store:
        assert store.clusters() == CLUSTERS
        assert store.notices == ()
    assert (failing, set_aside(folder)) == (False, [])


# Faults of a file's structure that no read meets: whoever writes there overwrites rows that nobody meant to change.


def page_of(path: Path, table: str) -> int:
    """Where the first page of a table begins, in bytes."""
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    return (int(page) - 1) * PAGE_SIZE


def rows_begin_too_late(path: Path) -> None:
    """A page says that its rows begin behind the place where they do: the next row is written over the last one."""
    content, at = bytearray(path.read_bytes()), page_of(path, "turns") + 5
    (begin,) = struct.unpack_from(">H", content, at)
    struct.pack_into(">H", content, at, begin + 60)
    path.write_bytes(content)


def pages_in_use_are_free(path: Path) -> None:
    """The list of free pages names pages that hold rows: what grows takes them."""
    content = bytearray(path.read_bytes())
    trunk = (struct.unpack_from(">I", content, 32)[0] - 1) * PAGE_SIZE
    (count,) = struct.unpack_from(">I", content, trunk + 4)
    assert count
    leaves = [at // PAGE_SIZE + 1 for at in range(PAGE_SIZE, len(content), PAGE_SIZE) if content[at] == 0x0D]
    struct.pack_into(f">{min(count, len(leaves))}I", content, trunk + 8, *leaves[-count:])
    path.write_bytes(content)


faults = pytest.mark.parametrize("fault", [rows_begin_too_late, pages_in_use_are_free])


@faults
def test_a_fault_that_no_read_meets_is_found_before_the_first_write(folder: Path, fault: Fault) -> None:
    fault(file_of(folder))
    with Store.open(folder) as store:
        assert found_in(store) == BEFORE
        assert not store.notices
        assert store.health().problems
        store.save(LATER)
        assert found_in(store) == Model().after(LATER)
        (told,) = store.notices
        assert "\n" not in told
        assert store.health().problems == ()
    assert len(set_aside(folder)) == 1


@faults
def test_writing_without_that_look_is_caught(folder: Path, fault: Fault) -> None:
    fault(file_of(folder))
    with Store.open(folder, connect=unexamined) as store:
        store.save(LATER)
        assert found_in(store) != BEFORE.after(LATER)


@faults
def test_a_fault_that_comes_between_two_writes_is_found_before_the_second(folder: Path, fault: Fault) -> None:
    with Store.open(folder) as store:
        store.save(Changes(turns=(kept_turn(5),)))
        with Store.open(folder) as other:  # from here on the first one reads the file anew
            other.save(Changes((kept(21),)))
        fault(file_of(folder))
        store.save(LATER)
        assert store.notices
        assert found_in(store) == Model().after(LATER)
        assert store.health().problems == ()


@faults
def test_where_the_file_cannot_be_set_aside_nothing_is_written_and_nothing_damaged_is_read(
    folder: Path, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> str:
        raise PermissionError(13, "Permission denied")

    fault(file_of(folder))
    content = file_of(folder).read_bytes()
    monkeypatch.setattr(StoreFiles, "set_aside", refused)
    with Store.open(folder) as store:
        with pytest.raises(NotSaved, match="Permission denied"):
            store.save(LATER)
        assert found_in(store) == BEFORE
        assert file_of(folder).read_bytes() == content
    flip(file_of(folder), kept(3).citations[3][1].sha256.encode())
    with Store.open(folder) as store, pytest.raises(StoreUnreadable, match="Permission denied"):
        store.clusters()


def test_forgetting_leaves_no_copy_of_a_file_that_it_set_aside(folder: Path) -> None:
    content, at = bytearray(file_of(folder).read_bytes()), page_of(file_of(folder), "turns") + 7
    content[at] ^= 9  # a page miscounts its bytes between rows: nothing is lost by it yet
    file_of(folder).write_bytes(content)
    with Store.open(folder) as store:
        assert len(store.forget(["k3"]).files) == len(store.notices) == 1
    assert set_aside(folder) == []
    assert [path.name for path in folder.iterdir() if b"of item 3" in path.read_bytes()] == []


class Counting(Changed):
    """A connection that counts how often the structure of the file is looked at."""

    def __init__(self, inner: StoreConnection, looks: list[str]) -> None:
        super().__init__(inner, lambda sql: sql)
        self._looks = looks

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        if sql.startswith("PRAGMA integrity_check"):
            self._looks.append(sql)
        return super().execute(sql, parameters)


def test_the_whole_file_is_looked_at_before_the_first_write_and_after_those_of_others_only(folder: Path) -> None:
    looks: list[str] = []
    counting: Connect = lambda path: Counting(connect(path), looks)  # noqa: E731
    with Store.open(folder, connect=counting) as store:
        assert found_in(store) == BEFORE
        assert len(looks) == 0
        for n in range(5):
            store.save(Changes((kept(n, revision=3),)))
        assert len(looks) == 1
        with Store.open(folder) as other:
            other.save(Changes((kept(30),)))
        store.save(Changes((kept(31),)))
        store.save(Changes((kept(32),)))
        assert len(looks) == 2
        assert store.notices == ()
