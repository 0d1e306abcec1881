"""Reader of spreadsheets: a heading for each sheet, a line for each row, and for each cell its address.

Columns without any text are left out of the lines; the others keep their places, so that a cell stands under the name
of its column. A cell is told as its window shows it: an ``.ods`` says so itself; of ``.xlsx`` and ``.xlsb`` the
formats, of which python-calamine gives none, are read and applied here. What has no format that is known, and all of
``.xls``, is told by its value. In ``.xlsb`` the library passes over cells that leave their column unsaid, as SheetJS
writes them, and in ``.xls`` it takes formats of Gnumeric for those of dates: notices say so.
"""

from __future__ import annotations

import io
import re
import zipfile
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Protocol

from lxml import etree
from python_calamine import CalamineSheet, CalamineWorkbook, PasswordError, SheetTypeEnum, load_workbook

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composer import TextComposer, on_one_line
from lens_lsp.documents.readers.number_formats import (
    BUILT_IN,
    SURE_DIGITS,
    beside_iso,
    iso,
    moment_and_iso,
    shown_number,
)
from lens_lsp.documents.readers.office_package import (
    Package,
    attribute,
    child,
    children,
    every,
    number,
    refuse_encrypted,
)
from lens_lsp.documents.readers.sheet_parts import OpenSheetParts, SheetParts, column_name, unread_of_old
from lens_lsp.model.documents import Locator, is_header
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

_OLE = b"\xd0\xcf\x11\xe0"
_OLD_FORMAT = regex(rb"\x1e\x04(..)[\x1b-\x24\x32-\x3a]\x00(..)\x00([ -~]{1,200})", re.DOTALL)
"""A number format of the newer ``.xls``: how long the record is, the number of a date, how long the words are, they."""
_AROUND = 5
"""Bytes of such a record beside its words."""
_LITERAL = regex(rb'"[^"]*"|\\.|_.|\[[^]]*]')
_OF_DATES = regex(rb"[dmyhs]", re.IGNORECASE)
_WITHOUT_COLUMN = frozenset(range(12, 19))
_BLANK = 12
_MORE = 0x80
_LONGEST_KIND, _LONGEST_SIZE = 2, 4
_ELEMENT = regex(rb"<(?:[\w.-]{1,40}:)?(row|c)(?=[\s/>])([^<>]*)")
_PLACE = regex(rb"""\sr\s*=\s*["']([A-Z]{0,3})(\d{1,7})["']""")
_STYLE = regex(rb"""\ss\s*=\s*["'](\d{1,5})["']""")
_SHEET, _ROW, _FORMAT, _STYLES, _STYLES_END, _STYLED = 156, 0, 44, 617, 618, 47
"""Records of ``.xlsb``: a sheet in the workbook, the head of a row, a code, the styles of cells and one of them."""
_NUMBERS = frozenset({2, 5, 9})
"""Those of cells with a number."""
_MOST_FORMATS = 65_000
MOST_CELLS = 500_000
"""Cells of one workbook that are read; further rows are left out and a notice says so."""
_AREA = 4
"""As many times more cells, most of them empty, are looked at in one sheet."""
_ZIP = b"PK"
_OPEN_PARTS = ("mimetype", "META-INF/manifest.xml", "content.xml")
"""The parts of an OpenDocument sheet that the library reads."""
_INDENTATION = regex(rb">\s+(?=</?(?:table|office):)")
_BLANKS = regex(rb"<text:s\b[^<>]*/>")
_SHOWN_CELL = regex(rb"<table:table-cell\b[^<>]*[^<>/]>(?=<text:p\b[^<>]*>[^<])")
"""The beginning of a cell with words in it."""
_VALUE = regex(rb"""\soffice:(?:boolean-value|currency|date-value|time-value|value|value-type)=(?:"[^"]*"|'[^']*')""")
_LEAST = 2
"""So many cells are filled in a row that may name columns."""
_Cell = int | float | str | bool | time | date | datetime | timedelta


def left_out(package: Package) -> int:
    """How many filled cells of a workbook leave their column unsaid; 0 where it is none of the binary kind."""
    if package.part("xl/workbook.bin") is None:
        return 0
    sheets = [each.target for each in package.relations("xl/workbook.bin").values() if each.kind == "worksheet"]
    parts = [part for sheet in sheets if (part := package.part(sheet)) is not None]
    return sum(kind in _WITHOUT_COLUMN and kind != _BLANK for part in parts for kind, _ in records(part))


def mistaken_for_dates(data: bytes) -> bool:
    """Whether an ``.xls`` has a format of its own for numbers that the library takes for one of dates."""
    for size, length, code in _OLD_FORMAT.findall(data) if data.startswith(_OLE) else ():
        count = whole(length, 0, 2)
        complete = whole(size, 0, 2) == count + _AROUND and count <= len(code)
        if complete and not _OF_DATES.search(_LITERAL.sub(b"", code[:count])):
            return True
    return False


def records(part: bytes) -> Iterator[tuple[int, bytes]]:
    """The kind and the body of each record of a part of ``.xlsb``, until the first that is damaged."""
    at = 0
    while at < len(part):
        kind, at = _seven_bits(part, at, _LONGEST_KIND)
        size, at = _seven_bits(part, at, _LONGEST_SIZE)
        yield kind, part[at : at + size]
        at += size


def whole(body: bytes, at: int, size: int) -> int:
    """The whole number in some bytes of a record; as far as they are there."""
    return int.from_bytes(body[at : at + size], "little")


def words(body: bytes, at: int) -> tuple[str, int]:
    """Words in a record, and where they end."""
    count = whole(body, at, 4)
    end = at + 4 + 2 * count
    return body[at + 4 : end].decode("utf-16-le", "replace"), end


def _seven_bits(part: bytes, at: int, longest: int) -> tuple[int, int]:
    """A number in groups of seven bits, the lowest first, and where it ends."""
    value = 0
    for place in range(longest):
        if at >= len(part):
            break
        value |= (part[at] & 0x7F) << (7 * place)
        at += 1
        if part[at - 1] < _MORE:
            break
    return value, at


@dataclass(frozen=True, slots=True)
class Area:
    """The part of a sheet that is read, in rows and columns from 0."""

    top: int
    left: int
    height: int
    width: int


class WorkbookFormats:
    """The formats of a workbook of Office, applied to its values; none of an ``.xls`` or where they are damaged."""

    def __init__(self, package: Package | None) -> None:
        self._codes: Sequence[str] = ()
        self._parts: Mapping[str, str] = {}
        if package is not None:
            self._package = package
            self._binary = package.part("xl/workbook.bin") is not None
            with suppress(etree.LxmlError, Unextracted):
                self._codes, self._parts = self._of_binary() if self._binary else self._of_xml()

    def of(self, sheet: str, area: Area) -> Callable[[int], Sequence[str]] | None:
        """The codes of the formats of each row of an area, empty ones for cells without; None where no cell has any.
        Raises `Unextracted` where there is too much."""
        if not any(self._codes) or sheet not in self._parts:
            return None
        part = self._package.part(self._parts[sheet]) or b""
        styles = array("H", bytes(2 * area.height * area.width))
        for row, column, style in _in_records(part) if self._binary else _in_xml(part):
            down, right = row - area.top, column - area.left
            if down >= area.height:
                break
            if down >= 0 and 0 <= right < area.width and style < len(self._codes):
                styles[down * area.width + right] = style
        return lambda down: [self._codes[style] for style in styles[down * area.width : (down + 1) * area.width]]

    def cell(self, value: _Cell, said: str) -> str:
        """By its format, where that is known."""
        if not said or isinstance(value, bool | str):
            return _plain(value)
        if isinstance(value, int | float):
            return shown_number(value, said) or _plain(value)
        return moment_and_iso(value, said)

    def _of_xml(self) -> tuple[Sequence[str], Mapping[str, str]]:
        workbook = self._package.related("", "officeDocument") or "xl/workbook.xml"
        parts = sheet_parts(self._package)
        styles = self._package.xml(self._package.related(workbook, "styles") or "xl/styles.xml")
        own = {number(each, "numFmtId", 0): attribute(each, "formatCode") for each in every(styles, "x:numFmt")}
        used = [number(style, "numFmtId", 0) for style in children(child(styles, "x:cellXfs"), "x:xf")]
        return _codes(own, used), parts

    def _of_binary(self) -> tuple[Sequence[str], Mapping[str, str]]:
        parts = sheet_parts(self._package)
        own: dict[int, str] = {}
        used: list[int] = []
        styling = False
        styles = self._package.related("xl/workbook.bin", "styles") or "xl/styles.bin"
        for kind, body in records(self._package.part(styles) or b""):
            if kind == _FORMAT:
                own[whole(body, 0, 2)] = words(body, 2)[0]
            elif kind in (_STYLES, _STYLES_END):
                styling = kind == _STYLES
            elif kind == _STYLED and styling:
                used.append(whole(body, 2, 2))
        return _codes(own, used), parts


def sheet_parts(package: Package) -> Mapping[str, str]:
    """The parts of the sheets of a workbook of Office, by their names; raises what lxml raises."""
    parts: dict[str, str] = {}
    if package.part("xl/workbook.bin") is not None:
        relations = package.relations("xl/workbook.bin")
        for kind, body in records(package.part("xl/workbook.bin") or b""):
            if kind == _SHEET:
                key, at = words(body, 8)
                name, _ = words(body, at)
                if key in relations:
                    parts[name] = relations[key].target
        return parts
    workbook = package.related("", "officeDocument") or "xl/workbook.xml"
    relations = package.relations(workbook)
    for sheet in children(child(package.xml(workbook), "x:sheets"), "x:sheet"):
        relation = next((relations.get(str(value)) for key, value in sheet.attrib.items() if key.endswith("}id")), None)
        if relation is not None:
            parts[attribute(sheet, "name")] = relation.target
    return parts


def _codes(own: Mapping[int, str], used: Sequence[int]) -> Sequence[str]:
    """The code of each style, empty for none."""
    codes = [own.get(format_, BUILT_IN.get(format_, "")) for format_ in used[:_MOST_FORMATS]]
    return ["" if code.lower() == "general" else code for code in codes]


def _in_xml(part: bytes) -> Iterator[tuple[int, int, int]]:
    """Row, column and style of the cells that have one. What has no address stands behind what is before it."""
    row = column = -1
    for element in _ELEMENT.finditer(part):
        name, attributes = element.groups()
        place = _PLACE.search(attributes)
        if name == b"row":
            row, column = int(place[2]) - 1 if place is not None else row + 1, -1
            continue
        if place is not None and place[1]:
            row, column = int(place[2]) - 1, _column(place[1])
        else:
            column += 1
        style = _STYLE.search(attributes)
        if style is not None:
            yield row, column, int(style[1])


def _in_records(part: bytes) -> Iterator[tuple[int, int, int]]:
    """The same of a binary sheet."""
    row = -1
    for kind, body in records(part):
        if kind == _ROW:
            row = whole(body, 0, 4)
        elif kind in _NUMBERS:
            yield row, whole(body, 0, 4), whole(body, 4, 3)


def _column(letters: bytes) -> int:
    """The number of a column, from 0."""
    column = 0
    for letter in letters:
        column = column * 26 + letter - 64
    return column - 1


class SheetReader:
    """``.xlsx``, ``.xlsm``, ``.xlsb``, ``.xls`` and ``.ods``."""

    def __init__(self, most_cells: int = MOST_CELLS) -> None:
        self._most_cells = most_cells

    def extract(self, data: bytes) -> Extracted:
        """All sheets in their order, hidden ones too: ``{"sheet": "Sheet1", "cell": "B7"}``."""
        refuse_encrypted(data)
        composer = TextComposer()
        try:
            with ExitStack() as stack:
                values, looks = _opened(data, stack)
                reading = _Workbook(composer, self._most_cells, looks)
                parts = _beside_cells(data, composer)
                for sheet in values.sheets_metadata:
                    if sheet.typ is SheetTypeEnum.WorkSheet:
                        reading.sheet(sheet.name, values.get_sheet_by_name(sheet.name))
                    if parts is not None and sheet.typ in (SheetTypeEnum.WorkSheet, SheetTypeEnum.ChartSheet):
                        parts.compose(sheet.name)
                composer.place({})
                if parts is not None:
                    parts.rest()
                reading.notices += parts.notices if parts is not None else unread_of_old(data)
        except PasswordError as error:
            raise Unextracted(Failure.ENCRYPTED) from error
        if not data.startswith(_ZIP):
            if mistaken_for_dates(data):
                reading.notices.append("some of its numbers are shown as dates; save it as .xlsx")
            return composer.extracted(notices=reading.notices)
        if unsaid := left_out(Package(data)):
            reading.notices.append(f"{unsaid:,} cells were not read: their columns are not said; save it as .xlsx")
        package = Package(data)
        return replace(composer.extracted(package.head(), reading.notices), private=package.private())


def _beside_cells(data: bytes, composer: TextComposer) -> SheetParts | OpenSheetParts | None:
    """What stands on the sheets of a workbook beside its cells; None of an ``.xls``."""
    if not data.startswith(_ZIP):
        return None
    package = Package(data)
    if package.part("mimetype") is not None:
        return OpenSheetParts(package, composer)
    with suppress(etree.LxmlError, Unextracted):
        return SheetParts(package, sheet_parts(package), composer)
    return None


class _CellLooks(Protocol):
    """How the cells of a workbook look, beside their values."""

    def of(self, sheet: str, area: Area) -> Callable[[int], Sequence[str]] | None:
        """For each row of an area of a sheet, from 0, what is said of its cells; None where nothing is."""

    def cell(self, value: _Cell, said: str) -> str:
        """How a cell with a value looks."""


class _Workbook:
    """Puts the text of a workbook together, sheet by sheet."""

    def __init__(self, composer: TextComposer, most_cells: int, looks: _CellLooks) -> None:
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
        lines: list[list[str]] = []
        filled = 0
        for down, row in enumerate(rows):
            lines.append(self._line(row, said(down)))
            filled += len(row) - lines[-1].count("")
            if filled > self._left:  # what comes behind has no room
                break
        del rows[len(lines) :]
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


def _opened(data: bytes, stack: ExitStack) -> tuple[CalamineWorkbook, _CellLooks]:
    """The values of a workbook and its looks; raises `Unextracted` for one with a password."""

    def loaded(content: bytes) -> CalamineWorkbook:
        return stack.enter_context(load_workbook(io.BytesIO(content)))

    if not data.startswith(_ZIP):
        return loaded(data), WorkbookFormats(None)
    package = Package(data)
    package.refuse_password()
    if package.part("mimetype") is None:
        return loaded(data), WorkbookFormats(package)
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
