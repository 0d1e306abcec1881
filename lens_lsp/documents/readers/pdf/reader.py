"""What a PDF becomes: the pages in order, each with its number, and what is not in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from lens_lsp.documents.kinds import kind_named, reader_version
from lens_lsp.documents.model import Extracted, Failure, Unextracted, View
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
from lens_lsp.domain.model import BlockKind, Head
from lens_lsp.domain.records import dataclass
from lens_lsp.domain.regexes import regex

MOST_PAGES = 5000
"""Pages of one document; what follows is left out and a notice says so."""

_BEGINNING = 400
"""Characters of a first page that stand for its title."""
_PLAIN_STYLE = Style(0.0, False, Ink.VISIBLE, 0)
_MOST_RANGES = 12
"""Runs of pages that a notice names."""
_NO_TITLE = regex(
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
        reading = _Reading()
        with opened(data) as document:
            for index in range(min(page_count(document), MOST_PAGES)):
                reading.page(document, index)
                if reading.letters > MOST_TEXT:
                    break
            reading.close(page_count(document))
            return reading.extracted(Headings(reading.sheets, bookmarks(document)), _head(document))

    def view(self, data: bytes, page: int, quote: str) -> View:
        """A page, from 1, as it looks, with a quote marked. Raises `Unextracted`."""
        return view_of(data, page, quote)


@dataclass(slots=True)
class _Reading:
    """The pages so far, and which of them a user should know something about."""

    sheets: list[Sheet] = field(default_factory=list)
    letters: int = 0
    _hidden: dict[int, tuple[Piece, ...]] = field(default_factory=dict)
    _bare: list[int] = field(default_factory=list)
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
            if not sight.seen and not sight.hidden and has_marks(page):
                self._bare.append(number)
        passages = passages_of(regions_of(sight.seen), _PLAIN_STYLE)
        self.sheets.append(Sheet(number, passages, sight.recognised))
        if sight.hidden:
            self._hidden[number] = tuple(sight.hidden)
        self.letters += sum(len(piece.text) for piece in (*sight.seen, *sight.hidden))

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
            self._notices.append(f"{_pages(self._unread)} could not be read")
        if self._bare:
            self._notices.append(f"{_pages(self._bare)} {_have(self._bare)} no text layer")
        if recognised := [sheet.number for sheet in self.sheets if sheet.recognised]:
            self._notices.append(f"{_pages(recognised)}: text layer over scanned pages")
        if self._hidden:
            self._notices.append(f"{_pages(list(self._hidden))} {_have(list(self._hidden))} text that nobody sees")

    def extracted(self, headings: Headings, head: Head) -> Extracted:
        """The text of all pages; what nobody sees is at the end of its page and named as hidden."""
        composer = Composer()
        hyphens = Hyphens(_texts(self.sheets))
        blocks, hidden = 0, []
        for sheet in self.sheets:
            composer.place({"page": sheet.number})
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
        return replace(found, structure=replace(found.structure, head=titled, hidden=spans))


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


def _have(numbers: Sequence[int]) -> str:
    return "have" if len(numbers) > 1 else "has"


def _pages(numbers: Sequence[int]) -> str:
    """The pages with runs as ranges: ``pages 3-7, 9``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    named = [str(first) if first == last else f"{first}-{last}" for first, last in ranges[:_MOST_RANGES]]
    more = " and more" if len(ranges) > _MOST_RANGES else ""
    return f"{'pages' if len(numbers) > 1 else 'page'} {', '.join(named)}{more}"
