"""A small share of the soak on documents, and that it catches what it is there to catch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import KINDS, PICTURE, DocumentKind, Extracted, Failure, Unextracted, missing
from tests.availability import unavailable
from tests.soak.document_bombs import BOMBS
from tests.soak.document_seeds import made
from tests.soak.documents import Soak, control, damage, drop, kind_of, samples

pytestmark = pytest.mark.long
QUICK = {
    "pages-of-themselves": {"broken", "empty"},
    "a-table-before-itself": {"broken", "empty", "read"},
    "billion-laughs": {"broken"},
    "quadratic-blow-up": {"broken"},
    "a-file-of-the-system": {"broken"},
    "elements-in-elements": {"broken"},
    "tables-in-cells": {"read", "broken", "empty"},
    "a-part-that-says-it-is-small": {"broken", "too-large"},
    "blanks-by-number": {"read"},
    "parts-in-parts": {"broken", "read"},
    "braces": {"timed-out", "died"},
}
"""Some bombs and how they may end."""


@pytest.fixture(scope="module", autouse=True)
def _libraries() -> None:
    lacking = {name for kind in KINDS for name in missing(kind)}
    if lacking:
        unavailable("documents", f"{sorted(lacking)} are not installed")


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    with Extractor() as extractor:
        yield extractor


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("b.docx", "Chart: Sold|Comment|lit|Header: Acme|Footnote|new"),
        ("b.pdf", "Form field Owner: Ann|Comment (Bo): lit|Attachment: a.txt|The lamps"),
        ("b.eml", "Attachment: a.pdf|Form field Owner: Ann|again"),
        ("b.mbox", "Attachment: a.pdf|Form field Owner: Ann|again"),
        ("b.msg", "Attachment: a.pdf|Form field Owner: Ann|again"),
        ("b.pptx", "Lamps|Chart: Sold|Comment (Ann): lit|Footer: Acme"),
        ("b.xlsx", "1 | 2|Chart: Sold|Comment (Ann): lit|Text box: boxed|Header: Acme|Footer: Lamps"),
        ("b.odt", "Lamps|Chart|Comment (Ann): lit|Footnote|Header: Acme"),
        ("b.ods", "1|Comment (Ann): lit"),
        ("libreoffice-97.xls", "Kept in the barn"),
        ("sheetjs.xlsb", "$1,234.50"),
        ("html-1251.msg", "HTML"),
    ],
)
def test_what_is_damaged_holds_every_part_that_is_read(extractor: Extractor, name: str, said: str) -> None:
    text = extractor.extract(kind_of(name), samples()[name], seconds=20).text
    assert [words for words in said.split("|") if words not in text] == []


def test_damaged_documents_end_in_time_and_good_ones_in_between_are_read(extractor: Extractor) -> None:
    soak = Soak(extractor)
    damage(soak, 80, seed=7)
    tally = soak.tally
    assert (tally.documents, tally.good) == (80, 8)
    assert [*tally.hangs, *tally.faults, *tally.bad_good] == []
    assert tally.ends["read"], "some stay readable"
    assert tally.ends["broken"], "some do not"


def test_bombs_end_in_time_and_good_documents_in_between_are_read(extractor: Extractor) -> None:
    soak = Soak(extractor)
    drop(soak, list(QUICK))
    tally = soak.tally
    assert [*tally.hangs, *tally.faults, *tally.bad_good] == []
    assert {name: end for name, end in tally.of_bombs.items() if end not in QUICK[name]} == {}


def test_there_are_enough_bombs_and_some_of_every_kind() -> None:
    assert len(BOMBS) >= 40
    assert {kind for kind, _ in BOMBS.values()} == {kind.name for kind in (*KINDS, PICTURE)}


def test_a_process_that_nobody_kills_does_not_pass() -> None:
    assert control(("braces",)) == ["braces"]


class Forgetful(Extractor):
    """Reads nothing but what it has read before, and fails in its own way: what the soak must not let pass."""

    def __init__(self) -> None:
        super().__init__()
        self.read: dict[bytes, int] = {}

    def extract(self, kind: DocumentKind, data: bytes, **options: object) -> Extracted:  # type: ignore[override]
        if data not in made().values():
            raise ValueError("not a reason")
        self.read[data] = self.read.get(data, 0) + 1
        if self.read[data] > 2:
            raise Unextracted(Failure.DIED)
        return Extracted(f"reading {self.read[data]}")


def test_a_fault_and_a_good_document_that_is_not_read_are_noted() -> None:
    with Forgetful() as extractor:
        soak = Soak(extractor)
        damage(soak, 200, seed=7)
    assert len(soak.tally.faults) > 190
    assert "a.docx: another text" in soak.tally.bad_good
    assert "a.docx: died" in soak.tally.bad_good
