"""Disks that are full or fail, and files that others hold: what is typed, what is kept, and when it works again."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import (
    NotSaved,
    NotSavedReason,
    StoreConnection,
    StoreUnavailable,
    StoreUnreadable,
    UnavailableReason,
    connect,
)
from lens_lsp.memory.store_rows import Changes
from tests.availability import unavailable
from tests.memory.kept import kept
from tests.memory.mutants import Changed

apsw_missing = None
try:
    from tests.memory.faulty_disk import FOR_GOOD, Disk, Fault, FaultyVFS, Kind
except ImportError as error:
    apsw_missing = str(error)


@pytest.fixture
def vfs() -> FaultyVFS:
    if apsw_missing:
        unavailable("apsw", apsw_missing)
    return FaultyVFS("fixture")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 340 KB."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=340k", "tmpfs", str(folder)]
    try:
        mounted = os.geteuid() == 0 and subprocess.run(command, check=False, capture_output=True).returncode == 0
    except (OSError, AttributeError):
        mounted = False
    if not mounted:
        unavailable("mount", "only root may mount a small file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def impatient(path: str) -> StoreConnection:
    """A connection that waits for nobody."""
    return Changed(connect(path), lambda sql: "PRAGMA busy_timeout=50" if "busy_timeout" in sql else sql)


def fill(folder: Path) -> None:
    """Leave no byte free."""
    with open(folder / "filler", "wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(bytes(1024))


def refusal(store: Store, changes: Changes) -> NotSavedReason:
    with pytest.raises(NotSaved, match="not saved") as caught:
        store.save(changes)
    return caught.value.reason


def test_a_disk_that_is_really_full_refuses_a_save_and_takes_the_next(tiny_disk: Path) -> None:
    kept_so_far: list[str] = []
    refused: list[NotSavedReason] = []
    with Store.open(tiny_disk / "store") as store:
        for n in range(100):
            try:
                store.save(Changes((kept(n, parts=10),)))
            except NotSaved as error:
                refused.append(error.reason)
                break
            kept_so_far.append(f"k{n}")
        assert refused == [NotSavedReason.FULL]
        assert 1 < len(kept_so_far) < 100
        assert {cluster.id for cluster in store.clusters()} == set(kept_so_far)
        subprocess.run(["mount", "-o", "remount,size=900k", str(tiny_disk)], check=True)
        store.save(Changes((kept(200),)))
        assert store.cluster("k200") == kept(200)
        assert store.health().problems == store.notices == ()


def test_a_disk_without_any_room_has_no_store(tiny_disk: Path) -> None:
    fill(tiny_disk)
    with pytest.raises(StoreUnavailable) as caught:
        Store.open(tiny_disk / "store")
    assert caught.value.reason is UnavailableReason.FULL


def test_a_damaged_file_is_set_aside_on_a_full_disk_too_and_a_new_one_begun_when_there_is_room(tiny_disk: Path) -> None:
    with Store.open(tiny_disk / "store") as store:
        store.save(Changes(tuple(kept(n) for n in range(8))))
        path = store.path
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE facts SET value = 'forged' WHERE cluster = 'k3'")
        connection.commit()
    content = path.read_bytes()
    fill(tiny_disk)
    with Store.open(tiny_disk / "store") as store:
        with pytest.raises(StoreUnreadable):
            store.clusters()
        (told,) = store.notices
        assert refusal(store, Changes((kept(3),))) is NotSavedReason.FULL
        os.unlink(tiny_disk / "filler")
        store.save(Changes((kept(3),)))
        assert store.clusters() == (kept(3),)
        (name,) = store.health().corrupt
        assert name in told
    assert (path.parent / name).read_bytes() == content


def test_after_a_failed_sync_nothing_more_is_written_until_the_next_start(tmp_path: Path, vfs: FaultyVFS) -> None:
    with Store.open(tmp_path) as store:
        store.save(Changes((kept(1),)))
        store.save(Changes((kept(2),)))
    vfs.disk = Disk(Fault.IO, 1, FOR_GOOD, only=Kind.SYNC)
    with Store.open(tmp_path, connect=vfs.connect) as store:
        assert refusal(store, Changes((kept(3),))) is NotSavedReason.FROZEN
        done = len(vfs.disk.done)
        vfs.disk.heal()
        assert refusal(store, Changes((kept(4),))) is NotSavedReason.FROZEN
        assert {cluster.id for cluster in store.clusters()} == {"k1", "k2"}
        assert not {Kind.WRITE, Kind.SYNC, Kind.TRUNCATE} & set(vfs.disk.done[done:])
        assert not store.health().writable
    with Store.open(tmp_path, connect=vfs.connect) as store:
        store.save(Changes((kept(3),)))
        assert {cluster.id for cluster in store.clusters()} == {"k1", "k2", "k3"}


def test_a_failed_read_is_typed_and_the_next_one_works(tmp_path: Path, vfs: FaultyVFS) -> None:
    with Store.open(tmp_path) as store:
        store.save(Changes(tuple(kept(n) for n in range(5))))
    vfs.disk = Disk(Fault.IO, 12)
    with Store.open(tmp_path, connect=vfs.connect) as store:
        with pytest.raises(StoreUnreadable):
            store.clusters()
        assert vfs.disk.came == 1
        assert len(store.clusters()) == 5
        assert store.notices == ()


def test_a_file_that_another_program_holds_is_busy_and_later_free(tmp_path: Path) -> None:
    with Store.open(tmp_path, connect=impatient) as store:
        store.save(Changes((kept(1),)))
        with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            assert refusal(store, Changes((kept(2),))) is NotSavedReason.BUSY
            with pytest.raises(StoreUnreadable):
                store.clusters()
            other.execute("ROLLBACK")
        store.save(Changes((kept(3),)))
        assert store.clusters() == (kept(1), kept(3))
        assert store.notices == ()
