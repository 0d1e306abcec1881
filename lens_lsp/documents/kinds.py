"""Kinds of documents by the ends of their names, the protocol of their readers, and what reading one gives.

A reader gets bytes and gives text: nothing in it names the file, opens another one or reaches anything else. The same
bytes give the same text as long as `reader_version` stays. Readers and their libraries are imported by the worker
alone; what is here needs neither.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from typing import Protocol

from lens_lsp.model.documents import Head, LocatorMap, Structure
from lens_lsp.model.lazy_dataclass import dataclass

INSTALL = "pip install 'lens-lsp[documents]'"
"""The command that brings every library of every kind."""
INSTALL_OCR = "pip install 'lens-lsp[ocr]'"
"""The command that brings what reads scans."""
MOST_AT_ONCE = 64
"""Documents that are glanced at in one job."""
_READERS = "lens_lsp.documents.readers"
_NO_LOCATORS = LocatorMap()
_NO_STRUCTURE = Structure()
_MOST_RANGES = 12
"""Runs of pages that are named."""
_LEFT_OUT = ("only the first ", " not read", " could not be read", "missing or damaged")
"""What a notice says of parts that were left out."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library that a reader needs: the distribution to install, the module it brings."""

    distribution: str
    module: str


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """A kind of document: the ends of its file names, the reader for it and what must be installed."""

    name: str
    """Names the kind in evidence: ``"pdf"``."""
    suffixes: tuple[str, ...]
    """The ends of names, lower case, without the dot."""
    module: str
    """Where the reader's class is; only the worker imports it."""
    reader: str
    """The class: a `DocumentReader` made without arguments."""
    libraries: tuple[Library, ...] = ()
    edition: int = 1
    """Goes up whenever our part of the reading gives another text for the same bytes."""
    by_python: bool = False
    """Whether Python's own library does some of the reading, so that its version counts, too."""
    pictures: bool = False
    """Whether its reader can draw the pages."""
    holds: bool = False
    """Whether its reader reads the documents that are attached to it, so that all readers' versions count; it is made
    with the depth at which the document itself is attached."""
    glances: bool = False
    """Whether its reader can tell what a document is about: worth it where reading all of it takes much longer."""
    part: int = 0
    """Pages that its reader reads in one go: what was read of a long document stays when the time is up, and reading
    goes on from there. 0 where a document is read as a whole."""


_CALAMINE = Library("python-calamine", "python_calamine")
_LXML = Library("lxml", "lxml")
_PDFIUM = Library("pypdfium2", "pypdfium2")
_STRIPRTF = Library("striprtf", "striprtf")
_RAPIDOCR = Library("rapidocr", "rapidocr")
_PILLOW = Library("pillow", "PIL")
KINDS = (
    DocumentKind(
        "pdf",
        ("pdf",),
        f"{_READERS}.pdf",
        "PdfReader",
        (_PDFIUM,),
        4,
        pictures=True,
        holds=True,
        glances=True,
        part=100,
    ),
    DocumentKind("docx", ("docx", "docm", "dotx"), f"{_READERS}.office", "DocxReader", (_LXML,), 2),
    DocumentKind("pptx", ("pptx", "pptm"), f"{_READERS}.office", "PptxReader", (_LXML,), 2),
    DocumentKind(
        "sheet", ("xlsx", "xlsm", "xlsb", "xls", "ods"), f"{_READERS}.sheets", "SheetReader", (_CALAMINE, _LXML), 3
    ),
    DocumentKind("opendocument", ("odt", "ott", "odp"), f"{_READERS}.office", "OpenDocumentReader", (_LXML,), 2),
    DocumentKind("epub", ("epub",), f"{_READERS}.hypertext", "EpubReader", (_LXML,)),
    DocumentKind("rtf", ("rtf",), f"{_READERS}.rtf", "RtfReader", (_STRIPRTF,)),
    DocumentKind("eml", ("eml",), f"{_READERS}.mail", "MessageReader", (_LXML,), 4, by_python=True, holds=True),
    DocumentKind("msg", ("msg",), f"{_READERS}.outlook", "OutlookReader", (_LXML,), by_python=True, holds=True),
    DocumentKind("mbox", ("mbox",), f"{_READERS}.mail", "MailboxReader", (_LXML,), 3, by_python=True, holds=True),
)
SAVED_AS = {"doc": "docx", "dot": "docx", "ppt": "pptx", "pps": "pptx"}
"""Kinds without a reader that is kept well, and as what their programs save them for one that has."""
LOCKED = f"{_READERS}.locked"
"""Where documents with a password are opened; only the worker imports it."""
UNLOCKING = Library("msoffcrypto-tool", "msoffcrypto")
"""What opens Office files with a password, where the user installed it."""
SCAN = DocumentKind("scan", (), f"{_READERS}.scanned_pages", "ScanReader", (_PDFIUM, _RAPIDOCR))
"""Pages of a PDF that are pictures, read by the models that ``lens-lsp[ocr]`` brings."""
PICTURE = DocumentKind(
    "picture",
    ("png", "jpg", "jpeg", "jpe", "tif", "tiff", "bmp", "webp"),
    f"{_READERS}.pdf",
    "PdfReader",
    (_PDFIUM, _PILLOW),
    pictures=True,
)
"""Image files, which are documents where the user asked for OCR: most hold no text, and reading one takes seconds."""
_BY_NAME = {kind.name: kind for kind in (*KINDS, PICTURE)}
_BY_SUFFIX = {suffix: kind for kind in KINDS for suffix in kind.suffixes}


def kind_for(name: str) -> DocumentKind | None:
    """The kind of a file by the end of its name or path; None if it is none of ours."""
    return _BY_SUFFIX.get(name.rpartition(".")[2].lower()) if "." in name else None


def read_pictures(*, on: bool) -> None:
    """Whether image files are documents in this process from now on."""
    for suffix in PICTURE.suffixes:
        if on:
            _BY_SUFFIX[suffix] = PICTURE
        else:
            _BY_SUFFIX.pop(suffix, None)


def advice(suffix: str) -> str:
    """What to do about a file of a kind that nobody reads, by the end of its name; empty where nothing helps."""
    return f"; save it as .{SAVED_AS[suffix]}" if suffix in SAVED_AS else ""


def kind_named(name: str) -> DocumentKind:
    """The kind that a reader's name in evidence is of; KeyError for none."""
    return _BY_NAME[name]


@cache
def reader_version(kind: DocumentKind) -> str | None:
    """Of the reader and its libraries, ``"1+pypdfium2.5.15.2"``; None if one of them is missing.

    The same bytes give the same text as long as it stays the same. What was installed when it was first asked counts.
    """
    parts = [f"{kind.edition}.{sum(each.edition for each in KINDS)}" if kind.holds else str(kind.edition)]
    if missing(kind):
        return None
    libraries = dict.fromkeys([*kind.libraries, *(each for other in KINDS if kind.holds for each in other.libraries)])
    for library in libraries:
        version = installed(library)
        parts += [f"{library.distribution}.{version}"] if version is not None else []
    if kind.by_python or kind.holds:
        parts.append(f"python.{sys.version_info.major}.{sys.version_info.minor}")
    return "+".join(parts)


def missing(kind: DocumentKind) -> tuple[str, ...]:
    """The distributions that reading it needs and that are not installed."""
    return tuple(library.distribution for library in kind.libraries if installed(library) is None)


@cache
def installed(library: Library) -> str | None:
    """Its version, without importing it; None where it is not installed."""
    # Ten milliseconds, which nobody without documents should pay.
    from importlib.metadata import PackageNotFoundError, version

    if find_spec(library.module) is None:
        return None
    try:
        return version(library.distribution)
    except PackageNotFoundError:
        return None


class Failure(StrEnum):
    """Why there is no text."""

    BROKEN = "broken"
    """Not the kind of document that its name says, or damaged beyond reading."""
    ENCRYPTED = "encrypted"
    """It opens with a password only."""
    EMPTY = "empty"
    """Nothing in it is text: a scan without a text layer, a deck of pictures."""
    TOO_LARGE = "too-large"
    """More bytes, or more text, than a worker takes."""
    TIMED_OUT = "timed-out"
    """Not done when its time was up; the worker was killed."""
    DIED = "died"
    """The worker ended: its memory was used up, or its library crashed."""
    NO_READER = "no-reader"
    """The library that reads it is not installed: the extra ``lens-lsp[documents]``."""


class Unextracted(Exception):
    """A document without a text, and why. ``detail`` is for people, one line."""

    def __init__(self, failure: Failure, detail: str = "") -> None:
        super().__init__(f"{failure}: {detail}" if detail else str(failure))
        self.failure = failure
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Gist:
    """What a search needs to know of a document beside its text, before anything of it is shown."""

    head: Head
    headings: tuple[str, ...] = ()
    cut: bool = False
    """Parts of it were left out."""
    hidden: bool = False
    """Nobody sees some of its text."""
    unseen: int = 0
    """Pictures of which nothing was read."""
    bare: bool = False
    """Some of its pages are pictures."""
    left: int = 0
    """Pages that were not read yet."""


@dataclass(frozen=True, slots=True)
class StoredText:
    """What a search needs of a document."""

    text: str
    gist: Gist
    waiting: bool = False
    """Some of its pages are pictures that the user wants recognised, and that was not done yet."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a document, its structure and the place of each part; all offsets are code points of ``text``.

    Locators name what a person would open: ``{"page": 12}``, ``{"sheet": "Sheet1", "cell": "B7"}``, ``{"slide": 4}``,
    ``{"chapter": 3}``, ``{"message": 2, "date": "2024-03-01"}``.
    """

    text: str
    locators: LocatorMap = _NO_LOCATORS
    structure: Structure = _NO_STRUCTURE
    notices: tuple[str, ...] = ()
    """What a user should know: text that a program recognised or that nobody sees, parts left out."""
    pages: tuple[int, ...] = ()
    """Pages, from 1, that something is drawn on and that have no text: pictures of pages, mostly."""
    pictures: int = 0
    """Other pictures in it. What may be written on them is not in the text."""
    private: str | None = None
    """How its metadata say ``lens: private``, None where they do not."""
    read: int = 0
    """Pages until which it was read, where that is not all of it."""
    left: int = 0
    """Pages behind these that were not read yet."""
    unlocked: bool = False
    """It opened with a password: its text is kept in memory alone."""

    @property
    def cut(self) -> bool:
        """Whether the notices say that parts of it were not read."""
        return any(words in notice for notice in self.notices for words in _LEFT_OUT)

    @property
    def unseen(self) -> int:
        """All pictures of which nothing was read."""
        return len(self.pages) + self.pictures

    @property
    def gist(self) -> Gist:
        """What a search needs to know of it beside its text."""
        structure = self.structure
        headings = tuple(heading.text for heading in structure.headings)
        return Gist(
            structure.head, headings, self.cut, bool(structure.hidden), self.unseen, bool(self.pages), self.left
        )


@dataclass(frozen=True, slots=True)
class ScannedLine:
    """A line that was read on a picture of a page; its box in points from the upper left corner of the upright page."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    sure: float
    """How sure the model is of it, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class ScannedPage:
    """What was read on a picture of a page, which ``turned`` quarters to the left make upright. Sizes in points."""

    turned: int
    width: float
    height: float
    lines: tuple[ScannedLine, ...]

    @property
    def sure(self) -> float:
        """How sure the model is of the page's letters, on average; 0 without any."""
        letters = sum(len(line.text) for line in self.lines)
        return sum(line.sure * len(line.text) for line in self.lines) / letters if letters else 0.0


@dataclass(frozen=True, slots=True)
class View:
    """A page as it looks: a PNG. ``marks`` is how many rectangles a quote took in it, 0 if it was not found there."""

    png: bytes
    marks: int


class DocumentReader(Protocol):
    """One kind of document. Raises `Unextracted`; whatever else it raises counts as broken."""

    def extract(self, data: bytes) -> Extracted:
        """All of the document."""

    def extract_part(self, data: bytes, first: int, count: int) -> Extracted:
        """At most ``count`` pages from the page ``first`` on, from 0, which may be without a text. Only of kinds with a
        ``part``."""

    def glance(self, data: bytes) -> str:
        """What it says of itself, long before it is read: title, subject, keywords, the headings of its outline. Never
        shown or cited. Only of kinds that ``glances``."""

    def picture(self, data: bytes, index: int) -> tuple[bytes, int]:
        """The page ``index`` from 0 as a binary PGM, for a program that recognises text, and how many pages there are.
        Only of kinds with ``pictures``."""

    def recognise(self, data: bytes, index: int) -> tuple[ScannedPage, int]:
        """What stands on a picture of the page ``index`` from 0, and how many pages there are. Only of `SCAN`."""

    def view(self, data: bytes, page: int, quote: str, scanned: ScannedPage | None) -> View:
        """A page, from 1, for people, with a quote marked, by what was read on its picture where it has no text. Only
        of kinds with ``pictures``."""


def pages_shown(numbers: Sequence[int]) -> str:
    """The pages in order, runs as ranges: ``pages 3-7, 9``."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    named = [str(first) if first == last else f"{first}-{last}" for first, last in ranges[:_MOST_RANGES]]
    more = " and more" if len(ranges) > _MOST_RANGES else ""
    return f"{'pages' if len(numbers) > 1 else 'page'} {', '.join(named)}{more}"
