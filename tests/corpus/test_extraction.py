"""What is known of documents by their content, from one start to the next, and which of them are read first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from lens_lsp.corpus.extraction import (
    DocumentOptions,
    DocumentQueue,
    Extractions,
    cache_folder,
    extractions,
    lies_outside,
    notices,
)
from lens_lsp.corpus.safe_open import Identity, Skipped
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import INSTALL, kind_named, missing
from lens_lsp.model.documents import Skip, SkipReason
from tests.availability import unavailable
from tests.documents_made import pdf

posix = pytest.mark.skipif(os.name != "posix", reason="needs links")


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

    def read(self, extractor: Extractor, data: bytes, *, stored: bool = True, roots: tuple[str, ...] = ()) -> str:
        anew = Extractions(extractor)
        anew.use(DocumentOptions(stored=stored), roots)
        self.told = anew.notices
        return anew.of(kind_named("pdf"), data).extracted.text

    def test_a_second_start_reads_no_document(self, extractor: Extractor) -> None:
        first = self.read(extractor, pdf(["Forty tonnes."]))
        assert "documents.store" in self.told()[0]
        extractor.close()
        assert self.read(extractor, pdf(["Forty tonnes."])) == first
        assert self.told() == []

    def test_a_changed_document_is_read_anew(self, extractor: Extractor) -> None:
        self.read(extractor, pdf(["Forty tonnes."]))
        assert "Fifty tonnes." in self.read(extractor, pdf(["Fifty tonnes."]))

    def test_one_setting_turns_it_off(self, extractor: Extractor) -> None:
        self.read(extractor, pdf(["Forty tonnes."]), stored=False)
        assert not cache_folder().exists()

    def test_nothing_is_kept_below_a_folder_that_is_searched(self, extractor: Extractor) -> None:
        self.read(extractor, pdf(["Forty tonnes."]), roots=(str(cache_folder().parents[1]),))
        assert not cache_folder().exists()
        assert "is searched" in self.told()[0]

    def test_what_is_private_is_not_kept(self, extractor: Extractor) -> None:
        self.read(extractor, pdf(["lens: private"], ["Forty tonnes."]))
        assert not cache_folder().exists()

    def test_a_failure_is_kept_until_it_is_to_be_forgotten(self, extractor: Extractor) -> None:
        for _ in range(2):
            with pytest.raises(Skipped, match="broken"):
                self.read(extractor, b"%PDF-1.4 torn")
            extractor.close()
        anew = Extractions(extractor)
        anew.use(DocumentOptions(), ())
        anew.forget_failures(kind_named("pdf"), b"%PDF-1.4 torn")
        with pytest.raises(Skipped, match="not-read"):
            anew.of(kind_named("pdf"), b"%PDF-1.4 torn")

    def test_a_long_document_is_read_part_by_part_and_goes_on_from_there(self, extractor: Extractor) -> None:
        """250 pages: a text of 100, then, in another process' place, of 200 and of all, each the beginning of the next
        and the last the same as of one that was never broken off."""
        data = pdf(*([f"Page {number} of the log."] for number in range(1, 251)))
        texts = []
        for parts in range(3):
            anew = Extractions(extractor)
            anew.use(DocumentOptions(), ())
            allowed = iter([True] * (parts > 0) + [False])
            read = anew.of(kind_named("pdf"), data, further=lambda allowed=allowed: next(allowed)).extracted  # type: ignore[misc]
            texts.append(read)
        assert [(one.read, one.left) for one in texts] == [(100, 150), (200, 50), (250, 0)]
        assert all(later.text.startswith(one.text) for one, later in pairwise(texts))
        last = texts[-1]
        assert last.locators.locators[-1] == {"page": 250}
        assert "Page 250 of the log." in last.text[last.locators.starts[-1] :]
        alone = Extractions(extractor).of(kind_named("pdf"), data).extracted
        assert (alone.text, alone.locators, alone.structure) == (last.text, last.locators, last.structure)


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


@pytest.fixture(autouse=True)
def nothing_left_to_say() -> None:
    """Other tests of this process may have left something to say of the store."""
    extractions().notices()


def test_a_missing_extra_is_one_notice_that_names_the_command() -> None:
    skips = [Skip(f"{n}.pdf", SkipReason.NO_READER) for n in range(3)] + [Skip("a.png", SkipReason.UNSUPPORTED)]
    assert notices(skips) == ["3 documents were not read: pip install 'lens-lsp[documents]'"]


def test_documents_without_their_turn_are_counted() -> None:
    assert notices([Skip("a.pdf", SkipReason.NOT_READ)]) == [
        "1 document was not read within the time: `lens read` reads it; or name it as a path"
    ]
    old = [Skip(path, SkipReason.UNSUPPORTED) for path in ("a.doc", "b.DOC", "c.ppt", "d.zip")]
    assert notices(old) == [
        "2 .doc files were not read: save them as .docx (`soffice --convert-to docx FILE`)",
        "1 .ppt file was not read: save it as .pptx (`soffice --convert-to pptx FILE`)",
    ]
    whole = Skip("years.mbox", SkipReason.TOO_LARGE, size=1 << 30)
    most = "(more than 64 MiB, or more text than one may have)"
    named = "years.mbox (mbox, 1,024.0 MiB); split it, a mailbox by its folders or years"
    told = [f"1 document was not read {most}: {named}"]
    assert notices([whole, Skip("log.txt", SkipReason.TOO_LARGE)]) == told
    several = [Skip(f"{n}.docx", SkipReason.TOO_LARGE, size=n << 19) for n in range(1, 6)]
    (said,) = notices([*several, whole])
    assert said.startswith("6 documents were not read (")
    assert "): 1.docx (docx, 0.5 MiB), 2.docx (docx, 1.0 MiB), 3.docx (docx, 1.5 MiB) and 3 more; split each," in said
    assert notices([]) == []
