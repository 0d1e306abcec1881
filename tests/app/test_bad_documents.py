"""Documents that are encrypted, damaged, bombs or huge: each is named with a reason, and none costs another's text."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from lens_lsp.app.lens import Lens
from lens_lsp.corpus.workspace import ReadThrough
from lens_lsp.documents.kinds import INSTALL, KINDS, missing
from lens_lsp.model.documents import PartReason, SkipReason
from tests.availability import unavailable
from tests.documents.pdf_files import PageMaking, PdfMaking, text
from tests.documents_made import docx, pdf

FACT = "The lighthouse of Vell was built in 1874 by Ines Karr."
QUESTION = "When was the lighthouse of Vell built?"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if lacking := [name for kind in KINDS for name in missing(kind)]:
        unavailable("documents", f"{', '.join(lacking)} not installed: {INSTALL}")
    (tmp_path / "towers.pdf").write_bytes(pdf([FACT]))
    return tmp_path


def read(folder: Path) -> tuple[dict[str, SkipReason], dict[str, PartReason]]:
    """Read everything; what cannot be read and why, and what was read in part. The good document is found."""
    for path in folder.iterdir():
        os.utime(path, (1, 1))
    lens = Lens([folder], first=0)
    lens.find(QUESTION)
    lens.read_on(lambda: False)
    found = lens.find(QUESTION)
    assert found.evidence[0].path == "towers.pdf"
    assert found.coverage.unread == 0
    return (
        {skip.path: skip.reason for skip in found.coverage.skipped},
        {part.path: part.reason for part in found.coverage.partial},
    )


def repacked(document: bytes, part: str, data: bytes) -> bytes:
    """An archive with another content of one of its parts."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(document)) as before, zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            after.writestr(name, data if name == part else before.read(name))
    return held.getvalue()


def test_each_is_named_with_its_reason(folder: Path) -> None:
    good = pdf(["The crane lifts forty tonnes."])
    (folder / "locked.pdf").write_bytes(PdfMaking([PageMaking(text("secret", 60, 60))], locked=True).written())
    (folder / "torn.pdf").write_bytes(good[:80])
    (folder / "lost.pdf").write_bytes(good.replace(b"startxref\n", b"startxref\n9"))  # its cross references are nowhere
    (folder / "shifted.pdf").write_bytes(b"%PDF-1.4\n% " + b"x" * 700 + b"\n" + good[9:])  # all of them are wrong
    (folder / "bomb.docx").write_bytes(repacked(docx("a"), "word/document.xml", bytes(300 << 20)))
    (folder / "torn.docx").write_bytes(docx("a")[:-30])
    with open(folder / "mail.mbox", "wb") as file:
        file.write(b"From a@example.org Fri Mar  1 10:00:00 2024\nSubject: boats\n\nThe boats come.\n")
        file.truncate(1 << 30)
    skipped, _ = read(folder)
    assert skipped.pop("bomb.docx") in (SkipReason.TOO_LARGE, SkipReason.BROKEN, SkipReason.DIED)
    assert skipped == {
        "locked.pdf": SkipReason.ENCRYPTED,
        "torn.pdf": SkipReason.BROKEN,
        "torn.docx": SkipReason.BROKEN,
        "mail.mbox": SkipReason.TOO_LARGE,
    }
    told = "; ".join(Lens([folder]).find(QUESTION).warnings)
    assert " mail.mbox (mbox, 1,024.0 MiB); " in told
    assert "split each, a mailbox by its folders or years" in told
    crane = Lens([folder / "lost.pdf", folder / "shifted.pdf"]).find("what does the crane lift?")
    assert {item.path for item in crane.evidence} == {"lost.pdf", "shifted.pdf"}, "these are repaired"


@pytest.mark.long
def test_a_file_of_ten_thousand_pages_is_read_to_its_end(folder: Path) -> None:
    (folder / "log.pdf").write_bytes(pdf(*([f"Log of day {number}."] for number in range(1, 10_001))))
    assert read(folder) == ({}, {})
    last = Lens([folder / "log.pdf"]).find("log of day 10000").evidence[0]
    assert last.locator == {"page": 10_000}


@pytest.mark.long
def test_a_sheet_of_a_million_rows_is_read_as_far_as_there_is_room(folder: Path) -> None:
    rows = "".join(
        f'<row r="{n}"><c r="A{n}" t="inlineStr"><is><t>name {n}</t></is></c><c r="B{n}"><v>{n}</v></c></row>'
        for n in range(1, 1_000_001)
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
        "_rels/.rels": _relation(f"{_OFFICE}/officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{_SHEETS}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relation(f"{_OFFICE}/worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_SHEETS}"><sheetData>{rows}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(folder / "rows.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, f'<?xml version="1.0"?>{part}')
    skipped, partial = read(folder)
    slow = {"rows.xlsx": SkipReason.TIMED_OUT}  # on a machine that is slow, or does other things
    assert (skipped, partial) in (({}, {"rows.xlsx": PartReason.CUT}), (slow, {}))


def _relation(kind: str, target: str) -> str:
    one = f'<Relationship Id="r" Type="{kind}" Target="{target}"/>'
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{one}</Relationships>'


def test_nothing_bad_ends_the_reading_of_everything(folder: Path) -> None:
    (folder / "a.pdf").write_bytes(b"%PDF-1.4 torn")
    (folder / "b.pdf").mkdir()
    (folder / "z.pdf").write_bytes(pdf([]))

    class Silent:
        def progress(self, stage: str, done: int, total: int | None) -> None: ...

    done = ReadThrough()
    Lens([folder]).read_through(done, Silent())
    assert (done.documents, done.read, done.left) == (3, 1, 0)
    assert {skip.path: skip.reason for skip in done.skipped} == {
        "a.pdf": SkipReason.BROKEN,
        "z.pdf": SkipReason.NO_TEXT,
    }
