"""XLS and XLSB, by programs that people use: every cell at its address, and what is not read as it stands is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from lens_lsp.documents.readers.sheets import SheetReader, mistaken_for_dates
from tests.documents.parts import place_of, read

WORKBOOKS = Path(__file__).parent / "binary_sheets"
"""Made by ``python -m tests.documents.making.binary_sheets``."""
READ = ["libreoffice-97.xls", "sheetjs-97.xls", "sheetjs-95.xls", "sheetjs.xlsb"]
DATED = ["libreoffice-97.xls", "sheetjs.xlsb"]
"""Written by programs that wrote the formats of dates, too."""


def extracted(name: str):
    return read(SheetReader(), (WORKBOOKS / name).read_bytes())


@pytest.mark.parametrize("name", READ)
def test_cells_stand_at_their_addresses(name: str) -> None:
    found = extracted(name)
    across, price = ("E", "$1,234.50") if name.endswith(".xlsb") else ("C", "1234.5")
    assert place_of(found, "Harrow") == {"sheet": "Machines", "cell": "A3"}
    assert place_of(found, price) == {"sheet": "Machines", "cell": f"{across}2"}
    assert place_of(found, "Kept in the barn") == {"sheet": "Notes", "cell": "B2"}
    assert found.notices == ()


@pytest.mark.parametrize("name", READ[:-1])
def test_shares_and_money_in_the_oldest_kind_are_told_as_numbers(name: str) -> None:
    """Not as they are shown, 25 % and $1,234.50: its formats are not read, which the documentation says."""
    lines = extracted(name).text.splitlines()
    assert lines[3].startswith("Seed drill | 0.25 | 1234.5 | ")
    assert lines[4].startswith("Harrow | 0.755 | -80 | ")


def test_shares_and_money_are_shown_by_the_formats_of_the_records() -> None:
    lines = extracted("sheetjs.xlsb").text.splitlines()
    assert lines[3].startswith("Seed drill | 25% | $1,234.50 | ")
    assert lines[4].startswith("Harrow | 76% | -$80.00 | ")


@pytest.mark.parametrize("name", DATED)
def test_dates_are_told_as_dates(name: str) -> None:
    lines = extracted(name).text.splitlines()
    assert [line.split(" | ")[3:] for line in lines[3:6]] == [
        ["2024-03-01", "TRUE"],
        ["2023-12-31", "FALSE"],
        ["1999-01-09", "TRUE"],
    ]


@pytest.mark.parametrize("name", ["libreoffice-97.xls", "sheetjs-97.xls", "sheetjs.xlsb", "gnumeric-97.xls"])
def test_letters_beyond_ascii_are_whole(name: str) -> None:
    assert "Grüße aus Kösen" in extracted(name).text


def test_cells_whose_columns_are_not_said_are_told_of() -> None:
    found = extracted("unsaid.xlsb")
    assert "Seed drill" in found.text
    assert "1234.5" not in found.text
    assert found.notices == ("16 cells were not read: their columns are not said; save it as .xlsx",)


def test_numbers_that_the_library_takes_for_dates_are_told_of() -> None:
    found = extracted("gnumeric-97.xls")
    assert "1234.5" not in found.text
    assert found.notices == ("some of its numbers are shown as dates; save it as .xlsx",)


def test_a_format_of_dates_under_such_a_number_is_none() -> None:
    data = (WORKBOOKS / "gnumeric-97.xls").read_bytes()
    assert mistaken_for_dates(data)
    assert not mistaken_for_dates(data.replace(b'"$"#,##0.00', b'"$"yy-mm-dd'))
    assert not mistaken_for_dates(data[4:])
