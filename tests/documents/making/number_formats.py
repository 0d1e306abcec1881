"""How LibreOffice shows numbers, dates and times in many formats: what ours are compared with.

python -m tests.documents.making.number_formats --out tests/documents/number_formats.csv --work FOLDER

A row is a code, a value (a number; a date and time; seconds with an ``s``) and what a cell with both looks like. Left
out are the values that a fraction has no room for, and three things that are told otherwise on purpose: a negative
number in a code with conditions keeps its minus, a share is rounded as its digits say (1.005 is 101 %), and no blank
stands between a minus and its number.
"""

from __future__ import annotations

import argparse
import csv
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path

from openpyxl import Workbook

from tests.documents.making.stories import run

Value = float | datetime | timedelta

_NUMBERS = (
    0, 1, 0.125, 0.5, 1234.5, -1234.5, -80, 1234567.891, 0.001, -0.001, 1.005, 2.675, 12.75, 99.999, 5551234567, 1e-07,
    123456789012,
)  # fmt: skip
_CODES = (
    "0", "0.00", "#,##0", "#,##0.00", "0%", "0.0%", "0.00%", "0.00E+00", "##0.0E+0", "# ?/?", "# ??/??", "# ?/8",
    '"$"#,##0.00', "[$€-407] #,##0.00", "#,##0.00\\ [$€-407]", '#,##0.00 "kr"', '"CHF "#,##0.00', "[$£-809]#,##0",
    "[$¥-411]#,##0", "$#,##0.00;[Red]-$#,##0.00", "#,##0.00_);(#,##0.00)",
    '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', '0.0,,"M"', '#,##0,"k"', "000", "(000) 000-0000",
    "000-00-0000", "#.##", ".00", "0.###", "#,##0.0?", '[>=1000]#,##0.0,"k";0', '[<0]"minus "0.0;0.0', '0 "pcs"',
    '0.0" %"', "+0.0;-0.0;0.0", '"Nr. "0', '0.00;-0.00;"none"', "[Blue]0.0;[Red]-0.0", "0000.0", "#", "??0.0", "#,###",
    "0.0;(0.0)", "#,##0.00 €", 'General" units"',
)  # fmt: skip
_MOMENTS = (
    datetime(2024, 3, 1), datetime(2024, 3, 1, 13, 5, 9), datetime(1999, 12, 31, 23, 59, 59), datetime(2000, 2, 29)
)  # fmt: skip
_OF_MOMENTS = (
    "yyyy-mm-dd", "d mmm yyyy", "d. mmmm yyyy", "dd.mm.yyyy", "mm/dd/yyyy", "dddd, mmmm dd, yyyy", "ddd d mmm",
    "mmm-yy", "yyyy", "h:mm", "h:mm:ss", "hh:mm AM/PM", "[$-409]h:mm AM/PM", "d-mmm-yy", "mmmm yyyy",
    "yyyy/mm/dd hh:mm:ss", "mm:ss", "[$-409]d-mmm-yy;@", "h:mm:ss.000", "yy\\.m\\.d", "mmmmm",
)  # fmt: skip
_SPANS = (timedelta(hours=90, minutes=30), timedelta(minutes=62, seconds=5), timedelta(minutes=30))
_OF_SPANS = ("[h]:mm", "[hh]:mm:ss", "[m]:ss", "[mm]:ss", "[s]", "[h]:mm:ss.0")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the table to write")
    parser.add_argument("--work", type=Path, required=True, help="a folder for what LibreOffice needs meanwhile")
    options = parser.parse_args()
    rows: list[tuple[str, Value]] = []
    for codes, values in ((_CODES, _NUMBERS), (_OF_MOMENTS, _MOMENTS), (_OF_SPANS, _SPANS)):
        rows += [row for row in product(codes, values) if not _left_out(*row)]
    shown = _shown(rows, options.work)
    with options.out.open("w", encoding="utf-8", newline="") as table:
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(("code", "value", "shown"))
        writer.writerows((code, _told(value), look) for (code, value), look in zip(rows, shown, strict=True))


def _left_out(code: str, value: Value) -> bool:
    if isinstance(value, datetime | timedelta):
        return False
    large = "/" in code and value > 1_000_000_000
    minus = value < 0 and (code.startswith("[>=1000]") or code == "??0.0")
    return large or minus or (code == "0%" and value == 1.005)


def _told(value: Value) -> str:
    if isinstance(value, timedelta):
        return f"{value.total_seconds():g}s"
    return value.isoformat() if isinstance(value, datetime) else repr(value)


def _shown(rows: list[tuple[str, Value]], work: Path) -> list[str]:
    """A workbook with a cell for each row, and what the export of its cells as they are shown says of each."""
    work.mkdir(parents=True, exist_ok=True)
    book = Workbook()
    sheet = book.worksheets[0]
    for number, (code, value) in enumerate(rows, 1):
        cell = sheet.cell(number, 1)
        cell.value = value
        cell.number_format = code
    book.save(work / "formats.xlsx")
    profile = f"-env:UserInstallation=file://{work / 'soffice-profile'}"
    run(
        ["soffice", profile, "--headless", "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76", "formats.xlsx"],
        cwd=work,
    )
    with (work / "formats.csv").open(encoding="utf-8", newline="") as lines:
        return [row[0] if row else "" for row in csv.reader(lines)]


if __name__ == "__main__":
    main()
