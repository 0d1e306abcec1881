"""A page as it looks, with a quote of its text marked.

The quote is found by its letters and digits alone: the text that is quoted was put together from the page's pieces,
with hyphens taken out and columns in order, so blanks and marks are not where the page has them.
"""

from __future__ import annotations

import ctypes
import re
import struct
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pypdfium2.raw as pdfium

from lens_lsp.documents.framing import MOST_VIEW, PNG
from lens_lsp.documents.model import Failure, Unextracted, View
from lens_lsp.documents.readers.pdf.characters import boxes_of, text_of
from lens_lsp.documents.readers.pdf.library import Handle, Page, opened, opened_page, page_count

_WIDTH = 1400
"""Pixels of a page's width, or of its height where that is less."""
_MOST_PIXELS = 6_000_000
_MOST_MARKS = 400
_LEAST = 8
"""Letters of a part of a quote that is worth finding by itself."""
_PARTS = re.compile(r"[\n|]+")
_INK = tuple(bytes(value * share // 255 for value in range(256)) for share in (255, 226, 92))
"""What a marked pixel's red, green and blue become: yellow over white, the letters as dark as they are."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom: in points upwards on a page, in pixels downwards in a picture."""


def view_of(data: bytes, number: int, quote: str) -> View:
    """A page, from 1. Raises `Unextracted` where there is none to see."""
    with opened(data) as document:
        if not 1 <= number <= page_count(document):
            raise Unextracted(Failure.EMPTY, "there is no such page")
        with opened_page(document, number - 1) as page:
            if page is None:
                raise Unextracted(Failure.BROKEN, "the page cannot be read")
            width, height = _size(page)
            pixels = _drawn(page, width, height)
            marks = [_on_picture(page, box, width, height) for box in boxes_of_quote(page, quote)]
            for mark in marks:
                _mark(pixels, width, height, mark)
            return View(_png(pixels, width, height), len(marks))


def boxes_of_quote(page: Page, quote: str) -> list[Box]:
    """Where the letters of a quote stand on a page, a box for each stretch of a line; none if they do not."""
    text = text_of(page)
    letters, at = _letters(text)
    boxes = boxes_of(page, len(text))
    found: list[Box] = []
    for start, end in _places(letters, quote):
        characters = [boxes[4 * index : 4 * index + 4] for index in range(at[start], at[end - 1] + 1)]
        found += _lines(characters)
    return found[:_MOST_MARKS]


def _letters(text: str) -> tuple[str, list[int]]:
    """Letters and digits, folded, and which character of the text each came from."""
    folded: list[str] = []
    at: list[int] = []
    for index, character in enumerate(text):
        for letter in unicodedata.normalize("NFKC", character).casefold():
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


def _size(page: Page) -> tuple[int, int]:
    """Width and height of the picture in pixels."""
    width, height = pdfium.FPDF_GetPageWidthF(page.handle), pdfium.FPDF_GetPageHeightF(page.handle)
    if not (1 <= width <= 1e6 and 1 <= height <= 1e6):
        raise Unextracted(Failure.BROKEN, "a page without a size")
    scale = min(_WIDTH / min(width, height), (_MOST_PIXELS / (width * height)) ** 0.5)
    return max(int(width * scale), 1), max(int(height * scale), 1)


def _drawn(page: Page, width: int, height: int) -> bytearray:
    """Red, green and blue of every pixel, row by row."""
    stride = 3 * width
    pixels = bytearray(stride * height)
    memory = (ctypes.c_char * len(pixels)).from_buffer(pixels)
    bitmap: Handle = pdfium.FPDFBitmap_CreateEx(width, height, pdfium.FPDFBitmap_BGR, memory, stride)
    if not bitmap:
        raise Unextracted(Failure.BROKEN, "the page cannot be drawn")
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, 0xFFFFFFFF)
        how = pdfium.FPDF_ANNOT | pdfium.FPDF_REVERSE_BYTE_ORDER
        pdfium.FPDF_RenderPageBitmap(bitmap, page.handle, 0, 0, width, height, 0, how)
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)
    return pixels


def _on_picture(page: Page, box: Box, width: int, height: int) -> Box:
    x, y = ctypes.c_int(), ctypes.c_int()
    corners: list[tuple[int, int]] = []
    for across, up in ((box[0], box[1]), (box[2], box[3])):
        pdfium.FPDF_PageToDevice(page.handle, 0, 0, width, height, 0, across, up, x, y)
        corners.append((x.value, y.value))
    (a, b), (c, d) = corners
    return min(a, c), min(b, d), max(a, c), max(b, d)


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
