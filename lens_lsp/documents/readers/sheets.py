"""Spreadsheets: a heading for each sheet, a line for each row, and for each cell its address.

Columns without any text are left out of the lines; the others keep their places, so that a cell stands under the name
of its column. The library gives values and no formats but those of dates and times, so a share of a quarter reads 0.25
where the window says 25 %, and an amount of money has neither its currency nor groups of digits.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from python_calamine import CalamineSheet, PasswordError, SheetTypeEnum, load_workbook

from lens_lsp.documents.kinds import kind_named, reader_version
from lens_lsp.documents.model import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.binary_records import left_out, mistaken_for_dates
from lens_lsp.documents.readers.composing import Composer, on_one_line
from lens_lsp.documents.readers.package import Package, refuse_encrypted
from lens_lsp.domain.model import Head, Locator

MOST_CELLS = 500_000
"""Cells of one workbook that are read; further rows are left out and a notice says so."""
_AREA = 4
"""As many times more cells, most of them empty, are looked at in one sheet."""
_ZIP = b"PK"
_OPEN_PARTS = ("mimetype", "META-INF/manifest.xml", "content.xml")
"""The parts of an OpenDocument sheet that the library reads."""
_INDENTATION = re.compile(rb">\s+(?=</?(?:table|office):)")
_SURE_DIGITS = 15
"""As many digits of a number are shown, as in Excel; the others are noise of binary fractions."""

_Cell = int | float | str | bool | time | date | datetime | timedelta


class SheetReader:
    """``.xlsx``, ``.xlsm``, ``.xlsb``, ``.xls`` and ``.ods``."""

    name = "sheet"

    def __init__(self, most_cells: int = MOST_CELLS) -> None:
        self._most_cells = most_cells

    @property
    def version(self) -> str:
        """As the table of kinds says."""
        return reader_version(kind_named(self.name)) or ""

    def extract(self, data: bytes) -> Extracted:
        """All sheets in their order, hidden ones too: ``{"sheet": "Sheet1", "cell": "B7"}``."""
        refuse_encrypted(data)
        composer = Composer()
        reading = _Reading(composer, self._most_cells)
        try:
            with load_workbook(io.BytesIO(_tight(data))) as workbook:
                for sheet in workbook.sheets_metadata:
                    if sheet.typ is SheetTypeEnum.WorkSheet:
                        reading.sheet(sheet.name, workbook.get_sheet_by_name(sheet.name))
        except PasswordError as error:
            raise Unextracted(Failure.ENCRYPTED) from error
        if data.startswith(_ZIP) and (unsaid := left_out(Package(data))):
            reading.notices.append(f"{unsaid:,} cells were not read: their columns are not said; save it as .xlsx")
        if mistaken_for_dates(data):
            reading.notices.append("some of its numbers are shown as dates; save it as .xlsx")
        return composer.extracted(_head(data), reading.notices)


class _Reading:
    """One workbook being read."""

    def __init__(self, composer: Composer, most_cells: int) -> None:
        self.notices: list[str] = []
        self._composer = composer
        self._most_area = _AREA * most_cells
        self._left = most_cells

    def sheet(self, name: str, sheet: CalamineSheet) -> None:
        """Its name and rows; a sheet without a filled cell is left out."""
        if sheet.start is None or sheet.width <= 0:
            return
        top, left = sheet.start
        rows = sheet.to_python(skip_empty_area=True, nrows=max(1, self._most_area // sheet.width))
        lines = [[_shown(value) for value in row] for row in rows]
        columns = _filled_columns(lines)
        if not columns:
            return
        shown = on_one_line(name)
        self._composer.place({"sheet": shown})
        self._composer.heading(shown, 1)
        names = [column_name(left + column) for column in columns]
        table = self._composer.table()
        done = 0
        for done, line in enumerate(lines, 1):
            cells = [line[column] for column in columns]
            filled = len(cells) - cells.count("")
            if filled > self._left or self._composer.full:
                done -= 1
                break
            self._left -= filled
            if filled:
                row = str(top + done)
                places: list[Locator] = [
                    {"sheet": shown, "cell": column + row} if cell else {}
                    for column, cell in zip(names, cells, strict=True)
                ]
                table.row(cells, places)
        if done < sheet.height:
            self.notices.append(f"only the first {done:,} of {sheet.height:,} rows of {shown} were read")


def column_name(index: int) -> str:
    """The letters of a column from 0: A, Z, AA."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _shown(value: _Cell) -> str:
    """A cell as a person sees it, as far as its value says: whole numbers without a point, dates as ISO writes them."""
    if isinstance(value, str):
        return on_one_line(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 10**_SURE_DIGITS else f"{value:.{_SURE_DIGITS}g}"
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")
    if isinstance(value, datetime):
        if value.microsecond >= 500_000 and value.year < datetime.max.year:
            value += timedelta(seconds=1)
        return value.isoformat(" ", "seconds" if value.second else "minutes")
    if isinstance(value, time):
        return value.isoformat("seconds" if value.second else "minutes")
    return value.isoformat() if isinstance(value, date) else str(value)


def _filled_columns(lines: Sequence[Sequence[str]]) -> list[int]:
    """The columns in which any cell is filled."""
    empty = set(range(len(lines[0]) if lines else 0))
    for line in lines:
        empty.difference_update([column for column in empty if line[column]])
        if not empty:
            break
    return [column for column in range(len(lines[0]) if lines else 0) if column not in empty]


def _tight(data: bytes) -> bytes:
    """The bytes; of an OpenDocument sheet its contents without the indentation that the library takes for text.

    Raises `Unextracted` for one with a password.
    """
    if not data.startswith(_ZIP):
        return data
    package = Package(data)
    package.refuse_password()
    contents = {name: package.part(name) for name in _OPEN_PARTS}
    if contents["mimetype"] is None:
        return data
    tight = io.BytesIO()
    with zipfile.ZipFile(tight, "w") as archive:
        for name, content in contents.items():
            if content is not None:
                archive.writestr(name, _INDENTATION.sub(b">", content) if name == "content.xml" else content)
    return tight.getvalue()


def _head(data: bytes) -> Head:
    """What the metadata says; the old binary kind's is not read."""
    if not data.startswith(_ZIP):
        return Head()
    package = Package(data)
    return package.open_head() if package.part("mimetype") is not None else package.office_head()
