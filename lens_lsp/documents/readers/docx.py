"""Word documents: what a person reads in the window, in its order.

Headings are known by outline levels and by the names that styles have in every language of Word. Left out is what the
window does not show (deleted and hidden text, field codes), what stands on every page (headers, footers), and tables
of contents, whose lines all come again as headings. Numbers of lists are not in the file, so they are not in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composing import Composer, Table
from lens_lsp.documents.readers.package import Element, Package, attribute, child, every, number, prefixed

_HEADING_NAME = re.compile(r"heading ([1-9])")
_CONTENTS_NAME = re.compile(r"toc [1-9]")
_BODY_LEVEL = 9
"""The outline level, from 0, of what is no heading."""
_MOST_COLUMNS = 63
"""Of a table, in Word."""
_MOST_STYLES = 20
"""As long as a chain of styles is followed; Word allows 11."""
_OFF = frozenset({"0", "false", "off", "none"})
_LEFT_OUT = frozenset(
    {"w:del", "w:moveFrom", "w:instrText", "w:delText", "w:delInstrText", "w:rt", "mc:Fallback"}
    | {f"w:{name}Pr" for name in ("p", "r", "sect", "tbl", "tr", "tc", "sdt")}
)
_SHOWN_AS = {"w:tab": " ", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-", "w:ptab": " "}
_NOTES = (("footnotes", "w:footnote"), ("endnotes", "w:endnote"), ("comments", "w:comment"))


class DocxReader:
    """``.docx`` and its kin. Footnotes, endnotes and comments are paragraphs behind the text."""

    def extract(self, data: bytes) -> Extracted:
        """All of the document; its places have no locators, because only a layout has pages."""
        package = Package(data)
        main = package.related("", "officeDocument") or "word/document.xml"
        body = child(package.xml(main), "w:body")
        if body is None:
            raise Unextracted(Failure.BROKEN, "it has no text part")
        composer = Composer()
        styles = package.related(main, "styles")
        reading = _Reading(composer, _styles(package.xml(styles) if styles is not None else None))
        reading.blocks(body)
        for kind, name in _NOTES:
            part = package.related(main, kind)
            for note in every(package.xml(part), name) if part is not None else ():
                if not attribute(note, "type").lower().endswith("separator"):
                    reading.blocks(note)
        head = package.office_head()
        found = composer.extracted(head if head.title else replace(head, title=composer.leading_heading))
        return replace(found, pictures=package.pictures(main), private=package.private())


@dataclass(slots=True)
class _Style:
    """What a paragraph style says; ``None`` where the style it is based on decides."""

    based_on: str = ""
    level: int | None = None
    listed: bool | None = None
    contents: bool = False


@dataclass(slots=True)
class _Line:
    """The text of a paragraph so far, and the boxes that are anchored in it."""

    parts: list[str] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)


class _Reading:
    """One document being read."""

    def __init__(self, composer: Composer, styles: dict[str, _Style]) -> None:
        self._composer = composer
        self._styles = styles

    def blocks(self, parent: Element) -> None:
        """Paragraphs and tables, through content controls and tracked insertions."""
        for element in parent:
            name = prefixed(element.tag)
            if name == "w:p":
                self._paragraph(element)
            elif name == "w:tbl":
                self._table(element)
            elif name not in _LEFT_OUT:
                self.blocks(element)

    def _paragraph(self, paragraph: Element) -> None:
        line = _Line()
        _gather(paragraph, line)
        style = self._style(child(paragraph, "w:pPr"))
        text = "".join(line.parts)
        if style.level is not None and style.level < _BODY_LEVEL:
            self._composer.heading(text, style.level + 1)
        elif style.listed:
            self._composer.item(text)
        elif not style.contents:
            self._composer.paragraph(text)
        for box in line.boxes:
            self.blocks(box)

    def _style(self, properties: Element | None) -> _Style:
        """What a paragraph's own properties say, else the style it names, else those it is based on."""
        chosen = child(properties, "w:pStyle")
        style = _said(properties)
        style.based_on = attribute(chosen, "val") if chosen is not None else ""
        for _ in range(_MOST_STYLES):
            below = self._styles.get(style.based_on)
            if below is None:
                break
            style.level = below.level if style.level is None else style.level
            style.listed = below.listed if style.listed is None else style.listed
            style.contents = style.contents or below.contents
            style.based_on = below.based_on
        return style

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
        below: list[Element] = []
        for cell in cells:
            properties = child(cell, "w:tcPr")
            parts: list[str] = []
            if not _continues(properties):
                _gather_cell(cell, parts, below)
            span = child(properties, "w:gridSpan")
            columns = min(max(number(span, "val", 1), 1), _MOST_COLUMNS) if span is not None else 1
            texts += " ".join(parts), *[""] * (columns - 1)
        table.row(texts, header=header or None)
        for element in below:
            if prefixed(element.tag) == "w:tbl":
                self._table(element)
            else:
                self.blocks(element)


def _styles(root: Element | None) -> dict[str, _Style]:
    found: dict[str, _Style] = {}
    for element in root if root is not None else ():
        if prefixed(element.tag) != "w:style":
            continue
        style = _said(child(element, "w:pPr"))
        based_on, named = child(element, "w:basedOn"), child(element, "w:name")
        style.based_on = attribute(based_on, "val") if based_on is not None else ""
        name = attribute(named, "val").lower() if named is not None else ""
        heading = _HEADING_NAME.fullmatch(name)
        if heading is not None:
            style.level = int(heading[1]) - 1
        elif name == "title":
            style.level = 0
        style.contents = _CONTENTS_NAME.fullmatch(name) is not None
        found[attribute(element, "styleId")] = style
    return found


def _said(properties: Element | None) -> _Style:
    level = child(properties, "w:outlineLvl")
    numbering = child(properties, "w:numPr")
    instance = child(numbering, "w:numId")
    return _Style(
        level=number(level, "val", _BODY_LEVEL) if level is not None else None,
        listed=(attribute(instance, "val") != "0" if instance is not None else True) if numbering is not None else None,
    )


def _gather(element: Element, line: _Line) -> None:
    """The text of a paragraph's runs; what stands in boxes is kept apart."""
    for below in element:
        name = prefixed(below.tag)
        if name in ("w:t", "m:t"):
            line.parts.append(below.text or "")
        elif name in _SHOWN_AS:
            line.parts.append(_SHOWN_AS[name])
        elif name == "w:txbxContent":
            line.boxes.append(below)
        elif name not in _LEFT_OUT and not (name == "w:r" and _hidden(below)):
            _gather(below, line)


def _gather_cell(element: Element, parts: list[str], below: list[Element]) -> None:
    """The paragraphs of a cell; tables and boxes in it come below its row."""
    for inner in element:
        name = prefixed(inner.tag)
        if name == "w:p":
            line = _Line()
            _gather(inner, line)
            parts.append("".join(line.parts))
            below += line.boxes
        elif name == "w:tbl":
            below.append(inner)
        elif name not in _LEFT_OUT:
            _gather_cell(inner, parts, below)


def _rows(table: Element) -> Iterator[tuple[list[Element], bool]]:
    """The cells of each row that is not deleted, and whether it says that it is a header."""
    for row in _inner(table, "w:tr"):
        properties = child(row, "w:trPr")
        if child(properties, "w:del") is None:
            yield list(_inner(row, "w:tc")), _is_on(child(properties, "w:tblHeader"))


def _inner(parent: Element, name: str) -> Iterator[Element]:
    """The elements of a name, also in content controls."""
    for element in parent:
        found = prefixed(element.tag)
        if found == name:
            yield element
        elif found not in _LEFT_OUT:
            yield from _inner(element, name)


def _continues(properties: Element | None) -> bool:
    """Whether a cell is hidden by the one above that it is merged into."""
    merge = child(properties, "w:vMerge")
    return merge is not None and attribute(merge, "val") != "restart"


def _hidden(run: Element) -> bool:
    return _is_on(child(run, "w:rPr", "w:vanish"))


def _is_on(switch: Element | None) -> bool:
    return switch is not None and attribute(switch, "val").lower() not in _OFF
