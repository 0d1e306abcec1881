"""What is made of real tables, read back by other programs."""

from __future__ import annotations

import io

import pypdfium2
from python_calamine import CalamineWorkbook

from benchmarks.table_folders import DIGESTS, FOLDERS, german, typeset, workbook
from benchmarks.tables_and_mail import QUESTIONS, read_questions


def test_numbers_are_written_as_in_a_german_text() -> None:
    assert [german(number) for number in ("4451", "57.63", "32526562", "9")] == ["4.451", "57,63", "32.526.562", "9"]


def test_a_workbook_holds_its_cells_and_is_the_same_each_time() -> None:
    sheets = {"Rates": [["Title", None], [], ["Year", "Mean"], [1948, 3.8]]}
    made = workbook(sheets, {"Rates": ["A1:B1"]})
    assert made == workbook(sheets, {"Rates": ["A1:B1"]})
    sheet = CalamineWorkbook.from_filelike(io.BytesIO(made)).get_sheet_by_name("Rates")
    assert sheet.to_python()[2:] == [["Year", "Mean"], [1948.0, 3.8]]
    assert sheet.merged_cell_ranges == [((0, 0), (0, 1))]


def test_a_typeset_table_has_its_head_on_every_page() -> None:
    rows = [["Year", "Ships"], *([str(1900 + n), f"{n:,}"] for n in range(60))]
    with pypdfium2.PdfDocument(typeset("Ships", rows, (8, 10), "-: none")) as document:
        pages = [page.get_textpage().get_text_range() for page in document]
    assert len(pages) == 2
    assert all("Year" in page for page in pages)
    assert "(continued)" in pages[1]
    assert "-: none" in pages[1]


def test_every_folder_has_questions_and_a_digest() -> None:
    assert set(FOLDERS) == set(DIGESTS) == {one.folder for one in read_questions(QUESTIONS)}
