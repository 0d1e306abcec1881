"""A page as a picture, for a program that recognises text."""

from __future__ import annotations

import ctypes
import math

import pypdfium2.raw as pdfium

from lens_lsp.documents.model import Failure, Unextracted
from lens_lsp.documents.readers.pdf.library import Handle

_PER_INCH = 300
"""What programs for OCR are made for."""
_MOST_PIXELS = 12_000_000
"""A larger page is drawn coarser: A4 has 8.7 million."""
_POINTS = 72
_WHITE = 0xFFFFFFFF


def picture_of(document: Handle, index: int) -> bytes:
    """The page ``index`` from 0 in shades of grey, as a binary PGM. Raises `Unextracted` when it cannot be drawn."""
    page = pdfium.FPDF_LoadPage(document, index)
    if not page:
        raise Unextracted(Failure.BROKEN, "a page cannot be read")
    try:
        width, height = _size(pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page))
        bitmap = pdfium.FPDFBitmap_CreateEx(width, height, pdfium.FPDFBitmap_Gray, None, 0)
        if not bitmap:
            raise Unextracted(Failure.TOO_LARGE, "a page has no room")
        try:
            pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
            pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, pdfium.FPDF_ANNOT)
            stride = pdfium.FPDFBitmap_GetStride(bitmap)
            drawn = ctypes.string_at(pdfium.FPDFBitmap_GetBuffer(bitmap), stride * height)
        finally:
            pdfium.FPDFBitmap_Destroy(bitmap)
    finally:
        pdfium.FPDF_ClosePage(page)
    rows = drawn if stride == width else b"".join(drawn[at : at + width] for at in range(0, stride * height, stride))
    return b"P5\n%d %d\n255\n%s" % (width, height, rows)


def _size(width: float, height: float) -> tuple[int, int]:
    """In pixels."""
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise Unextracted(Failure.BROKEN, "a page without a size")
    scale = min(_PER_INCH / _POINTS, math.sqrt(_MOST_PIXELS / (width * height)))
    return max(1, int(width * scale)), max(1, int(height * scale))
