from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.walk import Discovery, Listings, discover, discover_names, file_entry

LATER = 10_000_000_000


@contextmanager
def folders_listed() -> Iterator[list[str]]:
    """Who asked the system to list a folder, once for each time."""
    listed: list[str] = []

    def watch(frame: FrameType, event: str, called: object) -> None:
        if event == "c_call" and called is os.scandir:
            listed.append(frame.f_code.co_name)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield listed
    finally:
        sys.setprofile(before)


class Looks:
    """A tree that is looked at again and again by one who believes that it is old enough to be relied on."""

    def __init__(self, top: Path, first_by_name: bool) -> None:
        self.top = top
        self.listings = Listings(lambda: time.time_ns() + LATER)
        self.listed = 0
        """How many folders the last look had to list."""
        self._first_by_name = first_by_name

    def again(self, rules: CorpusRules = CorpusRules()) -> Discovery:
        """What a look with memory finds; it must be what one without finds."""
        with Root(str(self.top)) as root:
            if self._first_by_name:
                self._first_by_name = False
                discover_names(root, rules, listings=self.listings)
            with folders_listed() as listed:
                found = discover(root, rules, listings=self.listings)
            self.listed = len(listed)
            assert found == discover(root, rules)
        self._let_the_clock_move_on()
        return found

    def _let_the_clock_move_on(self) -> None:
        """The file system's clock may tick only some hundred times a second: wait for what two seconds ensure."""
        probe = self.top.parent / "probe"
        newest = max(max(status.st_mtime_ns, status.st_ctime_ns) for status in self._folders())
        while True:
            probe.touch()
            if probe.stat().st_ctime_ns > newest:
                return

    def _folders(self) -> list[os.stat_result]:
        return [self.top.stat(), *(path.stat() for path in self.top.rglob("*") if path.is_dir())]


def paths(found: Discovery) -> list[str]:
    return [entry.path for entry in found.files]


@pytest.fixture(params=[False, True], ids=["first with status", "first by name"])
def looks(tmp_path: Path, request: pytest.FixtureRequest) -> Looks:
    top = tmp_path / "top"
    for path in ("a.md", "b.md", "in/c.md", "in/d.md", "in/deeper/e.md", "in/build/f.md"):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(path)
    (top / "in" / ".gitignore").write_text("build/\n")
    (top / "in" / "link.md").symlink_to("c.md")
    looks = Looks(top, request.param)
    looks.again()
    looks.again()
    if looks.listed:
        pytest.skip("this file system's folders are not relied on")
    return looks


FOUND = ["a.md", "b.md", "in/.gitignore", "in/c.md", "in/d.md", "in/deeper/e.md"]


def new_file(top: Path) -> list[str]:
    (top / "in" / "new.md").write_text("new")
    return [*FOUND, "in/new.md"]


def removed_file(top: Path) -> list[str]:
    (top / "in" / "c.md").unlink()
    return [path for path in FOUND if path != "in/c.md"]


def renamed_file(top: Path) -> list[str]:
    (top / "in" / "c.md").rename(top / "in" / "z.md")
    return [path for path in FOUND if path != "in/c.md"] + ["in/z.md"]


def exchanged_files(top: Path) -> list[str]:
    for old, new in (("in/c.md", "spare"), ("in/d.md", "in/c.md"), ("spare", "in/d.md")):
        (top / old).rename(top / new)
    return FOUND


def changed_ignore_file(top: Path) -> list[str]:
    (top / "in" / ".gitignore").write_text("deeper\n")  # rewritten in place: the folder does not show it
    return ["a.md", "b.md", "in/.gitignore", "in/build/f.md", "in/c.md", "in/d.md"]


def new_ignore_file(top: Path) -> list[str]:
    (top / ".ignore").write_text("c.md\n")
    return [".ignore", *(path for path in FOUND if path != "in/c.md")]


def replaced_folder(top: Path) -> list[str]:
    (top / "in" / "deeper").rename(top.parent / "away")
    (top / "in" / "deeper").mkdir()
    (top / "in" / "deeper" / "other.md").write_text("other")
    return [path for path in FOUND if path != "in/deeper/e.md"] + ["in/deeper/other.md"]


def replaced_by_one_with_the_same_names(top: Path) -> list[str]:
    (top / "in" / "deeper").rename(top.parent / "away")
    (top / "in" / "deeper").mkdir()
    (top / "in" / "deeper" / "e.md").write_text("another")
    return FOUND


def file_that_became_a_link(top: Path) -> list[str]:
    (top / "in" / "c.md").unlink()
    (top / "in" / "c.md").symlink_to("d.md")
    return [path for path in FOUND if path != "in/c.md"]


def file_that_became_a_pipe(top: Path) -> list[str]:
    (top / "in" / "c.md").unlink()
    os.mkfifo(top / "in" / "c.md")
    return [path for path in FOUND if path != "in/c.md"]


def link_that_became_a_file(top: Path) -> list[str]:
    (top / "in" / "link.md").unlink()
    (top / "in" / "link.md").write_text("file now")
    return sorted([*FOUND, "in/link.md"])


def new_folder(top: Path) -> list[str]:
    (top / "in" / "more").mkdir()
    (top / "in" / "more" / "g.md").write_text("more")
    return [*FOUND, "in/more/g.md"]


def edited_in_place(top: Path) -> list[str]:
    was = (top / "in" / "c.md").stat()
    (top / "in" / "c.md").write_text("in/C.md")
    os.utime(top / "in" / "c.md", ns=(was.st_atime_ns, was.st_mtime_ns))
    return FOUND


CHANGES = [
    new_file,
    removed_file,
    renamed_file,
    exchanged_files,
    changed_ignore_file,
    new_ignore_file,
    replaced_folder,
    replaced_by_one_with_the_same_names,
    file_that_became_a_link,
    file_that_became_a_pipe,
    link_that_became_a_file,
    new_folder,
    edited_in_place,
]


def test_a_folder_that_did_not_change_is_not_listed_again(looks: Looks) -> None:
    assert paths(looks.again()) == FOUND
    assert looks.listed == 0


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_found_though_the_rest_is_not_listed(looks: Looks, change: Callable[[Path], list[str]]) -> None:
    before = looks.again()
    expected = change(looks.top)
    after = looks.again()
    assert paths(after) == sorted(expected)
    assert after != before
    assert paths(looks.again()) == sorted(expected)


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_just_after_a_look_is_found(tmp_path: Path, change: Callable[[Path], list[str]]) -> None:
    """With the clock as it is: everything is young, so nothing is relied on."""
    top = tmp_path / "top"
    (top / "in" / "deeper").mkdir(parents=True)
    (top / "in" / "build").mkdir()
    for path in ("a.md", "b.md", "in/c.md", "in/d.md", "in/deeper/e.md", "in/build/f.md"):
        (top / path).write_text(path)
    (top / "in" / ".gitignore").write_text("build/\n")
    (top / "in" / "link.md").symlink_to("c.md")
    listings = Listings()
    with Root(str(top)) as root:
        before = discover(root, CorpusRules(), listings=listings)
        expected = change(top)
        with folders_listed() as listed:
            after = discover(root, CorpusRules(), listings=listings)
        assert paths(after) == sorted(expected)
        with folders_listed() as all_of_them:
            assert after == discover(root, CorpusRules())
        assert listed == all_of_them
        assert after != before


def test_an_edited_file_is_found_without_listing_its_folder(looks: Looks) -> None:
    edited_in_place(looks.top)
    looks.again()
    assert looks.listed == 0


def test_a_file_that_was_read_after_a_look_by_name_is_the_same_object_at_the_next(looks: Looks) -> None:
    listings = Listings(lambda: time.time_ns() + LATER)
    with Root(str(looks.top)) as root:
        discover_names(root, CorpusRules(), listings=listings)
        read = {path: file_entry(root.index, path, (looks.top / path).stat()) for path in FOUND}
        (looks.top / "a.md").write_text("changed since")
        listings.enter(read.get)
        found = {entry.path: entry for entry in discover(root, CorpusRules(), listings=listings).files}
    assert [path for path in FOUND if found[path] is not read[path]] == ["a.md"]
    assert found["a.md"].size == len("changed since")


def test_other_rules_are_obeyed_at_once(looks: Looks) -> None:
    assert paths(looks.again(CorpusRules(exclude=("*.md",)))) == ["in/.gitignore"]
    assert paths(looks.again(CorpusRules(respect_ignore_files=False))) == sorted([*FOUND, "in/build/f.md"])
    assert paths(looks.again(CorpusRules(scopes=("deeper/",)))) == ["in/deeper/e.md"]
    assert paths(looks.again()) == FOUND


def test_a_look_that_was_cancelled_leaves_nothing_wrong_behind(looks: Looks) -> None:
    with Root(str(looks.top)) as root:
        stopped = discover(root, CorpusRules(), listings=looks.listings, cancelled=lambda: True)
        assert not stopped.complete
    new_file(looks.top)
    assert paths(looks.again()) == [*FOUND, "in/new.md"]
