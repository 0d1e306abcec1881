"""The calls into pdfium that a reader needs, and who closes what they open.

The raw bindings are used because pypdfium2's own objects make one of Python's for each character. A call costs about
half a microsecond, so a character is asked for its box alone and everything else is asked once a word or less.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pypdfium2.raw as pdfium

from lens_lsp.documents.model import Failure, Unextracted

Handle = object
"""A pointer to one of pdfium's own objects."""

_MOST_BOOKMARKS = 5000
_DEEPEST_BOOKMARK = 16
_LONGEST_TITLE = 2000
"""Bytes of UTF-16 of a bookmark or of a piece of metadata."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline: its depth from 1, the page it leads to from 0, its words."""

    level: int
    page: int
    title: str


@dataclass(frozen=True, slots=True)
class Page:
    """An open page and its text."""

    handle: Handle
    text: Handle
    address: int
    """Of ``text``, for the calls that are made for each word."""


@contextmanager
def opened(data: bytes) -> Iterator[Handle]:
    """The document; raises `Unextracted` when it needs a password or is none."""
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
def opened_page(document: Handle, index: int) -> Iterator[Page | None]:
    """A page from 0, or None when it cannot be read."""
    handle = pdfium.FPDF_LoadPage(document, index)
    text = pdfium.FPDFText_LoadPage(handle) if handle else None
    try:
        yield Page(handle, text, ctypes.cast(text, ctypes.c_void_p).value or 0) if text else None
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
    tag = name.encode("ascii")
    length = pdfium.FPDF_GetMetaText(document, tag, None, 0)
    if not 2 < length <= longest:
        return ""
    buffer = ctypes.create_string_buffer(longest)
    if pdfium.FPDF_GetMetaText(document, tag, buffer, longest) > longest:
        return ""
    return buffer.raw[: length - 2].decode("utf-16-le", "replace")


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
        if page >= 0 and (title := _title_of(entry)):
            found.append(Bookmark(level, page, title))
        open_entries.append((pdfium.FPDFBookmark_GetNextSibling(document, entry), level))
        if level < _DEEPEST_BOOKMARK:
            open_entries.append((pdfium.FPDFBookmark_GetFirstChild(document, entry), level + 1))
    return tuple(found)


def _title_of(entry: Handle) -> str:
    buffer = ctypes.create_string_buffer(_LONGEST_TITLE)
    length = pdfium.FPDFBookmark_GetTitle(entry, buffer, _LONGEST_TITLE)
    return buffer.raw[: length - 2].decode("utf-16-le", "replace") if 2 < length <= _LONGEST_TITLE else ""


def _page_of(document: Handle, entry: Handle) -> int:
    """The page from 0 that an entry leads to, or -1."""
    target = pdfium.FPDFBookmark_GetDest(document, entry)
    if not target:
        action = pdfium.FPDFBookmark_GetAction(entry)
        target = pdfium.FPDFAction_GetDest(document, action) if action else None
    return int(pdfium.FPDFDest_GetDestPageIndex(document, target)) if target else -1
