"""PowerPoint decks: slide by slide, the title first, then what stands on it from top to bottom, then the notes.

Left out is what a layout repeats on every slide: dates, footers, numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composing import Composer, in_reading_order
from lens_lsp.documents.readers.package import Element, Package, attribute, child, children, every, number, prefixed
from lens_lsp.model.documents import Locator

_TITLE = "title"
_BODY = "body"
_NO_PLACEHOLDER = "none"
_LIKE = {"ctrTitle": _TITLE, "subTitle": _BODY, "obj": _BODY, "": _BODY}
"""The placeholder of a master that others take their place from."""
_FURNITURE = frozenset({"dt", "ftr", "hdr", "sldNum"})
_LISTS = frozenset({"", "body", "obj"})
"""Placeholders whose paragraphs are items of a list unless they say otherwise."""
_SHAPES = frozenset({"p:sp", "p:grpSp", "p:graphicFrame"})
_BULLETS = frozenset({"a:buChar", "a:buAutoNum", "a:buBlip"})
_SAME_ROW = 228_600
"""English metric units, a quarter of an inch: shapes whose tops are as near are read from left to right."""
_Places = dict[str, tuple[float, float]]
"""Left and top of a layout's placeholders, by index and by kind."""


class PptxReader:
    """``.pptx`` and ``.pptm``."""

    def extract(self, data: bytes) -> Extracted:
        """All slides, hidden ones too: ``{"slide": 4}``, and ``{"slide": 4, "part": "notes"}`` for what is said."""
        package = Package(data)
        main = package.related("", "officeDocument") or "ppt/presentation.xml"
        root = package.xml(main)
        if root is None:
            raise Unextracted(Failure.BROKEN, "it has no presentation part")
        reading = _Reading(package)
        relations = package.relations(main)
        listed = child(root, "p:sldIdLst")
        for slide, element in enumerate(listed if listed is not None else (), 1):
            relation = relations.get(_relation_id(element))
            if relation is not None:
                reading.slide(slide, relation.target)
        head = package.office_head()
        found = reading.composer.extracted(
            head if head.title else replace(head, title=reading.composer.leading_heading)
        )
        return replace(found, pictures=reading.pictures, private=package.private())


class _Reading:
    """One deck being read."""

    def __init__(self, package: Package) -> None:
        self.composer = Composer()
        self.pictures = 0
        self._package = package
        self._layouts: dict[str, _Places] = {}
        self._layout: _Places = {}
        """Of the slide that is being read."""
        self._diagrams: dict[str, str] = {}
        """The data parts of its diagrams, by relation."""

    def slide(self, slide: int, part: str) -> None:
        """Its shapes and notes; a slide whose part is missing keeps its number."""
        tree = child(self._package.xml(part), "p:cSld", "p:spTree")
        if tree is None:
            return
        place: Locator = {"slide": slide}
        self.composer.place(place)
        relations = self._package.relations(part)
        self.pictures += self._package.pictures(part)
        self._diagrams = {key: found.target for key, found in relations.items() if found.kind == "diagramData"}
        parts = {found.kind: found.target for found in relations.values()}
        self._layout = self._places(parts.get("slideLayout"))
        self._shapes(tree)
        if "notesSlide" in parts:
            self.composer.place({**place, "part": "notes"})
            for shape in every(self._package.xml(parts["notesSlide"]), "p:sp"):
                if _placeholder(shape)[0] == _BODY:
                    self._paragraphs(child(shape, "p:txBody"), listed=False)

    def _places(self, part: str | None) -> _Places:
        """Where a layout puts its placeholders, or its master those that it leaves alone."""
        if part is None:
            return {}
        if part not in self._layouts:
            # A layout that is its own master finds nothing there.
            found = self._layouts[part] = {}
            master = self._places(self._package.related(part, "slideMaster"))
            for shape in every(self._package.xml(part), "p:sp"):
                kind, index = _placeholder(shape)
                place = _own_place(shape) or master.get(_LIKE.get(kind, kind))
                if kind != _NO_PLACEHOLDER and place is not None:
                    found.setdefault(index, place)
                    found.setdefault(_LIKE.get(kind, kind), place)
        return self._layouts[part]

    def _shapes(self, parent: Element) -> None:
        """The shapes of a slide or group."""
        shapes: list[Element] = []
        places: list[tuple[float, float] | None] = []
        for shape in _shapes(parent):
            kind, index = _placeholder(shape)
            if _LIKE.get(kind, kind) == _TITLE:
                self.composer.heading(_words(child(shape, "p:txBody")), 1)
            elif kind not in _FURNITURE:
                place = _own_place(shape)
                if place is None and kind != _NO_PLACEHOLDER:
                    place = self._layout.get(index) or self._layout.get(_LIKE.get(kind, kind))
                shapes.append(shape)
                places.append(place)
        for shape in in_reading_order(shapes, places, _SAME_ROW):
            self._shape(shape)

    def _shape(self, shape: Element) -> None:
        name = prefixed(shape.tag)
        if name == "p:grpSp":
            self._shapes(shape)
        elif name == "p:sp":
            self._paragraphs(child(shape, "p:txBody"), listed=_placeholder(shape)[0] in _LISTS)
        else:
            for element in children(child(shape, "a:graphic", "a:graphicData"), "a:tbl"):
                self._table(element)
            for element in children(child(shape, "a:graphic", "a:graphicData"), "dgm:relIds"):
                part = self._diagrams.get(attribute(element, "dm"))
                for words in every(self._package.xml(part), "dgm:t") if part is not None else ():
                    self._paragraphs(words, listed=True)

    def _paragraphs(self, body: Element | None, *, listed: bool) -> None:
        for paragraph in children(body, "a:p"):
            properties = child(paragraph, "a:pPr")
            marks = {prefixed(mark.tag) for mark in properties} if properties is not None else set()
            if marks & _BULLETS or (listed and "a:buNone" not in marks):
                self.composer.item(_text(paragraph))
            else:
                self.composer.paragraph(_text(paragraph))

    def _table(self, element: Element) -> None:
        table = self.composer.table()
        for row in children(element, "a:tr"):
            table.row([_words(child(cell, "a:txBody")) for cell in children(row, "a:tc")])


def _shapes(parent: Element) -> Iterator[Element]:
    """The shapes right below a tree or group; of alternatives the first, which the newest program shows."""
    for element in parent:
        name = prefixed(element.tag)
        if name in _SHAPES:
            yield element
        elif name == "mc:AlternateContent":
            chosen = child(element, "mc:Choice")
            if chosen is not None:
                yield from _shapes(chosen)


def _placeholder(shape: Element) -> tuple[str, str]:
    """The kind and index of the placeholder that a shape fills."""
    for properties in shape:
        found = child(properties, "p:nvPr", "p:ph")
        if found is not None:
            return attribute(found, "type"), attribute(found, "idx")
    return _NO_PLACEHOLDER, ""


def _own_place(shape: Element) -> tuple[float, float] | None:
    """Left and top as the shape itself says, in English metric units."""
    for way in (("p:spPr", "a:xfrm"), ("p:grpSpPr", "a:xfrm"), ("p:xfrm",)):
        offset = child(shape, *way, "a:off")
        if offset is not None:
            return number(offset, "x", 0), number(offset, "y", 0)
    return None


def _words(body: Element | None) -> str:
    return " ".join(_text(paragraph) for paragraph in children(body, "a:p"))


def _text(paragraph: Element) -> str:
    parts: list[str] = []
    _gather(paragraph, parts)
    return "".join(parts)


def _gather(element: Element, parts: list[str]) -> None:
    for below in element:
        name = prefixed(below.tag)
        if name in ("a:t", "m:t"):
            parts.append(below.text or "")
        elif name == "a:br":
            parts.append("\n")
        elif name != "mc:Fallback":
            _gather(below, parts)


def _relation_id(element: Element) -> str:
    """The relation that an entry of the slide list names; its attribute without a namespace is a number."""
    return next((str(value) for key, value in element.attrib.items() if key.endswith("}id")), "")
