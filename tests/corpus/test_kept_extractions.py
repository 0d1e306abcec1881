"""Texts of documents on disk: of the same content and reader or none, whole or none, private, bounded, removed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from lens_lsp.corpus.extraction import (
    DocumentOptions,
    Extractions,
    KeptExtractions,
    cache_folder,
    kept_files,
    lies_outside,
    remove_all,
)
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import INSTALL, Extracted, kind_named, missing
from lens_lsp.model.documents import Block, BlockKind, Head, Heading, LocatorMap, Structure
from lens_lsp.model.text import Span
from tests.availability import unavailable
from tests.documents_made import pdf

posix = pytest.mark.skipif(os.name != "posix", reason="needs modes and links")
READER, CONTENT = "pdf/1+pypdfium2.5.0", "ab" * 32
TEXT = Extracted(
    "Harbour\n\nThe cräne lifts forty tonnes. 🏗",
    LocatorMap((0, 9), ({"page": 1}, {"page": 2})),
    Structure(
        head=Head(title="Harbour", tags=("crane",)),
        headings=(Heading(Span(0, 7), 1, "Harbour"),),
        blocks=(Block(BlockKind.PARAGRAPH, Span(9, 38)),),
    ),
    ("some of it is hidden",),
    pages=(3,),
    pictures=1,
)


@pytest.fixture
def kept(tmp_path: Path) -> KeptExtractions:
    return KeptExtractions(tmp_path / "cache" / "extractions")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "extractions"


def only(folder: Path) -> Path:
    (entry,) = kept_files(folder)
    return Path(entry.path)


def test_what_was_kept_comes_back_as_it_was(kept: KeptExtractions, folder: Path) -> None:
    assert kept.get(READER, CONTENT) is None
    kept.put(READER, CONTENT, TEXT)
    assert kept.get(READER, CONTENT) == TEXT
    assert KeptExtractions(folder).get(READER, CONTENT) == TEXT


@pytest.mark.parametrize(("reader", "content"), [(READER, "cd" * 32), ("pdf/2+pypdfium2.5.0", CONTENT)])
def test_another_content_or_reader_finds_nothing(kept: KeptExtractions, reader: str, content: str) -> None:
    kept.put(READER, CONTENT, TEXT)
    assert kept.get(reader, content) is None


def test_a_file_under_the_name_of_another_is_removed_and_not_served(kept: KeptExtractions, folder: Path) -> None:
    kept.put(READER, CONTENT, TEXT)
    first = only(folder)
    kept.put("pdf/2+pypdfium2.5.0", CONTENT, TEXT)
    (second,) = [Path(entry.path) for entry in kept_files(folder) if Path(entry.path) != first]
    first.replace(second)
    assert kept.get("pdf/2+pypdfium2.5.0", CONTENT) is None
    assert not second.exists()


@pytest.mark.parametrize("at", [0, 20, 60, -1])
def test_a_damaged_file_is_removed_and_not_served(kept: KeptExtractions, folder: Path, at: int) -> None:
    kept.put(READER, CONTENT, TEXT)
    path = only(folder)
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))
    assert kept.get(READER, CONTENT) is None
    assert not path.exists()


@pytest.mark.parametrize("length", [0, 10, 100])
def test_half_a_file_is_removed_and_not_served(kept: KeptExtractions, folder: Path, length: int) -> None:
    kept.put(READER, CONTENT, TEXT)
    path = only(folder)
    path.write_bytes(path.read_bytes()[:length])
    assert kept.get(READER, CONTENT) is None
    assert not path.exists()


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    folder = tmp_path / "extractions"
    of = [f"{number:064x}" for number in range(12)]
    texts = [Extracted(os.urandom(5000).hex()) for _ in of]
    bounded = KeptExtractions(folder, most=40_000)
    for age, (content, text) in enumerate(zip(of, texts, strict=True)):
        bounded.put(READER, content, text)
        if bounded.get(READER, of[0]) is not None:
            for entry in kept_files(folder):
                os.utime(entry.path, (age, age))
            bounded.get(READER, of[0])  # used just now
    assert sum(entry.stat().st_size for entry in kept_files(folder)) <= 40_000
    assert bounded.get(READER, of[0]) == texts[0]
    assert bounded.get(READER, of[-1]) == texts[-1]
    assert sum(bounded.get(READER, content) is not None for content in of) < 8


@posix
def test_only_the_user_can_read_it(kept: KeptExtractions, folder: Path) -> None:
    before = os.umask(0)
    try:
        kept.put(READER, CONTENT, TEXT)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder, only(folder))] == [
        0o700,
        0o700,
        0o600,
    ]


@posix
def test_no_link_is_followed(kept: KeptExtractions, folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.parent.mkdir()
    folder.symlink_to(elsewhere)
    kept.put(READER, CONTENT, TEXT)
    assert list(elsewhere.iterdir()) == []
    with pytest.raises(PermissionError):
        remove_all(folder)


def test_a_folder_that_cannot_be_made_costs_no_text(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    kept = KeptExtractions(tmp_path / "cache" / "extractions")
    kept.put(READER, CONTENT, TEXT)
    assert kept.get(READER, CONTENT) is None


def test_all_of_ours_is_removed_and_nothing_else(kept: KeptExtractions, folder: Path) -> None:
    kept.put(READER, CONTENT, TEXT)
    (folder / ".half.part").write_bytes(b"x")
    (folder / "mine.txt").write_text("mine")
    assert remove_all(folder) == 2
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert remove_all(folder) == 0


@posix
def test_a_folder_below_a_root_is_told_wherever_links_lead(tmp_path: Path) -> None:
    (tmp_path / "notes" / "cache").mkdir(parents=True)
    (tmp_path / "way").symlink_to(tmp_path / "notes")
    assert not lies_outside(tmp_path / "way" / "cache", [str(tmp_path / "notes")])
    assert not lies_outside(tmp_path / "notes" / "cache", [str(tmp_path / "way")])
    assert lies_outside(tmp_path / "notes2", [str(tmp_path / "notes")])


class TestInUse:
    """What `Extractions` makes of it. A process that only remembers starts no worker."""

    @pytest.fixture
    def extractor(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Extractor]:
        if lacking := missing(kind_named("pdf")):
            unavailable("documents", f"{', '.join(lacking)} not installed: {INSTALL}")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        with Extractor() as made:
            yield made

    def read(self, extractor: Extractor, data: bytes, *, cached: bool = True, roots: tuple[str, ...] = ()) -> str:
        anew = Extractions(extractor)
        anew.use(DocumentOptions(cached=cached), roots)
        return anew.of(kind_named("pdf"), data).extracted.text

    def test_a_second_start_reads_no_document(self, extractor: Extractor) -> None:
        first = self.read(extractor, pdf(["Forty tonnes."]))
        extractor.close()
        assert self.read(extractor, pdf(["Forty tonnes."])) == first

    def test_a_changed_document_is_read_anew(self, extractor: Extractor) -> None:
        self.read(extractor, pdf(["Forty tonnes."]))
        assert "Fifty tonnes." in self.read(extractor, pdf(["Fifty tonnes."]))

    def test_it_is_off_unless_it_was_asked_for(self, extractor: Extractor) -> None:
        self.read(extractor, pdf(["Forty tonnes."]), cached=False)
        assert not cache_folder().exists()

    def test_nothing_is_kept_below_a_folder_that_is_searched(self, extractor: Extractor) -> None:
        self.read(extractor, pdf(["Forty tonnes."]), roots=(str(cache_folder().parents[1]),))
        assert not cache_folder().exists()
