"""What stands on a PDF page beside its own text: form values, annotations and attached files, by pdfium's raw bindings.

Each is one labelled line: ``Form field Name: Ann``, ``Comment (Ann) on “ten days”: too long``. What a viewer does not
show is left out: hidden annotations, passwords, empty fields. No script of a document is run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pypdfium2.raw as pdfium

from lens_lsp.documents.readers.composer import on_one_line
from lens_lsp.documents.readers.pdf_layout import PdfTextPiece
from lens_lsp.model.lazy_dataclass import dataclass

Handle = object
"""A pointer to one of pdfium's own objects."""
_LONGEST = 1 << 18
"""Bytes of UTF-16 of a value or a comment."""
_MOST_ANNOTATIONS = 5000
"""Of one page."""
_MOST_LETTERS = 1_000_000
"""Of the marks of one page; what follows is left out, and the page is counted as cut."""
_MOST_OPTIONS = 1000
_LONGEST_CAPTION = 100
_LONGEST_MARKED = 200
_HIDDEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD = 1 << 13
_MARKING = frozenset(
    {pdfium.FPDF_ANNOT_HIGHLIGHT, pdfium.FPDF_ANNOT_UNDERLINE, pdfium.FPDF_ANNOT_SQUIGGLY, pdfium.FPDF_ANNOT_STRIKEOUT}
)
_COMMENTING = _MARKING | {
    pdfium.FPDF_ANNOT_TEXT,
    pdfium.FPDF_ANNOT_LINE,
    pdfium.FPDF_ANNOT_SQUARE,
    pdfium.FPDF_ANNOT_CIRCLE,
    pdfium.FPDF_ANNOT_POLYGON,
    pdfium.FPDF_ANNOT_POLYLINE,
    pdfium.FPDF_ANNOT_CARET,
    pdfium.FPDF_ANNOT_INK,
    pdfium.FPDF_ANNOT_FILEATTACHMENT,
    pdfium.FPDF_ANNOT_REDACT,
}
_PLAYED = frozenset(
    {
        pdfium.FPDF_ANNOT_SOUND,
        pdfium.FPDF_ANNOT_MOVIE,
        pdfium.FPDF_ANNOT_SCREEN,
        pdfium.FPDF_ANNOT_RICHMEDIA,
        pdfium.FPDF_ANNOT_THREED,
    }
)
_CHOICES = frozenset({pdfium.FPDF_FORMFIELD_COMBOBOX, pdfium.FPDF_FORMFIELD_LISTBOX})
_TICKED = frozenset({pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON})
_BESIDE, _BEHIND, _ABOVE = 250.0, 40.0, 16.0
"""Points: how far a caption may be from its field, to the left, behind a box to tick, and above."""
_TOUCHING = 3.0
MOST_ATTACHED = 32 << 20
"""Bytes of one attached file."""


@dataclass(frozen=True, slots=True)
class PageMarks:
    """What stands on one page beside its text, in lines from top to bottom."""

    lines: tuple[str, ...] = ()
    attached: tuple[tuple[str, bytes | None], ...] = ()
    """Names and bytes of attached files; None for one that is too large or damaged."""
    played: bool = False
    """Whether it has films, sounds or models, which nobody reads."""
    cut: bool = False
    """Whether there are more."""


NO_MARKS = PageMarks()


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where an annotation stands, in points upwards."""

    left: float
    bottom: float
    right: float
    top: float


@contextmanager
def opened_form(document: Handle) -> Iterator[Handle | None]:
    """The form of a document, None where it has none."""
    if pdfium.FPDF_GetFormType(document) == pdfium.FORMTYPE_NONE:
        yield None
        return
    how = pdfium.FPDF_FORMFILLINFO(version=2)
    form = pdfium.FPDFDOC_InitFormFillEnvironment(document, how)
    try:
        yield form or None
    finally:
        if form:
            pdfium.FPDFDOC_ExitFormFillEnvironment(form)


def is_dynamic(document: Handle) -> bool:
    """Whether the pages of its form are made by a program in it (XFA), which is not run."""
    return bool(pdfium.FPDF_GetFormType(document) == pdfium.FORMTYPE_XFA_FULL)


def attached_files(document: Handle, most: int) -> Iterator[tuple[str, bytes | None]]:
    """Names and bytes of the first files that are attached to the document as a whole."""
    for index in range(min(max(pdfium.FPDFDoc_GetAttachmentCount(document), 0), most)):
        attachment = pdfium.FPDFDoc_GetAttachment(document, index)
        if attachment:
            yield _attached(attachment)


def marks_of(page: Handle, text: Handle, form: Handle | None, pieces: Sequence[PdfTextPiece]) -> PageMarks:
    """The marks of a page. ``pieces`` are its text, for the captions of fields without a name for people."""
    count = min(max(pdfium.FPDFPage_GetAnnotCount(page), 0), _MOST_ANNOTATIONS)
    if not count:
        return NO_MARKS
    if form is not None:
        # Without it no box is ticked.
        pdfium.FORM_OnAfterLoadPage(page, form)
    try:
        return _marks(page, text, form, pieces, count)
    finally:
        if form is not None:
            pdfium.FORM_OnBeforeClosePage(page, form)


def _marks(page: Handle, text: Handle, form: Handle | None, pieces: Sequence[PdfTextPiece], count: int) -> PageMarks:
    found: list[tuple[float, float, int, str]] = []
    letters = 0
    attached: list[tuple[str, bytes | None]] = []
    played = False
    for index in range(count):
        annotation = pdfium.FPDFPage_GetAnnot(page, index) if letters <= _MOST_LETTERS else None
        if not annotation:
            continue
        try:
            if pdfium.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
                continue
            subtype = pdfium.FPDFAnnot_GetSubtype(annotation)
            played = played or subtype in _PLAYED
            if subtype == pdfium.FPDF_ANNOT_FILEATTACHMENT:
                attachment = pdfium.FPDFAnnot_GetFileAttachment(annotation)
                attached += [_attached(attachment)] if attachment else []
            frame = _frame(annotation)
            if subtype == pdfium.FPDF_ANNOT_WIDGET:
                line = _field(form, annotation, frame, pieces) if form is not None else ""
            else:
                line = _comment(annotation, subtype, text)
            if line:
                letters += len(line)
                found.append((-frame.top, frame.left, index, line))
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    lines = dict.fromkeys(line for _, _, _, line in sorted(found))
    cut = letters > _MOST_LETTERS or pdfium.FPDFPage_GetAnnotCount(page) > count
    return PageMarks(tuple(lines), tuple(attached), played, cut)


def _comment(annotation: Handle, subtype: int, text: Handle) -> str:
    """The line of an annotation, empty for one without words."""
    said = _said(annotation, b"Contents")
    author = _said(annotation, b"T")
    by = f" ({author})" if author else ""
    if subtype == pdfium.FPDF_ANNOT_FREETEXT:
        return f"Added text{by}: {said}" if said else ""
    if subtype == pdfium.FPDF_ANNOT_STAMP:
        stamp = said or _said(annotation, b"Name")
        return f"Stamp{by}: {stamp}" if stamp and not stamp.startswith("#") else ""
    if not said or subtype not in _COMMENTING:
        return ""
    marked = _marked(annotation, text) if subtype in _MARKING else ""
    return f"Comment{by} on “{marked}”: {said}" if marked and marked != said else f"Comment{by}: {said}"


def _marked(annotation: Handle, text: Handle) -> str:
    """The words that an annotation marks, or how they begin."""
    words: list[str] = []
    points = pdfium.FS_QUADPOINTSF()
    buffer = (ctypes.c_ushort * (_LONGEST_MARKED + 1))()
    for index in range(min(pdfium.FPDFAnnot_CountAttachmentPoints(annotation), 20)):
        if pdfium.FPDFAnnot_GetAttachmentPoints(annotation, index, points):
            across, up = (points.x1, points.x2, points.x3, points.x4), (points.y1, points.y2, points.y3, points.y4)
            sides = min(across), max(up), max(across), min(up)
            count = pdfium.FPDFText_GetBoundedText(text, *sides, buffer, _LONGEST_MARKED)
            words.append(bytes(memoryview(buffer).cast("B")[: 2 * max(count, 0)]).decode("utf-16-le", "replace"))
    said = on_one_line(" ".join(words).replace("\0", ""))
    return said if len(said) <= _LONGEST_MARKED else f"{said[:_LONGEST_MARKED]}…"


def _field(form: Handle, annotation: Handle, frame: _Frame, pieces: Sequence[PdfTextPiece]) -> str:
    """The line of a form's field, empty for one that shows nothing."""
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in _TICKED:
        if not pdfium.FPDFAnnot_IsChecked(form, annotation):
            return ""
        value = "checked"
        if kind == pdfium.FPDF_FORMFIELD_RADIOBUTTON:
            value = _word(pdfium.FPDFAnnot_GetFormFieldExportValue, form, annotation) or value
    elif kind in _CHOICES:
        value = _chosen(form, annotation)
    elif kind == pdfium.FPDF_FORMFIELD_TEXTFIELD:
        masked = pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD
        value = "" if masked else _word(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
    else:
        value = ""
    if not value:
        return ""
    label = _word(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation) or _caption(
        frame, pieces, ticked=kind in _TICKED
    )
    label = label or _word(pdfium.FPDFAnnot_GetFormFieldName, form, annotation)
    return f"Form field {label}: {value}" if label else f"Form field: {value}"


def _chosen(form: Handle, annotation: Handle) -> str:
    """What is chosen of a list, as it is shown, with its value where that is another."""
    value = _word(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
    labels: list[str] = []
    for index in range(min(max(pdfium.FPDFAnnot_GetOptionCount(form, annotation), 0), _MOST_OPTIONS)):
        if pdfium.FPDFAnnot_IsOptionSelected(form, annotation, index):
            length = pdfium.FPDFAnnot_GetOptionLabel(form, annotation, index, None, 0)
            labels.append(_utf16(length, lambda at, size: _option(form, annotation, index, at, size)))  # noqa: B023
    said = ", ".join(label for label in labels if label)
    return f"{said} ({value})" if said and value and value not in said else said or value


def _option(form: Handle, annotation: Handle, index: int, at: object, size: int) -> None:
    pdfium.FPDFAnnot_GetOptionLabel(form, annotation, index, at, size)


def _caption(frame: _Frame, pieces: Sequence[PdfTextPiece], *, ticked: bool) -> str:
    """The text nearest to a field that may say what it is: to its left, behind a box to tick, or above."""
    best: tuple[float, str] | None = None
    for piece in pieces:
        if piece.style.direction or not any(map(str.isalpha, piece.text)):
            continue
        base = -piece.base
        beside = frame.bottom - _TOUCHING <= base <= frame.top
        left, right = frame.left - piece.right, piece.left - frame.right
        if ticked and beside and -_TOUCHING <= right <= _BEHIND:
            far = right - _BESIDE
        elif beside and -_TOUCHING <= left <= _BESIDE:
            far = left
        elif 0 <= base - frame.top <= _ABOVE and piece.left < frame.right and piece.right > frame.left:
            far = _BESIDE + base - frame.top
        else:
            continue
        if best is None or far < best[0]:
            best = far, piece.text
    return "" if best is None else on_one_line(best[1]).strip(" :._…")[:_LONGEST_CAPTION]


def _frame(annotation: Handle) -> _Frame:
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFAnnot_GetRect(annotation, box):
        return _Frame(0.0, 0.0, 0.0, 0.0)
    sides = sorted((box.left, box.right)), sorted((box.bottom, box.top))
    return _Frame(sides[0][0], sides[1][0], sides[0][1], sides[1][1])


def _said(annotation: Handle, key: bytes) -> str:
    length = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    return _utf16(length, lambda at, size: pdfium.FPDFAnnot_GetStringValue(annotation, key, at, size))


def _word(ask: object, form: Handle, annotation: Handle) -> str:
    assert callable(ask)
    length = ask(form, annotation, None, 0)
    return _utf16(length, lambda at, size: ask(form, annotation, at, size))


def _utf16(length: int, fill: object) -> str:
    """The words that a function writes into a buffer, on one line; a longer text is cut."""
    assert callable(fill)
    if not length > 2:
        return ""
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    fill(buffer, length)
    text = bytes(memoryview(buffer).cast("B")[: min(length - 2, _LONGEST)]).decode("utf-16-le", "replace")
    return on_one_line(text.replace("\0", ""))


def _attached(attachment: Handle) -> tuple[str, bytes | None]:
    length = pdfium.FPDFAttachment_GetName(attachment, None, 0)
    name = _utf16(length, lambda at, size: pdfium.FPDFAttachment_GetName(attachment, at, size))
    size = ctypes.c_ulong()
    if not pdfium.FPDFAttachment_GetFile(attachment, None, 0, size) or size.value > MOST_ATTACHED:
        return name, None
    buffer = ctypes.create_string_buffer(max(size.value, 1))
    if not pdfium.FPDFAttachment_GetFile(attachment, buffer, size.value, size):
        return name, None
    return name, buffer.raw[: size.value]
