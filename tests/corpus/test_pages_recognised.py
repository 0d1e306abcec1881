"""Pages that are pictures beside others with text: named while nobody reads them, recognised when somebody waits."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lens_lsp.corpus.cache import TextCache
from lens_lsp.corpus.extraction import DocumentOptions, Extractions, Pictures, extractions
from lens_lsp.corpus.opening import Root
from lens_lsp.corpus.rules import CorpusRules
from lens_lsp.corpus.scan import scan, word_literal
from lens_lsp.corpus.snapshot import Snapshot
from lens_lsp.corpus.walk import discover, discover_names
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import INSTALL, kind_named, missing
from tests.availability import unavailable

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the programs of these tests are scripts of a shell")
CRANE = "The harbour crane lifts forty tonnes."
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
    assert known.use(DocumentOptions(ocr="eng"), [str(folder / "searched")]) is None


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
        cache, other = TextCache(budget=1 << 20), TextCache(budget=1 << 20)
        for each in (cache, other):
            each.fill(root, discover_names(root, CorpusRules()).paths, {})
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
        extractions().use(DocumentOptions(), [])


def _holds(cache: TextCache, word: str) -> bool:
    return len(scan(cache.chunks(), [(word_literal(word),)], listing=True).slot) > 0
