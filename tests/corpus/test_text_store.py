"""Texts in memory are those of the disk at each question, within their budget of memory."""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.document_store import DocumentStore
from lens_lsp.corpus.encoding import LARGE
from lens_lsp.corpus.extraction import DocumentOptions, Extractions, Pictures, cache_folder, extractions
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Key, Root, Skipped
from lens_lsp.corpus.scan import Hits, exact_literal, scan, word_literal
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import FileEntry, discover
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import INSTALL, Failure, kind_named, missing
from lens_lsp.model.documents import Skip, SkipReason
from tests.availability import unavailable
from tests.documents_made import docx, mail, pdf

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
        paths = discover(self.root, CorpusRules(), names_only=True).paths
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


CRANE = "The harbour crane lifts forty tonnes."


class Held:
    """A folder in a cache."""

    def __init__(self, folder: Path, budget: int = 1 << 20) -> None:
        self.root = Root(str(folder))
        self.cache = TextStore(budget=budget)
        self.cache.fill(self.root, discover(self.root, CorpusRules(), names_only=True).paths, {})

    def look(self) -> None:
        self.cache.refresh([self.root], discover(self.root, CorpusRules()).files, {})

    def read(
        self,
        question: str = "",
        seconds: float = math.inf,
        only: Sequence[Key] | None = None,
        cancelled: Callable[[], bool] | None = None,
        patient: bool = False,
    ) -> int:
        return self.cache.read_documents(question, seconds=seconds, patient=patient, only=only, cancelled=cancelled)

    def holding(self, word: str) -> set[str]:
        hits = scan(self.cache.chunks(), [(word_literal(word),)], listing=True)
        texts = [self.cache.slots[slot] for slot in hits.slot.tolist()]
        return {text.key[1] for text in texts if text is not None}

    @property
    def skipped(self) -> dict[str, SkipReason]:
        return {skip.path: skip.reason for skip in self.cache.skips()}


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Callable[..., Held]]:
    made: list[Held] = []

    def of(budget: int = 1 << 20, **files: bytes) -> Held:
        for name, data in files.items():
            path = tmp_path / name.replace("_", ".")
            path.write_bytes(data)
            os.utime(path, (1, 1))  # no longer young: kept until it changes
        made.append(Held(tmp_path, budget))
        return made[-1]

    yield of
    for one in made:
        one.root.close()


def test_a_document_is_known_by_name_until_it_is_read(held: Callable[..., Held]) -> None:
    one = held(crane_docx=docx(CRANE), note_md=b"A lighthouse.\n")
    assert one.skipped == {"crane.docx": SkipReason.NOT_READ}
    assert (one.cache.files, one.cache.unread) == (1, 1)
    assert one.read() == 1
    assert one.holding("tonnes") == {"crane.docx"}
    assert one.skipped == {}
    assert one.cache.unread == 0


def test_what_was_read_stays_in_memory_while_the_file_is_as_it_was(held: Callable[..., Held]) -> None:
    one = held(crane_docx=docx(CRANE))
    one.read()
    one.look()
    assert one.cache.unread == 0
    assert one.holding("tonnes") == {"crane.docx"}


def test_a_changed_document_waits_to_be_read_again(held: Callable[..., Held], tmp_path: Path) -> None:
    one = held(crane_docx=docx(CRANE))
    one.read()
    (tmp_path / "crane.docx").write_bytes(docx("It lifts fifty barrels now."))
    one.look()
    assert one.cache.unread == 1
    assert one.holding("tonnes") == set()
    one.read()
    assert one.holding("barrels") == {"crane.docx"}


def test_a_document_that_is_gone_is_forgotten(held: Callable[..., Held], tmp_path: Path) -> None:
    one = held(crane_docx=docx(CRANE), late_docx=docx("x"))
    one.read(only=[(0, "crane.docx")])
    for path in tmp_path.iterdir():
        path.unlink()
    one.look()
    assert one.skipped == {}
    assert one.cache.files == 0
    assert one.holding("tonnes") == set()


def test_only_what_is_meant_is_read(held: Callable[..., Held]) -> None:
    one = held(crane_docx=docx(CRANE), garden_docx=docx("Apple trees."))
    assert one.read(only=[(0, "garden.docx")]) == 1
    assert one.skipped == {"crane.docx": SkipReason.NOT_READ}


def test_without_time_nothing_is_begun(held: Callable[..., Held]) -> None:
    one = held(crane_docx=docx(CRANE))
    assert one.read(seconds=0) == 0
    assert one.skipped == {"crane.docx": SkipReason.NOT_READ}


def test_a_cancel_leaves_the_document_under_way_waiting(held: Callable[..., Held]) -> None:
    one = held(crane_pdf=pdf(*([f"What no other test has read, {number}."] for number in range(3000))))
    asked = iter([False])
    assert one.read(cancelled=lambda: next(asked, True)) == 0
    assert one.skipped == {"crane.pdf": SkipReason.NOT_READ}
    assert one.read() == 1


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("scan.pdf", pdf([]), SkipReason.NO_TEXT),
        ("no.pdf", b"%PDF-1.4\nno more than that", SkipReason.BROKEN),
        ("no.docx", b"PK\x03\x04 and no archive", SkipReason.BROKEN),
    ],
)
def test_a_document_without_a_text_is_named_with_its_reason(
    held: Callable[..., Held], name: str, data: bytes, reason: SkipReason
) -> None:
    one = held(**{name.replace(".", "_"): data}, note_md=b"x\n")
    one.read()
    assert one.skipped == {name: reason}
    one.look()
    assert one.skipped == {name: reason}


def test_a_document_above_the_limit_is_too_large(held: Callable[..., Held], tmp_path: Path) -> None:
    with (tmp_path / "huge.pdf").open("wb") as file:
        file.truncate((64 << 20) + 1)
    one = held()
    one.read()
    assert one.skipped == {"huge.pdf": SkipReason.TOO_LARGE}


def test_a_text_that_memory_has_no_room_for_waits_on(held: Callable[..., Held]) -> None:
    one = held(budget=200, a_docx=docx("word " * 100), note_md=b"x\n")
    assert one.read() == 0
    assert one.skipped == {"a.docx": SkipReason.NOT_READ}
    assert not one.cache.readable
    one.look()
    assert one.cache.readable


def test_a_document_that_was_begun_in_time_is_read_to_its_end_where_there_is_patience(
    held: Callable[..., Held],
) -> None:
    one = held(long_pdf=pdf(*([f"Page {number} of a patient reader."] * 40 for number in range(100))), note_md=b"x\n")
    assert one.read(seconds=0.05) == 0
    assert one.read(seconds=0.05, patient=True) == 1


def test_without_any_text_some_more_time_is_taken(held: Callable[..., Held]) -> None:
    one = held(a_docx=docx(CRANE), b_docx=docx("Nothing."))
    assert one.read("crane", seconds=0) == 0
    assert one.read("crane", seconds=1e-9) == 1
    assert one.read("crane", seconds=1e-9) == 0


def test_a_link_is_never_followed_to_a_document(held: Callable[..., Held], tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}.docx"
    outside.write_bytes(docx(CRANE))
    one = held(a_docx=docx("Nothing."))
    (tmp_path / "a.docx").unlink()
    (tmp_path / "a.docx").symlink_to(outside)
    assert one.read() == 0
    assert one.skipped == {"a.docx": SkipReason.LINK}


def test_texts_keep_their_places_when_memory_is_put_in_order(held: Callable[..., Held], tmp_path: Path) -> None:
    one = held(budget=1 << 24, crane_docx=docx(CRANE), big_md=b"filler line\n" * 200_000)
    one.read()
    (tmp_path / "big.md").write_bytes(b"a lighthouse\n")
    one.look()
    assert one.cache.arena.blank == 0
    assert one.holding("tonnes") == {"crane.docx"}
    slot = one.cache.texts((0, "crane.docx"))[0].slot
    assert one.cache.names(slot) == ("crane",)


def test_the_document_is_the_text_that_was_scanned(held: Callable[..., Held]) -> None:
    one = held(report_pdf=pdf(["A first page."], [CRANE]))
    one.read()
    slot = one.cache.texts((0, "report.pdf"))[0].slot
    document = Snapshot([one.root], {}, CorpusRules()).document(0, "report.pdf")
    assert one.cache.still_holds(slot, document.text)
    assert document.text[document.locators.starts[1] :].startswith(CRANE)
    assert document.locators.locators[1] == {"page": 2}
    assert document.reader.startswith(f"pdf/{kind_named('pdf').edition}.")
    assert document.origin.sha256 == Snapshot([one.root], {}, CorpusRules()).digest(0, "report.pdf")


def test_what_an_editor_shows_of_a_document_is_no_source(held: Callable[..., Held], tmp_path: Path) -> None:
    one = held(m_eml=mail("Boats", "Fri, 01 Mar 2024 10:00:00 +0000", "The boats come at noon."))
    typed = {(0, "m.eml"): Buffer(str(tmp_path / "m.eml"), "typed words", 1)}
    one.cache.refresh([one.root], discover(one.root, CorpusRules()).files, typed)
    one.read()
    assert one.holding("noon") == {"m.eml"}
    assert one.holding("typed") == set()
    document = Snapshot([one.root], typed, CorpusRules()).document(0, "m.eml")
    assert "noon" in document.text
    assert document.locators.locators[0]["date"] == "2024-03-01"


def test_a_denied_document_stays_unread(tmp_path: Path) -> None:
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "a.docx").write_bytes(docx(CRANE))
    with Root(str(tmp_path)) as root:
        for look in (Snapshot([root], {}, CorpusRules()).document, Snapshot([root], {}, CorpusRules()).digest):
            with pytest.raises(Skipped) as skipped:
                look(0, ".ssh/a.docx")
            assert skipped.value.reason is SkipReason.DENIED


@pytest.mark.long
def test_the_same_content_is_read_once(held: Callable[..., Held], tmp_path: Path) -> None:
    pages = [[f"Page {number} says something that nobody said before."] for number in range(100)]
    one = held(a_pdf=pdf(*pages))
    started = time.perf_counter()
    one.read()
    first = time.perf_counter() - started
    shutil.copy(tmp_path / "a.pdf", tmp_path / "b.pdf")
    one.look()
    started = time.perf_counter()
    one.read()
    assert time.perf_counter() - started < first
    assert one.holding("99") == {"a.pdf", "b.pdf"}


TERMS = [
    (word_literal("harbour"),),
    (exact_literal("straße"),),
    (exact_literal("of the quay"),),
    (word_literal("港口"),),
]
FILES = {
    "a.md": b"The harbour of the quay.\n" * 3,
    "b/utf.md": "Straße am Hafen, ÄÖÜ STRASSE, harbours. 港口在这里。\n".encode(),
    "b/latin.txt": "Gar\xe7on, harbour of the quay".encode("cp1252"),
    "b/page.html": b"<p class='harbour'>the harbour</p><script>harbour</script>",
    "c/crlf.md": b"one\r\nharbour\r\ntwo\r\n",
    "c/empty.md": b"",
    "c/none.md": b"Nothing here.\n",
    "c/binary.md": b"harbour\0harbour",
    "d/asked.md": b"?? where is the harbour\nharbour\n",
}


class SmallFolder:
    """A folder in a cache of so many bytes, and what a scan of it finds."""

    def __init__(self, path: Path, budget: int) -> None:
        self.root = Root(str(path))
        self.cache = TextStore(budget=budget)

    def refresh(self, buffers: dict[Key, Buffer] | None = None) -> None:
        self.cache.refresh([self.root], discover(self.root, CorpusRules()).files, buffers or {})

    def found(self) -> list[tuple[str, int, int]]:
        hits = scan(self.cache.chunks(), TERMS)
        again = scan(self.cache.again(hits.unlisted.slots), TERMS, listing=True)
        return sorted(
            (self.path(slot), term, at)
            for found in (hits, again)
            for slot, term, at in zip(*(column.tolist() for column in _columns(found)), strict=True)
        )

    def path(self, slot: int) -> str:
        text = self.cache.slots[slot]
        assert text is not None
        return text.key[1]


def _columns(hits: Hits) -> tuple[np.ndarray, ...]:
    return hits.slot, hits.term, hits.at


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_one_text_among_many_that_does_not_fit_is_no_lack_of_memory(files: Path) -> None:
    sizes = sum(map(len, FILES.values())) + 1024 * len(FILES)  # with what is known of each file
    folder = SmallFolder(files, sizes - 60)
    folder.refresh()
    assert list(folder.cache.passing())
    assert not folder.cache.passing_by


@pytest.mark.parametrize("budget", [0, 60, 200])
def test_a_scan_finds_the_same_with_little_memory_as_with_much(files: Path, budget: int) -> None:
    whole, little = SmallFolder(files, 1 << 30), SmallFolder(files, budget)
    for folder in (whole, little):
        folder.refresh()
    assert little.found() == whole.found()
    assert {path for path, *_ in little.found()} == {*FILES} - {"c/empty.md", "c/none.md", "c/binary.md"}
    assert little.cache.size == whole.cache.size
    assert list(little.cache.passing())
    assert little.cache.passing_by
    assert not list(whole.cache.passing())
    assert not whole.cache.passing_by


def test_what_is_open_in_an_editor_is_scanned_as_it_stands_there(files: Path) -> None:
    buffers = {(0, "a.md"): Buffer(str(files / "a.md"), "No more of the quay, but a harbour", 1)}
    whole, little = SmallFolder(files, 1 << 30), SmallFolder(files, 0)
    for folder in (whole, little):
        folder.refresh(buffers)
    assert little.found() == whole.found()
    assert [(term, at) for path, term, at in little.found() if path == "a.md"] == [(0, 27), (2, 8)]


def test_a_file_that_went_or_changed_since_is_scanned_as_it_is(files: Path) -> None:
    folder = SmallFolder(files, 0)
    folder.refresh()
    (files / "c/crlf.md").unlink()
    (files / "c/none.md").write_bytes(b"A harbour now.")
    (files / "b/latin.txt").write_bytes(b"\0")
    paths = {path for path, *_ in folder.found()}
    assert "c/none.md" in paths
    assert paths.isdisjoint({"c/crlf.md", "b/latin.txt"})


def test_pieces_of_a_very_large_file_lie_between_its_neighbours(files: Path) -> None:
    page = b"Nothing of note happened on this page.\n"
    (files / "b/log.txt").write_bytes(page * (LARGE // len(page) + 1) + b"The harbour of the quay.\n")
    whole, little = SmallFolder(files, 1 << 30), SmallFolder(files, 0)
    for folder in (whole, little):
        folder.refresh()
    assert little.found() == whole.found()
    assert [term for path, term, *_ in little.found() if path == "b/log.txt"] == [0, 2]


def test_texts_come_some_at_a_time_and_in_order(tmp_path: Path) -> None:
    for number in range(3_000):
        (tmp_path / f"{number:04}.md").write_bytes(b"A harbour. " * (1 + number % 60))
    folder = SmallFolder(tmp_path, 0)
    folder.refresh()
    chunks = list(folder.cache.passing())
    assert [folder.path(slot) for chunk in chunks for slot in chunk.slots.tolist()] == sorted(os.listdir(tmp_path))
    assert 2 <= len(chunks) <= 8
    assert all(len(chunk.data) < 1 << 20 for chunk in chunks)


def test_some_texts_are_put_together_whether_they_are_in_memory_or_not(files: Path) -> None:
    whole, little = SmallFolder(files, 1 << 30), SmallFolder(files, 0)
    for folder in (whole, little):
        folder.refresh()
    slots = np.flatnonzero(whole.cache.arena.lengths())
    assert whole.cache.together(slots).data.tobytes() == little.cache.together(slots).data.tobytes()


pytestmark = pytest.mark.skipif(os.name != "posix", reason="the programs of these tests are scripts of a shell")
STAMP = "A stamp says that it was paid."
PDF = kind_named("pdf")


@pytest.fixture(scope="module")
def mixed() -> bytes:
    if lacking := missing(PDF):
        unavailable("documents", f"{', '.join(lacking)} not installed: {INSTALL}")
    from tests.documents.pdf_files import PICTURE, PageMaking, PdfMaking, text

    return PdfMaking([PageMaking(page) for page in (text(CRANE, 60, 80), PICTURE, PICTURE)]).written()


@pytest.fixture
def known() -> Iterator[Extractions]:
    with Extractor() as extractor:
        yield Extractions(extractor)


def turned_on(known: Extractions, folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Have pages recognised by a program that does what a script says."""
    tool = folder / "tool" / "bin" / "tesseract"
    tool.parent.mkdir(parents=True)
    tool.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "tesseract 9.8.7" && exit\n{script}\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    assert known.use(DocumentOptions(stored=False, ocr="eng"), [str(folder / "searched")]) is None


def test_pages_that_nobody_reads_are_named(known: Extractions, mixed: bytes) -> None:
    for pictures in Pictures:
        read = known.of(PDF, mixed, pictures=pictures)
        assert read.extracted.text == CRANE
        assert read.notices == ("pages 2-3 are pictures and were not read: documents.ocr is off",)
        assert not read.waiting
        assert read.reader.startswith("pdf/")


def test_pages_are_recognised_when_somebody_waits_and_known_from_then_on(
    known: Extractions, mixed: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned_on(known, tmp_path, monkeypatch, f"cat > /dev/null; echo '{STAMP}'")
    before = known.of(PDF, mixed)
    assert before.waiting
    assert before.extracted.text == CRANE
    assert before.notices == ("pages 2-3 are pictures and were not read yet: name the file as a path",)
    now = known.of(PDF, mixed, pictures=Pictures.RECOGNISED)
    assert now.extracted.text == f"{CRANE}\n\n{STAMP}\n\n{STAMP}"
    assert now.notices == ("the text of pages 2-3 was recognised by OCR and may be wrong",)
    assert now.reader.startswith("pdf-ocr/")
    assert known.of(PDF, mixed) == now
    left = known.of(PDF, mixed, pictures=Pictures.LEFT)
    assert (left.extracted.text, left.reader, left.waiting) == (CRANE, before.reader, False)


def test_nobody_waits_longer_than_somebody_wants(
    known: Extractions, mixed: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned_on(known, tmp_path, monkeypatch, "sleep 600")
    known.of(PDF, mixed)
    read = known.of(PDF, mixed, pictures=Pictures.RECOGNISED, cancelled=lambda: True)
    assert read.waiting
    assert read.extracted.text == CRANE


def test_pages_that_cannot_be_recognised_cost_no_text(
    known: Extractions, mixed: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned_on(known, tmp_path, monkeypatch, "exit 1")
    read = known.of(PDF, mixed, pictures=Pictures.RECOGNISED)
    assert read.extracted.text == CRANE
    assert read.notices == ("pages 2-3 are pictures and were not read and could not be recognised",)
    assert not read.waiting
    assert not known.of(PDF, mixed).waiting, "it is not tried again"


def test_a_scan_comes_behind_all_documents_that_have_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if lacking := missing(PDF):
        unavailable("documents", f"{', '.join(lacking)} not installed: {INSTALL}")
    from tests.documents.pdf_files import PageMaking, PdfMaking, text
    from tests.documents.scans import scan

    turned_on(extractions(), tmp_path, monkeypatch, f"touch '{tmp_path}/begun'; cat > /dev/null; echo '{STAMP}'")
    folder = tmp_path / "searched"
    folder.mkdir()
    (folder / "stamp.pdf").write_bytes(scan(["nothing"]) + b"\n% of this test alone")
    for number in range(3):
        page = PageMaking(text(f"{CRANE} {number}", 60, 80))
        (folder / f"{number}.pdf").write_bytes(PdfMaking([page]).written())
    root = Root(str(folder))
    try:
        cache = TextStore(budget=1 << 20)
        cache.fill(root, discover(root, CorpusRules(), names_only=True).paths, {})
        # The question means the scan; whoever asks has no time left once the others are read.
        assert cache.read_documents("stamp", seconds=math.inf, cancelled=lambda: cache.live == 3) == 3
        assert _holds(cache, "crane")
        assert not (tmp_path / "begun").exists()
        assert cache.unread_documents == 1
        assert cache.read_documents("stamp", seconds=math.inf) == 1
        assert _holds(cache, "stamp")
        assert cache.unread_documents == 0
    finally:
        root.close()
        extractions().use(DocumentOptions(stored=False), [])


def test_pages_that_took_too_long_to_recognise_are_tried_again_where_that_is_asked_for(
    known: Extractions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process gave up on them: what it left in the store holds until it is to be forgotten."""
    if lacking := missing(PDF):
        unavailable("documents", f"{', '.join(lacking)} not installed: {INSTALL}")
    from tests.documents.scans import scan

    turned_on(known, tmp_path, monkeypatch, f"cat > /dev/null; echo '{STAMP}'")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    known.use(DocumentOptions(ocr="eng"), [str(tmp_path / "searched")])
    data, identity = scan(["nothing"]), (1, 1, 1, 1, 1)
    reader = known.of(PDF, data, identity=identity, pictures=Pictures.RECOGNISED).reader
    known.flush()
    other = DocumentStore(cache_folder())
    other.put_failure(reader, hashlib.sha256(data).hexdigest(), Failure.TIMED_OUT)
    other.close()
    with Extractor() as extractor:
        anew = Extractions(extractor)
        anew.use(DocumentOptions(ocr="eng"), [str(tmp_path / "searched")])
        with pytest.raises(Skipped, match="timed-out"):
            anew.stored(PDF, identity)
        anew.forget_failures(PDF, data)
        assert anew.of(PDF, data, pictures=Pictures.RECOGNISED).extracted.text == STAMP


def test_a_text_becomes_another_between_two_questions(
    mixed: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned_on(extractions(), tmp_path, monkeypatch, f"cat > /dev/null; echo '{STAMP}'")
    folder = tmp_path / "searched"
    folder.mkdir()
    (folder / "bill.pdf").write_bytes(mixed + b"\n% of this test alone")
    (folder / "note.md").write_text("a note\n")
    root = Root(str(folder))
    try:
        cache, other = TextStore(budget=1 << 20), TextStore(budget=1 << 20)
        for each in (cache, other):
            each.fill(root, discover(root, CorpusRules(), names_only=True).paths, {})
            assert each.read_documents("", seconds=math.inf) == 1
            assert (each.unread, each.pictures, each.readable) == (1, 2, False)
            assert not _holds(each, "stamp")
        cache.recognise(seconds=math.inf, only=[(0, "other.pdf")])
        cache.recognise(seconds=math.inf, cancelled=lambda: True)
        assert not _holds(cache, "stamp")
        cache.recognise(seconds=math.inf)
        assert (cache.unread, cache.pictures) == (0, 0)
        assert _holds(cache, "stamp")
        assert _holds(cache, "crane")
        document = Snapshot([root], {}, CorpusRules()).document(0, "bill.pdf")
        assert document.notices == ("the text of pages 2-3 was recognised by OCR and may be wrong",)
        assert cache.still_holds(cache.texts((0, "bill.pdf"))[0].slot, document.text)
        # Who read it before has another text, says so, and has the new one for the next question.
        assert not other.still_holds(other.texts((0, "bill.pdf"))[0].slot, document.text)
        other.refresh([root], discover(root, CorpusRules()).files, {})
        other.read_documents("", seconds=math.inf)
        assert other.still_holds(other.texts((0, "bill.pdf"))[0].slot, document.text)
    finally:
        root.close()
        extractions().use(DocumentOptions(stored=False), [])


def _holds(cache: TextStore, word: str) -> bool:
    return len(scan(cache.chunks(), [(word_literal(word),)], listing=True).slot) > 0
