"""Documents by many programs: their readers find the words on the page, slide or cell where the writer put them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.document_gold import Gold, misread, occurrences, read_sample, same_row, uninstalled
from lens_lsp.documents.extractor import Extractor
from lens_lsp.documents.kinds import INSTALL
from tests.availability import unavailable

SAMPLES = Path(__file__).parent / "samples"
GOLD = Gold.load(SAMPLES)
BY_FILE = dict(GOLD.by_file())
KINDS = {"pdf", "docx", "pptx", "xlsx", "ods", "odt", "epub", "rtf", "eml", "mbox"}


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    if absent := uninstalled(BY_FILE):
        unavailable("documents", f"{', '.join(absent)} not installed: {INSTALL}")
    with Extractor() as made:
        yield made


@pytest.mark.parametrize("file", sorted(BY_FILE))
def test_the_words_of_a_sample_are_read_where_its_writer_put_them(extractor: Extractor, file: str) -> None:
    assert misread(extractor, SAMPLES, file, BY_FILE[file]) == []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_words_elsewhere_count_as_misread(extractor: Extractor, kind: str) -> None:
    """The control of the test above: each item is asked for in another file of its kind."""
    first, second = [file for file in sorted(BY_FILE) if file.startswith(f"{kind}/")][:2]
    assert len(misread(extractor, SAMPLES, first, BY_FILE[second])) == len(BY_FILE[second]) > 0


def test_there_are_at_least_forty_documents_and_three_writers_of_each_kind() -> None:
    writers = defaultdict(set)
    for file, writer in GOLD.writers.items():
        writers[file.partition("/")[0]].add(writer)
    assert len(GOLD.writers) >= 40
    assert {kind: len(names) >= 3 for kind, names in writers.items()} == dict.fromkeys(KINDS, True)


def test_every_sample_is_asked_for_at_least_twice() -> None:
    assert {file: len(items) for file, items in BY_FILE.items() if len(items) < 2} == {}


def test_every_document_among_the_samples_has_gold() -> None:
    files = {path.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("*/*")}
    assert files == set(GOLD.writers)


def test_a_hidden_sheet_says_what_it_holds_or_that_it_was_left_out(extractor: Extractor) -> None:
    extracted = read_sample(extractor, SAMPLES, "xlsx/budget.xlsx")
    said = extracted.text + " ".join(extracted.notices)
    assert occurrences(said, "new well pump") or "Reserves" in said


def test_the_same_bytes_give_the_same_text_in_another_worker(extractor: Extractor) -> None:
    with Extractor() as other:
        files = ("pdf/rhine.pdf", "xlsx/budget.xlsx", "epub/islamism.epub", "mbox/ferry.mbox")
        assert [read_sample(other, SAMPLES, file) for file in files] == [
            read_sample(extractor, SAMPLES, file) for file in files
        ]


def test_another_cell_of_the_row_is_the_same_row_and_another_row_is_not() -> None:
    gold = {"sheet": "Spending", "cell": "D6"}
    assert same_row({"sheet": "Spending", "cell": "B6"}, gold)
    assert not same_row({"sheet": "Spending", "cell": "D7"}, gold)
    assert not same_row({"sheet": "Income", "cell": "D6"}, gold)
    assert not same_row(None, gold)
