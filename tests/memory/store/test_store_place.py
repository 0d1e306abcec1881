"""Where a store lives, and what is said when it cannot live there."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lens_lsp.disk import network_file_system
from lens_lsp.memory.store import Store
from lens_lsp.memory.store_file import FolderLock, StoreUnavailable, Unavailable, prepare_folder, store_folder


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


def reason(folder: Path) -> Unavailable:
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
    assert caught.value.reason is Unavailable.NO_HOME
    assert "--store" in str(caught.value)
    assert store_folder("/notes", str(tmp_path), {}) == tmp_path


@pytest.mark.parametrize("name", ["store", "store/deeper"])
def test_a_file_where_the_folder_should_be_is_no_store(tmp_path: Path, name: str) -> None:
    (tmp_path / "store").write_text("a file")
    assert reason(tmp_path / name) is Unavailable.NOT_A_FOLDER
    assert (tmp_path / "store").read_text() == "a file"


def test_a_folder_where_the_file_should_be_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "knowledge.db").mkdir()
    assert reason(tmp_path) is Unavailable.UNREADABLE
    assert (tmp_path / "knowledge.db").is_dir()


@pytest.mark.skipif(os.name == "nt", reason="no such modes")
def test_a_read_only_folder_is_no_store(open_to_all: Path) -> None:
    Store.open(open_to_all / "store").close()
    for path in (open_to_all / "store").iterdir():
        path.chmod(0o444)
    (open_to_all / "store").chmod(0o555)
    with ordinary_user():
        assert reason(open_to_all / "store") is Unavailable.READ_ONLY
        assert reason(open_to_all / "store" / "deeper") is Unavailable.READ_ONLY


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "fuse.sshfs", "9p"])
def test_no_knowledge_is_kept_on_a_network_file_system(tmp_path: Path, kind: str) -> None:
    mounts = table_of_mounts(tmp_path, kind, tmp_path / "mountinfo")
    with pytest.raises(StoreUnavailable, match="network") as caught:
        prepare_folder(tmp_path / "store", mounts)
    assert caught.value.reason is Unavailable.NETWORK
    assert kind in str(caught.value)


def test_local_file_systems_and_systems_that_do_not_say_are_good(tmp_path: Path) -> None:
    mounts = table_of_mounts(tmp_path, "ext4", tmp_path / "mountinfo")
    assert network_file_system(tmp_path, mounts) is None
    assert network_file_system(tmp_path, tmp_path / "no such table") is None
    prepare_folder(tmp_path / "store", mounts)
    assert (tmp_path / "store").is_dir()


def test_a_lock_that_another_holds_is_waited_for_and_then_given_up(tmp_path: Path) -> None:
    one = FolderLock(tmp_path / "lock", tmp_path / "gate")
    other = FolderLock(tmp_path / "lock", tmp_path / "gate", seconds=0.05)
    with one.held(), one.held(), pytest.raises(StoreUnavailable) as caught, other.held():
        pass
    assert caught.value.reason is Unavailable.BUSY
    with other.held():
        pass
    one.close()
    other.close()
