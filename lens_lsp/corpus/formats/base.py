"""What every reader is: decoded text in, text, structure and places out.

For a text format the document's text *is* the decoded text, so that every span and quote slices the file
itself and a reader only adds structure. Only extracted formats (notebooks) have a text of their own; they
carry a map from it back to what a person would open.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Protocol

from lens_lsp.model.documents import Head, Locator, LocatorMap, Structure
from lens_lsp.model.text import Span

HEAD_LENGTH = 4096
"""Code points of a document's start that are enough for ``Reader.head``."""

NO_HEAD = Head()
NO_LOCATORS = LocatorMap()


@dataclass(frozen=True, slots=True)
class Extraction:
    """The text of a document and where its parts stand in the file."""

    text: str
    locators: LocatorMap = NO_LOCATORS


class Reader(Protocol):
    """One format. No method raises on any text; each takes time linear in its length."""

    @property
    def name(self) -> str:
        """Names the format, ``"markdown"``; with ``version`` it is recorded in every piece of evidence."""

    @property
    def version(self) -> int:
        """Goes up whenever ``extract`` gives another text for the same file."""

    @property
    def extracted(self) -> bool:
        """Whether the document's text differs from the decoded file."""

    @property
    def masked(self) -> bool:
        """Whether ``mask`` ever hides anything: the text of other formats can be scanned as it is."""

    def extract(self, decoded: str) -> Extraction:
        """The document's text; the decoded text itself unless ``extracted``."""

    def structure(self, text: str) -> Structure:
        """What stands in the document's text: blocks apart and in order, all spans inside the text."""

    def locators(self, text: str) -> LocatorMap:
        """Rows, keys; empty where line and column say it all. Extracted formats give it in ``extract``."""

    def head(self, start: str) -> Head:
        """What the document says about itself in its first ``HEAD_LENGTH`` code points; microseconds."""

    def mask(self, text: str) -> tuple[Span, ...]:
        """Markup that must not be searched, in order and apart; empty for most formats."""

    def unclosed(self, text: str) -> int | None:
        """Where markup begins that hides the text to its end because it is never closed; None in most texts."""


class TextReader:
    """The defaults of a text format: nothing extracted, nothing masked, lines and columns for places."""

    name = "text"
    version = 1
    extracted = False
    masked = False

    def extract(self, decoded: str) -> Extraction:
        """The decoded text itself."""
        return Extraction(decoded)

    def locators(self, text: str) -> LocatorMap:
        """No places but lines and columns."""
        return NO_LOCATORS

    def head(self, start: str) -> Head:
        """Nothing known."""
        return NO_HEAD

    def mask(self, text: str) -> tuple[Span, ...]:
        """Everything may be searched."""
        return ()

    def unclosed(self, text: str) -> int | None:
        """Nothing hides anything."""
        return None


def locate(locators: LocatorMap, offset: int) -> Locator | None:
    """The place that holds at a code point offset, ``None`` before the first and in stretches without one."""
    index = bisect_right(locators.starts, offset) - 1
    if index < 0:
        return None
    return locators.locators[index] or None


def with_plain_breaks(text: str) -> str:
    r"""The text with ``\n`` as its only line break and every character at the same offset.

    ``\r\n`` becomes a space and ``\n``, so a reader may split at ``\n`` and still count in source offsets.
    """
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")
