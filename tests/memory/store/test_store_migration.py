"""Files of older versions: brought up to date step by step, with a backup, or left as they were."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import pytest

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import Connection, StoreUnavailable, Unavailable
from lens_lsp.memory.store_rows import LAYOUT, Changes
from tests.memory.store.history import found_in
from tests.memory.store.kept import kept
from tests.memory.store.old_layout import LATER, OLD, content_of
from tests.soak.store_migrations import MODEL, old_store


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
    def fails(connection: Connection) -> None:
        connection.execute("DROP TABLE facts")
        raise ValueError("no such thing")

    folder = old_store(tmp_path / "store")
    rows = content_of(folder / "knowledge.db")[1]
    with pytest.raises(StoreUnavailable, match=f"from version {OLD + 1}: no such thing") as caught:
        Store.open(folder, layout=replace(LATER, steps=(LATER.steps[0], fails)))
    assert caught.value.reason is Unavailable.MIGRATION
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
