"""Documents in the cache, read by the real worker."""

from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from lens_lsp.corpus.corpus_rules import CorpusRules
from lens_lsp.corpus.intake import Buffer
from lens_lsp.corpus.safe_open import Key, Root, Skipped
from lens_lsp.corpus.scan import scan, word_literal
from lens_lsp.corpus.text_store import TextStore
from lens_lsp.corpus.walk import discover, discover_names
from lens_lsp.corpus.workspace import Snapshot
from lens_lsp.model.documents import SkipReason
from tests.documents_made import docx, mail, pdf

CRANE = "The harbour crane lifts forty tonnes."


class Held:
    """A folder in a cache."""

    def __init__(self, folder: Path, budget: int = 1 << 20) -> None:
        self.root = Root(str(folder))
        self.cache = TextStore(budget=budget)
        self.cache.fill(self.root, discover_names(self.root, CorpusRules()).paths, {})

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
    one = held(long_pdf=pdf(*([f"Page {number} of a patient reader."] for number in range(3000))), note_md=b"x\n")
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
    assert document.reader.startswith("pdf/1+")
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
