"""Faults of a file's structure that no read meets: whoever writes there overwrites rows that nobody meant to change."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import Connect, Connection, NotSaved, connect
from lens_lsp.memory.store_rows import PAGE_SIZE, Changes
from tests.memory.store.history import Model, found_in
from tests.memory.store.kept import kept, kept_turn
from tests.memory.store.mutants import Changed, unexamined

FIRST = Changes(tuple(kept(n) for n in range(12)), turns=tuple(kept_turn(n) for n in range(6)))
GONE = Changes(removed=tuple(f"k{n}" for n in range(0, 12, 2)))
BEFORE = Model().after(FIRST).after(GONE)
LATER = Changes((kept(20, parts=30),), turns=(kept_turn(6),))

Fault = Callable[[Path], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store with some clusters and with pages that are free, closed."""
    with Store.open(tmp_path / "store") as store:
        store.save(FIRST)
        store.save(GONE)
    return tmp_path / "store"


def file_of(folder: Path) -> Path:
    return folder / "knowledge.db"


def put_aside(folder: Path) -> list[Path]:
    return sorted(folder.glob("knowledge.corrupt-*.db"))


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
    struct.pack_into(f">{count}I", content, trunk + 8, *leaves[-count:])
    path.write_bytes(content)


def wrong_about_its_fragments(path: Path) -> None:
    """A page miscounts its bytes between rows: nothing is lost by it yet."""
    content, at = bytearray(path.read_bytes()), page_of(path, "turns") + 7
    content[at] ^= 9
    path.write_bytes(content)


faults = pytest.mark.parametrize("fault", [rows_begin_too_late, pages_in_use_are_free])


@faults
def test_a_fault_that_no_read_meets_is_mended_before_the_first_write(folder: Path, fault: Fault) -> None:
    fault(file_of(folder))
    with Store.open(folder) as store:
        assert found_in(store) == BEFORE
        assert not store.notices
        store.save(LATER)
        assert found_in(store) == BEFORE.after(LATER)
        (told,) = store.notices
        assert "6 clusters were saved, 0 of them in part, 0 were lost" in told
        assert "\n" not in told
        assert store.health().problems == ()
    assert len(put_aside(folder)) == 1


@faults
def test_writing_without_that_look_is_caught(folder: Path, fault: Fault) -> None:
    fault(file_of(folder))
    with Store.open(folder, connect=unexamined) as store:
        store.save(LATER)
        assert found_in(store) != BEFORE.after(LATER)


@faults
def test_a_fault_that_comes_between_two_writes_is_mended_before_the_second(folder: Path, fault: Fault) -> None:
    between = Changes((kept(21),))
    with Store.open(folder) as store:
        store.save(Changes(turns=(kept_turn(5),)))
        with Store.open(folder) as other:  # from here on the first one reads the file anew
            other.save(between)
        fault(file_of(folder))
        store.save(LATER)
        assert "7 clusters were saved, 0 of them in part, 0 were lost" in store.notices[0]
        assert found_in(store) == BEFORE.after(between).after(LATER)
        assert store.health().problems == ()


@faults
def test_where_the_file_cannot_be_mended_nothing_is_written_and_all_of_it_is_still_read(
    folder: Path, fault: Fault
) -> None:
    fault(file_of(folder))
    content = file_of(folder).read_bytes()
    (folder / "knowledge.part.db").mkdir()  # the name under which a new file is made is taken
    with Store.open(folder) as store:
        with pytest.raises(NotSaved):
            store.save(LATER)
        assert "cannot be mended now" in store.notices[0]
        assert found_in(store) == BEFORE
    assert file_of(folder).read_bytes() == content


def test_forgetting_leaves_no_copy_of_a_file_that_it_had_to_mend(folder: Path) -> None:
    wrong_about_its_fragments(file_of(folder))
    with Store.open(folder) as store:
        assert store.forget(["k3"]).clusters == ("k3",)
        assert store.notices
    assert put_aside(folder) == []
    assert [path.name for path in folder.iterdir() if b"of item 3" in path.read_bytes()] == []


class Counting(Changed):
    """A connection that counts how often the structure of the file is looked at."""

    def __init__(self, inner: Connection, looks: list[str]) -> None:
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
