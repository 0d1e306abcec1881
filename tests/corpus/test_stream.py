"""Texts that are not kept in memory are found as those that are."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.encoding import LARGE
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Key, Root
from lens_lsp.corpus.scan import Hits, exact_literal, scan, word_literal
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover

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


class Folder:
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
    folder = Folder(files, sizes - 60)
    folder.refresh()
    assert list(folder.cache.passing())
    assert not folder.cache.passing_by


@pytest.mark.parametrize("budget", [0, 60, 200])
def test_a_scan_finds_the_same_with_little_memory_as_with_much(files: Path, budget: int) -> None:
    whole, little = Folder(files, 1 << 30), Folder(files, budget)
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
    whole, little = Folder(files, 1 << 30), Folder(files, 0)
    for folder in (whole, little):
        folder.refresh(buffers)
    assert little.found() == whole.found()
    assert [(term, at) for path, term, at in little.found() if path == "a.md"] == [(0, 27), (2, 8)]


def test_a_file_that_went_or_changed_since_is_scanned_as_it_is(files: Path) -> None:
    folder = Folder(files, 0)
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
    whole, little = Folder(files, 1 << 30), Folder(files, 0)
    for folder in (whole, little):
        folder.refresh()
    assert little.found() == whole.found()
    assert [term for path, term, *_ in little.found() if path == "b/log.txt"] == [0, 2]


def test_texts_come_some_at_a_time_and_in_order(tmp_path: Path) -> None:
    for number in range(3_000):
        (tmp_path / f"{number:04}.md").write_bytes(b"A harbour. " * (1 + number % 60))
    folder = Folder(tmp_path, 0)
    folder.refresh()
    chunks = list(folder.cache.passing())
    assert [folder.path(slot) for chunk in chunks for slot in chunk.slots.tolist()] == sorted(os.listdir(tmp_path))
    assert 2 <= len(chunks) <= 8
    assert all(len(chunk.data) < 1 << 20 for chunk in chunks)


def test_some_texts_are_put_together_whether_they_are_in_memory_or_not(files: Path) -> None:
    whole, little = Folder(files, 1 << 30), Folder(files, 0)
    for folder in (whole, little):
        folder.refresh()
    slots = np.flatnonzero(whole.cache.arena.lengths())
    assert whole.cache.together(slots).data.tobytes() == little.cache.together(slots).data.tobytes()
