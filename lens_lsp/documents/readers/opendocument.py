"""OpenDocument texts and decks: LibreOffice and its kin.

Left out is what the window does not show (deletions, hidden text), what stands on every page, and tables of contents,
whose lines all come again as headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composing import Composer, Table, in_reading_order
from lens_lsp.documents.readers.package import Element, Package, attribute, child, every, number, prefixed

_TITLE = "Title"
"""The style of a document's title, by the name that it has in files in every language."""
_HEADING_NAME = re.compile(r"Heading_20_([1-9]|10)")
_MOST_STYLES = 20
"""As long as a chain of styles is followed."""
_MOST_REPEATED = 64
"""As often as a cell that stands for several is written; nobody writes more columns in a text."""
_LEFT_OUT = frozenset(
    {
        "text:tracked-changes",
        "text:table-of-content",
        "text:hidden-text",
        "text:hidden-paragraph",
        "text:ruby-text",
        "text:number",
        "office:forms",
        "office:event-listeners",
        "draw:object",
        "draw:image",
        "presentation:notes",
    }
)
_ASIDE = frozenset({"text:note", "office:annotation"})
_SHAPES = frozenset(
    {"draw:frame", "draw:custom-shape", "draw:g", "draw:rect", "draw:ellipse", "draw:circle", "draw:line"}
    | {"draw:path", "draw:polygon", "draw:polyline", "draw:connector", "draw:caption", "draw:regular-polygon"}
)
_CELLS = frozenset({"table:table-cell", "table:covered-table-cell"})
_ROW_GROUPS = frozenset({"table:table-header-rows", "table:table-rows", "table:table-row-group"})
_FURNITURE = frozenset({"header", "footer", "date-time", "page-number", "page"})
_LENGTH = re.compile(r"(-?\d{1,9}(?:\.\d{1,9})?)(cm|mm|in|pt|pc|px)?")
_CENTIMETRES = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72, "pc": 2.54 / 6, "px": 2.54 / 96}
_SAME_ROW = 0.6
"""Centimetres: shapes whose tops are as near are read from left to right."""


class OpenDocumentReader:
    """``.odt``, ``.odp`` and their templates. Notes and comments of a text are paragraphs behind it."""

    def extract(self, data: bytes) -> Extracted:
        """All of the text; of a deck ``{"slide": 4}``, and ``{"slide": 4, "part": "notes"}`` for what is said."""
        package = Package(data)
        package.refuse_password()
        root = package.xml("content.xml")
        body = child(root, "office:body")
        if body is None:
            raise Unextracted(Failure.BROKEN, "it has no content part")
        composer = Composer()
        reading = _Reading(composer, _levels(root, package.xml("styles.xml")))
        deck = child(body, "office:presentation")
        if deck is None:
            reading.blocks(body)
            reading.asides()
        else:
            _slides(deck, reading, composer)
        head = package.open_head()
        found = composer.extracted(head if head.title else replace(head, title=composer.leading_heading))
        return replace(found, pictures=_pictures(body), private=package.private())


@dataclass(slots=True)
class _Line:
    """The text of a paragraph so far, and the shapes that are anchored in it."""

    parts: list[str] = field(default_factory=list)
    shapes: list[Element] = field(default_factory=list)


class _Reading:
    """One document being read. ``levels`` are those of the styles that are headings."""

    def __init__(self, composer: Composer, levels: Mapping[str, int]) -> None:
        self._composer = composer
        self._levels = levels
        self._asides: list[Element] = []

    def blocks(self, elements: Iterable[Element], *, listed: bool = False) -> None:
        """Elements with everything below them, as items of a list if they stand in one."""
        for element in elements:
            name = prefixed(element.tag)
            if name in ("text:p", "text:h"):
                self._paragraph(element, name, listed)
            elif name in ("text:list-item", "text:list-header"):
                self.blocks(element, listed=True)
            elif name == "table:table":
                self._table(element)
            elif name in _ASIDE:
                self._asides.append(element)
            elif name not in _LEFT_OUT:
                self.blocks(element, listed=listed)

    def asides(self) -> None:
        """The notes and comments met since the last call, in their order."""
        # Those that stand in notes come behind them: the list grows meanwhile.
        for element in self._asides:
            body = child(element, "text:note-body")
            self.blocks(element if body is None else body)
        self._asides.clear()

    def heading(self, parent: Element) -> None:
        """All text of a shape, as the heading of a slide."""
        self._composer.heading(self._words(parent, []), 1)

    def _paragraph(self, element: Element, name: str, listed: bool) -> None:
        line = _Line()
        self._gather(element, line)
        text = "".join(line.parts)
        level = self._levels.get(attribute(element, "style-name"))
        if name == "text:h":
            self._composer.heading(text, number(element, "outline-level", 1))
        elif level is not None:
            # LibreOffice writes headings with a page style of their own as paragraphs.
            self._composer.heading(text, level)
        elif listed:
            self._composer.item(text)
        else:
            self._composer.paragraph(text)
        for shape in line.shapes:
            self.blocks(shape)

    def _gather(self, element: Element, line: _Line) -> None:
        """The text of a paragraph; what stands beside it is kept apart."""
        line.parts.append(element.text or "")
        for below in element:
            name = prefixed(below.tag)
            if name in ("text:s", "text:tab"):
                line.parts.append(" ")
            elif name == "text:line-break":
                line.parts.append("\n")
            elif name in _ASIDE:
                self._asides.append(below)
            elif name in _SHAPES:
                line.shapes.append(below)
            elif name not in _LEFT_OUT:
                self._gather(below, line)
            line.parts.append(below.tail or "")

    def _words(self, parent: Element, tables: list[Element]) -> str:
        """The text of all paragraphs below an element, boxes in them too; tables are kept apart."""
        parts: list[str] = []
        for element in parent:
            name = prefixed(element.tag)
            if name in ("text:p", "text:h"):
                line = _Line()
                self._gather(element, line)
                parts += "".join(line.parts), *(self._words(shape, tables) for shape in line.shapes)
            elif name == "table:table":
                tables.append(element)
            elif name in _ASIDE:
                self._asides.append(element)
            elif name not in _LEFT_OUT:
                parts.append(self._words(element, tables))
        return " ".join(part for part in parts if part)

    def _table(self, element: Element) -> None:
        rows = list(_rows(element))
        if all(len(cells) <= 1 for cells, _ in rows):
            # One column is a frame around text, not a table.
            for cells, _ in rows:
                for cell in cells:
                    self.blocks(cell)
            return
        table = self._composer.table()
        for cells, header in rows:
            self._row(table, cells, header)

    def _row(self, table: Table, cells: list[Element], header: bool) -> None:
        texts: list[str] = []
        inner: list[Element] = []
        for cell in cells:
            covered = prefixed(cell.tag) == "table:covered-table-cell"
            columns = min(max(number(cell, "number-columns-repeated", 1), 1), _MOST_REPEATED)
            texts += ["" if covered else self._words(cell, inner)] * columns
        table.row(texts, header=header or None)
        for element in inner:
            self._table(element)


def _pictures(body: Element) -> int:
    """How many pictures it shows; one that comes again counts once, one that stands for a chart or a formula never."""
    shown = {attribute(image, "href") for image in every(body, "draw:image")}
    return sum(not name.removeprefix("./").startswith("ObjectReplacements/") for name in shown)


def _slides(deck: Element, reading: _Reading, composer: Composer) -> None:
    """Each slide: its title, its other shapes from top to bottom, its comments, its notes."""
    for slide, page in enumerate((page for page in deck if prefixed(page.tag) == "draw:page"), 1):
        composer.place({"slide": slide})
        shapes = [shape for shape in page if attribute(shape, "class") not in _FURNITURE]
        for shape in shapes:
            if attribute(shape, "class") == "title":
                reading.heading(shape)
        others = [shape for shape in shapes if attribute(shape, "class") != "title"]
        for shape in in_reading_order(others, [_place(shape) for shape in others], _SAME_ROW):
            reading.blocks([shape])
        reading.asides()
        notes = child(page, "presentation:notes")
        composer.place({"slide": slide, "part": "notes"})
        for frame in every(notes, "draw:frame"):
            if attribute(frame, "class") == "notes":
                reading.blocks(frame)


def _place(shape: Element) -> tuple[float, float] | None:
    """Left and top in centimetres."""
    left, top = _LENGTH.fullmatch(attribute(shape, "x")), _LENGTH.fullmatch(attribute(shape, "y"))
    if left is None or top is None:
        return None
    return float(left[1]) * _CENTIMETRES[left[2] or "cm"], float(top[1]) * _CENTIMETRES[top[2] or "cm"]


def _rows(table: Element, header: bool = False) -> Iterator[tuple[list[Element], bool]]:
    """The cells of each row, and whether it says that it is a header."""
    for element in table:
        name = prefixed(element.tag)
        if name == "table:table-row":
            cells = [cell for cell in element if prefixed(cell.tag) in _CELLS]
            yield cells, header
        elif name in _ROW_GROUPS:
            yield from _rows(element, header or name == "table:table-header-rows")


def _levels(*roots: Element | None) -> dict[str, int]:
    """The styles of paragraphs that are headings, by themselves or by the style they are based on, from 1."""
    based_on: dict[str, str] = {}
    levels = {_TITLE: 1}
    for root in roots:
        for style in every(root, "style:style"):
            name = attribute(style, "name")
            based_on[name] = attribute(style, "parent-style-name")
            named = _HEADING_NAME.fullmatch(name)
            level = number(style, "default-outline-level", int(named[1]) if named is not None else 0)
            if level > 0:
                levels[name] = level
    for style in based_on:
        chain = [style]
        while len(chain) < _MOST_STYLES and chain[-1] and chain[-1] not in levels:
            chain.append(based_on.get(chain[-1], ""))
        if chain[-1] in levels:
            levels.update(dict.fromkeys(chain, levels[chain[-1]]))
    return levels
