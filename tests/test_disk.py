"""Files are replaced whole or stay as they were, locks end with their holder, programs come from the PATH alone."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lens_lsp.disk import (
    ORDINARY,
    Occupied,
    appending,
    check_replaceable,
    lock_file,
    program_outside,
    release_lock,
    replace_whole,
    take_lock,
)

HOLDER = """
import sys, time
from pathlib import Path
from lens_lsp.disk import lock_file, take_lock
take_lock(lock_file(Path(sys.argv[1])), time.monotonic() + 5)
print("held", flush=True)
sys.stdin.read()
"""


def ours_only(head: bytes) -> bool:
    return head.startswith(b"ours")


def test_a_file_is_made_and_replaced_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    replace_whole(path, b"one")
    replace_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["kept.json"]


def test_an_ordinary_file_has_what_the_users_mask_leaves(tmp_path: Path) -> None:
    (tmp_path / "made.md").write_text("")
    replace_whole(tmp_path / "answer.md", b"text", ORDINARY)
    assert stat.S_IMODE((tmp_path / "answer.md").stat().st_mode) == stat.S_IMODE((tmp_path / "made.md").stat().st_mode)


def test_a_name_as_long_as_the_system_allows_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    replace_whole(path, b"text")
    assert path.read_bytes() == b"text"


def test_what_cannot_be_replaced_stays_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").write_text("here")
    with pytest.raises(OSError, match="folder"):
        replace_whole(tmp_path / "folder", b"text")
    assert os.listdir(tmp_path) == ["folder"]


@pytest.mark.skipif(os.name != "posix", reason="needs links and pipes")
def test_nothing_is_written_through_a_link_or_over_what_is_no_file(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "link").symlink_to(precious)
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "dangling", "pipe"):
        for made in (None, lambda head: True):
            with pytest.raises(Occupied, match="move it away"):
                replace_whole(tmp_path / name, b"text", made=made)
        with pytest.raises(Occupied, match="move it away"), appending(tmp_path / name):
            pass
    assert precious.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["dangling", "link", "pipe", "precious"]


def test_a_file_that_we_did_not_make_stays(tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    replace_whole(path, b"ours 1", ORDINARY, made=ours_only)
    path.chmod(0o640)
    replace_whole(path, b"ours 2", ORDINARY, made=ours_only)
    assert path.read_bytes() == b"ours 2"
    assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o640
    path.write_bytes(b"theirs")
    with pytest.raises(Occupied, match="did not make"):
        check_replaceable(path, ours_only)
    with pytest.raises(Occupied, match="did not make"):
        replace_whole(path, b"ours 3", ORDINARY, made=ours_only)
    assert path.read_bytes() == b"theirs"


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_no_folder_on_the_way_is_a_link(tmp_path: Path) -> None:
    chosen, outside = tmp_path / "chosen", tmp_path / "outside"
    chosen.mkdir()
    outside.mkdir()
    replace_whole(chosen / "made" / "there" / "file", b"text", below=chosen)
    assert stat.S_IMODE((chosen / "made").stat().st_mode) == 0o700
    (chosen / "led").symlink_to(outside)
    (chosen / "plain").write_text("")
    for way in ("led", "led/deeper", "plain"):
        with pytest.raises(Occupied, match="on the way"):
            replace_whole(chosen / way / "file", b"text", below=chosen)
    assert list(outside.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs forks and limits of files")
def test_no_writer_changes_what_is_not_ours() -> None:
    from tests.soak import exports

    tally = exports.run(150, 12, 7)
    assert tally.wrong == []
    assert set(tally.cases) > set(exports.PLACES)
    assert exports.run(30, 4, 7, mutant=True).wrong


def test_a_lock_is_waited_for_and_given_back_by_a_death(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        descriptor = lock_file(path)
        with pytest.raises(TimeoutError):
            take_lock(descriptor, time.monotonic() + 0.05)
        holder.kill()
        holder.wait()
    take_lock(descriptor, time.monotonic() + 5)
    release_lock(descriptor)
    os.close(descriptor)


def test_a_link_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="lock"):
        lock_file(tmp_path / "lock")


NAME = "viewer.exe" if sys.platform == "win32" else "viewer"


def program(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_first_folder_of_the_path_that_has_it_is_taken(tmp_path: Path) -> None:
    first, second = program(tmp_path / "first"), program(tmp_path / "second")
    folders = (tmp_path / "none", first.parent, second.parent)
    assert program_outside("viewer", os.pathsep.join(map(str, folders)), []) == str(first)


def test_what_a_searched_folder_brought_is_passed_over_for_one_outside(tmp_path: Path) -> None:
    inside, outside = program(tmp_path / "notes" / "bin"), program(tmp_path / "tools")
    path = os.pathsep.join((str(inside.parent), str(outside.parent)))
    assert program_outside("viewer", path, []) == str(inside)
    assert program_outside("viewer", path, [str(tmp_path / "notes")]) == str(outside)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_links_out_of_and_into_a_searched_folder_are_passed_over(tmp_path: Path) -> None:
    inside, outside = program(tmp_path / "notes" / "bin"), program(tmp_path / "tools")
    (tmp_path / "notes" / "out").symlink_to(outside.parent)
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / NAME).symlink_to(inside)
    for folder in (tmp_path / "notes" / "out", linked):
        assert program_outside("viewer", str(folder), []) is not None
        assert program_outside("viewer", str(folder), [str(tmp_path / "notes")]) is None


def test_a_path_is_taken_as_it_is_unless_it_is_searched(tmp_path: Path) -> None:
    outside, elsewhere = program(tmp_path / "tools"), program(tmp_path / "notes")
    path = str(tmp_path)
    assert program_outside(str(outside), path, [str(elsewhere.parent)]) == str(outside)
    assert program_outside(str(elsewhere), path, [str(elsewhere.parent)]) is None


def test_folders_of_the_moment_are_not_looked_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = program(tmp_path / "tools")
    monkeypatch.chdir(found.parent)
    assert program_outside("viewer", os.pathsep.join(("", ".")), []) is None
    assert program_outside("viewer", str(found.parent), []) == str(found)
