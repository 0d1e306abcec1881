"""What stands on a sheet beside its cells: comments, charts, text boxes, and the headers and footers of its print.

Each is a labelled line behind the rows of its sheet; a comment has the place of its cell. In an ``.xlsb`` comments and
headers are records that nobody reads, in an ``.xls`` all of these: a notice names what there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from lxml import etree

from lens_lsp.documents.kinds import Unextracted
from lens_lsp.documents.readers.composer import TextComposer, on_one_line
from lens_lsp.documents.readers.office import form_values, on_every_page
from lens_lsp.documents.readers.office_charts import chart, diagram, open_chart, text_of
from lens_lsp.documents.readers.office_package import (
    Element,
    Package,
    attribute,
    child,
    children,
    every,
    inside,
    number,
    parsed,
    prefixed,
)
from lens_lsp.model.lazy_regex import regex

_PRINTED = {
    "x:oddHeader": "Header",
    "x:evenHeader": "Header",
    "x:firstHeader": "Header",
    "x:oddFooter": "Footer",
    "x:evenFooter": "Footer",
    "x:firstFooter": "Footer",
}
_PRINT_CODE = regex(r'&(?:"[^"]*"|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|\d{1,3}|[A-Za-z&])')
_PRINTED_END = b"headerFooter>"
_LONGEST_PRINTED = 20_000
_PREFIX = regex(rb"(</?)[\w.-]{1,40}:")
_STAND_IN = "[Threaded comment]"
"""How a comment begins that only says that the program is too old for the one with replies."""
_CHART_SHEET = b"\x09\x08\x10\x00\x00\x06\x20\x00"
_COMMENT_OR_BOX = b"\xb6\x01\x12\x00"
"""The beginnings of two records of an ``.xls``: of a chart, and of the text of a comment or a box."""
_CELLS = frozenset({"table:table-cell", "table:covered-table-cell"})
_FURTHEST = 1_100_000
"""Rows or columns of a sheet."""


def column_name(index: int) -> str:
    """The letters of a column from 0: A, Z, AA."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def unread_of_old(data: bytes) -> list[str]:
    """Notices of what an ``.xls`` has beside its cells."""
    found = [
        what for mark, what in ((_CHART_SHEET, "charts"), (_COMMENT_OR_BOX, "comments and text boxes")) if mark in data
    ]
    return [f"its {' and its '.join(found)} were not read; save it as .xlsx"] if found else []


class SheetParts:
    """Composes what stands on the sheets of a workbook of Office. ``parts`` are those of the sheets, by their names."""

    def __init__(self, package: Package, parts: Mapping[str, str], composer: TextComposer) -> None:
        self.notices = package.notices
        self._package = package
        self._parts = parts
        self._composer = composer
        self._persons: Mapping[str, str] | None = None

    def compose(self, sheet: str) -> None:
        """What stands on one sheet, whose cells, if it has any, are composed."""
        part = self._parts.get(sheet)
        if part is None:
            return
        shown = on_one_line(sheet)
        self._composer.place({"sheet": shown})
        relations = [found for found in self._package.relations(part).values() if self._package.has(found.target)]
        threaded: set[str] = set()
        for found in relations:
            if found.kind == "threadedComment":
                threaded |= self._threaded(shown, found.target)
        for found in relations:
            if found.kind == "comments":
                self._comments(shown, found.target, threaded)
        self._composer.place({"sheet": shown})
        for found in relations:
            if found.kind == "drawing":
                self._drawing(found.target)
        for line in dict.fromkeys(self._printed(part)):
            self._composer.paragraph(line)
        self._package.name_embedded(part)

    def rest(self) -> None:
        """Nothing more: headers and footers are those of their sheets."""

    def _threaded(self, sheet: str, part: str) -> set[str]:
        """Comments with replies; the cells that they are on."""
        cells: set[str] = set()
        for comment in every(self._package.aside(part), "xt:threadedComment"):
            cell = attribute(comment, "ref")
            cells.add(cell)
            said = child(comment, "xt:text")
            self._said(sheet, cell, self._person(attribute(comment, "personId")), said.text if said is not None else "")
        return cells

    def _person(self, key: str) -> str:
        if self._persons is None:
            workbook = self._package.related("", "officeDocument") or "xl/workbook.xml"
            part = self._package.related(workbook, "person")
            people = every(self._package.aside(part), "xt:person")
            self._persons = {attribute(person, "id"): attribute(person, "displayName") for person in people}
        return self._persons.get(key, "")

    def _comments(self, sheet: str, part: str, threaded: set[str]) -> None:
        if part.endswith(".bin"):
            self.notices["its comments were not read; save it as .xlsx"] = None
            return
        root = self._package.aside(part)
        authors = [each.text or "" for each in every(root, "x:author")]
        for comment in every(root, "x:comment"):
            cell, by = attribute(comment, "ref"), number(comment, "authorId", -1)
            words = "".join(each.text or "" for each in every(comment, "x:t"))
            author = authors[by] if 0 <= by < len(authors) else ""
            if cell not in threaded or not words.startswith(_STAND_IN):
                self._said(sheet, cell, author, words)

    def _said(self, sheet: str, cell: str, author: str, words: str | None) -> None:
        said = on_one_line(words or "")
        author = "" if author.startswith("tc={") else on_one_line(author)
        self._composer.place({"sheet": sheet, "cell": cell} if cell else {"sheet": sheet})
        if said:
            # Excel writes the author's name before a comment, too.
            told = said.removeprefix(f"{author}:").strip() or said
            self._composer.paragraph(f"Comment ({author}): {told}" if author else f"Comment: {said}")

    def _drawing(self, part: str) -> None:
        relations = self._package.relations(part)
        for element in inside(self._package.aside(part)):
            for below in element.iter():
                name = prefixed(below.tag)
                found = relations.get(attribute(below, "id")) if name in ("c:chart", "cx:chart") else None
                if found is not None:
                    chart(self._package, found.target, self._composer)
                elif name == "dgm:relIds":
                    shapes = relations.get(attribute(below, "dm"))
                    diagram(self._package, None if shapes is None else shapes.target, self._composer)
                elif name == "xdr:txBody":
                    words = " ".join(text_of(paragraph) for paragraph in children(below, "a:p")).strip()
                    self._composer.paragraph(f"Text box: {words}" if words else "")
                elif name == "xdr:pic":
                    named = next(every(below, "xdr:cNvPr"), None)
                    words = attribute(named, "descr") if named is not None else ""
                    self._composer.paragraph(f"Picture: {words}" if words else "")

    def _printed(self, part: str) -> Iterator[str]:
        """Headers and footers: they stand at the end of a part that may be large, which is not parsed for them."""
        content = b""
        with suppress(Unextracted):  # too large for its formats, too, which says so
            content = self._package.part(part) or b""
        end = content.rfind(_PRINTED_END)
        at = content.rfind(_PRINTED_END[:-1], max(end - _LONGEST_PRINTED, 0), max(end, 0))
        start = content.rfind(b"<", 0, max(at, 0))
        if min(end, at, start) < 0:
            return
        with suppress(etree.LxmlError, Unextracted):
            # The prefix is declared elsewhere.
            written = _PREFIX.sub(rb"\1", content[start : end + len(_PRINTED_END)])
            for element in parsed(written):
                label = _PRINTED.get(f"x:{element.tag}")
                words = " ".join(_PRINT_CODE.sub(_printed_code, element.text or "").split())
                if label and words.strip(" |"):
                    yield f"{label}: {words.strip(' |')}"


def _printed_code(code: re.Match[str]) -> str:
    """What a code in a header stands for: the parts of the line are apart by bars, numbers of pages are nothing."""
    if code[0] == "&&":
        return "&"
    return " | " if code[0][1] in "LCR" and len(code[0]) == 2 else ""


class OpenSheetParts:
    """The same of an OpenDocument workbook, by the root of its content."""

    def __init__(self, package: Package, composer: TextComposer) -> None:
        self.notices = package.notices
        self._package = package
        self._composer = composer
        self._root = root = package.aside("content.xml")
        self._tables = {attribute(table, "name"): table for table in every(root, "table:table")}

    def compose(self, sheet: str) -> None:
        """What stands on one sheet, whose cells, if it has any, are composed."""
        table = self._tables.get(sheet)
        shown = on_one_line(sheet)
        self._composer.place({"sheet": shown})
        for shapes in children(table, "table:shapes"):
            self._shapes(shapes)
        for cell, address in _open_cells(table):
            for element in cell:
                if prefixed(element.tag) == "office:annotation":
                    author = child(element, "dc:creator")
                    by = on_one_line(author.text or "") if author is not None else ""
                    words = " ".join("".join(map(str, each.itertext())) for each in every(element, "text:p"))
                    self._composer.place({"sheet": shown, "cell": address})
                    self._composer.paragraph(f"Comment ({by}): {words}" if by else f"Comment: {words}")
                elif prefixed(element.tag).startswith("draw:"):
                    self._composer.place({"sheet": shown})
                    self._shapes([element])
        self._composer.place({"sheet": shown})

    def rest(self) -> None:
        """What stands on every page of the print, and what is filled in."""
        styles = self._package.aside("styles.xml")
        for line in dict.fromkeys([*form_values(self._root), *on_every_page(styles, None)]):
            self._composer.paragraph(line)

    def _shapes(self, shapes: Element | list[Element]) -> None:
        for shape in shapes:
            for element in shape.iter():
                name = prefixed(element.tag)
                if name == "draw:object":
                    target = attribute(element, "href").removeprefix("./")
                    root = self._package.aside(f"{target}/content.xml" if target else None)
                    if root is not None:
                        open_chart(root, self._composer)
                elif name == "text:p" and (words := "".join(map(str, element.itertext())).strip()):
                    self._composer.paragraph(f"Text box: {words}")
                elif name in ("svg:title", "svg:desc") and element.text:
                    self._composer.paragraph(f"Picture: {element.text}")


def _open_cells(table: Element | None) -> Iterator[tuple[Element, str]]:
    """The cells that something hangs on, and their addresses."""
    row = 0
    for element in every(table, "table:table-row"):
        column = 0
        for cell in element:
            if prefixed(cell.tag) in _CELLS:
                if len(cell):
                    yield cell, f"{column_name(min(column, _FURTHEST))}{min(row, _FURTHEST) + 1}"
                column += max(number(cell, "number-columns-repeated", 1), 1)
        row += max(number(element, "number-rows-repeated", 1), 1)
