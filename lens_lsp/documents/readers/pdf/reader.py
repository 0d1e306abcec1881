"""What a PDF becomes: the pages in order, each with its number, and what is not in its text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lens_lsp.documents.kinds import kind_named, reader_version
from lens_lsp.documents.model import Extracted, Failure, Unextracted, View
from lens_lsp.documents.pages import pages_shown
from lens_lsp.documents.readers.composing import MOST_TEXT, Composer, head_of, on_one_line
from lens_lsp.documents.readers.pdf.characters import Ink, Piece, Style, beginning, pieces_of
from lens_lsp.documents.readers.pdf.columns import regions_of
from lens_lsp.documents.readers.pdf.headings import Headings, Sheet
from lens_lsp.documents.readers.pdf.hiding import has_marks, sight_of
from lens_lsp.documents.readers.pdf.hyphens import Hyphens
from lens_lsp.documents.readers.pdf.library import (
    Handle,
    bookmarks,
    metadata,
    opened,
    opened_page,
    page_count,
)
from lens_lsp.documents.readers.pdf.paragraphs import Passage, passages_of
from lens_lsp.documents.readers.pdf.pictures import picture_of
from lens_lsp.documents.readers.pdf.view import view_of
from lens_lsp.model.documents import BlockKind, Head, Locator
from lens_lsp.model.marks import of_metadata

MOST_PAGES = 5000
"""Pages of one document; what follows is left out and a notice says so."""

_BEGINNING = 400
"""Characters of a first page that stand for its title."""
_ENTRIES = ("Keywords", "Subject", "lens", "Lens", "LENS", "lens.private", "private", "Private")
_LONGEST_ENTRY = 1 << 16
_XMP = re.compile(rb"<x:xmpmeta\b.{0,200000}?</x:xmpmeta>", re.DOTALL)
_XMP_TEXT = re.compile(r"<([\w:.-]+)[^<>]*>([^<>]+)</")
_XMP_ATTRIBUTE = re.compile(r"([\w:.-]+)=\"([^\"<>]*)\"")
_PLAIN_STYLE = Style(0.0, False, Ink.VISIBLE, 0)
_MANY_LINES = 99
"""As many lines has no heading: what is recognised has no looks."""
_SPLIT = re.compile(r"(?<=[^\W\d_])-\n(?=[^\W\d_])")
_GAP = re.compile(r"\n[ \t]*\n")
_NO_TITLE = re.compile(
    r"microsoft (?:word|powerpoint|excel)\b.*|untitled.*|(?:document|title|slide|presentation|book)\s*\d*"
    r"|powerpoint presentation|about:blank|.*\.(?:docx?|xlsx?|pptx?|tex|dvi|indd|qxd|pdf|rtf|od[tps]|html?|md|txt)",
    re.IGNORECASE,
)


class PdfReader:
    """``.pdf``. Pages are counted from 1 as viewers do; no paragraph runs over the end of a page."""

    name = "pdf"

    @property
    def version(self) -> str:
        """As the table of kinds says."""
        return reader_version(kind_named(self.name)) or ""

    def glance(self, data: bytes) -> str:
        """Title, subject, keywords and outline; where it has neither title nor outline, how its first page begins."""
        with opened(data) as document:
            head = _head(document)
            titles = [bookmark.title for bookmark in bookmarks(document)]
            said = [head.title or "", head.description or "", *head.tags, *titles]
            if not head.title and not titles:
                with opened_page(document, 0) as page:
                    said += [] if page is None else [beginning(page, _BEGINNING)]
        return "\n".join(said)

    def picture(self, data: bytes, index: int) -> tuple[bytes, int]:
        """The page ``index`` from 0 as a binary PGM, and how many pages there are. Raises `Unextracted`."""
        with opened(data) as document:
            return picture_of(document, index), page_count(document)

    def extract(self, data: bytes) -> Extracted:
        """All of the document, hidden text set apart. Raises `Unextracted`: encrypted, broken, or without text."""
        return self.extract_with({}, data)

    def extract_with(self, recognised: Mapping[int, str], data: bytes) -> Extracted:
        """The same, with what a program recognised on some pages, by number from 1, where they have no text."""
        reading = _Reading(recognised)
        with opened(data) as document:
            for index in range(min(page_count(document), MOST_PAGES)):
                reading.page(document, index)
                if reading.letters > MOST_TEXT:
                    break
            reading.close(page_count(document))
            found = reading.extracted(Headings(reading.sheets, bookmarks(document)), _head(document))
            return replace(found, private=_private(document, data))

    def view(self, data: bytes, page: int, quote: str) -> View:
        """A page, from 1, as it looks, with a quote marked. Raises `Unextracted`."""
        return view_of(data, page, quote)


@dataclass(slots=True)
class _Reading:
    """The pages so far, and which of them a user should know something about."""

    recognised: Mapping[int, str]
    sheets: list[Sheet] = field(default_factory=list)
    letters: int = 0
    _hidden: dict[int, tuple[Piece, ...]] = field(default_factory=dict)
    _bare: list[int] = field(default_factory=list)
    _recognised: list[int] = field(default_factory=list)
    _unread: list[int] = field(default_factory=list)
    _notices: list[str] = field(default_factory=list)

    def page(self, document: Handle, index: int) -> None:
        """Read the page ``index`` from 0."""
        number = index + 1
        with opened_page(document, index) as page:
            if page is None:
                self._unread.append(number)
                return
            sight = sight_of(page, pieces_of(page))
            bare = not sight.seen and not sight.hidden
            if bare and number in self.recognised:
                self._recognise(number)
                return
            if bare and has_marks(page):
                self._bare.append(number)
        passages = passages_of(regions_of(sight.seen), _PLAIN_STYLE)
        self.sheets.append(Sheet(number, passages, sight.recognised))
        if sight.hidden:
            self._hidden[number] = tuple(sight.hidden)
        self.letters += sum(len(piece.text) for piece in (*sight.seen, *sight.hidden))

    def _recognise(self, number: int) -> None:
        """Take a page as it was recognised: paragraphs a blank line apart, words that a line end split joined."""
        text = _SPLIT.sub("", self.recognised[number].replace("\f", "\n"))
        words = [paragraph for each in _GAP.split(text) if (paragraph := on_one_line(each))]
        passages = tuple(Passage(BlockKind.PARAGRAPH, each, _PLAIN_STYLE, _MANY_LINES) for each in words)
        self.sheets.append(Sheet(number, passages, recognised=True))
        self._recognised += [number] if words else []
        self.letters += sum(map(len, words))

    def close(self, count: int) -> None:
        """Say what is missing of ``count`` pages. Raises `Unextracted` when it is everything."""
        read = len(self.sheets) + len(self._unread)
        if not self.sheets:
            raise Unextracted(Failure.BROKEN, "none of its pages can be read")
        if not self.letters:
            raise Unextracted(Failure.EMPTY, "no page has a text layer" if self._bare else "its pages are empty")
        if read < count:
            self._notices.append(f"only the first {read:,} of {count:,} pages were read")
        if self._unread:
            self._notices.append(f"{pages_shown(self._unread)} could not be read")
        layered = [sheet.number for sheet in self.sheets if sheet.recognised and sheet.number not in self.recognised]
        if layered:
            self._notices.append(f"{pages_shown(layered)}: text layer over scanned pages")
        if self._recognised:
            alone = len(self._recognised) == sum(bool(sheet.passages) for sheet in self.sheets)
            which = "its text was" if alone else f"the text of {pages_shown(self._recognised)} was"
            self._notices.append(f"{which} recognised by OCR and may be wrong")
        if self._hidden:
            self._notices.append(f"{pages_shown(list(self._hidden))} {_have(list(self._hidden))} text that nobody sees")

    def extracted(self, headings: Headings, head: Head) -> Extracted:
        """The text of all pages; what nobody sees is at the end of its page and named as hidden."""
        composer = Composer()
        hyphens = Hyphens(_texts(self.sheets))
        blocks, hidden = 0, []
        for sheet in self.sheets:
            by: Locator = {"by": "ocr"} if sheet.number in self._recognised else {}
            composer.place({"page": sheet.number, **by})
            for passage in sheet.passages:
                blocks += _compose(composer, passage, hyphens, headings.level(sheet, passage))
            for piece in self._hidden.get(sheet.number, ()):
                if on_one_line(piece.text) and not composer.full:
                    composer.paragraph(piece.text)
                    hidden.append(blocks)
                    blocks += 1
        found = composer.extracted(head, self._notices)
        spans = tuple(found.structure.blocks[at].span for at in hidden)
        titled = head if head.title or not composer.leading_heading else replace(head, title=composer.leading_heading)
        structure = replace(found.structure, head=titled, hidden=spans)
        return replace(found, structure=structure, pages=tuple(self._bare))


def _compose(composer: Composer, passage: Passage, hyphens: Hyphens, level: int | None) -> int:
    """Write a passage; how many blocks it became."""
    if composer.full:
        # One more makes it say that something was left out.
        composer.paragraph(passage.text or "|")
        return 0
    if passage.kind is BlockKind.TABLE_ROW:
        table = composer.table()
        for row in passage.rows:
            table.row([hyphens.joined(cell) for cell in row])
        return sum(1 for row in passage.rows if any(map(on_one_line, row)))
    text = hyphens.joined(passage.text)
    if not on_one_line(text):
        return 0
    if level is not None:
        composer.heading(text, level)
    else:
        composer.block(passage.kind, text)
    return 1


def _texts(sheets: Iterable[Sheet]) -> Iterable[str]:
    for sheet in sheets:
        for passage in sheet.passages:
            yield passage.text
            for row in passage.rows:
                yield from row


def _head(document: Handle) -> Head:
    title = on_one_line(metadata(document, "Title"))
    subject, keywords = metadata(document, "Subject"), metadata(document, "Keywords")
    return head_of(None if _NO_TITLE.fullmatch(title) else title, [subject], keywords)


def _private(document: Handle, data: bytes) -> str | None:
    """How its information, an entry of its own in it, or its XMP say ``lens: private``."""
    entries = ((name, metadata(document, name, _LONGEST_ENTRY)) for name in _ENTRIES)
    said = of_metadata(entry for entry in entries if entry[1])
    if said is not None:
        return said
    for packet in _XMP.findall(data):
        text = packet.decode("utf-8", "replace")
        pairs = [(name.rpartition(":")[2], html.unescape(value)) for name, value in _XMP_TEXT.findall(text)]
        pairs += [("keywords", value) for name, value in pairs if name == "li"]
        pairs += [(name.rpartition(":")[2], html.unescape(value)) for name, value in _XMP_ATTRIBUTE.findall(text)]
        said = said or of_metadata(pairs)
    return said


def _have(numbers: Sequence[int]) -> str:
    return "have" if len(numbers) > 1 else "has"
