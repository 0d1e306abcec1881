"""HTML put together block by block, and the reader of e-books (EPUB), whose chapters are HTML.

Of a page only what it shows is read: no scripts, no styles, nothing that says of itself that it is hidden. A chapter is
a file of the spine of a book, counted from 1.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from html.entities import html5
from urllib.parse import unquote

from lxml import etree
from lxml.etree import _Element as Element

from lens_lsp.documents.kinds import Extracted, Failure, Unextracted
from lens_lsp.documents.readers.composer import TableComposer, TextComposer, head_of
from lens_lsp.documents.readers.office_package import Package, parsed, properties
from lens_lsp.model.documents import BlockKind, Head
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import of_metadata

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = {
    "address", "article", "aside", "body", "caption", "center", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "header", "hr", "legend", "main", "nav", "ol", "p", "section", "summary",
    "table", "tbody", "tfoot", "thead", "ul",
}  # fmt: skip
_INSIDE = {"blockquote": BlockKind.QUOTE, "pre": BlockKind.CODE, "li": BlockKind.LIST_ITEM}
_UNSEEN = {
    "audio", "canvas", "datalist", "head", "iframe", "math", "noscript", "object", "rp", "rt", "script", "select",
    "style", "svg", "template", "textarea", "title", "video",
}  # fmt: skip
_CELLS = {"td", "th"}
_IN_CELLS = {"table", "ul", "ol", "div", "blockquote", "pre", *_HEADINGS}
"""A table with one of these in it lays out a page; the cells of one that tells something hold lines."""
_HIDDEN = regex(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
_ENTITY = regex(rb"&([A-Za-z][A-Za-z0-9]{1,31};)")
_IN_XML = {b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"}
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = {"application/xhtml+xml", "text/html"}


def root_of(data: bytes) -> Element | None:
    """The root of a page, ``None`` when there is nothing in it. Nothing outside is fetched; any bytes parse."""
    # As XML where it is some: there, <title/> or <script/> does not swallow the page.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(_ENTITY.sub(_numbered, data), parser)
    except etree.XMLSyntaxError:
        return root_of_html(data)


def root_of_html(data: bytes) -> Element | None:
    """The same for what is no XML; in the encoding that it names unless it is UTF-8."""
    try:
        data.decode("utf-8")
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = None
    parser = etree.HTMLParser(encoding=encoding, no_network=True, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None


def compose(root: Element, composer: TextComposer) -> None:
    """Put what a page shows into a text; any depth of elements is walked without recursion."""
    page = _HtmlBlocks(composer)
    unseen: Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if composer.full:
            return
        if unseen is None and event == "start":
            if _is_unseen(element):
                unseen = element
            else:
                page.begin(element)
        elif event == "end":
            if unseen is None:
                page.end(element)
            elif element is unseen:
                unseen = None
            if unseen is None and element is not root:
                page.say(element.tail)
    page.close()


class _HtmlBlocks:
    """Turns the beginnings, ends and words of HTML elements into blocks of a text."""

    def __init__(self, composer: TextComposer) -> None:
        self._composer = composer
        self._said: list[str] = []
        self._inside: list[tuple[str, BlockKind]] = []
        self._tables: list[TableComposer | None] = []
        """The tables around, ``None`` for one that lays out the page."""
        self._cells: list[str] = []
        self._titles = True
        """Whether all cells of the row name columns."""

    def begin(self, element: Element) -> None:
        name = _name(element)
        if name == "br":
            self._said.append("\n")
        elif self._row is not None and (name in _CELLS or name == "tr"):
            self._said.clear()
            if name == "tr":
                self._cells, self._titles = [], True
        elif name in _BLOCKS or name in _HEADINGS or name in _INSIDE or name in _CELLS or name == "tr":
            self._pause()
            if name in _INSIDE:
                self._inside.append((name, _INSIDE[name]))
            if name == "table":
                self._tables.append(None if _lays_out(element) else self._composer.table())
        self.say(element.text)

    def end(self, element: Element) -> None:
        name = _name(element)
        if self._row is not None and name in _CELLS:
            self._cells.append("".join(self._said))
            self._titles = self._titles and name == "th"
            self._said.clear()
        elif self._row is not None and name == "tr":
            if self._cells:
                self._row.row(self._cells, header=True if self._titles else None)
            self._said.clear()
        elif name in _HEADINGS:
            self._composer.heading("".join(self._said), _HEADINGS[name])
            self._said.clear()
        elif name in _BLOCKS or name in _INSIDE or name in _CELLS or name == "tr":
            self._pause()
            if self._inside and self._inside[-1][0] == name:
                self._inside.pop()
            if name == "table" and self._tables:
                self._tables.pop()

    def say(self, text: str | None) -> None:
        if text:
            code = self._inside and self._inside[-1][1] is BlockKind.CODE
            self._said.append(text if code else re.sub(r"\s+", " ", text))

    def close(self) -> None:
        self._pause()

    @property
    def _row(self) -> TableComposer | None:
        """The table whose rows are being read."""
        return self._tables[-1] if self._tables else None

    def _pause(self) -> None:
        """One block ends, another begins; inside a cell, words apart."""
        if self._row is not None:
            self._said.append(" ")
            return
        if self._said:
            kind = self._inside[-1][1] if self._inside else BlockKind.PARAGRAPH
            self._composer.block(kind, "".join(self._said))
            self._said.clear()


def _lays_out(table: Element) -> bool:
    widest = 0
    for element in table.iterdescendants():
        name = _name(element)
        if name in _IN_CELLS:
            return True
        if name == "tr":
            widest = max(widest, sum(_name(cell) in _CELLS for cell in element))
    return widest < 2


def _is_unseen(element: Element) -> bool:
    if not isinstance(element.tag, str) or _name(element) in _UNSEEN or element.get("hidden") is not None:
        return True
    return bool(_HIDDEN.search(element.get("style") or ""))


def _name(element: Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _numbered(entity: re.Match[bytes]) -> bytes:
    """An entity of HTML as XML knows it, too."""
    if entity[1] in _IN_XML:
        return entity[0]
    return "".join(f"&#{ord(letter)};" for letter in html5.get(entity[1].decode(), "")).encode() or entity[0]


class EpubReader:
    """EPUB 2 and 3. The table of contents is no chapter; notices name chapters that are missing."""

    def extract(self, data: bytes) -> Extracted:
        """All chapters; raises `Unextracted` for what is no book, or one that is locked."""
        package = Package(data)
        where = _opf(package)
        contents = package.part(where)
        if contents is None:
            raise Unextracted(Failure.BROKEN, "it does not say what is in it")
        book = parsed(contents)
        locked = _locked(package)
        composer = TextComposer()
        absent = 0
        for number, part in enumerate(_spine(book, where), start=1):
            if part.lower() in locked:
                raise Unextracted(Failure.ENCRYPTED)
            page = package.part(part)
            root = root_of(page) if page is not None else None
            composer.place({"chapter": number})
            if root is not None:
                compose(root, composer)
            else:
                absent += 1
        notices = [f"chapters that are missing or damaged: {absent}"] if absent else []
        return replace(composer.extracted(_book_head(book), notices), private=of_metadata(properties(book)))


def _opf(package: Package) -> str:
    """The part that lists the others."""
    container = package.part(_CONTAINER)
    if container is None:
        raise Unextracted(Failure.BROKEN, "it is no e-book")
    for element in _elements(parsed(container), "rootfile"):
        if path := element.get("full-path"):
            return posixpath.normpath(str(path))
    raise Unextracted(Failure.BROKEN, "it does not say what is in it")


def _spine(book: Element, where: str) -> list[str]:
    """The parts of the chapters, in reading order."""
    items = {item.get("id"): item for item in _elements(book, "item")}
    parts = []
    for reference in _elements(book, "itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _PAGES or "nav" in (item.get("properties") or "").split():
            continue
        parts.append(_inside(where, item.get("href") or ""))
    return parts


def _locked(package: Package) -> set[str]:
    """The parts that are encrypted, lower case; fonts often are, in books that anybody may read."""
    listed = package.part(_ENCRYPTION)
    if listed is None:
        return set()
    return {_inside("", element.get("URI") or "").lower() for element in _elements(parsed(listed), "CipherReference")}


def _inside(base: str, reference: str) -> str:
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path))


def _book_head(book: Element) -> Head:
    said: dict[str, list[str]] = {}
    for element in book.iter():
        if isinstance(element.tag, str) and element.text:
            said.setdefault(_local_name(element), []).append(element.text)
    title = next(iter(said.get("title", ())), None)
    return head_of(title, [*said.get("creator", ()), *said.get("description", ())], ",".join(said.get("subject", ())))


def _elements(root: Element, name: str) -> list[Element]:
    return [element for element in root.iter() if isinstance(element.tag, str) and _local_name(element) == name]


def _local_name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]
