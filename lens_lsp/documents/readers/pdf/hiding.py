"""Text that no reader of a page sees, and scans with or without recognised text."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import pypdfium2.raw as pdfium

from lens_lsp.documents.readers.pdf.characters import Ink, Piece
from lens_lsp.documents.readers.pdf.library import Handle, Page

_MOST_OBJECTS = 20_000
_WHITE = 250


@dataclass(frozen=True, slots=True)
class Sight:
    """The pieces a reader sees, those nobody does, and whether the seen ones were recognised on a scan."""

    seen: list[Piece]
    hidden: list[Piece]
    recognised: bool = False


@dataclass(frozen=True, slots=True)
class _Box:
    left: float
    bottom: float
    right: float
    top: float

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.bottom <= y <= self.top


def sight_of(page: Page, pieces: Sequence[Piece]) -> Sight:
    """Which pieces can be seen. White text counts as seen on any picture, shading or coloured area behind it."""
    frame = _frame(page)
    suspicious = any(piece.style.ink in (Ink.PALE, Ink.UNSEEN) for piece in pieces)
    pictures, grounds = _backs(page) if suspicious else ([], [])
    seen: list[Piece] = []
    hidden: list[Piece] = []
    recognised = 0
    for piece in pieces:
        x, y = _middle(piece)
        ink = piece.style.ink
        over_picture = any(box.holds(x, y) for box in pictures)
        visible = frame is None or frame.holds(x, y)
        if ink is Ink.TINY or (ink is Ink.UNSEEN and not over_picture):
            visible = False
        elif ink is Ink.PALE:
            visible = visible and (over_picture or any(box.holds(x, y) for box in grounds))
        (seen if visible else hidden).append(piece)
        recognised += len(piece.text) if visible and ink is Ink.UNSEEN else 0
    return Sight(seen, hidden, recognised * 2 > sum(len(piece.text) for piece in seen))


def has_marks(page: Page) -> bool:
    """Whether anything at all is drawn on the page."""
    return bool(pdfium.FPDFPage_CountObjects(page.handle) > 0)


def _frame(page: Page) -> _Box | None:
    """What a viewer shows of the page, in its own coordinates."""
    box = pdfium.FS_RECTF()
    if not pdfium.FPDF_GetPageBoundingBox(page.handle, box):
        return None
    return _Box(box.left, box.bottom, box.right, box.top)


def _middle(piece: Piece) -> tuple[float, float]:
    """A point inside the letters, in the page's own coordinates."""
    along, down = (piece.left + piece.right) / 2, piece.base - piece.size / 4
    return ((along, -down), (down, along), (-along, down), (-down, -along))[piece.style.direction]


def _backs(page: Page) -> tuple[list[_Box], list[_Box]]:
    """The pictures, and the other grounds that white text is seen on."""
    pictures: list[_Box] = []
    grounds: list[_Box] = []
    for index in range(min(pdfium.FPDFPage_CountObjects(page.handle), _MOST_OBJECTS)):
        drawn = pdfium.FPDFPage_GetObject(page.handle, index)
        kind = pdfium.FPDFPageObj_GetType(drawn)
        if kind == pdfium.FPDF_PAGEOBJ_TEXT or (kind == pdfium.FPDF_PAGEOBJ_PATH and _is_white(drawn)):
            continue
        sides = [ctypes.c_float() for _ in range(4)]
        if pdfium.FPDFPageObj_GetBounds(drawn, *sides):
            picture = kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM)
            (pictures if picture else grounds).append(_Box(*(side.value for side in sides)))
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
