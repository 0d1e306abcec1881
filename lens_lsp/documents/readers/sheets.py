"""Spreadsheets: a heading for each sheet, a line for each row, and for each cell its address.

Columns without any text are left out of the lines; the others keep their places, so that a cell stands under the name
of its column. A cell is told as its window shows it: an ``.ods`` says so itself, of ``.xlsx`` and ``.xlsb`` the formats
are applied here. What has no format that is known, and all of ``.xls``, is told by its value.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Protocol

from python_calamine import CalamineSheet, CalamineWorkbook, PasswordError, SheetTypeEnum, load_workbook

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.binary_records import left_out, mistaken_for_dates
from lens_lsp.documents.readers.cell_formats import Area, WorkbookFormats
from lens_lsp.documents.readers.composing import Composer, is_header, on_one_line
from lens_lsp.documents.readers.date_formats import beside_iso, iso, told
from lens_lsp.documents.readers.number_formats import SURE_DIGITS, shown_number
from lens_lsp.documents.readers.package import Package, refuse_encrypted
from lens_lsp.model.documents import Head, Locator

MOST_CELLS = 500_000
"""Cells of one workbook that are read; further rows are left out and a notice says so."""
_AREA = 4
"""As many times more cells, most of them empty, are looked at in one sheet."""
_ZIP = b"PK"
_OPEN_PARTS = ("mimetype", "META-INF/manifest.xml", "content.xml")
"""The parts of an OpenDocument sheet that the library reads."""
_INDENTATION = re.compile(rb">\s+(?=</?(?:table|office):)")
_BLANKS = re.compile(rb"<text:s\b[^<>]*/>")
_SHOWN_CELL = re.compile(rb"<table:table-cell\b[^<>]*[^<>/]>(?=<text:p\b[^<>]*>[^<])")
"""The beginning of a cell with words in it."""
_VALUE = re.compile(
    rb"""\soffice:(?:boolean-value|currency|date-value|time-value|value|value-type)=(?:"[^"]*"|'[^']*')"""
)
_LEAST = 2
"""So many cells are filled in a row that may name columns."""
_Cell = int | float | str | bool | time | date | datetime | timedelta


class SheetReader:
    """``.xlsx``, ``.xlsm``, ``.xlsb``, ``.xls`` and ``.ods``."""

    def __init__(self, most_cells: int = MOST_CELLS) -> None:
        self._most_cells = most_cells

    def extract(self, data: bytes) -> Extracted:
        """All sheets in their order, hidden ones too: ``{"sheet": "Sheet1", "cell": "B7"}``."""
        refuse_encrypted(data)
        composer = Composer()
        try:
            with ExitStack() as stack:
                values, looks = _opened(data, stack)
                reading = _Reading(composer, self._most_cells, looks)
                for sheet in values.sheets_metadata:
                    if sheet.typ is SheetTypeEnum.WorkSheet:
                        reading.sheet(sheet.name, values.get_sheet_by_name(sheet.name))
        except PasswordError as error:
            raise Unextracted(Failure.ENCRYPTED) from error
        if data.startswith(_ZIP) and (unsaid := left_out(Package(data))):
            reading.notices.append(f"{unsaid:,} cells were not read: their columns are not said; save it as .xlsx")
        if mistaken_for_dates(data):
            reading.notices.append("some of its numbers are shown as dates; save it as .xlsx")
        private = Package(data).private() if data.startswith(_ZIP) else None
        return replace(composer.extracted(_head(data), reading.notices), private=private)


class _Looks(Protocol):
    """How the cells of a workbook look, beside their values."""

    def of(self, sheet: str, area: Area) -> Callable[[int], Sequence[str]] | None:
        """For each row of an area of a sheet, from 0, what is said of its cells; None where nothing is."""

    def cell(self, value: _Cell, said: str) -> str:
        """How a cell with a value looks."""


class _Reading:
    """One workbook being read."""

    def __init__(self, composer: Composer, most_cells: int, looks: _Looks) -> None:
        self.notices: list[str] = []
        self._composer = composer
        self._most_area = _AREA * most_cells
        self._left = most_cells
        self._looks = looks

    def sheet(self, name: str, sheet: CalamineSheet) -> None:
        """Its name and rows; a sheet without a filled cell is left out."""
        if sheet.start is None or sheet.width <= 0:
            return
        rows = sheet.to_python(skip_empty_area=True, nrows=max(1, self._most_area // sheet.width))
        said = self._said(name, Area(*sheet.start, len(rows), sheet.width))
        lines = [self._line(row, said(down)) for down, row in enumerate(rows)]
        columns = _filled_columns(lines)
        if not columns:
            return
        shown = on_one_line(name)
        self._composer.place({"sheet": shown})
        self._composer.heading(shown, 1)
        done = self._rows(shown, sheet.start, columns, rows, lines)
        if done < sheet.height:
            self.notices.append(f"only the first {done:,} of {sheet.height:,} rows of {shown} were read")

    def _said(self, name: str, area: Area) -> Callable[[int], Sequence[str]]:
        """What is said of the looks of each row's cells."""
        try:
            found = self._looks.of(name, area)
        except Unextracted:
            self.notices.append(f"{on_one_line(name)} is large: its numbers are told without their formats")
            found = None
        nothing = ("",) * area.width
        return found or (lambda down: nothing)

    def _line(self, row: Sequence[_Cell], said: Sequence[str]) -> list[str]:
        return [
            on_one_line(value) if isinstance(value, str) else self._looks.cell(value, look)
            for value, look in zip(row, said, strict=True)
        ]

    def _rows(
        self,
        sheet: str,
        start: tuple[int, int],
        columns: Sequence[int],
        rows: Sequence[Sequence[_Cell]],
        lines: Sequence[Sequence[str]],
    ) -> int:
        """Write the rows; how many of them that were, as far as there is room."""
        top, left = start
        names = [column_name(left + column) for column in columns]
        table = self._composer.table()
        for done, line in enumerate(lines):
            cells = [line[column] for column in columns]
            filled = len(cells) - cells.count("")
            if filled > self._left or self._composer.full:
                return done
            self._left -= filled
            if filled:
                number = str(top + done + 1)
                places: list[Locator] = [
                    {"sheet": sheet, "cell": column + number} if cell else {}
                    for column, cell in zip(names, cells, strict=True)
                ]
                # What is a number does not look like one in every format.
                named = None if table.decided or filled < _LEAST else is_header([_plain(each) for each in rows[done]])
                table.row(cells, places, header=named)
        return len(lines)


class _Formats:
    """The looks of a workbook of Office's: its formats, applied to the values."""

    def __init__(self, formats: WorkbookFormats | None) -> None:
        self._formats = formats

    def of(self, sheet: str, area: Area) -> Callable[[int], Sequence[str]] | None:
        """The code of each cell's format."""
        found = None if self._formats is None else self._formats.of(sheet, area)
        return None if found is None else found.row

    def cell(self, value: _Cell, said: str) -> str:
        """By its format, where that is known."""
        if not said or isinstance(value, bool | str):
            return _plain(value)
        if isinstance(value, int | float):
            return shown_number(value, said) or _plain(value)
        return told(value, said)


class _Written:
    """The looks of an OpenDocument sheet: what its program wrote beside the values."""

    def __init__(self, seen: CalamineWorkbook) -> None:
        self._seen = seen

    def of(self, sheet: str, area: Area) -> Callable[[int], Sequence[str]] | None:
        """The words of each cell, empty where there are none."""
        found = self._seen.get_sheet_by_name(sheet)
        if found.start != (area.top, area.left):
            return None
        rows = found.to_python(skip_empty_area=True, nrows=area.height)
        words = [[on_one_line(cell) if isinstance(cell, str) else "" for cell in row] for row in rows]
        same = [len(row) for row in words] == [area.width] * area.height
        return words.__getitem__ if same else None

    def cell(self, value: _Cell, said: str) -> str:
        """As the program wrote it; a date that is not written as ISO does has that behind it."""
        if not said:
            return _plain(value)
        return beside_iso(said, value) if isinstance(value, date) else said


def column_name(index: int) -> str:
    """The letters of a column from 0: A, Z, AA."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _plain(value: _Cell) -> str:
    """A value without a format: whole numbers without a point, dates as ISO writes them."""
    if isinstance(value, str):
        return on_one_line(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 10**SURE_DIGITS else f"{value:.{SURE_DIGITS}g}"
    return str(value) if isinstance(value, int) else iso(value)


def _filled_columns(lines: Sequence[Sequence[str]]) -> list[int]:
    """The columns in which any cell is filled."""
    empty = set(range(len(lines[0]) if lines else 0))
    for line in lines:
        empty.difference_update([column for column in empty if line[column]])
        if not empty:
            break
    return [column for column in range(len(lines[0]) if lines else 0) if column not in empty]


def _opened(data: bytes, stack: ExitStack) -> tuple[CalamineWorkbook, _Looks]:
    """The values of a workbook and its looks; raises `Unextracted` for one with a password."""

    def loaded(content: bytes) -> CalamineWorkbook:
        return stack.enter_context(load_workbook(io.BytesIO(content)))

    if not data.startswith(_ZIP):
        return loaded(data), _Formats(None)
    package = Package(data)
    package.refuse_password()
    if package.part("mimetype") is None:
        return loaded(data), _Formats(WorkbookFormats(package))
    parts = {name: content for name in _OPEN_PARTS if (content := package.part(name)) is not None}
    # The library takes indentation for text.
    parts["content.xml"] = _INDENTATION.sub(b">", parts.get("content.xml", b""))
    values = loaded(_zipped(parts))
    words = _SHOWN_CELL.sub(_as_words, _BLANKS.sub(b" ", parts["content.xml"]))
    return values, _Written(loaded(_zipped({**parts, "content.xml": words})))


def _zipped(parts: Mapping[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as written:
        for name, content in parts.items():
            written.writestr(name, content)
    return archive.getvalue()


def _as_words(cell: re.Match[bytes]) -> bytes:
    """The beginning of a cell without its value, so that the words in it are read."""
    return _VALUE.sub(b"", cell[0]).rstrip(b">") + b' office:value-type="string">'


def _head(data: bytes) -> Head:
    """What the metadata says; the old binary kind's is not read."""
    if not data.startswith(_ZIP):
        return Head()
    package = Package(data)
    return package.open_head() if package.part("mimetype") is not None else package.office_head()
