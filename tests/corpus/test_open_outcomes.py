"""The safe open where it is not simply so or so: messages, bounds, descriptors, and systems that do not answer."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.corpus.hang_safe_io import Patience
from lens_lsp.corpus.safe_open import (
    DESCRIPTORS,
    Root,
    Skipped,
    check_name,
    is_there,
    open_named,
    read_all,
    read_head_at,
    skipped,
    still_leads_to,
)
from lens_lsp.model.documents import SkipReason
from lens_lsp.model.errors import PathNotFound, PathRefused

by_descriptors = pytest.mark.skipif(not DESCRIPTORS, reason="this system opens by name only")
in_proc = pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="no files here that claim to be empty")


class Noting(Patience):
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
