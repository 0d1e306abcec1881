"""Texts of documents on disk: of the same content and reader or none, whole or none, private, bounded, removed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from lens_lsp.corpus.extraction import (
    DocumentOptions,
    DocumentQueue,
    ExtractionCache,
    Extractions,
    cache_folder,
    kept_files,
    lies_outside,
    notices,
    remove_all,
)
from lens_lsp.corpus.safe_open import Identity
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import INSTALL, Extracted, kind_named, missing
from lens_lsp.model.documents import Block, BlockKind, Head, Heading, LocatorMap, Skip, SkipReason, Structure
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
def kept(tmp_path: Path) -> ExtractionCache:
    return ExtractionCache(tmp_path / "cache" / "extractions")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "extractions"


def only(folder: Path) -> Path:
    (entry,) = kept_files(folder)
    return Path(entry.path)


def test_what_was_kept_comes_back_as_it_was(kept: ExtractionCache, folder: Path) -> None:
    assert kept.get(READER, CONTENT) is None
    kept.put(READER, CONTENT, TEXT)
    assert kept.get(READER, CONTENT) == TEXT
    assert ExtractionCache(folder).get(READER, CONTENT) == TEXT


@pytest.mark.parametrize(("reader", "content"), [(READER, "cd" * 32), ("pdf/2+pypdfium2.5.0", CONTENT)])
def test_another_content_or_reader_finds_nothing(kept: ExtractionCache, reader: str, content: str) -> None:
    kept.put(READER, CONTENT, TEXT)
    assert kept.get(reader, content) is None


def test_a_file_under_the_name_of_another_is_removed_and_not_served(kept: ExtractionCache, folder: Path) -> None:
    kept.put(READER, CONTENT, TEXT)
    first = only(folder)
    kept.put("pdf/2+pypdfium2.5.0", CONTENT, TEXT)
    (second,) = [Path(entry.path) for entry in kept_files(folder) if Path(entry.path) != first]
    first.replace(second)
    assert kept.get("pdf/2+pypdfium2.5.0", CONTENT) is None
    assert not second.exists()


@pytest.mark.parametrize("at", [0, 20, 60, -1])
def test_a_damaged_file_is_removed_and_not_served(kept: ExtractionCache, folder: Path, at: int) -> None:
    kept.put(READER, CONTENT, TEXT)
    path = only(folder)
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))
    assert kept.get(READER, CONTENT) is None
    assert not path.exists()


@pytest.mark.parametrize("length", [0, 10, 100])
def test_half_a_file_is_removed_and_not_served(kept: ExtractionCache, folder: Path, length: int) -> None:
    kept.put(READER, CONTENT, TEXT)
    path = only(folder)
    path.write_bytes(path.read_bytes()[:length])
    assert kept.get(READER, CONTENT) is None
    assert not path.exists()


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    folder = tmp_path / "extractions"
    of = [f"{number:064x}" for number in range(12)]
    texts = [Extracted(os.urandom(5000).hex()) for _ in of]
    bounded = ExtractionCache(folder, most=40_000)
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
def test_only_the_user_can_read_it(kept: ExtractionCache, folder: Path) -> None:
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
def test_no_link_is_followed(kept: ExtractionCache, folder: Path, tmp_path: Path) -> None:
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
    kept = ExtractionCache(tmp_path / "cache" / "extractions")
    kept.put(READER, CONTENT, TEXT)
    assert kept.get(READER, CONTENT) is None


def test_all_of_ours_is_removed_and_nothing_else(kept: ExtractionCache, folder: Path) -> None:
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


def known(*documents: tuple[str, int, int]) -> DocumentQueue:
    """Documents by path, size and time of change."""
    unread = DocumentQueue()
    for path, size, changed in documents:
        unread.add((0, path), identity(size, changed))
    return unread


def identity(size: int, changed: int) -> Identity:
    return size, changed, changed, 1, 1


def order(unread: DocumentQueue, question: str) -> list[str]:
    return [path for _, path in unread.order(question)]


def waiting(unread: DocumentQueue, question: str) -> list[str]:
    return [path for _, keys in unread.to_glance(question) for _, path in keys]


def test_a_document_called_like_the_question_comes_first() -> None:
    unread = known(("a/minutes.pdf", 1, 9), ("a/Harbour_Cranes.pdf", 900, 1), ("a/garden.docx", 1, 8))
    assert order(unread, "how much does a harbour crane lift?")[0] == "a/Harbour_Cranes.pdf"


def test_a_rare_word_of_a_name_tells_more_than_one_that_all_have() -> None:
    unread = known(*((f"report {n}.pdf", 1, 5) for n in range(9)), ("budget.pdf", 1, 1))
    assert order(unread, "report on the budget")[0] == "budget.pdf"


def test_a_folder_counts_less_than_the_name_and_more_than_nothing() -> None:
    unread = known(("x/tax.pdf", 1, 1), ("tax/x.pdf", 1, 1), ("y/y.pdf", 1, 1))
    assert order(unread, "tax") == ["x/tax.pdf", "tax/x.pdf", "y/y.pdf"]


def test_of_equal_names_the_latest_comes_first_then_the_smallest() -> None:
    unread = known(("a tax.pdf", 9, 1), ("b tax.pdf", 1, 1), ("c tax.pdf", 9, 2))
    assert order(unread, "tax") == ["c tax.pdf", "b tax.pdf", "a tax.pdf"]


def test_where_no_name_tells_the_smallest_comes_first_then_the_latest() -> None:
    unread = known(("a.pdf", 9, 1), ("b.pdf", 1, 1), ("c.pdf", 9, 2))
    assert order(unread, "anything") == ["b.pdf", "c.pdf", "a.pdf"]


def test_what_a_document_says_of_itself_counts_between_its_name_and_its_folders() -> None:
    unread = known(("x/tax.pdf", 1, 1), ("tax/x.pdf", 1, 1), ("scan0004.pdf", 1, 1), ("y.pdf", 1, 1))
    unread.glanced((0, "scan0004.pdf"), "The tax of the year")
    assert order(unread, "tax") == ["x/tax.pdf", "scan0004.pdf", "tax/x.pdf", "y.pdf"]


def test_a_word_counts_once_wherever_it_stands() -> None:
    unread = known(("tax/tax.pdf", 1, 2), ("more/tax.pdf", 1, 3))
    unread.glanced((0, "tax/tax.pdf"), "tax, tax and tax")
    assert order(unread, "tax") == ["more/tax.pdf", "tax/tax.pdf"]


def test_each_document_is_glanced_at_once_until_it_changes() -> None:
    unread = known(("a.pdf", 5, 1), ("b.pdf", 2, 1))
    assert waiting(unread, "harbour") == ["b.pdf", "a.pdf"]
    unread.glanced((0, "b.pdf"), "")
    assert waiting(unread, "harbour") == ["a.pdf"]
    unread.add((0, "b.pdf"), identity(3, 2))
    assert waiting(unread, "harbour") == ["b.pdf", "a.pdf"]


def test_nothing_is_glanced_at_when_a_name_holds_the_whole_question() -> None:
    unread = known(("harbour cranes.pdf", 1, 1), ("other.pdf", 1, 1))
    assert waiting(unread, "the cranes of the harbour") == []
    assert len(waiting(unread, "the cranes of the harbour of Vell")) == 2


def test_only_what_takes_long_to_read_and_not_to_open_is_glanced_at() -> None:
    unread = known(("a.docx", 1, 1), ("b.eml", 1, 1), ("large.pdf", 1 << 30, 1))
    assert waiting(unread, "harbour") == []


def test_few_enough_are_glanced_at_at_once() -> None:
    many = known(*((f"{number:03}.pdf", 1, 1) for number in range(150)))
    assert [len(keys) for _, keys in many.to_glance("harbour")] == [64, 64, 22]
    large = known(*((f"{number}.pdf", 3 << 20, 1) for number in range(3)))
    assert [len(keys) for _, keys in large.to_glance("harbour")] == [2, 1]


def test_names_in_scripts_without_spaces_are_told_apart() -> None:
    unread = known(("東京都報告.pdf", 1, 1), ("京都案内.pdf", 1, 1))
    assert order(unread, "京都の案内")[0] == "京都案内.pdf"


def test_a_document_that_a_text_names_as_a_whole_is_called_so() -> None:
    unread = known(("in/annual report.pdf", 1, 1), ("annual.pdf", 1, 1), ("other.pdf", 1, 1))
    assert unread.called("summarise annual report.pdf") == [(0, "annual.pdf"), (0, "in/annual report.pdf")]


def test_what_was_read_or_is_gone_waits_no_longer() -> None:
    unread = known(("a.pdf", 1, 1))
    unread.discard((0, "a.pdf"))
    unread.discard((0, "never.pdf"))
    assert len(unread) == 0


def test_a_missing_extra_is_one_notice_that_names_the_command() -> None:
    skips = [Skip(f"{n}.pdf", SkipReason.NO_READER) for n in range(3)] + [Skip("a.png", SkipReason.UNSUPPORTED)]
    assert notices(skips) == ["3 documents were not read: pip install 'lens-lsp[documents]'"]


def test_documents_without_their_turn_are_counted() -> None:
    assert notices([Skip("a.pdf", SkipReason.NOT_READ)]) == [
        "1 document was not read within the time: ask again, or name it as a path"
    ]
    old = [Skip(path, SkipReason.UNSUPPORTED) for path in ("a.doc", "b.DOC", "c.msg", "d.zip")]
    assert notices(old) == [
        "2 .doc files were not read: save them as .docx",
        "1 .msg file was not read: save it as .eml",
    ]
    assert notices([]) == []
