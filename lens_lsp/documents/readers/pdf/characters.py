r"""The words of a page with their places, as pieces of lines.

pdfium gives the characters in the order of the page's content, with ``\r\n`` where a line ends and ``\x02`` or
U+FFFE where one ends in a hyphen. A piece is a run of words on one line without a wide gap. Its place is in the
*reading frame* of its direction: ``left`` and ``right`` along the line, ``base`` downwards, in points, so that turned
text is laid out like any other.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import pypdfium2.raw as pdfium

from lens_lsp.documents.readers.pdf.library import Handle, Page

WIDE_GAP = 0.9
"""In font sizes: words further apart than that are not of one piece. Stretched blanks of justified lines stay below."""

_HYPHENS = "\x02\ufffe"
_TOKEN = re.compile(rf"[^\s{_HYPHENS}]+|[\r\n]+|[{_HYPHENS}]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_BOLD = re.compile(r"bold|black|heavy|semib|demib|cmbx|bx\d|-bd", re.IGNORECASE)
_BOX_BYTES = 16
_MISSED_BLANK = 0.2
"""In font sizes: a gap that much wider than the others of its word is a blank that pdfium took for kerning."""
_NO_BLANK = 0.03
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
_word_object = ctypes.cast(pdfium.FPDFText_GetTextObject, ctypes.CFUNCTYPE(_POINTER, _POINTER, _INT))
_word_matrix = ctypes.cast(pdfium.FPDFText_GetMatrix, ctypes.CFUNCTYPE(_INT, _POINTER, _INT, _POINTER))
_word_size = ctypes.cast(pdfium.FPDFText_GetFontSize, ctypes.CFUNCTYPE(ctypes.c_double, _POINTER, _INT))
_object_font = ctypes.cast(pdfium.FPDFTextObj_GetFont, ctypes.CFUNCTYPE(_POINTER, _POINTER))
_object_mode = ctypes.cast(pdfium.FPDFTextObj_GetTextRenderMode, ctypes.CFUNCTYPE(_INT, _POINTER))
_object_fill = ctypes.cast(pdfium.FPDFPageObj_GetFillColor, ctypes.CFUNCTYPE(_INT, *[_POINTER] * 5))


class Ink(StrEnum):
    """What a reader of the page sees of a text."""

    VISIBLE = "visible"
    PALE = "pale"
    """White: seen on a dark ground only."""
    UNSEEN = "unseen"
    """Drawn without ink: the recognised text over a scan, or hidden."""
    TINY = "tiny"


@dataclass(frozen=True, slots=True, eq=False)
class Style:
    """How a text looks; ``size`` in points as it stands on the page, ``direction`` in quarter turns.

    There is one of a kind on a page.
    """

    size: float
    bold: bool
    ink: Ink
    direction: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Words on one line. ``first`` is the width of the first one, ``order`` the place in the page's content."""

    text: str
    left: float
    right: float
    base: float
    style: Style
    first: float
    order: int
    hyphen: bool = False
    """A hyphen stood behind it, at the end of its line; it is not in ``text``."""

    @property
    def size(self) -> float:
        """Of its letters, in points."""
        return self.style.size

    @property
    def width(self) -> float:
        """In points."""
        return self.right - self.left


def pieces_of(page: Page) -> list[Piece]:
    """All pieces of a page, in the order of its content."""
    text = text_of(page)
    broken = _SURROGATE.search(text) is not None
    reading = _Reading(page, boxes_of(page, len(text)))
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in _HYPHENS:
            reading.end(hyphen=True)
        elif token[0] in "\r\n":
            reading.end()
        else:
            for start, end in reading.apart(match.start(), match.end()):
                part = text[start:end]
                reading.word(_whole(part) if broken else part, start, end - 1)
    reading.end()
    return reading.pieces


def beginning(page: Page, most: int) -> str:
    """As many characters of a page as come first in its content."""
    return text_of(page, most)


def text_of(page: Page, most: int | None = None) -> str:
    """The characters of a page, one code point each so that offsets are pdfium's."""
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


def boxes_of(page: Page, count: int) -> list[float]:
    """Left, top, right and bottom of each character, one after the other."""
    boxes = (ctypes.c_float * (4 * count))()
    at, address = ctypes.addressof(boxes), page.address
    for index in range(count):
        _character_box(address, index, at)
        at += _BOX_BYTES
    return boxes[:]


def _whole(text: str) -> str:
    """Pairs of surrogates as the characters they stand for, single ones replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


@dataclass(slots=True)
class _Reading:
    """The piece that is being put together, and those that are done."""

    page: Page
    boxes: list[float]
    pieces: list[Piece] = field(default_factory=list)
    _words: list[str] = field(default_factory=list)
    _weights: dict[Style, int] = field(default_factory=dict)
    """How many characters of this piece have each style."""
    _bases: dict[Style, float] = field(default_factory=dict)
    _left: float = 0.0
    _right: float = 0.0
    _last: tuple[float, float] = (0.0, 0.0)
    """Where the last word begins and ends."""
    _first: float = 0.0
    _direction: int = 0
    _looks: _Looks = field(init=False)

    def __post_init__(self) -> None:
        self._looks = _Looks(self.page)

    def apart(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The words of the characters from ``start`` to ``end``, which pdfium takes for one."""
        lefts, rights = self.boxes[4 * start + 4 : 4 * end : 4], self.boxes[4 * start + 2 : 4 * end - 4 : 4]
        gaps = [left - right for left, right in zip(lefts, rights, strict=True)]
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

    def word(self, text: str, first: int, last: int) -> None:
        """Take the word of the characters ``first`` to ``last``, in this piece or in a new one."""
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
        if self._words and -_OVERLAP * style.size < begin - self._last[1] < _NO_BLANK * style.size:
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
        piece = Piece(
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

    def _base(self, index: int, style: Style) -> float:
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium.FPDFText_GetCharOrigin(self.page.text, index, x, y)
        return (-y.value, x.value, y.value, -x.value)[style.direction]


_ALONG: tuple[Callable[[list[float]], tuple[float, float]], ...] = (
    lambda box: (box[0], box[6]),
    lambda box: (box[3], box[5]),
    lambda box: (-box[2], -box[4]),
    lambda box: (-box[1], -box[7]),
)
"""By direction: where a word begins and ends on its line, from the boxes (left, top, right, bottom) of its ends."""


class _Looks:
    """The styles of a page, asked once for each text object."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._by_object: dict[int, Style] = {}
        self._by_look: dict[tuple[float, bool, Ink, int], Style] = {}
        self._bold: dict[int, bool] = {}
        self._matrix = (ctypes.c_float * 6)()
        self._fill = (ctypes.c_uint * 4)()

    def style(self, index: int, box: Sequence[float]) -> Style:
        """Of the character ``index``; ``box`` begins with its own (left, top, right, bottom)."""
        owner = _word_object(self._page.address, index) or 0
        style = self._by_object.get(owner)
        if style is None:
            look = self._look(index, owner, box)
            style = self._by_object[owner] = self._by_look.setdefault(look, Style(*look))
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
        return round(size, 1), self._is_bold(index, owner), ink, direction

    def _is_bold(self, index: int, owner: int) -> bool:
        font = (_object_font(owner) or 0) if owner else 0
        if font not in self._bold:
            drawn = pdfium.FPDFText_GetTextObject(self._page.text, index) if font else None
            self._bold[font] = _is_bold(pdfium.FPDFTextObj_GetFont(drawn)) if drawn else False
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
