"""Files are opened below their root alone, whole, and never through a link; many of them in one go."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from soak.safe_open import CONTROL_BOUND, Swapping, bulk_opens, naive_opens, safe_opens, walks

from lens_lsp.corpus.safe_open import (
    DESCRIPTORS,
    IDENTITY,
    Reading,
    Root,
    Skipped,
    TimedCalls,
    check_name,
    display_path,
    is_there,
    open_named,
    read_all,
    read_files,
    read_head_at,
    skipped,
    still_leads_to,
)
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.errors import PathNotFound, PathRefused

both_ways = pytest.mark.parametrize("descriptors", [True, False] if DESCRIPTORS else [False])


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Root may open everything, so where the tests run as root they step down for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def open_descriptors() -> int:
    return len(os.listdir("/dev/fd"))


def refusal(root: Root, rel: str) -> SkipReason:
    with pytest.raises(Skipped) as caught:
        root.read(rel)
    return caught.value.reason


@both_ways
def test_files_are_read_whole_whatever_their_size_and_depth(tmp_path, descriptors) -> None:
    contents = {"a.md": b"", "b/c.md": b"x", "b/d/e.md": b"y" * 3_000_000}
    if sys.platform == "linux":  # elsewhere file systems refuse names that are no text
        contents["f \xff.md"] = b"name"
    for name, data in contents.items():
        path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name.encode("latin-1")))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    with Root(str(tmp_path), 3, descriptors=descriptors) as root:
        assert root.index == 3
        for name, data in contents.items():
            rel = os.fsdecode(name.encode("latin-1"))
            assert root.read(rel) == data
            assert b"".join(root.stream(rel, 1000)) == data
            read, status = root.read_with_stat(rel)
            assert (read, status.st_size) == (data, len(data))
            assert stat.S_ISREG(status.st_mode)


@both_ways
@pytest.mark.parametrize(
    "rel",
    [
        "",
        ".",
        "..",
        "/",
        "/etc/passwd",
        "/passwd",
        "a/",
        "a//b.md",
        "a/../a/b.md",
        "../x",
        "a/..",
        "a/./b.md",
        "./a",
        "a\0",
        "a\0/b.md",
        "a/b\0.md",
    ],
)
def test_a_path_that_is_not_plainly_below_the_root_is_refused(tmp_path, rel, descriptors) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.md").write_text("x")
    with Root(str(tmp_path), descriptors=descriptors) as root, pytest.raises(PathRefused):
        root.read(rel)


@both_ways
def test_a_name_that_no_file_can_have_is_unreadable(tmp_path, descriptors) -> None:
    (tmp_path / "a").mkdir()
    with Root(str(tmp_path), descriptors=descriptors) as root:
        for rel in ("\ud800.md", "a/\ud800.md", "\ud800/a.md", "x" * 5_000 + ".md"):
            assert refusal(root, rel) is SkipReason.UNREADABLE, rel


@pytest.mark.skipif(sys.platform != "linux", reason="a file that is opened and cannot be read is one of /proc")
def test_a_file_that_fails_when_it_is_read_is_unreadable_and_leaves_no_descriptor() -> None:
    before = open_descriptors()
    with Root("/proc/self") as root:
        assert refusal(root, "mem") is SkipReason.UNREADABLE
        with pytest.raises(Skipped) as caught:
            list(root.stream("mem"))
        assert caught.value.reason is SkipReason.UNREADABLE
        with pytest.raises(Skipped):
            root.read_with_stat("mem", 1 << 20)
    assert open_descriptors() == before


@both_ways
def test_a_head_is_as_much_as_was_asked_for(tmp_path, descriptors) -> None:
    (tmp_path / "a.md").write_bytes(b"0123456789")
    with Root(str(tmp_path), descriptors=descriptors) as root:
        assert [read_head_at(root.handle, "a.md", count) for count in (0, 4, 10, 99)] == [
            b"",
            b"0123",
            b"0123456789",
            b"0123456789",
        ]
        with pytest.raises(Skipped) as caught:
            read_head_at(root.handle, "b.md", 4)
        assert caught.value.reason is SkipReason.UNREADABLE


@both_ways
def test_a_name_is_there_unless_the_system_says_it_is_not(tmp_path, descriptors) -> None:
    (tmp_path / "a.md").write_text("x")
    (tmp_path / "dangling").symlink_to("nowhere")
    with Root(str(tmp_path), descriptors=descriptors) as root:
        found = {name: is_there(root.handle, name) for name in ("a.md", "dangling", "b.md", "x" * 5_000)}
    assert list(found.values()) == [True, True, False, True]


@both_ways
def test_what_is_no_plain_file_is_skipped_with_its_reason(tmp_path, descriptors) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "f.md").write_text("x")
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "link.md").symlink_to("in/f.md")
    (tmp_path / "linked").symlink_to("in")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with closing(socket.socket(socket.AF_UNIX)) as listener:
        directory = os.open(tmp_path, os.O_RDONLY)
        try:
            listener.bind(f"/proc/self/fd/{directory}/socket" if sys.platform == "linux" else str(tmp_path / "socket"))
        finally:
            os.close(directory)
        with Root(str(tmp_path), descriptors=descriptors) as root:
            assert refusal(root, "pipe.md") is SkipReason.IRREGULAR
            assert refusal(root, "socket") is SkipReason.IRREGULAR
            assert refusal(root, "in") is SkipReason.IRREGULAR
            assert refusal(root, "in/f.md/x") is SkipReason.IRREGULAR
            for link in ("link.md", "linked", "linked/f.md", "dangling", "loop", "zero", "loop/x"):
                assert refusal(root, link) is SkipReason.LINK, link
            assert refusal(root, "gone.md") is SkipReason.UNREADABLE
            assert refusal(root, "gone/too.md") is SkipReason.UNREADABLE
            assert refusal(root, "x" * 300) is SkipReason.UNREADABLE
            assert refusal(root, "\ud800") is SkipReason.UNREADABLE
            assert root.read("in/f.md") == b"x"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no devices here")
def test_a_device_is_irregular() -> None:
    with Root("/dev") as root:
        assert refusal(root, "null") is SkipReason.IRREGULAR
        assert refusal(root, "zero") is SkipReason.IRREGULAR


def test_a_file_one_may_not_read_is_skipped_for_its_permission(tmp_path) -> None:
    (tmp_path / "closed").mkdir()
    for path in (tmp_path / "closed" / "a.md", tmp_path / "b.md"):
        path.write_text("x")
        path.chmod(0)
    (tmp_path / "closed").chmod(0)
    tmp_path.chmod(0o755)
    try:
        with Root(str(tmp_path)) as root, ordinary_user():
            assert refusal(root, "b.md") is SkipReason.PERMISSION
            assert refusal(root, "closed/a.md") is SkipReason.PERMISSION
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_more_than_the_limit_is_too_large(tmp_path) -> None:
    (tmp_path / "a.md").write_bytes(b"x" * 100)
    with Root(str(tmp_path)) as root:
        assert len(root.read("a.md", 100)) == 100
        with pytest.raises(Skipped) as caught:
            root.read("a.md", 99)
    assert caught.value.reason is SkipReason.TOO_LARGE


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no files here that claim to be empty")
def test_a_file_that_is_longer_than_it_says_is_read_to_its_end() -> None:
    with Root("/proc/self") as root:
        data, status = root.read_with_stat("status")
        assert status.st_size == 0
        assert data.startswith(b"Name:")
        assert b"".join(root.stream("status")).startswith(b"Name:")
        with pytest.raises(Skipped):
            root.read("status", 10)


def test_what_is_appended_during_a_stream_is_part_of_it(tmp_path) -> None:
    path = tmp_path / "log.txt"
    path.write_bytes(b"one\n" * 1000)
    with Root(str(tmp_path)) as root, path.open("ab") as log:
        parts = root.stream("log.txt", 1000)
        read = next(parts)
        log.write(b"two\n")
        log.flush()
        assert read + b"".join(parts) == b"one\n" * 1000 + b"two\n"


def test_a_folder_that_was_replaced_is_found_again(tmp_path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.md").write_text("old")
    with Root(str(tmp_path)) as root:
        assert root.read("d/a.md") == b"old"
        (tmp_path / "d" / "a.md").unlink()
        (tmp_path / "d").rmdir()
        (tmp_path / "d").mkdir()
        (tmp_path / "d" / "a.md").write_text("new")
        assert root.read("d/a.md") == b"new"


def test_a_released_root_sees_a_folder_that_took_the_name(tmp_path) -> None:
    for name in ("d", "e"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(name)
    with Root(str(tmp_path)) as root:
        assert root.read("d/a.md") == b"d"
        (tmp_path / "d").rename(tmp_path / "away")
        (tmp_path / "e").rename(tmp_path / "d")
        root.release()
        assert root.read("d/a.md") == b"e"


def test_a_folder_held_open_leads_inside_after_its_name_became_a_link(tmp_path) -> None:
    for name in ("root/d", "out"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.md").write_text(name)
    with Root(str(tmp_path / "root")) as root:
        assert root.read("d/a.md") == b"root/d"
        (tmp_path / "root" / "d").rename(tmp_path / "root" / "away")
        (tmp_path / "root" / "d").symlink_to("../out")
        assert root.read("d/a.md") == b"root/d"
        assert root.read("d/a.md") == b"root/d"
        root.release()
        assert refusal(root, "d/a.md") is SkipReason.LINK


def test_no_descriptor_is_left_open(tmp_path) -> None:
    for folder in ("a", "a/b", "c"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "f.md").write_text("x" * 5000)
    os.mkfifo(tmp_path / "a" / "pipe")
    before = open_descriptors()
    with Root(str(tmp_path)) as root:
        for _ in range(50):
            for rel in ("a/f.md", "a/b/f.md", "c/f.md"):
                root.read(rel)
                next(root.stream(rel, 10))
            for rel in ("a/pipe", "a/gone", "gone/f.md", "a/f.md/x"):
                with pytest.raises(Skipped):
                    root.read(rel)
            with pytest.raises(PathRefused):
                root.read("a/../f.md")
            assert open_descriptors() <= before + 2
    assert open_descriptors() == before


def test_threads_may_share_a_root(tmp_path) -> None:
    names = [f"d{number % 7}/e{number % 3}/f{number}.md" for number in range(200)]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    wrong: list[str] = []
    before = open_descriptors()

    def work(step: int) -> None:
        order = [names[number * step % len(names)] for number in range(len(names))] * 5
        wrong.extend(name for name in order if root.read(name) != name.encode())

    with Root(str(tmp_path)) as root:
        threads = [threading.Thread(target=work, args=(step,)) for step in (1, 3, 7, 11)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []
    assert open_descriptors() == before


def test_a_file_truncated_while_it_is_streamed_ends_early_and_kills_nobody(tmp_path) -> None:
    path = tmp_path / "big.txt"
    path.write_bytes(b"x" * 1_000_000)
    code = (
        "import sys\n"
        "from lens_lsp.corpus.safe_open import Root\n"
        "with Root(sys.argv[1]) as root:\n"
        "    parts = root.stream('big.txt', 1000)\n"
        "    size = len(next(parts))\n"
        "    open(sys.argv[1] + '/big.txt', 'w').close()\n"
        "    print(size + sum(map(len, parts)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "1000"), done.stderr


def test_a_missing_root_and_a_root_that_is_a_file_are_told_apart(tmp_path) -> None:
    (tmp_path / "file").write_text("x")
    for descriptors in (DESCRIPTORS, False):
        with pytest.raises(PathNotFound, match="nowhere"):
            Root(str(tmp_path / "nowhere"), descriptors=descriptors)
        with pytest.raises(PathRefused, match="not a folder"):
            Root(str(tmp_path / "file"), descriptors=descriptors)
        with pytest.raises(PathNotFound):
            Root("a\0b", descriptors=descriptors)


def test_a_file_named_directly_has_its_folder_as_root(tmp_path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.md").write_text("x")
    (tmp_path / "link.md").symlink_to("d/a.md")
    os.mkfifo(tmp_path / "pipe")
    for named in ("d/a.md", "link.md"):
        root, name = open_named(str(tmp_path / named), 2)
        with root:
            assert (root.path, root.index, name) == (os.path.realpath(tmp_path / "d"), 2, "a.md")
            assert root.read(name) == b"x"
    root, name = open_named(str(tmp_path / "d"))
    with root:
        assert (root.path, name) == (str(tmp_path / "d"), None)
    with pytest.raises(PathNotFound):
        open_named(str(tmp_path / "gone"))
    with pytest.raises(PathRefused):
        open_named(str(tmp_path / "pipe"))


def test_a_closed_root_opens_nothing(tmp_path) -> None:
    (tmp_path / "a.md").write_text("x")
    root = Root(str(tmp_path))
    root.close()
    root.close()
    assert root.handle == -1
    with pytest.raises(Skipped):
        root.read("a.md")


def test_the_status_is_that_of_the_bytes_that_were_read(tmp_path) -> None:
    for number in range(20):
        fresh = tmp_path / "fresh"
        fresh.write_text(str(number))
        identity = fresh.stat().st_ino
        fresh.rename(tmp_path / "a.md")
        with Root(str(tmp_path)) as root:
            data, status = root.read_with_stat("a.md")
        assert hashlib.sha256(data).digest() == hashlib.sha256(str(number).encode()).digest()
        assert status.st_ino == identity


def test_names_that_are_no_text_are_printable_on_their_way_out() -> None:
    assert display_path("a/b.md") == "a/b.md"
    assert display_path("é/日本.md") == "é/日本.md"
    shown = display_path(os.fsdecode(b"a/\xff\xfe.md"))
    assert shown == "a/\ufffd\ufffd.md"
    shown.encode("utf-8")


@pytest.mark.skipif(not DESCRIPTORS, reason="this system opens by name only")
def test_nothing_escapes_while_a_parent_is_swapped_and_the_naive_open_does(tmp_path) -> None:
    with Swapping(tmp_path) as swapping:
        safe = safe_opens(swapping, 20_000)
        bulk = bulk_opens(swapping, 20_000)
        walked = walks(swapping, 200)
        naive = naive_opens(swapping, 1, CONTROL_BOUND)
    assert safe.escaped == 0
    assert bulk.escaped == 0
    assert walked.escaped == 0
    assert naive.escaped > 0, "the attack is too weak to prove anything"
    for tally in (safe, bulk, walked):
        assert tally.inside > 0
        assert tally.refused > 0


by_descriptors = pytest.mark.skipif(not DESCRIPTORS, reason="this system opens by name only")
in_proc = pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="no files here that claim to be empty")


class Noting(TimedCalls):
    """Waits for whatever is asked of the system, notes it, and lets one kind of call run out of time."""

    def __init__(self, silent: Callable[..., object] | None = None) -> None:
        super().__init__(os.makedev(0, 4094))
        self.asked_for: list[str] = []
        self.ended = False
        self._silent = silent

    def result(self, call: Callable[[], Any], late: Callable[[Any], object] | None) -> Any:
        assert isinstance(call, partial)
        self.asked_for.append(call.func.__name__)
        if call.func is self._silent:
            raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
        return super().result(call, late)

    def end(self) -> None:
        self.ended = True
        super().end()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.md").write_bytes(b"0123456789")
    (tmp_path / "b.md").write_bytes(b"x" * 2_000)
    (tmp_path / "linked").symlink_to("d")
    return tmp_path


@pytest.fixture
def away(folder: Path) -> Iterator[Callable[..., tuple[Root, Noting]]]:
    """Makes roots of a folder that may not answer."""
    roots = []

    def make(silent: Callable[..., object] | None = None) -> tuple[Root, Noting]:
        root, patience = Root(str(folder)), Noting(silent)
        assert isinstance(root.handle, int)
        root.handle = patience.holds(root.handle)
        roots.append(root)
        return root, patience

    yield make
    for root in roots:
        root.close()


def descriptors() -> int:
    return len(os.listdir("/dev/fd"))


@by_descriptors
def test_every_call_about_a_file_that_may_not_answer_is_waited_for(away: Callable[..., tuple[Root, Noting]]) -> None:
    root, patience = away()
    for what, calls in (
        (lambda: root.read("b.md"), "open fstat read"),
        (lambda: list(root.stream("b.md", 1_500)), "open fstat read read read"),
        (lambda: read_head_at(root.handle, "b.md", 4), "open fstat read"),
        (lambda: is_there(root.handle, "b.md"), "stat"),
        (lambda: root.read("d/a.md"), "open open fstat read"),
        (lambda: root.read("d/a.md"), "open fstat read"),
    ):
        patience.asked_for.clear()
        what()
        assert " ".join(patience.asked_for) == calls
    patience.asked_for.clear()
    with pytest.raises(Skipped) as caught:
        root.read("linked/a.md")
    assert (caught.value.reason, patience.asked_for) == (SkipReason.LINK, ["open", "stat"])
    fd, _ = root.open_with_stat("b.md")
    patience.asked_for.clear()
    assert read_all(fd, 100) == b"x" * 2_000
    os.close(fd)
    assert patience.asked_for == ["read"] * 3
    assert not patience.ended
    root.close()
    assert patience.ended


@by_descriptors
def test_what_did_not_answer_is_unreadable_and_leaves_no_descriptor(away: Callable[..., tuple[Root, Noting]]) -> None:
    for silent in (os.open, os.fstat, os.read):
        root, _ = away(silent)
        before = descriptors()
        for what in (
            lambda root=root: root.read("b.md"),
            lambda root=root: list(root.stream("b.md")),
            lambda root=root: read_head_at(root.handle, "b.md", 4),
        ):
            with pytest.raises(Skipped) as caught:
                what()
            assert caught.value.reason is SkipReason.UNREADABLE
        assert descriptors() == before
    root, _ = away(os.stat)
    assert is_there(root.handle, "gone"), "nobody said that it is not"
    with pytest.raises(Skipped) as caught:
        root.read("linked/a.md")
    assert caught.value.reason is SkipReason.IRREGULAR


def test_a_refusal_says_what_and_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    for path, why in ((str(tmp_path / "gone"), "No such file or directory"), ("a\0b", "not a path")):
        for act, done in ((Root, "opened"), (open_named, "looked at")):
            with pytest.raises(PathNotFound) as caught:
                act(path)
            assert str(caught.value) == f"{path} cannot be {done}: {why}"
    with pytest.raises(PathRefused) as refused:
        Root(str(tmp_path / "file"))
    assert str(refused.value) == f"{tmp_path / 'file'} is not a folder"
    with pytest.raises(PathRefused) as refused:
        open_named(str(tmp_path / "pipe"))
    assert str(refused.value) == f"{tmp_path / 'pipe'} is neither a plain file nor a folder"
    with Root(str(tmp_path)) as root, pytest.raises(PathRefused) as refused:
        root.read("../x")
    assert str(refused.value) == "'../x' is not a plain path below its root"
    assert str(Skipped(SkipReason.LINK)) == SkipReason.LINK.value


def test_an_error_of_unknown_kind_is_no_matter_of_permission() -> None:
    assert skipped(OSError("something")).reason is SkipReason.UNREADABLE
    assert skipped(OSError(errno.EPERM, "no")).reason is SkipReason.PERMISSION


def test_a_name_is_one_step_down_on_every_system() -> None:
    for name in ("a", "a:b", "a\\b", "..."):
        check_name(name, name, windows=False)
    check_name("a b.md", "a b.md", windows=True)
    for name, windows in (("a/b", False), ("a/b", True), ("a:b", True), ("a\\b", True), ("..", True), ("\0", False)):
        with pytest.raises(PathRefused):
            check_name(name, name, windows=windows)


def test_a_root_knows_its_place_in_the_question(folder: Path) -> None:
    with Root(str(folder)) as root:
        assert root.index == 0
    for path, wanted in (("d", None), ("d/a.md", "a.md")):
        for index, given in ((0, ()), (2, (2,))):
            root, name = open_named(str(folder / path), *given)
            with root:
                assert (root.index, name) == (index, wanted)


def test_a_folder_that_was_named_through_a_link_keeps_the_name_it_was_given(folder: Path) -> None:
    root, name = open_named(str(folder / "linked" / "a.md"))
    with root:
        assert (root.path, name) == (str(folder / "linked"), "a.md")


def test_a_folder_below_is_opened_for_the_caller(folder: Path) -> None:
    for by_descriptor in {DESCRIPTORS, False}:
        with Root(str(folder), descriptors=by_descriptor) as root:
            assert isinstance(root.handle, int) is by_descriptor
            handle = root.open_folder("d")
            assert read_head_at(handle, "a.md", 4) == b"0123"
            if isinstance(handle, int):
                os.close(handle)
            for rel, reason in (
                ("linked", SkipReason.LINK),
                ("b.md", SkipReason.IRREGULAR),
                ("b.md/c", SkipReason.IRREGULAR),
            ):
                with pytest.raises(Skipped) as caught:
                    root.open_folder(rel)
                assert caught.value.reason is reason, rel
            with pytest.raises(PathRefused):
                root.open_folder("../d")
            fd = root.open("d/a.md")
            assert os.read(fd, 4) == b"0123"
            os.close(fd)


def test_what_was_opened_by_name_is_still_what_the_name_leads_to(folder: Path) -> None:
    status = (folder / "d" / "a.md").stat()
    assert still_leads_to(str(folder / "d" / "a.md"), status)
    assert not still_leads_to(str(folder / "b.md"), status), "another file"
    assert not still_leads_to(str(folder / "linked" / "a.md"), status), "the same file, by a link"


@by_descriptors
def test_a_root_may_be_the_first_descriptor_of_a_process(folder: Path) -> None:
    kept = os.dup(0)
    os.close(0)
    try:
        root = Root(str(folder))
        assert root.handle == 0
        root.close()
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(0)
    finally:
        os.dup2(kept, 0)
        os.close(kept)


@in_proc
def test_the_limit_is_as_much_as_may_be_read_of_a_file_that_claims_to_be_empty() -> None:
    name = Path("/proc/self/comm").read_bytes()
    with Root("/proc/self") as root:
        assert root.read("comm", len(name)) == name
        for limit in (1, len(name) - 1):
            with pytest.raises(Skipped) as caught:
                root.read("comm", limit)
            assert caught.value.reason is SkipReason.TOO_LARGE


def test_the_limit_holds_for_all_that_came_not_for_what_came_last(tmp_path: Path) -> None:
    (tmp_path / "grown").write_bytes(b"x" * 200_000)
    with Root(str(tmp_path)) as root:
        for size, limit in ((0, 100_000), (10, 199_999)):
            fd = root.open("grown")
            try:
                with pytest.raises(Skipped) as caught:
                    read_all(fd, size, limit)
                assert caught.value.reason is SkipReason.TOO_LARGE
            finally:
                os.close(fd)
        fd = root.open("grown")
        try:
            assert len(read_all(fd, 0, 200_000)) == 200_000
        finally:
            os.close(fd)


MOST = 100_000

announced_or_not = pytest.mark.parametrize("announce", [False, True])


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


def open_count() -> int:
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


@announced_or_not
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


@announced_or_not
@pytest.mark.parametrize("path", ["", "a/../000.md", "../outside.md", "a//000.md", "/etc/hostname", "a/..", "a\0b/c"])
def test_no_path_leads_out_of_the_root(tmp_path: Path, path: str, announce: bool) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a.md").write_text("inside")
    with pytest.raises(PathRefused):
        read(tmp_path, ["a.md", path], announce=announce)


@announced_or_not
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


@announced_or_not
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
@announced_or_not
@pytest.mark.parametrize("wanted", [["mem", "comm"], ["comm", "mem"]])
def test_a_file_that_fails_when_it_is_read_is_refused_and_spoils_nothing(announce: bool, wanted: list[str]) -> None:
    found = dict(zip(wanted, read(Path("/proc/self"), wanted, announce=announce), strict=True))
    assert found["mem"][0] is SkipReason.UNREADABLE
    assert found["comm"][0] == Path("/proc/self/comm").read_bytes()


@announced_or_not
def test_no_descriptor_stays_open_even_if_reading_stops_on_the_way(tree: Path, announce: bool) -> None:
    before = open_count()
    with Root(str(tree)) as root:
        for wanted in (1, 50, 10_000):
            found = read_files(root, paths(tree), MOST, announce=announce)
            for _ in zip(range(wanted), found, strict=False):
                pass
            del found
    assert open_count() == before
