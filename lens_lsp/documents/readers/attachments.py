"""Attachments: documents inside a document, read by the readers of their own kinds behind its text.

How much is read is bounded by bytes, never by time: the same bytes are to give the same text.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from importlib import import_module

from lens_lsp.documents.kinds import (
    DocumentKind,
    Extracted,
    Failure,
    Unextracted,
    advice,
    kind_for,
    kind_named,
    missing,
    pages_shown,
)
from lens_lsp.documents.readers.composer import TextComposer, on_one_line
from lens_lsp.model.documents import Locator, locator_text
from lens_lsp.model.lazy_regex import regex

DEEPEST = 3
"""Documents in documents in documents; what is attached to the last ones is named."""
_MOST_COUNT = 200
_MOST_BYTES = 48 << 20
"""Of all attachments of one document."""
_MOST_TEXT = 4 << 20
"""Bytes of an attached plain text."""
_TEXT_SUFFIXES = """
asc bat c cfg conf cpp css csv diff h htm html ics ini java js json log markdown md patch py rst sh sql tex text toml ts
tsv txt vcf xml yaml yml
"""
_TEXTS = frozenset(_TEXT_SUFFIXES.split())
_DELIMITERS = {"csv": ",;\t|", "tsv": "\t"}
_MARKUP = frozenset({"htm", "html", "xml"})
_PICTURE_SUFFIXES = "avif bmp emf gif heic heif ico jpeg jpg png svg tif tiff webp wmf"
_PICTURES = frozenset(_PICTURE_SUFFIXES.split())
_BEGINNINGS = ((b"%PDF-", "pdf"), (b"{\\rtf", "rtf"))
_NAMELESS = "without a name"
_PARAGRAPHS = regex(r"\n[ \t]*\r?\n")
_WHY = {
    Failure.ENCRYPTED: "it opens with a password only",
    Failure.EMPTY: "nothing in it is text",
    Failure.NO_READER: "its library is not installed",
    Failure.TOO_LARGE: "it is too large",
}


class Attachments:
    """Reads the attachments of one document into its text. ``depth`` is how deep the document itself is attached."""

    def __init__(self, composer: TextComposer, depth: int = 0) -> None:
        self.notices: list[str] = []
        """What was not read, and why."""
        self.pictures = 0
        self.private: str | None = None
        """How the first attachment that does says ``lens: private``."""
        self._composer = composer
        self._depth = depth
        self._left = _MOST_BYTES
        self._count = 0

    def all(self, attached: Sequence[tuple[str, bytes | None]], place: Locator, level: int = 1) -> None:
        """Name some files, and read them; None stands for bytes that could not be taken out."""
        if attached:
            self._composer.place(place)
            self._composer.paragraph("Attached: " + ", ".join(on_one_line(name) or _NAMELESS for name, _ in attached))
        for name, data in attached:
            if data is None:
                self._unread(on_one_line(name) or _NAMELESS, "it is damaged or too large")
            else:
                self.read(name, data, place, level)

    def read(
        self,
        name: str,
        data: bytes,
        place: Locator,
        level: int = 1,
        type_: str = "",
        opened: Callable[[int], Extracted] | None = None,
    ) -> None:
        """Read one attachment under a heading with its name; ``type_`` is what its holder says it is (RFC 2046).
        ``opened`` reads one that its holder has open already, at a depth."""
        shown = on_one_line(name) or _NAMELESS
        suffix = shown.rpartition(".")[2].lower() if "." in shown else ""
        self._count += 1
        if self._count > _MOST_COUNT or len(data) > self._left:
            self._unread(shown, "there is too much attached")
            return
        self._left -= len(data)
        kind = kind_for(shown) or _kind_of(data)
        if opened is not None:
            self._document(opened, shown, place, level)
        elif suffix in _PICTURES or type_.startswith("image/"):
            self.pictures += 1
        elif kind is not None:
            self._document(lambda depth: _extracted(kind, data, depth), shown, place, level)
        elif type_.startswith("text/") or suffix in _TEXTS:
            self._text(shown, suffix, data, place, level)
        else:
            self._unread(shown, f"no reader knows its kind{advice(suffix)}")

    def _document(self, extract: Callable[[int], Extracted], shown: str, place: Locator, level: int) -> None:
        if self._depth >= DEEPEST:
            self._unread(shown, "it is a document in a document in a document")
            return
        try:
            found = extract(self._depth + 1)
        except Unextracted as reason:
            self._unread(shown, _WHY.get(reason.failure, "it is damaged"))
            return
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - whatever a library raises, this attachment is broken and the rest is not
            self._unread(shown, "it is damaged")
            return

        def placed(inner: Locator) -> Locator:
            return {**place, "attachment": f"{shown} {locator_text(inner)}".strip()}

        self._head(shown, place, level)
        self._composer.include(found, placed, level)
        self.notices += [f"attachment {shown}: {notice}" for notice in found.notices]
        if found.pages:
            self._unread(shown, f"{pages_shown(found.pages)} without text", part=True)
        self.pictures += found.pictures
        self.private = self.private or found.private

    def _text(self, shown: str, suffix: str, data: bytes, place: Locator, level: int) -> None:
        if len(data) > _MOST_TEXT:
            self._unread(shown, "it is too large")
            return
        text = _decoded(data)
        if "\0" in text:
            self._unread(shown, "it is no text")
            return
        self._head(shown, place, level)
        self._composer.place({**place, "attachment": shown})
        if suffix in _DELIMITERS and self._rows(shown, text, _DELIMITERS[suffix], place):
            pass
        elif suffix in _MARKUP:
            from lens_lsp.documents.readers.hypertext import compose, root_of_html

            root = root_of_html(text.encode("utf-8", "replace"))
            if root is not None:
                compose(root, self._composer)
        else:
            for paragraph in _PARAGRAPHS.split(text):
                self._composer.paragraph(paragraph)
        self._composer.place(place)

    def _rows(self, shown: str, text: str, delimiters: str, place: Locator) -> bool:
        """The rows of a table as a text, with the number of each; whether it is one."""
        first = text.partition("\n")[0]
        delimiter = max(delimiters, key=first.count)
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        except csv.Error:
            return False
        table = self._composer.table()
        for number, row in enumerate(rows, 1):
            here: Locator = {**place, "attachment": f"{shown} row {number}"}
            self._composer.place(here)
            table.row(row, [here] * len(row))
        return True

    def _head(self, shown: str, place: Locator, level: int) -> None:
        self._composer.place({**place, "attachment": shown})
        self._composer.heading(f"Attachment: {shown}", level)
        self._composer.place(place)

    def _unread(self, shown: str, why: str, *, part: bool = False) -> None:
        what = "parts of attachment" if part else "attachment"
        self.notices.append(f"{what} {shown}: not read, {why}")


def _extracted(kind: DocumentKind, data: bytes, depth: int) -> Extracted:
    if missing(kind):
        raise Unextracted(Failure.NO_READER)
    reader = getattr(import_module(kind.module), kind.reader)
    found: Extracted = (reader(depth) if kind.holds else reader()).extract(data)
    return found


def _kind_of(data: bytes) -> DocumentKind | None:
    """The kind of a document by how it begins, where its name does not tell."""
    return next((kind_named(name) for beginning, name in _BEGINNINGS if data.startswith(beginning)), None)


def _decoded(data: bytes) -> str:
    for encoding in ("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "utf-8"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("cp1252", "replace")
