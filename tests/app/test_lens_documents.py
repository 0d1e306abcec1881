"""Documents in `find` and `ask`: order, time, places, what is said of those that were not read."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.app.question_memory import Memory
from lens_lsp.corpus.corpus_rules import ANYWHERE, CorpusRules
from lens_lsp.corpus.extraction import extractions, reader_of
from lens_lsp.corpus.safe_open import Root
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.documents.kinds import Extracted, kind_named
from lens_lsp.judge.reader.cross_encoder import load
from lens_lsp.judge.reader.reader_oracle import ReaderOracle
from lens_lsp.memory.check import Report, check
from lens_lsp.memory.citations import record
from lens_lsp.memory.sources import Sources
from lens_lsp.memory.store import Store
from lens_lsp.model.answer import Answer, Status, StopReason, answer_of
from lens_lsp.model.cluster import CitationState
from lens_lsp.model.documents import Document, PartReason, SkipReason, link_fragment
from tests.documents.pdf_files import PageMaking, PdfMaking, lines
from tests.documents_made import docx, mail, pdf
from tests.judge.reader.tiny_reader import write_reader
from tests.lens_by_name import by_name
from tests.word_judge import WordJudge

FACT = "The lighthouse of Vell was built in 1874 by Ines Karr."
QUESTION = "When was the lighthouse of Vell built?"


WHOLE = 60.0
"""Seconds in which a busy machine reads all of them."""
TOWERS = [f"Tower {number} stands inland and shows no light at all." for number in range(40)]
"""A page that nothing is asked about, and too long to be shown with the next one."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "towers.pdf").write_bytes(pdf(TOWERS, [FACT, "It is red."]))
    (tmp_path / "minutes.docx").write_bytes(
        docx("Nobody spoke of boats in the long meeting of the board.", "The meeting ended early because of rain.")
    )
    (tmp_path / "note.md").write_text("# Note\n\nBeans and peas grow in the garden.\n")
    for path in tmp_path.iterdir():
        os.utime(path, (1, 1))  # no longer young: kept until it changes
    return tmp_path


def ask(lens: Lens, question: str = QUESTION, **options: Any) -> Answer:
    return asyncio.run(answer_of(by_name(lens, question, **{"oracle": WordJudge(), **options})))


def test_a_passage_of_a_pdf_is_found_with_its_page(folder: Path) -> None:
    found = Lens([folder], first=WHOLE).find(QUESTION)
    best = found.evidence[0]
    assert (best.path, best.locator) == ("towers.pdf", {"page": 2})
    assert FACT in best.quote
    assert best.reader.startswith("pdf/")
    assert (found.coverage.found, found.coverage.scanned, found.coverage.skipped) == (3, 3, ())
    assert "extract" in [stage.name for stage in found.stages]


def test_without_documents_there_is_no_stage_for_them(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text(FACT)
    assert "extract" not in [stage.name for stage in Lens([tmp_path]).find(QUESTION).stages]


def test_a_title_leads_to_a_document_whose_name_says_nothing(tmp_path: Path) -> None:
    for number in range(30):
        said = "Beans and peas" if number != 17 else "The lighthouse of Vell"
        page = lines([FACT if number == 17 else "Nothing but vegetables."], 60, 100)
        making = PdfMaking([PageMaking(page)], info={"Title": said})
        (tmp_path / f"scan{number:04}.pdf").write_bytes(making.written())
    lens = Lens([tmp_path], first=WHOLE)
    found = lens.find(QUESTION, cancelled=lambda: 0 < lens.unread < 30)
    assert (found.coverage.scanned, len(found.coverage.skipped)) == (1, 29)
    assert "scan0017.pdf" not in {skip.path for skip in found.coverage.skipped}


def test_what_was_not_read_in_time_is_named_and_told_of_once(folder: Path) -> None:
    found = Lens([folder], first=0).find("beans")
    assert [(skip.path, skip.reason) for skip in found.coverage.skipped] == [
        ("minutes.docx", SkipReason.NOT_READ),
        ("towers.pdf", SkipReason.NOT_READ),
    ]
    told = "2 documents were not read within the time: `lens read` reads them all; or name them as paths"
    assert found.warnings == (told,)
    assert (found.coverage.unread, found.coverage.documents) == (2, 2)
    assert found.coverage.unread_told == "Not read yet: 2 of 2 documents."


def test_a_document_that_is_named_as_a_path_is_always_read(folder: Path) -> None:
    found = Lens([folder / "towers.pdf"], first=0).find(QUESTION)
    assert found.evidence[0].locator == {"page": 2}


def test_what_was_left_is_read_between_two_questions(folder: Path) -> None:
    lens = Lens([folder], first=0)
    lens.find(QUESTION)
    assert lens.unread == 2
    lens.read_on(lambda: True)
    assert lens.unread == 2
    lens.read_on(lambda: False)
    assert lens.unread == 0
    assert lens.find(QUESTION).evidence[0].path == "towers.pdf"


def test_a_question_reads_on_until_it_is_answered(folder: Path) -> None:
    answer = ask(Lens([folder], first=0))
    assert (answer.status, answer.short) == (Status.ANSWERED, "1874")
    assert any(FACT in item.quote and item.locator == {"page": 2} for item in answer.evidence)


def test_a_question_reads_on_beside_texts_that_say_nothing(folder: Path) -> None:
    _beside(folder)
    answer = ask(Lens([folder], first=0))
    assert (answer.status, answer.short) == (Status.ANSWERED, "1874")


def _beside(folder: Path) -> None:
    """Texts that hold words of the question and do not answer it."""
    for number in range(12):
        line = f"Ships of harbour {number} carry salt, wool and timber to the lighthouse. "
        (folder / f"{number:02}.md").write_text(f"# Harbour {number}\n\n{line * 60}\n", "utf-8")


@pytest.fixture
def reader(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], ReaderOracle]:
    """A reader for which what holds a word is a proof."""
    pytest.importorskip("onnxruntime", reason="onnxruntime has no package for this machine")
    return lambda word: ReaderOracle(load(write_reader(tmp_path_factory.mktemp("reader") / "tiny", marks=(word,))))


def test_a_reader_waits_for_documents_that_may_hold_the_proof(
    folder: Path, reader: Callable[[str], ReaderOracle]
) -> None:
    _beside(folder)
    answer = ask(Lens([folder], first=0), oracle=reader("1874"))
    assert (answer.status, answer.short) == (Status.ANSWERED, "1874")
    assert [(item.path, item.locator) for item in answer.evidence] == [("towers.pdf", {"page": 2})]


def test_a_reader_with_a_proof_waits_for_no_document(folder: Path, reader: Callable[[str], ReaderOracle]) -> None:
    (folder / "vell.md").write_text(f"# Vell\n\n{FACT}\n")
    answer = ask(Lens([folder], first=0), oracle=reader("1874"))
    assert (answer.status, answer.short, answer.coverage.unread) == (Status.ANSWERED, "1874", 2)
    assert [item.path for item in answer.evidence] == ["vell.md"]


def test_a_reader_says_that_nothing_states_it_after_all_documents_were_read(
    folder: Path, reader: Callable[[str], ReaderOracle]
) -> None:
    _beside(folder)
    answer = ask(Lens([folder], first=0), oracle=reader("lantern"))
    assert (answer.status is Status.ANSWERED, answer.coverage.unread) == (False, 0)


def test_what_no_document_says_is_missing_after_all_were_read(folder: Path) -> None:
    answer = ask(Lens([folder], first=0), "Who painted the ferry of Vell?")
    assert answer.status is not Status.ANSWERED
    assert answer.coverage.skipped == ()


def test_a_count_is_made_over_all_documents(folder: Path) -> None:
    (folder / "more.pdf").write_bytes(pdf(["The lighthouse of Aran."], ["No lighthouse here."]))
    answer = ask(Lens([folder], first=0), 'How many files contain "lighthouse"?')
    assert (answer.short, answer.coverage.skipped) == ("2", ())


SMALL = 1
"""Bytes of memory in which the text of no document has room, so that all wait."""


@pytest.mark.parametrize(
    "question",
    [
        'How many files contain "lighthouse"?',
        'List all lines that contain "lighthouse"',
        "When was the lighthouse built?",
    ],
)
def test_no_count_and_no_list_is_answered_before_all_was_read(folder: Path, question: str) -> None:
    (folder / "note.md").write_text("# Note\n\nA lighthouse was built in a garden in 1874.\n")
    answer = ask(Lens([folder], first=0, memory=SMALL), question)
    assert (answer.coverage.unread, answer.coverage.documents) == (2, 2)
    assert answer.text.startswith("Not read yet: 2 of 2 documents.\n\n")
    assert answer.status is (Status.ANSWERED if "When" in question else Status.PARTIAL)
    assert answer.kept_as is Status.PARTIAL, "nobody should have these words repeated"
    lens = Lens([folder], first=WHOLE)
    whole = ask(lens, question)
    assert (whole.status, whole.coverage.unread, whole.coverage.documents) == (Status.ANSWERED, 0, 2)
    assert "Not read yet" not in whole.text
    assert whole.text == ask(lens, question).text == ask(lens, question).text


def test_the_pages_of_a_long_document_that_are_left_are_told_and_read_between_questions(tmp_path: Path) -> None:
    """250 pages of which a question has 100 read, and one after a pause all."""
    pages = [[f"Log of day {number}."] for number in range(1, 250)]
    (tmp_path / "log.pdf").write_bytes(pdf(*pages, [FACT]))
    os.utime(tmp_path / "log.pdf", (1, 1))
    lens = Lens([tmp_path], first=WHOLE)
    found = lens.find("log of day 90", cancelled=lambda: known_of(tmp_path / "log.pdf") is not None)
    assert (found.coverage.unread, found.coverage.scanned) == (1, 1)
    assert [(part.path, part.reason) for part in found.coverage.partial] == [("log.pdf", PartReason.NOT_READ)]
    assert found.coverage.skipped == ()
    lens.read_on(lambda: False)
    found = lens.find(QUESTION)
    assert found.evidence[0].locator == {"page": 250}
    assert (found.coverage.unread, found.coverage.partial) == (0, ())


def known_of(path: Path) -> Extracted | None:
    """What this process knows of a PDF."""
    known = extractions()
    return known._known.get((reader_of(kind_named("pdf")), hashlib.sha256(path.read_bytes()).hexdigest()))


def test_a_document_that_was_there_and_not_read_is_not_newer(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (folder / "note.md").write_text(f"# Note\n\n{FACT}\n")
    (folder / "harbour.md").write_text("# Harbour\n\nBoats.\n")
    with Store.open(tmp_path_factory.mktemp("store")) as store:
        memory = Memory(store, str(folder))
        first = ask(Lens([folder], first=0, memory=SMALL), memory=memory)
        assert (first.status, first.coverage.unread) == (Status.ANSWERED, 2)
        lens = Lens([folder], first=WHOLE)
        again = ask(lens, memory=memory)
        assert (again.reused != (), again.newer) == (True, ())
        (folder / "later.pdf").write_bytes(pdf(["The lighthouse of Vell was built in 1875."]))
        last = ask(lens, memory=memory)
        assert last.newer in ((), ("later.pdf",))


def test_a_summary_reads_the_document_that_it_is_about(folder: Path) -> None:
    answer = ask(Lens([folder], first=0), "Summarize minutes.docx")
    assert {item.path for item in answer.evidence} == {"minutes.docx"}


def test_a_cancel_while_documents_are_read_ends_the_question(folder: Path) -> None:
    stop = threading.Event()

    class Stopping:
        def progress(self, stage: str, done: int, total: int | None) -> None:
            if stage == "extract":
                stop.set()

        def evidence(self, item: object) -> None: ...

    answer = ask(Lens([folder], first=60.0), observer=Stopping(), cancelled=stop.is_set)
    assert answer.stopped is StopReason.CANCELLED
    assert {skip.reason for skip in answer.coverage.skipped} == {SkipReason.NOT_READ}


def test_documents_that_have_no_text_are_named_with_the_reason(folder: Path) -> None:
    (folder / "scan.pdf").write_bytes(pdf([]))
    (folder / "torn.docx").write_bytes(b"PK\x03\x04")
    skipped = Lens([folder], first=WHOLE).find("beans").coverage.skipped
    assert {skip.path: skip.reason for skip in skipped} == {
        "scan.pdf": SkipReason.NO_TEXT,
        "torn.docx": SkipReason.BROKEN,
    }


class Citing:
    """An answer file that cites the fact in the PDF."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        [item] = [item for item in Lens([folder], first=WHOLE).find(QUESTION).evidence if FACT in item.quote]
        with Sources(ANYWHERE) as sources:
            self.citation = sources.record(item, str(folder))

    def checked(self) -> tuple[CitationState, str, dict[str, int | str] | None]:
        with Sources(ANYWHERE) as sources:
            checked, _ = sources.check(self.citation, str(self.folder))
        return checked.state, checked.why, None if checked.locator is None else dict(checked.locator)


def test_a_citation_of_a_pdf_holds_while_the_file_is_as_it_was(folder: Path) -> None:
    assert Citing(folder).checked() == (CitationState.VERIFIED, "", {"page": 2})


def test_a_quote_that_went_to_another_page_has_moved_there(folder: Path) -> None:
    citing = Citing(folder)
    (folder / "towers.pdf").write_bytes(pdf(TOWERS, TOWERS, [FACT, "It is red."]))
    state, _, locator = citing.checked()
    assert (state, locator) == (CitationState.MOVED, {"page": 3})


def test_a_quote_that_is_gone_is_withdrawn(folder: Path) -> None:
    citing = Citing(folder)
    (folder / "towers.pdf").write_bytes(pdf(["A list of towers."]))
    assert citing.checked()[0] is CitationState.WITHDRAWN


def test_a_document_that_cannot_be_read_any_more_withdraws_and_says_why(folder: Path) -> None:
    citing = Citing(folder)
    (folder / "towers.pdf").write_bytes(b"%PDF-1.4 torn")
    assert citing.checked()[:2] == (CitationState.WITHDRAWN, "the file cannot be read (broken)")


def test_another_version_of_the_reader_makes_a_citation_unverifiable(folder: Path) -> None:
    citing = Citing(folder)
    old = record(
        _document(folder, reader="pdf/1+pypdfium2.0"), citing.citation.span, root=str(folder), locator={"page": 2}
    )
    with Sources(ANYWHERE) as sources:
        checked, _ = sources.check(old, str(folder))
    assert checked.state is CitationState.UNVERIFIABLE


def test_a_renamed_document_is_found_by_its_bytes(folder: Path) -> None:
    citing = Citing(folder)
    os.rename(folder / "towers.pdf", folder / "lights.pdf")
    with Sources(ANYWHERE) as sources:
        checked, _ = sources.check(citing.citation, str(folder))
    assert (checked.state, checked.path) == (CitationState.MOVED, "lights.pdf")


def test_the_link_of_a_footnote_leads_to_the_page(folder: Path) -> None:
    assert link_fragment(Citing(folder).citation.locator, 3) == "page=2"


def test_a_mail_is_found_with_its_date(tmp_path: Path) -> None:
    (tmp_path / "boats.eml").write_bytes(mail("Boats", "Fri, 01 Mar 2024 10:00:00 +0000", "The boats come at noon."))
    best = Lens([tmp_path], first=WHOLE).find("when do the boats come?").evidence[0]
    assert best.locator == {"message": 1, "date": "2024-03-01"}


def test_nothing_under_a_folder_of_documents_is_checked_as_an_answer(folder: Path) -> None:
    report = Report()
    check([folder], report)
    assert (report.findings, report.unreadable) == ([], [])


def _document(folder: Path, *, reader: str) -> Document:
    with Root(str(folder)) as root:
        return replace(Snapshot([root], {}, CorpusRules()).document(0, "towers.pdf"), reader=reader)
