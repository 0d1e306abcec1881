r"""Reader of PDF files: the text of all pages in order, pages recognised by OCR, and pages drawn as pictures.

The raw bindings of pdfium are used because the objects of pypdfium2 make one of Python for each character. A call costs
about half a microsecond, so a character is asked for its box alone and everything else is asked once a word or less.
pdfium gives the characters in the order of the content of a page, with ``\r\n`` where a line ends and ``\x02`` or
U+FFFE where one ends in a hyphen.
"""

from __future__ import annotations

import ctypes
import html
import json
import math
import re
import struct
import unicodedata
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from itertools import pairwise
from types import MappingProxyType

import pypdfium2.raw as pdfium

from lens_lsp.documents.frames import MOST_LETTERS, MOST_VIEW, PNG, recognised_from
from lens_lsp.documents.kinds import Extracted, Failure, ScannedLine, ScannedPage, Unextracted, View, pages_shown
from lens_lsp.documents.readers.attachments import Attachments
from lens_lsp.documents.readers.composer import TableComposer, TextComposer, head_of, on_one_line
from lens_lsp.documents.readers.pdf_layout import (
    WIDE_GAP,
    Bookmark,
    Headings,
    Hyphens,
    Ink,
    PagePassage,
    PageText,
    PdfTextPiece,
    TextStyle,
    across_pages,
    line_numbers_of,
    passages_of,
    pieces_of_scan,
    regions_of,
    table_goes_on,
)
from lens_lsp.documents.readers.pdf_letters import JOINED, apart_at, composed, is_garbled, sampled
from lens_lsp.documents.readers.pdf_marks import NO_MARKS, PageMarks, attached_files, is_dynamic, marks_of, opened_form
from lens_lsp.documents.readers.pictures import as_pdf, is_picture
from lens_lsp.model.documents import BlockKind, Head, Structure
from lens_lsp.model.lazy_dataclass import dataclass
from lens_lsp.model.lazy_regex import regex
from lens_lsp.model.marks import of_metadata

Handle = object
"""A pointer to one of pdfium's own objects."""
_MOST_BOOKMARKS = 5000
_DEEPEST_BOOKMARK = 16
_LONGEST_TITLE = 2000
"""Bytes of UTF-16 of a bookmark or of a piece of metadata."""
_HYPHENS = "\x02\ufffe"
_TOKEN = regex(rf"[^\s{_HYPHENS}]+|[\r\n]+|[{_HYPHENS}]")
_SURROGATE = regex(r"[\ud800-\udfff]")
_BOLD = regex(r"bold|black|heavy|semib|demib|cmbx|bx\d|-bd", re.IGNORECASE)
_BOX_BYTES = 16
_MISSED_BLANK = 0.2
"""In font sizes: a gap that much wider than the others of its word is a blank that pdfium took for kerning."""
_NO_BLANK = 0.03
_SHORT_NUMBER = 3
"""Characters: two numbers that are taken for one have more."""
_OVERLAP = 0.2
"""In font sizes: a blank that leaves less room than the first, or was drawn over by less than the second, is none."""
_BOLD_WEIGHT = 600
_TINY = 1.5
"""Points: smaller text is for no reader."""
_HUGE = 1000.0
_PALE = 250
_INVISIBLE_MODE = 3
_POINTER = ctypes.c_void_p
_INT = ctypes.c_int
# The same functions without the generated wrappers' checks of each argument: called for each character or word.
_character_box = ctypes.cast(pdfium.FPDFText_GetLooseCharBox, ctypes.CFUNCTYPE(_INT, _POINTER, _INT, _POINTER))
_unmapped = ctypes.cast(pdfium.FPDFText_HasUnicodeMapError, ctypes.CFUNCTYPE(_INT, _POINTER, _INT))
_word_object = ctypes.cast(pdfium.FPDFText_GetTextObject, ctypes.CFUNCTYPE(_POINTER, _POINTER, _INT))
_word_matrix = ctypes.cast(pdfium.FPDFText_GetMatrix, ctypes.CFUNCTYPE(_INT, _POINTER, _INT, _POINTER))
_word_size = ctypes.cast(pdfium.FPDFText_GetFontSize, ctypes.CFUNCTYPE(ctypes.c_double, _POINTER, _INT))
_object_font = ctypes.cast(pdfium.FPDFTextObj_GetFont, ctypes.CFUNCTYPE(_POINTER, _POINTER))
_object_mode = ctypes.cast(pdfium.FPDFTextObj_GetTextRenderMode, ctypes.CFUNCTYPE(_INT, _POINTER))
_object_fill = ctypes.cast(pdfium.FPDFPageObj_GetFillColor, ctypes.CFUNCTYPE(_INT, *[_POINTER] * 5))
_ALONG: tuple[Callable[[list[float]], tuple[float, float]], ...] = (
    lambda box: (box[0], box[6]),
    lambda box: (box[3], box[5]),
    lambda box: (-box[2], -box[4]),
    lambda box: (-box[1], -box[7]),
)
"""By direction: where a word begins and ends on its line, from the boxes (left, top, right, bottom) of its ends."""
_MOST_OBJECTS = 20_000
_WHITE = 250
_PER_INCH = 300
"""What programs for OCR are made for."""
_MOST_PIXELS_OCR = 12_000_000
"""A larger page is drawn coarser: A4 has 8.7 million."""
_POINTS = 72
_WIDTH = 1400
"""Pixels of a page's width, or of its height where that is less."""
_MOST_PIXELS = 6_000_000
_MOST_MARKS = 400
_LEAST = 8
"""Letters of a part of a quote that is worth finding by itself."""
_LEAST_OVER = 16
"""Letters of a paragraph on one of the two pages that it stands on."""
_BESIDE = 300
"""Letters of headers, footers and page numbers."""
_PARTS = regex(r"[\n|]+")
_INK = tuple(bytes(value * share // 255 for value in range(256)) for share in (255, 226, 92))
"""What a marked pixel's red, green and blue become: yellow over white, the letters as dark as they are."""
Box = tuple[float, float, float, float]
"""Left, top, right, bottom: in points upwards on a page, in pixels downwards in a picture."""
_MOST_ATTACHED = 200
"""Files attached to one document."""
MOST_PAGES = 20_000
"""Pages of one document; what follows is left out and a notice says so."""
_BEGINNING = 400
"""Characters of a first page that stand for its title."""
_ENTRIES = ("Keywords", "Subject", "lens", "Lens", "LENS", "lens.private", "private", "Private")
_LONGEST_ENTRY = 1 << 16
_XMP = regex(rb"<x:xmpmeta\b.{0,200000}?</x:xmpmeta>", re.DOTALL)
_XMP_TEXT = regex(r"<([\w:.-]+)[^<>]*>([^<>]+)</")
_XMP_ATTRIBUTE = regex(r"([\w:.-]+)=\"([^\"<>]*)\"")
_NOTHING: Mapping[int, str | ScannedPage] = MappingProxyType({})
_PLAIN_STYLE = TextStyle(0.0, False, Ink.VISIBLE, 0)
_MANY_LINES = 99
"""As many lines has no heading: what is recognised has no looks."""
_SPLIT = regex(r"(?<=[^\W\d_])-\n(?=[^\W\d_])")
_GAP = regex(r"\n[ \t]*\n")
_NO_TITLE = regex(
    r"microsoft (?:word|powerpoint|excel)\b.*|untitled.*|(?:document|title|slide|presentation|book)\s*\d*"
    r"|powerpoint presentation|about:blank|.*\.(?:docx?|xlsx?|pptx?|tex|dvi|indd|qxd|pdf|rtf|od[tps]|html?|md|txt)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PdfPage:
    """An open page and its text."""

    handle: Handle
    text: Handle
    address: int
    """Of ``text``, for the calls that are made for each word."""


@contextmanager
def opened(data: bytes) -> Iterator[Handle]:
    """The document, or that of an image's pages; raises `Unextracted` when it needs a password or is none."""
    if is_picture(data):
        data = as_pdf(data)
    document = pdfium.FPDF_LoadMemDocument64(data, len(data), None)
    if not document:
        error = pdfium.FPDF_GetLastError()
        if error in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise Unextracted(Failure.ENCRYPTED, "it opens with a password only")
        raise Unextracted(Failure.BROKEN, "not a PDF, or damaged beyond reading")
    try:
        yield document
    finally:
        pdfium.FPDF_CloseDocument(document)


@contextmanager
def opened_page(document: Handle, index: int) -> Iterator[PdfPage | None]:
    """A page from 0, or None when it cannot be read."""
    handle = pdfium.FPDF_LoadPage(document, index)
    text = pdfium.FPDFText_LoadPage(handle) if handle else None
    try:
        yield PdfPage(handle, text, ctypes.cast(text, ctypes.c_void_p).value or 0) if text else None
    finally:
        if text:
            pdfium.FPDFText_ClosePage(text)
        if handle:
            pdfium.FPDF_ClosePage(handle)


def page_count(document: Handle) -> int:
    """How many pages it says it has."""
    return int(pdfium.FPDF_GetPageCount(document))


def metadata(document: Handle, name: str, longest: int = _LONGEST_TITLE) -> str:
    """An entry of the document's information: ``Title``, ``Subject``, ``Keywords``; empty when it has none, or one of
    more than ``longest`` bytes."""
    return _written(pdfium.FPDF_GetMetaText, document, name.encode("ascii"), most=longest)


def _written(write: Callable[..., int], *of: object, most: int = _LONGEST_TITLE) -> str:
    """What a function of pdfium writes into a buffer of ``most`` bytes; empty where that is too little."""
    buffer = ctypes.create_string_buffer(most)
    length = write(*of, buffer, most)
    return buffer.raw[: length - 2].decode("utf-16-le", "replace") if 2 < length <= most else ""


def bookmarks(document: Handle) -> tuple[Bookmark, ...]:
    """The outline in its order, as far as its entries lead to pages of this document."""
    found: list[Bookmark] = []
    open_entries = [(pdfium.FPDFBookmark_GetFirstChild(document, None), 1)]
    for _ in range(_MOST_BOOKMARKS):
        while open_entries and not open_entries[-1][0]:
            open_entries.pop()
        if not open_entries:
            break
        entry, level = open_entries.pop()
        page = _page_of(document, entry)
        if page >= 0 and (title := _written(pdfium.FPDFBookmark_GetTitle, entry)):
            found.append(Bookmark(level, page, title))
        open_entries.append((pdfium.FPDFBookmark_GetNextSibling(document, entry), level))
        if level < _DEEPEST_BOOKMARK:
            open_entries.append((pdfium.FPDFBookmark_GetFirstChild(document, entry), level + 1))
    return tuple(found)


def _page_of(document: Handle, entry: Handle) -> int:
    """The page from 0 that an entry leads to, or -1."""
    target = pdfium.FPDFBookmark_GetDest(document, entry)
    if not target:
        action = pdfium.FPDFBookmark_GetAction(entry)
        target = pdfium.FPDFAction_GetDest(document, action) if action else None
    return int(pdfium.FPDFDest_GetDestPageIndex(document, target)) if target else -1


def pieces_of(page: PdfPage) -> list[PdfTextPiece]:
    """All pieces of a page, in the order of its content."""
    text = text_of(page)
    broken = _SURROGATE.search(text) is not None
    boxes = boxes_of(page, len(text))
    text = composed(text, boxes)
    reading = _LinePieces(page, boxes)
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in _HYPHENS:
            reading.end(hyphen=True)
        elif token[0] in "\r\n":
            reading.end()
        else:
            for start, end in reading.apart(text, match.start(), match.end()):
                part = text[start:end].replace(JOINED, "")
                reading.word(_whole(part) if broken else part, start, end - 1, parted=start > match.start())
    reading.end()
    return reading.pieces


def text_of(page: PdfPage, most: int | None = None) -> str:
    """The characters of a page, at most so many, one code point each so that offsets are those of pdfium."""
    count = max(pdfium.FPDFText_CountChars(page.text), 0)
    count = count if most is None else min(count, most)
    if not count:
        return ""
    # Twice the units: a character beyond the first plane may be written as two.
    buffer = (ctypes.c_ushort * (2 * count + 2))()
    written = pdfium.FPDFText_GetText(page.text, 0, count, buffer) - 1
    text = bytes(memoryview(buffer).cast("B")[: 2 * max(written, 0)]).decode("utf-16-le", "surrogatepass")
    if written == count == len(text):
        return text
    codes = [pdfium.FPDFText_GetUnicode(page.text, index) for index in range(count)]
    return "".join(chr(code) if code < 0x110000 else "\ufffd" for code in codes)


def boxes_of(page: PdfPage, count: int) -> list[float]:
    """Left, top, right and bottom of each character, one after the other."""
    boxes = (ctypes.c_float * (4 * count))()
    at, address = ctypes.addressof(boxes), page.address
    for index in range(count):
        _character_box(address, index, at)
        at += _BOX_BYTES
    return boxes[:]


def _is_garbled(page: PdfPage) -> bool:
    text = text_of(page)
    return is_garbled(text, [_unmapped(page.address, at) > 0 for at in sampled(len(text))])


def _whole(text: str) -> str:
    """Pairs of surrogates as the characters they stand for, single ones replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@dataclass(slots=True)
class _LinePieces:
    """The piece that is being put together, and those that are done."""

    page: PdfPage
    boxes: list[float]
    pieces: list[PdfTextPiece] = field(default_factory=list)
    _words: list[str] = field(default_factory=list)
    _weights: dict[TextStyle, int] = field(default_factory=dict)
    """How many characters of this piece have each style."""
    _bases: dict[TextStyle, float] = field(default_factory=dict)
    _left: float = 0.0
    _right: float = 0.0
    _last: tuple[float, float] = (0.0, 0.0)
    """Where the last word begins and ends."""
    _first: float = 0.0
    _direction: int = 0
    _looks: _PageStyles = field(init=False)

    def __post_init__(self) -> None:
        self._looks = _PageStyles(self.page)

    def apart(self, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The words of the characters from ``start`` to ``end``, which pdfium takes for one."""
        for first, last in self._apart(start, end):
            if text[first:last].isalpha() or last - first <= _SHORT_NUMBER:
                yield first, last
                continue
            objects = [_word_object(self.page.address, at) or 0 for at in range(first, last)]
            size = self._looks.style(first, self.boxes[4 * first : 4 * first + 4]).size
            begin = first
            for at in apart_at(text[first:last], objects, self._gaps(first, last), size):
                yield begin, first + at
                begin = first + at
            yield begin, last

    def _gaps(self, start: int, end: int) -> list[float]:
        """The room between each character and the next one."""
        lefts, rights = self.boxes[4 * start + 4 : 4 * end : 4], self.boxes[4 * start + 2 : 4 * end - 4 : 4]
        return [left - right for left, right in zip(lefts, rights, strict=True)]

    def _apart(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        gaps = self._gaps(start, end)
        if len(gaps) > 1 and (widest := max(gaps)) > 0:
            style = self._looks.style(start, self.boxes[4 * start : 4 * start + 4])
            least = _MISSED_BLANK * style.size
            if widest > least and style.direction == 0:
                least += max(sorted(gaps)[len(gaps) // 2], 0.0)
                for at, gap in enumerate(gaps, start + 1):
                    if gap > least:
                        yield start, at
                        start = at
        yield start, end

    def word(self, text: str, first: int, last: int, *, parted: bool) -> None:
        """Take the word of the characters ``first`` to ``last``, in this piece or in a new one; one that was parted
        from what stands before it stays so."""
        box = self.boxes[4 * first : 4 * first + 4] + self.boxes[4 * last : 4 * last + 4]
        style = self._looks.style(first, box)
        begin, end = _ALONG[style.direction](box)
        if begin > end:
            begin, end = end, begin
        if self._words:
            gap = max(begin - self._last[1], self._last[0] - end)
            if gap > WIDE_GAP * style.size or style.direction != self._direction:
                self.end()
        if not self._words:
            self._left, self._right, self._first, self._direction = begin, end, end - begin, style.direction
        if self._words and not parted and -_OVERLAP * style.size < begin - self._last[1] < _NO_BLANK * style.size:
            self._words[-1] += text
        else:
            self._words.append(text)
        self._left, self._right, self._last = min(self._left, begin), max(self._right, end), (begin, end)
        if style in self._weights:
            self._weights[style] += len(text)
        else:
            self._weights[style], self._bases[style] = len(text), self._base(first, style)

    def end(self, *, hyphen: bool = False) -> None:
        """Whatever comes next is of another piece."""
        if not self._words:
            return
        style = max(self._weights, key=self._weights.__getitem__)
        piece = PdfTextPiece(
            " ".join(self._words),
            self._left,
            self._right,
            self._bases[style],
            style,
            self._first,
            len(self.pieces),
            hyphen,
        )
        self.pieces.append(piece)
        self._words, self._weights, self._bases = [], {}, {}

    def _base(self, index: int, style: TextStyle) -> float:
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium.FPDFText_GetCharOrigin(self.page.text, index, x, y)
        return (-y.value, x.value, y.value, -x.value)[style.direction]


class _PageStyles:
    """The styles of a page, asked once for each text object."""

    def __init__(self, page: PdfPage) -> None:
        self._page = page
        self._by_object: dict[int, TextStyle] = {}
        self._by_look: dict[tuple[float, bool, Ink, int], TextStyle] = {}
        self._bold: dict[int, bool] = {}
        self._matrix = (ctypes.c_float * 6)()
        self._fill = (ctypes.c_uint * 4)()

    def style(self, index: int, box: Sequence[float]) -> TextStyle:
        """Of the character ``index``; ``box`` begins with its own (left, top, right, bottom)."""
        owner = _word_object(self._page.address, index) or 0
        style = self._by_object.get(owner)
        if style is None:
            look = self._look(index, owner, box)
            style = self._by_object[owner] = self._by_look.setdefault(look, TextStyle(*look))
        return style

    def _look(self, index: int, owner: int, box: Sequence[float]) -> tuple[float, bool, Ink, int]:
        _word_matrix(self._page.address, index, ctypes.addressof(self._matrix))
        a, b, c, d, _x, _y = self._matrix[:]
        size = _word_size(self._page.address, index) * math.hypot(c, d)
        direction = round(math.atan2(b, a) / (math.pi / 2)) % 4
        if not _TINY <= size <= _HUGE:
            # Fonts whose glyphs are pictures have a unit of their own.
            height = abs(box[1] - box[3]) if direction % 2 == 0 else abs(box[2] - box[0])
            size = min(max(height, 0.1), _HUGE)
        ink = Ink.TINY if size < _TINY else self._ink(owner)
        return round(size, 1), self._is_bold(owner), ink, direction

    def _is_bold(self, owner: int) -> bool:
        font = (_object_font(owner) or 0) if owner else 0
        if font not in self._bold:
            self._bold[font] = bool(font) and _is_bold(ctypes.cast(font, pdfium.FPDF_FONT))
        return self._bold[font]

    def _ink(self, owner: int) -> Ink:
        mode = _object_mode(owner) if owner else 0
        if mode == _INVISIBLE_MODE:
            return Ink.UNSEEN
        at = ctypes.addressof(self._fill)
        if not owner or mode != 0 or not _object_fill(owner, at, at + 4, at + 8, at + 12):
            return Ink.VISIBLE
        red, green, blue, alpha = self._fill[:]
        if alpha == 0:
            return Ink.UNSEEN
        return Ink.PALE if min(red, green, blue) >= _PALE else Ink.VISIBLE


def _is_bold(font: Handle) -> bool:
    name = ctypes.create_string_buffer(256)
    length = pdfium.FPDFFont_GetBaseFontName(font, name, 256)
    named = 1 < length <= 256 and _BOLD.search(name.value.decode("latin-1")) is not None
    return named or bool(pdfium.FPDFFont_GetWeight(font) >= _BOLD_WEIGHT)


@dataclass(frozen=True, slots=True)
class Visibility:
    """The pieces a reader sees, those nobody does, and whether the seen ones were recognised on a scan."""

    seen: list[PdfTextPiece]
    hidden: list[PdfTextPiece]
    recognised: bool = False


def visibility_of(page: PdfPage, pieces: Sequence[PdfTextPiece]) -> Visibility:
    """Which pieces can be seen. White text counts as seen on any picture, shading or coloured area behind it."""
    frame = _frame(page)
    suspicious = any(piece.style.ink in (Ink.PALE, Ink.UNSEEN) for piece in pieces)
    pictures, grounds = _backs(page) if suspicious else ([], [])
    seen: list[PdfTextPiece] = []
    hidden: list[PdfTextPiece] = []
    recognised = 0
    for piece in pieces:
        x, y = _middle(piece)
        ink = piece.style.ink
        over_picture = any(_holds(box, x, y) for box in pictures)
        visible = frame is None or _holds(frame, x, y)
        if ink is Ink.TINY or (ink is Ink.UNSEEN and not over_picture):
            visible = False
        elif ink is Ink.PALE:
            visible = visible and (over_picture or any(_holds(box, x, y) for box in grounds))
        (seen if visible else hidden).append(piece)
        recognised += len(piece.text) if visible and ink is Ink.UNSEEN else 0
    return Visibility(seen, hidden, recognised * 2 > sum(len(piece.text) for piece in seen))


def _holds(box: Box, x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[3] <= y <= box[1]


def _frame(page: PdfPage) -> Box | None:
    """What a viewer shows of the page, in its own coordinates."""
    box = pdfium.FS_RECTF()
    if not pdfium.FPDF_GetPageBoundingBox(page.handle, box):
        return None
    return box.left, box.top, box.right, box.bottom


def _middle(piece: PdfTextPiece) -> tuple[float, float]:
    """A point inside the letters, in the page's own coordinates."""
    along, down = (piece.left + piece.right) / 2, piece.base - piece.size / 4
    return ((along, -down), (down, along), (-along, down), (-down, -along))[piece.style.direction]


def _backs(page: PdfPage) -> tuple[list[Box], list[Box]]:
    """The pictures, and the other grounds that white text is seen on."""
    pictures: list[Box] = []
    grounds: list[Box] = []
    for index in range(min(pdfium.FPDFPage_CountObjects(page.handle), _MOST_OBJECTS)):
        drawn = pdfium.FPDFPage_GetObject(page.handle, index)
        kind = pdfium.FPDFPageObj_GetType(drawn)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT or (kind == pdfium.FPDF_PAGEOBJ_PATH and _is_white(drawn)):
            continue
        sides = [ctypes.c_float() for _ in range(4)]
        if pdfium.FPDFPageObj_GetBounds(drawn, *sides):
            picture = kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM)
            left, bottom, right, top = (side.value for side in sides)
            (pictures if picture else grounds).append((left, top, right, bottom))
    return pictures, grounds


def _is_white(path: Handle) -> bool:
    """Whether a path leaves the page white: filled with white, or not filled."""
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    if pdfium.FPDFPath_GetDrawMode(path, mode, stroke) and mode.value == 0:
        return True
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdfium.FPDFPageObj_GetFillColor(path, red, green, blue, alpha):
        return False
    return alpha.value == 0 or min(red.value, green.value, blue.value) >= _WHITE


def drawn_page(document: Handle, index: int, per_inch: int, most: int) -> tuple[int, int, bytearray, float]:
    """Width and height in pixels, at most so many together, the page ``index`` from 0 in shades of grey row by row, and
    points a pixel. Raises `Unextracted` when it cannot be drawn."""
    with opened_page(document, index) as page:
        if page is None:
            raise Unextracted(Failure.BROKEN, "a page cannot be read")
        width, height = _size(page, lambda _width, _height: per_inch / _POINTS, most)
        pixels = _drawn(page, width, height, pdfium.FPDFBitmap_Gray, 1)
        return width, height, pixels, pdfium.FPDF_GetPageHeightF(page.handle) / height


def _size(page: PdfPage, scale: Callable[[float, float], float], most: int) -> tuple[int, int]:
    """Width and height of a picture in pixels, at most so many together; ``scale`` gives pixels for each point."""
    width, height = pdfium.FPDF_GetPageWidthF(page.handle), pdfium.FPDF_GetPageHeightF(page.handle)
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise Unextracted(Failure.BROKEN, "a page without a size")
    factor = min(scale(width, height), math.sqrt(most / (width * height)))
    return max(1, int(width * factor)), max(1, int(height * factor))


def _drawn(page: PdfPage, width: int, height: int, kind: int, channels: int) -> bytearray:
    """The bytes of every pixel, row by row: grey, or red, green and blue."""
    pixels = bytearray(channels * width * height)
    memory = (ctypes.c_char * len(pixels)).from_buffer(pixels)
    bitmap: Handle = pdfium.FPDFBitmap_CreateEx(width, height, kind, memory, channels * width)
    if not bitmap:
        raise Unextracted(Failure.BROKEN, "the page cannot be drawn")
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
        how = pdfium.FPDF_ANNOT | (pdfium.FPDF_REVERSE_BYTE_ORDER if channels > 1 else 0)
        pdfium.FPDF_RenderPageBitmap(bitmap, page.handle, 0, 0, width, height, 0, how)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return pixels


def boxes_of_quote(page: PdfPage, quote: str) -> list[Box]:
    """Where the letters of a quote stand on a page, a box for each stretch of a line; none if they do not."""
    text = text_of(page)
    letters, at = _letters(text)
    boxes = boxes_of(page, len(text))
    found: list[Box] = []
    for start, end in _places(letters, quote):
        characters = [boxes[4 * index : 4 * index + 4] for index in range(at[start], at[end - 1] + 1)]
        found += _lines(characters)
    return found[:_MOST_MARKS]


def lines_of_quote(scanned: ScannedPage, quote: str) -> list[ScannedLine]:
    """The lines of a scan that a quote stands on; none if it does not."""
    letters, owners = "", list[ScannedLine]()
    for line in scanned.lines:
        added = _letters(line.text)[0]
        letters += added
        owners += [line] * len(added)
    found = dict.fromkeys(line for start, end in _places(letters, quote) for line in owners[start:end])
    return list(found)[:_MOST_MARKS]


def _letters(text: str) -> tuple[str, list[int]]:
    """Letters and digits, folded, and which character of the text each came from."""
    folded: list[str] = []
    at: list[int] = []
    for index, character in enumerate(text):
        # An accent may be a character of its own: it counts neither here nor there.
        for letter in unicodedata.normalize("NFKD", character).casefold():
            if letter.isalnum():
                folded.append(letter)
                at.append(index)
    return "".join(folded), at


def _places(letters: str, quote: str) -> Iterator[tuple[int, int]]:
    """Where a quote stands among letters: all of it, else those of its lines and cells that are there."""
    whole = _letters(quote)[0]
    begin = letters.find(whole) if whole else -1
    if begin >= 0:
        yield begin, begin + len(whole)
        return
    after = 0
    for part in _PARTS.split(quote):
        wanted = _letters(part)[0]
        begin = letters.find(wanted, after) if len(wanted) >= _LEAST else -1
        if begin >= 0:
            after = begin + len(wanted)
            yield begin, after
        else:
            yield from _over_border(letters, wanted)


def _over_border(letters: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Where as much of a paragraph stands as is on this page, when it goes on on the next one or began on the last."""
    sizes = range(len(wanted) + 1)
    size = bisect_left(sizes, True, key=lambda size: wanted[:size] not in letters) - 1
    if size >= _LEAST_OVER and len(letters) - (at := letters.rfind(wanted[:size])) - size <= _BESIDE:
        yield at, at + size
    size = bisect_left(sizes, True, key=lambda size: wanted[len(wanted) - size :] not in letters) - 1
    if size >= _LEAST_OVER and (at := letters.find(wanted[len(wanted) - size :])) <= _BESIDE:
        yield at, at + size


def _lines(characters: Sequence[Sequence[float]]) -> Iterator[Box]:
    """Neighbouring characters of a line as one box."""
    box: Box | None = None
    for left, top, right, bottom in characters:
        if right <= left or top <= bottom:
            continue
        height = top - bottom
        if box is not None and min(top, box[1]) - max(bottom, box[3]) > height / 2 and left - box[2] < 2 * height:
            box = (min(left, box[0]), max(top, box[1]), max(right, box[2]), min(bottom, box[3]))
            continue
        if box is not None:
            yield box
        box = (left, top, right, bottom)
    if box is not None:
        yield box


def _on_picture(page: PdfPage, box: Box, width: int, height: int) -> Box:
    x, y = ctypes.c_int(), ctypes.c_int()
    corners: list[tuple[int, int]] = []
    for across, up in ((box[0], box[1]), (box[2], box[3])):
        pdfium.FPDF_PageToDevice(page.handle, 0, 0, width, height, 0, across, up, x, y)
        corners.append((x.value, y.value))
    (a, b), (c, d) = corners
    return min(a, c), min(b, d), max(a, c), max(b, d)


def _on_scan(scanned: ScannedPage, line: ScannedLine, width: int, height: int) -> Box:
    """Where a line stands in a picture of the page as it is, which may have to be turned to be upright."""
    left, right = line.left / scanned.width, line.right / scanned.width
    top, bottom = line.top / scanned.height, line.bottom / scanned.height
    for _ in range(scanned.turned):  # a quarter to the right each
        left, top, right, bottom = 1 - bottom, left, 1 - top, right
    return left * width, top * height, right * width, bottom * height


def _mark(pixels: bytearray, width: int, height: int, box: Box) -> None:
    left, top = max(int(box[0]) - 1, 0), max(int(box[1]) - 1, 0)
    right, bottom = min(int(box[2]) + 1, width), min(int(box[3]) + 1, height)
    for row in range(top, bottom):
        begin, end = 3 * (row * width + left), 3 * (row * width + right)
        for channel, ink in enumerate(_INK):
            pixels[begin + channel : end : 3] = pixels[begin + channel : end : 3].translate(ink)


def _png(pixels: bytearray, width: int, height: int) -> bytes:
    """The pixels as a PNG: eight bits for each of three colours, no filter."""
    rows = memoryview(pixels)
    stride = 3 * width
    packing = zlib.compressobj(6)
    packed = [
        packing.compress(b"\0" + rows[begin:end]) for begin, end in pairwise(range(0, stride * height + 1, stride))
    ]
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", b"".join([*packed, packing.flush()])),
        (b"IEND", b""),
    )
    png = PNG + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )
    if len(png) > MOST_VIEW:
        raise Unextracted(Failure.TOO_LARGE, f"a picture of {len(png):,} bytes")
    return png


class PdfReader:
    """``.pdf``. Pages are counted from 1 as viewers do; no paragraph runs over the end of a page. ``depth`` is how deep
    the document itself is attached to others."""

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth

    def glance(self, data: bytes) -> str:
        """Title, subject, keywords and outline; where it has neither title nor outline, how its first page begins."""
        with opened(data) as document:
            head = _head(document)
            titles = [bookmark.title for bookmark in bookmarks(document)]
            said = [head.title or "", head.description or "", *head.tags, *titles]
            if not head.title and not titles:
                with opened_page(document, 0) as page:
                    said += [] if page is None else [text_of(page, _BEGINNING)]
        return "\n".join(said)

    def picture(self, data: bytes, index: int) -> tuple[bytes, int]:
        """The page ``index`` from 0 as a binary PGM, and how many pages there are. Raises `Unextracted`."""
        with opened(data) as document:
            width, height, pixels, _scale = drawn_page(document, index, _PER_INCH, _MOST_PIXELS_OCR)
            return b"P5\n%d %d\n255\n%s" % (width, height, pixels), page_count(document)

    def extract(self, data: bytes, recognised: Mapping[int, str | ScannedPage] = _NOTHING) -> Extracted:
        """All of the document, hidden text set apart, with what was ``recognised`` on some pages, by number from 1,
        where they have no text. Raises `Unextracted`: encrypted, broken, or without text."""
        return self._extract(recognised, data, 0, MOST_PAGES)

    def extract_part(self, data: bytes, first: int, count: int) -> Extracted:
        """At most ``count`` pages from ``first`` on, from 0: without a text where they have none and others follow or
        came before. What is attached to the document is in its last part. Raises as `extract`."""
        return self._extract(_NOTHING, data, first, count)

    def _extract(self, recognised: Mapping[int, str | ScannedPage], data: bytes, first: int, count: int) -> Extracted:
        with opened(data) as document, opened_form(document) as form:
            reading = _PdfText(recognised, form, first=not first)
            total = page_count(document)
            end = min(total, MOST_PAGES)
            read = reading.pages(document, range(first, min(first + count, end)))
            left = end - read if read == first + count else 0
            attached = [] if left else [*attached_files(document, _MOST_ATTACHED)]
            if not left:
                reading.close(read, total, attached=bool(attached))
            reading.tell(dynamic=not first and is_dynamic(document))
            headings = Headings(reading.sheets, bookmarks(document))
            found = reading.extracted(headings, _head(document), attached, self._depth, left)
            said = None if first else _private(document, data)
            return replace(found, private=said or found.private, read=read, left=left)

    def view(self, data: bytes, page: int, quote: str, scanned: ScannedPage | None = None) -> View:
        """A page, from 1, as it looks, a quote marked in its text or in what was ``scanned`` on it. Raises
        `Unextracted`."""
        with opened(data) as document:
            if not 1 <= page <= page_count(document):
                raise Unextracted(Failure.EMPTY, "there is no such page")
            with opened_page(document, page - 1) as shown:
                if shown is None:
                    raise Unextracted(Failure.BROKEN, "the page cannot be read")
                width, height = _size(shown, lambda width, height: _WIDTH / min(width, height), _MOST_PIXELS)
                pixels = _drawn(shown, width, height, pdfium.FPDFBitmap_BGR, 3)
                marks = [_on_picture(shown, box, width, height) for box in boxes_of_quote(shown, quote)]
                if not marks and scanned is not None:
                    marks = [_on_scan(scanned, line, width, height) for line in lines_of_quote(scanned, quote)]
                for mark in marks:
                    _mark(pixels, width, height, mark)
                return View(_png(pixels, width, height), len(marks))


@dataclass(slots=True)
class _PdfText:
    """The pages so far, and which of them a user should know something about."""

    recognised: Mapping[int, str | ScannedPage]
    form: Handle | None = None
    first: bool = True
    """The document begins here."""
    sheets: list[PageText] = field(default_factory=list)
    letters: int = 0
    _hidden: dict[int, tuple[PdfTextPiece, ...]] = field(default_factory=dict)
    _marks: dict[int, PageMarks] = field(default_factory=dict)
    _beside: dict[int, list[str]] = field(default_factory=dict)
    """The lines that stand at the end of each page."""
    _bare: list[int] = field(default_factory=list)
    _garbled: list[int] = field(default_factory=list)
    _recognised: list[int] = field(default_factory=list)
    _sure: dict[int, int] = field(default_factory=dict)
    """How sure the models are of the pages that they read, in percent."""
    _unread: list[int] = field(default_factory=list)
    _notices: list[str] = field(default_factory=list)

    def pages(self, document: Handle, numbers: range) -> int:
        """Read pages, from 0, in order; the one behind the last that was read."""
        for index in numbers:
            self.page(document, index)
            if self.letters > MOST_LETTERS:
                return index + 1
        return numbers.stop

    def page(self, document: Handle, index: int) -> None:
        """Read the page ``index`` from 0."""
        number = index + 1
        with opened_page(document, index) as page:
            if page is None:
                self._unread.append(number)
                return
            garbled = _is_garbled(page)
            visibility = visibility_of(page, [] if garbled else pieces_of(page))
            self._garbled += [number] if garbled else []
            bare = not visibility.seen and not visibility.hidden
            marks = marks_of(page.handle, page.text, self.form, visibility.seen)
            if marks != NO_MARKS:
                self._marks[number] = marks
                self._beside[number] = [*marks.lines]
                self.letters += sum(map(len, marks.lines))
            if bare and number in self.recognised:
                self._recognise(number)
                return
            if bare and pdfium.FPDFPage_CountObjects(page.handle) > 0:
                self._bare.append(number)
        counted = line_numbers_of(visibility.seen)
        seen = visibility.seen
        if counted:
            taken = {piece.order for piece in counted}
            seen = [piece for piece in seen if piece.order not in taken]
            self._beside.setdefault(number, []).append(f"Line numbers: {counted[0].text}–{counted[-1].text}")
        passages = passages_of(regions_of(seen), _PLAIN_STYLE)
        self.sheets.append(PageText(number, passages, visibility.recognised))
        if visibility.hidden:
            self._hidden[number] = tuple(visibility.hidden)
        self.letters += sum(len(piece.text) for piece in (*visibility.seen, *visibility.hidden))

    def _recognise(self, number: int) -> None:
        """Take a page as it was recognised: laid out by its lines' boxes, or without any by the blank lines."""
        found = self.recognised[number]
        if isinstance(found, ScannedPage):
            passages = passages_of(regions_of(pieces_of_scan(found)), _PLAIN_STYLE)
            self._sure[number] = round(100 * found.sure)
        else:
            text = _SPLIT.sub("", found.replace("\f", "\n"))
            words = [paragraph for each in _GAP.split(text) if (paragraph := on_one_line(each))]
            passages = tuple(PagePassage(BlockKind.PARAGRAPH, each, _PLAIN_STYLE, _MANY_LINES) for each in words)
        self.sheets.append(PageText(number, passages, recognised=True))
        self._recognised += [number] if passages else []
        self.letters += sum(len(passage.text) + sum(map(len, sum(passage.rows, ()))) for passage in passages)

    def close(self, read: int, count: int, *, attached: bool) -> None:
        """Say what is missing of ``count`` pages behind those that were ``read``. Raises `Unextracted` when it is
        everything, from the first page on, and nothing is ``attached``."""
        if self.first and not self.sheets:
            raise Unextracted(Failure.BROKEN, "none of its pages can be read")
        attached = attached or any(marks.attached for marks in self._marks.values())
        if self.first and not self.letters and not attached:
            raise Unextracted(Failure.EMPTY, "no page has a text layer" if self._bare else "its pages are empty")
        if read < count:
            self._notices.append(f"only the first {read:,} of {count:,} pages were read")

    def tell(self, *, dynamic: bool) -> None:
        """Say what is wrong with pages, and whether a program makes the document's form."""
        if dynamic:
            self._notices.append("its form is made by a program in it (XFA) and was not read; print it to a PDF")
        layered = [sheet.number for sheet in self.sheets if sheet.recognised and sheet.number not in self.recognised]
        garbled = [number for number in self._garbled if number not in self.recognised]
        marked = self._marks.items()
        about = (
            (self._unread, " could not be read"),
            (garbled, ": its fonts do not say which letters they draw, text not read"),
            ([number for number, marks in marked if marks.cut], ": further comments and fields were not read"),
            ([number for number, marks in marked if marks.played], ": a film, a sound or a model was not read"),
            (layered, ": text layer over scanned pages"),
        )
        self._notices += [f"{pages_shown(numbers)}{said}" for numbers, said in about if numbers]
        if self._recognised:
            alone = len(self._recognised) == sum(bool(sheet.passages) for sheet in self.sheets)
            which = "its text was" if alone else f"the text of {pages_shown(self._recognised)} was"
            self._notices.append(f"{which} recognised by OCR and may be wrong")
        if self._hidden:
            have = "have" if len(self._hidden) > 1 else "has"
            self._notices.append(f"{pages_shown(list(self._hidden))} {have} text that nobody sees")

    def extracted(
        self, headings: Headings, head: Head, attached: Sequence[tuple[str, bytes | None]], depth: int, left: int
    ) -> Extracted:
        """The text of all pages, and what is ``attached`` to the document; ``left`` pages wait. What stands on a page
        beside its text is at the page's end, and behind that what nobody sees, named as hidden."""
        composer = TextComposer()
        hyphens = Hyphens(_texts(self.sheets))
        blocks, hidden = 0, []
        table: _OpenTable | None = None
        for sheet in across_pages(self.sheets, headings):
            place: dict[str, int | str] = {"page": sheet.number}
            if sheet.number in self._recognised:
                place["by"] = "ocr"
            if sheet.number in self._sure:
                place["confidence"] = self._sure[sheet.number]
            composer.place(place)
            for passage in sheet.passages:
                if not headings.repeats(passage):
                    table = _table_of(composer, passage, table)
                blocks += _compose(composer, passage, hyphens, headings.level(sheet, passage), table, sheet.number)
            table = table and replace(table, left=True)
            composer.place({"page": sheet.number})
            for line in self._beside.get(sheet.number, ()):
                blocks += not composer.full
                composer.paragraph(line)
            for piece in self._hidden.get(sheet.number, ()):
                if on_one_line(piece.text) and not composer.full:
                    composer.paragraph(piece.text)
                    hidden.append(blocks)
                    blocks += 1
        reading = Attachments(composer, depth)
        for number, marks in self._marks.items():
            reading.all(marks.attached, {"page": number})
        reading.all(attached, {})
        notices = [*self._notices, *reading.notices]
        if composer.empty and (left or not self.first):
            return Extracted("", structure=Structure(head=head), notices=tuple(notices), pages=tuple(self._bare))
        found = composer.extracted(head, notices, titled=self.first)
        spans = tuple(found.structure.blocks[at].span for at in hidden)
        structure = replace(found.structure, hidden=(*spans, *found.structure.hidden))
        pictures, private = reading.pictures, reading.private
        return replace(found, structure=structure, pages=tuple(self._bare), pictures=pictures, private=private)


@dataclass(frozen=True, slots=True)
class _OpenTable:
    """The table that stands last so far, how it began, and whether the page it stands on was left."""

    composer: TableComposer
    begun: PagePassage
    left: bool = False


def _table_of(composer: TextComposer, passage: PagePassage, last: _OpenTable | None) -> _OpenTable | None:
    """The table that a passage is, which may go on with that of the page before; None for a passage that is none."""
    if passage.kind is not BlockKind.TABLE_ROW:
        return None
    if last is not None and last.left and table_goes_on(last.begun, passage):
        return replace(last, left=False)
    return _OpenTable(composer.table(), passage)


def _compose(
    composer: TextComposer,
    passage: PagePassage,
    hyphens: Hyphens,
    level: int | None,
    table: _OpenTable | None,
    page: int,
) -> int:
    """Write a passage of a page; how many blocks it became."""
    if composer.full:
        # One more makes it say that something was left out.
        composer.paragraph(passage.text or "|")
        return 0
    if passage.kind is BlockKind.TABLE_ROW and table is not None:
        for number, row in enumerate(passage.rows):
            table.composer.row([hyphens.joined(cell) for cell in row], header=(passage.titled and not number) or None)
        return sum(1 for row in passage.rows if any(map(on_one_line, row)))
    text = hyphens.joined(passage.text)
    if not on_one_line(text):
        return 0
    if level is not None:
        composer.heading(text, level)
    else:
        composer.block(passage.kind, text, hyphens.joined(passage.beyond), {"page": page + 1})
    return 1


def _texts(sheets: Iterable[PageText]) -> Iterable[str]:
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


class RecognisedReader:
    """A line of JSON, what was recognised by the numbers of the pages from 1, and behind it the PDF."""

    def extract(self, data: bytes) -> Extracted:
        """As `PdfReader.extract`, with that where the pages have no text of their own."""
        said, _, document = data.partition(b"\n")
        found = {int(page): recognised_from(each) for page, each in json.loads(said).items()}
        return PdfReader().extract(document, found)
