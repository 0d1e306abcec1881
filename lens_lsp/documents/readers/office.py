"""Readers of office files, zips of XML parts: Word (DOCX), PowerPoint (PPTX) and OpenDocument (ODT, ODP).

Only the parts that are asked for are unpacked, each within a bound; pictures never are. Not python-docx or python-pptx:
both refuse files of the ISO-strict kind, and python-docx those with a relation to a part that is missing. Read is what
a person reads in the window, in its order. Left out is what the window does not show (deleted and hidden text, field
codes), what stands on every page or slide, and tables of contents, whose lines all come again as headings.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import TypeAlias

from lxml import etree

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composer import TableComposer, TextComposer, head_of, in_reading_order
from lens_lsp.model.documents import Head, Locator
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import of_metadata

Element: TypeAlias = etree._Element
MOST_PART = 64_000_000
"""Bytes of one unpacked part."""
MOST_PARTS = 128_000_000
"""Bytes of all parts that are unpacked for one document."""
_NAMES = ("name", "property")
_LONGEST_PROPERTY = 2000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_PROPERTIES = (
    ("core-properties", "docProps/core.xml"),
    ("", "meta.xml"),
    ("custom-properties", "docProps/custom.xml"),
    ("extended-properties", "docProps/app.xml"),
)
"""Parts with metadata: the kind of relation that names one, and where it is without such a relation."""
_OFFICE, _STRICT = "http://schemas.openxmlformats.org/", "http://purl.oclc.org/ooxml/"
_ODF = "urn:oasis:names:tc:opendocument:xmlns:"
_MAIN = {"wordprocessingml": "w", "presentationml": "p", "spreadsheetml": "x", "drawingml": "a"}
_PREFIXES = {
    **{f"{_OFFICE}{name}/2006/main": prefix for name, prefix in _MAIN.items()},
    **{f"{_STRICT}{name}/main": prefix for name, prefix in _MAIN.items()},
    **{f"{base}/math": "m" for base in (f"{_OFFICE}officeDocument/2006", f"{_STRICT}officeDocument")},
    f"{_OFFICE}drawingml/2006/diagram": "dgm",
    f"{_STRICT}drawingml/diagram": "dgm",
    f"{_OFFICE}markup-compatibility/2006": "mc",
    **{f"{_ODF}{name}:1.0": name for name in ("office", "text", "table", "presentation", "style", "meta")},
    f"{_ODF}drawing:1.0": "draw",
    "http://purl.org/dc/elements/1.1/": "dc",
    f"{_OFFICE}package/2006/metadata/core-properties": "cp",
}
_WORD_HEADING = regex(r"heading ([1-9])")
_CONTENTS_NAME = regex(r"toc [1-9]")
_BODY_LEVEL = 9
"""The outline level, from 0, of what is no heading."""
_MOST_COLUMNS = 63
"""Of a table, in Word."""
_MOST_STYLES = 20
"""As long as a chain of styles is followed; Word allows 11."""
_OFF = frozenset({"0", "false", "off", "none"})
_WORD_LEFT_OUT = frozenset(
    {"w:del", "w:moveFrom", "w:instrText", "w:delText", "w:delInstrText", "w:rt", "mc:Fallback"}
    | {f"w:{part}Pr" for part in ("p", "r", "sect", "tbl", "tr", "tc", "sdt")}
)
_SHOWN_AS = {"w:tab": " ", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-", "w:ptab": " "}
_NOTES = (("footnotes", "w:footnote"), ("endnotes", "w:endnote"), ("comments", "w:comment"))
_TITLE_PLACEHOLDER = "title"
_BODY = "body"
_NO_PLACEHOLDER = "none"
_LIKE = {"ctrTitle": _TITLE_PLACEHOLDER, "subTitle": _BODY, "obj": _BODY, "": _BODY}
"""The placeholder of a master that others take their place from."""
_SLIDE_FURNITURE = frozenset({"dt", "ftr", "hdr", "sldNum"})
_LISTS = frozenset({"", "body", "obj"})
"""Placeholders whose paragraphs are items of a list unless they say otherwise."""
_SLIDE_SHAPES = frozenset({"p:sp", "p:grpSp", "p:graphicFrame"})
_BULLETS = frozenset({"a:buChar", "a:buAutoNum", "a:buBlip"})
_SAME_ROW_EMU = 228_600
"""English metric units, a quarter of an inch: shapes whose tops are as near are read from left to right."""
_Places = dict[str, tuple[float, float]]
"""Left and top of a layout's placeholders, by index and by kind."""
_TITLE = "Title"
"""The style of a document's title, by the name that it has in files in every language."""
_HEADING_NAME = regex(r"Heading_20_([1-9]|10)")
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
_LENGTH = regex(r"(-?\d{1,9}(?:\.\d{1,9})?)(cm|mm|in|pt|pc|px)?")
_CENTIMETRES = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72, "pc": 2.54 / 6, "px": 2.54 / 96}
_SAME_ROW_CM = 0.6
"""Centimetres: shapes whose tops are as near are read from left to right."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part of an Office file names: ``kind`` is the last word of its type, ``target`` a part's name."""

    kind: str
    target: str


class Package:
    """The parts of one file. Raises `Unextracted` for what is no such file, needs a password or unpacks to too much."""

    def __init__(self, data: bytes) -> None:
        refuse_encrypted(data)
        if data.startswith(_OLE):
            raise Unextracted(Failure.BROKEN, "a file of the old binary kind; save it in the format that its name says")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except zipfile.BadZipFile as error:
            raise Unextracted(Failure.BROKEN, "it is no zip archive") from error
        # Names of parts are equal in either case; some writers begin them with a slash or write them with backslashes.
        self._members = {_part_name(member.filename): member for member in self._zip.infolist()}
        self._left = MOST_PARTS

    def part(self, name: str) -> bytes | None:
        """The bytes of a part, ``None`` when there is none of this name."""
        member = self._members.get(_part_name(name))
        if member is None:
            return None
        if member.flag_bits & 1:
            raise Unextracted(Failure.ENCRYPTED)
        most = min(MOST_PART, self._left)
        with self._zip.open(member) as stream:
            data = stream.read(most + 1)
        if len(data) > most:
            raise Unextracted(Failure.TOO_LARGE, f"{name} unpacks to more than is read")
        self._left -= len(data)
        return data

    def xml(self, name: str) -> Element | None:
        """The root of a part, ``None`` when there is none of this name; raises what lxml raises on broken XML."""
        data = self.part(name)
        return None if data is None else parsed(data)

    def relations(self, name: str = "") -> dict[str, Relation]:
        """What a part names, by identifier; what the package itself names without a name."""
        folder, base = posixpath.split(name)
        root = self.xml(posixpath.join(folder, "_rels", f"{base}.rels"))
        found: dict[str, Relation] = {}
        for element in root if root is not None else ():
            if attribute(element, "TargetMode") != "External":
                target = posixpath.normpath(posixpath.join("/", folder, attribute(element, "Target")))
                found[attribute(element, "Id")] = Relation(attribute(element, "Type").rpartition("/")[2], target)
        return found

    def pictures(self, name: str) -> int:
        """How many pictures a part of an Office file shows; one that comes again counts once."""
        named = {_part_name(found.target) for found in self.relations(name).values() if found.kind == "image"}
        return sum(part in self._members for part in named)

    def related(self, name: str, kind: str) -> str | None:
        """The first part of a kind that a part names, ``None`` when there is none."""
        targets = (relation.target for relation in self.relations(name).values() if relation.kind == kind)
        return next((target for target in targets if _part_name(target) in self._members), None)

    def refuse_password(self) -> None:
        """Raise `Unextracted` when parts of an OpenDocument file are encrypted."""
        if b"encryption-data" in (self.part("META-INF/manifest.xml") or b""):
            raise Unextracted(Failure.ENCRYPTED)

    def head(self) -> Head:
        """What its metadata says about the document."""
        return _head(next(iter(self._metadata()), None))

    def private(self) -> str | None:
        """How its properties, its own and those of users, say ``lens: private``."""
        return of_metadata(pair for root in self._metadata() for pair in properties(root))

    def extracted(self, composer: TextComposer, pictures: int) -> Extracted:
        """The text of the document with its title, else its first heading, and what its metadata says."""
        return replace(composer.extracted(self.head(), titled=True), pictures=pictures, private=self.private())

    def _metadata(self) -> Iterator[Element]:
        """The roots of its metadata: the core properties or the OpenDocument ones first, then those of users."""
        for kind, name in _PROPERTIES:
            root = self.xml((kind and self.related("", kind)) or name)
            if root is not None:
                yield root


def refuse_encrypted(data: bytes) -> None:
    """Raise `Unextracted` for an Office file with a password, which comes in the container of the old binary kinds."""
    if data.startswith(_OLE) and _ENCRYPTED_STREAM in data:
        raise Unextracted(Failure.ENCRYPTED)


def parsed(data: bytes) -> Element:
    """The root of some XML. Nothing outside is fetched, and what declares its own entities is refused."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    root = etree.fromstring(data, parser)
    if root.getroottree().docinfo.doctype:
        raise Unextracted(Failure.BROKEN, "it declares a document type of its own")
    return root


@lru_cache(maxsize=4096)
def prefixed(tag: str) -> str:
    """The name of an element with the prefix that everybody gives its namespace, ``"w:p"``; strict files alike."""
    namespace, _, name = tag[1:].rpartition("}")
    return f"{_PREFIXES.get(namespace, '')}:{name}" if namespace else tag


def attribute(element: Element, name: str) -> str:
    """The attribute of this name in whatever namespace, empty when there is none."""
    for key, value in element.attrib.items():
        if key == name or (key.endswith(name) and key[-len(name) - 1] == "}"):
            return str(value)
    return ""


def number(element: Element, name: str, default: int) -> int:
    """The attribute as a whole number, the default when it is none."""
    value = attribute(element, name)
    return int(value) if value.lstrip("-").isdecimal() and len(value) < 16 else default


def children(element: Element | None, name: str) -> Iterator[Element]:
    """The elements of a name right below one."""
    for below in element if element is not None else ():
        if prefixed(below.tag) == name:
            yield below


def child(element: Element | None, *names: str) -> Element | None:
    """The element at the end of a way down through first children of these names."""
    for name in names:
        element = next(children(element, name), None)
    return element


def every(element: Element | None, name: str) -> Iterator[Element]:
    """All elements of a name below one, in document order."""
    for below in element.iter() if element is not None else ():
        if prefixed(below.tag) == name:
            yield below


def properties(root: Element) -> Iterator[tuple[str, str]]:
    """Names and values of metadata: elements with a text, named by an attribute where they have one that names."""
    for element in root.iter():
        if isinstance(element.tag, str):
            named = next((attribute(element, key) for key in _NAMES if attribute(element, key)), "")
            value = (
                attribute(element, "content") or "".join(str(text) for text in element.itertext())[:_LONGEST_PROPERTY]
            )
            yield named or element.tag.rpartition("}")[2], value


def _part_name(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _head(root: Element | None) -> Head:
    said: dict[str, list[str]] = {}
    for element in root.iter() if root is not None else ():
        said.setdefault(prefixed(element.tag), []).append(element.text or "")
    keywords = [*said.get("cp:keywords", ()), *said.get("meta:keyword", ())]
    title = next(iter(said.get("dc:title", ())), None)
    return head_of(title, [*said.get("dc:subject", ()), *said.get("dc:description", ())], ",".join(keywords))


def _put_table(
    rows: Sequence[tuple[list[Element], bool]],
    composer: TextComposer,
    blocks: Callable[[Iterable[Element]], None],
    row: Callable[[TableComposer, list[Element], bool], None],
) -> None:
    """Compose a table row by row; ``blocks`` takes its cells where it is one column, a frame around text."""
    if all(len(cells) <= 1 for cells, _ in rows):
        for cells, _ in rows:
            for cell in cells:
                blocks(cell)
        return
    table = composer.table()
    for cells, header in rows:
        row(table, cells, header)


class DocxReader:
    """``.docx`` and its kin. Footnotes, endnotes and comments are paragraphs behind the text."""

    def extract(self, data: bytes) -> Extracted:
        """All of the document; its places have no locators, because only a layout has pages."""
        package = Package(data)
        main = package.related("", "officeDocument") or "word/document.xml"
        body = child(package.xml(main), "w:body")
        if body is None:
            raise Unextracted(Failure.BROKEN, "it has no text part")
        composer = TextComposer()
        styles = package.related(main, "styles")
        reading = _WordText(composer, _styles(package.xml(styles) if styles is not None else None))
        reading.blocks(body)
        for kind, name in _NOTES:
            part = package.related(main, kind)
            for note in every(package.xml(part), name) if part is not None else ():
                if not attribute(note, "type").lower().endswith("separator"):
                    reading.blocks(note)
        return package.extracted(composer, package.pictures(main))


@dataclass(slots=True)
class _WordStyle:
    """What a paragraph style says; ``None`` where the style it is based on decides."""

    based_on: str = ""
    level: int | None = None
    listed: bool | None = None
    contents: bool = False


@dataclass(slots=True)
class _OfficeLine:
    """The text of a paragraph so far, and the shapes that are anchored in it."""

    parts: list[str] = field(default_factory=list)
    shapes: list[Element] = field(default_factory=list)


class _WordText:
    """Puts the text of a Word document together."""

    def __init__(self, composer: TextComposer, styles: dict[str, _WordStyle]) -> None:
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
            elif name not in _WORD_LEFT_OUT:
                self.blocks(element)

    def _paragraph(self, paragraph: Element) -> None:
        line = _OfficeLine()
        _gather_word(paragraph, line)
        style = self._style(child(paragraph, "w:pPr"))
        text = "".join(line.parts)
        if style.level is not None and style.level < _BODY_LEVEL:
            self._composer.heading(text, style.level + 1)
        elif style.listed:
            self._composer.item(text)
        elif not style.contents:
            self._composer.paragraph(text)
        for box in line.shapes:
            self.blocks(box)

    def _style(self, properties: Element | None) -> _WordStyle:
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
        _put_table(list(_word_rows(element)), self._composer, self.blocks, self._row)

    def _row(self, table: TableComposer, cells: list[Element], header: bool) -> None:
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


def _styles(root: Element | None) -> dict[str, _WordStyle]:
    found: dict[str, _WordStyle] = {}
    for element in root if root is not None else ():
        if prefixed(element.tag) != "w:style":
            continue
        style = _said(child(element, "w:pPr"))
        based_on, named = child(element, "w:basedOn"), child(element, "w:name")
        style.based_on = attribute(based_on, "val") if based_on is not None else ""
        name = attribute(named, "val").lower() if named is not None else ""
        heading = _WORD_HEADING.fullmatch(name)
        if heading is not None:
            style.level = int(heading[1]) - 1
        elif name == "title":
            style.level = 0
        style.contents = _CONTENTS_NAME.fullmatch(name) is not None
        found[attribute(element, "styleId")] = style
    return found


def _said(properties: Element | None) -> _WordStyle:
    level = child(properties, "w:outlineLvl")
    numbering = child(properties, "w:numPr")
    instance = child(numbering, "w:numId")
    return _WordStyle(
        level=number(level, "val", _BODY_LEVEL) if level is not None else None,
        listed=(attribute(instance, "val") != "0" if instance is not None else True) if numbering is not None else None,
    )


def _gather_word(element: Element, line: _OfficeLine) -> None:
    """The text of a paragraph's runs; what stands in boxes is kept apart."""
    for below in element:
        name = prefixed(below.tag)
        if name in ("w:t", "m:t"):
            line.parts.append(below.text or "")
        elif name in _SHOWN_AS:
            line.parts.append(_SHOWN_AS[name])
        elif name == "w:txbxContent":
            line.shapes.append(below)
        elif name not in _WORD_LEFT_OUT and not (name == "w:r" and _hidden(below)):
            _gather_word(below, line)


def _gather_cell(element: Element, parts: list[str], below: list[Element]) -> None:
    """The paragraphs of a cell; tables and boxes in it come below its row."""
    for inner in element:
        name = prefixed(inner.tag)
        if name == "w:p":
            line = _OfficeLine()
            _gather_word(inner, line)
            parts.append("".join(line.parts))
            below += line.shapes
        elif name == "w:tbl":
            below.append(inner)
        elif name not in _WORD_LEFT_OUT:
            _gather_cell(inner, parts, below)


def _word_rows(table: Element) -> Iterator[tuple[list[Element], bool]]:
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
        elif found not in _WORD_LEFT_OUT:
            yield from _inner(element, name)


def _continues(properties: Element | None) -> bool:
    """Whether a cell is hidden by the one above that it is merged into."""
    merge = child(properties, "w:vMerge")
    return merge is not None and attribute(merge, "val") != "restart"


def _hidden(run: Element) -> bool:
    return _is_on(child(run, "w:rPr", "w:vanish"))


def _is_on(switch: Element | None) -> bool:
    return switch is not None and attribute(switch, "val").lower() not in _OFF


class PptxReader:
    """``.pptx`` and ``.pptm``."""

    def extract(self, data: bytes) -> Extracted:
        """All slides, hidden ones too: ``{"slide": 4}``, and ``{"slide": 4, "part": "notes"}`` for what is said."""
        package = Package(data)
        main = package.related("", "officeDocument") or "ppt/presentation.xml"
        root = package.xml(main)
        if root is None:
            raise Unextracted(Failure.BROKEN, "it has no presentation part")
        reading = _Deck(package)
        relations = package.relations(main)
        listed = child(root, "p:sldIdLst")
        for slide, element in enumerate(listed if listed is not None else (), 1):
            relation = relations.get(_relation_id(element))
            if relation is not None:
                reading.slide(slide, relation.target)
        return package.extracted(reading.composer, reading.pictures)


class _Deck:
    """Puts the text of a PowerPoint deck together, slide by slide."""

    def __init__(self, package: Package) -> None:
        self.composer = TextComposer()
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
            if _LIKE.get(kind, kind) == _TITLE_PLACEHOLDER:
                self.composer.heading(_slide_words(child(shape, "p:txBody")), 1)
            elif kind not in _SLIDE_FURNITURE:
                place = _own_place(shape)
                if place is None and kind != _NO_PLACEHOLDER:
                    place = self._layout.get(index) or self._layout.get(_LIKE.get(kind, kind))
                shapes.append(shape)
                places.append(place)
        for shape in in_reading_order(shapes, places, _SAME_ROW_EMU):
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
                self.composer.item(_slide_text(paragraph))
            else:
                self.composer.paragraph(_slide_text(paragraph))

    def _table(self, element: Element) -> None:
        table = self.composer.table()
        for row in children(element, "a:tr"):
            table.row([_slide_words(child(cell, "a:txBody")) for cell in children(row, "a:tc")])


def _shapes(parent: Element) -> Iterator[Element]:
    """The shapes right below a tree or group; of alternatives the first, which the newest program shows."""
    for element in parent:
        name = prefixed(element.tag)
        if name in _SLIDE_SHAPES:
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


def _slide_words(body: Element | None) -> str:
    return " ".join(_slide_text(paragraph) for paragraph in children(body, "a:p"))


def _slide_text(paragraph: Element) -> str:
    parts: list[str] = []
    _gather_slide(paragraph, parts)
    return "".join(parts)


def _gather_slide(element: Element, parts: list[str]) -> None:
    for below in element:
        name = prefixed(below.tag)
        if name in ("a:t", "m:t"):
            parts.append(below.text or "")
        elif name == "a:br":
            parts.append("\n")
        elif name != "mc:Fallback":
            _gather_slide(below, parts)


def _relation_id(element: Element) -> str:
    """The relation that an entry of the slide list names; its attribute without a namespace is a number."""
    return next((str(value) for key, value in element.attrib.items() if key.endswith("}id")), "")


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
        composer = TextComposer()
        reading = _OpenText(composer, _levels(root, package.xml("styles.xml")))
        deck = child(body, "office:presentation")
        if deck is None:
            reading.blocks(body)
            reading.asides()
        else:
            _slides(deck, reading, composer)
        return package.extracted(composer, _pictures(body))


class _OpenText:
    """Puts the text of an OpenDocument file together. ``levels`` are those of the styles that are headings."""

    def __init__(self, composer: TextComposer, levels: Mapping[str, int]) -> None:
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
        line = _OfficeLine()
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

    def _gather(self, element: Element, line: _OfficeLine) -> None:
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
                line = _OfficeLine()
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
        _put_table(list(_rows(element)), self._composer, self.blocks, self._row)

    def _row(self, table: TableComposer, cells: list[Element], header: bool) -> None:
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


def _slides(deck: Element, reading: _OpenText, composer: TextComposer) -> None:
    """Each slide: its title, its other shapes from top to bottom, its comments, its notes."""
    for slide, page in enumerate((page for page in deck if prefixed(page.tag) == "draw:page"), 1):
        composer.place({"slide": slide})
        shapes = [shape for shape in page if attribute(shape, "class") not in _FURNITURE]
        for shape in shapes:
            if attribute(shape, "class") == "title":
                reading.heading(shape)
        others = [shape for shape in shapes if attribute(shape, "class") != "title"]
        for shape in in_reading_order(others, [_place(shape) for shape in others], _SAME_ROW_CM):
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
