from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from lens_lsp.corpus.safe_open import DESCRIPTORS, IDENTITY, Reading, Root, read_files
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.errors import PathRefused

MOST = 100_000

both_ways = pytest.mark.parametrize("announce", [False, True])


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """Files of all sizes in folders, and everything that is no plain file."""
    for number in range(300):
        path = tmp_path / ("a", "a/b", "c", ".")[number % 4] / f"{number:03}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"%d " % number * (number * 7))
    (tmp_path / "empty").touch()
    (tmp_path / "large").write_bytes(b"x" * (MOST + 1))
    (tmp_path / "most").write_bytes(b"x" * MOST)
    (tmp_path / "link").symlink_to("empty")
    (tmp_path / "linked").symlink_to("a", target_is_directory=True)
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(tmp_path)  # names of sockets are short
        listening.bind("socket")
        os.chdir(here)
        yield tmp_path


def paths(tree: Path) -> list[str]:
    notes = sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*.md"))
    return [*notes, "empty", "large", "most"]


def read(tree: Path, paths: Sequence[str], *, announce: bool | None = None, by_name: bool = False) -> list[Reading]:
    with Root(str(tree), descriptors=DESCRIPTORS and not by_name) as root:
        return list(read_files(root, paths, MOST, announce=announce))


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd" if os.path.exists("/proc/self/fd") else "/dev/fd"))


def drop_from_page_cache(tree: Path) -> None:
    for path in tree.rglob("*"):
        if path.is_file() and not path.is_symlink():
            fd = os.open(path, os.O_RDONLY)
            os.fsync(fd)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)


@pytest.mark.parametrize("way", ["held folders", "announced", "by name"])
def test_each_file_gives_its_bytes_and_what_identifies_them(tree: Path, way: str) -> None:
    wanted = paths(tree)
    found = read(tree, wanted, announce=way == "announced", by_name=way == "by name")
    assert len(found) == len(wanted)
    for path, (data, identity) in zip(wanted, found, strict=True):
        assert data == (None if path == "large" else (tree / path).read_bytes())
        assert identity == IDENTITY((tree / path).stat())


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="the page cache cannot be dropped here")
def test_files_that_only_the_disk_holds_are_read_alike(tree: Path) -> None:
    expected = read(tree, paths(tree))
    drop_from_page_cache(tree)
    assert [data for data, _ in read(tree, paths(tree))] == [data for data, _ in expected]


@both_ways
def test_what_is_no_plain_file_is_refused_with_its_reason_and_spoils_nothing(tree: Path, announce: bool) -> None:
    (tree / "secret.md").write_text("secret")
    (tree / "secret.md").chmod(0)
    expected = {
        "000.md": SkipReason.UNREADABLE,  # stands in another folder
        "a/001.md": SkipReason.UNREADABLE,
        "a": SkipReason.IRREGULAR,
        "link": SkipReason.LINK,
        "linked/000.md": SkipReason.LINK,
        "pipe": SkipReason.IRREGULAR,
        "socket": SkipReason.IRREGULAR,
        "none/at/all.md": SkipReason.UNREADABLE,
    }
    if os.geteuid():
        expected["secret.md"] = SkipReason.PERMISSION
    wanted = [path for refused in expected for path in ("a/000.md", refused, "003.md")]
    found = [data for data, _ in read(tree, wanted, announce=announce)]
    assert dict(zip(wanted[1::3], found[1::3], strict=True)) == expected
    assert set(found[0::3]) == {b""}
    assert set(found[2::3]) == {b"3 " * 21}


@both_ways
@pytest.mark.parametrize("path", ["", "a/../000.md", "../outside.md", "a//000.md", "/etc/hostname", "a/..", "a\0b/c"])
def test_no_path_leads_out_of_the_root(tmp_path: Path, path: str, announce: bool) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a.md").write_text("inside")
    with pytest.raises(PathRefused):
        read(tmp_path, ["a.md", path], announce=announce)


@both_ways
def test_a_folder_that_was_replaced_while_it_was_held_is_looked_for_again(tree: Path, announce: bool) -> None:
    with Root(str(tree)) as root:
        found = read_files(root, ["a/000.md", "a/new.md"], MOST, announce=announce)
        if not announce:
            assert next(found)[0] == b""
        (tree / "a").rename(tree / "was a")
        (tree / "a").mkdir()
        (tree / "a" / "new.md").write_text("new")
        *_, last = found
        assert last[0] == b"new"


@both_ways
@pytest.mark.parametrize("became", ["nothing", "a link"])
def test_a_folder_that_cannot_be_opened_any_more_is_never_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, announce: bool, became: str
) -> None:
    root, here = tmp_path / "root", tmp_path / "here"
    for folder in (root / "in", here):
        folder.mkdir(parents=True)
    for name in ("a.md", "b.md"):
        (here / name).write_text("outside")
        (root / "in" / name).write_text("inside")
    monkeypatch.chdir(here)
    (root / "in").rename(tmp_path / "away")
    if became == "a link":
        (root / "in").symlink_to(here)
    reason = SkipReason.LINK if became == "a link" else SkipReason.UNREADABLE
    assert read(root, ["in/a.md", "in/b.md"], announce=announce) == [(reason, None)] * 2


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a plain file that fails when it is read")
@both_ways
@pytest.mark.parametrize("wanted", [["mem", "comm"], ["comm", "mem"]])
def test_a_file_that_fails_when_it_is_read_is_refused_and_spoils_nothing(announce: bool, wanted: list[str]) -> None:
    found = dict(zip(wanted, read(Path("/proc/self"), wanted, announce=announce), strict=True))
    assert found["mem"][0] is SkipReason.UNREADABLE
    assert found["comm"][0] == Path("/proc/self/comm").read_bytes()


@both_ways
def test_no_descriptor_stays_open_even_if_reading_stops_on_the_way(tree: Path, announce: bool) -> None:
    before = descriptors()
    with Root(str(tree)) as root:
        for wanted in (1, 50, 10_000):
            found = read_files(root, paths(tree), MOST, announce=announce)
            for _ in zip(range(wanted), found, strict=False):
                pass
            del found
    assert descriptors() == before
