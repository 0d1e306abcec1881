"""Which format each cell of a workbook has. The library that gives the values gives none.

Of ``.xlsx`` and its kin it stands in the sheet's own part, cell by cell, as the number of a style; of ``.xlsb`` in the
records of the cells. Of ``.xls`` it is not read.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from lxml import etree

from lens_lsp.documents.kinds import Unextracted
from lens_lsp.documents.readers.binary_records import records, whole, words
from lens_lsp.documents.readers.number_formats import BUILT_IN
from lens_lsp.documents.readers.package import Package, attribute, child, children, every, number

_ELEMENT = re.compile(rb"<(?:[\w.-]{1,40}:)?(row|c)(?=[\s/>])([^<>]*)")
_PLACE = re.compile(rb"""\sr\s*=\s*["']([A-Z]{0,3})(\d{1,7})["']""")
_STYLE = re.compile(rb"""\ss\s*=\s*["'](\d{1,5})["']""")
_SHEET, _ROW, _FORMAT, _STYLES, _STYLES_END, _STYLED = 156, 0, 44, 617, 618, 47
"""Records of ``.xlsb``: a sheet in the workbook, the head of a row, a code, the styles of cells and one of them."""
_NUMBERS = frozenset({2, 5, 9})
"""Those of cells with a number."""
_MOST_FORMATS = 65_000


@dataclass(frozen=True, slots=True)
class Area:
    """The part of a sheet that is read, in rows and columns from 0."""

    top: int
    left: int
    height: int
    width: int


class CellFormats:
    """The formats of the cells of one sheet."""

    def __init__(self, area: Area, codes: Sequence[str]) -> None:
        self._area = area
        self._codes = codes
        self._numbers = array("H", bytes(2 * area.height * area.width))

    def put(self, row: int, column: int, style: int) -> None:
        """A cell, from 0, has a style."""
        down, right = row - self._area.top, column - self._area.left
        if 0 <= down < self._area.height and 0 <= right < self._area.width and style < len(self._codes):
            self._numbers[down * self._area.width + right] = style

    def row(self, down: int) -> Sequence[str]:
        """The codes of a row of the area, from 0; empty ones for cells without a format."""
        width = self._area.width
        return [self._codes[number] for number in self._numbers[down * width : (down + 1) * width]]


class WorkbookFormats:
    """Those of one workbook; none where they are damaged."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._binary = package.part("xl/workbook.bin") is not None
        self._codes: Sequence[str] = ()
        self._parts: Mapping[str, str] = {}
        with suppress(etree.LxmlError, Unextracted):
            self._codes, self._parts = self._of_binary() if self._binary else self._of_xml()

    def of(self, sheet: str, area: Area) -> CellFormats | None:
        """The formats of a sheet's cells, None where they have none. Raises `Unextracted` where there is too much."""
        if not any(self._codes) or sheet not in self._parts:
            return None
        part = self._package.part(self._parts[sheet]) or b""
        found = CellFormats(area, self._codes)
        for row, column, style in _in_records(part) if self._binary else _in_xml(part):
            if row >= area.top + area.height:
                break
            found.put(row, column, style)
        return found

    def _of_xml(self) -> tuple[Sequence[str], Mapping[str, str]]:
        workbook = self._package.related("", "officeDocument") or "xl/workbook.xml"
        relations = self._package.relations(workbook)
        parts = {}
        for sheet in children(child(self._package.xml(workbook), "x:sheets"), "x:sheet"):
            relation = next(
                (relations.get(str(value)) for key, value in sheet.attrib.items() if key.endswith("}id")), None
            )
            if relation is not None:
                parts[attribute(sheet, "name")] = relation.target
        styles = self._package.xml(self._package.related(workbook, "styles") or "xl/styles.xml")
        own = {number(each, "numFmtId", 0): attribute(each, "formatCode") for each in every(styles, "x:numFmt")}
        used = [number(style, "numFmtId", 0) for style in children(child(styles, "x:cellXfs"), "x:xf")]
        return _codes(own, used), parts

    def _of_binary(self) -> tuple[Sequence[str], Mapping[str, str]]:
        relations = self._package.relations("xl/workbook.bin")
        parts = {}
        for kind, body in records(self._package.part("xl/workbook.bin") or b""):
            if kind == _SHEET:
                key, at = words(body, 8)
                name, _ = words(body, at)
                if key in relations:
                    parts[name] = relations[key].target
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
