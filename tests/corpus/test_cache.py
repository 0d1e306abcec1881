from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.encoding import LARGE
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.scan import scan, word_literal
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import FileEntry, discover, discover_names
from lens_lsp.model.documents import Skip, SkipReason

LONG_AGO = 1_000_000_000
CACHE = {TextStore.refresh.__code__.co_filename, TextStore.drop.__code__.co_filename}
"""The modules that it is made of."""
Watch = Callable[[FrameType, str, object], object]


class Folder:
    """A folder on disk and a cache that follows it."""

    def __init__(self, path: Path, budget: int = 1 << 31) -> None:
        self.path = path
        self.root = Root(str(path))
        self.cache = TextStore(budget=budget)
        self.files: Sequence[FileEntry] = ()
        self.read: list[int] = []

    def write(self, name: str, text: str | bytes, *, modified: int = LONG_AGO) -> None:
        """Write a file that looks as if it had been written at a time, in seconds."""
        path = self.path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(path, (modified, modified))

    def look(self) -> None:
        self.files = discover(self.root, CorpusRules()).files

    def refresh(
        self, buffers: Mapping[str, str] | None = None, cancelled: Callable[[], bool] | None = None
    ) -> list[Skip]:
        """Bring the cache in line with what the last look listed."""
        overlay = {(0, name): Buffer(str(self.path / name), text) for name, text in (buffers or {}).items()}
        return self.cache.refresh([self.root], self.files, overlay, cancelled=cancelled)

    def fill(self, buffers: Mapping[str, str] | None = None, cancelled: Callable[[], bool] | None = None) -> list[Skip]:
        """Take everything in, known by name alone."""
        overlay = {(0, name): Buffer(str(self.path / name), text) for name, text in (buffers or {}).items()}
        paths = discover_names(self.root, CorpusRules()).paths
        return self.cache.fill(self.root, paths, overlay, cancelled=cancelled)

    def follow(self, buffers: Mapping[str, str] | None = None) -> list[Skip]:
        self.look()
        return self.refresh(buffers)

    @property
    def texts(self) -> dict[str, str]:
        """The folded texts by path."""
        known = [text for text in self.cache.slots if text is not None]
        return {text.key[1]: self.cache.folded(text.slot).tobytes().decode() for text in known}

    def found(self, word: str) -> set[tuple[str, int]]:
        """Path and place, in code points of the source, of every occurrence of a word."""
        hits = scan(self.cache.chunks(), [(word_literal(word),)], listing=True)
        places = set()
        for slot, at in zip(hits.slot.tolist(), hits.at.tolist(), strict=True):
            text, offsets = self.cache.slots[slot], self.cache.offsets(slot)
            assert text is not None
            places.add((text.key[1], at if offsets is None else int(offsets.points(hits.at[hits.at == at])[0])))
        return places


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    folder = Folder(tmp_path)
    with folder.root:
        yield folder


def test_the_cache_holds_the_folded_texts_of_all_files(folder: Folder) -> None:
    folder.write("a.md", "# Straße")
    folder.write("b.txt", "UPPER\r\nlower")
    assert folder.follow() == []
    assert folder.texts == {"a.md": "# strasse", "b.txt": "upper\r\nlower"}
    assert folder.cache.files == 2


def test_markup_is_hidden_and_moves_nothing(folder: Folder) -> None:
    folder.write("a.html", "<b>é bold</b> word")
    folder.follow()
    assert folder.texts == {"a.html": "   e bold     word"}
    assert folder.found("word") == {("a.html", 14)}


def test_a_changed_file_is_read_again(folder: Folder) -> None:
    folder.write("a.md", "before")
    folder.write("b.md", "other")
    folder.follow()
    folder.write("a.md", "afterwards", modified=LONG_AGO + 1)
    folder.follow()
    assert folder.texts == {"a.md": "afterwards", "b.md": "other"}


def test_a_change_is_noticed_though_size_and_modification_time_are_the_same(folder: Folder) -> None:
    folder.write("a.md", "before")
    folder.follow()
    folder.write("a.md", "behind")  # the time of the last status change cannot be set back
    folder.follow()
    assert folder.texts == {"a.md": "behind"}


def test_a_file_that_was_replaced_by_one_just_like_it_is_read_again(folder: Folder) -> None:
    folder.write("a.md", "before")
    folder.follow()
    folder.write("b.md", "behind")
    os.replace(folder.path / "b.md", folder.path / "a.md")
    folder.follow()
    assert folder.texts == {"a.md": "behind"}


def test_an_unchanged_file_is_not_read_again(folder: Folder) -> None:
    folder.write("a.md", "before")
    folder.follow()
    folder.write("a.md", "behind")
    folder.refresh()  # without a look at the disk nothing says that it changed
    assert folder.texts == {"a.md": "before"}


def test_a_file_written_just_before_it_was_read_is_read_again_though_nothing_shows_a_change(folder: Folder) -> None:
    young = 1 << 33  # in the future: younger than any clock can tell
    folder.write("a.md", "before", modified=young)
    folder.follow()
    folder.write("a.md", "behind", modified=young)
    folder.refresh()
    assert folder.texts == {"a.md": "behind"}


def test_a_removed_file_vanishes_and_so_does_its_name(folder: Folder) -> None:
    folder.write("Rare Orchid.md", "secret")
    folder.write("b.md", "other")
    folder.follow()
    assert len(folder.cache.titles.slots("rare orchid")) == 1
    (folder.path / "Rare Orchid.md").unlink()
    folder.follow()
    assert folder.texts == {"b.md": "other"}
    assert folder.cache.titles.slots("rare orchid") == []
    assert folder.found("secret") == set()


def test_a_buffer_wins_over_the_disk_until_it_is_closed(folder: Folder) -> None:
    folder.write("a.md", "on disk")
    folder.follow({"a.md": "Being Written"})
    assert folder.texts == {"a.md": "being written"}
    folder.follow({"a.md": "being rewritten"})
    assert folder.texts == {"a.md": "being rewritten"}
    folder.follow()
    assert folder.texts == {"a.md": "on disk"}


def test_a_buffer_that_is_closed_shows_what_was_saved_meanwhile(folder: Folder) -> None:
    folder.write("a.md", "before")
    folder.follow({"a.md": "typed"})
    folder.write("a.md", "saved!", modified=LONG_AGO + 5)
    folder.follow({"a.md": "typed"})
    assert folder.texts == {"a.md": "typed"}
    folder.follow()
    assert folder.texts == {"a.md": "saved!"}


def test_a_file_opened_after_it_was_read_shows_its_buffer(folder: Folder) -> None:
    folder.write("a.md", "on disk")
    folder.follow()
    folder.follow({"a.md": "typed"})
    assert folder.texts == {"a.md": "typed"}


def test_what_cannot_be_read_is_reported_each_time_and_once(folder: Folder) -> None:
    folder.write("a.md", b"\x00\x01\x02\x03" * 100)
    folder.write("b.png", b"\x89PNG")
    folder.write("c.md", "fine")
    expected = [Skip("a.md", SkipReason.BINARY), Skip("b.png", SkipReason.UNSUPPORTED)]
    for _ in range(3):
        assert sorted(folder.follow()) == expected
        assert folder.texts == {"c.md": "fine"}


def test_a_file_that_can_be_read_after_all_is_no_longer_reported(folder: Folder) -> None:
    folder.write("a.md", b"\x00\x01\x02\x03" * 100)
    assert len(folder.follow()) == 1
    folder.write("a.md", "text now")
    assert folder.follow() == []
    assert folder.texts == {"a.md": "text now"}
    folder.write("a.md", b"\x00\x01\x02\x03" * 200)
    assert folder.follow() == [Skip("a.md", SkipReason.BINARY)]
    assert folder.texts == {}


def test_a_file_that_vanished_since_it_was_listed_is_reported(folder: Folder) -> None:
    folder.write("a.md", "text")
    folder.look()
    (folder.path / "a.md").unlink()
    assert folder.refresh() == [Skip("a.md", SkipReason.UNREADABLE)]
    assert folder.follow() == []


@pytest.mark.parametrize("by_name", [False, True])
def test_a_file_that_could_not_be_read_for_a_while_is_read_again_though_nothing_shows_a_change(
    folder: Folder, by_name: bool
) -> None:
    (folder.path / "in").mkdir()
    folder.write("in/a.md", "text")
    folder.look()
    paths = [entry.path for entry in folder.files]
    (folder.path / "in").rename(folder.path / "away")
    skips = folder.cache.fill(folder.root, paths, {}) if by_name else folder.refresh()
    assert skips == [Skip("in/a.md", SkipReason.UNREADABLE)]
    (folder.path / "away").rename(folder.path / "in")
    assert folder.follow() == []
    assert folder.texts == {"in/a.md": "text"}


@contextmanager
def interrupted_in_the_cache(at: int) -> Iterator[list[int]]:
    """What Ctrl-C does before the line number ``at`` that the cache comes to; gives that line once it came."""
    came: list[int] = []
    lines = itertools.count()

    def watch(frame: FrameType, event: str, argument: object) -> Watch | None:
        if frame.f_code.co_filename not in CACHE:
            return None
        if event == "line" and next(lines) == at:
            came.append(frame.f_lineno)
            raise KeyboardInterrupt
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        with suppress(KeyboardInterrupt):
            yield came
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("first", [False, True])
def test_wherever_an_update_is_broken_off_the_next_one_makes_it_whole(folder: Folder, first: bool) -> None:
    texts = {"a.md": "alpha", "b.md": "young", "c.md": "changed", "d.md": "new"}
    for at in itertools.count():
        folder.cache = TextStore()
        (folder.path / "d.md").unlink(missing_ok=True)
        for name, modified in (("a.md", LONG_AGO), ("b.md", 1 << 33), ("c.md", LONG_AGO), ("gone.md", LONG_AGO)):
            folder.write(name, texts.get(name, ""), modified=modified)
        folder.write("c.md", "before")
        if not first:
            folder.follow()
        for name in ("c.md", "d.md"):
            folder.write(name, texts[name], modified=LONG_AGO + 1)
        (folder.path / "gone.md").unlink()
        folder.look()
        with interrupted_in_the_cache(at) as came:
            folder.fill() if first else folder.refresh()
            folder.cache.describe()
        skips = folder.follow() if folder.cache.files else folder.fill()
        assert (skips, folder.texts) == ([], texts), came
        if not came:
            break
    assert at > 50


def test_giving_back_space_changes_no_result(folder: Folder) -> None:
    for number in range(6):
        folder.write(f"big {number}.md", f"needle {number} " + "größe " + "filler " * 80_000 + "needle")
    folder.write("Title.md", "# Ünïcode\n\nneedle")
    folder.follow()
    before = folder.found("needle")
    for number in range(5):
        (folder.path / f"big {number}.md").unlink()
    folder.follow()
    assert folder.cache.arena.blank == 0  # what the removed ones took was given back
    assert len(folder.cache.slots) == 2
    assert folder.found("needle") == {place for place in before if place[0] in {"big 5.md", "Title.md"}}
    for name, path in {"title": "Title.md", "unicode": "Title.md", "big 5": "big 5.md"}.items():
        assert [folder.cache.slots[slot].key[1] for slot in folder.cache.titles.slots(name)] == [path]
    folder.write("Title.md", "needle\nneedle")
    folder.follow()
    assert {place for place in folder.found("needle") if place[0] == "Title.md"} == {("Title.md", 0), ("Title.md", 7)}


def test_texts_beyond_the_memory_budget_are_found_all_the_same(tmp_path: Path) -> None:
    for name, text in {"a.md": "Größe needle", "b.html": "<i>needle</i>é", "c.txt": "needle " * 600}.items():
        (tmp_path / name).write_text(text)
    results = []
    for budget in (1 << 31, 20, 0):
        folder = Folder(tmp_path, budget)
        with folder.root:
            folder.follow()
            assert folder.cache.arena.size <= max(budget, 20)
            results.append((folder.texts, folder.found("needle") - {("c.txt", 7 * n) for n in range(1, 600)}))
    assert results[0] == results[1] == results[2]


def test_files_not_yet_read_when_it_was_cancelled_are_read_next_time(folder: Folder) -> None:
    for number in range(1500):
        folder.write(f"{number:04}.md", f"text {number}")
    folder.look()
    asked: list[None] = []

    def second_time() -> bool:
        asked.append(None)
        return len(asked) > 1

    folder.refresh(cancelled=second_time)
    assert 0 < folder.cache.files < 1500
    folder.refresh()
    assert folder.texts == {f"{number:04}.md": f"text {number}" for number in range(1500)}


def test_two_roots_with_files_of_the_same_name_are_kept_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(f"in {name}")
    cache = TextStore()
    with Root(str(tmp_path / "one"), 0) as one, Root(str(tmp_path / "two"), 1) as two:
        files = [entry for root in (one, two) for entry in discover(root, CorpusRules()).files]
        cache.refresh([one, two], files, {(1, "a.md"): Buffer(str(tmp_path / "two" / "a.md"), "typed")})
        texts = {text.key: cache.folded(text.slot).tobytes() for text in cache.slots if text is not None}
    assert texts == {(0, "a.md"): b"in one", (1, "a.md"): b"typed"}


def test_progress_tells_how_many_files_are_to_be_read(folder: Folder) -> None:
    for number in range(1500):
        folder.write(f"{number:04}.md", "text")
    folder.look()
    told: list[tuple[int, int]] = []
    folder.cache.refresh([folder.root], folder.files, {}, progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 1500), (1024, 1500)]


def of_all_kinds(folder: Folder) -> None:
    folder.write("a.md", "# Ünïcode\n\nneedle é needle")
    folder.write("b.html", "<b>needle</b> é")
    folder.write("c.md", b"\x00\x01\x02\x03" * 100)
    folder.write("d.png", b"\x89PNG")
    folder.write("e.txt", "größe needle".encode("cp1252"))
    folder.write("f.txt", "needle \u4e2d".encode("utf-16"))
    folder.write("g.txt", b"\xef\xbb\xbfneedle behind a mark")
    folder.write("h.csv", "needle,1\n")
    folder.write("i.txt", "filler\n" * (LARGE // 7 + 1) + "needle at the end")
    folder.write("j.ipynb", '{"cells": [{"cell_type": "markdown", "source": ["a needle"]}]}')
    folder.write("k.txt", "")
    folder.write("l.txt", "an open needle on disk")


@pytest.mark.parametrize("budget", [1 << 31, 40, 0])
def test_filling_by_name_gives_what_listing_every_file_first_gives(tmp_path: Path, budget: int) -> None:
    results = []
    for by_name in (False, True):
        folder = Folder(tmp_path, budget)
        of_all_kinds(folder)
        with folder.root:
            buffers = {"l.txt": "\ufeffThe buffer, a needle"}
            skips = sorted(folder.fill(buffers) if by_name else folder.follow(buffers))
            names = [folder.cache.names(slot) for slot in range(len(folder.cache.slots))]
            counts = (folder.cache.files, folder.cache.live)
            results.append((skips, folder.texts, folder.found("needle"), names, counts))
    assert results[0] == results[1]
    assert results[0][0] == [Skip("c.md", SkipReason.BINARY), Skip("d.png", SkipReason.UNSUPPORTED)]
    assert {path for path, _ in results[0][2]} == results[0][1].keys() - {"k.txt"}


def test_what_was_taken_in_by_name_is_read_again_only_if_it_changed(folder: Folder) -> None:
    of_all_kinds(folder)
    folder.fill()
    slots = len(folder.cache.slots)
    for _ in range(2):
        assert sorted(folder.follow()) == [Skip("c.md", SkipReason.BINARY), Skip("d.png", SkipReason.UNSUPPORTED)]
        assert len(folder.cache.slots) == slots
    folder.write("b.html", "<b>Changed</b> é")
    (folder.path / "a.md").unlink()
    folder.write("new.md", "new")
    folder.follow()
    texts = folder.texts
    assert texts["b.html"] == "   changed     e"
    assert texts["new.md"] == "new"
    assert "a.md" not in texts
    assert folder.cache.titles.slots("unicode") == []


def test_a_young_file_taken_in_by_name_is_read_again_though_nothing_shows_a_change(folder: Folder) -> None:
    young = 1 << 33
    folder.write("a.md", "before", modified=young)
    folder.fill()
    folder.look()
    folder.write("a.md", "behind", modified=young)
    folder.look()
    folder.refresh()
    assert folder.texts == {"a.md": "behind"}


def test_a_file_that_cannot_be_read_any_more_is_forgotten_once_it_is_gone(folder: Folder) -> None:
    folder.write("c.md", b"\x00\x01\x02\x03" * 100)
    folder.write("d.png", b"\x89PNG")
    folder.write("fine.md", "fine")
    assert len(folder.fill()) == 2
    (folder.path / "c.md").unlink()
    (folder.path / "d.png").unlink()
    assert folder.follow() == []


def test_a_cache_that_could_read_nothing_is_filled_anew(folder: Folder) -> None:
    folder.write("c.md", b"\x00\x01\x02\x03" * 100)
    folder.write("d.png", b"\x89PNG")
    assert len(folder.fill()) == 2
    (folder.path / "c.md").unlink()
    folder.write("fine.md", "fine")
    assert folder.fill() == [Skip("d.png", SkipReason.UNSUPPORTED)]
    assert folder.texts == {"fine.md": "fine"}


def test_filling_that_was_cancelled_is_finished_by_the_next_look(folder: Folder) -> None:
    for number in range(1500):
        folder.write(f"{number:04}.md", f"text {number}")
    asked: list[None] = []

    def second_time() -> bool:
        asked.append(None)
        return len(asked) > 1

    folder.fill(cancelled=second_time)
    assert 0 < folder.cache.files < 1500
    folder.follow()
    assert folder.texts == {f"{number:04}.md": f"text {number}" for number in range(1500)}


def test_a_cache_that_holds_something_is_not_filled_by_name(folder: Folder) -> None:
    folder.write("a.md", "text")
    folder.fill()
    with pytest.raises(AssertionError):
        folder.fill()
