"""What counts as located right among passages of documents, and what a wrong passage is told by."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.document_gold import Item, read_sample, uninstalled
from benchmarks.document_streams import titles
from benchmarks.documents import main, outcome, unverified
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import INSTALL
from lens_lsp.model.documents import Evidence, Locator, Origin
from lens_lsp.model.text import Position, Span
from tests.availability import unavailable

SAMPLES = Path(__file__).parent.parent / "documents" / "samples"
PAGE = Item("pdf/report.pdf", "how tall is the tower", "ninety metres", {"page": 3})
CELL = Item("xlsx/plan.xlsx", "cost of paint", "Paint", {"sheet": "Costs", "cell": "B7"})
SECTION = Item("docx/plan.docx", "cost of paint", "forty euro", {}, "Painting")


def passage(path: str, quote: str, locator: Locator | None, heading: Sequence[str] = ()) -> Evidence:
    return Evidence(
        n=1,
        root=0,
        path=path,
        start=Position(1, 1),
        end=Position(1, 1 + len(quote)),
        span=Span(0, len(quote)),
        quote=quote,
        origin=Origin("0" * 64, "utf-8"),
        reader="pdf/1",
        locator=locator,
        heading=tuple(heading),
        score=1.0,
    )


def test_the_rank_is_that_of_the_first_passage_at_the_right_page() -> None:
    shown = [
        passage(PAGE.file, "The tower.", {"page": 2}),
        passage(PAGE.file, "It is ninety\nmetres tall.", {"page": 3}),
    ]
    found = outcome(PAGE, shown)
    assert (found.rank, found.shows, found.file_rank) == (2, True, 1)


def test_the_right_page_of_another_file_is_not_located() -> None:
    found = outcome(PAGE, [passage("pdf/other.pdf", "It is ninety metres tall.", {"page": 3})])
    assert (found.rank, found.shows, found.file_rank) == (None, False, None)


def test_the_fourth_passage_comes_too_late() -> None:
    wrong = passage(PAGE.file, "The tower.", {"page": 1})
    found = outcome(PAGE, [wrong, wrong, wrong, passage(PAGE.file, "ninety metres", {"page": 3})])
    assert (found.rank, found.file_rank) == (None, 1)


def test_another_cell_of_the_row_is_located_but_not_exact() -> None:
    found = outcome(CELL, [passage(CELL.file, "Paint | 40", {"sheet": "Costs", "cell": "A7"})])
    assert (found.rank, found.exact) == (1, False)
    assert outcome(CELL, [passage(CELL.file, "Paint | 40", {"sheet": "Costs", "cell": "B7"})]).exact


def test_a_kind_without_pages_is_located_by_heading_or_words() -> None:
    assert outcome(SECTION, [passage(SECTION.file, "Brushes.", None, ["Plan", "Painting"])]).rank == 1
    assert outcome(SECTION, [passage(SECTION.file, "It costs forty euro.", None)]).rank == 1
    assert outcome(SECTION, [passage(SECTION.file, "Brushes.", None, ["Roof"])]).rank is None


def test_a_damaged_passage_is_not_verified() -> None:
    file = "eml/bicycle-cellar.eml"
    if absent := uninstalled([file]):
        unavailable("documents", f"{', '.join(absent)} not installed: {INSTALL}")
    with Extractor() as extractor:
        extracted = read_sample(extractor, SAMPLES, file)
    start = extracted.text.index("cargo bikes")
    right = replace(
        passage(file, "cargo bikes", {"message": 1, "date": "2024-05-03"}),
        span=Span(start, start + len("cargo bikes")),
        origin=Origin(hashlib.sha256((SAMPLES / file).read_bytes()).hexdigest(), "utf-8"),
    )
    wrong = (
        replace(right, quote="cargo bikeS"),
        replace(right, span=Span(start + 1, start + 12)),
        replace(right, locator={"message": 2, "date": "2024-05-03"}),
        replace(right, origin=Origin("0" * 64, "utf-8")),
    )
    located = dict(zip(extracted.locators.starts, extracted.locators.locators, strict=True))
    assert {"message": 1, "date": "2024-05-03"} in [dict(one) for one in located.values()]
    assert unverified(SAMPLES, [right]) == []
    assert len(unverified(SAMPLES, wrong)) == len(wrong)


def test_titles_are_the_words_of_names_without_their_number(tmp_path: Path) -> None:
    for name in ("black-death-001.pdf", "steam-engine-002.pdf"):
        (tmp_path / name).write_bytes(b"%PDF-1.4")
    assert titles(tmp_path) == ["black death", "steam engine"]


def test_a_folder_without_gold_is_wrong_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--samples", str(tmp_path)]) == 2
    assert "gold.json" in capsys.readouterr().err
