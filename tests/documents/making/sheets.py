"""XLSX and ODS: the cells are those of the tables' rows and columns."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Sequence
from datetime import date, time
from pathlib import Path

import openpyxl
import xlsxwriter
from odf import namespaces
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P
from openpyxl.utils import get_column_letter

from tests.documents.making.pages import TABLES, questions
from tests.documents.making.stories import Item, Workshop, run

Cell = str | float


def write_all(shop: Workshop) -> None:
    office = run(["soffice", "--version"]).strip()
    gnumeric = run(["ssconvert", "--version"]).split("\n")[0]
    _openpyxl(shop, "planets.csv", shop.target("xlsx", "planets.xlsx"))
    _asked(shop, "planets.csv", "xlsx/planets.xlsx", f"openpyxl {openpyxl.__version__}")
    shop.soffice(TABLES / "elements.csv", shop.target("xlsx", "elements.xlsx"), "xlsx:Calc MS Excel 2007 XML")
    _asked(shop, "elements.csv", "xlsx/elements.xlsx", office)
    _gnumeric(shop, "mountains.csv", shop.target("xlsx", "mountains.xlsx"), "Gnumeric_Excel:xlsx2")
    _asked(shop, "mountains.csv", "xlsx/mountains.xlsx", gnumeric, sheet="mountains.csv")
    _sheetjs(shop, "opening.csv", "Öffnungszeiten", shop.target("xlsx", "oeffnungszeiten.xlsx"))
    _asked(shop, "opening.csv", "xlsx/oeffnungszeiten.xlsx", "SheetJS (npm xlsx)")
    _budget(shop)
    shop.soffice(TABLES / "precedence.csv", shop.target("ods", "precedence.ods"), "ods")
    _asked(shop, "precedence.csv", "ods/precedence.ods", office)
    _odfpy(shop, "rivers.csv", "Rivers", shop.target("ods", "rivers.ods"))
    _asked(shop, "rivers.csv", "ods/rivers.ods", f"odfpy ({namespaces.TOOLSVERSION})")
    _inventory(shop, gnumeric)
    _formatted(shop, office, gnumeric)


def _asked(shop: Workshop, table: str, file: str, writer: str, sheet: str | None = None) -> None:
    for row in questions(table):
        cell = f"{get_column_letter(int(row['column']))}{row['row']}"
        shop.gold.add(file, Item(row["query"], row["quote"]), {"sheet": sheet or row["sheet"], "cell": cell})
    shop.gold.wrote(file, writer)


def _rows(table: str) -> list[list[Cell]]:
    with (TABLES / table).open(encoding="utf-8", newline="") as lines:
        return [[_value(cell) for cell in row] for row in csv.reader(lines)]


def _value(text: str) -> Cell:
    try:
        return float(text)
    except ValueError:
        return text


def _openpyxl(shop: Workshop, table: str, target: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Planets"
    for row in _rows(table):
        sheet.append(row)
    notes = book.create_sheet("Sources")
    notes["B3"] = "Radii are means over the whole body, in kilometres."
    notes.merge_cells("B3:E4")
    book.save(target)
    item = Item("planets are radii means over the whole body", "Radii are means over the whole body")
    shop.gold.add(f"xlsx/{target.name}", item, {"sheet": "Sources", "cell": "B3"})


def _gnumeric(shop: Workshop, table: str, target: Path, exporter: str) -> None:
    folder = shop.scratch("gnumeric")
    shutil.copy(TABLES / table, folder / table)
    run(["ssconvert", "-T", exporter, table, str(target)], cwd=folder)


_SHEETJS = """
const XLSX = require("xlsx"), fs = require("fs");
const [source, sheet, target] = process.argv.slice(2);
const book = XLSX.utils.book_new();
XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet(JSON.parse(fs.readFileSync(source, "utf8"))), sheet);
XLSX.writeFile(book, target);
"""


def _sheetjs(shop: Workshop, table: str, sheet: str, target: Path) -> None:
    source = shop.scratch("sheetjs") / "rows.json"
    source.write_text(json.dumps(_rows(table)), "utf-8")
    shop.javascript(_SHEETJS, str(source), sheet, str(target))


_BUDGET = (
    ("Heating oil", 1840.5, "Delivered in two lots"),
    ("Roof repair", 12250, "Storm damage of February; insurer pays two thirds"),
    ("Seedlings", 312.75, "Tomatoes and leeks"),
    ("Accountant", 960, "Yearly statement and audit"),
)


def _budget(shop: Workshop) -> None:
    """Merged cells above the table, a gap, a formula, a second sheet and a hidden one."""
    target = shop.target("xlsx", "budget.xlsx")
    with xlsxwriter.Workbook(str(target)) as book:
        sheet = book.add_worksheet("Spending 2023")
        sheet.merge_range("B2:D2", "Spending of the allotment society")
        sheet.write_row("B4", ("What", "Euro", "Remark"))
        for number, row in enumerate(_BUDGET, 5):
            sheet.write_row(f"B{number}", row)
        sheet.write("B10", "Total")
        sheet.write_formula("C10", "=SUM(C5:C8)", value=15363.25)
        income = book.add_worksheet("Income")
        income.write_row("A1", ("Source", "Euro"))
        income.write_row("A2", ("Rent of the plots", 9400))
        income.write_row("A3", ("Harvest festival raffle", 1275))
        hidden = book.add_worksheet("Reserves")
        hidden.write("A1", "Money put aside for the new well pump")
        hidden.hide()
    file = f"xlsx/{target.name}"
    for query, quote, name, cell in (
        ("who pays for the storm damage to the roof", "insurer pays two thirds", "Spending 2023", "D6"),
        ("cost of the accountant and audit", "Yearly statement and audit", "Spending 2023", "D8"),
        ("how much did the raffle at the harvest festival bring", "Harvest festival raffle", "Income", "A3"),
    ):
        shop.gold.add(file, Item(query, quote), {"sheet": name, "cell": cell})
    shop.gold.wrote(file, f"XlsxWriter {xlsxwriter.__version__}")


def _odfpy(shop: Workshop, table: str, name: str, target: Path) -> None:
    document = OpenDocumentSpreadsheet()
    sheet = Table(name=name)
    for row in _rows(table):
        line = TableRow()
        for value in row:
            if isinstance(value, float):
                cell = TableCell(valuetype="float", value=value)
            else:
                cell = TableCell(valuetype="string")
            cell.addElement(P(text=f"{value:g}" if isinstance(value, float) else value))
            line.addElement(cell)
        sheet.addElement(line)
    document.spreadsheet.addElement(sheet)
    document.save(str(target))


_INVENTORY = (
    ("Shelf", "Tool", "State"),
    ("A1", "Cordless drill", "Battery weak; charger is missing"),
    ("A2", "Pruning saw", "Sharpened in spring"),
    ("B1", "Soldering iron", "Tip worn out, replacement ordered"),
    ("C4", "Sewing machine", "Foot pedal sticks"),
)


def _inventory(shop: Workshop, gnumeric: str) -> None:
    folder = shop.scratch("gnumeric")
    with (folder / "inventory.csv").open("w", encoding="utf-8", newline="") as lines:
        csv.writer(lines).writerows(_INVENTORY)
    target = shop.target("ods", "tool-inventory.ods")
    run(["ssconvert", "-T", "Gnumeric_OpenCalc:odf", "inventory.csv", str(target)], cwd=folder)
    file = f"ods/{target.name}"
    for query, quote, cell in (
        ("charger of the cordless drill", "charger is missing", "C2"),
        ("soldering iron worn tip replacement", "replacement ordered", "C4"),
        ("what is wrong with the sewing machine", "Foot pedal sticks", "C5"),
    ):
        shop.gold.add(file, Item(query, quote), {"sheet": "inventory.csv", "cell": cell})
    shop.gold.wrote(file, gnumeric)


_MONEY, _EUROS, _SHARE, _DAY, _CLOCK = '"$"#,##0.00', "#,##0.00\\ [$€-407]", "0.0%", "d mmm yyyy", "h:mm AM/PM"
_ACCOUNTS = '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)'
_Formatted = tuple[tuple[str | float | date | time, ...], ...]
_MACHINERY: _Formatted = (
    ("Machine", "Price", "Written off", "Bought"),
    ("Seed drill", 1234.5, 0.125, date(2019, 3, 4)),
    ("Potato digger", 18250, 0.4, date(2016, 11, 23)),
    ("Hay rake", 760.25, 0.985, date(2008, 6, 1)),
)
_TARIFFS: _Formatted = (
    ("Mooring", "A season", "Surcharge in winter", "Gate opens"),
    ("Inner basin", 2450.9, 0.075, time(6, 30)),
    ("Long pier", 1315, 0.22, time(5, 15)),
    ("Buoys", 488.6, 0, time(4, 45)),
)
_DEPOSITS: _Formatted = (
    ("Account", "Balance", "Interest", "Falls due"),
    ("Bell tower fund", 31405.75, 0.0325, date(2027, 1, 15)),
    ("Organ repair", -2210.4, 0.065, date(2025, 9, 30)),
    ("Poor box", 97.05, 0.001, date(2031, 12, 1)),
)


def _formatted(shop: Workshop, office: str, gnumeric: str) -> None:
    """Numbers that look otherwise than their values; the gold is what LibreOffice shows of each cell."""
    source = shop.target("xlsx", "machinery.xlsx")
    shown = _workbook(shop, source, "Machinery", _MACHINERY, ("", _MONEY, _SHARE, _DAY))
    _shown(shop, source, f"XlsxWriter {xlsxwriter.__version__}", "Machinery", shown, (
        ("price of the seed drill $1,234.50", "B2"), ("seed drill 1234.5", "B2"),
        ("0.985 of the hay rake is written off", "C4"),
        ("potato digger bought 23 Nov 2016", "D3"), ("potato digger bought 2016-11-23", "D3"),
    ))  # fmt: skip
    source = shop.scratch("formatted") / "moorings.xlsx"
    shown = _workbook(shop, source, "Moorings", _TARIFFS, ("", _EUROS, _SHARE, _CLOCK))
    target = shop.target("xlsx", "moorings.xlsx")
    shop.soffice(source, target, "xlsx:Calc MS Excel 2007 XML")
    asked = (
        ("mooring in the inner basin 2,450.90 €", "B2"),
        ("long pier surcharge in winter 22%", "C3"),
        ("0.075 surcharge", "C2"),
    )
    _shown(shop, target, office, "Moorings", shown, asked)
    source = shop.scratch("formatted") / "deposits.xlsx"
    shown = _workbook(shop, source, "Deposits", _DEPOSITS, ("", _ACCOUNTS, "0.00%", _DAY))
    target = shop.target("ods", "deposits.ods")
    shop.soffice(source, target, "ods")
    asked = (
        ("balance of the bell tower fund 31405.75", "B2"),
        ("interest on the organ repair 6.50%", "C3"),
        ("poor box 1 Dec 2031", "D4"),
    )
    _shown(shop, target, office, "Deposits", shown, asked)
    target = shop.target("ods", "moorings-of-the-lake.ods")
    lake = tuple((f"Lake {row[0]}".lower(), *row[1:]) for row in _TARIFFS)
    source = shop.scratch("formatted") / "lake.xlsx"
    shown = _workbook(shop, source, "Lake", lake, ("", _MONEY, _SHARE, _CLOCK))
    run(["ssconvert", "-T", "Gnumeric_OpenCalc:odf", str(source), str(target)])
    asked = (("lake long pier for a season $1,315.00", "B3"), ("lake buoys 488.6", "B4"))
    _shown(shop, target, gnumeric, "Lake", shown, asked)


def _workbook(shop: Workshop, target: Path, name: str, rows: _Formatted, codes: Sequence[str]) -> list[list[str]]:
    """Write a workbook; how LibreOffice shows its cells."""
    with xlsxwriter.Workbook(str(target)) as book:
        sheet = book.add_worksheet(name)
        formats = [book.add_format({"num_format": code}) if code else None for code in codes]
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                if isinstance(cell, date | time):
                    sheet.write_datetime(number, column, cell, formats[column])
                else:
                    sheet.write(number, column, cell, formats[column] if number else None)
    export = shop.work / "shown.csv"
    shop.soffice(target, export, "csv:Text - txt - csv (StarCalc):44,34,76")
    with export.open(encoding="utf-8", newline="") as lines:
        return [[" ".join(cell.split()) for cell in row] for row in csv.reader(lines)]


def _shown(
    shop: Workshop, target: Path, writer: str, sheet: str, shown: list[list[str]], asked: Sequence[tuple[str, str]]
) -> None:
    file = f"{target.parent.name}/{target.name}"
    for query, cell in asked:
        quote = shown[int(cell[1:]) - 1]["ABCD".index(cell[0])]
        shop.gold.add(file, Item(query, quote), {"sheet": sheet, "cell": cell})
    shop.gold.wrote(file, writer)
