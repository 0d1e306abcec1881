"""What a document that is no text file becomes, and why it sometimes does not.

A reader gets bytes and gives text: nothing in it names the file, opens another one or reaches anything else. The same
bytes give the same text as long as the reader's version and that of its library stay, which its ``reader`` records.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from lens_lsp.model.documents import LocatorMap, Structure

_NO_LOCATORS = LocatorMap()
_NO_STRUCTURE = Structure()


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


_LEFT_OUT = ("only the first ", " not read", " could not be read", "missing or damaged")
"""What a notice says of parts that were left out."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of a document with what stands where in it; all offsets are code points of ``text``.

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

    @property
    def cut(self) -> bool:
        """Whether the notices say that parts of it were not read."""
        return any(words in notice for notice in self.notices for words in _LEFT_OUT)

    @property
    def unseen(self) -> int:
        """All pictures of which nothing was read."""
        return len(self.pages) + self.pictures


@dataclass(frozen=True, slots=True)
class View:
    """A page as it looks: a PNG. ``marks`` is how many rectangles a quote took in it, 0 if it was not found there."""

    png: bytes
    marks: int


class DocumentReader(Protocol):
    """One kind of document. Raises `Unextracted`; whatever else it raises counts as broken."""

    @property
    def name(self) -> str:
        """Names the kind, ``"pdf"``."""

    @property
    def version(self) -> str:
        """Of the reader and its library, ``"1+pdfium.7543"``: another text for the same bytes means another version."""

    def extract(self, data: bytes) -> Extracted:
        """All of the document."""


class GlancingReader(DocumentReader, Protocol):
    """One that can tell what a document is about long before it has read it."""

    def glance(self, data: bytes) -> str:
        """What it says of itself: title, subject, keywords, the headings of its outline. Never shown or cited."""


class PicturingReader(DocumentReader, Protocol):
    """One that can draw the pages of a document: for a program that recognises text on them, and for people."""

    def picture(self, data: bytes, index: int) -> tuple[bytes, int]:
        """The page ``index`` from 0 as a binary PGM, and how many pages there are."""

    def view(self, data: bytes, page: int, quote: str) -> View:
        """A page, from 1, with a quote marked. Raises `Unextracted`, as for a page that there is not."""
