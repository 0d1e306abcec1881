"""Readers of office files, zips of XML parts: Word (DOCX), PowerPoint (PPTX) and OpenDocument (ODT, ODP).

Not python-docx or python-pptx: both refuse files of the ISO-strict kind, and python-docx those with a relation to a
part that is missing. Read is what a person reads in the window, in its order; what stands beside the text is a labelled
line where it stands: ``Comment (Ann): too long``. Headers and footers come once, behind the text. Left out is what the
window does not show (hidden text, field codes), deleted text, which is counted, and tables of contents, whose lines all
come again as headings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composer import TableComposer, TextComposer, in_reading_order
from lens_lsp.documents.readers.office_charts import chart, diagram, open_chart, text_of
from lens_lsp.documents.readers.office_package import (
    Element,
    Package,
    Relation,
    attribute,
    child,
    children,
    every,
    inside,
    number,
    prefixed,
)
from lens_lsp.model.documents import Locator
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex

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
_NOTES = (("footnotes", "w:footnote", "Footnote"), ("endnotes", "w:endnote", "Endnote"))
_NO_NOTE = ("separator", "notice")
_ON_EVERY_PAGE = (("header", "Header"), ("footer", "Footer"))
_DELETED = frozenset({"w:delText", "w:moveFrom"})
_SYMBOLS = {
    "F0FE": "☒",
    "F0FD": "☒",
    "F078": "☒",
    "F0A8": "☐",
    "F06F": "☐",
    "F0FC": "✓",
    "F0E0": "→",
    "F0B7": "•",
}
"""What the boxes, arrows and bullets of the symbol fonts are in everybody's."""
_BESIDE = frozenset({"w:txbxContent", "w:commentReference", "c:chart", "cx:chart", "dgm:relIds", "wp:docPr"})
"""What is anchored in a paragraph and stands beside its text."""
_TITLE_PLACEHOLDER = "title"
_BODY = "body"
_NO_PLACEHOLDER = "none"
_LIKE = {"ctrTitle": _TITLE_PLACEHOLDER, "subTitle": _BODY, "obj": _BODY, "": _BODY}
"""The placeholder of a master that others take their place from."""
_SLIDE_FURNITURE = frozenset({"dt", "ftr", "hdr", "sldNum"})
_LISTS = frozenset({"", "body", "obj"})
"""Placeholders whose paragraphs are items of a list unless they say otherwise."""
_SLIDE_SHAPES = frozenset({"p:sp", "p:grpSp", "p:graphicFrame", "p:pic"})
_FURNITURE_LABELS = {"ftr": "Footer", "hdr": "Header"}
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
        "draw:image",
        "presentation:notes",
    }
)
_ASIDE = frozenset({"text:note", "office:annotation"})
_ABOUT_COMMENTS = frozenset({"dc:creator", "dc:date", "meta:creator-initials"})
_NAMES_OF_PICTURES = frozenset({"svg:title", "svg:desc"})
_FIELDS = frozenset(
    {"form:text", "form:textarea", "form:formatted-text", "form:combobox", "form:date", "form:time", "form:number"}
)
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
    """``.docx`` and its kin. Comments, charts and text boxes stand behind the paragraph they hang on, footnotes and
    endnotes behind the text, headers and footers behind them."""

    def extract(self, data: bytes) -> Extracted:
        """All of the document; its places have no locators, because only a layout has pages."""
        package = Package(data)
        main = package.related("", "officeDocument") or "word/document.xml"
        root = package.xml(main)
        body = child(root, "w:body")
        if body is None:
            raise Unextracted(Failure.BROKEN, "it has no text part")
        composer = TextComposer()
        reading = _WordText(composer, package, main)
        reading.blocks(body)
        notices = []
        for kind, name, label in _NOTES:
            part = package.related(main, kind)
            notes = list(every(package.aside(part), name))
            shown = [note for note in notes if not attribute(note, "type").lower().endswith(_NO_NOTE)]
            for count, note in enumerate(shown, 1):
                reading.labelled(note, f"{label} {count}")
            if any((word.text or "").strip() for note in notes if note not in shown for word in every(note, "w:t")):
                notices.append(
                    f"words that are printed beside {kind}, where one goes on on the next page, were not read"
                )
        reading.rest()
        deleted = sum(1 for each in root.iter() if prefixed(each.tag) in _DELETED) if root is not None else 0
        notices += [f"deleted text that changes are tracked of is left out: {deleted:,}"] if deleted else []
        package.name_embedded(main)
        return package.extracted(composer, package.pictures(main), notices)


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

    def __init__(self, composer: TextComposer, package: Package, main: str) -> None:
        self._composer = composer
        self._package = package
        self._relations = package.relations(main)
        styles = package.related(main, "styles")
        self._styles = _styles(package.xml(styles) if styles is not None else None)
        comments = package.related(main, "comments")
        self._comments = {attribute(comment, "id"): comment for comment in every(package.aside(comments), "w:comment")}

    def labelled(self, parent: Element, label: str) -> None:
        """Paragraphs and tables of a note; its first paragraph says what it is."""
        paragraphs = [*children(parent, "w:p")]
        texts = [self._line(paragraph) for paragraph in paragraphs]
        said = next((at for at, line in enumerate(texts) if "".join(line.parts).strip()), None)
        if said is None or prefixed(parent[0].tag) != "w:p":
            self.blocks(parent)
            return
        self._composer.paragraph(f"{label}: {''.join(texts[said].parts).strip()}")
        self._all_beside(texts[said])
        rest = [each for each in parent if each not in paragraphs[: said + 1]]
        self.blocks(rest)

    def rest(self) -> None:
        """Comments that nothing in the text refers to, and what stands on every page, each line once."""
        for key in list(self._comments):
            self._comment(key)
        for kind, label in _ON_EVERY_PAGE:
            lines: dict[str, None] = {}
            for found in self._relations.values():
                if found.kind == kind:
                    for paragraph in every(self._package.aside(found.target), "w:p"):
                        lines["".join(self._line(paragraph).parts).strip()] = None
            for line in filter(None, lines):
                self._composer.paragraph(f"{label}: {line}")

    def _line(self, paragraph: Element) -> _OfficeLine:
        line = _OfficeLine()
        _gather_word(paragraph, line)
        return line

    def _all_beside(self, line: _OfficeLine) -> None:
        for element in line.shapes:
            self._beside(element)

    def _beside(self, element: Element) -> None:
        """What hangs on a paragraph or stands in a cell beside its text."""
        name = prefixed(element.tag)
        if name == "w:commentReference":
            self._comment(attribute(element, "id"))
        elif name in ("c:chart", "cx:chart"):
            found = self._relations.get(attribute(element, "id"))
            if found is not None:
                chart(self._package, found.target, self._composer)
        elif name == "dgm:relIds":
            found = self._relations.get(attribute(element, "dm"))
            diagram(self._package, None if found is None else found.target, self._composer)
        elif name == "wp:docPr":
            self._composer.paragraph(f"Picture: {attribute(element, 'descr')}")
        elif name == "w:tbl":
            self._table(element)
        else:
            self.blocks(element)

    def _comment(self, key: str) -> None:
        comment = self._comments.pop(key, None)
        if comment is not None:
            author = attribute(comment, "author")
            self.labelled(comment, f"Comment ({author})" if author else "Comment")

    def blocks(self, parent: Iterable[Element]) -> None:
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
        line = self._line(paragraph)
        style = self._style(child(paragraph, "w:pPr"))
        text = "".join(line.parts)
        if style.level is not None and style.level < _BODY_LEVEL:
            self._composer.heading(text, style.level + 1)
        elif style.listed:
            self._composer.item(text)
        elif not style.contents:
            self._composer.paragraph(text)
        self._all_beside(line)

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
            self._beside(element)


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
        elif name == "w:sym":
            line.parts.append(_SYMBOLS.get(attribute(below, "char").upper(), ""))
        elif name in ("w:checkBox", "w:ddList"):
            line.parts.append(_filled_in(below))
        elif name in _BESIDE:
            line.shapes += [below] if name != "wp:docPr" or attribute(below, "descr") else []
        elif name not in _WORD_LEFT_OUT and not (name == "w:r" and _hidden(below)):
            _gather_word(below, line)


def _filled_in(field: Element) -> str:
    """What a box to tick or a list of choices of an old form shows."""
    if prefixed(field.tag) == "w:checkBox":
        ticked = child(field, "w:checked")
        return "☒" if _is_on(child(field, "w:default") if ticked is None else ticked) else "☐"
    chosen = child(field, "w:result")
    entries = [attribute(entry, "val") for entry in children(field, "w:listEntry")]
    at = number(chosen, "val", 0) if chosen is not None else 0
    return entries[at] if 0 <= at < len(entries) else ""


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
        reading = _Deck(package, main)
        relations = package.relations(main)
        listed = child(root, "p:sldIdLst")
        for slide, element in enumerate(listed if listed is not None else (), 1):
            relation = relations.get(_relation_id(element))
            if relation is not None:
                reading.slide(slide, relation.target)
        return package.extracted(reading.composer, reading.pictures)


class _Deck:
    """Puts the text of a PowerPoint deck together, slide by slide."""

    def __init__(self, package: Package, main: str) -> None:
        self.composer = TextComposer()
        self.pictures = 0
        self._package = package
        self._layouts: dict[str, _Places] = {}
        self._layout: _Places = {}
        """Of the slide that is being read."""
        self._parts: Mapping[str, Relation] = {}
        """What the slide names: its charts, the data parts of its diagrams."""
        self._authors = dict(self._named_authors(main))
        self._told: set[str] = set()
        """What stands on every slide and was told already."""

    def _named_authors(self, main: str) -> Iterator[tuple[str, str]]:
        """The names of those who comment, by identifier: of comments of the older kind and of the newer one."""
        for kind, name in (("commentAuthors", "p:cmAuthor"), ("authors", "p188:author")):
            part = self._package.related(main, kind)
            for author in every(self._package.aside(part), name):
                yield attribute(author, "id"), attribute(author, "name")

    def slide(self, slide: int, part: str) -> None:
        """Its shapes and notes; a slide whose part is missing keeps its number."""
        tree = child(self._package.xml(part), "p:cSld", "p:spTree")
        if tree is None:
            return
        place: Locator = {"slide": slide}
        self.composer.place(place)
        relations = self._package.relations(part)
        self.pictures += self._package.pictures(part)
        self._package.name_embedded(part)
        self._parts = relations
        parts = {found.kind: found.target for found in relations.values()}
        self._layout = self._places(parts.get("slideLayout"))
        self._shapes(tree)
        self._behind(parts.get("slideLayout"))
        for found in relations.values():
            if found.kind == "comments":
                self._comments(found.target)
        if "notesSlide" in parts:
            self.composer.place({**place, "part": "notes"})
            for shape in every(self._package.xml(parts["notesSlide"]), "p:sp"):
                if _placeholder(shape)[0] == _BODY:
                    self._paragraphs(child(shape, "p:txBody"), listed=False)

    def _once(self, label: str, words: str) -> None:
        line = f"{label}: {words.strip()}"
        if words.strip() and line not in self._told:
            self._told.add(line)
            self.composer.paragraph(line)

    def _behind(self, layout: str | None) -> None:
        """What a layout and its master show behind the slides that use them."""
        for part in (layout, self._package.related(layout, "slideMaster") if layout else None):
            if part is None or part in self._told:
                continue
            self._told.add(part)
            for shape in every(self._package.aside(part), "p:sp"):
                if _placeholder(shape)[0] == _NO_PLACEHOLDER:
                    self._once("On every slide", _slide_words(child(shape, "p:txBody")))

    def _comments(self, part: str) -> None:
        """The comments on a slide, of the older kind and of the newer one with replies."""
        for comment in inside(self._package.aside(part)):
            for said in (comment, *every(comment, "p188:reply")):
                author = self._authors.get(attribute(said, "authorId"), "")
                body = child(said, "p:text")
                words = (body.text or "") if body is not None else _slide_words(child(said, "p188:txBody"))
                if words.strip():
                    self.composer.paragraph(f"Comment ({author}): {words}" if author else f"Comment: {words}")

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
        furniture: list[tuple[str, str]] = []
        for shape in _shapes(parent):
            kind, index = _placeholder(shape)
            if _LIKE.get(kind, kind) == _TITLE_PLACEHOLDER:
                self.composer.heading(_slide_words(child(shape, "p:txBody")), 1)
            elif kind in _FURNITURE_LABELS:
                furniture.append((_FURNITURE_LABELS[kind], _slide_words(child(shape, "p:txBody"))))
            elif kind not in _SLIDE_FURNITURE:
                place = _own_place(shape)
                if place is None and kind != _NO_PLACEHOLDER:
                    place = self._layout.get(index) or self._layout.get(_LIKE.get(kind, kind))
                shapes.append(shape)
                places.append(place)
        for shape in in_reading_order(shapes, places, _SAME_ROW_EMU):
            self._shape(shape)
        for label, words in furniture:
            self._once(label, words)

    def _shape(self, shape: Element) -> None:
        name = prefixed(shape.tag)
        if name == "p:grpSp":
            self._shapes(shape)
        elif name == "p:sp":
            self._paragraphs(child(shape, "p:txBody"), listed=_placeholder(shape)[0] in _LISTS)
        else:
            for element in children(child(shape, "a:graphic", "a:graphicData"), "a:tbl"):
                self._table(element)
            for element in inside(child(shape, "a:graphic", "a:graphicData")):
                kind = prefixed(element.tag)
                found = self._parts.get(attribute(element, "dm" if kind == "dgm:relIds" else "id"))
                if kind == "dgm:relIds":
                    diagram(self._package, None if found is None else found.target, self.composer)
                elif kind in ("c:chart", "cx:chart") and found is not None:
                    chart(self._package, found.target, self.composer)
            for properties in every(shape, "p:cNvPr") if name == "p:pic" else ():
                if attribute(properties, "descr"):
                    self.composer.paragraph(f"Picture: {attribute(properties, 'descr')}")

    def _paragraphs(self, body: Element | None, *, listed: bool) -> None:
        for paragraph in children(body, "a:p"):
            properties = child(paragraph, "a:pPr")
            marks = {prefixed(mark.tag) for mark in properties} if properties is not None else set()
            if marks & _BULLETS or (listed and "a:buNone" not in marks):
                self.composer.item(text_of(paragraph))
            else:
                self.composer.paragraph(text_of(paragraph))

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
    return " ".join(text_of(paragraph) for paragraph in children(body, "a:p"))


def _relation_id(element: Element) -> str:
    """The relation that an entry of the slide list names; its attribute without a namespace is a number."""
    return next((str(value) for key, value in element.attrib.items() if key.endswith("}id")), "")


class OpenDocumentReader:
    """``.odt``, ``.odp`` and their templates. Comments and charts stand behind the paragraph they hang on, notes of a
    text behind it, then its form's values, headers and footers."""

    def extract(self, data: bytes) -> Extracted:
        """All of the text; of a deck ``{"slide": 4}``, and ``{"slide": 4, "part": "notes"}`` for what is said."""
        package = Package(data)
        package.refuse_password()
        root = package.xml("content.xml")
        body = child(root, "office:body")
        if body is None:
            raise Unextracted(Failure.BROKEN, "it has no content part")
        composer = TextComposer()
        styles = package.xml("styles.xml")
        reading = _OpenText(composer, package, _levels(root, styles))
        deck = child(body, "office:presentation")
        if deck is None:
            reading.blocks(body)
            reading.asides()
        else:
            _slides(deck, reading, composer)
        composer.place({})
        for line in dict.fromkeys([*form_values(body), *on_every_page(styles, deck)]):
            composer.paragraph(line)
        deleted = sum(1 for _ in every(body, "text:deletion"))
        notices = [f"deleted text that changes are tracked of is left out: {deleted:,}"] if deleted else []
        return package.extracted(composer, _pictures(body), notices)


def form_values(body: Element | None) -> Iterator[str]:
    """A line for each field of a form that is filled in."""
    for form in every(body, "office:forms"):
        for element in form.iter():
            name = prefixed(element.tag)
            label = attribute(element, "label") or attribute(element, "title") or attribute(element, "name")
            value = attribute(element, "current-value") or attribute(element, "value")
            if name in ("form:checkbox", "form:radio"):
                value = "checked" if "checked" in (attribute(element, "current-state"), value) else ""
            elif name == "form:listbox":
                value = ", ".join(
                    attribute(option, "label")
                    for option in children(element, "form:option")
                    if attribute(option, "current-selected") == "true"
                )
            elif name not in _FIELDS:
                continue
            if value:
                yield f"Form field {label}: {value}" if label else f"Form field: {value}"


def on_every_page(styles: Element | None, deck: Element | None) -> Iterator[str]:
    """A line for each of the headers and footers of the pages."""
    for page in every(styles, "style:master-page"):
        for element in page:
            kind = prefixed(element.tag).partition(":")[2].partition("-")[0]
            shown = attribute(element, "display") != "false"
            if shown and prefixed(element.tag).startswith("style:") and kind in ("header", "footer"):
                for paragraph in element.iter():
                    words = "".join(map(str, paragraph.itertext())).strip()
                    if prefixed(paragraph.tag) in ("text:p", "text:h") and words:
                        yield f"{kind.title()}: {words}"
    for kind in ("header", "footer"):
        for declared in every(deck, f"presentation:{kind}-decl"):
            if declared.text:
                yield f"{kind.title()}: {declared.text}"


class _OpenText:
    """Puts the text of an OpenDocument file together. ``levels`` are those of the styles that are headings."""

    def __init__(self, composer: TextComposer, package: Package, levels: Mapping[str, int]) -> None:
        self._composer = composer
        self._package = package
        self._levels = levels
        self._asides: list[Element] = []
        self._comments: list[Element] = []

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
                self._keep(element, name)
                self._tell_comments()
            elif name == "draw:object":
                self._object(element)
            elif name in _NAMES_OF_PICTURES:
                self._composer.paragraph(f"Picture: {element.text}" if element.text else "")
            elif name not in _LEFT_OUT:
                self.blocks(element, listed=listed)

    def asides(self) -> None:
        """The notes met since the last call, in their order."""
        self._tell_comments()
        # Those that stand in notes come behind them: the list grows meanwhile.
        for element in self._asides:
            cited = child(element, "text:note-citation")
            mark = "".join(map(str, cited.itertext())).strip() if cited is not None else ""
            kind = "Endnote" if attribute(element, "note-class") == "endnote" else "Footnote"
            self._labelled(child(element, "text:note-body"), f"{kind} {mark}".strip())
        self._asides.clear()

    def _keep(self, element: Element, name: str) -> None:
        (self._asides if name == "text:note" else self._comments).append(element)

    def _tell_comments(self) -> None:
        comments, self._comments = self._comments, []
        for element in comments:
            author = child(element, "dc:creator")
            said = author.text if author is not None else ""
            self._labelled(element, f"Comment ({said})" if said else "Comment")

    def _labelled(self, parent: Element | None, label: str) -> None:
        """Paragraphs and lists of a note or a comment; the first says what it is."""
        inner = [element for element in inside(parent) if prefixed(element.tag) not in _ABOUT_COMMENTS]
        if inner and prefixed(inner[0].tag) == "text:p":
            line = _OfficeLine()
            self._gather(inner[0], line)
            self._composer.paragraph(f"{label}: {''.join(line.parts)}")
            self.blocks(line.shapes)
            inner = inner[1:]
        self.blocks(inner)

    def _object(self, element: Element) -> None:
        """A chart; what else is embedded has no text of its own here."""
        name = attribute(element, "href").removeprefix("./")
        root = self._package.aside(f"{name}/content.xml" if name else None)
        if root is not None:
            open_chart(root, self._composer)

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
        self._tell_comments()

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
                self._keep(below, name)
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
                self._keep(element, name)
            elif name == "draw:object":
                tables.append(element)
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
            self.blocks([element])
        self._tell_comments()


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
