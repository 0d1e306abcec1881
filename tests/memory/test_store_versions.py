"""Files of older versions: a store of each is read and brought up to date with a backup, or left as it was."""

from __future__ import annotations

import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import StoreConnection, StoreUnavailable, UnavailableReason
from lens_lsp.memory.store_rows import LAYOUT, VERSION, Changes
from tests.conftest import REPOSITORY
from tests.memory.history import found_in
from tests.memory.kept import kept
from tests.memory.old_layout import LATER, OLD, content_of
from tests.soak.store_migrations import MODEL, old_store

STORES = REPOSITORY / "tests" / "fixtures" / "stores"
"""Each made by `lens ask "When does the lease of the workshop end?" notes --store DIR` of its version."""
FIRST = 1
"""The first version that was written outside of tests."""


def opened(folder: Path, version: int) -> Store:
    folder.mkdir(mode=0o700)
    shutil.copy(STORES / f"v{version}.db", folder / "knowledge.db")
    return Store.open(folder)


def test_there_is_a_store_of_every_version() -> None:
    assert {path.name for path in STORES.iterdir()} == {f"v{version}.db" for version in range(FIRST, VERSION + 1)}


@pytest.mark.parametrize("version", range(FIRST, VERSION + 1))
def test_a_store_of_each_version_is_read_and_brought_up_to_date(tmp_path: Path, version: int) -> None:
    with opened(tmp_path / "store", version) as store:
        (cluster,) = store.clusters()
        assert cluster.title == "When does the lease of the workshop end?"
        (citation,) = dict(cluster.citations).values()
        assert citation.quote == "The lease of the workshop ends on 30 June 2031."
        assert store.notices == ()
        health = store.health()
    assert health.version == VERSION
    assert health.backups == (() if version == VERSION else (f"knowledge.backup-v{version}.db",))


def test_a_store_that_was_changed_since_is_not_believed(tmp_path: Path) -> None:
    """The control: what reads the stores above does look at what is in them."""
    folder = tmp_path / "store"
    with opened(folder, VERSION):
        pass
    content = (folder / "knowledge.db").read_bytes()
    assert content.count(b"30 June 2031") > 0
    (folder / "knowledge.db").write_bytes(content.replace(b"30 June 2031", b"30 July 2031"))
    with Store.open(folder) as store:
        assert store.clusters() == ()
        assert store.notices


def test_an_old_file_is_brought_up_to_date_and_kept_as_a_backup(tmp_path: Path) -> None:
    folder = old_store(tmp_path / "store")
    before, backup = content_of(folder / "knowledge.db"), f"knowledge.backup-v{OLD}.db"
    with Store.open(folder, layout=LATER) as store:
        assert found_in(store) == MODEL
        assert store.health().version == LATER.version
        assert store.health().backups == (backup,)
        assert store.notices == ()
        store.save(Changes((kept(50),)))
    assert content_of(folder / backup) == before
    assert stat.S_IMODE((folder / backup).stat().st_mode) == 0o600
    with Store.open(folder, layout=LATER) as store:
        assert found_in(store).clusters == MODEL.clusters | {"k50": kept(50)}
    assert before[0] == OLD


def test_a_step_that_fails_leaves_the_file_at_the_step_before_it(tmp_path: Path) -> None:
    def fails(connection: StoreConnection) -> None:
        connection.execute("DROP TABLE facts")
        raise ValueError("no such thing")

    folder = old_store(tmp_path / "store")
    rows = content_of(folder / "knowledge.db")[1]
    with pytest.raises(StoreUnavailable, match=f"from version {OLD + 1}: no such thing") as caught:
        Store.open(folder, layout=replace(LATER, steps=(LATER.steps[0], fails)))
    assert caught.value.reason is UnavailableReason.MIGRATION
    assert content_of(folder / "knowledge.db") == (OLD + 1, rows)
    with Store.open(folder, layout=LATER) as store:
        assert found_in(store) == MODEL
        assert store.health().backups == tuple(f"knowledge.backup-v{OLD + n}.db" for n in (0, 1))


def test_a_broken_old_file_is_put_aside_and_not_migrated(tmp_path: Path) -> None:
    folder = old_store(tmp_path / "store")
    content = bytearray((folder / "knowledge.db").read_bytes())
    content[4096 : 4096 + 200] = b"\xff" * 200
    (folder / "knowledge.db").write_bytes(content)
    with Store.open(folder, layout=LATER) as store:
        assert store.clusters() == ()
        assert store.notices
        (name,) = store.health().corrupt
        assert store.health().backups == ()
    assert (folder / name).read_bytes() == content


def test_today_s_program_leaves_a_later_one_s_file_alone(tmp_path: Path) -> None:
    with Store.open(tmp_path, layout=LATER) as store:
        store.save(Changes((kept(1),)))
        content = store.path.read_bytes()
    with Store.open(tmp_path, layout=LAYOUT) as store:
        assert store.clusters() == ()
        assert store.path.name != "knowledge.db"
    assert (tmp_path / "knowledge.db").read_bytes() == content
