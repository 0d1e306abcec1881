"""The words of HTML, as they come in e-books and mail, put together block by block.

Only what a page shows: no scripts, no styles, nothing that says of itself that it is hidden.
"""

from __future__ import annotations

import re
from html.entities import html5

from lxml import etree
from lxml.etree import _Element as Element

from lens_lsp.documents.readers.composing import Composer, Table
from lens_lsp.model.documents import BlockKind

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
_HIDDEN = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
_ENTITY = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,31};)")
_IN_XML = {b"amp;", b"lt;", b"gt;", b"quot;", b"apos;"}


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


def compose(root: Element, composer: Composer) -> None:
    """Put what a page shows into a text; any depth of elements is walked without recursion."""
    page = _Page(composer)
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


class _Page:
    """What was said since the last block ended, and what kind of block it is in."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer
        self._said: list[str] = []
        self._inside: list[tuple[str, BlockKind]] = []
        self._tables: list[Table | None] = []
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
    def _row(self) -> Table | None:
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
