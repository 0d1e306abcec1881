"""XLS and XLSB, the binary kinds: a small workbook with numbers, shares, money and dates, by programs people use.

python -m tests.documents.making.binary_sheets --out tests/documents/binary_sheets --work FOLDER --node NODE
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.documents.making.stories import Gold, Workshop, run

_SHEETJS = """
const XLSX = require("xlsx");
const [target, kind, apart] = process.argv.slice(2);
const rows = [["What", "Share", "Price", "Delivered", "Paid"],
  ["Seed drill", 0.25, 1234.5, new Date(Date.UTC(2024, 2, 1)), true],
  ["Harrow", 0.755, -80, new Date(Date.UTC(2023, 11, 31)), false],
  ["Grüße aus Kösen", 1, 0, new Date(Date.UTC(1999, 0, 9)), true]];
// A cell beside another has no column in what is written: an empty one in between makes both say theirs.
const spread = apart ? rows.map((row) => row.flatMap((cell) => [cell, null])) : rows;
const sheet = XLSX.utils.aoa_to_sheet(spread, {cellDates: false, UTC: true, dateNF: "yyyy-mm-dd"});
for (let row = 2; row <= 4; row++) {
  sheet[(apart ? "C" : "B") + row].z = "0%";
  sheet[(apart ? "E" : "C") + row].z = '"$"#,##0.00';
}
const book = XLSX.utils.book_new();
XLSX.utils.book_append_sheet(book, sheet, "Machines");
XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([[], [null, "Kept in the barn"]]), "Notes");
XLSX.writeFile(book, target, {bookType: kind});
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="where the workbooks go")
    parser.add_argument("--work", type=Path, required=True, help="a folder for what the writers need meanwhile")
    parser.add_argument("--node", type=Path, required=True, help="the folder of the packages for Node")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    shop = Workshop(options.out.resolve(), options.work.resolve(), options.node.resolve(), Gold())
    for kind, name in (("xlsb", "unsaid.xlsb"), ("biff8", "sheetjs-97.xls"), ("biff5", "sheetjs-95.xls")):
        shop.javascript(_SHEETJS, str(shop.out / name), kind)
    shop.javascript(_SHEETJS, str(shop.out / "sheetjs.xlsb"), "xlsb", "apart")
    source = shop.scratch("binary") / "machines.xlsx"
    shop.javascript(_SHEETJS, str(source), "xlsx")
    shop.soffice(source, shop.out / "libreoffice-97.xls", "xls:MS Excel 97")
    run(["ssconvert", "-T", "Gnumeric_Excel:excel_biff8", str(source), str(shop.out / "gnumeric-97.xls")])


if __name__ == "__main__":
    main()
