"""A store of every version is kept as its program left it, and today's program reads them all."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lens_lsp.memory.store import Store
from lens_lsp.memory.store_rows import VERSION
from tests.conftest import REPOSITORY

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
        assert [cluster.citations for cluster in store.clusters()] == [()]
        assert store.notices
